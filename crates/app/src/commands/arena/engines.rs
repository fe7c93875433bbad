//! The words that say who plays, how long, and when games end early.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use everymove_arena::{
    Adjudication, DrawRule, EngineConfig, Limits, Outcome, ResignRule, Tablebase, TimeControl,
};
use everymove_engine::{Syzygy, Wdl};
use shakmaty::{Chess, Position as _};

use crate::failure::Failure;

/// Who plays and how.
#[derive(Debug, clap::Args)]
pub(super) struct EngineArgs {
    /// An engine: cmd=PROGRAM,name=..,arg=..,dir=..,proto=uci|xboard,option.NAME=..,tc=..,nodes=..; give it twice or
    /// more
    #[arg(long = "engine", value_name = "KEY=VALUE,..", required = true)]
    engines: Vec<String>,
    /// Clock: seconds, moves/seconds, either with +increment
    #[arg(long, value_name = "TIME")]
    tc: Option<String>,
    /// Seconds for each move
    #[arg(long, value_name = "SECONDS", conflicts_with = "tc")]
    st: Option<f64>,
    /// Nodes for each move
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Depth of each search in plies
    #[arg(long, value_name = "D")]
    depth: Option<u32>,
}

impl EngineArgs {
    pub(super) fn engines(&self) -> Result<Vec<EngineConfig>, Failure> {
        let read = |text: &String| text.parse::<EngineConfig>().map_err(Failure::input);
        self.engines.iter().map(read).collect()
    }

    pub(super) fn limits(&self) -> Result<Limits, Failure> {
        let clock = self.tc.as_deref().map(str::parse::<TimeControl>);
        let seconds = self.st.map(|s| seconds("--st", s)).transpose()?;
        Ok(Limits {
            clock: clock.transpose().map_err(Failure::input)?,
            move_time: seconds,
            nodes: self.nodes,
            depth: self.depth,
        })
    }
}

/// A time given in seconds.
pub(super) fn seconds(option: &str, value: f64) -> Result<Duration, Failure> {
    if (0.0..1e7).contains(&value) {
        return Ok(Duration::from_secs_f64(value));
    }
    Err(Failure::Input(format!(
        "{option} {value} is not a time: expected seconds"
    )))
}

/// When games end before the rules end them; nothing by default.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Ending games early (off unless given)")]
pub(super) struct AdjudicationArgs {
    /// A side loses whose own value is CENTIPAWNS below zero for MOVES of its moves in a row
    #[arg(long, value_name = "MOVES,CENTIPAWNS")]
    resign: Option<String>,
    /// The opponent must see it likewise
    #[arg(long, requires = "resign")]
    resign_both: bool,
    /// A draw from move FROM on if both values stay within CENTIPAWNS of zero for MOVES moves
    #[arg(long, value_name = "FROM,MOVES,CENTIPAWNS")]
    draw: Option<String>,
    /// A draw after so many moves
    #[arg(long, value_name = "N")]
    max_moves: Option<u32>,
    /// Games end as Syzygy tables in these directories say, once a capture or pawn move reaches them
    #[arg(long, value_name = "DIRS")]
    syzygy: Option<String>,
}

/// Asks endgame tables for the outcome.
#[derive(Debug)]
struct SyzygyTables(Syzygy);

impl Tablebase for SyzygyTables {
    fn outcome(&self, position: &Chess) -> Option<Outcome> {
        let side = position.turn();
        Some(match self.0.probe_wdl(&position.clone().into())? {
            Wdl::Win => Outcome::win(side),
            Wdl::Draw => Outcome::Draw,
            Wdl::Loss => Outcome::win(!side),
        })
    }
}

impl AdjudicationArgs {
    pub(super) fn plan(&self) -> Result<Adjudication, Failure> {
        let resign = self.resign.as_deref().map(|text| {
            let [moves, centipawns] = numbers("--resign", text, "MOVES,CENTIPAWNS")?;
            Ok::<_, Failure>(ResignRule {
                moves,
                centipawns: centipawns as i32,
                both: self.resign_both,
            })
        });
        let draw = self.draw.as_deref().map(|text| {
            let [from, moves, centipawns] = numbers("--draw", text, "FROM,MOVES,CENTIPAWNS")?;
            Ok::<_, Failure>(DrawRule {
                from,
                moves,
                centipawns: centipawns as i32,
            })
        });
        Ok(Adjudication {
            resign: resign.transpose()?,
            draw: draw.transpose()?,
            max_moves: self.max_moves,
        })
    }

    /// What knows the outcome of positions with few pieces.
    pub(super) fn tables(&self) -> Result<Option<Arc<dyn Tablebase>>, Failure> {
        let Some(path) = &self.syzygy else {
            return Ok(None);
        };
        let tables = Syzygy::open_path(path).map_err(Failure::input)?;
        Ok(Some(Arc::new(SyzygyTables(tables))))
    }
}

/// Exactly so many numbers between commas, none of them out of reach.
fn numbers<const N: usize>(option: &str, text: &str, form: &str) -> Result<[u32; N], Failure> {
    let found: Option<Vec<u32>> = (text.split(','))
        .map(|part| u32::from_str(part.trim()).ok().filter(|&n| n <= 100_000))
        .collect();
    found
        .and_then(|n| n.try_into().ok())
        .ok_or_else(|| Failure::Input(format!("{option} {text}: expected {form}, whole numbers")))
}
