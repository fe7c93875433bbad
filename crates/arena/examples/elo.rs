//! Elo with its error and a sequential test, from the results of pairs of games.
//!
//! `cargo run --release -p everymove-arena --example elo`
#![expect(clippy::print_stdout, reason = "an example prints its result")]

use everymove_arena::SprtError;
use everymove_arena::stats::{Decision, Estimate, Model, Pentanomial, Sprt};

fn main() -> Result<(), SprtError> {
    // Pairs in which the new engine scored 0, 1/2, 1, 3/2 and 2 points.
    let pairs = Pentanomial([34, 54, 63, 64, 75]);
    let estimate = Estimate::of(&pairs);
    println!("Elo {:+.1} ± {:.1}", estimate.elo, estimate.elo_error);
    let test = Sprt::new(0.0, 5.0, 0.05, 0.05, Model::Normalised)?;
    let decision = match test.decide(&pairs) {
        Decision::H0 => "not stronger",
        Decision::H1 => "stronger",
        Decision::Continue => "more games are needed",
    };
    println!("log-likelihood ratio {:.2}: {decision}", test.llr(&pairs));
    Ok(())
}
