//! One search: the root moves, the threads, the choice among their results, and what is reported.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::thread::ScopedJoinHandle;
use std::time::Duration;

use everymove_kernel::system::with_stack;
use everymove_tables::Tablebase;
use shakmaty::Move;

use super::features::Features;
use super::limits::{Budget, Limits, Signals};
use super::root::{Finished, Publisher, RootMove};
use super::strategies::Strategy;
use super::strategies::abdada::BusyTable;
use super::strategies::pool::Pool;
use super::tablebases::probe_root;
use super::thread::{Shared, Thread, ThreadState};
use super::turns::Turns;
use crate::error::DamagedTables;
use crate::game::Game;
use crate::position::Position;
use crate::score::{Score, is_known};
use crate::transposition_table::{Bound, TranspositionTable};

/// A principal variation and its score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// For the side to move at the root.
    pub score: Score,
    /// What the score says: exactly so much, or at least or at most where the search was
    /// interrupted; nothing if the move was not searched.
    pub bound: Bound,
    /// The moves, the first of them at the root.
    pub pv: Vec<Move>,
    /// The deepest ply that was visited.
    pub sel_depth: u32,
}

/// The state of a search after an iteration.
#[derive(Clone, Debug)]
pub struct SearchReport {
    /// Depth of the iteration.
    pub depth: u32,
    /// Best first, [`crate::Options::multi_pv`] of them, or as many as there are root moves.
    pub lines: Vec<Line>,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Since the search began.
    pub elapsed: Duration,
    /// Entries of this search in the transposition table, in thousandths.
    pub hashfull: u32,
    /// Positions found in endgame tables.
    pub tb_hits: u64,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// The move to play; `None` only if there is no legal one.
    pub best: Option<Move>,
    /// The expected reply.
    pub ponder: Option<Move>,
    /// The last report.
    pub report: SearchReport,
    /// What is wrong with endgame tables that were needed, each reported once: such a table was
    /// not used.
    pub table_faults: Vec<String>,
}

impl SearchResult {
    /// Whether all endgame tables that were needed could be used.
    ///
    /// # Errors
    /// [`DamagedTables`], which names the others.
    pub fn check_tables(&self) -> Result<(), DamagedTables> {
        match self.table_faults.as_slice() {
            [] => Ok(()),
            faults => Err(DamagedTables(faults.join("; "))),
        }
    }

    /// The first legal move, where the system has no thread to search with.
    pub(crate) fn unsearched(root: &Position, signals: &Signals) -> Self {
        let report = SearchReport {
            depth: 0,
            lines: Vec::new(),
            nodes: 0,
            elapsed: signals.elapsed(),
            hashfull: 0,
            tb_hits: 0,
        };
        Self {
            best: root.legal_moves().first().copied(),
            ponder: None,
            report,
            table_faults: Vec::new(),
        }
    }
}

/// Stack of a search thread: enough for [`crate::score::MAX_PLY`] plies of search and quiescence.
pub(crate) const STACK_BYTES: usize = 32 << 20;

/// Runs a function on a thread whose stack has [`STACK_BYTES`]; `None` where the system refuses the
/// thread.
pub(crate) fn with_search_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    with_stack(STACK_BYTES, work)
}

/// What an engine contributes to a search.
pub(crate) struct Setup<'a> {
    pub(crate) table: &'a TranspositionTable,
    pub(crate) tables: &'a Tablebase,
    pub(crate) strategy: Strategy,
    pub(crate) features: &'a Features,
    pub(crate) multi_pv: usize,
    /// The time for the move, `None` without a clock.
    pub(crate) budget: Option<Budget>,
    /// For a search in virtual time.
    pub(crate) turns: Option<Arc<Turns>>,
}

/// Searches with the calling thread and `states.len() - 1` others; see
/// [`crate::Engine::search_here`].
pub(crate) fn search(
    setup: &Setup<'_>,
    states: &mut [ThreadState],
    game: &Game,
    limits: &Limits,
    signals: &Signals,
    listener: &mut (dyn FnMut(&SearchReport) + Send),
    on_result: &mut dyn FnMut(&SearchResult),
) -> SearchResult {
    let threads = states.len();
    let root = game.position();
    let RootMoves {
        moves,
        table_score,
        decided,
    } = RootMoves::of(setup, root, limits, signals);
    let busy = if setup.strategy == Strategy::Abdada && threads > 1 {
        BusyTable::default()
    } else {
        BusyTable::none()
    };
    let features = if limits.mate.is_some() {
        setup.features.sound()
    } else {
        setup.features.clone()
    };
    let shared = Shared {
        root,
        table: setup.table,
        limits,
        budget: setup.budget,
        features,
        signals,
        tables: setup.tables,
        strategy: setup.strategy,
        threads,
        multi_pv: setup.multi_pv,
        counters: (0..threads).map(|_| Default::default()).collect(),
        pool: Pool::in_time(setup.turns.clone()),
        turns: setup.turns.clone(),
        busy,
        publisher: Publisher::new(threads, listener),
        root_score: table_score,
        root_hits: table_score.map_or(0, |_| root.legal_moves().len() as u64),
        decided,
    };
    if moves.is_empty() {
        let result = choose(&shared, &moves);
        on_result(&result);
        return result;
    }
    run_threads(&shared, states, game, &moves, on_result)
}

/// The root moves worth searching.
struct RootMoves {
    moves: Vec<RootMove>,
    /// The score of the root, where endgame tables selected the moves.
    table_score: Option<Score>,
    /// The best line, where the tables know the distance to mate.
    decided: Option<RootMove>,
}

impl RootMoves {
    fn of(setup: &Setup<'_>, root: &Position, limits: &Limits, signals: &Signals) -> Self {
        let allowed = |m: &Move| limits.root_moves.is_empty() || limits.root_moves.contains(m);
        let moves: Vec<Move> = root.legal_moves().into_iter().filter(allowed).collect();
        let patience = || signals.allow_waiting(limits);
        let found = probe_root(setup.tables, root, &moves, &patience);
        let table_score = found.as_ref().map(|found| found.score);
        let (moves, line) = found.map_or((moves, Vec::new()), |found| (found.moves, found.line));
        let decided = line.first().zip(table_score).map(|(&m, score)| RootMove {
            score,
            bound: Bound::Exact,
            sel_depth: line.len(),
            pv: line.clone(),
            ..RootMove::new(m)
        });
        Self {
            moves: moves.into_iter().map(RootMove::new).collect(),
            table_score,
            decided,
        }
    }
}

/// Searches with the calling thread and others, and chooses a result when the calling one has
/// ended.
///
/// A thread that panics ends the search, but the result is reported first, from what the threads
/// published until then.
fn run_threads(
    shared: &Shared<'_>,
    states: &mut [ThreadState],
    game: &Game,
    root_moves: &[RootMove],
    on_result: &mut dyn FnMut(&SearchResult),
) -> SearchResult {
    let search = |id: usize, state: &mut ThreadState| {
        let mut thread = Thread::new(id, shared, state, game.keys(), root_moves.to_vec());
        run_thread(&mut thread);
    };
    std::thread::scope(|scope| {
        let mut states = states.iter_mut().enumerate();
        let first = states.next();
        let others: Vec<_> = states
            .filter_map(|(id, state)| {
                let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
                // Threads that the system refuses are done without.
                let thread = builder.spawn_scoped(scope, move || search(id, state));
                if let (Err(_), Some(turns)) = (&thread, &shared.turns) {
                    turns.end(id);
                }
                thread.ok()
            })
            .collect();
        let ended = first.map(|(id, state)| catch_unwind(AssertUnwindSafe(|| search(id, state))));
        let result = choose(shared, root_moves);
        on_result(&result);
        // All threads are joined before the panic of one is resumed.
        let others: Vec<_> = others.into_iter().map(ScopedJoinHandle::join).collect();
        if let Some(Err(panic)) = ended.into_iter().chain(others).find(Result::is_err) {
            resume_unwind(panic);
        }
        result
    })
}

/// Everything a thread does in a search.
fn run_thread(thread: &mut Thread<'_, '_>) {
    let shared = thread.shared;
    let _turn = shared.turns.as_ref().map(|turns| turns.begin(thread.id));
    let _guard = StopOnPanic(shared);
    if thread.id == 0 {
        thread.iterate();
        shared.pool.shut_down();
    } else if shared.strategy.has_split_points() {
        thread.serve();
    } else {
        thread.iterate();
    }
    thread.publish_counters();
}

/// Stops the search if its thread panics, so that no other thread waits for it.
struct StopOnPanic<'a, 's>(&'a Shared<'s>);

impl Drop for StopOnPanic<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.signals.stop();
            self.0.pool.shut_down();
        }
    }
}

/// Chooses among the last iterations of the threads.
fn choose(shared: &Shared<'_>, root_moves: &[RootMove]) -> SearchResult {
    let first = || Finished {
        depth: 0,
        lines: root_moves.iter().take(1).cloned().collect(),
    };
    let finished: Vec<Finished> = shared.publisher.finished();
    let votes =
        shared.multi_pv == 1 && matches!(shared.strategy, Strategy::LazySmp | Strategy::Abdada);
    let chosen = if votes && finished.len() > 1 {
        vote(&finished).clone()
    } else {
        // The deepest, the first thread's among equals: the thread that reaches a depth limit stops
        // the others.
        (finished.into_iter().rev())
            .max_by_key(|finished| finished.depth)
            .unwrap_or_else(first)
    };
    let report = shared.report(chosen.depth, &chosen.lines);
    let best = chosen.lines.first();
    SearchResult {
        best: best.map(|r| r.m),
        ponder: best.and_then(|r| r.pv.get(1).copied()),
        report,
        table_faults: shared.tables.faults().take(),
    }
}

/// The thread whose move has the most votes, each thread's weighted by depth and score.
fn vote(finished: &[Finished]) -> &Finished {
    let score = |f: &Finished| f.lines[0].latest_score();
    let least: Score = finished.iter().map(score).min().unwrap_or(0);
    let weight = |f: &Finished| i64::from(score(f) - least + 14) * i64::from(f.depth);
    let votes = |m: Move| -> i64 {
        let same = finished.iter().filter(|f| f.lines[0].m == m);
        same.map(weight).sum()
    };
    let mut best = &finished[0];
    for candidate in &finished[1..] {
        let key = |f: &Finished| (votes(f.lines[0].m), f.depth, score(f));
        let better = if is_known(score(best)) {
            score(candidate) > score(best)
        } else {
            key(candidate) > key(best)
        };
        if better && candidate.depth > 0 {
            best = candidate;
        }
    }
    best
}
