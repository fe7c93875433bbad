//! The parallel searches. The README beside this file states each protocol: `pool` (open jobs and
//! who joins them), `split` (split points: root splitting and YBWC), `abdada`. Lazy SMP needs
//! nothing but the transposition table.

pub(super) mod abdada;
#[cfg(all(test, loom))]
mod models;
pub(super) mod pool;
pub(super) mod split;

use std::fmt;
use std::str::FromStr;

use crate::error::UnknownStrategy;

/// A way to share the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// One thread, however many there are.
    Sequential,
    /// Threads take the moves of the root from one list and share the best value.
    RootSplitting,
    /// Young brothers wait concept: idle threads join at any node whose first move is done.
    Ybwc,
    /// Alpha-beta distributed with deferred moves: all threads search the tree, and defer moves
    /// that another one is searching.
    Abdada,
    /// All threads search the tree at different depths and share the hash table.
    #[default]
    LazySmp,
}

impl Strategy {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Sequential,
        Self::RootSplitting,
        Self::Ybwc,
        Self::Abdada,
        Self::LazySmp,
    ];

    /// The number of threads it uses, of those that the options allow.
    pub(crate) fn threads(self, threads: usize) -> usize {
        if self == Self::Sequential {
            1
        } else {
            threads.max(1)
        }
    }

    /// Whether all threads share one history: those that search one tree do; those of Lazy SMP are
    /// to differ.
    pub(crate) fn shares_history(self) -> bool {
        !matches!(self, Self::Sequential | Self::LazySmp)
    }

    /// Whether helpers wait for split points; otherwise each thread iterates by itself.
    pub(crate) fn has_split_points(self) -> bool {
        matches!(self, Self::RootSplitting | Self::Ybwc)
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sequential => "Sequential",
            Self::RootSplitting => "RootSplitting",
            Self::Ybwc => "YBWC",
            Self::Abdada => "ABDADA",
            Self::LazySmp => "LazySMP",
        })
    }
}

impl FromStr for Strategy {
    type Err = UnknownStrategy;

    fn from_str(text: &str) -> Result<Self, UnknownStrategy> {
        let named = |s: &Self| s.to_string().eq_ignore_ascii_case(text);
        let mut all = Self::ALL.into_iter();
        all.find(named)
            .ok_or_else(|| UnknownStrategy(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_written() {
        for strategy in Strategy::ALL {
            assert_eq!(strategy.to_string().parse(), Ok(strategy));
        }
        assert_eq!("lazysmp".parse(), Ok(Strategy::LazySmp));
        assert!("dts".parse::<Strategy>().is_err());
    }
}
