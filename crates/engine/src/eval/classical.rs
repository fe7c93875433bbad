//! The classical evaluation: material, squares and mobility, each with a value in the middlegame
//! and one in the ending.

use everymove_kernel::dispatch::{self, Task};
use shakmaty::attacks::{bishop_attacks, knight_attacks, pawn_attacks, rook_attacks};
use shakmaty::{Bitboard, Board, Color, Role, Square};

use super::{Evaluate, FULL_PHASE, mop_up, near_fifty_moves, phase};
use crate::position::Position;
use crate::score::Score;

/// A sum of tapered terms: material, piece on square, mobility.
#[derive(Clone, Copy, Debug, Default)]
pub struct Classical;

impl Evaluate for Classical {
    fn evaluate(&mut self, position: &Position, _ply: usize) -> Score {
        dispatch::run(TermSum(position))
    }

    fn clear(&mut self) {}
}

/// One evaluation: it consists of counts of bits, for which newer processors have instructions.
struct TermSum<'a>(&'a Position);

impl Task for TermSum<'_> {
    type Output = Score;

    #[inline(always)]
    fn run(self) -> Score {
        let position = self.0;
        let own = worth(position.board(), position.turn());
        let other = worth(position.board(), !position.turn());
        let [middlegame, ending] = [0, 1].map(|half| own[half] - other[half] + TEMPO[half]);
        let phase = phase(position);
        let ending = ending + mop_up(position);
        let score = (middlegame * phase + ending * (FULL_PHASE - phase)) / FULL_PHASE;
        near_fifty_moves(position, score)
    }
}

/// The value of a side's pieces in the middlegame and in the ending.
#[inline(always)]
fn worth(board: &Board, side: Color) -> [i32; 2] {
    let own = board.by_color(side);
    let guarded = guarded_by_pawns(board, !side);
    let area = !(guarded | own & (board.pawns() | board.kings()));
    let mut sum = [0; 2];
    for role in Role::ALL {
        let kind = role as usize - 1;
        for square in own & board.by_role(role) {
            let mobility = (attacks(board, role, square) & area).count();
            for (half, sum) in sum.iter_mut().enumerate() {
                *sum += MATERIAL[half][kind] + SQUARES[half][kind][half_board(square, side)];
                *sum += MOBILITY[half][kind][mobility];
            }
        }
    }
    sum
}

/// The squares that the pawns of a side attack.
#[inline(always)]
fn guarded_by_pawns(board: &Board, side: Color) -> Bitboard {
    let pawns = board.pawns() & board.by_color(side);
    (pawns.into_iter()).fold(Bitboard::EMPTY, |all, pawn| all | pawn_attacks(side, pawn))
}

/// The squares that a piece attacks whose mobility counts; none for pawns and kings.
#[inline(always)]
fn attacks(board: &Board, role: Role, square: Square) -> Bitboard {
    let occupied = board.occupied();
    match role {
        Role::Pawn | Role::King => Bitboard::EMPTY,
        Role::Knight => knight_attacks(square),
        Role::Bishop => bishop_attacks(square, occupied),
        Role::Rook => rook_attacks(square, occupied),
        Role::Queen => bishop_attacks(square, occupied) | rook_attacks(square, occupied),
    }
}

/// The number of a square seen from a side, files a to d and h to e alike: 4 x rank + file.
#[inline(always)]
fn half_board(square: Square, side: Color) -> usize {
    let rank = square.rank().to_usize();
    let file = square.file().to_usize();
    4 * if side.is_white() { rank } else { 7 - rank } + file.min(7 - file)
}

/// Middlegame, then ending; by role, in centipawns. All values were fitted to 324,706 quiet
/// positions of 4,000 of the engine's own games: to the score of a search with the network and to
/// the result of the game (P. Österlund, "Texel's Tuning Method", 2014).
const MATERIAL: [[i32; 6]; 2] = [[70, 303, 333, 436, 979, 0], [121, 276, 294, 506, 958, 0]];

/// For the side to move.
const TEMPO: [i32; 2] = [11, 1];

/// By [`half_board`].
#[rustfmt::skip]
const SQUARES: [[[i32; 32]; 6]; 2] = [
    [
        [
            0, 0, 0, 0, -14, 10, 3, 1, -4, 8, 1, 4, -10, -3, 2, 9,
            -11, 4, 8, 2, 5, 11, 6, 9, 9, 9, 12, 11, 0, 0, 0, 0,
        ],
        [
            -18, -10, -4, 2, -15, -2, 1, 4, 3, 6, 2, 20, 9, 19, 28, 24,
            14, 14, 26, 31, 4, 10, 19, 20, -10, -3, 6, 11, -22, -11, -6, 3,
        ],
        [
            -5, -4, -8, -3, 2, 8, 6, 0, 2, 8, 6, 7, 0, 8, 14, 18,
            6, 6, 12, 17, 3, 5, 8, 11, -4, -1, 4, 7, -9, -4, -2, 4,
        ],
        [
            -11, -10, -2, 9, -26, -2, -6, 5, -15, -6, 0, 5, -2, -1, 2, 5,
            -5, 0, 5, 9, -3, 2, 3, 6, 5, 11, 12, 15, -1, 2, 2, 6,
        ],
        [
            2, 1, -8, -3, 0, 2, 4, -3, -3, 1, -4, -7, 2, 3, 3, 3,
            4, 1, 1, 3, 5, 5, 5, 4, 3, 1, 3, 2, 0, 1, 0, 1,
        ],
        [
            28, 30, -5, -13, 18, -1, -22, -33, -1, -13, -34, -46, -16, -28, -48, -58,
            -28, -41, -62, -72, -42, -54, -75, -86, -55, -69, -89, -100, -70, -83, -103, -114,
        ],
    ],
    [
        [
            0, 0, 0, 0, -10, 4, 2, -5, -12, -4, -7, -2, -5, -2, -5, -2,
            9, 12, 8, 2, 20, 23, 19, 19, 22, 23, 29, 26, 0, 0, 0, 0,
        ],
        [
            -16, -15, -5, 1, -14, -5, 3, 4, -1, -3, -2, 11, 0, 12, 13, 20,
            5, 12, 12, 22, -3, 4, 13, 14, -9, -4, 5, 8, -18, -10, -6, 2,
        ],
        [
            -4, -6, -3, -1, -3, 0, 0, 7, -1, 4, 8, 10, 0, 8, 10, 6,
            1, 5, 8, 10, 0, 3, 4, 8, -3, 0, 3, 6, -6, 0, 1, 2,
        ],
        [
            -15, -5, -8, -11, -7, -4, -3, -4, -2, -2, 1, 0, 2, 0, 0, 0,
            -1, 2, 0, 0, 3, 6, 1, 2, 10, 12, 7, 7, 5, 3, -1, 2,
        ],
        [
            -12, -8, -6, -5, -7, -1, 2, 7, 0, 5, 10, 13, 6, 10, 16, 22,
            6, 11, 16, 21, 2, 7, 13, 17, -3, 0, 5, 11, -12, -7, -2, 3,
        ],
        [
            -27, -9, -9, -10, -9, 2, 7, 8, -1, 9, 15, 22, 8, 18, 26, 33,
            10, 22, 30, 37, 0, 14, 23, 28, -10, 3, 10, 18, -21, -12, -3, 5,
        ],
    ],
];

/// By the number of squares that a piece attacks, without those that hold an own pawn or the own
/// king and those that an enemy pawn guards.
#[rustfmt::skip]
const MOBILITY: [[[i32; 28]; 6]; 2] = [
    [
        [0; 28],
        [
            -37, -21, -14, -11, -3, 2, 6, 13, 16, 0, 0, 0, 0, 0,
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        ],
        [
            -38, -28, -22, -12, -8, -1, 1, 2, 5, 7, 11, 15, 18, 21,
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        ],
        [
            -34, -28, -18, -17, -14, -11, -8, -1, 3, 6, 6, 12, 10, 11,
            13, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        ],
        [
            -29, -21, -20, -19, -18, -15, -11, -8, -6, -3, -1, 0, 1, 2,
            4, 1, 2, 5, 5, 6, 6, 8, 9, 10, 10, 11, 12, 13,
        ],
        [0; 28],
    ],
    [
        [0; 28],
        [
            -40, -24, -16, -9, 1, 6, 9, 15, 9, 0, 0, 0, 0, 0,
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        ],
        [
            -55, -31, -19, -20, -8, -1, 1, 3, 8, 7, 10, 13, 21, 22,
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        ],
        [
            -63, -41, -34, -26, -21, -10, -6, 1, 8, 12, 15, 17, 19, 17,
            13, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        ],
        [
            -58, -42, -35, -30, -26, -22, -19, -17, -13, -10, -6, -6, -2, 2,
            3, 4, 6, 10, 11, 13, 14, 14, 17, 19, 21, 22, 24, 25,
        ],
        [0; 28],
    ],
];
