/**
 * The evaluation of a game as a graph over its moves.
 * @module
 */

import { svg } from '../dom.js';
import { scoreInWords, share } from './score.js';

/** @typedef {import('./score.js').Score} Score */

const [WIDTH, HEIGHT] = [640, 130];

/**
 * Draws the graph: White's share above, Black's below; a point is chosen by a click.
 * @param {Element} place
 * @param {(Score | undefined)[]} scores after 0, 1, 2, ... moves; undefined where not known yet
 * @param {number} at the number of moves made in the position that is shown
 * @param {(at: number) => void} choose
 */
export function drawGraph(place, scores, at, choose) {
  const x = (/** @type {number} */ i) => (scores.length < 2 ? 0 : (i / (scores.length - 1)) * WIDTH);
  const y = (/** @type {Score} */ score) => HEIGHT - share(score) * HEIGHT;
  const known = scores.flatMap((score, i) => (score ? [{ i, score }] : []));
  const line = known.map(({ i, score }, n) => `${n ? 'L' : 'M'}${x(i).toFixed(1)} ${y(score).toFixed(1)}`).join('');
  const [first, last] = [known[0], known[known.length - 1]];
  const area = first && last ? `${line}L${x(last.i).toFixed(1)} ${HEIGHT}L${x(first.i).toFixed(1)} ${HEIGHT}Z` : '';
  const here = scores[at];
  const picture = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': `Evaluation after each move${here ? `; here ${scoreInWords(here)}` : ''}` },
    svg('rect', { width: WIDTH, height: HEIGHT, class: 'graph-ground' }),
    svg('path', { d: area, class: 'graph-area' }),
    svg('path', { d: `M0 ${HEIGHT / 2}H${WIDTH}`, class: 'graph-zero' }),
    svg('path', { d: line, class: 'graph-line' }),
    svg('path', { d: `M${x(at)} 0V${HEIGHT}`, class: 'graph-here' }),
    here && svg('circle', { cx: x(at), cy: y(here), r: 6, class: 'graph-point' }));
  picture.addEventListener('click', (event) => {
    const box = picture.getBoundingClientRect();
    choose(Math.round(((event.clientX - box.left) / box.width) * (scores.length - 1)));
  });
  place.replaceChildren(picture);
}

/**
 * Moves that lost much: the sign, and how White's share changed, by the number of the move from 1.
 * @param {(Score | undefined)[]} scores after 0, 1, 2, ... moves
 * @param {boolean} blackBegins
 * @returns {Map<number, import('./moves.js').Judgement>}
 */
export function judge(scores, blackBegins) {
  const judged = new Map();
  for (let i = 1; i < scores.length; i += 1) {
    const [before, after] = [scores[i - 1], scores[i]];
    if (!before || !after) continue;
    const whiteMoved = (i % 2 === 1) !== blackBegins;
    const lost = (share(before) - share(after)) * (whiteMoved ? 1 : -1);
    if (lost >= 0.3) judged.set(i, { sign: '??', text: 'blunder' });
    else if (lost >= 0.18) judged.set(i, { sign: '?', text: 'mistake' });
    else if (lost >= 0.1) judged.set(i, { sign: '?!', text: 'inaccuracy' });
  }
  return judged;
}
