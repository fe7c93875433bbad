//! The tests of the crate as its users see it, one module a subject.

mod frontier;
mod golden;
mod lists;
mod records;
