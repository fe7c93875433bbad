//! Counts of a table.

use std::collections::BTreeMap;

use everymove_kernel::text::grouped;
use everymove_tables::Metric;
use everymove_tables::stats::{FIFTY_MOVES, SideStats};
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
    /// For dtz: plies of the longest win within the fifty-move rule, where there are cursed ones
    /// or blessed losses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_real_win_plies: Option<u16>,
    /// For dtz: plies of the longest loss within the fifty-move rule, where there are cursed wins
    /// or blessed ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_real_loss_plies: Option<u16>,
}

impl SideCounts {
    pub(super) fn new(side: &SideStats, metric: Metric) -> Self {
        let beyond = |plies| {
            let zeroing = metric == Metric::Zeroing;
            zeroing.then(|| SideStats::beyond_fifty(plies))
        };
        let (cursed, blessed) = (beyond(&side.wins), beyond(&side.losses));
        let is_cut = cursed.unwrap_or(0) + blessed.unwrap_or(0) > 0;
        let within = |map: &BTreeMap<u16, u64>| {
            let longest = map.range(..=FIFTY_MOVES).next_back();
            is_cut.then(|| longest.map_or(0, |(&plies, _)| plies))
        };
        Self {
            legal: side.legal,
            wins: side.won() - cursed.unwrap_or(0),
            cursed_wins: cursed,
            draws: side.drawn(),
            blessed_losses: blessed,
            losses: side.lost() - blessed.unwrap_or(0),
            max_win_plies: side.longest_win(),
            max_loss_plies: side.longest_loss(),
            max_real_win_plies: within(&side.wins),
            max_real_loss_plies: within(&side.losses),
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

/// Counts of both sides as lines.
pub(super) fn text(white: &SideCounts, black: &SideCounts, metric: super::Metric) -> String {
    let mut text = String::new();
    for (name, side) in [("white", white), ("black", black)] {
        text += &format!("{name} to move: {} legal positions\n", grouped(side.legal));
        let mut line = |what: &str, n: u64, longest: u16| {
            if n > 0 {
                let longest = match longest {
                    0 => String::new(),
                    plies => format!(", the longest {plies} plies to {}", goal(metric)),
                };
                text += &format!("  {:>16} {what}{longest}\n", grouped(n));
            }
        };
        let (cursed, blessed) = (side.cursed_wins, side.blessed_losses);
        let (win, loss) = (side.max_win_plies, side.max_loss_plies);
        line("wins", side.wins, side.max_real_win_plies.unwrap_or(win));
        line("cursed wins", cursed.unwrap_or(0), win);
        line("draws", side.draws, 0);
        line("blessed losses", blessed.unwrap_or(0), loss);
        line(
            "losses",
            side.losses,
            side.max_real_loss_plies.unwrap_or(loss),
        );
    }
    text
}

/// What the distances are the distance to.
pub(super) fn goal(metric: super::Metric) -> &'static str {
    match metric {
        super::Metric::Dtm => "mate",
        super::Metric::Dtz => "a capture, a pawn move or mate",
        super::Metric::Dtm50 => "mate under the fifty-move rule",
        super::Metric::Dtc => "a capture, a promotion or mate",
    }
}

/// A line for each of some texts.
pub(super) fn lines(texts: &[String]) -> String {
    texts.iter().map(|text| format!("{text}\n")).collect()
}
