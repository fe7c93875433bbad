//! `engine bench`: the signature of the search.

use everymove_engine::{BenchError, bench};
use everymove_kernel::run::{Run, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::request::{Answer, Request};
use crate::terminal::{OnTerminal, Shown, Text};

/// Search fixed positions; the node count of the last line is the signature of the search
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct BenchRequest {
    /// The depth of each search, 1 to 40 [default: 12]
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
}

/// The checked question.
#[derive(Clone, Copy, Debug)]
pub struct BenchPlan {
    depth: u32,
}

/// The signature and the speed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BenchAnswer {
    /// The depth of each search.
    depth: u32,
    /// The number of nodes of all searches: the signature of the search.
    nodes: u64,
    /// Nodes per second of elapsed time.
    nodes_per_second: u64,
    /// The nodes of each position.
    positions: Vec<BenchPosition>,
}

/// A position of the bench.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct BenchPosition {
    /// The position.
    fen: String,
    /// The number of nodes of its search.
    nodes: u64,
}

/// Bytes of the hash table and of the search.
const MEMORY: u64 = 18 << 20;

impl Request for BenchRequest {
    const COMMAND: &'static str = "engine bench";
    const IS_SERVED: bool = true;
    type Plan = BenchPlan;
    type Answer = BenchAnswer;

    fn plan(&self) -> Result<BenchPlan, Error> {
        let depth = self.depth.unwrap_or(bench::DEPTH);
        if !(1..=40).contains(&depth) {
            let message = format!("depth {depth}: expected 1 to 40");
            return Err(Error::message(Some("depth"), message));
        }
        Ok(BenchPlan { depth })
    }

    fn run(plan: &BenchPlan, run: &Run) -> Result<BenchAnswer, Error> {
        let _held = run.ram.reserve("the bench", MEMORY)?;
        let mut positions = Vec::new();
        let all = bench::positions().count() as u64;
        run.progress.start("searching positions", all);
        let bench = bench::run(plan.depth, &run.stop, |fen, nodes| {
            let fen = fen.to_owned();
            positions.push(BenchPosition { fen, nodes });
            run.progress.advance(1);
            run.progress.worked(nodes);
        })
        .map_err(|e| match e {
            BenchError::Stopped(stopped) => stopped.into(),
            error => Error::machine(error),
        })?;
        let seconds = bench.elapsed.as_secs_f64().max(1e-3);
        Ok(BenchAnswer {
            depth: plan.depth,
            nodes: bench.nodes,
            nodes_per_second: (bench.nodes as f64 / seconds) as u64,
            positions,
        })
    }
}

impl OnTerminal for BenchRequest {
    type View = ();

    fn show(_: &BenchPlan, answer: &BenchAnswer, (): &()) -> Result<Shown, Error> {
        let positions = answer.positions.iter();
        let positions: String = positions
            .map(|p| format!("{:>12}  {}\n", p.nodes, p.fen))
            .collect();
        let last = format!("{} nodes {} nps\n", answer.nodes, answer.nodes_per_second);
        Ok(Shown::from(Text {
            full: positions + &last,
            bare: last,
        }))
    }
}

impl Answer for BenchAnswer {
    fn work(&self) -> Work {
        Work::of("nodes", self.nodes)
    }
}
