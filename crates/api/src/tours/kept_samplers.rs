//! Samplers that are kept in memory between requests: counting the tours of a board takes far longer than drawing one.

use std::sync::{Arc, Mutex, PoisonError};

use everymove_kernel::run::Run;
use everymove_tours::frontier::Sampler;
use everymove_tours::question::Question;

use crate::error::Error;

/// Samplers that are kept; the one that was not used for the longest time is dropped. Each is as large as the memory of a
/// request or job, at most.
const MOST: usize = 3;

type Kept = (Question, Arc<Sampler>);

/// Samplers of some boards, the one used last in front.
#[derive(Default)]
pub(crate) struct KeptSamplers(Mutex<Vec<Kept>>);

impl KeptSamplers {
    /// The sampler of a question; made if it is not kept yet.
    pub(crate) fn of(&self, question: &Question, run: &Run) -> Result<Arc<Sampler>, Error> {
        if let Some(kept) = self.kept(question) {
            return Ok(kept);
        }
        let sampler = Arc::new(Sampler::new(&question.board, question.kind, run)?);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(0, (question.clone(), sampler.clone()));
        all.truncate(MOST);
        Ok(sampler)
    }

    fn kept(&self, question: &Question) -> Option<Arc<Sampler>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().position(|(known, _)| known == question)?;
        let kept = all.remove(at);
        let sampler = kept.1.clone();
        all.insert(0, kept);
        Some(sampler)
    }
}
