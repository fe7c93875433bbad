//! `tours count --estimate`: what a count by frontier will take.

use std::path::PathBuf;

use everymove_kernel::run::{Bytes, Run};
use everymove_kernel::text::grouped;
use everymove_tours::frontier::{self, Estimate};
use everymove_tours::question::Question;
use everymove_tours::theory::{self, Existence};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::{Kind, KindRequest, square};
use super::count::{Layers, classes_of};
use super::words::board_words;
use crate::budget::disk;
use crate::error::Error;
use crate::request::{Answer, Request};
use crate::terminal::Text;

/// What counting tours by frontier will take, without counting.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EstimateRequest {
    /// The board and the kind of tour.
    #[serde(flatten)]
    pub question: KindRequest,
    /// Only open tours that start here
    pub start: Option<String>,
    /// Keep files in this directory [default: files are not used]
    pub work: Option<PathBuf>,
    /// How much of the disk files may take [default: half of what is free where the directory is]
    pub disk: Option<String>,
}

/// The checked question.
#[derive(Clone, Debug)]
pub struct EstimatePlan {
    question: Question,
    disk: u64,
}

/// What a count will take, estimated.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EstimateAnswer {
    /// The board as ROWSxCOLS.
    pub board: String,
    /// Open or closed tours.
    pub kind: Kind,
    /// Layers of partial tours, one for each step.
    pub layers: u64,
    /// The most squares of a frontier, the additional one of open tours included.
    pub slots: u64,
    /// The smaller board from whose plan the numbers are extrapolated, if that of the board itself
    /// would take too long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extrapolated_from: Option<String>,
    /// The memory budget in bytes.
    pub ram: u64,
    /// The bytes of disk that may be used.
    pub disk: u64,
    /// The way that a count would take; absent if none fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<Layers>,
    /// The ways, in the order in which they are tried.
    pub ways: Vec<WayEstimate>,
    /// The theorem that says that there is no tour to count, where one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What a count will take in one way, estimated.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WayEstimate {
    /// Where the layers are.
    pub layers: Layers,
    /// The number of classes, if the layers are in classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<u64>,
    /// Bytes of memory of the whole process.
    pub memory: u64,
    /// Bytes of files at once; they are compressed unless there is room for twice as many bytes
    /// without compression.
    pub disk: u64,
    /// Degree vectors of all layers.
    pub vectors: f64,
    /// States of all layers.
    pub states: f64,
    /// Transitions of states.
    pub transitions: f64,
    /// Hours of one processor core.
    pub cpu_hours: f64,
}

impl Request for EstimateRequest {
    const COMMAND: &'static str = "tours count --estimate";
    type Plan = EstimatePlan;
    type Answer = EstimateAnswer;

    fn plan(&self) -> Result<EstimatePlan, Error> {
        let board = self.question.board.plan()?;
        let start = square(&board, "start", self.start.as_deref())?;
        Ok(EstimatePlan {
            question: Question::new(board, self.question.kind()).starting_on(start),
            disk: disk(self.disk.as_deref(), self.work.as_deref())?,
        })
    }

    fn run(plan: &EstimatePlan, run: &Run) -> Result<EstimateAnswer, Error> {
        let EstimatePlan { question, disk } = plan;
        let ram = run.ram.limit();
        if let Existence::None(theorem) = theory::existence(question, run)? {
            return Ok(EstimateAnswer {
                board: question.board.grid().to_string(),
                kind: question.kind.into(),
                layers: 0,
                slots: 0,
                extrapolated_from: None,
                ram,
                disk: *disk,
                chosen: None,
                ways: Vec::new(),
                reason: Some(theorem.to_string()),
            });
        }
        let estimate = frontier::estimate(question, run)?;
        let chosen = estimate.chosen(ram, *disk).map(|need| need.scheme.into());
        let Estimate {
            layers,
            slots,
            needs,
            from,
            ..
        } = estimate;
        let ways = needs.into_iter().map(|need| WayEstimate {
            layers: need.scheme.into(),
            classes: classes_of(need.scheme),
            memory: need.memory,
            disk: need.files.within(*disk),
            vectors: need.vectors.round(),
            states: need.states.round(),
            transitions: need.transitions.round(),
            cpu_hours: need.cpu_seconds(*disk) / 3600.0,
        });
        Ok(EstimateAnswer {
            board: question.board.grid().to_string(),
            kind: question.kind.into(),
            layers,
            slots,
            extrapolated_from: from.map(|grid| grid.to_string()),
            ram,
            disk: *disk,
            chosen,
            ways: ways.collect(),
            reason: None,
        })
    }
}

impl Answer for EstimateAnswer {}

impl EstimatePlan {
    /// The answer in words.
    pub(super) fn text(&self, answer: &EstimateAnswer) -> Text {
        let kind = self.question.kind;
        let board = board_words(&self.question.board);
        if let Some(reason) = &answer.reason {
            let full = format!("no {kind} tours of the {board} to count: {reason}\n");
            let bare = String::new();
            return Text { bare, full };
        }
        let mut full = format!(
            "estimate for the {kind} tours of the {board}: {} layers, frontiers of up to {} squares\n",
            answer.layers, answer.slots
        );
        if let Some(smaller) = &answer.extrapolated_from {
            full += &format!("extrapolated from the plan of the {smaller} board\n");
        }
        let mut bare = String::new();
        for way in &answer.ways {
            let WayEstimate {
                layers, classes, ..
            } = way;
            let (word, name) = match (layers, classes) {
                (Layers::Memory, _) => ("memory", "whole layers in memory".to_owned()),
                (Layers::Classes, Some(classes)) => {
                    ("classes", format!("{} classes in turn", grouped(classes)))
                }
                (Layers::Classes, None) => ("classes", "classes in turn".to_owned()),
                (Layers::Disk, _) => ("disk", "layers on disk".to_owned()),
                (Layers::ClassesOnDisk, Some(classes)) => (
                    "classes-on-disk",
                    format!("{} classes in turn on disk", grouped(classes)),
                ),
                (Layers::ClassesOnDisk, None) => {
                    ("classes-on-disk", "classes in turn on disk".to_owned())
                }
            };
            let (memory, disk) = (Bytes(way.memory), Bytes(way.disk));
            let time = match way.cpu_hours {
                hours if hours < 0.1 => format!("{:.1} CPU-seconds", hours * 3600.0),
                hours => format!("{hours:.1} CPU-hours"),
            };
            full += &format!(
                "{name}: {memory} of memory, {disk} of disk, {:.2e} states, {:.2e} transitions, {time}\n",
                way.states, way.transitions
            );
            bare += &format!("{word} {} {} {:.4}\n", way.memory, way.disk, way.cpu_hours);
        }
        let ram = Bytes(answer.ram);
        full += &match answer.chosen {
            Some(Layers::Memory) => format!("with {ram} of memory: whole layers in memory\n"),
            Some(Layers::Classes) => format!("with {ram} of memory: classes in turn\n"),
            Some(Layers::Disk) => format!("with {ram} of memory: layers on disk\n"),
            Some(Layers::ClassesOnDisk) => {
                format!("with {ram} of memory: classes in turn on disk\n")
            }
            None => format!(
                "with {ram} of memory and {} of disk: none of these\n",
                Bytes(answer.disk)
            ),
        };
        Text { bare, full }
    }
}
