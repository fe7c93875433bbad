use std::fs;
use std::path::{Path, PathBuf};

use everymove_kernel::files::seal;
use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::Ram;

use super::*;
use crate::board::{Board, Kind};
use crate::frontier::choose::forecast;
use crate::frontier::choose::scheme::Scheme;
use crate::frontier::choose::{Options, count as count_in_memory, on_disk};
use crate::frontier::counted::{Count, given_end};
use crate::frontier::store::folder::BLOCKS;
use crate::question::Question;

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

fn count(
    question: &Question,
    folder: &Path,
    limit: Option<u64>,
    run: &Run,
) -> Result<Count, FrontierError> {
    let start = given_end(question)?;
    on_disk(question, start, folder, limit, run)
}

fn expected(question: &Question) -> Count {
    count_in_memory(question, &Options::default(), &Run::serial()).unwrap()
}

/// A limit of the files within which their layers are compressed.
fn tight(question: &Question) -> u64 {
    let needs = forecast::estimate(question, &Run::serial()).unwrap().needs;
    let on_disk = needs.iter().find(|need| need.scheme == Scheme::Disk);
    let files = on_disk.unwrap().files;
    let limit = 2 * files.plain - 1;
    assert!(files.are_compressed(limit) && files.within(limit) == files.compressed);
    assert_eq!(files.within(limit + 1), files.plain);
    limit
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

#[test]
fn compressed_layers_are_smaller_and_give_the_same_count() {
    let question = Question::new(Board::knight(7, 6).unwrap(), Kind::Closed);
    let wanted = expected(&question);
    let folder = tempfile::tempdir().unwrap();
    let limit = Some(tight(&question));
    let found = count(
        &question,
        folder.path(),
        limit,
        &Run::new(3, Ram::unlimited()),
    )
    .unwrap();
    assert_eq!(
        (found.undirected, found.work),
        (wanted.undirected, wanted.work)
    );
    // On a machine with much other work a count may be complete before it is stopped: then it is
    // begun again.
    let bytes = [None, limit].map(|limit| {
        loop {
            begin(&question, folder.path(), limit, 22);
            let files = layers(folder.path()).into_iter();
            let bytes: u64 = files.map(|file| fs::metadata(file).unwrap().len()).sum();
            fs::remove_dir_all(folder.path()).unwrap();
            if bytes > 0 {
                break bytes;
            }
        }
    });
    assert!(bytes[1] < bytes[0], "{bytes:?}");
}

/// Counts until some layers are done, and stops.
fn begin(question: &Question, folder: &Path, limit: Option<u64>, layers: u64) {
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
    let counted = count(question, folder, limit, &run);
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
    let limit = Some(tight(&question));
    let finish = || count(&question, path, None, &Run::serial()).unwrap();
    for done in [1, 9, 22, 31, 36] {
        // A count with compressed layers is resumed with layers that are not compressed.
        begin(&question, path, limit, done);
        assert_eq!(finish().undirected, wanted);
        begin(&question, path, None, done);
        for file in layers(path) {
            fs::remove_file(file).unwrap();
        }
        assert_eq!(finish().undirected, wanted);
        begin(&question, path, limit, done);
        for file in layers(path) {
            let mut bytes = fs::read(&file).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            fs::write(&file, bytes).unwrap();
        }
        assert_eq!(finish().undirected, wanted);
    }
}

/// A layer whose bytes were changed before the checksums were made is made anew unless only ranks
/// are others: the count ends without a panic, and most often with the same number.
#[test]
fn layers_with_right_checksums_are_checked_for_sense() {
    let question = Question::new(Board::knight(7, 6).unwrap(), Kind::Closed);
    let wanted = expected(&question).undirected;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let tight = Some(tight(&question));
    let mut rng = SplitMix64::new(11);
    let mut same = 0;
    for round in 0..12 {
        let (limit, done) = ([None, tight][round % 2], 9 + round as u64);
        begin(&question, path, limit, done);
        for file in layers(path) {
            let mut bytes = fs::read(&file).unwrap();
            for _ in 0..=rng.below(3) {
                let at = rng.below(bytes.len() as u64) as usize;
                bytes[at] = [bytes[at] ^ 1 << rng.below(8), 255, 0][rng.below(3) as usize];
            }
            seal(&mut bytes);
            fs::write(&file, bytes).unwrap();
        }
        let found = count(&question, path, None, &Run::serial()).unwrap();
        same += usize::from(found.undirected == wanted);
    }
    assert!(same > 6, "{same}");
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

/// Counts beyond 128 bits take several passes, of which those that are finished are not made again.
#[test]
fn residues_on_disk_give_the_count_and_are_resumed() {
    let question = Question::new(Board::knight(3, 100).unwrap(), Kind::Closed);
    let wanted = expected(&question);
    assert!(wanted.undirected.bits() > 128);
    let folder = tempfile::tempdir().unwrap();
    for done in [50, 120] {
        begin(&question, folder.path(), None, done);
    }
    let found = count(&question, folder.path(), None, &Run::serial()).unwrap();
    assert_eq!(found.undirected, wanted.undirected);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
