//! Generation of plies to mate under the fifty-move rule.
//!
//! The distance of a position depends on its half-move clock. With a clock of 100 plies the game is
//! over; with a clock of `c` a quiet move leads to a clock of `c + 1`, and a capture or pawn move
//! to a clock of 0 in a finished table or P-slice. So the distances for each clock, a
//! *layer*, follow from the layer before, without un-moves: 101 layers from 100 down to 0.
//! Distances of a position never fall as the clock rises, and most change for a few clocks only:
//! what is kept of the layers is a *step function* of the clock for each position.
//!
//! In reading order:
//! - `row`: 64 values that differ in the square of the word piece, and their minimum over its
//!   moves;
//! - `layers`: all layers of a subspace;
//! - `functions`: the step functions that occur, each kept once;
//! - `half`: a half with or without pawns, its memory and its sections.

mod functions;
mod half;
mod layers;
mod row;

pub(crate) use half::FiftyBuilder;
