//! What boards of a size are known to take, by a table of estimates.

use crate::board::Leaper;
use crate::frontier::choose::scheme::widest;
use crate::question::Question;

/// What boards of a size are known to take, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    /// Whole layers in memory.
    pub(crate) whole: u64,
    /// A class in memory at a time.
    pub(crate) classes: u64,
    /// Layers on disk.
    pub(crate) disk: u64,
}

impl Known {
    /// Of the board of a question; of boards that are not in the table, less than most take.
    pub(crate) fn of(question: &Question) -> Self {
        let grid = question.board.grid();
        Self::of_size(widest(question), grid.rows().max(grid.cols()))
    }

    /// Of a frontier of `slots` slots on a board whose longer side has `rows` squares.
    pub(crate) fn of_size(slots: usize, rows: usize) -> Self {
        let lines = include_str!("needs.tsv").lines();
        let numbers = |line: &str| -> Option<[u64; 5]> {
            let numbers = line.split('\t').map(|text| text.parse::<u64>().ok());
            numbers.collect::<Option<Vec<_>>>()?.try_into().ok()
        };
        let mut rows_of_table = lines.filter_map(numbers);
        let fits = |&[most, length, ..]: &[u64; 5]| {
            slots as u64 <= most && (rows as u64 <= length || length == 99)
        };
        let [.., whole, classes, disk] = rows_of_table.find(fits).unwrap_or([0; 5]);
        Self {
            whole: whole << 20,
            classes: classes << 20,
            disk: disk << 20,
        }
    }
}

/// The most rows of boards for which the table was compared with estimates of their layers.
const MEASURED_ROWS: usize = 10;

/// On smaller frontiers what is needed is known as soon.
const LARGE_FRONTIER: usize = 15;

/// Whether the memory of counts on boards of this size was measured.
pub(crate) fn is_measured(question: &Question) -> bool {
    let (board, grid) = (&question.board, question.board.grid());
    let knight = *board.leaper() == Leaper::KNIGHT && board.holes().is_empty();
    knight && grid.rows().max(grid.cols()) <= MEASURED_ROWS
}

/// Whether `left` bytes are so few beside what such boards are known to take that the exact need
/// need not be computed.
pub(crate) fn is_hopeless(question: &Question, known: u64, left: u64) -> bool {
    match widest(question) {
        ..LARGE_FRONTIER => false,
        _ if is_measured(question) => left < known / 4 * 3,
        _ => left < known / 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Larger boards never take less than the table says of smaller ones, by the same number of
    /// slots.
    #[test]
    fn the_table_has_every_size_once() {
        for slots in 0..24 {
            let sizes: Vec<Known> = (1..40).map(|rows| Known::of_size(slots, rows)).collect();
            for pair in sizes.windows(2) {
                assert!(pair[0].whole <= pair[1].whole && pair[0].disk <= pair[1].disk);
            }
            assert!(sizes[0].whole > 0 && sizes[0].classes > 0 && sizes[0].disk > 0);
        }
    }
}
