//! Syzygy files: win, draw or loss (`.rtbw`) and distances to zeroing moves (`.rtbz`), as every chess program reads them.
//!
//! `docs/formats.md` describes every byte. In reading order:
//! - `leading`, `arrangement`: the numbers of positions, by the order in which a sub-table takes the men;
//! - `coded`, `file`, `check`: a file read and checked;
//! - `classes`, `seats`, `field`, `captures`: what positions are worth, and their captures;
//! - `home`, `fill`, `values`: what a file must tell of each position, and what it may tell where it need not;
//! - `lens`, `tiles`: values in the order of a sub-table's numbers;
//! - `runs`, `pairs`, `pairing`, `replay`, `prefix`, `encode`: values made into symbols, code words, blocks;
//! - `orders`, `choice`: the order of men that makes the smallest file;
//! - `budget`: the memory that it takes;
//! - `write`, `checksum`, `build`: files;
//! - `probe`: positions looked up; `exchange`: our own tables made from Syzygy files.

pub(crate) mod arrangement;
mod binomial;
mod budget;
mod build;
mod captures;
mod check;
mod checksum;
mod choice;
mod classes;
pub(crate) mod coded;
mod encode;
mod exchange;
mod field;
pub(crate) mod file;
mod fill;
mod home;
pub(crate) mod leading;
mod lens;
mod orders;
mod pairing;
mod pairs;
mod prefix;
mod probe;
mod replay;
mod runs;
mod seats;
mod tiles;
mod values;
mod write;

use std::path::Path;

use everymove_kernel::files::FileError;
use thiserror::Error;

pub use budget::require;
pub use build::{file_name, write, write_to};
pub use check::Checked;
pub use checksum::seal;
pub use exchange::read;
pub use file::{Contents, SyzygyFile};
pub use probe::{SyzygyFolder, Wdl};

#[cfg(test)]
pub(crate) use probe::after;
pub(crate) use probe::distance;

/// What is wrong with a Syzygy file.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Fault {
    /// Another kind of file.
    #[error("it is not a Syzygy file, which begins with 71 e8 23 5d or d7 66 0c a5")]
    Foreign,
    /// Bytes are missing.
    #[error("it is cut short")]
    CutShort,
    /// Two parts do not fit together.
    #[error("it contradicts itself: {0}")]
    Contradiction(&'static str),
    /// Bytes were changed.
    #[error("it does not match its checksum")]
    Checksum,
}

impl Fault {
    /// The fault of a file.
    pub fn of(self, path: &Path) -> FileError {
        let path = path.display().to_string();
        match self {
            Self::Foreign => FileError::Foreign {
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
