//! Iterative deepening: the root's moves, aspiration windows, when to stop, what is told on the way.

use std::sync::{Mutex, MutexGuard};

use shakmaty::Move;

use super::strategies::Strategy;
use super::thread::Thread;
use super::{Line, Report};
use crate::Position;
use crate::mate::Prover;
use crate::score::{INFINITE, MATE, Score, UciScore, is_known, is_mate};

/// The deepest iteration.
pub const MAX_DEPTH: u32 = 200;

/// Positions that may be looked at to finish a mating line; fewer where a clock runs.
const PROOF: u64 = 20_000;

/// The same where a mate is asked for: less than a second.
const MATE_PROOF: u64 = 400_000;

/// Where a mate is asked for, other lines are searched at least so deep.
const BESIDE_MATES: u32 = 8;

/// Microseconds of the time for a move that have to be there for each of them: about fifty times what one takes.
const PROOF_COST: u128 = 50;

/// A move at the root and what is known of it.
#[derive(Clone, Debug)]
pub(crate) struct RootMove {
    pub(crate) m: Move,
    /// Of the iteration that runs; `-INFINITE` if it was refuted.
    pub(crate) score: Score,
    /// Of the last iteration.
    pub(crate) previous: Score,
    pub(crate) pv: Vec<Move>,
    pub(crate) nodes: u64,
    pub(crate) sel_depth: usize,
}

impl RootMove {
    pub(crate) fn new(m: Move) -> Self {
        Self {
            m,
            score: -INFINITE,
            previous: -INFINITE,
            pv: vec![m],
            nodes: 0,
            sel_depth: 0,
        }
    }

    /// The newest score that is worth anything.
    pub(crate) fn known(&self) -> Score {
        if self.score > -INFINITE {
            self.score
        } else {
            self.previous
        }
    }
}

/// The last iteration of a thread.
#[derive(Clone, Debug)]
pub(crate) struct Finished {
    pub(crate) depth: u32,
    pub(crate) lines: Vec<RootMove>,
}

/// Collects what the threads found and tells it once a depth.
pub(crate) struct Publisher<'a> {
    state: Mutex<Published<'a>>,
}

struct Published<'a> {
    depth: u32,
    threads: Vec<Option<Finished>>,
    listener: &'a mut (dyn FnMut(&Report) + Send),
}

impl<'a> Publisher<'a> {
    pub(crate) fn new(threads: usize, listener: &'a mut (dyn FnMut(&Report) + Send)) -> Self {
        let state = Published {
            depth: 0,
            threads: vec![None; threads],
            listener,
        };
        Self {
            state: Mutex::new(state),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Published<'a>> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The last iteration of each thread that has finished one, by number of the thread.
    pub(crate) fn found(&self) -> Vec<Finished> {
        self.lock().threads.iter().flatten().cloned().collect()
    }
}

/// How the last iterations went, for the clock.
#[derive(Debug, Default)]
struct Trend {
    best: Option<Move>,
    unchanged: u32,
    score: Score,
}

impl Thread<'_, '_> {
    /// Searches deeper and deeper until something says stop.
    pub(crate) fn iterate(&mut self) {
        let limits = self.shared.limits;
        let most = limits.depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH);
        let first = if self.shared.features.iterative_deepening {
            1
        } else {
            most
        };
        let mut trend = Trend::default();
        let mut done = 0;
        let proved = self.shared.decided.clone().or_else(|| self.prove_mate());
        for depth in first..=most {
            if self.leaves_out(depth, most) {
                continue;
            }
            self.root_depth = depth as i32;
            for record in &mut self.root_moves {
                record.previous = record.known();
                record.score = -INFINITE;
            }
            if let Some(record) = &proved {
                self.keep_proved(record);
            }
            for line in
                usize::from(proved.is_some())..self.shared.multi_pv.min(self.root_moves.len())
            {
                self.line = line;
                self.sel_depth = 0;
                self.aspire(depth as i32);
                self.root_moves[line..].sort_by_key(|r| -r.score);
                if self.shared.signals.is_stopped() {
                    break;
                }
                self.root_moves[..=line].sort_by_key(|r| -r.score);
            }
            self.publish_counters();
            if self.shared.signals.is_stopped() {
                break;
            }
            done = depth;
            self.publish(depth);
            if depth == most || self.may_stop(depth, &mut trend) {
                break;
            }
        }
        self.deposit(done);
        self.publish_counters();
        if self.id == 0 || done == most {
            self.shared.signals_end(limits.infinite || limits.ponder);
        }
    }

    /// Where a mate is asked for: the shortest one and its line, if a few positions prove it. Long mates with few pieces are of this kind, and
    /// cost a search that looks at values much more.
    fn prove_mate(&self) -> Option<RootMove> {
        let limits = self.shared.limits;
        let most = limits.mate?;
        let root = self.shared.root;
        let in_time = root.halfmoves() + 2 * most <= 100;
        if self.id > 0 || !limits.root_moves.is_empty() || !in_time {
            return None;
        }
        let mut prover = Prover::new(limits.nodes.unwrap_or(MATE_PROOF).min(MATE_PROOF));
        let plies = 2 * prover.shortest(root, most).ok()?? - 1;
        let pv = prover.line(root, plies).ok()??;
        Some(RootMove {
            score: MATE - plies as Score,
            sel_depth: plies as usize,
            pv: pv.clone(),
            ..RootMove::new(*pv.first()?)
        })
    }

    /// Puts a proved move first, which then needs no search.
    fn keep_proved(&mut self, proved: &RootMove) {
        if let Some(i) = self.root_moves.iter().position(|r| r.m == proved.m) {
            self.root_moves[..=i].rotate_right(1);
            self.root_moves[0] = proved.clone();
        }
    }

    /// Helpers of lazy SMP leave out some depths, so that the threads are not all at the same one.
    fn leaves_out(&self, depth: u32, most: u32) -> bool {
        self.shared.strategy == Strategy::LazySmp
            && self.id > 0
            && depth < most
            && depth > 2
            && (depth as usize + self.id).is_multiple_of(2 + self.id % 3)
    }

    /// One line of one iteration, in a window around its last score.
    fn aspire(&mut self, depth: i32) {
        let root = self.shared.root;
        let previous = self.root_moves[self.line].previous;
        let mut delta = 16;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        if self.shared.features.aspiration && depth >= 5 && !is_known(previous) {
            alpha = previous - delta;
            beta = previous + delta;
        }
        let mut shallower = 0;
        loop {
            let score = self.search(root, alpha, beta, (depth - shallower).max(1), 0, false);
            let line = self.line;
            self.root_moves[line..].sort_by_key(|r| -r.score);
            if self.shared.signals.is_stopped() {
                return;
            }
            if score <= alpha {
                beta = (alpha + beta) / 2;
                alpha = (score - delta).max(-INFINITE);
                shallower = 0;
            } else if score >= beta {
                beta = (score + delta).min(INFINITE);
                shallower = (shallower + 1).min(3);
            } else {
                return;
            }
            delta += delta / 2;
            if delta > 600 || is_known(score) {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    /// Leaves what the thread knows where the answer is made of it.
    fn deposit(&mut self, depth: u32) {
        let lines = self.shared.multi_pv.min(self.root_moves.len());
        let finished = Finished {
            depth,
            lines: self.root_moves[..lines].to_vec(),
        };
        self.shared.publisher.lock().threads[self.id] = Some(finished);
    }

    /// Tells about an iteration if no other thread has finished it before.
    fn publish(&mut self, depth: u32) {
        self.deposit(depth);
        let mut state = self.shared.publisher.lock();
        if depth <= state.depth {
            return;
        }
        state.depth = depth;
        let lines = self.shared.multi_pv.min(self.root_moves.len());
        let report = self.shared.report(depth, &self.root_moves[..lines]);
        (state.listener)(&report);
    }

    /// Whether the iterations so far are enough.
    fn may_stop(&self, depth: u32, trend: &mut Trend) -> bool {
        let limits = self.shared.limits;
        if limits.infinite || self.shared.is_pondering() {
            return false;
        }
        let best = &self.root_moves[0];
        if let Some(wanted) = limits.mate
            && UciScore::of(best.score)
                .mate()
                .is_some_and(|n| n > 0 && n <= wanted as i32)
            && (self.shared.multi_pv == 1 || depth >= BESIDE_MATES)
        {
            return true;
        }
        if limits.clock.is_none() || self.id > 0 {
            return false;
        }
        let plies_to_mate = MATE - best.score.abs();
        if self.root_moves.len() == 1 && depth >= 8 || plies_to_mate + 8 < depth as i32 {
            return true;
        }
        let fallen = (trend.score - best.score).clamp(0, 60);
        trend.unchanged = if trend.best == Some(best.m) {
            trend.unchanged + 1
        } else {
            0
        };
        trend.best = Some(best.m);
        trend.score = best.score;
        let settled = 1.5 - 0.12 * f64::from(trend.unchanged.min(7));
        let worried = 1.0 + f64::from(fallen) / 80.0;
        // Of all threads that took part: where moves are shared, others have searched some of them.
        let all: u64 = self.root_moves.iter().map(|r| r.nodes).sum();
        let effort = best.nodes as f64 / all.max(1) as f64;
        let divided = if self.shared.multi_pv == 1 {
            1.6 - 0.8 * effort
        } else {
            1.0
        };
        let fixed = matches!(limits.clock, Some(super::limits::Clock::PerMove(_)));
        let share = if fixed {
            1.0
        } else {
            settled * worried * divided
        };
        self.shared.is_time_used(share)
    }
}

impl super::thread::Shared<'_> {
    /// Ends the other threads when one is through, unless the answer has to wait.
    fn signals_end(&self, wait: bool) {
        if !wait {
            self.signals.stop();
        }
    }

    pub(crate) fn report(&self, depth: u32, lines: &[RootMove]) -> Report {
        let positions = self.budget.map_or(PROOF, |budget| {
            let affordable = (budget.soft.as_micros() / PROOF_COST) as u64;
            affordable.min(PROOF)
        });
        let line = |record: &RootMove| Line {
            score: Some(record.known()).filter(|&s| s > -INFINITE).unwrap_or(0),
            pv: completed(self.root, &record.pv, record.known(), positions),
            sel_depth: record.sel_depth as u32,
        };
        Report {
            depth,
            lines: lines.iter().map(line).collect(),
            nodes: self.nodes(),
            elapsed: self.signals.elapsed(),
            table_permille: self.table.permille_full(),
            table_hits: self.table_hits(),
        }
    }
}

/// A mating line that the hash table cut short, finished by proof; other lines as they are.
pub(crate) fn completed(root: &Position, pv: &[Move], score: Score, positions: u64) -> Vec<Move> {
    let plies = (MATE - score.abs()) as usize;
    if !is_mate(score) || pv.len() >= plies {
        return pv.to_vec();
    }
    let last = pv
        .iter()
        .fold(root.clone(), |position, &m| position.play(m));
    let missing = (plies - pv.len()) as u32;
    let rest = Prover::new(positions).line(&last, missing).ok().flatten();
    pv.iter()
        .copied()
        .chain(rest.into_iter().flatten())
        .collect()
}
