/**
 * The engine's lines for the position that is shown, live, and the evaluation of a whole game.
 * @module
 */

import { ApiError, ask, explain, job, latest } from '../api.js';
import { delayed, duration, html, number, replace } from '../dom.js';
import { START } from './fen.js';
import { scoreInWords, scoreText } from './score.js';

/**
 * @typedef {object} EngineLine
 * @property {string} san the moves, numbered
 * @property {string[]} uci
 * @property {number | null} centipawns for White
 * @property {number | null} mate moves, positive if White mates
 *
 * @typedef {object} Update
 * @property {number} depth
 * @property {number} seconds
 * @property {number} nodes
 * @property {EngineLine[]} lines
 */

/** Seconds of a search, after which the position is left alone. */
const SECONDS = 30;

export class Analysis {
  /** @type {AbortController | null} */
  #stop = null;
  #fen = '';
  #places;
  #updated;
  #play;
  /** The last update for the position. @type {Update | null} */
  update = null;

  /**
   * @param {{ lines: HTMLElement, depth: HTMLElement }} places
   * @param {(update: Update | null, fen: string) => void} updated
   * @param {(moves: string[]) => void} play called with the moves up to one that was clicked
   */
  constructor(places, updated, play) {
    this.#places = places;
    this.#updated = updated;
    this.#play = play;
  }

  #begin = delayed((/** @type {string} */ fen, /** @type {number} */ lines, /** @type {number} */ threads) => this.#search(fen, lines, threads), 120);

  /**
   * Searches a position in place of the one before.
   * @param {string} fen
   * @param {number} lines
   * @param {number} threads
   */
  start(fen, lines, threads) {
    this.stop();
    this.#fen = fen;
    this.update = null;
    this.#places.depth.textContent = 'Searching …';
    this.#begin(fen, lines, threads);
  }

  /** Ends the search. */
  stop() {
    this.#fen = '';
    this.#stop?.abort();
    this.#stop = null;
  }

  /** Ends the search and empties its display. @param {string} text in place of the depth */
  clear(text) {
    this.stop();
    this.update = null;
    replace(this.#places.lines);
    this.#places.depth.textContent = text;
    this.#updated(null, '');
  }

  /** @param {string} fen @param {number} lines @param {number} threads */
  async #search(fen, lines, threads) {
    if (fen !== this.#fen) return;
    const stop = new AbortController();
    this.#stop = stop;
    try {
      await job('analyse', { fen, lines, time: SECONDS }, {
        signal: stop.signal,
        ...(threads > 1 && { threads }),
        progress: (progress) => {
          const waits = fen === this.#fen && !this.update && 'state' in progress && progress.state === 'waiting';
          if (waits) this.#places.depth.textContent = 'The server is busy; the search waits for its turn …';
        },
        line: (update) => fen === this.#fen && !stop.signal.aborted && this.#show(update, fen),
      });
      if (fen === this.#fen && this.update) this.#places.depth.textContent = `Depth ${this.update.depth}, ${number(this.update.nodes)} positions: done`;
    } catch (error) {
      const wanted = fen === this.#fen && !stop.signal.aborted && !(error instanceof ApiError && error.kind === 'stopped');
      if (wanted) this.#places.depth.textContent = explain(error);
    }
  }

  /** @param {Update} update @param {string} fen */
  #show(update, fen) {
    if (!update.lines?.length) return;
    this.update = update;
    const { depth, nodes, seconds, lines } = update;
    this.#places.depth.textContent = `Depth ${depth}, ${number(nodes)} positions, ${duration(seconds)}`;
    const focus = document.activeElement instanceof HTMLElement && this.#places.lines.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    replace(this.#places.lines, lines.map((line, i) => this.#row(line, i)));
    if (focus) /** @type {HTMLElement | null} */ (this.#places.lines.querySelector(`[data-key="${focus}"]`))?.focus();
    this.#updated(update, fen);
  }

  /** @param {EngineLine} line @param {number} i */
  #row(line, i) {
    let ply = 0;
    const words = line.san.replace(/(\d\.+)(?=\S)/g, '$1 ').replace(/(\.) (?=\.)/g, '$1').split(' ').map((word) => {
      if (/^\d+\.+$/.test(word)) return html('span', { class: 'muted' }, `${word} `);
      ply += 1;
      const moves = line.uci.slice(0, ply);
      return html('button', { type: 'button', class: 'line-move', 'data-key': `${i}-${ply}`, tabindex: ply === 1 ? 0 : -1, onclick: () => this.#play(moves) }, word);
    });
    const lead = (line.mate ?? line.centipawns ?? 0) >= 0 ? 'white' : 'black';
    return html('li', {}, html('span', { class: `score ${lead}`, title: scoreInWords(line) }, scoreText(line)), html('span', { class: 'line-moves' }, words.slice(0, 30)));
  }
}

/** Scores of the positions of a game, found one after the other. */
export class Review {
  #asking = latest();

  /**
   * @param {import('./game.js').Game} game
   * @param {(scores: (import('./score.js').Score | undefined)[]) => void} progress called after each position
   * @returns {Promise<boolean>} false where it was stopped
   */
  async run(game, progress) {
    const { line } = game;
    /** @type {(import('./score.js').Score | undefined)[]} */
    const scores = new Array(line.length + 1).fill(undefined);
    const done = await this.#asking(async (signal) => {
      for (let i = 0; i <= line.length && !signal.aborted; i += 1) {
        const [fen, played] = game.reached(i, line);
        const request = { ...(fen !== START && { fen }), moves: played, nodes: 40000 };
        const { centipawns, mate, outcome } = await ask('chess move', request, signal);
        if (centipawns === null && mate === null) scores[i] = outcome?.winner ? { mate: outcome.winner === 'white' ? 1 : -1 } : { centipawns: 0 };
        else scores[i] = { centipawns, mate };
        progress(scores);
      }
      return true;
    });
    return done === true;
  }

  stop() {
    this.#asking(async () => undefined);
  }
}
