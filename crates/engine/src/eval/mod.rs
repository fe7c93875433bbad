//! The static evaluation: a hand-crafted sum of tapered terms or a network, behind the trait [`Evaluate`].
//!
//! In reading order: `terms` (the list of terms), [`Weights`] (their values), `attack_map` (attacks, computed once a position),
//! `pawns`, `pieces`, `king`, `threats` (the counts of the terms), `endgame` (scale factor and mop-up evaluation); [`Network`] and `network`.

mod attack_map;
mod counter;
mod endgame;
mod king;
pub(crate) mod network;
mod pawns;
mod pieces;
pub(crate) mod terms;
mod threats;
mod weights;

use std::fmt::Debug;

use everymove_kernel::dispatch::{self, Task};
use shakmaty::{Color, Role};

use crate::position::Position;
use crate::score::{KNOWN_WIN, Score};
use attack_map::AttackMap;
use counter::{SideCounter, Sum, TermCounter};
pub use network::{LANE, MOST_HIDDEN, Network};
use pawns::{PawnCache, Structure};
pub use weights::{Pair, Weights};

/// A static evaluation. Each search thread owns one.
pub trait Evaluate: Debug + Send {
    /// The value of a position that is not in check, in centipawns for the side to move; its absolute value is below [`KNOWN_WIN`].
    fn evaluate(&mut self, position: &Position) -> Score;

    /// Clears caches.
    fn clear(&mut self);
}

/// The maximum of [`phase`]: all pieces on the board.
pub(crate) const FULL_PHASE: i32 = 24;

/// The game phase: knights and bishops count 1, rooks 2, queens 4.
#[inline(always)]
pub(crate) fn phase(position: &Position) -> i32 {
    let board = position.board();
    let count = |role| board.by_role(role).count() as i32;
    let pieces = count(Role::Knight) + count(Role::Bishop);
    (pieces + 2 * count(Role::Rook) + 4 * count(Role::Queen)).min(FULL_PHASE)
}

/// The hand-crafted evaluation.
#[derive(Debug)]
pub struct HandCrafted {
    weights: Weights,
    pawns: PawnCache,
}

impl HandCrafted {
    /// An evaluation with these weights.
    pub fn new(weights: Weights) -> Self {
        Self {
            weights,
            pawns: PawnCache::default(),
        }
    }
}

impl Evaluate for HandCrafted {
    fn evaluate(&mut self, position: &Position) -> Score {
        let structure = self.pawns.probe(position, &self.weights);
        dispatch::run(TermSum {
            weights: &self.weights,
            structure,
            position,
        })
    }

    fn clear(&mut self) {
        self.pawns = PawnCache::default();
    }
}

/// An evaluation without that of the pawn structure. It consists of counts of bits, for which newer processors have instructions.
struct TermSum<'a> {
    weights: &'a Weights,
    structure: Structure,
    position: &'a Position,
}

impl Task for TermSum<'_> {
    type Output = Score;

    #[inline(always)]
    fn run(self) -> Score {
        let mut sum = Sum {
            weights: self.weights,
            total: self.structure.worth,
        };
        let mut map = AttackMap::of(self.position);
        map.passed = self.structure.passed;
        count_all(&mut map, self.position, &mut sum);
        let total = sum.total;
        taper(self.position, total.middlegame(), total.ending())
    }
}

/// Counts all terms but those of the pawn structure. Each side has its own copy of the code, in which the side is a constant.
#[inline(always)]
fn count_all<A: TermCounter>(map: &mut AttackMap<'_>, position: &Position, terms: &mut A) {
    pieces::count(
        map,
        Color::White,
        &mut SideCounter::new(terms, Color::White),
    );
    pieces::count(
        map,
        Color::Black,
        &mut SideCounter::new(terms, Color::Black),
    );
    count_rest(map, position, Color::White, terms);
    count_rest(map, position, Color::Black, terms);
    SideCounter::new(terms, position.turn()).add(terms::TEMPO, 1);
}

/// Counts what depends on the attacks of all pieces.
#[inline(always)]
fn count_rest<A: TermCounter>(
    map: &AttackMap<'_>,
    position: &Position,
    side: Color,
    terms: &mut A,
) {
    let counter = &mut SideCounter::new(terms, side);
    king::count(map, side, counter);
    threats::count(map, side, counter);
    pawns::count_passed(map, position, side, counter);
}

/// Interpolates White's middlegame and ending values by game phase, and returns the score for the side to move.
#[inline(always)]
fn taper(position: &Position, middlegame: i32, ending: i32) -> Score {
    let share = endgame::scale_factor(position, ending);
    let ending = ending * share / endgame::ALL + endgame::mop_up(position);
    let phase = phase(position);
    let white = (middlegame * phase + ending * (FULL_PHASE - phase)) / FULL_PHASE;
    let score = if position.turn().is_white() {
        white
    } else {
        -white
    };
    near_fifty_moves(position, score)
}

/// A score that decreases as the fifty-move rule comes near, within the bounds of an evaluation.
#[inline(always)]
fn near_fifty_moves(position: &Position, score: Score) -> Score {
    let score = score * (220 - position.halfmoves().min(100) as i32) / 220;
    score.clamp(1 - KNOWN_WIN, KNOWN_WIN - 1)
}

/// The score of a network's value for the side to move: with the mop-up evaluation, which games that end by adjudication do not teach.
fn finish(position: &Position, value: i32) -> Score {
    let mop_up = endgame::mop_up(position) * (FULL_PHASE - phase(position)) / FULL_PHASE;
    let mop_up = if position.turn().is_white() {
        mop_up
    } else {
        -mop_up
    };
    let ending = crate::search::constants::ScaleEnding();
    let value =
        value * (ending * FULL_PHASE + (1024 - ending) * phase(position)) / (1024 * FULL_PHASE);
    near_fifty_moves(position, value.clamp(1 - KNOWN_WIN, KNOWN_WIN - 1) + mop_up)
}

/// Which evaluation an engine uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Evaluation {
    /// The hand-crafted sum of terms.
    Classical,
    /// A network: the one that is loaded, or the one that the crate ships.
    #[default]
    Network,
}

/// The terms of a position, for the tuner.
#[derive(Clone, Debug)]
pub(crate) struct Trace {
    /// Terms with White's count minus Black's, where that is not zero.
    pub(crate) counts: Vec<(u16, i16)>,
    /// The game phase, from 0 for an ending to 1 for a middlegame.
    pub(crate) middlegame: f32,
    /// The scale factor of the ending value, `0..=1`.
    pub(crate) scale_factor: f32,
}

impl TermCounter for Vec<i32> {
    fn add(&mut self, term: usize, n: i32) {
        self[term] += n;
    }
}

/// The counts behind an evaluation.
pub(crate) fn trace(position: &Position, weights: &Weights) -> Trace {
    let mut counts = vec![0; terms::COUNT];
    let mut map = AttackMap::of(position);
    for side in [Color::White, Color::Black] {
        map.passed[side as usize] = pawns::count(
            position.board(),
            side,
            &mut SideCounter::new(&mut counts, side),
        );
    }
    count_all(&mut map, position, &mut counts);
    let ending: i32 = (counts.iter().enumerate())
        .map(|(term, n)| n * weights[term].ending())
        .sum();
    let found = counts.iter().enumerate().filter(|&(_, &n)| n != 0);
    Trace {
        counts: found.map(|(term, &n)| (term as u16, n as i16)).collect(),
        middlegame: phase(position) as f32 / FULL_PHASE as f32,
        scale_factor: endgame::scale_factor(position, ending) as f32 / endgame::ALL as f32,
    }
}

#[cfg(test)]
mod tests {
    use everymove_kernel::rng::SplitMix64;
    use shakmaty::{Chess, EnPassantMode, FromSetup, Position as _};

    use super::*;

    fn random_positions(number: usize) -> Vec<Position> {
        let mut rng = SplitMix64::new(5);
        let mut found = Vec::new();
        while found.len() < number {
            let mut position = Position::default();
            for _ in 0..rng.below(120) {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position = position.play(moves[rng.below(moves.len() as u64) as usize]);
            }
            if position.checkers().is_empty() {
                found.push(position);
            }
        }
        found
    }

    #[test]
    fn a_mirrored_position_is_worth_the_same() {
        let mut evaluation = HandCrafted::new(Weights::tuned());
        for position in random_positions(400) {
            let mut setup = position.chess().to_setup(EnPassantMode::Legal);
            setup.mirror();
            let Ok(mirrored) = Chess::from_setup(setup, position.castling_mode()) else {
                continue;
            };
            let (a, b) = (
                evaluation.evaluate(&position),
                evaluation.evaluate(&mirrored.into()),
            );
            assert_eq!(a, b, "{}", position.fen());
        }
    }

    #[test]
    fn the_trace_adds_up_to_the_evaluation() {
        let weights = Weights::tuned();
        let mut evaluation = HandCrafted::new(weights.clone());
        for position in random_positions(400) {
            let traced = trace(&position, &weights);
            assert!(
                [traced.middlegame, traced.scale_factor]
                    .iter()
                    .all(|x| (0.0..=1.0).contains(x))
            );
            let sum = |half: fn(Pair) -> i32| -> i32 {
                let worth =
                    |&(term, n): &(u16, i16)| i32::from(n) * half(weights[usize::from(term)]);
                traced.counts.iter().map(worth).sum()
            };
            let expected = taper(&position, sum(Pair::middlegame), sum(Pair::ending));
            assert_eq!(
                evaluation.evaluate(&position),
                expected,
                "{}",
                position.fen()
            );
        }
    }

    #[test]
    fn more_pieces_are_worth_more() {
        let mut evaluation = HandCrafted::new(Weights::tuned());
        let mut worth = |fen: &str| {
            let mode = shakmaty::CastlingMode::Standard;
            evaluation.evaluate(&Position::from_fen(fen, mode).unwrap())
        };
        let up = worth("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        assert!(up > 600, "a queen up: {up}");
        let down = worth("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1");
        assert!(down < -600, "a queen down: {down}");
        let bare = worth("8/8/4k3/8/8/4K3/8/2B5 w - - 0 1");
        assert!(bare.abs() < 30, "a lone bishop cannot win: {bare}");
    }
}
