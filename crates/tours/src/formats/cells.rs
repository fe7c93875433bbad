//! Rows of step numbers and lines of squares, as people and programs write them.

use everymove_kernel::grid::Grid;

use crate::tour::Tour;

/// Passes on the steps of a row as they are printed, [`Tour::HOLE`] for a hole; or returns the cell
/// that is no step.
///
/// Cells lie between bars (what is outside of the outer bars is a row's number), else between
/// commas or semicolons, else between blanks.
pub(super) fn cells<'a>(text: &'a str, mut take: impl FnMut(u32)) -> Result<(), &'a str> {
    let mut cell = |cell: &'a str| {
        let cell = cell.trim();
        take(step(cell).ok_or(cell)?);
        Ok(())
    };
    let text = text.trim();
    if let Some((first, last)) = text.find(is_bar).zip(text.rfind(is_bar)) {
        let open = !text.starts_with(is_bar) && !text.ends_with(is_bar);
        let inner = match open {
            true => Some(text),
            false => text[first..last].strip_prefix(is_bar),
        };
        return inner.ok_or(text)?.split(is_bar).try_for_each(cell);
    }
    match text.contains([',', ';']) {
        true => text.split([',', ';']).try_for_each(cell),
        false => text.split_whitespace().try_for_each(&mut cell),
    }
}

fn is_bar(c: char) -> bool {
    matches!(c, '|' | '│' | '┃' | '║')
}

/// A step number as it is printed, an integer that may be written as a float.
fn step(cell: &str) -> Option<u32> {
    let cell = cell.trim_matches(['"', '\'']).trim();
    let is_hole = |word: &str| cell.eq_ignore_ascii_case(word);
    if cell.chars().all(|c| c == '▒') || [".", "null", "none", "nan"].into_iter().any(is_hole) {
        return Some(Tour::HOLE);
    }
    let is_number = |b: u8| b.is_ascii_digit() || b".eE+".contains(&b);
    if !cell.starts_with(|c: char| c.is_ascii_digit()) || !cell.bytes().all(is_number) {
        return None;
    }
    super::parsed::step(cell.parse().ok()?)
}

/// Whether a line only separates rows.
pub(super) fn is_rule(text: &str) -> bool {
    let is_line = |c: char| "-=+".contains(c) || ('─'..='╿').contains(&c) && !is_bar(c);
    let is_around = |c: char| is_line(c) || is_bar(c) || c == ':' || c == ' ';
    text.chars().all(is_around) && text.contains(is_line)
}

/// Whether a line is written around a board: the letters of the columns, or what the board shows.
pub(super) fn is_caption(text: &str) -> bool {
    if text.starts_with("open tour of the ") || text.starts_with("closed tour of the ") {
        return true;
    }
    if !text.starts_with(['a', 'A']) {
        return false;
    }
    let columns = text.split_whitespace().count() as u32;
    Grid::new(1, columns).is_ok_and(|grid| {
        (text.split_whitespace().enumerate()).all(|(col, word)| {
            grid.name(col).strip_suffix('1') == Some(&*word.to_ascii_lowercase())
        })
    })
}

/// The names of squares in a line: arrows, dashes, commas, knights and numbers of moves (`1.`)
/// separate them.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    let is_separator =
        |c: char| c.is_whitespace() || "-,;:>=|\"'".contains(c) || "–—→⇒➔➜⟶♘♞".contains(c);
    let without_number = |word: &'_ str| {
        let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
        match rest.len() < word.len() && rest.starts_with('.') {
            true => word.len() - rest.trim_start_matches('.').len(),
            false => 0,
        }
    };
    let words = text.split(is_separator);
    (words.map(move |word| &word[without_number(word)..])).filter(|word| !word.is_empty())
}

/// A square's name without the letter of a piece: `Na1` is `a1`.
pub(super) fn without_piece(name: &str) -> &str {
    match name.as_bytes() {
        [b'A'..=b'Z', b'a'..=b'z', ..] => &name[1..],
        _ => name,
    }
}

/// Whether something in a line looks like the name of a square: letters and a number.
pub(super) fn has_name(text: &str) -> bool {
    names(text).any(|word| {
        let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
        letters.len() < word.len()
            && !letters.is_empty()
            && letters.bytes().all(|b| b.is_ascii_alphabetic())
    })
}
