/**
 * The engine as an opponent, and the clocks.
 * @module
 */

import { ask, latest } from '../api.js';
import { START } from './fen.js';

/** @typedef {import('./pieces.js').Colour} Colour */

/** The position of the slider at which the strength is not limited. */
export const FULL = 11;

/** The names of the levels, from 1. */
const NAMES = ['beginner', 'novice', 'casual player', 'club player', 'good club player', 'strong club player', 'expert', 'master', 'grandmaster', 'world class'];

/** The rating of a level, as the engine has it. @param {number} level from 1 to 10 */
export function rating(level) {
  return 800 + Math.floor(((level - 1) * 2000) / 9);
}

/** @param {number} level from 1 to FULL */
export function levelText(level) {
  if (level >= FULL) return 'Full strength, no limit';
  return `Level ${level} of 10: ${NAMES[level - 1]}, about ${rating(level)} rating points`;
}

/**
 * @typedef {object} Settings
 * @property {number} level
 * @property {string} strategy empty for the usual one
 * @property {number} threads
 */

export class Opponent {
  #asking = latest();

  /**
   * The engine's move.
   * @param {import('./game.js').Game} game
   * @param {Settings} settings
   * @param {{ left: number, increment: number } | null} clock of the engine, in seconds
   * @returns {Promise<any>} the answer of `chess move`; undefined where it is not wanted any more
   */
  move(game, { level, strategy, threads }, clock) {
    const limited = level < FULL;
    const [fen, moves] = game.reached(game.line.length);
    const request = {
      ...(fen !== START && { fen }),
      moves,
      ...(limited && { level }),
      ...(clock ? { clock: Math.max(0.05, clock.left), increment: clock.increment } : { time: limited ? 2 : 1 }),
      ...(strategy && { strategy }),
    };
    return this.#asking(async (signal) => {
      // An answer in no time at all cannot be followed by the eye.
      const wait = new Promise((resolve) => setTimeout(resolve, 350));
      const [answer] = await Promise.all([ask('chess move', request, signal, threads > 1 ? threads : undefined), wait]);
      return answer;
    });
  }

  /** Stops a search for a move. */
  stop() {
    this.#asking(async () => undefined);
  }
}

/** Two clocks. Seconds run off the clock of the side to move. */
export class Clocks {
  /** @type {Record<Colour, number>} */
  left = { white: 0, black: 0 };
  increment = 0;
  /** Whether there are clocks. */
  on = false;
  /** @type {Colour | null} */
  running = null;
  #since = 0;
  #changed;
  #fallen;

  /**
   * @param {() => void} changed called when the display changes
   * @param {(colour: Colour) => void} fallen called when a side has no time left
   */
  constructor(changed, fallen) {
    this.#changed = changed;
    this.#fallen = fallen;
    setInterval(() => this.running && this.#tick(), 100);
  }

  /** Sets both clocks. @param {string} text seconds and increment, `180+2`, or empty for none */
  reset(text) {
    const [base = 0, increment = 0] = text.split('+').map(Number);
    this.on = base > 0;
    this.left = { white: base, black: base };
    this.increment = increment;
    this.running = null;
    this.#changed();
  }

  /** Starts the clock of a side. @param {Colour} colour */
  start(colour) {
    if (!this.on || this.left[colour] <= 0) return;
    this.stop();
    this.running = colour;
    this.#since = performance.now();
  }

  /** Stops the clock that runs. */
  stop() {
    if (this.running) this.#spend(this.running);
    this.running = null;
  }

  /** Ends the move of a side: its clock stops and gains the increment. @param {Colour} colour */
  press(colour) {
    if (!this.on) return;
    if (this.running === colour) {
      this.stop();
      if (this.left[colour] > 0) this.left[colour] += this.increment;
    }
    this.#changed();
  }

  /** @param {Colour} colour */
  #spend(colour) {
    const now = performance.now();
    this.left[colour] = Math.max(0, this.left[colour] - (now - this.#since) / 1000);
    this.#since = now;
  }

  #tick() {
    const colour = this.running;
    if (!colour) return;
    this.#spend(colour);
    this.#changed();
    if (this.left[colour] > 0) return;
    this.running = null;
    this.#fallen(colour);
  }
}

/** The time of a clock: `4:59`, with tenths in the last twenty seconds. @param {number} seconds */
export function clockText(seconds) {
  if (seconds < 20) return `0:${seconds.toFixed(1).padStart(4, '0')}`;
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
