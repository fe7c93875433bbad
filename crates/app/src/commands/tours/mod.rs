//! `everymove tours`: one file a command.

mod count;
mod draw;
mod find;
mod list;
mod picture;
mod question;
mod read;
mod sample;
mod show;
mod stream;
mod symmetric;
mod theory;
mod verify;

use clap::Subcommand;
use everymove_api::tours::ExistsRequest;
use everymove_tours::frontier::FrontierError;
use everymove_tours::search::SearchError;
use everymove_tours::symmetric::SymmetricError;

use crate::answer::Outcome;
use crate::failure::Failure;
use crate::session::Session;

/// What can be asked about tours.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Whether a board has a tour at all, and why: theorems, no search
    Exists(ExistsRequest),
    /// One tour of any board that has one
    Find(find::Args),
    /// Every tour of a small board
    List(list::Args),
    /// How many tours there are, exactly
    Count(count::Args),
    /// Tours drawn at random, each as likely as any other
    Sample(sample::SampleArgs),
    /// The numbers of tours among all tours of their board
    Rank(sample::RankArgs),
    /// The tours of given numbers
    Unrank(sample::UnrankArgs),
    /// Tours that a rotation maps onto themselves, or that are made of turned copies of a path
    Symmetric(symmetric::Args),
    /// Whether the tours in a file are tours
    Verify(verify::Args),
    /// The tours in a file, drawn
    Draw(draw::Args),
}

pub(crate) fn run(command: Command, session: &Session) -> Result<Outcome, Failure> {
    match command {
        Command::Exists(args) => theory::run(&args, session),
        Command::Find(args) => find::run(&args, session),
        Command::List(args) => list::run(&args, session),
        Command::Count(args) => count::run(&args, session),
        Command::Sample(args) => sample::sample(&args, session),
        Command::Rank(args) => sample::rank(&args, session),
        Command::Unrank(args) => sample::unrank(&args, session),
        Command::Symmetric(args) => symmetric::run(&args, session),
        Command::Verify(args) => verify::run(&args, session),
        Command::Draw(args) => draw::run(&args, session),
    }
}

fn frontier_failure(error: FrontierError) -> Failure {
    match error {
        FrontierError::Stopped(_) => Failure::stopped(""),
        FrontierError::OverBudget(error) => Failure::resource(error),
        FrontierError::File(error) => error.into(),
        error => Failure::input(error),
    }
}

fn symmetric_failure(error: SymmetricError) -> Failure {
    match error {
        SymmetricError::Stopped(_) => Failure::stopped(""),
        SymmetricError::Search(error) => search_failure(error),
        error => Failure::input(error),
    }
}

fn search_failure(error: SearchError) -> Failure {
    match error {
        SearchError::Stopped(_) => Failure::stopped(""),
        error => Failure::input(error),
    }
}
