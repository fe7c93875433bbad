//! `lab run`: one experiment, or all.

use std::path::{Path, PathBuf};

use everymove_kernel::files::{Disk, FileError, Output};
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
use crate::terminal::{Ended, OnTerminal, Screen, Text, under_display, write_answer};

/// One experiment; quick: all of them in about a minute; all: all of them in full
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct RunRequest {
    /// The experiment's name; quick: all of them in about a minute; all: all of them in full
    name: String,
    /// A small version, of some seconds
    #[arg(long)]
    #[serde(default)]
    quick: bool,
    /// The numbers of threads that are compared; a single number stands for one thread, its
    /// doublings below that number, and that number [default: up to twice as many as there are
    /// cores]
    #[arg(skip)]
    #[serde(default)]
    threads: Vec<usize>,
}

/// The checked experiments.
#[derive(Clone, Debug)]
pub struct RunPlan {
    name: String,
    /// The command that asks it again.
    command: String,
    experiments: Vec<&'static Experiment>,
    options: Options,
}

/// What the experiments found, as far as known results go; the measurements are in the reports.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunAnswer {
    /// One entry for each experiment.
    experiments: Vec<ExperimentAnswer>,
    /// How many results disagree with known ones.
    disagreements: usize,
    /// The name of the stored reports, where a server stores them.
    #[serde(skip_serializing_if = "Option::is_none")]
    stored: Option<String>,
}

/// The results of an experiment that were compared with known ones.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct ExperimentAnswer {
    /// The experiment's name.
    name: &'static str,
    /// The headline of its report.
    title: String,
    /// The results.
    checks: Vec<CheckAnswer>,
}

/// A result beside the known one.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CheckAnswer {
    /// What was found out.
    what: String,
    /// The result of this run.
    found: String,
    /// The known result.
    known: String,
    /// Where the known result is from.
    source: String,
    /// Whether the two are the same.
    pub agrees: bool,
}

impl RunPlan {
    /// Runs the experiments and gives each report, with its tables and charts, to `finished` as
    /// soon as it is there; returns all of them, too.
    ///
    /// # Errors
    /// [`Error`] if the run is stopped, an experiment fails, or `finished` does.
    pub fn run_each(
        &self,
        run: &Run,
        mut finished: impl FnMut(&Report) -> Result<(), Error>,
    ) -> Result<(RunAnswer, Vec<Report>), Error> {
        let mut reports = Vec::new();
        run_series(&self.experiments, &self.options, run, |report| {
            finished(&report)?;
            reports.push(report);
            Ok::<_, Error>(())
        })?;
        Ok((RunAnswer::new(&reports), reports))
    }

    fn setting(&self, commit: &str) -> Setting {
        Setting::here(env!("CARGO_PKG_VERSION"), commit, self.command.clone())
    }
}

impl RunAnswer {
    fn new(reports: &[Report]) -> Self {
        let disagrees = |check: &&Check| !check.agrees();
        let all = reports.iter().flat_map(|report| &report.checks);
        Self {
            experiments: reports.iter().map(ExperimentAnswer::from).collect(),
            disagreements: all.filter(disagrees).count(),
            stored: None,
        }
    }
}

impl CheckAnswer {
    /// What was found, in words.
    pub(super) fn finding(&self) -> String {
        format!("{}: {}", self.what, self.found)
    }
}

impl From<&Check> for CheckAnswer {
    fn from(check: &Check) -> Self {
        Self {
            what: check.what.clone(),
            found: check.found.clone(),
            known: check.known.clone(),
            source: check.source.clone(),
            agrees: check.agrees(),
        }
    }
}

impl From<&Report> for ExperimentAnswer {
    fn from(report: &Report) -> Self {
        Self {
            name: report.name,
            title: report.title.clone(),
            checks: report.checks.iter().map(CheckAnswer::from).collect(),
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

    /// The reports are written into a folder of the server. The updates are the finished reports:
    /// `report` with the experiment, `title`, and the numbers of `checks` and of those that
    /// `agree`.
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
        let mut command = format!("everymove lab run {}", self.name);
        if self.quick {
            command += " --quick";
        }
        if !self.threads.is_empty() {
            let numbers: Vec<_> = self.threads.iter().map(usize::to_string).collect();
            command += &format!(" --threads {}", numbers.join(","));
        }
        Ok(RunPlan {
            name: self.name.clone(),
            command,
            experiments,
            options,
        })
    }

    fn run(plan: &RunPlan, run: &Run) -> Result<RunAnswer, Error> {
        Ok(plan.run_each(run, |_| Ok(()))?.0)
    }
}

/// Where reports go.
#[derive(Debug, clap::Args)]
pub struct RunView {
    /// Write tables, charts and a page for each experiment into this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl OnTerminal for RunRequest {
    type View = RunView;

    fn ask(mut self, view: RunView, screen: &dyn Screen) -> Result<Ended, Error> {
        let view = &view;
        self.threads = screen.threads().to_vec();
        let plan = self.plan()?;
        let out = view.out.as_deref().map(folder).transpose()?;
        let setting = plan.setting(screen.commit());
        let mut text = String::new();
        let wrote = |text: &mut String, out: &Disk, names: Vec<String>| {
            for name in names {
                *text += &format!("wrote {}\n", out.folder().join(name).display());
            }
        };
        let ran = under_display(screen, |run| {
            plan.run_each(run, |report| {
                if !text.is_empty() {
                    text.push('\n');
                }
                text += &report.text();
                if let Some(out) = &out {
                    wrote(&mut text, out, write_report(out, report, &setting)?);
                }
                Ok(())
            })
        });
        let (answer, reports) = ran?;
        if let Some(out) = &out {
            wrote(&mut text, out, write_index(out, &reports, &setting)?);
        }
        let ended = write_answer::<Self>(&answer, &Text::same(text), screen)?;
        let fault = match answer.disagreements {
            0 => None,
            n => {
                let line = format!("{n} results disagree with known ones: see above");
                Some(Error::machine(line))
            }
        };
        Ok(Ended { fault, ..ended })
    }
}

/// The directory for the files, made if it is missing, known to be writable.
fn folder(path: &Path) -> Result<Disk, Error> {
    let refuse = |e| FileError::io("create", path.display().to_string(), e);
    std::fs::create_dir_all(path).map_err(refuse)?;
    Output::prepare(path.join("report.html"))?;
    Ok(Disk::new(path))
}

impl Answer for RunAnswer {}

/// Runs the experiments and writes each report into a folder of its own below `folder`, if there is
/// one, with an index page at the end.
pub(crate) fn run_and_store(
    plan: &RunPlan,
    folder: Option<&Path>,
    commit: &str,
    run: &Run,
    updates: &mut Updates<'_>,
) -> Result<RunAnswer, Error> {
    let setting = plan.setting(commit);
    let out = folder.map(|folder| new_folder(folder, &plan.name));
    let out = out.transpose()?;
    let (mut answer, reports) = plan.run_each(run, |report| {
        if let Some((_, out)) = &out {
            write_report(out, report, &setting)?;
        }
        updates(json!({
            "report": report.name,
            "title": report.title,
            "checks": report.checks.len(),
            "agree": report.checks.iter().filter(|check| check.agrees()).count(),
        }));
        Ok(())
    })?;
    if let Some((id, out)) = out {
        write_index(&out, &reports, &setting)?;
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
            error.contains("expected quick, all, or one of course-tours"),
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
