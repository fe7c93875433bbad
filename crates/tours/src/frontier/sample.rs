//! Every tour of a board by number: uniform samples, ranks, and the tour of a rank.

use everymove_kernel::grid::Square;
use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Reservation, Run, Stopped, Work};
use everymove_kernel::text::grouped;
use thiserror::Error;

use crate::board::{Board, Kind};
use crate::frontier::FrontierError;
use crate::frontier::candidates::{self, Candidates, link, tour_of};
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
/// A tour and its reverse are one. The numbering is fixed for a board and a kind, and has no
/// meaning beyond that. The layers of the count stay in memory, so the board must be small enough
/// for that: limited by `Run::ram`.
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
        "there is no tour number {}: the {board} board has {} {kind} tours, numbered from 0",
        grouped(*index),
        grouped(*total)
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

/// About the bytes of all layers of a board, known at once, with those of the steps: on the boards
/// measured, a row more doubles the layers of boards of few rows.
fn sampler_bytes(board: &Board, kind: Kind) -> u64 {
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
        (15 | 16, _) => 2000,
        (17, _) => 6500,
        _ => 130_000,
    };
    (mib << 20) + 4 * plan_bytes(board)
}

/// Tours of a board drawn uniformly, with as little memory as that takes.
pub struct Drawer(Method);

enum Method {
    /// All tours are numbered.
    Numbered(Box<Sampler>),
    /// A number is that of a tour with some probability.
    Candidates(Box<Candidates>),
}

impl Drawer {
    /// Prepares to draw tours of a board.
    ///
    /// # Errors
    /// [`FrontierError`]: stopped, over the memory budget, or more tours than can be numbered.
    pub fn new(board: &Board, kind: Kind, run: &Run) -> Result<Self, FrontierError> {
        if !candidates::are_few(board, kind)
            && let Some(candidates) = Candidates::new(board, kind, run)?
        {
            return Ok(Self(Method::Candidates(candidates.into())));
        }
        let sampler = Sampler::new(board, kind, run)?;
        Ok(Self(Method::Numbered(sampler.into())))
    }

    /// About the bytes that it takes at least, known at once.
    pub fn bytes(board: &Board, kind: Kind) -> u64 {
        match candidates::are_few(board, kind) {
            true => sampler_bytes(board, kind),
            false => candidates::least_bytes(board, kind),
        }
    }

    /// The number of undirected tours, where drawing needs it.
    pub fn total(&self) -> Option<u128> {
        match &self.0 {
            Method::Numbered(sampler) => Some(sampler.total()),
            Method::Candidates(candidates) => (candidates.total() == 0).then_some(0),
        }
    }

    /// What it cost to prepare: `blocks`, `states`, `transitions`.
    pub fn work(&self) -> &Work {
        match &self.0 {
            Method::Numbered(sampler) => sampler.work(),
            Method::Candidates(candidates) => candidates.work(),
        }
    }

    /// A tour drawn uniformly; `None` if there are none.
    ///
    /// # Errors
    /// The stop flag of the run.
    pub fn sample(&self, rng: &mut SplitMix64, run: &Run) -> Result<Option<Tour>, Stopped> {
        match &self.0 {
            Method::Numbered(sampler) => Ok(sampler.sample(rng)),
            Method::Candidates(candidates) => candidates.sample(rng, run),
        }
    }
}

impl Sampler {
    /// Counts the tours of a board and keeps the layers.
    ///
    /// # Errors
    /// [`FrontierError`]: stopped, over the memory budget, or more tours than 128 bits can number.
    pub fn new(board: &Board, kind: Kind, run: &Run) -> Result<Self, FrontierError> {
        let rough = run.ram.used().saturating_add(sampler_bytes(board, kind));
        if !candidates::are_few(board, kind) {
            let what = format!("keeping all layers of the {kind} tours of {}", board.grid());
            let least = sampler_bytes(board, kind) / 4 * 3;
            let fits = run.ram.require(&what, least);
            fits.map_err(|over| over.at_least(rough))?;
        }
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
        let edges = self.walk.edges(index).into_iter();
        let links = edges.map(|edge| link(&self.strip, edge));
        tour_of(&self.board, self.kind, &links.collect::<Vec<_>>())
    }
}

fn edge(a: usize, b: usize) -> Edge {
    Edge {
        from: a.min(b),
        to: End::Square(a.max(b)),
    }
}
