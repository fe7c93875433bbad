//! `everymove tours`: arguments and texts of its commands; the answers come from [`everymove_api::tours`].

pub(super) mod complete;
pub(super) mod count;
pub(super) mod draw;
pub(super) mod find;
pub(super) mod list;
mod picture;
pub(super) mod sample;
mod show;
mod stream;
pub(super) mod symmetric;
pub(super) mod theory;
pub(super) mod verify;
