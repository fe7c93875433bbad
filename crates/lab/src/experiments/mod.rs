//! The experiments, a file each.

mod tours_speedup;

use crate::Experiment;

/// All experiments in the order in which they are listed.
pub fn all() -> &'static [Experiment] {
    &[tours_speedup::EXPERIMENT]
}
