//! The answers to the exercises of docs/course.md.

use everymove_course::cache::{Lines, one_rook};
use everymove_course::infeasible::InfeasibleSet;
use everymove_course::leapfrog::{Order, Table};
use everymove_course::minimax::{Version, search};
use everymove_course::pegs::{self, Parallel, solve};
use everymove_course::schedule::{Interval, Schedule};
use everymove_course::simulate::{bound, speed_up};
use everymove_course::symmetric;
use everymove_course::tours::{Board, Split, begin_with, timeline};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess};

fn work(log: &[Interval]) -> Vec<u64> {
    let mut done: Vec<_> = log.iter().map(|done| (done.item, done.work)).collect();
    done.sort_unstable();
    done.into_iter().map(|(_, work)| work).collect()
}

/// With two digits behind the point.
fn short(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// Speed-ups of static, dynamic(1) and guided.
fn schedules(processors: usize, work: &[u64]) -> [f64; 3] {
    [Schedule::Static, Schedule::Dynamic(1), Schedule::Guided]
        .map(|schedule| short(speed_up(schedule, processors, work)))
}

#[test]
fn lesson_1() {
    let board = Board::new(4, 5);
    let squares = work(&timeline(&board, Split::Squares, 1, Schedule::Static).1);
    let moves = work(&timeline(&board, Split::TwoMoves, 1, Schedule::Static).1);
    assert_eq!(
        (schedules(16, &squares), short(bound(&squares))),
        ([8.7, 9.67, 8.7], 16.99)
    );
    assert_eq!(
        (moves.len(), schedules(16, &moves)),
        (188, [10.48, 14.19, 12.27])
    );
    // `tours` of a thread is never set back to 0, and is added to the total after each square.
    let tours: Vec<u64> = board
        .items(Split::Squares)
        .iter()
        .map(|path| begin_with(path, &board).tours)
        .collect();
    let total = |threads: usize| -> u64 {
        let blocks = (0..threads).map(|t| &tours[t * 20 / threads..(t + 1) * 20 / threads]);
        blocks
            .flat_map(|block| (1..=block.len()).map(|n| block[..n].iter().sum::<u64>()))
            .sum()
    };
    assert_eq!([20, 4, 1].map(total), [164, 492, 1722]);
}

#[test]
fn lesson_2() {
    let of = |moves| work(&symmetric::parallel(7, moves, 1, Schedule::Static).1);
    let speed_ups = [0, 1, 2].map(|moves| (of(moves).len(), schedules(8, &of(moves))));
    let expected = [
        (12, [4.83, 5.53, 5.53]),
        (56, [3.94, 6.59, 6.51]),
        (216, [4.1, 7.46, 7.66]),
    ];
    assert_eq!(speed_ups, expected);
}

#[test]
fn lesson_3() {
    let loads = [8, 16, 32].map(|squares| one_rook(Lines::Ranks, Lines::Both, squares).1);
    assert_eq!(loads, [896, 698, 567]);
    let smaller = Table::new(4, true, None, Order::Scan, &[], &|| false);
    let loads = |order| {
        let table = Table::new(4, true, Some(&smaller), order, &[256, 4096], &|| false);
        let cycles = *table
            .won
            .iter()
            .filter(|&&cycle| cycle != u8::MAX)
            .max()
            .unwrap();
        assert_eq!(cycles, 18);
        let positions = 65_536.0 * f64::from(cycles);
        [0, 1].map(|cache| short(f64::from(table.caches[cache].misses()) / positions))
    };
    assert_eq!(loads(Order::Scan), [1.21, 1.11]);
    assert_eq!(loads(Order::SubCycles), [2.11, 2.11]);
    assert_eq!(loads(Order::RootSplitting), [2.26, 2.11]);
    assert_eq!(loads(Order::Leapfrog), [2.32, 1.11]);
}

#[test]
fn lesson_4() {
    let positions: Vec<Chess> = (include_str!("positions.txt").lines())
        .map(|fen| {
            fen.parse::<Fen>()
                .unwrap()
                .into_position(CastlingMode::Standard)
                .unwrap()
        })
        .collect();
    let plain = Version {
        threads: 1,
        reorders: false,
        beam: 100,
        deepens: false,
        has_table: false,
    };
    let all = |version| -> (u64, Vec<i32>) {
        let found = positions
            .iter()
            .map(|position| search(position, 3, version, Schedule::Static));
        let found: Vec<_> = found.map(|found| (found.nodes, found.score)).collect();
        (
            found.iter().map(|found| found.0).sum(),
            found.iter().map(|found| found.1).collect(),
        )
    };
    let (nodes, scores) = all(plain);
    assert_eq!(
        (
            nodes,
            all(Version {
                reorders: true,
                ..plain
            })
            .0
        ),
        (107_518, 30_143)
    );
    let others = [75, 50, 25].map(|beam| {
        let (nodes, narrow) = all(Version {
            reorders: true,
            beam,
            ..plain
        });
        (
            nodes,
            scores.iter().zip(&narrow).filter(|(a, b)| a != b).count(),
        )
    });
    assert_eq!(others, [(17_535, 6), (8_426, 8), (2_671, 10)]);
    let first = work(&search(&positions[1], 3, plain, Schedule::Static).log);
    assert_eq!((first.len(), short(bound(&first))), (48, 8.16));
}

#[test]
fn lesson_5() {
    let rows = "  ooo  /  ..o  /o.o.ooo/..ooooo/..o..oo/  o.o  /  ooo  ";
    let board = pegs::Board::new(rows, 16);
    let one = Parallel {
        threads: 1,
        schedule: Schedule::Static,
        depth: 1,
    };
    let shared = work(&solve(&board, &InfeasibleSet::behind(1), one).log);
    assert_eq!(shared, [112_169, 112_486, 16_390, 2_992, 688, 2_518]);
    assert_eq!(
        (short(bound(&shared)), schedules(2, &shared)),
        (2.2, [1.03, 1.92, 1.03])
    );
    let own = board
        .legal_moves(board.initial)
        .into_iter()
        .map(|(_, initial)| {
            let child = pegs::Board {
                initial,
                ..board.clone()
            };
            solve(
                &child,
                &InfeasibleSet::behind(1),
                Parallel { depth: 0, ..one },
            )
            .steps
        });
    assert_eq!(own.sum::<u64>(), 769_433);
}
