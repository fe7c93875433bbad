//! Errors of building, reading and checking tables.

use std::path::Path;

use everymove_kernel::files::FileError;
use everymove_kernel::run::Stopped;
use thiserror::Error;

use crate::metric::Metric;

/// Errors of parsing an ending.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum MaterialError {
    /// The text does not have the form of an ending.
    #[error(
        "'{text}' is not an ending: expected two sides joined by v, each a K and then Q, R, B, N or P, for example KRBvKR{}",
        did_you_mean(suggestion.as_deref())
    )]
    Form {
        /// The text, with control characters escaped.
        text: String,
        /// The name of an ending that may have been meant.
        suggestion: Option<String>,
    },
    /// The ending has too many pieces.
    #[error("'{text}' has {pieces} pieces, but tables are made for at most {max}")]
    TooMany {
        /// The text.
        text: String,
        /// Number of pieces, kings included.
        pieces: usize,
        /// The largest number that is supported.
        max: usize,
    },
}

fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(String::new, |name| format!("; did you mean {name}?"))
}

/// Errors of building, reading and checking tables.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TableError {
    /// A table is not in the directory.
    #[error("there is no table {name} in {folder}")]
    Missing {
        /// The file name.
        name: String,
        /// The directory.
        folder: String,
        /// The ending.
        material: String,
    },
    /// A file cannot be read, written or trusted.
    #[error(transparent)]
    File(#[from] FileError),
    /// A text is no ending.
    #[error(transparent)]
    Material(#[from] MaterialError),
    /// The run was stopped before the end.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// More memory is needed than the budget allows.
    #[error(transparent)]
    OverBudget(#[from] everymove_kernel::run::OverBudget),
    /// A distance does not fit the format.
    #[error("{half} has wins of more moves than can be stored where another ending needs them")]
    TooDeep {
        /// The half of the table.
        half: String,
    },
    /// A Syzygy file would have more distances, the same one of several classes counted once, than
    /// its values are numbered for.
    #[error("{half} has more than 240 distances: expected fewer for a .rtbz file")]
    TooManyDistances {
        /// The half of the table.
        half: String,
    },
    /// Distances depend on the half-move clock in more ways than a table can hold.
    #[error(
        "{half} has distances that depend on the half-move clock in more ways than a table can hold"
    )]
    TooManyFunctions {
        /// The half of the table.
        half: String,
    },
    /// A position that tables do not cover.
    #[error("{0}")]
    Position(String),
    /// A table contradicts the rules.
    #[error("{path} is wrong: {what}")]
    Wrong {
        /// The file.
        path: String,
        /// The position, the stored and the derived value.
        what: String,
    },
    /// Syzygy files store plies to a zeroing move only.
    #[error("Syzygy files hold plies to zeroing moves (dtz), not {0}")]
    SyzygyMetric(Metric),
    /// A table to be converted to Syzygy files holds other distances than plies to a zeroing move.
    #[error(
        "{path} holds plies to {}, which Syzygy files cannot hold: expected a .dtz file",
        match metric { Metric::Conversion => "conversion", _ => "mate" }
    )]
    NotZeroing {
        /// The file.
        path: String,
        /// What its distances count.
        metric: Metric,
    },
    /// A file that is to be written exists.
    #[error("{path} is there already: remove it, or choose another directory")]
    Exists {
        /// The file.
        path: String,
    },
    /// A directory has no table files.
    #[error("there are no tables in {folder}: expected {expected} files")]
    NoTables {
        /// The directory.
        folder: String,
        /// The extensions of those that were looked for.
        expected: &'static str,
    },
}

impl TableError {
    /// That a file is wrong.
    pub(crate) fn wrong(path: &Path, what: impl Into<String>) -> Self {
        Self::Wrong {
            path: path.display().to_string(),
            what: what.into(),
        }
    }

    /// Whether it only says that there is no table for a position.
    pub(crate) fn is_missing(&self) -> bool {
        match self {
            Self::Missing { .. } | Self::Position(_) => true,
            Self::File(error) => error.is_not_found(),
            _ => false,
        }
    }
}

/// `None` where no table covers a position; other errors stay.
pub(crate) fn covered<T>(probed: Result<T, TableError>) -> Result<Option<T>, TableError> {
    match probed {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => Err(error),
    }
}
