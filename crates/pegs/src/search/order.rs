//! Orders in which jumps can be tried.

use std::fmt;
use std::str::FromStr;

use everymove_kernel::rng::SplitMix64;
use thiserror::Error;

use crate::board::Board;

/// An order of the jumps of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// By the starting hole along the rows, then by direction: up, left, right, down.
    Rows,
    /// The reverse of [`Order::Rows`].
    RowsReversed,
    /// By direction, then by the starting hole.
    Directions,
    /// Shuffled with a seed.
    Random(u64),
}

/// Twelve orders to compare: the three regular ones and nine random ones.
pub const ORDERS: [Order; 12] = [
    Order::Rows,
    Order::RowsReversed,
    Order::Directions,
    Order::Random(1),
    Order::Random(2),
    Order::Random(3),
    Order::Random(4),
    Order::Random(5),
    Order::Random(6),
    Order::Random(7),
    Order::Random(8),
    Order::Random(9),
];

/// A text that names no order.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("'{0}' is not an order of jumps: expected rows, rows-reversed, directions or random:SEED")]
pub struct NotAnOrder(String);

impl Order {
    /// The numbers of the board's jumps, first to last.
    pub(super) fn numbers(self, board: &Board) -> Vec<usize> {
        let key = |&number: &usize| {
            let jump = board.jumps()[number];
            let (from, to) = (board.row_col(jump.from), board.row_col(jump.to));
            let direction = (to.0 as i64 - from.0 as i64, to.1 as i64 - from.1 as i64);
            (from, direction)
        };
        let mut numbers: Vec<usize> = (0..board.jumps().len()).collect();
        numbers.sort_by_key(key);
        match self {
            Self::Rows => {}
            Self::RowsReversed => numbers.reverse(),
            Self::Directions => numbers.sort_by_key(|number| {
                let (from, direction) = key(number);
                (direction, from)
            }),
            Self::Random(seed) => SplitMix64::new(seed).shuffle(&mut numbers),
        }
        numbers
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rows => f.write_str("rows"),
            Self::RowsReversed => f.write_str("rows-reversed"),
            Self::Directions => f.write_str("directions"),
            Self::Random(seed) => write!(f, "random:{seed}"),
        }
    }
}

impl FromStr for Order {
    type Err = NotAnOrder;

    fn from_str(text: &str) -> Result<Self, NotAnOrder> {
        match text {
            "rows" => Ok(Self::Rows),
            "rows-reversed" => Ok(Self::RowsReversed),
            "directions" => Ok(Self::Directions),
            _ => {
                let seed = text
                    .strip_prefix("random:")
                    .and_then(|seed| seed.parse().ok());
                seed.map(Self::Random)
                    .ok_or_else(|| NotAnOrder(text.to_owned()))
            }
        }
    }
}
