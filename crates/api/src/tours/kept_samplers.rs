//! Samplers that are kept in memory between requests: counting the tours of a board takes far longer than drawing one.

use std::sync::{Arc, Mutex, PoisonError};

use everymove_kernel::run::Run;
use everymove_tours::frontier::Sampler;
use everymove_tours::question::Question;

use crate::error::Error;

/// Samplers of some boards, the one used last in front.
#[derive(Default)]
pub(crate) struct KeptSamplers(Mutex<Vec<Kept>>);

struct Kept {
    question: Question,
    sampler: Arc<Sampler>,
    bytes: u64,
}

impl KeptSamplers {
    /// The sampler of a question; made if it is not kept yet. Samplers of up to `most` bytes together are kept: those that
    /// were not used for the longest time make way. `run` must not hold memory yet.
    pub(crate) fn of(
        &self,
        question: &Question,
        most: u64,
        run: &Run,
    ) -> Result<Arc<Sampler>, Error> {
        if let Some(kept) = self.kept(question) {
            return Ok(kept);
        }
        let sampler = Arc::new(Sampler::new(&question.board, question.kind, run)?);
        let bytes = run.ram.used();
        if bytes <= most {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            // Another request may have made the same one meanwhile.
            all.retain(|kept| kept.question != *question);
            all.insert(
                0,
                Kept {
                    question: question.clone(),
                    sampler: sampler.clone(),
                    bytes,
                },
            );
            let mut sum = 0;
            all.retain(|kept| {
                sum += kept.bytes;
                sum <= most
            });
        }
        Ok(sampler)
    }

    fn kept(&self, question: &Question) -> Option<Arc<Sampler>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().position(|kept| kept.question == *question)?;
        let kept = all.remove(at);
        let sampler = kept.sampler.clone();
        all.insert(0, kept);
        Some(sampler)
    }
}

#[cfg(test)]
mod tests {
    use everymove_tours::board::{Board, Kind};

    use super::*;

    #[test]
    fn samplers_are_kept_within_their_memory() {
        let samplers = KeptSamplers::default();
        let question = |cols| Question::new(Board::knight(5, cols).unwrap(), Kind::Open);
        let of = |cols, most| samplers.of(&question(cols), most, &Run::serial()).unwrap();
        let kept = || {
            let all = samplers.0.lock().unwrap();
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
