//! `tables check`: the checksums of table files.

use std::path::PathBuf;

use everymove_kernel::run::{Run, Work};
use everymove_kernel::text::grouped;
use everymove_tables::TableError;
use everymove_tables::files::{TableFile, table_files};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::counts::lines;
use super::error::advise;
use crate::error::Error;
use crate::request::{Answer, Outcome, Request};
use crate::terminal::{OnTerminal, Shown, Text};

/// Checksums and structure of table files, Syzygy files among them.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
#[command(visible_alias = "scrub")]
pub struct CheckRequest {
    /// Table files (.dtm, .dtz, .dtm50, .dtc, .rtbw, .rtbz), or directories of them
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
}

/// The checked request.
#[derive(Clone, Debug)]
pub struct CheckPlan(Vec<PathBuf>);

/// The state of table files.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckAnswer {
    /// Number of files.
    pub files: usize,
    /// Number of blocks whose checksums were compared.
    pub blocks: u64,
    /// What is wrong with each damaged file.
    pub damaged: Vec<String>,
}

impl Request for CheckRequest {
    const COMMAND: &'static str = "tables check";
    type Plan = CheckPlan;
    type Answer = CheckAnswer;

    fn plan(&self) -> Result<CheckPlan, Error> {
        Ok(CheckPlan(self.files.clone()))
    }

    fn run(plan: &CheckPlan, run: &Run) -> Result<CheckAnswer, Error> {
        let files = table_files(&plan.0)?;
        let (mut blocks, mut damaged) = (0, Vec::new());
        for file in &files {
            match TableFile::check(file, run) {
                Ok(found) => blocks += found,
                Err(TableError::File(error)) if error.is_not_found() => return Err(error.into()),
                Err(error @ (TableError::File(_) | TableError::Wrong { .. })) => {
                    damaged.push(error.to_string());
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(CheckAnswer {
            files: files.len(),
            blocks,
            damaged,
        })
    }
}

impl Answer for CheckAnswer {
    fn outcome(&self) -> Outcome {
        Outcome::yes_if(self.damaged.is_empty())
    }

    fn work(&self) -> Work {
        Work::of("blocks", self.blocks)
    }
}

impl OnTerminal for CheckRequest {
    type View = ();

    fn show(_: &CheckPlan, answer: &CheckAnswer, (): &()) -> Result<Shown, Error> {
        let text = format!(
            "{}{} of {} files sound, {} blocks\n",
            lines(&answer.damaged),
            answer.files - answer.damaged.len(),
            answer.files,
            grouped(answer.blocks)
        );
        Ok(Text::same(text).into())
    }

    fn advise(&self, error: Error) -> Error {
        advise(error, "")
    }
}
