//! `engine tune`: weights of the evaluation from own games.

use std::path::PathBuf;

use everymove_api as api;
use everymove_engine::eval::Weights;
use everymove_engine::{TuneError, tune};
use everymove_kernel::files::Output;
use everymove_kernel::input::{Input, read_text};
use serde_json::json;

use crate::answer::{Answer, Outcome};
use crate::failure::Failure;
use crate::session::Session;

/// The largest file of weights that is read, in bytes: the shipped one has 5,000.
const LONGEST_FILE: u64 = 1 << 20;

/// How much, and where from.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Games to play
    #[arg(long, default_value_t = 4000)]
    games: u32,
    /// Nodes a move
    #[arg(long, default_value_t = 1500, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Of openings and of the order of positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Times that each position is looked at
    #[arg(long, default_value_t = 30)]
    epochs: u32,
    /// Weights to start from [default: those of the engine]
    #[arg(long, value_name = "FILE")]
    start: Option<PathBuf>,
    /// Where the new weights go
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let start = match &args.start {
        None => Weights::tuned(),
        Some(path) => {
            let shown = path.display();
            let text = Input::open(path, &session.run)
                .and_then(|input| read_text(input, LONGEST_FILE))
                .map_err(api::Error::from)?;
            Weights::read(&text).map_err(|e| Failure::Input(format!("{shown}: {e}")))?
        }
    };
    // Tried before the games are played, which may take hours.
    let out = Output::prepare(&args.out)?;
    let plan = tune::Plan {
        games: args.games,
        nodes: args.nodes,
        seed: args.seed,
        epochs: args.epochs,
        start,
    };
    let tuned = session
        .work(|run| tune::run(&plan, run))
        .map_err(|e| match e {
            TuneError::Stopped(_) => Failure::stopped(""),
            TuneError::OverBudget(e) => api::Error::from(e).into(),
            e => Failure::resource(e),
        })?;
    let comment = format!(
        "Tuned on {} positions of {} own games: everymove engine tune --games {} --nodes {} --seed {} --epochs {}",
        tuned.positions, args.games, args.games, args.nodes, args.seed, args.epochs
    );
    let shown = args.out.display();
    out.publish(|draft| draft.put(tuned.weights.write(&comment).as_bytes()))?;
    let [wins, draws, losses] = tuned.results;
    let [before, after] = tuned.error;
    let text = format!(
        "{} positions of {} games (white +{wins} ={draws} -{losses})\nmean squared error on games not fitted: {before:.6} -> {after:.6}\nweights in {shown}\n",
        tuned.positions, args.games
    );
    Answer::new("engine tune", Outcome::Yes)
        .field("positions", tuned.positions as u64)
        .field("games", args.games)
        .field(
            "results",
            json!({"white": wins, "draws": draws, "black": losses}),
        )
        .field("error_before", before)
        .field("error_after", after)
        .bare(format!("{after:.6}\n"))
        .text(text)
        .work(&tuned.work)
        .show(session)
}
