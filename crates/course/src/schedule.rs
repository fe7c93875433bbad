//! A parallel loop with the three schedules of OpenMP, and what each thread did in it.
//!
//! `for_each(Schedule::Dynamic(1), 4, n, |i| ...)` is what C writes as
//! `#pragma omp parallel for num_threads(4) schedule(dynamic, 1)` above `for (i = 0; i < n; i++)`.
//! Try changing how many items `take` gives to a thread, and look at the timelines.

use std::time::Instant;
use std::{ops::Range, sync::Mutex, thread};

/// Which thread does which items of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Each thread has one block of neighbouring items, fixed before the loop begins.
    Static,
    /// A thread that has nothing to do takes the next items, this many at a time.
    Dynamic(usize),
    /// As dynamic, large chunks first: a thread takes its share of the items that are left.
    Guided,
}

/// One item of a loop as a thread did it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The thread, from 0.
    pub thread: usize,
    /// The item, from 0.
    pub item: usize,
    /// When it began: seconds since the loop began, or steps on simulated processors.
    pub from: f64,
    /// When it ended.
    pub to: f64,
    /// Its steps, as the body of the loop counted them.
    pub work: u64,
}

impl Schedule {
    /// The chunk that thread number `thread` of `threads` does next; it had `turns` before. Of
    /// `items` items nobody has taken those from `next` on. `None` when the thread is done.
    pub(crate) fn take(
        self,
        (thread, turns): (usize, usize),
        (threads, items): (usize, usize),
        next: &mut usize,
    ) -> Option<Range<usize>> {
        let left = items - *next;
        let size = match self {
            Schedule::Static if turns > 0 => 0,
            Schedule::Static => {
                return Some(thread * items / threads..(thread + 1) * items / threads);
            }
            Schedule::Dynamic(chunk) => chunk.max(1).min(left),
            Schedule::Guided => left.div_ceil(threads),
        };
        *next += size;
        (size > 0).then_some(*next - size..*next)
    }
}

/// Calls `body` for the items 0, 1, ... on several threads; `body` returns its steps. The result
/// says who did what and when.
pub fn for_each(
    schedule: Schedule,
    threads: usize,
    items: usize,
    body: impl Fn(usize) -> u64 + Sync,
) -> Vec<Interval> {
    let begin = Instant::now();
    let next = Mutex::new(0); // a lock with the number inside: it cannot be read without the lock
    let log = Mutex::new(Vec::new());
    let run = |thread| {
        for turns in 0.. {
            // `lock()` begins a critical region, which ends with this statement.
            let chunk = schedule.take((thread, turns), (threads, items), &mut next.lock().unwrap());
            let Some(chunk) = chunk else { break };
            for item in chunk {
                let from = begin.elapsed().as_secs_f64();
                let work = body(item);
                let to = begin.elapsed().as_secs_f64();
                let done = Interval {
                    thread,
                    item,
                    from,
                    to,
                    work,
                };
                log.lock().unwrap().push(done);
            }
        }
    };
    // The parallel region: `spawn` starts a thread, and the region ends when all threads have.
    thread::scope(|region| {
        for thread in 0..threads {
            let run = &run;
            region.spawn(move || run(thread));
        }
    });
    log.into_inner().unwrap()
}
