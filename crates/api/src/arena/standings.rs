//! Results of engines and pairings as fields of an answer.

use std::collections::BTreeMap;

use everymove_arena::stats::{self, Anchor, Estimate};
use everymove_arena::{Ending, RatingError, Standings};
use everymove_kernel::run::{Stop, Stopped};
use schemars::JsonSchema;
use serde::Serialize;

/// The results and searches of an engine.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EngineRow {
    /// Its name.
    pub name: String,
    /// The number of its games.
    pub games: u64,
    /// Its points: a win 1, a draw 1/2.
    pub points: f64,
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Its rating in Elo; null if the games fix none.
    pub rating: Option<f64>,
    /// Half the width of the 95 % interval of the rating; null without a rating, and with more than 1000 engines.
    pub rating_error: Option<f64>,
    /// The number of games lost by failure, by ending: `time_forfeit`, `illegal_move`, `crash`, `stall`.
    pub failures: BTreeMap<String, u64>,
    /// The number of its moves.
    pub moves: u64,
    /// Seconds for each move; null if unknown.
    pub seconds_per_move: Option<f64>,
    /// Nodes for each move as reported; null if unknown.
    pub nodes_per_move: Option<f64>,
    /// Nodes for each second as reported; null if unknown.
    pub nodes_per_second: Option<f64>,
    /// The mean depth as reported; null if unknown.
    pub mean_depth: Option<f64>,
}

/// The results between two engines, from the point of view of the first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PairingRow {
    /// The name of the first engine.
    pub first: String,
    /// The name of the second engine.
    pub second: String,
    /// The number of games.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Pairs of games that scored 0, 1/2, 1, 3/2 and 2 points.
    pub pairs: [u64; 5],
    /// The mean score of a game, 0 to 1.
    pub score: f64,
    /// The difference in logistic Elo; null if infinite.
    pub elo: Option<f64>,
    /// Half the width of the 95 % interval of `elo`; null if unknown.
    pub elo_error: Option<f64>,
    /// The 95 % interval of `elo`; its ends are null if infinite or unknown.
    pub elo_interval: [Option<f64>; 2],
    /// The difference in normalised Elo; null if unknown.
    pub normalised_elo: Option<f64>,
    /// Half the width of the 95 % interval of `normalised_elo`.
    pub normalised_elo_error: Option<f64>,
    /// The likelihood that the first engine is the stronger one, 0 to 1.
    pub los: f64,
}

/// A number that JSON can write.
pub(super) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// Bytes of the rows of an engine and of a pairing, besides their names, and of what their ratings take.
const ROW: u64 = 1 << 10;

/// Bytes of the rows of engines and pairings.
pub(super) fn bytes_of_rows(names: &[String], standings: &Standings) -> u64 {
    let longest = names.iter().map(String::len).max().unwrap_or(0) as u64;
    let rows = names.len() + standings.pairing_count();
    rows as u64 * (ROW + 2 * longest)
}

/// The rows of all engines. Their games may fix no ratings; the mean of ratings is 0 without an anchor.
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
    named
        .map(|(ending, n)| (ending.name().replace(' ', "_"), n))
        .collect()
}
