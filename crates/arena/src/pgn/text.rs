//! The games of a PGN text: tags and movetext in words, without the rules of chess.

use everymove_kernel::input::{Input, InputError, Lines, decoded};
use everymove_kernel::run::{Ram, Reservation};

use super::error::PgnError;
use crate::record::Outcome;

/// The longest line and the longest game that are read, in bytes.
const MOST: usize = 1 << 24;

/// Variations are not nested deeper.
const MOST_NESTED: usize = 1000;

/// A game whose words take less memory than this, in bytes, is not taken from the budget.
const SMALL: usize = 1 << 16;

/// The result of a game as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrittenResult {
    /// One of the three results.
    Known(Outcome),
    /// None, or that the game is not finished.
    Unfinished,
    /// A text that is none of the results.
    Unreadable(String),
    /// The tag `Result` and the end of the moves differ.
    Contradiction {
        /// The value of the tag.
        tag: String,
        /// The result after the moves.
        marker: String,
    },
}

/// Reads a result: `1-0`, `1/2-1/2`, `½-½`, `0.5-0.5`, `1/2`, `1 - 0`; `None` if the text is none.
pub fn outcome(text: &str) -> Option<Outcome> {
    let kept = text.trim().chars().filter(|c| !c.is_whitespace());
    let plain: String = kept.map(plain_dash).collect();
    let plain = plain.replace('½', "1/2").replace("0.5", "1/2");
    let plain = plain.replace("0,5", "1/2").replace(':', "-");
    match plain.as_str() {
        "1-0" => Some(Outcome::WhiteWins),
        "0-1" => Some(Outcome::BlackWins),
        "1/2-1/2" | "1/2" => Some(Outcome::Draw),
        _ => None,
    }
}

fn plain_dash(c: char) -> char {
    match c {
        '‐' | '‑' | '–' | '—' | '−' => '-',
        c => c,
    }
}

/// What a part of the movetext is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A move, or marks.
    Word,
    /// A comment without its braces.
    Comment,
    /// The number of an annotation glyph.
    Nag,
    Open,
    Close,
}

#[derive(Clone, Copy, Debug)]
struct Token {
    kind: TokenKind,
    /// Its text in `GameText::text`.
    begin: u32,
    end: u32,
}

/// A game in words.
#[derive(Debug)]
pub struct GameText {
    /// Its place in the text, counted from 1.
    pub(super) number: u64,
    /// The tags in the order of the text.
    pub tags: Vec<(String, String)>,
    text: String,
    tokens: Vec<Token>,
    /// Whether there are moves, marks or variations, not only comments.
    has_words: bool,
    /// The result after the moves.
    marker: Option<String>,
    pub(super) ram: Ram,
    held: Option<Reservation>,
}

impl GameText {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let mut tags = self.tags.iter();
        tags.find(|(n, _)| n == name)
            .map(|(_, value)| value.as_str())
    }

    /// The result by the tag and by the end of the moves.
    pub fn result(&self) -> WrittenResult {
        let is_given = |text: &&str| !matches!(text.trim(), "" | "*" | "?" | "-");
        let tag = self.tag("Result").filter(is_given);
        let marker = self.marker.as_deref().filter(is_given);
        let read = |text: &str| {
            outcome(text).map_or_else(
                || WrittenResult::Unreadable(text.to_owned()),
                WrittenResult::Known,
            )
        };
        match (tag, marker) {
            (None, None) => WrittenResult::Unfinished,
            (Some(text), None) | (None, Some(text)) => read(text),
            // A tag that cannot be read adds nothing to the marker.
            (Some(tag), Some(marker)) if [None, outcome(marker)].contains(&outcome(tag)) => {
                read(marker)
            }
            (Some(tag), Some(marker)) => WrittenResult::Contradiction {
                tag: tag.to_owned(),
                marker: marker.to_owned(),
            },
        }
    }

    /// The parts of the movetext; numbers of moves and the result are not among them.
    pub(super) fn tokens(&self) -> impl Iterator<Item = (TokenKind, &str)> {
        self.tokens
            .iter()
            .map(|t| (t.kind, &self.text[t.begin as usize..t.end as usize]))
    }

    /// Whether the moves have begun; comments may precede the tags.
    fn has_movetext(&self) -> bool {
        self.has_words || self.marker.is_some()
    }
}

/// The games of a text, one at a time, in memory taken from the run's budget.
#[derive(Debug)]
pub struct Reader {
    lines: Lines,
    /// The line that is read, and the bytes of it that were.
    line: String,
    at: usize,
    /// Whether an empty line was read since the last tag or word.
    blank: bool,
    games: u64,
}

impl Reader {
    /// The games of `input`. Bytes that are not UTF-8 are read as ISO 8859-1, the character set of
    /// older files.
    pub fn new(input: Input) -> Self {
        Self {
            lines: Lines::new(input, MOST),
            line: String::new(),
            at: 0,
            blank: false,
            games: 0,
        }
    }

    /// How messages call the input.
    pub fn name(&self) -> &str {
        self.lines.name()
    }

    /// The next game; `None` after the last.
    ///
    /// # Errors
    /// [`PgnError::Input`], or [`PgnError::Line`] if a line is not PGN.
    pub fn next_game(&mut self) -> Result<Option<GameText>, PgnError> {
        let mut game = GameText {
            number: self.games + 1,
            tags: Vec::new(),
            text: String::new(),
            tokens: Vec::new(),
            has_words: false,
            marker: None,
            ram: self.lines.run().ram.clone(),
            held: None,
        };
        let mut depth = 0;
        while let Some(c) = self.next_char()? {
            let is_over = depth == 0 && game.marker.is_some();
            // A remark in the line of the result, or in the next one, belongs to the game.
            if is_over && (self.blank || !matches!(c, '{' | ';')) {
                break;
            }
            // Games without tags and results are distinguished by the number of their first move.
            if depth == 0 && self.blank && game.has_words && is_first_number(self.rest()) {
                break;
            }
            match c {
                '[' => {
                    if depth > 0 {
                        return Err(
                            self.wrong("a variation of the game before this tag is not closed")
                        );
                    }
                    if game.has_movetext() {
                        break;
                    }
                    let (name, value, end) = tag(&self.line[self.at..]).ok_or_else(|| {
                        let text = excerpt(&self.line[self.at..]);
                        self.wrong(&format!("'{text}' is not a tag: expected [Name \"value\"]"))
                    })?;
                    if self.blank && game.tag(&name).is_some() {
                        break;
                    }
                    self.at += end;
                    game.tags.retain(|(given, _)| *given != name);
                    game.tags.push((name, value));
                }
                '{' => self.comment(&mut game)?,
                ';' => {
                    let begin = self.at + 1;
                    self.at = self.line.len();
                    self.push(&mut game, TokenKind::Comment, begin, self.at)?;
                }
                '(' if !self.rest().starts_with("(=)") => {
                    depth += 1;
                    if depth > MOST_NESTED {
                        let fault = format!("variations are nested deeper than {MOST_NESTED}");
                        return Err(self.wrong(&fault));
                    }
                    self.push(&mut game, TokenKind::Open, self.at, self.at)?;
                    self.at += 1;
                }
                ')' => {
                    if depth == 0 {
                        return Err(self.wrong("a ) without a ("));
                    }
                    depth -= 1;
                    self.push(&mut game, TokenKind::Close, self.at, self.at)?;
                    self.at += 1;
                }
                '}' => return Err(self.wrong("a } without a {")),
                '$' => {
                    let digits = digits(&self.rest()[1..]);
                    let (begin, end) = (self.at + 1, self.at + 1 + digits);
                    if self.line[begin..end].parse::<u8>().is_err() {
                        let text = excerpt(self.rest());
                        return Err(
                            self.wrong(&format!("'{text}' is no glyph: expected $0 to $255"))
                        );
                    }
                    self.push(&mut game, TokenKind::Nag, begin, end)?;
                    self.at = end;
                }
                _ => self.word(&mut game, depth)?,
            }
            self.blank = false;
        }
        if depth > 0 {
            return Err(self.wrong("a variation is not closed"));
        }
        if game.tags.is_empty() && !game.has_movetext() {
            return Ok(None);
        }
        self.games += 1;
        Ok(Some(game))
    }

    /// The next character that is no blank and in no line of `%`; `None` at the end.
    fn next_char(&mut self) -> Result<Option<char>, PgnError> {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            self.at = self.line.len() - trimmed.len();
            if let Some(c) = self.rest().chars().next() {
                return Ok(Some(c));
            }
            if !self.next_line()? {
                return Ok(None);
            }
            if self.line.starts_with('%') {
                self.at = self.line.len();
            } else if self.line.trim().is_empty() {
                self.blank = true;
            }
        }
    }

    fn rest(&self) -> &str {
        &self.line[self.at..]
    }

    fn next_line(&mut self) -> Result<bool, PgnError> {
        self.at = 0;
        self.line.clear();
        let Some(bytes) = self.lines.next_bytes()? else {
            return Ok(false);
        };
        self.line.push_str(&decoded(bytes));
        Ok(true)
    }

    /// A comment in braces; lines are separated by blanks.
    fn comment(&mut self, game: &mut GameText) -> Result<(), PgnError> {
        let first = self.lines.number();
        self.at += 1;
        let mut comment = String::new();
        loop {
            let rest = self.rest();
            if let Some(end) = rest.find('}') {
                comment.push_str(&rest[..end]);
                self.at += end + 1;
                break;
            }
            comment.push_str(rest);
            comment.push(' ');
            if comment.len() > MOST {
                return Err(self.too_long());
            }
            if !self.next_line()? {
                return Err(PgnError::Line {
                    line: first,
                    fault: "a comment begins here and is not closed".to_owned(),
                });
            }
        }
        self.push_text(game, TokenKind::Comment, &comment)
    }

    /// A number of a move, points, a result, a move or marks.
    fn word(&mut self, game: &mut GameText, depth: usize) -> Result<(), PgnError> {
        if let Some(length) = marker(self.rest()) {
            let (begin, end) = (self.at, self.at + length);
            self.at = end;
            if depth > 0 {
                return self.push(game, TokenKind::Comment, begin, end);
            }
            game.marker = Some(self.line[begin..end].to_owned());
            return Ok(());
        }
        let number = number(self.rest());
        if number > 0 {
            self.at += number;
            // `1) e4`
            if depth == 0 && self.rest().starts_with(')') {
                self.at += 1;
            }
            return Ok(());
        }
        let length = word_length(self.rest());
        if length == 0 {
            let text = excerpt(self.rest());
            return Err(self.wrong(&format!("'{text}' is not movetext")));
        }
        self.push(game, TokenKind::Word, self.at, self.at + length)?;
        self.at += length;
        Ok(())
    }

    /// Adds a part of the line to the game.
    fn push(
        &self,
        game: &mut GameText,
        kind: TokenKind,
        begin: usize,
        end: usize,
    ) -> Result<(), PgnError> {
        self.push_text(game, kind, &self.line[begin..end])
    }

    fn push_text(&self, game: &mut GameText, kind: TokenKind, text: &str) -> Result<(), PgnError> {
        if game.text.len() + text.len() + game.tokens.len() > MOST {
            return Err(self.too_long());
        }
        // Buffers double when they grow, and there are two of each meanwhile.
        let needed = 3 * (game.text.len() + text.len() + size_of::<Token>() * game.tokens.len());
        let reserved = game.held.as_ref().map_or(SMALL as u64, Reservation::bytes);
        if needed as u64 > reserved {
            let (what, bytes) = ("a game that is read", 2 * needed as u64);
            let ram = &self.lines.run().ram;
            match &mut game.held {
                Some(held) => held.resize(what, bytes).map_err(InputError::from)?,
                none => *none = Some(ram.reserve(what, bytes).map_err(InputError::from)?),
            }
        }
        let begin = game.text.len() as u32;
        game.text.push_str(text);
        let end = game.text.len() as u32;
        game.tokens.push(Token { kind, begin, end });
        game.has_words |= kind != TokenKind::Comment;
        Ok(())
    }

    fn wrong(&self, fault: &str) -> PgnError {
        PgnError::Line {
            line: self.lines.number(),
            fault: fault.to_owned(),
        }
    }

    fn too_long(&self) -> PgnError {
        self.wrong("the game is longer than 16M")
    }
}

/// The begin of a text for a message.
fn excerpt(text: &str) -> String {
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short += "...";
    }
    everymove_kernel::text::shown(short.trim_end())
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// A tag at the begin of a text: name, value, length. The value ends at the first quotation mark
/// before a bracket, so that those within it need no escape.
fn tag(text: &str) -> Option<(String, String, usize)> {
    let rest = text.strip_prefix('[')?.trim_start();
    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '"' | '[' | ']'))?;
    let (name, rest) = rest.split_at(end);
    let mut rest = rest.trim_start().strip_prefix('"')?;
    if name.is_empty() {
        return None;
    }
    let mut value = String::new();
    loop {
        let c = rest.chars().next()?;
        rest = &rest[c.len_utf8()..];
        match c {
            '"' => {
                if let Some(after) = rest.trim_start().strip_prefix(']') {
                    return Some((name.to_owned(), value, text.len() - after.len()));
                }
                value.push('"');
            }
            '\\' if rest.starts_with(['"', '\\']) => {
                value.push_str(&rest[..1]);
                rest = &rest[1..];
            }
            c => value.push(c),
        }
    }
}

/// The length of a number of a move with its points, or of points alone; 0 if the text begins
/// otherwise.
fn number(text: &str) -> usize {
    let digits = digits(text);
    let (number, rest) = text.split_at(digits);
    // Castling and null moves begin with zeros.
    if digits > 0 && number.bytes().all(|digit| digit == b'0') {
        return 0;
    }
    let after = rest.trim_start_matches(['.', '…']);
    if digits == 0 || after.len() < rest.len() {
        return text.len() - after.len();
    }
    let is_end = match rest.chars().next() {
        None => true,
        // A figurine or a letter: the number is glued to the move.
        Some(c) => !matches!(c, '-' | '/' | ':' | '½') && !c.is_ascii_digit(),
    };
    if is_end { digits } else { 0 }
}

/// Whether a text begins with the number of White's first move: `1.`, `1 `, `1)`.
fn is_first_number(text: &str) -> bool {
    let rest = text
        .strip_prefix('1')
        .map(|rest| rest.strip_prefix('.').unwrap_or(rest));
    number(text) > 0 && rest.is_some_and(|rest| !rest.starts_with(['.', '…']) && digits(rest) == 0)
}

/// The length of a result at the begin of a text, 0 to 2 blanks around its sign: `1-0`, `½ - ½`,
/// `1/2`, `*`.
fn marker(text: &str) -> Option<usize> {
    let is_end = |rest: &str| {
        let next = rest.chars().next();
        next.is_none_or(|c| {
            c.is_whitespace() || matches!(c, '{' | '}' | '(' | ')' | '[' | ';' | '*')
        })
    };
    if let Some(rest) = text.strip_prefix('*') {
        return is_end(rest).then_some(1);
    }
    let half = |text: &str| {
        let halves = ["1/2", "½", "0.5", "0,5", "1", "0"];
        let found = halves.into_iter().find(|half| text.starts_with(half));
        found.map(str::len)
    };
    let first = half(text)?;
    let rest = &text[first..];
    let sign = rest.trim_start().chars().next();
    let pair = sign
        .filter(|&c| plain_dash(c) == '-' || c == ':')
        .and_then(|sign| {
            let rest = rest.trim_start()[sign.len_utf8()..].trim_start();
            let rest = &rest[half(rest)?..];
            Some(text.len() - rest.len())
        });
    let length = pair.unwrap_or(first);
    (is_end(&text[length..]) && outcome(&text[..length]).is_some()).then_some(length)
}

/// The length of a word: up to a blank or a sign of PGN. A parenthesis around one letter is the
/// piece of a promotion.
fn word_length(text: &str) -> usize {
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let is_end = c.is_whitespace()
            || matches!(c, '{' | '}' | ')' | '[' | ';' | '$')
            || c == '(' && !is_parenthesis_of_word(&text[at..]);
        if is_end {
            break;
        }
        at += match c {
            '(' => text[at..].find(')').map_or(1, |end| end + 1),
            c => c.len_utf8(),
        };
    }
    at
}

/// Whether a text begins with `(Q)`, `(=Q)` or `(=)`.
fn is_parenthesis_of_word(text: &str) -> bool {
    let inner = text.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    inner.is_some_and(|(inner, _)| {
        let letter = inner.strip_prefix('=').unwrap_or(inner);
        let mut chars = letter.chars();
        let first = chars.next();
        let is_letter = first.is_some_and(|c| c.is_alphabetic() || ('♔'..='♟').contains(&c));
        chars.next().is_none() && (is_letter || inner == "=")
    })
}
