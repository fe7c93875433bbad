//! Communication with engines: their processes, and the two protocols of chess programs.
//!
//! - [`process`]: a child process with time-stamped, bounded output, which cannot block or outlive
//!   the arena;
//! - [`uci`], [`xboard`]: the protocols, behind [`Connection`];
//! - [`search_info`]: what an engine reports about its search.
//!
//! Nothing that an engine does is an error of the arena: it is a [`Fault`] of that engine, which
//! loses the game.

pub(crate) mod process;
pub(crate) mod search_info;
mod uci;
mod xboard;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use everymove_kernel::run::Stop;

use crate::engine_config::{EngineConfig, Protocol};
use crate::game_state::{GameState, RuleEnd};
use crate::limits::Limits;
use process::{Process, ReceiveError};
use search_info::SearchInfo;

/// How long the arena waits for an engine outside the engine's own clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For the first answer of a program that was just started, and for readiness before a game.
    pub start: Duration,
    /// For a move under limits without time (nodes or depth), which some engines ignore and search
    /// without end.
    pub search: Duration,
    /// For `readyok` during a game, and for the move after the flag has fallen.
    pub response: Duration,
    /// For the end of the process after `quit`; then it is killed.
    pub quit: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(10),
            search: Duration::from_secs(60),
            response: Duration::from_secs(5),
            quit: Duration::from_millis(500),
        }
    }
}

/// Receives all that engines are sent and write, a line each: seconds since the log began, name and
/// process of the engine, `<-` for a line to it, `->` for one of it, `!!` for one of its standard
/// error, and the line.
#[derive(Clone)]
pub struct EngineLog {
    began: Instant,
    write: Arc<dyn Fn(&str) + Send + Sync>,
}

impl EngineLog {
    /// A log that begins now.
    pub fn new(write: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self {
            began: Instant::now(),
            write: Arc::new(write),
        }
    }

    fn line(&self, engine: &str, direction: &str, text: &str) {
        let seconds = self.began.elapsed().as_secs_f64();
        (self.write)(&format!("{seconds:.3} {engine} {direction} {text}"));
    }
}

impl fmt::Debug for EngineLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EngineLog")
    }
}

/// Why an engine cannot continue a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Its process ended or closed its output.
    Crash(String),
    /// It does not answer, or does not read.
    Stall(String),
    /// It does not move although its flag has fallen.
    OutOfTime(String),
    /// The match is being stopped: not the engine's fault.
    Stopped,
}

/// What an engine is asked to search.
#[derive(Debug)]
pub(crate) struct SearchRequest<'a> {
    /// The game so far.
    pub(crate) game: &'a GameState,
    /// The limits of the search.
    pub(crate) limits: &'a Limits,
    /// Time left on the engine's clock and on the opponent's, if it plays with a clock.
    pub(crate) left: Option<(Duration, Duration)>,
    /// The engine's increment and the opponent's.
    pub(crate) increments: (Duration, Duration),
    /// Moves until the engine's next time control, if there is one.
    pub(crate) moves_to_go: Option<u32>,
    /// When its flag falls, counted from the start of the search; `None` without a limit of time.
    pub(crate) flag: Option<Duration>,
}

/// What an engine decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The text of a move, in UCI notation if the engine is correct.
    Move(String),
    /// It claims a draw, rightly.
    Draw(RuleEnd),
    /// It resigns.
    Resign,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub(crate) struct SearchResult {
    /// The decision.
    pub(crate) choice: Choice,
    /// Time from the request to the arrival of the decision in the pipe.
    pub(crate) spent: Duration,
    /// The engine's last report.
    pub(crate) info: SearchInfo,
    /// The text of the reply that it expects.
    pub(crate) reply: Option<String>,
}

/// A connection to a running engine.
pub(crate) trait Connection: Send {
    /// Prepares the engine for a new game.
    fn new_game(&mut self, game: &GameState) -> Result<(), Fault>;
    /// Asks for a move.
    fn search(&mut self, request: &SearchRequest<'_>) -> Result<SearchResult, Fault>;
    /// Lets the engine think on the opponent's time, in the game after the reply that it expects.
    /// The next search, or the end of the game, ends that.
    fn ponder(&mut self, request: &SearchRequest<'_>) -> Result<(), Fault>;
    /// Reports that the game is over.
    fn game_over(&mut self);
}

/// Why an engine could not be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StartError {
    /// Its description is wrong: no such program, no such option.
    Configuration(String),
    /// It does not follow its protocol.
    Fault(Fault),
}

impl From<Fault> for StartError {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// Starts an engine, bound to `processors` if there are any, performs the handshake of its protocol
/// and sets its options.
pub(crate) fn start(
    config: &EngineConfig,
    chess960: bool,
    processors: &[usize],
    timeouts: Timeouts,
    log: Option<&EngineLog>,
    stop: &Stop,
) -> Result<Box<dyn Connection>, StartError> {
    let process = Process::start(config, processors, timeouts, log, stop.clone());
    let process = process.map_err(StartError::Configuration)?;
    Ok(match config.protocol {
        Protocol::Uci => Box::new(uci::Uci::connect(process, config, chess960)?),
        Protocol::Xboard => Box::new(xboard::Xboard::connect(process, config, chess960)?),
    })
}

/// Receives the lines of a search until `read` recognises the decision in one of them. The engine
/// thinks since `since`, earlier than `begin` if it has pondered.
///
/// When the flag has fallen the game is lost on time, but the engine gets `stop_command` and
/// [`Timeouts::response`] more: if it answers, its process can play the next game. Without a limit
/// of time, [`Timeouts::search`] is the limit, and an engine that exceeds it has stalled.
fn receive_choice(
    process: &mut Process,
    request: &SearchRequest<'_>,
    stop_command: &str,
    [since, begin]: [Instant; 2],
    mut read: impl FnMut(&str) -> Option<Choice>,
) -> Result<(Choice, Instant), Fault> {
    let mut deadline = begin + request.flag.unwrap_or(process.timeouts.search);
    let mut stop_sent = false;
    loop {
        match process.receive(deadline) {
            // What was written before the search belongs to an earlier one.
            Ok(line) if line.at < since => {}
            Ok(line) => {
                if let Some(choice) = read(&line.text) {
                    return Ok((choice, line.at));
                }
            }
            Err(ReceiveError::Timeout) if !stop_sent && request.flag.is_some() => {
                stop_sent = true;
                process.send(stop_command)?;
                deadline = Instant::now() + process.timeouts.response;
            }
            Err(error) => {
                let waited = deadline.saturating_duration_since(begin).as_secs_f64();
                let what = format!("no move within {waited:.1} s of {}", request.limits);
                return Err(match process.fault(error, &what) {
                    Fault::Stall(what) if request.flag.is_some() => Fault::OutOfTime(what),
                    fault => fault,
                });
            }
        }
    }
}
