//! Threads that may be refused.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The stack of a new thread, in bytes: the standard library's default.
const STACK: usize = 2 << 20;
/// Address space that must be free beyond a new thread's stack: the standard library maps a signal
/// stack in the new thread and panics if it cannot, and the work wants memory, too.
const SPARE: usize = 8 << 20;

/// Calls `work(i)` on up to `threads` threads at once: `work(0)` on the calling thread, the others
/// on threads of their own. Returns the results in ascending `i`.
///
/// Threads that the system refuses (its limits on processes or memory) are done without, so the
/// result has between 1 and `threads` elements. `work` must therefore not depend on another `i`
/// being called. If one panics, the panic is passed on when all have ended.
pub fn on_threads<T: Send>(threads: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let results: Vec<_> = (0..threads.max(1)).map(|_| Mutex::new(None)).collect();
    let lock = |i: usize| results[i].lock().unwrap_or_else(PoisonError::into_inner);
    let work = |i| {
        let done = work(i);
        *lock(i) = Some(done);
    };
    start_threads(results.len() - 1, &mut || work(0), &|i| work(i + 1));
    (results.into_iter())
        .filter_map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner))
        .collect()
}

/// Calls `own` on the calling thread and `work(i)` on up to `threads` others, and returns when all
/// have ended. Compiled once for all callers, so that starting threads is not instantiated for each
/// of them.
pub(super) fn start_threads(threads: usize, own: &mut dyn FnMut(), work: &(dyn Fn(usize) + Sync)) {
    if threads == 0 {
        return own();
    }
    thread::scope(|scope| {
        let mut others = Vec::new();
        for i in 0..threads {
            if !has_memory(STACK + SPARE) {
                break;
            }
            let builder = thread::Builder::new().stack_size(STACK);
            match builder.spawn_scoped(scope, move || work(i)) {
                Ok(handle) => others.push(handle),
                Err(_) => break,
            }
        }
        own();
        let panics: Vec<_> = others.into_iter().filter_map(|o| o.join().err()).collect();
        if let Some(panic) = panics.into_iter().next() {
            resume_unwind(panic);
        }
    });
}

/// Whether `bytes` bytes can be allocated at this moment. Untouched, they cost address space and no
/// memory.
fn has_memory(bytes: usize) -> bool {
    Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
}
