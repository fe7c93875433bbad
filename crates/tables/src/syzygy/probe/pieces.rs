//! A position as sets of squares, and the moves that a probe searches.
//!
//! A probe of a Syzygy file searches the captures of a position, and of some positions all moves.
//! The moves of this module need neither the notation of a move nor the state of a game, only the
//! pieces after each legal move.

use shakmaty::{Chess, Color, EnPassantMode, Position};

use crate::position::board::role;
use crate::position::geometry::{attacks, pawn_attacks};
use crate::position::material::Kind;
use crate::store::locate::{piece_key, piece_key_unit};

/// The squares of the first and of the last rank.
const LAST_RANKS: u64 = 0xff00_0000_0000_00ff;

/// What moves a function visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moves {
    /// Captures, but not en passant.
    Captures,
    /// Captures en passant.
    EnPassant,
    /// Pawn moves without a capture.
    PawnPushes,
    /// Moves of other pieces without a capture.
    Quiet,
}

/// Whether a function visits further moves.
pub(super) type Flow = std::ops::ControlFlow<()>;

/// A position without castling rights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pieces {
    /// The squares of White's and of Black's pieces.
    by_color: [u64; 2],
    /// By number of [`Kind`].
    by_kind: [u64; 6],
    /// The color to move: 0 White, 1 Black.
    turn: usize,
    /// The square that a pawn has passed with the last move, if a pawn of the side to move attacks
    /// it; else 0.
    en_passant: u64,
    /// As of [`piece_key`](crate::store::locate::piece_key).
    key: u64,
}

impl Pieces {
    /// The pieces of a position; castling rights are ignored.
    pub(super) fn new(position: &Chess) -> Self {
        let board = position.board();
        let by_color = [board.white().0, board.black().0];
        let by_kind = Kind::ALL.map(|kind| board.by_role(role(kind)).0);
        let passed = position.ep_square(EnPassantMode::PseudoLegal);
        Self {
            by_color,
            by_kind,
            turn: usize::from(position.turn() == Color::Black),
            en_passant: passed.map_or(0, |square| 1 << u32::from(square)),
            key: piece_key(position),
        }
    }

    /// The key of the pieces on the board.
    #[inline]
    pub(super) fn key(&self) -> u64 {
        self.key
    }

    /// Whether only the kings are on the board.
    #[inline]
    pub(super) fn are_two_kings(&self) -> bool {
        self.key == 0
    }

    /// Whether the side to move has only its king: it cannot win.
    #[inline]
    pub(super) fn is_bare_king(&self) -> bool {
        self.by_color[self.turn] & !self.by_kind[Kind::King as usize] == 0
    }

    #[inline]
    pub(super) fn black_to_move(&self) -> bool {
        self.turn == 1
    }

    /// Whether the side to move has a pawn that attacks the square that another has just passed.
    #[inline]
    pub(super) fn may_capture_in_passing(&self) -> bool {
        self.en_passant != 0
    }

    /// The same position, but without the right to capture en passant.
    pub(super) fn without_en_passant(&self) -> Self {
        Self {
            en_passant: 0,
            ..*self
        }
    }

    /// The squares of a kind of pieces of a color.
    #[inline]
    pub(super) fn of(&self, kind: Kind, black: bool) -> u64 {
        self.by_color[usize::from(black)] & self.by_kind[kind as usize]
    }

    /// Whether the side to move is in check.
    pub(super) fn is_check(&self) -> bool {
        self.is_attacked(self.of(Kind::King, self.turn == 1), 1 - self.turn)
    }

    /// Whether the side to move has a legal move, captures en passant included.
    pub(super) fn has_move(&self) -> bool {
        let mut found = false;
        for moves in [
            Moves::Quiet,
            Moves::PawnPushes,
            Moves::Captures,
            Moves::EnPassant,
        ] {
            let visited: Result<(), std::convert::Infallible> = self.visit(moves, |_| {
                found = true;
                Ok(Flow::Break(()))
            });
            if visited.is_ok() && found {
                break;
            }
        }
        found
    }

    /// Calls `visit` with the position after each legal move, until it returns [`Flow::Break`] or
    /// an error.
    #[inline]
    pub(super) fn visit<E>(
        &self,
        moves: Moves,
        mut visit: impl FnMut(&Self) -> Result<Flow, E>,
    ) -> Result<(), E> {
        let empty = !(self.by_color[0] | self.by_color[1]);
        let own = self.by_color[self.turn];
        let targets = match moves {
            Moves::Captures => self.by_color[1 - self.turn] & !self.by_kind[Kind::King as usize],
            Moves::EnPassant => self.en_passant,
            Moves::PawnPushes | Moves::Quiet => empty,
        };
        let kinds = match moves {
            Moves::Captures => &Kind::ALL[..],
            Moves::EnPassant | Moves::PawnPushes => &Kind::ALL[5..],
            Moves::Quiet => &Kind::ALL[..5],
        };
        if targets == 0 {
            return Ok(());
        }
        for &kind in kinds {
            let mut movers = own & self.by_kind[kind as usize];
            while movers != 0 {
                let from = movers & movers.wrapping_neg();
                movers ^= from;
                let reached = match (kind, moves) {
                    (Kind::Pawn, Moves::PawnPushes) => self.pushes(from, empty),
                    (Kind::Pawn, _) => pawn_attacks(from.trailing_zeros() as u8, self.turn == 0),
                    _ => attacks(kind, from, empty),
                };
                let mut reached = reached & targets;
                while reached != 0 {
                    let to = reached & reached.wrapping_neg();
                    reached ^= to;
                    let becomes: &[Kind] = match kind {
                        Kind::Pawn if to & LAST_RANKS != 0 => &Kind::PROMOTIONS,
                        _ => &Kind::ALL[kind as usize..=kind as usize],
                    };
                    for &becomes in becomes {
                        let next = self.after(kind, from, to, becomes, moves);
                        if !next.leaves_check() && visit(&next)?.is_break() {
                            return Ok(());
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The squares that a pawn moves to without a capture.
    fn pushes(&self, from: u64, empty: u64) -> u64 {
        const FOURTH_AND_FIFTH: u64 = 0x0000_00ff_ff00_0000;
        const SECOND_AND_SEVENTH: u64 = 0x00ff_0000_0000_ff00;
        let forward = |set: u64| if self.turn == 0 { set << 8 } else { set >> 8 };
        let one = forward(from) & empty;
        let two = forward(one) & empty & FOURTH_AND_FIFTH;
        let from_start = from & SECOND_AND_SEVENTH != 0;
        one | if from_start { two } else { 0 }
    }

    /// The position after a move of one of the own pieces.
    #[inline]
    fn after(&self, kind: Kind, from: u64, to: u64, becomes: Kind, moves: Moves) -> Self {
        let (us, them) = (self.turn, 1 - self.turn);
        let mut next = *self;
        next.turn = them;
        next.en_passant = 0;
        let captured_on = match moves {
            Moves::Captures => to,
            Moves::EnPassant if us == 0 => to >> 8,
            Moves::EnPassant => to << 8,
            Moves::PawnPushes | Moves::Quiet => 0,
        };
        if captured_on != 0 {
            next.by_color[them] &= !captured_on;
            for captured in Kind::EXCEPT_KING {
                let set = &mut next.by_kind[captured as usize];
                if *set & captured_on != 0 {
                    *set &= !captured_on;
                    next.key -= piece_key_unit(captured, them);
                    break;
                }
            }
        }
        next.by_color[us] ^= from | to;
        next.by_kind[kind as usize] &= !from;
        next.by_kind[becomes as usize] |= to;
        if becomes != kind {
            next.key += piece_key_unit(becomes, us);
            next.key -= piece_key_unit(kind, us);
        }
        if moves == Moves::PawnPushes && (to == from << 16 || to == from >> 16) {
            let passed = if us == 0 { from << 8 } else { from >> 8 };
            let attackers = pawn_attacks(passed.trailing_zeros() as u8, us == 0);
            if attackers & next.of(Kind::Pawn, them == 1) != 0 {
                next.en_passant = passed;
            }
        }
        next
    }

    /// Whether the side that has just moved is in check: the move was not legal.
    #[inline]
    fn leaves_check(&self) -> bool {
        self.is_attacked(self.of(Kind::King, self.turn == 0), self.turn)
    }

    /// Whether a color attacks a square.
    #[inline]
    fn is_attacked(&self, square: u64, by: usize) -> bool {
        let them = self.by_color[by];
        let [king, queen, rook, bishop, knight, pawn] = self.by_kind.map(|set| set & them);
        let empty = !(self.by_color[0] | self.by_color[1]);
        let meets = |set: u64, kind: Kind| set != 0 && attacks(kind, square, empty) & set != 0;
        meets(rook | queen, Kind::Rook)
            || meets(bishop | queen, Kind::Bishop)
            || meets(knight, Kind::Knight)
            || meets(king, Kind::King)
            || (pawn != 0 && pawn_attacks(square.trailing_zeros() as u8, by == 1) & pawn != 0)
    }
}

#[cfg(test)]
mod tests {
    use everymove_kernel::rng::SplitMix64;
    use shakmaty::{CastlingMode, Move, Role, Setup, Square};

    use super::*;
    use crate::store::locate::piece_key;

    /// A random position of some pieces; in every fourth a pawn may have passed one of the other
    /// side.
    fn random(rng: &mut SplitMix64) -> Option<Chess> {
        let mut setup = Setup::empty();
        setup.turn = Color::from_white(rng.below(2) == 0);
        if rng.below(4) == 0 {
            let first = setup.turn.fold_wb(32, 24) + rng.below(7) as u32;
            for (square, color) in [(first, setup.turn), (first + 1, !setup.turn)] {
                let pawn = Role::Pawn.of(color);
                setup.board.set_piece_at(Square::new(square), pawn);
            }
        }
        for i in 0..6 {
            let color = match i {
                0 | 1 => Color::from_white(i == 0),
                _ => Color::from_white(rng.below(2) == 0),
            };
            let role = match i {
                0 | 1 => Role::King,
                _ => Role::ALL[rng.below(5) as usize],
            };
            let square = Square::new(rng.below(64) as u32);
            if setup.board.piece_at(square).is_some() {
                return None;
            }
            setup.board.set_piece_at(square, role.of(color));
        }
        let rank = setup.turn.fold_wb(32, 24);
        let passed = setup.turn.fold_wb(8, -8);
        let pawns = setup.board.by_piece(Role::Pawn.of(!setup.turn));
        let pawn = pawns.into_iter().find(|&s| u32::from(s) & 56 == rank);
        setup.ep_square = pawn.and_then(|pawn| pawn.offset(passed));
        let legal = setup.clone().position::<Chess>(CastlingMode::Standard);
        setup.ep_square = None;
        match legal {
            Ok(position) => Some(position),
            Err(_) => setup.position(CastlingMode::Standard).ok(),
        }
    }

    fn visited(pieces: &Pieces, moves: Moves) -> Vec<Pieces> {
        let mut all = Vec::new();
        let visited: Result<(), std::convert::Infallible> = pieces.visit(moves, |next| {
            all.push(*next);
            Ok(Flow::Continue(()))
        });
        assert!(visited.is_ok());
        all
    }

    /// The positions after all moves are those of another library.
    #[test]
    fn moves_are_those_of_another_library() {
        let mut rng = SplitMix64::new(5);
        let (mut compared, mut in_passing) = (0, 0);
        while compared < 20_000 {
            let Some(position) = random(&mut rng) else {
                continue;
            };
            compared += 1;
            let pieces = Pieces::new(&position);
            assert_eq!(pieces.key(), piece_key(&position));
            assert_eq!(pieces.is_check(), position.is_check());
            assert_eq!(pieces.has_move(), !position.legal_moves().is_empty());
            let class = |play: &Move| match play {
                _ if play.is_en_passant() => Moves::EnPassant,
                _ if play.is_capture() => Moves::Captures,
                _ if play.role() == Role::Pawn => Moves::PawnPushes,
                _ => Moves::Quiet,
            };
            for moves in [
                Moves::Captures,
                Moves::EnPassant,
                Moves::PawnPushes,
                Moves::Quiet,
            ] {
                let legal = position.legal_moves();
                let expected = legal
                    .iter()
                    .filter(|play| class(play) == moves)
                    .map(|&play| {
                        let mut next = position.clone();
                        next.play_unchecked(play);
                        Pieces::new(&next)
                    });
                let mut expected: Vec<Pieces> = expected.collect();
                let mut found = visited(&pieces, moves);
                in_passing += usize::from(moves == Moves::EnPassant) * found.len();
                let order = |p: &Pieces| (p.by_color, p.by_kind);
                expected.sort_by_key(order);
                found.sort_by_key(order);
                assert_eq!(found, expected, "{position:?} {moves:?}");
            }
        }
        assert!(in_passing > 100, "{in_passing}");
    }
}
