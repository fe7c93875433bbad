//! `tables check`: the checksums of table files.

use std::path::PathBuf;

use everymove_fairy::FairyError;
use everymove_kernel::run::{Run, Work};
use everymove_kernel::text::grouped;
use everymove_tables::TableError;
use everymove_tables::files::{TableFile, table_files};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::counts::lines;
use super::error::advise;
use super::fairy::take_files;
use crate::error::Error;
use crate::request::{Answer, Outcome, Request};
use crate::terminal::{OnTerminal, Shown, Text};

/// Checksums and structure of table files, Syzygy files among them.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
#[command(visible_alias = "scrub")]
pub struct CheckRequest {
    /// Table files (.dtm, .dtz, .dtm50, .dtc, .rtbw, .rtbz, .fairy), or directories of them
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
    /// Number of Syzygy files that are the published ones, by their checksums; left out where no
    /// sound file is a Syzygy file of up to six pieces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<usize>,
    /// The sound Syzygy files of up to six pieces that are others, such as those that `tables
    /// build` makes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_published: Vec<String>,
}

impl Request for CheckRequest {
    const COMMAND: &'static str = "tables check";
    type Plan = CheckPlan;
    type Answer = CheckAnswer;

    fn plan(&self) -> Result<CheckPlan, Error> {
        Ok(CheckPlan(self.files.clone()))
    }

    fn run(plan: &CheckPlan, run: &Run) -> Result<CheckAnswer, Error> {
        let mut files = plan.0.clone();
        let fairy = take_files(&mut files)?;
        let files = table_files(&files)?;
        let (mut blocks, mut damaged) = (0, Vec::new());
        for file in &fairy {
            match everymove_fairy::store::check(file, run) {
                Ok(sound) => blocks += sound,
                Err(FairyError::File(error)) if !error.is_not_found() => {
                    damaged.push(error.to_string())
                }
                Err(error) => return Err(error.into()),
            }
        }
        let (mut published, mut not_published) = (None, Vec::new());
        for file in &files {
            match TableFile::check(file, run) {
                Ok(sound) => {
                    blocks += sound.blocks;
                    if let Some(is_published) = sound.published {
                        *published.get_or_insert(0) += usize::from(is_published);
                        if !is_published {
                            not_published.push(file.display().to_string());
                        }
                    }
                }
                Err(TableError::File(error)) if error.is_not_found() => return Err(error.into()),
                Err(error @ (TableError::File(_) | TableError::Wrong { .. })) => {
                    damaged.push(error.to_string());
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(CheckAnswer {
            files: files.len() + fairy.len(),
            blocks,
            damaged,
            published,
            not_published,
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
        let mut published = String::new();
        if let Some(number) = answer.published {
            if number > 0 {
                let line = |file: &String| format!("{file}: sound, but not the published file\n");
                published.extend(answer.not_published.iter().map(line));
            }
            let all = number + answer.not_published.len();
            published += &format!("{number} of {all} Syzygy files are the published ones\n");
        }
        let text = format!(
            "{}{} of {} files sound, {} blocks\n{published}",
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
