//! A half with pawns, constellation by constellation, those furthest ahead first.

use std::collections::BTreeMap;
use std::sync::Arc;

use everymove_kernel::run::{Run, Work};
use serde::{Deserialize, Serialize};

use crate::error::TableError;
use crate::generate::by_distance::Form;
use crate::generate::checkpoint::{Checkpoint, Log};
use crate::generate::conversions::{Codes, Conversions, View};
use crate::generate::dependencies::Dependencies;
use crate::generate::plan::{PROGRAM_BYTES, Plan};
use crate::generate::retro_step::{State, Workspace};
use crate::generate::schedule::{Schedule, Traffic};
use crate::generate::solve::{Order, partitions, solve};
use crate::parallel::in_parallel;
use crate::position::index_space::{IndexSpace, Side};
use crate::position::material::Half;
use crate::position::subspace::Subspace;
use crate::store::directory::{Tables, mark_illegal_in};
use crate::store::format::{BLOCK, Packed, Writer, pack, width};
use crate::store::spool::{Spool, SpoolFile};
use crate::store::win_set::InMemory;

/// Lists in flight that a thread keeps in memory when there is a file for the others, in bytes.
const LISTS: u64 = 4 << 20;
/// Lists of conversions and of one step for each word, in bytes, when they are all kept in memory.
const LISTS_PER_WORD: u64 = 64;
/// Blocks of other tables on their way into memory, in bytes.
const READING: u64 = 4 << 20;

/// The constellations that are equally far ahead.
#[derive(Debug)]
struct Group {
    /// Ranks that the pawns have advanced, together. A pawn's move leads one or two further.
    advancement: u32,
    slices: Vec<usize>,
}

/// Makes a half with pawns.
pub(crate) struct PawnBuilder<'a> {
    half: &'a Half,
    space: Arc<IndexSpace>,
    groups: Vec<Group>,
    plan: &'a Plan,
    tables: &'a Tables,
    run: &'a Run,
}

impl<'a> PawnBuilder<'a> {
    pub(crate) fn new(half: &'a Half, plan: &'a Plan, tables: &'a Tables, run: &'a Run) -> Self {
        let space = tables.space(half);
        Self {
            half,
            groups: groups(&space),
            space,
            plan,
            tables,
            run,
        }
    }

    /// Bytes that finished constellations take, this half's and others', when that is most.
    fn held(&self) -> u64 {
        let own = |group: &Group| {
            let ahead = group.advancement..=group.advancement + 2;
            let win_set = self
                .groups
                .iter()
                .filter(|g| ahead.contains(&g.advancement));
            let slices: usize = win_set.map(|g| g.slices.len()).sum();
            (2 * slices * self.space.slice_len()) as u64
        };
        let all = |group: &Group| {
            let dependencies = Dependencies::new(&self.space, &group.slices, self.tables);
            own(group) + dependencies.bytes(self.tables)
        };
        self.groups.iter().map(all).max().unwrap_or(0) + READING + PROGRAM_BYTES
    }

    /// Bytes that a thread needs, with lists in memory or in a file.
    fn workspace(&self, in_memory: bool) -> u64 {
        let words = self.space.slice_len() / 64;
        let lists = words as u64 * LISTS_PER_WORD;
        let lists = if in_memory { lists } else { lists.min(LISTS) };
        InMemory::bytes(words) + State::guard_bytes(words) + Workspace::bytes(words) + lists
    }

    /// Bytes without which it cannot be done.
    pub(crate) fn least(&self) -> u64 {
        self.held() + self.workspace(false)
    }

    pub(crate) fn make(
        &self,
        writer: &mut Writer<'_>,
        work: &mut Work,
    ) -> Result<Traffic, TableError> {
        let ram = &self.run.ram;
        let what = self.half.to_string();
        let _held = ram.reserve(&what, self.held())?;
        let room = |workspace: u64| (ram.left() / workspace) as usize;
        let wished = self.run.threads.get();
        let in_memory = room(self.workspace(true)) >= wished;
        let workspace = self.workspace(in_memory);
        let threads = room(workspace).clamp(1, wished);
        let run = self.run.with_threads(threads);
        let _benches = ram.reserve(&what, threads as u64 * workspace)?;

        let folder = self.tables.folder();
        let (mut log, saved) = self.log()?.unzip();
        let scratch = match &log {
            Some(log) => log.data().clone(),
            None => Arc::new(SpoolFile::new(&folder.join("slices.draft"))?),
        };
        let mut finished = Finished::new(&self.space, scratch);
        let mut done = 0;
        for SavedGroups { groups, slices } in saved.into_iter().flatten() {
            for slice in slices {
                work.add("wins", slice.found[0]);
                work.add("losses", slice.found[1]);
                finished.put_packed(&slice);
            }
            done = groups;
        }
        // What the next constellations lead to is needed in memory.
        if let Some(next) = self.groups.get(done) {
            for group in &self.groups[..done] {
                if group.advancement <= next.advancement + 2 {
                    for &slice in &group.slices {
                        finished.bring_back(slice)?;
                    }
                }
            }
        }
        let mut fresh = Vec::new();
        let mut shelf = Shelf::new(self.tables);
        let mut traffic = Traffic::default();
        let left: usize = self.groups[done..].iter().map(|g| g.slices.len()).sum();
        run.progress.start(what, left as u64);
        for (number, group) in self.groups.iter().enumerate().skip(done) {
            finished.forget(&self.groups, group.advancement + 2);
            shelf.fill(
                &Dependencies::new(&self.space, &group.slices, self.tables),
                &run,
            )?;
            let conversions = Conversions::new(&self.space, self.plan.metric, |half, side| {
                Ok::<_, TableError>(if half == self.half {
                    finished.view(side)
                } else {
                    shelf.view(half, side)
                })
            })?;
            let conversions = Arc::new(conversions);
            let spool = if in_memory {
                Spool::held()
            } else {
                Spool::filed(&folder.join("lists.draft"))?
            };
            let solve = |(): &mut (), &slice: &usize| {
                let solved = self.p_slice(slice, &conversions, &spool, &finished.scratch);
                run.progress.advance(1);
                solved
            };
            let solved = in_parallel(&group.slices, &run, || (), solve)?;
            drop(conversions);
            for (&slice, solved) in group.slices.iter().zip(solved) {
                let solved = solved?;
                work.add("wins", solved.found[0]);
                work.add("losses", solved.found[1]);
                traffic.merge(&solved.traffic);
                if log.is_some() {
                    fresh.push(SavedSlice {
                        slice,
                        packed: solved.packed,
                        max: solved.max,
                        found: solved.found,
                    });
                }
                finished.put(slice, solved);
            }
            let groups = number + 1;
            if let Some(log) = &mut log {
                let slices = std::mem::take(&mut fresh);
                log.save(SavedGroups { groups, slices })?;
            }
        }
        finished.write(&run, writer)?;
        Ok(traffic)
    }

    /// What was saved of the work, if work is saved.
    fn log(&self) -> Result<Option<(Log, Vec<SavedGroups>)>, TableError> {
        let open = |checkpoint: &Checkpoint| {
            let name = self.plan.log_name(self.half);
            Ok(checkpoint.log(&name, "constellations")?)
        };
        self.plan.checkpoint.as_ref().map(open).transpose()
    }

    fn p_slice(
        &self,
        slice: usize,
        conversions: &Arc<Conversions>,
        spool: &Spool,
        scratch: &SpoolFile,
    ) -> Result<Solved, TableError> {
        let subspace = Subspace::new(self.space.clone(), Some(slice));
        let state = State::new(subspace, self.plan.metric, conversions.clone());
        let mut state = state.guarded();
        let serial = self.run.with_threads(1);
        let (words, schedule) = (state.subspace.words, Schedule::Scan);
        let (won, partitions) = (
            InMemory::new(words),
            partitions(&self.space, schedule, words),
        );
        let order = Order {
            schedule,
            form: Form::Codes,
            uncached: false,
        };
        let by_distance = solve(&mut state, &won, &partitions, order, None, spool, &serial)?;
        let mut codes = by_distance.codes.unwrap_or_default();
        let mut packed = [(0, 0); 2];
        for (codes, packed) in codes.iter().zip(&mut packed) {
            let bytes = zstd::bulk::compress(codes, 1).expect("memory takes what is written");
            *packed = (scratch.append(&bytes)?, bytes.len() as u64);
        }
        let max = [0, 1].map(|side| codes[side].iter().copied().max().unwrap_or(0));
        mark_illegal_in(&state.subspace, &mut codes[0]);
        Ok(Solved {
            codes,
            packed,
            max,
            found: by_distance.found,
            traffic: by_distance.traffic,
        })
    }
}

/// Constellations that were found since the last time, and how many groups are done.
#[derive(Debug, Serialize, Deserialize)]
struct SavedGroups {
    groups: usize,
    slices: Vec<SavedSlice>,
}

/// A constellation that is done; its fields are those of [`Solved`].
#[derive(Debug, Serialize, Deserialize)]
struct SavedSlice {
    slice: usize,
    packed: [(u64, u64); 2],
    max: [u8; 2],
    found: [u64; 2],
}

/// The constellations by how far the pawns have come, the furthest first.
fn groups(space: &IndexSpace) -> Vec<Group> {
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
        .map(|(advancement, slices)| Group {
            advancement,
            slices,
        })
        .collect()
}

/// One constellation: what wins with the attacker to move, impossible positions marked, and what loses with the defender
/// to move.
struct Solved {
    codes: [Vec<u8>; 2],
    /// Where the file of finished constellations has them, and in how many bytes.
    packed: [(u64, u64); 2],
    max: [u8; 2],
    found: [u64; 2],
    traffic: Traffic,
}

/// Constellations of other tables, those that are needed now.
struct Shelf<'a> {
    tables: &'a Tables,
    views: BTreeMap<(Half, Side), Arc<View>>,
}

impl<'a> Shelf<'a> {
    fn new(tables: &'a Tables) -> Self {
        Self {
            tables,
            views: BTreeMap::new(),
        }
    }

    /// Loads what is demanded and is not there, and lets go of everything else, first.
    fn fill(&mut self, dependencies: &Dependencies, run: &Run) -> Result<(), TableError> {
        self.views
            .retain(|key, _| dependencies.wanted.contains_key(key));
        for (key, wanted) in &dependencies.wanted {
            if let Some(view) = self.views.get_mut(key)
                && let Some(view) = Arc::get_mut(view)
                && let Codes::Slices(slices) = &mut view.codes
            {
                for (slice, codes) in slices.iter_mut().enumerate() {
                    if !wanted.contains(&slice) {
                        *codes = None;
                    }
                }
            }
        }
        for (key, wanted) in &dependencies.wanted {
            let (half, side) = key;
            let space = self.tables.space(half);
            if space.pawns == 0 {
                if !self.views.contains_key(key) {
                    let view = self.tables.view(half, *side, run)?;
                    self.views.insert(key.clone(), view);
                }
                continue;
            }
            let mut slices = match self.views.remove(key).as_deref() {
                Some(View {
                    codes: Codes::Slices(slices),
                    ..
                }) => slices.clone(),
                _ => vec![None; space.slices()],
            };
            let missing = wanted.iter().copied().filter(|&s| slices[s].is_none());
            let missing: Vec<usize> = missing.collect();
            let loaded = self.tables.slices(half, *side, &missing, run)?;
            for (slice, codes) in missing.into_iter().zip(loaded) {
                slices[slice] = Some(Arc::new(codes));
            }
            let codes = Codes::Slices(slices);
            let view = Arc::new(View { space, codes });
            self.views.insert(key.clone(), view);
        }
        Ok(())
    }

    /// What there is of a half; nothing of it is looked up unless it was demanded.
    fn view(&self, half: &Half, side: Side) -> Arc<View> {
        let held = self.views.get(&(half.clone(), side));
        held.cloned().unwrap_or_else(|| {
            Arc::new(View {
                space: self.tables.space(half),
                codes: Codes::Slices(Vec::new()),
            })
        })
    }
}

/// The constellations that are done: in memory as long as others lead to them, and in a file until the table is written.
struct Finished<'a> {
    space: &'a Arc<IndexSpace>,
    codes: [Vec<Option<Arc<Vec<u8>>>>; 2],
    packed: [Vec<(u64, u64)>; 2],
    max: [u8; 2],
    scratch: Arc<SpoolFile>,
}

impl<'a> Finished<'a> {
    fn new(space: &'a Arc<IndexSpace>, scratch: Arc<SpoolFile>) -> Self {
        Self {
            space,
            codes: [vec![None; space.slices()], vec![None; space.slices()]],
            packed: [vec![(0, 0); space.slices()], vec![(0, 0); space.slices()]],
            max: [0; 2],
            scratch,
        }
    }

    fn put(&mut self, slice: usize, solved: Solved) {
        for (side, codes) in solved.codes.into_iter().enumerate() {
            self.codes[side][slice] = Some(Arc::new(codes));
            self.packed[side][slice] = solved.packed[side];
            self.max[side] = self.max[side].max(solved.max[side]);
        }
    }

    /// Takes a constellation that was saved, without its codes.
    fn put_packed(&mut self, saved: &SavedSlice) {
        for side in 0..2 {
            self.packed[side][saved.slice] = saved.packed[side];
            self.max[side] = self.max[side].max(saved.max[side]);
        }
    }

    /// Brings the codes of a constellation back into memory.
    fn bring_back(&mut self, slice: usize) -> Result<(), TableError> {
        for side in 0..2 {
            let mut codes = self.unpack(self.packed[side][slice])?;
            if side == 0 {
                mark_illegal_in(&Subspace::new(self.space.clone(), Some(slice)), &mut codes);
            }
            self.codes[side][slice] = Some(Arc::new(codes));
        }
        Ok(())
    }

    fn unpack(&self, (at, length): (u64, u64)) -> Result<Vec<u8>, TableError> {
        let bytes = self.scratch.read(at, length)?;
        let codes = zstd::bulk::decompress(&bytes, self.space.slice_len());
        Ok(codes.expect("it was packed in this run, or its checksum was compared"))
    }

    fn view(&self, to_move: Side) -> Arc<View> {
        let codes = &self.codes[usize::from(to_move == Side::Defender)];
        Arc::new(View {
            space: self.space.clone(),
            codes: Codes::Slices(codes.clone()),
        })
    }

    /// Lets go of the constellations that are further ahead than `advancement`.
    fn forget(&mut self, groups: &[Group], advancement: u32) {
        let past = groups.iter().filter(|g| g.advancement > advancement);
        for &slice in past.flat_map(|g| &g.slices) {
            self.codes[0][slice] = None;
            self.codes[1][slice] = None;
        }
    }

    fn write(mut self, run: &Run, writer: &mut Writer<'_>) -> Result<(), TableError> {
        self.codes = [Vec::new(), Vec::new()];
        for (packed, max) in self.packed.iter().zip(self.max) {
            let max = u16::from(max);
            writer.section(self.space.len() as u64, max);
            // Whole blocks of as many constellations as make them.
            let per = (BLOCK / self.space.slice_len()).max(1);
            let batches: Vec<_> = packed.chunks(per).collect();
            let pack = |(): &mut (), slices: &&[(u64, u64)]| {
                let mut codes = Vec::with_capacity(slices.len() * self.space.slice_len());
                for &slice in *slices {
                    codes.extend(self.unpack(slice)?.into_iter().map(u16::from));
                }
                let parts = codes.chunks(BLOCK).map(|part| pack(part, width(max)));
                Ok::<_, TableError>(parts.collect::<Vec<Packed>>())
            };
            for wave in batches.chunks(8 * run.threads.get()) {
                for blocks in in_parallel(wave, run, || (), pack)? {
                    for block in &blocks? {
                        writer.block(block)?;
                    }
                }
            }
        }
        Ok(())
    }
}
