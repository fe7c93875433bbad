//! Positions in characters: `●` a peg, `·` an empty hole.

use std::fmt::Write;

use super::{Lattice, Pegboard, letter};

/// A position with the names of rows and columns around it.
///
/// On a triangular board each row is shifted by half a place; the column letters of a row follow
/// it.
pub fn characters(board: &Pegboard<'_>, pegs: u64) -> String {
    let rows = board
        .places
        .iter()
        .map(|place| place.0 + 1)
        .max()
        .unwrap_or(0);
    let cols = board
        .places
        .iter()
        .map(|place| place.1 + 1)
        .max()
        .unwrap_or(0);
    let margin = rows.to_string().len();
    let mut out = String::new();
    if board.lattice == Lattice::Square {
        let letters: Vec<_> = (0..cols).map(|col| letter(col).to_string()).collect();
        let _ = writeln!(out, "{:margin$}  {}", "", letters.join(" "));
    }
    // Columns of characters: two for a column of places, one less for each row further down on a
    // triangular board.
    let column = |row: usize, col: usize| match board.lattice {
        Lattice::Square => 2 * col,
        Lattice::Triangular => 2 * col + rows - 1 - row,
    };
    let left = board
        .places
        .iter()
        .map(|&(row, col)| column(row, col))
        .min()
        .unwrap_or(0);
    for row in 0..rows {
        let mut line: Vec<char> = Vec::new();
        let here = || {
            board
                .places
                .iter()
                .enumerate()
                .filter(|(_, place)| place.0 == row)
        };
        for (number, &(_, col)) in here() {
            let at = column(row, col) - left;
            line.resize(line.len().max(at + 1), ' ');
            line[at] = if pegs >> number & 1 == 1 { '●' } else { '·' };
        }
        let line: String = line.into_iter().collect();
        let _ = write!(out, "{:>margin$}  {line}", row + 1);
        if board.lattice == Lattice::Triangular {
            let cols = || here().map(|(_, place)| place.1);
            if let (Some(first), Some(last)) = (cols().min(), cols().max()) {
                let width = column(row, last) - left;
                let wide = (0..board.places.len())
                    .map(|n| column(board.places[n].0, board.places[n].1) - left)
                    .max();
                let _ = write!(out, "{:1$}", "", wide.unwrap_or(width) - width + 2);
                let _ = match first == last {
                    true => write!(out, "{}", letter(first)),
                    false => write!(out, "{}-{}", letter(first), letter(last)),
                };
            }
        }
        out.truncate(out.trim_end_matches(' ').len());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_drawn_as_they_lie() {
        let cross = [(0, 1), (1, 0), (1, 1), (1, 2), (2, 1)];
        let board = Pegboard {
            places: &cross,
            lattice: Lattice::Square,
        };
        assert_eq!(
            characters(&board, 0b11011),
            "   a b c\n1    ●\n2  ● · ●\n3    ●\n"
        );
        let triangle = [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)];
        let board = Pegboard {
            places: &triangle,
            lattice: Lattice::Triangular,
        };
        assert_eq!(
            characters(&board, 0b111101),
            "1    ●    a\n2   · ●   a-b\n3  ● ● ●  a-c\n"
        );
    }
}
