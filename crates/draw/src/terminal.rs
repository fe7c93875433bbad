//! Boards in characters.
//!
//! Step numbers are shown from 1 and the first row at the bottom, as on a chess board.

use std::fmt::{Display, Write};

use everymove_kernel::grid::{Grid, Square};

/// Numbers in columns, nothing else: the form that other programs read.
///
/// `cell` gives the number of a square, or `None` for a hole, which is shown as `.`.
pub fn plain<N: Display>(grid: Grid, cell: impl Fn(Square) -> Option<N>) -> String {
    let width = width(grid, &cell);
    let mut out = String::with_capacity(grid.len() * (width + 1));
    for row in (0..grid.rows()).rev() {
        for col in 0..grid.cols() {
            let space = if col == 0 { "" } else { " " };
            match cell(grid.square(row, col)) {
                Some(number) => _ = write!(out, "{space}{number:>width$}"),
                None => _ = write!(out, "{space}{:>width$}", "."),
            }
        }
        out.push('\n');
    }
    out
}

/// Numbers in boxes with coordinates around them; holes are shaded.
///
/// ```
/// use everymove_draw::terminal::boxed;
/// use everymove_kernel::grid::Grid;
///
/// let grid = Grid::new(2, 2)?;
/// let text = boxed(grid, |square| (square != 3).then_some(square + 1));
/// assert_eq!(
///     text,
///     "
///   ┌───┬───┐
/// 2 │ 3 │▒▒▒│
///   ├───┼───┤
/// 1 │ 1 │ 2 │
///   └───┴───┘
///     a   b
/// "
///     .trim_start_matches('\n')
/// );
/// # Ok::<(), everymove_kernel::grid::GridError>(())
/// ```
pub fn boxed<N: Display>(grid: Grid, cell: impl Fn(Square) -> Option<N>) -> String {
    let letters = |col| {
        let name = grid.name(grid.square(0, col));
        name.trim_end_matches(|c: char| c.is_ascii_digit())
            .to_owned()
    };
    let width = width(grid, &cell).max(letters(grid.cols() - 1).len());
    let margin = grid.rows().to_string().len();
    let bar = "─".repeat(width + 2);
    let rule = |out: &mut String, left: char, middle: char, right: char| {
        let _ = write!(out, "{:margin$} {left}", "");
        for col in 0..grid.cols() {
            let end = if col + 1 < grid.cols() { middle } else { right };
            let _ = write!(out, "{bar}{end}");
        }
        out.push('\n');
    };
    let mut out = String::new();
    rule(&mut out, '┌', '┬', '┐');
    for row in (0..grid.rows()).rev() {
        let _ = write!(out, "{:>margin$} │", row + 1);
        for col in 0..grid.cols() {
            match cell(grid.square(row, col)) {
                Some(number) => _ = write!(out, " {number:>width$} │"),
                None => _ = write!(out, "{}│", "▒".repeat(width + 2)),
            }
        }
        out.push('\n');
        if row > 0 {
            rule(&mut out, '├', '┼', '┤');
        }
    }
    rule(&mut out, '└', '┴', '┘');
    let mut line = format!("{:margin$}  ", "");
    for col in 0..grid.cols() {
        let _ = write!(line, " {:>width$}  ", letters(col));
    }
    out.push_str(line.trim_end());
    out.push('\n');
    out
}

/// The width of the widest number.
fn width<N: Display>(grid: Grid, cell: impl Fn(Square) -> Option<N>) -> usize {
    let widths = (0..grid.len()).filter_map(|square| Some(cell(square)?.to_string().len()));
    widths.max().unwrap_or(1)
}

/// The line of a walk in Braille dots, which hold 2 x 4 dots a character.
///
/// The picture is at most `columns` characters wide; `None` if the board does not fit at one dot a
/// square.
///
/// # Panics
/// If a square is outside the grid.
pub fn line(grid: Grid, order: &[Square], closed: bool, columns: usize) -> Option<String> {
    let dots = (2 * columns).checked_sub(1)? / grid.cols();
    let scale = dots.min(10);
    if scale == 0 {
        return None;
    }
    let (w, h) = (grid.cols() * scale, grid.rows() * scale);
    let (chars_wide, chars_high) = (w.div_ceil(2), h.div_ceil(4));
    let mut cells = vec![0u8; chars_wide * chars_high];
    let mut dot = |x: usize, y: usize| {
        const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        cells[y / 4 * chars_wide + x / 2] |= BITS[y % 4][x % 2];
    };
    let place = |square: Square| {
        let (row, col) = grid.row_col(square);
        let middle = |i: usize| (i * scale + scale / 2) as f64;
        (middle(col), middle(grid.rows() - 1 - row))
    };
    let back = closed.then(|| order.first()).flatten();
    let ends = order.iter().zip(order.iter().skip(1).chain(back));
    for (&from, &to) in ends {
        let ((x, y), (u, v)) = (place(from), place(to));
        let steps = (u - x).abs().max((v - y).abs()).max(1.0);
        for i in 0..=steps as usize {
            let t = i as f64 / steps;
            dot(
                (x + (u - x) * t).round() as usize,
                (y + (v - y) * t).round() as usize,
            );
        }
    }
    let mut out = String::with_capacity(cells.len() * 3 + chars_high);
    for row in cells.chunks(chars_wide) {
        out.extend(
            row.iter()
                .filter_map(|&bits| char::from_u32(0x2800 + u32::from(bits))),
        );
        out.push('\n');
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_numbers_line_up() {
        let grid = Grid::new(2, 3).unwrap();
        let text = plain(grid, |s| (s != 1).then_some(3 * s));
        assert_eq!(text, " 9 12 15\n 0  .  6\n");
    }

    #[test]
    fn a_line_joins_its_squares() {
        let grid = Grid::new(2, 2).unwrap();
        // Four dots a square: from the middle of a1 straight up to a2, and on to b2.
        assert_eq!(line(grid, &[0, 2, 3], false, 5).unwrap(), "⠀⡤⠤⠄\n⠀⠇⠀⠀\n");
        assert_eq!(line(grid, &[0], false, 1), None);
    }
}
