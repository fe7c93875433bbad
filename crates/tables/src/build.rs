//! Making tables: an ending and every ending it leads to, smallest first.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use everymove_kernel::files::{Disk, publish, sweep};
use everymove_kernel::run::{Run, Work};

use crate::convert::{Codes, Conversions, View};
use crate::cycle::State;
use crate::format::{BLOCK, Packed, Writer, file_name, pack, width};
use crate::frame::Frame;
use crate::library::{TableError, Tables, mark_illegal_in};
use crate::list::{List, Words};
use crate::material::{Half, Material};
use crate::metric::Metric;
use crate::schedule::{Schedule, Traffic, in_parallel};
use crate::solve::{Level, Levels, bench_bytes, solve};
use crate::space::{KINGS, Side, Space, numbers};
use crate::spool::Spool;

/// Lists that a thread fills, and those of a chunk that it reads, at most, in bytes.
const LISTS: u64 = 6 << 20;
/// Lists of wins and losses and of conversions for each word, in bytes, when they are all kept in memory.
const LISTS_PER_WORD: u64 = 64;

/// What is made, and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The ending.
    pub material: Material,
    /// What the distances count.
    pub metric: Metric,
    /// How the work is cut up.
    pub schedule: Schedule,
}

/// What was made.
#[derive(Clone, Debug, Default)]
pub struct Built {
    /// The tables made, in order; those that were there already are not among them.
    pub made: Vec<Material>,
    /// The tables that were there.
    pub found: Vec<Material>,
    /// What it cost: `positions` (of both sides to move), `wins` and `losses` found (with each number of a position).
    pub work: Work,
    /// What the last table's generation moved between far and near memory.
    pub traffic: Traffic,
}

/// Makes the table of an ending and those it needs, as far as they are not in the folder.
///
/// Each file is whole or not there; killed at any moment, the same call again goes on and ends with the same bytes.
///
/// # Errors
/// [`TableError`] if the folder cannot be used, a table that is needed is damaged, or the run is stopped or too small.
pub fn build(plan: &Plan, tables: &Tables, run: &Run) -> Result<Built, TableError> {
    let disk = Disk::exclusive(tables.folder())?;
    sweep(&disk)?;
    let mut built = Built::default();
    for material in plan.material.closure() {
        if tables.has(&material) {
            // Opened here so that a damaged file is refused before hours are spent.
            tables.reader(&material)?;
            built.found.push(material);
            continue;
        }
        run.progress.start(format!("{material}"), 0);
        let name = file_name(&material, plan.metric);
        built.traffic = publish(&disk, &name, |draft| {
            let mut writer = Writer::new(draft, &material, plan.metric)?;
            let mut traffic = Traffic::default();
            for half in material.halves() {
                let maker = Maker {
                    half: &half,
                    plan,
                    tables,
                    run,
                };
                traffic.merge(&maker.make(&mut writer, &mut built.work)?);
            }
            writer.finish()?;
            Ok::<_, TableError>(traffic)
        })?;
        built.made.push(material);
    }
    Ok(built)
}

/// Makes one half of a table.
struct Maker<'a> {
    half: &'a Half,
    plan: &'a Plan,
    tables: &'a Tables,
    run: &'a Run,
}

impl Maker<'_> {
    fn make(&self, writer: &mut Writer<'_>, work: &mut Work) -> Result<Traffic, TableError> {
        let space = self.tables.space(self.half);
        work.add("positions", 2 * space.len() as u64);
        if space.pawns == 0 {
            self.without_pawns(&space, writer, work)
        } else {
            self.with_pawns(&space, writer, work)
        }
    }

    fn without_pawns(
        &self,
        space: &Arc<Space>,
        writer: &mut Writer<'_>,
        work: &mut Work,
    ) -> Result<Traffic, TableError> {
        let conversions = Conversions::new(space, self.plan.metric, |half, side| {
            self.tables.view(half, side, self.run)
        })?;
        let frame = Frame::new(space.clone(), None);
        let (what, words) = (self.half.to_string(), frame.words);
        let held = State::bytes(words, false) + conversions.bytes();
        self.run.ram.require(&what, held)?;
        let mut state = State::new(frame, self.plan.metric, Arc::new(conversions));
        let bench = bench_bytes(&state, self.plan.schedule) + LISTS;
        let _held = self.run.ram.reserve(&what, held + bench)?;
        // As many threads as there is room for, then lists in memory if there is room for them, too.
        let more = (self.run.ram.limit() - self.run.ram.used()) / bench;
        let threads = self.run.threads.get().min(1 + more as usize);
        let run = self.run.with_threads(threads);
        let _benches = self.run.ram.reserve(&what, (threads as u64 - 1) * bench)?;
        let in_memory = self.run.ram.require(&what, words as u64 * LISTS_PER_WORD);
        let spool = match in_memory {
            Ok(()) => Spool::held(),
            Err(_) => Spool::filed(&self.tables.folder().join("lists.draft"))?,
        };
        let levels = solve(&mut state, self.plan.schedule, &spool, &run)?;
        drop(state);
        count(&levels, work);
        for lists in [&levels.wins, &levels.losses] {
            let max = lists.iter().map(|level| level.code).max().unwrap_or(0);
            writer.section(space.len() as u64, max);
            write_lists(lists, space, max, &run, writer)?;
        }
        Ok(levels.traffic)
    }

    fn with_pawns(
        &self,
        space: &Arc<Space>,
        writer: &mut Writer<'_>,
        work: &mut Work,
    ) -> Result<Traffic, TableError> {
        let mut finished = Slices::new(space);
        let mut traffic = Traffic::default();
        let groups = by_advancement(space);
        let total = space.slices() as u64;
        let name = Material::new(self.half.attacker.clone(), self.half.defender.clone());
        self.run.progress.start(format!("{name}"), total);
        for (advancement, slices) in groups.iter().rev() {
            // A push, single or double, advances by one or two ranks; what is further ahead is not looked at again.
            finished.forget(&groups, advancement + 2);
            let conversions = Conversions::new(space, self.plan.metric, |half, side| {
                if half == self.half {
                    Ok(finished.view(side))
                } else {
                    self.tables.view(half, side, self.run)
                }
            })?;
            let conversions = Arc::new(conversions);
            let solved = in_parallel(
                slices,
                self.run,
                || (),
                |(), &slice| self.constellation(space, slice, &conversions),
            )?;
            drop(conversions);
            for (&slice, solved) in slices.iter().zip(solved) {
                let (wins, losses, moved, counted) = solved?;
                work.merge(&counted);
                traffic.merge(&moved);
                finished.put(slice, wins, losses);
                self.run.progress.advance(1);
            }
        }
        finished.write(self.run, writer)?;
        Ok(traffic)
    }

    /// One constellation of pawns: the codes of wins, impossible positions marked, and of losses.
    fn constellation(
        &self,
        space: &Arc<Space>,
        slice: usize,
        conversions: &Arc<Conversions>,
    ) -> Result<(Vec<u8>, Vec<u8>, Traffic, Work), TableError> {
        let frame = Frame::new(space.clone(), Some(slice));
        let bytes = State::bytes(frame.words, true) + 2 * space.slice_len() as u64;
        let _held = self.run.ram.reserve(&self.half.to_string(), bytes)?;
        let state = State::new(frame, self.plan.metric, conversions.clone());
        let mut state = state.guarded();
        let levels = solve(
            &mut state,
            Schedule::Scan,
            &Spool::held(),
            &self.run.with_threads(1),
        )?;
        let mut codes = [Vec::new(), Vec::new()];
        for (lists, codes) in [&levels.wins, &levels.losses].into_iter().zip(&mut codes) {
            *codes = vec![0; space.slice_len()];
            for level in lists {
                let code = u8::try_from(level.code).ok().filter(|&code| code < 255);
                let code = code.ok_or_else(|| TableError::TooDeep {
                    half: self.half.to_string(),
                })?;
                let list = level.list.load()?;
                for position in list
                    .iter()
                    .flat_map(|(word, set)| numbers(word as usize, set))
                {
                    codes[position] = code;
                }
            }
        }
        let [mut wins, losses] = codes;
        mark_illegal_in(&state.frame, &mut wins);
        let mut work = Work::default();
        count(&levels, &mut work);
        Ok((wins, losses, levels.traffic, work))
    }
}

fn count(levels: &Levels, work: &mut Work) {
    let sum = |lists: &[Level]| lists.iter().map(|level| level.list.positions()).sum();
    work.add("wins", sum(&levels.wins));
    work.add("losses", sum(&levels.losses));
}

/// The constellations by how far the pawns have come; a pawn's move leads to a higher key.
fn by_advancement(space: &Space) -> BTreeMap<u32, Vec<usize>> {
    let mut groups: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for slice in 0..space.slices() {
        let men = &space.men[2 + space.free..];
        let ranks = men.iter().zip(space.constellations[slice]);
        let advancement = ranks
            .map(|(man, square)| {
                let rank = u32::from(square >> 3);
                if man.side == Side::Attacker {
                    rank
                } else {
                    7 - rank
                }
            })
            .sum();
        groups.entry(advancement).or_default().push(slice);
    }
    groups
}

/// The constellations that are done: in full as long as others lead to them, packed for the file afterwards.
struct Slices<'a> {
    space: &'a Arc<Space>,
    wins: Vec<Option<Arc<Vec<u8>>>>,
    losses: Vec<Option<Arc<Vec<u8>>>>,
    packed: [Vec<Option<Vec<u8>>>; 2],
}

impl<'a> Slices<'a> {
    fn new(space: &'a Arc<Space>) -> Self {
        let none = || vec![None; space.slices()];
        Self {
            space,
            wins: vec![None; space.slices()],
            losses: vec![None; space.slices()],
            packed: [none(), none()],
        }
    }

    fn put(&mut self, slice: usize, wins: Vec<u8>, losses: Vec<u8>) {
        self.wins[slice] = Some(Arc::new(wins));
        self.losses[slice] = Some(Arc::new(losses));
    }

    fn view(&self, to_move: Side) -> Arc<View> {
        let codes = match to_move {
            Side::Attacker => &self.wins,
            Side::Defender => &self.losses,
        };
        Arc::new(View {
            space: self.space.clone(),
            codes: Codes::Slices(codes.clone()),
        })
    }

    /// Packs the constellations that are further ahead than `advancement`.
    fn forget(&mut self, groups: &BTreeMap<u32, Vec<usize>>, advancement: u32) {
        for &slice in groups
            .range(advancement + 1..)
            .flat_map(|(_, slices)| slices)
        {
            self.pack(slice);
        }
    }

    fn pack(&mut self, slice: usize) {
        for (side, codes) in [&mut self.wins, &mut self.losses].into_iter().enumerate() {
            if let Some(codes) = codes[slice].take() {
                let packed = zstd::bulk::compress(&codes, 1).expect("memory takes what is written");
                self.packed[side][slice] = Some(packed);
            }
        }
    }

    fn write(mut self, run: &Run, writer: &mut Writer<'_>) -> Result<(), TableError> {
        for slice in 0..self.space.slices() {
            self.pack(slice);
        }
        let unpack = |packed: &Option<Vec<u8>>| -> Vec<u8> {
            let bytes = packed.as_deref().unwrap_or_default();
            let mut codes = zstd::bulk::decompress(bytes, self.space.slice_len())
                .expect("it was packed in this run");
            for code in &mut codes {
                if *code == crate::metric::ILLEGAL {
                    *code = 0;
                }
            }
            codes
        };
        for packed in &self.packed {
            let maxima = in_parallel(
                packed,
                run,
                || (),
                |(), slice| unpack(slice).into_iter().max().unwrap_or(0),
            )?;
            let max = maxima.into_iter().max().unwrap_or(0);
            writer.section(self.space.len() as u64, u16::from(max));
            // Whole blocks of as many constellations as make them.
            let per = (BLOCK / self.space.slice_len()).max(1);
            let batches: Vec<_> = packed.chunks(per).collect();
            for wave in batches.chunks(8 * run.threads.get()) {
                let blocks = in_parallel(
                    wave,
                    run,
                    || (),
                    |(), slices| {
                        let codes: Vec<u16> =
                            slices.iter().flat_map(unpack).map(u16::from).collect();
                        let parts = codes
                            .chunks(BLOCK)
                            .map(|part| pack(part, width(u16::from(max))));
                        parts.collect::<Vec<Packed>>()
                    },
                )?;
                for block in blocks.iter().flatten() {
                    writer.block(block)?;
                }
            }
        }
        Ok(())
    }
}

/// Writes lists as a section, the slices of one king square after the other where these are made of whole blocks.
fn write_lists(
    lists: &[Level],
    space: &Space,
    max: u16,
    run: &Run,
    writer: &mut Writer<'_>,
) -> Result<(), TableError> {
    if space.free < 2 || !space.slice_len().is_multiple_of(BLOCK) {
        let loaded = load(lists.iter())?;
        return write_stretch(&loaded, 0..space.len(), max, run, writer);
    }
    let mut start = 0;
    for row in 0.. {
        let end = KINGS.slices_before(row + 1) * space.slice_len();
        if start == end {
            return Ok(());
        }
        let loaded = load(lists.iter().filter(|level| level.row == row))?;
        write_stretch(&loaded, start..end, max, run, writer)?;
        start = end;
    }
    Ok(())
}

fn load<'a>(levels: impl Iterator<Item = &'a Level>) -> Result<Vec<(u16, Arc<List>)>, TableError> {
    levels
        .map(|level| Ok((level.code, level.list.load()?)))
        .collect()
}

/// Writes the blocks of some positions: every thread walks all lists side by side and packs every so many blocks.
fn write_stretch(
    lists: &[(u16, Arc<List>)],
    numbers: Range<usize>,
    max: u16,
    run: &Run,
    writer: &mut Writer<'_>,
) -> Result<(), TableError> {
    const STRETCH: usize = 8;
    let threads = run.threads.get();
    let stretches = numbers.len().div_ceil(STRETCH * BLOCK);
    let mut walkers: Vec<_> = (0..threads.min(stretches))
        .map(|_| Walker::new(lists))
        .collect();
    let one = |walker: &mut Walker<'_>, stretch: usize| {
        let from = numbers.start + stretch * STRETCH * BLOCK;
        let to = (from + STRETCH * BLOCK).min(numbers.end);
        let codes = walker.codes(from, to);
        let blocks = codes.chunks(BLOCK).map(|part| pack(part, width(max)));
        blocks.collect::<Vec<Packed>>()
    };
    let step = walkers.len().max(1);
    for first in (0..stretches).step_by(step) {
        run.stop.check()?;
        let wave = walkers.iter_mut().enumerate();
        let wave = wave.filter(|(i, _)| first + i < stretches);
        let packed: Vec<Vec<Packed>> = if step == 1 {
            wave.map(|(i, walker)| one(walker, first + i)).collect()
        } else {
            std::thread::scope(|scope| {
                let one = &one;
                let handles: Vec<_> = wave
                    .map(|(i, walker)| scope.spawn(move || one(walker, first + i)))
                    .collect();
                let join = |handle: std::thread::ScopedJoinHandle<'_, _>| match handle.join() {
                    Ok(blocks) => blocks,
                    Err(panic) => std::panic::resume_unwind(panic),
                };
                handles.into_iter().map(join).collect()
            })
        };
        for block in packed.iter().flatten() {
            writer.block(block)?;
        }
    }
    Ok(())
}

/// Many lists, walked side by side.
struct Walker<'a> {
    cursors: Vec<Cursor<'a>>,
}

struct Cursor<'a> {
    code: u16,
    next: Option<(u32, u64)>,
    rest: Words<'a>,
}

impl<'a> Walker<'a> {
    fn new(lists: &'a [(u16, Arc<List>)]) -> Self {
        let cursors = lists.iter().map(|(code, list)| {
            let mut rest = list.iter();
            Cursor {
                code: *code,
                next: rest.next(),
                rest,
            }
        });
        Self {
            cursors: cursors.collect(),
        }
    }

    /// The codes of positions from one number to another, both further on than before.
    fn codes(&mut self, from: usize, to: usize) -> Vec<u16> {
        let mut codes = vec![0; to - from];
        for cursor in &mut self.cursors {
            while let Some((word, set)) = cursor.next {
                let word = word as usize;
                if word << 6 >= to {
                    break;
                }
                if word << 6 >= from {
                    for position in numbers(word, set) {
                        codes[position - from] = cursor.code;
                    }
                }
                cursor.next = cursor.rest.next();
            }
        }
        codes
    }
}
