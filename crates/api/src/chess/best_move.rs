//! `chess move`: the engine's move in a game.

use std::time::Duration;

use everymove_engine::score::UciScore;
use everymove_engine::transposition_table::Bound;
use everymove_engine::{Clock, Engine, Limits, Options, SearchReport, Signals, Strategy, Strength};
use everymove_kernel::run::{Run, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::game::{CheckedGame, GameRequest};
use super::notation;
use super::position::{Ending, PlayedMove, played};
use super::range::within;
use crate::error::Error;
use crate::request::{Answer, Request};
use crate::site::Site;
use crate::terminal::{OnTerminal, Shown, Text};

/// The most memory of the hash table in bytes.
const HASH: u64 = 64 << 20;

/// The engine's move
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct MoveRequest {
    /// The game.
    #[command(flatten)]
    #[serde(flatten)]
    game: GameRequest,
    /// How strong the engine plays, from 1 (a beginner) to 10 [default: as strong as it can]
    #[arg(long, value_name = "1..10")]
    level: Option<u32>,
    /// How strong the engine plays, as a rating from 800 to 3000
    #[arg(long, conflicts_with = "level")]
    elo: Option<u32>,
    /// Seconds for the move [default, without a clock, depth and nodes: 1]
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// Seconds that the side to move has left for the rest of the game
    #[arg(long, value_name = "SECONDS", conflicts_with = "time")]
    clock: Option<f64>,
    /// Seconds added to the clock after each move [default: 0]
    #[arg(long, value_name = "SECONDS", requires = "clock")]
    increment: Option<f64>,
    /// Depth of the search in plies, 1 to 200
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
    /// Nodes of the search
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// How the threads share the work: Sequential, RootSplitting, YBWC, ABDADA or LazySMP
    /// [default: LazySMP]
    #[arg(long)]
    strategy: Option<String>,
    /// Folders with tables of `everymove tables build`, separated as in PATH: positions in them
    /// are known to the ply
    #[arg(long, value_name = "DIR")]
    tables: Option<String>,
    /// Folders with Syzygy tables
    #[arg(long, value_name = "DIRS")]
    syzygy_path: Option<String>,
}

/// The checked question.
#[derive(Clone, Debug)]
pub struct MovePlan {
    game: CheckedGame,
    limits: Limits,
    strength: Option<Strength>,
    strategy: Strategy,
    tables: Option<String>,
    syzygy_path: Option<String>,
}

/// The engine's move.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MoveAnswer {
    /// The position before the move.
    fen: String,
    /// The move and the position after it; null if the game is over.
    best: Option<PlayedMove>,
    /// The reply that the engine expects, in UCI notation.
    ponder: Option<String>,
    /// The score for White: pawns with a sign (`+0.31`) or moves to mate (`#3`, `#-3`); null
    /// without a search.
    score: Option<String>,
    /// `at least` or `at most` where the search was interrupted, so that the score is a bound;
    /// absent if it is exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<&'static str>,
    /// The score for White in hundredths of a pawn; null for a mate.
    centipawns: Option<i32>,
    /// Moves to mate, positive if White mates; null without a mate.
    mate: Option<i32>,
    /// The depth of the last complete iteration; 0 if the answer was known without a search.
    depth: u32,
    /// Nodes searched.
    nodes: u64,
    /// Seconds of the search.
    seconds: f64,
    /// The expected line in UCI notation.
    pv: Vec<String>,
    /// The expected line in standard algebraic notation, numbered.
    line: String,
    /// How the game is over by the rules after the move, or before if there is no move; null while
    /// it is in progress.
    outcome: Option<Ending>,
    /// What was repaired in the position, a line for each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// Why endgame tables that were named are not used, a line for each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    table_faults: Vec<String>,
}

impl Request for MoveRequest {
    const COMMAND: &'static str = "chess move";
    const IS_SERVED: bool = true;
    type Plan = MovePlan;
    type Answer = MoveAnswer;

    fn restrict(&mut self, site: &Site) -> Result<(), Error> {
        site.set_engine_tables(&mut self.tables, &mut self.syzygy_path)
    }

    fn plan(&self) -> Result<MovePlan, Error> {
        let game = self.game.plan()?;
        if let Some(level) = &self.level {
            within("level", level, &(1..=Strength::MOST_LEVEL))?;
        }
        if let Some(elo) = &self.elo {
            within("elo", elo, &(Strength::LEAST_ELO..=Strength::MOST_ELO))?;
        }
        if let Some(depth) = &self.depth {
            within("depth", depth, &(1..=200))?;
        }
        if let Some(nodes) = &self.nodes {
            within("nodes", nodes, &(1..=u64::MAX))?;
        }
        let seconds = |field, value: Option<f64>, least: f64| -> Result<_, Error> {
            value
                .iter()
                .try_for_each(|v| within(field, v, &(least..=86_400.0)))?;
            Ok(value.map(Duration::from_secs_f64))
        };
        let time = seconds("time", self.time, 0.01)?;
        let left = seconds("clock", self.clock, 0.0)?;
        let increment = seconds("increment", self.increment, 0.0)?;
        let clock = match (time, left) {
            (Some(_), Some(_)) => {
                let line = "expected the time of the move or a clock, not both";
                return Err(Error::message(Some("clock"), line));
            }
            (Some(time), None) => Some(Clock::PerMove(time)),
            (None, Some(left)) => Some(Clock::Game {
                left,
                increment: increment.unwrap_or_default(),
                moves_to_go: None,
            }),
            (None, None) if self.depth.is_some() || self.nodes.is_some() => None,
            (None, None) => Some(Clock::PerMove(Duration::from_secs(1))),
        };
        let strength = (self.elo.map(Strength::elo)).or(self.level.map(Strength::level));
        let strategy = self.strategy.as_deref().map(str::parse::<Strategy>);
        Ok(MovePlan {
            game,
            limits: Limits {
                depth: self.depth,
                nodes: self.nodes,
                clock,
                ..Limits::default()
            },
            strength,
            strategy: strategy
                .transpose()
                .map_err(Error::field("strategy"))?
                .unwrap_or_default(),
            tables: self.tables.clone(),
            syzygy_path: self.syzygy_path.clone(),
        })
    }

    fn run(plan: &MovePlan, run: &Run) -> Result<MoveAnswer, Error> {
        let game = &plan.game.game;
        let position = game.position();
        let mut answer = MoveAnswer {
            fen: position.fen(),
            best: None,
            ponder: None,
            score: None,
            bound: None,
            centipawns: None,
            mate: None,
            depth: 0,
            nodes: 0,
            seconds: 0.0,
            pv: Vec::new(),
            line: String::new(),
            outcome: Ending::of(game),
            notes: plan.game.notes.clone(),
            table_faults: Vec::new(),
        };
        if answer.outcome.is_some() {
            return Ok(answer);
        }
        let options = Options {
            threads: run.threads.get(),
            hash: HASH,
            strategy: plan.strategy,
            overhead: Duration::ZERO,
            ..Options::default()
        };
        let (options, limits) = match &plan.strength {
            Some(strength) => (
                strength.options(options),
                strength.limits(plan.limits.clone()),
            ),
            None => (options, plan.limits.clone()),
        };
        let mut engine = Engine::reserved(options.within(&run.ram), &run.ram)?;
        if let Some(folder) = &plan.tables {
            engine.set_tables(folder).map_err(Error::field("tables"))?;
        }
        if let Some(folders) = &plan.syzygy_path {
            engine
                .set_syzygy(folders)
                .map_err(Error::field("syzygy_path"))?;
        }
        answer.table_faults = engine.table_faults();
        run.progress.start("searching the position", 0);
        let signals = Signals::with_stop(run.stop.clone());
        let progress = &run.progress;
        let mut counted = 0;
        let mut listener = |report: &SearchReport| {
            progress.worked(report.nodes.saturating_sub(counted));
            counted = report.nodes;
        };
        let result = engine.search(game, &limits, &signals, &mut listener);
        run.stop.check()?;
        result
            .check_tables()
            .map_err(|damaged| Error::input(None, damaged))?;
        let (best, ponder) = match &plan.strength {
            Some(strength) => strength.choose(&result, game),
            None => (result.best, result.ponder),
        };
        let Some(best) = best else {
            return Ok(answer);
        };
        answer.best = Some(played(position, best));
        let mut after = game.clone();
        after.play(best);
        answer.outcome = Ending::of(&after);
        answer.ponder = ponder.map(|m| after.position().uci(m));
        answer.depth = result.report.depth;
        answer.nodes = result.report.nodes;
        answer.seconds = result.report.elapsed.as_secs_f64();
        let lines = &result.report.lines;
        let line = lines.iter().find(|line| line.pv.first() == Some(&best));
        // A move that was not searched has no score.
        if let Some(line) = line.filter(|line| line.bound != Bound::None) {
            let score = UciScore::for_white(line.score, position.turn());
            answer.score = Some(score.in_pawns());
            answer.bound = notation::bound(position, line);
            answer.mate = score.mate();
            answer.centipawns = match score {
                UciScore::Centipawns(n) => Some(n),
                _ => None,
            };
            answer.pv = notation::uci_line(position, &line.pv);
            answer.line = notation::line(position, &line.pv);
        }
        Ok(answer)
    }
}

impl OnTerminal for MoveRequest {
    type View = ();

    fn show(_: &MovePlan, answer: &MoveAnswer, (): &()) -> Result<Shown, Error> {
        let mut text = Text::default();
        if let Some(best) = &answer.best {
            text.bare = format!("{}\n", best.san);
            let bound = answer.bound.map(|bound| format!("{bound} "));
            let bound = bound.unwrap_or_default();
            text.full = match &answer.score {
                Some(score) => format!(
                    "{}  {bound}{score} for White, depth {}\n",
                    best.san, answer.depth
                ),
                None => text.bare.clone(),
            };
        }
        if !answer.line.is_empty() {
            text.full += &format!("{}\n", answer.line);
        }
        if let Some(end) = &answer.outcome {
            text.full += &format!("{}\n", end.text);
        }
        Ok(text.into())
    }
}

impl Answer for MoveAnswer {
    fn notes(&self) -> &[String] {
        &self.notes
    }

    fn table_faults(&self) -> &[String] {
        &self.table_faults
    }

    fn work(&self) -> Work {
        Work::of("nodes", self.nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(json: &str) -> Result<MoveAnswer, Error> {
        let request: MoveRequest = crate::read(json)?;
        MoveRequest::run(&request.plan()?, &Run::serial())
    }

    #[test]
    fn a_mate_is_played() {
        let json = r#"{"moves":["f3","e5","g4"],"depth":4}"#;
        let answer = ask(json).unwrap();
        let best = answer.best.unwrap();
        assert_eq!((best.san.as_str(), answer.mate), ("Qh4#", Some(-1)));
        assert_eq!(answer.outcome.unwrap().kind, "checkmate");
        assert_eq!(answer.score.as_deref(), Some("#-1"));
    }

    #[test]
    fn levels_play_legal_moves_and_equal_games_equal_ones() {
        let json = r#"{"moves":["e4"],"level":1}"#;
        let (one, other) = (ask(json).unwrap(), ask(json).unwrap());
        assert!(one.best.is_some());
        assert_eq!(one.best, other.best);
    }

    #[test]
    fn wrong_fields_are_named() {
        for (json, field) in [
            (r#"{"level":11}"#, "level"),
            (r#"{"elo":100}"#, "elo"),
            (r#"{"time":1,"clock":1}"#, "clock"),
            (r#"{"strategy":"none"}"#, "strategy"),
            (r#"{"depth":0}"#, "depth"),
        ] {
            assert_eq!(ask(json).unwrap_err().wrong_field(), Some(field), "{json}");
        }
    }
}
