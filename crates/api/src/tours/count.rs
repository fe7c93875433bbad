//! `tours count`: how many tours there are.

use std::collections::BTreeMap;
use std::path::PathBuf;

use everymove_draw::terminal;
use everymove_kernel::run::{Run, Work};
use everymove_kernel::text::grouped;
use everymove_tours::frontier::Scheme;
use everymove_tours::question::{Direction, Question};
use everymove_tours::sequences::sequences;
use everymove_tours::{CountOptions, count};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::{Kind, KindRequest, direction, square};
use super::estimate::EstimateRequest;
use super::range::{RangeRequest, is_range};
use super::words::board_words;
use crate::budget::size;
use crate::error::Error;
use crate::request::{Answer, Request};
use crate::site::{Site, absent};
use crate::terminal::{Ended, OnTerminal, Screen, Shown, Text, ask, under_display, write_answer};

/// How many tours there are, exactly, on a board or on each of a range, for example 6x5..6x20.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct CountRequest {
    /// The board and the kind of tour.
    #[command(flatten)]
    #[serde(flatten)]
    pub question: KindRequest,
    /// Count a tour and its reverse as two
    #[arg(long)]
    #[serde(default)]
    pub directed: bool,
    /// Count the open tours that start on each square, in each direction
    #[arg(long, conflicts_with_all = ["closed", "directed"])]
    #[serde(default)]
    pub by_start: bool,
    /// Only open tours that start here
    #[arg(long, value_name = "SQUARE", conflicts_with_all = ["closed", "directed", "by_start"])]
    pub start: Option<String>,
    /// Also count classes: tours that symmetries of the board map onto each other are one
    #[arg(long, conflicts_with_all = ["by_start", "start"])]
    #[serde(default)]
    pub classes: bool,
    /// How to count [default: auto, the quickest]
    #[arg(long, value_enum)]
    pub method: Option<MethodChoice>,
    /// Save the state of a long count in this directory, and resume from what is there
    #[arg(long, value_name = "DIR", conflicts_with = "by_start")]
    pub checkpoint: Option<PathBuf>,
    /// Keep layers that do not fit the memory in files of this directory, on boards of up to 110
    /// squares [default: that of --checkpoint]
    #[arg(long, value_name = "DIR", conflicts_with = "by_start")]
    pub work: Option<PathBuf>,
    /// How much of the disk these files may take [default: half of what is free]
    #[arg(long, value_name = "SIZE", conflicts_with = "by_start")]
    pub disk: Option<String>,
    /// Count modulo this prime below 2^31, on a board of few rows and any number of columns
    #[arg(long, value_name = "PRIME", conflicts_with_all = ["by_start", "start", "classes", "checkpoint"])]
    pub modulus: Option<u64>,
}

/// Which methods a count may use.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum MethodChoice {
    /// The quickest
    Auto,
    /// Visit every tour
    Search,
    /// Count partial tours along a frontier, without listing them
    Frontier,
    /// The same by one transfer for all columns, for few rows (a knight: up to seven) and many
    /// columns
    Columns,
}

/// The checked question.
#[derive(Clone, Debug)]
pub struct CountPlan {
    question: Question,
    options: CountOptions,
}

impl CountPlan {
    /// The board as ROWSxCOLS.
    pub(super) fn board(&self) -> String {
        self.question.board.grid().to_string()
    }

    /// The question and how it is to be answered.
    pub(crate) fn into_parts(self) -> (Question, CountOptions) {
        (self.question, self.options)
    }
}

/// How many tours there are.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CountAnswer {
    /// The board as ROWSxCOLS.
    pub board: String,
    /// Open or closed tours.
    pub kind: Kind,
    /// Whether a tour and its reverse are counted as two.
    pub directed: bool,
    /// The number of tours, in decimal.
    pub count: String,
    /// The prime modulo which they were counted, if one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modulus: Option<u64>,
    /// Sequences of the OEIS that count such tours, for example `A001230`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub oeis: Vec<&'static str>,
    /// How they were counted.
    pub method: CountMethod,
    /// Why in this way.
    pub method_reason: String,
    /// Where the layers of the frontier were, if that was the method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<Layers>,
    /// In how many independent classes the layers were counted, if in classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer_classes: Option<u64>,
    /// The square on which the tours start, if one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The theorem that says that there are no tours, where one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Classes of undirected tours under the symmetries of the board, in decimal, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<String>,
    /// The classes by their symmetry, where the counts determine it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_symmetry: Option<BySymmetry>,
    /// The directed open tours from each square, by its name, in decimal, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_start: Option<BTreeMap<String, String>>,
    /// What it cost.
    #[serde(skip)]
    work: Work,
}

/// How a count was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CountMethod {
    /// A theorem says that there are no tours.
    Theory,
    /// Every tour was visited.
    Search,
    /// Partial tours were counted along a frontier.
    Frontier,
    /// The same, by one transfer for all columns.
    Columns,
}

/// Where the layers of a frontier are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Layers {
    /// Whole in memory.
    Memory,
    /// In independent classes, of which one is in memory at a time.
    Classes,
    /// In files.
    Disk,
    /// In independent classes, of which one is in files at a time.
    #[serde(rename = "classes-on-disk")]
    ClassesOnDisk,
}

impl From<Scheme> for Layers {
    fn from(scheme: Scheme) -> Self {
        match scheme {
            Scheme::Whole => Self::Memory,
            Scheme::Classes(_) => Self::Classes,
            Scheme::Disk => Self::Disk,
            Scheme::ClassesOnDisk(_) => Self::ClassesOnDisk,
        }
    }
}

/// The number of classes of a count in classes.
pub(super) fn classes_of(scheme: Scheme) -> Option<u64> {
    match scheme {
        Scheme::Classes(classes) | Scheme::ClassesOnDisk(classes) => Some(classes),
        Scheme::Whole | Scheme::Disk => None,
    }
}

/// Classes of tours by the symmetry of their tours.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BySymmetry {
    /// Classes of tours that only the identity maps onto themselves, in decimal.
    pub asymmetric: String,
    /// Classes of tours that one other symmetry maps onto themselves, in decimal.
    pub binary: String,
    /// Classes of tours that the quarter turns map onto themselves, in decimal.
    pub quaternary: String,
}

impl Request for CountRequest {
    const COMMAND: &'static str = "tours count";
    const IS_SERVED: bool = true;
    type Plan = CountPlan;
    type Answer = CountAnswer;

    fn restrict(&mut self, _: &Site) -> Result<(), Error> {
        absent("checkpoint", &self.checkpoint)?;
        absent("work", &self.work)
    }

    fn plan(&self) -> Result<CountPlan, Error> {
        let board = self.question.board.plan()?;
        let start = square(&board, "start", self.start.as_deref())?;
        if start.is_some() && (self.question.closed || self.directed) {
            let line = "only open tours are counted by their start, in one direction";
            return Err(Error::message(Some("start"), line));
        }
        let question = Question::new(board, self.question.kind()).starting_on(start);
        let method = self.method.unwrap_or(MethodChoice::Auto);
        if method == MethodChoice::Search && self.checkpoint.is_some() {
            let line = "a search has no checkpoints: only the frontier method saves its state";
            return Err(Error::message(Some("checkpoint"), line));
        }
        let disk = size("disk", self.disk.as_deref())?;
        if disk.is_some() && self.work.is_none() && self.checkpoint.is_none() {
            let line = "disk limits the files of a directory: name one in work or checkpoint";
            return Err(Error::message(Some("work"), line));
        }
        let options = CountOptions {
            direction: direction(self.directed),
            by_start: self.by_start,
            classes: self.classes,
            method: match method {
                MethodChoice::Auto => everymove_tours::MethodChoice::Auto,
                MethodChoice::Search => everymove_tours::MethodChoice::Search,
                MethodChoice::Frontier => everymove_tours::MethodChoice::Frontier,
                MethodChoice::Columns => everymove_tours::MethodChoice::Columns,
            },
            checkpoint: self.checkpoint.clone(),
            work: self.work.clone(),
            disk,
            modulus: self.modulus,
        };
        Ok(CountPlan { question, options })
    }

    fn run(plan: &CountPlan, run: &Run) -> Result<CountAnswer, Error> {
        let CountPlan { question, options } = plan;
        let counted = count(question, options, run)?;
        let board = &question.board;
        let grid = board.grid();
        let by_start = counted.by_start.map(|counts| {
            let named = board
                .squares()
                .map(|s| (grid.name(s), counts[s].to_string()));
            named.collect()
        });
        let classes = counted.classes;
        let by_symmetry = classes.as_ref().and_then(|classes| classes.by_symmetry);
        Ok(CountAnswer {
            board: grid.to_string(),
            kind: question.kind.into(),
            directed: options.direction == Direction::Directed,
            count: counted.count.to_string(),
            modulus: options.modulus,
            oeis: sequences(question, options.direction),
            method: match counted.method {
                everymove_tours::CountMethod::Theory => CountMethod::Theory,
                everymove_tours::CountMethod::Search => CountMethod::Search,
                everymove_tours::CountMethod::Frontier => CountMethod::Frontier,
                everymove_tours::CountMethod::Columns => CountMethod::Columns,
            },
            method_reason: counted.method_reason,
            layers: counted.scheme.map(Layers::from),
            layer_classes: counted.scheme.and_then(classes_of),
            start: question.start.map(|start| grid.name(start)),
            reason: counted.theorem.map(|theorem| theorem.to_string()),
            classes: classes.map(|classes| classes.classes.to_string()),
            by_symmetry: by_symmetry.map(|by| BySymmetry {
                asymmetric: by.asymmetric.to_string(),
                binary: by.binary.to_string(),
                quaternary: by.quaternary.to_string(),
            }),
            by_start,
            work: counted.work,
        })
    }
}

impl Answer for CountAnswer {
    fn work(&self) -> Work {
        self.work.clone()
    }
}

/// What else can be asked of a count.
#[derive(Debug, clap::Args)]
pub struct CountView {
    /// Print what the count by frontier will take, and stop
    #[arg(long, conflicts_with_all = ["by_start", "classes", "method"])]
    estimate: bool,
}

impl OnTerminal for CountRequest {
    type View = CountView;

    fn show(plan: &CountPlan, answer: &CountAnswer, _: &CountView) -> Result<Shown, Error> {
        let question = &plan.question;
        let direction = match (&answer.start, answer.directed) {
            (Some(start), _) => format!(" from {start}"),
            (None, true) => ", directed".to_owned(),
            (None, false) => String::new(),
        };
        let board = board_words(&question.board);
        let mut full = format!(
            "{} {} tours of the {board}{direction}",
            grouped(&answer.count),
            question.kind
        );
        if let Some(modulus) = answer.modulus {
            full += &format!(", modulo {}\n{}", grouped(modulus), answer.method_reason);
        }
        full.push('\n');
        if !answer.oeis.is_empty() {
            full += &format!("OEIS {}\n", answer.oeis.join(", "));
        }
        if let Some(reason) = &answer.reason {
            full += &format!("{reason}\n");
        }
        match (answer.layers, answer.layer_classes) {
            (Some(Layers::Classes), Some(classes)) => {
                full += &format!("counted in {} classes\n", grouped(classes));
            }
            (Some(Layers::Disk), _) => full += "counted with layers on disk\n",
            (Some(Layers::ClassesOnDisk), Some(classes)) => {
                let classes = grouped(classes);
                full += &format!("counted in {classes} classes with layers on disk\n");
            }
            _ => {}
        }
        if let Some(classes) = &answer.classes {
            full += &format!(
                "{} classes under the symmetries of the board",
                grouped(classes)
            );
            if let Some(by) = &answer.by_symmetry {
                full += &format!(
                    ": {} asymmetric, {} of binary and {} of quaternary symmetry",
                    grouped(&by.asymmetric),
                    grouped(&by.binary),
                    grouped(&by.quaternary)
                );
            }
            full.push('\n');
        }
        if let Some(by_start) = &answer.by_start {
            let grid = question.board.grid();
            let cell = |square| by_start.get(&grid.name(square)).map(grouped);
            let boxes = terminal::boxed(grid, cell);
            full += &format!("directed, from each square:\n{boxes}");
        }
        let bare = format!("{}\n", answer.count);
        Ok(Text { bare, full }.into())
    }

    fn advise(&self, error: Error) -> Error {
        if error.wrong_field() == Some("work") {
            return error.advising("give --work DIR or --checkpoint DIR");
        }
        if self.modulus.is_some() || self.method == Some(MethodChoice::Columns) {
            return error;
        }
        error.advising_if_stopped(match (&self.checkpoint, &self.work) {
            (Some(_), _) => "the same command resumes from the checkpoint",
            (None, Some(_)) => "the same command resumes from the layers that are in files",
            (None, None) => "with --checkpoint DIR a long count can be resumed",
        })
    }

    fn ask(self, view: CountView, screen: &dyn Screen) -> Result<Ended, Error> {
        if !view.estimate {
            return match is_range(&self.question.board.board) {
                true => RangeRequest::ask(self, screen),
                false => ask(self, view, screen),
            };
        }
        let request = EstimateRequest {
            question: self.question,
            start: self.start,
            work: self.work.or(self.checkpoint),
            disk: self.disk,
        };
        let plan = request.plan()?;
        let answer = under_display(screen, |run| EstimateRequest::run(&plan, run))?;
        write_answer::<EstimateRequest>(&answer, &plan.text(&answer), screen)
    }
}
