//! `lab run`: one experiment, or all.

use std::path::Path;

use everymove_kernel::machine;
use everymove_kernel::run::Run;
use everymove_lab::{
    Check, Experiment, Options, Report, Setting, Size, experiments, find, run_series,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::stored::{new_folder, write_index, write_report};
use crate::budget::check_threads;
use crate::error::Error;
use crate::request::{Answer, Request, Updates};
use crate::site::Site;

/// An experiment, or all of them.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct RunRequest {
    /// The experiment's name; quick: all of them in about a minute; all: all of them in full
    pub name: String,
    /// A small version, of some seconds
    #[arg(long)]
    #[serde(default)]
    pub quick: bool,
    /// The numbers of threads that are compared; a single number stands for one thread, its doublings below that number,
    /// and that number [default: up to twice as many as there are cores]
    #[arg(skip)]
    #[serde(default)]
    pub threads: Vec<usize>,
}

/// The checked experiments.
#[derive(Clone, Debug)]
pub struct RunPlan {
    experiments: Vec<&'static Experiment>,
    options: Options,
}

/// What the experiments found, as far as known results go; the measurements are in the reports.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunAnswer {
    /// One entry for each experiment.
    pub experiments: Vec<ExperimentAnswer>,
    /// How many results disagree with known ones.
    pub disagreements: usize,
    /// The name of the stored reports, where a server stores them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stored: Option<String>,
    /// The reports, with tables and charts.
    #[serde(skip)]
    #[schemars(skip)]
    pub reports: Vec<Report>,
}

/// The results of an experiment that were compared with known ones.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExperimentAnswer {
    /// The experiment's name.
    pub name: &'static str,
    /// The headline of its report.
    pub title: String,
    /// The results.
    pub checks: Vec<CheckAnswer>,
}

/// A result beside the known one.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckAnswer {
    /// What was found out.
    pub what: String,
    /// The result of this run.
    pub found: String,
    /// The known result.
    pub known: String,
    /// Where the known result is from.
    pub source: String,
    /// Whether the two are the same.
    pub agrees: bool,
}

impl RunPlan {
    /// Runs the experiments and gives each report to `finished` as soon as it is there.
    ///
    /// # Errors
    /// [`Error`] if the run is stopped, an experiment fails, or `finished` does.
    pub fn run_each<E: From<Error>>(
        &self,
        run: &Run,
        mut finished: impl FnMut(&Report) -> Result<(), E>,
    ) -> Result<RunAnswer, E> {
        let mut reports = Vec::new();
        let mut failed = None;
        let ended = run_series(&self.experiments, &self.options, run, |report| {
            if let Err(error) = finished(&report) {
                failed = Some(error);
                return Err(Error::message(None, "the report could not be used"));
            }
            reports.push(report);
            Ok(())
        });
        match (failed, ended) {
            (Some(error), _) => Err(error),
            (None, Err(error)) => Err(error.into()),
            (None, Ok(())) => Ok(RunAnswer::from(reports)),
        }
    }
}

impl From<Vec<Report>> for RunAnswer {
    fn from(reports: Vec<Report>) -> Self {
        let disagrees = |check: &&Check| !check.agrees();
        let all = reports.iter().flat_map(|report| &report.checks);
        Self {
            experiments: reports.iter().map(ExperimentAnswer::from).collect(),
            disagreements: all.filter(disagrees).count(),
            stored: None,
            reports,
        }
    }
}

impl From<&Report> for ExperimentAnswer {
    fn from(report: &Report) -> Self {
        let check = |check: &Check| CheckAnswer {
            what: check.what.clone(),
            found: check.found.clone(),
            known: check.known.clone(),
            source: check.source.clone(),
            agrees: check.agrees(),
        };
        Self {
            name: report.name,
            title: report.title.clone(),
            checks: report.checks.iter().map(check).collect(),
        }
    }
}

impl Request for RunRequest {
    const COMMAND: &'static str = "lab run";
    const IS_SERVED: bool = true;
    type Plan = RunPlan;
    type Answer = RunAnswer;

    fn restrict(&mut self, _: &Site) -> Result<(), Error> {
        let most = (2 * machine::cores()).max(4);
        match self.threads.iter().find(|n| **n > most) {
            None => Ok(()),
            Some(n) => {
                let line = format!("cannot use {n} threads: expected 1 to {most}");
                Err(Error::message(Some("threads"), line))
            }
        }
    }

    /// The reports are written into a folder of the server. The updates are the finished reports: `report` with the
    /// experiment, `title`, and the numbers of `checks` and of those that `agree`.
    fn run_for(
        plan: &RunPlan,
        site: &Site,
        run: &Run,
        updates: &mut Updates<'_>,
    ) -> Result<RunAnswer, Error> {
        run_and_store(plan, site.reports.as_deref(), &site.commit, run, updates)
    }

    fn plan(&self) -> Result<RunPlan, Error> {
        let all = || experiments().iter().collect();
        let (experiments, size) = match self.name.as_str() {
            "quick" => (all(), Size::Quick),
            "all" => (all(), Size::Full),
            name => (vec![find(name)?], Size::Full),
        };
        let options = Options::new(if self.quick { Size::Quick } else { size });
        for &number in &self.threads {
            check_threads(number)?;
        }
        let options = match self.threads[..] {
            [] => options,
            [most] => options.up_to_threads(most),
            _ => options.on_threads(self.threads.iter().copied()),
        };
        Ok(RunPlan {
            experiments,
            options,
        })
    }

    fn run(plan: &RunPlan, run: &Run) -> Result<RunAnswer, Error> {
        plan.run_each(run, |_| Ok(()))
    }
}

impl Answer for RunAnswer {}

/// Runs the experiments and writes each report into a folder of its own below `folder`, if there is one, with an index
/// page at the end.
pub(crate) fn run_and_store(
    plan: &RunPlan,
    folder: Option<&Path>,
    commit: &str,
    run: &Run,
    updates: &mut Updates<'_>,
) -> Result<RunAnswer, Error> {
    let names: Vec<_> = plan.experiments.iter().map(|e| e.name).collect();
    let quick = plan.options.size == Size::Quick;
    let (name, command) = match (&names[..], quick) {
        ([one], true) => (*one, format!("{one} --quick")),
        ([one], false) => (*one, (*one).to_owned()),
        (_, true) => ("quick", "quick".to_owned()),
        (_, false) => ("all", "all".to_owned()),
    };
    let command = format!("everymove lab run {command}");
    let setting = Setting::here(env!("CARGO_PKG_VERSION"), commit, command);
    let out = folder.map(|folder| new_folder(folder, name)).transpose()?;
    let mut answer = plan.run_each(run, |report| {
        if let Some((_, out)) = &out {
            write_report(out, report, &setting)?;
        }
        updates(json!({
            "report": report.name,
            "title": report.title,
            "checks": report.checks.len(),
            "agree": report.checks.iter().filter(|check| check.agrees()).count(),
        }));
        Ok::<_, Error>(())
    })?;
    if let Some((id, out)) = out {
        write_index(&out, &answer.reports, &setting)?;
        answer.stored = Some(id);
    }
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::read;

    #[test]
    fn wrong_fields_are_named() {
        let plan = |json: &str| read::<RunRequest>(json).and_then(|request| request.plan());
        let error = plan(r#"{ "name": "pegs-serch" }"#).unwrap_err();
        assert_eq!(error.wrong_field(), Some("name"));
        assert!(
            error.to_string().ends_with("did you mean pegs-search?"),
            "{error}"
        );
        let error = plan(r#"{ "name": "alchemy" }"#).unwrap_err().to_string();
        assert!(
            error.contains("expected quick, all, or one of tours-speedup"),
            "{error}"
        );
        let error = plan(r#"{ "name": "quick", "threads": [1, 0] }"#).unwrap_err();
        assert_eq!(error.wrong_field(), Some("threads"));
    }

    #[test]
    fn threads_and_size_are_obeyed() {
        let plan = |json: &str| read::<RunRequest>(json).unwrap().plan().unwrap();
        let options = |json: &str| plan(json).options;
        let small = options(r#"{ "name": "leapfrog", "quick": true, "threads": [4] }"#);
        assert_eq!(small, Options::new(Size::Quick).up_to_threads(4));
        let all = plan(r#"{ "name": "all", "threads": [1, 3] }"#);
        assert_eq!(all.options, Options::new(Size::Full).on_threads([1, 3]));
        assert_eq!(all.experiments.len(), experiments().len());
    }
}
