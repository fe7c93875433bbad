//! The state of a match.

use std::collections::BTreeMap;

use crate::record::GameRecord;
use crate::standings::{SequentialTest, Standings};
use crate::stats::Sprt;

/// The games and results of a match so far.
#[derive(Clone, Debug)]
pub struct MatchReport {
    /// The finished games by number.
    pub games: BTreeMap<u64, GameRecord>,
    /// The results of all games or, after a test has decided, of those that it used.
    pub standings: Standings,
    /// The sequential test, if there is one.
    pub test: Option<SequentialTest>,
    /// The number of games that were read from the journal.
    pub resumed: u64,
    /// Whether every game of the schedule is finished or the test has decided.
    pub complete: bool,
}

impl MatchReport {
    pub(super) fn new(sprt: Option<Sprt>) -> Self {
        Self {
            games: BTreeMap::new(),
            standings: Standings::default(),
            test: sprt.map(SequentialTest::new),
            resumed: 0,
            complete: false,
        }
    }

    pub(super) fn add(&mut self, game: GameRecord) {
        self.standings.add_game(&game);
        if let Some(test) = &mut self.test {
            test.add(&game);
        }
        self.games.insert(game.number, game);
    }

    /// How many of the first `scheduled` games are needed: fewer than all once the test has
    /// decided.
    pub(super) fn needed(&self, scheduled: u64) -> u64 {
        let decided = self.test.as_ref().and_then(SequentialTest::decided_after);
        decided.unwrap_or(scheduled).min(scheduled)
    }

    /// Sets `complete`, and removes games after the decision of the test from the results.
    pub(super) fn finish(&mut self, scheduled: u64) {
        let needed = self.needed(scheduled);
        let finished = self.games.range(..needed).count() as u64;
        self.complete = finished == needed;
        if self.games.range(needed..).next().is_some() {
            self.standings = Standings::default();
            for game in self.games.range(..needed).map(|(_, game)| game) {
                self.standings.add_game(game);
            }
        }
    }
}
