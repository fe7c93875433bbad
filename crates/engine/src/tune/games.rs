//! Games of the engine against itself, and the quiet positions in them with score and result.

use std::num::NonZeroUsize;

use everymove_kernel::parallel;
use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Reservation, Run, Stopped};
use shakmaty::Color;

use super::plan::Plan;
use crate::engine::{Engine, Options};
use crate::error::{HashError, TuneError};
use crate::eval::{self, Trace};
use crate::game::Game;
use crate::score::{Score, is_known};
use crate::search::limits::Limits;
use crate::search::signals::Signals;
use crate::search::strategy::Strategy;

/// A quiet position.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub(super) trace: Trace,
    /// For white: 1, 1/2 or 0.
    pub(super) result: f32,
    /// For white, in centipawns.
    pub(super) score: f32,
}

impl Sample {
    /// Its memory.
    fn bytes(&self) -> u64 {
        (size_of::<Self>() + self.trace.counts.capacity() * size_of::<(u16, i16)>()) as u64
    }
}

/// All games.
#[derive(Debug)]
pub(super) struct SelfPlay {
    pub(super) samples: Vec<Sample>,
    /// White's wins, draws, Black's wins.
    pub(super) results: [u32; 3],
    pub(super) nodes: u64,
    /// The memory of the samples.
    _reserved: Vec<Reservation>,
}

/// Random plies at the start of a game, or one more, so that either side is to move after them.
const OPENING: u64 = 8;
/// A score that decides a game when it holds for [`DECIDED_PLIES`] plies, in centipawns.
const DECIDED: Score = 900;
const DECIDED_PLIES: u32 = 5;
/// The longest game, in plies; longer ones count as draws.
const LONGEST: usize = 320;
/// Bytes of a player's hash table.
const HASH_BYTES: u64 = 1 << 20;

/// Memory of a player beside its hash table: histories, pawn cache, stack.
const PLAYER_BYTES: u64 = 4 << 20;

/// Plays the games on all threads; their order does not depend on the threads.
pub(super) fn play(plan: &Plan, run: &Run) -> Result<SelfPlay, TuneError> {
    run.progress.start("playing games", u64::from(plan.games));
    let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let run = &run.with_threads(run.threads.get().min(processors));
    // Before the first game, not in the middle: each thread has an engine.
    let players = run.threads.get() as u64 * (HASH_BYTES + PLAYER_BYTES);
    let _players = run.ram.reserve("tuning", players)?;
    let start = || player(plan);
    let games = parallel::try_map(run, 0..plan.games, start, |engine, number| {
        let engine = match engine {
            Ok(engine) => engine,
            Err(refused) => return Err(refused.take().map_or(Stopped.into(), TuneError::from)),
        };
        let game = play_game(plan, number, engine, run);
        run.progress.advance(1);
        run.progress.worked(game.nodes);
        let bytes: u64 = game.samples.iter().map(Sample::bytes).sum();
        let reserved = run.ram.reserve("the positions of the games", bytes);
        // The games that are left take about as much each.
        let left = 2 * bytes * u64::from(plan.games - number);
        let reserved = reserved.map_err(|over| over.at_least(run.ram.used() + left))?;
        Ok::<_, TuneError>((game, reserved))
    })?;
    let mut all = SelfPlay {
        samples: Vec::new(),
        results: [0; 3],
        nodes: 0,
        _reserved: Vec::new(),
    };
    for (game, reserved) in games {
        all.samples.extend(game.samples);
        all.nodes += game.nodes;
        all.results[game.result] += 1;
        all._reserved.push(reserved);
    }
    Ok(all)
}

/// A player, or the error to report once.
fn player(plan: &Plan) -> Result<Engine, Option<HashError>> {
    let options = Options {
        hash: HASH_BYTES,
        strategy: Strategy::Sequential,
        evaluation: plan.evaluation,
        ..Options::default()
    };
    Engine::with_weights(options, plan.start.clone()).map_err(Some)
}

/// A game with its samples.
#[derive(Debug)]
struct PlayedGame {
    samples: Vec<Sample>,
    /// 0 for a win of White, 1 for a draw, 2 for a win of Black.
    result: usize,
    nodes: u64,
}

fn play_game(plan: &Plan, number: u32, engine: &mut Engine, run: &Run) -> PlayedGame {
    let mut rng =
        SplitMix64::new(plan.seed ^ u64::from(number).wrapping_mul(0xD134_2543_DE82_EF95));
    engine.clear();
    let mut game = opening(&mut rng);
    let limits = Limits {
        nodes: Some(plan.nodes),
        ..Limits::default()
    };
    let mut found = Vec::new();
    let mut nodes = 0;
    let mut decided = 0;
    let result = loop {
        if run.stop.is_raised() {
            break 1;
        }
        if let Some(result) = result(&game) {
            break result;
        }
        let answer = engine.search(
            &game,
            &limits,
            &Signals::with_stop(run.stop.clone()),
            &mut |_| {},
        );
        nodes += answer.report.nodes;
        let (Some(best), Some(line)) = (answer.best, answer.report.lines.first()) else {
            break 1;
        };
        let white = if game.position().turn().is_white() {
            line.score
        } else {
            -line.score
        };
        let quiet =
            game.position().checkers().is_empty() && !best.is_capture() && !best.is_promotion();
        if quiet && !is_known(white) && white.abs() < 2000 {
            found.push((eval::trace(game.position(), &plan.start), white as f32));
        }
        decided = if white.abs() >= DECIDED {
            decided + 1
        } else {
            0
        };
        if decided >= DECIDED_PLIES {
            break if white > 0 { 0 } else { 2 };
        }
        game.play(best);
    };
    let outcome = [1.0, 0.5, 0.0][result];
    let sample = |(trace, score)| Sample {
        trace,
        result: outcome,
        score,
    };
    PlayedGame {
        samples: found.into_iter().map(sample).collect(),
        result,
        nodes,
    }
}

fn opening(rng: &mut SplitMix64) -> Game {
    loop {
        let mut game = Game::default();
        for _ in 0..OPENING + rng.below(2) {
            let moves = game.position().legal_moves();
            if moves.is_empty() {
                break;
            }
            game.play(moves[rng.below(moves.len() as u64) as usize]);
        }
        if !game.position().legal_moves().is_empty() {
            return game;
        }
    }
}

/// The result of a game that has ended, as in [`PlayedGame::result`].
fn result(game: &Game) -> Option<usize> {
    let ended = game.termination().map(|end| match end.winner() {
        Some(Color::White) => 0,
        None => 1,
        Some(Color::Black) => 2,
    });
    ended.or((game.moves().len() > LONGEST).then_some(1))
}
