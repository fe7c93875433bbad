//! Walks on boards as SVG.
//!
//! One square is 100 units wide and the picture scales to any size. Long walks stay small files:
//! segments of one colour share a path. A picture without animation has no script, no style sheet
//! and no font of its own.

mod animate;
mod board;
mod line;
mod sheet;

use everymove_kernel::grid::{Grid, Square};

pub use animate::animation;
pub(crate) use sheet::columns;
pub use sheet::sheet;

use crate::theme::Theme;

/// Walks longer than this are not animated: browsers would no longer follow.
pub const MAX_ANIMATED: usize = 10_000;

/// A walk on a board.
#[derive(Clone, Copy, Debug)]
pub struct Walk<'a> {
    /// The board.
    pub grid: Grid,
    /// The squares in the order of the visit.
    pub order: &'a [Square],
    /// Whether a last line leads back to the start.
    pub closed: bool,
    /// Squares that are missing, ascending.
    pub holes: &'a [Square],
}

/// How a walk is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Dark or light.
    pub theme: Theme,
    /// Whether every square shows its step.
    pub numbers: Numbers,
}

/// Whether every square shows its step, counted from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbers {
    /// Lines only.
    #[default]
    Hidden,
    /// Steps in the squares, lines behind them.
    Shown,
}

/// A walk as a picture.
///
/// # Panics
/// If a square is outside the grid.
pub fn picture(walk: &Walk<'_>, style: &Style) -> String {
    let frame = board::Frame::of(walk.grid);
    let mut out = String::with_capacity(400 + 9 * walk.order.len());
    frame.open(&mut out, style.theme, &title(walk));
    board::squares(&mut out, walk, style.theme, &frame);
    line::walk(&mut out, walk, style);
    frame.close(&mut out);
    out
}

fn title(walk: &Walk<'_>) -> String {
    let kind = if walk.closed { "closed" } else { "open" };
    format!("{kind} tour of the {} board", walk.grid)
}

/// The middle of a square, in units, with the first row at the bottom.
fn centre(grid: Grid, square: Square) -> (i64, i64) {
    let (row, col) = grid.row_col(square);
    (
        100 * col as i64 + 50,
        100 * (grid.rows() - 1 - row) as i64 + 50,
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The points of a path of `M`, `L` and relative `l` commands.
    fn points(path: &str) -> Vec<(i64, i64)> {
        let mut points = Vec::new();
        let spaced = path
            .replace('-', " -")
            .replace('M', " M ")
            .replace('L', " L ")
            .replace('l', " l ");
        let (mut here, mut relative) = ((0, 0), false);
        let mut words = spaced.split_whitespace();
        while let Some(word) = words.next() {
            if let "M" | "L" | "l" = word {
                relative = word == "l";
                continue;
            }
            let (x, y): (i64, i64) = (
                word.parse().unwrap(),
                words.next().unwrap().parse().unwrap(),
            );
            here = if relative {
                (here.0 + x, here.1 + y)
            } else {
                (x, y)
            };
            points.push(here);
        }
        points
    }

    /// The paths whose stroke is a colour of the line, in order.
    fn line_points(svg: &str) -> Vec<(i64, i64)> {
        let mut all = Vec::new();
        for element in svg
            .split('<')
            .filter(|e| e.starts_with("path stroke=") && !e.contains("butt"))
        {
            let d = element
                .split("d=\"")
                .nth(1)
                .unwrap()
                .split('"')
                .next()
                .unwrap();
            let path = points(d);
            if all.last() == path.first() {
                all.extend(&path[1..]);
            } else {
                all.extend(path);
            }
        }
        all
    }

    proptest! {
        /// Short walks have a path a segment, long ones a path a colour: both must pass every square in order.
        #[test]
        fn the_line_passes_the_squares_in_order(
            rows in 1u32..80, cols in 1u32..80, turns in 1usize..4, closed in any::<bool>(),
        ) {
            let grid = Grid::new(rows, cols).unwrap();
            let mut order: Vec<_> = (0..grid.len()).collect();
            order.rotate_left(grid.len() / turns % grid.len());
            let walk = Walk { grid, order: &order, closed, holes: &[] };
            let mut expected: Vec<_> = order.iter().map(|&s| centre(grid, s)).collect();
            if closed { expected.push(expected[0]); }
            if order.len() == 1 { expected.clear(); }
            prop_assert_eq!(line_points(&picture(&walk, &Style::default())), expected.clone());
            if order.len() < 300 {
                prop_assert_eq!(line_points(&animation(&walk, &Style::default(), 3.0)), expected);
            }
        }
    }

    #[test]
    fn tags_are_closed() {
        let grid = Grid::new(4, 5).unwrap();
        let order: Vec<_> = (0..19).collect();
        let walk = Walk {
            grid,
            order: &order,
            closed: false,
            holes: &[19],
        };
        for theme in [Theme::Light, Theme::Dark] {
            for numbers in [Numbers::Hidden, Numbers::Shown] {
                let style = Style { theme, numbers };
                let pictures = [
                    picture(&walk, &style),
                    sheet(&[walk; 5], &style),
                    animation(&walk, &style, 5.0),
                ];
                for svg in pictures {
                    let opened = svg.matches('<').count() - 2 * svg.matches("</").count();
                    assert_eq!(opened, svg.matches("/>").count());
                    assert_eq!(svg.matches('"').count() % 2, 0);
                }
            }
        }
    }
}
