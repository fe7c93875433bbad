//! Tours drawn uniformly from boards whose layers do not fit the memory.
//!
//! A *candidate* chooses two edges at every square (in open tours the apex is one) without regard
//! to the cycles that they make: a 2-factor. There are only a few times more of them than tours,
//! and they are numbered by the sum of each degree vector alone. A number drawn uniformly is a
//! candidate, which is a tour if its edges are one cycle; otherwise another is drawn, so that all
//! tours have the same probability.

use std::ops::Range;
use std::sync::Arc;

use everymove_kernel::grid::Square;
use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Reservation, Run, Stopped, Work};

use crate::board::{Board, Kind, Leaper};
use crate::frontier::FrontierError;
use crate::frontier::choose::need::plan_bytes;
use crate::frontier::step::Step;
use crate::frontier::step::plan::{Halves, Phase, Plan};
use crate::frontier::step::strip::{Images, Strip, is_too_wide, refuse_wide};
use crate::frontier::vectors::degrees::{Degrees, DigitMap};
use crate::frontier::vectors::index::Index;
use crate::frontier::vectors::live::{Live, Members, in_ranges};
use crate::frontier::walk::{Edge, End, taken};
use crate::tour::Tour;

/// Degree vectors of the first half whose pairs with the second are summed up together.
const PORTION: usize = 1 << 10;

/// Up to this many slots of a frontier all layers are small, and the tours are numbered instead.
const NUMBERED: usize = 14;

/// What the memory is called when it is asked for.
const WHAT: &str = "drawing tours";

/// The candidates of a board, numbered.
pub(crate) struct Candidates {
    board: Board,
    kind: Kind,
    first: Half,
    second: Half,
    /// The degree vector of the second half that faces one of the first.
    facing: DigitMap,
    /// The candidates before each portion of degree vectors of the first half, and all.
    before: Vec<u128>,
    work: Work,
    _held: [Reservation; 2],
}

/// One half of the board, from its edge to the middle.
struct Half {
    strip: Strip,
    /// The numbers of the squares that remain in the middle.
    middle: Range<usize>,
    steps: Vec<Step>,
    /// The layers before the first step and after each.
    layers: Vec<Arc<Sums>>,
}

/// A layer: for each degree vector, in how many ways edges give it.
struct Sums {
    degrees: Vec<Degrees>,
    sums: Numbers,
    _held: [Reservation; 2],
}

/// Numbers in the fewest bytes that hold them all.
enum Numbers {
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

impl Numbers {
    #[inline]
    fn get(&self, position: usize) -> u64 {
        match self {
            Self::Narrow(numbers) => numbers[position].into(),
            Self::Wide(numbers) => numbers[position],
        }
    }
}

/// An edge between squares of the board, or to the apex.
type Link = [Option<Square>; 2];

impl Sums {
    fn of(members: Members, sums: Numbers, held: Reservation) -> Arc<Self> {
        let Members {
            list,
            held: list_held,
        } = members;
        Arc::new(Self {
            degrees: list,
            sums,
            _held: [list_held, held],
        })
    }

    fn sum(&self, degrees: Degrees) -> u64 {
        let position = self.degrees.binary_search(&degrees);
        position.map_or(0, |position| self.sums.get(position))
    }

    /// The layers from this one on, those after some steps.
    fn through(
        self: Arc<Self>,
        steps: &[Step],
        lists: impl IntoIterator<Item = Members>,
        run: &Run,
    ) -> Result<Vec<Arc<Self>>, FrontierError> {
        let mut layers = vec![self];
        for (step, list) in steps.iter().zip(lists) {
            let next = layers[layers.len() - 1].after(step, list, run)?;
            layers.push(next);
            run.progress.advance(1);
        }
        Ok(layers)
    }

    /// The layer after a step.
    fn after(&self, step: &Step, after: Members, run: &Run) -> Result<Arc<Self>, FrontierError> {
        let _index = run.ram.reserve(WHAT, Index::bytes(step.slots_in, None))?;
        let index = Index::new(&self.degrees, step.slots_in, None, run)?;
        let (sums, held) = match self.gathered::<u32>(step, &index, &after.list, run)? {
            Some((sums, held)) => (Numbers::Narrow(sums), held),
            None => {
                let sums = self.gathered::<u64>(step, &index, &after.list, run)?;
                let (sums, held) = sums.ok_or(FrontierError::TooMany)?;
                (Numbers::Wide(sums), held)
            }
        };
        Ok(Self::of(after, sums, held))
    }

    /// The sums after a step, and their memory; `None` if one does not fit `T`.
    fn gathered<T: TryFrom<u64> + Send>(
        &self,
        step: &Step,
        index: &Index,
        list: &[Degrees],
        run: &Run,
    ) -> Result<Option<(Vec<T>, Reservation)>, FrontierError> {
        let sum = |&degrees: &Degrees| {
            let mut sum = Some(0u64);
            step.for_each_before(degrees, |before, _| {
                if let Some(position) = index.position(before) {
                    sum = sum.and_then(|sum| sum.checked_add(self.sums.get(position)));
                }
            });
            sum.and_then(|sum| T::try_from(sum).ok())
        };
        let bytes = (size_of::<T>() * list.len()) as u64;
        let held = run.ram.reserve(WHAT, bytes)?;
        // What the threads have gathered is there twice while it is put together.
        let _parts = run.ram.reserve(WHAT, bytes)?;
        let parts = in_ranges(list.len(), run, |range| {
            list[range].iter().map(sum).collect::<Option<Vec<T>>>()
        })?;
        let mut sums = Vec::with_capacity(list.len());
        for part in parts {
            let Some(part) = part else { return Ok(None) };
            sums.extend(part);
        }
        Ok(Some((sums, held)))
    }
}

impl Candidates {
    /// Numbers the candidates of a board; `None` if it has too few rows to meet in the middle, and
    /// so few tours.
    ///
    /// # Errors
    /// [`FrontierError`]: stopped, over the memory budget, or more candidates than can be numbered.
    pub(crate) fn new(board: &Board, kind: Kind, run: &Run) -> Result<Option<Self>, FrontierError> {
        refuse_wide(board)?;
        run.ram.require(WHAT, least_bytes(board, kind))?;
        let steps_held = run.ram.reserve(WHAT, 2 * plan_bytes(board))?;
        let strip = Strip::new(board, kind, None);
        let halved = Plan::halved(&strip, board, Images::Apart, &run.stop)?;
        let Some(Halves {
            plan,
            other,
            middles: [ours, theirs],
        }) = halved
        else {
            return Ok(None);
        };
        let Some(meet) = &plan.meet else {
            return Ok(None);
        };
        run.progress.start("planning the draws", 0);
        let live: Live<Members> = Live::new(&plan, run)?;
        let sums = size_of::<u32>() as u64 * live.vectors();
        run.ram
            .require(WHAT, sums + Index::bytes(plan.slots(), None))?;
        let work = Work::of("blocks", live.vectors());
        run.progress
            .start("counting candidates", plan.all().count() as u64);
        let mut common = live.common.into_iter();
        let start = match common.next() {
            Some(start) => start,
            None => Members::new(vec![0], run)?,
        };
        let sums = vec![1u32; start.list.len()];
        let held = run.ram.reserve(WHAT, size_of_val(&sums[..]) as u64)?;
        let start = Sums::of(start, Numbers::Narrow(sums), held);
        let common = start.through(&plan.steps[Phase::Common], common, run)?;
        let half = |(strip, middle), phase, lists: Vec<Members>| {
            let branch = common[common.len() - 1].clone();
            let own = branch.through(&plan.steps[phase], lists.into_iter().skip(1), run)?;
            Ok::<_, FrontierError>(Half {
                strip,
                middle,
                steps: [&plan.steps[Phase::Common][..], &plan.steps[phase]].concat(),
                layers: common
                    .iter()
                    .cloned()
                    .chain(own.into_iter().skip(1))
                    .collect(),
            })
        };
        let first = half((strip, ours), Phase::First, live.first)?;
        let second = half((other, theirs), Phase::Second, live.second)?;
        let portions = first.last().degrees.len().div_ceil(PORTION) + 1;
        let pairs_held = (run.ram).reserve(WHAT, (portions * size_of::<u128>()) as u64)?;
        let mut candidates = Self {
            board: board.clone(),
            kind,
            first,
            second,
            facing: DigitMap::complement(&meet.facing),
            before: Vec::with_capacity(portions),
            work,
            _held: [steps_held, pairs_held],
        };
        candidates.sum_up(run)?;
        Ok(Some(candidates))
    }

    /// Sums up the pairs of facing degree vectors.
    fn sum_up(&mut self, run: &Run) -> Result<(), FrontierError> {
        let (first, second) = (self.first.last(), self.second.last());
        let slots = self.first.steps.last().map_or(0, |step| step.slots_out);
        let _held = run.ram.reserve(WHAT, Index::bytes(slots, None))?;
        let index = Index::new(&second.degrees, slots, None, run)?;
        let mut all = 0u128;
        self.before.push(all);
        for (portion, vectors) in first.degrees.chunks(PORTION).enumerate() {
            run.stop.check()?;
            for (i, &degrees) in vectors.iter().enumerate() {
                if let Some(position) = index.position(self.facing.apply(degrees)) {
                    let ours = u128::from(first.sums.get(portion * PORTION + i));
                    let pairs = ours * u128::from(second.sums.get(position));
                    all = all.checked_add(pairs).ok_or(FrontierError::TooMany)?;
                }
            }
            self.before.push(all);
        }
        Ok(())
    }

    /// The number of candidates.
    pub(crate) fn total(&self) -> u128 {
        self.before.last().copied().unwrap_or(0)
    }

    /// What it cost to number them.
    pub(crate) fn work(&self) -> &Work {
        &self.work
    }

    /// A tour drawn uniformly; `None` if there are no candidates.
    pub(crate) fn sample(&self, rng: &mut SplitMix64, run: &Run) -> Result<Option<Tour>, Stopped> {
        let total = self.total();
        if total == 0 {
            return Ok(None);
        }
        loop {
            run.stop.check()?;
            let links = self.links(rng.below_u128(total));
            if is_one_cycle(&links, self.board.grid().len()) {
                return Ok(Some(tour_of(&self.board, self.kind, &links)));
            }
        }
    }

    /// The edges of a candidate.
    fn links(&self, number: u128) -> Vec<Link> {
        let portion = self.before.partition_point(|&before| before <= number) - 1;
        let mut left = number - self.before[portion];
        let (first, second) = (self.first.last(), self.second.last());
        let mut position = portion * PORTION;
        loop {
            let degrees = first.degrees[position];
            let facing = self.facing.apply(degrees);
            let theirs = u128::from(second.sum(facing));
            let pairs = u128::from(first.sums.get(position)) * theirs;
            if left < pairs {
                let mut links = Vec::with_capacity(self.board.grid().len() + 1);
                // Both are below a sum of 64 bits.
                let (ours, theirs) = ((left / theirs) as u64, (left % theirs) as u64);
                self.first.walk_back(degrees, ours, &mut links);
                self.second.walk_back(facing, theirs, &mut links);
                return links;
            }
            left -= pairs;
            position += 1;
        }
    }
}

impl Half {
    fn last(&self) -> &Sums {
        self.layers.last().expect("the layer before the first step")
    }

    /// Adds the edges of the way with a number among those to these degrees in the middle.
    fn walk_back(&self, mut degrees: Degrees, mut number: u64, links: &mut Vec<Link>) {
        for (i, step) in self.steps.iter().enumerate().rev() {
            let layer = &self.layers[i];
            let mut before = None;
            step.for_each_before(degrees, |candidate, _| {
                if before.is_none() {
                    match layer.sum(candidate) {
                        sum if number < sum => before = Some(candidate),
                        sum => number -= sum,
                    }
                }
            });
            let before = before.expect("a sum is that of its predecessors");
            let squares = (i.min(self.middle.start), self.strip.apex());
            let edges = taken(squares, step, before, degrees);
            links.extend(edges.into_iter().map(|edge| link(&self.strip, edge)));
            degrees = before;
        }
    }
}

/// An edge of a strip as one of its board.
pub(crate) fn link(strip: &Strip, edge: Edge) -> Link {
    let square = |number| Some(strip.board_square(strip.square(number)));
    match edge.to {
        End::Apex => [square(edge.from), None],
        End::Square(to) => [square(edge.from), square(to)],
    }
}

/// Whether edges, of which every square and the apex have two or none, are one cycle.
fn is_one_cycle(links: &[Link], squares: usize) -> bool {
    let node = |end: Option<Square>| end.unwrap_or(squares);
    let mut at = vec![[usize::MAX; 2]; squares + 1];
    for (i, link) in links.iter().enumerate() {
        for end in link.map(node) {
            let free = usize::from(at[end][0] != usize::MAX);
            at[end][free] = i;
        }
    }
    let Some(&first) = links.first() else {
        return false;
    };
    let [start, mut here] = first.map(node);
    let (mut link, mut passed) = (0, 1);
    while here != start {
        let [one, other] = at[here];
        link = if one == link { other } else { one };
        let [a, b] = links[link].map(node);
        here = if a == here { b } else { a };
        passed += 1;
    }
    passed == links.len()
}

/// The tour with these edges, those to the apex included: an open one begins on the end that comes
/// first on the board, a closed one on the first square, towards the smaller of its two neighbours.
pub(crate) fn tour_of(board: &Board, kind: Kind, edges: &[Link]) -> Tour {
    let mut neighbours = vec![[None; 2]; board.grid().len()];
    let mut starts = Vec::new();
    for &[from, to] in edges {
        match (from, to) {
            (Some(from), Some(to)) => {
                for (from, to) in [(from, to), (to, from)] {
                    let free = neighbours[from].iter_mut().find(|n| n.is_none());
                    *free.expect("every square has two edges") = Some(to);
                }
            }
            (Some(end), None) | (None, Some(end)) => starts.push(end),
            (None, None) => {}
        }
    }
    if kind == Kind::Closed {
        starts = board.squares().collect();
    }
    let start = starts.into_iter().min().expect("a tour has squares");
    let next = neighbours[start].iter().flatten().copied().min();
    let (mut order, mut before, mut here) = (vec![start], start, next);
    while let Some(at) = here
        && at != start
    {
        order.push(at);
        let other = |&n: &usize| n != before;
        (here, before) = (neighbours[at].iter().flatten().copied().find(other), at);
    }
    Tour::from_order(board.clone(), kind, &order)
}

/// Whether the tours of a board are numbered with little memory.
pub(crate) fn are_few(board: &Board, kind: Kind) -> bool {
    slots(board, kind) <= NUMBERED
}

/// The slots of the widest frontier of a board without holes.
fn slots(board: &Board, kind: Kind) -> usize {
    let grid = board.grid();
    let (narrow, reach) = (grid.rows().min(grid.cols()), board.leaper().long() as usize);
    let squares = narrow.saturating_mul(reach).saturating_add(1);
    squares.saturating_add(usize::from(kind == Kind::Open))
}

/// About the bytes that the candidates of a board take at least, known at once; nothing is known of
/// boards with holes and other leapers.
pub(crate) fn least_bytes(board: &Board, kind: Kind) -> u64 {
    let rows = board.grid().rows().max(board.grid().cols()) as u64;
    let mib_a_row = match slots(board, kind) {
        // A board that is too wide is refused for that.
        _ if !board.holes().is_empty()
            || *board.leaper() != Leaper::KNIGHT
            || is_too_wide(board) =>
        {
            0
        }
        ..=16 => 2,
        17 => 8,
        18 => 75,
        19 => 70,
        _ => 640,
    };
    (mib_a_row * rows) << 20
}

#[cfg(test)]
mod tests {
    use everymove_kernel::run::Ram;

    use super::*;
    use crate::frontier::Sampler;

    fn candidates(rows: u32, cols: u32, kind: Kind) -> (Board, Candidates) {
        let board = Board::knight(rows, cols).unwrap();
        let candidates = Candidates::new(&board, kind, &Run::serial());
        (board, candidates.unwrap().unwrap())
    }

    /// Every tour is one candidate, on boards of which the halves are alike and others, by the
    /// numbers of all tours.
    #[test]
    fn every_tour_is_a_candidate_once() {
        for (rows, cols, kind) in [
            (5, 6, Kind::Closed),
            (6, 6, Kind::Closed),
            (5, 5, Kind::Open),
            (4, 5, Kind::Open),
            (3, 7, Kind::Open),
        ] {
            let (board, candidates) = candidates(rows, cols, kind);
            let sampler = Sampler::new(&board, kind, &Run::serial()).unwrap();
            let mut seen = vec![false; sampler.total() as usize];
            for number in 0..candidates.total() {
                let links = candidates.links(number);
                if is_one_cycle(&links, board.grid().len()) {
                    let tour = tour_of(&board, kind, &links);
                    let rank = sampler.rank(&tour).unwrap() as usize;
                    assert!(!std::mem::replace(&mut seen[rank], true), "{rows}x{cols}");
                }
            }
            assert!(seen.into_iter().all(|seen| seen), "{rows}x{cols}");
        }
    }

    /// With 9862 tours the statistic has 9861 degrees of freedom and a standard deviation of 140;
    /// the seed is fixed, so the test either always passes or never.
    #[test]
    fn tours_drawn_are_uniform() {
        let (board, candidates) = candidates(6, 6, Kind::Closed);
        let run = Run::serial();
        let sampler = Sampler::new(&board, Kind::Closed, &run).unwrap();
        let mut rng = SplitMix64::new(2026);
        let mut seen = vec![0u32; 9862];
        let draws = 100_000;
        for _ in 0..draws {
            let tour = candidates.sample(&mut rng, &run).unwrap().unwrap();
            seen[sampler.rank(&tour).unwrap() as usize] += 1;
        }
        let expected = f64::from(draws) / 9862.0;
        let squares = seen.iter().map(|&n| (f64::from(n) - expected).powi(2));
        let statistic = squares.sum::<f64>() / expected;
        assert!(
            (9861.0 - 560.0..9861.0 + 560.0).contains(&statistic),
            "{statistic}"
        );
    }

    #[test]
    fn what_does_not_fit_is_refused_at_once() {
        let run = Run::new(1, Ram::limited(100 << 20));
        let board = Board::knight(8, 8).unwrap();
        let refused = Candidates::new(&board, Kind::Open, &run);
        assert!(matches!(refused, Err(FrontierError::OverBudget(_))));
        assert_eq!(run.ram.peak(), 0);
    }
}
