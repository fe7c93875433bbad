/**
 * The front page: a closed tour of the chess board draws itself.
 * @module
 */

import { parseTour } from './boards/squares.js';
import { TourBoard } from './boards/tour-board.js';
import { byId, reducedMotion } from './dom.js';

/** Seconds for one tour, and for its rest when it is complete. */
const DRAW = 14;
const REST = 4;

/** A closed tour that looks the same after a half turn. */
const TOUR =
  'a1-c2-e1-g2-e3-c4-a3-b1-d2-f1-h2-g4-e5-d3-b2-d1-f2-h1-g3-e4-c3-a4-c5-d7-f8-h7-g5-h3-g1-f3-h4-g6-' +
  'h8-f7-d8-b7-d6-f5-h6-g8-e7-c8-a7-b5-d4-e6-g7-e8-c7-a8-b6-d5-f6-h5-f4-e2-c1-a2-b4-a6-b8-c6-a5-b3';

const board = byId('hero', TourBoard);
board.small = true;
board.setAttribute('label', 'a closed knight\'s tour of the chess board');
board.setBoard(8, 8);
board.setTour(parseTour(TOUR, 8, 8), true);

if (!reducedMotion()) {
  let began = performance.now();
  const frame = (/** @type {number} */ now) => {
    const seconds = (now - began) / 1000;
    if (seconds > DRAW + REST) began = now;
    board.show((Math.min(seconds, DRAW) / DRAW) * board.moves);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}
