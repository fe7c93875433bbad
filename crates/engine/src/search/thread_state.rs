//! What a search thread keeps from one search to the next.

use std::sync::Arc;

use super::history::History;
use crate::eval::Evaluate;

/// Evaluator (with its caches) and histories of one thread.
#[derive(Debug)]
pub(crate) struct ThreadState {
    pub(crate) evaluator: Box<dyn Evaluate>,
    /// Its own, or that of all threads: see [`super::strategy::Strategy::shares_history`].
    pub(crate) history: Arc<History>,
}

impl ThreadState {
    pub(crate) fn new(evaluator: Box<dyn Evaluate>, history: Arc<History>) -> Self {
        Self { evaluator, history }
    }

    pub(crate) fn clear(&mut self) {
        self.evaluator.clear();
        match Arc::get_mut(&mut self.history) {
            Some(history) => history.clear_alone(),
            None => self.history.clear(),
        }
    }
}
