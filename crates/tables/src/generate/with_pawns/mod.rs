//! Generates a half with pawns, P-slice by P-slice, those with the most advanced pawns first.
//!
//! Where memory allows, whole P-slices are kept in it as long as others lead to them. Otherwise
//! blocks are loaded when they are needed: a P-slice is worked through in the order of the kings'
//! squares, and the positions that conversions lead to have the same kings or neighbours of them,
//! so that a few blocks of each table suffice.

mod finished;
pub(super) mod loaded;
mod memory;
mod packed;
mod slice;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use everymove_kernel::parallel;
use everymove_kernel::run::{Run, Work};
use serde::{Deserialize, Serialize};

use crate::error::TableError;
use crate::generate::checkpoint::{Checkpoint, Log};
use crate::generate::conversions::Conversions;
use crate::generate::dependencies::Dependencies;
use crate::generate::plan::Plan;
use crate::generate::schedule::Traffic;
use crate::position::index_space::{IndexSpace, Side};
use crate::position::material::Half;
use crate::store::directory::Tables;
use crate::store::format::Writer;
use crate::store::spool::{Spool, SpoolFile};

use finished::FinishedSlices;
use loaded::LoadedSlices;
use memory::{Way, useful_ways};
use packed::Place;
use slice::{SliceSolver, SolvedSlice, Values};

/// Positions of the P-slices that a thread solves before it is seen whether a save is due.
const POSITIONS_AT_ONCE: usize = 1 << 26;

/// P-slices whose pawns have advanced by the same number of ranks.
#[derive(Debug)]
pub(super) struct AdvancementGroup {
    /// Sum of the ranks that the pawns have advanced. A pawn's move increases it by one or two.
    pub(super) advancement: u32,
    pub(super) slices: Vec<usize>,
}

/// Generates a half with pawns.
pub(crate) struct PawnBuilder<'a> {
    half: &'a Half,
    space: Arc<IndexSpace>,
    groups: Vec<AdvancementGroup>,
    plan: &'a Plan,
    tables: &'a Tables,
    run: &'a Run,
    /// The ways to choose from, the fastest first.
    ways: Vec<Way>,
}

impl<'a> PawnBuilder<'a> {
    pub(crate) fn new(half: &'a Half, plan: &'a Plan, tables: &'a Tables, run: &'a Run) -> Self {
        let space = tables.space(half);
        Self {
            half,
            groups: groups(&space),
            ways: useful_ways(space.free),
            space,
            plan,
            tables,
            run,
        }
    }

    pub(crate) fn build(
        &self,
        writer: &mut Writer<'_>,
        work: &mut Work,
    ) -> Result<Traffic, TableError> {
        let ram = &self.run.ram;
        let what = self.half.to_string();
        let (way, need) = self.way(ram.left());
        let _once = ram.reserve(&what, need.once)?;
        let fitting = (ram.left() / need.each) as usize;
        let run = self
            .run
            .with_threads(fitting.clamp(1, self.run.threads.get()));
        let threads = run.threads.get();
        let _each = ram.reserve(&what, threads as u64 * need.each)?;

        let storage = &self.tables.scratch(self.half);
        let (mut log, saved) = self.log()?.unzip();
        let file = match &log {
            Some(log) => log.data().clone(),
            None => Arc::new(SpoolFile::new(storage, "slices.draft")?),
        };
        let mut finished = FinishedSlices::new(&self.space, &file);
        for slice in saved.into_iter().flatten().flat_map(|saved| saved.slices) {
            work.add("wins", slice.found[0]);
            work.add("losses", slice.found[1]);
            if let Some(log) = &log {
                finished.put_saved(&slice, log)?;
            }
        }
        let all_done = |group: &&AdvancementGroup| group.slices.iter().all(|&s| finished.has(s));
        let done = self.groups.iter().take_while(all_done).count();
        if let (Way::Loaded { .. }, Some(next)) = (way, self.groups.get(done)) {
            // Those that the next P-slices lead to are needed in memory.
            let near = |group: &&AdvancementGroup| group.advancement <= next.advancement + 2;
            for &slice in self.groups.iter().filter(near).flat_map(|g| &g.slices) {
                if finished.has(slice) {
                    finished.reload(slice)?;
                }
            }
        }
        let mut loaded = LoadedSlices::new(self.tables);
        let mut traffic = Traffic::default();
        let left = (0..self.space.slices()).filter(|&slice| !finished.has(slice));
        run.progress.start(what, left.count() as u64);
        let at_once = (POSITIONS_AT_ONCE / self.space.slice_len()).max(1) * threads;
        for group in &self.groups[done..] {
            finished.release(&self.groups, group.advancement + 2);
            let values = match way {
                Way::Loaded { .. } => Values::Loaded(self.loaded(group, &finished, &mut loaded)?),
                Way::Cached(cached) => Values::Cached(cached),
            };
            let spool = match way {
                Way::Loaded {
                    lists_in_memory: true,
                } => Spool::in_memory(),
                _ => Spool::in_file(storage, "lists.draft")?,
            };
            let left: Vec<usize> = group
                .slices
                .iter()
                .copied()
                .filter(|&slice| !finished.has(slice))
                .collect();
            let mut fresh = Vec::new();
            for part in left.chunks(at_once) {
                let solver = SliceSolver {
                    half: self.half,
                    space: &self.space,
                    metric: self.plan.metric,
                    tables: self.tables,
                    finished: &finished,
                    spool: &spool,
                    run: &run,
                };
                let solve = |(): &mut (), &slice: &usize| {
                    let solved = solver.solve(slice, &values);
                    run.progress.advance(1);
                    solved
                };
                let solved = parallel::try_map(&run, part, || (), solve)?;
                for (&slice, solved) in part.iter().zip(solved) {
                    work.add("wins", solved.found[0]);
                    work.add("losses", solved.found[1]);
                    traffic.merge(&solved.traffic);
                    fresh.push(SavedSlice::of(slice, &solved));
                    finished.put(slice, solved);
                }
                let is_last = part.last() == left.last();
                if let Some(log) = log.as_mut().filter(|log| is_last || log.is_due()) {
                    let slices = std::mem::take(&mut fresh);
                    log.save(SavedSlices { slices })?;
                }
            }
        }
        finished.write(&run, writer)?;
        Ok(traffic)
    }

    /// Loads what the conversions of a group lead to.
    fn loaded(
        &self,
        group: &AdvancementGroup,
        finished: &FinishedSlices<'_>,
        loaded: &mut LoadedSlices<'_>,
    ) -> Result<Arc<Conversions>, TableError> {
        let dependencies = Dependencies::new(&self.space, &group.slices, self.tables);
        loaded.load(&dependencies, self.run)?;
        let conversions = Conversions::new(&self.space, self.plan.metric, |half, side| {
            Ok::<_, TableError>(if half == self.half {
                finished.view(side)
            } else {
                loaded.view(half, side)
            })
        })?;
        Ok(Arc::new(conversions))
    }

    /// Opens the checkpoint, if there is one.
    fn log(&self) -> Result<Option<(Log, Vec<SavedSlices>)>, TableError> {
        let open = |checkpoint: &Checkpoint| {
            let name = self.plan.checkpoint_name(self.half);
            checkpoint.log(&name, "constellations", &self.run.stop)
        };
        self.plan.checkpoint.as_ref().map(open).transpose()
    }
}

/// P-slices solved since the last save.
#[derive(Debug, Serialize, Deserialize)]
struct SavedSlices {
    slices: Vec<SavedSlice>,
}

/// A P-slice that is done; the fields are those of [`SolvedSlice`].
#[derive(Debug, Serialize, Deserialize)]
struct SavedSlice {
    slice: usize,
    packed: [Place; 2],
    max: [u8; 2],
    found: [u64; 2],
}

impl SavedSlice {
    fn of(slice: usize, solved: &SolvedSlice) -> Self {
        Self {
            slice,
            packed: solved.packed,
            max: solved.max,
            found: solved.found,
        }
    }
}

/// Returns the P-slices by the advancement of their pawns, the most advanced first.
pub(super) fn groups(space: &IndexSpace) -> Vec<AdvancementGroup> {
    let mut groups: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for slice in 0..space.slices() {
        let pieces = &space.pieces[2 + space.free..];
        let ranks = pieces.iter().zip(space.p_slices[slice]);
        let advancement = ranks.map(|(piece, square)| {
            let rank = u32::from(square >> 3);
            match piece.side {
                Side::Attacker => rank,
                Side::Defender => 7 - rank,
            }
        });
        groups.entry(advancement.sum()).or_default().push(slice);
    }
    let groups = groups.into_iter().rev();
    groups
        .map(|(advancement, slices)| AdvancementGroup {
            advancement,
            slices,
        })
        .collect()
}
