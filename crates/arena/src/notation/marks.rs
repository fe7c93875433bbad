//! Marks after moves: check and mate, judgements of moves and positions.

/// Marks and their numeric annotation glyphs (NAGs) by the PGN standard and its usual extension; 0
/// where there is none.
const MARKS: &[(&str, u8)] = &[
    ("!", 1),
    ("?", 2),
    ("!!", 3),
    ("‼", 3),
    ("??", 4),
    ("⁇", 4),
    ("!?", 5),
    ("⁉", 5),
    ("?!", 6),
    ("⁈", 6),
    ("□", 7),
    ("=", 10),
    ("∞", 13),
    ("⩲", 14),
    ("+=", 14),
    ("+/=", 14),
    ("⩱", 15),
    ("=+", 15),
    ("=/+", 15),
    ("±", 16),
    ("+/-", 16),
    ("∓", 17),
    ("-/+", 17),
    ("+-", 18),
    ("-+", 19),
    ("⨀", 22),
    ("⊙", 22),
    ("⟳", 32),
    ("↑", 36),
    ("→", 40),
    ("=/∞", 44),
    ("⇆", 132),
    ("⊕", 138),
    ("∆", 140),
    ("Δ", 140),
    ("⌓", 142),
    ("N", 146),
    ("+", 0),
    ("++", 0),
    ("#", 0),
    ("†", 0),
    ("‡", 0),
    ("ch", 0),
    ("ch.", 0),
    ("mate", 0),
    ("e.p.", 0),
    ("e.p", 0),
    ("ep", 0),
    (":", 0),
    (",", 0),
    ("(=)", 0),
];

/// A longer text is none of marks.
const MOST_BYTES: usize = 20;

/// The glyphs of a text of marks, without those of check and mate; `None` if something else is in
/// it.
pub(crate) fn marks(text: &str) -> Option<Vec<u8>> {
    // A diagram: only by itself, for a German promotion ends like this.
    if text == "D" {
        return Some(vec![220]);
    }
    if text.len() > MOST_BYTES {
        return None;
    }
    let mut nags = Vec::new();
    split(text, &mut nags).then_some(nags)
}

/// Splits a text into marks, the longest first: `++/-` is a check and `+/-`.
fn split(text: &str, nags: &mut Vec<u8>) -> bool {
    if text.is_empty() {
        return true;
    }
    let mut fitting: Vec<_> = MARKS
        .iter()
        .filter(|(mark, _)| text.starts_with(mark))
        .collect();
    fitting.sort_by_key(|(mark, _)| std::cmp::Reverse(mark.len()));
    fitting.into_iter().any(|&(mark, nag)| {
        let before = nags.len();
        if nag > 0 {
            nags.push(nag);
        }
        let is_split = split(&text[mark.len()..], nags);
        if !is_split {
            nags.truncate(before);
        }
        is_split
    })
}
