//! The tests of the crate as its users see it, one module a subject.

mod brute;
mod drawings;
mod errors;
mod facts;
mod golden;
mod resume;
