use everymove_kernel::grid::Grid;
use everymove_kernel::run::Ram;

use super::*;

/// Whether a tour exists, by trying everything. Feasible up to some 28 squares.
pub(crate) fn brute_force(board: &Board, kind: Kind, ends: Ends) -> bool {
    struct Walk {
        moves: Vec<Vec<Square>>,
        all: u64,
        kind: Kind,
        start: Square,
        end: Option<Square>,
        /// Heads and visited sets that failed already.
        failed: std::collections::HashSet<(Square, u64)>,
    }
    impl Walk {
        fn from(&mut self, head: Square, visited: u64) -> bool {
            if visited == self.all {
                return self.end.is_none_or(|end| end == head)
                    && (self.kind == Kind::Open
                        || visited.count_ones() > 2 && self.moves[head].contains(&self.start));
            }
            if !self.failed.insert((head, visited)) {
                return false;
            }
            (0..self.moves[head].len()).any(|i| {
                let next = self.moves[head][i];
                visited >> next & 1 == 0 && self.from(next, visited | 1 << next)
            })
        }
    }
    let moves: Vec<Vec<Square>> = (0..board.grid().len())
        .map(|s| board.neighbours(s).collect())
        .collect();
    // An open tour may be walked from either end.
    let ends = match (kind, ends) {
        (Kind::Open, Ends { start: None, end }) => Ends {
            start: end,
            end: None,
        },
        _ => ends,
    };
    let starts: Vec<Square> = match (ends.start, kind, ends.end) {
        (Some(start), _, _) => vec![start],
        (None, Kind::Closed, None) => board.squares().take(1).collect(),
        _ => board.squares().collect(),
    };
    starts.into_iter().any(|start| {
        let mut walk = Walk {
            moves: moves.clone(),
            all: board.squares().fold(0, |set, s| set | 1 << s),
            kind,
            start,
            end: ends.end,
            failed: std::collections::HashSet::new(),
        };
        walk.from(start, 1 << start)
    })
}

fn agree(board: &Board, kind: Kind, ends: Ends) -> Existence {
    let verdict = existence_between(board, kind, ends, &Run::serial()).unwrap();
    let truth = brute_force(board, kind, ends);
    let shown = format!(
        "{kind} {} leaper {} holes {:?} {ends:?}",
        board.grid(),
        board.leaper(),
        board.holes()
    );
    match &verdict {
        Existence::Exists(theorem) => assert!(truth, "{shown}: {theorem}"),
        Existence::None(theorem) => assert!(!truth, "{shown}: {theorem}"),
        Existence::Unknown => {}
    }
    verdict
}

#[test]
fn rectangles_are_settled_for_the_knight() {
    for rows in 1..=6 {
        for cols in 1..=10 {
            if rows * cols <= 28 {
                let board = Board::knight(rows, cols).unwrap();
                for kind in [Kind::Open, Kind::Closed] {
                    let verdict = agree(&board, kind, Ends::default());
                    assert_ne!(verdict, Existence::Unknown, "{kind} {rows}x{cols}");
                }
            }
        }
    }
}

#[test]
fn other_leapers_are_never_misjudged() {
    let mut settled = 0;
    for piece in [
        "W", "D", "F", "N", "C", "A", "(1,4)", "Z", "(3,4)", "K", "WC", "WD", "WA", "FD", "DA",
        "NZ", "FC", "WN", "DH",
    ] {
        for rows in 1..=5 {
            for cols in 1..=7 {
                if rows * cols <= 25 {
                    let grid = Grid::new(rows, cols).unwrap();
                    let board = Board::new(grid, Leaper::piece(piece).unwrap());
                    for kind in [Kind::Open, Kind::Closed] {
                        settled +=
                            usize::from(agree(&board, kind, Ends::default()) != Existence::Unknown);
                    }
                }
            }
        }
    }
    assert!(settled > 900, "{settled}");
}

#[test]
fn ends_are_never_misjudged() {
    let boards = [
        (3, 3),
        (3, 4),
        (4, 3),
        (4, 4),
        (3, 5),
        (4, 5),
        (5, 4),
        (5, 5),
        (3, 7),
    ];
    for (rows, cols) in boards {
        let board = Board::knight(rows, cols).unwrap();
        for start in board.squares() {
            agree(
                &board,
                Kind::Open,
                Ends {
                    start: Some(start),
                    end: None,
                },
            );
            agree(
                &board,
                Kind::Open,
                Ends {
                    start: None,
                    end: Some(start),
                },
            );
        }
    }
    for (rows, cols) in [(3, 4), (4, 5), (5, 4)] {
        let board = Board::knight(rows, cols).unwrap();
        for start in board.squares() {
            for end in board.squares() {
                let ends = Ends {
                    start: Some(start),
                    end: Some(end),
                };
                agree(&board, Kind::Open, ends);
                agree(&board, Kind::Closed, ends);
            }
        }
    }
}

#[test]
fn holes_are_never_misjudged() {
    let mut rng = everymove_kernel::rng::SplitMix64::new(5);
    let (mut none, mut unknown) = (0, 0);
    for round in 0..3000 {
        let (rows, cols) = (2 + rng.below(4) as u32, 2 + rng.below(4) as u32);
        let grid = Grid::new(rows, cols).unwrap();
        let pieces = ["W", "N", "N", "N", "K", "N", "WD", "NZ"];
        let leaper = Leaper::piece(pieces[round % pieces.len()]).unwrap();
        let holes: Vec<Square> = (0..grid.len()).filter(|_| rng.below(5) == 0).collect();
        let Ok(board) = Board::new(grid, leaper).with_holes(&holes) else {
            continue;
        };
        let squares: Vec<Square> = board.squares().collect();
        if board.leaper().legs().len() > 1 && squares.len() > 16 {
            continue;
        }
        let pick = |r: u64| (r < squares.len() as u64).then(|| squares[r as usize]);
        let bound = 2 * squares.len() as u64;
        let ends = Ends {
            start: pick(rng.below(bound)),
            end: pick(rng.below(bound)),
        };
        for kind in [Kind::Open, Kind::Closed] {
            match agree(&board, kind, ends) {
                Existence::None(_) => none += 1,
                Existence::Unknown => unknown += 1,
                Existence::Exists(_) => {}
            }
        }
    }
    assert!(none > 3000 && unknown > 100, "{none} {unknown}");
}

#[test]
fn theorems_are_named() {
    let text =
        |board: Board, kind, ends| match existence_between(&board, kind, ends, &Run::serial())
            .unwrap()
        {
            Existence::None(theorem) | Existence::Exists(theorem) => theorem.to_string(),
            Existence::Unknown => "unknown".to_owned(),
        };
    let knight = |rows, cols| Board::knight(rows, cols).unwrap();
    let free = Ends::default();
    assert!(text(knight(1001, 9999), Kind::Closed, free).contains("odd"));
    assert!(text(knight(10_000, 10_000), Kind::Closed, free).contains("Schwenk"));
    assert!(
        text(knight(8, 3), Kind::Closed, free).contains("from 10 columns on, and this one has 8")
    );
    assert!(text(knight(10_000, 10_000), Kind::Open, free).contains("Cull"));
    assert!(
        text(
            knight(5, 5),
            Kind::Open,
            Ends {
                start: Some(1),
                end: None
            }
        )
        .contains("b1 is of the other colour")
    );
    assert!(text(knight(1, 1), Kind::Open, free).contains("single square"));
    assert!(text(knight(1, 1), Kind::Closed, free).contains("at least 3 squares"));
    let mutilated = knight(8, 8).with_holes(&[0, 63]).unwrap();
    assert!(
        text(mutilated.clone(), Kind::Closed, free)
            .contains("30 squares of the colour of a1 and 32")
    );
    assert!(text(mutilated, Kind::Open, free).contains("or one more"));
    // Two dead ends would be the ends, but they are of one colour.
    let pockets = knight(8, 8).with_holes(&[2, 30, 48, 49, 53, 57, 59, 62]);
    let said = text(pockets.unwrap(), Kind::Open, free);
    assert!(said.starts_with("only one move leads to"), "{said}");
    let leaper = |a, b| Board::new(Grid::new(10, 10).unwrap(), Leaper::new(a, b).unwrap());
    assert!(text(leaper(2, 4), Kind::Open, free).contains("multiples of 2"));
    assert!(text(leaper(1, 3), Kind::Open, free).contains("never leaves its colour"));
    assert!(text(leaper(1, 6), Kind::Open, free).contains("Knuth"));
    let piece = |n, piece| Board::new(Grid::new(n, n).unwrap(), Leaper::piece(piece).unwrap());
    assert!(text(piece(8, "F"), Kind::Open, free).contains("never leaves its colour"));
    assert!(text(piece(8, "FDC"), Kind::Closed, free).contains("of a DFC leaper have an even sum"));
    assert!(
        text(piece(8, "DA"), Kind::Open, free)
            .contains("all legs of a DA leaper are multiples of 2")
    );
    assert!(text(piece(7, "NW"), Kind::Closed, free).contains("each move changes the colour"));
    assert!(text(piece(7, "K"), Kind::Closed, free).contains("boustrophedon"));
    assert_eq!(text(piece(7, "WD"), Kind::Closed, free), "unknown");
    // The distance of Knuth's theorem is that of a single leaper.
    assert_eq!(text(piece(8, "CZ"), Kind::Open, free), "unknown");
    assert_eq!(text(leaper(1, 4), Kind::Closed, free), "unknown");
    let row = Board::new(Grid::new(1, 2_000_000).unwrap(), Leaper::WAZIR);
    assert_eq!(text(row, Kind::Closed, free), "unknown");
}

/// Boards that are examined square by square take their memory from the budget, and can be stopped.
#[test]
fn an_examination_reserves_its_memory() {
    let questions = [
        (
            Board::new(Grid::new(1000, 1000).unwrap(), Leaper::new(2, 3).unwrap()),
            Kind::Open,
            5,
        ),
        (
            Board::new(Grid::new(999, 1000).unwrap(), Leaper::new(1, 4).unwrap()),
            Kind::Closed,
            16,
        ),
        (
            Board::new(Grid::new(1, 999_999).unwrap(), Leaper::WAZIR),
            Kind::Open,
            5,
        ),
    ];
    for (board, kind, bytes) in questions {
        let need = bytes * board.grid().len() as u64;
        let within = |ram| Run::new(1, Ram::limited(ram));
        let refused = existence_of(&board, kind, &within(need - 1)).unwrap_err();
        let ExistenceError::OverBudget(over) = refused else {
            panic!("{refused:?}")
        };
        assert_eq!(over.need, need);
        let run = within(need);
        let found = existence_of(&board, kind, &run).unwrap();
        assert!(!matches!(found, Existence::None(_)), "{found:?}");
        assert_eq!((run.ram.used(), run.ram.peak()), (0, need));
        run.stop.raise();
        let stopped = existence_of(&board, kind, &run).unwrap_err();
        assert_eq!(stopped, ExistenceError::Stopped(Stopped));
    }
}

/// Of many dead ends some are named.
#[test]
fn many_dead_ends_are_counted() {
    let holes = [8, 9, 18, 19, 28, 29, 38, 39];
    let board = Board::knight(2, 40).unwrap().with_holes(&holes).unwrap();
    let Existence::None(theorem) = existence_of(&board, Kind::Open, &Run::serial()).unwrap() else {
        panic!("a board of two rows has no tour")
    };
    let Theorem::DeadEnds { squares } = &theorem else {
        panic!("{theorem}")
    };
    let (named, more) = squares.split_once(" and ").unwrap();
    assert_eq!(named.split(", ").count(), 10, "{squares}");
    assert!(more.ends_with(" more"), "{squares}");
}
