//! Talking to engines: processes, their lines, and the two languages of chess programs.
//!
//! - [`process`]: a child process that cannot hang, flood or outlive the arena;
//! - [`uci`], [`xboard`]: the languages, behind [`Talk`];
//! - [`thought`]: what an engine tells about its search.
//!
//! Nothing an engine does is an error of the arena: what goes wrong is a [`Fault`] of that engine, and costs it the
//! game.

mod group;
pub(crate) mod process;
pub(crate) mod thought;
mod uci;
mod xboard;

use std::time::Duration;

use everymove_kernel::run::Stop;

use crate::limits::Limits;
use crate::line::Line;
use crate::program::{Program, Protocol};
use thought::Thought;

/// How long the arena waits where no clock runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For the first answer of a program that was just started.
    pub start: Duration,
    /// For a move under limits without time: nodes or depth. Some engines ignore those and think for ever.
    pub think: Duration,
    /// For a sign of life: `readyok`, or the move after the flag has fallen.
    pub answer: Duration,
    /// For the end after `quit`, before the process is killed.
    pub quit: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(10),
            think: Duration::from_secs(60),
            answer: Duration::from_secs(5),
            quit: Duration::from_millis(500),
        }
    }
}

/// Why an engine cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Its process ended or closed its output.
    Crash(String),
    /// It does not answer, or does not read.
    Stall(String),
    /// The match is being stopped; nobody's fault.
    Stopped,
}

/// What is asked of an engine whose turn it is.
#[derive(Debug)]
pub(crate) struct Ask<'a> {
    /// The game so far.
    pub(crate) line: &'a Line,
    /// What bounds the thinking.
    pub(crate) limits: &'a Limits,
    /// Time left on its clock and on the opponent's, if it plays with one.
    pub(crate) left: Option<(Duration, Duration)>,
    /// Its increment and the opponent's.
    pub(crate) increments: (Duration, Duration),
    /// Moves until its next time control, if there is one.
    pub(crate) moves_to_go: Option<u32>,
    /// When its flag falls, counted from now; `None` without a time limit.
    pub(crate) flag: Option<Duration>,
}

/// What an engine decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// A move, in UCI notation if it is one at all.
    Move(String),
    /// It gives up.
    Resign,
}

/// An engine's answer.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// The decision.
    pub(crate) choice: Choice,
    /// From the question to the decision, as it came out of the pipe.
    pub(crate) spent: Duration,
    /// What it told about its search.
    pub(crate) thought: Thought,
}

/// A conversation with a running engine.
pub(crate) trait Talk: Send {
    /// Prepares for a new game.
    fn new_game(&mut self, line: &Line) -> Result<(), Fault>;
    /// Asks for a move.
    fn think(&mut self, ask: &Ask<'_>) -> Result<Answer, Fault>;
    /// Tells that the game is over.
    fn game_over(&mut self);
}

/// Why an engine could not be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StartError {
    /// It is described wrongly: no such program, no such option.
    Described(String),
    /// It does not do what engines do.
    Behaves(Fault),
}

impl From<Fault> for StartError {
    fn from(fault: Fault) -> Self {
        Self::Behaves(fault)
    }
}

/// Starts an engine, greets it and sets its options.
pub(crate) fn start(
    program: &Program,
    chess960: bool,
    patience: Patience,
    stop: &Stop,
) -> Result<Box<dyn Talk>, StartError> {
    let process =
        process::Process::start(program, patience, stop.clone()).map_err(StartError::Described)?;
    Ok(match program.protocol {
        Protocol::Uci => Box::new(uci::Uci::greet(process, program, chess960)?),
        Protocol::Xboard => Box::new(xboard::Xboard::greet(process, program, chess960)?),
    })
}
