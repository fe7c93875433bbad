//! Counts of a table as text and JSON.

use everymove_tables::Metric;
use everymove_tables::stats::{SideStats, Stats};
use serde_json::{Map, Value, json};

use crate::answer::grouped;

/// The counts of a side as a JSON object.
pub(super) fn object(side: &SideStats, metric: Metric) -> Value {
    let cursed = SideStats::beyond_fifty(&side.wins);
    let blessed = SideStats::beyond_fifty(&side.losses);
    let (cursed, blessed) = match metric {
        Metric::Mate => (0, 0),
        Metric::Zeroing => (cursed, blessed),
    };
    let mut object = Map::new();
    object.insert("legal".into(), side.legal.into());
    object.insert("wins".into(), (side.won() - cursed).into());
    if metric == Metric::Zeroing {
        object.insert("cursed_wins".into(), cursed.into());
    }
    object.insert("draws".into(), side.drawn().into());
    if metric == Metric::Zeroing {
        object.insert("blessed_losses".into(), blessed.into());
    }
    object.insert("losses".into(), (side.lost() - blessed).into());
    object.insert("max_win_plies".into(), side.longest_win().into());
    object.insert("max_loss_plies".into(), side.longest_loss().into());
    object.into()
}

/// How many positions there are for each number of plies.
pub(super) fn histogram(side: &SideStats) -> Value {
    let counts = |map: &std::collections::BTreeMap<u16, u64>| -> Map<String, Value> {
        map.iter()
            .map(|(plies, &n)| (plies.to_string(), n.into()))
            .collect()
    };
    json!({ "wins_by_plies": counts(&side.wins), "losses_by_plies": counts(&side.losses) })
}

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
        if metric == Metric::Zeroing && cursed + blessed > 0 {
            let within = |map: &std::collections::BTreeMap<u16, u64>| {
                map.range(..=100).next_back().map_or(0, |(&plies, _)| plies)
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
        Metric::Mate => "mate",
        Metric::Zeroing => "a capture, a pawn move or mate",
    }
}
