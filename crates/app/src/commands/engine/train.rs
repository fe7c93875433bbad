//! `engine train`: a network from own games.

use std::fmt::Write as _;
use std::path::PathBuf;

use everymove_api::Request;
use everymove_api::chess::TrainRequest;
use everymove_kernel::files::Output;

use crate::answer::{Outcome, Text, show};
use crate::failure::Failure;
use crate::session::Session;

/// What to train, and where the network goes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: TrainRequest,
    /// Where the network goes
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let plan = args.request.plan()?;
    // Tried before the training, which may take hours.
    let out = Output::prepare(&args.out)?;
    let advice = match args.request.checkpoint {
        Some(_) => "the same command resumes from the checkpoint",
        None => "with --checkpoint DIR it can be resumed",
    };
    let answer = session
        .work(|run| TrainRequest::run(&plan, run))
        .map_err(|error| Failure::from(error).advise_if_stopped(advice))?;
    out.publish(|draft| answer.network.write(draft))?;
    let mut full = "epoch  training  held out\n".to_owned();
    for (epoch, losses) in answer.losses.iter().enumerate() {
        let (training, validation) = (losses.training, losses.validation);
        let _ = writeln!(full, "{:5}  {training:.6}  {validation:.6}", epoch + 1);
    }
    let _ = writeln!(
        full,
        "{} positions of {} games; {} held out: mean squared error {:.6} with rounded weights, {:.6} of their mean\nnetwork of {} hidden units in {}",
        answer.positions,
        answer.games,
        answer.held_out,
        answer.loss,
        answer.constant_loss,
        answer.hidden,
        args.out.display()
    );
    let bare = format!("{:.6}\n", answer.loss);
    show::<TrainRequest>(&answer, &Text { bare, full }, session)
}
