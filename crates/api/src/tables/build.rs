//! `tables build`: the table of an ending and those it needs, or of every ending of up to a number
//! of pieces.

use std::path::{Path, PathBuf};

use everymove_kernel::files::Disk;
use everymove_kernel::run::{Run, Work};
use everymove_tables::batch::Batch;
use everymove_tables::stats::stats;
use everymove_tables::{
    Checkpoint, Material, OutputFiles, Plan, Tables, build_ending, search_path,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::batch::{BatchAnswer, EstimateAnswer};
use super::counts::{self, SideCounts};
use super::error::advise;
use super::fairy::{FairyAnswer, FairyRequest};
use super::source::{Metric, TABLES, check_material, material};
use crate::error::Error;
use crate::request::{Answer, Request};
use crate::site::{Site, absent};
use crate::terminal::{Format, OnTerminal, Screen, Shown, Text, under_display};
use everymove_fairy::store;

/// The order in which the chunks of a table are processed.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Schedule {
    /// All moves from all positions, anywhere in the table
    Scan,
    /// A pass of one side's moves, then a pass of the other's
    Subcycles,
    /// A pass of the attacker's pieces, then a pass of its king
    #[value(name = "rootsplit")]
    RootSplit,
    /// As rootsplit, in alternating order, with half the passes
    #[default]
    Leapfrog,
}

impl From<Schedule> for everymove_tables::Schedule {
    fn from(schedule: Schedule) -> Self {
        match schedule {
            Schedule::Scan => Self::Scan,
            Schedule::Subcycles => Self::Subcycles,
            Schedule::RootSplit => Self::RootSplit,
            Schedule::Leapfrog => Self::Leapfrog,
        }
    }
}

/// Build the table of an ending and those it needs, or all of a number of pieces.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct BuildRequest {
    /// The ending, of up to six pieces, for example KRBvKR
    #[arg(required_unless_present = "all")]
    pub material: Option<String>,
    /// Every ending of up to this many pieces, kings included: 3, 4 or 5; endings of six pieces
    /// are built one by one, by name
    #[arg(long, value_name = "PIECES", conflicts_with = "material")]
    pub all: Option<usize>,
    /// Only estimate what is missing: its files, bytes, processor time and memory
    #[arg(long)]
    #[serde(default)]
    pub estimate: bool,
    /// The directory of the tables, old and new [default: tables]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The distances: dtm (plies to mate), dtz (plies to a capture or pawn move, fifty-move rule),
    /// dtm50 (plies to mate under the fifty-move rule, for every half-move clock; made in
    /// memory, without schedule and checkpoint) or dtc (plies to a capture, promotion or mate)
    /// [default: dtm, or dtz with Syzygy files]
    #[arg(long, value_name = "METRIC")]
    pub metric: Option<Metric>,
    /// Also write Syzygy files (.rtbw, .rtbz) of the ending and of all it needs, for other chess
    /// programs
    #[arg(long)]
    #[serde(default)]
    pub syzygy: bool,
    /// As --syzygy, but keep the Syzygy files alone: the .dtz tables of these endings are removed
    /// from the directory when all are made
    #[arg(long)]
    #[serde(default)]
    pub syzygy_only: bool,
    /// The order of the work; the tables are the same [default: leapfrog]
    #[arg(long, value_name = "SCHEDULE")]
    pub schedule: Option<Schedule>,
    /// Save the work on unfinished tables in this directory every ten seconds, and resume from
    /// what is there
    #[arg(long, value_name = "DIR")]
    pub checkpoint: Option<PathBuf>,
    /// Do not count what the table holds
    #[arg(long)]
    #[serde(default)]
    pub no_stats: bool,
    /// Pieces by their moves, other boards and other rules.
    #[command(flatten)]
    #[serde(flatten)]
    pub fairy: FairyRequest,
}

/// The most pieces of all endings.
const MOST_PIECES: usize = 5;

/// The checked request.
#[derive(Clone, Debug)]
pub struct BuildPlan {
    subject: Subject,
    estimate: bool,
    metric: everymove_tables::Metric,
    files: OutputFiles,
    schedule: Schedule,
    out: PathBuf,
    checkpoint: Option<PathBuf>,
    stats: bool,
}

#[derive(Clone, Debug)]
enum Subject {
    Ending(Material),
    /// Every ending of up to this many pieces.
    All(usize),
    /// An ending of pieces by their moves.
    Fairy(Box<everymove_fairy::Ending>),
}

/// What was built, or would be.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum BuildAnswer {
    /// The tables of one ending and of those it needs.
    Ending(Box<EndingAnswer>),
    /// Those of every ending of up to a number of pieces.
    All(BatchAnswer),
    /// What is missing.
    Estimate(EstimateAnswer),
    /// The table of an ending of pieces by their moves, and of those it needs.
    Fairy(Box<FairyAnswer>),
}

/// The tables that were built.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EndingAnswer {
    /// The ending.
    pub material: String,
    /// The endings whose tables it needs.
    pub sub_tables: Vec<String>,
    /// What the distances count.
    pub metric: Metric,
    /// The order of the work.
    pub schedule: Schedule,
    /// The endings whose tables were made.
    pub made: Vec<String>,
    /// The endings whose tables existed.
    pub found: Vec<String>,
    /// The table of the ending.
    pub file: String,
    /// Counts with White to move, unless they were not wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub white_to_move: Option<SideCounts>,
    /// Counts with Black to move, unless they were not wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub black_to_move: Option<SideCounts>,
    /// The Syzygy files that were written, if they were wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub syzygy: Option<Vec<String>>,
    #[serde(skip)]
    work: Work,
}

/// Tables of pieces by their moves that have more positions are not built for others: they take
/// more than a few seconds.
const MOST_POSITIONS_OF_OTHERS: u64 = 24_000_000;

/// Tables of more pieces, kings included, are not built for others: they take minutes and
/// gigabytes.
const MOST_PIECES_OF_OTHERS: usize = 4;

impl Request for BuildRequest {
    const COMMAND: &'static str = "tables build";
    const IS_SERVED: bool = true;
    type Plan = BuildPlan;
    type Answer = BuildAnswer;

    fn restrict(&mut self, site: &Site) -> Result<(), Error> {
        absent("out", &self.out)?;
        absent("checkpoint", &self.checkpoint)?;
        absent("all", &self.all)?;
        absent("syzygy_only", &self.syzygy_only.then_some(()))?;
        let material = self.material.as_deref().unwrap_or_default();
        if self.fairy.is_given() {
            let ending = self.fairy.ending(material, self.metric)?;
            let folder = search_path(site.tables_folder("out")?).into_iter().next();
            let missing = store::missing(&ending, &folder.unwrap_or_default(), 1)?;
            let positions: u64 = missing.iter().map(|one| one.positions).sum();
            if positions > MOST_POSITIONS_OF_OTHERS {
                let line = format!(
                    "{material}: {positions} positions are to be solved; a server solves up to {MOST_POSITIONS_OF_OTHERS}"
                );
                return Err(Error::message(Some("material"), line));
            }
        } else if check_material(material)? > MOST_PIECES_OF_OTHERS {
            let line = format!(
                "{material}: a server builds tables of up to {MOST_PIECES_OF_OTHERS} pieces only"
            );
            return Err(Error::message(Some("material"), line));
        }
        self.out = search_path(site.tables_folder("out")?).into_iter().next();
        Ok(())
    }

    fn plan(&self) -> Result<BuildPlan, Error> {
        let subject = match (&self.material, self.all) {
            (Some(name), None) if self.fairy.is_given() => {
                let ending = self.fairy.ending(name, self.metric)?;
                self.refuse_of_fairy()?;
                Subject::Fairy(Box::new(ending))
            }
            (Some(name), None) => Subject::Ending(material(name)?),
            (None, _) if self.fairy.is_given() => {
                let line = "expected an ending, for example KAvKN with a piece A=BN";
                return Err(Error::message(Some("material"), line));
            }
            (None, Some(pieces @ 3..=MOST_PIECES)) => Subject::All(pieces),
            (None, Some(pieces)) => {
                let line = format!(
                    "{pieces} pieces: expected 3 to {MOST_PIECES}; endings of six pieces are built one by one, by name"
                );
                return Err(Error::message(Some("all"), line));
            }
            (Some(_), Some(_)) => {
                let line = "expected either one ending or all of a number of pieces";
                return Err(Error::message(Some("all"), line));
            }
            (None, None) => {
                let line = "expected an ending, for example KRBvKR";
                return Err(Error::message(Some("material"), line));
            }
        };
        let files = match (self.syzygy, self.syzygy_only) {
            (_, true) => OutputFiles::Syzygy,
            (true, false) => OutputFiles::TablesAndSyzygy,
            (false, false) => OutputFiles::Tables,
        };
        let metric = match (self.metric, files != OutputFiles::Tables) {
            (Some(metric @ (Metric::Dtm | Metric::Dtm50 | Metric::Dtc)), true) => {
                let metric = everymove_tables::Metric::from(metric);
                let line =
                    format!("Syzygy files hold plies to zeroing moves, not {metric}: expected dtz");
                return Err(Error::message(Some("metric"), line));
            }
            (Some(metric), _) => metric,
            (None, true) => Metric::Dtz,
            (None, false) => Metric::Dtm,
        };
        if metric == Metric::Dtm50 {
            for (field, is_given, what) in [
                (
                    "schedule",
                    self.schedule.is_some(),
                    "schedule: they have one order of work",
                ),
                (
                    "checkpoint",
                    self.checkpoint.is_some(),
                    "checkpoint: a build that was stopped starts its last table again",
                ),
            ] {
                if is_given {
                    let line = format!("tables of dtm50 are made without a {what}");
                    return Err(Error::message(Some(field), line));
                }
            }
        }
        let out = self.out.clone().unwrap_or_else(|| TABLES.into());
        for (field, folder) in [
            ("out", Some(&out)),
            ("checkpoint", self.checkpoint.as_ref()),
        ] {
            if let Some(folder) = folder.filter(|folder| folder.is_file()) {
                let line = format!("{} is a file: expected a directory", folder.display());
                return Err(Error::message(Some(field), line));
            }
        }
        Ok(BuildPlan {
            subject,
            estimate: self.estimate,
            metric: metric.into(),
            files,
            schedule: self.schedule.unwrap_or_default(),
            out,
            checkpoint: self.checkpoint.clone(),
            stats: !self.no_stats,
        })
    }

    fn run(plan: &BuildPlan, run: &Run) -> Result<BuildAnswer, Error> {
        if let Subject::Fairy(ending) = &plan.subject {
            if plan.estimate {
                let estimate = super::fairy::estimate(ending, &plan.out, run)?;
                return Ok(BuildAnswer::Estimate(estimate));
            }
            let answer = FairyAnswer::build(ending, &plan.out, plan.stats, run)?;
            return Ok(BuildAnswer::Fairy(Box::new(answer)));
        }
        let tables = Tables::new(&plan.out, plan.metric);
        let in_batch = plan.estimate || plan.files == OutputFiles::Syzygy;
        if let (Subject::Ending(material), false) = (&plan.subject, in_batch) {
            let answer = plan.build_ending(material, &tables, run)?;
            return Ok(BuildAnswer::Ending(Box::new(answer)));
        }
        let mut batch = plan.batch();
        if plan.estimate {
            let estimate = batch.estimate(&tables, run)?;
            return Ok(BuildAnswer::Estimate(EstimateAnswer::new(
                &batch, &estimate,
            )));
        }
        if let Some(folder) = &plan.checkpoint {
            // Nothing is created for a build that does not fit the budget.
            batch.require(&tables, run)?;
            batch.checkpoint = Some(Checkpoint::new(Disk::exclusive(folder)?));
        }
        let built = batch.build(&tables, run)?;
        Ok(BuildAnswer::All(BatchAnswer::new(&batch, built, &plan.out)))
    }
}

impl BuildRequest {
    /// Refuses what tables of pieces by their moves do not have.
    fn refuse_of_fairy(&self) -> Result<(), Error> {
        for (field, is_given) in [
            ("syzygy", self.syzygy),
            ("syzygy_only", self.syzygy_only),
            ("schedule", self.schedule.is_some()),
            ("checkpoint", self.checkpoint.is_some()),
        ] {
            if is_given {
                let line = format!(
                    "tables of pieces by their moves are made table by table, and a stopped build resumes from its log: without {field}"
                );
                return Err(Error::message(Some(field), line));
            }
        }
        Ok(())
    }
}

impl BuildPlan {
    /// The endings that are built, each after those it needs, and how.
    pub(crate) fn batch(&self) -> Batch {
        let mut batch = match &self.subject {
            Subject::Ending(material) => Batch::closure(material, self.metric),
            Subject::All(pieces) => Batch::all(*pieces, self.metric),
            Subject::Fairy(_) => Batch::all(0, self.metric),
        };
        batch.files = self.files;
        batch.schedule = self.schedule.into();
        batch
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.out
    }

    fn build_ending(
        &self,
        material: &Material,
        tables: &Tables,
        run: &Run,
    ) -> Result<EndingAnswer, Error> {
        let plan = self;
        let mut build = Plan {
            schedule: plan.schedule.into(),
            ..Plan::new(material.clone(), plan.metric)
        };
        if let Some(folder) = &plan.checkpoint {
            // Nothing is created for a build that does not fit the budget.
            build.require(tables, run)?;
            build.checkpoint = Some(Checkpoint::new(Disk::exclusive(folder)?));
        }
        let ending = build_ending(&build, plan.files, tables, run)?;
        let stats = match plan.stats {
            true => {
                let counting = everymove_tables::stats::Counting::Positions;
                Some(stats(material, tables, counting, run)?)
            }
            false => None,
        };
        let counts = |side| SideCounts::new(side, plan.metric);
        let names = |list: &[Material]| list.iter().map(Material::to_string).collect();
        let mut sub_tables = material.closure();
        sub_tables.retain(|sub| sub != material);
        Ok(EndingAnswer {
            material: material.to_string(),
            sub_tables: names(&sub_tables),
            metric: plan.metric.into(),
            schedule: plan.schedule,
            made: names(&ending.built.made),
            found: names(&ending.built.found),
            file: tables.path(material).display().to_string(),
            white_to_move: stats.as_ref().map(|stats| counts(&stats.white)),
            black_to_move: stats.as_ref().map(|stats| counts(&stats.black)),
            syzygy: (plan.files == OutputFiles::TablesAndSyzygy).then_some(ending.syzygy),
            work: ending.work,
        })
    }
}

impl Answer for BuildAnswer {
    fn work(&self) -> Work {
        match self {
            Self::Ending(answer) => answer.work.clone(),
            Self::All(answer) => answer.work(),
            Self::Estimate(_) => Work::default(),
            Self::Fairy(answer) => answer.work(),
        }
    }
}

impl OnTerminal for BuildRequest {
    type View = ();

    fn show(_: &BuildPlan, answer: &BuildAnswer, (): &()) -> Result<Shown, Error> {
        let text = match answer {
            BuildAnswer::Ending(answer) => answer.text(),
            BuildAnswer::All(answer) => answer.text(),
            BuildAnswer::Estimate(answer) => answer.text(),
            BuildAnswer::Fairy(answer) => answer.text(),
        };
        Ok(text.into())
    }

    fn advise(&self, error: Error) -> Error {
        let stopped = match (self.all, &self.checkpoint) {
            (Some(_), _) => "the same command resumes with the first unfinished file",
            _ if self.fairy.is_given() => "the same command resumes where this one stopped",
            _ if self.metric == Some(Metric::Dtm50) => {
                "the same command resumes with the first unfinished table"
            }
            (None, Some(_)) => "the same command resumes from the checkpoint",
            (None, None) => {
                "the same command resumes with the first unfinished table; with --checkpoint DIR it resumes inside that table"
            }
        };
        advise(error, stopped)
    }

    fn run_on(plan: &BuildPlan, screen: &dyn Screen) -> Result<BuildAnswer, Error> {
        let is_long = matches!(plan.subject, Subject::All(_)) && !plan.estimate;
        if is_long && screen.format() == Format::Full {
            let estimate = BuildPlan {
                estimate: true,
                ..plan.clone()
            };
            let estimate = under_display(screen, |run| Self::run(&estimate, run))?;
            if let BuildAnswer::Estimate(estimate) = estimate {
                screen.note(&estimate.sum());
            }
        }
        under_display(screen, |run| Self::run(plan, run))
    }
}

impl EndingAnswer {
    fn text(&self) -> Text {
        let file = &self.file;
        let mut full = match self.made.len() {
            0 => format!("{file} was there already\n"),
            1 => format!("made {file}\n"),
            n => format!("made {file} and {} tables it needs\n", n - 1),
        };
        if let (Some(white), Some(black)) = (&self.white_to_move, &self.black_to_move) {
            full += &counts::text(white, black, self.metric);
        }
        if let Some(syzygy) = &self.syzygy {
            full += &format!("made {} Syzygy files\n", syzygy.len());
        }
        let bare = format!("{file}\n");
        Text { bare, full }
    }
}
