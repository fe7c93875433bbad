//! Syzygy files made from tables of distances to zeroing moves.

use std::path::Path;
use std::sync::Arc;

use everymove_kernel::files::{Disk, Draft, Storage, publish};
use everymove_kernel::run::{Run, Work};
use everymove_kernel::system;

use crate::error::TableError;
use crate::metric::Metric;
use crate::position::material::Material;
use crate::store::buffer::Place;
use crate::store::directory::Tables;
use crate::store::folder_use::FolderUse;
use crate::syzygy::budget::Layout;
use crate::syzygy::file::checksum::Checksum;
use crate::syzygy::file::parse::{Contents, SyzygyFile, file_name};
use crate::syzygy::file::write::write_file;
use crate::syzygy::file_builder::FileBuilder;
use crate::syzygy::values::required_values::RequiredDtz;

/// Makes both Syzygy files of an ending, as far as they are not in the folder of its table and the
/// tables it needs; the checksums of files that are there are compared. Returns the names of the
/// files made.
///
/// A file is published whole or not at all; the same tables give the same bytes for any number of
/// threads.
///
/// # Errors
/// [`TableError`] if a table is missing or damaged, the folder cannot be written, the run is
/// stopped, or memory runs out.
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
        // Decoders of the endings before; and the allocator may keep half of what their tables and
        // files took.
        tables.clear_cache();
        system::release_freed_memory();
        let layout = Layout::that_fits(material, tables, run)?;
        let most = RequiredDtz::MOST_BYTES;
        write_in(layout, (material, contents), most, tables, disk, run, work)?;
        made.push(name);
    }
    Ok(made)
}

/// Makes one file. `most_distances`: see [`RequiredDtz::new`].
fn write_in(
    layout: Layout,
    (material, contents): (&Material, Contents),
    most_distances: usize,
    tables: &Tables,
    disk: &Disk,
    run: &Run,
    work: &mut Work,
) -> Result<(), TableError> {
    let name = file_name(material, contents);
    let run = run.with_threads(layout.threads);
    let storage: Arc<dyn Storage> = Arc::new(disk.clone());
    let files = Place::files(&storage, &name);
    let memory = Place::memory(material, &run);
    let place = match layout.is_in_memory() {
        true => &memory,
        false => &files,
    };
    let builder = FileBuilder {
        material,
        tables,
        layout,
        place,
        files: &files,
        most_distances,
        run: &run,
    };
    let subs = match contents {
        Contents::Wdl => builder.wdl()?,
        Contents::Dtz => builder.dtz()?,
    };
    let sizes = subs.iter().flatten().map(|sub| sub.piece_order.size());
    work.add("positions", sizes.sum());
    let bytes = subs.iter().flatten().map(|sub| sub.encoded.bytes());
    let _memory = run
        .ram
        .reserve(&name, bytes.sum::<u64>().min(Checksum::BYTES))?;
    let write = |draft: &mut Draft| write_file(contents, material, &subs, draft);
    work.add("bytes", publish(disk, &name, write)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use everymove_kernel::run::Ram;

    use super::*;
    use crate::generate::{Plan, build as tables_build};
    use crate::syzygy::SyzygyFolder;
    use crate::verify::{Proof, SyzygyVerifier};

    #[test]
    fn every_layout_gives_the_same_files() {
        compare_layouts(&["KPvK", "KQvK"]);
    }

    /// Two pawns of one side, of both, and large tables.
    #[test]
    #[ignore = "takes minutes; cargo xtask long"]
    fn every_layout_gives_the_same_files_of_four_pieces() {
        compare_layouts(&["KRPvK", "KPPvK", "KPvKP", "KQvKR"]);
    }

    /// The memory of caches is not part of what is computed before the work starts.
    #[test]
    fn nothing_is_cached_of_the_endings_before() {
        let folder = tempfile::tempdir().unwrap();
        let tables = Tables::new(folder.path(), Metric::Zeroing);
        let run = Run::new(1, Ram::unlimited());
        let [first, second]: [Material; 2] = ["KQvK", "KRvK"].map(|name| name.parse().unwrap());
        let make = |material: &Material| {
            tables_build::build(&Plan::new(material.clone(), Metric::Zeroing), &tables, &run)
        };
        make(&first).unwrap();
        let look_up = || {
            tables.reader(&first).unwrap().code(0, 1000).unwrap();
            assert!(tables.cached_bytes() > 0);
        };
        look_up();
        make(&second).unwrap();
        assert_eq!(tables.cached_bytes(), 0);
        look_up();
        super::write(&second, &tables, &run, &mut Work::default()).unwrap();
        assert_eq!(tables.cached_bytes(), 0);
    }

    /// With too few bytes for every class and distance, one byte means a distance in all classes:
    /// every value that is read is still right. With fewer, there is an error.
    #[test]
    fn classes_share_bytes_where_there_are_too_few() {
        // Wins and losses have seven distances together, each class at most four.
        const DISTANCES: usize = 4;
        let folder = tempfile::tempdir().unwrap();
        let tables = Tables::new(folder.path(), Metric::Zeroing);
        let run = Run::new(2, Ram::unlimited());
        let material: Material = "KRvKR".parse().unwrap();
        let plan = Plan::new(material.clone(), Metric::Zeroing);
        tables_build::build(&plan, &tables, &run).unwrap();
        let disk = Disk::new(folder.path());
        let needed = "KRvK".parse().unwrap();
        super::write(&needed, &tables, &run, &mut Work::default()).unwrap();
        let write = |contents, most| {
            let layout = Layout::that_fits(&material, &tables, &run).unwrap();
            let (what, mut work) = ((&material, contents), Work::default());
            write_in(layout, what, most, &tables, &disk, &run, &mut work)
        };
        write(Contents::Wdl, 0).unwrap();
        let refused = write(Contents::Dtz, DISTANCES - 1);
        assert!(matches!(refused, Err(TableError::TooManyDistances { .. })));
        write(Contents::Dtz, DISTANCES).unwrap();
        let path = folder.path().join(file_name(&material, Contents::Dtz));
        let file = SyzygyFile::open(&path).unwrap();
        let maps = file.subs[0][0]
            .maps
            .as_ref()
            .expect("shared bytes have maps");
        assert!(!maps[0].is_empty() && maps.iter().all(|map| *map == maps[0]));
        let files = SyzygyFolder::new(folder.path());
        let verifier = SyzygyVerifier::new(&files, &run);
        verifier.verify(&material, Proof::Pair).unwrap();
    }

    /// Every layout gives the same files, leaves no other file, and releases its memory.
    fn compare_layouts(names: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        let tables = Tables::new(folder.path(), Metric::Zeroing);
        let run = Run::new(2, Ram::limited(1 << 30));
        for name in names {
            let material: Material = name.parse().unwrap();
            let plan = Plan::new(material.clone(), Metric::Zeroing);
            tables_build::build(&plan, &tables, &run).unwrap();
            for contents in [Contents::Wdl, Contents::Dtz] {
                let mut expected = None;
                for layout in Layout::all(&material, &run) {
                    let out = tempfile::tempdir().unwrap();
                    let disk = Disk::new(out.path());
                    let mut work = Work::default();
                    let (what, most) = ((&material, contents), RequiredDtz::MOST_BYTES);
                    write_in(layout, what, most, &tables, &disk, &run, &mut work).unwrap();
                    assert_eq!(disk.list().unwrap(), [file_name(&material, contents)]);
                    let bytes = std::fs::read(out.path().join(file_name(&material, contents)));
                    let bytes = bytes.unwrap();
                    assert_eq!(work.get("bytes"), bytes.len() as u64);
                    assert!(
                        *expected.get_or_insert(bytes.clone()) == bytes,
                        "{name} {layout:?}"
                    );
                    assert_eq!(run.ram.used(), 0);
                }
            }
        }
    }
}
