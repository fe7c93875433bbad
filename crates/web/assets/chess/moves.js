/**
 * The list of the moves of a game.
 * @module
 */

import { html, replace } from '../dom.js';
import { parseFen } from './fen.js';

/** @typedef {{ sign: string, text: string }} Judgement of a move: `?`, `mistake` */

/**
 * Shows the moves as numbered pairs; the one that is shown is marked and visible.
 * @param {HTMLElement} place
 * @param {import('./game.js').Game} game
 * @param {(at: number) => void} choose called with the number of moves made
 * @param {Map<number, Judgement>} [judged] by the number of the move, from 1
 */
export function showMoves(place, game, choose, judged = new Map()) {
  const setup = parseFen(game.start);
  const blackBegins = setup?.turn === 'black';
  const first = setup?.number ?? 1;
  const item = (/** @type {number} */ ply) => {
    const move = game.history[ply];
    if (!move) return html('span', { class: 'no-move' });
    const judgement = judged.get(ply + 1);
    return html('button', {
      type: 'button',
      'aria-current': ply + 1 === game.at ? 'step' : null,
      class: judgement ? 'judged' : null,
      title: judgement?.text,
      onclick: () => choose(ply + 1),
    }, move.san, judgement && html('b', { 'aria-label': judgement.text }, judgement.sign));
  };
  const rows = [];
  const offset = blackBegins ? 1 : 0;
  for (let ply = -offset; ply < game.history.length; ply += 2) {
    const number = first + (ply + offset) / 2;
    rows.push(html('li', {}, html('span', { class: 'move-number' }, `${number}.`), ply < 0 ? html('span', { class: 'no-move' }, '…') : item(ply), item(ply + 1)));
  }
  replace(place, rows);
  const current = place.querySelector('[aria-current]');
  if (current instanceof HTMLElement) place.scrollTop = current.offsetTop - place.clientHeight / 2;
  else place.scrollTop = 0;
}
