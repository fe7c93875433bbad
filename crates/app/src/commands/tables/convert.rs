//! `everymove tables convert`: our own tables of plies to zeroing moves into Syzygy files, and back.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use everymove_kernel::run::Work;
use everymove_tables::syzygy::{self, Contents, SyzygyFolder, file_name};
use everymove_tables::verify::import_syzygy;
use everymove_tables::{Material, Metric, Tables};

use super::{failure, folder_of, syzygy_file};
use crate::answer::{Answer, Outcome};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove tables convert`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Table files: of a .dtz both Syzygy files are made, of a .rtbw or .rtbz (both are needed) a .dtz; the tables they need are
    /// looked for beside them
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Where the new files go [default: beside the old ones]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// One ending to be converted.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Task {
    ToSyzygy(PathBuf, Material),
    ToOwn(PathBuf, Material),
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    // Every file is looked at before the first is written.
    let mut tasks = BTreeSet::new();
    for file in &args.files {
        tasks.insert(task(file)?);
    }
    let mut work = Work::default();
    let mut made = Vec::new();
    let out = |folder: &Path| args.out.clone().unwrap_or_else(|| folder.to_owned());
    for task in &tasks {
        let files = match task {
            Task::ToSyzygy(folder, material) => [Contents::Wdl, Contents::Dtz]
                .map(|contents| out(folder).join(file_name(material, contents)))
                .to_vec(),
            Task::ToOwn(folder, material) => {
                vec![Tables::new(out(folder), Metric::Zeroing).path(material)]
            }
        };
        if let Some(file) = files.iter().find(|file| file.exists()) {
            return Err(Failure::Input(format!(
                "{} is there already: remove it, or name another directory with --out",
                file.display()
            )));
        }
        made.extend(files);
    }
    for task in &tasks {
        match task {
            Task::ToSyzygy(folder, material) => {
                let tables = Tables::new(folder, Metric::Zeroing);
                session
                    .work(|run| syzygy::write_to(material, &tables, &out(folder), run, &mut work))
                    .map_err(|e| failure(e))?;
            }
            Task::ToOwn(folder, material) => {
                let tables = Tables::new(out(folder), Metric::Zeroing);
                let syzygy = SyzygyFolder::new(folder);
                let verified = session
                    .work(|run| import_syzygy(material, &syzygy, &tables, run))
                    .map_err(|e| failure(e))?;
                work.add("positions", verified.positions);
            }
        }
    }
    let names: Vec<String> = made.iter().map(|f| f.display().to_string()).collect();
    let text: String = names.iter().map(|name| format!("made {name}\n")).collect();
    let bare: String = names.iter().map(|name| format!("{name}\n")).collect();
    Answer::new("tables convert", Outcome::Yes)
        .field("made", names)
        .bare(bare)
        .text(text)
        .work(&work)
        .show(session)
}

/// What is to be done with a file.
fn task(file: &Path) -> Result<Task, Failure> {
    let fail = |e| failure(e);
    if let Some((folder, material)) = syzygy_file(file).map_err(fail)? {
        return Ok(Task::ToOwn(folder, material));
    }
    let (tables, material) = Tables::beside(file).map_err(fail)?;
    if tables.metric() != Metric::Zeroing {
        return Err(Failure::Input(format!(
            "{} tells plies to mate, which Syzygy files cannot: expected a .dtz file",
            file.display()
        )));
    }
    Ok(Task::ToSyzygy(folder_of(file), material))
}
