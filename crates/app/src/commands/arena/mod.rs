//! `everymove arena`: one file a command.

pub(super) mod openings;
pub(super) mod play;
mod show;
pub(super) mod spsa;
pub(super) mod stats;
