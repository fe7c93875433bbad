//! `everymove lab`: experiments.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use everymove_api::Request;
use everymove_api::lab::{ListAnswer, ListRequest, RunRequest, write_index, write_report};
use everymove_kernel::files::{Disk, FileError, Output};
use everymove_lab::{Report, Setting};

use crate::answer::{Outcome, Text, ask, show};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove lab run`.
#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    request: RunRequest,
    /// Write tables, charts and a page for each experiment into this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(super) fn list_all(request: &ListRequest, session: &Session) -> Result<Outcome, Failure> {
    let answer = ask(request, session)?;
    show::<ListRequest>(&answer, &list(&answer), session)
}

fn list(answer: &ListAnswer) -> Text {
    let wide = answer.experiments.iter().map(|e| e.name.len()).max();
    let wide = wide.unwrap_or(0);
    let mut text = Text::default();
    let _ = writeln!(text.full, "{:wide$}  {:>6}  {:>6}", "", "quick", "full");
    for e in &answer.experiments {
        let (quick, full) = (duration(e.quick_seconds), duration(e.full_seconds));
        let _ = writeln!(
            text.full,
            "{:wide$}  {quick:>6}  {full:>6}  {}",
            e.name, e.about
        );
        let _ = writeln!(text.bare, "{}", e.name);
    }
    text
}

fn duration(seconds: u64) -> String {
    match seconds {
        0..=99 => format!("{seconds} s"),
        _ => format!("{} min", seconds.div_ceil(60)),
    }
}

pub(super) fn experiments(args: RunArgs, session: &Session) -> Result<Outcome, Failure> {
    let mut request = args.request;
    let mut command = format!("everymove lab run {}", request.name);
    if request.quick {
        command += " --quick";
    }
    if !session.threads.is_empty() {
        let numbers: Vec<_> = session.threads.iter().map(usize::to_string).collect();
        command += &format!(" --threads {}", numbers.join(","));
    }
    request.threads.clone_from(&session.threads);
    let plan = request.plan()?;
    let out = args.out.as_deref().map(folder).transpose()?;
    let setting = Setting::here(env!("CARGO_PKG_VERSION"), env!("EVERYMOVE_COMMIT"), command);
    let mut text = String::new();
    let answer = session.work(|run| {
        plan.run_each(run, |report| {
            if !text.is_empty() {
                text.push('\n');
            }
            text += &report.text();
            if let Some(out) = &out {
                for file in write(report, &setting, out)? {
                    let _ = writeln!(text, "wrote {file}");
                }
            }
            Ok::<_, Failure>(())
        })
    })?;
    if let Some(out) = &out {
        for file in paths(out, write_index(out, &answer.reports, &setting)?) {
            let _ = writeln!(text, "wrote {file}");
        }
    }
    let text = Text {
        bare: text.clone(),
        full: text,
    };
    let outcome = show::<RunRequest>(&answer, &text, session)?;
    match answer.disagreements {
        0 => Ok(outcome),
        n => Err(Failure::Resource(format!(
            "{n} results disagree with known ones: see above"
        ))),
    }
}

/// The directory for the files, made if it is missing, known to be writable.
fn folder(path: &Path) -> Result<Disk, Failure> {
    let refuse = |e| FileError::io("create", path.display().to_string(), e);
    std::fs::create_dir_all(path).map_err(refuse)?;
    Output::prepare(path.join("report.html"))?;
    Ok(Disk::new(path))
}

/// Publishes the files of a report and returns their paths.
fn write(report: &Report, setting: &Setting, out: &Disk) -> Result<Vec<String>, Failure> {
    Ok(paths(out, write_report(out, report, setting)?))
}

fn paths(out: &Disk, names: Vec<String>) -> Vec<String> {
    let path = |name: String| out.folder().join(name).display().to_string();
    names.into_iter().map(path).collect()
}
