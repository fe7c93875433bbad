use std::fs;

use everymove_kernel::run::Ram;

use super::super::count::{Options, count as count_in_memory};
use super::*;
use crate::board::{Board, Kind};

fn questions() -> Vec<Question> {
    let knight = |rows, cols| Board::knight(rows, cols).unwrap();
    let holed = knight(5, 6).with_holes(&[8]).unwrap();
    vec![
        Question::new(knight(3, 4), Kind::Open),
        Question::new(knight(3, 10), Kind::Closed),
        Question::new(knight(5, 5), Kind::Open),
        Question::new(knight(6, 6), Kind::Closed),
        Question::new(knight(5, 7), Kind::Open),
        Question::new(knight(7, 6), Kind::Closed),
        Question::new(knight(6, 5), Kind::Open).starting_on(2),
        Question::new(holed, Kind::Open),
    ]
}

fn expected(question: &Question) -> Count {
    count_in_memory(question, &Options::default(), &Run::serial()).unwrap()
}

/// The files of layers in a folder.
fn layers(folder: &Path) -> Vec<PathBuf> {
    let paths = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let folders = paths(folder).into_iter();
    let files = folders.flat_map(|folder| paths(&folder));
    files
        .filter(|path| path.to_str().unwrap().ends_with(BLOCKS))
        .collect()
}

#[test]
fn counts_are_those_of_layers_in_memory() {
    for question in questions() {
        let wanted = expected(&question);
        for threads in [1, 3] {
            let folder = tempfile::tempdir().unwrap();
            let run = Run::new(threads, Ram::unlimited());
            let found = count(&question, folder.path(), None, &run).unwrap();
            assert_eq!(found.undirected, wanted.undirected, "{question:?}");
            assert_eq!(found.work, wanted.work, "{question:?}");
            assert_eq!(found.scheme, Scheme::Disk);
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }
}

/// Counts until some layers are done, and stops.
fn begin(question: &Question, folder: &Path, layers: u64) {
    let run = Run::serial();
    let (stop, progress) = (run.stop.clone(), run.progress.clone());
    let watcher = std::thread::spawn(move || {
        while !stop.is_raised() {
            let now = progress.snapshot();
            if now.phase == "counting tours" && now.done >= layers {
                stop.raise();
            }
            std::thread::yield_now();
        }
    });
    let counted = count(question, folder, None, &run);
    run.stop.raise();
    watcher.join().unwrap();
    if let Err(error) = counted {
        assert!(matches!(error, FrontierError::Stopped(_)), "{error}");
    }
}

#[test]
fn a_count_that_was_stopped_is_resumed_with_and_without_its_layers() {
    let question = Question::new(Board::knight(7, 6).unwrap(), Kind::Closed);
    let wanted = expected(&question).undirected;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let finish = || count(&question, path, None, &Run::serial()).unwrap();
    for done in [1, 9, 22, 31, 36] {
        begin(&question, path, done);
        assert_eq!(finish().undirected, wanted);
        begin(&question, path, done);
        for file in layers(path) {
            fs::remove_file(file).unwrap();
        }
        assert_eq!(finish().undirected, wanted);
        begin(&question, path, done);
        for file in layers(path) {
            let mut bytes = fs::read(&file).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            fs::write(&file, bytes).unwrap();
        }
        assert_eq!(finish().undirected, wanted);
    }
}

#[test]
fn budgets_are_obeyed_before_the_start() {
    let question = Question::new(Board::knight(6, 6).unwrap(), Kind::Closed);
    let folder = tempfile::tempdir().unwrap();
    let error = count(&question, folder.path(), Some(1000), &Run::serial()).unwrap_err();
    assert!(
        matches!(error, FrontierError::OverDisk { limit: 1000, .. }),
        "{error}"
    );
    let run = Run::new(1, Ram::limited(4 << 20));
    let error = count(&question, folder.path(), None, &run).unwrap_err();
    assert!(matches!(error, FrontierError::OverBudget(_)), "{error}");
}
