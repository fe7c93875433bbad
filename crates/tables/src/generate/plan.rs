//! What is to be generated, and how.

use crate::generate::checkpoint::Checkpoint;
use crate::generate::schedule::Schedule;
use crate::metric::Metric;
use crate::position::material::{Half, Material};

/// The program itself, stacks and buffers, in bytes.
pub(crate) const PROGRAM_BYTES: u64 = 4 << 20;

/// What is made, and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The ending.
    pub material: Material,
    /// What the distances count.
    pub metric: Metric,
    /// How the work is cut up.
    pub schedule: Schedule,
    /// Whether what is kept in files for lack of memory is dropped from the operating system's cache after each pass: slower,
    /// and what a measurement of disks wants.
    pub uncached: bool,
    /// Where work on a table is kept until it is finished, if it is.
    pub checkpoint: Option<Checkpoint>,
}

impl Plan {
    /// A plan for an ending by the default schedule.
    pub fn new(material: Material, metric: Metric) -> Self {
        Self {
            material,
            metric,
            schedule: Schedule::default(),
            uncached: false,
            checkpoint: None,
        }
    }

    /// The work on a half, as a checkpoint knows it.
    pub(crate) fn log_name(&self, half: &Half) -> String {
        let (attacker, defender) = (&half.attacker, &half.defender);
        format!("{attacker}v{defender}.{}", self.metric.extension())
    }
}
