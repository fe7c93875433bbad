//! Boards of pegs as SVG (still, as a strip of moves, animated) and in characters.
//!
//! A board is a list of places; a position is a word with a bit for each of them. Places have the
//! names that players use: the letter of the column, then the number of the row from the top.
//!
//! ```
//! use everymove_draw::pegs::{Jump, Lattice, Pegboard, characters, picture};
//! use everymove_draw::theme::Theme;
//!
//! let places = [(0, 0), (0, 1), (0, 2), (0, 3)];
//! let board = Pegboard { places: &places, lattice: Lattice::Square };
//! let jump = Jump { from: 0, over: 1, to: 2 };
//! assert_eq!(characters(&board, 0b1011), "   a b c d\n1  ● ● · ●\n");
//! assert!(picture(&board, 0b1011, &[jump], Theme::Dark).ends_with("</svg>\n"));
//! ```

mod animate;
mod characters;
mod ground;
mod strip;

pub use animate::animation;
pub use characters::characters;
pub use strip::strip;

use std::fmt::Write;

use ground::Frame;

use crate::theme::{Colour, Theme};

/// Which places touch, and so how rows lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lattice {
    /// Rows and columns at right angles.
    Square,
    /// Each row half a place further left than the one above, so that a staircase is an upright
    /// triangle.
    Triangular,
}

/// The places of a board.
#[derive(Clone, Copy, Debug)]
pub struct Pegboard<'a> {
    /// Row from the top and column from the left of each place, both from 0; at most 64, and at
    /// most 26 columns.
    pub places: &'a [(usize, usize)],
    /// How they touch.
    pub lattice: Lattice,
}

/// A jump, by the numbers of its places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jump {
    /// The hole of the peg.
    pub from: usize,
    /// The peg that it takes.
    pub over: usize,
    /// Where it lands.
    pub to: usize,
}

impl Jump {
    /// The position after the jump.
    pub(crate) fn after(&self, pegs: u64) -> u64 {
        pegs & !(1 << self.from) & !(1 << self.over) | 1 << self.to
    }
}

impl Pegboard<'_> {
    /// The middle of a place, in units: neighbours are 100 apart.
    fn centre(&self, place: usize) -> (i64, i64) {
        let (row, col) = self.places[place];
        self.point(row as i64, col as i64)
    }

    fn point(&self, row: i64, col: i64) -> (i64, i64) {
        match self.lattice {
            Lattice::Square => (100 * col, 100 * row),
            // The height of a triangle with sides of 100.
            Lattice::Triangular => (100 * col - 50 * row, 87 * row),
        }
    }

    fn neighbours(&self) -> &'static [(usize, usize)] {
        match self.lattice {
            Lattice::Square => &[(0, 1), (1, 0)],
            Lattice::Triangular => &[(0, 1), (1, 0), (1, 1)],
        }
    }

    /// The number of a place.
    fn number(&self, place: (usize, usize)) -> Option<usize> {
        self.places.iter().position(|&other| other == place)
    }

    fn name(&self, place: usize) -> String {
        let (row, col) = self.places[place];
        format!("{}{}", letter(col), row + 1)
    }

    /// A move as players write it: `d2-d4-f4`.
    fn move_name(&self, jumps: &[Jump]) -> String {
        let first = jumps.first().map(|jump| jump.from);
        let stops = first.into_iter().chain(jumps.iter().map(|jump| jump.to));
        let names: Vec<_> = stops.map(|stop| self.name(stop)).collect();
        names.join("-")
    }
}

fn letter(col: usize) -> char {
    char::from(b'a' + (col % 26) as u8)
}

const PEG: i64 = 36;

fn peg_colour(theme: Theme) -> Colour {
    theme.along(0.3)
}

fn jumper_colour(theme: Theme) -> Colour {
    theme.along(1.0)
}

/// A position as a picture, with an arrow for the jumps of one peg (none, one or several).
///
/// # Panics
/// If a jump's place is not on the board.
pub fn picture(board: &Pegboard<'_>, pegs: u64, jumps: &[Jump], theme: Theme) -> String {
    let frame = Frame::of(board);
    let mut out = String::new();
    let title = match jumps {
        [] => format!("{} pegs", pegs.count_ones()),
        jumps => board.move_name(jumps),
    };
    frame.open(&mut out, theme, &title, 0);
    ground::board(&mut out, board, theme);
    frame.labels(&mut out, board, theme);
    position(&mut out, board, pegs, jumps, theme);
    out.push_str("</svg>\n");
    out
}

/// Pegs, the one that jumps in its own colour, those that it takes faint, and its arrow.
fn position(out: &mut String, board: &Pegboard<'_>, pegs: u64, jumps: &[Jump], theme: Theme) {
    let jumper = jumps.first().map(|jump| jump.from);
    let colour = peg_colour(theme);
    let _ = writeln!(out, "<g fill=\"{colour}\">");
    for place in (0..board.places.len()).filter(|&place| pegs >> place & 1 == 1) {
        let (x, y) = board.centre(place);
        let look = if Some(place) == jumper {
            format!(" fill=\"{}\"", jumper_colour(theme))
        } else if jumps.iter().any(|jump| jump.over == place) {
            " opacity=\"0.4\"".to_owned()
        } else {
            String::new()
        };
        let _ = write!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{PEG}\"{look}/>");
    }
    out.push_str("\n</g>\n");
    arrow(out, board, jumps, theme);
}

/// A line through the landings with a head at its end.
fn arrow(out: &mut String, board: &Pegboard<'_>, jumps: &[Jump], theme: Theme) {
    let (Some(first), Some(last)) = (jumps.first(), jumps.last()) else {
        return;
    };
    let (fx, fy) = board.centre(first.from);
    let mut path = format!("M{fx} {fy}");
    for jump in &jumps[..jumps.len() - 1] {
        let (x, y) = board.centre(jump.to);
        let _ = write!(path, "L{x} {y}");
    }
    let ((sx, sy), (x, y)) = (board.centre(last.from), board.centre(last.to));
    let (dx, dy) = ((x - sx) as f64, (y - sy) as f64);
    let length = dx.hypot(dy);
    let (ux, uy) = (dx / length, dy / length);
    // The head covers the last part of the line, so that the line ends inside it.
    let at = |along: f64, aside: f64| {
        let (px, py) = (
            x as f64 + ux * along - uy * aside,
            y as f64 + uy * along + ux * aside,
        );
        format!("{px:.0} {py:.0}")
    };
    let _ = write!(path, "L{}", at(-30.0, 0.0));
    let (rim, colour) = (theme.palette().light, jumper_colour(theme));
    let head = format!(
        "M{}L{}L{}z",
        at(22.0, 0.0),
        at(-34.0, 30.0),
        at(-34.0, -30.0)
    );
    let _ = writeln!(
        out,
        "<g fill=\"none\" stroke-linejoin=\"round\" stroke-linecap=\"round\">\
         <path stroke=\"{rim}\" stroke-width=\"22\" d=\"{path}\"/>\
         <path stroke=\"{colour}\" stroke-width=\"12\" d=\"{path}\"/>\
         <path fill=\"{colour}\" stroke=\"{rim}\" stroke-width=\"5\" d=\"{head}\"/></g>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(rows: &str) -> Vec<(usize, usize)> {
        let rows = rows.split('/').enumerate();
        rows.flat_map(|(r, row)| {
            row.chars()
                .enumerate()
                .filter(|(_, c)| *c == 'o')
                .map(move |(c, _)| (r, c))
        })
        .collect()
    }

    fn circles(svg: &str, radius: i64) -> usize {
        svg.matches(&format!("r=\"{radius}\"")).count()
    }

    #[test]
    fn tags_are_closed_and_every_peg_is_drawn() {
        let jumps = [Jump {
            from: 1,
            over: 2,
            to: 3,
        }];
        for (rows, lattice) in [
            ("_o_/ooo/_o_", Lattice::Square),
            ("o/oo/ooo", Lattice::Triangular),
        ] {
            let places = places(rows);
            let board = Pegboard {
                places: &places,
                lattice,
            };
            let pegs = 0b10111;
            for theme in [Theme::Light, Theme::Dark] {
                let still = picture(&board, pegs, &jumps, theme);
                let strip = strip(&board, pegs, &[&jumps], theme);
                let moving = animation(&board, pegs, &[&jumps], theme);
                assert_eq!(circles(&still, PEG), 4);
                assert_eq!(circles(&strip, PEG), 4 + 3);
                for svg in [still, strip, moving] {
                    let opened = svg.matches('<').count() - 2 * svg.matches("</").count();
                    assert_eq!(opened, svg.matches("/>").count(), "{svg}");
                    assert_eq!(svg.matches('"').count() % 2, 0);
                }
            }
        }
    }

    #[test]
    fn a_triangle_is_upright_with_equal_sides() {
        let places = places("o/oo/ooo");
        let board = Pegboard {
            places: &places,
            lattice: Lattice::Triangular,
        };
        let [top, left, right] = [0, 3, 5].map(|place| board.centre(place));
        assert_eq!(left.0 + right.0, 2 * top.0);
        let distance =
            |a: (i64, i64), b: (i64, i64)| ((a.0 - b.0) as f64).hypot((a.1 - b.1) as f64);
        assert!((distance(top, left) / distance(left, right) - 1.0).abs() < 0.01);
    }
}
