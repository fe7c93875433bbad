/**
 * The statistics of an ending: shares of wins, draws and losses, distances, longest wins, mutual zugzwangs.
 * @module
 */

import { count, html, number, svg } from '../dom.js';
import { diagram } from './board.js';
import { parseFen } from './fen.js';

/**
 * @typedef {object} SideCounts
 * @property {number} legal
 * @property {number} wins
 * @property {number} [cursed_wins]
 * @property {number} draws
 * @property {number} [blessed_losses]
 * @property {number} losses
 * @property {number} max_win_plies
 * @property {number} max_loss_plies
 *
 * @typedef {{ wins_by_plies: Record<string, number>, losses_by_plies: Record<string, number> }} Histogram
 *
 * @typedef {object} StatsAnswer
 * @property {string} material
 * @property {'dtm' | 'dtz'} metric
 * @property {SideCounts} white_to_move
 * @property {SideCounts} black_to_move
 * @property {Histogram} white_histogram
 * @property {Histogram} black_histogram
 * @property {string[]} longest_wins
 * @property {number} mutual_zugzwangs
 * @property {string[]} zugzwang_examples
 */

/**
 * The statistics for readers.
 * @param {StatsAnswer} answer
 * @param {(fen: string) => void} open called with a position that was chosen
 * @returns {HTMLElement[]}
 */
export function showStats(answer, open) {
  const unit = answer.metric === 'dtm' ? 'to mate' : 'to a capture, pawn move or mate';
  const { white_to_move: white, black_to_move: black } = answer;
  const longest = Math.max(white.max_win_plies, black.max_win_plies);
  return [
    html('h3', {}, answer.material),
    side('White to move', white),
    side('Black to move', black),
    longest > 0 && html('div', {}, html('h3', {}, `Wins of White by distance, in plies ${unit}`), histogram(answer.white_histogram.wins_by_plies)),
    answer.longest_wins.length > 0 && html('div', {}, html('h3', {}, `The longest wins: ${count(longest, 'ply', 'plies')} ${unit}`), positions(answer.longest_wins, open)),
    html('div', {},
      html('h3', {}, `Mutual zugzwangs: ${number(answer.mutual_zugzwangs)}`),
      html('p', { class: 'small muted' }, 'Positions, counted up to symmetry, in which either side would rather not move.'),
      positions(answer.zugzwang_examples, open)),
  ].filter((part) => part instanceof HTMLElement);
}

/** @param {string} title @param {SideCounts} counts */
function side(title, counts) {
  const parts = /** @type {[string, string, number][]} */ ([
    ['win', 'wins', counts.wins],
    ['draw', 'wins, but drawn by the fifty-move rule', counts.cursed_wins ?? 0],
    ['draw', 'draws', counts.draws],
    ['draw', 'losses, but drawn by the fifty-move rule', counts.blessed_losses ?? 0],
    ['loss', 'losses', counts.losses],
  ]).filter(([, , n]) => n > 0);
  let x = 0;
  const bars = parts.map(([kind, , n]) => {
    const width = (n / counts.legal) * 600;
    x += width;
    return svg('rect', { x: x - width, y: 0, width, height: 22, class: `bar-${kind}` });
  });
  return html('div', {},
    html('h4', {}, title),
    svg('svg', { viewBox: '0 0 600 22', class: 'share-bar', 'aria-hidden': 'true' }, bars),
    html('dl', { class: 'facts' }, parts.flatMap(([kind, name, n]) => [
      html('dt', {}, html('span', { class: `key-${kind}`, 'aria-hidden': 'true' }), name),
      html('dd', {}, `${number(n)} (${((100 * n) / counts.legal).toFixed(1)} %)`)]),
      html('dt', {}, 'legal positions'), html('dd', {}, number(counts.legal))));
}

/** @param {Record<string, number>} byPlies */
function histogram(byPlies) {
  const entries = Object.entries(byPlies).map(([plies, n]) => [Number(plies), n]);
  const most = Math.max(...entries.map(([, n]) => n ?? 0), 1);
  const last = Math.max(...entries.map(([plies]) => plies ?? 0), 1);
  const step = 600 / (last + 1);
  const bars = entries.map(([plies = 0, n = 0]) => {
    const height = Math.max(1, (n / most) * 110);
    return svg('rect', { x: plies * step - step * 0.9, y: 115 - height, width: Math.max(1.5, step * 1.7), height, class: 'bar-win' }, svg('title', {}, `${plies} plies: ${number(n)} positions`));
  });
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => Math.round(part * last));
  return svg('svg', { viewBox: '0 0 600 138', class: 'histogram', role: 'img', 'aria-label': `Wins by distance, up to ${last} plies; the most, ${number(most)}, at ${entries.find(([, n]) => n === most)?.[0]} plies` },
    bars, svg('path', { d: 'M0 115.5H600', class: 'axis' }),
    [...new Set(ticks)].map((tick) => svg('text', { x: Math.min(590, Math.max(6, tick * step)), y: 133 }, String(tick))));
}

/** @param {string[]} fens @param {(fen: string) => void} open */
function positions(fens, open) {
  return html('ul', { class: 'diagrams' }, fens.map((fen) => {
    const turn = parseFen(fen)?.turn === 'black' ? 'Black to move' : 'White to move';
    return html('li', {}, html('button', { type: 'button', class: 'diagram-button', onclick: () => open(fen) }, diagram(fen, `position ${fen.split(' ')[0]}`), html('span', {}, turn)));
  }));
}
