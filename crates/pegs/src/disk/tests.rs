//! Layers in files with memory for parts of them give what layers in memory give, also when every so often the storage
//! fails.

use everymove_kernel::files::{Memory, Storage, publish};
use everymove_kernel::run::{Ram, Run, Work};

use super::folder::Folder;
use super::passes::Passes;
use super::*;
use crate::layers::{ClassLayers, Split, Steps};
use crate::reach::{ReachPlan, reach as reach_in_memory};
use crate::reached::{LayersIn, Reach, class_symmetries};
use crate::winning::WinningSet;
use crate::{Board, PegError, Position, Problem};

/// Words in memory: of the layer that is read, of the one that is made.
type Words = (usize, usize);

fn layers(problem: &Problem, group: &[crate::Symmetry], run: &Run) -> ClassLayers {
    let board = problem.board();
    let split = Split::new(board, group, run).unwrap();
    ClassLayers::new(&split.into(), board.class(problem.start()))
}

fn reach_with(
    board: &Board,
    start: Position,
    storage: &Memory,
    words: Words,
    run: &Run,
) -> Result<Reach, PegError> {
    let problem = Problem::new(board, start, crate::Finish::Anywhere)?;
    let class_layers = layers(&problem, &class_symmetries(board, start), run);
    let folder = Folder::new(storage, "a test", u64::MAX)?;
    reach::Search {
        class_layers: &class_layers,
        start,
        jumps: usize::MAX,
        steps: Steps::<2>::jumps(class_layers.split()),
        run,
    }
    .run(Passes::with_words(folder, words.0, words.1, run))
}

fn winning_with(
    problem: &Problem,
    storage: &Memory,
    words: Words,
    run: &Run,
) -> Result<(Vec<u64>, Work), PegError> {
    let class_layers = layers(problem, &problem.symmetries(), run);
    let folder = Folder::new(storage, "a test", u64::MAX)?;
    let passes = Passes::with_words(folder, words.0, words.1, run);
    publish(storage, "set", |draft| {
        winning::Search::<2>::new(problem, class_layers, run).run(passes, draft)
    })
}

/// Does some work with crashes after more and more operations on the storage, continuing from each crash image.
fn with_crashes<T>(work: impl Fn(&Memory) -> Result<T, PegError>) -> T {
    let mut storage = Memory::default();
    for crash in 1.. {
        storage.crash_after(crash * 11);
        let worked = work(&storage);
        let image = storage.image(crash);
        if let Ok(value) = worked {
            assert!(crash > 5, "the run was interrupted too rarely");
            return value;
        }
        storage = image;
    }
    unreachable!()
}

fn assert_equal(found: &Reach, expected: &Reach) {
    assert_eq!(found.layers, expected.layers);
    assert_eq!(found.last_pegs, expected.last_pegs);
    assert_eq!(found.work, expected.work);
}

#[test]
fn positions_are_those_of_layers_in_memory() {
    for (name, hole) in [
        ("triangle7", "a1"),
        ("triangle7", "b3"),
        ("triangle6", "c3"),
    ] {
        let board = Board::named(name).unwrap();
        let start = board.vacate(board.hole(hole).unwrap());
        let expected = reach_in_memory(&board, start, &Run::serial()).unwrap();
        for (words, threads) in [
            ((1100, 1200), 1),
            ((1 << 20, 3000), 2),
            ((2000, 1 << 20), 3),
        ] {
            let run = Run::new(threads, Ram::unlimited());
            let storage = Memory::default();
            let found = reach_with(&board, start, &storage, words, &run).unwrap();
            assert_equal(&found, &expected);
        }
    }
}

#[test]
fn positions_are_counted_on_after_a_crash() {
    let board = Board::named("triangle7").unwrap();
    let start = board.vacate(0);
    let run = Run::serial();
    let expected = reach_in_memory(&board, start, &run).unwrap();
    let found = with_crashes(|storage| reach_with(&board, start, storage, (1500, 4000), &run));
    assert_equal(&found, &expected);
}

#[test]
fn winning_sets_are_those_of_layers_in_memory() {
    for (name, start, finish) in [
        ("triangle7", "a1", Some("a1")),
        ("triangle6", "a1", None),
        ("triangle6", "a2", Some("a2")),
        ("triangle5", "a1", Some("a3")),
        ("triangle5", "c3", Some("a1")),
    ] {
        let board = Board::named(name).unwrap();
        let problem = Problem::vacate(&board, start, finish).unwrap();
        let run = Run::new(2, Ram::unlimited());
        let expected = WinningSet::new(&problem, &run).unwrap();
        let expected_file = Memory::default();
        expected.save(&expected_file, "set").unwrap();
        for words in [(1100, 2400), (1 << 20, 1 << 20)] {
            if !crate::bidirectional::is_open(&problem) {
                continue;
            }
            let storage = Memory::default();
            let (sizes, work) = winning_with(&problem, &storage, words, &run).unwrap();
            assert_eq!(sizes, expected.sizes(), "{problem}");
            assert_eq!(&work, expected.work());
            assert_eq!(bytes(&storage), bytes(&expected_file));
        }
    }
}

fn bytes(storage: &Memory) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut file = storage.open("set").unwrap();
    std::io::Read::read_to_end(&mut file, &mut bytes).unwrap();
    bytes
}

#[test]
fn winning_sets_are_found_on_after_a_crash() {
    let board = Board::named("triangle7").unwrap();
    let run = Run::serial();
    for finish in ["a1", "d4"] {
        let problem = Problem::vacate(&board, "a1", Some(finish)).unwrap();
        if !crate::bidirectional::is_open(&problem) {
            continue;
        }
        let expected = WinningSet::new(&problem, &run).unwrap();
        let found = with_crashes(|storage| winning_with(&problem, storage, (1500, 6000), &run));
        assert_eq!(found.0, expected.sizes());
    }
}

/// A damaged part is made anew, with all that follow it.
#[test]
fn a_damaged_part_is_made_anew() {
    let board = Board::named("triangle7").unwrap();
    let start = board.vacate(0);
    let run = Run::serial();
    let expected = reach_in_memory(&board, start, &run).unwrap();
    let mut damaged = 0;
    for crash in (60..1000).step_by(90) {
        let storage = Memory::default();
        storage.crash_after(crash);
        if reach_with(&board, start, &storage, (1500, 4000), &run).is_ok() {
            break;
        }
        let storage = storage.image(crash);
        let files = storage.list().unwrap();
        if let Some(file) = files.iter().find(|file| file.ends_with(".part")) {
            storage.damage(file, |bytes| {
                let at = bytes.len() / 2;
                bytes[at] ^= 1;
            });
            damaged += 1;
        }
        let found = reach_with(&board, start, &storage, (1500, 4000), &run).unwrap();
        assert_equal(&found, &expected);
    }
    assert!(damaged > 3, "no part was damaged");
}

#[test]
fn files_of_another_question_and_a_full_disk_are_refused() {
    let board = Board::named("triangle7").unwrap();
    let start = board.vacate(0);
    let run = Run::serial();
    let storage = Memory::default();
    storage.crash_after(300);
    reach_with(&board, start, &storage, (1500, 4000), &run).unwrap_err();
    let storage = storage.image(1);
    let class_layers = {
        let problem = Problem::new(&board, start, crate::Finish::Anywhere).unwrap();
        layers(&problem, &class_symmetries(&board, start), &run)
    };
    let search = |question, limit| {
        let folder = Folder::new(&storage, question, limit).unwrap();
        reach::Search {
            class_layers: &class_layers,
            start,
            jumps: usize::MAX,
            steps: Steps::<2>::jumps(class_layers.split()),
            run: &run,
        }
        .run(Passes::with_words(folder, 1500, 4000, &run))
    };
    let error = search("another test", u64::MAX).unwrap_err();
    assert!(error.to_string().contains("holds 'a test'"), "{error}");
    let error = search("a test", 10_000).unwrap_err();
    assert!(
        matches!(error, PegError::OverDisk { limit: 10_000, .. }),
        "{error}"
    );
}

/// Whether layers are in files follows from the budget; the folder is removed at the end.
#[test]
fn layers_are_in_files_when_they_do_not_fit() {
    let board = Board::named("triangle8").unwrap();
    let start = board.vacate(0);
    let plan = ReachPlan::new(&board, start).up_to(11);
    let expected = plan.reach(&Run::serial()).unwrap();
    assert_eq!(expected.layers_in, LayersIn::Memory);
    let estimate = Estimate::of_reach(&board, start, &Run::serial()).unwrap();
    let run = |bytes| Run::new(1, Ram::of_process(bytes).unwrap());
    let small = run(estimate.memory_on_disk);
    assert!(matches!(plan.reach(&small), Err(PegError::OverBudget(_))));
    let parent = tempfile::tempdir().unwrap();
    let plan = plan.on_disk(LayerFiles::under(parent.path()));
    let found = plan.reach(&small).unwrap();
    assert_eq!(found.layers_in, LayersIn::Files);
    assert_equal(&found, &expected);
    assert!(small.ram.peak() <= estimate.memory_on_disk);
    assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
    let tiny = plan.reach(&run(estimate.memory_on_disk - 1)).unwrap_err();
    assert!(tiny.to_string().contains("with layers on disk"), "{tiny}");
}
