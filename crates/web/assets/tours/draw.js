/**
 * Drawing a tour by hand: the possible moves are marked, and the server says whether the line can still be finished.
 * @module
 */

import { ask, explain, latest } from '../api.js';
import { parseTour } from '../boards/squares.js';
import { announce, byId, count, notice, pageKeys } from '../dom.js';
import { closed, holes, neighbours, pieceName, question, sides, state } from './question.js';

/**
 * @typedef {import('../boards/tour-board.js').TourBoard} TourBoard
 * @typedef {import('../boards/tour-board.js').Mark} Mark
 */

export class Drawing {
  /**
   * @param {TourBoard} board
   * @param {() => void} changed called when the line changes
   */
  constructor(board, changed) {
    this.board = board;
    this.changed = changed;
    /** @type {number[]} */
    this.path = [];
    this.judge = latest();
    this.verdict = byId('draw-verdict');
    byId('draw-undo').addEventListener('click', () => this.set(this.path.slice(0, -1)));
    byId('draw-clear').addEventListener('click', () => this.set([]));
    byId('draw-finish').addEventListener('click', () => this.finish());
    pageKeys({ u: () => this.active && this.set(this.path.slice(0, -1)), Backspace: () => this.active && this.set(this.path.slice(0, -1)) });
  }

  get active() {
    return state.values.mode === 'draw';
  }

  /** Shows the line of the address. */
  open() {
    const [rows, cols] = sides();
    const line = state.values.path ? parseTour(state.values.path, rows, cols) : [];
    const fits = line.every((square, i) => square >= 0 && line.indexOf(square) === i && (i === 0 || neighbours(line[i - 1] ?? -1).includes(square)));
    this.board.drag = 'line';
    this.set(fits ? line : [], false);
  }

  /** Number of squares of the board. */
  get squares() {
    const [rows, cols] = sides();
    return rows * cols - holes().length;
  }

  /** The squares that may come next. */
  next() {
    const used = new Set(this.path);
    const last = this.path.at(-1);
    return last === undefined ? [] : neighbours(last).filter((square) => !used.has(square));
  }

  /** A square was chosen: the next one, the last one (which takes it back), or an earlier one (which goes back to it). @param {number} square */
  choose(square) {
    if (holes().includes(square)) return;
    const at = this.path.indexOf(square);
    if (at >= 0) this.set(this.path.slice(0, at === this.path.length - 1 ? at : at + 1));
    else if (this.path.length === 0 || this.next().includes(square)) this.set([...this.path, square]);
    else announce(`${this.board.name(square)} is no ${pieceName()}'s move away`);
  }

  /** A square was met by a drag: only the next one or the last but one. @param {number} square */
  drag(square) {
    if (square === this.path.at(-2)) this.set(this.path.slice(0, -1));
    else if (this.next().includes(square)) this.set([...this.path, square]);
  }

  /**
   * @param {number[]} path
   * @param {boolean} [keep] write it into the address
   */
  set(path, keep = true) {
    this.path = path;
    if (keep) state.set({ path: path.map((square) => this.board.name(square)).join('-') });
    const complete = path.length === this.squares && path.length > 0;
    const last = path.at(-1);
    const returns = complete && last !== undefined && neighbours(last).includes(path[0] ?? -1);
    this.board.setTour(path, complete && returns && closed());
    const used = new Set(path);
    /** @type {Map<number, Mark>} */
    const marks = new Map();
    for (const square of this.next()) {
      const free = neighbours(square).filter((other) => !used.has(other)).length;
      marks.set(square, { kind: 'move', text: String(free), label: `possible, ${count(free, 'free square')} from there` });
    }
    this.board.setMarks(marks);
    this.board.setNumbers(path.length > 0 && this.squares <= 144);
    byId('draw-text').textContent = path.length === 0
      ? 'Choose a square to begin.'
      : `${path.length} of ${count(this.squares, 'square')}${complete ? '.' : `, now on ${this.board.name(last ?? 0)}.`}`;
    this.changed();
    if (complete) this.end(returns);
    else this.ask();
  }

  /** @param {boolean} returns whether the last square is a move from the first */
  end(returns) {
    this.judge(async () => undefined);
    if (!closed() || returns) notice(this.verdict, 'good', `A complete ${returns ? 'closed ' : ''}tour of all ${this.squares} squares.`);
    else notice(this.verdict, 'bad', 'Every square is visited, but the last is no move from the first: this is an open tour.');
  }

  /** The request about the line so far. */
  request() {
    const { closed: isClosed, ...rest } = question();
    return { ...rest, closed: isClosed, path: this.path.map((square) => this.board.name(square)).join('-') };
  }

  async ask() {
    if (this.path.length === 0) {
      this.judge(async () => undefined);
      notice(this.verdict, 'info', '');
      return;
    }
    const wait = setTimeout(() => notice(this.verdict, 'busy', 'Can it still be finished?'), 400);
    try {
      const answer = await this.judge((signal) => ask('tours complete', this.request(), signal));
      if (answer) this.tell(answer);
    } catch (error) {
      notice(this.verdict, 'info', explain(error));
    } finally {
      clearTimeout(wait);
    }
  }

  /** @param {any} answer of `tours complete` */
  tell(answer) {
    if (answer.possible === 'yes') notice(this.verdict, 'good', 'It can still be finished.');
    else if (answer.possible === 'no') notice(this.verdict, 'bad', `It cannot be finished any more${answer.reason ? `: ${answer.reason}` : ''}.`);
    else notice(this.verdict, 'info', 'Whether it can be finished was not decided in the time allowed.');
  }

  async finish() {
    if (this.path.length === 0) {
      announce('choose a square first');
      return;
    }
    const [rows, cols] = sides();
    notice(this.verdict, 'busy', 'Looking for the rest of the tour');
    try {
      const answer = await this.judge((signal) => ask('tours complete', this.request(), signal));
      if (answer?.tour) this.set(parseTour(answer.tour, rows, cols));
      else if (answer) this.tell(answer);
    } catch (error) {
      notice(this.verdict, 'bad', explain(error));
    }
  }
}
