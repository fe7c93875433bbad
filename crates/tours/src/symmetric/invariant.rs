//! Tours that a symmetry maps onto themselves.
//!
//! Let g be the symmetry, other than the identity. A closed tour that it maps onto itself (an
//! invariant tour) is a cycle that it either shifts or reflects.
//! - *Shifted*: no square is fixed, and the tour is the lift of a closed tour of the orbits whose
//!   voltages sum to a generator of Z_k. (Otherwise the lift falls into several cycles.)
//! - *Reflected* (then k = 2): g fixes two points of the cycle, each of which is a fixed square or
//!   the middle of a move between a square and its image. The rest of the cycle is a path through
//!   all orbits and its image. So at most two squares may be fixed. For half turns these are the
//!   tours that pass the centre twice (Bergholtian symmetry).
//!
//! An open tour can only be reversed, about its middle square or its middle move; then it is a path
//! through all orbits, from next to the one fixed square, or from an orbit with a move within,
//! together with its image.

use std::cell::Cell;
use std::ops::ControlFlow;

use everymove_kernel::backtrack::Tally;
use everymove_kernel::grid::{Square, Symmetry};
use everymove_kernel::run::Run;

use super::SymmetricError;
use super::quotient::Quotient;
use crate::board::{Board, Kind};
use crate::question::{Direction, Question};
use crate::search::cases::{Case, Cases, Limits};
use crate::search::explore::{Score, score_all};
use crate::search::list::Lister;
use crate::search::segments::Growth;
use crate::search::sink::{Link, in_order};
use crate::search::word::Word;
use crate::search::{self, Method};

/// Up to this many squares all tours are listed and tested: orbits may be too few for paths among
/// them.
const TINY: usize = 8;

/// Lifts that are tours, and the nodes it took to find them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) tours: u64,
    pub(super) nodes: u64,
}

impl Tally for Found {
    fn merge(&mut self, later: Self) {
        self.tours += later.tours;
        self.nodes += later.nodes;
    }
}

/// How a symmetry can act on its invariant tours, and the condition on tours of the orbits that
/// follows.
enum Action {
    /// Closed tours of the orbits.
    Shift(Vec<Case<u64>>),
    /// Open tours of the orbits between certain ends.
    Reflect(Vec<Case<u64>>),
}

fn actions(quotient: &Quotient, kind: Kind, fold: bool) -> Vec<Action> {
    let all = quotient.graph.all();
    let loops = quotient.loops;
    let shift = || {
        let limits = Limits {
            start: (!fold).then_some(0),
            end: None,
            fold,
            colour: true,
        };
        let group = quotient.group.clone();
        Action::Shift(Cases::new(&quotient.graph, group, Kind::Closed, limits).list)
    };
    let reflect = |starts: u64, ends: &dyn Fn(usize) -> u64| {
        let colouring = quotient.graph.colouring();
        let case = |start: usize| Case {
            start,
            second: None,
            ends: ends(start) & colouring.ends(start, all) & !u64::bit(start),
            class: 0,
            weight: 1,
        };
        let cases = starts.members().map(case).filter(|case| case.ends != 0);
        Action::Reflect(cases.collect())
    };
    // Between two middle moves a path is the same in either direction; elsewhere the directions
    // differ.
    let between_loops = || reflect(loops, &|start| loops & !u64::below(start));
    match (kind, quotient.order, &quotient.near_fixed[..]) {
        (Kind::Closed, 4, []) => vec![shift()],
        (Kind::Closed, 2, []) => vec![shift(), between_loops()],
        (Kind::Closed, 2, &[near]) => vec![reflect(near, &|_| loops)],
        (Kind::Closed, 2, &[near, other]) => vec![reflect(near, &|_| other)],
        (Kind::Open, 2, []) => vec![reflect(loops, &|_| all)],
        (Kind::Open, 2, &[near]) => vec![reflect(near, &|_| all)],
        _ => vec![],
    }
}

/// Scores a tour of the orbits by the number of its lifts that are tours.
struct Lifts<'a> {
    quotient: &'a Quotient,
    shift: bool,
}

impl Score<u64> for Lifts<'_> {
    type Tally = Found;

    const LINKS: bool = true;

    fn tour(&self, case: &Case<u64>, links: &[Link], end: usize, found: &mut Found) {
        let quotient = self.quotient;
        let lifts = match (self.shift, quotient.order) {
            (false, _) => quotient.lifts(links),
            // Modulo 2 a voltage is the same both ways. One choice of two voltages makes half of
            // the sums odd.
            (true, 2) => match quotient.lifts(links) {
                1 => links.iter().fold(0, |sum, &(i, j)| {
                    sum ^ u64::from(quotient.voltages(i.into(), j.into()) >> 1)
                }),
                lifts => lifts / 2,
            },
            (true, _) => {
                let mut order = Vec::with_capacity(links.len());
                in_order::<{ Quotient::MAX_ORBITS }>(
                    links,
                    quotient.orbits.len(),
                    case.start,
                    end,
                    &mut order,
                );
                let turns = quotient.turns(order.iter().copied().chain([case.start]));
                turns[1] + turns[3]
            }
        };
        // The weight of a closed case counts directions.
        found.tours += lifts
            * if self.shift {
                case.weight / 2
            } else {
                case.weight
            };
    }

    fn nodes(found: &mut Found, nodes: u64) {
        found.nodes += nodes;
    }
}

/// Counts the undirected tours that a symmetry maps onto themselves.
pub(super) fn count(
    board: &Board,
    kind: Kind,
    symmetry: Symmetry,
    run: &Run,
) -> Result<Found, SymmetricError> {
    let quotient = Quotient::new(board, symmetry)?;
    if quotient.orbits.is_empty() || board.playable() <= TINY {
        let mut tours = 0;
        let nodes = filter_all_tours(board, kind, symmetry, run, |_| {
            tours += 1;
            ControlFlow::Continue(())
        })?;
        return Ok(Found { tours, nodes });
    }
    let mut found = Found::default();
    for action in actions(&quotient, kind, true) {
        let (kind, shift, cases) = match action {
            Action::Shift(cases) => (Kind::Closed, true, cases),
            Action::Reflect(cases) => (Kind::Open, false, cases),
        };
        let score = Lifts {
            quotient: &quotient,
            shift,
        };
        let growth = Growth::on(&quotient.graph, kind);
        found.merge(score_all(&growth, &cases, &score, run)?);
    }
    Ok(found)
}

/// Hands the squares of each undirected tour that a symmetry maps onto itself to `visitor`, in an
/// order that is always the same; a closed tour starts on the board's first square, towards the
/// smaller of its neighbours.
pub(super) fn list(
    board: &Board,
    kind: Kind,
    symmetry: Symmetry,
    run: &Run,
    visitor: &mut dyn FnMut(&[Square]) -> ControlFlow<()>,
) -> Result<u64, SymmetricError> {
    let quotient = Quotient::new(board, symmetry)?;
    if quotient.orbits.is_empty() || board.playable() <= TINY {
        return filter_all_tours(board, kind, symmetry, run, visitor);
    }
    let image = |square: Square| board.grid().image(symmetry, square);
    let over = Cell::new(false);
    let mut show = |tour: &mut Vec<Square>| {
        match kind {
            Kind::Closed => from_first_square(tour),
            Kind::Open if tour[0] > tour[tour.len() - 1] => tour.reverse(),
            Kind::Open => {}
        }
        if !over.get() {
            over.set(visitor(tour).is_break());
        }
    };
    let (mut tour, mut nodes) = (Vec::new(), 0);
    for action in actions(&quotient, kind, false) {
        let mut shifted = |path: &[Square]| {
            let turns: &[usize] = if quotient.order == 2 { &[1] } else { &[1, 3] };
            for &turn in turns {
                let turned = |square: Square| (0..turn).fold(square, |s, _| image(s));
                if !board.is_move(path[path.len() - 1], turned(path[0])) {
                    continue;
                }
                tour.clear();
                tour.extend_from_slice(path);
                for part in 1..quotient.order {
                    let before = (part - 1) * path.len();
                    tour.extend_from_within(before..);
                    tour[part * path.len()..]
                        .iter_mut()
                        .for_each(|s| *s = turned(*s));
                }
                show(&mut tour);
            }
        };
        nodes += match action {
            Action::Shift(cases) => {
                list_lifts(&quotient, Kind::Closed, &cases, run, &over, &mut shifted)?
            }
            Action::Reflect(cases) => {
                let mut tour = Vec::new();
                let mut reflected = |path: &[Square]| {
                    tour.clear();
                    match kind {
                        Kind::Closed => {
                            tour.extend(quotient.fixed.first());
                            tour.extend(path);
                            tour.extend(quotient.fixed.get(1));
                            tour.extend(path.iter().rev().map(|&s| image(s)));
                        }
                        Kind::Open => {
                            tour.extend(path.iter().rev());
                            tour.extend(quotient.fixed.first());
                            tour.extend(path.iter().map(|&s| image(s)));
                        }
                    }
                    show(&mut tour);
                };
                list_lifts(&quotient, Kind::Open, &cases, run, &over, &mut reflected)?
            }
        };
        if over.get() {
            break;
        }
    }
    Ok(nodes)
}

/// Calls a visitor with every lift of every tour of the orbits, until it breaks.
fn list_lifts(
    quotient: &Quotient,
    kind: Kind,
    cases: &[Case<u64>],
    run: &Run,
    over: &Cell<bool>,
    visitor: &mut impl FnMut(&[Square]),
) -> Result<u64, SymmetricError> {
    let lister = Lister::new(quotient.orbits.len(), run, |orbits: &[usize]| {
        quotient.for_each_lift(orbits, visitor);
        if over.get() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    Ok(lister
        .list(&Growth::on(&quotient.graph, kind), cases)?
        .nodes)
}

/// Turns a closed tour so that it starts on its smallest square, towards the smaller of the
/// neighbours there.
fn from_first_square(tour: &mut [Square]) {
    let first = (0..tour.len()).min_by_key(|&i| tour[i]).unwrap_or(0);
    tour.rotate_left(first);
    if tour.len() > 2 && tour[1] > tour[tour.len() - 1] {
        tour[1..].reverse();
    }
}

/// The tours that a symmetry maps onto themselves, selected from all tours.
fn filter_all_tours(
    board: &Board,
    kind: Kind,
    symmetry: Symmetry,
    run: &Run,
    mut visitor: impl FnMut(&[Square]) -> ControlFlow<()>,
) -> Result<u64, SymmetricError> {
    let question = Question::new(board.clone(), kind);
    let work = search::visit(
        &question,
        Direction::Undirected,
        Method::default(),
        run,
        |order| {
            if is_invariant(board, kind, symmetry, order) {
                visitor(order)
            } else {
                ControlFlow::Continue(())
            }
        },
    )?;
    Ok(work.get("nodes"))
}

/// Whether a symmetry maps the moves of a tour onto themselves.
pub(super) fn is_invariant(
    board: &Board,
    kind: Kind,
    symmetry: Symmetry,
    order: &[Square],
) -> bool {
    let mut next = vec![[usize::MAX; 2]; board.grid().len()];
    let closing = (kind == Kind::Closed).then(|| (order[order.len() - 1], order[0]));
    let moves = || {
        order
            .windows(2)
            .map(|pair| (pair[0], pair[1]))
            .chain(closing)
    };
    for (a, b) in moves() {
        next[a] = [b, next[a][0]];
        next[b] = [a, next[b][0]];
    }
    let image = |square| board.grid().image(symmetry, square);
    moves().all(|(a, b)| next[image(a)].contains(&image(b)))
}
