//! Tests of the whole crate.

mod files;
mod truth;
