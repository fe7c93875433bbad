//! Results of engines and pairings as fields of an answer.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use everymove_arena::stats::{self, Anchor, Estimate, Trinomial};
use everymove_arena::{Ending, RatingError, Standings};
use everymove_kernel::run::{Stop, Stopped};
use everymove_kernel::text::shown;
use schemars::JsonSchema;
use serde::Serialize;

/// The results and searches of an engine.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct EngineRow {
    /// Its name.
    name: String,
    /// The number of its games.
    games: u64,
    /// Its points: a win 1, a draw 1/2.
    points: f64,
    /// Games won.
    wins: u64,
    /// Games drawn.
    draws: u64,
    /// Games lost.
    losses: u64,
    /// Its rating in Elo; null if the games fix none.
    rating: Option<f64>,
    /// Half the width of the 95 % interval of the rating; null without a rating, and with more
    /// than 1000 engines.
    rating_error: Option<f64>,
    /// The number of games lost by failure, by ending: `time_forfeit`, `illegal_move`, `crash`,
    /// `stall`.
    failures: BTreeMap<String, u64>,
    /// The number of its moves.
    moves: u64,
    /// Seconds for each move; null if unknown.
    seconds_per_move: Option<f64>,
    /// Nodes for each move as reported; null if unknown.
    nodes_per_move: Option<f64>,
    /// Nodes for each second as reported; null if unknown.
    nodes_per_second: Option<f64>,
    /// The mean depth as reported; null if unknown.
    mean_depth: Option<f64>,
}

/// The results between two engines, from the point of view of the first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct PairingRow {
    /// The name of the first engine.
    first: String,
    /// The name of the second engine.
    second: String,
    /// The number of games.
    games: u64,
    /// Games won.
    wins: u64,
    /// Games drawn.
    draws: u64,
    /// Games lost.
    losses: u64,
    /// Pairs of games that scored 0, 1/2, 1, 3/2 and 2 points.
    pairs: [u64; 5],
    /// The mean score of a game, 0 to 1.
    score: f64,
    /// The difference in logistic Elo; null if infinite.
    elo: Option<f64>,
    /// Half the width of the 95 % interval of `elo`; null if unknown.
    elo_error: Option<f64>,
    /// The 95 % interval of `elo`; its ends are null if infinite or unknown.
    elo_interval: [Option<f64>; 2],
    /// The difference in normalised Elo; null if unknown.
    normalised_elo: Option<f64>,
    /// Half the width of the 95 % interval of `normalised_elo`.
    normalised_elo_error: Option<f64>,
    /// The likelihood that the first engine is the stronger one, 0 to 1.
    los: f64,
}

/// A number that JSON can write.
pub(super) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// Bytes of the rows of an engine and of a pairing, besides their names, and of what their ratings
/// take.
const ROW: u64 = 1 << 10;

/// Bytes of the rows of engines and pairings.
pub(super) fn bytes_of_rows(names: &[String], standings: &Standings) -> u64 {
    let longest = names.iter().map(String::len).max().unwrap_or(0) as u64;
    let rows = names.len() + standings.pairing_count();
    rows as u64 * (ROW + 2 * longest)
}

/// The rows of all engines. Their games may fix no ratings; the mean of ratings is 0 without an
/// anchor.
///
/// # Errors
/// [`Stopped`].
pub(super) fn engines(
    names: &[String],
    standings: &Standings,
    anchor: Option<Anchor>,
    stop: &Stop,
) -> Result<Vec<EngineRow>, Stopped> {
    let anchor = anchor.unwrap_or(Anchor::Mean(0.0));
    let ratings = match stats::ratings(names.len(), &standings.pairings(), anchor, stop) {
        Ok(ratings) => Some(ratings),
        Err(RatingError::Stopped(stopped)) => return Err(stopped),
        Err(_) => None,
    };
    let rows = names.iter().enumerate().map(|(e, name)| {
        let (games, totals) = (standings.of(e), standings.search_totals(e));
        let means = totals.means();
        let rating = ratings.as_ref().map(|r| r[e]);
        EngineRow {
            name: name.clone(),
            games: games.games(),
            points: games.points(),
            wins: games.wins,
            draws: games.draws,
            losses: games.losses,
            rating: rating.map(|r| r.elo),
            rating_error: rating.and_then(|r| r.error).and_then(finite),
            failures: by_name(standings.failures(e)),
            moves: totals.moves,
            seconds_per_move: means.seconds_per_move,
            nodes_per_move: means.nodes_per_move,
            nodes_per_second: means.nodes_per_second,
            mean_depth: means.depth,
        }
    });
    Ok(rows.collect())
}

pub(super) fn pairings(names: &[String], standings: &Standings) -> Vec<PairingRow> {
    let rows = standings.pairings().into_iter().map(|p| {
        let score = standings.between(p.first, p.second);
        let e = Estimate::of_games(&score.games, &score.pairs);
        PairingRow {
            first: names[p.first].clone(),
            second: names[p.second].clone(),
            games: score.games.games(),
            wins: score.games.wins,
            draws: score.games.draws,
            losses: score.games.losses,
            pairs: score.pairs.0,
            score: e.score,
            elo: finite(e.elo),
            elo_error: finite(e.elo_error),
            elo_interval: [finite(e.elo_interval.0), finite(e.elo_interval.1)],
            normalised_elo: finite(e.nelo),
            normalised_elo_error: finite(e.nelo_error),
            los: e.los,
        }
    });
    rows.collect()
}

/// Numbers of games by the name of their ending, with `_` for blanks.
pub(super) fn by_name(counts: impl IntoIterator<Item = (Ending, u64)>) -> BTreeMap<String, u64> {
    let named = counts.into_iter();
    named.map(|(ending, n)| (key(ending), n)).collect()
}

fn key(ending: Ending) -> String {
    ending.name().replace(' ', "_")
}

/// The names of endings in words and the numbers of games, in the order of [`Ending::ALL`].
fn in_words(counts: &BTreeMap<String, u64>) -> impl Iterator<Item = (&'static str, u64)> {
    let found = |ending: Ending| Some((ending.name(), *counts.get(&key(ending))?));
    Ending::ALL.into_iter().filter_map(found)
}

impl PairingRow {
    fn results(&self) -> Trinomial {
        Trinomial {
            wins: self.wins,
            draws: self.draws,
            losses: self.losses,
        }
    }
}

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
    let lines = table.lines();
    lines
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect()
}

/// A difference of a row; where JSON has no number for it, it is infinite, or unknown if the score
/// is even.
pub(super) fn difference(value: Option<f64>, error: Option<f64>, score: f64) -> String {
    let value = value.unwrap_or(f64::INFINITY * (score - 0.5));
    elo(value, error.unwrap_or(f64::NAN))
}

/// Two engines: the score and everything it says. More: a table.
pub(super) fn results(engines: &[EngineRow], pairings: &[PairingRow]) -> String {
    match engines {
        [first, second] => {
            let is_theirs = |row: &&PairingRow| row.first != row.second;
            let row = pairings.iter().find(is_theirs);
            row.map_or_else(no_games, |row| duel(&first.name, &second.name, row))
        }
        _ if pairings.is_empty() => no_games(),
        _ => crosstable(engines, pairings),
    }
}

fn no_games() -> String {
    "no games\n".to_owned()
}

fn duel(first: &str, second: &str, row: &PairingRow) -> String {
    let (games, drawn) = (row.games as f64, row.draws as f64);
    let points = row.results().points();
    let elo = |value, error| difference(value, error, row.score);
    let mut text = format!(
        "{} against {}: {points} of {games} ({:.1} %), {}\n",
        shown(first),
        shown(second),
        100.0 * points / games,
        record(row.results())
    );
    let _ = writeln!(
        text,
        "Elo {}   normalised {}   LOS {:.1} %   draws {:.1} %",
        elo(row.elo, row.elo_error),
        elo(row.normalised_elo, row.normalised_elo_error),
        100.0 * row.los,
        100.0 * drawn / games,
    );
    text += &match row.pairs {
        [0, 0, 0, 0, 0] => "no pairs of games: error bars count single games\n".to_owned(),
        [a, b, c, d, e] => {
            format!("pairs with 0, 1/2, 1, 3/2, 2 points: {a}, {b}, {c}, {d}, {e}\n")
        }
    };
    text
}

/// The most engines of a table that has their results against each other.
const CROSSED: usize = 100;

fn crosstable(engines: &[EngineRow], pairings: &[PairingRow]) -> String {
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
    let pairings = pairings.iter();
    let pairings = pairings.map(|row| ((&*row.first, &*row.second), row.results()));
    let pairings: BTreeMap<_, _> = pairings.collect();
    let between = |first: usize, second: usize| {
        let of = |a: usize, b: usize| pairings.get(&(&*engines[a].name, &*engines[b].name));
        // Rows are from the point of view of the engine that comes first.
        let reversed = || of(second, first).map(|games| games.reversed());
        match first <= second {
            true => of(first, second).copied(),
            false => reversed(),
        }
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
        row.extend(crossed.iter().map(|&other| match between(e, other) {
            None => "·".to_owned(),
            Some(games) => format!("{}/{}", games.points(), games.games()),
        }));
        table.add_row(row);
    }
    let mut text = lines(&table);
    if !rated {
        text += "no ratings: some engine has only wins or only losses against the others\n";
    }
    text
}

/// What the engines' searches took, their failures, and how games ended.
pub(super) fn searches(engines: &[EngineRow], endings: &BTreeMap<String, u64>) -> String {
    let mut table = table(&[
        "engine",
        "moves",
        "s/move",
        "nodes/move",
        "nodes/s",
        "depth",
    ]);
    let mut failed = String::new();
    for engine in engines {
        let name = shown(&engine.name);
        let decimals =
            |value: Option<f64>, digits| value.map_or("-".into(), |v| format!("{v:.digits$}"));
        table.add_row(vec![
            name.clone(),
            engine.moves.to_string(),
            decimals(engine.seconds_per_move, 3),
            decimals(engine.nodes_per_move, 0),
            decimals(engine.nodes_per_second, 0),
            decimals(engine.mean_depth, 1),
        ]);
        for (ending, n) in in_words(&engine.failures) {
            let games = if n == 1 { "game" } else { "games" };
            let _ = writeln!(failed, "{name} lost {n} {games} by {ending}");
        }
    }
    let endings: Vec<_> = in_words(endings)
        .map(|(ending, n)| format!("{ending} {n}"))
        .collect();
    let table = lines(&table);
    format!("{table}ended by: {}\n{failed}", endings.join(", "))
}
