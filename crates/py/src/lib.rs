//! The Python package `everymove`: keyword arguments become a request of `everymove-api`, its
//! answer becomes JSON or a Python object. The package itself, with its types and its
//! documentation, is in `python/everymove/`.
//!
//! In reading order:
//! - `run`: a request is worked on by a thread of its own, while the calling thread looks for
//!   Ctrl-C and shows progress;
//! - `error`: errors as Python exceptions;
//! - `ask`: every command, from JSON to JSON;
//! - `job_runner`: jobs of a large question, which keep what they share;
//! - `tour`, `listing`, `sampler`: knight's tours as objects, lazily, by number;
//! - `pegs`, `peg_position`: peg boards with their winning set, positions;
//! - `chess_position`, `tables`: endgame tables looked up without a request;
//! - `engine`: an engine that keeps its hash table between searches, and its UCI door;
//! - `reports`: experiments and matches with everything that their JSON answers leave out.
//!
//! Arguments and answers are texts (JSON) where a call may take long, and Python objects where it
//! must be short: a hint or a probe takes less than the parsing of a request.

mod ask;
mod chess_position;
mod engine;
mod error;
mod job_runner;
mod listing;
mod peg_position;
mod pegs;
mod reports;
mod run;
mod sampler;
mod tables;
mod tour;

/// The native part of the package `everymove`.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::ask::{ask, schema, version};
    #[pymodule_export]
    use crate::engine::{Engine, serve_uci};
    #[pymodule_export]
    use crate::job_runner::{JobRunner, job_question};
    #[pymodule_export]
    use crate::listing::{Tours, list_symmetric, list_tours};
    #[pymodule_export]
    use crate::peg_position::Position;
    #[pymodule_export]
    use crate::pegs::{Hint, Problem};
    #[pymodule_export]
    use crate::reports::{arena_play, lab_run};
    #[pymodule_export]
    use crate::sampler::{Drawer, Sampler};
    #[pymodule_export]
    use crate::tables::{Tables, Value};
    #[pymodule_export]
    use crate::tour::{PyTour, find_tour, tour_from_bytes, verify_tour};
}
