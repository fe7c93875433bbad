//! The search: iterative deepening over a principal variation search, on any number of threads.
//!
//! In reading order: `limits` and `signals` (when it ends), `features` (what it may use), `root` (iterations),
//! `node` (one node), `prune` (cutting it at once), `children` (its moves), `quiescence`, `picker`, `history` and `see`
//! (the order of moves), `thread` (what a thread owns), [`strategies`] (how threads share the work).

mod children;
mod endgame;
mod features;
mod history;
mod limits;
mod node;
mod picker;
mod prune;
mod quiescence;
mod root;
mod see;
mod signals;
mod strategies;
mod thread;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread::ScopedJoinHandle;
use std::time::Duration;

use shakmaty::Move;

use crate::Position;
use crate::endings::Known;
use crate::engine::Engine;
use crate::game::Game;
use crate::score::Score;

pub use features::Features;
pub use limits::{Budget, Clock, Limits};
pub use root::MAX_DEPTH;
pub use signals::Signals;
pub use strategies::Strategy;

pub(crate) use history::History;
use root::{Finished, Publisher, RootMove};
pub(crate) use thread::Memory;
use thread::{Shared, Thread};

/// A line of play and its score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// For the side to move at the root.
    pub score: Score,
    /// The moves, the first of them at the root.
    pub pv: Vec<Move>,
    /// The deepest ply looked at.
    pub sel_depth: u32,
}

/// What is known after an iteration.
#[derive(Clone, Debug)]
pub struct Report {
    /// The iteration.
    pub depth: u32,
    /// Best first, as many as were asked for.
    pub lines: Vec<Line>,
    /// Of all threads.
    pub nodes: u64,
    /// Since the search began.
    pub elapsed: Duration,
    /// How full the hash table is.
    pub table_permille: u32,
    /// Positions found in endgame tables.
    pub table_hits: u64,
}

/// What a search comes to.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The move to play; `None` only if there is no legal one.
    pub best: Option<Move>,
    /// The expected reply.
    pub ponder: Option<Move>,
    /// The last report.
    pub report: Report,
}

impl Answer {
    /// The first legal move, where the system has no thread to search with.
    fn unsearched(game: &Game, signals: &Signals) -> Self {
        let best = game.position().legal_moves().first().copied();
        let report = Report {
            depth: 0,
            lines: Vec::new(),
            nodes: 0,
            elapsed: signals.elapsed(),
            table_permille: 0,
            table_hits: 0,
        };
        Self {
            best,
            ponder: None,
            report,
        }
    }
}

/// A stack that holds [`crate::score::MAX_PLY`] plies of search and quiescence.
pub(crate) const STACK: usize = 32 << 20;

impl Engine {
    /// Searches a position of a game until a limit or a signal ends it; `listener` hears of every iteration.
    ///
    /// The time for the move follows from [`Limits::clock`] and [`crate::Options::overhead`], counted from the creation of `signals`.
    /// With one thread the same sequence of calls visits the same nodes, provided that no clock is involved.
    pub fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        signals: &Signals,
        listener: &mut (dyn FnMut(&Report) + Send),
    ) -> Answer {
        let search = || self.search_and_tell(game, limits, signals, listener, &mut |_| {});
        std::thread::scope(|scope| {
            let builder = std::thread::Builder::new().stack_size(STACK);
            match builder
                .spawn_scoped(scope, search)
                .map(ScopedJoinHandle::join)
            {
                Ok(Ok(answer)) => answer,
                Ok(Err(panic)) => resume_unwind(panic),
                Err(_) => Answer::unsearched(game, signals),
            }
        })
    }

    /// [`Self::search`] by the calling thread, which needs a stack of [`STACK`] bytes, and others. It tells its answer before it
    /// returns: as soon as the calling thread has ended. On a busy machine the others may take long until they even notice, and a
    /// clock does not wait for them.
    pub(crate) fn search_and_tell(
        &mut self,
        game: &Game,
        limits: &Limits,
        signals: &Signals,
        listener: &mut (dyn FnMut(&Report) + Send),
        tell: &mut dyn FnMut(&Answer),
    ) -> Answer {
        self.table.grow_older();
        let root = game.position();
        let (root_moves, root_is_in_tables, decided) = self.root_moves(root, limits);
        let threads = self.options.strategy.threads(self.options.threads);
        self.memories(threads);
        let busy = if self.options.strategy == Strategy::Abdada && threads > 1 {
            strategies::Busy::default()
        } else {
            strategies::Busy::none()
        };
        let features = if limits.mate.is_some() {
            self.options.features.sound()
        } else {
            self.options.features.clone()
        };
        let shared = Shared {
            root,
            table: &self.table,
            limits,
            budget: limits.clock.map(|c| c.budget(self.options.overhead)),
            features,
            signals,
            syzygy: self.syzygy.as_ref(),
            endings: self.endings.as_ref(),
            strategy: self.options.strategy,
            threads,
            multi_pv: self.options.multi_pv,
            counters: (0..threads).map(|_| Default::default()).collect(),
            pool: strategies::Pool::default(),
            busy,
            publisher: Publisher::new(threads, listener),
            root_is_in_tables,
            decided,
        };
        if root_moves.is_empty() {
            let answer = conclude(&shared, &root_moves);
            tell(&answer);
            return answer;
        }
        run_threads(
            &shared,
            &mut self.memories[..threads],
            game,
            &root_moves,
            tell,
        )
    }

    /// The moves worth searching at the root, whether tables have chosen them, and the best line where they know it all.
    fn root_moves(
        &self,
        root: &Position,
        limits: &Limits,
    ) -> (Vec<RootMove>, bool, Option<RootMove>) {
        let allowed = |m: &Move| limits.root_moves.is_empty() || limits.root_moves.contains(m);
        let moves: Vec<Move> = root.legal_moves().into_iter().filter(allowed).collect();
        let records = |moves: Vec<Move>| moves.into_iter().map(RootMove::new).collect();
        if limits.root_moves.is_empty() {
            let known = self.endings.as_ref().and_then(|e| e.look_up(root));
            match known {
                Some(Known::Decided { score, pv }) => {
                    let decided = pv.first().map(|&m| RootMove {
                        score,
                        sel_depth: pv.len(),
                        pv: pv.clone(),
                        ..RootMove::new(m)
                    });
                    return (records(moves), true, decided);
                }
                Some(Known::Drawn(moves)) if !moves.is_empty() => {
                    return (records(moves), true, None);
                }
                _ => {}
            }
        }
        let best = (self.syzygy.as_ref()).and_then(|tables| tables.best_root_moves(root, &moves));
        let in_tables = best.is_some();
        (records(best.unwrap_or(moves)), in_tables, None)
    }
}

/// Searches with the calling thread and others, and concludes when the calling one has ended.
///
/// A thread that panics ends the search, but not before the answer is told: what the threads have published until then decides.
fn run_threads(
    shared: &Shared<'_>,
    memories: &mut [Memory],
    game: &Game,
    root_moves: &[RootMove],
    tell: &mut dyn FnMut(&Answer),
) -> Answer {
    let search = |id: usize, memory: &mut Memory| {
        Thread::new(id, shared, memory, game.keys(), root_moves.to_vec()).run();
    };
    std::thread::scope(|scope| {
        let mut memories = memories.iter_mut().enumerate();
        let first = memories.next();
        let others: Vec<_> = memories
            .filter_map(|(id, memory)| {
                let builder = std::thread::Builder::new().stack_size(STACK);
                // A thread that cannot be had is only missed.
                builder.spawn_scoped(scope, move || search(id, memory)).ok()
            })
            .collect();
        let ended = first.map(|(id, memory)| catch_unwind(AssertUnwindSafe(|| search(id, memory))));
        let answer = conclude(shared, root_moves);
        tell(&answer);
        // All are waited for before a panic of one goes on.
        let others: Vec<_> = others.into_iter().map(ScopedJoinHandle::join).collect();
        if let Some(Err(panic)) = ended.into_iter().chain(others).find(Result::is_err) {
            resume_unwind(panic);
        }
        answer
    })
}

/// Chooses among what the threads have found.
fn conclude(shared: &Shared<'_>, root_moves: &[RootMove]) -> Answer {
    let first = || Finished {
        depth: 0,
        lines: root_moves.iter().take(1).cloned().collect(),
    };
    let finished: Vec<Finished> = shared.publisher.found();
    let votes =
        shared.multi_pv == 1 && matches!(shared.strategy, Strategy::LazySmp | Strategy::Abdada);
    let chosen = if votes && finished.len() > 1 {
        vote(&finished).clone()
    } else {
        finished.into_iter().next().unwrap_or_else(first)
    };
    let report = shared.report(chosen.depth, &chosen.lines);
    let best = chosen.lines.first();
    Answer {
        best: best.map(|r| r.m),
        ponder: best.and_then(|r| r.pv.get(1).copied()),
        report,
    }
}

/// The thread whose move has the most votes, each thread's weighed by depth and score.
fn vote(finished: &[Finished]) -> &Finished {
    let score = |f: &Finished| f.lines[0].known();
    let least = finished.iter().map(score).min().unwrap_or(0);
    let weight = |f: &Finished| i64::from(score(f) - least + 14) * i64::from(f.depth);
    let votes = |m: Move| -> i64 {
        let same = finished.iter().filter(|f| f.lines[0].m == m);
        same.map(weight).sum()
    };
    let mut best = &finished[0];
    for candidate in &finished[1..] {
        let key = |f: &Finished| (votes(f.lines[0].m), f.depth, score(f));
        let proven = crate::score::is_known(score(best));
        let better = if proven {
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
