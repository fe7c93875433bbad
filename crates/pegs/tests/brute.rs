//! Small random boards on both lattices, every answer against a search that does nothing clever.

use std::collections::{HashMap, HashSet};

use everymove_kernel::files::Memory;
use everymove_kernel::run::{Ram, Run};
use everymove_pegs::{
    Advice, Board, Finish, Jump, Keys, Lattice, Order, Position, Problem, PuzzleKind, Puzzles,
    Review, Search, SearchEnd, Shortest, SolutionCounts, Verdict, Want, WinningSet, canonical,
    count_games, count_solutions, game_text, moves, parse_game, positions_by_moves, reach, replay,
    search, solve,
};
use proptest::prelude::*;

/// A board of at most `holes` holes inside a square, with a start and a finish.
fn problem(lattice: Lattice, side: usize, holes: usize) -> impl Strategy<Value = Problem> {
    let places = prop::collection::vec(prop::bool::weighted(0.75), side * side);
    let picks = (
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        any::<u64>(),
        0u8..4,
    );
    (places, picks).prop_filter_map("no board", move |(places, (start, finish, word, kind))| {
        if places.iter().filter(|&&place| place).count() > holes {
            return None;
        }
        let row = |row: &[bool]| {
            row.iter()
                .map(|&place| if place { 'o' } else { '_' })
                .collect::<String>()
        };
        let text: Vec<String> = places.chunks(side).map(row).collect();
        let board = Board::parse(&text.join("/"), lattice).ok()?;
        let start = board.vacate(start.index(board.holes()));
        let finish = finish.index(board.holes());
        let (start, finish) = match kind {
            0 => (start, Finish::Anywhere),
            1 => (start, Finish::At(finish)),
            2 => (Position(word & board.full().0), Finish::Anywhere),
            // Something that some game reaches.
            _ => (start, Finish::Exactly(wander(&board, start, word))),
        };
        Problem::new(&board, start, finish).ok()
    })
}

fn any_problem() -> impl Strategy<Value = Problem> {
    prop_oneof![
        problem(Lattice::Square, 4, 13),
        problem(Lattice::Triangular, 4, 13)
    ]
}

/// The end of a few jumps drawn by `word`.
fn wander(board: &Board, start: Position, mut word: u64) -> Position {
    let mut position = start;
    while !word.is_multiple_of(8) {
        let jumps: Vec<Jump> = board.legal_jumps(position).collect();
        let Some(jump) = jumps.get(word as usize / 8 % jumps.len().max(1)) else {
            break;
        };
        position = jump.after(position);
        word /= 16;
    }
    position
}

/// What the rules say of a position, by recursion over single jumps with nothing but a memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Truth {
    solutions: u128,
    games: u128,
    odds: f64,
}

/// By position and last landing: fewest moves and how many solutions have so few.
type Fewest = HashMap<(Position, Option<usize>), Option<(u32, u128)>>;

struct Brute<'a> {
    problem: &'a Problem,
    truth: HashMap<Position, Truth>,
}

impl Brute<'_> {
    fn of(&mut self, position: Position) -> Truth {
        if let Some(&known) = self.truth.get(&position) {
            return known;
        }
        let jumps: Vec<Jump> = self.problem.board().legal_jumps(position).collect();
        let mut truth = Truth::default();
        for jump in &jumps {
            let after = self.of(jump.after(position));
            truth.solutions += after.solutions;
            truth.games += after.games;
            truth.odds += after.odds / jumps.len() as f64;
        }
        truth.games = truth.games.max(1);
        if self.problem.is_finish(position) {
            (truth.solutions, truth.odds) = (1, 1.0);
        }
        self.truth.insert(position, truth);
        truth
    }

    /// The fewest moves to the finish and how many solutions have so few, from a position whose
    /// last jump landed in `last`: a jump on with that peg is free.
    fn shortest(
        &self,
        position: Position,
        last: Option<usize>,
        memory: &mut Fewest,
    ) -> Option<(u32, u128)> {
        if self.problem.is_finish(position) {
            return Some((0, 1));
        }
        if let Some(&known) = memory.get(&(position, last)) {
            return known;
        }
        let mut best: Option<(u32, u128)> = None;
        for jump in self.problem.board().legal_jumps(position) {
            let Some((moves, count)) = self.shortest(jump.after(position), Some(jump.to), memory)
            else {
                continue;
            };
            let moves = moves + u32::from(last != Some(jump.from));
            best = match best {
                Some((least, _)) if least < moves => best,
                Some((least, others)) if least == moves => Some((moves, others + count)),
                _ => Some((moves, count)),
            };
        }
        memory.insert((position, last), best);
        best
    }
}

fn reached(problem: &Problem) -> Brute<'_> {
    let mut brute = Brute {
        problem,
        truth: HashMap::new(),
    };
    brute.of(problem.start());
    brute
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reachable_positions(problem in any_problem(), threads in 1usize..4) {
        let brute = reached(&problem);
        let group = problem.board().class_symmetries(problem.start());
        let reach = reach(problem.board(), problem.start(), &Run::new(threads, Ram::unlimited())).unwrap();
        let mut work = 0;
        for layer in &reach.layers {
            let all = brute.truth.keys().filter(|position| position.pegs() == layer.pegs);
            let images: HashSet<Position> = all.flat_map(|&p| group.iter().map(move |s| s.position(p))).collect();
            let firsts: HashSet<Position> = images.iter().map(|&p| canonical(&group, p)).collect();
            prop_assert_eq!((layer.positions, layer.images), (firsts.len() as u64, images.len() as u64));
            let jumps = |p: &Position| problem.board().legal_jumps(*p).count() as u64;
            prop_assert_eq!(layer.jumps, firsts.iter().map(jumps).sum::<u64>());
            prop_assert_eq!(layer.dead_ends, firsts.iter().filter(|p| jumps(p) == 0).count() as u64);
            work += layer.jumps;
        }
        prop_assert_eq!(reach.layers.len(), 1 + brute.truth.keys().map(|p| problem.start().pegs() - p.pegs()).max().unwrap());
        prop_assert_eq!(reach.work.get("jumps"), work);
    }

    #[test]
    fn solutions_games_and_odds(problem in any_problem(), threads in 1usize..4) {
        let run = Run::new(threads, Ram::unlimited());
        let truth = reached(&problem).of(problem.start());
        prop_assert_eq!(count_solutions(&problem, &run).unwrap().solutions, truth.solutions);
        let games = count_games(&problem, &run).unwrap();
        prop_assert_eq!((games.games, games.solutions), (truth.games, truth.solutions));
        prop_assert!((games.odds - truth.odds).abs() < 1e-12);
    }

    #[test]
    fn winning_positions_and_their_numbers(problem in any_problem()) {
        let run = Run::serial();
        let brute = reached(&problem);
        let set = WinningSet::new(&problem, &run).unwrap();
        let counts = SolutionCounts::new(&set, &run).unwrap();
        let shortest = Shortest::new(&set, &run).unwrap();
        let mut memory = HashMap::new();
        for (&position, truth) in &brute.truth {
            prop_assert_eq!(set.contains(position), truth.solutions > 0);
            prop_assert_eq!(counts.of(position).unwrap_or(0), truth.solutions);
            let fewest = brute.shortest(position, None, &mut memory);
            let found = shortest.as_ref().and_then(|shortest| shortest.moves_from(position));
            prop_assert_eq!(found, fewest.map(|(moves, _)| moves));
        }
        let group = problem.symmetries();
        let winning = brute.truth.iter().filter(|(_, truth)| truth.solutions > 0);
        let winning: HashSet<Position> = winning.map(|(&p, _)| canonical(&group, p)).collect();
        prop_assert_eq!(set.positions(), winning.len() as u64);
        if let Some(shortest) = &shortest {
            let count = shortest.count(&run).unwrap();
            let fewest = brute.shortest(problem.start(), None, &mut memory);
            prop_assert_eq!(Some((count.moves, count.solutions)), fewest);
            prop_assert_eq!(moves(&shortest.solution()).len(), count.moves as usize);
        }
    }

    #[test]
    fn verdicts_and_searches(problem in any_problem(), seed in any::<u64>(), threads in 1usize..3, split_depth in 0u32..4) {
        let run = Run::new(threads, Ram::unlimited());
        let truth = reached(&problem).of(problem.start());
        let mut solutions = Vec::new();
        for want in [Want::Any, Want::Shortest] {
            match solve(&problem, want, &run).unwrap().verdict {
                Verdict::Solution(jumps) => solutions.push(jumps),
                Verdict::Class(proof) => {
                    prop_assert_eq!(truth.solutions, 0);
                    prop_assert!(proof.text(problem.board()).contains("impossible") || problem.finish() == Finish::Anywhere);
                    for &marks in proof.marks() {
                        let met = |jump: &Jump| [jump.from, jump.over, jump.to].iter().filter(|&&hole| marks.has(hole)).count();
                        prop_assert!(problem.board().jumps().iter().all(|jump| met(jump) % 2 == 0));
                    }
                }
                Verdict::TooManyPegs | Verdict::Exhaustion => prop_assert_eq!(truth.solutions, 0),
            }
        }
        for keys in [Keys::None, Keys::Raw, Keys::Canonical] {
            for (order, memory) in [(Order::Rows, 1 << 16), (Order::Random(seed), 64)] {
                let how = Search { order, keys, memory, split_depth, limit: u64::MAX };
                match search(&problem, &how, &run).unwrap().end {
                    SearchEnd::Solution(jumps) => solutions.push(jumps),
                    end => {
                        prop_assert_eq!(end, SearchEnd::Exhausted);
                        prop_assert_eq!(truth.solutions, 0);
                    }
                }
            }
        }
        for jumps in solutions {
            prop_assert!(truth.solutions > 0);
            let (board, text) = (problem.board(), game_text(problem.board(), &jumps));
            prop_assert_eq!(parse_game(board, problem.start(), &text).unwrap(), jumps);
            let game = replay(&board.line(problem.start()), board.lattice(), &text).unwrap();
            let end = if game.pegs == 0 { Position::EMPTY } else { board.position(&game.positions[game.jumps]).unwrap() };
            prop_assert!(problem.is_finish(end));
        }
    }

    #[test]
    fn positions_by_their_moves(problem in any_problem()) {
        let board = problem.board();
        let group = board.class_symmetries(problem.start());
        // Breadth first by moves: all positions one move further, chains of one peg jump by jump.
        let mut seen = HashSet::from([canonical(&group, problem.start())]);
        let mut frontier: Vec<Position> = seen.iter().copied().collect();
        let mut sizes = Vec::new();
        while !frontier.is_empty() {
            sizes.push(frontier.len() as u64);
            let mut next = HashSet::new();
            for &position in &frontier {
                let mut open: Vec<Jump> = board.legal_jumps(position).collect();
                let mut chains: Vec<(Position, usize)> = open.drain(..).map(|jump| (jump.after(position), jump.to)).collect();
                while let Some((end, peg)) = chains.pop() {
                    next.insert(canonical(&group, end));
                    chains.extend(board.legal_jumps(end).filter(|jump| jump.from == peg).map(|jump| (jump.after(end), jump.to)));
                }
            }
            frontier = next.into_iter().filter(|&position| seen.insert(position)).collect();
        }
        prop_assert_eq!(positions_by_moves(board, problem.start(), &Run::new(2, Ram::unlimited())).unwrap(), sizes);
    }

    #[test]
    fn hints_puzzles_and_files(problem in any_problem(), word in any::<u64>()) {
        let run = Run::serial();
        let mut brute = reached(&problem);
        let set = WinningSet::new(&problem, &run).unwrap();
        let files = Memory::default();
        set.save(&files, "set").unwrap();
        let loaded = WinningSet::load(&files, "set", &run).unwrap();
        prop_assert_eq!(loaded.problem(), set.problem());
        prop_assert_eq!(loaded.sizes(), set.sizes());
        let counts = SolutionCounts::new(&loaded, &run).unwrap();
        let advice = Advice { set: &loaded, counts: Some(&counts), shortest: None };
        let positions: Vec<Position> = brute.truth.keys().copied().collect();
        for position in positions {
            let hint = advice.hint(position);
            let truth = brute.of(position);
            prop_assert_eq!((hint.is_winnable, hint.solutions), (truth.solutions > 0, Some(truth.solutions)));
            for jump in &hint.jumps {
                let after = brute.of(jump.jump.after(position));
                let keeps = truth.solutions > 0 && after.solutions > 0;
                prop_assert_eq!((jump.keeps_winnable, jump.solutions), (keeps, Some(after.solutions)));
            }
        }
        // A random game, reviewed.
        let mut position = problem.start();
        let (mut game, mut draw, mut lost_at) = (Vec::new(), word, None);
        loop {
            let jumps: Vec<Jump> = problem.board().legal_jumps(position).collect();
            if jumps.is_empty() { break; }
            let jump = jumps[draw as usize % jumps.len()];
            draw = draw.rotate_right(5);
            let after = jump.after(position);
            if lost_at.is_none() && brute.of(position).solutions > 0 && brute.of(after).solutions == 0 {
                lost_at = Some(game.len());
            }
            game.push(jump);
            position = after;
        }
        prop_assert_eq!(Review::new(advice, &game).lost_at, lost_at);

        let group = problem.symmetries();
        for kind in [PuzzleKind::UniqueCompletion, PuzzleKind::LastSafeJump, PuzzleKind::Winnable] {
            let puzzles = Puzzles::new(&set, kind, &run).unwrap();
            let found: HashSet<Position> = puzzles.by_pegs.iter().flatten().map(|&p| canonical(&group, p)).collect();
            prop_assert_eq!(found.len(), puzzles.len());
            let mut expected = HashSet::new();
            for position in brute.truth.keys().copied().collect::<Vec<_>>() {
                let after: Vec<u128> = problem.board().legal_jumps(position).map(|jump| brute.of(jump.after(position)).solutions).collect();
                let fits = match kind {
                    PuzzleKind::UniqueCompletion => brute.of(position).solutions == 1,
                    PuzzleKind::Winnable => brute.of(position).solutions > 0,
                    PuzzleKind::LastSafeJump => after.len() > 1 && after.iter().filter(|&&n| n > 0).count() == 1,
                };
                if fits && position.pegs() > problem.last_pegs() {
                    expected.insert(canonical(&group, position));
                }
            }
            prop_assert_eq!(found, expected);
        }
    }
}

/// The half turn of this board keeps the start's class but moves the finish, so it must not merge
/// solutions.
#[test]
fn symmetries_that_move_the_finish_do_not_count() {
    let board = Board::parse("ooo_/ooo_/_ooo/_ooo", Lattice::Square).unwrap();
    let problem = Problem::new(&board, board.vacate(11), Finish::At(11)).unwrap();
    let games = count_games(&problem, &Run::serial()).unwrap();
    assert_eq!((games.games, games.solutions), (62, 0));
}
