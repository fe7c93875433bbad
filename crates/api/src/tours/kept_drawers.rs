//! What draws tours, kept in memory between requests: to prepare it takes far longer than to draw
//! one.

use std::sync::{Arc, Mutex, PoisonError};

use everymove_kernel::run::Run;
use everymove_tours::frontier::Drawer;
use everymove_tours::question::Question;

use crate::error::Error;

/// Drawers of some boards, the one used last in front.
#[derive(Default)]
pub(crate) struct KeptDrawers(Mutex<Vec<Kept>>);

struct Kept {
    question: Question,
    drawer: Arc<Drawer>,
    bytes: u64,
}

impl KeptDrawers {
    /// The drawer of a question; made if it is not kept yet. Drawers of up to `most` bytes together
    /// are kept: those that were not used for the longest time make way. `run` must not hold
    /// memory yet.
    pub(crate) fn of(
        &self,
        question: &Question,
        most: u64,
        run: &Run,
    ) -> Result<Arc<Drawer>, Error> {
        if let Some(kept) = self.kept(question) {
            return Ok(kept);
        }
        let drawer = Arc::new(Drawer::new(&question.board, question.kind, run)?);
        let bytes = run.ram.used();
        if bytes <= most {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            // Another request may have made the same one meanwhile.
            all.retain(|kept| kept.question != *question);
            all.insert(
                0,
                Kept {
                    question: question.clone(),
                    drawer: drawer.clone(),
                    bytes,
                },
            );
            let mut sum = 0;
            all.retain(|kept| {
                sum += kept.bytes;
                sum <= most
            });
        }
        Ok(drawer)
    }

    fn kept(&self, question: &Question) -> Option<Arc<Drawer>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().position(|kept| kept.question == *question)?;
        let kept = all.remove(at);
        let drawer = kept.drawer.clone();
        all.insert(0, kept);
        Some(drawer)
    }
}

#[cfg(test)]
mod tests {
    use everymove_tours::board::{Board, Kind};

    use super::*;

    #[test]
    fn drawers_are_kept_within_their_memory() {
        let drawers = KeptDrawers::default();
        let question = |cols| Question::new(Board::knight(5, cols).unwrap(), Kind::Open);
        let of = |cols, most| drawers.of(&question(cols), most, &Run::serial()).unwrap();
        let kept = || {
            let all = drawers.0.lock().unwrap();
            let boards = all.iter().map(|kept| kept.question.board.grid().cols());
            (
                boards.collect::<Vec<_>>(),
                all.iter().map(|kept| kept.bytes).sum::<u64>(),
            )
        };
        of(5, 0);
        assert_eq!(kept(), (vec![], 0));
        of(5, u64::MAX);
        of(6, u64::MAX);
        let (boards, both) = kept();
        assert_eq!(boards, [6, 5]);
        assert!(both > 1000, "{both} bytes");
        let first = of(5, u64::MAX);
        assert_eq!(kept().0, [5, 6]);
        assert!(Arc::ptr_eq(&first, &of(5, u64::MAX)));
        of(4, both);
        assert_eq!(kept().0, [4, 5]);
    }
}
