//! How several threads search one tree. The README beside this file states each protocol.

mod busy;
#[cfg(all(test, loom))]
mod models;
mod pool;
mod split;

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

pub(crate) use busy::Busy;
pub(crate) use pool::Pool;
pub(crate) use split::SplitPoint;

use super::thread::{Shared, Thread};

/// A way to share the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// One thread, however many there are.
    Sequential,
    /// Threads take the moves of the root from one list and share the best value.
    RootSplitting,
    /// Young brothers wait: idle threads join at any node whose eldest brother is done.
    Ybwc,
    /// Alpha-beta distributed with deferred moves: all threads search the tree, and put off what another one is at.
    Abdada,
    /// All threads search the tree at different depths and share the hash table.
    #[default]
    LazySmp,
}

/// A text that names no strategy.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("'{0}' is not a strategy: expected Sequential, RootSplitting, YBWC, ABDADA or LazySMP")]
pub struct UnknownStrategy(String);

impl Strategy {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Sequential,
        Self::RootSplitting,
        Self::Ybwc,
        Self::Abdada,
        Self::LazySmp,
    ];

    /// How many of the threads there are it uses.
    pub(crate) fn threads(self, threads: usize) -> usize {
        if self == Self::Sequential {
            1
        } else {
            threads.max(1)
        }
    }

    /// Whether all threads learn from each other's moves: those that search one tree do; lazy ones are to differ.
    pub(crate) fn shares_history(self) -> bool {
        !matches!(self, Self::Sequential | Self::LazySmp)
    }

    /// Whether helpers wait for split points; otherwise each thread iterates by itself.
    fn splits(self) -> bool {
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

/// Ends the search if its thread panics, so that nobody waits for it.
struct Alarm<'a, 's>(&'a Shared<'s>);

impl Drop for Alarm<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.signals.stop();
            self.0.pool.finish();
        }
    }
}

impl Thread<'_, '_> {
    /// The whole life of a thread in a search.
    pub(crate) fn run(&mut self) {
        let _alarm = Alarm(self.shared);
        if self.id == 0 {
            self.iterate();
            self.shared.pool.finish();
        } else if self.shared.strategy.splits() {
            self.serve();
        } else {
            self.iterate();
        }
        self.publish_counters();
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
