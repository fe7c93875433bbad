//! Playing weaker on purpose: fewer nodes, and a move that is good enough in place of the best.

use everymove_kernel::rng::SplitMix64;
use shakmaty::Move;

use super::options::Settings;
use crate::{Answer, Engine, Game, Limits, Options};

/// Lines among which a weak player chooses.
const LINES: usize = 6;

/// Rating points that half the nodes cost.
const HALVING: f64 = 165.0;

/// Nodes at the top.
const MOST_NODES: f64 = 38_400.0;

/// Below this rating fewer nodes are not weak enough.
const BLURRED: u32 = 1500;

/// How weak: nodes halve every [`HALVING`] points below the top; below [`BLURRED`] scores blur, and the choice is among several lines.
///
/// Anchored to sjeng 11.2 (about 2080 on the scale of CCRL Blitz) at 1 s + 0.02 s: with 600, 2,500 and 8,000 nodes a move the engine scored
/// 15, 60 and 88 % of 20 games each. Above 2400 and below 1800 this is a straight line drawn on, not measured.
#[derive(Clone, Debug)]
pub(super) struct Handicap {
    nodes: u64,
    blur: u64,
    before: Options,
}

impl Handicap {
    /// `None` at full strength.
    pub(super) fn of(settings: &Settings) -> Option<Self> {
        let below = f64::from(super::options::MOST_ELO - settings.elo);
        let nodes = MOST_NODES * (-below / HALVING).exp2();
        settings.limit_strength.then(|| Self {
            nodes: (nodes as u64).max(120),
            blur: u64::from(BLURRED.saturating_sub(settings.elo)) / 4,
            before: settings.options.clone(),
        })
    }

    pub(super) fn limit(&self, limits: Limits) -> Limits {
        let nodes = limits.nodes.unwrap_or(u64::MAX).min(self.nodes);
        Limits {
            nodes: Some(nodes),
            ..limits
        }
    }

    pub(super) fn prepare(&self, engine: &mut Engine) {
        engine.set_options(Options {
            multi_pv: if self.blur > 0 {
                LINES.max(self.before.multi_pv)
            } else {
                self.before.multi_pv
            },
            threads: 1,
            ..self.before.clone()
        });
    }

    pub(super) fn restore(&self, engine: &mut Engine) {
        engine.set_options(self.before.clone());
    }

    /// The best move and the reply to it, as the player sees them. The same game gives the same choice.
    pub(super) fn choose(&self, answer: &Answer, game: &Game) -> (Option<Move>, Option<Move>) {
        let mut rng = SplitMix64::new(game.position().keys().all ^ game.moves().len() as u64);
        let mut seen = |score: i32| score + rng.below(self.blur + 1) as i32;
        let lines = answer
            .report
            .lines
            .iter()
            .map(|line| (seen(line.score), line));
        let chosen = lines.max_by_key(|&(score, _)| score);
        chosen.map_or((answer.best, answer.ponder), |(_, line)| {
            (line.pv.first().copied(), line.pv.get(1).copied())
        })
    }
}
