//! Every tour of a board by number: uniform samples, ranks, and the tour of a rank.

use everymove_kernel::grid::Square;
use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Reservation, Run, Work};
use thiserror::Error;

use crate::board::{Board, Kind};
use crate::frontier::FrontierError;
use crate::frontier::choose::need::{ERROR, GAPS, plan_bytes};
use crate::frontier::choose::scheme::widest;
use crate::frontier::choose::sizes::{Counts, Size, layer_sizes};
use crate::frontier::counted::width_of_step;
use crate::frontier::states::block::Layer;
use crate::frontier::states::maps::{Maps, map_bytes};
use crate::frontier::step::plan::Plan;
use crate::frontier::step::pull::Puller;
use crate::frontier::step::strip::{Images, Strip, refuse_wide};
use crate::frontier::vectors::index::Vectors;
use crate::frontier::vectors::live::{Found, List, Live, Members};
use crate::frontier::walk::{Edge, End, Walk};
use crate::question::Question;
use crate::tour::Tour;

/// All tours of a board, numbered from 0.
///
/// A tour and its reverse are one. The numbering is fixed for a board and a kind, and has no meaning beyond that. The
/// layers of the count stay in memory, so the board must be small enough for that: limited by `Run::ram`.
///
/// ```
/// use everymove_kernel::rng::SplitMix64;
/// use everymove_kernel::run::Run;
/// use everymove_tours::board::{Board, Kind};
/// use everymove_tours::frontier::Sampler;
///
/// let sampler = Sampler::new(&Board::knight(6, 6)?, Kind::Closed, &Run::serial())?;
/// assert_eq!(sampler.total(), 9862);
/// let tour = sampler.sample(&mut SplitMix64::new(7)).expect("there are tours");
/// let index = sampler.rank(&tour)?;
/// assert_eq!(sampler.unrank(index)?, tour);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Sampler {
    board: Board,
    kind: Kind,
    strip: Strip,
    walk: Walk,
    work: Work,
    _steps: Reservation,
}

/// Why there is no tour or no number.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum SampleError {
    /// There are fewer tours.
    #[error(
        "there is no tour number {index}: the {board} board has {total} {kind} tours, numbered from 0"
    )]
    TooHigh {
        /// The number asked for.
        index: u128,
        /// The board.
        board: everymove_kernel::grid::Grid,
        /// How many tours there are.
        total: u128,
        /// Their kind.
        kind: Kind,
    },
    /// The squares given are not a tour of this board and kind.
    #[error("that is not a {kind} tour of this {board} board, so it has no number")]
    NotATour {
        /// The board.
        board: everymove_kernel::grid::Grid,
        /// The kind asked for.
        kind: Kind,
    },
}

/// About the bytes of all layers of a board, known at once, with those of the steps: on the boards measured, a row more
/// doubles the layers of boards of few rows.
pub fn sampler_bytes(board: &Board, kind: Kind) -> u64 {
    let question = Question::new(board.clone(), kind);
    let rows = board.grid().rows().max(board.grid().cols());
    let mib = match (widest(&question), rows) {
        (..=11, _) => 8,
        (12, ..=5) => 8,
        (12, ..=8) => 24,
        (12, _) => 80,
        (13 | 14, ..=6) => 32,
        (13 | 14, ..=7) => 66,
        (13 | 14, _) => 145,
        (15 | 16, ..=7) => 1010,
        _ => 2000,
    };
    (mib << 20) + 4 * plan_bytes(board)
}

impl Sampler {
    /// Counts the tours of a board and keeps the layers.
    ///
    /// # Errors
    /// [`FrontierError`]: stopped, over the memory budget, or more tours than 128 bits can number.
    pub fn new(board: &Board, kind: Kind, run: &Run) -> Result<Self, FrontierError> {
        let rough = run.ram.used().saturating_add(sampler_bytes(board, kind));
        Self::counted(board, kind, run).map_err(|error| error.at_least(rough))
    }

    fn counted(board: &Board, kind: Kind, run: &Run) -> Result<Self, FrontierError> {
        refuse_wide(board)?;
        let steps_held = (run.ram).reserve("the steps of the count", 2 * plan_bytes(board))?;
        let strip = Strip::new(board, kind, None);
        let steps = strip.elimination(strip.rows(), Images::Apart, &run.stop)?;
        run.progress.start("planning the count", 0);
        let plan = Plan::one_way(steps);
        let mut live: Live<Members> = Live::new(&plan, run)?;
        let found = Found::of(&live, run)?;
        let mut work = Work::of("blocks", found.vectors);
        let steps = plan.steps.common;
        let (needed, _) = layer_sizes(vec![1.0], &steps, &live.common, Counts::Exact, run)?;
        let what = format!("keeping all layers of the {kind} tours of {}", board.grid());
        let maps = map_bytes(found.ends);
        let layers = Size::sum(&needed).bytes * (1.0 + ERROR + GAPS);
        run.ram.require(&what, maps + layers as u64)?;
        let tables = run.ram.reserve(&what, maps)?;
        run.progress.start("counting tours", steps.len() as u64);
        let maps = Maps::new(maps);
        let puller = Puller::new(&maps, run, None);
        let mut layers = vec![Layer::start()];
        for (step, after) in steps.iter().zip(&mut live.common[1..]) {
            let before = layers.last().expect("the layer before the step");
            let width = width_of_step(before.sum, step)?;
            let Members { list, held } = after.take(run)?;
            let after = Vectors {
                list,
                class: None,
                held: Some(held),
            };
            let pulled = puller.advance(width, before, step, after)?;
            work.add("states", pulled.layer.states);
            work.add("transitions", pulled.transitions);
            run.progress.advance(1);
            layers.push(pulled.layer);
        }
        drop((maps, tables));
        let walk = Walk { steps, layers };
        Ok(Self {
            board: board.clone(),
            kind,
            strip,
            walk,
            work,
            _steps: steps_held,
        })
    }

    /// The number of tours.
    pub fn total(&self) -> u128 {
        if self.is_single_square() {
            1
        } else {
            self.walk.total()
        }
    }

    /// What the count cost: `blocks`, `states`, `transitions`.
    pub fn work(&self) -> &Work {
        &self.work
    }

    /// A tour drawn uniformly; `None` if there are none.
    pub fn sample(&self, rng: &mut SplitMix64) -> Option<Tour> {
        let total = self.total();
        (total > 0).then(|| self.tour(rng.below_u128(total)))
    }

    /// The tour with a given number.
    ///
    /// # Errors
    /// [`SampleError::TooHigh`] if there are fewer tours.
    pub fn unrank(&self, index: u128) -> Result<Tour, SampleError> {
        if index >= self.total() {
            let board = self.board.grid();
            return Err(SampleError::TooHigh {
                index,
                board,
                total: self.total(),
                kind: self.kind,
            });
        }
        Ok(self.tour(index))
    }

    /// The number of a tour.
    ///
    /// # Errors
    /// [`SampleError::NotATour`] if it is not one of this board and kind.
    pub fn rank(&self, tour: &Tour) -> Result<u128, SampleError> {
        let not_a_tour = SampleError::NotATour {
            board: self.board.grid(),
            kind: self.kind,
        };
        if tour.board() != &self.board || crate::check::verify(tour, 1).is_err() {
            return Err(not_a_tour);
        }
        if self.is_single_square() {
            return Ok(0);
        }
        let order = tour.order();
        let number = |&square: &Square| self.strip.number_of(square);
        let numbers: Vec<usize> = order.iter().map(number).collect();
        let mut edges: Vec<Edge> = numbers
            .windows(2)
            .map(|pair| edge(pair[0], pair[1]))
            .collect();
        let (first, last) = (numbers[0], numbers[numbers.len() - 1]);
        match self.kind {
            Kind::Open => {
                edges.extend([first, last].map(|from| Edge {
                    from,
                    to: End::Apex,
                }));
            }
            Kind::Closed => edges.push(edge(first, last)),
        }
        self.walk.index(&edges).ok_or(not_a_tour)
    }

    fn is_single_square(&self) -> bool {
        self.board.playable() == 1 && self.kind == Kind::Open
    }

    fn tour(&self, index: u128) -> Tour {
        if self.is_single_square() {
            let order: Vec<Square> = self.board.squares().collect();
            return Tour::from_order(self.board.clone(), self.kind, &order);
        }
        let mut neighbours = vec![[None; 2]; self.strip.len()];
        let mut ends = Vec::new();
        let mut link = |from: usize, to: usize| {
            let free = neighbours[from].iter_mut().find(|n| n.is_none());
            *free.expect("every square has two edges") = Some(to);
        };
        for edge in self.walk.edges(index) {
            match edge.to {
                End::Apex => ends.push(edge.from),
                End::Square(to) => {
                    link(edge.from, to);
                    link(to, edge.from);
                }
            }
        }
        let square = |number: usize| self.strip.board_square(self.strip.square(number));
        // The end that comes first on the board begins; a closed tour begins on the first square, towards the smaller
        // of its two neighbours.
        let starts = if self.kind == Kind::Open {
            ends
        } else {
            (0..self.strip.len()).collect()
        };
        let start = starts
            .into_iter()
            .min_by_key(|&n| square(n))
            .expect("a tour has squares");
        let next = neighbours[start]
            .iter()
            .flatten()
            .copied()
            .min_by_key(|&n| square(n));
        let (mut order, mut before, mut here) = (vec![square(start)], start, next);
        while let Some(at) = here
            && at != start
        {
            order.push(square(at));
            let other = |&n: &usize| n != before;
            (here, before) = (neighbours[at].iter().flatten().copied().find(other), at);
        }
        Tour::from_order(self.board.clone(), self.kind, &order)
    }
}

fn edge(a: usize, b: usize) -> Edge {
    Edge {
        from: a.min(b),
        to: End::Square(a.max(b)),
    }
}
