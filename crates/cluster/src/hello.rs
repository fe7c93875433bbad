//! What a process says of itself when it joins.

use serde::{Deserialize, Serialize};

/// Who a process is and what it works on.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Hello {
    pub(crate) version: String,
    pub(crate) process: usize,
    pub(crate) question: String,
    pub(crate) digest: String,
}

impl Hello {
    /// Process `process`, asked `question`; processes that were asked the same have the same `digest`.
    pub(crate) fn new(process: usize, question: &str, digest: &str) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            process,
            question: question.to_owned(),
            digest: digest.to_owned(),
        }
    }

    /// Why a process that says this cannot take part, if it cannot.
    pub(crate) fn refusal(&self, ours: &Self) -> Option<String> {
        if self.version != ours.version {
            let (theirs, ours) = (&self.version, &ours.version);
            return Some(format!(
                "it is version {theirs}, the others are version {ours}"
            ));
        }
        if (&self.question, &self.digest) != (&ours.question, &ours.digest) {
            return Some(format!(
                "it was asked for {} ({}), the others for {} ({})",
                self.question, self.digest, ours.question, ours.digest
            ));
        }
        None
    }
}
