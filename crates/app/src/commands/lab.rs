//! `everymove lab`: experiments.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use everymove_kernel::files::{Disk, FileError, Output, publish};
use everymove_lab::{Experiment, LabError, Report, Setting, Size, experiments};
use serde_json::{Value, json};

use crate::answer::{Answer, Outcome};
use crate::failure::Failure;
use crate::session::Session;

/// What can be asked of the lab.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The experiments
    List,
    /// One experiment; quick: all of them in about a minute; all: all of them in full
    Run(RunArgs),
}

/// `everymove lab run`.
#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    /// The experiment's name, quick or all
    name: String,
    /// Write tables, charts and a page for each experiment into this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

struct Plan {
    experiments: Vec<&'static Experiment>,
    size: Size,
    out: Option<Disk>,
    setting: Setting,
}

impl RunArgs {
    fn plan(&self) -> Result<Plan, Failure> {
        let (experiments, size) = match self.name.as_str() {
            "quick" => (experiments().iter().collect(), Size::Quick),
            "all" => (experiments().iter().collect(), Size::Full),
            name => {
                let found = experiments().iter().find(|e| e.name == name);
                (vec![found.ok_or_else(|| unknown(name))?], Size::Full)
            }
        };
        let out = self.out.as_deref().map(folder).transpose()?;
        let version = env!("CARGO_PKG_VERSION");
        let command = format!("everymove lab run {}", self.name);
        Ok(Plan {
            experiments,
            size,
            out,
            setting: Setting::here(version, env!("EVERYMOVE_COMMIT"), command),
        })
    }
}

/// The directory for the files, made if it is missing, known to be writable.
fn folder(path: &Path) -> Result<Disk, Failure> {
    let refuse = |e| FileError::io("create", path.display().to_string(), e);
    std::fs::create_dir_all(path).map_err(refuse)?;
    Output::prepare(path.join("report.html"))?;
    Ok(Disk::new(path))
}

fn unknown(name: &str) -> Failure {
    let names: Vec<_> = experiments().iter().map(|e| e.name).collect();
    let names = names.join(", ");
    Failure::Input(format!(
        "'{name}' is not an experiment: expected quick, all, or one of {names}"
    ))
}

pub(crate) fn run(command: Command, session: &Session) -> Result<Outcome, Failure> {
    match command {
        Command::List => list(session),
        Command::Run(args) => experiment(&args.plan()?, session),
    }
}

fn list(session: &Session) -> Result<Outcome, Failure> {
    let wide = experiments()
        .iter()
        .map(|e| e.name.len())
        .max()
        .unwrap_or(0);
    let (mut text, mut bare) = (String::new(), String::new());
    for e in experiments() {
        let _ = writeln!(text, "{:wide$}  {}", e.name, e.about);
        let _ = writeln!(bare, "{}", e.name);
    }
    let objects: Vec<_> = (experiments().iter())
        .map(|e| json!({ "name": e.name, "about": e.about }))
        .collect();
    Answer::new("lab list", Outcome::Yes)
        .text(text)
        .bare(bare)
        .field("experiments", objects)
        .show(session)
}

fn experiment(plan: &Plan, session: &Session) -> Result<Outcome, Failure> {
    let (mut text, mut objects, mut wrong) = (String::new(), Vec::new(), 0);
    for experiment in &plan.experiments {
        let report =
            session
                .work(|run| experiment.run(plan.size, run))
                .map_err(|error| match error {
                    LabError::Stopped(_) => Failure::stopped(""),
                    error => Failure::resource(format!("{}: {error}", experiment.name)),
                })?;
        if !text.is_empty() {
            text.push('\n');
        }
        text += &report.text();
        wrong += report.checks.iter().filter(|check| !check.agrees()).count();
        for file in write(&report, plan)? {
            let _ = writeln!(text, "wrote {file}");
        }
        objects.push(object(&report));
    }
    let verdict = Answer::new("lab run", Outcome::Yes)
        .bare(text.as_str())
        .text(text)
        .field("experiments", objects)
        .field("disagreements", wrong)
        .show(session)?;
    match wrong {
        0 => Ok(verdict),
        n => Err(Failure::Resource(format!(
            "{n} results disagree with known ones: see above"
        ))),
    }
}

/// Publishes the files of a report and names them.
fn write(report: &Report, plan: &Plan) -> Result<Vec<String>, Failure> {
    let Some(out) = &plan.out else {
        return Ok(Vec::new());
    };
    let mut names = Vec::new();
    for file in report.files(&plan.setting).map_err(Failure::resource)? {
        publish(out, &file.name, |draft| draft.put(file.text.as_bytes()))?;
        names.push(out.folder().join(&file.name).display().to_string());
    }
    Ok(names)
}

fn object(report: &Report) -> Value {
    let checks: Vec<_> = (report.checks.iter())
        .map(|check| {
            json!({
                "what": check.what,
                "found": check.found,
                "known": check.known,
                "source": check.source,
                "agrees": check.agrees(),
            })
        })
        .collect();
    json!({ "name": report.name, "title": report.title, "checks": checks })
}
