//! Positions as C programs pass them.

use std::ffi::c_char;
use std::num::NonZeroU32;

use everymove_tables::probe::read_position;
use shakmaty::{
    Bitboard, Board, ByColor, ByRole, CastlingMode, Chess, Color, EnPassantMode, Position,
    PositionError, Role, Setup, Square,
};

use crate::pointers;
use crate::status::{Failure, Status, answer};

/// The value of a square that is none.
pub const EM_NO_SQUARE: u8 = 64;

/// A chess position. Bit `8 * rank + file` of a bitboard is a square, both counted from 0: a1 is
/// bit 0, h1 bit 7, h8 bit 63.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CPosition {
    /// The white pieces.
    pub white: u64,
    /// The black pieces.
    pub black: u64,
    /// The kings of both sides.
    pub kings: u64,
    /// The queens of both sides.
    pub queens: u64,
    /// The rooks of both sides.
    pub rooks: u64,
    /// The bishops of both sides.
    pub bishops: u64,
    /// The knights of both sides.
    pub knights: u64,
    /// The pawns of both sides.
    pub pawns: u64,
    /// Plies since the last capture or pawn move. Only `em_probe_dtm50` and `em_probe_moves` count
    /// them.
    pub clock: u32,
    /// The square behind a pawn that has just made a double step, or `EM_NO_SQUARE`.
    pub en_passant: u8,
    /// 1 if White is to move, 0 if Black is.
    pub white_to_move: u8,
    /// 1 if any side may still castle, otherwise 0.
    pub may_castle: u8,
}

impl CPosition {
    /// Returns the position as the tables read it.
    pub(crate) fn to_chess(self) -> Result<Chess, Failure> {
        if self.may_castle != 0 {
            let reason = "tables have no positions with castling rights";
            return Err(Failure::new(Status::NoTable, reason));
        }
        let by_role = ByRole {
            pawn: Bitboard(self.pawns),
            knight: Bitboard(self.knights),
            bishop: Bitboard(self.bishops),
            rook: Bitboard(self.rooks),
            queen: Bitboard(self.queens),
            king: Bitboard(self.kings),
        };
        let by_color = ByColor {
            white: Bitboard(self.white),
            black: Bitboard(self.black),
        };
        let bad = |reason: String| Failure::new(Status::BadPosition, reason);
        let mut setup = Setup::empty();
        setup.board = Board::try_from_bitboards(by_role, by_color)
            .map_err(|_| bad("two pieces on a square, or a piece without a colour".to_owned()))?;
        setup.turn = Color::from_white(self.white_to_move != 0);
        setup.ep_square = match self.en_passant {
            EM_NO_SQUARE => None,
            square => Some(
                Square::try_from(square)
                    .map_err(|_| bad(format!("{square} is not a square (0 to 63)")))?,
            ),
        };
        setup.halfmoves = self.clock;
        setup.fullmoves = NonZeroU32::MIN;
        setup
            .position(CastlingMode::Standard)
            // No game leads to some checks, but the tables have the positions.
            .or_else(PositionError::ignore_impossible_check)
            .map_err(|error| bad(format!("the position is not legal: {error}")))
    }
}

impl From<&Chess> for CPosition {
    fn from(position: &Chess) -> Self {
        let board = position.board();
        let en_passant = position.ep_square(EnPassantMode::Legal);
        Self {
            white: board.by_color(Color::White).0,
            black: board.by_color(Color::Black).0,
            kings: board.by_role(Role::King).0,
            queens: board.by_role(Role::Queen).0,
            rooks: board.by_role(Role::Rook).0,
            bishops: board.by_role(Role::Bishop).0,
            knights: board.by_role(Role::Knight).0,
            pawns: board.by_role(Role::Pawn).0,
            clock: position.halfmoves(),
            en_passant: en_passant.map_or(EM_NO_SQUARE, |square| u32::from(square) as u8),
            white_to_move: u8::from(position.turn() == Color::White),
            may_castle: u8::from(position.castles().any()),
        }
    }
}

/// Reads a FEN, for example "8/8/8/8/8/2k5/7Q/K7 w - - 0 1", into `*position`.
///
/// # Safety
/// `fen` is null or points to a text that ends with a zero byte, `position` is null or points to
/// memory for an `em_position`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn em_position_from_fen(
    fen: *const c_char,
    position: *mut CPosition,
) -> Status {
    answer(|| {
        // SAFETY: by the condition of this function.
        let fen = unsafe { pointers::text(fen, "fen") }?;
        let fen = fen
            .to_str()
            .map_err(|_| Failure::new(Status::BadArgument, "the FEN is not UTF-8"))?;
        if fen.parse::<shakmaty::fen::Fen>().is_err() {
            let reason = format!("'{}' is not a FEN", fen.escape_default());
            return Err(Failure::new(Status::BadArgument, reason));
        }
        let read = CPosition::from(&read_position(fen)?);
        // SAFETY: by the condition of this function.
        unsafe { pointers::write(position, read, "position") }
    })
}
