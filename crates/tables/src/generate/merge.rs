//! Lists of wins or losses, walked side by side, become the blocks of a file.

use std::ops::Range;
use std::sync::Arc;

use everymove_kernel::run::Run;

use crate::error::TableError;
use crate::generate::by_distance::DistanceList;
use crate::position::index_space::{IndexSpace, KINGS, indices};
use crate::store::format::{BLOCK, Packed, Writer, pack, width};
use crate::store::list::{List, ListWords};

/// Writes lists as a section, the slices of one king square after the other where these are made of whole blocks.
pub(crate) fn write_lists(
    lists: &[DistanceList],
    space: &IndexSpace,
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

fn load<'a>(
    by_distance: impl Iterator<Item = &'a DistanceList>,
) -> Result<Vec<(u16, Arc<List>)>, TableError> {
    by_distance
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
    rest: ListWords<'a>,
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
                    for position in indices(word, set) {
                        codes[position - from] = cursor.code;
                    }
                }
                cursor.next = cursor.rest.next();
            }
        }
        codes
    }
}
