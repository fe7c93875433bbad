//! Files of the first version of each format, written once and kept: this and every later program
//! reads them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use everymove_kernel::files::{Disk, Memory, Storage};
use everymove_kernel::run::Run;
use everymove_pegs::{Board, LayerFiles, Problem, WinningSet, reach, reach_within};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// A copy of a kept folder in memory, so that a test changes nothing.
fn copy(name: &str) -> Memory {
    let memory = Memory::default();
    for entry in fs::read_dir(folder().join(name)).unwrap() {
        let entry = entry.unwrap();
        let mut file = memory.create(entry.file_name().to_str().unwrap()).unwrap();
        std::io::Write::write_all(&mut file, &fs::read(entry.path()).unwrap()).unwrap();
    }
    memory
}

#[test]
fn a_winning_set_is_read_and_written_byte_by_byte() {
    let run = Run::serial();
    let kept = Disk::new(folder());
    let set = WinningSet::load(&kept, "triangle5.win", &run).unwrap();
    assert_eq!((set.positions(), set.problem().board().holes()), (390, 15));
    assert_eq!(set.count_solutions(&run).unwrap().solutions, 29_760);
    let made = tempfile::tempdir().unwrap();
    let board = Board::named("triangle5").unwrap();
    let problem = Problem::vacate(&board, "a1", None).unwrap();
    let made_anew = WinningSet::new(&problem, &run).unwrap();
    let disk = Disk::new(made.path());
    made_anew.save(&disk, "triangle5.win").unwrap();
    assert_eq!(
        fs::read(made.path().join("triangle5.win")).unwrap(),
        fs::read(folder().join("triangle5.win")).unwrap()
    );
}

fn triangle6() -> Problem {
    let board = Board::named("triangle6").unwrap();
    Problem::vacate(&board, "a1", Some("a1")).unwrap()
}

#[test]
fn checkpoints_are_resumed() {
    let (problem, run) = (triangle6(), Run::serial());
    let (board, start) = (problem.board(), problem.start());
    let storage = copy("triangle6");
    let files = LayerFiles {
        checkpoint: Some(&storage),
        ..LayerFiles::default()
    };
    let resumed = reach_within(board, start, usize::MAX, files, &run).unwrap();
    let whole = reach(board, start, &run).unwrap();
    assert_eq!(
        (resumed.layers, resumed.last_pegs),
        (whole.layers, whole.last_pegs)
    );
    // All layers are in files: no jump is made to find them.
    let run = Run::serial();
    let set = WinningSet::resume(&problem, files, &run).unwrap();
    assert_eq!(run.progress.snapshot().work, 0);
    assert_eq!(
        set.sizes(),
        WinningSet::new(&problem, &run).unwrap().sizes()
    );
}

/// How the kept checkpoints were made; only for a new version of the format.
#[test]
#[ignore = "writes the kept files anew"]
fn write_the_checkpoints() {
    let (problem, run) = (triangle6(), Run::serial());
    let (board, start) = (problem.board(), problem.start());
    let path = folder().join("triangle6");
    fs::create_dir_all(&path).unwrap();
    let storage = Disk::new(path);
    let files = LayerFiles {
        checkpoint: Some(&storage),
        worth: Duration::ZERO,
        ..LayerFiles::default()
    };
    reach_within(board, start, 12, files, &run).unwrap();
    WinningSet::resume(&problem, files, &run).unwrap();
    let board = Board::named("triangle5").unwrap();
    let problem = Problem::vacate(&board, "a1", None).unwrap();
    let set = WinningSet::new(&problem, &run).unwrap();
    set.save(&Disk::new(folder()), "triangle5.win").unwrap();
}
