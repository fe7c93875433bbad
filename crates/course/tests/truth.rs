//! The programs' numbers are those that are known from elsewhere.

use everymove_course::cache::{Lines, one_rook};
use everymove_course::infeasible::InfeasibleSet;
use everymove_course::leapfrog::{Order, Table};
use everymove_course::minimax::{self, Version};
use everymove_course::pegs::{self, Parallel};
use everymove_course::schedule::{Interval, Schedule, for_each};
use everymove_course::simulate::{bound, makespan, simulate, speed_up};
use everymove_course::symmetric::{self, Turning};
use everymove_course::tours::{self, Split};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position};

const SCHEDULES: [Schedule; 4] = [
    Schedule::Static,
    Schedule::Dynamic(1),
    Schedule::Dynamic(3),
    Schedule::Guided,
];

fn items_of(log: &[Interval], thread: usize) -> Vec<usize> {
    let mine = log.iter().filter(|done| done.thread == thread);
    mine.map(|done| done.item).collect()
}

#[test]
fn every_schedule_does_every_item_once() {
    for schedule in SCHEDULES {
        for (threads, items) in [(1, 5), (2, 5), (3, 7), (8, 3), (4, 0)] {
            let done = for_each(schedule, threads, items, |item| item as u64);
            let simulated = simulate(schedule, threads, &vec![1; items]);
            for log in [done, simulated] {
                let mut found: Vec<usize> = log.iter().map(|done| done.item).collect();
                found.sort_unstable();
                assert_eq!(
                    found,
                    (0..items).collect::<Vec<_>>(),
                    "{schedule:?} {threads}"
                );
                assert!(
                    log.iter()
                        .all(|done| done.thread < threads && done.from <= done.to)
                );
            }
        }
    }
}

#[test]
fn schedules_are_those_of_openmp() {
    let equal = [1; 8];
    let parts = |schedule| {
        let log = simulate(schedule, 2, &equal);
        (items_of(&log, 0), items_of(&log, 1))
    };
    assert_eq!(
        parts(Schedule::Static),
        (vec![0, 1, 2, 3], vec![4, 5, 6, 7])
    );
    assert_eq!(
        parts(Schedule::Dynamic(1)),
        (vec![0, 2, 4, 6], vec![1, 3, 5, 7])
    );
    assert_eq!(
        parts(Schedule::Dynamic(3)),
        (vec![0, 1, 2, 6, 7], vec![3, 4, 5])
    );
    // Shares of what is left: 4, 2, 1, 1.
    assert_eq!(
        parts(Schedule::Guided),
        (vec![0, 1, 2, 3], vec![4, 5, 6, 7])
    );
    let uneven = [8, 1, 1, 1, 1];
    let time = |schedule| makespan(&simulate(schedule, 2, &uneven));
    assert_eq!(
        [
            time(Schedule::Static),
            time(Schedule::Dynamic(1)),
            time(Schedule::Guided)
        ],
        [9.0, 8.0, 10.0]
    );
    assert_eq!(
        (speed_up(Schedule::Dynamic(1), 16, &uneven), bound(&uneven)),
        (1.5, 1.5)
    );
}

#[test]
fn tours_are_as_many_as_are_known() {
    // OEIS A118067, A079137 (both directions), A165134; none on 4x4.
    for (rows, cols, tours) in [(3, 4, 16), (4, 4, 0), (4, 5, 164), (5, 5, 1728)] {
        let board = tours::Board::new(rows, cols);
        let serial = tours::serial(&board);
        assert_eq!(serial.tours, tours, "{rows}x{cols}");
        if rows * cols > 20 {
            continue;
        }
        for schedule in SCHEDULES {
            for threads in [2, rows * cols] {
                assert_eq!(
                    tours::parallel(&board, Split::Squares, threads, schedule),
                    serial
                );
                let (found, log) = tours::timeline(&board, Split::TwoMoves, threads, schedule);
                assert_eq!(found.tours, tours);
                assert_eq!(log.iter().map(|done| done.work).sum::<u64>(), found.steps);
            }
        }
    }
}

#[test]
fn turned_paths_are_those_of_the_solver() {
    for (side, paths, type_a, type_b) in [(5, 32, 0, 0), (7, 10_304, 512, 272)] {
        for moves in 0..3 {
            let (found, _) = symmetric::parallel(side, moves, 2, Schedule::Dynamic(1));
            assert_eq!(
                (found.paths, found.type_a, found.type_b),
                (paths, type_a, type_b)
            );
        }
    }
    let tasks = symmetric::items(5, 0)
        .iter()
        .map(|path| symmetric::begin_with(5, Turning::Tasks, path).paths)
        .sum::<u64>();
    assert_eq!(tasks, 32);
}

#[test]
fn a_rook_in_a_cache_of_eight_squares() {
    assert_eq!(one_rook(Lines::Ranks, Lines::Ranks, 8), (448, 64));
    assert_eq!(one_rook(Lines::Files, Lines::Files, 8), (448, 64));
    assert_eq!(one_rook(Lines::Ranks, Lines::Both, 64), (896, 64));
    assert!(one_rook(Lines::Ranks, Lines::Both, 8).1 > 500);
    assert!(one_rook(Lines::Ranks, Lines::Files, 8).1 == 448);
}

const ORDERS: [Order; 4] = [
    Order::Scan,
    Order::SubCycles,
    Order::RootSplitting,
    Order::Leapfrog,
];

fn count(table: &Table) -> (usize, usize, u8) {
    let won = table
        .won
        .iter()
        .filter(|&&cycle| cycle != 0 && cycle != u8::MAX);
    let lost = table.lost.iter().filter(|&&cycle| cycle != 0);
    (
        won.clone().count(),
        lost.count(),
        won.copied().max().unwrap_or(0),
    )
}

#[test]
fn tables_are_those_of_the_generator() {
    // `everymove tables build KRvK --metric dtc`: wins, losses, and 31 plies.
    for order in ORDERS {
        assert_eq!(
            count(&Table::new(8, false, None, order, &[], &|| false)),
            (175_168, 201_700, 16)
        );
    }
    let queen = Table::new(8, true, None, Order::Leapfrog, &[], &|| false);
    assert_eq!(count(&queen), (144_508, 200_896, 10));
    let smaller = Table::new(4, true, None, Order::Scan, &[], &|| false);
    let [scan, others @ ..] =
        ORDERS.map(|order| Table::new(4, true, Some(&smaller), order, &[256, 4096], &|| false));
    for other in others {
        assert!(other.won == scan.won && other.lost == scan.lost);
    }
}

/// 20 positions of the games of everymove's own engine, and the start.
fn positions() -> Vec<Chess> {
    let fens = include_str!("positions.txt").lines();
    fens.map(|fen| {
        fen.parse::<Fen>()
            .unwrap()
            .into_position(CastlingMode::Standard)
            .unwrap()
    })
    .collect()
}

fn plain(position: &Chess, depth: u32) -> (i32, u64) {
    let now = minimax::evaluate(position);
    if depth == 0 {
        return (now, 1);
    }
    let (mut best, mut nodes) = (None, 1);
    for chosen in position.legal_moves() {
        let mut child = position.clone();
        child.play_unchecked(chosen);
        let (value, below) = plain(&child, depth - 1);
        best = best.max(Some(-value));
        nodes += below;
    }
    let over = if position.is_check() {
        -1_000_000 - depth as i32
    } else {
        0
    };
    (best.unwrap_or(over), nodes)
}

#[test]
fn every_version_finds_the_value_of_minimax() {
    // The tree of plain minimax has 1 + 20 + 400 + 8902 positions from the start (OEIS A048987).
    assert_eq!(plain(&Chess::default(), 3).1, 9323);
    let first = Version {
        threads: 1,
        reorders: false,
        beam: 100,
        deepens: false,
        has_table: false,
    };
    for position in positions() {
        let (value, _) = plain(&position, 3);
        for threads in [1, 3] {
            for bits in 0..8 {
                let version = Version {
                    threads,
                    reorders: bits & 1 != 0,
                    deepens: bits & 2 != 0,
                    has_table: bits & 4 != 0,
                    ..first
                };
                let found = minimax::search(&position, 3, version, Schedule::Dynamic(1));
                assert_eq!(found.score, value, "{version:?}");
            }
        }
        let narrow = minimax::search(
            &position,
            3,
            Version {
                reorders: true,
                beam: 50,
                ..first
            },
            Schedule::Static,
        );
        assert!(narrow.best.is_some());
    }
}

#[test]
fn depth_four_is_the_same_for_one_thread_and_several() {
    let plain = Version {
        threads: 1,
        reorders: true,
        beam: 100,
        deepens: false,
        has_table: false,
    };
    for position in positions() {
        let one = minimax::search(&position, 4, plain, Schedule::Static);
        for schedule in [Schedule::Static, Schedule::Dynamic(1)] {
            let four = minimax::search(
                &position,
                4,
                Version {
                    threads: 4,
                    ..plain
                },
                schedule,
            );
            assert_eq!(one.score, four.score);
        }
    }
}

/// Five boards: rows, last hole, calls with a set, and whether there is a solution. The calls of
/// the first are those of two programs of this project; `lab run course-pegs` compares all with the
/// solver.
const BOARDS: [(&str, usize, u64, bool); 5] = [
    (
        "  ooo  /  ooo  /ooooooo/ooo.ooo/ooooooo/  ooo  /  ooo  ",
        16,
        10_845,
        true,
    ),
    ("oooo/.ooo/oooo/oooo", 8, 56, true),
    (".ooo/oooo/oooo/oooo", 0, 1687, false),
    ("o.ooo/ooooo/ooooo/ooooo", 0, 516, true),
    (
        "  ooo  /  ..o  /o.o.ooo/..ooooo/..o..oo/  o.o  /  ooo  ",
        16,
        247_244,
        false,
    ),
];

#[test]
fn pegs_are_solved_as_by_the_solver() {
    for (rows, last, steps, is_solvable) in BOARDS {
        let board = pegs::Board::new(rows, last);
        let serial = Parallel {
            threads: 1,
            schedule: Schedule::Static,
            depth: 0,
        };
        for set in [
            InfeasibleSet::behind(1),
            InfeasibleSet::behind(64),
            InfeasibleSet::lock_free(1 << 22),
        ] {
            let found = pegs::solve(&board, &set, serial);
            assert_eq!(
                (found.steps, found.moves.is_some()),
                (steps, is_solvable),
                "{rows}"
            );
        }
        for schedule in SCHEDULES {
            for (threads, depth) in [(3, 1), (2, 2)] {
                let set = InfeasibleSet::behind(1);
                let found = pegs::solve(
                    &board,
                    &set,
                    Parallel {
                        threads,
                        schedule,
                        depth,
                    },
                );
                assert_eq!(
                    found.moves.is_some(),
                    is_solvable,
                    "{rows} {schedule:?} {threads} {depth}"
                );
                let mut state = board.initial;
                for number in found.moves.unwrap_or_default() {
                    let [from, over, to] = board.moves[number];
                    assert_eq!(state & (from | over | to), from | over);
                    state ^= from | over | to;
                }
                assert!(!is_solvable || state == board.winning);
            }
        }
    }
    let central = pegs::Board::new(BOARDS[0].0, BOARDS[0].1);
    let serial = Parallel {
        threads: 1,
        schedule: Schedule::Static,
        depth: 0,
    };
    assert_eq!(
        pegs::solve(&central, &InfeasibleSet::None, serial).steps,
        7_667_770
    );
}
