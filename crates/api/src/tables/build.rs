//! `tables build`: the table of an ending and those it needs.

use std::path::PathBuf;

use everymove_kernel::files::Disk;
use everymove_kernel::run::{Run, Work};
use everymove_tables::stats::{Stats, stats};
use everymove_tables::{Checkpoint, Material, OutputFiles, Plan, Tables, build_ending};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::counts::SideCounts;
use super::source::{Metric, TABLES, material};
use crate::error::Error;
use crate::request::{Answer, Request};

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

/// Builds the table of an ending and those it needs.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct BuildRequest {
    /// The ending, for example KRBvKR
    pub material: String,
    /// The directory of the tables, old and new [default: tables]
    #[arg(long, value_name = "DIR")]
    #[serde(default)]
    pub out: Option<PathBuf>,
    /// The distances: dtm (plies to mate) or dtz (plies to a capture or pawn move, fifty-move rule) [default: dtm, or dtz with
    /// Syzygy files]
    #[arg(long, value_name = "METRIC")]
    #[serde(default)]
    pub metric: Option<Metric>,
    /// Also write Syzygy files (.rtbw, .rtbz) of the ending and of all it needs, for other chess programs
    #[arg(long)]
    #[serde(default)]
    pub syzygy: bool,
    /// The order of the work; the tables are the same [default: leapfrog]
    #[arg(long, value_name = "SCHEDULE")]
    #[serde(default)]
    pub schedule: Option<Schedule>,
    /// Save the work on unfinished tables in this directory every ten seconds, and resume from what is there
    #[arg(long, value_name = "DIR")]
    #[serde(default)]
    pub checkpoint: Option<PathBuf>,
    /// Do not count what the table holds
    #[arg(long)]
    #[serde(default)]
    pub no_stats: bool,
}

/// The checked request.
#[derive(Clone, Debug)]
pub struct BuildPlan {
    material: Material,
    metric: everymove_tables::Metric,
    files: OutputFiles,
    schedule: Schedule,
    out: PathBuf,
    checkpoint: Option<PathBuf>,
    stats: bool,
}

/// The tables that were built.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BuildAnswer {
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
    /// The counts as the library has them.
    #[serde(skip)]
    #[schemars(skip)]
    pub stats: Option<Stats>,
    /// Counters of work.
    #[serde(skip)]
    #[schemars(skip)]
    work: Work,
}

impl Request for BuildRequest {
    const COMMAND: &'static str = "tables build";
    type Plan = BuildPlan;
    type Answer = BuildAnswer;

    fn plan(&self) -> Result<BuildPlan, Error> {
        let material = material(&self.material)?;
        let files = match self.syzygy {
            true => OutputFiles::TablesAndSyzygy,
            false => OutputFiles::Tables,
        };
        let metric = match (self.metric, self.syzygy) {
            (Some(Metric::Dtm), true) => {
                let line = "Syzygy files hold plies to zeroing moves, not dtm: expected dtz";
                return Err(Error::message(Some("metric"), line));
            }
            (Some(metric), _) => metric,
            (None, true) => Metric::Dtz,
            (None, false) => Metric::Dtm,
        };
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
            material,
            metric: metric.into(),
            files,
            schedule: self.schedule.unwrap_or_default(),
            out,
            checkpoint: self.checkpoint.clone(),
            stats: !self.no_stats,
        })
    }

    fn run(plan: &BuildPlan, run: &Run) -> Result<BuildAnswer, Error> {
        let tables = Tables::new(&plan.out, plan.metric);
        let mut build = Plan {
            schedule: plan.schedule.into(),
            ..Plan::new(plan.material.clone(), plan.metric)
        };
        if let Some(folder) = &plan.checkpoint {
            // Nothing is created for a build that does not fit the budget.
            build.require(&tables, run)?;
            build.checkpoint = Some(Checkpoint::new(Disk::exclusive(folder)?));
        }
        let ending = build_ending(&build, plan.files, &tables, run)?;
        let stats = match plan.stats {
            true => {
                let counting = everymove_tables::stats::Counting::Positions;
                Some(stats(&plan.material, &tables, counting, run)?)
            }
            false => None,
        };
        let counts = |side| SideCounts::new(side, plan.metric);
        let names = |list: &[Material]| list.iter().map(Material::to_string).collect();
        let mut sub_tables = plan.material.closure();
        sub_tables.retain(|material| *material != plan.material);
        Ok(BuildAnswer {
            material: plan.material.to_string(),
            sub_tables: names(&sub_tables),
            metric: plan.metric.into(),
            schedule: plan.schedule,
            made: names(&ending.built.made),
            found: names(&ending.built.found),
            file: tables.path(&plan.material).display().to_string(),
            white_to_move: stats.as_ref().map(|stats| counts(&stats.white)),
            black_to_move: stats.as_ref().map(|stats| counts(&stats.black)),
            syzygy: (plan.files == OutputFiles::TablesAndSyzygy).then_some(ending.syzygy),
            stats,
            work: ending.work,
        })
    }
}

impl Answer for BuildAnswer {
    fn work(&self) -> Work {
        self.work.clone()
    }
}
