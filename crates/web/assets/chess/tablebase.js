/**
 * Exact values of positions with few pieces, from the tables.
 * @module
 */

import { standard as request } from '../api.js';
import { html } from '../dom.js';

/** @typedef {'win' | 'draw' | 'loss' | 'unknown'} Class */

/**
 * @typedef {object} TableMove
 * @property {string} uci
 * @property {string} san
 * @property {boolean} zeroing
 * @property {boolean} checkmate
 * @property {boolean} stalemate
 * @property {boolean} insufficient_material
 * @property {number | null} dtz
 * @property {number | null} dtm
 * @property {string} category of the position after the move, for the opponent
 *
 * @typedef {object} TableAnswer
 * @property {string} category
 * @property {number | null} dtz
 * @property {number | null} dtm
 * @property {boolean} checkmate
 * @property {boolean} stalemate
 * @property {boolean} insufficient_material
 * @property {TableMove[]} moves
 */

/** The most pieces for which the page asks. */
export const MOST_PIECES = 7;

/** @type {Map<string, Promise<TableAnswer>>} */
const known = new Map();

/**
 * Asks the tables for a position.
 * @param {string} fen
 * @returns {Promise<TableAnswer>}
 */
export function standard(fen) {
  const before = known.get(fen);
  if (before) return before;
  const asked = request(fen);
  known.set(fen, asked);
  asked.then((answer) => answer.category === 'unknown' && known.delete(fen), () => known.delete(fen));
  return asked;
}

/** Forgets all answers, after a table was built. */
export function forget() {
  known.clear();
}

/** The value of a category, for the side to move. @param {string} category @returns {Class} */
export function classOf(category) {
  if (/^(win|syzygy-win|maybe-win)$/.test(category)) return 'win';
  if (/^(loss|syzygy-loss|maybe-loss)$/.test(category)) return 'loss';
  if (/^(draw|cursed-win|blessed-loss)$/.test(category)) return 'draw';
  return 'unknown';
}

/** The value of a move for the side that makes it: the opposite of what it leaves. @param {TableMove} move @returns {Class} */
export function classOfMove({ category }) {
  const value = classOf(category);
  return value === 'win' ? 'loss' : value === 'loss' ? 'win' : value;
}

/**
 * What a move leads to, in a few words.
 * @param {TableMove} move
 */
export function moveDistance(move) {
  if (move.checkmate) return 'checkmate';
  if (move.stalemate) return 'stalemate';
  if (move.insufficient_material) return 'no mating material';
  const value = classOfMove(move);
  if (move.category === 'blessed-loss') return 'draw by the fifty-move rule';
  if (move.category === 'cursed-win') return 'draw by the fifty-move rule';
  if (value === 'draw') return move.zeroing ? 'draw' : '';
  return distance(move);
}

/**
 * A distance in moves and plies.
 * @param {{ dtm: number | null, dtz: number | null }} value
 */
export function distance({ dtm, dtz }) {
  if (dtm !== null) return `mate in ${Math.ceil(Math.abs(dtm) / 2)} (${Math.abs(dtm)} plies)`;
  if (dtz !== null) return `${Math.abs(dtz)} plies to a capture, pawn move or mate`;
  return '';
}

/** The groups of moves, as they are shown. @type {[Class, string][]} */
export const GROUPS = [['win', 'Winning'], ['draw', 'Drawing'], ['loss', 'Losing'], ['unknown', 'Not known']];

/** Signs of the values; colours repeat them. @type {Record<Class, string>} */
export const SIGN = { win: '✓', draw: '=', loss: '✕', unknown: '?' };

/**
 * The values of the moves of a position, as the board shows them.
 * @param {TableAnswer} answer
 * @returns {Map<string, 'win' | 'draw' | 'loss'>}
 */
export function marksOf(answer) {
  /** @type {Map<string, 'win' | 'draw' | 'loss'>} */
  const marks = new Map();
  for (const move of answer.moves) {
    const value = classOfMove(move);
    if (value !== 'unknown') marks.set(move.uci, value);
  }
  return marks;
}

/**
 * The moves, grouped by their value; a move is a button.
 * @param {TableAnswer} answer
 * @param {{ play: (move: TableMove) => void, point: (move: TableMove | null) => void }} actions
 * @returns {HTMLElement[]}
 */
export function moveGroups(answer, { play, point }) {
  const groups = [];
  for (const [value, title] of GROUPS) {
    const moves = answer.moves.filter((move) => classOfMove(move) === value);
    if (moves.length === 0) continue;
    const items = moves.map((move) =>
      html('li', {}, html('button', {
        type: 'button',
        'data-uci': move.uci,
        onclick: () => play(move),
        onpointerenter: () => point(move),
        onpointerleave: () => point(null),
        onfocus: () => point(move),
        onblur: () => point(null),
      }, html('span', { class: 'value-sign', 'aria-hidden': 'true' }, SIGN[value]), html('b', {}, move.san), html('span', { class: 'move-distance' }, moveDistance(move)))));
    groups.push(html('section', { class: `move-group ${value}` },
      html('h3', {}, title, html('span', { class: 'muted' }, ` ${moves.length}`)), html('ul', {}, items)));
  }
  return groups;
}
