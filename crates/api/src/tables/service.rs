//! The answers of the public Lichess tablebase service, from our tables and Syzygy files, for its
//! clients.

use std::sync::Arc;

use everymove_kernel::run::Run;
use everymove_tables::service::{Category, Facts, Mainline, MoveFacts};
use everymove_tables::{TableError, Tablebase};
use serde::Serialize;
use shakmaty::{Chess, Color};

use crate::site::Site;

/// The service of the folders of a server.
#[derive(Debug)]
pub struct TableService(Site);

/// Why the service has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceError {
    /// The position is missing or wrong.
    #[error("{0}")]
    Position(String),
    /// No table has the position.
    #[error("no table has this position")]
    Unknown,
    /// A table is damaged.
    #[error("{0}")]
    Damaged(TableError),
}

/// The fields of a position, in the order of the service.
#[derive(Clone, Debug, Serialize)]
struct FactFields {
    checkmate: bool,
    stalemate: bool,
    variant_win: bool,
    variant_loss: bool,
    insufficient_material: bool,
    dtz: Option<i32>,
    precise_dtz: Option<i32>,
    dtm: Option<i32>,
    dtw: Option<i32>,
    dtc: Option<i32>,
    category: &'static str,
}

#[derive(Clone, Debug, Serialize)]
struct MoveFields {
    uci: String,
    san: String,
    zeroing: bool,
    conversion: bool,
    #[serde(flatten)]
    after: FactFields,
}

/// A position and its moves.
#[derive(Clone, Debug, Serialize)]
pub struct StandardAnswer {
    #[serde(flatten)]
    root: FactFields,
    moves: Vec<MoveFields>,
}

/// A line of best play.
#[derive(Clone, Debug, Serialize)]
pub struct MainlineAnswer {
    mainline: Vec<MainlineMove>,
    winner: Option<char>,
    dtz: Option<i32>,
    precise_dtz: Option<i32>,
}

#[derive(Clone, Debug, Serialize)]
struct MainlineMove {
    uci: String,
    san: String,
    dtz: Option<i32>,
    precise_dtz: Option<i32>,
}

impl From<Facts> for FactFields {
    fn from(facts: Facts) -> Self {
        Self {
            checkmate: facts.checkmate,
            stalemate: facts.stalemate,
            variant_win: false,
            variant_loss: false,
            insufficient_material: facts.insufficient_material,
            dtz: facts.dtz,
            precise_dtz: precise(&facts),
            dtm: facts.dtm,
            dtw: None,
            dtc: facts.dtc,
            category: match facts.category {
                Category::Loss => "loss",
                Category::Unknown => "unknown",
                Category::SyzygyLoss => "syzygy-loss",
                Category::MaybeLoss => "maybe-loss",
                Category::BlessedLoss => "blessed-loss",
                Category::Draw => "draw",
                Category::CursedWin => "cursed-win",
                Category::MaybeWin => "maybe-win",
                Category::SyzygyWin => "syzygy-win",
                Category::Win => "win",
            },
        }
    }
}

fn precise(facts: &Facts) -> Option<i32> {
    facts.dtz.filter(|_| facts.dtz_is_exact)
}

impl From<MoveFacts> for MoveFields {
    fn from(facts: MoveFacts) -> Self {
        Self {
            uci: facts.uci,
            san: facts.san,
            zeroing: facts.zeroing,
            conversion: facts.conversion,
            after: facts.after.into(),
        }
    }
}

impl From<Mainline> for MainlineAnswer {
    fn from(line: Mainline) -> Self {
        let moves = line.moves.into_iter().map(|m| MainlineMove {
            dtz: m.after.dtz,
            precise_dtz: precise(&m.after),
            uci: m.uci,
            san: m.san,
        });
        Self {
            mainline: moves.collect(),
            winner: line.winner.map(|winner| match winner {
                Color::White => 'w',
                Color::Black => 'b',
            }),
            dtz: line.root.dtz,
            precise_dtz: precise(&line.root),
        }
    }
}

impl TableService {
    /// The service of the folders; files stay open after their first use.
    pub fn new(site: &Site) -> Self {
        Self(site.clone())
    }

    fn tables(&self) -> Arc<Tablebase> {
        let (kept, run) = (&self.0.kept.tables, Run::serial());
        kept.get(self.0.tables.as_deref(), self.0.syzygy.as_deref(), &run)
    }

    /// A position, with spaces or underscores between its fields, and its moves, the best first.
    ///
    /// # Errors
    /// [`ServiceError`] for a text that is no position, or a damaged table.
    pub fn standard(&self, fen: &str) -> Result<StandardAnswer, ServiceError> {
        let found = self.tables().position(&read(fen)?);
        let found = found.map_err(ServiceError::Damaged)?;
        Ok(StandardAnswer {
            root: found.root.into(),
            moves: found.moves.into_iter().map(MoveFields::from).collect(),
        })
    }

    /// The best play from a position.
    ///
    /// # Errors
    /// [`ServiceError`] for a text that is no position, a position that no table has, or a damaged
    /// table.
    pub fn mainline(&self, fen: &str) -> Result<MainlineAnswer, ServiceError> {
        let found = self.tables().mainline(&read(fen)?);
        let found = found.map_err(ServiceError::Damaged)?;
        found.map(MainlineAnswer::from).ok_or(ServiceError::Unknown)
    }
}

fn read(fen: &str) -> Result<Chess, ServiceError> {
    let fen = fen.trim().replace('_', " ");
    everymove_tables::probe::read_position(&fen)
        .map_err(|error| ServiceError::Position(error.to_string()))
}
