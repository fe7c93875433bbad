//! Moves as people and programs write them.
//!
//! A text is a move if exactly one legal move fits it: standard algebraic notation (`Nf3`, `exd5`,
//! `O-O`), its common variants (`0-0`, `a8Q`, `a8(Q)`, `a8/Q`, `e:d5`, `ed`, `♘f3`), long algebraic
//! notation (`Ng1-f3`, `e2-e4`) and that of UCI (`e2e4`), in the case that is usual, all lower or
//! all upper; with marks after it (`Nf3!?`, `Nf3+/-`, `exd6e.p.`).

pub(crate) mod languages;
mod marks;
#[cfg(test)]
mod tests;

use everymove_kernel::text::shown;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingSide, Chess, EnPassantMode, File, Move, Position, Rank, Role, Square};
use thiserror::Error;

use languages::{Alphabet, ENGLISH, languages_with};
pub(crate) use marks::marks;

/// A text that is not one legal move.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum MoveError {
    /// The text has none of the forms of a move.
    #[error("'{text}' is not a move")]
    NotAMove {
        /// The text.
        text: String,
    },
    /// The letter of the piece is that of other languages.
    #[error(
        "'{text}' is not a move: the letter {letter} is that of a piece in {languages}, expected K, Q, R, B or N"
    )]
    Letter {
        /// The text.
        text: String,
        /// The letter.
        letter: String,
        /// The languages in which a piece has this letter.
        languages: String,
    },
    /// No legal move fits.
    #[error("'{text}' is not a legal move in {fen}")]
    Illegal {
        /// The text.
        text: String,
        /// The position.
        fen: String,
    },
    /// Several legal moves fit.
    #[error("'{text}' is ambiguous in {fen}: {} fit", candidates.join(" and "))]
    Ambiguous {
        /// The text.
        text: String,
        /// The position.
        fen: String,
        /// The moves that fit, in standard algebraic notation.
        candidates: Vec<String>,
    },
    /// A pawn reaches the last rank, and the piece that it becomes is missing.
    #[error(
        "'{text}' does not name the piece that the pawn becomes: expected for example {text}=Q"
    )]
    Promotion {
        /// The text.
        text: String,
    },
    /// A null move where a move is expected.
    #[error("'{text}' is a null move: expected a legal move")]
    Null {
        /// The text.
        text: String,
    },
}

/// A move with the marks after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrittenMove {
    /// The move; `None` for a null move.
    pub(crate) played: Option<Move>,
    /// The marks as numeric annotation glyphs (NAGs); those of check and mate have none.
    pub(crate) nags: Vec<u8>,
}

/// Reads a legal move.
///
/// # Errors
/// [`MoveError`].
///
/// ```
/// use everymove_arena::notation::read_move;
/// use shakmaty::{Chess, Move};
///
/// let start = Chess::default();
/// let e4 = read_move(&start, "e4")?;
/// for text in ["e2e4", "e2-e4", "E2-E4", "E4", "e4!?", "♙e4", "Pe4"] {
///     assert_eq!(read_move(&start, text)?, e4);
/// }
/// assert_eq!(read_move(&start, "e5").unwrap_err().to_string(),
///     "'e5' is not a legal move in rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
/// # Ok::<(), everymove_arena::notation::MoveError>(())
/// ```
pub fn read_move(position: &Chess, text: &str) -> Result<Move, MoveError> {
    let text = text.trim();
    read(position, text, &ENGLISH)?
        .played
        .ok_or_else(|| MoveError::Null { text: shown(text) })
}

/// Reads a legal move or a null move, with the letters of a language.
pub(crate) fn read(
    position: &Chess,
    text: &str,
    alphabet: &Alphabet,
) -> Result<WrittenMove, MoveError> {
    let plain = normalised(text);
    let is_english = alphabet.languages == ENGLISH.languages;
    let Some(strict) = parse(&plain, alphabet) else {
        if is_english {
            return read_relaxed(position, text, &plain).ok_or_else(|| no_move(text, &plain))?;
        }
        return Err(no_move(text, &plain));
    };
    let Pattern::Move { squares, nags } = strict else {
        return Ok(WrittenMove {
            played: None,
            nags: Vec::new(),
        });
    };
    let legal = position.legal_moves();
    let mut fitting = squares.fitting(&legal);
    if is_english {
        if fitting.is_empty()
            && let Some(Ok(read)) = read_relaxed(position, text, &plain)
        {
            return Ok(read);
        }
        // A bishop in lower case, or a Dutch knight.
        let other = match squares.role {
            WrittenRole::Pawn if squares.is_bare_capture_from(File::B) => Some(Role::Bishop),
            WrittenRole::LetteredPawn => Some(Role::Knight),
            _ => None,
        };
        if let Some(role) = other.filter(|_| !fitting.is_empty()) {
            let other = Squares {
                role: WrittenRole::Piece(role),
                from_file: squares.from_file.filter(|_| role != Role::Bishop),
                ..squares
            };
            fitting.extend(other.fitting(&legal));
        }
    }
    one(position, text, fitting, nags)
}

/// Reads words in lower case, whose first letter may be that of a piece, and words in upper case.
/// `None` if the text is neither.
fn read_relaxed(
    position: &Chess,
    text: &str,
    plain: &str,
) -> Option<Result<WrittenMove, MoveError>> {
    let letters = || {
        plain
            .chars()
            .filter(|c| c.is_ascii_alphabetic() && *c != 'x')
    };
    let is_lower = letters().all(|c| c.is_ascii_lowercase());
    let is_upper = letters().all(|c| c.is_ascii_uppercase());
    if !(is_lower || is_upper) || !plain.is_ascii() {
        return None;
    }
    let lower = plain.to_ascii_lowercase();
    let (first, rest) = lower.split_at_checked(1)?;
    let as_piece = first.to_ascii_uppercase() + rest;
    let readings = [Some(as_piece), is_upper.then_some(lower)];
    let legal = position.legal_moves();
    let (mut fitting, mut nags) = (Vec::new(), None);
    for reading in readings.iter().flatten() {
        if let Some(Pattern::Move {
            squares,
            nags: found,
        }) = parse(reading, &ENGLISH)
        {
            fitting.extend(squares.fitting(&legal));
            nags = Some(found);
        }
    }
    nags.map(|nags| one(position, text, fitting, nags))
}

/// The one move of those that fit.
fn one(
    position: &Chess,
    text: &str,
    mut fitting: Vec<Move>,
    nags: Vec<u8>,
) -> Result<WrittenMove, MoveError> {
    let text = || shown(text);
    fitting.dedup();
    let fen = || Fen::from_position(position, EnPassantMode::Legal).to_string();
    match fitting[..] {
        [] => Err(MoveError::Illegal {
            text: text(),
            fen: fen(),
        }),
        [m] => Ok(WrittenMove {
            played: Some(m),
            nags,
        }),
        [first, ..]
            if (fitting.iter()).all(|m| (m.from(), m.to()) == (first.from(), first.to())) =>
        {
            Err(MoveError::Promotion { text: text() })
        }
        _ => Err(MoveError::Ambiguous {
            text: text(),
            fen: fen(),
            candidates: (fitting.iter())
                .map(|&m| SanPlus::from_move(position.clone(), m).to_string())
                .collect(),
        }),
    }
}

fn no_move(text: &str, plain: &str) -> MoveError {
    let letters = piece_letters(plain);
    let foreign = letters.iter().find(|letter| !ENGLISH.has(letter));
    let languages = foreign.and_then(|letter| Some((letter, languages_with(&[letter])?)));
    match languages {
        Some((letter, languages)) => MoveError::Letter {
            text: shown(text),
            letter: (*letter).to_owned(),
            languages,
        },
        None => MoveError::NotAMove { text: shown(text) },
    }
}

/// The letters of pieces in a move, of whatever language: that of the piece that moves, and that of
/// a promotion. `plain` is [`normalised`].
pub(crate) fn piece_letters(plain: &str) -> Vec<&str> {
    let starts = |(_, c): &(usize, char)| matches!(c, 'a'..='h' | '1'..='8' | 'x' | ':' | '-');
    let start = plain
        .char_indices()
        .find(starts)
        .map_or(plain.len(), |(i, _)| i);
    let (letter, rest) = plain.split_at(start);
    let is_letter = |text: &str| {
        let mut chars = text.chars();
        chars
            .next()
            .is_some_and(|c| c.is_uppercase() && c != 'O' && c != 'P')
            && chars.all(|c| c == 'р')
    };
    let mut letters = Vec::new();
    let Some((_, after)) = Squares::shapes(rest).next() else {
        return letters;
    };
    if is_letter(letter) {
        letters.push(letter);
    } else if !letter.is_empty() {
        return letters;
    }
    let promoted = after.trim_start_matches(['=', '(', '/']);
    if let Some(first) = promoted.chars().next() {
        let letter = &promoted[..first.len_utf8()];
        if is_letter(letter) && letter != "N" {
            letters.push(letter);
        }
    }
    letters
}

/// The text with one character for signs that look alike, and without invisible ones.
pub(crate) fn normalised(text: &str) -> String {
    let kept = |c: &char| !matches!(c, '\u{fe0e}' | '\u{fe0f}' | '\u{200b}' | '\u{feff}');
    let one = |c| match c {
        '×' | '✕' => 'x',
        '‐' | '‑' | '–' | '—' | '−' => '-',
        c => c,
    };
    text.chars().filter(kept).map(one).collect()
}

/// What a text says of a move.
enum Pattern {
    Null,
    Move { squares: Squares, nags: Vec<u8> },
}

#[derive(Clone, Copy, Debug)]
struct Squares {
    role: WrittenRole,
    from_file: Option<File>,
    from_rank: Option<Rank>,
    to_file: Option<File>,
    to_rank: Option<Rank>,
    promotion: Option<Role>,
    has_sign: bool,
}

/// What a text says of the piece that moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WrittenRole {
    /// Both squares without a letter.
    Any,
    /// Without a letter.
    Pawn,
    /// With the letter P.
    LetteredPawn,
    Piece(Role),
    Castle(CastlingSide),
}

impl Squares {
    fn new(role: WrittenRole) -> Self {
        Self {
            role,
            from_file: None,
            from_rank: None,
            to_file: None,
            to_rank: None,
            promotion: None,
            has_sign: false,
        }
    }

    /// The squares that a text may begin with, and the text after them: `e2-e4`, `bd7`, `1xf3`,
    /// `f3`, `exd`.
    fn shapes(text: &str) -> impl Iterator<Item = (Self, &str)> {
        // F a file, R a rank, a point a sign between squares that may be missing; those of the
        // origin in lower case.
        let patterns = ["fr.FR", "f.FR", "r.FR", ".FR", "f.F"];
        patterns
            .into_iter()
            .filter_map(move |pattern| Self::shape(text, pattern))
    }

    fn shape<'a>(text: &'a str, pattern: &str) -> Option<(Self, &'a str)> {
        let mut found = Self::new(WrittenRole::Any);
        let mut rest = text;
        for place in pattern.chars() {
            let next = rest.chars().next();
            match place {
                '.' => {
                    if !matches!(next, Some('x' | ':' | '-')) {
                        continue;
                    }
                    found.has_sign = true;
                }
                'f' => {
                    found.from_file = Some(File::from_char(next.filter(char::is_ascii_lowercase)?)?)
                }
                'F' => {
                    found.to_file = Some(File::from_char(next.filter(char::is_ascii_lowercase)?)?)
                }
                'r' => found.from_rank = Some(Rank::from_char(next?)?),
                _ => found.to_rank = Some(Rank::from_char(next?)?),
            }
            rest = &rest[1..];
        }
        Some((found, rest))
    }

    /// The same with what a letter, or none, says of the piece; `None` if nobody writes such a
    /// piece like this.
    fn of(mut self, letter: Option<WrittenRole>) -> Option<Self> {
        let both = self.from_file.is_some() && self.from_rank.is_some();
        self.role = match letter {
            Some(role) => role,
            None if both => WrittenRole::Any,
            None => WrittenRole::Pawn,
        };
        let is_pawn = matches!(self.role, WrittenRole::Pawn | WrittenRole::LetteredPawn);
        let is_sound = match (is_pawn, self.from_file, self.from_rank) {
            (_, Some(_), Some(_)) => true,
            (true, Some(file), None) => Some(file) != self.to_file,
            (true, None, None) => !self.has_sign,
            (true, None, Some(_)) => false,
            (false, ..) => self.to_rank.is_some(),
        };
        is_sound.then_some(self)
    }

    /// Whether this is a pawn's capture from a file without a sign of capture.
    fn is_bare_capture_from(&self, file: File) -> bool {
        self.from_file == Some(file) && !self.has_sign && self.to_rank.is_some()
    }

    /// The moves that fit.
    fn fitting(&self, legal: &[Move]) -> Vec<Move> {
        legal.iter().copied().filter(|&m| self.fits(m)).collect()
    }

    fn fits(&self, m: Move) -> bool {
        let is_from = |square: Square| {
            self.from_file.is_none_or(|file| file == square.file())
                && self.from_rank.is_none_or(|rank| rank == square.rank())
        };
        let is_to = |square: Square| {
            self.to_file.is_none_or(|file| file == square.file())
                && self.to_rank.is_none_or(|rank| rank == square.rank())
        };
        match (m, self.role) {
            (Move::Castle { .. }, WrittenRole::Castle(side)) => m.castling_side() == Some(side),
            (_, WrittenRole::Castle(_)) => false,
            (Move::Castle { king, rook }, WrittenRole::Any | WrittenRole::Piece(Role::King)) => {
                // By both squares of the king, or by those of king and rook.
                let side = CastlingSide::from_queen_side(rook < king);
                let to = Square::from_coords(side.king_to_file(), king.rank());
                let is_far = king.distance(to) > 1;
                let both = self.from_file.is_some() && self.from_rank.is_some();
                both && is_from(king) && (is_to(rook) || is_to(to) && is_far)
            }
            (Move::Castle { .. } | Move::Put { .. }, _) => false,
            (Move::Normal { .. } | Move::EnPassant { .. }, role) => {
                let fits_role = match role {
                    WrittenRole::Any => true,
                    WrittenRole::Piece(role) => m.role() == role,
                    _ => m.role() == Role::Pawn,
                };
                // A pawn's move without the file of its origin is no capture.
                let is_straight = || m.from().is_some_and(|from| from.file() == m.to().file());
                let fits_origin = m.from().is_some_and(is_from)
                    && (m.role() != Role::Pawn || self.from_file.is_some() || is_straight());
                let fits_promotion = self
                    .promotion
                    .is_none_or(|role| m.promotion() == Some(role));
                fits_role && fits_origin && is_to(m.to()) && fits_promotion
            }
        }
    }
}

/// What a [`normalised`] text says of a move: its first reading whose rest is marks.
fn parse(plain: &str, alphabet: &Alphabet) -> Option<Pattern> {
    let bare = plain.trim_end_matches(['!', '?']);
    if matches!(bare, "--" | "Z0" | "0000" | "@@@@" | "<>" | "null" | "pass") {
        return Some(Pattern::Null);
    }
    if let Some(found) = castling(plain) {
        return Some(found);
    }
    let lettered = match alphabet.piece(plain) {
        Some((Role::Pawn, rest)) => Some((WrittenRole::Pawn, rest)),
        Some((role, rest)) => Some((WrittenRole::Piece(role), rest)),
        None => plain
            .strip_prefix('P')
            .map(|rest| (WrittenRole::LetteredPawn, rest)),
    };
    let (letter, rest) = lettered.map_or((None, plain), |(role, rest)| (Some(role), rest));
    Squares::shapes(rest).find_map(|(squares, rest)| {
        let mut squares = squares.of(letter)?;
        let may_promote = !matches!(squares.role, WrittenRole::Piece(_))
            && squares
                .to_rank
                .is_none_or(|rank| matches!(rank, Rank::First | Rank::Eighth));
        let promoted = may_promote.then(|| promotion(rest, alphabet)).flatten();
        let (role, rest) = promoted.map_or((None, rest), |(role, rest)| (Some(role), rest));
        squares.promotion = role;
        let nags = marks(rest)?;
        Some(Pattern::Move { squares, nags })
    })
}

/// `O-O`, `0-0-0`, `OO`, `o-o`, with Latin or Cyrillic letters.
fn castling(plain: &str) -> Option<Pattern> {
    let king_or_rook = |text: &'_ str| -> Option<usize> {
        let first = text.chars().next()?;
        matches!(first, 'O' | 'o' | '0' | 'О' | 'о').then(|| first.len_utf8())
    };
    let mut rest = &plain[king_or_rook(plain)?..];
    let mut count = 1;
    while count < 3 {
        let after = rest.strip_prefix('-').unwrap_or(rest);
        let Some(length) = king_or_rook(after) else {
            break;
        };
        rest = &after[length..];
        count += 1;
    }
    let side = match count {
        2 => CastlingSide::KingSide,
        3 => CastlingSide::QueenSide,
        _ => return None,
    };
    let nags = marks(rest)?;
    let squares = Squares::new(WrittenRole::Castle(side));
    Some(Pattern::Move { squares, nags })
}

/// The piece of a promotion and the text after it: `=Q`, `(Q)`, `=(Q)`, `(=Q)`, `/Q`, `Q`, `q`.
fn promotion<'a>(text: &'a str, alphabet: &Alphabet) -> Option<(Role, &'a str)> {
    let inner = text.trim_start_matches(['=', '(', '/']);
    let signs = &text[..text.len() - inner.len()];
    let closing = match signs {
        "" | "=" | "/" => "",
        "(" | "=(" | "(=" => ")",
        _ => return None,
    };
    let (role, rest) = alphabet.piece(inner).or_else(|| {
        let first = inner.chars().next().filter(|c| c.is_lowercase())?;
        let letter: String = first.to_uppercase().collect();
        let (role, _) = alphabet.piece(&letter)?;
        Some((role, &inner[first.len_utf8()..]))
    })?;
    let rest = rest.strip_prefix(closing)?;
    (!matches!(role, Role::King | Role::Pawn)).then_some((role, rest))
}
