//! Counts of a table as text.

use std::collections::BTreeMap;

use everymove_api::tables::Metric;
use everymove_tables::stats::{FIFTY_MOVES, SideStats, Stats};

use crate::answer::grouped;

/// The counts as lines.
pub(super) fn text(stats: &Stats, metric: Metric) -> String {
    let mut text = String::new();
    for (name, side) in [("white", &stats.white), ("black", &stats.black)] {
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
        let cursed = SideStats::beyond_fifty(&side.wins);
        let blessed = SideStats::beyond_fifty(&side.losses);
        if metric == Metric::Dtz && cursed + blessed > 0 {
            let within = |map: &BTreeMap<u16, u64>| {
                map.range(..=FIFTY_MOVES)
                    .next_back()
                    .map_or(0, |(&plies, _)| plies)
            };
            line("wins", side.won() - cursed, within(&side.wins));
            line("cursed wins", cursed, side.longest_win());
            line("draws", side.drawn(), 0);
            line("blessed losses", blessed, side.longest_loss());
            line("losses", side.lost() - blessed, within(&side.losses));
        } else {
            line("wins", side.won(), side.longest_win());
            line("draws", side.drawn(), 0);
            line("losses", side.lost(), side.longest_loss());
        }
    }
    text
}

/// What the distances are the distance to.
pub(super) fn goal(metric: Metric) -> &'static str {
    match metric {
        Metric::Dtm => "mate",
        Metric::Dtz => "a capture, a pawn move or mate",
        Metric::Dtm50 => "mate under the fifty-move rule",
        Metric::Dtc => "a capture, a promotion or mate",
    }
}
