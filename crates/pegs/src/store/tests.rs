//! Layers in files with memory for parts of them give what layers in memory give, also when every
//! so often the storage fails.

use std::time::Duration;

use everymove_kernel::files::{Memory, Storage, publish};
use everymove_kernel::run::{Ram, Run};

use crate::count::{games_in, solutions_in};
use crate::reach::reach_in;
use crate::store::{Folders, LayerFiles, LayersIn};
use crate::winning::{WinningSet, set_in};
use crate::{
    Board, Estimate, PegError, Problem, Reach, Solutions, count_games, count_solutions, reach,
    reach_within,
};

/// Layers first in memory, or in files of which a number of words is in memory at a time.
fn folders(storage: &Memory, first: LayersIn, window: usize) -> Folders<'_> {
    Folders {
        files: LayerFiles {
            checkpoint: Some(storage),
            worth: Duration::ZERO,
            ..LayerFiles::default()
        },
        overflow: Some(storage),
        first,
        window,
    }
}

fn in_files(storage: &Memory, window: usize) -> Folders<'_> {
    folders(storage, LayersIn::Files, window)
}

/// Does some work with crashes after more and more operations on the storage, continuing from each
/// crash image.
fn with_crashes<T>(every: usize, work: impl Fn(&Memory, usize) -> Result<T, PegError>) -> T {
    let mut storage = Memory::default();
    for crash in 1.. {
        storage.crash_after((crash * every) as u64);
        let worked = work(&storage, crash);
        let image = storage.image(crash as u64);
        match worked {
            Ok(value) => {
                assert!(crash > 5, "the run was interrupted too rarely");
                return value;
            }
            Err(error) => assert!(crash < 1000, "{error}"),
        }
        storage = image;
    }
    unreachable!()
}

fn problem(board: &str, start: &str, finish: Option<&str>) -> Problem {
    Problem::vacate(&Board::named(board).unwrap(), start, finish).unwrap()
}

fn reach_with(problem: &Problem, folders: Folders<'_>, run: &Run) -> Result<Reach, PegError> {
    reach_in(problem.board(), problem.start(), usize::MAX, folders, run)
}

fn assert_equal(found: &Reach, expected: &Reach) {
    assert_eq!(found.layers, expected.layers);
    assert_eq!(found.last_pegs, expected.last_pegs);
    assert_eq!(found.work, expected.work);
}

fn assert_equal_solutions(found: &Solutions, expected: &Solutions) {
    assert_eq!(found.solutions, expected.solutions);
    assert_eq!(found.winning, expected.winning);
    assert_eq!(found.unique, expected.unique);
    assert_eq!(found.work, expected.work);
}

#[test]
fn positions_are_those_of_layers_in_memory() {
    for (board, hole) in [
        ("triangle7", "a1"),
        ("triangle7", "b3"),
        ("triangle6", "c3"),
    ] {
        let problem = problem(board, hole, None);
        let expected = reach(problem.board(), problem.start(), &Run::serial()).unwrap();
        for (window, threads) in [(1100, 1), (3000, 2), (1 << 20, 3)] {
            let run = Run::new(threads, Ram::unlimited());
            let storage = Memory::default();
            let found = reach_with(&problem, in_files(&storage, window), &run).unwrap();
            assert_equal(&found, &expected);
        }
    }
}

/// Also where the window, the number of threads, and whether layers are in memory change with each
/// run.
#[test]
fn positions_are_counted_on_after_a_crash() {
    let problem = problem("triangle7", "a1", None);
    let expected = reach(problem.board(), problem.start(), &Run::serial()).unwrap();
    let run = Run::serial();
    let found = with_crashes(11, |storage, _| {
        reach_with(&problem, in_files(storage, 1500), &run)
    });
    assert_equal(&found, &expected);
    let found = with_crashes(11, |storage, crash| {
        let first = [LayersIn::Memory, LayersIn::Files][crash % 2];
        let run = Run::new(1 + crash % 3, Ram::unlimited());
        reach_with(&problem, folders(storage, first, 1000 + 300 * crash), &run)
    });
    assert_equal(&found, &expected);
}

const PROBLEMS: [(&str, &str, Option<&str>); 5] = [
    ("triangle7", "a1", Some("a1")),
    ("triangle6", "a1", None),
    ("triangle6", "a2", Some("a2")),
    ("triangle5", "a1", Some("a3")),
    ("triangle5", "c3", Some("a1")),
];

fn bytes(storage: &Memory) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut file = storage.open("set").unwrap();
    std::io::Read::read_to_end(&mut file, &mut bytes).unwrap();
    bytes
}

#[test]
fn winning_sets_are_those_of_layers_in_memory() {
    let run = Run::new(2, Ram::unlimited());
    for (board, start, finish) in PROBLEMS {
        let problem = problem(board, start, finish);
        let expected = WinningSet::new(&problem, &run).unwrap();
        let expected_file = Memory::default();
        expected.save(&expected_file, "set").unwrap();
        for window in [1100, 1 << 20] {
            let storage = Memory::default();
            let folders = in_files(&storage, window);
            let found = publish(&storage, "set", |draft| {
                set_in(&problem, folders, draft, &run)
            });
            let (sizes, work) = found.unwrap();
            assert_eq!(sizes, expected.sizes(), "{problem}");
            assert_eq!(&work, expected.work());
            assert_eq!(bytes(&storage), bytes(&expected_file));
        }
    }
}

#[test]
fn winning_sets_are_found_on_after_a_crash() {
    for (start, finish) in [("a1", Some("a1")), ("a2", None)] {
        let problem = problem("triangle6", start, finish);
        let expected = WinningSet::new(&problem, &Run::serial()).unwrap();
        let (sizes, work) = with_crashes(5, |storage, crash| {
            let first = [LayersIn::Memory, LayersIn::Files][crash % 2];
            let run = Run::new(1 + crash % 2, Ram::unlimited());
            publish(storage, "set", |draft| {
                set_in(&problem, folders(storage, first, 1500), draft, &run)
            })
        });
        assert_eq!(sizes, expected.sizes());
        assert_eq!(&work, expected.work());
    }
}

#[test]
fn solutions_and_games_are_those_of_layers_in_memory() {
    for (board, start, finish) in PROBLEMS {
        let problem = problem(board, start, finish);
        let solutions = count_solutions(&problem, &Run::serial()).unwrap();
        let games = match board {
            "triangle7" => None,
            _ => Some(count_games(&problem, &Run::serial()).unwrap()),
        };
        for (window, threads) in [(900, 1), (2500, 2)] {
            let run = Run::new(threads, Ram::unlimited());
            let storage = Memory::default();
            let found = solutions_in(&problem, in_files(&storage, window), &run).unwrap();
            assert_equal_solutions(&found, &solutions);
            let Some(games) = &games else { continue };
            let found = games_in(&problem, in_files(&storage, window), &run).unwrap();
            assert_eq!(
                (found.games, found.solutions),
                (games.games, games.solutions)
            );
            assert!((found.odds - games.odds).abs() <= 1e-12 * games.odds);
            assert_equal(&found.reach, &games.reach);
        }
    }
}

#[test]
fn solutions_and_games_are_counted_on_after_a_crash() {
    let problem = problem("triangle6", "a1", Some("a1"));
    let solutions = count_solutions(&problem, &Run::serial()).unwrap();
    let games = count_games(&problem, &Run::serial()).unwrap();
    for every in [11, 17] {
        let (found_solutions, found_games) = with_crashes(every, |storage, crash| {
            let first = [LayersIn::Memory, LayersIn::Files][crash % 2];
            let run = Run::new(1 + crash % 2, Ram::unlimited());
            let folders = folders(storage, first, 900 + 30 * crash);
            let solutions = solutions_in(&problem, folders, &run)?;
            Ok((solutions, games_in(&problem, folders, &run)?))
        });
        assert_equal_solutions(&found_solutions, &solutions);
        assert_eq!(
            (found_games.games, found_games.solutions),
            (games.games, games.solutions)
        );
        assert_equal(&found_games.reach, &games.reach);
    }
}

/// A damaged part and those after it are made anew.
#[test]
fn a_damaged_part_is_made_anew() {
    let problem = problem("triangle6", "a1", Some("a1"));
    let run = Run::serial();
    let work = |storage: &Memory| {
        let folders = in_files(storage, 1500);
        let solutions = solutions_in(&problem, folders, &run)?.solutions;
        Ok::<_, PegError>((solutions, games_in(&problem, folders, &run)?.games))
    };
    let expected = work(&Memory::default()).unwrap();
    let mut damaged = 0;
    for crash in (40..4000usize).step_by(111) {
        let storage = Memory::default();
        storage.crash_after(crash as u64);
        if work(&storage).is_ok() {
            break;
        }
        let storage = storage.image(1);
        let files = storage.list().unwrap();
        let parts: Vec<&String> = files
            .iter()
            .filter(|file| file.ends_with(".part"))
            .collect();
        let Some(file) = parts.get(crash % parts.len().max(1)) else {
            continue;
        };
        storage.damage(file, |bytes| {
            let at = crash % bytes.len();
            bytes[at] ^= 1;
        });
        damaged += 1;
        assert_eq!(work(&storage).unwrap(), expected);
    }
    assert!(damaged > 6, "{damaged} parts were damaged");
}

#[test]
fn files_of_another_question_and_a_full_disk_are_refused() {
    let run = Run::serial();
    let one = problem("triangle7", "a1", None);
    let other = problem("triangle7", "a2", None);
    let storage = Memory::default();
    storage.crash_after(300);
    reach_with(&one, in_files(&storage, 1500), &run).unwrap_err();
    let storage = storage.image(1);
    let error = reach_with(&other, in_files(&storage, 1500), &run).unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains(
            "belongs to triangle7, vacate a1, finish anywhere, positions, not to triangle7, vacate a2"
        ),
        "{error}"
    );
    let mut limited = in_files(&storage, 1500);
    limited.files.limit = 10_000;
    let error = reach_with(&one, limited, &run).unwrap_err();
    assert!(
        matches!(error, PegError::OverDisk { limit: 10_000, .. }),
        "{error}"
    );
}

/// Boards without names are distinguished.
#[test]
fn boards_without_names_are_other_questions() {
    let run = Run::serial();
    let storage = Memory::default();
    let question = |rows: &str| {
        let board = Board::parse(rows, crate::Lattice::Square).unwrap();
        let problem = Problem::vacate(&board, "a1", None).unwrap();
        reach_with(&problem, in_files(&storage, 1500), &run)
    };
    question("ooo/ooo/oo_/ooo").unwrap();
    let error = question("ooo/ooo/ooo/oo_").unwrap_err().to_string();
    assert!(
        error.contains("belongs to ooo/ooo/oo_/ooo, vacate a1"),
        "{error}"
    );
}

/// Whether layers are in files follows from the budget; the folder is removed at the end.
#[test]
fn layers_are_in_files_when_they_do_not_fit() {
    let board = Board::named("triangle8").unwrap();
    let start = board.vacate(0);
    let count = |files, run: &Run| reach_within(&board, start, 11, files, run);
    let expected = count(LayerFiles::default(), &Run::serial()).unwrap();
    assert_eq!(expected.layers_in, LayersIn::Memory);
    let estimate = Estimate::of_reach(&board, start, &Run::serial()).unwrap();
    let run = |bytes| Run::new(1, Ram::of_process(bytes).unwrap());
    let small = run(estimate.memory_on_disk);
    let refused = count(LayerFiles::default(), &small);
    assert!(matches!(refused, Err(PegError::OverBudget(_))));
    let parent = tempfile::tempdir().unwrap();
    let files = LayerFiles {
        work: Some(parent.path()),
        ..LayerFiles::default()
    };
    let found = count(files, &small).unwrap();
    assert_eq!(found.layers_in, LayersIn::Files);
    assert_equal(&found, &expected);
    assert!(small.ram.peak() <= estimate.memory_on_disk);
    assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
    let tiny = count(files, &run(estimate.memory_on_disk - 1)).unwrap_err();
    assert!(tiny.to_string().contains("with layers on disk"), "{tiny}");
}
