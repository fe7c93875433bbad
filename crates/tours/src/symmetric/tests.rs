//! Symmetric tours against all tours, looked at one by one.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use everymove_kernel::grid::{Grid, Square, Symmetry};
use everymove_kernel::run::{Ram, Run};
use proptest::prelude::*;

use super::*;
use crate::board::Leaper;
use crate::check;
use crate::question::{Direction, Question};
use crate::search::{self, Method};
use crate::tour::Tour;

type Moves = BTreeSet<(Square, Square)>;

fn moves(order: &[Square], kind: Kind) -> Moves {
    let closing = (kind == Kind::Closed).then(|| [order[order.len() - 1], order[0]]);
    let pairs = order.windows(2).map(|pair| [pair[0], pair[1]]);
    pairs
        .chain(closing)
        .map(|[a, b]| (a.min(b), a.max(b)))
        .collect()
}

fn image(grid: Grid, symmetry: Symmetry, moves: &Moves) -> Moves {
    let image = |square| grid.image(symmetry, square);
    let images = moves.iter().map(|&(a, b)| (image(a), image(b)));
    images.map(|(a, b)| (a.min(b), a.max(b))).collect()
}

fn all_tours(board: &Board, kind: Kind) -> Vec<Vec<Square>> {
    let mut all = Vec::new();
    let question = Question::new(board.clone(), kind);
    let (run, method) = (Run::serial(), Method::default());
    search::visit(&question, Direction::Undirected, method, &run, |order| {
        all.push(order.to_vec());
        ControlFlow::Continue(())
    })
    .unwrap();
    all
}

/// Checks counts, lists and classes of symmetric tours against all tours of a board.
fn agrees(board: &Board, kind: Kind) -> Result<(), TestCaseError> {
    let grid = board.grid();
    let tours = all_tours(board, kind);
    for symmetry in board.symmetries() {
        if symmetry == Symmetry::Identity {
            continue;
        }
        let expected: BTreeSet<Moves> = tours
            .iter()
            .map(|order| moves(order, kind))
            .filter(|moves| image(grid, symmetry, moves) == *moves)
            .collect();
        let found = invariant::count(board, kind, symmetry, &Run::serial()).unwrap();
        prop_assert_eq!(found.tours, expected.len() as u64, "{:?}", symmetry);
        for threads in [2, 4] {
            let run = Run::new(threads, Ram::unlimited());
            prop_assert_eq!(
                invariant::count(board, kind, symmetry, &run).unwrap(),
                found
            );
        }
        let mut listed = Vec::new();
        invariant::list(board, kind, symmetry, &Run::serial(), &mut |order| {
            listed.push(order.to_vec());
            ControlFlow::Continue(())
        })
        .unwrap();
        prop_assert_eq!(listed.len(), expected.len());
        for order in &listed {
            let tour = Tour::from_order(board.clone(), kind, order);
            prop_assert!(check::verify(&tour, 1).is_ok());
        }
        let listed: BTreeSet<Moves> = listed.iter().map(|order| moves(order, kind)).collect();
        prop_assert_eq!(listed, expected, "{:?}", symmetry);
    }

    // The least image stands for its class; a tour of one square has no moves to tell it by.
    let mut orders = std::collections::BTreeMap::<Moves, BTreeSet<Moves>>::new();
    for order in &tours {
        let tour = moves(order, kind);
        let images = board
            .symmetries()
            .into_iter()
            .map(|s| image(grid, s, &tour));
        orders
            .entry(images.min().unwrap())
            .or_default()
            .insert(tour);
    }
    let classes = classes(board, kind, tours.len() as u128, &Run::serial()).unwrap();
    prop_assert_eq!(classes.classes, orders.len() as u128);
    if let Some(by) = classes.by_symmetry {
        let group = board.symmetries().len();
        let of = |symmetries: usize| {
            let size = |class: &&BTreeSet<Moves>| class.len() * symmetries == group;
            orders.values().filter(size).count() as u128
        };
        prop_assert_eq!(
            (by.asymmetric, by.binary, by.quaternary),
            (of(1), of(2), of(4))
        );
    }
    Ok(())
}

#[test]
fn boards_with_all_their_tours() {
    let centre = |n: u32| (n * n / 2) as usize;
    for (rows, cols, leaper, holes, kind) in [
        (3, 10, "N", vec![], Kind::Closed),
        (3, 12, "N", vec![], Kind::Closed),
        (5, 6, "N", vec![], Kind::Closed),
        (6, 5, "N", vec![], Kind::Closed),
        (6, 6, "N", vec![], Kind::Closed),
        (5, 5, "N", vec![centre(5)], Kind::Closed),
        (3, 3, "N", vec![centre(3)], Kind::Closed),
        (6, 6, "W", vec![], Kind::Closed),
        (4, 5, "W", vec![], Kind::Closed),
        (5, 5, "W", vec![centre(5)], Kind::Closed),
        (1, 1, "N", vec![], Kind::Open),
        (1, 9, "W", vec![], Kind::Open),
        (3, 4, "N", vec![], Kind::Open),
        (3, 7, "N", vec![], Kind::Open),
        (4, 5, "N", vec![], Kind::Open),
        (5, 5, "N", vec![], Kind::Open),
        (5, 6, "N", vec![], Kind::Open),
        (4, 4, "W", vec![], Kind::Open),
        (3, 5, "W", vec![], Kind::Open),
        (3, 3, "K", vec![], Kind::Closed),
        (3, 4, "K", vec![], Kind::Closed),
        (3, 5, "K", vec![], Kind::Closed),
        (5, 3, "K", vec![], Kind::Closed),
        (4, 4, "K", vec![], Kind::Closed),
        (4, 4, "K", vec![0, 3, 12, 15], Kind::Closed),
        (5, 5, "K", vec![6, 8, 12, 16, 18], Kind::Closed),
        (3, 3, "K", vec![], Kind::Open),
        (2, 6, "K", vec![], Kind::Open),
        (3, 4, "K", vec![], Kind::Open),
        (4, 4, "WA", vec![], Kind::Closed),
        (4, 4, "WD", vec![], Kind::Closed),
        (3, 5, "WC", vec![], Kind::Closed),
    ] {
        let leaper = Leaper::piece(leaper).unwrap();
        let board = Board::new(Grid::new(rows, cols).unwrap(), leaper)
            .with_holes(&holes)
            .unwrap();
        agrees(&board, kind).unwrap();
    }
}

fn symmetric_boards() -> impl Strategy<Value = Board> {
    let leaper = prop_oneof![
        Just("N"),
        Just("W"),
        Just("F"),
        Just("C"),
        Just("Z"),
        Just("K"),
        Just("WC"),
        Just("WA"),
        Just("FD")
    ];
    let holes = prop::collection::vec(any::<prop::sample::Index>(), 0..6);
    let symmetry = prop::sample::select(&Symmetry::ALL[1..]);
    (1u32..7, 1u32..7, leaper, holes, symmetry).prop_filter_map(
        "no small symmetric board",
        |parts| {
            let (rows, mut cols, piece, holes, symmetry) = parts;
            if !Grid::new(rows, cols)
                .unwrap()
                .symmetries()
                .contains(&symmetry)
            {
                cols = rows;
            }
            let grid = Grid::new(rows, cols).unwrap();
            let mut holes: Vec<_> = holes.into_iter().map(|i| i.index(grid.len())).collect();
            for i in 0..3 * holes.len() {
                holes.push(grid.image(symmetry, holes[i]));
            }
            let board = Board::new(grid, Leaper::piece(piece).unwrap())
                .with_holes(&holes)
                .ok()?;
            let limit = match piece {
                "W" => 25,
                "N" | "F" | "C" | "Z" => 28,
                _ => 12,
            };
            (board.playable() <= limit).then_some(board)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn boards_with_symmetric_holes(board in symmetric_boards(), closed: bool) {
        agrees(&board, if closed { Kind::Closed } else { Kind::Open })?;
    }
}

/// Quarter paths from each orbit's smallest square by plain recursion: all, type A, type B.
fn quarter_recursion(board: &Board) -> [u64; 3] {
    let grid = board.grid();
    let turn = |s: Square| grid.image(Symmetry::QuarterTurn, s);
    let least = |s: Square| {
        [s, turn(s), turn(turn(s)), turn(turn(turn(s)))]
            .into_iter()
            .min()
            .unwrap()
    };
    let centre = board.squares().find(|&s| turn(s) == s).unwrap();
    let mut counts = [0; 3];
    for start in board.squares().filter(|&s| s != centre && least(s) == s) {
        let mut stack = vec![vec![start]];
        while let Some(path) = stack.pop() {
            let end = path[path.len() - 1];
            if path.len() * 4 + 1 == board.playable() {
                counts[0] += 1;
                if board.is_move(end, centre) {
                    let near = |s: Square| board.is_move(end, s);
                    counts[1] += u64::from(near(turn(start)) || near(turn(turn(turn(start)))));
                    counts[2] += u64::from(near(turn(turn(start))));
                }
                continue;
            }
            for next in board.neighbours(end) {
                let new = |s: &Square| least(*s) != least(next);
                if next != centre && path.iter().all(new) {
                    stack.push([&path[..], &[next]].concat());
                }
            }
        }
    }
    counts
}

fn quarter_counts(board: &Board, run: &Run) -> [u64; 3] {
    let count = quarter_paths(board, run).unwrap();
    [count.quarter_paths, count.type_a, count.type_b]
}

#[test]
fn quarter_paths_agree_with_plain_recursion() {
    for (n, leaper, holes) in [
        (3, "W", vec![]),
        (3, "N", vec![]),
        (3, "F", vec![]),
        (5, "W", vec![]),
        (5, "N", vec![]),
        (5, "N", vec![0, 4, 20, 24]),
        (5, "W", vec![1, 9, 15, 23]),
        (7, "N", vec![]),
        (7, "N", vec![3, 21, 27, 45]),
        (7, "Z", vec![]),
        (3, "K", vec![]),
        (5, "K", vec![]),
        (5, "WD", vec![]),
        (7, "N", vec![0, 6, 42, 48, 8, 12, 36, 40]),
    ] {
        let leaper = Leaper::piece(leaper).unwrap();
        let board = Board::new(Grid::new(n, n).unwrap(), leaper.clone())
            .with_holes(&holes)
            .unwrap();
        let expected = quarter_recursion(&board);
        for threads in [1, 2, 4] {
            let run = Run::new(threads, Ram::unlimited());
            assert_eq!(
                quarter_counts(&board, &run),
                expected,
                "{n} {leaper} {holes:?}"
            );
        }
        let mut listed = [0; 2];
        systems(&board, &Run::serial(), |system, order| {
            let tour = Tour::from_order(board.clone(), Kind::Open, order);
            assert!(check::verify(&tour, 1).is_ok());
            listed[usize::from(system == SystemType::B)] += 1;
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!(listed, expected[1..]);
    }
}

#[test]
fn known_quarter_paths() {
    let run = Run::new(2, Ram::unlimited());
    let counts = |n| quarter_counts(&Board::knight(n, n).unwrap(), &run);
    assert_eq!(counts(5), [32, 0, 0]);
    assert_eq!(counts(7), [10_304, 512, 272]);
    assert_eq!(counts(9), [9_543_312, 138_728, 69_512]);
}

/// The four columns of the table that Cameron (2016) prints for n = 9, his squares counted from 1.
const PRINTED: [[Square; 20]; 4] = [
    [
        65, 76, 69, 80, 63, 70, 81, 62, 51, 44, 27, 8, 15, 4, 21, 40, 59, 52, 45, 34,
    ],
    [
        71, 54, 35, 18, 7, 26, 9, 16, 33, 14, 3, 10, 29, 46, 57, 50, 43, 24, 5, 22,
    ],
    [
        17, 6, 13, 2, 19, 12, 1, 20, 31, 38, 55, 74, 67, 78, 61, 42, 23, 30, 37, 48,
    ],
    [
        11, 28, 47, 64, 75, 56, 73, 66, 49, 68, 79, 72, 53, 36, 25, 32, 39, 58, 77, 60,
    ],
];

#[test]
fn the_printed_system_is_among_those_listed() {
    let board = Board::knight(9, 9).unwrap();
    let printed = PRINTED.map(|column| column.map(|square| square - 1));
    let mut types = BTreeSet::new();
    let mut counts = [0; 2];
    systems(&board, &Run::serial(), |system, order| {
        let is_b = system == SystemType::B;
        counts[usize::from(is_b)] += 1;
        if printed.iter().any(|column| order.starts_with(column)) {
            types.insert(is_b);
            let tour = Tour::from_order(board.clone(), Kind::Open, order);
            assert!(check::verify(&tour, 1).is_ok());
        }
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(counts, [138_728, 69_512]);
    assert_eq!(types, BTreeSet::from([true]), "type B, and B alone");
}

#[test]
fn known_diagrams() {
    let run = Run::new(2, Ram::unlimited());
    let count = |n, rotation| {
        diagrams(&Board::knight(n, n).unwrap(), rotation, &run)
            .unwrap()
            .diagrams
    };
    assert_eq!(count(6, Rotation::Half), 78);
    assert_eq!(count(6, Rotation::Quarter), 10);
    assert_eq!(count(8, Rotation::Half), 2_432_932);
    assert_eq!(count(10, Rotation::Quarter), 831_804);
}

#[test]
fn known_classes() {
    let run = Run::serial();
    let of = |n, total| classes(&Board::knight(n, n).unwrap(), Kind::Closed, total, &run).unwrap();
    let six = of(6, 9862);
    assert_eq!(six.classes, 1245);
    let by = six.by_symmetry.unwrap();
    assert_eq!((by.asymmetric, by.binary, by.quaternary), (1223, 17, 5));
    assert_eq!(of(8, 13_267_364_410_532).classes, 1_658_420_855_433);
    let wrong = classes(&Board::knight(6, 6).unwrap(), Kind::Closed, 9863, &run).unwrap_err();
    assert!(wrong.to_string().contains("cannot have 9863 tours"));
}

#[test]
fn theorems_are_named() {
    let message = |rows, cols, rotation| {
        let board = Board::knight(rows, cols).unwrap();
        diagrams(&board, rotation, &Run::serial())
            .unwrap_err()
            .to_string()
    };
    assert!(message(8, 8, Rotation::Quarter).contains("4k+2"));
    assert!(message(7, 7, Rotation::Half).contains("even number of squares, not 49"));
    assert!(message(6, 8, Rotation::Quarter).contains("a quarter turn does not map the 6x8 board"));
    let error = quarter_paths(&Board::knight(6, 6).unwrap(), &Run::serial()).unwrap_err();
    assert!(error.to_string().contains("no centre square"));
    let error = diagrams(
        &Board::knight(20, 20).unwrap(),
        Rotation::Half,
        &Run::serial(),
    );
    assert!(error.unwrap_err().to_string().contains("at most 63"));
}

/// What the theorems rule out is not there: the search itself finds nothing.
#[test]
fn theorems_agree_with_search() {
    for (n, holes) in [
        (4, vec![]),
        (5, vec![]),
        (5, vec![12]),
        (5, vec![0, 4, 12, 20, 24]),
        (6, vec![]),
        (6, vec![0, 5, 30, 35]),
    ] {
        let board = Board::knight(n, n).unwrap().with_holes(&holes).unwrap();
        for rotation in [Rotation::Half, Rotation::Quarter] {
            let found = invariant::count(&board, Kind::Closed, rotation.symmetry(), &Run::serial())
                .unwrap();
            if possible(&board, rotation).is_err() {
                assert_eq!(found.tours, 0, "{n} {holes:?} {rotation}");
            }
        }
    }
}

#[test]
fn a_visitor_ends_the_listing() {
    let board = Board::knight(8, 8).unwrap();
    let mut seen = 0;
    list(&board, Rotation::Half, &Run::serial(), |order| {
        assert_eq!(order[0], 0);
        seen += 1;
        if seen == 7 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })
    .unwrap();
    assert_eq!(seen, 7);
    seen = 0;
    systems(&Board::knight(7, 7).unwrap(), &Run::serial(), |_, _| {
        seen += 1;
        if seen == 7 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })
    .unwrap();
    assert_eq!(seen, 7);
}

/// Boards with far more squares than memory are refused at once, before anything is made for their
/// squares.
#[test]
fn boards_without_bounds_are_refused_at_once() {
    let run = Run::new(1, Ram::limited(1 << 20));
    let board = |rows, cols, leaper| Board::new(Grid::new(rows, cols).unwrap(), leaper);
    for (rows, cols, leaper) in [
        (60_000, 60_000, Leaper::KNIGHT),
        (20_000, 20_000, Leaper::WAZIR),
        (65_534, 65_534, Leaper::KNIGHT),
        (1, u32::MAX - 1, Leaper::WAZIR),
        (3, 1_000_000, Leaper::new(1, 1).unwrap()),
        (16, 16, Leaper::KNIGHT),
    ] {
        let board = board(rows, cols, leaper);
        for rotation in [Rotation::Half, Rotation::Quarter] {
            for refused in [
                diagrams(&board, rotation, &run).err(),
                list(&board, rotation, &run, |_| ControlFlow::Break(())).err(),
            ] {
                assert!(
                    matches!(
                        refused,
                        Some(
                            SymmetricError::TooLarge { .. }
                                | SymmetricError::NotSymmetric { .. }
                                | SymmetricError::Impossible { .. }
                        )
                    ),
                    "{rows}x{cols} {rotation}: {refused:?}"
                );
            }
        }
        let refused = classes(&board, Kind::Closed, 0, &run);
        assert!(refused.is_err(), "{rows}x{cols}");
    }
    let odd = board(20_001, 20_001, Leaper::KNIGHT);
    let refused = quarter_paths(&odd, &run).map(|_| ());
    assert_eq!(refused, Err(SymmetricError::TooLarge { grid: odd.grid() }));
    let refused = systems(&odd, &run, |_, _| ControlFlow::Break(())).map(|_| ());
    assert_eq!(refused, Err(SymmetricError::TooLarge { grid: odd.grid() }));
    // A reflection that moves nothing is found by looking at every square, which a stop ends.
    run.stop.raise();
    let row = board(1, u32::MAX - 1, Leaper::WAZIR);
    let stopped = classes(&row, Kind::Open, 0, &run);
    assert_eq!(stopped.err(), Some(SymmetricError::Stopped(Stopped)));
}
