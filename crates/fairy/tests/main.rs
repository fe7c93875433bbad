//! Tests of the whole crate.

mod truth;
