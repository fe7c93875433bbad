//! Where a match stands: results by pairing, and what each engine did besides.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use shakmaty::Color;

use crate::record::{Ending, Game, Outcome};
use crate::stats::{Decision, Pairing, Pentanomial, Sprt, Trinomial};

/// A game reduced to what counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameResult {
    /// The player of White.
    pub white: usize,
    /// The player of Black.
    pub black: usize,
    /// Who won.
    pub outcome: Outcome,
    /// Why it ended, where that is known.
    pub ending: Option<Ending>,
}

/// Results between two engines, as the one with the smaller place sees them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// All games.
    pub games: Trinomial,
    /// Those pairs of which both games are over.
    pub pairs: Pentanomial,
}

/// How an engine spent its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Moves it chose.
    pub moves: u64,
    /// Time it took for them.
    pub time: Duration,
    /// Nodes it reported.
    pub nodes: u64,
    /// Depths it reported, added up, and how many reports there were.
    pub depths: (u64, u64),
}

/// Results of some games. The order in which games are added does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standings {
    scores: BTreeMap<(usize, usize), Score>,
    /// Half points of the first player in the one game of a pair that is over.
    halves: HashMap<u64, u8>,
    endings: BTreeMap<Ending, u64>,
    /// Games lost by failure: by engine and ending.
    failures: BTreeMap<(usize, Ending), u64>,
    efforts: BTreeMap<usize, Effort>,
    white: Trinomial,
}

impl Standings {
    /// Counts a result; `pair` names the pair it belongs to, if any.
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

    /// Counts a game of this match, and the effort it took.
    pub fn add_game(&mut self, game: &Game) {
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
            let effort = self.efforts.entry(side[0]).or_default();
            effort.moves += 1;
            effort.time += Duration::from_micros(played.micros);
            effort.nodes += played.thought.nodes.unwrap_or(0);
            if let Some(depth) = played.thought.depth {
                effort.depths.0 += u64::from(depth);
                effort.depths.1 += 1;
            }
            side.swap(0, 1);
        }
    }

    /// Games in all.
    pub fn games(&self) -> u64 {
        self.white.games()
    }

    /// The results of White, whoever had it.
    pub fn white(&self) -> Trinomial {
        self.white
    }

    /// Results between two engines as the first one sees them.
    pub fn between(&self, first: usize, second: usize) -> Score {
        let found = |key| self.scores.get(&key).copied().unwrap_or_default();
        if first < second {
            found((first, second))
        } else {
            let score = found((second, first));
            Score {
                games: score.games.reversed(),
                pairs: score.pairs.reversed(),
            }
        }
    }

    /// Results of an engine against all others.
    pub fn of(&self, engine: usize) -> Score {
        let mut sum = Score::default();
        for &(a, b) in self.scores.keys() {
            if a == engine || b == engine {
                let score = self.between(engine, if a == engine { b } else { a });
                sum.games += score.games;
                sum.pairs += score.pairs;
            }
        }
        sum
    }

    /// All pairings that have met.
    pub fn pairings(&self) -> Vec<Pairing> {
        let pairing = |(&(first, second), score): (&(usize, usize), &Score)| Pairing {
            first,
            second,
            results: score.games,
        };
        self.scores.iter().map(pairing).collect()
    }

    /// How often games ended in which way.
    pub fn endings(&self) -> &BTreeMap<Ending, u64> {
        &self.endings
    }

    /// How often an engine failed in which way.
    pub fn failures(&self, engine: usize) -> Vec<(Ending, u64)> {
        let own = self.failures.iter().filter(|((e, _), _)| *e == engine);
        own.map(|(&(_, ending), &n)| (ending, n)).collect()
    }

    /// What an engine's moves took.
    pub fn effort(&self, engine: usize) -> Effort {
        self.efforts.get(&engine).copied().unwrap_or_default()
    }
}

/// Whose move it is after the opening, without playing it through.
fn first_to_move(game: &Game) -> Color {
    let black = game.opening.fen.as_ref();
    let black = black.is_some_and(|fen| fen.split_whitespace().nth(1) == Some("b"));
    let odd = game.opening.moves.len() % 2 == 1;
    Color::from_white(black == odd)
}

/// A sequential test that looks at the pairs of a match of two in the order of the schedule.
///
/// Short games end first, and they are not like long ones. A test that took pairs as they come would depend on how
/// many games run at once; this one waits for the pairs before, and decides the same in every run of equal games.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    sprt: Sprt,
    /// Half points of the first engine by game; games of pairs that have been looked at are dropped.
    waiting: BTreeMap<u64, u8>,
    looked_at: u64,
    pairs: Pentanomial,
    decision: Decision,
}

impl Sequence {
    /// A test without games.
    pub fn new(sprt: Sprt) -> Self {
        Self {
            sprt,
            waiting: BTreeMap::new(),
            looked_at: 0,
            pairs: Pentanomial::default(),
            decision: Decision::Continue,
        }
    }

    /// Adds a game between engines 0 and 1.
    pub fn add(&mut self, game: &Game) {
        let white = game.outcome.white_half_points();
        let first = if game.white == 0 { white } else { 2 - white };
        self.waiting.insert(game.number, first);
        while self.decision == Decision::Continue {
            let pair = [2 * self.looked_at, 2 * self.looked_at + 1];
            let [Some(a), Some(b)] = pair.map(|n| self.waiting.get(&n).copied()) else {
                break;
            };
            for n in pair {
                self.waiting.remove(&n);
            }
            self.pairs.0[usize::from(a + b)] += 1;
            self.looked_at += 1;
            self.decision = self.sprt.decide(&self.pairs);
        }
    }

    /// The test.
    pub fn sprt(&self) -> &Sprt {
        &self.sprt
    }

    /// What it says.
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// The log-likelihood ratio now.
    pub fn llr(&self) -> f64 {
        self.sprt.llr(&self.pairs)
    }

    /// The pairs it has looked at.
    pub fn pairs(&self) -> Pentanomial {
        self.pairs
    }

    /// Once it has decided: how many games of the schedule it took.
    pub fn decided_after(&self) -> Option<u64> {
        (self.decision != Decision::Continue).then_some(2 * self.looked_at)
    }
}

#[cfg(test)]
mod tests {
    use everymove_kernel::rng::SplitMix64;
    use proptest::prelude::*;

    use super::*;
    use crate::line::Opening;
    use crate::schedule::{Format, Schedule};
    use crate::stats::Model;

    fn games(engines: usize, rounds: u64, outcomes: &[u8]) -> Vec<Game> {
        let schedule = Schedule::new(Format::RoundRobin, engines, rounds);
        let all = [Outcome::BlackWins, Outcome::Draw, Outcome::WhiteWins];
        (0..schedule.games())
            .map(|number| {
                let fixture = schedule.fixture(number);
                Game {
                    number,
                    white: fixture.white,
                    black: fixture.black,
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

    fn standings(games: &[Game]) -> Standings {
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
            let points: f64 = (0..3).map(|e| straight.of(e).games.points()).sum();
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
        fn a_test_decides_alike_in_whatever_order_games_end(
            outcomes in prop::collection::vec(any::<u8>(), 1..200),
            seed in any::<u64>(),
        ) {
            let sprt = Sprt::new(0.0, 60.0, 0.1, 0.1, Model::Logistic).unwrap();
            let mut games = games(2, 60, &outcomes);
            let run = |games: &[Game]| {
                let mut sequence = Sequence::new(sprt);
                games.iter().for_each(|game| sequence.add(game));
                (sequence.decision(), sequence.pairs(), sequence.decided_after())
            };
            let straight = run(&games);
            SplitMix64::new(seed).shuffle(&mut games);
            prop_assert_eq!(run(&games), straight);
        }
    }
}
