//! The promises of the module, one by one.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicUsize;
use std::thread;
use std::time::Duration;

use super::*;
use crate::run::Ram;

#[derive(Debug, PartialEq, Eq)]
enum Failure {
    Stopped,
    Job(u64),
}

impl From<Stopped> for Failure {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

fn run(threads: usize) -> Run {
    Run::new(threads, Ram::unlimited())
}

/// Makes the jobs end out of order.
fn uneven(n: u64) {
    if n.is_multiple_of(7) {
        thread::sleep(Duration::from_micros(50));
    }
}

#[test]
fn results_are_those_of_one_thread() {
    for threads in [1, 2, 3, 8] {
        for jobs in [0, 1, 2, 100] {
            let run = run(threads);
            let expected: Vec<u64> = (0..jobs).map(|n| n * n).collect();
            let mapped = map(
                &run,
                0..jobs,
                || (),
                |(), n| {
                    uneven(n);
                    n * n
                },
            );
            assert_eq!(mapped.unwrap(), expected);
            let sums = for_each(&run, 0..jobs, || 0, |sum, n| *sum += n * n).unwrap();
            assert!(!sums.is_empty() && sums.len() <= threads);
            assert_eq!(sums.iter().sum::<u64>(), expected.iter().sum::<u64>());
            let mut consumed = Vec::new();
            let work = |(): &mut (), n| {
                uneven(n);
                Ok::<_, Stopped>(n * n)
            };
            let consume = |square| {
                consumed.push(square);
                Ok(())
            };
            try_in_order(&run, 0..jobs, 4, || (), work, consume).unwrap();
            assert_eq!(consumed, expected);
        }
    }
}

#[test]
fn the_error_is_that_of_the_first_job_that_fails() {
    let fails = |n: u64| n == 60 || n == 61 || n == 99;
    for threads in [1, 2, 8] {
        for _ in 0..20 {
            let run = run(threads);
            let work = |(): &mut (), n| {
                if n == 60 {
                    thread::sleep(Duration::from_micros(200));
                }
                if fails(n) {
                    Err(Failure::Job(n))
                } else {
                    Ok(n)
                }
            };
            assert_eq!(try_map(&run, 0..100, || (), work), Err(Failure::Job(60)));
            let mut consumed = Vec::new();
            let consume = |n| {
                consumed.push(n);
                Ok(())
            };
            let end = try_in_order(&run, 0..100, 16, || (), work, consume);
            assert_eq!(end, Err(Failure::Job(60)));
            assert_eq!(consumed, (0..60).collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_consumer_may_fail() {
    for threads in [1, 4] {
        let end = try_in_order(
            &run(threads),
            0..1000,
            8,
            || (),
            |(), n| Ok(n),
            |n| if n < 10 { Ok(()) } else { Err(Failure::Job(n)) },
        );
        assert_eq!(end, Err(Failure::Job(10)));
    }
}

#[test]
fn a_stop_ends_the_work_and_goes_before_other_errors() {
    for threads in [1, 4] {
        let run = run(threads);
        let done = AtomicUsize::new(0);
        let result = try_map(
            &run,
            0u64..,
            || (),
            |(), n| {
                done.fetch_add(1, Ordering::Relaxed);
                if n == 5 {
                    run.stop.raise();
                    return Err(Failure::Job(n));
                }
                Ok(n)
            },
        );
        assert_eq!(result, Err(Failure::Stopped));
        let end = try_in_order(&run, 0u64.., 8, || (), |(), n| Ok(n), |_| Ok(()));
        assert_eq!(end, Err(Failure::Stopped));
        assert!(done.into_inner() < 20);
    }
}

#[test]
fn no_more_results_are_held_than_the_window_has() {
    let taken = AtomicUsize::new(0);
    let mut consumed = 0;
    let work = |(): &mut (), n: u64| {
        taken.fetch_add(1, Ordering::SeqCst);
        Ok::<_, Stopped>(n)
    };
    let consume = |n: u64| {
        if n.is_multiple_of(50) {
            thread::sleep(Duration::from_millis(2));
        }
        consumed += 1;
        assert!(taken.load(Ordering::SeqCst) <= consumed + 8);
        Ok(())
    };
    try_in_order(&run(4), 0..500, 8, || (), work, consume).unwrap();
}

#[test]
fn a_panic_is_passed_on() {
    for threads in [1, 4] {
        let run = run(threads);
        let panics = |(): &mut (), n: u64| {
            assert!(n != 20, "on purpose");
            Ok::<_, Stopped>(n)
        };
        let mapped = catch_unwind(AssertUnwindSafe(|| try_map(&run, 0u64.., || (), panics)));
        assert!(mapped.is_err());
        let consumed = catch_unwind(AssertUnwindSafe(|| {
            try_in_order(&run, 0u64.., 8, || (), panics, |_| Ok(()))
        }));
        assert!(consumed.is_err());
        let consumer = catch_unwind(AssertUnwindSafe(|| {
            try_in_order(
                &run,
                0u64..,
                8,
                || (),
                |(), n| Ok::<_, Stopped>(n),
                |n| {
                    assert!(n != 20, "on purpose");
                    Ok(())
                },
            )
        }));
        assert!(consumer.is_err());
    }
}

#[test]
fn no_more_threads_are_started_than_there_are_jobs() {
    let starts = AtomicUsize::new(0);
    let start = || starts.fetch_add(1, Ordering::Relaxed);
    map(&run(1000), vec![1, 2, 3], start, |_, n| n).unwrap();
    assert!(starts.into_inner() <= 3);
}

#[test]
fn numbers_of_threads_are_ascending_from_the_calling_one() {
    let caller = thread::current().id();
    let threads = on_threads(4, |i| (i, thread::current().id()));
    let numbers: Vec<usize> = threads.iter().map(|&(i, _)| i).collect();
    assert_eq!(numbers, [0, 1, 2, 3]);
    assert_eq!(threads[0].1, caller);
    let distinct: HashSet<_> = threads.iter().map(|&(_, id)| id).collect();
    assert_eq!(distinct.len(), 4);
}

#[test]
fn ranges_are_equal_and_complete() {
    for (len, parts) in [(0, 3), (1, 3), (10, 3), (10, 0), (7, 7), (100, 8)] {
        let ranges: Vec<_> = ranges(len, parts).collect();
        assert_eq!(ranges.len(), parts.max(1).min(len), "{len} {parts}");
        assert_eq!(ranges.iter().cloned().flatten().count(), len);
        assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert!(
            ranges
                .iter()
                .all(|range| range.len().abs_diff(len / parts.max(1)) <= 1)
        );
    }
}
