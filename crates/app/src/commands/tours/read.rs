//! Tours from a file that a person names.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use everymove_tours::board::{Kind, Leaper};
use everymove_tours::formats::{Hints, ReadError, Reader};

use crate::failure::Failure;
use crate::session::Session;

/// The file in words, and what it does not say itself.
#[derive(Debug, clap::Args)]
pub(crate) struct FileArgs {
    /// The file, in any format that tours are written in; - for standard input
    file: PathBuf,
    /// The tours are claimed to be closed
    #[arg(long)]
    closed: bool,
    /// The piece leaps A squares one way and B the other [default: what the file says, or the knight]
    #[arg(long, value_name = "A,B", allow_hyphen_values = true)]
    leaper: Option<String>,
}

impl FileArgs {
    /// The tours of the file.
    pub(crate) fn open(&self, session: &Session) -> Result<Reader<Box<dyn BufRead>>, Failure> {
        let leaper: Option<Leaper> = (self.leaper.as_deref())
            .map(str::parse)
            .transpose()
            .map_err(Failure::input)?;
        let hints = Hints {
            board: None,
            leaper,
            kind: self.closed.then_some(Kind::Closed),
        };
        open(&self.file, hints, session)
    }

    /// An error of this file.
    pub(crate) fn failure(&self, error: ReadError) -> Failure {
        failure(&self.file, error)
    }
}

/// The tours of a file.
pub(crate) fn open(
    path: &Path,
    hints: Hints,
    session: &Session,
) -> Result<Reader<Box<dyn BufRead>>, Failure> {
    Reader::new(source(path)?, hints, &session.run.ram).map_err(|e| failure(path, e))
}

/// An error of a file.
pub(crate) fn failure(path: &Path, error: ReadError) -> Failure {
    let line = format!("{}: {error}", path.display());
    match error {
        ReadError::OverBudget(_) => Failure::Resource(line),
        _ => Failure::Input(line),
    }
}

fn source(path: &Path) -> Result<Box<dyn BufRead>, Failure> {
    if path == Path::new("-") {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    let refuse = |reason: &str| {
        let path = path.display();
        Failure::Input(format!(
            "cannot read {path}: {reason}, expected a file of tours"
        ))
    };
    let file = File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => refuse("there is no such file"),
        io::ErrorKind::PermissionDenied => refuse("permission denied"),
        _ => refuse(&error.to_string()),
    })?;
    if file.metadata().is_ok_and(|found| found.is_dir()) {
        return Err(refuse("it is a directory"));
    }
    Ok(Box::new(BufReader::with_capacity(1 << 20, file)))
}
