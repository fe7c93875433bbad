//! Values of positions whose half-move clock runs already: what the fifty-move rule leaves of a
//! win.
//!
//! A distance to a zeroing move is one at which the side that wins can make a capture or pawn move,
//! or mate, that keeps its win, the clock then being 0. It is the least such distance, whatever the
//! clock: so a position is won with a clock of `c` plies exactly if `c` and the distance are
//! together at most 100 plies.

use crate::metric::Metric;
use crate::probe::Value;
use crate::stats::FIFTY_MOVES;
use crate::syzygy::Rounding;

/// The value of a position for the side to move under the fifty-move rule, as far as a table
/// determines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClockValue {
    /// It wins.
    Win,
    /// It wins, or the fifty-move rule makes it a draw: the table does not determine which.
    WinOrDraw,
    /// Neither side wins.
    Draw,
    /// It loses, or the fifty-move rule makes it a draw: the table does not determine which.
    LossOrDraw,
    /// It loses.
    Loss,
}

impl ClockValue {
    /// Returns the value of a position after `clock` plies without a capture or pawn move, from the
    /// value that a table has for a clock of 0.
    pub fn new(value: Value, metric: Metric, rounding: Rounding, clock: u32) -> Self {
        let (wins, plies) = match value {
            Value::Draw => return Self::Draw,
            // Checkmate ends the game, whatever the clock.
            Value::Loss(0) => return Self::Loss,
            Value::Win(plies) => (true, u32::from(plies)),
            Value::Loss(plies) => (false, u32::from(plies)),
        };
        let (limit, sum) = (u32::from(FIFTY_MOVES), clock.saturating_add(plies));
        let is_in_time = match (metric, rounding) {
            // A rounded distance may be one ply too few.
            (Metric::Zeroing, Rounding::Rounded) if sum == limit => None,
            (Metric::Zeroing, _) => Some(sum <= limit),
            // The quickest mate may need more plies without a zeroing move than another way to win.
            // A table of plies to mate under the fifty-move rule determines it for each
            // clock, but not this one distance for a clock of 0.
            (Metric::Mate | Metric::MateFifty, _) => (sum <= limit).then_some(true),
            // What follows the conversion may take more plies than the fifty-move rule allows.
            (Metric::Conversion, _) => None,
        };
        match (is_in_time, wins) {
            (Some(true), true) => Self::Win,
            (Some(true), false) => Self::Loss,
            (Some(false), _) => Self::Draw,
            (None, true) => Self::WinOrDraw,
            (None, false) => Self::LossOrDraw,
        }
    }

    /// Returns the value in words.
    pub fn word(self) -> &'static str {
        match self {
            Self::Win => "win",
            Self::WinOrDraw => "win or draw",
            Self::Draw => "draw",
            Self::LossOrDraw => "loss or draw",
            Self::Loss => "loss",
        }
    }
}

impl From<Value> for ClockValue {
    /// Returns the value of a position from one that counts its clock already.
    fn from(value: Value) -> Self {
        match value {
            Value::Win(_) => Self::Win,
            Value::Draw => Self::Draw,
            Value::Loss(_) => Self::Loss,
        }
    }
}

/// The value of a position with a half-move clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtClock {
    /// The value.
    pub value: ClockValue,
    /// The value with plies to mate under the fifty-move rule, where the tables hold them for each
    /// clock.
    pub distance: Option<Value>,
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::generate::{Plan, build};
    use crate::probe::read_position;
    use crate::store::Tables;
    use crate::syzygy;
    use crate::tablebase::{Source, Tablebase};
    use shakmaty::{Chess, Position};

    use everymove_kernel::run::{Run, Work};

    /// The values of all positions that a position leads to within the fifty-move rule, by the
    /// rules alone: whether a side wins, for each clock, found by backward induction on the
    /// clock.
    struct ByRules(HashMap<(Chess, u32), i8>);

    impl ByRules {
        /// Returns 1, 0 or -1 for the side to move. With a clock of 100 the game is drawn unless it
        /// is checkmate.
        fn value(&mut self, position: &Chess, clock: u32, limit: u32) -> i8 {
            if position.is_checkmate() {
                return -1;
            }
            if clock >= limit || position.is_stalemate() || position.is_insufficient_material() {
                return 0;
            }
            let key = (position.clone(), clock);
            if let Some(&known) = self.0.get(&key) {
                return known;
            }
            let mut best = -1;
            for play in position.legal_moves() {
                let mut next = position.clone();
                next.play_unchecked(play);
                let clock = if play.is_zeroing() { 0 } else { clock + 1 };
                best = best.max(-self.value(&without_counters(&next), clock, limit));
                if best == 1 {
                    break;
                }
            }
            self.0.insert(key, best);
            best
        }
    }

    /// The position with both counters at their start, so that equal positions are equal keys.
    fn without_counters(position: &Chess) -> Chess {
        let mut setup = position.to_setup(shakmaty::EnPassantMode::Legal);
        setup.halfmoves = 0;
        setup.fullmoves = std::num::NonZeroU32::MIN;
        setup.position(shakmaty::CastlingMode::Standard).unwrap()
    }

    #[test]
    fn clocks_near_the_limit_agree_with_search() {
        let folder = tempfile::tempdir().unwrap();
        let run = Run::serial();
        let own = Tables::new(folder.path(), Metric::Zeroing);
        let material = "KRvK".parse().unwrap();
        build(
            &Plan::new("KRvK".parse().unwrap(), Metric::Zeroing),
            &own,
            &run,
        )
        .unwrap();
        syzygy::write(&material, &own, &run, &mut Work::default()).unwrap();
        let mate = Tables::new(folder.path(), Metric::Mate);
        build(&Plan::new(material, Metric::Mate), &mate, &run).unwrap();
        let (tables, errors) = Tablebase::open(&[folder.path()], &[folder.path()]);
        assert!(errors.iter().all(Vec::is_empty));
        let sources = [
            Source::Own(Metric::Zeroing),
            Source::Own(Metric::Mate),
            Source::Syzygy,
        ];
        let mut by_rules = ByRules(HashMap::new());
        let mut seen = HashMap::<&str, u32>::new();
        for fen in [
            "8/8/8/8/8/1K6/7R/k7 w - - 0 1",
            "8/8/8/8/8/1K6/7R/1k6 w - - 0 1",
            "8/8/8/8/8/K7/7R/1k6 b - - 0 1",
            "8/8/8/8/8/2K5/7R/k7 w - - 0 1",
            "7R/8/8/8/8/1K6/8/k7 b - - 0 1",
            "8/8/8/8/8/1K6/1R6/k7 b - - 0 1",
        ] {
            let position = read_position(fen).unwrap();
            for clock in 95..=101 {
                let truth = by_rules.value(&position, clock, 100);
                for source in sources {
                    let (value, rounding) = tables.value(source, &position).unwrap();
                    let found = ClockValue::new(value, source.metric(), rounding, clock);
                    *seen.entry(found.word()).or_default() += 1;
                    let possible: &[i8] = match found {
                        ClockValue::Win => &[1],
                        ClockValue::WinOrDraw => &[0, 1],
                        ClockValue::Draw => &[0],
                        ClockValue::LossOrDraw => &[-1, 0],
                        ClockValue::Loss => &[-1],
                    };
                    assert!(
                        possible.contains(&truth),
                        "{fen} {clock}: {found:?} {truth}"
                    );
                }
            }
        }
        for word in ["win", "win or draw", "draw"] {
            assert!(seen.contains_key(word), "{seen:?}");
        }
    }

    #[test]
    fn what_a_table_does_not_determine_is_said() {
        let new = ClockValue::new;
        let (exact, rounded) = (Rounding::Exact, Rounding::Rounded);
        for (value, metric, rounding, clock, expected) in [
            (Value::Win(20), Metric::Zeroing, exact, 80, ClockValue::Win),
            (Value::Win(20), Metric::Zeroing, exact, 81, ClockValue::Draw),
            (
                Value::Win(20),
                Metric::Zeroing,
                rounded,
                79,
                ClockValue::Win,
            ),
            (
                Value::Win(20),
                Metric::Zeroing,
                rounded,
                80,
                ClockValue::WinOrDraw,
            ),
            (
                Value::Loss(20),
                Metric::Zeroing,
                rounded,
                80,
                ClockValue::LossOrDraw,
            ),
            (
                Value::Loss(20),
                Metric::Zeroing,
                rounded,
                81,
                ClockValue::Draw,
            ),
            (Value::Win(101), Metric::Zeroing, exact, 0, ClockValue::Draw),
            (
                Value::Win(101),
                Metric::Mate,
                exact,
                0,
                ClockValue::WinOrDraw,
            ),
            (Value::Loss(100), Metric::Mate, exact, 0, ClockValue::Loss),
            (
                Value::Win(1),
                Metric::Conversion,
                exact,
                0,
                ClockValue::WinOrDraw,
            ),
            (
                Value::Loss(0),
                Metric::Zeroing,
                exact,
                150,
                ClockValue::Loss,
            ),
            (Value::Draw, Metric::Mate, exact, 0, ClockValue::Draw),
        ] {
            assert_eq!(
                new(value, metric, rounding, clock),
                expected,
                "{value:?} {clock}"
            );
        }
    }
}
