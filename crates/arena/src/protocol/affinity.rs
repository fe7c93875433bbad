//! The processors that an engine is bound to.

use std::io;

/// Calls `start` while this thread is bound to `processors`, which a process that it starts inherits with all its threads.
#[cfg(target_os = "linux")]
pub(super) fn bound<T>(
    processors: &[usize],
    start: impl FnOnce() -> io::Result<T>,
) -> io::Result<T> {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let before = sched_getaffinity(None)?;
    let mut wanted = CpuSet::new();
    processors
        .iter()
        .for_each(|&processor| wanted.set(processor));
    sched_setaffinity(None, &wanted)?;
    let started = start();
    sched_setaffinity(None, &before)?;
    started
}

/// Elsewhere no match has processors to bind to.
#[cfg(not(target_os = "linux"))]
pub(super) fn bound<T>(
    _processors: &[usize],
    start: impl FnOnce() -> io::Result<T>,
) -> io::Result<T> {
    start()
}
