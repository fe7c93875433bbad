use everymove_kernel::grid::Grid;
use everymove_kernel::run::Ram;
use proptest::prelude::*;

use super::*;
use crate::board::Board;
use crate::check;

fn verified(question: &Question, found: &Found) {
    let report =
        check::verify(&found.tour, 2).unwrap_or_else(|fault| panic!("{question:?}: {fault}"));
    assert_eq!(found.tour.kind(), question.kind);
    assert_eq!(found.tour.board(), &question.board);
    assert!(
        question.start.is_none_or(|start| start == report.start),
        "{question:?}"
    );
    assert!(
        question.end.is_none_or(|end| end == report.end),
        "{question:?}"
    );
}

fn default_find(question: &Question, run: &Run) -> Result<Found, FindError> {
    find(question, Options::default(), run)
}

fn seeded(seed: u64) -> Options {
    Options {
        seed,
        ..Options::default()
    }
}

fn find_verified(question: &Question, run: &Run) -> Method {
    let found = default_find(question, run).unwrap_or_else(|error| panic!("{question:?}: {error}"));
    verified(question, &found);
    found.method
}

fn knight(rows: u32, cols: u32, kind: Kind) -> Question {
    Question::new(Board::knight(rows, cols).unwrap(), kind)
}

#[test]
fn every_board_up_to_forty_by_forty() {
    let (mut some, mut none) = (0, 0);
    for rows in 1..=40 {
        for cols in 1..=40 {
            for kind in [Kind::Open, Kind::Closed] {
                let question = knight(rows, cols, kind);
                match theory::existence_of(&question.board, kind, &Run::serial()).unwrap() {
                    Existence::Exists(_) => {
                        find_verified(&question, &Run::serial());
                        some += 1;
                    }
                    Existence::None(theorem) => {
                        let error = default_find(&question, &Run::serial()).unwrap_err();
                        assert!(matches!(&error, FindError::Impossible(t) if *t == theorem));
                        none += 1;
                    }
                    Existence::Unknown => panic!("{kind} {rows}x{cols}"),
                }
            }
        }
    }
    // Open: the 156 boards with a side of 1 or 2, less 1x1, and the six 3x3, 3x5, 5x3, 3x6, 6x3,
    // 4x4.
    assert_eq!(none, 155 + 6 + closed_exceptions());
    assert_eq!(some + none, 3200);
}

/// Schwenk's conditions once more, counted over all boards up to 40x40.
fn closed_exceptions() -> usize {
    let boards = (1..=40).flat_map(|m| (1..=40).map(move |n| (m, n)));
    let exception = |&(m, n): &(i32, i32)| {
        let (m, n) = (m.min(n), m.max(n));
        (m * n) % 2 == 1 || m < 3 || m == 4 || (m == 3 && n < 10)
    };
    boards.filter(exception).count()
}

#[test]
fn every_board_up_to_forty_by_forty_from_tiles() {
    for rows in 3..=40 {
        for cols in 3..=40 {
            for kind in [Kind::Open, Kind::Closed] {
                let question = knight(rows, cols, kind);
                let seed = u64::from(rows * 41 + cols);
                if matches!(
                    theory::existence_of(&question.board, kind, &Run::serial()).unwrap(),
                    Existence::Exists(_)
                ) {
                    let found = tiles(&question, seed, &Run::serial(), &mut 0).unwrap();
                    let found = found.unwrap_or_else(|| panic!("{kind} {rows}x{cols}"));
                    verified(&question, &found);
                }
            }
        }
    }
}

#[test]
fn thin_and_long_boards() {
    let long = [
        (3, 100_000),
        (100_000, 3),
        (3, 99_999),
        (3, 50_001),
        (50_003, 3),
        (4, 99_999),
        (100_000, 4),
        (5, 12_346),
        (5, 12_345),
        (12_345, 5),
        (7, 100_001),
        (6, 100_001),
        (100_001, 11),
        (12, 30_000),
        (13, 30_001),
    ];
    for (rows, cols) in long {
        for kind in [Kind::Open, Kind::Closed] {
            let question = knight(rows, cols, kind);
            if matches!(
                theory::existence_of(&question.board, kind, &Run::serial()).unwrap(),
                Existence::Exists(_)
            ) {
                for threads in [1, 3] {
                    assert_eq!(
                        find_verified(&question, &Run::new(threads, Ram::unlimited())),
                        Method::Tiles
                    );
                }
            }
        }
    }
}

#[test]
fn threads_do_not_change_the_tour() {
    for (rows, cols) in [(1000, 1000), (5, 200_000), (9, 99_999)] {
        let question = knight(rows, cols, Kind::Open);
        let run =
            |threads| find(&question, seeded(3), &Run::new(threads, Ram::unlimited())).unwrap();
        assert_eq!(run(1).tour, run(4).tour);
        assert_eq!(run(1).work, run(4).work);
    }
}

#[test]
fn seeds_give_other_tours() {
    for (rows, cols) in [(8, 8), (60, 60), (3, 2001), (4, 1000)] {
        let mut tours = Vec::new();
        for seed in 0..4 {
            let question = knight(rows, cols, Kind::Open);
            let tour = || find(&question, seeded(seed), &Run::serial()).unwrap().tour;
            tours.push(tour());
            assert_eq!(tour(), tours[seed as usize]);
        }
        for (i, tour) in tours.iter().enumerate() {
            assert!(!tours[..i].contains(tour), "{rows}x{cols} {i}");
        }
    }
}

/// Every start of the board, every end of one start, answers checked against theory.
#[test]
fn all_starts_of_small_boards() {
    for (rows, cols) in [
        (3, 4),
        (3, 7),
        (3, 10),
        (4, 5),
        (5, 4),
        (4, 8),
        (5, 5),
        (5, 6),
        (6, 6),
        (7, 7),
        (8, 8),
        (9, 5),
    ] {
        for start in 0..(rows * cols) as usize {
            for (start, end) in [
                (Some(start), None),
                (None, Some(start)),
                (Some(start), Some(1)),
                (Some(2), Some(start)),
            ] {
                let question = Question {
                    start,
                    end,
                    ..knight(rows, cols, Kind::Open)
                };
                match default_find(&question, &Run::serial()) {
                    Ok(found) => verified(&question, &found),
                    Err(error) => assert!(error.is_answer(), "{question:?} {error}"),
                }
            }
        }
    }
}

#[test]
fn starts_on_large_boards() {
    let mut rng = everymove_kernel::rng::SplitMix64::new(77);
    for (rows, cols) in [
        (101, 103),
        (50, 61),
        (13, 401),
        (11, 301),
        (5, 501),
        (21, 23),
        (4, 1001),
        (3, 1001),
        (3, 1002),
        (1001, 3),
    ] {
        for _ in 0..40 {
            let square = Some(rng.below(u64::from(rows * cols)) as usize);
            let (start, end) = if rng.below(2) == 0 {
                (square, None)
            } else {
                (None, square)
            };
            let ends = theory::Ends { start, end };
            let seed = rng.next_u64();
            let question = Question {
                start,
                end,
                ..knight(rows, cols, Kind::Open)
            };
            if let Existence::None(_) =
                theory::existence_between(&question.board, Kind::Open, ends, &Run::serial())
                    .unwrap()
            {
                continue;
            }
            // From tiles, whatever the size.
            let found = tiles(&question, seed, &Run::serial(), &mut 0).unwrap();
            verified(&question, &found.unwrap_or_else(|| panic!("{question:?}")));
        }
    }
}

#[test]
fn both_ends_on_large_boards() {
    let mut rng = everymove_kernel::rng::SplitMix64::new(78);
    for (rows, cols) in [(60, 60), (61, 61), (1000, 1000), (999, 777)] {
        let grid = Grid::new(rows, cols).unwrap();
        for _ in 0..20 {
            let start = rng.below(grid.len() as u64) as usize;
            let (row, col) = grid.row_col(start);
            let near =
                |at: usize, side: usize, r: u64| (at + r as usize).saturating_sub(20).min(side - 1);
            let end = grid.square(
                near(row, grid.rows(), rng.below(40)),
                near(col, grid.cols(), rng.below(40)),
            );
            let question = Question {
                start: Some(start),
                end: Some(end),
                ..knight(rows, cols, Kind::Open)
            };
            let ends = theory::Ends {
                start: Some(start),
                end: Some(end),
            };
            match theory::existence_between(&question.board, Kind::Open, ends, &Run::serial())
                .unwrap()
            {
                Existence::None(_) => {}
                _ => drop(find_verified(&question, &Run::serial())),
            }
        }
    }
    let far = Question {
        start: Some(0),
        end: Some(999_999 - 1),
        ..knight(1000, 1000, Kind::Open)
    };
    let error = default_find(&far, &Run::serial()).unwrap_err();
    assert!(!error.is_answer());
    assert!(error.to_string().contains("at most 40000 squares"));
}

#[test]
fn closed_tours_begin_and_end_where_asked() {
    for (rows, cols) in [(6, 6), (100, 100), (3, 500), (500, 3), (5, 1000)] {
        let board = Board::knight(rows, cols).unwrap();
        let start = board.grid().len() / 3;
        let end = board.neighbours(start).next();
        for (start, end) in [(Some(start), None), (None, end), (Some(start), end)] {
            let question = Question {
                start,
                end,
                ..knight(rows, cols, Kind::Closed)
            };
            match default_find(&question, &Run::serial()) {
                Ok(found) => verified(&question, &found),
                Err(error) => assert!(
                    rows.min(cols) < 5 && end.is_some() && start.is_some(),
                    "{question:?} {error}"
                ),
            }
        }
    }
}

#[test]
fn other_leapers_and_holes() {
    let board =
        |rows, cols, a, b| Board::new(Grid::new(rows, cols).unwrap(), Leaper::new(a, b).unwrap());
    for (rows, cols, a, b) in [
        (10, 10, 1, 4),
        (10, 10, 2, 3),
        (14, 14, 3, 4),
        (6, 6, 0, 1),
        (7, 8, 0, 1),
        (8, 7, 0, 1),
        (1000, 999, 0, 1),
    ] {
        for kind in [Kind::Open, Kind::Closed] {
            find_verified(
                &Question::new(board(rows, cols, a, b), kind),
                &Run::serial(),
            );
        }
    }
    for start in [0, 5, 8, 17] {
        for kind in [Kind::Open, Kind::Closed] {
            let start = Some(start);
            find_verified(
                &Question {
                    start,
                    ..Question::new(board(6, 6, 0, 1), kind)
                },
                &Run::serial(),
            );
            find_verified(
                &Question {
                    end: start,
                    ..Question::new(board(6, 6, 0, 1), kind)
                },
                &Run::serial(),
            );
        }
    }
    find_verified(
        &Question::new(board(1, 9, 0, 1), Kind::Open),
        &Run::serial(),
    );
    find_verified(
        &Question::new(board(7, 7, 0, 1), Kind::Open),
        &Run::serial(),
    );
    find_verified(
        &Question {
            start: Some(2),
            ..Question::new(board(7, 7, 0, 1), Kind::Open)
        },
        &Run::serial(),
    );
    // A known fact: no closed tour of the (1,4)-leaper on 8x8.
    let error = default_find(
        &Question::new(board(8, 8, 1, 4), Kind::Closed),
        &Run::serial(),
    )
    .unwrap_err();
    assert!(matches!(error, FindError::Exhausted { .. }), "{error}");
    let piece = |rows, cols, piece| {
        Board::new(
            Grid::new(rows, cols).unwrap(),
            Leaper::piece(piece).unwrap(),
        )
    };
    // The king's graph is not bipartite: odd boards have closed tours.
    for (rows, cols, text) in [
        (8, 8, "K"),
        (9, 9, "K"),
        (31, 33, "K"),
        (8, 8, "CW"),
        (7, 7, "DW"),
        (8, 8, "AW"),
        (9, 9, "NZ"),
        (10, 10, "Z"),
        (20, 21, "WFDNAC"),
    ] {
        for kind in [Kind::Open, Kind::Closed] {
            if kind == Kind::Open || rows * cols % 2 == 0 || text == "K" {
                let question = Question::new(piece(rows, cols, text), kind);
                find_verified(&question, &Run::serial());
            }
        }
    }
    for (rows, cols) in [(500, 501), (501, 500), (501, 503), (3, 1001), (1001, 3)] {
        let start = Some(rows as usize);
        let closed = Question::new(piece(rows, cols, "K"), Kind::Closed);
        let open = Question {
            start,
            ..Question::new(piece(rows, cols, "K"), Kind::Open)
        };
        for question in [closed, open] {
            let method = find_verified(&question, &Run::serial());
            assert_eq!(method, Method::Boustrophedon);
        }
    }
    find_verified(
        &Question::new(piece(41, 43, "WD"), Kind::Closed),
        &Run::serial(),
    );
    let holed = Board::knight(9, 9).unwrap().with_holes(&[40]).unwrap();
    find_verified(&Question::new(holed.clone(), Kind::Closed), &Run::serial());
    let question = Question {
        start: Some(40),
        ..Question::new(holed, Kind::Open)
    };
    assert!(matches!(
        default_find(&question, &Run::serial()),
        Err(FindError::NoSquare { square: 40 })
    ));
}

#[test]
fn small_boards_with_holes_agree_with_brute_force() {
    let mut rng = everymove_kernel::rng::SplitMix64::new(12);
    let (mut some, mut exhausted) = (0, 0);
    for round in 0..1500u64 {
        let grid = Grid::new(3 + rng.below(3) as u32, 3 + rng.below(3) as u32).unwrap();
        let holes: Vec<Square> = (0..grid.len()).filter(|_| rng.below(6) == 0).collect();
        let pieces = ["W", "N", "N", "K", "N", "WC"];
        let leaper = Leaper::piece(pieces[round as usize % pieces.len()]).unwrap();
        let Ok(board) = Board::new(grid, leaper).with_holes(&holes) else {
            continue;
        };
        let squares: Vec<Square> = board.squares().collect();
        if board.leaper().legs().len() > 1 && squares.len() > 16 {
            continue;
        }
        let mut pick = || {
            squares
                .get(rng.below(2 * squares.len() as u64) as usize)
                .copied()
        };
        let (start, end) = (pick(), pick());
        for kind in [Kind::Open, Kind::Closed] {
            let question = Question {
                start,
                end,
                ..Question::new(board.clone(), kind)
            };
            let truth = theory::tests::brute_force(&board, kind, theory::Ends { start, end });
            match find(&question, seeded(round), &Run::serial()) {
                Ok(found) => {
                    verified(&question, &found);
                    some += 1;
                }
                Err(error) => {
                    assert!(!truth && error.is_answer(), "{question:?} {error}");
                    exhausted += usize::from(matches!(error, FindError::Exhausted { .. }));
                }
            }
        }
    }
    assert!(some > 150 && exhausted > 100, "{some} {exhausted}");
}

#[test]
fn limits_are_obeyed() {
    let question = knight(10_000, 10_000, Kind::Closed);
    let error = default_find(&question, &Run::new(1, Ram::limited(100 << 20))).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("a tour of this board needs at least 429.2M of memory"),
        "{error}"
    );
    let run = Run::serial();
    run.stop.raise();
    assert!(matches!(
        default_find(&knight(100, 100, Kind::Closed), &run),
        Err(FindError::Stopped(_))
    ));
    let board = Board::new(Grid::new(12, 12).unwrap(), "1,6".parse().unwrap());
    let question = Question::new(board, Kind::Closed);
    let options = Options {
        nodes: 1000,
        ..Options::default()
    };
    let error = find(&question, options, &Run::serial()).unwrap_err();
    assert!(matches!(error, FindError::Limit { nodes: 1000 }), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn any_large_rectangle(rows in 3u32..400, cols in 3u32..400, closed: bool, seed: u64, start: Option<prop::sample::Index>) {
        let kind = if closed { Kind::Closed } else { Kind::Open };
        let question = knight(rows, cols, kind);
        if let Existence::Exists(_) = theory::existence(&question, &Run::serial()).unwrap() {
            verified(&question, &find(&question, seeded(seed), &Run::serial()).unwrap());
            let start = start.map(|index| index.index((rows * cols) as usize));
            let from = Question { start, ..question };
            if rows.min(cols) >= 5 {
                match find(&from, seeded(seed), &Run::serial()) {
                    Ok(found) => verified(&from, &found),
                    Err(error) => prop_assert!(error.is_answer(), "{:?} {}", from, error),
                }
            }
        }
    }
}
