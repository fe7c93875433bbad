/**
 * The page of endgames: exact values of positions with few pieces, and statistics of whole endings.
 * @module
 */

import { ApiError, ask, explain, get, job, latest } from './api.js';
import { moveArrow } from './chess/arrows.js';
import { ChessBoard, diagram } from './chess/board.js';
import { Editor } from './chess/editor.js';
import { fairyPanel } from './chess/fairy.js';
import { countPieces, formatFen, materialOf, other, parseFen, sanInWords } from './chess/fen.js';
import { Game, position } from './chess/game.js';
import { showStats } from './chess/stats.js';
import { classOf, distance, forget, marksOf, MOST_PIECES, moveGroups, standard } from './chess/tablebase.js';
import { transformed } from './chess/transform.js';
import { announce, byId, copy, duration, html, notice, pageKeys, ready, reducedMotion, replace } from './dom.js';
import { State } from './state.js';

/** @typedef {import('./chess/tablebase.js').TableAnswer} TableAnswer */

/** The most pieces of a table that the server builds. */
const MOST_BUILT = 4;

/** @type {[string, string][]} name and position */
const EXAMPLES = [
  ['Queen against rook', '1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1'],
  ['Queen mates', '8/8/8/4k3/8/8/2Q5/3K4 w - - 0 1'],
  ['Rook mates', '8/8/8/4k3/8/8/2R5/3K4 w - - 0 1'],
  ['Bishop and knight', '8/8/8/4k3/8/8/8/2KNB3 w - - 0 1'],
  ['King and pawn', '8/8/8/3k4/8/3K4/4P3/8 w - - 0 1'],
  ['Queen against pawn', '8/8/8/8/8/1k6/2p5/K5Q1 b - - 0 1'],
];
const FIRST = EXAMPLES[0]?.[1] ?? '';

const state = new State({ mode: 'play', fen: FIRST, moves: '', at: -1, flip: false, ending: '', fairy: '', pieces: 'A=BN', stalemate: 'draw', bare: 'none' });
const board = byId('board', ChessBoard);
const button = (/** @type {string} */ id) => byId(id, HTMLButtonElement);
const input = (/** @type {string} */ id) => byId(id, HTMLInputElement);
const game = new Game();
const editor = new Editor(board, byId('editor'), (fen) => openFen(fen, 'replace'), { castling: false });
const probing = latest();
/** @type {ReturnType<typeof setInterval> | undefined} */
let playing;

const editing = () => state.values.mode === 'edit';

/** Shows the position that the address describes. */
async function open() {
  const { fen, moves, at } = state.values;
  const list = moves ? moves.split(',') : [];
  stopPlaying();
  board.orientation = state.values.flip ? 'black' : 'white';
  editor.load(fen);
  try {
    await game.load(fen, list, at < 0 ? list.length : at);
  } catch (error) {
    game.now = null;
    board.show({ fen });
    showVerdict('', explain(error));
    replace(byId('table-moves'));
    byId('build').hidden = byId('line-part').hidden = true;
    return;
  }
  show(false);
}

/** @param {boolean} [animate] */
function show(animate = true) {
  const { now } = game;
  if (!now) return;
  board.marks = new Map();
  board.show({ fen: now.fen, legal: editing() ? [] : now.moves, lastMove: game.lastMove, check: now.check, movable: 'both' }, animate);
  board.arrows?.show([]);
  button('first').disabled = button('back').disabled = game.at === 0;
  button('forward').disabled = game.atEnd;
  if (document.activeElement !== input('fen')) input('fen').value = now.fen;
  byId('words').textContent = board.inWords();
  if (!byId('stats-panel', HTMLDetailsElement).open) input('material').value = materialOf(board.squares);
  for (const each of byId('examples').querySelectorAll('button')) each.toggleAttribute('aria-current', each.dataset.fen === state.values.fen);
  markLine();
  judge(now.fen);
}

/** @param {'' | 'white' | 'black' | 'draw'} kind @param {string} text @param {string} [more] */
function showVerdict(kind, text, more = '') {
  const place = byId('verdict');
  place.className = `endgame-verdict ${kind}`;
  if (place.textContent !== text) place.textContent = text;
  byId('verdict-text').textContent = more;
}

/** Asks the tables for the position that is shown. @param {string} fen */
async function judge(fen) {
  let answer;
  const pieces = countPieces(board.squares);
  byId('build').hidden = true;
  try {
    if (pieces > MOST_PIECES) throw new ApiError(`no table has more than ${MOST_PIECES} pieces; take ${pieces - MOST_PIECES} away`);
    answer = await probing(() => standard(fen));
  } catch (error) {
    showVerdict('', 'No answer', explain(error));
    replace(byId('table-moves'));
    byId('line-part').hidden = true;
    return;
  }
  if (!answer || fen !== game.now?.fen) return;
  const turn = parseFen(fen)?.turn ?? 'white';
  const name = (/** @type {string} */ colour) => (colour === 'white' ? 'White' : 'Black');
  const value = classOf(answer.category);
  const moving = `${name(turn)} to move.`;
  if (answer.checkmate) showVerdict(other(turn), `Checkmate: ${name(other(turn))} has won`);
  else if (answer.stalemate) showVerdict('draw', 'Stalemate: a draw');
  else if (answer.insufficient_material) showVerdict('draw', 'A draw', 'Neither side has the pieces to give mate.');
  else if (value === 'draw') showVerdict('draw', 'A draw', `${moving} ${fifty(answer.category)}`);
  else if (value !== 'unknown') {
    const winner = value === 'win' ? turn : other(turn);
    const far = distance(answer);
    showVerdict(winner, `${name(winner)} wins`, far ? `${moving} ${sentence(far)} with the best play of both sides.` : moving);
  } else missing(pieces);
  const play = (/** @type {{ uci: string }} */ { uci }) => tryMove(uci);
  const known = value !== 'unknown';
  const groups = moveGroups(answer, { play, point: (move) => board.arrows?.show(move ? [moveArrow(move.uci, 'hint')] : []) });
  byId('moves-note').textContent = answer.moves.length === 0 ? '' : known ? `What each move of ${name(turn)} leads to, counted after it. Click one to play it.` : 'The moves; their values are not known yet.';
  replace(byId('table-moves'), groups);
  board.showMarks(marksOf(answer));
  if (known) await showLine(fen, value !== 'draw' && answer.moves.length > 0);
  else byId('line-part').hidden = true;
}

/** @param {string} category */
function fifty(category) {
  if (category === 'cursed-win') return 'It would win, but not within fifty moves.';
  return category === 'blessed-loss' ? 'It would lose, but not within fifty moves.' : 'Neither side can win against the best play.';
}

/** @param {string} text */
function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Offers to build the table of the position. @param {number} pieces */
function missing(pieces) {
  const material = materialOf(board.squares);
  const can = pieces <= MOST_BUILT;
  showVerdict('', can ? 'Not computed yet' : 'No table', can
    ? `The table of ${material} holds the answer for every position with these pieces. Building it takes seconds.`
    : `The server has no table of ${material}. It builds tables of up to ${MOST_BUILT} pieces, and reads Syzygy tables of more.`);
  byId('build').hidden = !can;
  button('build-start').textContent = `Compute ${material}`;
}

/** Builds the table of the position, with progress. */
async function build() {
  const material = materialOf(board.squares);
  button('build-start').hidden = true;
  byId('build-progress').hidden = false;
  const bar = byId('build-bar', HTMLProgressElement);
  bar.removeAttribute('value');
  byId('build-text').textContent = `Building ${material} …`;
  try {
    const answer = await job('tables build', { material }, {
      progress: ({ what, done, total, fraction, seconds_left: left, ...more }) => {
        if (typeof fraction === 'number') bar.value = fraction;
        const stage = 'stage' in more ? String(more.stage) : material;
        const part = 'part' in more && more.part ? ` (${more.part})` : '';
        const amount = done === undefined ? '' : `: ${done}${total ? ` of ${total}` : ''} ${what ?? ''}`;
        byId('build-text').textContent = `${stage}${part}${amount}${left ? `, about ${duration(left)} left` : ''}`;
      },
    });
    announce(`${material} is built`);
    byId('build-text').textContent = '';
    forget();
    if (game.now) await judge(game.now.fen);
    byId('verdict-text').textContent += ` (Built ${answer.made?.length ? answer.made.join(', ') : material} in ${duration(answer.wall_seconds ?? 0)}.)`;
  } catch (error) {
    showVerdict('', 'The table was not built', explain(error));
  } finally {
    button('build-start').hidden = false;
    byId('build-progress').hidden = true;
  }
}

/** The line that is shown and the start and moves that it continues. @type {{ start: string, before: string[], moves: import('./chess/game.js').Move[] }} */
let line = { start: '', before: [], moves: [] };

/** Shows the best play from a position, or goes on in the line that is shown. @param {string} fen @param {boolean} wanted */
async function showLine(fen, wanted) {
  const inLine = line.start === game.start && game.moves.slice(0, game.at).join() === [...line.before, ...line.moves.map(({ uci }) => uci ?? '')].slice(0, game.at).join() && game.at >= line.before.length;
  if (!inLine) line = { start: '', before: [], moves: [] };
  if (!inLine && wanted) {
    try {
      const answer = await ask('tables probe', { fen, line: true });
      const { history } = await position(fen, answer.line ?? []);
      if (fen !== game.now?.fen) return;
      line = { start: game.start, before: game.moves.slice(0, game.at), moves: history };
    } catch (error) {
      replace(byId('line'), explain(error));
      byId('line-part').hidden = false;
      return;
    }
  }
  drawLine();
}

function drawLine() {
  byId('line-part').hidden = line.moves.length === 0;
  const first = parseFen(line.moves.length ? line.start : '');
  let ply = (first?.turn === 'black' ? 1 : 0) + line.before.length;
  const number = first?.number ?? 1;
  replace(byId('line'), line.moves.flatMap((move, i) => {
    const label = ply % 2 === 0 || i === 0 ? `${number + Math.floor(ply / 2)}${ply % 2 ? '…' : '.'} ` : '';
    ply += 1;
    return [label && html('span', { class: 'muted' }, label),
      html('button', { type: 'button', tabindex: i === 0 ? 0 : -1, onclick: () => (stopPlaying(), goLine(i + 1)) }, move.san), ' '];
  }));
  markLine();
}

/** Marks the move of the line that led to the position. */
function markLine() {
  const at = game.at - line.before.length;
  const buttons = [...byId('line').querySelectorAll('button')];
  for (const [i, each] of buttons.entries()) each.toggleAttribute('aria-current', i + 1 === at);
  const current = buttons[at - 1];
  const place = byId('line');
  if (current) place.scrollTop = current.offsetTop - place.offsetTop - place.clientHeight / 2;
  button('play-line').disabled = at >= line.moves.length;
}

/** Shows the position after some moves of the line. @param {number} count */
async function goLine(count) {
  if (await game.load(line.start, [...line.before, ...line.moves.map(({ uci }) => uci ?? '')], line.before.length + count)) {
    keep();
    show();
  }
}

function stopPlaying() {
  clearInterval(playing);
  playing = undefined;
  byId('play-line-text').textContent = 'Play it out';
}

/** Plays the line out, a move each second; a second call stops. */
function playLine() {
  if (playing !== undefined) {
    stopPlaying();
    return;
  }
  const step = async () => {
    const next = game.at - line.before.length + 1;
    await goLine(next);
    if (next >= line.moves.length) stopPlaying();
  };
  step();
  playing = setInterval(step, reducedMotion() ? 1500 : 850);
  byId('play-line-text').textContent = 'Stop';
}

/** Writes the game into the address. @param {'push' | 'replace'} [step] */
function keep(step = 'replace') {
  state.set({ fen: game.start, moves: game.moves.join(','), at: game.atEnd ? -1 : game.at }, step);
}

/** Makes a move of the board, the list or the text field. @param {string} text */
async function tryMove(text) {
  stopPlaying();
  byId('move-fault').textContent = '';
  try {
    if (!(await game.play(text))) return false;
  } catch (error) {
    byId('move-fault').textContent = explain(error);
    show(false);
    return false;
  }
  keep('push');
  show();
  const last = game.line[game.at - 1];
  if (last) announce(sanInWords(last.san));
  return true;
}

/** @param {number} at */
async function go(at) {
  stopPlaying();
  const place = Math.max(0, Math.min(at, game.moves.length));
  if (place === game.aim || !(await game.go(place))) return;
  keep();
  show();
}

/** @param {string} fen @param {'push' | 'replace'} step */
function openFen(fen, step) {
  line = { start: '', before: [], moves: [] };
  state.set({ fen, moves: '', at: -1 }, step);
  return open();
}

/** Gives the move to the other side. */
function switchTurn() {
  const setup = parseFen(game.now?.fen ?? state.values.fen);
  if (setup) openFen(formatFen({ ...setup, turn: other(setup.turn), enPassant: '-' }), 'push');
}

/** Shows the tables that the server has, as buttons. */
async function showTables() {
  const tables = await get('/tables').catch(() => []);
  const own = tables.filter((/** @type {{ dtm: boolean, dtz: boolean }} */ { dtm, dtz }) => dtm || dtz);
  replace(byId('tables'), own.length > 0 && html('span', { class: 'small muted' }, 'Computed already:'), own.slice(0, 60).map((/** @type {{ material: string }} */ { material }) =>
    html('button', { type: 'button', onclick: () => ((input('material').value = material), showEnding()) }, material)));
}

/** Counts the whole ending, building its table first where it is missing. */
async function showEnding() {
  const place = byId('stats-text');
  const material = input('material').value.trim();
  if (!material) return;
  state.set({ ending: material });
  place.textContent = `Counting ${material} …`;
  replace(byId('stats'));
  const progress = (/** @type {any} */ { stage, fraction }) => (place.textContent = `${stage ?? material}${typeof fraction === 'number' ? ` ${Math.round(100 * fraction)} %` : ''} …`);
  try {
    if (material.replace(/v/i, '').length <= MOST_BUILT) await job('tables build', { material, no_stats: true }, { progress });
    const answer = await job('tables stats', { material, number: 4 }, { progress });
    place.textContent = '';
    replace(byId('stats'), showStats(answer, (fen) => {
      openFen(fen, 'push');
      byId('board').scrollIntoView({ block: 'nearest' });
    }));
    announce(`${material} counted`);
    showTables();
  } catch (error) {
    place.textContent = explain(error);
  }
}

function showMode() {
  for (const radio of document.querySelectorAll('input[name="mode"]')) {
    if (radio instanceof HTMLInputElement) radio.checked = radio.value === (editing() ? 'edit' : 'play');
  }
  byId('edit-panel').hidden = !editing();
  board.editing = editing();
}

/** @param {string} id @param {() => void} action */
const onClick = (id, action) => byId(id).addEventListener('click', action);
/** @param {string} id @param {() => void} action */
const onSubmit = (id, action) => byId(id).addEventListener('submit', (event) => (event.preventDefault(), action()));

board.addEventListener('move', (event) => tryMove(/** @type {CustomEvent} */ (event).detail.uci));
onClick('first', () => go(0));
onClick('back', () => go(game.aim - 1));
onClick('forward', () => go(game.aim + 1));
onClick('turn', switchTurn);
const flip = () => {
  state.set({ flip: !state.values.flip });
  board.orientation = state.values.flip ? 'black' : 'white';
};
onClick('flip', flip);
onClick('build-start', build);
onClick('play-line', playLine);
onClick('copy-fen', () => copy(game.now?.fen ?? state.values.fen, 'FEN'));
const keys = byId('keys', HTMLDialogElement);
onClick('help', () => keys.showModal());
onSubmit('type-move', async () => {
  const field = input('move-text');
  if (field.value.trim() && (await tryMove(field.value.trim()))) field.value = '';
});
onSubmit('fen-form', async () => {
  const fen = input('fen').value.trim().replaceAll('_', ' ');
  try {
    await position(fen);
    notice(byId('fen-fault'), 'bad', '');
    await openFen(fen, 'push');
  } catch (error) {
    notice(byId('fen-fault'), 'bad', explain(error));
  }
});
onSubmit('stats-form', showEnding);
byId('stats-panel').addEventListener('toggle', () => byId('stats-panel', HTMLDetailsElement).open && showTables());
for (const radio of document.querySelectorAll('input[name="mode"]')) {
  radio.addEventListener('change', () => {
    if (!(radio instanceof HTMLInputElement)) return;
    const fen = game.now?.fen ?? state.values.fen;
    state.set({ mode: radio.value }, 'push');
    showMode();
    openFen(fen, 'replace');
  });
}
for (const each of document.querySelectorAll('[data-change]')) {
  each.addEventListener('click', () => {
    const setup = parseFen(state.values.fen);
    const changed = setup && transformed(setup, /** @type {any} */ (each.getAttribute('data-change')));
    if (changed) openFen(formatFen(changed), 'replace');
    else announce('a piece would leave the board');
  });
}
const openFairy = fairyPanel(state);
state.onReturn(() => {
  showMode();
  open();
  openFairy();
});
pageKeys({
  ArrowLeft: () => go(game.aim - 1),
  k: () => go(game.aim - 1),
  ArrowRight: () => go(game.aim + 1),
  j: () => go(game.aim + 1),
  Home: () => go(0),
  End: () => go(game.moves.length),
  f: flip,
  s: switchTurn,
  ' ': () => {
    const best = byId('table-moves').querySelector('[data-uci]')?.getAttribute('data-uci');
    if (best) tryMove(best);
  },
  '?': () => keys.showModal(),
});

replace(byId('examples'), EXAMPLES.map(([name, fen]) =>
  html('button', { type: 'button', class: 'diagram-button', 'data-fen': fen, onclick: () => (state.set({ mode: 'play' }), showMode(), openFen(fen, 'push')) }, diagram(fen, ''), html('span', {}, name))));
for (const each of byId('examples').querySelectorAll('.diagram')) {
  each.removeAttribute('role');
  each.removeAttribute('aria-label');
  each.setAttribute('aria-hidden', 'true');
}
showMode();
open();
if (state.values.ending) {
  byId('stats-panel', HTMLDetailsElement).open = true;
  input('material').value = state.values.ending;
  showEnding();
}
ready();
