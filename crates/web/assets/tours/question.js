/**
 * What the form of the tours page asks: board, kind, squares, piece; kept in the address.
 * @module
 */

import { parseSize, parseSquare } from '../boards/squares.js';
import { byId } from '../dom.js';
import { State } from '../state.js';

/** Most squares on a side. */
export const MOST = 60;

export const state = new State({
  board: '8x8',
  kind: 'closed',
  start: '',
  end: '',
  holes: '',
  piece: '',
  mode: 'find',
  seed: 0,
  path: '',
  rotation: 'quarter',
  numbers: false,
});

/**
 * The sides of the board.
 * @returns {[number, number]}
 */
export function sides() {
  const [rows, cols] = parseSize(state.values.board) ?? [8, 8];
  return [Math.min(rows, MOST), Math.min(cols, MOST)];
}

export function closed() {
  return state.values.kind !== 'open';
}

/** The missing squares. */
export function holes() {
  const [rows, cols] = sides();
  return state.values.holes.split(',').map((name) => parseSquare(name, rows, cols)).filter((square) => square >= 0);
}

/** The fields that most requests about tours share. */
export function question() {
  const { holes: missing, piece } = state.values;
  return {
    board: sides().join('x'),
    closed: closed(),
    ...(missing && { holes: missing }),
    ...(piece && { piece }),
  };
}

/** The name of the piece of the form. */
export function pieceName() {
  return state.values.piece || 'knight';
}

/** The steps of the piece, as differences of row and column. @returns {[number, number][]} */
export function steps() {
  const { selectedOptions: [chosen] } = byId('piece', HTMLSelectElement);
  return (chosen?.dataset.leaps ?? '').split(' ').map((leap) => {
    const [row = 0, col = 0] = leap.split(',').map(Number);
    return [row, col];
  });
}

/** The squares that the piece can reach from a square. @param {number} square */
export function neighbours(square) {
  const [rows, cols] = sides();
  const missing = new Set(holes());
  const row = Math.floor(square / cols);
  const col = square % cols;
  return steps()
    .map(([up, right]) => [row + up, col + right])
    .filter(([r = -1, c = -1]) => r >= 0 && c >= 0 && r < rows && c < cols)
    .map(([r = 0, c = 0]) => r * cols + c)
    .filter((other) => !missing.has(other));
}
