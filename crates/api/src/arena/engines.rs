//! Which engines play, their limits, and games that end early.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use everymove_arena::{
    Adjudication, DrawRule, EngineConfig, Limits, Outcome, ResignRule, TimeControl,
};
use everymove_kernel::run::{Run, Stop};
use everymove_tables::syzygy::Wdl;
use everymove_tables::{Tablebase, search_path};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Position as _};

use super::numbers::numbers;
use crate::error::Error;

/// The engines of a match and their limits.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub(super) struct EnginesRequest {
    /// An engine: cmd=PROGRAM, and joined by commas name=.., arg=.., dir=.., proto=uci or xboard,
    /// option.NAME=.., ponder=true, tc=.., nodes=..; two or more. The first is the new one:
    /// Elo and --sprt are from its point of view. Quotes hold words of cmd together (cmd="my
    /// engine" -x); they are not needed if cmd is the path of a file
    #[arg(
        long = "engine",
        value_name = "KEY=VALUE,..",
        required_unless_present = "config"
    )]
    #[serde(default)]
    engines: Vec<String>,
    /// What all engines have in common: the same keys, without cmd and name; options and limits of
    /// an engine's own come before it
    #[arg(long, value_name = "KEY=VALUE,..")]
    each: Option<String>,
    /// Limits of each search.
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) limits: LimitsRequest,
}

/// What limits each search.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub(super) struct LimitsRequest {
    /// Clock: seconds, moves/seconds, either with +increment, for example 2+0.02
    #[arg(long, value_name = "TIME")]
    tc: Option<String>,
    /// Seconds for each move
    #[arg(long, value_name = "SECONDS", conflicts_with = "tc")]
    time: Option<f64>,
    /// Nodes for each move
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Depth of each search in plies
    #[arg(long, value_name = "D")]
    depth: Option<u32>,
}

impl EnginesRequest {
    pub(super) fn engines(&self) -> Result<Vec<EngineConfig>, Error> {
        let each = self.each.as_deref().unwrap_or_default();
        // What is wrong with it by itself is not the fault of an engine.
        EngineConfig::read(each, "cmd=engine").map_err(Error::field("each"))?;
        let read = |text: &String| EngineConfig::read(each, text).map_err(Error::field("engines"));
        self.engines.iter().map(read).collect()
    }
}

impl LimitsRequest {
    pub(super) fn limits(&self) -> Result<Limits, Error> {
        let clock = self.tc.as_deref().map(str::parse::<TimeControl>);
        let seconds = self.time.map(|s| seconds("time", s)).transpose()?;
        Ok(Limits {
            clock: clock.transpose().map_err(Error::field("tc"))?,
            move_time: seconds,
            nodes: self.nodes,
            depth: self.depth,
        })
    }
}

/// A time given in seconds.
pub(super) fn seconds(field: &'static str, value: f64) -> Result<Duration, Error> {
    if (0.0..1e7).contains(&value) {
        return Ok(Duration::from_secs_f64(value));
    }
    let message = format!("{field} {value} is not a time: expected seconds");
    Err(Error::message(Some(field), message))
}

/// When games end before the rules end them; nothing by default.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
#[command(next_help_heading = "Ending games early (off unless given)")]
pub(super) struct AdjudicationRequest {
    /// A side loses whose own score is CENTIPAWNS below zero for MOVES of its moves in a row
    #[arg(long, value_name = "MOVES,CENTIPAWNS")]
    resign: Option<String>,
    /// The opponent's score must agree
    #[arg(long)]
    #[serde(default)]
    resign_both: bool,
    /// A draw once each side has made FROM moves of the game (see --max-moves), if both scores
    /// stay within CENTIPAWNS of zero for MOVES moves
    #[arg(long, value_name = "FROM,MOVES,CENTIPAWNS")]
    draw: Option<String>,
    /// A draw after this number of moves of the game by each side. Moves count from the game's
    /// first position, those of the opening included, whatever move number its FEN has: as
    /// cutechess counts (fastchess leaves out the opening here, and takes the FEN's number for its
    /// draw rule)
    #[arg(long, value_name = "N")]
    max_moves: Option<u32>,
    /// Games end as Syzygy tables in these folders say, once a capture or pawn move reaches them
    #[arg(long, value_name = "DIRS")]
    syzygy_path: Option<String>,
}

/// Syzygy tables as the tables of a match.
#[derive(Debug)]
pub(super) struct SyzygyTables {
    tables: Tablebase,
    /// Ends the wait for a file that is being checked.
    stop: OnceLock<Stop>,
}

impl SyzygyTables {
    /// Plays with these tables, if there are any: returns what `play` does, and what is wrong with
    /// files that were needed.
    pub(super) fn watch<T>(
        tables: Option<&Arc<Self>>,
        run: &Run,
        play: impl FnOnce() -> T,
    ) -> (T, Vec<String>) {
        if let Some(tables) = tables {
            // A plan that is run again keeps its first flag.
            let _ = tables.stop.set(run.stop.clone());
        }
        let played = play();
        let faults = tables.map(|tables| tables.tables.faults().take());
        (played, faults.unwrap_or_default())
    }
}

impl everymove_arena::Tablebase for SyzygyTables {
    fn outcome(&self, position: &Chess) -> Option<Outcome> {
        let side = position.turn();
        if position.halfmoves() != 0 {
            return None;
        }
        let waits = || !self.stop.get().is_some_and(Stop::is_raised);
        let wdl = self.tables.wdl(position, Some(&waits));
        Some(match self.tables.noted(wdl)? {
            Wdl::Win => Outcome::win(side),
            Wdl::Loss => Outcome::win(!side),
            _ => Outcome::Draw,
        })
    }
}

/// The largest number in a rule.
const MAX_RULE: u64 = 100_000;

impl AdjudicationRequest {
    pub(super) fn adjudication(&self) -> Result<Adjudication, Error> {
        let rule = |field, numbers: &[u64]| {
            if numbers.iter().all(|&n| n <= MAX_RULE) {
                return Ok(());
            }
            let message = format!("{field}: expected numbers up to {MAX_RULE}");
            Err(Error::message(Some(field), message))
        };
        if self.resign_both && self.resign.is_none() {
            let message = "there is no rule by which engines resign: expected resign with it";
            return Err(Error::message(Some("resign_both"), message));
        }
        let resign = self.resign.as_deref().map(|text| {
            let found: [u64; 2] = numbers("resign", text, "MOVES,CENTIPAWNS")?;
            rule("resign", &found)?;
            let [moves, centipawns] = found;
            Ok::<_, Error>(ResignRule {
                moves: moves as u32,
                centipawns: centipawns as i32,
                both: self.resign_both,
            })
        });
        let draw = self.draw.as_deref().map(|text| {
            let found: [u64; 3] = numbers("draw", text, "FROM,MOVES,CENTIPAWNS")?;
            rule("draw", &found)?;
            let [from, moves, centipawns] = found;
            Ok::<_, Error>(DrawRule {
                from: from as u32,
                moves: moves as u32,
                centipawns: centipawns as i32,
            })
        });
        Ok(Adjudication {
            resign: resign.transpose()?,
            draw: draw.transpose()?,
            max_moves: self.max_moves,
        })
    }

    /// The tables that end games, and why others that were named are not used.
    pub(super) fn tables(&self) -> Result<(Option<Arc<SyzygyTables>>, Vec<String>), Error> {
        let Some(path) = &self.syzygy_path else {
            return Ok((None, Vec::new()));
        };
        let (tables, [_, unusable]) = Tablebase::open(&[], &search_path(path));
        let faults = unusable.iter().map(ToString::to_string).collect();
        if let (0, Some(error)) = (tables.most_pieces(), unusable.into_iter().next()) {
            return Err(Error::field("syzygy_path")(error));
        }
        let stop = OnceLock::new();
        Ok((Some(Arc::new(SyzygyTables { tables, stop })), faults))
    }
}
