//! Syzygy files of the first version of the writer: they must stay readable, and the writer must make the same bytes.

mod common;

use std::path::{Path, PathBuf};

use common::make;
use everymove_kernel::run::Run;
use everymove_tables::probe::read_position;
use everymove_tables::syzygy::{SyzygyFile, SyzygyFolder, Wdl};

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/syzygy")
}

#[test]
fn golden_files_are_valid() {
    let mut count = 0;
    for entry in std::fs::read_dir(golden()).unwrap() {
        let path = entry.unwrap().path();
        let file = SyzygyFile::open(&path).unwrap();
        let checked = file.check(&Run::serial()).unwrap().unwrap();
        assert!(checked.positions > 0, "{}", path.display());
        count += 1;
    }
    assert_eq!(count, 5);
}

/// Positions whose values every chess player knows.
#[test]
fn golden_files_give_known_values() {
    let folder = SyzygyFolder::new(golden());
    let position = |fen: &str| read_position(fen).unwrap();
    let won = position("8/8/8/8/8/8/1R6/K2k4 w - - 0 1");
    let rook_hangs = position("8/8/8/8/8/8/2R5/K2k4 b - - 0 1");
    assert_eq!(folder.wdl(&won).unwrap(), Wdl::Win);
    assert_eq!(folder.wdl(&rook_hangs).unwrap(), Wdl::Draw);
    // Rh3-h1 mates: one ply.
    let mate_in_one = position("8/8/8/8/8/1K5R/8/1k6 w - - 0 1");
    assert_eq!(folder.dtz(&mate_in_one).unwrap(), 1);
    // Pawn endings: the defender has the opposition, or has not.
    let drawn = position("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1");
    let lost = position("8/8/8/4k3/8/4K3/4P3/8 b - - 0 1");
    assert_eq!(folder.wdl(&drawn).unwrap(), Wdl::Draw);
    assert_eq!(folder.wdl(&lost).unwrap(), Wdl::Loss);
}

#[test]
fn the_writer_makes_the_golden_bytes() {
    let made = tempfile::tempdir().unwrap();
    let tables = make(made.path(), &["KPvK", "KRvK", "KBvKN"], 1);
    let mut compared = 0;
    for entry in std::fs::read_dir(golden()).unwrap() {
        let path = entry.unwrap().path();
        let own = tables.folder().join(path.file_name().unwrap());
        assert!(
            std::fs::read(&path).unwrap() == std::fs::read(own).unwrap(),
            "{}",
            path.display()
        );
        compared += 1;
    }
    assert_eq!(compared, 5);
}
