/**
 * The page of chess: a game against the engine, an analysis board, the setting up of positions.
 * @module
 */

import { ask, explain, latest, place } from './api.js';
import { moveArrow } from './chess/arrows.js';
import { Analysis, Review } from './chess/analysis.js';
import { ChessBoard } from './chess/board.js';
import { Editor } from './chess/editor.js';
import { other, parseFen, sanInWords, START } from './chess/fen.js';
import { Game, position } from './chess/game.js';
import { drawGraph, judge } from './chess/graph.js';
import { showMoves } from './chess/moves.js';
import { Clocks, clockText, FULL, levelText, Opponent } from './chess/play.js';
import { opening } from './chess/openings.js';
import { scoreInWords, share } from './chess/score.js';
import { classOf, distance, marksOf, MOST_PIECES, moveGroups, standard } from './chess/tablebase.js';
import { announce, byId, copy, download, html, notice, pageKeys, ready, replace } from './dom.js';
import { State } from './state.js';

/** @typedef {import('./chess/pieces.js').Colour} Colour */

const state = new State({ mode: 'play', fen: START, moves: '', at: -1, side: 'white', level: 3, clock: '', strategy: '', threads: 1, lines: 3, flip: false });
const board = byId('board', ChessBoard);
const button = (/** @type {string} */ id) => byId(id, HTMLButtonElement);
const input = (/** @type {string} */ id) => byId(id, HTMLInputElement);
const select = (/** @type {string} */ id) => byId(id, HTMLSelectElement);
const game = new Game();
const opponent = new Opponent();
const review = new Review();
const hinting = latest();
const ONLY_KINGS = '4k3/8/8/8/8/8/8/4K3 w - - 0 1';

/** The engine's score when it moved last, in hundredths of a pawn. @type {number | null} */
let standing = null;
let thinking = false;
let arrowsShown = true;
/** A move of the reader on the engine's time: its two squares. */
let premove = '';
/** The texts from which the game was read, and which of its games it is. */
let source = { pgn: '', number: 1 };
/** Scores of a line, and its moves. @type {{ moves: string, found: (import('./chess/score.js').Score | undefined)[] }} */
let scores = { moves: '', found: [] };
/** Arrows of a hint or a threat, until the position changes. @type {import('./chess/arrows.js').Arrow[]} */
let extra = [];

const clocks = new Clocks(showClocks, (colour) => {
  end({ winner: other(colour), text: `${name(colour)} ran out of time` });
});
const analysis = new Analysis({ lines: byId('engine-lines'), depth: byId('depth') }, showAnalysis, (moves) => playLine(moves));
const editor = new Editor(board, byId('editor'), (fen) => openFen(fen), { castling: true });

/** @returns {'play' | 'analyse' | 'edit'} */
function mode() {
  const { mode: name } = state.values;
  return name === 'analyse' || name === 'edit' ? name : 'play';
}

/** @returns {Colour} the side of the reader */
function mine() {
  return state.values.side === 'black' ? 'black' : 'white';
}

/** Writes the line that is shown into the address, and keeps the game beside it. @param {'push' | 'replace'} [step] */
function keep(step = 'replace') {
  const moves = game.moves.join(',').split(',--')[0];
  state.kept = game.text();
  state.set({ fen: game.start, moves, at: game.atEnd ? -1 : game.at }, step);
}

/** Another game begins: what a PGN said beside its moves does not belong to it. */
function forget() {
  state.kept = '';
  byId('pgn-games').hidden = true;
}

/** What was found of the line that is shown. */
function scored() {
  return scores.moves === game.moves.join() ? scores.found : [];
}

/** Judgements of the moves of the line. */
function judged() {
  return judge(scored(), parseFen(game.start)?.turn === 'black');
}

/** Shows the game that the address describes. */
async function open() {
  const { fen, moves, at } = state.values;
  const list = moves ? moves.split(',') : [];
  try {
    await game.load(fen, list, at < 0 ? list.length : at, state.kept);
  } catch (error) {
    byId('status').textContent = explain(error);
    if (mode() === 'edit') showEdit(fen, explain(error));
    return;
  }
  show(false);
  think();
}

/** Shows everything. @param {boolean} [animate] */
function show(animate = true) {
  const { now } = game;
  if (!now) return;
  extra = [];
  const playing = mode() === 'play';
  const over = now.outcome ?? (playing ? game.ended : null);
  const free = !playing || (game.atEnd && !over);
  const ahead = playing && free && now.side_to_move !== mine();
  if (!ahead) premove = '';
  const bottom = (playing ? mine() === 'black' : false) !== state.values.flip ? 'black' : 'white';
  board.orientation = bottom;
  board.marks = new Map();
  board.show({
    fen: now.fen,
    legal: over && playing ? [] : now.moves,
    lastMove: game.lastMove,
    check: now.check,
    movable: !free ? 'none' : playing ? mine() : 'both',
    ...(ahead && { premove }),
  }, animate);
  const tables = byId('table-answer');
  if (mode() === 'analyse' && now.pieces <= MOST_PIECES && !now.outcome) showTables(now.fen);
  else replace(tables);
  showStatus(over);
  showPlayers();
  showClocks();
  showMoves(byId('moves'), game, goTo, judged());
  showGraph();
  button('first').disabled = button('back').disabled = game.at === 0;
  button('last').disabled = button('forward').disabled = game.atEnd;
  button('resign').disabled = button('draw').disabled = Boolean(over) || !game.atEnd || game.line.length === 0;
  button('take-back').disabled = !playing || game.line.length === 0;
  byId('line-tools').hidden = mode() !== 'analyse' || game.at === 0;
  button('promote').disabled = isMain();
  button('hint').disabled = Boolean(over) || (playing && (!game.atEnd || now.side_to_move !== mine()));
  button('review').disabled = game.line.length === 0;
  byId('no-moves').hidden = game.line.length > 0;
  byId('opening').textContent = game.start === START ? opening(game.line.slice(0, game.at).map(({ san }) => san)) : '';
  if (document.activeElement !== input('fen')) input('fen').value = now.fen;
  byId('words').textContent = board.inWords();
  board.arrows?.show([]);
  analyse();
  game.pgn().then((pgn) => {
    const area = byId('pgn', HTMLTextAreaElement);
    if (document.activeElement !== area) area.value = pgn;
  }, () => undefined);
}

/** Whether the place that is shown is in the main line. */
function isMain() {
  return game.line.slice(0, game.at).every((place) => place.parent?.next[0] === place);
}

/** @param {Colour} colour */
function name(colour) {
  return colour === 'white' ? 'White' : 'Black';
}

/** @param {{ winner: Colour | null, text: string } | null} over */
function showStatus(over) {
  const { now } = game;
  const place = byId('status');
  place.className = 'verdict chess-status';
  if (!now) return;
  if (over && game.atEnd) {
    const won = over.winner === mine();
    place.textContent = `${sentence(over.text)} ${mode() !== 'play' ? '' : over.winner === null ? 'A draw.' : won ? 'You win!' : 'The engine wins.'}`;
    if (mode() === 'play' && over.winner) place.classList.add(won ? 'good-text' : 'bad-text');
  } else if (mode() === 'edit') place.textContent = 'Set up a position';
  else if (!game.atEnd) place.textContent = `After move ${game.at} of ${game.line.length}${isMain() ? '' : ' in a variation'}`;
  else if (mode() === 'analyse') place.textContent = `${name(now.side_to_move)} to move${now.check ? ', in check' : ''}`;
  else if (now.side_to_move === mine()) place.textContent = now.check ? 'You are in check. Your move.' : 'Your move.';
  else if (premove) place.textContent = `The engine is thinking; then ${premove.slice(0, 2)} to ${premove.slice(2)} (a click or Esc cancels it)`;
  else place.textContent = 'The engine is thinking …';
}

/** @param {string} text */
function sentence(text) {
  const words = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!]$/.test(words) ? words : `${words}.`;
}

function showPlayers() {
  const bottom = board.orientation;
  for (const [id, colour] of /** @type {[string, Colour][]} */ ([['player-bottom', bottom], ['player-top', other(bottom)]])) {
    const engine = mode() === 'play' && colour !== mine();
    const { level } = state.values;
    const text = mode() !== 'play' ? name(colour) : engine ? `Engine, ${level >= FULL ? 'full strength' : `level ${level}`}` : 'You';
    const place = byId(id).querySelector('.player-name');
    if (place) replace(place, html('span', { class: `disc ${colour}`, title: name(colour) }), text, engine && thinking && html('span', { class: 'thinking' }, ' thinking'));
  }
}

function showClocks() {
  for (const [id, colour] of /** @type {[string, Colour][]} */ ([['player-bottom', board.orientation], ['player-top', other(board.orientation)]])) {
    const place = byId(id).querySelector('.clock');
    if (!(place instanceof HTMLElement)) continue;
    place.hidden = !clocks.on || mode() !== 'play';
    place.textContent = clockText(clocks.left[colour]);
    place.classList.toggle('running', clocks.running === colour);
    place.classList.toggle('low', clocks.on && clocks.left[colour] < 20);
  }
}

/** Has the engine move if it is its turn, and the clock of the reader run if it is not. */
async function think() {
  const { now } = game;
  if (!now || mode() !== 'play' || !game.atEnd || now.outcome || game.ended) return;
  const turn = now.side_to_move;
  if (game.line.length > 0) clocks.start(turn);
  if (turn === mine()) return;
  const { level, strategy, threads } = state.values;
  thinking = true;
  showPlayers();
  try {
    const clock = clocks.on ? { left: clocks.left[turn], increment: clocks.increment } : null;
    const answer = await opponent.move(game, { level, strategy, threads }, clock);
    if (!answer?.best) return;
    standing = answer.mate === null ? answer.centipawns : null;
    thinking = false;
    clocks.press(turn);
    if (!(await game.play(answer.best.uci))) return;
    announce(`${sanInWords(answer.best.san)}`);
    const next = game.now?.moves.find(({ uci }) => uci === premove || uci === `${premove}q`);
    keep();
    show();
    if (!game.now?.outcome) clocks.start(other(turn));
    else clocks.stop();
    if (next) tryMove(next.uci);
  } catch (error) {
    thinking = false;
    showPlayers();
    byId('status').textContent = explain(error);
  }
}

/** Makes a move of the reader. @param {string} text */
async function move(text) {
  const turn = game.now?.side_to_move ?? 'white';
  if (mode() === 'play' && (!game.atEnd || turn !== mine() || game.ended)) throw new Error(game.atEnd ? 'it is not your move' : 'go to the end of the game first');
  opponent.stop();
  if (!(await game.play(text))) return;
  if (mode() === 'play') clocks.press(turn);
  keep('push');
  show();
  think();
}

/** Shows another place of the game. @param {import('./chess/game.js').Place} place */
async function goTo(place) {
  byId('move-fault').textContent = '';
  if (!(await game.show(place))) return;
  keep();
  show();
  announce(game.at ? sanInWords(game.here.san) : 'start of the game');
}

/** Shows another place of the line. @param {number} at */
async function go(at) {
  const place = Math.max(0, Math.min(at, game.line.length));
  if (place !== game.aim) await goTo(game.line[place - 1] ?? game.root);
}

/** Plays moves of a line of the engine on the analysis board. @param {string[]} moves */
async function playLine(moves) {
  if (mode() !== 'analyse') return;
  if (await game.play(...moves)) {
    keep('push');
    show();
  }
}

/** Ends the game as its moves do not say. @param {{ winner: Colour | null, text: string }} how */
function end(how) {
  game.ended = how;
  opponent.stop();
  clocks.stop();
  thinking = false;
  keep();
  show();
  announce(how.text);
}

/** Offers the engine a draw, which it takes in a level position after ten moves of each side. */
function offerDraw() {
  const level = standing !== null && Math.abs(standing) <= 30 && game.line.length >= 20;
  if (level) end({ winner: null, text: 'the engine accepts a draw' });
  else {
    byId('status').textContent = 'The engine plays on.';
    announce('The engine plays on.');
  }
}

/** Takes back the reader's last move, with the answer of the engine. */
async function takeBack() {
  opponent.stop();
  thinking = false;
  clocks.stop();
  const last = game.line.at(-1);
  const plies = parseFen(last?.fen ?? game.start)?.turn === mine() ? 2 : 1;
  if (!(await game.cut(Math.max(1, game.line.length - plies + 1), false))) return;
  keep();
  show();
  announce('Taken back');
  think();
}

/** Shows a good move for the side to move. */
async function hint() {
  const place = byId('status');
  place.textContent = 'Looking for a good move …';
  try {
    const [fen, moves] = game.reached();
    const request = { ...(fen !== START && { fen }), moves, time: 0.7 };
    const answer = await hinting((signal) => ask('chess move', request, signal));
    if (!answer?.best || answer.fen !== game.now?.fen) return;
    extra = [moveArrow(answer.best.uci, 'hint')];
    board.arrows?.show(extra);
    replace(place, 'Hint: ', html('b', {}, answer.best.san), html('span', { class: 'muted' }, ` ${scoreInWords(answer)}`));
  } catch (error) {
    place.textContent = explain(error);
  }
}

/** Shows what the opponent would play if it were its move. */
async function threat() {
  const setup = parseFen(game.now?.fen ?? '');
  if (!setup || mode() === 'play') return;
  if (game.now?.check) {
    announce('no threat can be shown in check');
    return;
  }
  const fields = (game.now?.fen ?? '').split(' ');
  fields[1] = setup.turn === 'white' ? 'b' : 'w';
  fields[3] = '-';
  const answer = await hinting((signal) => ask('chess move', { fen: fields.join(' '), time: 0.5 }, signal)).catch(() => undefined);
  if (!answer?.best) return;
  extra = [moveArrow(answer.best.uci, 'threat')];
  showArrows();
  announce(`${name(other(setup.turn))} threatens ${sanInWords(answer.best.san)}`);
}

/** Has the engine search the position that is shown, where that is wanted. */
function analyse() {
  const { now } = game;
  byId('bar').hidden = mode() !== 'analyse' || !input('engine').checked;
  if (mode() !== 'analyse') analysis.stop();
  else if (!input('engine').checked) analysis.clear('The engine is off.');
  else if (!now || now.outcome) analysis.clear(now?.outcome ? sentence(now.outcome.text) : '');
  else analysis.start(now.fen, state.values.lines, state.values.threads);
}

/** @param {import('./chess/analysis.js').Update | null} update */
function showAnalysis(update) {
  const best = update?.lines[0];
  const bar = byId('bar');
  const fill = bar.firstElementChild;
  if (best && fill instanceof HTMLElement) {
    fill.style.height = `${100 * (board.orientation === 'white' ? share(best) : 1 - share(best))}%`;
    bar.classList.toggle('turned', board.orientation === 'black');
    bar.setAttribute('aria-label', `evaluation: ${scoreInWords(best)}`);
  }
  showArrows();
}

function showArrows() {
  const lines = arrowsShown && mode() === 'analyse' ? (analysis.update?.lines ?? []) : [];
  const arrows = lines.flatMap(({ uci }, i) => (uci[0] ? [moveArrow(uci[0], i === 0 ? 'best' : 'second', lines.length > 1 ? String(i + 1) : undefined)] : []));
  board.arrows?.show([...arrows.reverse(), ...extra]);
}

/** Shows the exact values of a position with few pieces. @param {string} fen */
async function showTables(fen) {
  const place = byId('table-answer');
  const answer = await standard(fen).catch(() => null);
  if (fen !== game.now?.fen || mode() !== 'analyse') return;
  const value = answer ? classOf(answer.category) : 'unknown';
  if (!answer || value === 'unknown') {
    const { pieces } = game.now;
    replace(place, pieces <= 4 && html('p', { class: 'small muted' }, 'Exact values: ', html('a', { href: endgameAddress(fen) }, 'see the page of endgames'), ', which can build the table.'));
    return;
  }
  board.showMarks(marksOf(answer));
  const point = (/** @type {import('./chess/tablebase.js').TableMove | null} */ each) => {
    extra = each ? [moveArrow(each.uci, 'hint')] : [];
    showArrows();
  };
  replace(place,
    html('h3', {}, `Exact: ${name(parseFen(fen)?.turn ?? 'white')} ${value === 'win' ? 'wins' : value === 'loss' ? 'loses' : 'draws'}`, html('span', { class: 'muted' }, ` ${value === 'draw' ? '' : distance(answer)}`)),
    moveGroups(answer, { play: (each) => tryMove(each.uci), point }),
    html('a', { href: endgameAddress(fen) }, 'More on the page of endgames'));
}

/** @param {string} fen */
function endgameAddress(fen) {
  return `${place('endgames')}?fen=${encodeURIComponent(fen)}`;
}

function showGraph() {
  const place = byId('graph');
  const found = scored();
  place.hidden = found.length < 2;
  if (!place.hidden) drawGraph(place, found, game.at, go);
}

/** Evaluates every position of the game. */
async function evaluate() {
  const place = byId('review-text');
  const started = button('review');
  started.disabled = true;
  try {
    const moves = game.moves.join();
    const done = await review.run(game, (found) => {
      scores = { moves, found };
      place.textContent = `${found.filter(Boolean).length} of ${found.length} positions`;
      showGraph();
    });
    if (!done) return;
    const all = [...judged().values()];
    const of = (/** @type {string} */ text) => all.filter((each) => each.text === text).length;
    place.textContent = `Blunders (??): ${of('blunder')}, mistakes (?): ${of('mistake')}, inaccuracies (?!): ${of('inaccuracy')}.`;
    showMoves(byId('moves'), game, goTo, judged());
  } catch (error) {
    place.textContent = explain(error);
  } finally {
    started.disabled = false;
  }
}

/** Takes a move of the board or the text field. @param {string} text */
async function tryMove(text) {
  byId('move-fault').textContent = '';
  try {
    await move(text);
    return true;
  } catch (error) {
    byId('move-fault').textContent = explain(error);
    show(false);
    return false;
  }
}

/** Shows a position as a new game without moves. @param {string} fen @param {'push' | 'replace'} [step] */
async function openFen(fen, step = 'replace') {
  forget();
  state.set({ fen, moves: '', at: -1 }, step);
  opponent.stop();
  if (mode() === 'edit') showEdit(fen, '');
  await open();
}

/** Shows a position that may be illegal in the editor. @param {string} fen @param {string} fault */
function showEdit(fen, fault) {
  editor.load(fen);
  board.show({ fen });
  byId('edit-fault').textContent = fault;
  byId('status').textContent = 'Set up a position';
  button('edit-analyse').disabled = button('edit-play').disabled = fault !== '';
}

/** @param {'play' | 'analyse' | 'edit'} next */
function setMode(next) {
  if (next !== mode()) state.set({ mode: next }, 'push');
  opponent.stop();
  clocks.stop();
  thinking = false;
  showMode();
  if (next === 'edit' && game.now) openFen(game.now.fen);
  else {
    show();
    think();
  }
}

/** Shows the panels of the mode. */
function showMode() {
  const current = mode();
  for (const radio of document.querySelectorAll('input[name="mode"]')) {
    if (radio instanceof HTMLInputElement) radio.checked = radio.value === current;
  }
  byId('play-panel').hidden = current !== 'play';
  byId('analyse-panel').hidden = current !== 'analyse';
  byId('edit-panel').hidden = current !== 'edit';
  byId('game-panel').hidden = current === 'edit';
  button('to-analysis').hidden = current !== 'play';
  button('take-back').hidden = current !== 'play';
  button('hint').hidden = current === 'edit';
  for (const each of document.querySelectorAll('.step-tools')) each.toggleAttribute('hidden', current === 'edit');
  board.editing = current === 'edit';
  if (current === 'edit') editor.load(state.values.fen);
}

/** Shows the settings that the address holds. */
function showSettings() {
  const { level, side, clock, strategy, threads, lines } = state.values;
  input('level').value = String(level);
  byId('level-text').textContent = levelText(level);
  for (const radio of document.querySelectorAll('input[name="side"]')) {
    if (radio instanceof HTMLInputElement) radio.checked = radio.value === side;
  }
  select('clock').value = clock;
  select('strategy').value = strategy;
  input('threads').value = String(threads);
  select('lines').value = String(lines);
}

/** Begins a game from the initial position, or from the one that the game began with. @param {string} fen */
async function newGame(fen) {
  opponent.stop();
  review.stop();
  thinking = false;
  byId('review-text').textContent = '';
  clocks.reset(state.values.clock);
  forget();
  state.set({ fen, moves: '', at: -1, mode: 'play', flip: false }, 'push');
  showMode();
  await open();
}

/** @param {string} id @param {() => void} action */
const onClick = (id, action) => byId(id).addEventListener('click', action);
/** @param {string} id @param {(event: Event) => void} action */
const onSubmit = (id, action) => byId(id).addEventListener('submit', (event) => (event.preventDefault(), action(event)));

/** Sets the move that follows the engine's; none if empty. @param {string} squares */
function prepare(squares) {
  premove = squares;
  show(false);
  announce(squares ? `Then ${squares.slice(0, 2)} to ${squares.slice(2)}` : 'No move follows');
}
board.addEventListener('premove', (event) => prepare(/** @type {CustomEvent} */ (event).detail));
document.addEventListener('keydown', ({ key }) => key === 'Escape' && premove && prepare(''));
board.addEventListener('pointerdown', () => {
  if (mode() === 'play' && !game.atEnd) byId('move-fault').textContent = 'Go to the end of the game to play on, or to Analyse for other moves.';
});
board.addEventListener('move', (event) => tryMove(/** @type {CustomEvent} */ (event).detail.uci));
onClick('hint', hint);
onClick('take-back', takeBack);
onClick('resign', () => end({ winner: other(mine()), text: `${name(mine())} resigned` }));
onClick('draw', offerDraw);
onClick('share', async () => {
  if (navigator.share) await navigator.share({ title: document.title, url: location.href }).catch(() => undefined);
  else await copy(location.href, 'Address of this game');
});
onClick('first', () => go(0));
onClick('back', () => go(game.aim - 1));
onClick('forward', () => go(game.aim + 1));
onClick('last', () => go(game.line.length));
onClick('cut', async () => {
  if (!(await game.cut())) return;
  keep('push');
  show();
  announce('Deleted');
});
onClick('promote', () => {
  game.promote();
  keep('push');
  show(false);
  announce('This is the main line now');
});
const flip = () => (state.set({ flip: !state.values.flip }), show(false));
onClick('flip', flip);
onClick('new-game', () => newGame(START));
onClick('to-analysis', () => setMode('analyse'));
onClick('review', evaluate);
onClick('edit-start', () => openFen(START));
onClick('edit-clear', () => openFen(ONLY_KINGS));
onClick('edit-analyse', () => setMode('analyse'));
onClick('edit-play', () => (state.set({ side: parseFen(game.start)?.turn ?? 'white' }), showSettings(), newGame(game.start)));
const keys = byId('keys', HTMLDialogElement);
onClick('help', () => keys.showModal());
for (const radio of document.querySelectorAll('input[name="mode"]')) {
  radio.addEventListener('change', () => radio instanceof HTMLInputElement && setMode(/** @type {any} */ (radio.value)));
}
for (const radio of document.querySelectorAll('input[name="side"]')) {
  radio.addEventListener('change', () => {
    if (!(radio instanceof HTMLInputElement)) return;
    state.set({ side: radio.value, flip: false });
    opponent.stop();
    thinking = false;
    show(false);
    think();
  });
}
input('level').addEventListener('input', () => {
  state.set({ level: Number(input('level').value) });
  byId('level-text').textContent = levelText(state.values.level);
  showPlayers();
});
input('level').addEventListener('change', () => announce(levelText(state.values.level)));
select('clock').addEventListener('change', () => {
  state.set({ clock: select('clock').value });
  clocks.reset(state.values.clock);
  game.ended = null;
  show(false);
});
select('strategy').addEventListener('change', () => state.set({ strategy: select('strategy').value }));
input('threads').addEventListener('change', () => state.set({ threads: Math.max(1, Math.min(64, Math.floor(Number(input('threads').value)) || 1)) }));
select('lines').addEventListener('change', () => (state.set({ lines: Number(select('lines').value) }), analyse()));
input('engine').addEventListener('change', analyse);
onSubmit('type-move', async () => {
  const field = input('move-text');
  if (field.value.trim() && (await tryMove(field.value.trim()))) field.value = '';
});
onSubmit('fen-form', async () => {
  const fen = input('fen').value.trim().replaceAll('_', ' ');
  notice(byId('fen-fault'), 'bad', '');
  try {
    const read = await position(fen);
    await openFen(read.start_fen, 'push');
    if (read.notes) notice(byId('fen-fault'), 'info', read.notes.join(' '));
  } catch (error) {
    notice(byId('fen-fault'), 'bad', explain(error));
  }
});
/** Reads a game of a text; one that has no moves is refused, and the board stays as it is. @param {string} pgn @param {number} number */
async function openPgn(pgn, number) {
  notice(byId('pgn-fault'), 'bad', '');
  try {
    /** @type {import('./chess/game.js').Position} */
    const read = await ask('chess position', { pgn, number });
    const games = read.games ?? [];
    if (read.history.length === 0 && read.start_fen === START) {
      notice(byId('pgn-fault'), 'bad', 'This game has no moves: expected a game in PGN.');
      return;
    }
    source = { pgn, number };
    state.kept = read.pgn;
    replace(select('pgn-game'), games.map((title, i) => html('option', { value: String(i + 1), selected: i + 1 === number }, `${i + 1}. ${title}`)));
    byId('pgn-games').hidden = games.length < 2;
    if (read.notes) notice(byId('pgn-fault'), 'info', read.notes.join(' '));
    state.set({ fen: read.start_fen, moves: read.history.map(({ uci }) => uci).join(','), at: 0, mode: 'analyse' }, 'push');
    showMode();
    await open();
  } catch (error) {
    notice(byId('pgn-fault'), 'bad', explain(error));
  }
}
onSubmit('pgn-form', () => openPgn(byId('pgn', HTMLTextAreaElement).value, 1));
select('pgn-game').addEventListener('change', () => openPgn(source.pgn, Number(select('pgn-game').value)));
onClick('copy-fen', () => copy(game.now?.fen ?? '', 'FEN'));
onClick('copy-pgn', async () => copy(await game.pgn(), 'PGN'));
onClick('save-pgn', async () => download('game.pgn', await game.pgn(), 'application/x-chess-pgn'));
state.onReturn(() => {
  opponent.stop();
  thinking = false;
  showSettings();
  showMode();
  open();
});

pageKeys({
  ArrowLeft: () => go(game.aim - 1),
  k: () => go(game.aim - 1),
  ArrowRight: () => go(game.aim + 1),
  j: () => go(game.aim + 1),
  ArrowUp: () => go(0),
  Home: () => go(0),
  ArrowDown: () => go(game.line.length),
  End: () => go(game.line.length),
  f: flip,
  h: () => button('hint').disabled || hint(),
  l: () => {
    if (mode() !== 'analyse') return;
    input('engine').checked = !input('engine').checked;
    analyse();
    announce(input('engine').checked ? 'Engine on' : 'Engine off');
  },
  ' ': () => {
    const best = analysis.update?.lines[0]?.uci[0];
    if (mode() === 'analyse' && best) tryMove(best);
  },
  x: threat,
  a: () => {
    arrowsShown = !arrowsShown;
    showArrows();
  },
  '?': () => keys.showModal(),
});

showSettings();
clocks.reset(state.values.clock);
showMode();
open();
ready();
