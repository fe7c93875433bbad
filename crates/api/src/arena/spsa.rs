//! `arena spsa`: options of an engine, tuned by games against itself.

use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use everymove_arena::openings::Generator;
use everymove_arena::tuning::{Parameter, TuningPlan, tune};
use everymove_arena::{EngineConfig, MatchPlan, TournamentFormat};
use everymove_kernel::files::{Disk, Storage};
use everymove_kernel::input::Input;
use everymove_kernel::run::{Run, Work};
use everymove_kernel::text::shown;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::engines::{AdjudicationRequest, LimitsRequest, SyzygyTables};
use super::error::resumable;
use super::openings::GeneratorRequest;
use crate::error::Error;
use crate::request::{Answer, Request};
use crate::terminal::{Ended, OnTerminal, Screen, Shown, Text, under_display, write_answer};

/// The largest file of parameters, in bytes.
const MOST_BYTES: u64 = 1 << 20;
/// The usual rate.
const RATE: f64 = 0.002;

/// Options of an engine, tuned by games against itself (SPSA)
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct SpsaRequest {
    /// The engine, as for `arena play`: cmd=PROGRAM, and joined by commas option.NAME=.. for
    /// options that stay
    #[arg(long, value_name = "ENGINE")]
    engine: String,
    /// The options to tune: a file with a line NAME START LEAST MOST for each, and with STEP
    /// behind if wanted
    #[arg(long, value_name = "FILE")]
    parameters: String,
    /// Limits of each search.
    #[command(flatten)]
    #[serde(flatten)]
    limits: LimitsRequest,
    /// Pairs of games [default: 10000]
    #[arg(long, value_name = "N")]
    pairs: Option<u64>,
    /// How far a won game moves an option at the end, in steps [default: 0.002]
    #[arg(long, value_name = "R")]
    rate: Option<f64>,
    /// Pairs played at the same time [default: 1]
    #[arg(long, value_name = "C")]
    concurrency: Option<usize>,
    /// How openings are generated; the seed also chooses the changes.
    #[command(flatten)]
    #[serde(flatten)]
    generator: GeneratorRequest,
    /// When games end early.
    #[command(flatten)]
    #[serde(flatten)]
    adjudication: AdjudicationRequest,
}

/// The checked question.
#[derive(Clone, Debug)]
pub struct SpsaPlan {
    plan: TuningPlan,
    table_faults: Vec<String>,
    tables: Option<Arc<SyzygyTables>>,
}

/// The tuned options.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SpsaAnswer {
    /// Whether all pairs were played.
    complete: bool,
    /// Pairs of games that were played, with those of a checkpoint.
    pairs: u64,
    /// The options in the order of the file.
    options: Vec<TunedOption>,
    /// Why endgame tables that were named, or files of them that were needed, are not used, a line
    /// for each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    table_faults: Vec<String>,
}

/// An option before and after.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct TunedOption {
    /// Its name.
    name: String,
    /// The value at the start.
    start: f64,
    /// The value reached.
    value: f64,
}

impl Request for SpsaRequest {
    const COMMAND: &'static str = "arena spsa";
    type Plan = SpsaPlan;
    type Answer = SpsaAnswer;

    fn plan(&self) -> Result<SpsaPlan, Error> {
        let engine: EngineConfig = self.engine.parse().map_err(Error::field("engine"))?;
        let sides = ["up", "down"].map(|name| EngineConfig {
            name: name.to_owned(),
            ..engine.clone()
        });
        let pairs = self.pairs.unwrap_or(10_000);
        let rate = self.rate.unwrap_or(RATE);
        if !(rate > 0.0 && rate <= 1.0) {
            let message = format!("rate {rate}: expected more than 0 and at most 1");
            return Err(Error::message(Some("rate"), message));
        }
        let concurrency = self.concurrency.unwrap_or(1);
        if concurrency == 0 {
            let message = "concurrency 0: expected 1 or more pairs at once";
            return Err(Error::message(Some("concurrency"), message));
        }
        let generator = Generator::new(self.generator.options()?);
        let mut games = MatchPlan::new(
            sides.to_vec(),
            TournamentFormat::RoundRobin,
            pairs,
            generator.into(),
            self.limits.limits()?,
            self.generator.mode(),
        )?;
        games.adjudication = self.adjudication.adjudication()?;
        let (tables, table_faults) = self.adjudication.tables()?;
        games.tables = tables.clone().map(|tables| tables as _);
        games.concurrency = concurrency;
        Ok(SpsaPlan {
            table_faults,
            tables,
            plan: TuningPlan {
                games,
                parameters: self.read_parameters()?,
                rate,
                seed: self.generator.seed.unwrap_or(1),
            },
        })
    }

    fn run(plan: &SpsaPlan, run: &Run) -> Result<SpsaAnswer, Error> {
        plan.tune(None, run)
    }
}

impl SpsaRequest {
    fn read_parameters(&self) -> Result<Vec<Parameter>, Error> {
        let path = &self.parameters;
        let refused =
            |message| Error::message(Some("parameters"), format!("{}: {message}", shown(path)));
        let run = Run::checking();
        let input = Input::open(Path::new(path), &run)?
            .at_most(MOST_BYTES)
            .as_text();
        let mut found: Vec<Parameter> = Vec::new();
        for (i, line) in input.buffered().lines().enumerate() {
            run.stop.check()?;
            let line = line.map_err(|e| refused(e.to_string()))?;
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let at = |message: String| refused(format!("line {}: {message}", i + 1));
            let parameter: Parameter = line.parse().map_err(|e| at(format!("{e}")))?;
            if found.iter().any(|other| other.name == parameter.name) {
                return Err(at(format!("{} is there twice", shown(&parameter.name))));
            }
            found.push(parameter);
        }
        if found.is_empty() {
            return Err(refused(
                "no parameters: expected lines NAME START LEAST MOST [STEP]".to_owned(),
            ));
        }
        Ok(found)
    }
}

impl SpsaPlan {
    /// Plays the pairs of games, or the rest of them: see [`tune`]. A stopped run has an answer
    /// that is not complete.
    ///
    /// # Errors
    /// [`Error`] if the engine cannot be started or the journal in `storage` cannot be used.
    fn tune(&self, storage: Option<&dyn Storage>, run: &Run) -> Result<SpsaAnswer, Error> {
        run.progress.start("playing pairs", self.plan.games.rounds);
        let play = || tune(&self.plan, storage, run, &mut |_| ());
        let (report, table_faults) = SyzygyTables::watch(self.tables.as_ref(), run, play);
        let report = report?;
        let parameters = self.plan.parameters.iter();
        let options = parameters.zip(report.values).map(|(p, value)| TunedOption {
            name: p.name.clone(),
            start: p.start,
            value,
        });
        Ok(SpsaAnswer {
            complete: report.complete,
            pairs: report.pairs,
            options: options.collect(),
            table_faults: [self.table_faults.clone(), table_faults].concat(),
        })
    }
}

/// What is kept.
#[derive(Debug, clap::Args)]
pub struct SpsaView {
    /// Keep every finished pair of games in this directory; the same command resumes from there
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<PathBuf>,
}

impl OnTerminal for SpsaRequest {
    type View = SpsaView;

    /// A line for each option: name, value at the start, value now.
    fn show(_: &SpsaPlan, answer: &SpsaAnswer, _: &SpsaView) -> Result<Shown, Error> {
        let width = answer.options.iter().map(|o| shown(&o.name).len()).max();
        let width = width.unwrap_or(0).max(6);
        let mut text = format!(
            "{:width$}  {:>10}  {:>10}   after {} pairs of games\n",
            "option", "start", "value", answer.pairs
        );
        for TunedOption { name, start, value } in &answer.options {
            let name = shown(name);
            text += &format!("{name:width$}  {start:>10}  {value:>10.1}\n");
        }
        Ok(Text::same(text).into())
    }

    fn ask(self, view: SpsaView, screen: &dyn Screen) -> Result<Ended, Error> {
        let view = &view;
        let plan = self.plan()?;
        let storage = view
            .checkpoint
            .as_deref()
            .map(Disk::exclusive)
            .transpose()?;
        let storage = storage.as_ref().map(|disk| disk as &dyn Storage);
        let answer = under_display(screen, |run| plan.tune(storage, run))?;
        let shown = Self::show(&plan, &answer, view)?;
        let ended = write_answer::<Self>(&answer, &shown.text, screen)?;
        let stopped = "stopped before all pairs were played";
        let fault = (!answer.complete).then(|| resumable(stopped, "a run", &view.checkpoint));
        Ok(Ended { fault, ..ended })
    }
}

impl Answer for SpsaAnswer {
    fn table_faults(&self) -> &[String] {
        &self.table_faults
    }

    fn work(&self) -> Work {
        Work::of("games", 2 * self.pairs)
    }
}
