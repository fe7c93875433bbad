//! What a quiet position is worth: a hand-made sum of tapered terms, behind a seam that a network can fill.
//!
//! In reading order: `terms` (the list), [`Weights`] (what each is worth), `facts` (attacks, computed once),
//! `pawns`, `pieces`, `king`, `threats` (the counting), `endgame` (how much of an advantage can be won).

mod endgame;
mod facts;
mod king;
mod pawns;
mod pieces;
pub(crate) mod terms;
mod threats;
mod weights;

use std::fmt::Debug;

use shakmaty::{Color, Role};

use crate::Position;
use crate::score::{KNOWN_WIN, Score};
use facts::Facts;
use pawns::PawnCache;
pub use weights::{Pair, Weights, WeightsError};

/// The seam between search and evaluation: each search thread owns one.
pub trait Evaluate: Debug + Send {
    /// The worth of a position in which nobody is in check, in centipawns for the side to move; below [`KNOWN_WIN`].
    fn evaluate(&mut self, position: &Position) -> Score;

    /// Forgets what is cached between searches.
    fn clear(&mut self);
}

/// Where the counts of terms go: into a sum of weights, or into the tuner's list.
pub(crate) trait Account {
    /// Counts a term `n` times for white, -n for black.
    fn add(&mut self, term: usize, n: i32);
}

/// Counts a side's terms.
pub(crate) struct Ledger<'a, A> {
    account: &'a mut A,
    sign: i32,
}

impl<'a, A: Account> Ledger<'a, A> {
    fn new(account: &'a mut A, side: Color) -> Self {
        let sign = if side.is_white() { 1 } else { -1 };
        Self { account, sign }
    }

    #[inline]
    fn add(&mut self, term: usize, n: i32) {
        self.account.add(term, self.sign * n);
    }
}

struct Sum<'a> {
    weights: &'a Weights,
    total: Pair,
}

impl Account for Sum<'_> {
    #[inline]
    fn add(&mut self, term: usize, n: i32) {
        self.total += self.weights[term] * n;
    }
}

/// The most `phase` can be: all pieces on the board.
pub(crate) const FULL_PHASE: i32 = 24;

/// How much of the middlegame is left: knights and bishops 1, rooks 2, queens 4.
pub(crate) fn phase(position: &Position) -> i32 {
    let board = position.board();
    let count = |role| board.by_role(role).count() as i32;
    let pieces = count(Role::Knight) + count(Role::Bishop);
    (pieces + 2 * count(Role::Rook) + 4 * count(Role::Queen)).min(FULL_PHASE)
}

/// The hand-made evaluation.
#[derive(Debug)]
pub struct HandMade {
    weights: Weights,
    pawns: PawnCache,
}

impl HandMade {
    /// With given weights.
    pub fn new(weights: Weights) -> Self {
        Self {
            weights,
            pawns: PawnCache::default(),
        }
    }
}

impl Evaluate for HandMade {
    fn evaluate(&mut self, position: &Position) -> Score {
        let mut sum = Sum {
            weights: &self.weights,
            total: Pair::default(),
        };
        let mut facts = Facts::of(position);
        let structure = self.pawns.probe(position, &self.weights);
        sum.total += structure.worth;
        facts.passed = structure.passed;
        count_all(&mut facts, position, &mut sum);
        let total = sum.total;
        taper(position, total.middlegame(), total.ending())
    }

    fn clear(&mut self) {
        self.pawns = PawnCache::default();
    }
}

/// Everything beyond the pawn structure.
fn count_all<A: Account>(facts: &mut Facts<'_>, position: &Position, account: &mut A) {
    for side in [Color::White, Color::Black] {
        pieces::count(facts, side, &mut Ledger::new(account, side));
    }
    for side in [Color::White, Color::Black] {
        let ledger = &mut Ledger::new(account, side);
        king::count(facts, side, ledger);
        threats::count(facts, side, ledger);
        pawns::count_passed(facts, position, side, ledger);
    }
    Ledger::new(account, position.turn()).add(terms::TEMPO, 1);
}

/// Middlegame and ending worth for white become one score for the side to move.
fn taper(position: &Position, middlegame: i32, ending: i32) -> Score {
    let share = endgame::winnable(position, ending);
    let ending = ending * share / endgame::ALL + endgame::drive_home(position);
    let phase = phase(position);
    let white = (middlegame * phase + ending * (FULL_PHASE - phase)) / FULL_PHASE;
    let score = if position.turn().is_white() {
        white
    } else {
        -white
    };
    // Advantages that do not move on come to nothing by the fifty-move rule.
    let score = score * (220 - position.halfmoves().min(100) as i32) / 220;
    score.clamp(1 - KNOWN_WIN, KNOWN_WIN - 1)
}

/// A position as the tuner sees it.
#[derive(Clone, Debug)]
pub(crate) struct Trace {
    /// Terms with white's count minus black's, none of them zero.
    pub(crate) counts: Vec<(u16, i16)>,
    /// How much of the middlegame is left, `0..=1`.
    pub(crate) middlegame: f32,
    /// How much of the ending's advantage can be won, `0..=1`.
    pub(crate) winnable: f32,
}

impl Account for Vec<i32> {
    fn add(&mut self, term: usize, n: i32) {
        self[term] += n;
    }
}

/// The counts behind an evaluation.
pub(crate) fn trace(position: &Position, weights: &Weights) -> Trace {
    let mut counts = vec![0; terms::COUNT];
    let mut facts = Facts::of(position);
    for side in [Color::White, Color::Black] {
        facts.passed[side as usize] =
            pawns::count(position.board(), side, &mut Ledger::new(&mut counts, side));
    }
    count_all(&mut facts, position, &mut counts);
    let ending: i32 = (counts.iter().enumerate())
        .map(|(term, n)| n * weights[term].ending())
        .sum();
    let found = counts.iter().enumerate().filter(|&(_, &n)| n != 0);
    Trace {
        counts: found.map(|(term, &n)| (term as u16, n as i16)).collect(),
        middlegame: phase(position) as f32 / FULL_PHASE as f32,
        winnable: endgame::winnable(position, ending) as f32 / endgame::ALL as f32,
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
        let mut evaluation = HandMade::new(Weights::tuned());
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
        let mut evaluation = HandMade::new(weights.clone());
        for position in random_positions(400) {
            let traced = trace(&position, &weights);
            assert!(
                [traced.middlegame, traced.winnable]
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
        let mut evaluation = HandMade::new(Weights::tuned());
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
