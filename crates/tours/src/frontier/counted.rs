//! The answer of a count, and what every way of counting needs: the question's end, its words,
//! bounds of sums.

use everymove_kernel::grid::Square;
use everymove_kernel::run::Work;
use num_bigint::BigUint;

use crate::board::{Kind, Leaper};
use crate::frontier::FrontierError;
use crate::frontier::choose::scheme::Scheme;
use crate::frontier::step::{Action, Step};
use crate::question::Question;

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// Undirected tours: cycles, or paths (with an end at `start`, if given), each counted once
    /// for both directions.
    pub undirected: BigUint,
    /// `blocks` (live degree vectors), `states`, `transitions`, `peak_states` (of one layer).
    pub work: Work,
    /// Where its layers were.
    pub scheme: Scheme,
}

/// The end that open tours must have, if any: tours that end on a square are as many as those that
/// start on it.
pub(crate) fn given_end(question: &Question) -> Result<Option<Square>, FrontierError> {
    if let Some((which, square)) = question.bad_end() {
        let board = question.board.grid();
        return Err(FrontierError::NotPlayable {
            which,
            square: board.name(square),
            board,
        });
    }
    match (question.kind, question.start, question.end) {
        (Kind::Open, Some(_), Some(_)) | (Kind::Closed, _, Some(_)) => Err(FrontierError::BothEnds),
        (Kind::Open, start, end) => Ok(start.or(end)),
        (Kind::Closed, _, None) => Ok(None),
    }
}

/// A question in words, for the checkpoint.
pub(crate) fn describe(question: &Question, start: Option<Square>) -> String {
    let grid = question.board.grid();
    let holes: Vec<String> = question
        .board
        .holes()
        .iter()
        .map(|&h| grid.name(h))
        .collect();
    let mut text = format!("{} {} tours", grid, question.kind);
    if *question.board.leaper() != Leaper::KNIGHT {
        text += &format!(", leaper {}", question.board.leaper());
    }
    if !holes.is_empty() {
        text += &format!(", holes {}", holes.join(","));
    }
    if let Some(start) = start {
        text += &format!(", from {}", grid.name(start));
    }
    text
}

/// Boards of up to this many squares have counts below 2^128.
pub(crate) const EXACT: usize = 110;

/// Sums of counts below this stay exact when multiplied by the ways of a step.
const NARROW: u128 = 1 << 64;

/// The bits that sums are computed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    Bits64,
    Bits128,
}

impl Width {
    /// The width for sums up to this.
    pub(crate) fn of(bound: u128) -> Self {
        match bound < NARROW {
            true => Self::Bits64,
            false => Self::Bits128,
        }
    }
}

/// The width of the sums after a step from a layer with this sum.
///
/// # Errors
/// [`FrontierError::TooMany`] if they might not fit 128 bits.
pub(crate) fn width_of_step(sum: u128, step: &Step) -> Result<Width, FrontierError> {
    let bound = sum.checked_mul(ways(step));
    Ok(Width::of(bound.ok_or(FrontierError::TooMany)?))
}

/// The width of the sums of the pairs of two layers with these sums of counts.
///
/// # Errors
/// [`FrontierError::TooMany`] if they might not fit 128 bits.
pub(crate) fn width_of_join(sums: [u128; 2]) -> Result<Width, FrontierError> {
    // Every pair of states counts at most four times, and a contraction adds counts of one half.
    let bound = sums[0].checked_mul(sums[1]);
    let bound = bound.and_then(|all| all.checked_mul(4));
    bound.ok_or(FrontierError::TooMany)?;
    Ok(Width::of(sums[0].max(sums[1]).saturating_mul(4)))
}

/// An upper bound for the number of choices that a step has for one state.
pub(crate) fn ways(step: &Step) -> u128 {
    match &step.action {
        Action::Eliminate(action) => {
            let neighbours = action.neighbours.len() as u128;
            1 + neighbours + neighbours * neighbours / 2
        }
        Action::Edges(action) => 1 << action.edges.len(),
    }
}
