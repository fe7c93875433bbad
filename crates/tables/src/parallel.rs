//! Items dealt out to threads, results in the items' order.

use everymove_kernel::parallel;
use everymove_kernel::run::{Run, Stopped};

/// Does something with every item on the run's threads; results in the order of the items.
pub(crate) fn in_parallel<I: Sync, B: Send, T: Send>(
    items: &[I],
    run: &Run,
    workspace: impl Fn() -> B + Sync,
    work: impl Fn(&mut B, &I) -> T + Sync,
) -> Result<Vec<T>, Stopped> {
    parallel::map(run, items, workspace, work)
}
