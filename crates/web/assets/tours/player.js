/**
 * Steps through the line of a `<tour-board>`: buttons, slider, speed and animation.
 * @module
 */

import { byId, reducedMotion } from '../dom.js';

const PLAY = 'M8 5l11 7-11 7z';
const PAUSE = 'M8 5h3v14H8zM14 5h3v14h-3z';

/** The player of the page's board; its controls are found by their ids. */
export class Player {
  /** @param {import('../boards/tour-board.js').TourBoard} board */
  constructor(board) {
    this.board = board;
    this.playing = false;
    this.slider = byId('step', HTMLInputElement);
    this.speed = byId('speed', HTMLSelectElement);
    this.text = byId('step-text', HTMLOutputElement);
    this.button = byId('play', HTMLButtonElement);
    this.shape = byId('play-shape', SVGPathElement);
    this.slider.addEventListener('input', () => this.go(Number(this.slider.value)));
    this.button.addEventListener('click', () => this.toggle());
    byId('first').addEventListener('click', () => this.go(0));
    byId('back').addEventListener('click', () => this.step(-1));
    byId('forward').addEventListener('click', () => this.step(1));
  }

  /** Takes the board's line, at its start or its end. @param {'start' | 'end'} [at] */
  load(at = 'end') {
    this.slider.max = String(this.board.moves);
    this.go(at === 'start' ? 0 : this.board.moves);
  }

  /** Shows the line up to a move and stops. @param {number} move */
  go(move) {
    this.pause();
    this.board.show(move);
    this.update();
  }

  /** @param {1 | -1} by */
  step(by) {
    const { shown } = this.board;
    this.go(by > 0 ? Math.floor(shown + 1e-9) + 1 : Math.ceil(shown - 1e-9) - 1);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  /** Plays from the current move, or from the start where the end is reached. */
  play() {
    const { board } = this;
    if (board.moves === 0) return;
    if (board.shown >= board.moves) board.show(0);
    this.playing = true;
    this.draw();
    let last = performance.now();
    let place = board.shown;
    const frame = (/** @type {number} */ now) => {
      if (!this.playing) return;
      // Normal speed: twelve seconds for a tour, but at least seven moves a second.
      const perSecond = Math.max(7, board.moves / 12) * Number(this.speed.value);
      place += (Math.min(now - last, 100) / 1000) * perSecond;
      last = now;
      board.show(reducedMotion() ? Math.floor(place) : place);
      this.update();
      if (place >= board.moves) this.pause();
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  pause() {
    this.playing = false;
    this.draw();
  }

  draw() {
    this.button.setAttribute('aria-label', this.playing ? 'Pause' : 'Play');
    this.shape.setAttribute('d', this.playing ? PAUSE : PLAY);
  }

  update() {
    const { board } = this;
    const move = Math.floor(board.shown + 1e-9);
    this.slider.value = String(move);
    const square = board.order.length ? board.name(board.order[move % board.order.length] ?? 0) : '';
    this.text.textContent = board.moves ? `${move} / ${board.moves}` : '';
    this.slider.setAttribute('aria-valuetext', `move ${move} of ${board.moves}, ${square}`);
  }
}
