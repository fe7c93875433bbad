//! Games of the engine against itself, as positions with what became of them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Run, Stopped};
use shakmaty::Color;

use super::Plan;
use crate::eval::{self, Trace};
use crate::score::{Score, is_known};
use crate::search::Signals;
use crate::{Engine, Game, Limits, Options, Strategy};

/// A quiet position.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub(super) trace: Trace,
    /// For white: 1, 1/2 or 0.
    pub(super) result: f32,
    /// For white, in centipawns.
    pub(super) score: f32,
}

/// All games.
#[derive(Debug)]
pub(super) struct Played {
    pub(super) samples: Vec<Sample>,
    pub(super) results: [u32; 3],
    pub(super) nodes: u64,
}

/// Random plies at the start of a game; the parity makes both sides begin.
const OPENING: u64 = 8;
/// A score that decides a game when it stands for some plies.
const DECIDED: Score = 900;
const DECIDED_PLIES: u32 = 5;
const LONGEST: usize = 320;

/// Plays the games on all threads; their order does not depend on who plays them.
pub(super) fn play(plan: &Plan, run: &Run) -> Result<Played, Stopped> {
    run.progress.start("playing games", u64::from(plan.games));
    let next = AtomicU32::new(0);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..run.threads.get() {
            scope.spawn(|| {
                let mut engine = player(plan);
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= plan.games || run.stop.is_raised() {
                        return;
                    }
                    let game = one(plan, number, &mut engine, run);
                    run.progress.advance(1);
                    run.progress.worked(game.nodes);
                    let mut done = done.lock().unwrap_or_else(|e| e.into_inner());
                    done.push((number, game));
                }
            });
        }
    });
    run.stop.check()?;
    let mut games = done.into_inner().unwrap_or_else(|e| e.into_inner());
    games.sort_by_key(|&(number, _)| number);
    let mut all = Played {
        samples: Vec::new(),
        results: [0; 3],
        nodes: 0,
    };
    for (_, game) in games {
        all.samples.extend(game.samples);
        all.nodes += game.nodes;
        all.results[game.result] += 1;
    }
    Ok(all)
}

fn player(plan: &Plan) -> Engine {
    let options = Options {
        hash: 1 << 20,
        strategy: Strategy::Sequential,
        ..Options::default()
    };
    Engine::with_weights(options, plan.start.clone())
}

/// One game: 0 white wins, 1 a draw, 2 black wins.
#[derive(Debug)]
struct One {
    samples: Vec<Sample>,
    result: usize,
    nodes: u64,
}

fn one(plan: &Plan, number: u32, engine: &mut Engine, run: &Run) -> One {
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
        if let Some(result) = over(&game) {
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
    One {
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

fn over(game: &Game) -> Option<usize> {
    let ending = game.ending().map(|ending| match ending.winner() {
        Some(Color::White) => 0,
        None => 1,
        Some(Color::Black) => 2,
    });
    ending.or((game.moves().len() > LONGEST).then_some(1))
}
