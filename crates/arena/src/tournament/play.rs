//! Playing the games of a match on several threads.

use std::collections::{BTreeSet, HashMap};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use everymove_kernel::files::{Journal, Storage};
use everymove_kernel::machine;
use everymove_kernel::run::{Run, Stop};

use super::journal::{self, Entry};
use super::plan::MatchPlan;
use super::report::MatchReport;
use crate::error::ArenaError;
use crate::game::{self, GameSettings, MatchStopped, Player};
use crate::protocol::{Fault, StartError};
use crate::record::GameRecord;
use crate::schedule::Schedule;

/// The numbers of the games still to be played, in order.
type Queue<'a> = Mutex<&'a mut (dyn Iterator<Item = u64> + Send)>;

/// Plays a match, or the rest of it.
///
/// With a `storage`, every game is on disk before it counts, and a later call with the same plan
/// resumes the match. `listener` is called with the report after each game. A raised stop flag ends
/// the running games, which are not counted, and returns the report of the finished ones. Memory:
/// about 100 bytes a move.
///
/// # Errors
/// [`ArenaError`]. What engines do during a game is never an error: it is the result of the game.
pub fn play_match(
    plan: &MatchPlan,
    storage: Option<&dyn Storage>,
    run: &Run,
    listener: &mut dyn FnMut(&MatchReport, &GameRecord),
) -> Result<MatchReport, ArenaError> {
    if plan.sprt.is_some() && plan.engines.len() != 2 {
        return Err(ArenaError::TestOfMany(plan.engines.len()));
    }
    let schedule = plan.schedule();
    let mut report = MatchReport::new(plan.sprt);
    let journal = match storage {
        None => None,
        Some(storage) => Some(journal::open(
            plan,
            &schedule,
            storage,
            &run.stop,
            &mut report,
        )?),
    };
    report.resumed = report.games.len() as u64;
    let scheduled = schedule.games();
    let needed = report.needed(scheduled);
    let finished: BTreeSet<u64> = report.games.range(..needed).map(|(&n, _)| n).collect();
    let left = needed - finished.len() as u64;
    if left > 0 && !run.stop.is_raised() {
        if plan.openings.get(0, &run.stop).is_none() && !run.stop.is_raised() {
            return Err(ArenaError::NoOpenings);
        }
        let threads = usize::try_from(left).unwrap_or(usize::MAX);
        let threads = plan.concurrency.clamp(1, threads);
        let processors = plan.processors(threads, &machine::processors())?;
        check_engines_start(plan, run)?;
        let mut numbers = (0..needed).filter(|number| !finished.contains(number));
        let mut recorder = Recorder {
            journal,
            report: &mut report,
            run,
            listener,
        };
        run_games(
            plan,
            &schedule,
            &Mutex::new(&mut numbers),
            &processors,
            &mut recorder,
        )?;
    }
    report.finish(scheduled);
    Ok(report)
}

/// What the games of a match share.
pub(crate) fn settings<'a>(
    plan: &'a MatchPlan,
    processors: &'a [usize],
    stop: &'a Stop,
) -> GameSettings<'a> {
    GameSettings {
        limits: plan.limits,
        margin: plan.margin,
        adjudication: &plan.adjudication,
        tables: plan.tables.as_deref(),
        timeouts: plan.timeouts,
        mode: plan.mode,
        processors,
        log: plan.log.as_ref(),
        stop,
    }
}

/// Starts each engine once, so that a wrong description is an error and not a lost game.
pub(crate) fn check_engines_start(plan: &MatchPlan, run: &Run) -> Result<(), ArenaError> {
    let settings = settings(plan, &[], &run.stop);
    let expected = "expected an engine that speaks UCI (or proto=xboard)";
    for engine in &plan.engines {
        let reason = match Player::new(engine).connection(&settings) {
            Ok(_) | Err(StartError::Fault(Fault::Stopped)) => continue,
            Err(StartError::Configuration(reason)) => reason,
            Err(StartError::Fault(Fault::Crash(what))) => {
                format!("it does not start: {what}; {expected}")
            }
            Err(StartError::Fault(Fault::Stall(what) | Fault::OutOfTime(what))) => {
                format!("it does not answer: {what}; {expected}")
            }
        };
        let name = engine.name.clone();
        return Err(ArenaError::Engine { name, reason });
    }
    Ok(())
}

/// Where finished games are counted: on disk first, then in the report.
struct Recorder<'a> {
    journal: Option<Journal>,
    report: &'a mut MatchReport,
    run: &'a Run,
    listener: &'a mut dyn FnMut(&MatchReport, &GameRecord),
}

impl Recorder<'_> {
    fn record(&mut self, game: GameRecord) -> Result<(), ArenaError> {
        let entry = Entry::Game(Box::new(game));
        if let Some(journal) = &mut self.journal {
            journal.append(&entry)?;
        }
        let Entry::Game(game) = entry else {
            return Ok(());
        };
        let number = game.number;
        self.run.progress.advance(1);
        self.run.progress.worked(game.moves.len() as u64);
        self.report.add(*game);
        (self.listener)(self.report, &self.report.games[&number]);
        Ok(())
    }
}

/// Plays the games of the queue, as many at once as there are sets of `processors`.
fn run_games(
    plan: &MatchPlan,
    schedule: &Schedule,
    queue: &Queue<'_>,
    processors: &[Vec<usize>],
    recorder: &mut Recorder<'_>,
) -> Result<(), ArenaError> {
    // A stop flag of the match, so that the decision of a test ends the running games but not the
    // whole run.
    let over = Stop::default();
    let (sender, games) = channel();
    thread::scope(|scope| {
        for processors in processors {
            let (sender, over) = (sender.clone(), &over);
            let work = move || play_games(plan, schedule, queue, processors, over, &sender);
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, work) {
                over.raise();
                return Err(ArenaError::Thread(error));
            }
        }
        drop(sender);
        let ended = loop {
            if recorder.run.stop.is_raised() {
                break Ok(());
            }
            let game = match games.recv_timeout(Duration::from_millis(50)) {
                Ok(game) => game,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break Ok(()),
            };
            if let Err(error) = recorder.record(game) {
                break Err(error);
            }
            if recorder.report.needed(schedule.games()) < schedule.games() {
                break Ok(());
            }
        };
        over.raise();
        // Games that ended before their thread saw the flag are counted too.
        for game in games {
            if ended.is_ok() {
                recorder.record(game)?;
            }
        }
        ended
    })
}

/// Plays games of the queue until it is empty; engines of the previous game keep running if they
/// play the next one.
fn play_games(
    plan: &MatchPlan,
    schedule: &Schedule,
    queue: &Queue<'_>,
    processors: &[usize],
    over: &Stop,
    games: &Sender<GameRecord>,
) {
    let settings = settings(plan, processors, over);
    let mut players: HashMap<usize, Player<'_>> = HashMap::new();
    while !over.is_raised() {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        let Some(number) = next else { return };
        let scheduled = schedule.game(number);
        let engines = [scheduled.white, scheduled.black];
        players.retain(|engine, _| engines.contains(engine));
        let [mut white, mut black] = engines.map(|e| {
            players
                .remove(&e)
                .unwrap_or_else(|| Player::new(&plan.engines[e]))
        });
        let Some(opening) = plan.opening(&scheduled, over) else {
            return;
        };
        match game::play(
            number,
            [&mut white, &mut black],
            engines,
            &opening,
            &settings,
        ) {
            Ok(game) => {
                if games.send(game).is_err() {
                    return;
                }
            }
            Err(MatchStopped) => return,
        }
        players.insert(engines[0], white);
        players.insert(engines[1], black);
    }
}
