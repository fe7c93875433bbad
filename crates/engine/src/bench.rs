//! A fixed piece of work. Its node count is the signature of the search: it changes when the search does, and only then.

use std::time::Duration;

use everymove_kernel::run::{Stop, Stopped};
use shakmaty::CastlingMode;

use crate::search::Signals;
use crate::{Engine, Game, Limits, Options, Position, Strategy};

/// The depth that is meant when none is given.
pub const DEPTH: u32 = 12;

/// What the work cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bench {
    /// The signature.
    pub nodes: u64,
    /// Of all positions.
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
/// [`Stopped`] if `stop` was raised.
pub fn run(depth: u32, stop: &Stop, mut listener: impl FnMut(&str, u64)) -> Result<Bench, Stopped> {
    let options = Options {
        strategy: Strategy::Sequential,
        ..Options::default()
    };
    let mut engine = Engine::new(options);
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
        assert_eq!(run(5, &stop, |_, _| ()), Err(Stopped));
    }
}
