//! `everymove pegs`: one file a command.

pub(super) mod boards;
pub(super) mod count;
pub(super) mod draw;
pub(super) mod hint;
mod input;
mod picture;
pub(super) mod play;
pub(super) mod puzzle;
pub(super) mod replay;
pub(super) mod review;
mod show;
pub(super) mod solve;
pub(super) mod table;
pub(super) mod winning;
