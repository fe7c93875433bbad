//! Playing the pairs of games of a tuning run on several threads.

use std::collections::BTreeSet;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use everymove_kernel::files::Storage;
use everymove_kernel::run::{Run, Stop};

use super::journal::{self, Entry};
use super::parameter::Parameter;
use super::state::State;
use crate::engine_config::EngineConfig;
use crate::error::ArenaError;
use crate::game::{self, MatchStopped, Player};
use crate::record::GameRecord;
use crate::tournament::{MatchPlan, check_engines_start, settings};

/// What is tuned, and by which games.
#[derive(Clone, Debug)]
pub struct TuningPlan {
    /// The engine, twice, with the options that stay; limits, openings and the number of pairs.
    pub games: MatchPlan,
    /// The options that change.
    pub parameters: Vec<Parameter>,
    /// How far a won game moves a parameter at the end, in steps.
    pub rate: f64,
    /// Seed of the changes.
    pub seed: u64,
}

/// The state of a tuning run.
#[derive(Clone, Debug, PartialEq)]
pub struct TuningReport {
    /// Pairs of games that were played, with those of earlier runs.
    pub pairs: u64,
    /// The parameters' values, in the order of the plan.
    pub values: Vec<f64>,
    /// Whether all pairs were played.
    pub complete: bool,
}

/// Plays the pairs of games of a plan, or the rest of them, and moves the parameters after each.
///
/// With a `storage`, every pair is on disk before it counts, and a later call with the same plan
/// resumes. With more than one game at a time the values depend on the order in which pairs end.
/// `listener` is called with the report after each pair. A raised stop flag ends the running games,
/// which are not counted.
///
/// # Errors
/// [`ArenaError`]. What engines do during a game is never an error: it is the result of the game.
pub fn tune(
    plan: &TuningPlan,
    storage: Option<&dyn Storage>,
    run: &Run,
    listener: &mut dyn FnMut(&TuningReport),
) -> Result<TuningReport, ArenaError> {
    let all = plan.games.rounds;
    let mut state = State::new(&plan.parameters, plan.seed, all, plan.rate);
    let (mut journal, finished) = match storage {
        None => (None, Vec::new()),
        Some(storage) => {
            let (journal, finished) = journal::open(plan, storage, &mut state)?;
            (Some(journal), finished)
        }
    };
    let finished: BTreeSet<u64> = finished.into_iter().collect();
    let mut pairs = finished.len() as u64;
    let left = all.saturating_sub(pairs);
    if left > 0 && !run.stop.is_raised() {
        if plan.games.openings.get(0, &run.stop).is_none() && !run.stop.is_raised() {
            return Err(ArenaError::NoOpenings);
        }
        let mut first = plan.games.clone();
        for (engine, options) in first.engines.iter_mut().zip(state.options(0)) {
            engine.options.extend(options);
        }
        check_engines_start(&first, run)?;
        let threads = usize::try_from(left).unwrap_or(usize::MAX);
        let shared = Shared {
            plan,
            state: Mutex::new(&mut state),
            queue: Mutex::new((0..all).filter(|pair| !finished.contains(pair))),
            over: Stop::default(),
        };
        let threads = plan.games.concurrency.clamp(1, threads);
        run_pairs(&shared, threads, run, &mut |pair, lead, values| {
            if let Some(journal) = &mut journal {
                journal.append(&Entry::Pair(pair, lead))?;
            }
            pairs += 1;
            run.progress.advance(1);
            listener(&TuningReport {
                pairs,
                values: values.to_vec(),
                complete: pairs == all,
            });
            Ok(())
        })?;
    }
    Ok(TuningReport {
        pairs,
        values: state.values,
        complete: pairs >= all,
    })
}

/// What the threads of a run share.
struct Shared<'a, 's, Q> {
    plan: &'a TuningPlan,
    state: Mutex<&'a mut State<'s>>,
    /// The numbers of the pairs that are still to be played.
    queue: Mutex<Q>,
    over: Stop,
}

/// Keeps a finished pair, with the values after it.
type Record<'a> = dyn FnMut(u64, f64, &[f64]) -> Result<(), ArenaError> + 'a;

/// A finished pair: its number, and by how many points the first side won.
type Finished = (u64, f64);

fn run_pairs<Q: Iterator<Item = u64> + Send>(
    shared: &Shared<'_, '_, Q>,
    threads: usize,
    run: &Run,
    record: &mut Record<'_>,
) -> Result<(), ArenaError> {
    let (sender, pairs) = channel();
    thread::scope(|scope| {
        for _ in 0..threads {
            let sender = sender.clone();
            let work = move || play_pairs(shared, &sender);
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, work) {
                shared.over.raise();
                return Err(ArenaError::Thread(error));
            }
        }
        drop(sender);
        let ended = loop {
            if run.stop.is_raised() {
                break Ok(());
            }
            let (pair, lead) = match pairs.recv_timeout(Duration::from_millis(50)) {
                Ok(finished) => finished,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break Ok(()),
            };
            let values = {
                let mut state = lock(&shared.state);
                state.learn(pair, lead);
                state.values.clone()
            };
            if let Err(error) = record(pair, lead, &values) {
                break Err(error);
            }
        };
        shared.over.raise();
        ended
    })
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Plays pairs of the queue until it is empty.
fn play_pairs<Q: Iterator<Item = u64>>(shared: &Shared<'_, '_, Q>, finished: &Sender<Finished>) {
    while !shared.over.is_raised() {
        let Some(pair) = lock(&shared.queue).next() else {
            return;
        };
        let options = lock(&shared.state).options(pair);
        let engines = [0, 1].map(|side| {
            let mut engine = shared.plan.games.engines[side].clone();
            engine.options.extend(options[side].iter().cloned());
            engine
        });
        match play_pair(shared, pair, &engines) {
            Ok(Some(lead)) if finished.send((pair, lead)).is_ok() => {}
            _ => return,
        }
    }
}

/// By how many points the first engine won a pair of games; `None` without an opening.
fn play_pair<Q>(
    shared: &Shared<'_, '_, Q>,
    pair: u64,
    engines: &[EngineConfig; 2],
) -> Result<Option<f64>, MatchStopped> {
    let games = &shared.plan.games;
    let settings = settings(games, &[], &shared.over);
    let Some(opening) = games.openings.get(pair, &shared.over) else {
        return Ok(None);
    };
    let [mut first, mut second] = [0, 1].map(|side| Player::new(&engines[side]));
    let lead = |game: &GameRecord| f64::from(game.outcome.white_half_points()) - 1.0;
    let one = game::play(
        2 * pair,
        [&mut first, &mut second],
        [0, 1],
        &opening,
        &settings,
    )?;
    let two = game::play(
        2 * pair + 1,
        [&mut second, &mut first],
        [1, 0],
        &opening,
        &settings,
    )?;
    Ok(Some(lead(&one) - lead(&two)))
}
