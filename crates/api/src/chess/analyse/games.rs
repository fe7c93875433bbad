//! The analysis of games: evaluations, marks, better moves, accuracy.

use everymove_arena::pgn::{self, PgnError, Scope};
use everymove_arena::review::{Mark, MoveReview, expected_score, mean_accuracy};
use everymove_arena::{Color, Score};
use everymove_draw::chart::{self, Axis, Lines, Scale, Series};
use everymove_draw::theme::Theme;
use everymove_engine::score::UciScore;
use everymove_engine::{Game, Position};
use everymove_kernel::run::Work;
use everymove_kernel::text::shown;
use schemars::JsonSchema;
use serde::Serialize;
use shakmaty::Move;

use super::Source;
use super::searcher::{Searcher, white_score};
use crate::chess::game::result;
use crate::chess::notation::{self, san};
use crate::error::Error;

/// The marked moves of a game that the summary lists.
const WORST_MOVES: usize = 5;

/// The moves of a better line that are shown.
const LINE_MOVES: usize = 6;

/// Every game with the evaluations and marks of its moves.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GamesAnswer {
    /// The games that are analysed, in the order of the text.
    pub(super) games: Vec<GameAnalysis>,
    /// All games in PGN with what they had: evaluations as comments (`[%eval 0.31]`), marks after
    /// moves, better lines as variations.
    pub(super) pgn: String,
    /// What was repaired in positions of games, a line for each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) notes: Vec<String>,
    /// Why endgame tables that were named are not used, a line for each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) table_faults: Vec<String>,
    /// What it cost.
    #[serde(skip)]
    pub(super) work: Work,
}

impl GamesAnswer {
    /// The summaries of all games.
    pub(super) fn summary(&self) -> String {
        let mut text = String::new();
        for game in &self.games {
            if self.games.len() > 1 {
                text += &format!("game {}\n", game.number);
            }
            text += &game.summary();
        }
        text
    }
}

/// The analysis of a game.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct GameAnalysis {
    /// The number of the game in the text, from 1.
    number: u64,
    /// The score for White after each move that does not end the game.
    scores: Vec<String>,
    /// White's moves in summary.
    white: SideSummary,
    /// Black's moves in summary.
    black: SideSummary,
    /// The moves.
    moves: Vec<MoveAnalysis>,
    /// The result in the text: `1-0`, `0-1`, `1/2-1/2` or `*`.
    result: String,
}

/// The moves of a side in summary.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct SideSummary {
    /// The name of the player; empty if the game has none.
    name: String,
    /// The mean accuracy of the moves in percent, 100 for moves that lose nothing; null without
    /// moves.
    accuracy: Option<f64>,
    /// The number of moves with each mark.
    marks: MarkCounts,
}

/// Numbers of marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct MarkCounts {
    /// Moves marked `?!`: 5 to 10 percentage points of the expected score lost.
    inaccuracies: u64,
    /// Moves marked `?`: 10 to 15 points lost.
    mistakes: u64,
    /// Moves marked `??`: 15 points or more lost.
    blunders: u64,
}

/// A move and its judgement.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct MoveAnalysis {
    /// The move in standard algebraic notation with its number: `12... Nf6`.
    san: String,
    /// The move in UCI notation.
    uci: String,
    /// The score for White after it; null if the move ends the game.
    score: Option<String>,
    /// The expected score for White after it in percent.
    expected: f64,
    /// The accuracy of the move in percent.
    accuracy: f64,
    /// The percentage points of the expected score that the move loses.
    loss: f64,
    /// `?!`, `?` or `??`; null for other moves.
    mark: Option<&'static str>,
    /// For a marked move: the better line, numbered, in standard algebraic notation.
    better: Option<String>,
    /// For a marked move: the score of the better line for White.
    better_score: Option<String>,
    /// The moves of the better line.
    #[serde(skip)]
    better_moves: Vec<Move>,
}

/// A game of the text with legal moves.
#[derive(Debug)]
pub(super) struct CheckedGame {
    /// The game as it is written.
    written: pgn::Game,
    white: String,
    black: String,
    result: String,
    start: Position,
    moves: Vec<Move>,
}

impl CheckedGame {
    /// The positions that are searched.
    pub(super) fn positions(&self) -> u64 {
        self.moves.len() as u64 + 1
    }
}

/// Reads the games of a text one at a time.
pub(super) fn read(
    source: &Source,
    mut each: impl FnMut(CheckedGame) -> Result<(), Error>,
) -> Result<(), Error> {
    /// What ends the reading.
    enum Ended {
        Pgn(PgnError),
        Each(Error),
    }
    impl From<PgnError> for Ended {
        fn from(error: PgnError) -> Self {
            Self::Pgn(error)
        }
    }
    let wrong = |message: String| Error::message(Some("games"), message);
    let mut has_moves = false;
    pgn::read_games(source.input(), Scope::Tree, |game| {
        let game = CheckedGame::new(game);
        has_moves |= !game.moves.is_empty();
        each(game).map_err(Ended::Each)
    })
    .map_err(|ended| match (ended, &source.file) {
        (Ended::Each(error), _) => error,
        (Ended::Pgn(PgnError::Input(error)), _) => wrong(error.to_string()),
        (Ended::Pgn(error), Some(_)) => wrong(format!("{}, {error}", source.name())),
        (Ended::Pgn(error), None) => wrong(error.to_string()),
    })?;
    if !has_moves {
        let name = source.name();
        let message = format!("there is no game with moves in {name}: expected PGN");
        return Err(wrong(message));
    }
    Ok(())
}

impl CheckedGame {
    fn new(game: pgn::Game) -> Self {
        let tag = |name| game.tag(name).unwrap_or_default().to_owned();
        Self {
            white: tag("White"),
            black: tag("Black"),
            result: result(&game.result),
            start: Position::from(game.start.clone()),
            moves: game.main_line(),
            written: game,
        }
    }
}

/// About the bytes of the strings of a move's analysis.
const MOVE_STRINGS: u64 = 160;

pub(super) fn analyse(
    source: &Source,
    positions: u64,
    only: Option<u64>,
    searcher: &mut Searcher<'_>,
) -> Result<GamesAnswer, Error> {
    (searcher.run.progress).start("searching positions", positions);
    let what = "the analysis of the games";
    let mut held = searcher.run.ram.reserve(what, 0)?;
    let mut moves = 0;
    let mut answer = GamesAnswer {
        games: Vec::new(),
        pgn: String::new(),
        notes: Vec::new(),
        table_faults: searcher.engine.table_faults(),
        work: Work::default(),
    };
    let mut number = 0;
    read(source, |mut game| {
        number += 1;
        if let Some(note) = &game.written.note {
            answer.notes.push(format!("game {number}: {note}"));
        }
        if only.is_none_or(|only| only == number) {
            let analysis = analyse_game(&game, number, searcher)?;
            moves += analysis.moves.len() as u64;
            annotate(&mut game.written, &analysis);
            answer.games.push(analysis);
        }
        answer.pgn += &game.written.pgn();
        answer.pgn.push('\n');
        let games = answer.games.capacity() * size_of::<GameAnalysis>();
        let texts = (answer.pgn.capacity() + games) as u64;
        let a_move = size_of::<MoveAnalysis>() as u64 + MOVE_STRINGS;
        held.resize(what, texts + moves * a_move)?;
        Ok(())
    })?;
    answer.work = searcher.work();
    Ok(answer)
}

/// What the engine found in a position of a game.
struct Evaluation {
    /// For White.
    score: Score,
    /// For White, as it is shown; `None` if the game is over.
    shown: Option<String>,
    best: Option<Move>,
    line: Vec<Move>,
}

fn evaluate(
    start: &Position,
    game: &Game,
    searcher: &mut Searcher<'_>,
) -> Result<Evaluation, Error> {
    let position = game.position();
    if position.legal_moves().is_empty() {
        let check = !position.checkers().is_empty();
        let mated = position.turn().fold_wb(Score::Mate(-1), Score::Mate(1));
        return Ok(Evaluation {
            score: if check { mated } else { Score::Cp(0) },
            shown: None,
            best: None,
            line: Vec::new(),
        });
    }
    let answer = searcher.search(start, game)?;
    let Some(line) = answer.report.lines.first() else {
        return Err(Error::machine("the search was given no thread"));
    };
    let score = white_score(position, line);
    Ok(Evaluation {
        score: match score {
            UciScore::Centipawns(n) => Score::Cp(n),
            UciScore::Mates(n) => Score::Mate(n.max(1) as i32),
            UciScore::IsMated(n) => Score::Mate(-(n.max(1) as i32)),
        },
        shown: Some(score.in_pawns()),
        best: answer.best,
        line: line.pv.clone(),
    })
}

fn analyse_game(
    game: &CheckedGame,
    number: u64,
    searcher: &mut Searcher<'_>,
) -> Result<GameAnalysis, Error> {
    let progress = searcher.run.progress.clone();
    let mut state = Game::from(game.start.clone());
    let mut before = evaluate(&game.start, &state, searcher)?;
    progress.advance(1);
    let mut moves = Vec::new();
    for &m in &game.moves {
        let position = state.position().clone();
        state.play(m);
        let after = evaluate(&game.start, &state, searcher)?;
        progress.advance(1);
        // The engine's own move loses nothing, even if the next search sees further.
        let after_score = if before.best == Some(m) {
            before.score
        } else {
            after.score
        };
        let review = MoveReview::new(position.turn(), before.score, after_score);
        let shown = before.line.len().min(LINE_MOVES);
        let better = review
            .mark
            .map(|_| notation::line(&position, &before.line[..shown]));
        let better_moves = match &better {
            Some(_) => before.line[..shown].to_vec(),
            None => Vec::new(),
        };
        moves.push(MoveAnalysis {
            san: notation::number(&position, true) + &san(&position, m),
            uci: position.uci(m),
            score: after.shown.clone(),
            expected: rounded(expected_score(after.score)),
            accuracy: rounded(review.accuracy),
            loss: rounded(review.loss),
            mark: review.mark.map(Mark::symbol),
            better_score: before.shown.clone().filter(|_| better.is_some()),
            better,
            better_moves,
        });
        before = after;
    }
    let side = |color: Color| summary(game, &moves, color);
    Ok(GameAnalysis {
        number,
        scores: moves.iter().filter_map(|m| m.score.clone()).collect(),
        white: side(Color::White),
        black: side(Color::Black),
        result: game.result.clone(),
        moves,
    })
}

/// Two digits after the point.
fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn summary(game: &CheckedGame, moves: &[MoveAnalysis], color: Color) -> SideSummary {
    let first = usize::from(game.start.turn() != color);
    let own = || moves.iter().skip(first).step_by(2);
    let count = |mark: Mark| own().filter(|m| m.mark == Some(mark.symbol())).count() as u64;
    let name = color.fold_wb(&game.white, &game.black);
    SideSummary {
        name: name.clone(),
        accuracy: mean_accuracy(own().map(|m| m.accuracy)).map(rounded),
        marks: MarkCounts {
            inaccuracies: count(Mark::Inaccuracy),
            mistakes: count(Mark::Mistake),
            blunders: count(Mark::Blunder),
        },
    }
}

/// Adds evaluations, marks and better lines to a game. What it has already stays; an evaluation
/// replaces the one of its move.
fn annotate(written: &mut pgn::Game, analysis: &GameAnalysis) {
    let summary = format!("White: {}. Black: {}.", analysis.white, analysis.black);
    let start = &mut written.nodes[0].comments;
    start.retain(|comment| !is_summary(comment));
    start.insert(0, summary);
    let nodes = written.main_nodes();
    for (pair, m) in nodes.windows(2).zip(&analysis.moves) {
        let (before, at) = (pair[0], pair[1] as usize);
        let node = &mut written.nodes[at];
        if let Some(score) = &m.score {
            evaluated(&mut node.comments, score);
        }
        let nag = m
            .mark
            .and_then(|mark| NAGS.iter().find(|(symbol, _)| *symbol == mark));
        // A mark of the text is a judgement of its own.
        if let Some(&(_, nag)) = nag
            && !node.nags.iter().any(|nag| (1..=6).contains(nag))
        {
            node.nags.insert(0, nag);
        }
        if let Some(score) = &m.better_score {
            let last = m
                .better_moves
                .iter()
                .fold(before, |at, &m| written.add(at, m));
            evaluated(&mut written.nodes[last as usize].comments, score);
        }
    }
}

/// Marks and their glyphs.
const NAGS: [(&str, u8); 3] = [("?", 2), ("??", 4), ("?!", 6)];

/// Whether a comment is the summary of an analysis.
fn is_summary(comment: &str) -> bool {
    let begins = ["accuracy ", "no moves"];
    let sides = comment
        .strip_prefix("White: ")
        .zip(comment.split(". Black: ").nth(1));
    sides.is_some_and(|(white, black)| {
        [white, black]
            .iter()
            .all(|side| begins.iter().any(|begin| side.starts_with(begin)))
    })
}

/// Puts an evaluation before the comments of a move, in place of another one.
fn evaluated(comments: &mut Vec<String>, score: &str) {
    let command = format!("[%eval {}]", score.trim_start_matches('+'));
    for comment in comments.iter_mut() {
        if let Some((before, rest)) = comment.split_once("[%eval ")
            && let Some((_, after)) = rest.split_once(']')
        {
            *comment = format!("{} {}", before.trim_end(), after.trim_start())
                .trim()
                .to_owned();
        }
    }
    comments.retain(|comment| !comment.is_empty());
    match comments.first_mut() {
        Some(first) => *first = format!("{command} {first}"),
        None => comments.push(command),
    }
}

impl GameAnalysis {
    /// The expected score of White in percent by move, as a chart in SVG.
    pub(super) fn chart(&self) -> Result<String, Error> {
        let points =
            (self.moves.iter().zip(1u32..)).map(|(m, ply)| (f64::from(ply) / 2.0, m.expected));
        let players = [&self.white.name, &self.black.name];
        let title = if players.iter().all(|name| name.is_empty()) {
            "Expected score of White".to_owned()
        } else {
            format!(
                "Expected score of White: {} - {}",
                shown(players[0]),
                shown(players[1])
            )
        };
        let lines = Lines {
            title,
            x: Axis::linear("move"),
            y: Axis {
                label: "expected score of White, %".to_owned(),
                scale: Scale::Linear,
            },
            series: vec![Series {
                name: "White".to_owned(),
                points: std::iter::once((0.0, 50.0))
                    .chain(points)
                    .map(|(ply, score)| (ply, score.into()))
                    .collect(),
            }],
        };
        chart::lines(&lines, Theme::Light).map_err(|error| Error::input(None, error))
    }

    /// The summaries of both sides, and the moves that lost most.
    fn summary(&self) -> String {
        let mut text = String::new();
        for (color, side) in [("White", &self.white), ("Black", &self.black)] {
            let name = match &*side.name {
                "" => String::new(),
                name => format!(" ({})", shown(name)),
            };
            text += &format!("{color}{name}: {side}\n");
        }
        let mut marked: Vec<_> = self.moves.iter().filter(|m| m.mark.is_some()).collect();
        marked.sort_by(|a, b| b.loss.total_cmp(&a.loss));
        for m in marked.into_iter().take(WORST_MOVES) {
            let (Some(mark), Some(better), Some(score)) = (m.mark, &m.better, &m.better_score)
            else {
                continue;
            };
            let after = m.score.as_deref().unwrap_or("-");
            let san = &m.san;
            text += &format!("  {san}{mark} ({after}), better {better} ({score})\n");
        }
        text
    }
}

impl std::fmt::Display for SideSummary {
    /// `accuracy 93.1 %, 1 mistake, 2 blunders`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.accuracy {
            Some(accuracy) => write!(f, "accuracy {accuracy:.1} %")?,
            None => f.write_str("no moves")?,
        }
        let counts = [
            (Mark::Inaccuracy, self.marks.inaccuracies),
            (Mark::Mistake, self.marks.mistakes),
            (Mark::Blunder, self.marks.blunders),
        ];
        for (mark, n) in counts.into_iter().filter(|&(_, n)| n > 0) {
            write!(f, ", {}", mark.counted(n))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn analysis(text: &str) -> String {
        let source = Source::new(text, None);
        let run = everymove_kernel::run::Run::serial();
        let limits = everymove_engine::Limits {
            nodes: Some(2000),
            ..Default::default()
        };
        let mut searcher = Searcher::new(limits, 1, (None, None), &run).unwrap();
        analyse(&source, 0, Some(1), &mut searcher).unwrap().pgn
    }

    /// What was there stays, a second analysis replaces the first one, and games that are not
    /// analysed are as they were.
    #[test]
    fn an_analysis_is_added_to_what_was_there() {
        let other = "[White \"C\"]\n\n1. d4 {his} $1 (1. c4) *\n\n";
        let text = format!(
            "[White \"A\"]\n[Annotator \"B\"]\n\n1. e4 {{mine}} e5 2. Bc4 Nc6 3. Qh5 Nf6 (3... g6 {{better}} 4. Qf3) 4. Qxf7# 1-0\n\n{other}"
        );
        let pgn = analysis(&text);
        for part in [
            "[Annotator \"B\"]",
            " mine}",
            "(3... g6 {better}",
            "3... Nf6??",
            "{White: accuracy",
        ] {
            let words: Vec<_> = pgn.split_whitespace().collect();
            assert!(words.join(" ").contains(part), "{part}: {pgn}");
        }
        assert!(
            pgn.ends_with(&other.replace("{his} $1", "{his}").replace("d4", "d4!")),
            "{pgn}"
        );
        assert_eq!(analysis(&pgn), pgn);
        let evaluations = pgn.matches("[%eval ").count();
        assert!(evaluations >= 6, "{pgn}");
    }
}
