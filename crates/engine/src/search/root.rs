//! The root: its moves, the iterations over it, and the reports of all threads.

use std::sync::{Mutex, MutexGuard};

use shakmaty::Move;

use super::alpha_beta::Parameters;
use super::constants;
use super::limits::Clock;
use super::run::{Line, SearchReport};
use super::strategies::Strategy;
use super::thread::{Shared, Thread};
use crate::mate::Prover;
use crate::position::Position;
use crate::score::{INFINITE, MATE, Score, UciScore, is_known, is_mate};
use crate::transposition_table::Bound;

/// A move at the root and its score and line.
#[derive(Clone, Debug)]
pub(crate) struct RootMove {
    pub(crate) m: Move,
    /// Of the current iteration; `-INFINITE` if the move was refuted or not searched yet.
    pub(crate) score: Score,
    /// What the score of the current iteration says.
    pub(crate) bound: Bound,
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
            bound: Bound::None,
            previous: -INFINITE,
            pv: vec![m],
            nodes: 0,
            sel_depth: 0,
        }
    }

    /// The score of the current iteration, or else of the last one.
    pub(crate) fn latest_score(&self) -> Score {
        if self.score > -INFINITE {
            self.score
        } else {
            self.previous
        }
    }
}

/// The deepest iteration.
pub const MAX_DEPTH: u32 = 200;

/// Positions that may be visited to complete a mating line; fewer where a clock runs.
const PROOF: u64 = 20_000;

/// The same where a mate is asked for: less than a second.
const MATE_PROOF: u64 = 400_000;

/// Where a mate is asked for, the other lines are searched to at least this depth.
const BESIDE_MATES: u32 = 8;

/// Microseconds of the time for a move for each of these positions: about fifty times what one
/// takes.
const PROOF_COST: u128 = 50;

/// How best move and score changed over the iterations, for the clock.
#[derive(Debug, Default)]
struct Trend {
    best: Option<Move>,
    unchanged: u32,
    score: Score,
}

impl Thread<'_, '_> {
    /// Iterates over depths until a limit or a signal ends the search.
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
            if self.skips_depth(depth, most) {
                continue;
            }
            self.root_depth = depth as i32;
            for record in &mut self.root_moves {
                record.previous = record.latest_score();
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
                self.aspiration_search(depth as i32);
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
            let enough = limits.soft_nodes.is_some_and(|nodes| self.nodes >= nodes);
            if depth == most || enough || self.may_stop(depth, &mut trend) {
                break;
            }
        }
        self.record_interrupted(done);
        self.publish_counters();
        let is_last = self.id == 0 || done == most;
        if is_last && !(limits.infinite || limits.ponder) {
            self.shared.signals.stop();
        }
    }

    /// Where a mate is asked for: the shortest one and its line, if few positions prove it. Long
    /// mates with few pieces are of this kind, and take the alpha-beta search many more nodes.
    fn prove_mate(&self) -> Option<RootMove> {
        let limits = self.shared.limits;
        let most = limits.mate?;
        let root = self.shared.root;
        let in_time = root.halfmoves() + 2 * most <= 100;
        if self.id > 0 || !limits.root_moves.is_empty() || !in_time {
            return None;
        }
        let is_over = || self.shared.signals.is_stopped() || self.shared.is_over();
        let nodes = limits.nodes.unwrap_or(MATE_PROOF).min(MATE_PROOF);
        let mut prover = Prover::new(nodes).until(&is_over);
        let plies = 2 * prover.shortest(root, most).ok()?? - 1;
        let pv = prover.line(root, plies).ok()??;
        Some(RootMove {
            score: MATE - plies as Score,
            bound: Bound::Exact,
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

    /// Whether a helper of Lazy SMP skips a depth, so that the threads are not all at the same one.
    fn skips_depth(&self, depth: u32, most: u32) -> bool {
        self.shared.strategy == Strategy::LazySmp
            && self.id > 0
            && depth < most
            && depth > 2
            && (depth as usize + self.id).is_multiple_of(2 + self.id % 3)
    }

    /// One line of one iteration, in a window around its last score.
    fn aspiration_search(&mut self, depth: i32) {
        let root = self.shared.root;
        let previous = self.root_moves[self.line].previous;
        let mut delta = constants::AspirationWindow();
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        if self.shared.features.aspiration && depth >= 5 && !is_known(previous) {
            alpha = previous - delta;
            beta = previous + delta;
        }
        let mut shallower = 0;
        loop {
            let score = self.search(
                root,
                Parameters {
                    alpha,
                    beta,
                    depth: (depth - shallower).max(1),
                    ply: 0,
                    cut: false,
                },
            );
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
            delta += delta * constants::AspirationGrowth() / 1024;
            if delta > 600 || is_known(score) {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    /// Stores the lines of the last iteration for the choice of the result.
    fn record_result(&mut self, depth: u32) {
        let lines = self.shared.multi_pv.min(self.root_moves.len());
        let finished = Finished {
            depth,
            lines: self.root_moves[..lines].to_vec(),
        };
        self.shared.publisher.record(self.id, finished);
    }

    /// Stores the lines of an iteration that may have been interrupted. An unfinished line is not a
    /// result: those of the last complete iteration stay. But where one line is searched and
    /// another move was found better, that move is played, and its score is a bound.
    fn record_interrupted(&self, depth: u32) {
        let interrupted = |record: &RootMove| RootMove {
            bound: match record.bound {
                Bound::Exact => Bound::Lower,
                bound => bound,
            },
            ..record.clone()
        };
        let lines = match self.shared.publisher.of(self.id) {
            Some(complete) => {
                let best = &self.root_moves[0];
                if self.shared.multi_pv > 1 || complete.lines[0].m == best.m {
                    return;
                }
                vec![interrupted(best)]
            }
            // The first iteration: the lines before the one that was interrupted are complete.
            None => {
                let (complete, rest) = self.root_moves.split_at(self.line);
                complete
                    .iter()
                    .cloned()
                    .chain(rest.first().map(interrupted))
                    .collect()
            }
        };
        self.shared
            .publisher
            .record(self.id, Finished { depth, lines });
    }

    /// Reports an iteration, unless another thread has reported one as deep.
    fn publish(&mut self, depth: u32) {
        self.record_result(depth);
        let lines = self.shared.multi_pv.min(self.root_moves.len());
        let report = || self.shared.report(depth, &self.root_moves[..lines]);
        self.shared.publisher.report(depth, report);
    }

    /// Whether the search may stop after an iteration: a mate was found, or the time is used.
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
        let fixed = matches!(limits.clock, Some(Clock::PerMove(_)));
        let share = if fixed {
            1.0
        } else {
            settled * worried * divided
        };
        self.shared.is_time_used(share)
    }
}

impl Shared<'_> {
    /// The score of a root move for a report. In endgame tables all moves that are searched have
    /// the result of the root, which the search does not see until it finds the mate.
    fn reported(&self, score: Score) -> Score {
        match self.root_score {
            Some(known) if !(is_mate(score) && score.signum() == known.signum()) => known,
            _ if score > -INFINITE => score,
            _ => 0,
        }
    }

    /// What the score of [`Self::reported`] says.
    fn reported_bound(&self, record: &RootMove) -> Bound {
        match self.root_score {
            Some(known) if self.reported(record.latest_score()) == known => Bound::Exact,
            _ => record.bound,
        }
    }

    /// The report of an iteration whose lines are `lines`.
    pub(crate) fn report(&self, depth: u32, lines: &[RootMove]) -> SearchReport {
        let positions = self.budget.map_or(PROOF, |budget| {
            let affordable = (budget.soft.as_micros() / PROOF_COST) as u64;
            affordable.min(PROOF)
        });
        let line = |record: &RootMove| Line {
            score: self.reported(record.latest_score()),
            bound: self.reported_bound(record),
            pv: completed(self.root, &record.pv, record.latest_score(), positions),
            sel_depth: record.sel_depth as u32,
        };
        SearchReport {
            depth,
            lines: lines.iter().map(line).collect(),
            nodes: self.nodes(),
            elapsed: self.signals.elapsed(),
            hashfull: self.table.hashfull(),
            tb_hits: self.tb_hits(),
        }
    }
}

/// A mating line that the transposition table cut short, completed by proof; other lines unchanged.
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

/// The last iteration of a thread.
#[derive(Clone, Debug)]
pub(crate) struct Finished {
    pub(crate) depth: u32,
    pub(crate) lines: Vec<RootMove>,
}

/// The results of all threads, and the caller's listener.
pub(crate) struct Publisher<'a> {
    state: Mutex<State<'a>>,
}

struct State<'a> {
    /// The deepest iteration that was reported.
    depth: u32,
    threads: Vec<Option<Finished>>,
    listener: &'a mut (dyn FnMut(&SearchReport) + Send),
}

impl<'a> Publisher<'a> {
    pub(crate) fn new(threads: usize, listener: &'a mut (dyn FnMut(&SearchReport) + Send)) -> Self {
        let state = State {
            depth: 0,
            threads: vec![None; threads],
            listener,
        };
        Self {
            state: Mutex::new(state),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Stores the last iteration of a thread.
    pub(crate) fn record(&self, thread: usize, finished: Finished) {
        self.lock().threads[thread] = Some(finished);
    }

    /// Reports an iteration, unless one as deep was reported before.
    pub(crate) fn report(&self, depth: u32, report: impl FnOnce() -> SearchReport) {
        let mut state = self.lock();
        if depth > state.depth {
            state.depth = depth;
            (state.listener)(&report());
        }
    }

    /// The last iteration of a thread, if it has finished one.
    pub(crate) fn of(&self, thread: usize) -> Option<Finished> {
        self.lock().threads[thread].clone()
    }

    /// The last iteration of each thread that has finished one, in the order of the threads.
    pub(crate) fn finished(&self) -> Vec<Finished> {
        self.lock().threads.iter().flatten().cloned().collect()
    }
}
