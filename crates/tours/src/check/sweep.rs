//! The fast check: one pass over the squares, which accepts a valid tour or leaves the decision to
//! the slow check.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use everymove_kernel::grid::Square;
use everymove_kernel::parallel;
use everymove_kernel::run::Stop;

use super::Rules;
use crate::tour::Tour;

/// Squares of one row that a thread takes at a time.
const SPAN: usize = 1 << 14;
/// Below this many squares threads cost more than they give.
const WORTH_A_THREAD: usize = 1 << 16;

/// The first and last square if the steps pass, `None` if the slow check must decide.
///
/// Once the flag is raised, the result means nothing.
pub(super) fn ends(
    rules: &Rules,
    steps: &[u32],
    threads: usize,
    stop: &Stop,
) -> Option<(Square, Square)> {
    let sweep = Sweep::new(rules, steps);
    let spans_a_row = rules.cols.div_ceil(SPAN);
    // Consecutive rows together, so that a thread finds the rows around its own in its cache.
    let rows_a_job = (SPAN / rules.cols.min(SPAN)).max(64);
    let jobs = rules.rows.div_ceil(rows_a_job) * spans_a_row;
    let next = AtomicUsize::new(0);
    let failed = std::sync::atomic::AtomicBool::new(false);
    let work = || {
        let mut seen = Ends::default();
        while !failed.load(Ordering::Relaxed) && !stop.is_raised() {
            let job = next.fetch_add(1, Ordering::Relaxed);
            if job >= jobs {
                break;
            }
            let first_row = job / spans_a_row * rows_a_job;
            let from = job % spans_a_row * SPAN;
            let span = from..rules.cols.min(from + SPAN);
            let rows = first_row..rules.rows.min(first_row + rows_a_job);
            if !rows
                .into_iter()
                .all(|row| sweep.row(row, span.clone(), &mut seen))
            {
                failed.store(true, Ordering::Relaxed);
            }
        }
        seen
    };
    let threads = threads.clamp(1, (steps.len() / WORTH_A_THREAD).max(1));
    let seen = parallel::on_threads(threads, |_| work()).into_iter();
    let seen = seen.fold(Ends::default(), |a, b| Ends {
        first: a.first.or(b.first),
        last: a.last.or(b.last),
    });
    (!failed.into_inner()).then_some(())?;
    seen.first.zip(seen.last)
}

#[derive(Default)]
struct Ends {
    first: Option<Square>,
    last: Option<Square>,
}

struct Sweep<'a> {
    rules: &'a Rules<'a>,
    steps: &'a [u32],
    /// Eight of one or two leapers, some of which may be the same; more of others.
    leaps: Vec<(i64, i64)>,
    margin: usize,
    /// A row beyond the edge: its step is never the next one of a sound step.
    beyond: Vec<u32>,
}

impl<'a> Sweep<'a> {
    fn new(rules: &'a Rules, steps: &'a [u32]) -> Self {
        let mut leaps = Vec::new();
        for (a, b) in rules.legs().map(|(a, b)| (a as i64, b as i64)) {
            for (up, right) in [(a, b), (b, a)] {
                leaps.extend([(-up, -right), (-up, right), (up, -right), (up, right)]);
            }
        }
        leaps.sort_unstable();
        leaps.dedup();
        let first = leaps[0];
        leaps.resize(leaps.len().max(8), first);
        Self {
            rules,
            steps,
            leaps,
            margin: rules.legs().map(|(_, long)| long).max().unwrap_or(0),
            beyond: vec![Tour::HOLE; rules.cols],
        }
    }

    fn row_at(&self, row: i64) -> &[u32] {
        let cols = self.rules.cols;
        match usize::try_from(row) {
            Ok(row) if row < self.rules.rows => &self.steps[row * cols..(row + 1) * cols],
            _ => &self.beyond,
        }
    }

    /// Checks part of a row; records the first and the last square.
    fn row(&self, row: usize, span: Range<usize>, seen: &mut Ends) -> bool {
        let cols = self.rules.cols;
        let margin = self.margin;
        let inner = span.start.max(margin)..span.end.min(cols.saturating_sub(margin));
        // More than eight leaps are looked at one by one.
        let leaps = <&[(i64, i64); 8]>::try_from(&self.leaps[..]);
        let (false, Ok(leaps)) = (inner.is_empty(), leaps) else {
            return span.into_iter().all(|col| self.square(row, col, seen));
        };
        let here = &self.row_at(row as i64)[inner.clone()];
        let around: [&[u32]; 8] = std::array::from_fn(|i| {
            let (up, right) = leaps[i];
            let from = (inner.start as i64 + right) as usize;
            &self.row_at(row as i64 + up)[from..from + here.len()]
        });
        let pass = (span.start..inner.start).all(|col| self.square(row, col, seen));
        // Blocks keep the common case free of branches: the result is tested only at the end of
        // each.
        pass && (0..here.len()).step_by(BLOCK).all(|from| {
            let block = from..here.len().min(from + BLOCK);
            unremarkable(here, &around, block.clone(), self.rules.squares as u32)
                || block
                    .into_iter()
                    .all(|i| self.square(row, inner.start + i, seen))
        }) && (inner.end..span.end).all(|col| self.square(row, col, seen))
    }

    /// Checks one square.
    fn square(&self, row: usize, col: usize, seen: &mut Ends) -> bool {
        let square = row * self.rules.cols + col;
        let step = self.steps[square];
        if self.rules.holes.binary_search(&square).is_ok() {
            return step == Tour::HOLE;
        }
        if step as usize >= self.rules.squares {
            return false;
        }
        if step == 0 {
            seen.first = Some(square);
        }
        if step as usize == self.rules.squares - 1 {
            seen.last = Some(square);
            return true;
        }
        self.leaps.iter().any(|&(up, right)| {
            let there = usize::try_from(col as i64 + right);
            let there = there
                .ok()
                .and_then(|col| self.row_at(row as i64 + up).get(col));
            there == Some(&(step + 1))
        })
    }
}

const BLOCK: usize = 256;

/// Whether every square of the block has a step from 1 to `squares - 1` with the next step around
/// it.
fn unremarkable(here: &[u32], around: &[&[u32]; 8], block: Range<usize>, squares: u32) -> bool {
    let here = &here[block.clone()];
    let around = around.map(|row| &row[block.clone()]);
    let mut fine = true;
    for (i, &step) in here.iter().enumerate() {
        let next = step.wrapping_add(1);
        let follows = around.iter().fold(false, |any, row| any | (row[i] == next));
        fine &= follows & (step.wrapping_sub(1) < squares - 1);
    }
    fine
}
