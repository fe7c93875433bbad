//! Distances by rules that Syzygy files do not have: to mate under the fifty-move rule, and to a
//! conversion.

mod brute;
mod conversion;
mod fifty_moves;
