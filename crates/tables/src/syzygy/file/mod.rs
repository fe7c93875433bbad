//! Syzygy files as bytes: `parse` reads one, `check` decodes all of it, `write` lays one out,
//! `checksum` is the hash at its end.

pub(crate) mod check;
pub(crate) mod checksum;
pub(crate) mod parse;
pub(crate) mod write;
