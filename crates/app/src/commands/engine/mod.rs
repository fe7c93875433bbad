//! The chess engine: for chess programs, and measured by itself.

mod bench;
mod datagen;
mod perft;
mod train;

use clap::{Args, Subcommand};
use everymove_api as api;
use everymove_api::chess::{BenchRequest, DatagenRequest};
use everymove_engine::{Options, uci};
use everymove_kernel::input::Input;

use crate::answer::Outcome;
use crate::failure::Failure;
use crate::session::Session;

/// The words after `engine`; none at all mean `uci`.
#[derive(Debug, Args)]
pub(crate) struct EngineArgs {
    #[command(subcommand)]
    command: Option<Command>,
}

/// Bytes of the engine with one thread and the smallest hash table, beside the program itself.
const MEMORY: u64 = 18 << 20;

/// Commands of the engine.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Speak UCI on standard input and output, as chess programs do; --threads sets the option Threads
    Uci,
    /// Search fixed positions; the node count of the last line is the signature of the search
    Bench(BenchRequest),
    /// Count the leaves of the tree of legal moves
    Perft(perft::Args),
    /// Play games of the engine against itself, as data to train a network from
    Datagen(DatagenRequest),
    /// Train a network for the evaluation on such games
    Train(train::Args),
}

pub(crate) fn run(args: EngineArgs, session: &Session) -> Result<Outcome, Failure> {
    match args.command.unwrap_or(Command::Uci) {
        Command::Uci => {
            let options = Options {
                threads: session.threads.first().copied().unwrap_or(1),
                ..Options::default()
            };
            let alone = Options {
                threads: 1,
                ..options.clone()
            };
            let more = options.bytes() - alone.bytes();
            let _held = (session.run.ram)
                .reserve("the engine", MEMORY + more)
                .map_err(api::Error::from)?;
            let input = Input::standard(&session.run).map_err(api::Error::from)?;
            uci::serve_with(input.buffered(), session.out(), options, &session.run);
            match session.run.stop.is_raised() {
                true => Err(Failure::stopped("")),
                false => Ok(Outcome::Yes),
            }
        }
        Command::Bench(args) => bench::run(&args, session),
        Command::Perft(args) => perft::run(&args, session),
        Command::Datagen(args) => datagen::run(&args, session),
        Command::Train(args) => train::run(&args, session),
    }
}
