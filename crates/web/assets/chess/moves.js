/**
 * The list of the moves of a game, with its variations and comments.
 * @module
 */

import { html, replace } from '../dom.js';

/**
 * @typedef {{ sign: string, text: string }} Judgement of a move: `?`, `mistake`
 * @typedef {import('./game.js').Place} Place
 */

/** Signs of numeric annotation glyphs. @type {Record<number, string>} */
const SIGNS = { 1: '!', 2: '?', 3: '!!', 4: '??', 5: '!?', 6: '?!', 7: '□', 10: '=', 13: '∞', 14: '⩲', 15: '⩱', 16: '±', 17: '∓', 18: '+−', 19: '−+', 22: '⨀', 146: 'N' };

/** The number of a move and whether White made it, by the position after it. @param {Place} place @returns {[number, boolean]} */
function numberOf({ fen }) {
  const [, turn, , , , number] = fen.split(' ');
  return turn === 'b' ? [Number(number), true] : [Number(number) - 1, false];
}

/** Comments without commands such as `[%clk 0:01:00]`. @param {string[]} comments */
function remarks(comments) {
  const texts = comments.map((text) => text.replace(/\[%[^\]]*\]/g, '').trim());
  return texts.filter(Boolean).map((text) => html('span', { class: 'comment' }, ` ${text} `));
}

/**
 * Shows the main line as numbered pairs, and below a move its comments and the variations of it; the move that is shown is marked and visible.
 * @param {HTMLElement} list
 * @param {import('./game.js').Game} game
 * @param {(place: Place) => void} choose
 * @param {Map<number, Judgement>} [judged] by the number of the move in the line that is shown, from 1
 */
export function showMoves(list, game, choose, judged = new Map()) {
  const button = (/** @type {Place} */ place) => {
    const judgement = judged.get(game.line.indexOf(place) + 1);
    const sign = judgement?.sign ?? place.nags.map((nag) => SIGNS[nag] ?? `$${nag}`).join(' ');
    return html('button', {
      type: 'button',
      'aria-current': place === game.here ? 'step' : null,
      class: judgement ? 'judged' : null,
      title: judgement?.text,
      onclick: () => choose(place),
    }, place.san, sign !== '' && html('b', { 'aria-label': judgement?.text }, sign));
  };

  /** A variation: a move and all that follows it. @param {Place} first @returns {HTMLElement} */
  const variation = (first) => {
    /** @type {import('../dom.js').Child[]} */
    const parts = [];
    let numbered = true;
    for (let place = /** @type {Place | undefined} */ (first); place; [place] = place.next) {
      const [number, white] = numberOf(place);
      const others = place === first ? [] : (place.parent?.next.slice(1) ?? []);
      parts.push(
        ...remarks(place.before),
        (white || numbered) && html('span', { class: 'move-number' }, `${number}${white ? '.' : '…'}`),
        button(place),
        ...remarks(place.comments),
        ...others.map(variation),
      );
      numbered = others.length + place.comments.length > 0;
    }
    return html('span', { class: 'variation' }, ...parts);
  };

  const rows = [];
  const aside = (/** @type {Node[]} */ parts) => parts.length > 0 && rows.push(html('li', { class: 'aside' }, parts));
  const gap = () => html('span', { class: 'no-move' }, '…');
  aside(remarks(game.root.comments));
  let row = null;
  for (let { root: place } = game; place.next[0]; [place] = /** @type {[Place]} */ (place.next)) {
    const [move, ...others] = /** @type {[Place, ...Place[]]} */ (place.next);
    const [number, white] = numberOf(move);
    if (white || !row) rows.push((row = html('li', {}, html('span', { class: 'move-number' }, `${number}.`), !white && gap())));
    row.append(button(move));
    const below = [...remarks(move.comments), ...others.map(variation)];
    if (!below.length && white && move.next[0]) continue;
    if (white) row.append(move.next[0] ? gap() : html('span', { class: 'no-move' }));
    row = null;
    aside(below);
  }
  replace(list, rows);
  const current = list.querySelector('[aria-current]');
  if (current instanceof HTMLElement) list.scrollTop = current.offsetTop - list.clientHeight / 2;
  else list.scrollTop = 0;
}
