//! Every tour of a small board, unless a theorem says that there is none.

use std::ops::ControlFlow;

use everymove_kernel::grid::Square;
use everymove_kernel::run::{Run, Work};

use crate::question::{Direction, Question};
use crate::search::{self, Method, SearchError};
use crate::theory::{self, Existence, Theorem};

/// How a listing ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// The theorem that says that there are no tours, where one does.
    pub theorem: Option<Theorem>,
    /// What it cost: `nodes`.
    pub work: Work,
}

/// Calls `visitor` with each tour as its squares in order, until that breaks; the order of the
/// tours depends on the question alone. As [`search::visit`] with the best method, but a theorem is
/// asked first.
///
/// # Errors
/// [`SearchError`] if the question cannot be searched or the run is stopped.
pub fn list(
    question: &Question,
    direction: Direction,
    run: &Run,
    visitor: impl FnMut(&[Square]) -> ControlFlow<()>,
) -> Result<Listed, SearchError> {
    if question.bad_end().is_none()
        && let Existence::None(theorem) = theory::existence(question, run)?
    {
        return Ok(Listed {
            theorem: Some(theorem),
            work: Work::default(),
        });
    }
    Ok(Listed {
        theorem: None,
        work: search::visit(question, direction, Method::default(), run, visitor)?,
    })
}
