//! Standings for people and for programs.

use std::fmt::Write as _;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use everymove_arena::stats::{
    Anchor, Counts, Decision, Estimate, Rating, Sprt, Trinomial, ratings,
};
use everymove_arena::{PairingScore, SearchTotals, SequentialTest, Standings};
use serde_json::{Value, json};

/// The estimate from all games between two engines.
pub(super) fn estimate(score: &PairingScore) -> Estimate {
    Estimate::of_games(&score.games, &score.pairs)
}

/// `+12.3 ± 4.5`, or what can be said instead.
pub(super) fn elo(value: f64, error: f64) -> String {
    match (value.is_nan(), value.is_finite(), error.is_finite()) {
        (true, _, _) => "-".into(),
        (_, false, _) => if value > 0.0 { "+inf" } else { "-inf" }.into(),
        (_, _, false) => format!("{value:+.1}"),
        _ => format!("{value:+.1} ± {error:.1}"),
    }
}

/// `12-3-5`: wins, losses, draws.
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
pub(super) fn results(names: &[String], standings: &Standings, anchor: Option<Anchor>) -> String {
    if standings.games() == 0 {
        return "no games\n".into();
    }
    if names.len() == 2 {
        duel(names, standings)
    } else {
        crosstable(names, standings, anchor)
    }
}

fn duel(names: &[String], standings: &Standings) -> String {
    let score = standings.between(0, 1);
    let e = estimate(&score);
    let games = score.games;
    let mut text = format!(
        "{} against {}: {} of {} ({:.1} %), {}\n",
        names[0],
        names[1],
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

/// Ratings of all engines, if their games fix them.
pub(super) fn rated(
    names: &[String],
    standings: &Standings,
    anchor: Option<Anchor>,
) -> Option<Vec<Rating>> {
    let anchor = anchor.unwrap_or(Anchor::Mean(0.0));
    ratings(names.len(), &standings.pairings(), anchor).ok()
}

fn crosstable(names: &[String], standings: &Standings, anchor: Option<Anchor>) -> String {
    let ratings = rated(names, standings, anchor);
    let mut order: Vec<usize> = (0..names.len()).collect();
    let share = |e: usize| {
        let games = standings.of(e).games;
        games.points() / games.games().max(1) as f64
    };
    order.sort_by(|&a, &b| match &ratings {
        Some(r) => r[b].elo.total_cmp(&r[a].elo),
        None => share(b).total_cmp(&share(a)),
    });
    let mut heads = vec!["engine", "rating", "games", "score", "%"];
    let numbers: Vec<String> = (1..=names.len()).map(|n| n.to_string()).collect();
    heads.extend(numbers.iter().map(String::as_str));
    let mut table = table(&heads);
    for (place, &e) in order.iter().enumerate() {
        let score = standings.of(e);
        let mut row = vec![
            format!("{} {}", place + 1, names[e]),
            ratings
                .as_ref()
                .map_or("-".into(), |r| elo(r[e].elo, r[e].error)),
            score.games.games().to_string(),
            score.games.points().to_string(),
            format!("{:.1}", 100.0 * share(e)),
        ];
        row.extend(order.iter().map(|&other| {
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
    if ratings.is_none() {
        text += "no ratings: some engine has only wins or only losses against the others\n";
    }
    text
}

/// Where a sequential test stands.
pub(super) fn sequence(sequence: &SequentialTest) -> String {
    let verdict = match sequence.decision() {
        Decision::H1 => {
            "passed: the first engine is stronger by the larger number rather than by the smaller"
        }
        Decision::H0 => {
            "failed: the first engine is stronger by the smaller number rather than by the larger"
        }
        Decision::Continue => "undecided",
    };
    let test = test(sequence.sprt(), &sequence.pairs());
    format!(
        "{test} after {} pairs: {verdict}\n",
        sequence.pairs().pairs()
    )
}

/// A test on some results in one line.
pub(super) fn test<C: Counts>(sprt: &Sprt, results: &C) -> String {
    let ((elo0, elo1), (lower, upper)) = (sprt.hypotheses(), sprt.bounds());
    format!(
        "SPRT of {elo0} against {elo1} {} Elo: LLR {:+.2} in ({lower:.2}, {upper:.2})",
        sprt.model(),
        sprt.llr(results)
    )
}

/// What the engines did besides scoring: their effort and their failures.
pub(super) fn conduct(names: &[String], standings: &Standings) -> String {
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
        let effort = standings.search_totals(e);
        let means = Means::of(&effort);
        let shown =
            |value: Option<f64>, digits| value.map_or("-".into(), |v| format!("{v:.digits$}"));
        table.add_row(vec![
            name.clone(),
            effort.moves.to_string(),
            shown(means.seconds, 3),
            shown(means.nodes, 0),
            shown(means.speed, 0),
            shown(means.depth, 1),
        ]);
        for (ending, n) in standings.failures(e) {
            let games = if n == 1 { "game" } else { "games" };
            let _ = writeln!(failed, "{name} lost {n} {games} by {}", ending.name());
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

struct Means {
    seconds: Option<f64>,
    nodes: Option<f64>,
    speed: Option<f64>,
    depth: Option<f64>,
}

impl Means {
    fn of(effort: &SearchTotals) -> Self {
        let ratio = |a: f64, b: f64| (b > 0.0).then(|| a / b);
        let (moves, nodes) = (effort.moves as f64, effort.nodes as f64);
        let seconds = effort.time.as_secs_f64();
        let known = effort.nodes > 0;
        Self {
            seconds: ratio(seconds, moves),
            nodes: ratio(nodes, moves).filter(|_| known),
            speed: ratio(nodes, seconds).filter(|_| known),
            depth: ratio(effort.depths.0 as f64, effort.depths.1 as f64),
        }
    }
}

/// Each engine as an object.
pub(super) fn engines(names: &[String], standings: &Standings, anchor: Option<Anchor>) -> Value {
    let ratings = rated(names, standings, anchor);
    let objects = names.iter().enumerate().map(|(e, name)| {
        let (games, means) = (
            standings.of(e).games,
            Means::of(&standings.search_totals(e)),
        );
        let failures: serde_json::Map<_, _> = (standings.failures(e).into_iter())
            .map(|(ending, n)| (ending.name().replace(' ', "_"), n.into()))
            .collect();
        json!({
            "name": name,
            "games": games.games(),
            "points": games.points(),
            "wins": games.wins,
            "draws": games.draws,
            "losses": games.losses,
            "rating": ratings.as_ref().map(|r| r[e].elo),
            "rating_error": ratings.as_ref().map(|r| r[e].error),
            "failures": failures,
            "moves": standings.search_totals(e).moves,
            "seconds_per_move": means.seconds,
            "nodes_per_move": means.nodes,
            "nodes_per_second": means.speed,
            "mean_depth": means.depth,
        })
    });
    objects.collect()
}

/// Each pairing as an object; numbers that are infinite are null.
pub(super) fn pairings(names: &[String], standings: &Standings) -> Value {
    let objects = standings.pairings().into_iter().map(|p| {
        let score = standings.between(p.first, p.second);
        let e = estimate(&score);
        json!({
            "first": names[p.first],
            "second": names[p.second],
            "games": score.games.games(),
            "wins": score.games.wins,
            "draws": score.games.draws,
            "losses": score.games.losses,
            "pairs": score.pairs.0,
            "score": e.score,
            "elo": e.elo,
            "elo_error": e.elo_error,
            "elo_interval": [e.elo_interval.0, e.elo_interval.1],
            "normalised_elo": e.nelo,
            "normalised_elo_error": e.nelo_error,
            "los": e.los,
        })
    });
    objects.collect()
}

/// A test as an object.
pub(super) fn sprt<C: Counts>(sprt: &Sprt, results: &C, decision: Decision) -> Value {
    let ((elo0, elo1), (lower, upper)) = (sprt.hypotheses(), sprt.bounds());
    json!({
        "elo0": elo0,
        "elo1": elo1,
        "model": sprt.model(),
        "llr": sprt.llr(results),
        "lower": lower,
        "upper": upper,
        "decision": match decision {
            Decision::H0 => "H0",
            Decision::H1 => "H1",
            Decision::Continue => "continue",
        },
    })
}

/// How games ended, as an object.
pub(super) fn endings(standings: &Standings) -> Value {
    let fields: serde_json::Map<_, _> = (standings.endings().iter())
        .map(|(ending, &n)| (ending.name().replace(' ', "_"), n.into()))
        .collect();
    fields.into()
}
