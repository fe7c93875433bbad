//! The line of a walk, its marks and its numbers.

use std::fmt::Write;

use everymove_kernel::grid::Square;

use super::{Numbers, Style, Walk, centre};
use crate::theme::{Colour, Theme};

/// Up to this many squares every segment has its own colour and passes visibly over earlier ones.
const FINE: usize = 4_096;

/// Colours along a walk that is longer.
const COARSE_COLOURS: usize = 512;

pub(super) const LINE_WIDTH: i64 = 11;

/// The ends of segment `i`; the last one of a closed walk leads back to the start.
pub(super) fn segment(walk: &Walk<'_>, i: usize) -> (Square, Square) {
    (walk.order[i], walk.order[(i + 1) % walk.order.len()])
}

/// How many segments a walk has.
pub(super) fn segments(walk: &Walk<'_>) -> usize {
    match walk.order.len() {
        0 | 1 => 0,
        n if walk.closed => n,
        n => n - 1,
    }
}

pub(super) fn colour(theme: Theme, i: usize, of: usize) -> Colour {
    theme.along(i as f64 / (of.max(2) - 1) as f64)
}

/// Everything that lies on the board.
pub(super) fn walk(out: &mut String, walk: &Walk<'_>, style: &Style) {
    // Numbers must be read over the line, so the line steps back.
    let opacity = match style.numbers {
        Numbers::Hidden => "",
        Numbers::Shown => " opacity=\"0.45\"",
    };
    let is_fine = walk.order.len() <= FINE;
    // Seen from afar, thin lines would fade into the ground.
    let width = if is_fine { LINE_WIDTH } else { 3 * LINE_WIDTH };
    let _ = writeln!(
        out,
        "<g fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\" \
         stroke-width=\"{width}\"{opacity}>"
    );
    if is_fine {
        fine(out, walk, style.theme);
    } else {
        coarse(out, walk, style.theme);
    }
    out.push_str("</g>\n");
    if style.numbers == Numbers::Shown {
        numbers(out, walk, style.theme);
    } else {
        dots(out, walk, style.theme);
        ends(out, walk, style.theme);
    }
}

/// Each segment with a rim in the colour of the board that parts it from those it crosses.
fn fine(out: &mut String, walk: &Walk<'_>, theme: Theme) {
    let count = segments(walk);
    let palette = theme.palette();
    for i in 0..count {
        let (a, b) = segment(walk, i);
        let ((x, y), (u, v)) = (centre(walk.grid, a), centre(walk.grid, b));
        // The rim keeps clear of both ends, where the line's own neighbours meet it.
        let inner = |p: i64, q: i64| p + (q - p) * 3 / 20;
        let _ = write!(
            out,
            "<path stroke=\"{}\" stroke-width=\"{}\" stroke-linecap=\"butt\" d=\"M{} {}L{} {}\"/>",
            palette.light,
            LINE_WIDTH + 7,
            inner(x, u),
            inner(y, v),
            inner(u, x),
            inner(v, y),
        );
        let stroke = colour(theme, i, count);
        let _ = writeln!(out, "<path stroke=\"{stroke}\" d=\"M{x} {y}L{u} {v}\"/>");
    }
}

fn coarse(out: &mut String, walk: &Walk<'_>, theme: Theme) {
    let count = segments(walk);
    for part in 0..COARSE_COLOURS {
        let (from, to) = (
            count * part / COARSE_COLOURS,
            count * (part + 1) / COARSE_COLOURS,
        );
        let mut here = centre(walk.grid, segment(walk, from).0);
        let stroke = colour(theme, part, COARSE_COLOURS);
        let _ = write!(out, "<path stroke=\"{stroke}\" d=\"M{} {}l", here.0, here.1);
        for i in from..to {
            let there = centre(walk.grid, segment(walk, i).1);
            let (dx, dy) = (there.0 - here.0, there.1 - here.1);
            // A minus sign parts numbers as well as a space does.
            let space = |n: i64| if n < 0 { "" } else { " " };
            let _ = write!(out, "{}{dx}{}{dy}", space(dx), space(dy));
            here = there;
        }
        out.push_str("\"/>\n");
    }
}

/// A dot on every square of a small board.
fn dots(out: &mut String, walk: &Walk<'_>, theme: Theme) {
    let n = walk.order.len();
    if n > FINE {
        return;
    }
    for (i, &square) in walk.order.iter().enumerate() {
        let (x, y) = centre(walk.grid, square);
        let fill = colour(theme, i, n);
        let _ = writeln!(
            out,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"10\" fill=\"{fill}\"/>"
        );
    }
}

/// A disc at the start and, on an open walk, a ring at the end.
pub(super) fn ends(out: &mut String, walk: &Walk<'_>, theme: Theme) {
    let palette = theme.palette();
    let (Some(&first), Some(&last)) = (walk.order.first(), walk.order.last()) else {
        return;
    };
    // On a large board a mark of one square would be lost.
    let scale = (walk.grid.rows().max(walk.grid.cols()) as f64 / 40.0).max(1.0);
    let mut mark = |square: Square, fill: Colour, stroke: Colour| {
        let (x, y) = centre(walk.grid, square);
        let _ = writeln!(
            out,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{:.0}\" fill=\"{fill}\" stroke=\"{stroke}\" \
             stroke-width=\"{:.0}\"/>",
            24.0 * scale,
            9.0 * scale,
        );
    };
    if !walk.closed && last != first {
        mark(last, palette.light, colour(theme, 1, 2));
    }
    mark(first, colour(theme, 0, 2), palette.light);
}

fn numbers(out: &mut String, walk: &Walk<'_>, theme: Theme) {
    let digits = walk.order.len().to_string().len();
    let size = if digits <= 2 { 40 } else { 92 / digits };
    let palette = theme.palette();
    let _ = writeln!(
        out,
        "<g fill=\"{}\" font-family=\"system-ui,sans-serif\" font-size=\"{size}\" \
         font-weight=\"600\" text-anchor=\"middle\" stroke=\"{}\" stroke-width=\"{}\" \
         stroke-linejoin=\"round\" paint-order=\"stroke\">",
        palette.text,
        palette.light,
        size / 5,
    );
    for (i, &square) in walk.order.iter().enumerate() {
        let (x, y) = centre(walk.grid, square);
        let is_end = i == 0 || (i + 1 == walk.order.len() && !walk.closed);
        if is_end {
            let stroke = colour(theme, usize::from(i != 0), 2);
            let _ = write!(
                out,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"36\" fill=\"{}\" stroke=\"{stroke}\" \
                 stroke-width=\"7\"/>",
                palette.light
            );
        }
        let y = y + size as i64 * 7 / 20;
        let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\">{}</text>", i + 1);
    }
    out.push_str("</g>\n");
}
