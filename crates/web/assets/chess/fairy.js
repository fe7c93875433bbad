/**
 * Endings of pieces by their moves on boards of any size: set up, solved, played.
 * @module
 */

import { ask, explain, ApiError, job } from '../api.js';
import { parseSize, parseSquare, squareName } from '../boards/squares.js';
import { TourBoard } from '../boards/tour-board.js';
import { announce, byId, duration, html, replace } from '../dom.js';
import { distance, moveGroups } from './tablebase.js';

/** @typedef {import('../boards/tour-board.js').Mark} Mark */
/** @typedef {{ uci: string, san: string, value: 'win' | 'draw' | 'loss', distance: number | null }} Choice */

/** What a move leaves to the opponent. @type {Record<Choice['value'], string>} */
const LEFT = { win: 'loss', draw: 'draw', loss: 'win' };

/** Letters that need no definition, shown on the palette. */
const USUAL = 'KQRBN';

/** What the panel keeps in the address: a position, definitions, rules. @typedef {{ fairy: string, pieces: string, stalemate: string, bare: string }} Fields */

/**
 * Makes the panel work.
 * @param {{ values: Fields, set: (changes: Partial<Fields>, step?: 'push' | 'replace') => void }} state
 * @returns {() => void} shows what the address describes
 */
export function fairyPanel(state) {
  const board = byId('fairy-position', TourBoard);
  const input = (/** @type {string} */ id) => byId(id, HTMLInputElement);
  const select = (/** @type {string} */ id) => byId(id, HTMLSelectElement);
  let [rows, cols] = [8, 8];
  /** Letters by square, White's as capitals. @type {Map<number, string>} */
  let men = new Map();
  let turn = 'w';
  let tool = '';
  let chosen = -1;
  /** @type {Choice[]} */
  let moves = [];
  let asked = 0;

  /** @param {string} letter */
  const isWhite = (letter) => letter === letter.toUpperCase();
  /** @param {string} letter */
  const named = (letter) => `${isWhite(letter) ? 'white' : 'black'} ${letter.toUpperCase()}`;

  /** The position, as the program reads it. */
  function text() {
    const lines = Array.from({ length: rows }, (_, line) => {
      const row = Array.from({ length: cols }, (_, col) => men.get((rows - 1 - line) * cols + col) ?? ' ').join('');
      return row.replace(/ +/g, (vacant) => String(vacant.length));
    });
    return `${lines.join('/')} ${turn}`;
  }

  /** Shows the position of a text. @param {string} fen */
  function read(fen) {
    const [placement = '', side = 'w'] = fen.trim().split(/[\s_]+/);
    const lines = placement.split('/').map((line) => line.replace(/\d+/g, (vacant) => ' '.repeat(Math.min(Number(vacant), 16))));
    [rows, cols] = [lines.length, lines[0]?.length ?? 0];
    men = new Map();
    for (const [line, row] of lines.entries()) {
      for (const [col, letter] of [...row].entries()) if (letter !== ' ') men.set((rows - 1 - line) * cols + col, letter);
    }
    turn = side;
  }

  /** The fields of a request about these pieces and rules. */
  function request() {
    const { pieces, stalemate, bare } = state.values;
    return { board: `${cols}x${rows}`, piece: pieces.split(/[\s;]+/).filter(Boolean), stalemate, bare_king: bare };
  }

  const material = () => ['K', 'k'].map((king) => {
    const own = [...men.values()].filter((letter) => isWhite(letter) === isWhite(king) && letter !== king);
    return king.toUpperCase() + own.sort().join('').toUpperCase();
  }).join('v');

  function draw() {
    /** @type {Map<number, Mark>} */
    const marks = new Map();
    for (const [square, letter] of men) marks.set(square, { kind: square === chosen ? 'good' : 'plain', text: letter, label: named(letter) });
    for (const to of targets()) marks.set(to, { kind: 'move', text: men.get(to) ?? '', label: 'possible move' });
    board.setMarks(marks);
  }

  /** Where the chosen man can go. */
  function targets() {
    return moves.map(({ uci }) => ends(uci)).filter(([from]) => from === chosen).map(([, to]) => to);
  }

  /** The squares of a move. @param {string} uci @returns {[number, number]} */
  function ends(uci) {
    const [, from = '', to = ''] = /^([a-z]+\d+)([a-z]+\d+)$/.exec(uci) ?? [];
    return [parseSquare(from, rows, cols), parseSquare(to, rows, cols)];
  }

  /** Shows a changed position and asks for its value. @param {'push' | 'replace'} step */
  function changed(step) {
    state.set({ fairy: text() }, step);
    chosen = -1;
    moves = [];
    draw();
    probe();
  }

  /** @param {string} verdict @param {string} [more] */
  function say(verdict, more = '') {
    byId('fairy-verdict').textContent = verdict;
    byId('fairy-text').textContent = more;
  }

  async function probe() {
    const number = (asked += 1);
    byId('fairy-build').hidden = true;
    replace(byId('fairy-moves'));
    const name = turn === 'w' ? 'White' : 'Black';
    try {
      const answer = await ask('tables probe', { fen: text(), ...request() });
      if (number !== asked) return;
      moves = answer.moves;
      const winner = answer.value === 'draw' ? '' : (answer.value === 'win') === (turn === 'w') ? 'White' : 'Black';
      const far = answer.dtm ? `, ${distance({ dtm: answer.dtm, dtz: null })}` : '';
      say(winner ? `${winner} wins` : 'A draw', `${name} to move${moves.length > 0 ? far : ': the game has ended'}.`);
      const groups = moves.map(({ uci, san, value, distance: dtm }) => ({ uci, san, category: LEFT[value], dtm, dtz: null, zeroing: false, checkmate: false, stalemate: false, insufficient_material: false }));
      replace(byId('fairy-moves'), moveGroups(/** @type {any} */ ({ moves: groups }), { play: ({ uci }) => play(uci), point: () => undefined }));
      draw();
    } catch (error) {
      if (number !== asked) return;
      const missing = error instanceof ApiError && error.kind === 'input' && error.field === null;
      if (missing) say('Not computed yet', `The table of ${material()} on ${cols}x${rows} holds the answer for every position with these pieces.`);
      else say('No answer', explain(error));
      byId('fairy-build').hidden = !missing;
    }
  }

  async function build() {
    const start = byId('fairy-build', HTMLButtonElement);
    start.disabled = true;
    say('Computing …');
    try {
      const progress = (/** @type {any} */ { part, fraction }) => say('Computing …', `${part ?? ''}${typeof fraction === 'number' ? ` ${Math.round(100 * fraction)} %` : ''}`);
      const answer = await job('tables build', { material: material(), no_stats: true, ...request() }, { progress });
      announce(`computed in ${duration(answer.wall_seconds ?? 0)}`);
      await probe();
    } catch (error) {
      say('The table was not built', explain(error));
    } finally {
      start.disabled = false;
    }
  }

  /** @param {string} uci */
  function play(uci) {
    const [from, to] = ends(uci);
    const letter = men.get(from);
    if (letter === undefined) return;
    men.delete(from);
    men.set(to, letter);
    turn = turn === 'w' ? 'b' : 'w';
    announce(`${named(letter)} to ${squareName(to, cols)}`);
    changed('push');
  }

  /** Sets the man of the palette on a square, or takes it away. @param {number} square */
  function set(square) {
    const same = men.get(square) === tool;
    if (tool === 'K' || tool === 'k') for (const [other, letter] of men) if (letter === tool) men.delete(other);
    if (same) men.delete(square);
    else men.set(square, tool);
    changed('replace');
  }

  board.addEventListener('square', (event) => {
    const { square } = /** @type {CustomEvent} */ (event).detail;
    if (tool) {
      set(square);
      return;
    }
    const move = moves.find(({ uci }) => ends(uci)[0] === chosen && ends(uci)[1] === square);
    if (move) {
      play(move.uci);
      return;
    }
    chosen = men.has(square) && square !== chosen ? square : -1;
    draw();
  });

  function palette() {
    const own = (state.values.pieces.match(/[A-Za-z](?==)/g) ?? []).join('').toUpperCase();
    const letters = [...new Set(USUAL + own)].join('');
    const radio = (/** @type {string} */ value) => html('label', {},
      html('input', { type: 'radio', name: 'fairy-tool', value, checked: value === tool, 'aria-label': value ? named(value) : 'play moves', onchange: () => ((tool = value), (chosen = -1), draw()) }),
      html('span', {}, value || 'Play moves'));
    if (tool && !letters.includes(tool.toUpperCase())) tool = '';
    replace(byId('fairy-palette'), ['', ...letters, ...letters.toLowerCase()].map(radio));
  }

  /** Shows what the address describes. */
  function open() {
    const { fairy, pieces, stalemate, bare } = state.values;
    read(fairy || '5k4/10/5K4/10/10/10/10/A9 w');
    if (fairy) byId('fairy-panel', HTMLDetailsElement).open = true;
    board.setBoard(rows, cols);
    input('fairy-board').value = `${cols}x${rows}`;
    input('fairy-pieces').value = pieces;
    select('fairy-stalemate').value = stalemate;
    select('fairy-bare').value = bare;
    chosen = -1;
    moves = [];
    palette();
    draw();
    if (byId('fairy-panel', HTMLDetailsElement).open) probe();
  }

  byId('fairy-form').addEventListener('submit', (event) => {
    event.preventDefault();
    const [files, ranks] = parseSize(input('fairy-board').value) ?? [0, 0];
    if (files === 0 || files > 16 || ranks > 16) {
      say('No answer', `'${input('fairy-board').value}' is no board: expected files x ranks, up to 16x16`);
      return;
    }
    // Men keep their places; those beside the board are left out.
    const kept = [...men].map(([square, letter]) => /** @type {const} */ ([square % cols, Math.floor(square / cols), letter]));
    men = new Map(kept.filter(([col, row]) => col < files && row < ranks).map(([col, row, letter]) => [row * files + col, letter]));
    [rows, cols] = [ranks, files];
    state.set({ pieces: input('fairy-pieces').value.trim(), stalemate: select('fairy-stalemate').value, bare: select('fairy-bare').value, fairy: text() }, 'push');
    open();
  });
  byId('fairy-build').addEventListener('click', build);
  byId('fairy-turn').addEventListener('click', () => {
    turn = turn === 'w' ? 'b' : 'w';
    changed('push');
  });
  byId('fairy-panel').addEventListener('toggle', () => byId('fairy-panel', HTMLDetailsElement).open && probe());
  open();
  return open;
}
