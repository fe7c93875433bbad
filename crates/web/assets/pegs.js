/**
 * The page of peg solitaire.
 * @module
 */

import { ask, cancelCurrent, explain, job, latest, wasStopped } from './api.js';
import { Places, readDrawing } from './boards/peg-places.js';
import { PegBoard } from './boards/peg-board.js';
import { announce, byId, count, delayed, html, notice, number, pageKeys, ready, reducedMotion, replace } from './dom.js';
import { Game } from './pegs/game.js';
import { State } from './state.js';

/**
 * @typedef {import('./boards/peg-places.js').Jump} Jump
 * @typedef {import('./boards/peg-places.js').Lattice} Lattice
 * @typedef {{ name: string, about: string, rows: string, lattice: Lattice, start?: string }} Named
 */

const state = new State({ board: 'english', start: '', finish: '', position: '', moves: '', mode: 'play', marks: true });
const board = byId('board', PegBoard);
const input = (/** @type {string} */ id) => byId(id, HTMLInputElement);
const button = (/** @type {string} */ id) => byId(id, HTMLButtonElement);
const modes = ['play', 'edit', 'puzzle', 'review'];
const judging = latest();

/** @type {Named[]} */
let boards = [];
let game = new Game(new Places('o', 'square'), [true]);
/** Answers about positions that were asked before, by finish and position. @type {Map<string, any>} */
const known = new Map();
/** @type {ReturnType<typeof setTimeout> | undefined} */
let playing;

/** The board of the address: a named one, or one's own rows. @returns {Named} */
function current() {
  const { board: name } = state.values;
  const named = boards.find((each) => each.name === name);
  if (named) return named;
  const [, height, width] = /^square(\d+)x(\d+)$/.exec(name) ?? [];
  if (height && width && Number(height) * Number(width) <= 64) {
    return { name, about: `${Number(height) * Number(width)} holes`, rows: Array(Number(height)).fill('o'.repeat(Number(width))).join('/'), lattice: 'square' };
  }
  const rows = readDrawing(name) ?? '__ooo__/__ooo__/ooooooo/ooooooo/ooooooo/__ooo__/__ooo__';
  return { name: '', about: 'own board', rows, lattice: lattice(rows) };
}

/** Rows of 1, 2, 3, ... places make a triangle. @param {string} rows @returns {Lattice} */
function lattice(rows) {
  return rows.split('/').length > 2 && rows.split('/').every((line, i) => line.length === i + 1) ? 'triangular' : 'square';
}

/** Makes the game that the address describes. */
function openGame() {
  const { rows, lattice: kind, start: usual } = current();
  const places = new Places(rows, kind);
  const { start, position, moves } = state.values;
  let pegs = places.places.map(() => true);
  const drawn = position ? readDrawing(position) : null;
  if (drawn && drawn.replace(/\./g, 'o').replace(/_+(?=\/|$)/g, '') === rows.replace(/\./g, 'o').replace(/_+(?=\/|$)/g, '')) pegs = places.parse(drawn);
  else pegs[emptyAtStart(places, start || usual || '')] = false;
  game = new Game(places, pegs);
  game.load(moves.replaceAll(',', ' '));
  board.setBoard(places, game.pegs);
}

/** The hole that is empty at the start: the named one, the one in the middle, or the first. @param {Places} places @param {string} name */
function emptyAtStart(places, name) {
  const named = places.index.get(name);
  if (named !== undefined) return named;
  const points = places.places.map((_, i) => places.point(i));
  if (places.lattice === 'triangular') return 0;
  const middle = (/** @type {number[]} */ all) => (Math.min(...all) + Math.max(...all)) / 2;
  const [x, y] = [middle(points.map((point) => point.x)), middle(points.map((point) => point.y))];
  const at = points.findIndex((point) => Math.abs(point.x - x) < 0.01 && Math.abs(point.y - y) < 0.01);
  return Math.max(0, at);
}

/** Writes the game into the address. @param {'push' | 'replace'} [step] */
function keep(step = 'replace') {
  state.set({ moves: game.jumps.map((jump) => game.places.jumpName(jump)).join(',') }, step);
}

/** Shows the position of the game. @param {Jump | null} [jump] the jump that led to it, animated */
function show(jump = null) {
  board.setPegs(game.pegs, jump);
  button('undo').disabled = game.at === 0;
  button('redo').disabled = game.at === game.jumps.length;
  button('restart').disabled = game.jumps.length === 0;
  notice(byId('count-answer'), 'info', '');
  const text = input2('game');
  if (document.activeElement !== text) text.value = game.text();
  drawHistory();
  if (document.activeElement !== input2('drawing')) input2('drawing').value = game.places.format(game.pegs).replaceAll('/', '\n').replaceAll('_', ' ');
  judge();
}

/** @param {string} id */
function input2(id) {
  return byId(id, HTMLTextAreaElement);
}

/** @param {number | null} [lost] the number of the jump that lost, from 1 */
function drawHistory(lost = null) {
  byId('no-history').hidden = game.jumps.length > 0;
  replace(byId('history'), game.jumps.map((jump, i) =>
    html('li', {}, html('button', {
      type: 'button',
      class: [i >= game.at && 'later', i + 1 === lost && 'lost'].filter(Boolean).join(' ') || null,
      'aria-current': i + 1 === game.at ? 'step' : null,
      title: i + 1 === lost ? 'this jump lost the game' : null,
      onclick: () => (stopPlaying(), game.go(i + 1), show(), drawHistory(lost)),
    }, `${i + 1}. ${game.places.jumpName(jump)}${i + 1 === lost ? ' ✕' : ''}`))));
}

/** The verdict on the position that is shown, from the server or from before. */
async function judge() {
  const position = game.places.format(game.pegs);
  const { finish } = state.values;
  const key = `${finish} ${position}`;
  const before = known.get(key);
  if (before) {
    judging(async () => undefined);
    tell(before);
    return;
  }
  const wait = setTimeout(() => replace(byId('verdict'), html('span', { class: 'muted' }, 'Looking ahead …')), 250);
  try {
    const answer = await judging((signal) => ask('pegs hint', request(position), signal));
    if (answer) {
      known.set(key, answer);
      tell(answer);
    }
  } catch (error) {
    replace(byId('verdict'), html('span', { class: 'bad-text' }, explain(error)));
    replace(byId('jumps'));
  } finally {
    clearTimeout(wait);
  }
}

/** @param {string} position */
function request(position) {
  const { finish } = state.values;
  return { position, lattice: game.places.lattice, ...(finish && { finish }), verdict_only: true };
}

/** Why a position is lost, for readers. @param {any} answer of `pegs hint` */
function why(answer) {
  const reasons = /** @type {Record<string, string>} */ ({
    full: 'there is no empty hole',
    stuck: 'no jump is left',
    pegs: 'there are too few pegs',
    class: 'proved by colouring the board',
    exhaustion: 'every continuation was tried',
  });
  return reasons[answer.reason] ?? '';
}

/** Shows what is known of the position. @param {any} answer of `pegs hint` */
function tell(answer) {
  const pegs = game.pegs.filter(Boolean).length;
  const where = answer.finish === 'anywhere' ? 'anywhere' : `in ${answer.finish}`;
  const verdict = byId('verdict');
  const pegsLeft = html('span', { class: 'muted' }, `${count(pegs, 'peg')}, the last one ${where}`);
  if (answer.solved) {
    replace(verdict, html('span', { class: 'tag good' }, '✓ Solved'), html('span', {}, pegs === 1 ? 'One peg is left.' : 'The finish is reached.'));
  } else if (answer.winnable) {
    replace(verdict, html('span', { class: 'tag good' }, '✓ Can still be won'), pegsLeft);
  } else if (answer.reason === 'full') {
    replace(verdict, html('span', {}, 'A game begins with an empty hole: take a peg away.'), state.values.mode === 'edit' ? null
      : html('button', { type: 'button', class: 'quiet', onclick: () => (state.set({ mode: 'edit' }, 'push'), fill()) }, 'Set up'));
  } else {
    const proof = answer.proof ? html('details', {}, html('summary', {}, 'The proof'), html('pre', { tabindex: 0 }, answer.proof)) : null;
    replace(verdict, html('span', { class: 'tag bad' }, '✕ Lost'), html('span', {}, [`It cannot be won any more`, why(answer)].filter(Boolean).join(': ') + '.'),
      game.at > 0 ? html('button', { type: 'button', class: 'quiet', onclick: backToWinning }, 'Go back to where it could be won') : null, proof);
  }
  const jumps = /** @type {any[]} */ (answer.all_jumps ?? []);
  board.setJudged(state.values.marks ? new Map(jumps.map((each) => [each.jump, each.keeps_winnable ? 'good' : 'bad'])) : new Map());
  const keeping = jumps.filter((each) => each.keeps_winnable).length;
  replace(byId('jumps'), !state.values.marks ? null : jumps.map((each) => html('button', {
    type: 'button', class: each.keeps_winnable ? 'good' : 'bad', onclick: () => jumpNamed(each.jump),
  }, html('span', {}, each.jump),
  html('span', {}, each.share ? `${(each.share * 100).toFixed(each.share < 0.1 ? 1 : 0)} % ` : '',
    html('span', { 'aria-hidden': 'true' }, each.keeps_winnable ? '✓' : '✕'), html('span', { class: 'visually-hidden' }, each.keeps_winnable ? 'keeps it winnable' : 'loses')))));
  button('hint').disabled = keeping === 0;
  button('solve').disabled = !answer.winnable || answer.solved;
}

/** @param {string} name */
function jumpNamed(name) {
  const jump = game.places.parseJump(name);
  if (jump) makeJump(jump);
}

/** @param {Jump} jump */
function makeJump(jump) {
  stopPlaying();
  game.make(jump);
  keep();
  show(jump);
  announce(game.places.jumpName(jump));
}

/** Goes back to the last position that can be won, by a review of the game. */
async function backToWinning() {
  try {
    const answer = await reviewGame();
    if (answer.lost_at === null || answer.lost_at === undefined) {
      notice(byId('count-answer'), 'info', answer.winnable ? '' : 'It was lost from the start.');
      return;
    }
    game.go(answer.lost_at - 1);
    show();
    drawHistory(answer.lost_at);
  } catch (error) {
    notice(byId('count-answer'), 'bad', explain(error));
  }
}

/** @returns {Promise<any>} the answer of `pegs review` about the game up to the position that is shown */
function reviewGame() {
  const { finish } = state.values;
  const { rows, name } = current();
  return ask('pegs review', {
    board: name || rows, start: game.places.format(game.start), lattice: game.places.lattice, game: game.text(), ...(finish && { finish }),
  });
}

function stopPlaying() {
  clearTimeout(playing);
  playing = undefined;
  cancelCurrent();
  byId('solve-text').textContent = 'Play it out';
}

/** Finds the shortest solution from here and plays it. */
async function playOut() {
  if (playing !== undefined || byId('solve-text').textContent === 'Stop') {
    stopPlaying();
    return;
  }
  const { rows, name } = current();
  const { finish } = state.values;
  byId('solve-text').textContent = 'Stop';
  const place = byId('count-answer');
  notice(place, 'busy', 'Looking for the shortest solution');
  try {
    const answer = await job('pegs solve', {
      board: name || rows, start: game.places.format(game.pegs), lattice: game.places.lattice, shortest: true, ...(finish && { finish }),
    });
    if (!answer.solvable) {
      notice(place, 'bad', `There is no solution from here${answer.reason === 'class' ? ', proved by colouring the board' : ''}.`);
      stopPlaying();
      return;
    }
    const from = game.at;
    const jumps = /** @type {string[]} */ (answer.jumps).flatMap((text) => game.places.parseJump(text) ?? []);
    game.jumps = [...game.jumps.slice(0, from), ...jumps];
    keep();
    const text = `${count(answer.moves, 'move')} (${count(jumps.length, 'jump')})${answer.shortest ? '; no solution is shorter' : ''}.`;
    const next = () => {
      if (game.at >= game.jumps.length) {
        stopPlaying();
        return;
      }
      const jump = game.jumps[game.at] ?? null;
      game.go(game.at + 1);
      show(jump);
      notice(place, 'good', text);
      playing = setTimeout(next, reducedMotion() ? 1000 : 620);
    };
    next();
  } catch (error) {
    notice(place, 'bad', wasStopped(error) ? '' : explain(error));
    stopPlaying();
  }
}

async function countSolutions() {
  const place = byId('count-answer');
  notice(place, 'busy', 'Counting');
  const position = game.places.format(game.pegs);
  const { finish } = state.values;
  try {
    const answer = await job('pegs hint', { position, lattice: game.places.lattice, ...(finish && { finish }) });
    if (position !== game.places.format(game.pegs)) return;
    known.set(`${finish} ${position}`, answer);
    tell(answer);
    notice(place, answer.winnable ? 'good' : 'bad', answer.solutions === null || answer.solutions === undefined
      ? (answer.winnable ? 'They were not counted.' : 'There is none.')
      : `${number(answer.solutions)} ${answer.solutions === '1' ? 'way' : 'ways'} to win from here, jump by jump.`);
  } catch (error) {
    notice(place, 'bad', wasStopped(error) ? '' : explain(error));
  }
}

async function newPuzzle() {
  const place = byId('puzzle-answer');
  const kind = /** @type {HTMLInputElement | null} */ (document.querySelector('input[name="puzzle"]:checked'))?.value ?? 'winnable';
  const { rows, name } = current();
  notice(place, 'busy', 'Looking for a puzzle');
  try {
    const answer = await job('pegs puzzle', {
      board: name || rows, kind, pegs: Number(input('puzzle-pegs').value), seed: Math.floor(Math.random() * 1e9),
      lattice: game.places.lattice, ...(state.values.start && { start: state.values.start }), ...(state.values.finish && { finish: state.values.finish }),
    });
    const [puzzle] = answer.puzzles;
    const sizes = Object.keys(answer.by_pegs).map(Number);
    if (!puzzle) {
      notice(place, 'info', sizes.length ? `None with so many pegs; there are some with ${Math.min(...sizes)} to ${Math.max(...sizes)}.` : 'This board has none.');
      return;
    }
    state.set({ position: puzzle, moves: '', marks: false, finish: answer.finish === 'anywhere' ? 'anywhere' : state.values.finish }, 'push');
    fill();
    openGame();
    show();
    const task = { winnable: 'Leave one peg', 'last-safe': 'Only one jump keeps it winnable. Which', unique: 'There is exactly one way to leave one peg' }[kind];
    notice(place, 'info', `${task}, ${answer.finish === 'anywhere' ? 'anywhere' : `in ${answer.finish}`}${kind === 'last-safe' ? '?' : '.'} One of ${number(answer.total)} puzzles of this board.`);
  } catch (error) {
    notice(place, 'bad', wasStopped(error) ? '' : explain(error));
  }
}

async function review() {
  const place = byId('review-answer');
  const typed = input2('game').value;
  const wrong = game.load(typed);
  keep('push');
  show();
  if (wrong) {
    input2('game').value = typed;
    notice(place, 'bad', `"${wrong}" is no jump that can be made after ${count(game.at, 'jump')}.`);
    return;
  }
  if (game.at === 0) {
    notice(place, 'info', 'Make some jumps on the board, or write them above.');
    return;
  }
  notice(place, 'busy', 'Looking at every jump');
  try {
    const answer = await reviewGame();
    drawHistory(answer.lost_at ?? null);
    if (answer.solved) notice(place, 'good', 'The game is won.');
    else if (answer.lost_at) {
      const jump = game.jumps[answer.lost_at - 1];
      notice(place, 'bad', `Jump ${answer.lost_at}, ${jump ? game.places.jumpName(jump) : ''}, lost the game. `,
        html('button', { type: 'button', class: 'quiet', onclick: () => (game.go(answer.lost_at - 1), show(), drawHistory(answer.lost_at)) }, 'Show the position before it'));
    } else notice(place, answer.winnable ? 'good' : 'bad', answer.winnable ? 'No jump lost: it can still be won.' : 'It could not be won from the start.');
  } catch (error) {
    notice(place, 'bad', explain(error));
  }
}

/** Writes the state into the controls. */
function fill() {
  const { values } = state;
  const mode = modes.includes(values.mode) ? values.mode : 'play';
  const named = current();
  const listed = boards.includes(named) ? boards : [...boards, named];
  replace(byId('board-name'), listed.map((each) => html('option', { value: each.name }, each.name ? `${each.name}: ${each.about}` : each.about)));
  byId('board-name', HTMLSelectElement).value = named.name;
  input('start').value = values.position ? '' : values.start;
  byId('finish', HTMLSelectElement).value = values.finish === 'anywhere' ? 'anywhere' : '';
  input('judge').checked = values.marks;
  for (const each of document.querySelectorAll('input[name="mode"]')) {
    if (each instanceof HTMLInputElement) each.checked = each.value === mode;
  }
  for (const each of modes) byId(`${each}-panel`).hidden = each !== mode;
  board.setMode(mode === 'edit' ? 'edit' : 'play');
  const most = current().rows.replace(/[^o.]/g, '').length - 1;
  input('puzzle-pegs').max = String(Math.min(most, 24));
  byId('puzzle-pegs-text').textContent = count(input('puzzle-pegs').value, 'peg');
}

/** Changes the state and shows the game that it describes. @param {Parameters<typeof state.set>[0]} changes */
function choose(changes) {
  stopPlaying();
  state.set(changes, 'push');
  fill();
  openGame();
  show();
}

board.addEventListener('jump', (event) => makeJump(/** @type {CustomEvent<Jump>} */ (event).detail));
board.addEventListener('place', (event) => {
  const pegs = [...game.pegs];
  const place = /** @type {CustomEvent<number>} */ (event).detail;
  pegs[place] = !pegs[place];
  edit(pegs);
  announce(board.describe(place));
});

/** Takes an edited position for the start of a new game. @param {boolean[]} pegs */
function edit(pegs) {
  game.start = pegs;
  game.jumps = [];
  game.at = 0;
  state.set({ position: game.places.format(pegs), moves: '', start: '' });
  show();
}

const readText = delayed(() => {
  const rows = readDrawing(input2('drawing').value);
  byId('drawing-fault').textContent = rows ? '' : 'Only o, dots and blanks, please.';
  if (!rows) return;
  const shape = (/** @type {string} */ text) => text.replace(/\./g, 'o').replace(/_+(?=\/|$)/g, '');
  const named = boards.find((each) => shape(each.rows) === shape(rows));
  state.set({ board: named ? named.name : rows.replace(/\./g, 'o'), position: rows, moves: '', start: '' });
  fill();
  openGame();
  show();
}, 300);
input2('drawing').addEventListener('input', readText);

button('undo').addEventListener('click', () => (stopPlaying(), game.go(game.at - 1), show()));
button('redo').addEventListener('click', () => (stopPlaying(), game.go(game.at + 1), show(game.jumps[game.at - 1] ?? null)));
button('restart').addEventListener('click', () => (stopPlaying(), game.go(0), show()));
button('hint').addEventListener('click', () => {
  const answer = known.get(`${state.values.finish} ${game.places.format(game.pegs)}`);
  const [best] = [.../** @type {any[]} */ (answer?.all_jumps ?? [])].filter((each) => each.keeps_winnable).sort((a, b) => (b.share ?? 0) - (a.share ?? 0));
  const jump = best && game.places.parseJump(best.jump);
  if (!jump) return;
  board.setJudged(new Map([[best.jump, 'good']]));
  board.select(jump.from);
  announce(`Hint: ${best.jump}`);
});
button('solve').addEventListener('click', playOut);
button('count').addEventListener('click', countSolutions);
button('puzzle').addEventListener('click', newPuzzle);
button('review').addEventListener('click', review);
button('edit-full').addEventListener('click', () => edit(game.places.places.map(() => true)));
button('edit-empty').addEventListener('click', () => edit(game.places.places.map(() => false)));
button('edit-play').addEventListener('click', () => choose({ mode: 'play' }));
input('puzzle-pegs').addEventListener('input', () => (byId('puzzle-pegs-text').textContent = count(input('puzzle-pegs').value, 'peg')));
input('judge').addEventListener('change', () => {
  state.set({ marks: input('judge').checked });
  show();
});
byId('board-name').addEventListener('change', (event) => choose({ board: /** @type {HTMLSelectElement} */ (event.target).value, position: '', moves: '', start: '', finish: '' }));
byId('finish').addEventListener('change', (event) => choose({ finish: /** @type {HTMLSelectElement} */ (event.target).value }));
input('start').addEventListener('change', () => {
  const name = input('start').value.trim().toLowerCase();
  const wrong = name !== '' && !game.places.index.has(name);
  input('start').setAttribute('aria-invalid', String(wrong));
  if (!wrong) choose({ start: name, position: '', moves: '' });
});
for (const each of document.querySelectorAll('input[name="mode"]')) {
  each.addEventListener('change', () => {
    if (each instanceof HTMLInputElement) state.set({ mode: each.value }, 'push');
    fill();
    show();
  });
}
pageKeys({
  u: () => button('undo').click(),
  Backspace: () => button('undo').click(),
  r: () => button('redo').click(),
  h: () => button('hint').click(),
});
state.onReturn(() => {
  stopPlaying();
  fill();
  openGame();
  show();
});

try {
  boards = (await ask('pegs boards', {})).boards;
} catch (error) {
  replace(byId('verdict'), html('span', { class: 'bad-text' }, explain(error)));
}
fill();
openGame();
show();
ready();
