//! Zobrist keys, made at compile time from SplitMix64: the same on every machine.

use shakmaty::{Bitboard, Color, File, Piece, Square};

const SEED: u64 = 0x6576_6572_796d_6f76;

const PIECES: usize = 12 * 64;
const CASTLING: usize = 64;
const FILES: usize = 8;

static KEYS: [u64; PIECES + CASTLING + FILES + 1] = keys();

const fn keys() -> [u64; PIECES + CASTLING + FILES + 1] {
    let mut keys = [0; PIECES + CASTLING + FILES + 1];
    let mut state = SEED;
    let mut i = 0;
    while i < keys.len() {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        keys[i] = z ^ (z >> 31);
        i += 1;
    }
    keys
}

/// A number in `0..12` for a piece: white pawn to king, then black pawn to king.
#[inline]
pub(crate) fn piece_index(piece: Piece) -> usize {
    let side = if piece.color == Color::White { 0 } else { 6 };
    side + piece.role as usize - 1
}

#[inline]
pub(crate) fn piece(piece: Piece, square: Square) -> u64 {
    KEYS[piece_index(piece) * 64 + square.to_usize()]
}

/// Of rooks that may still castle; each has a key of its own, so Chess960 needs nothing special.
pub(crate) fn castling(rooks: Bitboard) -> u64 {
    rooks
        .into_iter()
        .fold(0, |key, rook| key ^ KEYS[PIECES + rook.to_usize()])
}

#[inline]
pub(crate) fn en_passant(file: File) -> u64 {
    KEYS[PIECES + CASTLING + file.to_usize()]
}

#[inline]
pub(crate) fn black_to_move() -> u64 {
    KEYS[PIECES + CASTLING + FILES]
}
