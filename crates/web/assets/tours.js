/**
 * The page of knight's tours.
 * @module
 */

import { ask, cancelCurrent, explain, job, latest, wasStopped } from './api.js';
import { parseSize, parseSquare, parseTour } from './boards/squares.js';
import { TourBoard } from './boards/tour-board.js';
import { byId, count, delayed, duration, html, notice, number, pageKeys, ready, reducedMotion, replace } from './dom.js';
import { counting } from './tours/count.js';
import { Drawing } from './tours/draw.js';
import { symmetricGallery } from './tours/gallery.js';
import { saveCsv, savePng, saveSvg } from './tours/picture.js';
import { Player } from './tours/player.js';
import { closed, holes, MOST, pieceName, question, sides, state } from './tours/question.js';

const board = byId('board', TourBoard);
const answerPlace = byId('answer');
const player = new Player(board);
const find = latest();
const drawing = new Drawing(board, () => player.load('end'));
const counter = counting(board, () => {
  player.load();
  say(html('strong', {}, 'Open tours from each square'), ', each direction counted');
});
const gallery = symmetricGallery((order, isClosed) => {
  board.setTour(order, isClosed);
  board.setMarks(new Map());
  begin(true);
});

const input = (/** @type {string} */ id) => byId(id, HTMLInputElement);
const modes = ['find', 'draw', 'count', 'symmetric'];

/** Shows the loaded tour from its start, moving unless the reader asked for less motion. @param {boolean} animate */
function begin(animate) {
  const moving = animate && !reducedMotion();
  player.load(moving ? 'start' : 'end');
  if (moving) player.play();
}

/** Text above the board. @param {...(Node | string | null)} content */
function say(...content) {
  replace(answerPlace, ...content);
}

/** Finds a tour as the form asks. @param {{ animate?: boolean }} [how] */
async function findTour({ animate = false } = {}) {
  const { start, end, seed } = state.values;
  const request = { ...question(), ...(start && { start }), ...(end && !closed() && { end }), ...(seed && { seed }) };
  const busy = setTimeout(() => say('Searching …'), 300);
  try {
    const answer = await find((signal) => ask('tours find', request, signal));
    if (answer) showFound(answer, animate);
  } catch (error) {
    board.setTour([], false);
    player.load();
    say(html('span', { class: 'bad-text' }, explain(error)));
    const field = error instanceof Error && 'field' in error ? String(error.field) : '';
    if (['start', 'end'].includes(field)) input(field).setAttribute('aria-invalid', 'true');
  } finally {
    clearTimeout(busy);
  }
}

/**
 * @param {any} answer of `tours find`
 * @param {boolean} animate
 */
function showFound(answer, animate) {
  const [rows, cols] = sides();
  board.setMarks(new Map());
  if (answer.found && answer.tour) {
    board.setTour(parseTour(answer.tour, rows, cols), answer.kind === 'closed');
    say(html('strong', {}, `${answer.kind === 'open' ? 'An' : 'A'} ${answer.kind} ${pieceName()}'s tour`), ` of the ${rows}×${cols} board, `,
      html('span', { class: 'muted' }, `${count(board.order.length, 'square')}, checked, found in ${duration(answer.wall_seconds)}`));
    begin(animate);
    return;
  }
  board.setTour([], false);
  player.load();
  const open = closed()
    ? html('button', { type: 'button', class: 'quiet', onclick: () => choose({ kind: 'open' }, true) }, 'Show an open tour')
    : null;
  say(html('strong', {}, `There is no ${answer.kind} tour`), ` of this board. ${answer.reason ? explain(answer.reason) : ''} `, open);
}

/**
 * Changes the question and answers it.
 * @param {Record<string, string | number | boolean>} changes
 * @param {boolean} [animate]
 * @param {'push' | 'replace'} [step] of the history
 */
function choose(changes, animate = false, step = 'push') {
  state.set({ seed: 0, path: '', ...changes }, step);
  fill();
  refresh(animate);
}

/** Writes the question into the form. */
function fill() {
  const { values } = state;
  const [rows, cols] = sides();
  input('rows').value = String(rows);
  input('cols').value = String(cols);
  input('size').value = `${rows}x${cols}`;
  input('rows').setAttribute('aria-valuetext', `${rows} rows`);
  input('cols').setAttribute('aria-valuetext', `${cols} columns`);
  for (const [name, value] of [['kind', closed() ? 'closed' : 'open'], ['mode', values.mode], ['rotation', values.rotation]]) {
    for (const each of document.querySelectorAll(`input[name="${name}"]`)) {
      if (each instanceof HTMLInputElement) each.checked = each.value === value;
    }
  }
  input('start').value = values.start;
  input('end').value = values.end;
  byId('end-field').hidden = closed();
  byId('piece', HTMLSelectElement).value = values.piece;
  input('numbers').checked = values.numbers;
  byId('holes-clear').hidden = values.holes === '';
  for (const id of ['start', 'end', 'size']) input(id).removeAttribute('aria-invalid');
  if (values.start || values.end || values.holes || values.piece) byId('more', HTMLDetailsElement).open = true;
}

/** Shows the board and the panel of the chosen mode, and asks what that mode asks. @param {boolean} [animate] */
function refresh(animate = false) {
  const [rows, cols] = sides();
  const mode = modes.includes(state.values.mode) ? state.values.mode : 'find';
  player.pause();
  counter.stop();
  cancelCurrent();
  for (const each of modes) byId(`${each}-panel`).hidden = each !== mode;
  gallery.clear();
  replace(byId('count-answer'));
  notice(byId('sample-note'), 'info', '');
  byId('player').hidden = mode === 'draw';
  board.drag = removing() ? 'paint' : '';
  board.classList.toggle('removing', removing());
  board.setBoard(rows, cols, holes());
  board.setTour([], false);
  board.setMarks(new Map());
  board.setNumbers(mode === 'find' && state.values.numbers && rows * cols <= 900);
  player.load();
  if (mode === 'draw') {
    find(async () => undefined);
    say(html('strong', {}, 'Your tour'), ` of the ${rows}×${cols} board`);
    drawing.open();
  } else {
    findTour({ animate });
  }
}

function removing() {
  return byId('holes').getAttribute('aria-pressed') === 'true';
}

const slide = delayed(() => choose({ board: `${input('rows').value}x${input('cols').value}`, holes: '', start: '', end: '' }, false, 'replace'), 150);
for (const id of ['rows', 'cols']) {
  input(id).addEventListener('input', () => {
    input('size').value = `${input('rows').value}x${input('cols').value}`;
    slide();
  });
}
input('size').addEventListener('change', () => {
  const size = parseSize(input('size').value);
  const fits = size !== null && Math.max(...size) <= MOST;
  input('size').setAttribute('aria-invalid', String(!fits));
  if (fits) choose({ board: size.join('x'), holes: '', start: '', end: '' });
  else say(html('span', { class: 'bad-text' }, `Write the board as ROWSxCOLS, each at most ${MOST}: 8x8.`));
});
byId('form', HTMLFormElement).addEventListener('submit', (event) => event.preventDefault());
for (const each of document.querySelectorAll('input[name="kind"]')) {
  each.addEventListener('change', () => each instanceof HTMLInputElement && choose({ kind: each.value, end: '' }, true));
}
for (const each of document.querySelectorAll('input[name="mode"]')) {
  each.addEventListener('change', () => each instanceof HTMLInputElement && choose({ mode: each.value }));
}
for (const id of ['start', 'end']) {
  input(id).addEventListener('change', () => {
    const text = input(id).value.trim().toLowerCase();
    const [rows, cols] = sides();
    const wrong = text !== '' && parseSquare(text, rows, cols) < 0;
    input(id).setAttribute('aria-invalid', String(wrong));
    if (wrong) say(html('span', { class: 'bad-text' }, `"${text}" is not a square of this board; the first is a1.`));
    else choose({ [id]: text }, true);
  });
}
byId('piece', HTMLSelectElement).addEventListener('change', (event) => choose({ piece: /** @type {HTMLSelectElement} */ (event.target).value }, true));
byId('holes').addEventListener('click', () => {
  byId('holes').setAttribute('aria-pressed', String(!removing()));
  refresh();
});
byId('holes-clear').addEventListener('click', () => choose({ holes: '' }));
input('numbers').addEventListener('change', () => {
  state.set({ numbers: input('numbers').checked });
  board.setNumbers(input('numbers').checked);
});
byId('another').addEventListener('click', () => {
  state.set({ seed: state.values.seed + 1 }, 'push');
  findTour({ animate: true });
});
byId('sample').addEventListener('click', async () => {
  const note = byId('sample-note');
  find(async () => undefined);
  notice(note, 'busy', 'Parts of tours are counted first, so that each tour gets the same chance');
  try {
    const answer = await job('tours sample', question(), {
      progress: (data) => notice(note, 'busy', `Counting parts of tours first${typeof data.fraction === 'number' ? `: ${Math.round(data.fraction * 100)} %` : ''}`),
    });
    const [rows, cols] = sides();
    const tour = answer.tours?.[0];
    if (tour) {
      board.setTour(parseTour(tour, rows, cols), answer.kind === 'closed');
      say(html('strong', {}, 'A random tour'), ` among all ${answer.total ? `${number(answer.total)} ` : ''}${answer.kind} tours of the ${rows}×${cols} board`);
      begin(true);
    }
    notice(note, 'info', tour ? '' : (answer.reason ?? 'There are no tours.'));
  } catch (error) {
    notice(note, 'bad', wasStopped(error) ? '' : explain(error));
  }
});
byId('save-svg').addEventListener('click', () => saveSvg(board));
byId('save-png').addEventListener('click', () => savePng(board));
byId('save-csv').addEventListener('click', () => saveCsv(board));

/** Squares to be removed or put back while the button and its drag last. @type {boolean | undefined} */
let putBack;
const findAfterHoles = delayed(() => refresh(), 250);
board.addEventListener('square', (event) => {
  const { square, by, first } = /** @type {CustomEvent<import('./boards/tour-board.js').SquareDetail>} */ (event).detail;
  if (removing()) {
    const missing = new Set(holes());
    if (by !== 'drag' || first) putBack = missing.has(square);
    if (putBack) missing.delete(square);
    else missing.add(square);
    state.set({ holes: [...missing].map((each) => board.name(each)).join(','), path: '', seed: 0 });
    board.setHoles(missing);
    byId('holes-clear').hidden = missing.size === 0;
    findAfterHoles();
  } else if (drawing.active) {
    if (by === 'drag') drawing.drag(square);
    else drawing.choose(square);
  } else if (state.values.mode === 'find' && by !== 'drag') {
    const start = board.name(square);
    choose({ start: state.values.start === start ? '' : start }, true);
  }
});
pageKeys({
  ' ': () => player.toggle(),
  ArrowLeft: () => player.step(-1),
  ArrowRight: () => player.step(1),
  Home: () => player.go(0),
  End: () => player.go(board.moves),
});
state.onReturn(() => {
  fill();
  refresh();
});
fill();
refresh(true);
ready();
