//! Syzygy files made from tables of distances to zeroing moves.

use std::path::Path;

use everymove_kernel::files::publish;
use everymove_kernel::run::{Run, Work};

use crate::error::TableError;
use crate::generate::build::{self as tables_build, Built};
use crate::generate::plan::Plan;
use crate::metric::Metric;
use crate::position::material::Material;
use crate::store::directory::Tables;
use crate::store::folder_use::FolderUse;
use crate::syzygy::budget::require;
use crate::syzygy::file::parse::{Contents, SyzygyFile, file_name};
use crate::syzygy::file::write::file_bytes;
use crate::syzygy::file_builder::FileBuilder;

/// What [`build`] made.
#[derive(Clone, Debug, Default)]
pub struct BuiltSyzygy {
    /// Our own tables, and the work on them and on the Syzygy files.
    pub tables: Built,
    /// The names of the Syzygy files made; those that were there already are not among them.
    pub files: Vec<String>,
}

/// Makes the Syzygy files of an ending and of all endings it leads to, and our own tables that they are made from, as far as they are
/// not in the folder of `tables`. The memory of all steps is compared with the budget first.
///
/// # Errors
/// [`TableError::OverBudget`] before the work starts; [`TableError`] as for [`generate::build`](crate::build()) and [`write()`].
///
/// # Panics
/// If `plan` and `tables` are of another metric than [`Metric::Zeroing`].
pub fn build(plan: &Plan, tables: &Tables, run: &Run) -> Result<BuiltSyzygy, TableError> {
    require(&plan.material, tables, run)?;
    let mut built = BuiltSyzygy {
        tables: tables_build::build(plan, tables, run)?,
        files: Vec::new(),
    };
    for material in plan.material.closure() {
        let made = write(&material, tables, run, &mut built.tables.work)?;
        built.files.extend(made);
    }
    Ok(built)
}

/// Makes both Syzygy files of an ending, as far as they are not in the folder of its table and the tables it needs; the checksums of files
/// that are there are compared. Returns the names of the files made.
///
/// A file is published whole or not at all; the same tables give the same bytes for any number of threads.
///
/// # Errors
/// [`TableError`] if a table is missing or damaged, the folder cannot be written, the run is stopped, or memory runs out.
///
/// # Panics
/// If the tables are of another metric than [`Metric::Zeroing`].
pub fn write(
    material: &Material,
    tables: &Tables,
    run: &Run,
    work: &mut Work,
) -> Result<Vec<String>, TableError> {
    write_to(material, tables, tables.folder(), run, work)
}

/// As [`write()`], in another folder.
///
/// # Errors
/// As [`write()`].
///
/// # Panics
/// As [`write()`].
pub fn write_to(
    material: &Material,
    tables: &Tables,
    folder: &Path,
    run: &Run,
    work: &mut Work,
) -> Result<Vec<String>, TableError> {
    assert_eq!(
        tables.metric(),
        Metric::Zeroing,
        "Syzygy files are made from distances to zeroing moves"
    );
    let shared = FolderUse::new(folder, run)?;
    let disk = shared.disk();
    let mut made = Vec::new();
    for contents in [Contents::Wdl, Contents::Dtz] {
        let name = file_name(material, contents);
        let path = folder.join(&name);
        // Another build may make the file while this one waits.
        let _lock = match path.is_file() {
            true => None,
            false => Some(shared.lock(&name, run)?),
        };
        if path.is_file() {
            let found = SyzygyFile::open(&path)?;
            found.check_sum().map_err(|error| error.in_file(&path))?;
            continue;
        }
        run.progress.start(name.clone(), 0);
        let builder = FileBuilder {
            material,
            tables,
            run,
        };
        run.ram.require(&name, builder.bytes_needed())?;
        let subs = match contents {
            Contents::Wdl => builder.wdl()?,
            Contents::Dtz => builder.dtz()?,
        };
        let bytes = file_bytes(contents, material, &subs);
        work.add("bytes", bytes.len() as u64);
        let sizes = subs.iter().flatten().map(|sub| sub.piece_order.size());
        work.add("positions", sizes.sum());
        publish(disk, &name, |draft| draft.put(&bytes))?;
        made.push(name);
    }
    Ok(made)
}
