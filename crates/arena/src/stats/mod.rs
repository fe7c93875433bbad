//! Estimates of strength from results: Elo with error bars, likelihood of superiority, sequential
//! tests.
//!
//! Games come in pairs: the same opening with colours changed. The two results of a pair depend on
//! each other through the opening, so valid error bars count pairs ([`Pentanomial`]), not games
//! ([`Trinomial`]).
//!
//! - [`Counts`]: how often each score occurred, for both;
//! - [`Estimate`]: score, logistic and normalised Elo, error bars, likelihood of superiority;
//! - [`Sprt`]: whether to accept one of two hypotheses or to play more games.
//!
//! ```
//! use everymove_arena::stats::{Estimate, Model, Pentanomial, Sprt};
//!
//! // Pairs that scored 0, 1/2, 1, 3/2 and 2 points.
//! let pairs = Pentanomial([34, 54, 63, 64, 75]);
//! let estimate = Estimate::of(&pairs);
//! assert!((estimate.elo - 55.58).abs() < 0.01);
//! let sprt = Sprt::new(0.0, 5.0, 0.05, 0.05, Model::Normalised)?;
//! assert!(sprt.llr(&pairs) > 0.0);
//! # Ok::<(), everymove_arena::SprtError>(())
//! ```

mod counts;
mod estimate;
mod likelihood;
mod normal;
mod ratings;
mod sprt;

pub use counts::{Counts, Pentanomial, Trinomial};
pub use estimate::{Estimate, elo_of_score, score_of_elo};
pub use normal::normal_cdf;
pub use ratings::{Anchor, Pairing, Rating, ratings};
pub use sprt::{Decision, Model, Sprt};

/// Elo points per unit of (score - 1/2) / standard deviation of a game, at equal strength: 800 / ln
/// 10.
///
/// Source: M. Van den Bergh, "Normalized Elo", cantate.be/Fishtest/normalized_elo.pdf.
pub const NELO_PER_SIGMA: f64 = 347.435_585_522_601_46;
