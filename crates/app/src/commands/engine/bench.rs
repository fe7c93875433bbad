//! `engine bench`: the signature of the search.

use everymove_engine::bench;
use everymove_kernel::run::Work;

use crate::answer::{Answer, Outcome};
use crate::failure::Failure;
use crate::session::Session;

/// What is measured.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Depth of each search
    #[arg(long, default_value_t = bench::DEPTH, value_parser = clap::value_parser!(u32).range(1..=40))]
    depth: u32,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let mut text = String::new();
    let bench = bench::run(args.depth, &session.run.stop, |fen, nodes| {
        text += &format!("{nodes:>12}  {fen}\n");
    })
    .map_err(|_| Failure::stopped(""))?;
    let seconds = bench.elapsed.as_secs_f64().max(1e-3);
    let nps = (bench.nodes as f64 / seconds) as u64;
    let last = format!("{} nodes {nps} nps\n", bench.nodes);
    text += &last;
    Answer::new("engine bench", Outcome::Yes)
        .field("depth", args.depth)
        .field("nodes", bench.nodes)
        .field("nodes_per_second", nps)
        .bare(last)
        .text(text)
        .work(&Work::of("nodes", bench.nodes))
        .show(session)
}
