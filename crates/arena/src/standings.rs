//! The results of a match by pairing, and what each engine's searches took.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use shakmaty::Color;

use crate::record::{Ending, GameRecord, Outcome};
use crate::stats::{Decision, Pairing, Pentanomial, Sprt, Trinomial};

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameResult {
    /// The index of the engine that played White.
    pub white: usize,
    /// The index of the engine that played Black.
    pub black: usize,
    /// The result.
    pub outcome: Outcome,
    /// Why it ended, if known.
    pub ending: Option<Ending>,
}

/// Results between two engines, from the point of view of one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairingScore {
    /// All games.
    pub games: Trinomial,
    /// The pairs of which both games are finished.
    pub pairs: Pentanomial,
}

/// The sums over all searches of an engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchTotals {
    /// Moves that it chose.
    pub moves: u64,
    /// Time used.
    pub time: Duration,
    /// Nodes reported.
    pub nodes: u64,
    /// The sum of the depths reported, and the number of moves with a report.
    pub depths: (u64, u64),
}

impl SearchTotals {
    /// The means over the searches, where they are known.
    pub fn means(&self) -> SearchMeans {
        let ratio = |a: f64, b: f64| (b > 0.0).then(|| a / b);
        let (moves, nodes) = (self.moves as f64, self.nodes as f64);
        let seconds = self.time.as_secs_f64();
        let known = self.nodes > 0;
        SearchMeans {
            seconds_per_move: ratio(seconds, moves),
            nodes_per_move: ratio(nodes, moves).filter(|_| known),
            nodes_per_second: ratio(nodes, seconds).filter(|_| known),
            depth: ratio(self.depths.0 as f64, self.depths.1 as f64),
        }
    }
}

/// Means over all searches of an engine; `None` where it reported nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SearchMeans {
    /// Seconds for each move.
    pub seconds_per_move: Option<f64>,
    /// Nodes for each move.
    pub nodes_per_move: Option<f64>,
    /// Nodes for each second.
    pub nodes_per_second: Option<f64>,
    /// Depth of a search in plies.
    pub depth: Option<f64>,
}

/// Results of some games. The order in which games are added does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standings {
    /// By pairing (smaller index first), from the point of view of the engine with the smaller
    /// index.
    scores: BTreeMap<(usize, usize), PairingScore>,
    /// By pair of games of which one is finished: half points of the engine with the smaller index
    /// in it.
    halves: HashMap<u64, u8>,
    endings: BTreeMap<Ending, u64>,
    /// Games lost by failure, by engine and ending.
    failures: BTreeMap<(usize, Ending), u64>,
    totals: BTreeMap<usize, SearchTotals>,
    /// By engine: its results against all others.
    sums: HashMap<usize, Trinomial>,
    white: Trinomial,
}

impl Standings {
    /// Adds a result; `pair` is the number of the pair of games that it belongs to, if any.
    pub fn add(&mut self, result: GameResult, pair: Option<u64>) {
        let key = (
            result.white.min(result.black),
            result.white.max(result.black),
        );
        let white = result.outcome.white_half_points();
        let first = if result.white == key.0 {
            white
        } else {
            2 - white
        };
        self.white.add(white);
        let score = self.scores.entry(key).or_default();
        score.games.add(first);
        // A game of a player against itself is one game.
        if key.0 != key.1 {
            self.sums.entry(key.0).or_default().add(first);
        }
        self.sums.entry(key.1).or_default().add(2 - first);
        if let Some(pair) = pair {
            match self.halves.remove(&pair) {
                Some(other) => score.pairs.0[usize::from(first + other)] += 1,
                None => {
                    self.halves.insert(pair, first);
                }
            }
        }
        let Some(ending) = result.ending else { return };
        *self.endings.entry(ending).or_default() += 1;
        if ending.is_failure() {
            let loser = match result.outcome {
                Outcome::WhiteWins => result.black,
                _ => result.white,
            };
            *self.failures.entry((loser, ending)).or_default() += 1;
        }
    }

    /// Adds a game of this match, and its searches.
    pub fn add_game(&mut self, game: &GameRecord) {
        let result = GameResult {
            white: game.white,
            black: game.black,
            outcome: game.outcome,
            ending: Some(game.ending),
        };
        self.add(result, Some(game.number / 2));
        let mut side = match first_to_move(game) {
            Color::White => [game.white, game.black],
            Color::Black => [game.black, game.white],
        };
        for played in &game.moves {
            let totals = self.totals.entry(side[0]).or_default();
            totals.moves += 1;
            totals.time = totals
                .time
                .saturating_add(Duration::from_micros(played.micros));
            totals.nodes = (totals.nodes).saturating_add(played.info.nodes.unwrap_or(0));
            if let Some(depth) = played.info.depth {
                totals.depths.0 += u64::from(depth);
                totals.depths.1 += 1;
            }
            side.swap(0, 1);
        }
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        self.white.games()
    }

    /// The results of White over all games.
    pub fn white(&self) -> Trinomial {
        self.white
    }

    /// Results between two engines from the point of view of the first.
    pub fn between(&self, first: usize, second: usize) -> PairingScore {
        let found = |key| self.scores.get(&key).copied().unwrap_or_default();
        if first < second {
            found((first, second))
        } else {
            let score = found((second, first));
            PairingScore {
                games: score.games.reversed(),
                pairs: score.pairs.reversed(),
            }
        }
    }

    /// Results of an engine against all others.
    pub fn of(&self, engine: usize) -> Trinomial {
        self.sums.get(&engine).copied().unwrap_or_default()
    }

    /// All pairings with a finished game.
    pub fn pairings(&self) -> Vec<Pairing> {
        let pairing = |(&(first, second), score): (&(usize, usize), &PairingScore)| Pairing {
            first,
            second,
            results: score.games,
        };
        self.scores.iter().map(pairing).collect()
    }

    /// The number of pairings with a finished game.
    pub fn pairing_count(&self) -> usize {
        self.scores.len()
    }

    /// The number of games by ending.
    pub fn endings(&self) -> &BTreeMap<Ending, u64> {
        &self.endings
    }

    /// The number of games that an engine lost by failure, by ending.
    pub fn failures(&self, engine: usize) -> Vec<(Ending, u64)> {
        let from = self.failures.range((engine, Ending::Checkmate)..);
        let own = from.take_while(|((e, _), _)| *e == engine);
        own.map(|(&(_, ending), &n)| (ending, n)).collect()
    }

    /// The sums over an engine's searches.
    pub fn search_totals(&self, engine: usize) -> SearchTotals {
        self.totals.get(&engine).copied().unwrap_or_default()
    }
}

/// The side to move after the opening.
fn first_to_move(game: &GameRecord) -> Color {
    let black = game.opening.fen.as_ref();
    let black = black.is_some_and(|fen| fen.split_whitespace().nth(1) == Some("b"));
    let odd = game.opening.moves.len() % 2 == 1;
    Color::from_white(black == odd)
}

/// A sequential test that uses the pairs of a match of two engines in the order of the schedule.
///
/// Short games end first, and their results are distributed differently from those of long games. A
/// test that used pairs in the order in which they end would depend on the number of games played
/// at the same time; this one keeps a pair until all pairs before it are finished, and decides the
/// same in every run with equal games.
#[derive(Clone, Debug, PartialEq)]
pub struct SequentialTest {
    sprt: Sprt,
    /// Half points of engine 0 by game, of the pairs not used yet.
    pending: BTreeMap<u64, u8>,
    pairs_used: u64,
    pairs: Pentanomial,
    decision: Decision,
}

impl SequentialTest {
    /// A test without games.
    pub fn new(sprt: Sprt) -> Self {
        Self {
            sprt,
            pending: BTreeMap::new(),
            pairs_used: 0,
            pairs: Pentanomial::default(),
            decision: Decision::Continue,
        }
    }

    /// Adds a game between engines 0 and 1.
    pub fn add(&mut self, game: &GameRecord) {
        let white = game.outcome.white_half_points();
        let first = if game.white == 0 { white } else { 2 - white };
        self.pending.insert(game.number, first);
        while self.decision == Decision::Continue {
            let pair = [2 * self.pairs_used, 2 * self.pairs_used + 1];
            let [Some(a), Some(b)] = pair.map(|n| self.pending.get(&n).copied()) else {
                break;
            };
            for n in pair {
                self.pending.remove(&n);
            }
            self.pairs.0[usize::from(a + b)] += 1;
            self.pairs_used += 1;
            self.decision = self.sprt.decide(&self.pairs);
        }
    }

    /// The test.
    pub fn sprt(&self) -> &Sprt {
        &self.sprt
    }

    /// Its decision so far.
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// The log-likelihood ratio of the pairs used.
    pub fn llr(&self) -> f64 {
        self.sprt.llr(&self.pairs)
    }

    /// The results of the pairs used.
    pub fn pairs(&self) -> Pentanomial {
        self.pairs
    }

    /// The number of games of the schedule that the decision used; `None` before a decision.
    pub fn decided_after(&self) -> Option<u64> {
        (self.decision != Decision::Continue).then_some(2 * self.pairs_used)
    }
}

#[cfg(test)]
mod tests {
    use everymove_kernel::rng::SplitMix64;
    use proptest::prelude::*;

    use super::*;
    use crate::game_state::Opening;
    use crate::schedule::{Schedule, TournamentFormat};
    use crate::stats::Model;

    fn games(engines: usize, rounds: u64, outcomes: &[u8]) -> Vec<GameRecord> {
        let schedule = Schedule::new(TournamentFormat::RoundRobin, engines, rounds);
        let all = [Outcome::BlackWins, Outcome::Draw, Outcome::WhiteWins];
        (0..schedule.games())
            .map(|number| {
                let game = schedule.game(number);
                GameRecord {
                    number,
                    white: game.white,
                    black: game.black,
                    opening: Opening::default(),
                    moves: Vec::new(),
                    outcome: all[usize::from(outcomes[number as usize % outcomes.len()] % 3)],
                    ending: Ending::Checkmate,
                    detail: None,
                    began: 0,
                }
            })
            .collect()
    }

    fn standings(games: &[GameRecord]) -> Standings {
        let mut standings = Standings::default();
        games.iter().for_each(|game| standings.add_game(game));
        standings
    }

    proptest! {
        #[test]
        fn order_does_not_matter_and_points_are_shared(
            outcomes in prop::collection::vec(any::<u8>(), 1..200),
            seed in any::<u64>(),
        ) {
            let mut games = games(3, 10, &outcomes);
            let straight = standings(&games);
            SplitMix64::new(seed).shuffle(&mut games);
            prop_assert_eq!(&standings(&games), &straight);
            let points: f64 = (0..3).map(|e| straight.of(e).points()).sum();
            prop_assert!((points - games.len() as f64).abs() < 1e-9);
            for a in 0..3 {
                for b in (0..3).filter(|&b| b != a) {
                    let (there, back) = (straight.between(a, b), straight.between(b, a));
                    prop_assert_eq!(there.games, back.games.reversed());
                    prop_assert_eq!(there.pairs, back.pairs.reversed());
                    prop_assert_eq!(there.pairs.pairs() * 2, there.games.games());
                }
            }
        }

        #[test]
        fn a_test_does_not_depend_on_the_order_in_which_games_end(
            outcomes in prop::collection::vec(any::<u8>(), 1..200),
            seed in any::<u64>(),
        ) {
            let sprt = Sprt::new(0.0, 60.0, 0.1, 0.1, Model::Logistic).unwrap();
            let mut games = games(2, 60, &outcomes);
            let run = |games: &[GameRecord]| {
                let mut sequence = SequentialTest::new(sprt);
                games.iter().for_each(|game| sequence.add(game));
                (sequence.decision(), sequence.pairs(), sequence.decided_after())
            };
            let straight = run(&games);
            SplitMix64::new(seed).shuffle(&mut games);
            prop_assert_eq!(run(&games), straight);
        }
    }
}
