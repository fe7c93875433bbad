/**
 * A game of peg solitaire: a start, the jumps made, and how many of them are shown (undo and redo).
 * @module
 */

import { Places } from '../boards/peg-places.js';

/**
 * @typedef {import('../boards/peg-places.js').Jump} Jump
 * @typedef {import('../boards/peg-places.js').Lattice} Lattice
 */

export class Game {
  /**
   * @param {Places} places
   * @param {boolean[]} start
   */
  constructor(places, start) {
    this.places = places;
    this.start = start;
    /** @type {Jump[]} */
    this.jumps = [];
    /** Number of jumps that are shown. */
    this.at = 0;
  }

  /** The position that is shown. */
  get pegs() {
    return this.jumps.slice(0, this.at).reduce((pegs, jump) => this.places.after(pegs, jump), this.start);
  }

  /** Makes a jump from the position that is shown; jumps behind it are forgotten. @param {Jump} jump */
  make(jump) {
    this.jumps = [...this.jumps.slice(0, this.at), jump];
    this.at += 1;
  }

  /** @param {number} at */
  go(at) {
    this.at = Math.max(0, Math.min(at, this.jumps.length));
  }

  /** The jumps up to the position that is shown: `d2-d4 b3-d3`. */
  text() {
    return this.jumps.slice(0, this.at).map((jump) => this.places.jumpName(jump)).join(' ');
  }

  /**
   * Takes jumps from a text in which `d2-d4-f4` is two jumps of one peg.
   * @param {string} text
   * @returns {string | null} the first that is not possible
   */
  load(text) {
    this.jumps = [];
    let pegs = this.start;
    for (const move of text.split(/[\s,]+/).filter(Boolean)) {
      const names = move.toLowerCase().split('-');
      for (let i = 1; i < names.length; i += 1) {
        const jump = this.places.parseJump(`${names[i - 1]}-${names[i]}`);
        const possible = jump && this.places.possible(pegs).includes(jump);
        if (!jump || !possible) {
          this.at = this.jumps.length;
          return move;
        }
        this.jumps.push(jump);
        pegs = this.places.after(pegs, jump);
      }
      if (names.length < 2) return move;
    }
    this.at = this.jumps.length;
    return null;
  }
}
