//! `tables convert`: tables of plies to zeroing moves into Syzygy files, and back.

use std::path::PathBuf;

use everymove_kernel::run::{Run, Work};
use everymove_tables::files::convert_files;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::counts::lines;
use super::error::advise;
use crate::error::Error;
use crate::request::{Answer, Request};
use crate::terminal::{OnTerminal, Shown, Text};

/// Convert tables of plies to zeroing moves into Syzygy files, or back.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct ConvertRequest {
    /// Table files: a .dtz is converted into both Syzygy files, a .rtbw or .rtbz (both are needed)
    /// into a .dtz; the tables they need must be in the same directory
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// The directory of the new files [default: that of the old ones]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// The checked request.
#[derive(Clone, Debug)]
pub struct ConvertPlan(ConvertRequest);

/// The files that were written.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ConvertAnswer {
    /// Their paths.
    pub made: Vec<String>,
    #[serde(skip)]
    work: Work,
}

impl Request for ConvertRequest {
    const COMMAND: &'static str = "tables convert";
    type Plan = ConvertPlan;
    type Answer = ConvertAnswer;

    fn plan(&self) -> Result<ConvertPlan, Error> {
        Ok(ConvertPlan(self.clone()))
    }

    fn run(plan: &ConvertPlan, run: &Run) -> Result<ConvertAnswer, Error> {
        let ConvertPlan(request) = plan;
        let converted = convert_files(&request.files, request.out.as_deref(), run)?;
        let shown = converted.made.iter().map(|file| file.display().to_string());
        Ok(ConvertAnswer {
            made: shown.collect(),
            work: converted.work,
        })
    }
}

impl Answer for ConvertAnswer {
    fn work(&self) -> Work {
        self.work.clone()
    }
}

impl OnTerminal for ConvertRequest {
    type View = ();

    fn show(_: &ConvertPlan, answer: &ConvertAnswer, (): &()) -> Result<Shown, Error> {
        let text = Text {
            bare: lines(&answer.made),
            full: answer.made.iter().map(|f| format!("made {f}\n")).collect(),
        };
        Ok(text.into())
    }

    fn advise(&self, error: Error) -> Error {
        advise(error, "")
    }
}
