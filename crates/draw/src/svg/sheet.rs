//! Many walks on one sheet.

use std::fmt::Write;

use super::{Style, Walk, board, line, picture};

/// Walks side by side, a sheet about as wide as it is high; a single one is drawn as [`picture`]
/// does.
///
/// # Panics
/// If there are no walks, or a square is outside its grid.
pub fn sheet(walks: &[Walk<'_>], style: &Style) -> String {
    assert!(!walks.is_empty(), "a sheet shows at least one walk");
    if let [walk] = walks {
        return picture(walk, style);
    }
    let cell = |side: fn(&Walk<'_>) -> usize| walks.iter().map(side).max().unwrap_or(1) * 100;
    let (w, h) = (cell(|walk| walk.grid.cols()), cell(|walk| walk.grid.rows()));
    let gap = w.max(h) / 8;
    let columns = columns(walks.len(), w + gap, h + gap);
    let rows = walks.len().div_ceil(columns);
    let (width, height) = (columns * (w + gap) + gap, rows * (h + gap) + gap);
    let pixels = (180.0 / w.max(h) as f64).max(900.0 / width as f64);
    let mut out = String::new();
    let palette = style.theme.palette();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0}\" height=\"{:.0}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{} tours</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>",
        width as f64 * pixels,
        height as f64 * pixels,
        walks.len(),
        palette.page,
    );
    for (i, walk) in walks.iter().enumerate() {
        let (x, y) = (gap + i % columns * (w + gap), gap + i / columns * (h + gap));
        let _ = writeln!(out, "<g transform=\"translate({x} {y})\">");
        board::bare(&mut out, walk, style.theme);
        line::walk(&mut out, walk, style);
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

/// The number of columns that makes the sheet about four units wide by three high, with few gaps at
/// its end.
pub(crate) fn columns(count: usize, w: usize, h: usize) -> usize {
    let off = |columns: usize| {
        let (width, height) = (columns * w, count.div_ceil(columns) * h);
        let shape = (width * 3) as f64 / (height * 4) as f64;
        let empty = (columns - 1) - (count - 1) % columns;
        shape.max(1.0 / shape) + 2.0 * empty as f64 / columns as f64
    };
    (1..=count)
        .min_by(|&a, &b| off(a).total_cmp(&off(b)))
        .unwrap_or(1)
}
