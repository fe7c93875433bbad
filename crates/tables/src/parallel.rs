//! Items dealt out to threads, results in the items' order.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use everymove_kernel::run::{Run, Stopped};

/// Does something with every item on the run's threads; results in the order of the items.
pub(crate) fn in_parallel<I: Sync, B, T: Send>(
    items: &[I],
    run: &Run,
    workspace: impl Fn() -> B + Sync,
    work: impl Fn(&mut B, &I) -> T + Sync,
) -> Result<Vec<T>, Stopped> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::with_capacity(items.len()));
    let thread = || {
        let mut own = None;
        while !run.stop.is_raised() {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { break };
            let result = work(own.get_or_insert_with(&workspace), item);
            let mut results = results.lock().unwrap_or_else(|e| e.into_inner());
            results.push((at, result));
        }
    };
    let threads = run.threads.get().min(items.len());
    if threads <= 1 {
        thread();
    } else {
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(thread);
            }
        });
    }
    run.stop.check()?;
    let mut results = results.into_inner().unwrap_or_else(|e| e.into_inner());
    results.sort_by_key(|&(at, _)| at);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}
