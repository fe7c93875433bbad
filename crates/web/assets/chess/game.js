/**
 * A game: a start, its moves, and the place in it that is shown. The server knows the rules.
 * @module
 */

import { ask } from '../api.js';
import { START } from './fen.js';

/**
 * @typedef {{ uci: string, san: string, fen: string, capture?: boolean }} Move
 * @typedef {{ kind: string, winner: 'white' | 'black' | null, text: string }} Outcome
 *
 * @typedef {object} Position an answer of `chess position`
 * @property {string} fen
 * @property {string} start_fen
 * @property {'white' | 'black'} side_to_move
 * @property {number} pieces
 * @property {boolean} check
 * @property {Move[]} moves the legal ones
 * @property {Move[]} history
 * @property {Outcome | null} outcome
 * @property {string} pgn
 * @property {string[]} [games] what each game of the PGN that was read is called
 * @property {string[]} [notes] what was repaired in the position
 */

/** Positions that were asked before. @type {Map<string, Promise<Position>>} */
const known = new Map();

/**
 * The position after moves.
 * @param {string} fen the start
 * @param {string[]} moves as people or programs write them
 * @returns {Promise<Position>}
 * @throws {import('../api.js').ApiError} with the field `fen` or `moves` where they are wrong
 */
export function position(fen, moves = []) {
  const key = `${fen} ${moves.join(' ')}`;
  const before = known.get(key);
  if (before) return before;
  const asked = ask('chess position', { ...(fen !== START && { fen }), moves });
  known.set(key, asked);
  if (known.size > 500) known.delete(known.keys().next().value ?? '');
  asked.catch(() => known.delete(key));
  return asked;
}

export class Game {
  start = START;
  /** The text from which the game was read, and which of its games it was. @type {{ pgn: string, number: number, start: string } | null} */
  source = null;
  /** All moves, in UCI notation. @type {string[]} */
  moves = [];
  /** Number of moves made in the position that is shown. */
  at = 0;
  /** The same in the position that is on its way; steps count from it. */
  aim = 0;
  /** All moves with the positions after them. @type {Move[]} */
  history = [];
  /** The position that is shown. @type {Position | null} */
  now = null;
  /** Counts changes, so that a late answer is not taken for the current one. */
  #change = 0;

  /** Whether the last position is shown. */
  get atEnd() {
    return this.at === this.moves.length;
  }

  /** The last move that was made, in UCI notation. */
  get lastMove() {
    return this.moves[this.at - 1] ?? null;
  }

  /**
   * Takes a start, moves and a place in them.
   * @param {string} start
   * @param {string[]} moves
   * @param {number} [at] default: the end
   * @returns {Promise<boolean>} false where another change came first
   */
  async load(start, moves, at = moves.length) {
    this.#change += 1;
    const mine = this.#change;
    const place = Math.max(0, Math.min(at, moves.length));
    this.aim = place;
    let answers;
    try {
      answers = await Promise.all([position(start, moves), position(start, moves.slice(0, place))]);
    } catch (error) {
      if (mine === this.#change) this.aim = this.at;
      throw error;
    }
    if (mine !== this.#change) return false;
    const [whole, now] = answers;
    this.start = start;
    this.history = whole.history;
    this.moves = whole.history.map(({ uci }) => uci);
    this.at = place;
    this.now = now;
    return true;
  }

  /** Shows another place of the game. @param {number} at */
  go(at) {
    return this.load(this.start, this.moves, at);
  }

  /** Makes a move in the position that is shown; what came after it is dropped unless it begins alike. @param {string} text */
  play(text) {
    const before = this.moves.slice(0, this.at);
    if (this.moves[this.at] === text) return this.go(this.at + 1);
    return this.load(this.start, [...before, text]);
  }

  /** The game as PGN: with tags, comments and variations of the game that was read, as far as the moves are the same. */
  async pgn() {
    const { source, start, moves } = this;
    if (source?.start !== start) return (await position(start, moves)).pgn;
    const { pgn, number } = source;
    return /** @type {Position} */ (await ask('chess position', { pgn, number, plies: 0, moves })).pgn;
  }
}
