//! A match from the first game to the last, over as many interruptions as it takes.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use everymove_kernel::files::{FileError, Journal, Storage};
use everymove_kernel::run::{Run, Stop};
use serde::{Deserialize, Serialize};
use shakmaty::CastlingMode;
use thiserror::Error;

use crate::game::{self, Interrupted, Rules, Seat};
use crate::limits::Limits;
use crate::line::{Line, LineError, Opening};
use crate::pgn;
use crate::program::{Program, Protocol};
use crate::record::Game;
use crate::referee::{Adjudication, Oracle};
use crate::schedule::{Fixture, Format, Schedule};
use crate::standings::{Sequence, Standings};
use crate::stats::Sprt;
use crate::talk::{Fault, Patience, StartError};

/// A match to be played. [`Plan::new`] checks it.
#[derive(Clone)]
pub struct Plan {
    /// The players; their names differ.
    pub engines: Vec<Program>,
    /// Who meets whom.
    pub format: Format,
    /// How many pairs of games each pairing plays.
    pub rounds: u64,
    /// One for each round; used again from the first one if there are fewer.
    pub openings: Vec<Opening>,
    /// The limits of engines that have none of their own.
    pub limits: Limits,
    /// How far past its flag an engine may answer.
    pub margin: Duration,
    /// When games end early.
    pub adjudication: Adjudication,
    /// Knows positions with few pieces.
    pub oracle: Option<Arc<dyn Oracle>>,
    /// Ends the match when it decides; for two engines.
    pub sprt: Option<Sprt>,
    /// Chess or Chess960.
    pub mode: CastlingMode,
    /// How many games run at once.
    pub concurrency: usize,
    /// How long to wait where no clock runs.
    pub patience: Patience,
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.engines.iter().map(|e| &e.name).collect();
        f.debug_struct("Plan")
            .field("engines", &names)
            .field("format", &self.format)
            .field("rounds", &self.rounds)
            .finish_non_exhaustive()
    }
}

/// A match that cannot be played.
#[derive(Debug, Error)]
pub enum ArenaError {
    /// Not enough players.
    #[error("a match needs two engines or more, not {0}")]
    Players(usize),
    /// Two players of one name.
    #[error("two engines are called {0}: give each a name of its own with name=")]
    SameName(String),
    /// No games.
    #[error("a match of no games: expected one pair of games or more")]
    NoGames,
    /// A test among many.
    #[error("a sequential test compares two engines, not {0}")]
    TestOfMany(usize),
    /// An engine has nothing that bounds its thinking.
    #[error("{0}: {1}")]
    Limits(String, crate::limits::LimitsError),
    /// An opening that cannot be played.
    #[error("opening {number}: {error}")]
    Opening {
        /// Which, from 1.
        number: usize,
        /// What is wrong.
        error: LineError,
    },
    /// No openings.
    #[error("there are no openings")]
    NoOpenings,
    /// An engine that cannot be started or does not behave like one.
    #[error("{name}: {what}")]
    Engine {
        /// Its name.
        name: String,
        /// What is wrong.
        what: String,
    },
    /// The checkpoint has games of another match.
    #[error(
        "the checkpoint belongs to another match: {0}; repeat that match's command, or name another directory"
    )]
    OtherMatch(String),
    /// A file.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Plan {
    /// A plan with nothing adjudicated, one game at a time.
    ///
    /// # Errors
    /// [`ArenaError`] saying what cannot be.
    pub fn new(
        engines: Vec<Program>,
        format: Format,
        rounds: u64,
        openings: Vec<Opening>,
        limits: Limits,
        mode: CastlingMode,
    ) -> Result<Self, ArenaError> {
        if engines.len() < 2 {
            return Err(ArenaError::Players(engines.len()));
        }
        for (i, engine) in engines.iter().enumerate() {
            if engines[..i].iter().any(|other| other.name == engine.name) {
                return Err(ArenaError::SameName(engine.name.clone()));
            }
            let own = engine.limits.unwrap_or(limits).checked();
            let own = own.map_err(|e| ArenaError::Limits(engine.name.clone(), e))?;
            if engine.protocol == Protocol::Xboard && own.nodes.is_some() {
                return Err(ArenaError::Engine {
                    name: engine.name.clone(),
                    what: "the protocol of xboard knows no limit of nodes: give it a tc, st or depth of its own".into(),
                });
            }
        }
        if rounds == 0 {
            return Err(ArenaError::NoGames);
        }
        if openings.is_empty() {
            return Err(ArenaError::NoOpenings);
        }
        for (index, opening) in openings.iter().enumerate() {
            Line::new(opening, mode).map_err(|error| ArenaError::Opening {
                number: index + 1,
                error,
            })?;
        }
        Ok(Self {
            engines,
            format,
            rounds,
            openings,
            limits,
            margin: Duration::ZERO,
            adjudication: Adjudication::default(),
            oracle: None,
            sprt: None,
            mode,
            concurrency: 1,
            patience: Patience::default(),
        })
    }

    /// All games.
    pub fn schedule(&self) -> Schedule {
        Schedule::new(self.format, self.engines.len(), self.rounds)
    }

    /// The opening of a game.
    pub fn opening(&self, fixture: &Fixture) -> &Opening {
        &self.openings[(fixture.opening % self.openings.len() as u64) as usize]
    }

    /// A game of this match in PGN.
    pub fn pgn(&self, game: &Game, event: &str) -> String {
        let players = [game.white, game.black].map(|e| &self.engines[e]);
        let round = self.schedule().fixture(game.number).opening + 1;
        let header = pgn::Header {
            event,
            names: players.map(|p| p.name.as_str()),
            limits: players.map(|p| p.limits.unwrap_or(self.limits)),
            round: (round, 1 + game.number % 2),
            mode: self.mode,
        };
        pgn::pgn(game, &header)
    }

    fn terms(&self) -> Terms {
        Terms {
            engines: self.engines.clone(),
            format: self.format,
            limits: self.limits,
            margin: self.margin,
            adjudication: self.adjudication.clone(),
            tables: self.oracle.is_some(),
            chess960: self.mode == CastlingMode::Chess960,
        }
    }
}

/// What must not change when a match goes on. More games may be asked for, and another test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Terms {
    engines: Vec<Program>,
    format: Format,
    limits: Limits,
    margin: Duration,
    adjudication: Adjudication,
    tables: bool,
    chess960: bool,
}

impl Terms {
    /// What differs, in words.
    fn difference(&self, other: &Self) -> Option<&'static str> {
        [
            (self.engines != other.engines, "its engines differ"),
            (self.format != other.format, "its format differs"),
            (
                self.limits != other.limits || self.margin != other.margin,
                "its limits differ",
            ),
            (
                self.adjudication != other.adjudication,
                "its adjudication differs",
            ),
            (self.tables != other.tables, "one uses tables, one does not"),
            (
                self.chess960 != other.chess960,
                "one is Chess960, one is not",
            ),
        ]
        .into_iter()
        .find_map(|(differs, what)| differs.then_some(what))
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Entry {
    Match(Box<Terms>),
    Game(Box<Game>),
}

/// The name of the journal in the folder of a checkpoint: a JSON object a line (see [`Journal`]).
pub const JOURNAL: &str = "games.jsonl";

/// A match so far.
#[derive(Clone, Debug)]
pub struct Report {
    /// The games that are over, by number.
    pub games: BTreeMap<u64, Game>,
    /// What counts: all games, or after a test has decided those it looked at.
    pub standings: Standings,
    /// The test, if there is one.
    pub sequence: Option<Sequence>,
    /// How many games were taken from the checkpoint.
    pub resumed: u64,
    /// Whether every game of the schedule is over or a test has decided.
    pub complete: bool,
}

impl Report {
    fn new(sprt: Option<Sprt>) -> Self {
        Self {
            games: BTreeMap::new(),
            standings: Standings::default(),
            sequence: sprt.map(Sequence::new),
            resumed: 0,
            complete: false,
        }
    }

    fn add(&mut self, game: Game) {
        self.standings.add_game(&game);
        if let Some(sequence) = &mut self.sequence {
            sequence.add(&game);
        }
        self.games.insert(game.number, game);
    }

    /// How many games of the schedule are needed: fewer than all of them once a test has decided.
    fn needed(&self, all: u64) -> u64 {
        let decided = self.sequence.as_ref().and_then(Sequence::decided_after);
        decided.unwrap_or(all).min(all)
    }

    /// Drops from the standings what was played beyond the decision of a test.
    fn close(&mut self, all: u64) {
        let needed = self.needed(all);
        self.complete = (0..needed).all(|n| self.games.contains_key(&n));
        if self
            .games
            .keys()
            .next_back()
            .is_some_and(|&last| last >= needed)
        {
            self.standings = Standings::default();
            for game in self.games.range(..needed).map(|(_, game)| game) {
                self.standings.add_game(game);
            }
        }
    }
}

/// Plays a match, or what is left of it.
///
/// With a `storage`, every game is on the disk before the next one counts; a later call with the same plan goes on
/// from there. `watch` sees the report after each game. A raised stop flag ends the running games, which are not
/// counted, and returns the report of the finished ones. Memory: about 100 bytes a move.
///
/// # Errors
/// [`ArenaError`]. What engines do during a game is never an error: it is the game's result.
pub fn play(
    plan: &Plan,
    storage: Option<&dyn Storage>,
    run: &Run,
    watch: &mut dyn FnMut(&Report, &Game),
) -> Result<Report, ArenaError> {
    if plan.sprt.is_some() && plan.engines.len() != 2 {
        return Err(ArenaError::TestOfMany(plan.engines.len()));
    }
    let schedule = plan.schedule();
    let mut report = Report::new(plan.sprt);
    let mut journal = match storage {
        None => None,
        Some(storage) => Some(resume(plan, &schedule, storage, &mut report)?),
    };
    report.resumed = report.games.len() as u64;
    let all = schedule.games();
    let left: VecDeque<u64> = (0..report.needed(all))
        .filter(|number| !report.games.contains_key(number))
        .collect();
    if !left.is_empty() {
        try_out(plan, run)?;
        run_games(
            plan,
            &schedule,
            left,
            journal.as_mut(),
            run,
            &mut report,
            watch,
        )?;
    }
    report.close(all);
    Ok(report)
}

/// Reads the journal into the report.
fn resume(
    plan: &Plan,
    schedule: &Schedule,
    storage: &dyn Storage,
    report: &mut Report,
) -> Result<Journal, ArenaError> {
    let (mut journal, entries) = Journal::open::<Entry>(storage, JOURNAL)?;
    let mut entries = entries.into_iter();
    match entries.next() {
        None => journal.append(&Entry::Match(Box::new(plan.terms())))?,
        Some(Entry::Match(terms)) => {
            if let Some(what) = plan.terms().difference(&terms) {
                return Err(ArenaError::OtherMatch(what.into()));
            }
        }
        Some(Entry::Game(_)) => {
            return Err(ArenaError::OtherMatch("it does not say which".into()));
        }
    }
    for entry in entries {
        let Entry::Game(game) = entry else { continue };
        // A match may go on with more games, but also be looked at with fewer.
        if game.number >= schedule.games() {
            continue;
        }
        let fixture = schedule.fixture(game.number);
        if plan.opening(&fixture) != &game.opening
            || (fixture.white, fixture.black) != (game.white, game.black)
        {
            return Err(ArenaError::OtherMatch("its openings differ".into()));
        }
        if !report.games.contains_key(&game.number) {
            report.add(*game);
        }
    }
    Ok(journal)
}

fn rules<'a>(plan: &'a Plan, stop: &'a Stop) -> Rules<'a> {
    Rules {
        limits: plan.limits,
        margin: plan.margin,
        adjudication: &plan.adjudication,
        oracle: plan.oracle.as_deref(),
        patience: plan.patience,
        mode: plan.mode,
        stop,
    }
}

/// Starts each engine once, so that a wrong word on the command line does not become a lost game.
fn try_out(plan: &Plan, run: &Run) -> Result<(), ArenaError> {
    let rules = rules(plan, &run.stop);
    for program in &plan.engines {
        let what = match Seat::new(program).talk(&rules) {
            Ok(_) | Err(StartError::Behaves(Fault::Stopped)) => continue,
            Err(StartError::Described(what)) => what,
            Err(StartError::Behaves(Fault::Crash(what))) => {
                format!(
                    "it does not start: {what}; expected an engine that speaks UCI (or proto=xboard)"
                )
            }
            Err(StartError::Behaves(Fault::Stall(what))) => {
                format!(
                    "it does not answer: {what}; expected an engine that speaks UCI (or proto=xboard)"
                )
            }
        };
        let name = program.name.clone();
        return Err(ArenaError::Engine { name, what });
    }
    Ok(())
}

fn run_games(
    plan: &Plan,
    schedule: &Schedule,
    left: VecDeque<u64>,
    mut journal: Option<&mut Journal>,
    run: &Run,
    report: &mut Report,
    watch: &mut dyn FnMut(&Report, &Game),
) -> Result<(), ArenaError> {
    // The match's own flag, so that a test that decides ends the running games but nothing else.
    let over = Stop::default();
    let workers = plan.concurrency.clamp(1, left.len());
    let left = Mutex::new(left);
    let (sender, games) = channel();
    thread::scope(|scope| {
        for _ in 0..workers {
            let (sender, left, over) = (sender.clone(), &left, &over);
            scope.spawn(move || worker(plan, schedule, left, over, &sender));
        }
        drop(sender);
        let ended = loop {
            if run.stop.is_raised() {
                break Ok(());
            }
            let game: Game = match games.recv_timeout(Duration::from_millis(50)) {
                Ok(game) => game,
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => continue,
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => break Ok(()),
            };
            if let Err(error) = keep(game, &mut journal, run, report, watch) {
                break Err(error);
            }
            if report.needed(schedule.games()) < schedule.games() {
                break Ok(());
            }
        };
        over.raise();
        // Games that ended in this moment are kept too.
        for game in games {
            if ended.is_ok() {
                keep(game, &mut journal, run, report, watch)?;
            }
        }
        ended
    })
}

fn keep(
    game: Game,
    journal: &mut Option<&mut Journal>,
    run: &Run,
    report: &mut Report,
    watch: &mut dyn FnMut(&Report, &Game),
) -> Result<(), ArenaError> {
    let entry = Entry::Game(Box::new(game));
    if let Some(journal) = journal {
        journal.append(&entry)?;
    }
    let Entry::Game(game) = entry else {
        return Ok(());
    };
    let number = game.number;
    run.progress.advance(1);
    run.progress.worked(game.moves.len() as u64);
    report.add(*game);
    watch(report, &report.games[&number]);
    Ok(())
}

/// Plays games until none is left; keeps the engines of the last game running for the next.
fn worker(
    plan: &Plan,
    schedule: &Schedule,
    left: &Mutex<VecDeque<u64>>,
    over: &Stop,
    games: &Sender<Game>,
) {
    let rules = rules(plan, over);
    let mut seats: HashMap<usize, Seat<'_>> = HashMap::new();
    while !over.is_raised() {
        let next = left
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front();
        let Some(number) = next else { return };
        let fixture = schedule.fixture(number);
        let players = [fixture.white, fixture.black];
        seats.retain(|engine, _| players.contains(engine));
        let [mut white, mut black] = players.map(|e| {
            seats
                .remove(&e)
                .unwrap_or_else(|| Seat::new(&plan.engines[e]))
        });
        let opening = plan.opening(&fixture);
        match game::play(number, [&mut white, &mut black], players, opening, &rules) {
            Ok(game) => {
                if games.send(game).is_err() {
                    return;
                }
            }
            Err(Interrupted) => return,
        }
        seats.insert(players[0], white);
        seats.insert(players[1], black);
    }
}
