//! Counts of a table.

use std::collections::BTreeMap;

use everymove_tables::Metric;
use everymove_tables::stats::SideStats;
use schemars::JsonSchema;
use serde::Serialize;

/// Counts of the positions with one side to move. Distances are plies of the table's metric.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SideCounts {
    /// Legal positions.
    pub legal: u64,
    /// Wins of the side to move; for dtz, those within the fifty-move rule.
    pub wins: u64,
    /// For dtz: wins that the fifty-move rule makes draws.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursed_wins: Option<u64>,
    /// Positions that neither side wins.
    pub draws: u64,
    /// For dtz: losses that the fifty-move rule makes draws.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blessed_losses: Option<u64>,
    /// Losses of the side to move; for dtz, those within the fifty-move rule.
    pub losses: u64,
    /// Plies of the longest win, cursed ones included; 0 if there is none.
    pub max_win_plies: u16,
    /// Plies of the longest loss, blessed ones included; 0 if there is none.
    pub max_loss_plies: u16,
}

impl SideCounts {
    pub(super) fn new(side: &SideStats, metric: Metric) -> Self {
        let beyond = |plies| {
            let zeroing = metric == Metric::Zeroing;
            zeroing.then(|| SideStats::beyond_fifty(plies))
        };
        let (cursed, blessed) = (beyond(&side.wins), beyond(&side.losses));
        Self {
            legal: side.legal,
            wins: side.won() - cursed.unwrap_or(0),
            cursed_wins: cursed,
            draws: side.drawn(),
            blessed_losses: blessed,
            losses: side.lost() - blessed.unwrap_or(0),
            max_win_plies: side.longest_win(),
            max_loss_plies: side.longest_loss(),
        }
    }
}

/// Numbers of positions by plies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Histogram {
    /// Wins of the side to move.
    pub wins_by_plies: BTreeMap<u16, u64>,
    /// Losses of the side to move.
    pub losses_by_plies: BTreeMap<u16, u64>,
}

impl Histogram {
    pub(super) fn new(side: &SideStats) -> Self {
        Self {
            wins_by_plies: side.wins.clone(),
            losses_by_plies: side.losses.clone(),
        }
    }
}
