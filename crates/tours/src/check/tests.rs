use everymove_kernel::grid::Grid;
use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::Stop;
use proptest::prelude::*;

use super::*;
use crate::board::Leaper;

/// A tour of any rectangle by the (0,1)-leaper: row by row, to and fro.
fn boustrophedon(rows: u32, cols: u32) -> Tour {
    let grid = Grid::new(rows, cols).unwrap();
    let order: Vec<Square> = (0..grid.rows())
        .flat_map(|row| (0..grid.cols()).map(move |col| (row, col)))
        .map(|(row, col)| {
            let col = if row % 2 == 0 {
                col
            } else {
                grid.cols() - 1 - col
            };
            grid.square(row, col)
        })
        .collect();
    let board = Board::new(grid, Leaper::new(0, 1).unwrap());
    Tour::from_order(board, Kind::Open, &order)
}

fn fault(board: &Board, kind: Kind, steps: &[u32]) -> String {
    verify_steps(board, kind, steps, 1).unwrap_err().to_string()
}

#[test]
fn faults_are_named() {
    let board = Board::knight(3, 4).unwrap();
    // Row by row from the bottom; printed steps are one more.
    let sound = [0, 3, 6, 9, 7, 10, 1, 4, 2, 5, 8, 11];
    assert!(verify_steps(&board, Kind::Open, &sound, 1).is_ok());
    let with = |edits: &[(usize, u32)]| {
        let mut steps = sound.to_vec();
        for &(square, step) in edits {
            steps[square] = step;
        }
        fault(&board, Kind::Open, &steps)
    };
    assert_eq!(with(&[(0, Tour::HOLE)]), "a1 is not visited");
    assert_eq!(
        with(&[(0, 12)]),
        "a1 has step 13, but the steps of this board go from 1 to 12"
    );
    assert_eq!(
        with(&[(0, 3)]),
        "a1 and b1 both have step 4, and no square has step 1"
    );
    assert_eq!(
        with(&[(0, 3), (1, 0)]),
        "step 1 at b1 to step 2 at c2 is not a move of the knight"
    );
    assert_eq!(
        fault(&board, Kind::Closed, &sound),
        "the tour is not closed: the last step 12 at d3 is no move of the knight away from step 1 at a1"
    );
    assert_eq!(
        fault(&board, Kind::Open, &sound[1..]),
        "11 step numbers do not fill the 3x4 board, which has 12 squares"
    );
    let holed = board.clone().with_holes(&[11]).unwrap();
    assert_eq!(
        fault(&holed, Kind::Open, &sound),
        "step 12 visits d3, which is a hole of this board"
    );
    let mut shorter = sound;
    shorter[11] = Tour::HOLE;
    let report = verify_steps(&holed, Kind::Open, &shorter, 1).unwrap();
    assert_eq!((report.squares, report.start, report.end), (11, 0, 5));
}

#[test]
fn a_cycle_needs_three_squares() {
    for (rows, cols) in [(1, 1), (1, 2), (2, 1)] {
        let tour = boustrophedon(rows, cols);
        let report = verify(&tour, 1).unwrap();
        assert!(!report.closed);
        let error = verify_steps(tour.board(), Kind::Closed, tour.steps(), 1).unwrap_err();
        assert_eq!(error, Fault::TooShortToClose(tour.steps().len()));
    }
    assert!(verify(&boustrophedon(2, 2), 1).unwrap().closed);
}

/// The sweep takes eight leaps at a time, and those of other pieces one by one.
#[test]
fn pieces_of_fewer_and_more_than_eight_leaps() {
    for piece in ["W", "WF", "WN", "WFD", "WNC", "WFDNAC"] {
        let tour = boustrophedon(40, 50);
        let leaper = crate::board::Leaper::piece(piece).unwrap();
        let board = Board::new(tour.board().grid(), leaper);
        assert!(verify_steps(&board, Kind::Closed, &shifted(tour.steps()), 2).is_err());
        let report = verify_steps(&board, Kind::Open, tour.steps(), 2).unwrap();
        assert_eq!((report.squares, report.closed), (2000, false));
        let mut steps = tour.steps().to_vec();
        steps.swap(1000, 1007);
        let fault = verify_steps(&board, Kind::Open, &steps, 2).unwrap_err();
        assert!(matches!(fault, Fault::NotAMove { .. }), "{piece} {fault}");
        let rules = Rules::of(&board);
        assert!(sweep::ends(&rules, tour.steps(), 2, &Stop::default()).is_some());
    }
    let grid = Grid::new(3, 3).unwrap();
    let king = Board::new(grid, crate::board::Leaper::piece("K").unwrap());
    // a1 b2 c1 c2 c3 b3 a3 a2 b1: an odd closed tour.
    let order = [0, 4, 2, 5, 8, 7, 6, 3, 1];
    assert!(
        verify(&Tour::from_order(king.clone(), Kind::Closed, &order), 1)
            .unwrap()
            .closed
    );
    let order = [0, 8, 2, 5, 4, 7, 6, 3, 1];
    assert_eq!(
        verify(&Tour::from_order(king, Kind::Closed, &order), 1)
            .unwrap_err()
            .to_string(),
        "step 1 at a1 to step 2 at c3 is not a move of the king"
    );
}

/// The same steps, begun at the middle: the closing step is no move.
fn shifted(steps: &[u32]) -> Vec<u32> {
    let n = steps.len() as u32;
    steps.iter().map(|&step| (step + n / 2) % n).collect()
}

#[test]
fn threads_agree_on_a_board_of_many_jobs() {
    for (rows, cols) in [(700, 900), (3, 200_000), (200_000, 3)] {
        let tour = boustrophedon(rows, cols);
        let one = verify(&tour, 1).unwrap();
        assert_eq!(verify(&tour, 3).unwrap(), one);
        let mut steps = tour.steps().to_vec();
        let at = steps.len() - 7;
        steps.swap(at, 5);
        let broken = verify_steps(tour.board(), Kind::Open, &steps, 3).unwrap_err();
        assert!(matches!(broken, Fault::NotAMove { .. }), "{broken}");
    }
}

proptest! {
    /// The sweep never accepts what the plain judge refuses, and accepts every sound tour.
    #[test]
    fn the_two_judges_agree(
        rows in 1u32..9, cols in 1u32..40, seed: u64, swaps in 0usize..3, edits in 0usize..2,
    ) {
        let tour = boustrophedon(rows, cols);
        let mut rng = SplitMix64::new(seed);
        let mut steps = tour.steps().to_vec();
        let n = steps.len() as u64;
        for _ in 0..swaps {
            steps.swap(rng.below(n) as usize, rng.below(n) as usize);
        }
        for _ in 0..edits {
            let values = [0, n as u32 - 1, n as u32, Tour::HOLE, Tour::HOLE - 1, rng.below(n) as u32];
            steps[rng.below(n) as usize] = values[rng.below(6) as usize];
        }
        let rules = Rules::of(tour.board());
        let plain = plain::ends(&rules, tour.board().grid(), &steps, &Stop::default()).ok();
        prop_assert_eq!(sweep::ends(&rules, &steps, 2, &Stop::default()), plain);
    }

    #[test]
    fn holes_are_respected(rows in 1u32..7, cols in 1u32..40, keep in 1usize..200) {
        // The first `keep` squares of a boustrophedon tour are a tour of the board without the rest.
        let tour = boustrophedon(rows, cols);
        let keep = keep.min(tour.steps().len());
        let order = tour.order();
        let board = tour.board().clone().with_holes(&order[keep..]).unwrap();
        let part = Tour::from_order(board.clone(), Kind::Open, &order[..keep]);
        let report = verify(&part, 2).unwrap();
        prop_assert_eq!((report.squares, report.end), (keep, order[keep - 1]));
        prop_assert!(keep == tour.steps().len() || verify_steps(&board, Kind::Open, tour.steps(), 1).is_err());
    }
}
