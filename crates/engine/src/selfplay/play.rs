//! One game of the engine against itself.

use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Stop, Stopped};
use shakmaty::{Color, Move};

use super::Plan;
use super::record::{GameRecord, GameResult, ordered_moves};
use crate::engine::Engine;
use crate::error::DataError;
use crate::game::Game;
use crate::score::{Score, is_known};
use crate::search::limits::Limits;
use crate::search::limits::Signals;
use crate::search::run::with_search_stack;

/// Random plies at the start of a game, or one more, so that either side is to move after them.
const RANDOM: u64 = 8;
/// An opening whose first search has a larger score is replaced by another one, in centipawns.
const BALANCED: Score = 300;
/// A score that decides a game when it holds for [`DECIDED_PLIES`] plies, in centipawns. A mate
/// decides at once.
const DECIDED: Score = 1000;
const DECIDED_PLIES: u32 = 4;
/// A score up to which a game is level, in centipawns; after [`DRAWN_FROM`] plies it is drawn when
/// it was level for [`DRAWN_PLIES`] plies.
const LEVEL: Score = 5;
const DRAWN_PLIES: u32 = 12;
const DRAWN_FROM: usize = 80;
/// A search whose iteration does not end is stopped at this multiple of the plan's nodes: most
/// iterations take two to four times the nodes of all before them.
const HARD_LIMIT: u64 = 8;
/// The longest game, in plies; longer ones count as draws.
const LONGEST: usize = 400;

/// A game, and what it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlayedGame {
    pub(super) record: GameRecord,
    /// Nodes of its searches.
    pub(super) nodes: u64,
}

/// The game under construction.
#[derive(Default)]
struct Moves {
    game: Game,
    indices: Vec<u8>,
}

impl Moves {
    fn play(&mut self, m: Move) {
        let moves = ordered_moves(self.game.position());
        let index = moves.iter().position(|&other| other == m);
        self.indices.push(index.unwrap_or_default() as u8);
        self.game.play(m);
    }
}

/// Plays the game with this number, on a thread with the stack that searches need; the engine must
/// have one thread.
pub(super) fn play(
    plan: &Plan,
    number: u64,
    engine: &mut Engine,
    stop: &Stop,
) -> Result<PlayedGame, DataError> {
    let game = with_search_stack(|| play_here(plan, number, engine, stop));
    Ok(game.ok_or(DataError::NoThread)??)
}

/// [`play`] on the calling thread.
fn play_here(
    plan: &Plan,
    number: u64,
    engine: &mut Engine,
    stop: &Stop,
) -> Result<PlayedGame, Stopped> {
    let mut rng = SplitMix64::new(plan.seed ^ number.wrapping_mul(0xD134_2543_DE82_EF95));
    let limits = Limits {
        soft_nodes: Some(plan.nodes),
        nodes: Some(plan.nodes.saturating_mul(HARD_LIMIT)),
        ..Limits::default()
    };
    let mut nodes = 0;
    let mut search = |engine: &mut Engine, game: &Game| -> Result<Option<(Move, Score)>, Stopped> {
        let signals = Signals::with_stop(stop.clone());
        let answer = engine.search_here(game, &limits, &signals, &mut |_| {}, &mut |_| {});
        stop.check()?;
        nodes += answer.report.nodes;
        let score = answer.report.lines.first().map(|line| line.score);
        let white = game.position().turn().is_white();
        let score = score.map(|s| if white { s } else { -s });
        Ok(answer.best.zip(score))
    };
    let (mut moves, mut found) = loop {
        engine.clear();
        let moves = opening(&mut rng);
        if let Some((best, score)) = search(engine, &moves.game)?
            && score.abs() < BALANCED
        {
            break (moves, Some((best, score)));
        }
    };
    let random = moves.indices.len() as u8;
    let mut scores = Vec::new();
    let (mut decided, mut level) = (0, 0);
    let result = loop {
        // Without a move or a score there was no thread to search with.
        let Some((best, score)) = found.take() else {
            break GameResult::Draw;
        };
        moves.play(best);
        scores.push(score as i16);
        decided = if score.abs() >= DECIDED {
            decided + 1
        } else {
            0
        };
        level = if score.abs() <= LEVEL { level + 1 } else { 0 };
        if is_known(score) || decided >= DECIDED_PLIES {
            break if score > 0 {
                GameResult::White
            } else {
                GameResult::Black
            };
        }
        if let Some(end) = moves.game.termination() {
            break match end.winner() {
                Some(Color::White) => GameResult::White,
                None => GameResult::Draw,
                Some(Color::Black) => GameResult::Black,
            };
        }
        let plies = moves.indices.len();
        if plies >= LONGEST || plies >= DRAWN_FROM && level >= DRAWN_PLIES {
            break GameResult::Draw;
        }
        found = search(engine, &moves.game)?;
    };
    let record = GameRecord {
        result,
        random,
        moves: moves.indices,
        scores,
    };
    Ok(PlayedGame { record, nodes })
}

/// Random moves; the game has not ended after them.
fn opening(rng: &mut SplitMix64) -> Moves {
    loop {
        let mut moves = Moves::default();
        for _ in 0..RANDOM + rng.below(2) {
            let legal = ordered_moves(moves.game.position());
            if legal.is_empty() {
                break;
            }
            moves.play(legal[rng.below(legal.len() as u64) as usize]);
        }
        if moves.game.termination().is_none() {
            return moves;
        }
    }
}
