//! What is to be built, and how.

use crate::generate::checkpoint::Checkpoint;
use crate::generate::schedule::Schedule;
use crate::metric::Metric;
use crate::position::material::{Half, Material};

/// Memory of the program itself, its stacks and buffers, in bytes.
pub(crate) const PROGRAM_BYTES: u64 = 4 << 20;

/// Memory in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Need {
    /// Needed once.
    pub(super) once: u64,
    /// Needed for each thread.
    pub(super) each: u64,
}

impl Need {
    /// With one thread.
    pub(super) fn least(self) -> u64 {
        self.once + self.each
    }
}

/// What is to be built, and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The ending.
    pub material: Material,
    /// The metric of the distances.
    pub metric: Metric,
    /// The order in which the chunks of a table are processed; the tables are the same.
    pub schedule: Schedule,
    /// Whether files that hold what memory cannot are dropped from the operating system's cache
    /// after each pass: slower, for measurements of disk traffic.
    pub uncached: bool,
    /// Where unfinished work is saved.
    pub checkpoint: Option<Checkpoint>,
}

impl Plan {
    /// Returns a plan for an ending with the default schedule.
    pub fn new(material: Material, metric: Metric) -> Self {
        Self {
            material,
            metric,
            schedule: Schedule::default(),
            uncached: false,
            checkpoint: None,
        }
    }

    /// Name of the checkpoint files of a half.
    pub(crate) fn checkpoint_name(&self, half: &Half) -> String {
        let (attacker, defender) = (&half.attacker, &half.defender);
        format!("{attacker}v{defender}.{}", self.metric.extension())
    }
}
