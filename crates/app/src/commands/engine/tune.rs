//! `engine tune`: weights of the evaluation from own games.

use std::path::PathBuf;

use everymove_engine::eval::Weights;
use everymove_engine::tune;
use serde_json::json;

use crate::answer::{Answer, Outcome};
use crate::failure::Failure;
use crate::session::Session;

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
            let text = std::fs::read_to_string(path)
                .map_err(|e| Failure::Input(format!("cannot read {shown}: {e}")))?;
            Weights::read(&text).map_err(|e| Failure::Input(format!("{shown}: {e}")))?
        }
    };
    let plan = tune::Plan {
        games: args.games,
        nodes: args.nodes,
        seed: args.seed,
        epochs: args.epochs,
        start,
    };
    let tuned = session
        .work(|run| tune::run(&plan, run))
        .map_err(|_| Failure::stopped(""))?;
    let comment = format!(
        "Tuned on {} positions of {} own games: everymove engine tune --games {} --nodes {} --seed {} --epochs {}",
        tuned.positions, args.games, args.games, args.nodes, args.seed, args.epochs
    );
    let shown = args.out.display();
    std::fs::write(&args.out, tuned.weights.write(&comment))
        .map_err(|e| Failure::Resource(format!("cannot write {shown}: {e}")))?;
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
