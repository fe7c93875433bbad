//! The ground of a picture: page, squares, holes, coordinates.

use std::fmt::Write;

use everymove_kernel::grid::Grid;

use super::{Walk, centre};
use crate::theme::Theme;

/// Beyond this side length, coordinates would be a grey smear.
const MAX_LABELLED: usize = 40;

/// The picture around a board: margins and size on the screen.
pub(super) struct Frame {
    /// Units left of and below the board, for coordinates.
    near: i64,
    /// Units right of and above it.
    far: i64,
    width: i64,
    height: i64,
    pixels: f64,
    labelled: bool,
}

impl Frame {
    pub(super) fn of(grid: Grid) -> Self {
        let (width, height) = (100 * grid.cols() as i64, 100 * grid.rows() as i64);
        let labelled = grid.rows().max(grid.cols()) <= MAX_LABELLED;
        let side = width.max(height);
        let margin = (side / 25).clamp(30, 20_000);
        let near = if labelled { margin.max(64) } else { margin };
        // A small board gets large squares, a large one at least a pixel or two each.
        let square = (640.0 / (side as f64 / 100.0)).clamp(2.0, 64.0);
        Self {
            near,
            far: margin,
            width,
            height,
            pixels: square / 100.0,
            labelled,
        }
    }

    pub(super) fn open(&self, out: &mut String, theme: Theme, title: &str) {
        let (w, h) = (
            self.near + self.width + self.far,
            self.far + self.height + self.near,
        );
        let (pw, ph) = (
            (w as f64 * self.pixels).round(),
            (h as f64 * self.pixels).round(),
        );
        let page = theme.palette().page;
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{pw}\" height=\"{ph}\" \
             viewBox=\"{x} {y} {w} {h}\" role=\"img\">\n<title>{title}</title>\n\
             <rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" fill=\"{page}\"/>\n",
            x = -self.near,
            y = -self.far,
        );
    }

    pub(super) fn close(&self, out: &mut String) {
        out.push_str("</svg>\n");
    }

    fn labels(&self, out: &mut String, grid: Grid, theme: Theme) {
        let _ = writeln!(
            out,
            "<g fill=\"{}\" font-family=\"system-ui,sans-serif\" font-size=\"{}\" \
             text-anchor=\"middle\">",
            theme.palette().faint,
            self.near * 9 / 20,
        );
        for col in 0..grid.cols() {
            let name = grid.name(grid.square(0, col));
            let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
            let (x, y) = (100 * col + 50, self.height + self.near * 13 / 20);
            let _ = write!(out, "<text x=\"{x}\" y=\"{y}\">{letters}</text>");
        }
        for row in 0..grid.rows() {
            let (_, y) = centre(grid, grid.square(row, 0));
            let (x, y) = (-self.near / 2, y + self.near * 3 / 20);
            let _ = write!(out, "<text x=\"{x}\" y=\"{y}\">{}</text>", row + 1);
        }
        out.push_str("\n</g>\n");
    }
}

/// Squares, holes and coordinates.
pub(super) fn squares(out: &mut String, walk: &Walk<'_>, theme: Theme, frame: &Frame) {
    bare(out, walk, theme);
    if frame.labelled {
        frame.labels(out, walk.grid, theme);
    }
}

/// Squares and holes. `a1` is a dark square.
pub(super) fn bare(out: &mut String, walk: &Walk<'_>, theme: Theme) {
    let (palette, grid) = (theme.palette(), walk.grid);
    let (w, h) = (100 * grid.cols(), 100 * grid.rows());
    let _ = writeln!(
        out,
        "<rect width=\"{w}\" height=\"{h}\" fill=\"{}\"/>",
        palette.light
    );
    // The dark squares row by row, as dashes of a thick line: a hundred bytes a row for any number
    // of columns.
    let _ = write!(
        out,
        "<path fill=\"none\" stroke=\"{}\" stroke-width=\"100\" stroke-dasharray=\"100\" d=\"",
        palette.dark
    );
    for row in 0..grid.rows() {
        let (_, y) = centre(grid, grid.square(row, 0));
        let first = 100 * (row % 2);
        if first < w {
            let _ = write!(out, "M{first} {y}H{w}");
        }
    }
    out.push_str("\"/>\n");
    if !walk.holes.is_empty() {
        let _ = write!(out, "<path fill=\"{}\" d=\"", palette.page);
        for &hole in walk.holes {
            let (x, y) = centre(grid, hole);
            let _ = write!(out, "M{} {}h100v100h-100z", x - 50, y - 50);
        }
        out.push_str("\"/>\n");
        let _ = write!(
            out,
            "<path fill=\"none\" stroke=\"{}\" stroke-width=\"4\" stroke-dasharray=\"10 8\" d=\"",
            palette.edge
        );
        for &hole in walk.holes {
            let (x, y) = centre(grid, hole);
            let _ = write!(out, "M{} {}h80v80h-80z", x - 40, y - 40);
        }
        out.push_str("\"/>\n");
    }
    let _ = writeln!(
        out,
        "<rect width=\"{w}\" height=\"{h}\" fill=\"none\" stroke=\"{}\" stroke-width=\"4\"/>",
        palette.edge
    );
}
