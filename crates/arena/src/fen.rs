//! Positions in Forsyth-Edwards notation (FEN) and, with operations after them, in Extended
//! Position Description (EPD).

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Color, File, FromSetup, Position, PositionError, Setup};
use thiserror::Error;

/// The rules by which a position is read: those of Chess960 if castling is written by the files of
/// the rooks (`HAha`), as in Shredder-FEN and X-FEN, else those of chess.
///
/// ```
/// use everymove_arena::{CastlingMode, fen};
///
/// let start = "nbrkqrbn/pppppppp/8/8/8/8/PPPPPPPP/NBRKQRBN w FCfc - 0 1";
/// assert_eq!(fen::mode(start), CastlingMode::Chess960);
/// ```
pub fn mode(fen: &str) -> CastlingMode {
    let castling = fen.split_whitespace().nth(2).unwrap_or_default();
    let is_file = |c: char| matches!(c.to_ascii_lowercase(), 'a'..='h');
    CastlingMode::from_chess960(castling.chars().any(is_file))
}

/// Reads a position of whichever pieces; checks that no move can give and en-passant squares that
/// no move can leave are accepted, as composed positions have them.
pub(crate) fn read(fen: &str, mode: CastlingMode) -> Result<Chess, String> {
    let parsed: Fen = fen.trim().parse().map_err(|e| format!("{e}"))?;
    composed(parsed.into_setup(), mode).map_err(|e| e.to_string())
}

fn composed(setup: Setup, mode: CastlingMode) -> Result<Chess, Box<PositionError<Chess>>> {
    Chess::from_setup(setup, mode)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_invalid_ep_square)
        .map_err(Box::new)
}

/// A position whose castling rights were not possible, with those that are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repaired {
    /// The position.
    pub fen: String,
    /// The rules by which it is a position.
    pub mode: CastlingMode,
    /// What was changed, in a line.
    pub note: String,
}

/// Repairs castling rights of a position of chess or Chess960: those without a king and a rook on
/// their squares are left out; those of a king that is not on its square in chess become those of
/// Chess960, also where they are written as in chess (X-FEN). `None` where nothing is to be
/// repaired, or more is wrong.
///
/// ```
/// use everymove_arena::fen;
///
/// let repaired = |fen| fen::repaired(fen, fen::mode(fen)).map(|repaired| repaired.fen);
/// let one_rook = "r3k2r/8/8/8/8/8/8/4K2R w KQkq - 0 1";
/// assert_eq!(repaired(one_rook).as_deref(), Some("r3k2r/8/8/8/8/8/8/4K2R w Kkq - 0 1"));
/// let chess960 = "nrbkqrbn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQRBN w KQkq - 0 1";
/// assert_eq!(repaired(chess960).as_deref(), Some("nrbkqrbn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQRBN w FBfb - 0 1"));
/// assert_eq!(repaired("8/P6k/8/8/8/8/8/K7 w - - 0 1"), None);
/// ```
pub fn repaired(fen: &str, mode: CastlingMode) -> Option<Repaired> {
    let setup = fen.trim().parse::<Fen>().ok()?.into_setup();
    let error = composed(setup.clone(), mode).err()?;
    let mut fields: Vec<&str> = fen.split_whitespace().collect();
    let written = *fields.get(2)?;
    let has_rights = |color: Color| {
        let mut letters = written.chars();
        letters.any(|c| c.is_ascii_alphabetic() && c.is_uppercase() == color.is_white())
    };
    let off_home = Color::ALL.into_iter().any(|color| {
        let king = setup.board.king_of(color);
        has_rights(color) && king.is_some_and(|king| king.file() != File::E)
    });
    let chess960 = || composed(setup.clone(), CastlingMode::Chess960).ok();
    let found = if mode == CastlingMode::Standard && off_home {
        chess960()
    } else {
        None
    };
    let (position, mode, what) = match found {
        Some(position) => (position, CastlingMode::Chess960, "those of Chess960"),
        None => (
            error.ignore_invalid_castling_rights().ok()?,
            mode,
            "not possible",
        ),
    };
    let rights = castling_rights(&position, mode);
    let note = format!("the castling rights {written} are {what}: read as {rights}");
    fields[2] = &rights;
    Some(Repaired {
        fen: fields.join(" "),
        mode,
        note,
    })
}

/// Castling rights as FEN has them: `KQkq`, in Chess960 the files of the rooks.
fn castling_rights(position: &Chess, mode: CastlingMode) -> String {
    let rooks = position.castles().castling_rights();
    let mut text = String::new();
    for color in Color::ALL {
        for rook in (rooks & color.backrank()).into_iter().rev() {
            let letter = match mode {
                CastlingMode::Chess960 => rook.file().char(),
                CastlingMode::Standard if rook.file() == File::H => 'k',
                CastlingMode::Standard => 'q',
            };
            text.push(color.fold_wb(letter.to_ascii_uppercase(), letter));
        }
    }
    if text.is_empty() {
        "-".to_owned()
    } else {
        text
    }
}

/// A line of Extended Position Description, or of FEN with or without operations after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Epd {
    /// The position with its counters: those of the line, or of its operations `hmvc` and `fmvn`,
    /// or 0 and 1.
    pub fen: String,
    /// The operations in the order of the line: code and operands, without the quotation marks of
    /// texts.
    pub operations: Vec<(String, Vec<String>)>,
}

/// A line that is not EPD.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum EpdError {
    /// A text within it does not end.
    #[error("the text that begins with \"{0} is not closed: expected a quotation mark")]
    Quote(String),
    /// A word where an operation is expected.
    #[error("'{0}' is not an operation: expected a word like bm")]
    Operation(String),
    /// A counter is none, or is given twice with different values.
    #[error("{code} {value}: {reason}")]
    Counter {
        /// `hmvc` or `fmvn`.
        code: &'static str,
        /// Its operand.
        value: String,
        /// What is expected.
        reason: String,
    },
}

impl Epd {
    /// Reads a line; the position itself is not checked.
    ///
    /// # Errors
    /// [`EpdError`].
    ///
    /// ```
    /// use everymove_arena::fen::Epd;
    ///
    /// let line = Epd::read("8/8/8/4k3/8/8/3r4/K7 b - - hmvc 99; id \"one; ply\"; bm Rd1+;")?;
    /// assert_eq!(line.fen, "8/8/8/4k3/8/8/3r4/K7 b - - 99 1");
    /// assert_eq!(line.operands("bm"), ["Rd1+"]);
    /// assert_eq!(line.operands("id"), ["one; ply"]);
    /// assert_eq!(Epd::read("8/8/8/4k3/8/8/3r4/K7 b - - 99 80 bm Rd1+")?.fen, "8/8/8/4k3/8/8/3r4/K7 b - - 99 80");
    /// # Ok::<(), everymove_arena::fen::EpdError>(())
    /// ```
    pub fn read(line: &str) -> Result<Self, EpdError> {
        let mut fields = Vec::new();
        let mut rest = line.trim_start_matches('\u{feff}').trim();
        while fields.len() < 3 && !rest.is_empty() {
            fields.push(next_word(&mut rest));
        }
        // A semicolon may follow the last field at once.
        let is_end = |c: char| c.is_whitespace() || c == ';';
        let (last, after) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
        if !last.is_empty() {
            fields.push(last);
        }
        rest = after.trim_start();
        let mut written = [None, None];
        for counter in &mut written {
            let mut after = rest;
            let word = next_word(&mut after);
            // A semicolon ends the position in collections of positions with node counts.
            let number = word.strip_suffix(';').unwrap_or(word);
            if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
                break;
            }
            *counter = Some(number.to_owned());
            rest = after;
        }
        let operations = operations(rest)?;
        let is_number = |(code, _): &&(String, Vec<String>)| {
            let unsigned = code.trim_start_matches(['-', '+']);
            unsigned.starts_with(|c: char| c.is_ascii_digit())
        };
        if let Some((code, _)) = operations.iter().find(is_number) {
            return Err(EpdError::Operation(code.clone()));
        }
        let [halfmoves, fullmoves] = written;
        let counter = |code: &'static str, written: Option<String>, default: &str| {
            let named = (operations.iter()).find(|(name, _)| name == code);
            let named = named.map(|(_, operands)| operands.join(" "));
            let wrong = |value: &str, reason: &str| EpdError::Counter {
                code,
                value: value.to_owned(),
                reason: reason.to_owned(),
            };
            if let Some(value) = named.as_deref().filter(|text| text.parse::<u32>().is_err()) {
                return Err(wrong(value, "expected a number"));
            }
            if let (Some(written), Some(named)) = (&written, &named)
                && written.parse::<u32>() != named.parse()
            {
                return Err(wrong(named, &format!("the position has {written}")));
            }
            Ok(named.or(written).unwrap_or_else(|| default.to_owned()))
        };
        let fen = format!(
            "{} {} {}",
            fields.join(" "),
            counter("hmvc", halfmoves, "0")?,
            counter("fmvn", fullmoves, "1")?
        );
        Ok(Self { fen, operations })
    }

    /// The operands of an operation, with signs between them removed; none without it.
    pub fn operands(&self, code: &str) -> Vec<&str> {
        let named = self.operations.iter().filter(|(name, _)| name == code);
        let operands = named.flat_map(|(_, operands)| operands);
        let trimmed = operands.map(|operand| operand.trim_matches(','));
        trimmed.filter(|operand| !operand.is_empty()).collect()
    }
}

/// Takes a word from the begin of a text.
fn next_word<'a>(rest: &mut &'a str) -> &'a str {
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    *rest = after.trim_start();
    word
}

/// Operations end with a semicolon, but for the last; texts in quotation marks may hold some.
fn operations(text: &str) -> Result<Vec<(String, Vec<String>)>, EpdError> {
    let mut operations = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut rest = text;
    let mut end_operation = |words: &mut Vec<String>| {
        if !words.is_empty() {
            let code = words.remove(0);
            operations.push((code, std::mem::take(words)));
        }
    };
    loop {
        let next = rest.chars().next();
        let is_end = next.is_none_or(|c| c.is_whitespace() || c == ';');
        if is_end && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        let Some(c) = next else { break };
        rest = &rest[c.len_utf8()..];
        match c {
            ';' => end_operation(&mut words),
            '"' if word.is_empty() => {
                words.push(quoted(&mut rest)?);
            }
            c if c.is_whitespace() => {}
            c => word.push(c),
        }
    }
    end_operation(&mut words);
    Ok(operations)
}

/// Takes a text up to its closing quotation mark, in which a backslash precedes quotation marks.
fn quoted(rest: &mut &str) -> Result<String, EpdError> {
    let whole = *rest;
    let mut text = String::new();
    while let Some(c) = rest.chars().next() {
        *rest = &rest[c.len_utf8()..];
        match c {
            '"' => return Ok(text),
            '\\' if rest.starts_with(['"', '\\']) => {
                text.push_str(&rest[..1]);
                *rest = &rest[1..];
            }
            c => text.push(c),
        }
    }
    let begin = whole.chars().take(20).collect();
    Err(EpdError::Quote(begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_castling_rights_are_repaired() {
        for (fen, expected) in [
            (
                "4k3/8/8/8/8/8/8/4K3 w KQ - 3 9",
                Some("4k3/8/8/8/8/8/8/4K3 w - - 3 9"),
            ),
            // A king of chess on its square: a rook elsewhere is no right, in either letters.
            (
                "4k3/8/8/8/8/8/8/1R2K2R w KQ - 0 1",
                Some("4k3/8/8/8/8/8/8/1R2K2R w K - 0 1"),
            ),
            (
                "4k3/8/8/8/8/8/8/1R2K2R w HA - 0 1",
                Some("4k3/8/8/8/8/8/8/1R2K2R w H - 0 1"),
            ),
            // The king has moved, and so no rook of chess or Chess960 is where the letters say.
            (
                "4k3/8/8/8/8/8/8/R2K4 w KQ - 0 1",
                Some("4k3/8/8/8/8/8/8/R2K4 w - - 0 1"),
            ),
            ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", None),
            ("8/8/8/8/8/8/8/R3K2R w KQ - 0 1", None),
            ("no position", None),
        ] {
            let repaired = repaired(fen, mode(fen));
            assert_eq!(repaired.as_ref().map(|r| &*r.fen), expected, "{fen}");
            if let Some(repaired) = repaired {
                assert!(read(&repaired.fen, repaired.mode).is_ok(), "{fen}");
            }
        }
    }

    #[test]
    fn counters_are_those_of_the_line_or_of_its_operations() {
        let place = "8/8/8/4k3/8/8/3r4/K7 b - -";
        for (rest, counters) in [
            ("", "0 1"),
            (" 12 34", "12 34"),
            (" 12 34;", "12 34"),
            (" 12", "12 1"),
            (" hmvc 12; fmvn 34;", "12 34"),
            (" fmvn 34", "0 34"),
            (" 12 34 hmvc 12; id \"hmvc 5;\"", "12 34"),
            (" c9 \"hmvc 5; fmvn 6\";", "0 1"),
            (" 12 34 ;D1 20 ;D2 400", "12 34"),
            (";id \"x\"", "0 1"),
            (" - -", "0 1"),
        ] {
            let read = Epd::read(&format!("{place}{rest}")).unwrap();
            assert_eq!(read.fen, format!("{place} {counters}"), "{rest}");
        }
        for (rest, line) in [
            ("12 34 hmvc 5;", "hmvc 5: the position has 12"),
            ("hmvc x;", "hmvc x: expected a number"),
            ("fmvn -1;", "fmvn -1: expected a number"),
            ("-1 5", "'-1' is not an operation"),
            ("0.5 1", "'0.5' is not an operation"),
            (
                "id \"open; bm Rd1;",
                "the text that begins with \"open; bm Rd1; is not closed",
            ),
        ] {
            let error = Epd::read(&format!("{place} {rest}"))
                .unwrap_err()
                .to_string();
            assert!(error.starts_with(line), "{error}");
        }
    }
}
