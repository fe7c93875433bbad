/**
 * The pieces, drawn as SVG paths in a box of 100 by 100.
 *
 * Outlines that are symmetric are given by their right half, from the top centre to the bottom centre; the left half is its mirror image.
 * @module
 */

import { svg } from '../dom.js';

/** @typedef {'p' | 'n' | 'b' | 'r' | 'q' | 'k'} Role */
/** @typedef {'white' | 'black'} Colour */
/** @typedef {{colour: Colour, role: Role}} Piece */

/**
 * Closes a right half into a symmetric outline about x = 50.
 *
 * @param {string} start The first point, "50 20".
 * @param {string[]} steps Absolute steps, "L x y" or "C x y x y x y".
 * @returns {string} The path of the whole outline.
 */
function symmetric(start, ...steps) {
  /** @param {number[]} p */
  const mirror = (p) => `${100 - (p[0] ?? 0)} ${p[1]}`;
  let at = start.split(' ').map(Number);
  let back = '';
  for (const step of steps) {
    const numbers = step.slice(1).trim().split(/\s+/).map(Number);
    const points = [];
    for (let i = 0; i < numbers.length; i += 2) points.push(numbers.slice(i, i + 2));
    const end = points.pop() ?? at;
    back = (points.length ? `C${points.reverse().map(mirror).join(' ')} ${mirror(at)}` : `L${mirror(at)}`) + back;
    at = end;
  }
  return `M${start}${steps.join('')}L${mirror(at)}${back}Z`;
}

/** The foot that pawn, bishop, queen and king share, from its right upper corner. */
const FOOT = ['L 76 86', 'C 76 88.5 75 89 73 89', 'L 50 89'];

/**
 * Outlines (`body`), and lines inside them (`lines`), drawn in the second colour of the piece.
 *
 * @type {Record<Role, {body: string[], lines: string[]}>}
 */
const SHAPES = {
  p: {
    body: [
      symmetric('50 22', 'C 58 22 64 28 64 35.5', 'C 64 40 61.8 43.8 58.5 46', 'L 64.5 46', 'C 66.5 46 67.4 48 66.2 49.6', 'L 64 52.5', 'L 58.5 52.5',
        'C 59.2 61 62.5 67 69 71.5', 'C 74 75 76 78.5 76 83', ...FOOT),
    ],
    lines: ['M31 79.5H69'],
  },
  r: {
    body: [
      symmetric('50 18', 'L 56 18', 'L 56 26', 'L 64 26', 'L 64 18', 'L 75 18', 'L 75 33', 'C 75 35.5 74 37.5 72 39', 'L 66.5 43.5', 'L 68.5 68',
        'L 75 73.5', 'C 77.2 75.3 78.5 77.5 78.5 80.5', 'L 78.5 86', 'C 78.5 88.3 77.5 89 75.5 89', 'L 50 89'),
    ],
    lines: ['M34.5 43.5H65.5', 'M32.5 68.5H67.5'],
  },
  b: {
    body: [
      symmetric('50 9', 'C 54 9 56.5 11.6 56.5 15', 'C 56.5 17.5 55.4 19.3 53.6 20.6', 'C 63 27.5 70 37 70 47.5', 'C 70 54 67.2 59.5 63 63', 'L 65 70',
        'C 70.5 72.5 76 75.5 76 82.5', ...FOOT),
    ],
    lines: ['M37 63.5H63', 'M34.5 71H65.5', 'M50 33V51', 'M42 42H58'],
  },
  q: {
    body: [
      symmetric('50 11', 'C 53.6 11 56 13.5 56 16.6', 'C 56 18.8 54.9 20.6 53.2 21.6', 'L 59 44', 'L 67.2 25.4', 'C 65.6 24.3 64.8 22.7 64.8 20.9', 'C 64.8 17.8 67.3 15.4 70.4 15.4',
        'C 73.5 15.4 76 17.8 76 20.9', 'C 76 23.7 74 26 71.3 26.4', 'L 72.5 47.5', 'L 83.4 35.6', 'C 82.6 34.7 82.2 33.6 82.2 32.3', 'C 82.2 29.3 84.6 26.9 87.6 26.9',
        'C 90.6 26.9 93 29.3 93 32.3', 'C 93 35.4 90.5 37.9 87.4 37.8', 'L 77.2 62', 'C 75.4 66.4 73.4 68.5 73.4 72', 'C 75.6 75 76 78 76 82', ...FOOT),
    ],
    lines: ['M26 63.5C42 59.5 58 59.5 74 63.5', 'M27.5 72C42 68.5 58 68.5 72.5 72'],
  },
  k: {
    body: [
      symmetric('50 6', 'L 53.6 6', 'L 53.6 12', 'L 60 12', 'L 60 19', 'L 53.6 19', 'L 53.6 27.4', 'C 57.4 28.8 59.7 32 60.4 36', 'C 70 30.5 88 33.4 88 48.5', 'C 88 59 77.5 63.5 74.5 72',
        'C 75.8 75 76 78 76 82', ...FOOT),
    ],
    lines: ['M26.5 72C42 68.5 58 68.5 73.5 72', 'M29.5 63.5C42 60.5 58 60.5 70.5 63.5', 'M50 45V61', 'M60.4 36C59.6 43 54.5 45.5 50 51C45.5 45.5 40.4 43 39.6 36'],
  },
  n: {
    body: [
      'M27 89C25 89 24 88.3 24 86V83C24 77.5 27 74 31.5 71C33 61.5 45 57.5 48.5 48C43.5 52 39.5 53 35.5 53.4C33.2 57.2 28.6 61 24.6 59.6C18.8 57.6 15.8 52 18.2 47.4C21.4 41.6 25.4 38.6 26.8 33C27.8 28.8 30.6 24.8 34.6 22L34.2 13.6C34.1 11.4 36.6 10.4 38.2 11.9L45 18.4C66 18.4 80.5 36 79.6 60C79.4 65 78.6 68.4 77.6 71.6C79.8 74.6 80.6 78 80.6 82V86C80.6 88.3 79.6 89 77.6 89Z',
    ],
    lines: ['M33 71.5H76', 'M30.5 36.5C31.2 34.4 32.8 33 35 32.6', 'M22.6 50.4C23.4 49.6 24.2 49.2 25.4 49', 'M57 27C66.5 34 70.5 45 69.5 60'],
  },
};

/**
 * Draws a piece in a box of 100 by 100 with its upper left corner at the origin.
 *
 * @param {Piece} piece
 */
export function drawPiece(piece) {
  const { body, lines } = SHAPES[piece.role];
  return svg('g', { class: `piece ${piece.colour} ${piece.role}` },
    body.map((d) => svg('path', { d, class: 'piece-body' })),
    lines.map((d) => svg('path', { d, class: 'piece-line' })));
}

/**
 * A picture of one piece by itself, hidden from screen readers: whoever shows it gives it a name.
 *
 * @param {Piece} piece
 */
export function pieceIcon(piece) {
  return svg('svg', { viewBox: '0 0 100 100', class: 'piece-icon', 'aria-hidden': 'true' }, drawPiece(piece));
}
