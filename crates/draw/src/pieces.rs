//! Pieces by their moves: where one goes on the empty board, and positions of any men on any board.

use std::fmt::Write;

use everymove_kernel::grid::Grid;
use everymove_kernel::pieces::{Kind, Piece, UNLIMITED};

use crate::theme::Theme;

/// A square that a piece reaches, from where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Target {
    dx: i32,
    dy: i32,
    mark: char,
}

/// What the marks of a diagram mean.
pub const LEGEND: &[(char, &str)] = &[
    ('*', "moves and captures"),
    ('o', "moves only"),
    ('x', "captures only"),
    ('n', "if the squares between are vacant"),
    ('p', "over exactly one man"),
    ('g', "directly behind a man"),
    ('+', "in more than one way"),
];

/// The squares that a piece reaches in a window around it, and the columns on each side of it.
fn targets(piece: &Piece) -> (Vec<Target>, i32) {
    let atoms = piece.atoms();
    let wanted = atoms.iter().map(|atom| {
        let size = atom.dx.abs().max(atom.dy.abs());
        match atom.range {
            UNLIMITED => (2 * size).max(4),
            range => size * i32::try_from(range).unwrap_or(15).min(15),
        }
    });
    let radius = wanted.max().unwrap_or(0).clamp(2, 15);
    let mut targets: Vec<Target> = Vec::new();
    for atom in atoms {
        let mark = match (atom.kind, atom.quiet, atom.capture) {
            (Kind::Lame, ..) => 'n',
            (Kind::Cannon, ..) => 'p',
            (Kind::Grasshopper, ..) => 'g',
            (Kind::Slide, true, true) => '*',
            (Kind::Slide, true, false) => 'o',
            (Kind::Slide, false, _) => 'x',
        };
        let first = if matches!(atom.kind, Kind::Cannon | Kind::Grasshopper) {
            2
        } else {
            1
        };
        let last = match atom.kind {
            Kind::Grasshopper => atom.range.saturating_add(1),
            _ => atom.range,
        };
        for step in first..=last.min(radius as u32) as i32 {
            let (dx, dy) = (atom.dx * step, atom.dy * step);
            if dx.abs().max(dy.abs()) > radius {
                break;
            }
            match targets
                .iter_mut()
                .find(|other| (other.dx, other.dy) == (dx, dy))
            {
                Some(other) if other.mark != mark => {
                    other.mark = match (other.mark, mark) {
                        ('o', 'x') | ('x', 'o') | ('*', _) | (_, '*') => '*',
                        _ => '+',
                    };
                }
                Some(_) => {}
                None => targets.push(Target { dx, dy, mark }),
            }
        }
    }
    (targets, radius)
}

/// The moves of a piece in characters, forward upwards, with the marks that occur explained.
///
/// ```
/// let ferz = everymove_draw::pieces::characters(&"mF".parse().unwrap());
/// assert!(ferz.starts_with(". . . . .\n. o . o .\n. . @ . .\n"));
/// ```
pub fn characters(piece: &Piece) -> String {
    let (targets, radius) = targets(piece);
    let mut text = String::new();
    for dy in (-radius..=radius).rev() {
        let mark = |dx: i32| {
            let found = targets
                .iter()
                .find(|target| (target.dx, target.dy) == (dx, dy));
            match (found, dx, dy) {
                (Some(target), ..) => target.mark,
                (None, 0, 0) => '@',
                _ => '.',
            }
        };
        let row: Vec<String> = (-radius..=radius).map(|dx| mark(dx).to_string()).collect();
        text += &row.join(" ");
        text.push('\n');
    }
    for (mark, meaning) in LEGEND {
        if targets.iter().any(|target| target.mark == *mark) {
            let _ = writeln!(text, "{mark} {meaning}");
        }
    }
    text
}

/// The side of a square.
const SIDE: i32 = 40;

/// The moves of a piece as a picture.
pub fn picture(piece: &Piece, theme: Theme) -> String {
    let (targets, radius) = targets(piece);
    let width = 2 * radius + 1;
    let palette = theme.palette();
    let mut svg = start(width, width, "moves of a piece", theme);
    let centre = |d: i32| (radius + d) * SIDE + SIDE / 2;
    for target in &targets {
        let (x, y) = (centre(target.dx), centre(-target.dy));
        let _ = match target.mark {
            '*' => writeln!(
                svg,
                r#"<circle cx="{x}" cy="{y}" r="9" fill="{}"/>"#,
                palette.text
            ),
            'o' => writeln!(
                svg,
                r#"<circle cx="{x}" cy="{y}" r="8" fill="none" stroke="{}" stroke-width="3"/>"#,
                palette.text
            ),
            'x' => writeln!(
                svg,
                r#"<path d="M{} {}l16 16m0 -16l-16 16" stroke="{}" stroke-width="3"/>"#,
                x - 8,
                y - 8,
                palette.text
            ),
            mark => writeln!(svg, "{}", letter(x, y, mark, 20, &palette.text.to_string())),
        };
    }
    let at = centre(0);
    let _ = writeln!(
        svg,
        r#"<circle cx="{at}" cy="{at}" r="15" fill="{}"/>"#,
        palette.edge
    );
    svg += "</svg>\n";
    svg
}

/// A position of men as letters, White's dark on light and Black's light on dark: the letter, the
/// square, and whether it is White's.
pub fn position(board: Grid, men: &[(char, usize, bool)], theme: Theme) -> String {
    let (files, ranks) = (board.cols() as i32, board.rows() as i32);
    let mut svg = start(files, ranks, "position", theme);
    for &(name, square, is_white) in men {
        let (rank, file) = board.row_col(square);
        let x = file as i32 * SIDE + SIDE / 2;
        let y = (ranks - 1 - rank as i32) * SIDE + SIDE / 2;
        let (fill, ink) = match is_white {
            true => ("#fffdf7", "#262a2e"),
            false => ("#33383d", "#f2f1ea"),
        };
        let _ = writeln!(
            svg,
            r##"<circle cx="{x}" cy="{y}" r="16" fill="{fill}" stroke="#14171a" stroke-width="1.5"/>{}"##,
            letter(x, y, name, 22, ink)
        );
    }
    svg += "</svg>\n";
    svg
}

fn letter(x: i32, y: i32, letter: char, size: i32, ink: &str) -> String {
    format!(
        r#"<text x="{x}" y="{}" font-family="sans-serif" font-size="{size}" text-anchor="middle" fill="{ink}">{letter}</text>"#,
        y + size * 35 / 100
    )
}

/// A board of light and dark squares, the first at the left below dark.
fn start(files: i32, ranks: i32, label: &str, theme: Theme) -> String {
    let palette = theme.palette();
    let (width, height) = (files * SIDE, ranks * SIDE);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" \
         aria-label=\"{label}\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>\n<path fill=\"{}\" d=\"",
        palette.light, palette.edge
    );
    for rank in 0..ranks {
        for file in (0..files).filter(|file| (file + rank) % 2 == 0) {
            let (x, y) = (file * SIDE, (ranks - 1 - rank) * SIDE);
            let _ = write!(svg, "M{x} {y}h{SIDE}v{SIDE}h-{SIDE}z");
        }
    }
    svg += "\"/>\n";
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_marked_by_their_kind() {
        let rows = |text: &str| characters(&text.parse().unwrap());
        let cannon = rows("mRcpR");
        assert!(cannon.starts_with(". . . . + . . . .\n"), "{cannon}");
        assert!(cannon.contains("+ + + o @ o + + +"), "{cannon}");
        assert!(
            cannon.contains("o moves only\n+ in more than one way\n"),
            "{cannon}"
        );
        let horse = rows("nN");
        assert!(horse.starts_with(". n . n .\nn . . . n\n"), "{horse}");
        assert!(rows("gQ").contains("g g g . @ . g g g"));
        assert!(rows("mWcF").starts_with(". . . . .\n. x o x .\n. o @ o .\n"));
        assert!(rows("mNcN").starts_with(". * . * .\n"));
        assert!(rows("(1,15)").lines().next().unwrap().len() == 61);
    }

    #[test]
    fn pictures_have_a_mark_for_each_target() {
        let archbishop = picture(&"BN".parse().unwrap(), Theme::Light);
        assert_eq!(archbishop.matches("r=\"9\"").count(), 24);
        assert!(archbishop.starts_with("<svg") && archbishop.ends_with("</svg>\n"));
        let board = Grid::new(8, 10).unwrap();
        let svg = position(board, &[('K', 0, true), ('A', 79, false)], Theme::Light);
        assert!(svg.contains(r#"viewBox="0 0 400 320""#));
        assert!(
            svg.contains(r#"<circle cx="20" cy="300""#)
                && svg.contains(r#"<circle cx="380" cy="20""#)
        );
    }
}
