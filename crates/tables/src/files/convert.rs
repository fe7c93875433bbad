//! Converts tables of plies to zeroing moves into Syzygy files, and back.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use everymove_kernel::run::{Run, Work};

use super::{TableFile, directory_of, expect_name};
use crate::error::TableError;
use crate::metric::Metric;
use crate::position::material::Material;
use crate::store::Tables;
use crate::syzygy::{self, Contents, SyzygyFolder, file_name};
use crate::verify::import_syzygy;

/// The result of converting some files.
#[derive(Clone, Debug, Default)]
pub struct Converted {
    /// The files that were written.
    pub made: Vec<PathBuf>,
    /// Counters of the work.
    pub work: Work,
}

/// The conversion of one ending, from a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Task {
    ToSyzygy(PathBuf, Material),
    ToOwn(PathBuf, Material),
}

/// Converts tables of plies to zeroing moves into both Syzygy files, and the pair of Syzygy files
/// of an ending, of which one is named, into such a table. The tables they need must be in the same
/// directories. The new files are written to `out`, or beside the old ones. All names are checked
/// before the first file is written.
///
/// # Errors
/// [`TableError::Exists`] if a file to be written exists, [`TableError::NotZeroing`] for tables of
/// plies to mate or conversion, and errors of reading, verifying and writing.
pub fn convert_files(
    paths: &[PathBuf],
    out: Option<&Path>,
    run: &Run,
) -> Result<Converted, TableError> {
    let tasks: BTreeSet<Task> = paths
        .iter()
        .map(|path| Task::of(path))
        .collect::<Result<_, _>>()?;
    let mut converted = Converted::default();
    for task in &tasks {
        let files = task.files(out);
        if let Some(file) = files.iter().find(|file| file.exists()) {
            return Err(TableError::Exists {
                path: file.display().to_string(),
            });
        }
        converted.made.extend(files);
    }
    for task in &tasks {
        task.convert(out, run, &mut converted.work)?;
    }
    Ok(converted)
}

impl Task {
    fn of(path: &Path) -> Result<Self, TableError> {
        match TableFile::open(path)? {
            TableFile::Syzygy(file, folder) => {
                expect_name(&file, path)?;
                Ok(Self::ToOwn(folder, file.material().clone()))
            }
            TableFile::Own(tables, material) if tables.metric() == Metric::Zeroing => {
                Ok(Self::ToSyzygy(directory_of(path), material))
            }
            TableFile::Own(tables, _) => Err(TableError::NotZeroing {
                path: path.display().to_string(),
                metric: tables.metric(),
            }),
        }
    }

    /// The files that are written.
    fn files(&self, out: Option<&Path>) -> Vec<PathBuf> {
        match self {
            Self::ToSyzygy(folder, material) => [Contents::Wdl, Contents::Dtz]
                .map(|contents| out.unwrap_or(folder).join(file_name(material, contents)))
                .into(),
            Self::ToOwn(folder, material) => {
                let tables = Tables::new(out.unwrap_or(folder), Metric::Zeroing);
                vec![tables.path(material)]
            }
        }
    }

    fn convert(&self, out: Option<&Path>, run: &Run, work: &mut Work) -> Result<(), TableError> {
        match self {
            Self::ToSyzygy(folder, material) => {
                let tables = Tables::new(folder, Metric::Zeroing);
                let out = out.unwrap_or(folder);
                syzygy::write_to(material, &tables, out, run, work)?;
            }
            Self::ToOwn(folder, material) => {
                let tables = Tables::new(out.unwrap_or(folder), Metric::Zeroing);
                let files = SyzygyFolder::new(folder);
                let verified = import_syzygy(material, &files, &tables, run)?;
                work.add("positions", verified.positions);
            }
        }
        Ok(())
    }
}
