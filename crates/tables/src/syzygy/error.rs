//! What can be wrong with a Syzygy file.

use std::path::Path;

use everymove_kernel::files::FileError;
use thiserror::Error;

/// Why bytes are not a valid Syzygy file.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SyzygyError {
    /// The first four bytes are those of no Syzygy file.
    #[error("it is not a Syzygy file, which begins with 71 e8 23 5d or d7 66 0c a5")]
    UnknownMagic,
    /// The file ends before its tables do.
    #[error("it is cut short")]
    Truncated,
    /// Two parts of the file exclude each other; the text says which.
    #[error("it contradicts itself: {0}")]
    Inconsistent(&'static str),
    /// The checksum at the end is not that of the bytes before it.
    #[error("it does not match its checksum")]
    Checksum,
}

impl SyzygyError {
    /// The same error with the path of the file.
    pub fn in_file(self, path: &Path) -> FileError {
        let path = path.display().to_string();
        match self {
            Self::UnknownMagic => FileError::Foreign {
                path,
                expected: "a Syzygy file",
            },
            _ => FileError::Damaged {
                path,
                what: self.to_string(),
            },
        }
    }
}
