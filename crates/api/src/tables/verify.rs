//! `tables verify`: every value derived again from the rules.

use std::path::PathBuf;

use everymove_kernel::run::{Run, Work};
use everymove_kernel::text::grouped;
use everymove_tables::files::{table_files, verify_files};
use everymove_tables::verify::Thoroughness;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::counts::lines;
use super::error::advise;
use super::fairy::take_files;
use crate::error::Error;
use crate::request::{Answer, Outcome, Request};
use crate::terminal::{OnTerminal, Shown, Text};

/// Derive every value of a table again from the rules.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct VerifyRequest {
    /// Table files (.dtm, .dtz, .dtm50, .dtc, .rtbw, .rtbz, .fairy), or directories of them; the
    /// tables they need must be in the same directory
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Set up every N-th position on a board of its own (slow; Syzygy files are always verified
    /// completely) [default: a scan of all positions, and some thousands on boards]
    #[arg(long, value_name = "N")]
    pub every: Option<usize>,
}

/// The checked request.
#[derive(Clone, Debug)]
pub struct VerifyPlan {
    files: Vec<PathBuf>,
    how: Thoroughness,
}

/// The result of verifying tables.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VerifyAnswer {
    /// Number of files.
    pub files: usize,
    /// Whether all of them follow from the rules.
    pub valid: bool,
    /// The first wrong value of each file that does not.
    pub wrong: Vec<String>,
    /// WDL files without their DTZ file: that their wins make progress was not verified.
    pub without_dtz: Vec<String>,
    #[serde(skip)]
    positions: u64,
    #[serde(skip)]
    moves: u64,
}

impl Request for VerifyRequest {
    const COMMAND: &'static str = "tables verify";
    type Plan = VerifyPlan;
    type Answer = VerifyAnswer;

    fn plan(&self) -> Result<VerifyPlan, Error> {
        let how = match self.every {
            None => Thoroughness::Scan,
            Some(0) => {
                let line = "cannot check every 0-th position: expected 1 or more";
                return Err(Error::message(Some("every"), line));
            }
            Some(every) => Thoroughness::Boards(every),
        };
        Ok(VerifyPlan {
            files: self.files.clone(),
            how,
        })
    }

    fn run(plan: &VerifyPlan, run: &Run) -> Result<VerifyAnswer, Error> {
        let mut files = plan.files.clone();
        let fairy = take_files(&mut files)?;
        if plan.how != Thoroughness::Scan && !fairy.is_empty() {
            let line = "tables of pieces by their moves are verified completely";
            return Err(Error::message(Some("every"), line));
        }
        let files = table_files(&files)?;
        let syzygy = |file: &PathBuf| {
            let extension = file.extension().and_then(|e| e.to_str());
            matches!(extension, Some("rtbw" | "rtbz"))
        };
        if plan.how != Thoroughness::Scan && files.iter().any(syzygy) {
            let line = "every N-th position is for .dtm, .dtz, .dtm50 and .dtc tables: Syzygy files are verified completely";
            return Err(Error::message(Some("every"), line));
        }
        let verified = verify_files(&files, plan.how, run)?;
        let mut answer = VerifyAnswer {
            files: verified.files + fairy.len(),
            valid: false,
            wrong: verified.wrong,
            without_dtz: verified.without_dtz,
            positions: verified.verified.positions,
            moves: verified.verified.moves,
        };
        for file in &fairy {
            let verified = everymove_fairy::verify::verify(file, run)?;
            answer.positions += verified.positions;
            answer.moves += verified.moves;
            let wrong = verified
                .wrong
                .map(|wrong| format!("{}: {wrong}", file.display()));
            answer.wrong.extend(wrong);
        }
        answer.valid = answer.wrong.is_empty();
        Ok(answer)
    }
}

impl Answer for VerifyAnswer {
    fn outcome(&self) -> Outcome {
        Outcome::yes_if(self.valid)
    }

    fn work(&self) -> Work {
        let mut work = Work::of("positions", self.positions);
        work.add("moves", self.moves);
        work
    }
}

impl OnTerminal for VerifyRequest {
    type View = ();

    fn show(_: &VerifyPlan, answer: &VerifyAnswer, (): &()) -> Result<Shown, Error> {
        let mut text = lines(&answer.wrong);
        for name in &answer.without_dtz {
            text += &format!(
                "{name} was verified without its .rtbz: that its wins make progress was not shown\n"
            );
        }
        text += &format!(
            "{} of {} tables follow from the rules, {} positions checked\n",
            answer.files - answer.wrong.len(),
            answer.files,
            grouped(answer.positions)
        );
        Ok(Text::same(text).into())
    }

    fn advise(&self, error: Error) -> Error {
        advise(error, "")
    }
}
