//! What a server gives to requests.

use std::path::PathBuf;

/// What requests may use, fixed when the server starts.
#[derive(Clone, Debug, Default)]
pub struct Site {
    /// Tables of our own, read and built.
    pub tables: Option<PathBuf>,
    /// Syzygy tables, read.
    pub syzygy: Option<PathBuf>,
    /// Reports of experiments, written and read.
    pub reports: Option<PathBuf>,
    /// The commit that the program is built from, for reports.
    pub commit: String,
}
