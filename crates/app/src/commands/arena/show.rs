//! Results as text.

use std::fmt::Write as _;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use everymove_api::arena::{EngineRow, SprtAnswer};
use everymove_arena::Standings;
use everymove_arena::stats::{Estimate, Trinomial};
use everymove_kernel::text::shown;

/// `+12.3 ± 4.5`, with `-` for what is unknown.
pub(super) fn elo(value: f64, error: f64) -> String {
    match (value.is_nan(), value.is_finite(), error.is_finite()) {
        (true, _, _) => "-".into(),
        (_, false, _) => if value > 0.0 { "+inf" } else { "-inf" }.into(),
        (_, _, false) => format!("{value:+.1} ± -"),
        _ => format!("{value:+.1} ± {error:.1}"),
    }
}

/// `+12 -3 =5`: wins, losses, draws.
pub(super) fn record(games: Trinomial) -> String {
    format!("+{} -{} ={}", games.wins, games.losses, games.draws)
}

fn table(heads: &[&str]) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(heads);
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if i > 0 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn lines(table: &Table) -> String {
    table
        .lines()
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect()
}

/// Two engines: the score and everything it says. More: a table.
pub(super) fn results(engines: &[EngineRow], names: &[String], standings: &Standings) -> String {
    if standings.games() == 0 {
        return "no games\n".into();
    }
    if names.len() == 2 {
        duel(names, standings)
    } else {
        crosstable(engines, standings)
    }
}

fn duel(names: &[String], standings: &Standings) -> String {
    let score = standings.between(0, 1);
    let e = Estimate::of_games(&score.games, &score.pairs);
    let games = score.games;
    let mut text = format!(
        "{} against {}: {} of {} ({:.1} %), {}\n",
        shown(&names[0]),
        shown(&names[1]),
        games.points(),
        games.games(),
        100.0 * games.points() / games.games() as f64,
        record(games)
    );
    let _ = writeln!(
        text,
        "Elo {}   normalised {}   LOS {:.1} %   draws {:.1} %",
        elo(e.elo, e.elo_error),
        elo(e.nelo, e.nelo_error),
        100.0 * e.los,
        100.0 * games.draws as f64 / games.games() as f64,
    );
    if score.pairs.pairs() > 0 {
        let [a, b, c, d, f] = score.pairs.0;
        let _ = writeln!(
            text,
            "pairs with 0, 1/2, 1, 3/2, 2 points: {a}, {b}, {c}, {d}, {f}"
        );
    } else {
        text += "no pairs of games: error bars count single games\n";
    }
    text
}

/// The most engines of a table that has their results against each other.
const CROSSED: usize = 100;

fn crosstable(engines: &[EngineRow], standings: &Standings) -> String {
    let rated = engines.iter().any(|row| row.rating.is_some());
    let mut order: Vec<usize> = (0..engines.len()).collect();
    let share = |row: &EngineRow| row.points / row.games.max(1) as f64;
    order.sort_by(|&a, &b| {
        let value = |e: usize| engines[e].rating.unwrap_or_else(|| share(&engines[e]));
        value(b).total_cmp(&value(a))
    });
    let crossed = match order.len() {
        0..=CROSSED => &order[..],
        _ => &[],
    };
    let mut heads = vec!["engine", "rating", "games", "score", "%"];
    let numbers: Vec<String> = (1..=crossed.len()).map(|n| n.to_string()).collect();
    heads.extend(numbers.iter().map(String::as_str));
    let mut table = table(&heads);
    for (place, &e) in order.iter().enumerate() {
        let engine = &engines[e];
        let mut row = vec![
            format!("{} {}", place + 1, shown(&engine.name)),
            match (engine.rating, engine.rating_error) {
                (Some(rating), error) => elo(rating, error.unwrap_or(f64::NAN)),
                (None, _) => "-".into(),
            },
            engine.games.to_string(),
            engine.points.to_string(),
            format!("{:.1}", 100.0 * share(engine)),
        ];
        row.extend(crossed.iter().map(|&other| {
            let games = standings.between(e, other).games;
            if games.games() == 0 {
                "·".to_owned()
            } else {
                format!("{}/{}", games.points(), games.games())
            }
        }));
        table.add_row(row);
    }
    let mut text = lines(&table);
    if !rated {
        text += "no ratings: some engine has only wins or only losses against the others\n";
    }
    text
}

/// The state of a sequential test after some pairs of games.
pub(super) fn test(test: &SprtAnswer, pairs: u64) -> String {
    let decision = match test.decision {
        "H1" => "passed: the first engine is stronger by ELO1 rather than by ELO0",
        "H0" => "failed: the first engine is stronger by ELO0 rather than by ELO1",
        _ => "undecided",
    };
    format!("{test} after {pairs} pairs: {decision}\n")
}

/// What the engines' searches took, and their failures.
pub(super) fn searches(names: &[String], standings: &Standings) -> String {
    let mut table = table(&[
        "engine",
        "moves",
        "s/move",
        "nodes/move",
        "nodes/s",
        "depth",
    ]);
    let mut failed = String::new();
    for (e, name) in names.iter().enumerate() {
        let totals = standings.search_totals(e);
        let means = totals.means();
        let decimals =
            |value: Option<f64>, digits| value.map_or("-".into(), |v| format!("{v:.digits$}"));
        table.add_row(vec![
            shown(name),
            totals.moves.to_string(),
            decimals(means.seconds_per_move, 3),
            decimals(means.nodes_per_move, 0),
            decimals(means.nodes_per_second, 0),
            decimals(means.depth, 1),
        ]);
        for (ending, n) in standings.failures(e) {
            let games = if n == 1 { "game" } else { "games" };
            let _ = writeln!(
                failed,
                "{} lost {n} {games} by {}",
                shown(name),
                ending.name()
            );
        }
    }
    let endings: Vec<_> = (standings.endings().iter())
        .map(|(ending, n)| format!("{} {n}", ending.name()))
        .collect();
    format!(
        "{}ended by: {}\n{failed}",
        lines(&table),
        endings.join(", ")
    )
}
