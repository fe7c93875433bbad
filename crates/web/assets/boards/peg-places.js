/**
 * Boards and positions of peg solitaire as text, and the jumps of a position. Rows from the top with `/` between them:
 * `o` a peg, `.` an empty hole, `_` no place. A place is named by its column letter and its row from 1, from the top.
 * @module
 */

import { letters } from './squares.js';

/** @typedef {'square' | 'triangular'} Lattice */
/** @typedef {{ row: number, col: number, name: string }} Place */
/** @typedef {{ from: number, over: number, to: number }} Jump places by their index */

/** Steps to neighbours as [row, column]; on the triangular lattice rows begin one half place further left each time. */
const STEPS = /** @type {Record<Lattice, [number, number][]>} */ ({
  square: [[0, 1], [0, -1], [1, 0], [-1, 0]],
  triangular: [[0, 1], [0, -1], [1, 0], [-1, 0], [1, 1], [-1, -1]],
});

/** The places of a board and its jumps. */
export class Places {
  /**
   * @param {string} rows
   * @param {Lattice} lattice
   */
  constructor(rows, lattice) {
    this.lattice = lattice;
    /** @type {Place[]} */
    this.places = [];
    /** @type {Map<string, number>} */
    this.index = new Map();
    this.lines = rows.split('/').length;
    rows.split('/').forEach((line, row) => {
      [...line].forEach((sign, col) => {
        if (sign === '_' || sign === ' ') return;
        const name = letters(col) + (row + 1);
        this.index.set(name, this.places.length);
        this.places.push({ row, col, name });
      });
    });
    /** Every jump of the board. @type {Jump[]} */
    this.jumps = [];
    this.places.forEach((place, from) => {
      for (const [down, right] of STEPS[lattice]) {
        const over = this.at(place.row + down, place.col + right);
        const to = this.at(place.row + 2 * down, place.col + 2 * right);
        if (over !== undefined && to !== undefined) this.jumps.push({ from, over, to });
      }
    });
  }

  /** @param {number} row @param {number} col */
  at(row, col) {
    return row < 0 || col < 0 ? undefined : this.index.get(letters(col) + (row + 1));
  }

  /** Where a place is drawn, in distances between neighbours. @param {number} place */
  point(place) {
    const { row, col } = /** @type {Place} */ (this.places[place]);
    return this.lattice === 'square' ? { x: col, y: row } : { x: col - row / 2, y: row * 0.866 };
  }

  /** Pairs of neighbours, each once. @returns {[number, number][]} */
  pairs() {
    /** @type {[number, number][]} */
    const pairs = [];
    this.places.forEach((place, from) => {
      for (const [down, right] of STEPS[this.lattice]) {
        const to = this.at(place.row + down, place.col + right);
        if (to !== undefined && from < to) pairs.push([from, to]);
      }
    });
    return pairs;
  }

  /** The position of a text; the text has the board's shape. @param {string} rows @returns {boolean[]} */
  parse(rows) {
    const lines = rows.split('/');
    return this.places.map(({ row, col }) => lines[row]?.[col] === 'o');
  }

  /** The text of a position. @param {boolean[]} pegs */
  format(pegs) {
    const lines = Array.from({ length: this.lines }, () => '');
    this.places.forEach(({ row, col }, i) => {
      lines[row] = (lines[row] ?? '').padEnd(col, '_') + (pegs[i] ? 'o' : '.');
    });
    const width = this.lattice === 'square' ? Math.max(...lines.map((line) => line.length)) : 0;
    return lines.map((line) => line.padEnd(width, '_')).join('/');
  }

  /** The jumps of a position. @param {boolean[]} pegs */
  possible(pegs) {
    return this.jumps.filter(({ from, over, to }) => pegs[from] && pegs[over] && !pegs[to]);
  }

  /** @param {boolean[]} pegs @param {Jump} jump */
  after(pegs, jump) {
    const next = [...pegs];
    next[jump.from] = next[jump.over] = false;
    next[jump.to] = true;
    return next;
  }

  /** The text of a jump: `d2-d4`. @param {Jump} jump */
  jumpName(jump) {
    return `${this.places[jump.from]?.name}-${this.places[jump.to]?.name}`;
  }

  /** The jump of a text. @param {string} text */
  parseJump(text) {
    return this.jumps.find((jump) => this.jumpName(jump) === text);
  }
}

/**
 * A drawing as readers write it, in the rows of the program: lines or `/` between rows; `o x * 1` and filled circles are
 * pegs, `. 0` and small dots empty holes, blanks and `_` no places.
 * @param {string} text
 * @returns {string | null} null where it holds other signs or no place
 */
export function readDrawing(text) {
  const lines = text.replace(/\r/g, '').split(/[\n/]/).map((line) => line.trimEnd());
  while (lines.length && lines[0] === '') lines.shift();
  while (lines.length && lines.at(-1) === '') lines.pop();
  const rows = lines.join('/').replace(/[x*1●]/gi, 'o').replace(/[0·∘○]/g, '.').replace(/O/g, 'o').replace(/ /g, '_');
  return /^[o._/]+$/.test(rows) && /[o.]/.test(rows) ? rows : null;
}
