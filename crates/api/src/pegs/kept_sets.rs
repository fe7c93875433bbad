//! Winning sets that are kept in memory between requests.

use std::sync::{Arc, Mutex, PoisonError};

use everymove_kernel::run::Run;
use everymove_pegs::{PegError, Problem, WinningSet};

use crate::error::Error;

/// Sets that are kept; the one that was not used for the longest time is dropped.
const MOST: usize = 6;

/// The winning sets of the usual starts of some boards, the one used last in front.
#[derive(Default)]
pub(crate) struct KeptSets(Mutex<Vec<(Arc<WinningSet>, u64)>>);

impl KeptSets {
    /// Sets of up to `most` bytes together are kept. The set of the board and the finish of a
    /// problem, from the board's usual start; found if it is not kept yet. `None`
    /// where the finish cannot be reached from there, or the set does not fit the memory of the
    /// run.
    pub(crate) fn of(
        &self,
        problem: &Problem,
        most: u64,
        run: &Run,
    ) -> Result<Option<Arc<WinningSet>>, Error> {
        let board = problem.board();
        let usual = board.vacate(board.usual_vacancy());
        let Ok(wanted) = Problem::new(board, usual, problem.finish()) else {
            return Ok(None);
        };
        if let Some(kept) = self.kept(&wanted) {
            return Ok(Some(kept));
        }
        let before = run.ram.used();
        let set = match WinningSet::new(&wanted, run) {
            Ok(set) => Arc::new(set),
            Err(PegError::OverBudget(_)) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let bytes = run.ram.used() - before;
        if bytes <= most {
            let mut sets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            sets.insert(0, (set.clone(), bytes));
            sets.truncate(MOST);
            let mut sum = 0;
            sets.retain(|(_, bytes)| {
                sum += bytes;
                sum <= most
            });
        }
        Ok(Some(set))
    }

    fn kept(&self, wanted: &Problem) -> Option<Arc<WinningSet>> {
        let mut sets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |(set, _): &(Arc<WinningSet>, u64)| {
            let problem = set.problem();
            problem.board() == wanted.board()
                && problem.start() == wanted.start()
                && problem.finish() == wanted.finish()
        };
        let at = sets.iter().position(same)?;
        let kept = sets.remove(at);
        let set = kept.0.clone();
        sets.insert(0, kept);
        Some(set)
    }
}
