//! Commands: those of the catalogue, and those that only a terminal has.

mod pegs_play;
mod play;
mod serve;
mod shell;
mod uci;

use clap::{ArgMatches, Args, FromArgMatches};
use everymove_api::catalogue;
use everymove_api::command::one_line;

use crate::answer::{Outcome, footer};
use crate::failure::Failure;
use crate::session::{OutputFormat, Session};

/// A command that only a terminal has.
pub(crate) struct OfTerminal {
    /// The words that ask it: `pegs play`.
    pub(crate) name: &'static str,
    /// Its arguments and options, and what it is about.
    pub(crate) arguments: fn(clap::Command) -> clap::Command,
    run: fn(&ArgMatches, &Session) -> Result<Outcome, Failure>,
}

macro_rules! of_terminal {
    ($name:literal, $about:literal, $args:ty, $run:expr) => {
        OfTerminal {
            name: $name,
            arguments: |command| <$args>::augment_args(command).about($about),
            run: |matches, session| $run(read::<$args>(matches)?, session),
        }
    };
}

/// All of them.
pub(crate) const OF_TERMINAL: &[OfTerminal] = &[
    of_terminal!(
        "pegs play",
        "A game in the terminal, with undo and hints",
        pegs_play::Args,
        pegs_play::run
    ),
    of_terminal!(
        "engine uci",
        "Speak UCI on standard input and output, as chess programs do; --threads sets the option Threads",
        Nothing,
        |_, s| uci::uci(s)
    ),
    of_terminal!(
        "play",
        "A game of chess against the engine",
        play::Args,
        |r, s| play::run(&r, s)
    ),
    of_terminal!(
        "serve",
        "The web page and the interface for programs, on this machine",
        serve::Args,
        serve::run
    ),
    of_terminal!(
        "completions",
        "Completions for a shell, on standard output",
        shell::Completions,
        |r, s| shell::completions(&r, s)
    ),
    of_terminal!(
        "man",
        "Manual pages, written into a directory",
        shell::Man,
        |r, _| shell::man(&r)
    ),
    of_terminal!(
        "schema",
        "The JSON Schema of all requests and answers, on standard output",
        Nothing,
        |_, s| shell::schema(s)
    ),
];

/// No arguments.
#[derive(Debug, clap::Args)]
pub(crate) struct Nothing {}

/// Arguments of a kind.
pub(crate) fn read<A: FromArgMatches>(matches: &ArgMatches) -> Result<A, Failure> {
    A::from_arg_matches(matches).map_err(|error| Failure::Input(one_line(&error)))
}

/// Runs the command that was asked to its answer.
pub(crate) fn run(matches: &ArgMatches, session: &Session) -> Result<Outcome, Failure> {
    let (mut name, mut asked) = (String::new(), matches);
    while let Some((word, of_word)) = asked.subcommand() {
        name += &format!(" {word}");
        asked = of_word;
    }
    let name = match name.trim() {
        "engine" => "engine uci",
        name => name,
    };
    if name != "lab run" {
        session.one_number_of_threads()?;
    }
    if let Some(command) = OF_TERMINAL.iter().find(|command| command.name == name) {
        return (command.run)(asked, session);
    }
    let terminal = catalogue::find(name)?.on_terminal;
    let terminal = terminal.expect("a command of the command line");
    let ended = (terminal.ask)(asked, session)?;
    if let (Some(work), OutputFormat::Full) = (&ended.work, session.format) {
        footer(session, work);
    }
    match ended.fault {
        Some(fault) => Err(fault.into()),
        None => Ok(ended.outcome),
    }
}
