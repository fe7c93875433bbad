//! Counts by classes against the count of whole layers, and against themselves after an
//! interruption.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use everymove_kernel::run::{Ram, Run};

use super::*;
use crate::board::{Board, Kind, Leaper};

fn question(rows: u32, cols: u32, kind: Kind) -> Question {
    Question::new(Board::knight(rows, cols).unwrap(), kind)
}

/// The count, and the classes in the order in which they are finished.
pub(crate) fn by_classes(
    question: &Question,
    options: &ClassOptions,
    run: &Run,
) -> (BigUint, Vec<Finished>) {
    let mut classes = Vec::new();
    let counted = count_by_classes(question, options, run, &mut |event| {
        if let Event::Class { finished, .. } = event {
            classes.push(finished);
        }
    });
    (counted.unwrap().unwrap().undirected, classes)
}

#[test]
fn classes_add_up_to_the_count() {
    for (rows, cols, piece, kind) in [
        (6, 6, "N", Kind::Closed),
        (6, 7, "N", Kind::Closed),
        (5, 5, "N", Kind::Open),
        (5, 6, "N", Kind::Open),
        (5, 7, "N", Kind::Open),
        (4, 7, "N", Kind::Open),
        (7, 7, "K", Kind::Closed),
        (6, 7, "K", Kind::Open),
        (5, 6, "WD", Kind::Closed),
        (5, 6, "NA", Kind::Open),
    ] {
        let mut question = question(rows, cols, kind);
        let leaper = Leaper::piece(piece).unwrap();
        question.board = Board::new(question.board.grid(), leaper);
        let whole = crate::frontier::count(&question, &Default::default(), &Run::serial());
        let whole = whole.unwrap().undirected;
        for (key_slots, part_slots) in [(0, 0), (3, 6), (5, 5), (5, 8)] {
            let options = ClassOptions {
                key_slots,
                part_slots: Some(part_slots),
                ..ClassOptions::default()
            };
            for threads in [1, 3] {
                let run = Run::new(threads, Ram::unlimited());
                let (count, _) = by_classes(&question, &options, &run);
                assert_eq!(
                    count, whole,
                    "{rows}x{cols} {piece} {kind} {key_slots} {part_slots}"
                );
            }
        }
    }
}

/// ClassOptions of a count with layers in files of a folder.
fn on_disk(folder: &Path) -> ClassOptions {
    ClassOptions {
        files: Some(folder.to_owned()),
        ..ClassOptions::default()
    }
}

/// The sums of all classes, by their numbers. Parts of a class may have other numbers of
/// transitions.
fn sums(classes: &[Finished]) -> BTreeMap<u32, (String, Vec<[String; 3]>)> {
    let sum = |class: &Finished| (class.class, (class.sum.clone(), class.by_degree.clone()));
    classes.iter().map(sum).collect()
}

#[test]
fn classes_on_disk_are_those_in_memory() {
    for (rows, cols, kind) in [
        (6, 6, Kind::Closed),
        (5, 5, Kind::Open),
        (5, 7, Kind::Open),
        (4, 7, Kind::Open),
    ] {
        let question = question(rows, cols, kind);
        for (key_slots, part_slots) in [(0, 0), (5, 6)] {
            let slots = |options| ClassOptions {
                key_slots,
                part_slots: Some(part_slots),
                ..options
            };
            let (count, classes) =
                by_classes(&question, &slots(ClassOptions::default()), &Run::serial());
            for (threads, disk) in [(1, None), (3, Some(1 << 20))] {
                let folder = tempfile::tempdir().unwrap();
                let options = ClassOptions {
                    disk,
                    ..slots(on_disk(folder.path()))
                };
                let run = Run::new(threads, Ram::unlimited());
                let (found, parts) = by_classes(&question, &options, &run);
                assert_eq!(
                    found, count,
                    "{rows}x{cols} {kind} {key_slots} {part_slots}"
                );
                assert_eq!(sums(&parts), sums(&classes));
                assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
            }
        }
    }
}

/// A count with its layers in files is stopped, continued in memory, stopped again, and continued
/// with files, with all of them and with a damaged one.
#[test]
fn a_journal_goes_from_files_to_memory_and_back() {
    let question = question(5, 7, Kind::Open);
    let (expected, all) = by_classes(&question, &ClassOptions::default(), &Run::serial());
    for damaged in [false, true] {
        let [folder, journal] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let with_journal = |options| ClassOptions {
            journal: Some(journal.path().to_owned()),
            ..options
        };
        let files = with_journal(on_disk(folder.path()));
        stopped_after(2, &question, &files);
        stopped_after(3, &question, &with_journal(ClassOptions::default()));
        for file in layers(folder.path()) {
            if damaged {
                let mut bytes = fs::read(&file).unwrap();
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
                fs::write(&file, bytes).unwrap();
            }
        }
        let (count, rest) = by_classes(&question, &files, &Run::serial());
        assert_eq!((count, rest.len()), (expected.clone(), all.len() - 5));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert_eq!(summary(journal.path()).unwrap().undirected, expected);
    }
}

/// Without a folder of its own the journal is beside the layers, and what is left of a class is not
/// used.
#[test]
fn a_count_on_disk_that_was_stopped_is_continued() {
    let question = question(6, 7, Kind::Closed);
    let (expected, all) = by_classes(&question, &ClassOptions::default(), &Run::serial());
    let folder = tempfile::tempdir().unwrap();
    let options = on_disk(folder.path());
    for stop_after in [1, 4] {
        stopped_after(stop_after, &question, &options);
        assert!(layers(folder.path()).len() > 2);
    }
    let (count, rest) = by_classes(&question, &options, &Run::serial());
    assert_eq!((count, rest.len()), (expected, all.len() - 5));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn budgets_of_a_count_on_disk_are_obeyed_before_the_start() {
    let question = question(6, 7, Kind::Closed);
    let folder = tempfile::tempdir().unwrap();
    let options = ClassOptions {
        disk: Some(1000),
        ..on_disk(folder.path())
    };
    let refused = count_by_classes(&question, &options, &Run::serial(), &mut |_| ());
    let is_of_disk = matches!(refused, Err(FrontierError::OverDisk { limit: 1000, .. }));
    assert!(is_of_disk, "{refused:?}");
    let options = on_disk(folder.path());
    let run = Run::new(1, Ram::limited(4 << 20));
    let refused = count_by_classes(&question, &options, &run, &mut |_| ());
    assert!(
        matches!(refused, Err(FrontierError::OverBudget(_))),
        "{refused:?}"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// The files of layers in the folder of a count in `folder`.
fn layers(folder: &Path) -> Vec<PathBuf> {
    let inside = |folder: &Path| {
        fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
    };
    let files = inside(folder).flat_map(|of_count| inside(&of_count));
    files
        .filter(|file| file.extension().is_some_and(|ending| ending == "blocks"))
        .collect()
}

/// Counts until this many classes are finished.
fn stopped_after(classes: usize, question: &Question, options: &ClassOptions) {
    let run = Run::serial();
    let mut seen = 0;
    let stopped = count_by_classes(question, options, &run, &mut |event| {
        if let Event::Class { .. } = event {
            seen += 1;
            if seen == classes {
                run.stop.raise();
            }
        }
    });
    assert!(matches!(stopped, Err(FrontierError::Stopped(_))));
}

/// With the long side as columns, frontiers have up to 18 slots on this board, and another number
/// of classes.
#[test]
fn the_other_side_as_columns_gives_the_same_count() {
    let question = question(4, 8, Kind::Open);
    let whole = crate::frontier::count(&question, &Default::default(), &Run::serial());
    let options = ClassOptions {
        columns: Columns::Wide,
        ..ClassOptions::default()
    };
    assert_eq!(
        by_classes(&question, &options, &Run::serial()).0,
        whole.unwrap().undirected
    );
}

/// On a board of odd sides a square of the centre row has as many edges up in a tour as down in the
/// tour upside down, and on the colour on which no tour ends, both together are two. Squares that
/// are mirror images are taken together, since mirror images were counted together before.
#[test]
fn tours_upside_down_are_equally_many() {
    for (rows, cols) in [(5, 7), (7, 5), (9, 5)] {
        let question = question(rows, cols, Kind::Open);
        let (_, classes) = by_classes(&question, &ClassOptions::default(), &Run::serial());
        let (long, short) = (rows.max(cols) as usize, rows.min(cols) as usize);
        let by_degree = |col: usize, degree: usize| {
            let slot = 1 + col;
            let sums = classes.iter().map(|class| &class.by_degree[slot][degree]);
            sums.map(|sum| sum.parse::<u128>().unwrap()).sum::<u128>()
        };
        let pair = |col, degree| by_degree(col, degree) + by_degree(short - 1 - col, degree);
        let mut compared = 0;
        for col in (0..short).filter(|col| (long / 2 + col) % 2 == 1) {
            assert_eq!(pair(col, 0), pair(col, 2), "{rows}x{cols} {col}");
            compared += u32::from(pair(col, 0) > 0);
        }
        assert!(compared > 0);
    }
}

#[test]
fn an_interrupted_count_is_continued() {
    let folder = tempfile::tempdir().unwrap();
    let question = question(5, 7, Kind::Open);
    let options = ClassOptions {
        journal: Some(folder.path().to_owned()),
        ..ClassOptions::default()
    };
    let (expected, all) = by_classes(&question, &ClassOptions::default(), &Run::serial());
    for stop_after in [1, 7] {
        stopped_after(stop_after, &question, &options);
    }
    let (count, rest) = by_classes(&question, &options, &Run::serial());
    assert_eq!(count, expected);
    assert_eq!(rest.len(), all.len() - 8);
    let added = summary(folder.path()).unwrap();
    assert_eq!(added.undirected, expected);
    assert_eq!(
        (added.finished, added.classes),
        (all.len() as u64, all.len() as u64)
    );
    // Nothing is left to do.
    let (count, rest) = by_classes(&question, &options, &Run::serial());
    assert_eq!((count, rest.len()), (expected, 0));
}

#[test]
fn a_journal_of_another_count_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let options = ClassOptions {
        journal: Some(folder.path().to_owned()),
        ..ClassOptions::default()
    };
    let run = Run::serial();
    by_classes(&question(5, 7, Kind::Open), &options, &run);
    let fewer = ClassOptions {
        key_slots: 1,
        ..options.clone()
    };
    for (question, options) in [
        (question(5, 6, Kind::Open), &options),
        (question(5, 7, Kind::Open), &fewer),
    ] {
        let refused = count_by_classes(&question, options, &run, &mut |_| ());
        assert!(matches!(
            refused,
            Err(FrontierError::OtherCheckpoint { .. })
        ));
    }
}

#[test]
fn boards_of_few_rows_have_no_classes() {
    let question = question(3, 3, Kind::Open);
    let mut no_event = |_| panic!("nothing is counted");
    let counted = count_by_classes(
        &question,
        &ClassOptions::default(),
        &Run::serial(),
        &mut no_event,
    );
    assert!(counted.unwrap().is_none());
}
