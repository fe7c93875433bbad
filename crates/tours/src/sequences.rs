//! The sequences of the OEIS that count the tours of a board.

use crate::board::{Kind, Leaper};
use crate::question::{Direction, Question};

/// The sequences that count what is asked for in this direction, for example `A001230`, most
/// general boards first.
///
/// Sequences of boards without holes and of tours without given ends; that a term is in the
/// sequence as far as that is known is not said.
///
/// ```
/// use everymove_tours::board::{Board, Kind};
/// use everymove_tours::question::{Direction, Question};
/// use everymove_tours::sequences::sequences;
///
/// let question = Question::new(Board::knight(6, 6)?, Kind::Closed);
/// assert_eq!(sequences(&question, Direction::Undirected), ["A001230", "A175881"]);
/// # Ok::<(), everymove_tours::board::BoardError>(())
/// ```
pub fn sequences(question: &Question, direction: Direction) -> Vec<&'static str> {
    let board = &question.board;
    // A single square is a closed tour in some of them.
    let is_one = board.playable() == 1 && question.kind == Kind::Closed;
    if !board.holes().is_empty() || !question.is_free() || is_one {
        return vec![];
    }
    let lines = include_str!("sequences.tsv").lines();
    let found = lines
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let mut fields = line.split('\t');
            let mut next = || fields.next().unwrap_or_default();
            let [sequence, kind, of, piece, boards] = [next(), next(), next(), next(), next()];
            let is_kind = (kind == "closed") == (question.kind == Kind::Closed);
            let is_direction = (of == "directed") == (direction == Direction::Directed);
            let is_piece = Leaper::piece(piece).as_ref() == Ok(board.leaper());
            let grid = board.grid();
            let is_board = has_sides(boards, grid.rows(), grid.cols());
            (is_kind && is_direction && is_piece && is_board).then_some(sequence)
        });
    found.collect()
}

/// Whether a board is one of those that are written like `3x2n` or `nxn`.
fn has_sides(boards: &str, rows: usize, cols: usize) -> bool {
    let Some((one, other)) = boards.split_once('x') else {
        return false;
    };
    let is_side = |text: &str, side: usize| match text {
        "n" => true,
        "2n" => side.is_multiple_of(2),
        text => text == side.to_string(),
    };
    let fits = |rows, cols| is_side(one, rows) && is_side(other, cols);
    match one == other {
        true => rows == cols && is_side(one, rows),
        false => fits(rows, cols) || fits(cols, rows),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    #[test]
    fn boards_have_their_sequences() {
        let of = |rows, cols, kind, direction| {
            let question = Question::new(Board::knight(rows, cols).unwrap(), kind);
            sequences(&question, direction)
        };
        let (undirected, directed) = (Direction::Undirected, Direction::Directed);
        assert_eq!(of(8, 8, Kind::Closed, undirected), ["A001230", "A193055"]);
        assert_eq!(of(5, 5, Kind::Open, directed), ["A165134"]);
        assert_eq!(of(7, 3, Kind::Open, undirected), ["A169696", "A306283"]);
        assert_eq!(of(10, 3, Kind::Closed, undirected), ["A070030"]);
        assert_eq!(of(9, 3, Kind::Closed, undirected), [""; 0]);
        assert_eq!(of(9, 9, Kind::Open, undirected), ["A308131"]);
        assert_eq!(of(6, 6, Kind::Open, undirected), ["A308131", "A306281"]);
        assert_eq!(of(9, 7, Kind::Open, undirected), ["A306283"]);
        assert_eq!(of(7, 6, Kind::Open, undirected), ["A306281", "A306283"]);
        assert_eq!(of(7, 6, Kind::Open, directed), [""; 0]);
        let king = Board::new("3x3".parse().unwrap(), Leaper::piece("king").unwrap());
        let question = Question::new(king, Kind::Open);
        assert_eq!(sequences(&question, undirected), ["A308129", "A339761"]);
        let holed = Board::knight(6, 6).unwrap().with_holes(&[0]).unwrap();
        let question = Question::new(holed, Kind::Closed);
        assert_eq!(sequences(&question, undirected), [""; 0]);
    }

    #[test]
    fn every_line_of_the_table_is_read() {
        let lines = include_str!("sequences.tsv").lines().skip(1);
        for line in lines {
            let fields: Vec<&str> = line.split('\t').collect();
            let [sequence, kind, direction, piece, boards, source] = fields[..] else {
                panic!("{line}");
            };
            assert!(sequence.starts_with('A') && sequence.len() == 7, "{line}");
            assert!(source.contains(sequence), "{line}");
            let sides = boards.replace("2n", "6").replace('n', "6");
            let grid = sides.parse().unwrap();
            let board = Board::new(grid, Leaper::piece(piece).unwrap());
            let kind = match kind {
                "closed" => Kind::Closed,
                _ => Kind::Open,
            };
            let direction = match direction {
                "directed" => Direction::Directed,
                _ => Direction::Undirected,
            };
            let found = sequences(&Question::new(board, kind), direction);
            assert!(found.contains(&sequence), "{line}");
        }
    }
}
