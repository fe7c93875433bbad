//! One file a command: its arguments, its checked plan, its run and its answer.

mod analyse;
mod arena;
mod chess;
mod engine;
mod fen;
mod jobs;
mod lab;
mod pegs;
mod play;
mod serve;
mod shell;
mod tables;
mod tours;

use clap::Subcommand;

use crate::answer::Outcome;
use crate::failure::Failure;
use crate::session::Session;

/// Everything that can be asked.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Knight's tours: find, list, count, sample, rank, draw, verify
    #[command(subcommand)]
    Tours(Box<tours::Command>),
    /// A game of chess against the engine
    Play(play::Args),
    /// What the engine finds in a position, in test positions, in games: scores, better moves, accuracy
    #[command(visible_alias = "analyze")]
    Analyse(analyse::Args),
    /// Chess: legal moves, the engine's move, the parallel searches compared
    #[command(subcommand)]
    Chess(Box<chess::Command>),
    /// Peg solitaire: solve, count, hint, puzzle, review, replay, draw, play
    #[command(subcommand)]
    Pegs(Box<pegs::Command>),
    /// The chess engine: UCI for chess programs, bench, perft
    Engine(engine::EngineArgs),
    /// Endgame tables: build, probe, verify, count
    #[command(subcommand)]
    Tables(Box<tables::Command>),
    /// Matches between chess engines: Elo with error bars, sequential tests
    #[command(subcommand)]
    Arena(arena::Command),
    /// Experiments: measured, checked against known results, reported
    #[command(subcommand)]
    Lab(lab::Command),
    /// Large questions in independent jobs, for GNU parallel, Slurm and other schedulers
    #[command(subcommand)]
    Jobs(jobs::Command),
    /// The web page and the interface for programs, on this machine
    Serve(serve::Args),
    /// Completions for a shell, on standard output
    Completions(shell::Completions),
    /// Manual pages, written into a directory
    Man(shell::Man),
    /// The JSON Schema of all requests and answers, on standard output
    Schema,
}

/// Runs a command to its answer. `cli` is the definition of the command line, for completions and manual pages.
pub(crate) fn run(
    command: Command,
    session: &Session,
    cli: clap::Command,
) -> Result<Outcome, Failure> {
    if !matches!(command, Command::Lab(lab::Command::Run(_))) {
        session.one_number_of_threads()?;
    }
    match command {
        Command::Tours(command) => tours::run(*command, session),
        Command::Play(args) => play::run(&args, session),
        Command::Analyse(args) => analyse::run(&args, session),
        Command::Chess(command) => chess::run(*command, session),
        Command::Pegs(command) => pegs::run(*command, session),
        Command::Engine(args) => engine::run(args, session),
        Command::Tables(command) => tables::run(*command, session),
        Command::Arena(command) => arena::run(command, session),
        Command::Lab(command) => lab::run(command, session),
        Command::Jobs(command) => jobs::run(command, session),
        Command::Serve(args) => serve::run(args, session),
        Command::Completions(args) => shell::completions(&args, cli, session),
        Command::Man(args) => shell::man(&args, cli),
        Command::Schema => shell::schema(session),
    }
}
