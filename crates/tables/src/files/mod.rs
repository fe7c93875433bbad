//! Files of tables as they are named by a person: found, checked, verified, converted.

mod convert;
mod verify;

use std::path::{Path, PathBuf};

use everymove_kernel::files::FileError;
use everymove_kernel::run::Run;

use crate::error::TableError;
use crate::metric::Metric;
use crate::position::material::Material;
use crate::store::Tables;
use crate::store::directory::directory_of;
use crate::syzygy::{Contents, SyzygyFile, file_name};

pub use convert::{Converted, convert_files};
pub use verify::{VerifiedFiles, verify_files};

/// A file of a table of either kind.
#[derive(Debug)]
pub enum TableFile {
    /// A table of this crate's own format, with the other tables of its directory.
    Own(Tables, Material),
    /// A Syzygy file and its directory.
    Syzygy(SyzygyFile, PathBuf),
}

/// A file whose checksums are right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SoundFile {
    /// The number of its blocks.
    pub blocks: u64,
    /// Whether a Syzygy file of up to six pieces is the published one, by its checksum.
    pub published: Option<bool>,
}

impl TableFile {
    /// Opens a file; the kind follows from its first bytes, or from its extension if these are
    /// damaged.
    ///
    /// # Errors
    /// [`TableError::File`] if it is no table or damaged.
    pub fn open(path: &Path) -> Result<Self, TableError> {
        let is_named = |contents: Contents| path.extension() == Some(contents.extension().as_ref());
        let named = is_named(Contents::Wdl) || is_named(Contents::Dtz);
        match SyzygyFile::open(path) {
            Err(FileError::Foreign { .. }) if !named => {
                let (tables, material) = Tables::beside(path)?;
                Ok(Self::Own(tables, material))
            }
            opened => Ok(Self::Syzygy(opened?, directory_of(path))),
        }
    }

    /// Compares the checksums of a file, and the structure of a Syzygy file.
    ///
    /// # Errors
    /// [`TableError::File`] if the file is damaged, [`TableError::Wrong`] if it has the name of
    /// another, [`TableError::Stopped`].
    pub fn check(path: &Path, run: &Run) -> Result<SoundFile, TableError> {
        match Self::open(path)? {
            Self::Own(tables, material) => Ok(SoundFile {
                blocks: tables.scrub(&material, run)?,
                published: None,
            }),
            Self::Syzygy(file, _) => {
                expect_name(&file, path)?;
                match file.check(run)? {
                    Ok(checked) => Ok(SoundFile {
                        blocks: checked.blocks,
                        published: file.is_published(),
                    }),
                    Err(error) => Err(error.in_file(path).into()),
                }
            }
        }
    }
}

/// Replaces directories by the table files in them, in the order of their names.
///
/// # Errors
/// [`TableError::NoTables`] for a directory without tables, [`TableError::File`] if it cannot be
/// read.
pub fn table_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, TableError> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let shown = || path.display().to_string();
        let error = |e| FileError::io("list", shown(), e);
        let mut found = Vec::new();
        for entry in std::fs::read_dir(path).map_err(error)? {
            let entry = entry.map_err(error)?.path();
            let extension = entry.extension().and_then(|e| e.to_str());
            if extension.is_some_and(is_extension) && entry.is_file() {
                found.push(entry);
            }
        }
        if found.is_empty() {
            return Err(TableError::NoTables {
                folder: shown(),
                expected: ".dtm, .dtz, .dtm50, .dtc, .rtbw or .rtbz",
            });
        }
        found.sort_unstable();
        files.append(&mut found);
    }
    Ok(files)
}

/// Whether table files have an extension.
fn is_extension(extension: &str) -> bool {
    Contents::of_extension(extension).is_some() || Metric::of_extension(extension).is_some()
}

/// Refuses a Syzygy file under the name of another.
fn expect_name(file: &SyzygyFile, path: &Path) -> Result<(), TableError> {
    let expected = file_name(file.material(), file.contents());
    if path.file_name() == Some(expected.as_ref()) {
        return Ok(());
    }
    Err(TableError::wrong(path, format!("it holds {expected}")))
}
