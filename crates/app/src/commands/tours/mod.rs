//! `everymove tours`: arguments and texts of its commands; the answers come from [`everymove_api::tours`].

mod complete;
pub(crate) mod count;
mod draw;
mod find;
mod list;
mod picture;
mod sample;
mod show;
mod stream;
mod symmetric;
mod theory;
mod verify;

use clap::Subcommand;
use everymove_api::tours::{CompleteRequest, ExistsRequest, RankRequest, VerifyRequest};

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
    /// Whether a path of moves can still become a tour
    Complete(CompleteRequest),
    /// How many tours there are, exactly
    Count(count::CountArgs),
    /// Tours drawn at random, each with the same probability
    Sample(sample::SampleArgs),
    /// The numbers of tours among all tours of their board
    Rank(RankRequest),
    /// The tours of given numbers
    Unrank(sample::UnrankArgs),
    /// Tours that a rotation maps onto themselves, or that consist of rotated copies of a path
    Symmetric(symmetric::Args),
    /// Whether the tours in a file are tours
    Verify(VerifyRequest),
    /// The tours in a file, drawn
    Draw(draw::Args),
}

pub(crate) fn run(command: Command, session: &Session) -> Result<Outcome, Failure> {
    match command {
        Command::Exists(request) => theory::run(&request, session),
        Command::Find(args) => find::run(&args, session),
        Command::List(args) => list::run(&args, session),
        Command::Complete(request) => complete::run(&request, session),
        Command::Count(args) => count::run(&args, session),
        Command::Sample(args) => sample::sample(&args, session),
        Command::Rank(request) => sample::rank(&request, session),
        Command::Unrank(args) => sample::unrank(&args, session),
        Command::Symmetric(args) => symmetric::run(&args, session),
        Command::Verify(request) => verify::run(&request, session),
        Command::Draw(args) => draw::run(&args, session),
    }
}
