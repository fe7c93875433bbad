//! Pieces by their moves: one file for each command.

mod show;

pub use show::ShowRequest;
