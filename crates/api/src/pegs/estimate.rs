//! `pegs count --estimate`: what layers of positions will take.

use std::path::PathBuf;

use everymove_kernel::run::{Bytes, Run};
use everymove_pegs::{Estimate, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::ProblemRequest;
use super::files::Layers;
use super::names::{board_name, finish_name, start_name, title};
use crate::budget::disk;
use crate::error::Error;
use crate::request::{Answer, Request};
use crate::terminal::Text;

/// What counting positions and finding winning positions will take, without doing so.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EstimateRequest {
    /// The problem.
    #[serde(flatten)]
    pub problem: ProblemRequest,
    /// Keep files in this directory [default: files are not used]
    pub work: Option<PathBuf>,
    /// How much of the disk files may take [default: half of what is free where the directory is]
    pub disk: Option<String>,
}

/// The checked question.
#[derive(Clone, Debug)]
pub struct EstimatePlan {
    problem: Problem,
    disk: u64,
}

/// What layers of positions will take, estimated.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EstimateAnswer {
    /// The name of the board, or its rows.
    pub board: String,
    /// The hole that is empty at the start, or the start's rows.
    pub start: String,
    /// The hole of the last peg, the rows of the finish, or `anywhere`.
    pub finish: String,
    /// The memory budget in bytes.
    pub ram: u64,
    /// The bytes of disk that may be used.
    pub disk: u64,
    /// The positions that can be reached.
    pub positions: LayersNeed,
    /// The positions from which the finish can be reached.
    pub winning: LayersNeed,
}

/// What the layers of a search will take.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LayersNeed {
    /// The most positions that there can be, up to symmetry: the bits of all layers.
    pub places: f64,
    /// Bytes of memory of the whole process with layers in memory.
    pub memory: u64,
    /// The least bytes of memory of the whole process with layers in files.
    pub memory_with_files: u64,
    /// Bytes of these files at most.
    pub disk: u64,
    /// Hours of one processor core with layers in memory.
    pub cpu_hours: f64,
    /// Hours of one processor core with layers in files.
    pub cpu_hours_with_files: f64,
    /// Where the layers will be with this memory and disk; absent if they fit neither.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<Layers>,
}

impl LayersNeed {
    fn new(estimate: Option<Estimate>, ram: u64, disk: u64) -> Result<Self, Error> {
        let Some(found) = estimate else {
            let line = "the layers of this board are not estimated: it has too few jumps";
            return Err(Error::message(Some("board"), line));
        };
        let chosen = match () {
            () if found.memory <= ram => Some(Layers::Memory),
            () if found.memory_on_disk <= ram && found.disk <= disk => Some(Layers::Disk),
            () => None,
        };
        Ok(Self {
            places: found.places,
            memory: found.memory,
            memory_with_files: found.memory_on_disk,
            disk: found.disk,
            cpu_hours: found.cpu_seconds / 3600.0,
            cpu_hours_with_files: found.cpu_seconds_on_disk / 3600.0,
            chosen,
        })
    }
}

impl Request for EstimateRequest {
    const COMMAND: &'static str = "pegs count --estimate";
    type Plan = EstimatePlan;
    type Answer = EstimateAnswer;

    fn plan(&self) -> Result<EstimatePlan, Error> {
        Ok(EstimatePlan {
            problem: self.problem.plan()?,
            disk: disk(self.disk.as_deref(), self.work.as_deref())?,
        })
    }

    fn run(plan: &EstimatePlan, run: &Run) -> Result<EstimateAnswer, Error> {
        let EstimatePlan { problem, disk } = plan;
        let board = problem.board();
        let ram = run.ram.limit();
        let positions = Estimate::of_reach(board, problem.start(), run);
        let winning = Estimate::of_winning_set(problem, run);
        Ok(EstimateAnswer {
            board: board_name(board),
            start: start_name(problem),
            finish: finish_name(problem),
            ram,
            disk: *disk,
            positions: LayersNeed::new(positions, ram, *disk)?,
            winning: LayersNeed::new(winning, ram, *disk)?,
        })
    }
}

impl Answer for EstimateAnswer {}

impl EstimatePlan {
    /// The answer in words.
    pub(super) fn text(&self, answer: &EstimateAnswer) -> Text {
        let mut full = format!("estimate for {}\n", title(&self.problem));
        let mut bare = String::new();
        for (word, what, need) in [
            (
                "positions",
                "positions that can be reached",
                &answer.positions,
            ),
            ("winning", "winning positions", &answer.winning),
        ] {
            full += &format!("{what}, at most {:.2e}:\n", need.places);
            full += &need_text(need);
            bare += &format!(
                "{word} {} {} {} {:.4}\n",
                need.memory, need.memory_with_files, need.disk, need.cpu_hours
            );
            let ram = Bytes(answer.ram);
            full += &match need.chosen {
                Some(Layers::Memory) => format!("  with {ram} of memory: layers in memory\n"),
                Some(Layers::Disk) => format!("  with {ram} of memory: layers on disk\n"),
                None => format!(
                    "  with {ram} of memory and {} of disk: neither\n",
                    Bytes(answer.disk)
                ),
            };
        }
        Text { bare, full }
    }
}

fn need_text(need: &LayersNeed) -> String {
    let time = |hours: f64| match hours {
        hours if hours < 0.1 => format!("{:.1} CPU-seconds", hours * 3600.0),
        hours => format!("{hours:.1} CPU-hours"),
    };
    format!(
        "  layers in memory: {} of memory, {}\n  layers on disk: at least {} of memory, at most {} of disk, {}\n",
        Bytes(need.memory),
        time(need.cpu_hours),
        Bytes(need.memory_with_files),
        Bytes(need.disk),
        time(need.cpu_hours_with_files),
    )
}
