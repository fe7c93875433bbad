//! Merges lists of wins or losses, ordered by distance, into the blocks of a file, ordered by
//! index.

use std::ops::Range;
use std::sync::Arc;

use everymove_kernel::parallel;
use everymove_kernel::run::Run;

use crate::error::TableError;
use crate::generate::by_distance::DistanceList;
use crate::position::index_space::{IndexSpace, KINGS, indices};
use crate::store::format::{BLOCK, Packed, Packing, Writer};
use crate::store::list::{List, ListWords};

/// Writes lists as a section of codes of at most `max`; where the slices of one king square are
/// whole blocks, one king square after the other, to hold fewer lists in memory.
pub(crate) fn write_lists(
    lists: &[DistanceList],
    space: &IndexSpace,
    max: u16,
    run: &Run,
    writer: &mut Writer<'_>,
) -> Result<(), TableError> {
    let ranges = ranges(space);
    let of_range = |row: usize| {
        let all = ranges.len() == 1;
        load(lists.iter().filter(move |level| all || level.row == row))
    };
    let sample = |blocks: &[usize]| {
        let mut codes = Vec::new();
        for (row, range) in ranges.iter().enumerate() {
            run.stop.check()?;
            let loaded = of_range(row)?;
            let mut merger = Merger::new(&loaded);
            let own = blocks.iter().map(|block| block * BLOCK);
            let own = own.filter(|first| range.contains(first));
            codes.extend(own.map(|first| merger.codes(first, first + BLOCK)));
        }
        Ok::<_, TableError>(codes)
    };
    let packing = Packing::new(space.len() as u64, max, sample)?;
    writer.section(space.len() as u64, max, &packing)?;
    for (row, range) in ranges.iter().enumerate() {
        write_range(&of_range(row)?, range.clone(), &packing, run, writer)?;
    }
    Ok(())
}

/// Returns the ranges of indices that are written one after the other: all, or one for each square
/// of the attacker's king.
fn ranges(space: &IndexSpace) -> Vec<Range<usize>> {
    if space.free < 2 || !space.slice_len().is_multiple_of(BLOCK) {
        return std::iter::once(0..space.len()).collect();
    }
    let ends = (1..).map(|rows| KINGS.slices_before(rows) * space.slice_len());
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for end in ends {
        let start = ranges.last().map_or(0, |range| range.end);
        if start == end {
            break;
        }
        ranges.push(start..end);
    }
    ranges
}

fn load<'a>(
    by_distance: impl Iterator<Item = &'a DistanceList>,
) -> Result<Vec<(u16, Arc<List>)>, TableError> {
    by_distance
        .map(|level| Ok((level.code, level.list.load()?)))
        .collect()
}

/// Writes the blocks of a range of indices: every thread merges all lists and compresses one block
/// sequence in turn.
fn write_range(
    lists: &[(u16, Arc<List>)],
    numbers: Range<usize>,
    packing: &Packing,
    run: &Run,
    writer: &mut Writer<'_>,
) -> Result<(), TableError> {
    const BLOCKS_PER_JOB: usize = 8;
    let jobs = numbers.len().div_ceil(BLOCKS_PER_JOB * BLOCK);
    let merge = |merger: &mut Merger<'_>, job: usize| {
        let from = numbers.start + job * BLOCKS_PER_JOB * BLOCK;
        let to = (from + BLOCKS_PER_JOB * BLOCK).min(numbers.end);
        let codes = merger.codes(from, to);
        let blocks = codes.chunks(BLOCK).map(|part| packing.pack(part));
        run.progress.worked(codes.len() as u64);
        Ok::<_, TableError>(blocks.collect::<Vec<Packed>>())
    };
    let write = |blocks: Vec<Packed>| blocks.iter().try_for_each(|b| Ok(writer.block(b)?));
    let window = 2 * run.threads.get();
    parallel::try_in_order(run, 0..jobs, window, || Merger::new(lists), merge, write)
}

/// Merges many lists in ascending order.
struct Merger<'a> {
    cursors: Vec<Cursor<'a>>,
}

struct Cursor<'a> {
    code: u16,
    next: Option<(u32, u64)>,
    rest: ListWords<'a>,
}

impl<'a> Merger<'a> {
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

    /// Returns the encoded distances of the indices `from..to`; calls must ascend.
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
