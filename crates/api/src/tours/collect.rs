//! Tours collected for an answer, up to a number of them and within the memory budget.

use std::ops::ControlFlow;

use everymove_kernel::grid::Square;
use everymove_kernel::run::{OverBudget, Reservation, Run};
use everymove_tours::question::Question;
use everymove_tours::tour::Tour;

use super::text::TourText;

/// A visitor of tours that passes the first `limit` (at least 1) on to `visitor` and then ends the
/// search.
pub(super) fn first(
    limit: u64,
    mut visitor: impl FnMut(&[Square]) -> ControlFlow<()>,
) -> impl FnMut(&[Square]) -> ControlFlow<()> {
    let mut left = limit;
    move |order| {
        left -= 1;
        let flow = visitor(order);
        if left == 0 {
            ControlFlow::Break(())
        } else {
            flow
        }
    }
}

/// The tours of an answer; each is reserved from the memory budget before it is kept.
pub(super) struct Collector<'a> {
    question: &'a Question,
    run: &'a Run,
    tours: Vec<TourText>,
    reserved: Vec<Reservation>,
    over: Option<OverBudget>,
}

impl<'a> Collector<'a> {
    /// No tours yet.
    pub(super) fn new(question: &'a Question, run: &'a Run) -> Self {
        Self {
            question,
            run,
            tours: Vec::new(),
            reserved: Vec::new(),
            over: None,
        }
    }

    /// Keeps the tour with these squares in order; breaks where the budget is exhausted.
    pub(super) fn keep(&mut self, order: &[Square]) -> ControlFlow<()> {
        let tour = Tour::from_order(self.question.board.clone(), self.question.kind, order);
        match self.run.ram.reserve("the list of tours", tour.bytes()) {
            Ok(reservation) => self.reserved.push(reservation),
            Err(error) => {
                self.over = Some(error);
                return ControlFlow::Break(());
            }
        }
        self.tours.push(TourText(tour));
        ControlFlow::Continue(())
    }

    /// The tours.
    ///
    /// # Errors
    /// [`OverBudget`] if they did not all fit.
    pub(super) fn finish(self) -> Result<Vec<TourText>, OverBudget> {
        match self.over {
            Some(over) => Err(over),
            None => Ok(self.tours),
        }
    }
}
