//! What is to be played.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use everymove_kernel::run::Stop;
use shakmaty::CastlingMode;

use crate::adjudication::{Adjudication, Tablebase};
use crate::engine_config::{EngineConfig, Protocol};
use crate::error::ArenaError;
use crate::game_state::Opening;
use crate::limits::Limits;
use crate::openings::Openings;
use crate::pgn;
use crate::protocol::{EngineLog, Timeouts};
use crate::record::GameRecord;
use crate::schedule::{Schedule, ScheduledGame, TournamentFormat};
use crate::stats::Sprt;

/// A match to be played. [`MatchPlan::new`] checks it.
#[derive(Clone)]
pub struct MatchPlan {
    /// The engines; their names differ.
    pub engines: Vec<EngineConfig>,
    /// Which engines meet.
    pub format: TournamentFormat,
    /// The number of pairs of games of each pairing.
    pub rounds: u64,
    /// One opening for each round; used again from the first one if there are fewer.
    pub openings: Openings,
    /// The limits of engines that have none of their own.
    pub limits: Limits,
    /// How long after its flag has fallen an engine may still move.
    pub margin: Duration,
    /// Games that end before the rules end them.
    pub adjudication: Adjudication,
    /// Endgame tables that end games.
    pub tables: Option<Arc<dyn Tablebase>>,
    /// A test that ends the match when it decides; for two engines.
    pub sprt: Option<Sprt>,
    /// Chess or Chess960.
    pub mode: CastlingMode,
    /// The number of games played at the same time.
    pub concurrency: usize,
    /// Whether the engines of each game are bound to processors that no other game uses.
    pub affinity: bool,
    /// How long to wait for an engine outside its clock.
    pub timeouts: Timeouts,
    /// Where all that engines are sent and write goes.
    pub log: Option<EngineLog>,
}

impl fmt::Debug for MatchPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.engines.iter().map(|e| &e.name).collect();
        f.debug_struct("MatchPlan")
            .field("engines", &names)
            .field("format", &self.format)
            .field("rounds", &self.rounds)
            .finish_non_exhaustive()
    }
}

impl MatchPlan {
    /// A plan without adjudication, one game at a time.
    ///
    /// # Errors
    /// [`ArenaError`] saying what is wrong with the engines, their limits, the number of rounds or
    /// the openings.
    pub fn new(
        engines: Vec<EngineConfig>,
        format: TournamentFormat,
        rounds: u64,
        openings: Openings,
        limits: Limits,
        mode: CastlingMode,
    ) -> Result<Self, ArenaError> {
        if engines.len() < 2 {
            return Err(ArenaError::Players(engines.len()));
        }
        for (i, engine) in engines.iter().enumerate() {
            if engines[..i].iter().any(|other| other.name == engine.name) {
                return Err(ArenaError::SameName(engine.name.clone()));
            }
            let own = engine.limits.unwrap_or(limits).checked();
            let own = own.map_err(|source| ArenaError::Limits {
                name: engine.name.clone(),
                source,
            })?;
            if engine.protocol == Protocol::Xboard && own.nodes.is_some() {
                return Err(ArenaError::Engine {
                    name: engine.name.clone(),
                    reason: "the protocol of xboard has no limit of nodes: give it a tc, st or depth of its own".into(),
                });
            }
        }
        if rounds == 0 {
            return Err(ArenaError::NoGames);
        }
        openings.check(mode)?;
        Ok(Self {
            engines,
            format,
            rounds,
            openings,
            limits,
            margin: Duration::ZERO,
            adjudication: Adjudication::default(),
            tables: None,
            sprt: None,
            mode,
            concurrency: 1,
            affinity: false,
            timeouts: Timeouts::default(),
            log: None,
        })
    }

    /// All games.
    pub fn schedule(&self) -> Schedule {
        Schedule::new(self.format, self.engines.len(), self.rounds)
    }

    /// The most threads that search at the same time in a game, by the option `Threads` of the
    /// engines: those of one of them, or of both if one thinks on the opponent's time.
    fn threads_of_a_game(&self) -> usize {
        let threads = |engine: &EngineConfig| {
            let mut options = engine.options.iter();
            let given = options.find(|(name, _)| name.eq_ignore_ascii_case("Threads"));
            let given = given.and_then(|(_, value)| value.parse::<usize>().ok());
            given.unwrap_or(1).max(1)
        };
        let mut counts: Vec<_> = self.engines.iter().map(threads).collect();
        counts.sort_unstable();
        let ponder = self.engines.iter().any(|engine| engine.ponder);
        let at_once = counts.iter().rev().take(1 + usize::from(ponder));
        at_once.fold(0, |sum, &count| sum.saturating_add(count))
    }

    /// The processors of each of some games at once, from those `there`; empty sets where games are
    /// not bound to any.
    pub(crate) fn processors(
        &self,
        games: usize,
        there: &[usize],
    ) -> Result<Vec<Vec<usize>>, ArenaError> {
        if !self.affinity {
            return Ok(vec![Vec::new(); games]);
        }
        let threads = self.threads_of_a_game();
        let sets = there.chunks_exact(threads).take(games);
        let sets: Vec<_> = sets.map(<[usize]>::to_vec).collect();
        match sets.len() < games {
            true => Err(ArenaError::Processors {
                games,
                threads,
                there: there.len(),
            }),
            false => Ok(sets),
        }
    }

    /// What may make the results of the match less than they seem, a line each: timed games for
    /// which there are too few of the `cores`, and openings that are used again.
    pub fn warnings(&self, cores: usize) -> Vec<String> {
        let mut warnings = Vec::new();
        let is_timed = |engine: &EngineConfig| {
            let limits = engine.limits.unwrap_or(self.limits);
            limits.clock.is_some() || limits.move_time.is_some()
        };
        let threads = self.threads_of_a_game();
        let at_once = usize::try_from(self.schedule().games()).unwrap_or(usize::MAX);
        let at_once = self.concurrency.min(at_once);
        let needed = at_once.saturating_mul(threads);
        if needed > cores && self.engines.iter().any(is_timed) {
            warnings.push(format!(
                "{at_once} timed games at once, each of up to {threads} threads, need {needed} cores and there are {cores}: engines wait for each other on their own clocks"
            ));
        }
        if let Some(openings) = self.openings.count().filter(|&count| count < self.rounds) {
            warnings.push(format!(
                "there are {openings} openings for {} pairs of games of two engines: they are used again, and engines may repeat their games",
                self.rounds
            ));
        }
        warnings
    }

    /// Returns the opening of a game; `None` if `stop` is raised while openings are generated.
    pub(crate) fn opening(&self, game: &ScheduledGame, stop: &Stop) -> Option<Opening> {
        self.openings.get(game.opening, stop)
    }

    /// A game of this match in PGN; `event` is the name of the match.
    pub fn pgn(&self, game: &GameRecord, event: &str) -> String {
        let players = [game.white, game.black].map(|e| &self.engines[e]);
        let round = self.schedule().game(game.number).opening + 1;
        let header = pgn::Header {
            event,
            names: players.map(|p| p.name.as_str()),
            limits: players.map(|p| p.limits.unwrap_or(self.limits)),
            round: (round, 1 + game.number % 2),
            mode: self.mode,
        };
        pgn::write(game, &header)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(each: &str, rounds: u64, openings: Openings) -> MatchPlan {
        let engine = |name: &str| EngineConfig::read(each, &format!("cmd={name}")).unwrap();
        let engines = vec![engine("a"), engine("b")];
        let format = TournamentFormat::RoundRobin;
        let mode = CastlingMode::Standard;
        MatchPlan::new(engines, format, rounds, openings, Limits::default(), mode).unwrap()
    }

    #[test]
    fn what_makes_results_less_is_said() {
        let one = || {
            Openings::from(vec![Opening {
                fen: None,
                moves: Vec::new(),
            }])
        };
        let mut timed = plan("tc=1+0.1,option.Threads=2", 4, one());
        timed.concurrency = 3;
        assert_eq!(timed.warnings(6).len(), 1);
        let both = timed.warnings(5);
        assert!(both[0].contains("need 6 cores and there are 5"), "{both:?}");
        assert!(
            both[1].starts_with("there are 1 openings for 4 pairs"),
            "{both:?}"
        );
        // The engines of a game think at the same time.
        let ponder = plan("tc=1+0.1,option.Threads=2,ponder=true", 1, one());
        let line = "2 timed games at once, each of up to 4 threads, need 8 cores and there are 7";
        let mut ponder = MatchPlan {
            concurrency: 3,
            ..ponder
        };
        assert!(
            ponder.warnings(7)[0].starts_with(line),
            "{:?}",
            ponder.warnings(7)
        );
        assert_eq!(ponder.processors(2, &[0, 1]).unwrap(), [[0_usize; 0], []]);
        ponder.affinity = true;
        let there: Vec<_> = [0, 2, 4, 6].into_iter().chain([1, 3, 5, 7, 9]).collect();
        assert_eq!(
            ponder.processors(2, &there).unwrap(),
            [[0, 2, 4, 6], [1, 3, 5, 7]]
        );
        let error = ponder.processors(3, &there).unwrap_err().to_string();
        assert!(
            error.contains(
                "3 games at once, each of up to 4 threads, need 12 processors and there are 9"
            ),
            "{error}"
        );
        let mut nodes = plan("nodes=100", 1, one());
        nodes.concurrency = 100;
        assert_eq!(nodes.warnings(1), Vec::<String>::new());
    }
}
