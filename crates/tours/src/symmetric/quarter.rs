//! Open tours from four turned copies of one path, on boards whose sides are equal and odd.
//!
//! Let g be the quarter turn about the centre c and L = (n^2 - 1) / 4. A *quarter path* p1 .. pL
//! meets every orbit of g but the centre's once. If pL is a move from c, and from a square of the
//! orbit of p1, four copies make a tour:
//! - *type A*, pL next to g^(+-1) p1: P, gP, g^2 P, g^3 P, c, or the same with turns the other way;
//! - *type B*, pL next to g^2 p1: P, g^2 P, c, g^3 P backwards, gP backwards.
//!
//! After C. Cameron, PCSE final project (2016), who searched for such paths from each square in
//! turn. Here one start for each orbit is enough, a path and its reverse are found once, and so are
//! mirror images.

use std::ops::ControlFlow;

use everymove_kernel::backtrack::Tally;
use everymove_kernel::grid::{Square, Symmetry};
use everymove_kernel::run::{Run, Work};

use super::SymmetricError;
use super::quotient::{Quotient, Turns};
use crate::board::{Board, Kind};
use crate::search::cases::{Case, Cases, Limits};
use crate::search::explore::{Score, score_all};
use crate::search::list::Lister;
use crate::search::segments::Growth;
use crate::search::sink::{Link, in_order};
use crate::search::word::Word;

/// How many quarter paths there are, one start square for each orbit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuarterCount {
    /// All quarter paths, wherever they end.
    pub quarter_paths: u64,
    /// Those that make a tour of type A.
    pub type_a: u64,
    /// Those that make a tour of type B; a path can be of both types.
    pub type_b: u64,
    /// `nodes` visited.
    pub work: Work,
}

/// How four quarter paths are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SystemType {
    /// One after the other, then the centre.
    A,
    /// Two, the centre, two backwards.
    B,
}

#[derive(Default)]
struct Paths {
    all: u64,
    type_a: u64,
    type_b: u64,
    nodes: u64,
}

impl Tally for Paths {
    fn merge(&mut self, later: Self) {
        self.all += later.all;
        self.type_a += later.type_a;
        self.type_b += later.type_b;
        self.nodes += later.nodes;
    }
}

struct QuarterPaths<'a> {
    quotient: &'a Quotient,
    cases: &'a Cases<u64>,
    near_centre: u64,
}

impl QuarterPaths<'_> {
    /// Of paths that turn as given, how many can be closed by a move from `end` to the orbit of
    /// `start` so that the sum of turns is one of `wanted`, a bit set.
    fn joined(&self, turns: Turns, start: usize, end: usize, wanted: u8) -> u64 {
        let back = self.quotient.voltages(end, start);
        (0..4)
            .filter(|&turn| {
                let sums = (0..4)
                    .filter(|v| back >> v & 1 != 0)
                    .map(|v| (turn + v) % 4);
                sums.into_iter().any(|sum| wanted >> sum & 1 != 0)
            })
            .map(|turn| turns[turn])
            .sum()
    }
}

const TYPE_A: u8 = 1 << 1 | 1 << 3;
const TYPE_B: u8 = 1 << 2;

impl Score<u64> for QuarterPaths<'_> {
    type Tally = Paths;

    const LINKS: bool = true;

    fn tour(&self, case: &Case<u64>, links: &[Link], end: usize, paths: &mut Paths) {
        let quotient = self.quotient;
        let start = case.start;
        // Paths into other classes of squares are found in one direction only, but both count.
        let reverse_too = self.cases.class_of[end] != case.class;
        let directions = 1 + u64::from(reverse_too);
        paths.all += case.weight * directions * quotient.lifts(links);

        let ends = u64::from(self.near_centre.has(end))
            + u64::from(reverse_too && self.near_centre.has(start));
        if ends == 0 || quotient.voltages(end, start) == 0 {
            return;
        }
        let mut order = Vec::with_capacity(links.len());
        in_order::<{ Quotient::MAX_ORBITS }>(links, quotient.orbits.len(), start, end, &mut order);
        let turns = quotient.turns(order.iter().copied());
        // The reverse of a path is joined to itself by the same moves.
        paths.type_a += case.weight * ends * self.joined(turns, start, end, TYPE_A);
        paths.type_b += case.weight * ends * self.joined(turns, start, end, TYPE_B);
    }

    fn nodes(paths: &mut Paths, nodes: u64) {
        paths.nodes += nodes;
    }
}

fn quotient(board: &Board) -> Result<(Quotient, u64), SymmetricError> {
    let quotient = Quotient::new(board, Symmetry::QuarterTurn)?;
    match quotient.near_fixed[..] {
        [near] => Ok((quotient, near)),
        _ => Err(SymmetricError::NoCentre { grid: board.grid() }),
    }
}

fn cases(quotient: &Quotient, fold: bool) -> Cases<u64> {
    let limits = Limits {
        start: None,
        end: None,
        fold,
        colour: true,
    };
    if quotient.orbits.is_empty() {
        return Cases::none();
    }
    Cases::new(&quotient.graph, quotient.group.clone(), Kind::Open, limits)
}

/// Counts the quarter paths of a board with equal odd sides, and the tours that four of them make.
///
/// # Errors
/// [`SymmetricError`] if the board has no centre square or is not symmetric, or if the run is
/// stopped.
pub fn quarter_paths(board: &Board, run: &Run) -> Result<QuarterCount, SymmetricError> {
    let (quotient, near_centre) = quotient(board)?;
    let cases = cases(&quotient, true);
    let score = QuarterPaths {
        quotient: &quotient,
        cases: &cases,
        near_centre,
    };
    let growth = Growth::on(&quotient.graph, Kind::Open);
    let paths = score_all(&growth, &cases.list, &score, run)?;
    Ok(QuarterCount {
        quarter_paths: paths.all,
        type_a: paths.type_a,
        type_b: paths.type_b,
        work: Work::of("nodes", paths.nodes),
    })
}

/// Hands each tour made of quarter paths to `visitor`, as its squares in order, until that breaks.
/// The first quarter of a tour starts on the smallest square of its orbit. Always in the same
/// order.
///
/// # Errors
/// As [`quarter_paths`].
pub fn systems(
    board: &Board,
    run: &Run,
    mut visitor: impl FnMut(SystemType, &[Square]) -> ControlFlow<()>,
) -> Result<Work, SymmetricError> {
    let (quotient, near_centre) = quotient(board)?;
    let centre = quotient.fixed[0];
    let cases = cases(&quotient, false);
    let image = |square: Square| board.grid().image(Symmetry::QuarterTurn, square);
    let turned = |square: Square, times: usize| (0..times).fold(square, |s, _| image(s));
    let mut flow = ControlFlow::Continue(());
    let mut tour = Vec::new();
    let lister = Lister::new(quotient.orbits.len(), run, |orbits: &[usize]| {
        let (start, end) = (orbits[0], orbits[orbits.len() - 1]);
        if !near_centre.has(end) || quotient.voltages(end, start) == 0 {
            return ControlFlow::Continue(());
        }
        quotient.for_each_lift(orbits, &mut |path: &[Square]| {
            let meets = |turn: usize| board.is_move(path[path.len() - 1], turned(path[0], turn));
            let copy = |turn: usize| path.iter().map(move |&s| turned(s, turn));
            if let Some(turn) = [1, 3].into_iter().find(|&turn| meets(turn)) {
                tour.clear();
                (0..4).for_each(|part| tour.extend(copy(part * turn)));
                tour.push(centre);
                if flow.is_continue() {
                    flow = visitor(SystemType::A, &tour);
                }
            }
            if meets(2) && flow.is_continue() {
                tour.clear();
                tour.extend(copy(0).chain(copy(2)));
                tour.push(centre);
                tour.extend(copy(3).rev().chain(copy(1).rev()));
                flow = visitor(SystemType::B, &tour);
            }
        });
        flow
    });
    let listed = lister.list(&Growth::on(&quotient.graph, Kind::Open), &cases.list)?;
    Ok(Work::of("nodes", listed.nodes))
}
