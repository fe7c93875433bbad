/**
 * Tours that look the same after a rotation, as small pictures; a click shows one large.
 * @module
 */

import { explain, job, wasStopped } from '../api.js';
import { parseTour } from '../boards/squares.js';
import { TourBoard } from '../boards/tour-board.js';
import { append, byId, count, html, notice, number, replace, roving } from '../dom.js';
import { question, sides, state } from './question.js';

/** Pictures shown at once. */
const SHOWN = 48;

/**
 * @param {(order: number[], closed: boolean) => void} choose shows a tour on the large board
 */
export function symmetricGallery(choose) {
  const start = byId('symmetric', HTMLButtonElement);
  const stop = byId('symmetric-stop', HTMLButtonElement);
  const text = byId('symmetric-answer');
  const gallery = byId('gallery');
  /** @type {AbortController | undefined} */
  let current;
  const clear = () => {
    current?.abort();
    notice(text, 'info', '');
    replace(gallery);
  };
  stop.addEventListener('click', () => current?.abort());
  for (const each of document.querySelectorAll('input[name="rotation"]')) {
    each.addEventListener('change', () => {
      if (each instanceof HTMLInputElement) state.set({ rotation: each.value });
      clear();
    });
  }

  start.addEventListener('click', async () => {
    clear();
    current = new AbortController();
    start.disabled = true;
    stop.hidden = false;
    notice(text, 'busy', 'Searching');
    const { rotation } = state.values;
    const { closed: _, ...rest } = question();
    try {
      const answer = await job('tours symmetric', { ...rest, rotation, list: true, number: SHOWN }, { signal: current.signal });
      show(answer);
    } catch (error) {
      notice(text, 'bad', wasStopped(error) ? '' : explain(error));
    } finally {
      start.disabled = false;
      stop.hidden = true;
    }
  });

  /** @param {any} answer of `tours symmetric` */
  function show(answer) {
    const tours = /** @type {string[]} */ (answer.tours ?? []);
    const turn = answer.rotation === 'quarter' ? 'quarter' : 'half';
    if (tours.length === 0) {
      notice(text, 'info', answer.reason ?? `No ${answer.kind ?? ''} tour of this board looks the same after a ${turn} turn.`);
      return;
    }
    const all = tours.length < SHOWN;
    notice(text, 'good', `${all ? count(tours.length, `${answer.kind} tour`) : `The first ${number(tours.length)} ${answer.kind} tours`} of the ${answer.board} board. Choose one to see it large.`);
    const [rows, cols] = sides();
    tours.forEach((tour, i) => {
      const order = parseTour(tour, rows, cols);
      const picture = new TourBoard();
      picture.small = true;
      picture.setAttribute('label', `tour ${i + 1}`);
      picture.setBoard(rows, cols, []);
      picture.setTour(order, answer.kind === 'closed');
      const button = html('button', { type: 'button', 'aria-pressed': 'false', onclick: () => {
        for (const each of gallery.children) each.setAttribute('aria-pressed', String(each === button));
        choose(order, answer.kind === 'closed');
      } }, picture);
      append(gallery, button);
    });
    roving(gallery, 'button');
  }
  return { clear };
}
