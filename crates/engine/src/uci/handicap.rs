//! Playing weaker on purpose: fewer nodes, and a move that is good enough in place of the best.

use everymove_kernel::rng::SplitMix64;
use shakmaty::Move;

use super::options::Settings;
use crate::{Answer, Engine, Game, Limits, Options};

/// Lines among which a weak player chooses.
const LINES: usize = 6;

/// How weak. The ratings are rough: nodes halve every 100 points below the top, and below 2200 scores blur.
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
        let nodes = 20_000.0 * (-below / 100.0).exp2();
        settings.limit_strength.then(|| Self {
            nodes: (nodes as u64).max(80),
            blur: u64::from(2200u32.saturating_sub(settings.elo)) / 4,
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
            multi_pv: LINES.max(self.before.multi_pv),
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
