//! Limited playing strength: fewer nodes, and noise on the scores of several lines.

use everymove_kernel::rng::SplitMix64;
use shakmaty::Move;

use crate::engine::Options;
use crate::game::Game;
use crate::search::limits::Limits;
use crate::search::result::SearchResult;

/// Number of lines among which a weak player chooses.
const LINES: usize = 6;

/// Rating points that half the nodes cost.
const HALVING: f64 = 185.0;

/// Nodes a move at [`Strength::MOST_ELO`].
const MOST_NODES: f64 = 10_600.0;

/// Below this rating fewer nodes are not weak enough, and noise is added to the scores.
const NOISY: u32 = 1500;

/// A limit of the playing strength: nodes halve every 185 rating points below the top; below 1500 noise is added to the scores, and
/// the move is chosen among several lines.
///
/// Anchored to sjeng 11.2 (about 2080 on the scale of CCRL Blitz) at 1 s + 0.02 s: with the classical evaluation and 600, 2,500 and 8,000
/// nodes a move the engine scored 15, 60 and 88 % of 20 games each. With the network it had the same strength with half the nodes: -33 ± 38,
/// +24 ± 35 and -22 ± 34 Elo in 300 games each against these. After the next changes of the search, with 468, 1,950 and 6,240 nodes against 600, 2,500
/// and 8,000 before them, it scored -70 ± 39, -7 ± 35 and +23 ± 32, hence the same with 1.0, 0.8 and 0.7 times the nodes. After those that followed, with
/// 450, 1,500 and 4,500 nodes against 600, 2,000 and 6,000 before them, it scored -21 ± 37, -79 ± 35 and -53 ± 30: about the same with 0.85 times the nodes,
/// if twice the nodes are worth 280. Above 2400 and below 1800 the scale is extrapolated, not measured.
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
    pub const MOST_ELO: u32 = 2800;
    /// The highest level; the lowest is 1.
    pub const MOST_LEVEL: u32 = 10;

    /// The strength of a rating, clamped to [`Self::LEAST_ELO`]..=[`Self::MOST_ELO`].
    pub fn elo(elo: u32) -> Self {
        let elo = elo.clamp(Self::LEAST_ELO, Self::MOST_ELO);
        let below = f64::from(Self::MOST_ELO - elo);
        let nodes = MOST_NODES * (-below / HALVING).exp2();
        Self {
            nodes: (nodes as u64).max(60),
            noise: u64::from(NOISY.saturating_sub(elo)) / 4,
        }
    }

    /// The strength of a level from 1 to [`Self::MOST_LEVEL`], see [`Self::elo_of_level`].
    pub fn level(level: u32) -> Self {
        Self::elo(Self::elo_of_level(level))
    }

    /// The rating of a level: equal steps from [`Self::LEAST_ELO`] at 1 to [`Self::MOST_ELO`] at [`Self::MOST_LEVEL`].
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_ratings_grow_in_strength() {
        assert_eq!(Strength::level(1), Strength::elo(800));
        assert_eq!(Strength::level(10), Strength::elo(2800));
        assert_eq!(Strength::level(99), Strength::level(10));
        assert_eq!(Strength::elo_of_level(5), 1688);
        let levels: Vec<_> = (1..=10).map(Strength::level).collect();
        for pair in levels.windows(2) {
            assert!(pair[0].nodes <= pair[1].nodes && pair[0].noise >= pair[1].noise);
            assert_ne!(pair[0], pair[1]);
        }
        assert_eq!((levels[9].nodes, levels[9].noise), (10_600, 0));
    }
}
