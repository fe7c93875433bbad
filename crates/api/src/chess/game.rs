//! A game as it is written: a position and moves, or a PGN.

use std::sync::Arc;

use everymove_arena::Outcome;
use everymove_arena::pgn::{self, Reader, Scope};
use everymove_engine::{Game, Position};
use everymove_kernel::input::Input;
use everymove_kernel::run::Run;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{CastlingMode, Move, Position as _};

use super::notation::{self, MoveError};
use super::position::TreeNode;
use super::range::within;
use crate::error::Error;

/// A game of more plies is not read.
const MOST_PLIES: usize = 2000;

/// A tree of more moves is not shown.
pub(super) const MOST_NODES: usize = 20_000;

/// A game as it is written.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub(super) struct GameRequest {
    /// The position in Forsyth-Edwards notation, in quotes [default: the initial position]
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
    /// The moves played from there, as people or programs write them: e4 e5 g1f3
    #[arg(long, value_name = "MOVES", num_args = 1.., value_delimiter = ' ')]
    #[serde(default)]
    moves: Vec<String>,
    /// A game in Portable Game Notation in place of the position, before the moves
    #[arg(long, value_name = "PGN", conflicts_with = "fen")]
    pgn: Option<String>,
    /// The number of the game in the PGN, from 1 [default: 1]
    #[arg(long, value_name = "N", requires = "pgn")]
    number: Option<u64>,
    /// The plies of the PGN that are read, before the moves; another move in place of the next one
    /// makes that a variation [default: all]
    #[arg(long, value_name = "N", requires = "pgn")]
    plies: Option<usize>,
}

/// A game whose moves are legal.
#[derive(Clone, Debug)]
pub(super) struct CheckedGame {
    /// The position from which it starts.
    pub(super) start: Position,
    /// Its moves.
    pub(super) moves: Vec<Move>,
    /// The game after its moves.
    pub(super) game: Game,
    /// The game as it is written, with comments, glyphs and variations.
    written: Arc<pgn::Game>,
    /// What each game of the PGN is called.
    pub(super) titles: Vec<String>,
    /// What was repaired in the position, a line for each.
    pub(super) notes: Vec<String>,
}

impl GameRequest {
    /// Whether there is anything but the initial position.
    pub(super) fn is_given(&self) -> bool {
        self.fen.is_some() || self.pgn.is_some() || !self.moves.is_empty()
    }

    /// Reads the game.
    pub(super) fn plan(&self) -> Result<CheckedGame, Error> {
        if self.pgn.is_some() && self.fen.is_some() {
            let line = "a PGN has its own position: expected fen or pgn, not both";
            return Err(Error::message(Some("fen"), line));
        }
        let mut titles = Vec::new();
        let (mut written, note) = match (&self.pgn, &self.fen) {
            (Some(text), _) => {
                let mut game = one_game(text, self.number.unwrap_or(1), &mut titles)?;
                let note = game.note.take();
                (game, note)
            }
            (None, Some(fen)) => {
                let (start, note) =
                    notation::repaired_position(fen).map_err(Error::field("fen"))?;
                (pgn::Game::new(start.chess().clone()), note)
            }
            (None, None) => (pgn::Game::new(Position::default().chess().clone()), None),
        };
        let start = Position::from(written.start.clone());
        let mut checked = CheckedGame {
            game: Game::from(start.clone()),
            start,
            moves: Vec::new(),
            written: Arc::new(pgn::Game::new(written.start.clone())),
            titles,
            notes: note.into_iter().collect(),
        };
        let main_line = written.main_line();
        let kept = self.plies.unwrap_or(main_line.len());
        within("plies", &kept, &(0..=main_line.len()))?;
        for &m in &main_line[..kept] {
            checked.play("pgn", m)?;
        }
        for text in &self.moves {
            let position = checked.game.position();
            let m = notation::read_move(position, text).map_err(|error| {
                let number = notation::number(position, true);
                let line = match error {
                    MoveError::Illegal { text, .. } | MoveError::NotAMove { text } => {
                        format!("{number}{text}: no such legal move")
                    }
                    error => format!("{number}{error}"),
                };
                Error::message(Some("moves"), line)
            })?;
            checked.play("moves", m)?;
        }
        let mut at = written.main_nodes()[kept];
        for &m in &checked.moves[kept..] {
            at = written.play(at, m);
        }
        let is_other = checked.moves != main_line;
        if is_other {
            // What followed is a variation of the next move, if there is one.
            written.nodes[at as usize].next.clear();
            written.result = pgn::WrittenResult::Unfinished;
        }
        checked.written = Arc::new(named(written, &checked.game));
        Ok(checked)
    }
}

impl CheckedGame {
    /// Plays a move of the field `field`.
    fn play(&mut self, field: &'static str, m: Move) -> Result<(), Error> {
        if self.moves.len() == MOST_PLIES {
            let line = format!("the game is longer than {MOST_PLIES} plies");
            return Err(Error::message(Some(field), line));
        }
        self.game.play(m);
        self.moves.push(m);
        Ok(())
    }

    /// Refuses a tree of too many moves.
    pub(super) fn limit_tree(&self) -> Result<(), Error> {
        let moves = self.written.nodes.len() - 1;
        if moves <= MOST_NODES {
            return Ok(());
        }
        let line = format!(
            "the game has {moves} moves with those of its variations: expected at most {MOST_NODES}"
        );
        Err(Error::message(Some("tree"), line))
    }

    /// All nodes of the game, in their order.
    pub(super) fn tree(&self) -> Vec<TreeNode> {
        let nodes = &self.written.nodes;
        let mut tree: Vec<TreeNode> = Vec::with_capacity(nodes.len());
        let mut positions = vec![self.start.clone(); nodes.len()];
        let mut moves = vec![(None, String::new()); nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            let position = positions[index].clone();
            for &next in &node.next {
                let next = next as usize;
                (moves[next], positions[next]) = match nodes[next].played {
                    Some(m) => {
                        let written = (Some(position.uci(m)), notation::san(&position, m));
                        (written, position.play(m))
                    }
                    None => {
                        let passed = position.chess().clone().swap_turn();
                        let passed = passed.map_or_else(|_| position.clone(), Position::from);
                        ((None, "--".to_owned()), passed)
                    }
                };
            }
            let (uci, san) = std::mem::take(&mut moves[index]);
            tree.push(TreeNode {
                uci,
                san,
                fen: position.fen(),
                next: node.next.clone(),
                before: node.comments_before.clone(),
                comments: node.comments.clone(),
                nags: node.nags.clone(),
            });
        }
        tree
    }

    /// The game in Portable Game Notation, with all that was read of it, and with its result if it
    /// is over by the rules.
    pub(super) fn pgn(&self) -> String {
        self.written.pgn()
    }
}

/// A game with the tags that PGN asks for, and with its result if it is over by the rules.
fn named(mut written: pgn::Game, game: &Game) -> pgn::Game {
    if let Some(end) = game.termination() {
        written.result = pgn::WrittenResult::Known(match end.winner() {
            Some(shakmaty::Color::White) => Outcome::WhiteWins,
            Some(shakmaty::Color::Black) => Outcome::BlackWins,
            None => Outcome::Draw,
        });
    }
    let roster = [
        ("Event", "?"),
        ("Site", "?"),
        ("Date", "????.??.??"),
        ("Round", "?"),
        ("White", "?"),
        ("Black", "?"),
    ];
    if written.tag("Event").is_none() {
        let missing = roster
            .iter()
            .filter(|(name, _)| written.tag(name).is_none());
        let missing: Vec<_> = missing
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        written.tags.splice(0..0, missing);
    }
    written.set_tag("Result", &result(&written.result));
    let start = Position::from(written.start.clone());
    if start.castling_mode() == CastlingMode::Chess960 && written.tag("Variant").is_none() {
        written.set_tag("Variant", "Chess960");
    }
    if start.fen() != Position::default().fen() {
        if written.tag("SetUp").is_none() {
            written.set_tag("SetUp", "1");
        }
        written.set_tag("FEN", &start.fen());
    }
    written
}

/// A result as PGN has it: `*` for one that is unfinished or cannot be read, that after the moves
/// for two that differ.
pub(super) fn result(written: &pgn::WrittenResult) -> String {
    let outcome = match written {
        pgn::WrittenResult::Known(outcome) => Some(*outcome),
        pgn::WrittenResult::Contradiction { marker, .. } => pgn::outcome(marker),
        _ => None,
    };
    outcome.map_or_else(|| "*".to_owned(), |outcome| outcome.to_string())
}

/// A game of a text by its number from 1; `titles` gets the players or the event of each.
fn one_game(text: &str, number: u64, titles: &mut Vec<String>) -> Result<pgn::Game, Error> {
    let bytes = std::io::Cursor::new(text.to_owned());
    let mut reader = Reader::new(Input::new("the PGN", bytes, &Run::checking()));
    let mut found = None;
    while let Some(game) = reader.next_game().map_err(Error::field("pgn"))? {
        titles.push(title(&game));
        if titles.len() as u64 == number {
            found = Some(game);
        }
    }
    if titles.is_empty() {
        return Err(Error::message(Some("pgn"), "there is no game in the PGN"));
    }
    let Some(game) = found else {
        let line = format!(
            "the PGN has {} games: there is no game {number}",
            titles.len()
        );
        return Err(Error::message(Some("number"), line));
    };
    let game = game.game(Scope::Tree).map_err(Error::field("pgn"))?;
    if game.tags.is_empty() && game.main_line().is_empty() {
        let line = "there is no move and no tag in the PGN: it is no game";
        return Err(Error::message(Some("pgn"), line));
    }
    Ok(game)
}

/// What a game is called: `A - B`, and its event.
fn title(game: &pgn::GameText) -> String {
    let tag = |name| game.tag(name).filter(|value| !matches!(*value, "" | "?"));
    let players = [tag("White"), tag("Black")].map(|name| name.unwrap_or("?"));
    match tag("Event") {
        Some(event) => format!("{} - {}, {event}", players[0], players[1]),
        None => format!("{} - {}", players[0], players[1]),
    }
}
