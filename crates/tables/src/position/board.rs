//! Boards of the shakmaty library: the ending of a board, the squares of its pieces, the board of
//! an index.

use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Position, Role, Setup, Square};

use crate::error::TableError;
use crate::position::index_space::{IndexSpace, Piece, Side, Squares};
use crate::position::material::{Army, Kind, MAX_PIECES, Material};

/// Returns the ending of a position.
///
/// # Errors
/// [`TableError::Position`] if there are castling rights, or too few or too many pieces.
pub fn material_of(position: &Chess) -> Result<Material, TableError> {
    require_no_castling(position)?;
    let pieces = position.board().occupied().count();
    if !(3..=MAX_PIECES).contains(&pieces) {
        return Err(TableError::Position(format!(
            "the position has {pieces} pieces, but tables are for 3 to {}",
            MAX_PIECES
        )));
    }
    Ok(Material::new(
        army(position, Color::White),
        army(position, Color::Black),
    ))
}

/// Refuses a position with castling rights.
pub(crate) fn require_no_castling(position: &Chess) -> Result<(), TableError> {
    if position.castles().any() {
        return Err(TableError::Position(
            "tables know no castling, but the position has castling rights".to_owned(),
        ));
    }
    Ok(())
}

pub(crate) fn army(position: &Chess, color: Color) -> Army {
    let board = position.board();
    let pieces = board.by_color(color).into_iter();
    Army::new(pieces.filter_map(|square| board.role_at(square)).map(kind))
}

pub(crate) fn kind(role: Role) -> Kind {
    match role {
        Role::Pawn => Kind::Pawn,
        Role::Knight => Kind::Knight,
        Role::Bishop => Kind::Bishop,
        Role::Rook => Kind::Rook,
        Role::Queen => Kind::Queen,
        Role::King => Kind::King,
    }
}

/// Returns the squares of a half's pieces on a board, with the ranks flipped where needed so that
/// the attacker's pawns move up.
pub(crate) fn squares_of(position: &Chess, attacker: Color, pieces: &[Piece]) -> Squares {
    let board = position.board();
    let flip = if attacker == Color::White { 0 } else { 56 };
    let mut at = [0; 8];
    let mut taken = shakmaty::Bitboard::EMPTY;
    for (entry, piece) in at.iter_mut().zip(pieces) {
        let color = match piece.side {
            Side::Attacker => attacker,
            Side::Defender => !attacker,
        };
        let fitting = board.by_color(color) & board.by_role(role(piece.kind)) & !taken;
        if let Some(square) = fitting.first() {
            taken.add(square);
            *entry = u32::from(square) as u8 ^ flip;
        }
    }
    at
}

/// Converts a kind of piece to shakmaty's.
pub(crate) fn role(kind: Kind) -> Role {
    match kind {
        Kind::King => Role::King,
        Kind::Queen => Role::Queen,
        Kind::Rook => Role::Rook,
        Kind::Bishop => Role::Bishop,
        Kind::Knight => Role::Knight,
        Kind::Pawn => Role::Pawn,
    }
}

/// Parses a FEN.
///
/// # Errors
/// [`TableError::Position`] with the reason if it is no FEN or not a legal position.
pub fn read_position(fen: &str) -> Result<Chess, TableError> {
    let parsed: shakmaty::fen::Fen = fen
        .parse()
        .map_err(|e| TableError::Position(format!("'{fen}' is not a FEN: {e}")))?;
    parsed
        .into_position(CastlingMode::Standard)
        // No game leads to some checks, but the tables have the positions.
        .or_else(shakmaty::PositionError::ignore_impossible_check)
        .map_err(|e| TableError::Position(format!("'{fen}' is not a legal position: {e}")))
}

/// Writes a position as FEN.
pub fn write_position(position: &Chess) -> String {
    shakmaty::fen::Fen::from_position(position, EnPassantMode::Legal).to_string()
}

/// Returns the position of an index, with the attacker in the given colour; `None` if it is not
/// legal.
pub(crate) fn set_up(
    space: &IndexSpace,
    number: usize,
    attacker: Color,
    to_move: Side,
) -> Option<Chess> {
    let at = space.decode(number);
    let color = |side| match side {
        Side::Attacker => attacker,
        Side::Defender => !attacker,
    };
    let mut setup = Setup::empty();
    for (piece, square) in space.pieces.iter().zip(at) {
        let square = Square::new(u32::from(square));
        let square = attacker.fold_wb(square, square.flip_vertical());
        if setup.board.piece_at(square).is_some() {
            return None;
        }
        let piece = role(piece.kind).of(color(piece.side));
        setup.board.set_piece_at(square, piece);
    }
    setup.turn = color(to_move);
    // Positions that no game leads to (three checkers, say) are in the tables all the same.
    setup
        .position(CastlingMode::Standard)
        .or_else(shakmaty::PositionError::ignore_impossible_check)
        .ok()
}
