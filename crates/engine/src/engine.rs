//! The engine: options, transposition table, endgame tables, and the state of its search threads
//! between searches.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use everymove_kernel::run::{Ram, Reservation};
use everymove_tables::{TableError, Tablebase, search_path};

use crate::error::{EngineError, HashError};
use crate::eval::network::NetworkEvaluator;
use crate::eval::{Classical, Evaluate, Evaluation, Network};
use crate::game::Game;
use crate::position::Position;
use crate::score::Score;
use crate::search::features::Features;
use crate::search::history::History;
use crate::search::limits::Limits;
use crate::search::limits::Signals;
use crate::search::run::{self, Setup};
use crate::search::run::{SearchReport, SearchResult};
use crate::search::strategies::Strategy;
use crate::search::thread::ThreadState;
use crate::search::turns::{Simulation, Turns};
use crate::transposition_table::TranspositionTable;

/// Options of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Size of the transposition table in bytes.
    pub hash: u64,
    /// Number of search threads; 0 counts as 1.
    pub threads: usize,
    /// Number of principal variations to report.
    pub multi_pv: usize,
    /// How the threads share the work.
    pub strategy: Strategy,
    /// Techniques that the search may use.
    pub features: Features,
    /// Which static evaluation is used.
    pub evaluation: Evaluation,
    /// Time lost between the engine and its clock on each move, subtracted from the time for a
    /// move.
    pub overhead: Duration,
}

/// Bytes that an engine takes beside its transposition table and its threads.
const BASE: u64 = 2 << 20;
/// Bytes of a search thread: histories, caches, stack.
const THREAD: u64 = 9 << 18;

impl Options {
    /// Bytes that an engine with these options takes, transposition table included.
    pub fn bytes(&self) -> u64 {
        let threads = self.threads.max(1) as u64;
        BASE + threads * THREAD + self.hash
    }

    /// The same options with a transposition table of at most half of a budget, of what is left of
    /// it beside the threads, and of the size that the options state; of at least 1 MiB.
    #[must_use]
    pub fn within(self, ram: &Ram) -> Self {
        let beside = self.bytes() - self.hash;
        let most = (ram.limit() / 2).min(ram.left().saturating_sub(beside));
        Self {
            hash: self.hash.min(most).max(1 << 20),
            ..self
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            hash: 16 << 20,
            threads: 1,
            multi_pv: 1,
            strategy: Strategy::default(),
            features: Features::default(),
            evaluation: Evaluation::default(),
            overhead: Duration::from_millis(30),
        }
    }
}

/// A chess engine.
///
/// ```
/// use everymove_engine::{Engine, Game, Limits, Options, Signals};
///
/// let mut engine = Engine::new(Options::default())?;
/// let limits = Limits { depth: Some(6), ..Limits::default() };
/// let result = engine.search(&Game::default(), &limits, &Signals::new(), &mut |_| {});
/// assert!(result.best.is_some());
/// # Ok::<(), everymove_engine::HashError>(())
/// ```
#[derive(Debug)]
pub struct Engine {
    options: Options,
    table: TranspositionTable,
    thread_states: Vec<ThreadState>,
    tables: Tablebase,
    /// The folders of our own tables, and of Syzygy files.
    folders: [Vec<PathBuf>; 2],
    /// Why folders of Syzygy files are not used.
    unusable: Vec<TableError>,
    network: Arc<Network>,
    _held: Option<Reservation>,
}

impl Engine {
    /// An engine that takes its memory from a budget for as long as it exists.
    ///
    /// # Errors
    /// [`EngineError`] if the budget has not that much left, or the system refuses the memory.
    pub fn reserved(options: Options, ram: &Ram) -> Result<Self, EngineError> {
        let held = ram.reserve("the engine", options.bytes())?;
        let mut engine = Self::new(options)?;
        engine._held = Some(held);
        Ok(engine)
    }

    /// An engine with the network that the crate ships.
    ///
    /// # Errors
    /// [`HashError`] if the system refuses the memory of the transposition table.
    pub fn new(options: Options) -> Result<Self, HashError> {
        Ok(Self {
            table: TranspositionTable::new(options.hash)?,
            thread_states: Vec::new(),
            tables: Tablebase::default(),
            folders: Default::default(),
            unusable: Vec::new(),
            network: Network::shipped(),
            options,
            _held: None,
        })
    }

    /// The current options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Changes options. A transposition table of another size starts empty.
    ///
    /// # Errors
    /// [`HashError`] if the system refuses the memory of the transposition table: the size stays as
    /// it was, the table is empty, and all other options are changed.
    pub fn set_options(&mut self, options: Options) -> Result<(), HashError> {
        let hash = self.options.hash;
        let resized = if options.hash == hash {
            Ok(())
        } else {
            self.resize(options.hash)
        };
        let kept = if resized.is_ok() { options.hash } else { hash };
        let other_evaluation = options.evaluation != self.options.evaluation;
        self.options = Options {
            hash: kept,
            ..options
        };
        if other_evaluation {
            self.replace_evaluators();
        }
        resized
    }

    /// Replaces the transposition table. The old one is freed first, so that the two are never in
    /// memory together.
    fn resize(&mut self, bytes: u64) -> Result<(), HashError> {
        let old = self.options.hash;
        self.table = TranspositionTable::new(0)?;
        let resized = TranspositionTable::new(bytes);
        match resized {
            Ok(table) => {
                self.table = table;
                Ok(())
            }
            Err(refused) => {
                self.table = TranspositionTable::new(old)?;
                Err(refused)
            }
        }
    }

    /// Clears transposition table, histories and caches: the next search is that of a new engine.
    pub fn clear(&mut self) {
        self.table.clear();
        self.thread_states.iter_mut().for_each(ThreadState::clear);
    }

    /// Clears the transposition table only.
    pub fn clear_table(&mut self) {
        self.table.clear();
    }

    /// Uses the Syzygy endgame tables in some directories, separated as in a search path (`:`, on
    /// Windows `;`); none for an empty text or `<empty>`. Returns the largest number of pieces
    /// of a table. [`Self::table_faults`] names the directories that cannot be used, if others
    /// can.
    ///
    /// # Errors
    /// [`TableError`] if no directory can be used; the tables before stay in use.
    pub fn set_syzygy(&mut self, path: &str) -> Result<usize, TableError> {
        let folders = search_path(if path == "<empty>" { "" } else { path });
        let (tables, [_, mut unusable]) = Tablebase::open(&self.folders[0], &folders);
        let pieces = tables.syzygy().most_pieces();
        if pieces == 0 && !unusable.is_empty() {
            return Err(unusable.swap_remove(0));
        }
        (self.tables, self.folders[1], self.unusable) = (tables, folders, unusable);
        Ok(pieces)
    }

    /// Why directories of Syzygy tables are not used, a line for each.
    pub fn table_faults(&self) -> Vec<String> {
        self.unusable.iter().map(ToString::to_string).collect()
    }

    /// Uses the tables of distances to mate, or to a capture or pawn move, in folders, made by
    /// `everymove tables build`, at the root and in the search; the folders are separated as in
    /// [`search_path`], none for an empty text or `<empty>`. Returns the largest number of pieces
    /// of a table.
    ///
    /// # Errors
    /// [`TableError`] for a path that is not a directory; the tables before stay in use.
    pub fn set_tables(&mut self, path: &str) -> Result<usize, TableError> {
        let folders = search_path(if path == "<empty>" { "" } else { path });
        let (tables, [unreadable, _]) = Tablebase::open(&folders, &self.folders[1]);
        if let Some(error) = unreadable.into_iter().next() {
            return Err(error);
        }
        (self.tables, self.folders[0]) = (tables, folders);
        Ok(self.tables.most_own_pieces())
    }

    /// Loads a network, which is used while [`Options::evaluation`] says so; the one that the crate
    /// ships for `None`.
    pub fn set_network(&mut self, network: Option<Arc<Network>>) {
        self.network = network.unwrap_or_else(Network::shipped);
        self.replace_evaluators();
    }

    /// The network that is used while [`Options::evaluation`] says so.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Gives every thread the evaluator that the options demand, and forgets the evaluations of the
    /// one before.
    fn replace_evaluators(&mut self) {
        for i in 0..self.thread_states.len() {
            self.thread_states[i].evaluator = self.evaluator();
        }
        self.clear();
    }

    /// The static evaluation of a position for the side to move, `None` in check.
    pub fn evaluate(&self, position: &Position) -> Option<Score> {
        let in_check = position.checkers().any();
        (!in_check).then(|| self.evaluator().evaluate(position, 0))
    }

    /// Searches the position of a game until a limit or a signal ends it; `listener` receives a
    /// report after every iteration.
    ///
    /// The time for the move follows from [`Limits::clock`] and [`Options::overhead`], counted from
    /// the creation of `signals`. With one thread the same sequence of calls visits the same
    /// nodes, provided that no clock is involved. Where the system refuses a thread to search
    /// with, the first legal move is the result.
    pub fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        signals: &Signals,
        listener: &mut (dyn FnMut(&SearchReport) + Send),
    ) -> SearchResult {
        let search = || self.search_here(game, limits, signals, listener, &mut |_| {});
        run::with_search_stack(search)
            .unwrap_or_else(|| SearchResult::unsearched(game.position(), signals))
    }

    /// [`Self::search`] on the calling thread, whose stack must have [`STACK_BYTES`], and others.
    ///
    /// `on_result` receives the result as soon as the search of the calling thread has ended,
    /// before the other threads are joined: on a busy machine it may take long until they see
    /// the stop flag, while the clock runs.
    pub(crate) fn search_here(
        &mut self,
        game: &Game,
        limits: &Limits,
        signals: &Signals,
        listener: &mut (dyn FnMut(&SearchReport) + Send),
        on_result: &mut dyn FnMut(&SearchResult),
    ) -> SearchResult {
        self.search_in_time(game, limits, signals, listener, on_result, None)
    }

    /// Searches in virtual time: as [`Self::search`] would on as many processors as
    /// [`Options::threads`], each of which searches a node in one unit of time. The threads run
    /// one at a time, whatever the machine. With limits that do not depend on the clock, and from
    /// the same state, the nodes and the result are the same every time. What it cannot show is
    /// what processors cost each other: memory, caches, locks.
    ///
    /// `None` where the system refuses a thread to search with.
    ///
    /// ```
    /// use everymove_engine::{Engine, Game, Limits, Options, Signals, Strategy};
    ///
    /// let options = Options { strategy: Strategy::Ybwc, threads: 4, ..Options::default() };
    /// let limits = Limits { depth: Some(7), ..Limits::default() };
    /// let simulate = || Engine::new(options.clone()).unwrap().simulate(&Game::default(), &limits, &Signals::new()).unwrap().1;
    /// let simulation = simulate();
    /// assert_eq!(simulation.nodes.len(), 4);
    /// assert!(simulation.elapsed < simulation.all_nodes());
    /// assert_eq!(simulation, simulate());
    /// ```
    pub fn simulate(
        &mut self,
        game: &Game,
        limits: &Limits,
        signals: &Signals,
    ) -> Option<(SearchResult, Simulation)> {
        let threads = self.options.strategy.threads(self.options.threads);
        let turns = Arc::new(Turns::new(threads));
        let search = || {
            let time = Some(Arc::clone(&turns));
            self.search_in_time(game, limits, signals, &mut |_| {}, &mut |_| {}, time)
        };
        let result = run::with_search_stack(search)?;
        Some((result, turns.simulation()))
    }

    fn search_in_time(
        &mut self,
        game: &Game,
        limits: &Limits,
        signals: &Signals,
        listener: &mut (dyn FnMut(&SearchReport) + Send),
        on_result: &mut dyn FnMut(&SearchResult),
        turns: Option<Arc<Turns>>,
    ) -> SearchResult {
        self.table.new_search();
        let threads = self.options.strategy.threads(self.options.threads);
        self.prepare_states(threads);
        let setup = Setup {
            table: &self.table,
            tables: &self.tables,
            strategy: self.options.strategy,
            features: &self.options.features,
            multi_pv: self.options.multi_pv,
            budget: limits.clock.map(|c| c.budget(self.options.overhead)),
            turns,
        };
        let states = &mut self.thread_states[..threads];
        run::search(&setup, states, game, limits, signals, listener, on_result)
    }

    fn evaluator(&self) -> Box<dyn Evaluate> {
        match self.options.evaluation {
            Evaluation::Network => Box::new(NetworkEvaluator::new(Arc::clone(&self.network))),
            Evaluation::Classical => Box::new(Classical),
        }
    }

    /// Creates missing thread states, and shares or separates their histories as the strategy
    /// demands.
    fn prepare_states(&mut self, threads: usize) {
        while self.thread_states.len() < threads {
            let history = Arc::new(History::default());
            let evaluator = self.evaluator();
            self.thread_states
                .push(ThreadState::new(evaluator, history));
        }
        let shares = self.options.strategy.shares_history();
        for i in 1..threads {
            let (own, first) = (
                &self.thread_states[i].history,
                &self.thread_states[0].history,
            );
            let shared = Arc::ptr_eq(own, first);
            if shares && !shared {
                self.thread_states[i].history = Arc::clone(first);
            } else if !shares && shared {
                self.thread_states[i].history = Arc::new(History::default());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A size that no system grants leaves an engine that works, with the size it had.
    #[test]
    fn a_refused_hash_table_leaves_the_old_size() {
        let mut engine = Engine::new(Options::default()).unwrap();
        let huge = Options {
            hash: 1 << 62,
            multi_pv: 2,
            ..Options::default()
        };
        assert!(Engine::new(huge.clone()).is_err());
        let refused = engine.set_options(huge).unwrap_err();
        assert_eq!(refused.bytes, 1 << 62);
        assert_eq!(
            (engine.options().hash, engine.options().multi_pv),
            (16 << 20, 2)
        );
        let limits = Limits {
            depth: Some(3),
            ..Limits::default()
        };
        let result = engine.search(&Game::default(), &limits, &Signals::new(), &mut |_| {});
        assert_eq!(result.report.lines.len(), 2);
    }

    /// With a soft limit of nodes the search ends with the iteration that reaches it: the result is
    /// that of a search to its depth.
    #[test]
    fn a_soft_limit_ends_with_an_iteration() {
        let mut engine = Engine::new(Options::default()).unwrap();
        for soft_nodes in [1, 300, 2_000, 20_000] {
            let limits = Limits {
                soft_nodes: Some(soft_nodes),
                ..Limits::default()
            };
            engine.clear();
            let soft = engine.search(&Game::default(), &limits, &Signals::new(), &mut |_| {});
            let nodes = soft.report.nodes;
            let limits = Limits {
                depth: Some(soft.report.depth),
                ..Limits::default()
            };
            engine.clear();
            let deep = engine.search(&Game::default(), &limits, &Signals::new(), &mut |_| {});
            assert!(nodes >= soft_nodes);
            assert_eq!((nodes, soft.best), (deep.report.nodes, deep.best));
        }
    }

    /// An engine takes its memory from the budget for as long as it exists, and its table is made
    /// smaller to fit.
    #[test]
    fn an_engine_reserves_its_memory() {
        const MIB: u64 = 1 << 20;
        let options = |threads| Options {
            threads,
            hash: 64 * MIB,
            ..Options::default()
        };
        let ram = Ram::limited(24 * MIB);
        assert!(matches!(
            Engine::reserved(options(1), &ram),
            Err(EngineError::OverBudget(_))
        ));
        let fits = options(4).within(&ram);
        assert_eq!(fits.bytes(), 23 * MIB);
        let engine = Engine::reserved(fits, &ram).unwrap();
        assert_eq!(ram.left(), MIB);
        drop(engine);
        assert_eq!(ram.left(), 24 * MIB);
        // The threads alone are too many.
        let refused = Engine::reserved(options(16).within(&ram), &ram);
        assert!(matches!(refused, Err(EngineError::OverBudget(_))));
        assert_eq!(options(1).within(&Ram::unlimited()).hash, 64 * MIB);
    }
}
