//! Chess positions as Python has them: FEN, or a board of the library python-chess.

use everymove_api::Error;
use everymove_tables::probe::read_position;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;
use shakmaty::{
    Bitboard, Board, ByColor, ByRole, CastlingMode, Chess, Color, FromSetup, PositionError, Setup,
    Square,
};

use crate::error::raise;

/// A position from a FEN, or from a board with the attributes of `chess.Board`.
pub(crate) fn read(position: &Bound<'_, PyAny>) -> PyResult<Chess> {
    let py = position.py();
    if let Ok(fen) = position.cast::<PyString>() {
        let fen = fen.to_cow()?;
        return read_position(&fen).map_err(|error| raise(py, &Error::input(Some("fen"), error)));
    }
    // What has no such attribute is a board of chess.
    let variant = position.getattr(intern!(py, "uci_variant"));
    let variant = variant.and_then(|name| name.extract::<Option<String>>());
    if let Ok(Some(variant)) = variant
        && variant != "chess"
    {
        let line = format!("a board of {variant} is not one of chess");
        return Err(raise(py, &Error::message(Some("position"), line)));
    }
    let chess960 = position.getattr(intern!(py, "chess960"));
    let chess960 = chess960.and_then(|flag| flag.extract()).unwrap_or(false);
    let setup = setup(position)?;
    let read = Chess::from_setup(setup, CastlingMode::from_chess960(chess960))
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_invalid_ep_square);
    read.map_err(|error| {
        let line = format!("the board is not a legal position: {error}");
        raise(py, &Error::message(Some("position"), line))
    })
}

/// The attributes of a board, without writing and reading a FEN.
fn setup(board: &Bound<'_, PyAny>) -> PyResult<Setup> {
    let py = board.py();
    let bits = |name| -> PyResult<Bitboard> { Ok(Bitboard(board.getattr(name)?.extract()?)) };
    let by_role = ByRole {
        pawn: bits(intern!(py, "pawns"))?,
        knight: bits(intern!(py, "knights"))?,
        bishop: bits(intern!(py, "bishops"))?,
        rook: bits(intern!(py, "rooks"))?,
        queen: bits(intern!(py, "queens"))?,
        king: bits(intern!(py, "kings"))?,
    };
    // Its index is the colour: False for Black, True for White.
    let occupied = board.getattr(intern!(py, "occupied_co"))?;
    let side =
        |index: usize| -> PyResult<Bitboard> { Ok(Bitboard(occupied.get_item(index)?.extract()?)) };
    let by_color = ByColor {
        black: side(0)?,
        white: side(1)?,
    };
    let pieces = Board::try_from_bitboards(by_role, by_color).map_err(|_| {
        let line = "the board is inconsistent: a square has two pieces, or a piece no colour";
        raise(py, &Error::message(Some("position"), line))
    })?;
    let white: bool = board.getattr(intern!(py, "turn"))?.extract()?;
    let ep: Option<u32> = board.getattr(intern!(py, "ep_square"))?.extract()?;
    let mut setup = Setup::empty();
    setup.board = pieces;
    setup.turn = Color::from_white(white);
    setup.castling_rights = bits(intern!(py, "castling_rights"))?;
    setup.ep_square = ep.and_then(|square| Square::try_from(square).ok());
    setup.halfmoves = board.getattr(intern!(py, "halfmove_clock"))?.extract()?;
    Ok(setup)
}
