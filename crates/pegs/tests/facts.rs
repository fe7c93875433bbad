//! Known numbers: `facts.tsv` in every test run, `facts-long.tsv` when asked for (`--ignored`,
//! minutes).
//!
//! A row asks for one quantity of a problem: board, the hole that is empty at the start (or `all`
//! of them), the hole of the last peg (or `-` for any), what is asked, the answer, and who says so.

use std::collections::HashMap;

use everymove_kernel::files::Memory;
use everymove_kernel::run::{Bytes, Ram, Run};
use everymove_pegs::{
    Board, Columns, Finish, Hole, Lattice, LayerFiles, Position, Problem, Reach, Shortest,
    Symmetry, Verdict, Want, WinningSet, canonical, count_games, positions_by_moves, problem_table,
    problems, reach, reach_within, solve, verified,
};

#[test]
fn facts() {
    check(include_str!("facts.tsv"));
}

#[test]
#[ignore = "takes minutes and 2 GB"]
fn long_facts() {
    check(include_str!("facts-long.tsv"));
}

fn check(facts: &str) {
    let run = Run::new(2, Ram::limited("4500M".parse::<Bytes>().unwrap().0));
    let mut known = Known::default();
    let mut rows = 0;
    for line in facts.lines().skip(1) {
        let [board, start, finish, quantity, value, _source] =
            line.split('\t').collect::<Vec<_>>()[..]
        else {
            panic!("six columns expected: {line}");
        };
        let board = Board::named(board).unwrap();
        let found = match start {
            "all" => of_board(&board, quantity, &run),
            _ => {
                let problem =
                    Problem::vacate(&board, start, (finish != "-").then_some(finish)).unwrap();
                known.of_problem(&problem, quantity, &run)
            }
        };
        assert_eq!(
            found,
            value,
            "{} of {} {start} {finish}",
            quantity,
            board.name()
        );
        rows += 1;
    }
    assert!(rows > 10);
}

/// The last reach and winning set, since rows of one problem are adjacent.
#[derive(Default)]
struct Known {
    reach: Option<(Problem, Reach)>,
    set: Option<WinningSet>,
}

impl Known {
    fn of_problem(&mut self, problem: &Problem, quantity: &str, run: &Run) -> String {
        let board = problem.board();
        match quantity {
            "finishes-by-class" => {
                let targets = problem.targets();
                board.names_of(
                    targets
                        .into_iter()
                        .fold(Position::EMPTY, |all, one| Position(all.0 | one.0)),
                )
            }
            "games" => count_games(problem, run).unwrap().games.to_string(),
            "odds" => format!("{:.10e}", count_games(problem, run).unwrap().odds),
            "positions-by-moves" => list(positions_by_moves(board, problem.start(), run).unwrap()),
            "positions-first-15-jumps" => {
                let files = LayerFiles::default();
                let reach = reach_within(board, problem.start(), 15, files, run).unwrap();
                list(reach.layers.iter().map(|layer| layer.positions))
            }
            "positions" | "positions-by-jumps" | "images" | "images-by-jumps" | "shortest-game"
            | "dead-ends-by-pegs" | "finishes" => {
                of_reach(board, self.reach(problem, run), quantity)
            }
            _ => of_set(self.set(problem, run), quantity, run),
        }
    }

    fn reach(&mut self, problem: &Problem, run: &Run) -> &Reach {
        if self
            .reach
            .as_ref()
            .is_none_or(|(known, _)| known != problem)
        {
            let reach = reach(problem.board(), problem.start(), run).unwrap();
            self.reach = Some((problem.clone(), reach));
        }
        &self.reach.as_ref().unwrap().1
    }

    fn set(&mut self, problem: &Problem, run: &Run) -> &WinningSet {
        if self.set.as_ref().is_none_or(|set| set.problem() != problem) {
            self.set = None;
            self.set = Some(WinningSet::new(problem, run).unwrap());
        }
        self.set.as_ref().unwrap()
    }
}

fn of_reach(board: &Board, reach: &Reach, quantity: &str) -> String {
    let layers = &reach.layers;
    match quantity {
        "positions" => reach.positions().to_string(),
        "positions-by-jumps" => list(layers.iter().map(|layer| layer.positions)),
        "images" => layers
            .iter()
            .map(|layer| layer.images)
            .sum::<u64>()
            .to_string(),
        "images-by-jumps" => list(layers.iter().map(|layer| layer.images)),
        "shortest-game" => reach.shortest_game().unwrap().to_string(),
        "dead-ends-by-pegs" => {
            // The last peg cannot jump either; a game that ends with it is not stuck.
            let stuck = layers
                .iter()
                .filter(|layer| layer.dead_ends > 0 && layer.pegs > 1);
            let texts: Vec<String> = stuck
                .map(|layer| format!("{}:{}", layer.pegs, layer.dead_ends))
                .collect();
            texts.join(" ")
        }
        "finishes" => board.names_of(reach.last_pegs),
        _ => panic!("no such quantity: {quantity}"),
    }
}

fn of_set(set: &WinningSet, quantity: &str, run: &Run) -> String {
    match quantity {
        "winning" => set.positions().to_string(),
        "winning-by-jumps" => list(set.sizes().iter().copied()),
        "stored" => set.save(&Memory::default(), "set").unwrap().to_string(),
        "solutions" => set.count_solutions(run).unwrap().solutions.to_string(),
        "moves" => Shortest::new(set, run)
            .unwrap()
            .unwrap()
            .moves()
            .to_string(),
        "shortest-solutions" => {
            let shortest = Shortest::new(set, run).unwrap().unwrap();
            shortest.count(run).unwrap().solutions.to_string()
        }
        "canonical-sequences" => canonical_sequences(set).to_string(),
        _ => panic!("no such quantity: {quantity}"),
    }
}

fn of_board(board: &Board, quantity: &str, run: &Run) -> String {
    match quantity {
        "problems" => problems(board).len().to_string(),
        "invariants" => board.invariants().basis().len().to_string(),
        "solvable" => {
            let rows = problem_table(board, Columns::Solvable, run, |_| ()).unwrap();
            rows.iter()
                .filter(|row| row.is_solvable)
                .count()
                .to_string()
        }
        "moves" => {
            let moves = |start: Hole| {
                let problem = Problem::new(board, board.vacate(start), Finish::Anywhere).unwrap();
                let set = WinningSet::new(&problem, run).unwrap();
                Shortest::new(&set, run)
                    .unwrap()
                    .map(|shortest| shortest.moves())
            };
            board
                .distinct_holes()
                .into_iter()
                .filter_map(moves)
                .min()
                .unwrap()
                .to_string()
        }
        _ => panic!("no such quantity: {quantity}"),
    }
}

/// Sequences of positions up to symmetry from the start to the finish.
fn canonical_sequences(set: &WinningSet) -> u128 {
    let problem = set.problem();
    let group: Vec<Symmetry> = problem.symmetries();
    let mut below: HashMap<Position, u128> = HashMap::new();
    for pegs in problem.last_pegs()..=problem.start().pegs() {
        let mut here = HashMap::new();
        for position in set.with_pegs(pegs) {
            let children = problem
                .board()
                .legal_jumps(position)
                .map(|jump| canonical(&group, jump.after(position)));
            let mut children: Vec<Position> = children.collect();
            children.sort_unstable();
            children.dedup();
            let sum = children
                .iter()
                .filter_map(|child| below.get(child))
                .sum::<u128>();
            here.insert(
                canonical(&group, position),
                if pegs == problem.last_pegs() { 1 } else { sum },
            );
        }
        below = here;
    }
    below.into_values().sum()
}

fn list(numbers: impl IntoIterator<Item = u64>) -> String {
    let texts: Vec<String> = numbers
        .into_iter()
        .map(|number| number.to_string())
        .collect();
    texts.join(" ")
}

/// Solvable problems of boards of 34 to 45 holes, whose layers would take long: a beam finds a
/// solution, and nothing else is tried, whatever the start.
#[test]
fn boards_of_medium_size_are_solved_by_a_beam() {
    let run = Run::new(1, Ram::limited(48 << 20));
    let mut solved = 0;
    for (board, most) in [
        ("european", 37),
        ("asymmetric", 3),
        ("square6x6", 3),
        ("square5x7", 2),
        ("square6x7", 2),
        ("triangle8", 2),
        ("triangle9", 2),
        ("_ooooo_/ooooooo/ooooooo/ooooooo/ooooooo/_ooooo_", 2),
        (
            "__ooo__/__ooo__/ooooooo/ooooooo/ooooooo/__ooo__/__ooo__/__ooo__",
            2,
        ),
        ("ooooooo/ooooooo/ooooooo/ooooooo/ooooooo/__ooo__/__ooo__", 2),
    ] {
        let board = match board.contains('/') {
            true => Board::parse(board, Lattice::Square).unwrap(),
            false => Board::named(board).unwrap(),
        };
        let starts = (0..board.holes()).filter(|&hole| {
            let start = board.vacate(hole);
            canonical(board.symmetries(), start) == start
        });
        for hole in starts.take(most) {
            let problem = Problem::new(&board, board.vacate(hole), Finish::Anywhere).unwrap();
            let answer = solve(&problem, Want::Any, &run).unwrap();
            match answer.verdict {
                Verdict::Solution(jumps) => verified(&problem, &jumps).unwrap(),
                Verdict::Class(_) => continue,
                other => panic!("{problem}: {other:?}"),
            };
            let units: Vec<&str> = answer.work.iter().map(|(unit, _)| unit).collect();
            assert_eq!(units, ["candidates"], "{problem}");
            solved += 1;
        }
    }
    assert!(solved >= 15, "{solved}");
}
