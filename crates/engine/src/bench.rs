//! A fixed set of searches. Its node count is the signature of the search: it changes when the
//! search does, and only then.

use std::time::Duration;

use everymove_kernel::run::Stop;
use shakmaty::CastlingMode;

use crate::engine::{Engine, Options};
use crate::error::BenchError;
use crate::game::Game;
use crate::position::Position;
use crate::search::limits::Limits;
use crate::search::limits::Signals;
use crate::search::strategies::Strategy;

/// The default depth.
pub const DEPTH: u32 = 12;

/// The cost of a bench.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bench {
    /// Nodes of all searches: the signature.
    pub nodes: u64,
    /// Time of all searches.
    pub elapsed: Duration,
}

/// The positions that are searched: of every phase, from own games.
pub fn positions() -> impl Iterator<Item = Position> {
    include_str!("bench.txt").lines().map(|fen| {
        let position = Position::from_fen(fen, CastlingMode::Standard);
        position.expect("the positions are tested")
    })
}

/// Searches the positions to a depth, on one thread with a table of 16 MiB.
///
/// # Errors
/// [`BenchError`] if `stop` was raised, or the system refuses the memory of the hash table or a
/// thread.
pub fn run(
    depth: u32,
    stop: &Stop,
    mut listener: impl FnMut(&str, u64),
) -> Result<Bench, BenchError> {
    let options = Options {
        strategy: Strategy::Sequential,
        ..Options::default()
    };
    let mut engine = Engine::new(options)?;
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let mut bench = Bench {
        nodes: 0,
        elapsed: Duration::ZERO,
    };
    for position in positions() {
        let fen = position.fen();
        let game = Game::from(position);
        engine.clear();
        let signals = Signals::with_stop(stop.clone());
        let answer = engine.search(&game, &limits, &signals, &mut |_| {});
        stop.check()?;
        // Every search visits its root.
        if answer.report.nodes == 0 {
            return Err(BenchError::Thread);
        }
        bench.nodes += answer.report.nodes;
        bench.elapsed += answer.report.elapsed;
        listener(&fen, answer.report.nodes);
    }
    Ok(bench)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_repeats() {
        let mut first = Vec::new();
        let stop = Stop::default();
        let bench = run(5, &stop, |_, nodes| first.push(nodes)).unwrap();
        let mut second = Vec::new();
        let again = run(5, &stop, |_, nodes| second.push(nodes)).unwrap();
        assert_eq!(again.nodes, bench.nodes);
        assert_eq!(first, second);
        assert_eq!(first.iter().sum::<u64>(), bench.nodes);
        stop.raise();
        assert!(matches!(
            run(5, &stop, |_, _| ()),
            Err(BenchError::Stopped(_))
        ));
    }
}
