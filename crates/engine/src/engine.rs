//! The engine: a hash table, what threads have learnt, options.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::endings::{Endings, EndingsError};
use crate::eval::{Evaluate, HandMade, Weights};
use crate::search::{Features, History, Memory, Strategy};
use crate::syzygy::{Syzygy, SyzygyError};
use crate::table::Table;

/// What can be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Bytes of the hash table.
    pub hash: u64,
    /// Threads that search.
    pub threads: usize,
    /// Lines wanted.
    pub multi_pv: usize,
    /// How the threads share the work.
    pub strategy: Strategy,
    /// What the search may use.
    pub features: Features,
    /// Time lost between the engine and its clock on each move.
    pub overhead: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            hash: 16 << 20,
            threads: 1,
            multi_pv: 1,
            strategy: Strategy::default(),
            features: Features::default(),
            overhead: Duration::from_millis(10),
        }
    }
}

/// A chess engine.
///
/// ```
/// use everymove_engine::{Engine, Game, Limits, Options, Signals};
///
/// let mut engine = Engine::new(Options::default());
/// let limits = Limits { depth: Some(6), ..Limits::default() };
/// let answer = engine.search(&Game::default(), &limits, &Signals::new(), &mut |_| {});
/// assert!(answer.best.is_some());
/// ```
#[derive(Debug)]
pub struct Engine {
    pub(crate) options: Options,
    pub(crate) table: Table,
    pub(crate) memories: Vec<Memory>,
    pub(crate) syzygy: Option<Syzygy>,
    pub(crate) endings: Option<Endings>,
    weights: Weights,
}

impl Engine {
    /// An engine with the weights that it comes with.
    pub fn new(options: Options) -> Self {
        Self::with_weights(options, Weights::tuned())
    }

    /// An engine with other weights.
    pub fn with_weights(options: Options, weights: Weights) -> Self {
        Self {
            table: Table::new(options.hash),
            memories: Vec::new(),
            syzygy: None,
            endings: None,
            weights,
            options,
        }
    }

    /// The options now.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Changes options; a hash table of another size starts empty.
    pub fn set_options(&mut self, options: Options) {
        if options.hash != self.options.hash {
            self.table = Table::new(options.hash);
        }
        self.options = options;
    }

    /// Forgets everything that was learnt: the next search is that of a new engine.
    pub fn clear(&mut self) {
        self.table.clear();
        self.memories.iter_mut().for_each(Memory::clear);
    }

    /// Empties the hash table.
    pub fn clear_table(&mut self) {
        self.table.clear();
    }

    /// Uses the Syzygy endgame tables in some directories, separated as in a search path; none for an empty text.
    /// Returns the largest number of pieces.
    ///
    /// # Errors
    /// [`SyzygyError`] for a directory that cannot be read; the tables before stay in use.
    pub fn set_syzygy(&mut self, path: &str) -> Result<usize, SyzygyError> {
        if path.is_empty() || path == "<empty>" {
            self.syzygy = None;
            return Ok(0);
        }
        let tables = Syzygy::open_path(path)?;
        let pieces = tables.most_pieces();
        self.syzygy = Some(tables);
        Ok(pieces)
    }

    /// Uses tables of `everymove tables build` (distances to mate) in a folder, at the root and in the search; none for an
    /// empty text. Returns the most men of one of those that are there.
    ///
    /// # Errors
    /// [`EndingsError`] for what is no directory; the tables before stay in use.
    pub fn set_tables(&mut self, folder: &str) -> Result<usize, EndingsError> {
        self.endings = match folder {
            "" | "<empty>" => None,
            folder => Some(Endings::open(Path::new(folder))?),
        };
        Ok(self.endings.as_ref().map_or(0, Endings::most_men))
    }

    /// The evaluation of a position for the side to move, `None` in check.
    pub fn evaluate(&self, position: &crate::Position) -> Option<crate::Score> {
        let quiet = position.checkers().is_empty();
        quiet.then(|| self.evaluator().evaluate(position))
    }

    fn evaluator(&self) -> Box<dyn Evaluate> {
        Box::new(HandMade::new(self.weights.clone()))
    }

    /// Makes the threads' memories ready; some strategies share one history.
    pub(crate) fn memories(&mut self, threads: usize) {
        while self.memories.len() < threads {
            let history = Arc::new(History::default());
            let evaluator = self.evaluator();
            self.memories.push(Memory::new(evaluator, history));
        }
        let shares = self.options.strategy.shares_history();
        for i in 1..threads {
            let (own, first) = (&self.memories[i].history, &self.memories[0].history);
            let shared = Arc::ptr_eq(own, first);
            if shares && !shared {
                self.memories[i].history = Arc::clone(first);
            } else if !shares && shared {
                self.memories[i].history = Arc::new(History::default());
            }
        }
    }
}
