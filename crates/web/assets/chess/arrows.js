/**
 * Arrows and circles on a board: those of the page (moves of the engine) and those that the reader draws.
 * @module
 */

import { svg } from '../dom.js';
import { squareIndex } from './fen.js';

/**
 * @typedef {object} Arrow
 * @property {number} from a square
 * @property {number} to the same square for a circle
 * @property {string} kind a class: `green`, `red`, `blue`, `best`, `second`, `threat`, `hint`
 * @property {string} [label] short text beside its head
 */

/**
 * The arrow of a move.
 * @param {string} uci
 * @param {string} kind
 * @param {string} [label]
 * @returns {Arrow}
 */
export function moveArrow(uci, kind, label) {
  const arrow = { from: squareIndex(uci), to: squareIndex(uci.slice(2)), kind };
  return label === undefined ? arrow : { ...arrow, label };
}

export class Arrows {
  /** @type {Arrow[]} */
  #page = [];
  /** @type {Arrow[]} */
  #own = [];
  /** @type {Arrow | null} */
  #drawn = null;
  #layer;
  #centre;

  /**
   * @param {SVGGElement} layer
   * @param {(square: number) => [number, number]} centre
   */
  constructor(layer, centre) {
    this.#layer = layer;
    this.#centre = centre;
  }

  /** Shows the arrows of the page in place of those before. @param {Arrow[]} arrows */
  show(arrows) {
    this.#page = arrows;
    this.draw();
  }

  /** Begins an arrow of the reader. @param {number} square @param {string} kind */
  begin(square, kind) {
    this.#drawn = { from: square, to: square, kind };
    this.draw();
  }

  /** @param {number} square */
  follow(square) {
    if (!this.#drawn || square < 0 || square === this.#drawn.to) return;
    this.#drawn.to = square;
    this.draw();
  }

  /** Ends an arrow; a second one like it takes both away. @param {number} square @returns {boolean} whether one was begun */
  end(square) {
    const drawn = this.#drawn;
    if (!drawn) return false;
    this.#drawn = null;
    if (square >= 0) {
      const before = this.#own.findIndex((each) => each.from === drawn.from && each.to === square);
      const same = this.#own[before]?.kind === drawn.kind;
      if (before >= 0) this.#own.splice(before, 1);
      if (!same) this.#own.push({ ...drawn, to: square });
    }
    this.draw();
    return true;
  }

  cancel() {
    this.#drawn = null;
    this.draw();
  }

  /** Takes the arrows of the reader away. */
  clear() {
    if (this.#own.length === 0) return;
    this.#own = [];
    this.draw();
  }

  draw() {
    const all = [...this.#page, ...this.#own, ...(this.#drawn ? [this.#drawn] : [])];
    this.#layer.replaceChildren(...all.flatMap((arrow) => this.#shape(arrow)));
  }

  /** @param {Arrow} arrow */
  #shape({ from, to, kind, label }) {
    const [x, y] = this.#centre(from);
    if (from === to) return [svg('circle', { cx: x, cy: y, r: 44, class: `arrow circle ${kind}` })];
    const [a, b] = this.#centre(to);
    const length = Math.hypot(a - x, b - y);
    const [dx, dy] = [(a - x) / length, (b - y) / length];
    const at = (/** @type {number} */ along, /** @type {number} */ aside) => `${x + dx * along - dy * aside} ${y + dy * along + dx * aside}`;
    const [start, tip] = [28, length - 8];
    const neck = tip - 38;
    const [half, head] = [8, 24];
    const path = `M${at(start, -half)}L${at(neck, -half)}L${at(neck, -head)}L${at(tip, 0)}L${at(neck, head)}L${at(neck, half)}L${at(start, half)}Z`;
    const shape = [svg('path', { d: path, class: `arrow ${kind}` })];
    if (!label) return shape;
    const [lx, ly] = [x + dx * (length / 2), y + dy * (length / 2)];
    const width = 16 + label.length * 15;
    return [...shape,
      svg('g', { class: `arrow-label ${kind}` },
        svg('rect', { x: lx - width / 2, y: ly - 18, width, height: 36, rx: 8 }),
        svg('text', { x: lx, y: ly + 9 }, label))];
  }
}
