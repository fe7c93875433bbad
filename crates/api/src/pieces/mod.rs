//! Pieces by their moves: one file for each command.

mod potential;
mod show;

pub use potential::PotentialRequest;
pub use show::ShowRequest;
