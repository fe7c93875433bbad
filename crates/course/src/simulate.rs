//! A loop on simulated processors: which speed-up a schedule could reach where there are no cores
//! to measure it.
//!
//! The work of each item is known (counted steps). An item takes as many units of time on any
//! processor, and nothing else takes time: no lock, no memory, no start of a thread. So these
//! speed-ups are upper bounds. Try adding a cost for each chunk that a processor takes.

use crate::schedule::{Interval, Schedule};

/// Who does what and when if item `i` takes `work[i]` steps.
pub fn simulate(schedule: Schedule, processors: usize, work: &[u64]) -> Vec<Interval> {
    let mut clocks = vec![0; processors];
    let mut turns = vec![0; processors];
    let mut busy: Vec<usize> = (0..processors).collect();
    let mut next = 0;
    let mut log = Vec::new();
    // The processor that is free first takes the next chunk.
    while let Some(&thread) = busy.iter().min_by_key(|&&p| (clocks[p], p)) {
        let chunk = schedule.take((thread, turns[thread]), (processors, work.len()), &mut next);
        turns[thread] += 1;
        for item in chunk.clone().unwrap_or_default() {
            let from = clocks[thread] as f64;
            clocks[thread] += work[item];
            let (to, work) = (clocks[thread] as f64, work[item]);
            log.push(Interval {
                thread,
                item,
                from,
                to,
                work,
            });
        }
        if chunk.is_none() {
            busy.retain(|&p| p != thread);
        }
    }
    log
}

/// When the last thread ended.
pub fn makespan(log: &[Interval]) -> f64 {
    log.iter().map(|done| done.to).fold(0.0, f64::max)
}

/// How many times as fast as one processor: all work divided by the time of the slowest thread.
pub fn speed_up(schedule: Schedule, processors: usize, work: &[u64]) -> f64 {
    let all: u64 = work.iter().sum();
    all as f64 / makespan(&simulate(schedule, processors, work)).max(1.0)
}

/// The bound that no schedule and no number of processors passes: all work divided by the longest
/// item, which is the critical path of a loop whose items are independent.
pub fn bound(work: &[u64]) -> f64 {
    let all: u64 = work.iter().sum();
    all as f64 / work.iter().copied().max().unwrap_or(1).max(1) as f64
}
