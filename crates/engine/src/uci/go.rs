//! The words after `go`.
//!
//! Every `go` starts something: words that make no sense are ignored and reported, the rest is
//! obeyed.

use std::time::Duration;

use everymove_kernel::text::shown;

use crate::position::Position;
use crate::search::limits::{Clock, Limits};
use crate::search::root::MAX_DEPTH;

/// What `go` asks for.
#[derive(Clone, Debug)]
pub(super) enum Task {
    Search(Limits),
    /// A count of move paths of this length.
    Perft(u32),
}

/// A `go` command.
#[derive(Clone, Debug)]
pub(super) struct Go {
    pub(super) task: Task,
    /// What was ignored, `None` if nothing was.
    pub(super) ignored: Option<String>,
}

const KEYWORDS: [&str; 13] = [
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
    "perft",
];

/// Nodes of a search whose only limits were not understood: a program that set a limit waits for a
/// move.
const FALLBACK_NODES: u64 = 100_000;

/// Ignored words that are named in the report; the others are counted.
const NAMED: usize = 4;

/// The times that were given, in milliseconds.
#[derive(Debug, Default)]
struct Times {
    /// White's and Black's clocks.
    left: [Option<u64>; 2],
    increment: [u64; 2],
    moves_to_go: Option<u32>,
    per_move: Option<u64>,
}

pub(super) fn parse(text: &str, position: &Position) -> Go {
    let mut limits = Limits::default();
    let mut times = Times::default();
    let mut ignored = Vec::new();
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        match word {
            "searchmoves" => {
                while let Some(text) = words.next_if(|w| !KEYWORDS.contains(w)) {
                    match position.parse_uci(text) {
                        Some(m) => limits.root_moves.push(m),
                        None => ignored.push(format!("'{}' (not a legal move)", shown(text))),
                    }
                }
            }
            "ponder" => limits.ponder = true,
            "infinite" => limits.infinite = true,
            _ if KEYWORDS.contains(&word) => {
                // A keyword in place of the number is left for the next round.
                let value = words.next_if(|w| !KEYWORDS.contains(w)).unwrap_or("");
                let Ok(number) = value.parse::<i64>() else {
                    ignored.push(format!("{word} '{}' (not a number)", shown(value)));
                    continue;
                };
                // Some programs let clocks run below zero.
                let number = number.max(0) as u64;
                match word {
                    "perft" if (1..=15).contains(&number) => {
                        return Go {
                            task: Task::Perft(number as u32),
                            ignored: report(&ignored),
                        };
                    }
                    "perft" => ignored.push(format!("perft {number} (expected 1 to 15)")),
                    "depth" => limits.depth = Some(number.clamp(1, u64::from(MAX_DEPTH)) as u32),
                    "nodes" => limits.nodes = Some(number.max(1)),
                    "mate" => limits.mate = Some(number.clamp(1, 100) as u32),
                    _ => times.set(word, number),
                }
            }
            _ => ignored.push(format!("'{}'", shown(word))),
        }
    }
    limits.clock = times.clock(position);
    let bounded = limits.depth.is_some() || limits.nodes.is_some() || limits.mate.is_some();
    if limits.clock.is_none() && !bounded && !limits.ponder && !limits.infinite {
        if ignored.is_empty() {
            limits.infinite = true;
        } else {
            limits.nodes = Some(FALLBACK_NODES);
        }
    }
    Go {
        task: Task::Search(limits),
        ignored: report(&ignored),
    }
}

fn report(ignored: &[String]) -> Option<String> {
    let named = ignored.iter().take(NAMED).cloned().collect::<Vec<_>>();
    let more = match ignored.len() - named.len() {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    (!named.is_empty()).then(|| format!("go: ignored {}{more}", named.join(", ")))
}

impl Times {
    fn set(&mut self, word: &str, number: u64) {
        match word {
            "wtime" => self.left[0] = Some(number),
            "btime" => self.left[1] = Some(number),
            "winc" => self.increment[0] = number,
            "binc" => self.increment[1] = number,
            "movestogo" => self.moves_to_go = Some(number.min(1000) as u32).filter(|&n| n > 0),
            _ => self.per_move = Some(number),
        }
    }

    fn clock(&self, position: &Position) -> Option<Clock> {
        // Longer than a month is no limit, and would overflow.
        let ms = |n: u64| Duration::from_millis(n.min(1 << 32));
        if let Some(time) = self.per_move {
            return Some(Clock::PerMove(ms(time)));
        }
        let side = usize::from(position.turn().is_black());
        // Some programs send only one clock.
        let left = self.left[side].or(self.left[1 - side])?;
        Some(Clock::Game {
            left: ms(left),
            increment: ms(self.increment[side]),
            moves_to_go: self.moves_to_go,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(text: &str) -> Limits {
        match parse(text, &Position::default()).task {
            Task::Search(limits) => limits,
            Task::Perft(depth) => panic!("perft {depth}"),
        }
    }

    #[test]
    fn one_clock_is_enough() {
        let clock = limits("wtime 100").clock;
        assert_eq!(limits("btime 100").clock, clock);
        assert!(matches!(
            clock,
            Some(Clock::Game {
                moves_to_go: None,
                ..
            })
        ));
        assert!(!limits("wtime 100").infinite);
    }

    #[test]
    fn words_come_in_any_order() {
        let found = limits("searchmoves e2e4 d2d4 depth 7 nodes 100");
        assert_eq!(
            (found.root_moves.len(), found.depth, found.nodes),
            (2, Some(7), Some(100))
        );
        assert!(limits("").infinite && limits("infinite").infinite);
        let go = parse("perft 3", &Position::default());
        assert!(matches!(go.task, Task::Perft(3)) && go.ignored.is_none());
    }

    #[test]
    fn what_is_valid_is_obeyed_and_the_rest_reported() {
        let ignored = |text| parse(text, &Position::default()).ignored;
        assert_eq!(limits("depth 3 searchmoves e2e5").depth, Some(3));
        assert_eq!(
            ignored("depth 3 searchmoves e2e5").as_deref(),
            Some("go: ignored 'e2e5' (not a legal move)")
        );
        assert_eq!(limits("searchmoves e2e5 e2e4").root_moves.len(), 1);
        assert_eq!(limits("depth nodes 10").nodes, Some(10));
        assert_eq!(
            ignored("depth nodes 10").as_deref(),
            Some("go: ignored depth '' (not a number)")
        );
        // Too large for a number: the other clock is used.
        let clock = limits("wtime 18446744073709551616 btime 1").clock;
        assert_eq!(clock, limits("btime 1").clock);
        assert_eq!(
            limits("wtime 9223372036854775807").clock,
            limits("wtime 4294967296").clock
        );
        assert_eq!(
            ignored("a b c d e f").as_deref(),
            Some("go: ignored 'a', 'b', 'c', 'd' and 2 more")
        );
    }

    /// A search whose limits were not understood ends all the same.
    #[test]
    fn only_a_plain_go_is_endless() {
        for bad in [
            "depth",
            "depth x",
            "fast",
            "searchmoves e2e5",
            "perft 0",
            "movetime -",
        ] {
            let found = limits(bad);
            assert!(
                !found.infinite && found.nodes == Some(FALLBACK_NODES),
                "{bad}"
            );
        }
        assert!(limits("depth x infinite").infinite && limits("depth x ponder").ponder);
    }
}
