//! Generates a half with pawns, P-slice by P-slice, those with the most advanced pawns first.

use std::collections::BTreeMap;
use std::sync::Arc;

use everymove_kernel::parallel;
use everymove_kernel::run::{Run, Work};
use serde::{Deserialize, Serialize};

use crate::error::TableError;
use crate::generate::by_distance::Representation;
use crate::generate::checkpoint::{Checkpoint, Log};
use crate::generate::conversions::Conversions;
use crate::generate::dependencies::Dependencies;
use crate::generate::plan::{PROGRAM_BYTES, Plan};
use crate::generate::retro_step::{RetroStep, Workspace};
use crate::generate::schedule::{Schedule, Traffic};
use crate::generate::solve::{SolveOptions, partitions, solve};
use crate::position::index_space::{IndexSpace, Side};
use crate::position::material::Half;
use crate::position::subspace::Subspace;
use crate::store::directory::{Tables, mark_illegal_in};
use crate::store::format::{BLOCK, Packed, Packing, Writer};
use crate::store::half_view::{EncodedDistances, HalfView};
use crate::store::spool::{Spool, SpoolFile};
use crate::store::win_set::InMemory;

/// Bytes of lists that a thread keeps in memory when there is a file for the others.
const LISTS: u64 = 4 << 20;
/// Bytes of the lists of conversions and of one step for each word, when they are kept in memory.
const LISTS_PER_WORD: u64 = 64;
/// Bytes of blocks of other tables while they are read.
const READING: u64 = 4 << 20;

/// P-slices whose pawns have advanced by the same number of ranks.
#[derive(Debug)]
struct AdvancementGroup {
    /// Sum of the ranks that the pawns have advanced. A pawn's move increases it by one or two.
    advancement: u32,
    slices: Vec<usize>,
}

/// Generates a half with pawns.
pub(crate) struct PawnBuilder<'a> {
    half: &'a Half,
    space: Arc<IndexSpace>,
    groups: Vec<AdvancementGroup>,
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

    /// Returns the bytes of finished P-slices, of this half and others, at the maximum.
    fn finished_bytes(&self) -> u64 {
        let own = |group: &AdvancementGroup| {
            let ahead = group.advancement..=group.advancement + 2;
            let needed = self
                .groups
                .iter()
                .filter(|g| ahead.contains(&g.advancement));
            let slices: usize = needed.map(|g| g.slices.len()).sum();
            (2 * slices * self.space.slice_len()) as u64
        };
        let all = |group: &AdvancementGroup| {
            let dependencies = Dependencies::new(&self.space, &group.slices, self.tables);
            own(group) + dependencies.bytes(self.tables)
        };
        // Both halves of an ending have an index space with this lookup.
        let lookups = 2 * self.space.lookup_bytes();
        self.groups.iter().map(all).max().unwrap_or(0) + lookups + READING + PROGRAM_BYTES
    }

    /// Returns the bytes that a thread needs, with lists in memory or in a file.
    fn thread_bytes(&self, in_memory: bool) -> u64 {
        let words = self.space.slice_len() / 64;
        let lists = words as u64 * LISTS_PER_WORD;
        let lists = if in_memory { lists } else { lists.min(LISTS) };
        InMemory::bytes(words)
            + RetroStep::loss_bounds_bytes(words)
            + Workspace::bytes(words)
            + lists
    }

    /// Bytes of memory without which the half cannot be made.
    pub(crate) fn least_bytes(&self) -> u64 {
        self.finished_bytes() + self.thread_bytes(false)
    }

    pub(crate) fn build(
        &self,
        writer: &mut Writer<'_>,
        work: &mut Work,
    ) -> Result<Traffic, TableError> {
        let ram = &self.run.ram;
        let what = self.half.to_string();
        let _held = ram.reserve(&what, self.finished_bytes())?;
        let fitting = |workspace: u64| (ram.left() / workspace) as usize;
        let wished = self.run.threads.get();
        let in_memory = fitting(self.thread_bytes(true)) >= wished;
        let workspace = self.thread_bytes(in_memory);
        let threads = fitting(workspace).clamp(1, wished);
        let run = self.run.with_threads(threads);
        let _benches = ram.reserve(&what, threads as u64 * workspace)?;

        let storage = &self.tables.scratch(self.half);
        let (mut log, saved) = self.log()?.unzip();
        let scratch = match &log {
            Some(log) => log.data().clone(),
            None => Arc::new(SpoolFile::new(storage, "slices.draft")?),
        };
        let mut finished = FinishedSlices::new(&self.space, scratch);
        let mut done = 0;
        for SavedGroups { groups, slices } in saved.into_iter().flatten() {
            for slice in slices {
                work.add("wins", slice.found[0]);
                work.add("losses", slice.found[1]);
                finished.put_packed(&slice);
            }
            done = groups;
        }
        // Those that the next P-slices lead to are needed in memory.
        if let Some(next) = self.groups.get(done) {
            for group in &self.groups[..done] {
                if group.advancement <= next.advancement + 2 {
                    for &slice in &group.slices {
                        finished.reload(slice)?;
                    }
                }
            }
        }
        let mut fresh = Vec::new();
        let mut loaded = LoadedSlices::new(self.tables);
        let mut traffic = Traffic::default();
        let left: usize = self.groups[done..].iter().map(|g| g.slices.len()).sum();
        run.progress.start(what, left as u64);
        for (number, group) in self.groups.iter().enumerate().skip(done) {
            finished.release(&self.groups, group.advancement + 2);
            loaded.load(
                &Dependencies::new(&self.space, &group.slices, self.tables),
                &run,
            )?;
            let conversions = Conversions::new(&self.space, self.plan.metric, |half, side| {
                Ok::<_, TableError>(if half == self.half {
                    finished.view(side)
                } else {
                    loaded.view(half, side)
                })
            })?;
            let conversions = Arc::new(conversions);
            let spool = if in_memory {
                Spool::in_memory()
            } else {
                Spool::in_file(storage, "lists.draft")?
            };
            let solve = |(): &mut (), &slice: &usize| -> Result<_, TableError> {
                let solved = self.solve_slice(slice, &conversions, &spool, &finished.scratch);
                run.progress.advance(1);
                solved
            };
            let solved = parallel::try_map(&run, &group.slices, || (), solve)?;
            drop(conversions);
            for (&slice, solved) in group.slices.iter().zip(solved) {
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

    /// Opens the checkpoint, if there is one.
    fn log(&self) -> Result<Option<(Log, Vec<SavedGroups>)>, TableError> {
        let open = |checkpoint: &Checkpoint| {
            let name = self.plan.checkpoint_name(self.half);
            checkpoint.log(&name, "constellations", &self.run.stop)
        };
        self.plan.checkpoint.as_ref().map(open).transpose()
    }

    fn solve_slice(
        &self,
        slice: usize,
        conversions: &Arc<Conversions>,
        spool: &Spool,
        scratch: &SpoolFile,
    ) -> Result<SolvedSlice, TableError> {
        let subspace = Subspace::new(self.space.clone(), Some(slice));
        let retro = RetroStep::new(
            subspace,
            self.plan.metric,
            conversions.clone(),
            self.run.stop.clone(),
        );
        let mut retro = retro.with_loss_bounds();
        let serial = self.run.with_threads(1).unseen();
        let (words, schedule) = (retro.subspace.words, Schedule::Scan);
        let (win_set, partitions) = (
            InMemory::new(words),
            partitions(&self.space, schedule, words),
        );
        let options = SolveOptions {
            schedule,
            representation: Representation::Codes,
            uncached: false,
        };
        let by_distance = solve(
            &mut retro,
            &win_set,
            &partitions,
            options,
            None,
            spool,
            &serial,
        )?;
        let mut codes = by_distance.codes.unwrap_or_default();
        let mut packed = [(0, 0); 2];
        for (codes, packed) in codes.iter().zip(&mut packed) {
            let bytes = zstd::bulk::compress(codes, 1).expect("memory takes what is written");
            *packed = (scratch.append(&bytes)?, bytes.len() as u64);
        }
        let max = [0, 1].map(|side| codes[side].iter().copied().max().unwrap_or(0));
        mark_illegal_in(&retro.subspace, &mut codes[0]);
        Ok(SolvedSlice {
            codes,
            packed,
            max,
            found: by_distance.found,
            traffic: by_distance.traffic,
        })
    }
}

/// P-slices solved since the last save, and the number of groups that are done.
#[derive(Debug, Serialize, Deserialize)]
struct SavedGroups {
    groups: usize,
    slices: Vec<SavedSlice>,
}

/// A P-slice that is done; the fields are those of [`SolvedSlice`].
#[derive(Debug, Serialize, Deserialize)]
struct SavedSlice {
    slice: usize,
    packed: [(u64, u64); 2],
    max: [u8; 2],
    found: [u64; 2],
}

/// Returns the P-slices by the advancement of their pawns, the most advanced first.
fn groups(space: &IndexSpace) -> Vec<AdvancementGroup> {
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

/// One P-slice: wins with the attacker to move, illegal positions marked, and losses with the defender to move.
struct SolvedSlice {
    codes: [Vec<u8>; 2],
    /// By side to move: offset and length of the compressed P-slice in the file of finished P-slices.
    packed: [(u64, u64); 2],
    max: [u8; 2],
    found: [u64; 2],
    traffic: Traffic,
}

/// P-slices of other tables that are loaded.
struct LoadedSlices<'a> {
    tables: &'a Tables,
    views: BTreeMap<(Half, Side), Arc<HalfView>>,
}

impl<'a> LoadedSlices<'a> {
    fn new(tables: &'a Tables) -> Self {
        Self {
            tables,
            views: BTreeMap::new(),
        }
    }

    /// Loads the dependencies that are not loaded, after releasing all others.
    fn load(&mut self, dependencies: &Dependencies, run: &Run) -> Result<(), TableError> {
        self.views
            .retain(|key, _| dependencies.wanted.contains_key(key));
        for (key, wanted) in &dependencies.wanted {
            if let Some(view) = self.views.get_mut(key)
                && let Some(view) = Arc::get_mut(view)
                && let EncodedDistances::Slices(slices) = &mut view.codes
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
                Some(HalfView {
                    codes: EncodedDistances::Slices(slices),
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
            let codes = EncodedDistances::Slices(slices);
            let view = Arc::new(HalfView { space, codes });
            self.views.insert(key.clone(), view);
        }
        Ok(())
    }

    /// Returns what is loaded of a half; only dependencies are read from it.
    fn view(&self, half: &Half, side: Side) -> Arc<HalfView> {
        let held = self.views.get(&(half.clone(), side));
        held.cloned().unwrap_or_else(|| {
            Arc::new(HalfView {
                space: self.tables.space(half),
                codes: EncodedDistances::Slices(Vec::new()),
            })
        })
    }
}

/// The finished P-slices: in memory as long as others lead to them, and in a file until the table is written.
struct FinishedSlices<'a> {
    space: &'a Arc<IndexSpace>,
    codes: [Vec<Option<Arc<Vec<u8>>>>; 2],
    packed: [Vec<(u64, u64)>; 2],
    max: [u8; 2],
    scratch: Arc<SpoolFile>,
}

impl<'a> FinishedSlices<'a> {
    fn new(space: &'a Arc<IndexSpace>, scratch: Arc<SpoolFile>) -> Self {
        Self {
            space,
            codes: [vec![None; space.slices()], vec![None; space.slices()]],
            packed: [vec![(0, 0); space.slices()], vec![(0, 0); space.slices()]],
            max: [0; 2],
            scratch,
        }
    }

    fn put(&mut self, slice: usize, solved: SolvedSlice) {
        for (side, codes) in solved.codes.into_iter().enumerate() {
            self.codes[side][slice] = Some(Arc::new(codes));
            self.packed[side][slice] = solved.packed[side];
            self.max[side] = self.max[side].max(solved.max[side]);
        }
    }

    /// Adds a P-slice that was saved, without loading its encoded distances.
    fn put_packed(&mut self, saved: &SavedSlice) {
        for side in 0..2 {
            self.packed[side][saved.slice] = saved.packed[side];
            self.max[side] = self.max[side].max(saved.max[side]);
        }
    }

    /// Loads the encoded distances of a P-slice.
    fn reload(&mut self, slice: usize) -> Result<(), TableError> {
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

    fn view(&self, to_move: Side) -> Arc<HalfView> {
        let codes = &self.codes[usize::from(to_move == Side::Defender)];
        Arc::new(HalfView {
            space: self.space.clone(),
            codes: EncodedDistances::Slices(codes.clone()),
        })
    }

    /// Releases the P-slices that are further advanced than `advancement`.
    fn release(&mut self, groups: &[AdvancementGroup], advancement: u32) {
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
            // Whole blocks of as many P-slices as make them.
            let length = self.space.slice_len();
            let per = (BLOCK / length).max(1);
            let sample = |blocks: &[usize]| {
                let codes = |&block: &usize| {
                    let first = block * BLOCK / length;
                    let mut codes = Vec::new();
                    for &slice in packed[first..].iter().take(per) {
                        codes.extend(self.unpack(slice)?);
                    }
                    // The block alone, since the P-slices of all sampled blocks need several times its memory.
                    let from = block * BLOCK - first * length;
                    let block = codes[from..].iter().take(BLOCK);
                    Ok::<_, TableError>(block.copied().map(u16::from).collect())
                };
                blocks.iter().map(codes).collect()
            };
            let packing = Packing::new(self.space.len() as u64, max, sample)?;
            writer.section(self.space.len() as u64, max, &packing)?;
            let pack = |(): &mut (), slices: &[(u64, u64)]| {
                let mut codes = Vec::with_capacity(slices.len() * self.space.slice_len());
                for &slice in slices {
                    codes.extend(self.unpack(slice)?.into_iter().map(u16::from));
                }
                let parts = codes.chunks(BLOCK).map(|part| packing.pack(part));
                Ok::<_, TableError>(parts.collect::<Vec<Packed>>())
            };
            let write =
                |blocks: Vec<Packed>| blocks.iter().try_for_each(|block| Ok(writer.block(block)?));
            let window = 8 * run.threads.get();
            parallel::try_in_order(run, packed.chunks(per), window, || (), pack, write)?;
        }
        Ok(())
    }
}
