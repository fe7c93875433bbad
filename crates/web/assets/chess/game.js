/**
 * A game: the tree of its moves, a line in it, and the place in the line that is shown. The server knows the rules.
 * @module
 */

import { ask } from '../api.js';
import { START } from './fen.js';

/**
 * @typedef {{ uci: string | null, san: string, fen: string }} Move null: the other side moves at once
 * @typedef {{ uci: string, san: string, fen: string, capture: boolean }} LegalMove
 * @typedef {Move & { next: number[], before: string[], comments: string[], nags: number[] }} TreeNode
 * @typedef {{ kind: string, winner: 'white' | 'black' | null, text: string }} Outcome
 *
 * @typedef {object} Position an answer of `chess position`
 * @property {string} fen
 * @property {string} start_fen
 * @property {'white' | 'black'} side_to_move
 * @property {number} pieces
 * @property {boolean} check
 * @property {LegalMove[]} moves
 * @property {Move[]} history
 * @property {Outcome | null} outcome
 * @property {string} pgn
 * @property {TreeNode[]} [tree] the start and all moves of the game that was read
 * @property {string[]} [games] what each game of the PGN that was read is called
 * @property {string[]} [notes] what was repaired in the position
 *
 * @typedef {object} Place the start, or a move, and what is written about it
 * @property {string | null} uci null for the start and for null moves
 * @property {string} san
 * @property {string} fen the position after the move
 * @property {Place | null} parent
 * @property {Place[]} next the moves that may follow: the first is the main line, the others are variations
 * @property {string[]} before comments before the move
 * @property {string[]} comments
 * @property {number[]} nags
 *
 * @typedef {{ winner: 'white' | 'black' | null, text: string, given?: boolean }} Ending
 */

/** Results as PGN has them, by the winner. */
const RESULTS = /** @type {[Ending['winner'], string][]} */ ([['white', '1-0'], ['black', '0-1'], [null, '1/2-1/2']]);

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

/** @param {Move} move @param {Place | null} parent @returns {Place} */
const placeOf = ({ uci, san, fen }, parent) => ({ uci, san, fen, parent, next: [], before: [], comments: [], nags: [] });

/** @param {string} fen */
const startOf = (fen) => placeOf({ uci: null, san: '', fen }, null);

/** The place after a move: one that is there, or a new one. @param {Place} parent @param {Move} move */
function after(parent, move) {
  const found = parent.next.find(({ uci }) => uci === move.uci);
  if (found) return found;
  const made = placeOf(move, parent);
  parent.next.push(made);
  return made;
}

/** The line through a place, which continues by the first moves. @param {Place} place */
function through(place) {
  const line = [];
  for (let each = place; each.parent; each = each.parent) line.unshift(each);
  for (let each = place.next[0]; each; each = each.next[0]) line.push(each);
  return line;
}

/** The start of a tree that the server has read. @param {TreeNode[]} nodes */
function grown(nodes) {
  const places = nodes.map((node) => ({ ...node, parent: /** @type {Place | null} */ (null), next: /** @type {Place[]} */ ([]) }));
  for (const [i, place] of places.entries()) {
    for (const index of nodes[i]?.next ?? []) {
      const child = places[index];
      if (!child) continue;
      child.parent = place;
      place.next.push(child);
    }
  }
  return places[0] ?? startOf(START);
}

/** @param {string[]} comments */
const inBraces = (comments) => comments.map((text) => `{${text.replaceAll('}', ')')}} `).join('');

/** @param {Place} place */
const moveText = (place) => `${inBraces(place.before)}${place.san} ${place.nags.map((nag) => `$${nag} `).join('')}${inBraces(place.comments)}`;

/** All that follows a place, as PGN without numbers. @param {Place} place @returns {string} */
function lineText(place) {
  let text = '';
  for (let at = place; at.next[0]; at = at.next[0]) {
    const others = at.next.slice(1).map((each) => `(${moveText(each)}${lineText(each)}) `);
    text += moveText(at.next[0]) + others.join('');
  }
  return text;
}

export class Game {
  root = startOf(START);
  /** The line that is shown, without the start. @type {Place[]} */
  line = [];
  /** Number of moves of the line made in the position that is shown. */
  at = 0;
  /** The same in the position that is on its way; steps count from it. */
  aim = 0;
  /** The position that is shown. @type {Position | null} */
  now = null;
  /** How the main line ended, where that is not in its moves: time, resignation, a draw. @type {Ending | null} */
  ended = null;
  /** The tags of the game that was read, but for its position and its result. */
  #tags = '';
  /** Counts changes, so that a late answer is not taken for the current one. */
  #changes = 0;

  /** The position before the first move. */
  get start() {
    return this.root.fen;
  }

  /** The moves of the line in UCI notation. */
  get moves() {
    return this.line.map(({ uci }) => uci ?? '--');
  }

  /** Whether the last position of the line is shown. */
  get atEnd() {
    return this.at === this.line.length;
  }

  /** The last move that was made, in UCI notation. */
  get lastMove() {
    return this.here.uci;
  }

  /** The place that is shown. */
  get here() {
    return this.line[this.at - 1] ?? this.root;
  }

  /** A position and the moves from it to a place of the line: those after the last null move. @param {number} [at] @returns {[string, string[]]} */
  reached(at = this.at, line = this.line) {
    /** @type {[string, string[]]} */
    let found = [this.start, []];
    for (const { uci, fen } of line.slice(0, at)) {
      if (uci) found[1].push(uci);
      else found = [fen, []];
    }
    return found;
  }

  /**
   * Changes the game once an answer has come, unless another change came first.
   * @template T
   * @param {number} at the place that is shown then
   * @param {Promise<T>} asked
   * @param {(answer: T) => void} change
   * @returns {Promise<boolean>} false where another change came first
   */
  async #when(at, asked, change) {
    this.#changes += 1;
    const mine = this.#changes;
    this.aim = at;
    try {
      const answer = await asked;
      if (mine !== this.#changes) return false;
      change(answer);
      this.at = at;
      return true;
    } catch (error) {
      if (mine === this.#changes) this.aim = this.at;
      throw error;
    }
  }

  /** Changes the tree; a main line that ends elsewhere has no result. @param {() => void} change */
  #edit(change) {
    const last = () => through(this.root).at(-1);
    const before = last();
    change();
    if (last() !== before) this.ended = null;
  }

  /** Shows another place of the line, or another line. @param {Place} place @param {Position} now */
  #enter(place, now) {
    if (place !== this.root && !this.line.includes(place)) this.line = through(place);
    this.now = now;
  }

  /**
   * Takes a start, moves and a place in them.
   * @param {string} start
   * @param {string[]} moves
   * @param {number} [at] default: the end
   * @param {string} [text] what {@link text} gave, of which these moves are a line
   */
  load(start, moves, at = moves.length, text = '') {
    const place = Math.max(0, Math.min(at, moves.length));
    const tree = text ? ask('chess position', { pgn: text, tree: true }).catch(() => null) : null;
    const asked = Promise.all([position(start, moves), position(start, moves.slice(0, place)), tree]);
    return this.#when(place, asked, ([whole, now, read]) => {
      const given = /** @type {Position | null} */ (read?.start_fen === whole.start_fen ? read : null);
      this.root = given?.tree ? grown(given.tree) : startOf(whole.start_fen);
      const lines = given?.pgn.split('\n\n', 1)[0]?.split('\n') ?? [];
      this.#tags = lines.filter((line) => !/^\[(FEN|SetUp|Result) /.test(line)).map((line) => `${line}\n`).join('');
      const result = RESULTS.find(([, words]) => lines.includes(`[Result "${words}"]`));
      this.ended = result ? { winner: result[0], text: through(this.root).at(-1)?.comments.at(-1) ?? `the game ended ${result[1]}`, given: true } : null;
      let last = this.root;
      this.line = whole.history.map((move) => (last = after(last, move)));
      this.now = now;
    });
  }

  /** Shows a place of the tree. @param {Place} place */
  show(place) {
    const line = this.line.includes(place) || place === this.root ? this.line : through(place);
    const at = line.indexOf(place) + 1;
    return this.#when(at, position(...this.reached(at, line)), (now) => this.#enter(place, now));
  }

  /** Shows another place of the line. @param {number} at */
  go(at) {
    return this.show(this.line[at - 1] ?? this.root);
  }

  /** Makes moves in the position that is shown, which are a variation where there are others. @param {string[]} moves */
  play(...moves) {
    const { here } = this;
    const [fen, before] = this.reached();
    return this.#when(this.at + moves.length, position(fen, [...before, ...moves]), (now) => this.#edit(() => {
      const played = now.history.slice(before.length);
      this.#enter(played.reduce(after, here), now);
    }));
  }

  /** Removes a move of the line and all that follows it. @param {number} [at] its number @param {boolean} [rest] whether the line goes on by another move */
  cut(at = this.at, rest = true) {
    const removed = this.line[at - 1];
    const before = this.line.slice(0, at - 1);
    return this.#when(before.length, position(...this.reached(before.length)), (now) => this.#edit(() => {
      const parent = removed?.parent ?? this.root;
      parent.next = parent.next.filter((each) => each !== removed);
      this.line = rest ? through(parent) : before;
      this.now = now;
    }));
  }

  /** Makes the line to the place that is shown the main line. */
  promote() {
    this.#edit(() => {
      for (let { here } = this; here.parent; here = here.parent) {
        const { parent } = here;
        parent.next.sort((a, b) => Number(b === here) - Number(a === here));
      }
    });
  }

  /** The game as PGN that the server can read; empty where it is the line and nothing else. */
  text() {
    const main = through(this.root);
    const isBare = (/** @type {Place} */ { next, before, comments, nags }) => next.length < 2 && !before.length && !comments.length && !nags.length;
    if (!this.#tags && !this.ended && main.length === this.line.length && [this.root, ...main].every(isBare)) return '';
    const position = this.start === START ? '' : `[FEN "${this.start}"]\n`;
    const { ended } = this;
    const result = RESULTS.find(([winner]) => ended && winner === ended.winner)?.[1] ?? '*';
    const reason = ended && !ended.given && !main.at(-1)?.comments.includes(ended.text) ? [ended.text] : [];
    return `${this.#tags}${position}\n${moveText(this.root)}${lineText(this.root)}${inBraces(reason)}${result}\n`;
  }

  /** The game as PGN. */
  async pgn() {
    const text = this.text();
    /** @type {Position} */
    const answer = await (text ? ask('chess position', { pgn: text }) : position(this.start, this.moves));
    return answer.pgn;
  }
}
