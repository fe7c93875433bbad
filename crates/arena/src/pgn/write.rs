//! Writing games as PGN, with the engines' reports in comments.
//!
//! Comments have the commands `[%eval]`, `[%clk]` and `[%emt]` that Lichess and python-chess read:
//! the evaluation in pawns (or `#moves`) for White with the depth, the clock after the move and the
//! time of the move; then the number of nodes. Moves of the opening have the comment `book`.

use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, Color, Position};

use super::game::Game;
use super::text::{WrittenResult, outcome};
use crate::game_state::GameState;
use crate::limits::Limits;
use crate::protocol::search_info::Score;
use crate::record::{GameRecord, MoveRecord, Outcome};

/// The tags of a game that are not in its record.
#[derive(Clone, Debug)]
pub struct Header<'a> {
    /// The name of the match.
    pub event: &'a str,
    /// The names of White and Black.
    pub names: [&'a str; 2],
    /// The limits of White and Black.
    pub limits: [Limits; 2],
    /// The round, and the number of the game in its pair, both from 1.
    pub round: (u64, u64),
    /// Chess or Chess960.
    pub mode: CastlingMode,
}

/// A game in PGN, with an empty line after it.
///
/// # Panics
/// If the game has an illegal move: all moves of a record were checked.
pub fn write(game: &GameRecord, header: &Header<'_>) -> String {
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| text += &tag_line(name, value);
    tag("Event", header.event);
    tag("Site", "?");
    tag("Date", &date(game.began));
    tag("Round", &format!("{}.{}", header.round.0, header.round.1));
    tag("White", header.names[0]);
    tag("Black", header.names[1]);
    tag("Result", &game.outcome.to_string());
    if header.mode == CastlingMode::Chess960 {
        tag("Variant", "Chess960");
    }
    if let Some(fen) = &game.opening.fen {
        tag("SetUp", "1");
        tag("FEN", fen);
    }
    tag("Termination", game.ending.pgn());
    tag(
        "PlyCount",
        &(game.opening.moves.len() + game.moves.len()).to_string(),
    );
    let control = |limits: &Limits| limits.clock.map_or("-".to_owned(), |c| c.to_string());
    let [white, black] = &header.limits;
    if white == black {
        tag("TimeControl", &control(white));
        if white.clock.is_none() {
            tag("Limits", &white.to_string());
        }
    } else {
        tag("WhiteTimeControl", &control(white));
        tag("BlackTimeControl", &control(black));
        tag("WhiteLimits", &white.to_string());
        tag("BlackLimits", &black.to_string());
    }
    text.push('\n');
    text += &movetext(game, header.mode);
    text.push('\n');
    text
}

impl Game {
    /// The game in PGN with all that was read: its tags, comments, glyphs and variations.
    pub fn pgn(&self) -> String {
        let mut text: String = (self.tags.iter())
            .map(|(name, value)| tag_line(name, value))
            .collect();
        text.push('\n');
        let mut words = Words::default();
        let start = &self.nodes[0];
        words.glyphs(&start.nags);
        start
            .comments
            .iter()
            .for_each(|comment| words.comment(comment));
        self.line(&mut words, 0, self.start.clone());
        words.push(&match &self.result {
            WrittenResult::Known(outcome) => outcome.to_string(),
            WrittenResult::Contradiction { marker, .. } => {
                outcome(marker).map_or_else(|| "*".to_owned(), |outcome| outcome.to_string())
            }
            WrittenResult::Unfinished | WrittenResult::Unreadable(_) => "*".to_owned(),
        });
        text + &words.into_text() + "\n"
    }

    /// The moves after the node `at`, whose position is given, with their variations, which are
    /// nested only so deep as they are read.
    fn line(&self, words: &mut Words, mut at: u32, mut position: Chess) {
        while let [main, variations @ ..] = &self.nodes[at as usize].next[..] {
            let after = self.ply(words, *main, &position);
            for &variation in variations {
                words.open();
                let after = self.ply(words, variation, &position);
                self.line(words, variation, after);
                words.close();
            }
            (at, position) = (*main, after);
        }
    }

    /// A move with what is written about it; the position after it.
    fn ply(&self, words: &mut Words, index: u32, position: &Chess) -> Chess {
        let node = &self.nodes[index as usize];
        node.comments_before
            .iter()
            .for_each(|comment| words.comment(comment));
        let number = position.fullmoves();
        match position.turn() {
            Color::White => words.push(&format!("{number}.")),
            Color::Black if !words.glued => words.push(&format!("{number}...")),
            Color::Black => (),
        }
        words.glued = true;
        let (san, after) = match node.played {
            Some(m) => {
                let mut after = position.clone();
                after.play_unchecked(m);
                (SanPlus::from_move(position.clone(), m).to_string(), after)
            }
            // The reader has checked that the other side may move.
            None => (
                "--".to_owned(),
                position
                    .clone()
                    .swap_turn()
                    .unwrap_or_else(|_| position.clone()),
            ),
        };
        let symbols = ["!", "?", "!!", "??", "!?", "?!"];
        let first = node
            .nags
            .first()
            .and_then(|&nag| symbols.get(usize::from(nag).wrapping_sub(1)));
        words.push(&(san + first.copied().unwrap_or_default()));
        words.glyphs(&node.nags[usize::from(first.is_some())..]);
        node.comments
            .iter()
            .for_each(|comment| words.comment(comment));
        after
    }
}

/// A tag in a line.
fn tag_line(name: &str, value: &str) -> String {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
    format!("[{name} \"{value}\"]\n")
}

/// Movetext in words.
#[derive(Default)]
struct Words {
    words: Vec<String>,
    /// What precedes the next word without a blank.
    opened: String,
    /// Whether a move of Black follows another one, so that it needs no number.
    glued: bool,
}

impl Words {
    fn push(&mut self, word: &str) {
        let opened = std::mem::take(&mut self.opened);
        self.words.push(opened + word);
    }

    /// A comment, which cannot contain a closing brace.
    fn comment(&mut self, text: &str) {
        let text = format!("{{{}}}", text.replace('}', ")"));
        text.split(' ').for_each(|word| self.push(word));
        self.glued = false;
    }

    fn glyphs(&mut self, nags: &[u8]) {
        nags.iter().for_each(|nag| self.push(&format!("${nag}")));
    }

    fn open(&mut self) {
        self.opened.push('(');
        self.glued = false;
    }

    fn close(&mut self) {
        if let Some(last) = self.words.last_mut() {
            last.push(')');
        }
        self.glued = false;
    }

    /// The words in lines.
    fn into_text(self) -> String {
        let mut text = WrappedText::default();
        self.words.iter().for_each(|word| text.push(word));
        text.into_string()
    }
}

fn movetext(game: &GameRecord, mode: CastlingMode) -> String {
    let mut state = GameState::new(
        &crate::game_state::Opening {
            fen: game.opening.fen.clone(),
            moves: Vec::new(),
        },
        mode,
    )
    .expect("the start of a played game");
    let mut words = WrappedText::default();
    let book = game.opening.moves.iter().map(|text| (text, None));
    let played = game.moves.iter().map(|played| (&played.uci, Some(played)));
    let mut commented = true;
    for (index, (text, played)) in book.chain(played).enumerate() {
        let (side, number) = (state.turn(), state.position().fullmoves());
        match side {
            Color::White => words.push(&format!("{number}.")),
            Color::Black if index == 0 || commented => words.push(&format!("{number}...")),
            Color::Black => (),
        }
        let m = state.parse_uci(text).expect("a played move is legal");
        words.push(&SanPlus::from_move(state.position().clone(), m).to_string());
        state.play(m);
        let comment = played.map_or("book".to_owned(), |p| comment(p, side));
        commented = !comment.is_empty();
        if commented {
            words.push(&format!("{{{comment}}}"));
        }
    }
    words.push(&format!("{{{}}}", end_comment(game)));
    words.push(&game.outcome.to_string());
    words.into_string() + "\n"
}

/// The reason of the end of the game as a comment, which cannot contain braces.
fn end_comment(game: &GameRecord) -> String {
    let name = game.ending.name();
    let text = match (game.outcome, &game.detail) {
        (Outcome::Draw, None) => format!("Draw: {name}"),
        (Outcome::Draw, Some(detail)) => format!("Draw: {name}, {detail}"),
        (outcome, detail) => {
            let (winner, loser) = match outcome {
                Outcome::WhiteWins => ("White", "Black"),
                _ => ("Black", "White"),
            };
            match detail {
                Some(detail) => format!("{winner} wins: {name} of {loser}, {detail}"),
                None => format!("{winner} wins: {name}"),
            }
        }
    };
    text.replace(['{', '}'], "")
}

fn comment(played: &MoveRecord, side: Color) -> String {
    let mut parts = Vec::new();
    let info = &played.info;
    if let Some(score) = info.score {
        let score = if side == Color::White {
            score
        } else {
            score.reversed()
        };
        let value = match score {
            Score::Cp(cp) => format!("{:.2}", f64::from(cp) / 100.0),
            Score::Mate(moves) => format!("#{moves}"),
        };
        parts.push(match info.depth {
            Some(depth) => format!("[%eval {value},{depth}]"),
            None => format!("[%eval {value}]"),
        });
    }
    if let Some(left) = played.clock_millis {
        parts.push(format!("[%clk {}]", clock(left)));
    }
    parts.push(format!("[%emt {}]", clock(played.micros / 1000)));
    if let Some(nodes) = info.nodes {
        parts.push(format!("{nodes} nodes"));
    }
    parts.join(" ")
}

fn clock(millis: u64) -> String {
    let seconds = millis / 1000;
    let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{h}:{m:02}:{s:02}.{:03}", millis % 1000)
}

/// The date in UTC of a time in seconds since 1970, as `YYYY.MM.DD` (Gregorian calendar, days
/// counted from 1 March of year 0).
fn date(seconds: u64) -> String {
    let days = seconds / 86_400 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    format!("{:04}.{month:02}.{date:02}", year + 400 * era + next)
}

/// A text of words in lines of at most 80 characters; a longer word has a line of its own.
#[derive(Clone, Debug, Default)]
struct WrappedText {
    text: String,
    column: usize,
}

impl WrappedText {
    /// Adds a word.
    fn push(&mut self, word: &str) {
        let length = word.chars().count();
        if self.column > 0 {
            let fits = self.column + 1 + length <= 80;
            self.text.push(if fits { ' ' } else { '\n' });
            self.column = if fits { self.column + 1 } else { 0 };
        }
        self.text += word;
        self.column += length;
    }

    /// The lines, without a line break at the end.
    fn into_string(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_state::Opening;
    use crate::protocol::search_info::SearchInfo;
    use crate::record::Ending;

    #[test]
    fn days_have_dates() {
        let known = [
            (0, "1970.01.01"),
            (951_782_400, "2000.02.29"),
            (1_709_164_800, "2024.02.29"),
            (1_735_689_599, "2024.12.31"),
        ];
        for (seconds, text) in known {
            assert_eq!(date(seconds), text);
        }
    }

    #[test]
    fn a_game_has_evaluations_and_clocks() {
        let played = |text: &str, score, clock_millis| MoveRecord {
            uci: text.into(),
            micros: 1_500_999,
            clock_millis,
            info: SearchInfo {
                score,
                depth: Some(3),
                nodes: None,
            },
        };
        let game = GameRecord {
            number: 0,
            white: 0,
            black: 1,
            opening: Opening {
                fen: None,
                moves: vec!["f2f3".into(), "e7e5".into()],
            },
            moves: vec![
                played("g2g4", Some(Score::Cp(-250)), Some(61_002)),
                played("d8h4", Some(Score::Mate(1)), Some(3_600_000)),
            ],
            outcome: Outcome::BlackWins,
            ending: Ending::Checkmate,
            detail: None,
            began: 0,
        };
        let limits = Limits {
            clock: Some("60+1".parse().unwrap()),
            ..Limits::default()
        };
        let header = Header {
            event: "a \"test\"",
            names: ["A", "B"],
            limits: [limits; 2],
            round: (1, 2),
            mode: CastlingMode::Standard,
        };
        let text = write(&game, &header);
        assert!(text.starts_with(
            "[Event \"a \\\"test\\\"\"]\n[Site \"?\"]\n[Date \"1970.01.01\"]\n[Round \"1.2\"]"
        ));
        assert!(text.contains("[TimeControl \"60+1\"]\n"));
        let moves = "1. f3 {book} 1... e5 {book} 2. g4 {[%eval -2.50,3] [%clk 0:01:01.002] [%emt 0:00:01.500]} \
                     2... Qh4# {[%eval #-1,3] [%clk 1:00:00.000] [%emt 0:00:01.500]} {Black wins: checkmate} 0-1";
        let words = |text: &str| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(words(text.split("\n\n").nth(1).unwrap()), words(moves));
    }
}
