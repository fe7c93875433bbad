//! Limited playing strength: fewer nodes, and noise on the scores of several lines.

use everymove_kernel::rng::SplitMix64;
use shakmaty::Move;

use crate::engine::Options;
use crate::game::Game;
use crate::search::limits::Limits;
use crate::search::run::SearchResult;

/// Number of lines among which a weak player chooses.
const LINES: usize = 6;

/// Ratings and the nodes a move that give them. Those up to 2540 are within the errors of
/// measurements, 3000 is on a straight line through measurements nearby. Between two of them the
/// logarithm of the nodes is on a straight line.
const POINTS: [(u32, f64); 6] = [
    (1300, 110.0),
    (1650, 200.0),
    (1950, 500.0),
    (2270, 1_500.0),
    (2540, 5_000.0),
    (Strength::MOST_ELO, 60_000.0),
];

/// Below 1300 the move is chosen among several lines by scores with noise: ratings, nodes a move,
/// and how many centipawns may be added to a score.
const NOISY: [(u32, f64, f64); 2] = [(Strength::LEAST_ELO, 36.0, 38.0), (1299, 150.0, 20.0)];

/// A limit of the playing strength: fewer nodes a move, and below 1300 noise on the scores of
/// several lines.
///
/// The scale is that of `UCI_Elo` of Stockfish 16: the table in `docs/strength.md` has the games
/// against it.
///
/// ```
/// use everymove_engine::{Engine, Game, Limits, Options, Signals, Strength};
///
/// let strength = Strength::level(3);
/// let game = Game::default();
/// let mut engine = Engine::new(strength.options(Options::default()))?;
/// let result = engine.search(&game, &strength.limits(Limits::default()), &Signals::new(), &mut |_| {});
/// let (best, _ponder) = strength.choose(&result, &game);
/// assert!(best.is_some());
/// # Ok::<(), everymove_engine::HashError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strength {
    nodes: u64,
    /// Centipawns by which a score may be changed, at most.
    noise: u64,
}

impl Strength {
    /// The lowest rating.
    pub const LEAST_ELO: u32 = 800;
    /// The highest rating.
    pub const MOST_ELO: u32 = 3000;
    /// The highest level; the lowest is 1.
    pub const MOST_LEVEL: u32 = 10;

    /// The strength of a rating, clamped to [`Self::LEAST_ELO`]..=[`Self::MOST_ELO`].
    pub fn elo(elo: u32) -> Self {
        let elo = elo.clamp(Self::LEAST_ELO, Self::MOST_ELO);
        let [(least, few, most_noise), (most, more, least_noise)] = NOISY;
        if elo <= most {
            let share = share(elo, least, most);
            return Self {
                nodes: between(few, more, share),
                noise: (most_noise + share * (least_noise - most_noise)).round() as u64,
            };
        }
        let above = POINTS.partition_point(|&(rating, _)| rating < elo).max(1);
        let [(low, few), (high, more)] = [POINTS[above - 1], POINTS[above]];
        Self {
            nodes: between(few, more, share(elo, low, high)),
            noise: 0,
        }
    }

    /// The strength of a level from 1 to [`Self::MOST_LEVEL`], see [`Self::elo_of_level`].
    pub fn level(level: u32) -> Self {
        Self::elo(Self::elo_of_level(level))
    }

    /// The rating of a level: equal steps from [`Self::LEAST_ELO`] at 1 to [`Self::MOST_ELO`] at
    /// [`Self::MOST_LEVEL`].
    pub fn elo_of_level(level: u32) -> u32 {
        let steps = level.clamp(1, Self::MOST_LEVEL) - 1;
        Self::LEAST_ELO + steps * (Self::MOST_ELO - Self::LEAST_ELO) / (Self::MOST_LEVEL - 1)
    }

    /// The limits of a search, with the number of nodes reduced.
    pub fn limits(&self, limits: Limits) -> Limits {
        let nodes = limits.nodes.unwrap_or(u64::MAX).min(self.nodes);
        Limits {
            nodes: Some(nodes),
            ..limits
        }
    }

    /// The options of a search: one thread, and several lines where the move is chosen among them.
    pub fn options(&self, options: Options) -> Options {
        let lines = if self.noise > 0 { LINES } else { 1 };
        Options {
            multi_pv: options.multi_pv.max(lines),
            threads: 1,
            ..options
        }
    }

    /// The move to play and the expected reply. The same game gives the same choice.
    pub fn choose(&self, result: &SearchResult, game: &Game) -> (Option<Move>, Option<Move>) {
        if self.noise == 0 {
            return (result.best, result.ponder);
        }
        let mut rng = SplitMix64::new(game.position().keys().all ^ game.moves().len() as u64);
        let mut with_noise = |score: i32| score + rng.below(self.noise + 1) as i32;
        let lines = (result.report.lines.iter()).map(|line| (with_noise(line.score), line));
        let chosen = lines.max_by_key(|&(score, _)| score);
        chosen.map_or((result.best, result.ponder), |(_, line)| {
            (line.pv.first().copied(), line.pv.get(1).copied())
        })
    }
}

/// How far a rating is on the way from one to another.
fn share(elo: u32, low: u32, high: u32) -> f64 {
    f64::from(elo - low) / f64::from(high - low)
}

/// A number of nodes on the way from one to another.
fn between(few: f64, more: f64, share: f64) -> u64 {
    (few * (more / few).powf(share)).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_ratings_grow_in_strength() {
        assert_eq!(Strength::level(1), Strength::elo(800));
        assert_eq!(Strength::level(10), Strength::elo(3000));
        assert_eq!(Strength::level(99), Strength::level(10));
        assert_eq!(Strength::elo_of_level(5), 1777);
        // A weak player has noise, or fewer nodes: among several lines, the same number of nodes is
        // weaker.
        let ratings: Vec<_> = (800..=3000).map(Strength::elo).collect();
        for pair in ratings.windows(2) {
            let without_noise = pair[1].noise == 0 && pair[0].noise > 0;
            assert!(pair[0].noise >= pair[1].noise);
            assert!(pair[0].nodes <= pair[1].nodes || without_noise);
        }
        assert_eq!((ratings[0].nodes, ratings[0].noise), (36, 38));
        assert_eq!((ratings[2200].nodes, ratings[2200].noise), (60_000, 0));
    }

    #[test]
    fn ratings_of_the_tables_have_their_nodes() {
        for (elo, nodes) in POINTS {
            assert_eq!(
                (Strength::elo(elo).nodes, Strength::elo(elo).noise),
                (nodes as u64, 0)
            );
        }
        for (elo, nodes, noise) in NOISY {
            let strength = Strength::elo(elo);
            assert_eq!(
                (strength.nodes, strength.noise),
                (nodes as u64, noise as u64)
            );
        }
    }
}
