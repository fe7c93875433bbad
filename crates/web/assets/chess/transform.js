/**
 * Changes of a whole position: shifted, mirrored, with colours exchanged.
 * @module
 */

import { other } from './fen.js';

/** @typedef {import('./fen.js').Setup} Setup */

/** @typedef {'left' | 'right' | 'up' | 'down' | 'mirror' | 'colours'} Change */

/**
 * The changed position, without castling rights and en passant.
 * @param {Setup} setup
 * @param {Change} change
 * @returns {Setup | null} null where a piece would leave the board, or a pawn would come to its first or last rank
 */
export function transformed(setup, change) {
  const moved = /** @type {import('./fen.js').Squares} */ (new Array(64).fill(null));
  for (const [square, piece] of setup.squares.entries()) {
    if (!piece) continue;
    const [file, rank] = target(square % 8, Math.floor(square / 8), change);
    if (file < 0 || file > 7 || rank < 0 || rank > 7) return null;
    if (piece.role === 'p' && (rank === 0 || rank === 7)) return null;
    moved[rank * 8 + file] = change === 'colours' ? { ...piece, colour: other(piece.colour) } : piece;
  }
  return { ...setup, squares: moved, castling: '-', enPassant: '-', turn: change === 'colours' ? other(setup.turn) : setup.turn };
}

/** @param {number} file @param {number} rank @param {Change} change @returns {[number, number]} */
function target(file, rank, change) {
  switch (change) {
    case 'left':
      return [file - 1, rank];
    case 'right':
      return [file + 1, rank];
    case 'up':
      return [file, rank + 1];
    case 'down':
      return [file, rank - 1];
    case 'mirror':
      return [7 - file, rank];
    case 'colours':
      return [file, 7 - rank];
  }
}
