//! A game as a strip to read: one board a move, with an arrow, and the last position.

use std::fmt::Write;

use super::ground::{self, Frame};
use super::{Jump, Pegboard, picture, position};
use crate::svg::columns;
use crate::theme::Theme;

/// Units below a board for its move.
const CAPTION: i64 = 60;

/// A game from a position: the position before each move with the move's arrow, and the position at
/// the end.
///
/// # Panics
/// If a jump's place is not on the board.
pub fn strip(board: &Pegboard<'_>, start: u64, moves: &[&[Jump]], theme: Theme) -> String {
    if moves.is_empty() {
        return picture(board, start, &[], theme);
    }
    let frame = Frame::with_margin(board, 90);
    let (w, h) = (frame.width, frame.height + CAPTION);
    let count = moves.len() + 1;
    let columns = columns(count, w as usize, h as usize);
    let rows = count.div_ceil(columns);
    let (width, height) = (columns as i64 * w, rows as i64 * h);
    let pixels = (160.0 / w as f64).max(900.0 / width as f64);
    let palette = theme.palette();
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"{:.0}\" \
         height=\"{:.0}\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>a game of {} moves</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>\n<defs><g id=\"board\">",
        width as f64 * pixels,
        height as f64 * pixels,
        moves.len(),
        palette.page,
    );
    ground::board(&mut out, board, theme);
    out.push_str("</g></defs>\n");
    let mut pegs = start;
    for i in 0..count {
        let jumps = moves.get(i).copied().unwrap_or(&[]);
        let (x, y) = (
            (i % columns) as i64 * w - frame.left,
            (i / columns) as i64 * h - frame.top,
        );
        let _ = writeln!(
            out,
            "<g transform=\"translate({x} {y})\"><use xlink:href=\"#board\"/>"
        );
        position(&mut out, board, pegs, jumps, theme);
        if !jumps.is_empty() {
            let caption = format!("{}. {}", i + 1, board.move_name(jumps));
            // Long chains are written smaller, so that they stay below their own board.
            let size = (2 * w / caption.len().max(1) as i64 * 8 / 10).min(52);
            let _ = writeln!(
                out,
                "<text x=\"{}\" y=\"{}\" fill=\"{}\" font-family=\"system-ui,sans-serif\" font-size=\"{size}\" \
                 text-anchor=\"middle\">{caption}</text>",
                frame.left + w / 2,
                frame.top + frame.height + CAPTION / 3,
                palette.text,
            );
        }
        out.push_str("</g>\n");
        pegs = jumps.iter().fold(pegs, |pegs, jump| jump.after(pegs));
    }
    out.push_str("</svg>\n");
    out
}
