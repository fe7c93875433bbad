/**
 * Counting all tours of a board, with its progress.
 * @module
 */

import { explain, job, wasStopped } from '../api.js';
import { byId, duration, html, number, replace, svg } from '../dom.js';
import { closed, question } from './question.js';

/**
 * @typedef {import('../boards/tour-board.js').TourBoard} TourBoard
 * @typedef {import('../boards/tour-board.js').Mark} Mark
 */

/** Why counts are made the way they are, for readers. */
const METHODS = /** @type {Record<string, string>} */ ({
  search: 'by a search of all possibilities',
  frontier: 'along a frontier, without listing a single tour',
  columns: 'by one transfer for all columns, without listing a single tour',
  theory: 'by a theorem, without a search',
});

/**
 * @param {TourBoard} board
 * @param {() => void} shown called when the board shows counts in place of a tour
 */
export function counting(board, shown) {
  const start = byId('count', HTMLButtonElement);
  const stop = byId('count-stop', HTMLButtonElement);
  const byStart = byId('by-start', HTMLInputElement);
  const progress = byId('count-progress');
  const answerPlace = byId('count-answer');
  /** @type {AbortController | undefined} */
  let current;
  stop.addEventListener('click', () => current?.abort());

  start.addEventListener('click', async () => {
    current = new AbortController();
    start.disabled = true;
    stop.hidden = false;
    progress.hidden = false;
    replace(answerPlace);
    const layers = layerChart();
    const began = performance.now();
    try {
      const request = { ...question(), ...(byStart.checked && !closed() && { by_start: true }) };
      const answer = await job('tours count', request, { signal: current.signal, progress: (data) => layers.show(data, began) });
      replace(answerPlace, ...result(answer));
      const marks = byStartMarks(answer, board);
      if (marks.size > 0) {
        board.setTour([], false);
        shown();
      }
      board.setMarks(marks);
    } catch (error) {
      replace(answerPlace, wasStopped(error) ? null : html('p', { class: 'notice bad' }, explain(error)));
    } finally {
      start.disabled = false;
      stop.hidden = true;
      progress.hidden = true;
    }
  });
  return { stop: () => current?.abort() };
}

/** @param {any} answer of `tours count` */
function result(answer) {
  const none = answer.count === '0';
  return [
    html('p', { class: 'big-number' }, ...number(answer.count).split(/(?<=,)/).flatMap((part) => [part, html('wbr')])),
    html('p', {}, `${answer.kind} tours of the ${answer.board} board`, none || answer.directed ? '' : '; a tour and its reverse are one'),
    answer.reason ? html('p', { class: 'notice info' }, answer.reason) : null,
    html('p', { class: 'small muted' },
      `Counted ${METHODS[answer.method] ?? answer.method} in ${duration(answer.wall_seconds)}`,
      ...Object.entries(answer.work ?? {}).map(([what, amount]) => `, ${number(Number(amount))} ${what}`), '.'),
  ];
}

/**
 * The counts from each square, on the squares.
 * @param {any} answer
 * @param {TourBoard} board
 */
function byStartMarks(answer, board) {
  /** @type {Map<number, Mark>} */
  const marks = new Map();
  for (let square = 0; answer.by_start && square < board.rows * board.cols; square += 1) {
    const amount = answer.by_start[board.name(square)];
    if (amount === undefined) continue;
    marks.set(square, { kind: amount === '0' ? 'plain' : 'good', text: amount, label: `${number(amount)} tours start here` });
  }
  return marks;
}

/** The states of each layer as bars, and the progress in words. */
function layerChart() {
  const bar = byId('count-bar', HTMLProgressElement);
  const text = byId('count-state');
  const place = byId('count-layers');
  /** The counter of states when each layer began. @type {number[]} */
  const began = [];
  let stage = '';
  bar.removeAttribute('value');
  replace(text, 'Planning');
  replace(place);
  return {
    /**
     * @param {import('../api.js').Progress} data
     * @param {number} start
     */
    show(data, start) {
      const { what = 'counting', done = 0, total = 0, work = 0 } = data;
      if (typeof data.fraction === 'number') bar.value = data.fraction;
      else bar.removeAttribute('value');
      const parts = [data.state === 'waiting' ? 'waiting for other work' : what];
      if (total) parts.push(`layer ${number(done)} of ${number(total)}`);
      if (work) parts.push(`${number(work)} states`);
      parts.push(`${duration((performance.now() - start) / 1000)} so far`);
      parts.push(typeof data.seconds_left === 'number' && data.seconds_left >= 1 ? `about ${duration(data.seconds_left)} left` : 'time left not known yet');
      replace(text, parts.join(' · '));
      if (what !== stage) {
        stage = what;
        began.length = 0;
      }
      if (!total) return;
      began[done] ??= work;
      const starts = [...began.entries()].filter(([, states]) => states !== undefined);
      const amounts = starts.map(([layer, states], i) => /** @type {[number, number]} */ ([layer, (starts[i + 1]?.[1] ?? work) - states]));
      const most = Math.max(1, ...amounts.map(([, states]) => states));
      replace(place, svg('svg', { viewBox: `0 0 ${total} 20`, preserveAspectRatio: 'none', role: 'img', 'aria-label': 'states of each layer so far' },
        amounts.map(([layer, states]) => svg('rect', { x: layer, y: 20 - (20 * states) / most, width: 0.85, height: (20 * states) / most }))));
    },
  };
}
