//! Every method against a recursion that knows nothing but the rules.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use everymove_kernel::grid::{Grid, Square};
use everymove_kernel::run::{Ram, Run};
use proptest::prelude::*;

use super::*;
use crate::board::{Board, Leaper};
use crate::check;

const METHODS: [Method; 3] = [Method::Unpruned, Method::Pruned, Method::Segments];

/// All directed tours of a question, by plain recursion; a closed one starts on `start` or the
/// first square.
fn tours(question: &Question) -> BTreeSet<Vec<Square>> {
    let board = &question.board;
    let first = board.squares().next().unwrap();
    let starts: Vec<_> = match question.kind {
        Kind::Open => board
            .squares()
            .filter(|&s| question.start.is_none_or(|t| s == t))
            .collect(),
        Kind::Closed => vec![question.start.unwrap_or(first)],
    };
    let mut found = BTreeSet::new();
    for start in starts {
        extend(question, &mut vec![start], &mut found);
    }
    found
}

fn extend(question: &Question, order: &mut Vec<Square>, found: &mut BTreeSet<Vec<Square>>) {
    let board = &question.board;
    let head = order[order.len() - 1];
    if order.len() == board.playable() {
        let fits = match question.kind {
            Kind::Open => question.end.is_none_or(|end| head == end),
            Kind::Closed => order.len() > 2 && board.is_move(head, order[0]),
        };
        if fits {
            found.insert(order.clone());
        }
        return;
    }
    for next in board.squares().filter(|&s| board.is_move(head, s)) {
        if !order.contains(&next) {
            order.push(next);
            extend(question, order, found);
            order.pop();
        }
    }
}

/// The first tour that is visited, if there is one.
fn first_of(question: &Question, method: Method) -> Option<Tour> {
    let mut found = None;
    visit(
        question,
        Direction::Undirected,
        method,
        &Run::serial(),
        |order| {
            let (board, kind) = (question.board.clone(), question.kind);
            found = Some(Tour::from_order(board, kind, order));
            ControlFlow::Break(())
        },
    )
    .unwrap();
    found
}

fn listed(question: &Question, direction: Direction, method: Method) -> Vec<Vec<Square>> {
    let mut all = Vec::new();
    visit(question, direction, method, &Run::serial(), |order| {
        all.push(order.to_vec());
        ControlFlow::Continue(())
    })
    .unwrap();
    all
}

fn reversed(order: &[Square], kind: Kind) -> Vec<Square> {
    let mut back: Vec<_> = order.iter().rev().copied().collect();
    if kind == Kind::Closed {
        back.rotate_right(1);
    }
    back
}

/// A method with symmetric cases folded.
fn of(method: Method) -> Options {
    let folding = Folding::On;
    Options { method, folding }
}

/// Checks every method, direction and folding of a question against the recursion.
fn agrees(question: Question) -> Result<(), TestCaseError> {
    let expected = tours(&question);
    let mut by_start = vec![0; question.board.grid().len()];
    for tour in &expected {
        match question.kind {
            Kind::Open => by_start[tour[0]] += 1,
            Kind::Closed => question
                .board
                .squares()
                .filter(|&s| question.start.is_none_or(|t| s == t))
                .for_each(|s| by_start[s] += 1),
        }
    }
    for method in METHODS {
        for folding in [Folding::Off, Folding::On] {
            let options = Options { method, folding };
            let got = count(&question, options, &Run::serial()).unwrap();
            prop_assert_eq!(
                got.directed,
                expected.len() as u64,
                "{:?} {:?}",
                method,
                folding
            );
            prop_assert_eq!(&got.by_start, &by_start, "{:?} {:?}", method, folding);
            for threads in [2, 4] {
                let run = Run::new(threads, Ram::unlimited());
                prop_assert_eq!(&count(&question, options, &run).unwrap(), &got);
            }
        }
        let directed = listed(&question, Direction::Directed, method);
        prop_assert_eq!(directed.len(), expected.len());
        if method != Method::Segments {
            prop_assert!(directed.is_sorted());
        }
        prop_assert_eq!(&directed.into_iter().collect::<BTreeSet<_>>(), &expected);

        let free =
            question.kind == Kind::Closed || question.start.is_none() && question.end.is_none();
        let undirected = listed(&question, Direction::Undirected, method);
        let mut both: Vec<_> = undirected.clone();
        if free && question.board.playable() > 1 {
            both.extend(
                undirected
                    .iter()
                    .map(|order| reversed(order, question.kind)),
            );
        }
        prop_assert_eq!(both.len(), expected.len());
        prop_assert_eq!(&both.into_iter().collect::<BTreeSet<_>>(), &expected);
        for seed in 0..3 {
            let found = find(&question, seed, &Run::serial()).unwrap().0;
            prop_assert_eq!(found.is_some(), !expected.is_empty());
            prop_assert!(found.is_none_or(|tour| expected.contains(&tour.order())));
        }
        let first = first_of(&question, method);
        prop_assert_eq!(
            first.map(|tour| tour.order()),
            undirected.into_iter().next()
        );
    }
    Ok(())
}

fn leapers() -> impl Strategy<Value = Leaper> {
    prop_oneof![
        4 => Just("N"), 2 => Just("W"), 1 => Just("C"), 1 => Just("Z"), 1 => Just("F"), 1 => Just("D"), 2 => Just("K"),
        1 => Just("WC"), 1 => Just("WD"), 1 => Just("WA"), 1 => Just("NZ"), 1 => Just("DFN")
    ]
    .prop_map(|piece| Leaper::piece(piece).unwrap())
}

/// Boards that plain recursion can do, some with holes that keep symmetries.
fn boards() -> impl Strategy<Value = Board> {
    let side = 1u32..6;
    (
        side.clone(),
        side,
        leapers(),
        prop::collection::vec(any::<prop::sample::Index>(), 0..5),
        0u8..3,
    )
        .prop_filter_map(
            "too many tours",
            |(rows, cols, leaper, holes, symmetric)| {
                let grid = Grid::new(rows, cols).unwrap();
                let mut holes: Vec<_> = holes.into_iter().map(|i| i.index(grid.len())).collect();
                for &symmetry in grid
                    .symmetries()
                    .iter()
                    .take([0, 2, 8][usize::from(symmetric)])
                {
                    for i in 0..holes.len() {
                        holes.push(grid.image(symmetry, holes[i]));
                    }
                    holes.sort_unstable();
                    holes.dedup();
                }
                let board = Board::new(grid, leaper).with_holes(&holes).ok()?;
                let most = match board.leaper().legs() {
                    [_] => 20,
                    _ => 11,
                };
                (board.playable() <= most).then_some(board)
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn all_methods_agree_with_plain_recursion(
        board in boards(),
        open: bool,
        start in any::<Option<prop::sample::Index>>(),
        end in any::<Option<prop::sample::Index>>(),
    ) {
        let squares: Vec<_> = board.squares().collect();
        let mut question = Question::new(board, if open { Kind::Open } else { Kind::Closed });
        question.start = start.map(|i| *i.get(&squares));
        question.end = end.filter(|_| open).map(|i| *i.get(&squares));
        agrees(question)?;
    }
}

#[test]
fn boards_without_anything_special_agree_too() {
    for (rows, cols) in [
        (1, 1),
        (1, 2),
        (2, 1),
        (3, 4),
        (4, 3),
        (4, 5),
        (5, 4),
        (3, 6),
        (4, 4),
    ] {
        for kind in [Kind::Open, Kind::Closed] {
            agrees(Question::new(Board::knight(rows, cols).unwrap(), kind)).unwrap();
            let wazir = Board::new(Grid::new(rows, cols).unwrap(), Leaper::new(0, 1).unwrap());
            agrees(Question::new(wazir, kind)).unwrap();
        }
    }
}

/// Rows of `board kind leaper holes start count`, the count directed for open and undirected for
/// closed tours.
#[test]
fn known_counts() {
    let rows = include_str!("../../tests/search.tsv").lines();
    for row in rows.filter(|row| !row.starts_with('#')) {
        let fields: Vec<_> = row.split('\t').collect();
        let [grid, kind, piece, start, expected, _source] = fields[..] else {
            panic!("six columns: {row}");
        };
        let board = Board::new(grid.parse().unwrap(), Leaper::piece(piece).unwrap());
        let kind = if kind == "open" {
            Kind::Open
        } else {
            Kind::Closed
        };
        let mut question = Question::new(board, kind);
        let run = Run::new(2, Ram::unlimited());
        if start != "any" {
            question.start = Some(question.board.parse_square(start).unwrap());
        }
        for method in [Method::Pruned, Method::Segments] {
            let got = count(&question, of(method), &run).unwrap();
            let got = match kind {
                Kind::Open => got.directed,
                Kind::Closed => got.undirected(),
            };
            assert_eq!(got.to_string(), expected, "{row} {method:?}");
        }
    }
}

#[test]
fn all_words_agree() {
    for kind in [Kind::Open, Kind::Closed] {
        for method in METHODS {
            let mut question = Question::new(Board::knight(5, 6).unwrap(), kind);
            let options = of(method);
            if method == Method::Unpruned {
                question.board = Board::knight(3, 7).unwrap();
            }
            let run = Run::serial();
            let expected = count_on::<u64>(&question, options, &run);
            assert_eq!(count_on::<u128>(&question, options, &run), expected);
            assert_eq!(count_on::<Wide>(&question, options, &run), expected);
        }
    }
}

#[test]
fn invalid_questions_are_refused_with_the_reason() {
    let message = |question: &Question| {
        let counted = count(question, Options::default(), &Run::serial());
        counted.unwrap_err().to_string()
    };
    let mut question = Question::new(Board::knight(23, 23).unwrap(), Kind::Open);
    assert_eq!(
        message(&question),
        "the 23x23 board has 529 squares to visit: search takes boards of at most 511"
    );
    question.board = Board::knight(5, 5).unwrap().with_holes(&[7]).unwrap();
    question.start = Some(7);
    assert_eq!(
        message(&question),
        "the start square c2 is not one to visit on this 5x5 board: name a square without a hole"
    );
    question.start = None;
    question.end = Some(25);
    assert!(message(&question).starts_with("the end square a6"));
    question.kind = Kind::Closed;
    assert_eq!(
        message(&question),
        "a closed tour has no end square: give an end only for open tours"
    );
}

#[test]
fn a_stopped_search_says_so() {
    let run = Run::serial();
    run.stop.raise();
    let question = Question::new(Board::knight(6, 6).unwrap(), Kind::Closed);
    assert_eq!(
        count(&question, Options::default(), &run),
        Err(SearchError::Stopped(Stopped))
    );
    let seen = visit(
        &question,
        Direction::Undirected,
        Method::default(),
        &run,
        |_| ControlFlow::Continue(()),
    );
    assert_eq!(seen, Err(SearchError::Stopped(Stopped)));
}

#[test]
fn a_visitor_ends_the_listing() {
    let question = Question::new(Board::knight(8, 8).unwrap(), Kind::Closed);
    let mut seen = 0;
    visit(
        &question,
        Direction::Directed,
        Method::default(),
        &Run::serial(),
        |order| {
            assert_eq!(order[0], 0);
            seen += 1;
            if seen == 10 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        },
    )
    .unwrap();
    assert_eq!(seen, 10);
}

/// One tour is found at once on boards that no other part of the program covers: other leapers, and
/// holes.
#[test]
fn large_boards_have_a_first_tour() {
    for (rows, cols, leaper, holes, kind) in [
        (8, 8, (1, 2), vec![], Kind::Open),
        (11, 11, (1, 2), vec![60], Kind::Closed),
        (12, 12, (1, 2), vec![], Kind::Closed),
        (15, 15, (1, 2), vec![], Kind::Open),
        (20, 20, (1, 2), vec![0, 19, 380, 399], Kind::Closed),
        (22, 23, (1, 2), vec![], Kind::Closed),
        (16, 16, (0, 1), vec![], Kind::Closed),
    ] {
        let leaper = Leaper::new(leaper.0, leaper.1).unwrap();
        let board = Board::new(Grid::new(rows, cols).unwrap(), leaper)
            .with_holes(&holes)
            .unwrap();
        let question = Question::new(board, kind);
        let tour = first_of(&question, Method::default());
        assert!(check::verify(&tour.unwrap(), 1).is_ok(), "{rows}x{cols}");
        let found = |seed| find(&question, seed, &Run::serial()).unwrap().0.unwrap();
        assert!(check::verify(&found(1), 1).is_ok(), "{rows}x{cols}");
        assert_eq!(found(1), found(1));
        assert_ne!(found(1), found(2));
    }
}

/// A board of as many squares as a word has bits leaves no room for the hub; the finder has one,
/// whatever the method.
#[test]
fn boards_as_large_as_a_word() {
    for method in METHODS {
        for kind in [Kind::Open, Kind::Closed] {
            let question = Question::new(Board::knight(8, 8).unwrap(), kind);
            let tour = find(&question, 3, &Run::serial()).unwrap().0.unwrap();
            assert!(check::verify(&tour, 1).is_ok());
            if method != Method::Unpruned {
                let tour = first_of(&question, method).unwrap();
                assert!(check::verify(&tour, 1).is_ok());
            }
        }
    }
}
