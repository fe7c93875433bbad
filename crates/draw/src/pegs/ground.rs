//! The page, the board with its empty holes, and the names of rows and columns.

use std::fmt::Write;

use super::{Lattice, Pegboard, letter};
use crate::theme::Theme;

const MARGIN: i64 = 110;

/// The picture around a board.
pub(super) struct Frame {
    pub(super) left: i64,
    pub(super) top: i64,
    pub(super) width: i64,
    pub(super) height: i64,
}

impl Frame {
    /// The smallest frame with room for names on each side.
    pub(super) fn of(board: &Pegboard<'_>) -> Self {
        Self::with_margin(board, MARGIN)
    }

    pub(super) fn with_margin(board: &Pegboard<'_>, margin: i64) -> Self {
        let centres = || (0..board.places.len()).map(|place| board.centre(place));
        let span = |values: &dyn Fn() -> Vec<i64>| {
            let values = values();
            let least = values.iter().min().copied().unwrap_or(0);
            (
                least - margin,
                values.iter().max().copied().unwrap_or(0) - least + 2 * margin,
            )
        };
        let (left, width) = span(&|| centres().map(|(x, _)| x).collect());
        let (top, height) = span(&|| centres().map(|(_, y)| y).collect());
        Self {
            left,
            top,
            width,
            height,
        }
    }

    /// The page, with `below` more units under the board.
    pub(super) fn open(&self, out: &mut String, theme: Theme, title: &str, below: i64) {
        let (x, y, w, h) = (self.left, self.top, self.width, self.height + below);
        let scale = (560.0 / w.max(h) as f64).min(0.64);
        let _ = writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0}\" height=\"{:.0}\" \
             viewBox=\"{x} {y} {w} {h}\" role=\"img\">\n<title>{title}</title>\n\
             <rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" fill=\"{}\"/>",
            w as f64 * scale,
            h as f64 * scale,
            theme.palette().page,
        );
    }

    /// Numbers of rows at the left; letters of columns above, or on triangles where the column
    /// begins at the right.
    pub(super) fn labels(&self, out: &mut String, board: &Pegboard<'_>, theme: Theme) {
        let _ = writeln!(
            out,
            "<g fill=\"{}\" font-family=\"system-ui,sans-serif\" font-size=\"30\" text-anchor=\"middle\">",
            theme.palette().faint
        );
        let rows = board.places.iter().map(|place| place.0).max().unwrap_or(0);
        let cols = board.places.iter().map(|place| place.1).max().unwrap_or(0);
        for row in 0..=rows {
            let first = board.places.iter().find(|place| place.0 == row);
            let Some(&(_, col)) = first else { continue };
            let (x, y) = board.point(row as i64, col as i64);
            let x = match board.lattice {
                Lattice::Square => self.left + MARGIN - 85,
                Lattice::Triangular => x - 85,
            };
            let _ = write!(out, "<text x=\"{x}\" y=\"{}\">{}</text>", y + 11, row + 1);
        }
        for col in 0..=cols {
            let first = board.places.iter().find(|place| place.1 == col);
            let Some(&(row, _)) = first else { continue };
            let (x, y) = board.point(row as i64, col as i64);
            let (x, y) = match board.lattice {
                Lattice::Square => (x, self.top + MARGIN - 75),
                Lattice::Triangular => (x + 46, y - 69),
            };
            let _ = write!(out, "<text x=\"{x}\" y=\"{y}\">{}</text>", letter(col));
        }
        out.push_str("\n</g>\n");
    }
}

/// The board as one shape, with its empty holes.
pub(super) fn board(out: &mut String, board: &Pegboard<'_>, theme: Theme) {
    let palette = theme.palette();
    // Thick lines between neighbours run together to the shape of the board; a second, thinner coat
    // leaves an edge.
    let mut path = String::new();
    for (number, &(row, col)) in board.places.iter().enumerate() {
        let (x, y) = board.centre(number);
        let _ = write!(path, "M{x} {y}h0");
        for &(down, right) in board.neighbours() {
            if let Some(other) = board.number((row + down, col + right)) {
                let (u, v) = board.centre(other);
                let _ = write!(path, "M{x} {y}L{u} {v}");
            }
        }
    }
    let _ = writeln!(
        out,
        "<g fill=\"none\" stroke-linecap=\"round\"><path stroke=\"{}\" stroke-width=\"128\" d=\"{path}\"/>\
         <path stroke=\"{}\" stroke-width=\"120\" d=\"{path}\"/></g>",
        palette.edge, palette.light
    );
    let _ = writeln!(out, "<g fill=\"{}\">", palette.edge);
    for number in 0..board.places.len() {
        let (x, y) = board.centre(number);
        let _ = write!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"13\"/>");
    }
    out.push_str("\n</g>\n");
}
