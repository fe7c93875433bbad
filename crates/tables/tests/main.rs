//! The tests of the crate as its users see it, one module a subject.

mod common;
mod damage;
mod distances;
mod endings;
mod golden;
mod published;
mod service;
mod six_men;
mod syzygy;
