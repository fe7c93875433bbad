//! The words after `go`.

use std::time::Duration;

use crate::search::MAX_DEPTH;
use crate::{Clock, Limits, Position};

/// What `go` asks for.
#[derive(Clone, Debug)]
pub(super) enum Order {
    Search(Limits),
    Perft(u32),
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

/// The times that were given, in milliseconds.
#[derive(Debug, Default)]
struct Times {
    left: [Option<u64>; 2],
    increment: [u64; 2],
    moves_to_go: Option<u32>,
    per_move: Option<u64>,
}

pub(super) fn parse(text: &str, position: &Position) -> Result<Order, String> {
    let mut limits = Limits::default();
    let mut times = Times::default();
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        if word == "searchmoves" {
            while let Some(text) = words.next_if(|w| !KEYWORDS.contains(w)) {
                let fault = || format!("'{}' is not a legal move", super::shortened(text));
                limits
                    .root_moves
                    .push(position.parse_uci(text).ok_or_else(fault)?);
            }
            continue;
        }
        match word {
            "ponder" => limits.ponder = true,
            "infinite" => limits.infinite = true,
            _ if KEYWORDS.contains(&word) => {
                let value = words.next().and_then(|text| text.parse::<i64>().ok());
                let value = value.ok_or_else(|| format!("go {word}: expected a number"))?;
                // Clocks run below zero in some programs.
                let value = value.max(0) as u64;
                match word {
                    "wtime" => times.left[0] = Some(value),
                    "btime" => times.left[1] = Some(value),
                    "winc" => times.increment[0] = value,
                    "binc" => times.increment[1] = value,
                    "movestogo" => {
                        times.moves_to_go = Some(value.min(1000) as u32).filter(|&n| n > 0)
                    }
                    "movetime" => times.per_move = Some(value),
                    "depth" => limits.depth = Some(value.clamp(1, u64::from(MAX_DEPTH)) as u32),
                    "nodes" => limits.nodes = Some(value.max(1)),
                    "mate" => limits.mate = Some(value.clamp(1, 100) as u32),
                    _ if (1..=15).contains(&value) => return Ok(Order::Perft(value as u32)),
                    _ => return Err("go perft: expected a depth from 1 to 15".into()),
                }
            }
            _ => return Err(format!("go: unknown word '{}'", super::shortened(word))),
        }
    }
    limits.clock = times.clock(position);
    let bounded = limits.depth.is_some() || limits.nodes.is_some() || limits.mate.is_some();
    if limits.clock.is_none() && !bounded && !limits.ponder {
        limits.infinite = true;
    }
    Ok(Order::Search(limits))
}

impl Times {
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
        match parse(text, &Position::default()) {
            Ok(Order::Search(limits)) => limits,
            other => panic!("{other:?}"),
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
        assert!(matches!(
            parse("perft 3", &Position::default()),
            Ok(Order::Perft(3))
        ));
        for bad in ["depth", "depth x", "fast", "searchmoves e2e5", "perft 0"] {
            assert!(parse(bad, &Position::default()).is_err(), "{bad}");
        }
    }
}
