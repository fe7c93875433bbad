//! Long runs stopped at every layer and resumed give what they would have given; damaged layers are
//! made anew, files of other questions and damaged winning sets are refused.

use std::time::Duration;

use everymove_kernel::files::{Memory, Storage};
use everymove_kernel::run::{Ram, Run};
use everymove_pegs::{
    Board, LayerFiles, PegError, Problem, Quantities, WinningSet, count_totals, reach, reach_within,
};

/// A checkpoint in which every layer is saved.
fn every_layer(storage: &dyn Storage) -> LayerFiles<'_> {
    LayerFiles {
        worth: Duration::ZERO,
        checkpoint: Some(storage),
        ..LayerFiles::default()
    }
}

/// Runs `work` with crashes after more and more operations on the storage, resuming from each crash
/// image.
fn with_crashes<T>(work: impl Fn(&Memory) -> Result<T, PegError>) -> T {
    let mut storage = Memory::default();
    for crash in 1.. {
        storage.crash_after(crash * 7);
        let worked = work(&storage);
        let image = storage.image(crash);
        if let Ok(value) = worked {
            assert!(
                crash > 3,
                "the run was interrupted too rarely to show anything"
            );
            return value;
        }
        storage = image;
    }
    unreachable!()
}

#[test]
fn reach_resumes() {
    let board = Board::named("triangle6").unwrap();
    let start = board.vacate(0);
    let run = Run::new(2, Ram::unlimited());
    let resumed =
        with_crashes(|storage| reach_within(&board, start, usize::MAX, every_layer(storage), &run));
    let whole = reach(&board, start, &run).unwrap();
    assert_eq!(
        (resumed.layers, resumed.last_pegs, resumed.work),
        (whole.layers, whole.last_pegs, whole.work)
    );
}

#[test]
fn winning_sets_resume() {
    let board = Board::named("triangle6").unwrap();
    let run = Run::new(2, Ram::unlimited());
    for (start, finish) in [("a1", Some("a1")), ("a2", None)] {
        let problem = Problem::vacate(&board, start, finish).unwrap();
        let whole = WinningSet::new(&problem, &run).unwrap();
        let resumed =
            with_crashes(|storage| WinningSet::resume(&problem, every_layer(storage), &run));
        assert_eq!(resumed.sizes(), whole.sizes());
        let solutions = |set: &WinningSet| set.count_solutions(&run).unwrap().solutions;
        assert_eq!(solutions(&resumed), solutions(&whole));
    }
}

/// The passes over positions, games, winning set and solutions all resume, and what they count
/// stays the same.
#[test]
fn counts_resume() {
    let board = Board::named("triangle6").unwrap();
    let run = Run::new(2, Ram::unlimited());
    for (start, finish) in [("a1", Some("a1")), ("a2", None)] {
        let problem = Problem::vacate(&board, start, finish).unwrap();
        let whole = count_totals(&problem, Quantities::Games, LayerFiles::default(), &run).unwrap();
        let resumed = with_crashes(|storage| {
            count_totals(&problem, Quantities::Games, every_layer(storage), &run)
        });
        assert_eq!(resumed.reach.layers, whole.reach.layers);
        let (resumed_games, games) = (resumed.games.unwrap(), whole.games.unwrap());
        assert_eq!(
            (
                resumed_games.games,
                resumed_games.solutions,
                resumed_games.odds.to_bits()
            ),
            (games.games, games.solutions, games.odds.to_bits())
        );
        let (resumed, whole) = (resumed.solutions.unwrap(), whole.solutions.unwrap());
        assert_eq!(
            (resumed.solutions, resumed.winning, resumed.unique),
            (whole.solutions, whole.winning, whole.unique)
        );
    }
}

#[test]
fn a_checkpoint_answers_its_own_question_only() {
    let board = Board::named("triangle5").unwrap();
    let storage = Memory::default();
    let count = |hole| {
        let start = board.vacate(hole);
        reach_within(
            &board,
            start,
            usize::MAX,
            every_layer(&storage),
            &Run::serial(),
        )
    };
    count(0).unwrap();
    let error = count(1).unwrap_err().to_string();
    assert!(
        error.contains(
            "belongs to triangle5, vacate a1, finish anywhere, positions, not to triangle5, vacate a2"
        ),
        "{error}"
    );
    let name = storage.list().unwrap().pop().unwrap();
    storage.damage(&name, |bytes| bytes[70] ^= 1);
    let anew = count(0).unwrap();
    let undisturbed = reach(&board, board.vacate(0), &Run::serial()).unwrap();
    assert_eq!(anew.positions(), undisturbed.positions());
}

#[test]
fn winning_files_refuse_damage() {
    let board = Board::named("triangle5").unwrap();
    let problem = Problem::vacate(&board, "a1", Some("a1")).unwrap();
    let set = WinningSet::new(&problem, &Run::serial()).unwrap();
    let clean = Memory::default();
    set.save(&clean, "set").unwrap();
    let size = clean.open("set").unwrap().size().unwrap() as usize;
    for at in 0..size {
        let storage = Memory::default();
        set.save(&storage, "set").unwrap();
        storage.damage("set", |bytes| bytes[at] ^= 0x10);
        assert!(
            WinningSet::load(&storage, "set", &Run::serial()).is_err(),
            "byte {at}"
        );
        storage.damage("set", |bytes| bytes.truncate(at));
        assert!(
            WinningSet::load(&storage, "set", &Run::serial()).is_err(),
            "cut at {at}"
        );
    }
    assert!(WinningSet::load(&clean, "no such file", &Run::serial()).is_err());
}
