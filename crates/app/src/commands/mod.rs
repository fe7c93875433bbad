//! Commands: those of the catalogue, and those that only a terminal has.

mod analyse;
mod arena;
mod chess;
mod engine;
mod fen;
mod jobs;
mod lab;
mod pegs_play;
mod play;
mod serve;
mod shell;

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
        "analyse",
        "What the engine finds in a position, in test positions, in games: scores, better moves, accuracy",
        analyse::Args,
        |r, s| analyse::run(&r, s)
    ),
    of_terminal!(
        "chess position",
        "The legal moves of a position, and whether the game is over",
        everymove_api::chess::PositionRequest,
        |r, s| chess::position(&r, s)
    ),
    of_terminal!(
        "chess move",
        "The engine's move",
        everymove_api::chess::MoveRequest,
        |r, s| chess::engine_move(&r, s)
    ),
    of_terminal!(
        "chess compare",
        "One position searched by each parallel strategy to the same depth",
        everymove_api::chess::CompareRequest,
        |r, s| chess::comparison(&r, s)
    ),
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
        |_, s| engine::uci(s)
    ),
    of_terminal!(
        "engine bench",
        "Search fixed positions; the node count of the last line is the signature of the search",
        everymove_api::chess::BenchRequest,
        |r, s| engine::bench::run(&r, s)
    ),
    of_terminal!(
        "engine perft",
        "Count the leaves of the tree of legal moves",
        engine::perft::Args,
        |r, s| engine::perft::run(&r, s)
    ),
    of_terminal!(
        "engine datagen",
        "Play games of the engine against itself, as data to train a network from",
        everymove_api::chess::DatagenRequest,
        |r, s| engine::datagen::run(&r, s)
    ),
    of_terminal!(
        "engine train",
        "Train a network for the evaluation on such games",
        engine::train::Args,
        |r, s| engine::train::run(&r, s)
    ),
    of_terminal!(
        "arena play",
        "Engines play each other; Elo with error bars, or a sequential test",
        arena::play::Args,
        |r, s| arena::play::run(&r, s)
    ),
    of_terminal!(
        "arena spsa",
        "Options of an engine, tuned by games against itself (SPSA)",
        arena::spsa::Args,
        |r, s| arena::spsa::run(&r, s)
    ),
    of_terminal!(
        "arena stats",
        "What the results in a PGN file, or given as numbers, say about strength",
        everymove_api::arena::StatsRequest,
        |r, s| arena::stats::run(&r, s)
    ),
    of_terminal!(
        "arena openings",
        "Balanced openings generated from the rules alone",
        arena::openings::Args,
        |r, s| arena::openings::run(&r, s)
    ),
    of_terminal!(
        "lab list",
        "The experiments",
        everymove_api::lab::ListRequest,
        |r, s| lab::list_all(&r, s)
    ),
    of_terminal!(
        "lab run",
        "One experiment; quick: all of them in about a minute; all: all of them in full",
        lab::RunArgs,
        lab::experiments
    ),
    of_terminal!(
        "jobs list",
        "The jobs into which a question falls: those that share work in a row, each after those that it needs",
        jobs::ListArgs,
        |r, s| jobs::list(&r, s)
    ),
    of_terminal!(
        "jobs run",
        "Run jobs whose results are not there yet",
        jobs::RunArgs,
        jobs::run_jobs
    ),
    of_terminal!(
        "jobs collect",
        "The answer, once all results are there",
        jobs::CollectArgs,
        jobs::collect
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
