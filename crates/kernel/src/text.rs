//! Texts of others in messages of ours, and names that were meant.

/// The most characters of a text that [`shown`] keeps.
const SHOWN: usize = 60;

/// A text from outside in a form that is safe in a message: on one line, without characters that
/// control a terminal, and at most 60 characters long; what is cut is marked by `...`.
///
/// Control characters and invisible characters that change the direction of the text are escaped as
/// in Rust (`\t`, `\u{1b}`).
///
/// ```
/// use everymove_kernel::text::shown;
///
/// assert_eq!(shown("a1 h8"), "a1 h8");
/// assert_eq!(shown("red: \x1b[31m"), r"red: \u{1b}[31m");
/// assert_eq!(shown(&"x".repeat(100)).len(), 60 + 3);
/// ```
pub fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => escaped(&text[..end]) + "...",
        None => escaped(text),
    }
}

/// A text of any length as [`shown`] shows it: on one line, without characters that control a
/// terminal.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || is_invisible(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// Line and paragraph separators, and marks that have no shape but move or hide others.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// A number in decimal with commas between thousands.
///
/// ```
/// use everymove_kernel::text::grouped;
///
/// assert_eq!(grouped(1_629_851), "1,629,851");
/// assert_eq!(grouped("122802512"), "122,802,512");
/// ```
pub fn grouped(number: impl ToString) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(c);
    }
    text
}

/// The longest word for which a name is looked for.
const LONGEST: usize = 64;

/// The one of `names` that a misspelt `word` most likely means, if any is near.
///
/// Near means few insertions, deletions, replacements and exchanges of neighbouring characters (the
/// optimal string alignment distance of Damerau): one, or a third of the longer one's length if
/// that is more. Case and the characters `-`, `_` and space do not count. Of several names equally
/// near the first is returned.
///
/// ```
/// use everymove_kernel::text::nearest;
///
/// assert_eq!(nearest("englsh", ["english", "french"]), Some("english"));
/// assert_eq!(nearest("chess", ["english", "french"]), None);
/// ```
pub fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = folded(word);
    if word.is_empty() || word.len() > LONGEST {
        return None;
    }
    let near = names.into_iter().filter_map(|name| {
        let folded = folded(name);
        let distance = distance(&word, &folded);
        let longer = word.len().max(folded.len());
        (distance <= (longer / 3).max(1) && distance < longer).then_some((distance, name))
    });
    near.min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// The characters that count.
fn folded(word: &str) -> Vec<char> {
    word.chars()
        .filter(|c| !matches!(c, '-' | '_' | ' '))
        .flat_map(char::to_lowercase)
        .take(LONGEST + 1)
        .collect()
}

/// The optimal string alignment distance.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut next = vec![i];
        for j in 1..=b.len() {
            let replaced = row[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(row[j] + 1).min(next[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn distances_of_known_pairs() {
        let of = |a: &str, b: &str| distance(&folded(a), &folded(b));
        assert_eq!(of("kitten", "sitting"), 3);
        assert_eq!(of("abcd", "abdc"), 1);
        assert_eq!(of("", "abc"), 3);
        // An exchanged pair is not edited again: the true Damerau distance would be 2.
        assert_eq!(of("ca", "abc"), 3);
        assert_eq!(of("Pegs_Search", "pegs-search"), 0);
    }

    #[test]
    fn only_near_names_are_suggested() {
        let names = [
            "tours-count",
            "pegs-search",
            "leapfrog",
            "english",
            "wiegleb",
        ];
        let nearest = |word: &str| nearest(word, names);
        assert_eq!(nearest("tour-count"), Some("tours-count"));
        assert_eq!(nearest("ENGLISCH"), Some("english"));
        assert_eq!(nearest("leap frog"), Some("leapfrog"));
        assert_eq!(nearest(""), None);
        assert_eq!(nearest("x"), None);
        assert_eq!(nearest(&"english".repeat(1000)), None);
    }

    proptest! {
        /// Whatever the bytes, a message stays on its line.
        #[test]
        fn what_is_shown_controls_nothing(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let text = shown(&String::from_utf8_lossy(&bytes));
            prop_assert!(!text.chars().any(|c| c.is_control() || is_invisible(c)));
            let longest = r"\u{10ffff}".len();
            prop_assert!(text.len() <= SHOWN * longest + 3);
        }

        /// One wrong letter in a name of at least four is forgiven.
        #[test]
        fn one_edit_is_forgiven(name in "[a-z]{4,12}", at in 0usize..12, letter in "[a-z]") {
            let mut word: Vec<char> = name.chars().collect();
            let at = at % word.len();
            word[at] = letter.chars().next().unwrap();
            let word: String = word.into_iter().collect();
            prop_assert_eq!(nearest(&word, [name.as_str()]), Some(name.as_str()));
            let shorter: String = name.chars().enumerate().filter(|&(i, _)| i != at).map(|(_, c)| c).collect();
            prop_assert_eq!(nearest(&shorter, [name.as_str()]), Some(name.as_str()));
        }
    }
}
