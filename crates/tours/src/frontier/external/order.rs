//! The order of the degree vectors of a layer in a file, in which steps, folds and joins read nearly in sequence.
//!
//! Slots are ranked by their squares: first the outermost pair of columns, row by row with the two squares of a row side
//! by side, then the next pair, and so on; the apex comes last. A step adds and removes digits and subtracts powers of
//! three, so that for each choice of edges the predecessors of ascending vectors are ascending. Reflection left to right
//! exchanges the digits of a pair, upside down those of the pairs of two rows: either maps vectors with a common
//! beginning to vectors with a common beginning, at every length, so that vectors that are close have images that are close.

use std::sync::Arc;

use super::super::bits::Class;
use super::super::degrees::Order;
use super::super::steps::{Action, Step};
use super::super::strip::Strip;

/// The order of a layer's degree vectors, as the only class of it.
pub(super) fn class(strip: &Strip, eliminated: usize, slots: usize) -> Class {
    Class {
        order: Arc::new(order(strip, eliminated, slots, &[])),
        number: 0,
    }
}

/// The order of a layer's degree vectors in which the slots of `key` come first and decide the class.
pub(in super::super) fn order(strip: &Strip, eliminated: usize, slots: usize, key: &[u8]) -> Order {
    let apex = usize::from(strip.apex());
    let mut ranked: Vec<(usize, usize, usize, usize)> = (apex..slots)
        .map(|slot| {
            let square = strip.square(eliminated + slot - apex);
            let (row, col) = (square / strip.cols(), square % strip.cols());
            (col.min(strip.cols() - 1 - col), row, col, slot)
        })
        .collect();
    ranked.sort_unstable();
    let squares = ranked.iter().map(|&(.., slot)| slot as u8);
    let slots_in_turn = squares.chain(0..apex as u8);
    let then: Vec<u8> = slots_in_turn.filter(|slot| !key.contains(slot)).collect();
    Order::within_classes(slots, key, &then)
}

/// How many squares are eliminated after some steps.
pub(in super::super) fn eliminated(steps: &[Step]) -> usize {
    let eliminations = steps.iter();
    eliminations
        .filter(|step| matches!(step.action, Action::Eliminate(_)))
        .count()
}
