//! `everymove tables`: one file a command.

mod build;
mod check;
mod closure;
mod convert;
mod counts;
mod probe;
mod stats;
mod verify;

use std::path::{Path, PathBuf};

use clap::Subcommand;
use everymove_kernel::files::FileError;
use everymove_tables::syzygy::{Contents, SyzygyFile, file_name};
use everymove_tables::{Material, Metric, TableError, Tables};

use crate::answer::Outcome;
use crate::failure::Failure;
use crate::session::Session;

/// What can be asked about endgame tables.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make the table of an ending and those it needs
    Build(build::Args),
    /// What a position is worth, and each of its moves
    Probe(probe::Args),
    /// Derive every value of a table again by the rules
    Verify(verify::Args),
    /// Counts, longest wins and mutual zugzwangs of a table
    Stats(stats::Args),
    /// The tables that an ending needs, in the order of making
    Closure(closure::Args),
    /// Make Syzygy files of a table of plies to zeroing moves, or such a table of Syzygy files
    Convert(convert::Args),
    /// Checksums and structure of table files, Syzygy files among them
    #[command(visible_alias = "scrub")]
    Check(check::Args),
}

pub(crate) fn run(command: Command, session: &Session) -> Result<Outcome, Failure> {
    match command {
        Command::Build(args) => build::run(&args, session),
        Command::Probe(args) => probe::run(&args, session),
        Command::Verify(args) => verify::run(&args, session),
        Command::Stats(args) => stats::run(&args, session),
        Command::Closure(args) => closure::run(&args, session),
        Command::Convert(args) => convert::run(&args, session),
        Command::Check(args) => check::run(&args, session),
    }
}

/// Where tables are, and which.
#[derive(Debug, clap::Args)]
struct Source {
    /// The directory of the tables
    #[arg(long, value_name = "DIR", default_value = "tables")]
    tables: PathBuf,
    /// dtm (plies to mate) or dtz (plies to a capture or pawn move, fifty-move rule) [default: dtm, or dtz if only that is there]
    #[arg(long, value_name = "METRIC")]
    metric: Option<String>,
}

impl Source {
    /// The tables, of the metric that was asked for or of the one that has the table.
    fn open(&self, material: &everymove_tables::Material) -> Result<Tables, Failure> {
        let metric = match &self.metric {
            Some(text) => text.parse().map_err(Failure::input)?,
            None => {
                let has = |metric| Tables::new(&self.tables, metric).has(material);
                if !has(Metric::Mate) && has(Metric::Zeroing) {
                    Metric::Zeroing
                } else {
                    Metric::Mate
                }
            }
        };
        Ok(Tables::new(&self.tables, metric))
    }
}

/// A file read as a Syzygy file; none if it is of another kind, by its first bytes and its name.
fn syzygy(file: &Path) -> Result<Option<SyzygyFile>, TableError> {
    let named = [Contents::Wdl, Contents::Dtz]
        .iter()
        .any(|contents| file.extension() == Some(contents.extension().as_ref()));
    match SyzygyFile::open(file) {
        Err(FileError::Foreign { .. }) if !named => Ok(None),
        opened => Ok(Some(opened?)),
    }
}

/// The folder and ending of a Syzygy file; none if it is another kind of file.
fn syzygy_file(file: &Path) -> Result<Option<(PathBuf, Material)>, TableError> {
    let Some(syzygy) = syzygy(file)? else {
        return Ok(None);
    };
    let expected = file_name(syzygy.material(), syzygy.contents());
    if file.file_name() != Some(expected.as_ref()) {
        return Err(TableError::Wrong {
            path: file.display().to_string(),
            what: format!("it holds {expected}"),
        });
    }
    Ok(Some((folder_of(file), syzygy.material().clone())))
}

fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn failure(error: TableError) -> Failure {
    match error {
        TableError::Stopped(_) => Failure::stopped("the same command again goes on"),
        TableError::OverBudget(error) => Failure::resource(error),
        TableError::File(error) => Failure::from(error),
        error => Failure::input(error),
    }
}
