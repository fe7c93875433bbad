//! Frontier counts against known numbers and against a search that is too simple to be wrong.

use everymove_kernel::grid::Grid;
use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Ram, Run};
use everymove_tours::board::{Board, Kind, Leaper};
use everymove_tours::check;
use everymove_tours::frontier::{FrontierError, Options, Sampler, by_start, classes, count};
use everymove_tours::question::Question;
use num_bigint::BigUint;
use proptest::prelude::*;

fn undirected(board: &Board, kind: Kind, run: &Run) -> BigUint {
    let question = Question::new(board.clone(), kind);
    count(&question, &Options::default(), run)
        .unwrap()
        .undirected
}

/// Directed tours from `start`, by trying every move.
fn brute(board: &Board, kind: Kind, start: usize) -> u64 {
    fn extend(board: &Board, kind: Kind, path: &mut Vec<usize>) -> u64 {
        let here = path[path.len() - 1];
        if path.len() == board.playable() {
            return u64::from(kind == Kind::Open || path.len() > 2 && board.is_move(here, path[0]));
        }
        let mut sum = 0;
        for next in board.neighbours(here) {
            if !path.contains(&next) {
                path.push(next);
                sum += extend(board, kind, path);
                path.pop();
            }
        }
        sum
    }
    extend(board, kind, &mut vec![start])
}

fn brute_undirected(board: &Board, kind: Kind) -> u64 {
    match kind {
        _ if board.playable() == 1 => u64::from(kind == Kind::Open),
        Kind::Open => board.squares().map(|s| brute(board, kind, s)).sum::<u64>() / 2,
        Kind::Closed => brute(board, kind, board.squares().next().unwrap()) / 2,
    }
}

#[test]
fn known_counts() {
    let mut rows = 0;
    for line in include_str!("counts.tsv")
        .lines()
        .filter(|l| !l.starts_with('#'))
    {
        let fields: Vec<&str> = line.split('\t').collect();
        let [grid, kind, piece, expected, _source] = fields[..] else {
            panic!("{line}")
        };
        let board = Board::new(grid.parse().unwrap(), Leaper::piece(piece).unwrap());
        let kind = if kind == "open" {
            Kind::Open
        } else {
            Kind::Closed
        };
        for threads in [1, 3] {
            let run = Run::new(threads, Ram::unlimited());
            assert_eq!(
                undirected(&board, kind, &run).to_string(),
                expected,
                "{line}"
            );
        }
        rows += 1;
    }
    assert!(rows > 45);
}

#[test]
fn a_board_and_its_transpose_have_the_same_count_and_work() {
    let question = |rows, cols| Question::new(Board::knight(rows, cols).unwrap(), Kind::Open);
    let options = Options::default();
    let one = count(&question(5, 7), &options, &Run::serial()).unwrap();
    assert_eq!(
        one,
        count(&question(7, 5), &options, &Run::new(2, Ram::unlimited())).unwrap()
    );
    assert!(one.work.get("transitions") > one.work.get("blocks"));
}

/// OEIS A165134 gives these for 5x5; the 6x6 numbers sum to its 6637920.
#[test]
fn counts_by_start() {
    let (counts, _) = by_start(&Board::knight(5, 5).unwrap(), &Run::serial()).unwrap();
    let of = |square: usize| counts[square].1.clone();
    for corner in [0, 4, 20, 24] {
        assert_eq!(of(corner), 304u32.into());
    }
    assert_eq!(of(12), 64u32.into());
    assert_eq!(of(2), 56u32.into());
    assert_eq!(of(6), 56u32.into());
    assert_eq!(of(1), 0u32.into());
    let (counts, _) = by_start(&Board::knight(6, 6).unwrap(), &Run::serial()).unwrap();
    let distinct = [0, 1, 2, 7, 8, 14].map(|s| counts[s].1.to_string());
    assert_eq!(
        distinct,
        ["524486", "289050", "115837", "173402", "49578", "52662"]
    );
    assert_eq!(
        counts.iter().map(|(_, n)| n).sum::<BigUint>(),
        6_637_920u32.into()
    );
}

/// Leapers, and sums of them: those with W and F, or another leap that changes the colour and one
/// that does not, have odd cycles.
const PIECES: [&str; 13] = [
    "W", "F", "N", "C", "Z", "(1,4)", "D", "K", "CW", "DW", "AW", "NZ", "WFDN",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn brute_force_agrees(
        rows in 1u32..6,
        cols in 1u32..6,
        piece in prop::sample::select(PIECES.to_vec()),
        holes in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        closed in any::<bool>(),
        start in any::<prop::sample::Index>(),
    ) {
        let leaper = Leaper::piece(piece).unwrap();
        prop_assume!(rows * cols <= if leaper.legs().len() > 1 { 12 } else { 20 });
        let grid = Grid::new(rows, cols).unwrap();
        let holes: Vec<usize> = holes.iter().map(|h| h.index(grid.len())).collect();
        let Ok(board) = Board::new(grid, leaper).with_holes(&holes) else { return Ok(()) };
        let kind = if closed { Kind::Closed } else { Kind::Open };
        let run = Run::serial();
        let expected = brute_undirected(&board, kind);
        prop_assert_eq!(undirected(&board, kind, &run), expected.into());

        let squares: Vec<usize> = board.squares().collect();
        let start = squares[start.index(squares.len())];
        let question = Question::new(board.clone(), Kind::Open).starting_on(start);
        let from = count(&question, &Options::default(), &run).unwrap().undirected;
        prop_assert_eq!(from, brute(&board, Kind::Open, start).into());

        let sampler = Sampler::new(&board, kind, &run).unwrap();
        prop_assert_eq!(sampler.total(), u128::from(expected));
        let mut seen = std::collections::HashSet::new();
        for index in 0..sampler.total().min(200) {
            let tour = sampler.unrank(index).unwrap();
            prop_assert!(check::verify(&tour, 1).is_ok());
            prop_assert_eq!(sampler.rank(&tour), Ok(index));
            seen.insert(tour.steps().to_vec());
        }
        prop_assert_eq!(seen.len() as u128, sampler.total().min(200));
        prop_assert!(sampler.unrank(sampler.total()).is_err());
    }
}

#[test]
fn samples_repeat_and_ranks_come_back() {
    let sampler = Sampler::new(&Board::knight(6, 7).unwrap(), Kind::Open, &Run::serial()).unwrap();
    let draw = |seed| {
        let mut rng = SplitMix64::new(seed);
        (0..5)
            .map(|_| sampler.sample(&mut rng).unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(draw(3), draw(3));
    assert_ne!(draw(3), draw(4));
    let mut rng = SplitMix64::new(8);
    for _ in 0..50 {
        let index = rng.below_u128(sampler.total());
        assert_eq!(sampler.rank(&sampler.unrank(index).unwrap()), Ok(index));
    }
}

/// With 9862 tours and 40 draws for each, the statistic has 9861 degrees of freedom and a standard
/// deviation of 140; the seed is fixed, so the test either always passes or never.
#[test]
fn samples_are_uniform() {
    let board = Board::knight(6, 6).unwrap();
    let sampler = Sampler::new(&board, Kind::Closed, &Run::serial()).unwrap();
    let mut rng = SplitMix64::new(2026);
    let mut seen = vec![0u32; 9862];
    for _ in 0..9862 * 40 {
        let tour = sampler.sample(&mut rng).unwrap();
        seen[sampler.rank(&tour).unwrap() as usize] += 1;
    }
    let statistic: f64 = seen
        .iter()
        .map(|&n| (f64::from(n) - 40.0).powi(2) / 40.0)
        .sum();
    assert!(
        (9861.0 - 560.0..9861.0 + 560.0).contains(&statistic),
        "{statistic}"
    );
}

#[test]
fn budgets_are_refused_before_the_work() {
    let board = Board::knight(8, 8).unwrap();
    let run = Run::new(1, Ram::limited(10 << 20));
    let question = Question::new(board, Kind::Closed);
    let error = count(&question, &Options::default(), &run).unwrap_err();
    assert!(matches!(error, FrontierError::OverBudget(_)), "{error}");
    assert!(error.to_string().contains("the budget is 10M"), "{error}");
}

#[test]
fn too_wide_boards_are_named() {
    let question = Question::new(Board::knight(12, 12).unwrap(), Kind::Closed);
    let error = count(&question, &Options::default(), &Run::serial()).unwrap_err();
    assert!(error.to_string().contains("12x12"), "{error}");
}

#[test]
fn a_raised_stop_ends_the_count() {
    let run = Run::serial();
    run.stop.raise();
    let question = Question::new(Board::knight(6, 6).unwrap(), Kind::Open);
    assert!(matches!(
        count(&question, &Options::default(), &run),
        Err(FrontierError::Stopped(_))
    ));
}

/// 7x9 by the count of whole layers, 8x8 as in OEIS A165134 (9795914085489952 undirected).
#[test]
#[ignore = "takes minutes; cargo xtask long"]
fn classes_of_large_boards() {
    let run = Run::new(2, Ram::unlimited());
    for (rows, cols, expected) in [(7, 9, "2903212163753000"), (8, 8, "9795914085489952")] {
        let question = Question::new(Board::knight(rows, cols).unwrap(), Kind::Open);
        let options = classes::ClassOptions::default();
        let counted = classes::count_by_classes(&question, &options, &run, &mut |_| ());
        let count = counted.unwrap().unwrap();
        assert_eq!(count.undirected.to_string(), expected, "{rows}x{cols}");
    }
}
