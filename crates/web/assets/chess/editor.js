/**
 * Setting up a position: a palette of pieces, the side to move, castling; used by the pages of chess and endgames.
 * @module
 */

import { html, replace, svg } from '../dom.js';
import { formatFen, parseFen, pieceName, pieceOf, possibleCastling, START } from './fen.js';
import { pieceIcon } from './pieces.js';

/** @typedef {import('./fen.js').Setup} Setup */

const HAND = 'M5 3l13 8.2-5.8 1.2L9.4 18z';
const ERASER = 'M4 15l9-9 6 6-7 7H7zM9 20h11';

export class Editor {
  /** @type {Setup} */
  setup;
  #board;
  #changed;

  /**
   * @param {import('./board.js').ChessBoard} board
   * @param {HTMLElement} place where the palette and the switches are put
   * @param {(fen: string) => void} changed called after each change by the reader
   * @param {{ castling: boolean }} options whether castling rights are asked for
   */
  constructor(board, place, changed, { castling }) {
    this.#board = board;
    this.#changed = changed;
    this.setup = /** @type {Setup} */ (parseFen(START));
    const radios = [...'KQRBNP', 'move', ...'kqrbnp', 'erase'].map((name) => this.#tool(name));
    this.turns = /** @type {const} */ (['white', 'black']).map((colour) => {
      const input = html('input', { type: 'radio', name: 'turn', value: colour, onchange: () => this.#change({ turn: colour, enPassant: '-' }) });
      return /** @type {const} */ ([colour, input]);
    });
    const names = { K: 'White O-O', Q: 'White O-O-O', k: 'Black O-O', q: 'Black O-O-O' };
    this.rights = Object.entries(names).map(([right, name]) => {
      const input = html('input', { type: 'checkbox', onchange: () => this.#readRights() });
      return /** @type {const} */ ([right, input, name]);
    });
    replace(place,
      html('fieldset', {}, html('legend', {}, 'Piece to set'), html('div', { class: 'palette' }, radios)),
      html('p', { class: 'small muted' }, 'Choose a piece and click squares; or move pieces by dragging, off the board to take them away. With keys: arrows, then K Q R B N P (Shift for White), Delete.'),
      html('fieldset', {}, html('legend', {}, 'Side to move'),
        html('div', { class: 'choice' }, this.turns.map(([colour, input]) => html('label', {}, input, html('span', {}, colour === 'white' ? 'White' : 'Black'))))),
      castling && html('details', {}, html('summary', {}, 'Castling'),
        html('div', { class: 'fields' }, this.rights.map(([, input, name]) => html('label', { class: 'check' }, input, name)))));
    board.addEventListener('edit', (event) => {
      const squares = parseFen(/** @type {CustomEvent} */ (event).detail.placement)?.squares;
      if (squares) this.#change({ squares, enPassant: '-' });
    });
  }

  /** @param {string} name a letter of FEN, `move` or `erase` */
  #tool(name) {
    const piece = name.length === 1 ? pieceOf(name) : null;
    const title = piece ? pieceName(piece) : name === 'move' ? 'move pieces' : 'erase pieces';
    const input = html('input', {
      type: 'radio',
      name: 'brush',
      value: name,
      checked: name === 'move',
      'aria-label': title,
      onchange: () => (this.#board.brush = piece ?? (name === 'erase' ? 'erase' : 'move')),
    });
    const picture = piece ? pieceIcon(piece) : svg('svg', { viewBox: '0 0 24 24', class: 'tool', 'aria-hidden': 'true' }, svg('path', { d: name === 'move' ? HAND : ERASER }));
    return html('label', { title }, input, html('span', {}, picture));
  }

  #readRights() {
    const castling = this.rights.filter(([, input]) => input.checked).map(([right]) => right).join('') || '-';
    this.#change({ castling });
  }

  /** @param {Partial<Setup>} changes */
  #change(changes) {
    const setup = { ...this.setup, ...changes };
    this.#changed(formatFen({ ...setup, castling: possibleCastling(setup) }));
  }

  /** Takes a position over. @param {string} fen */
  load(fen) {
    const setup = parseFen(fen);
    if (!setup) return;
    this.setup = setup;
    for (const [colour, input] of this.turns) input.checked = colour === setup.turn;
    const possible = possibleCastling({ ...setup, castling: 'KQkq' });
    for (const [right, input] of this.rights) {
      input.checked = setup.castling.includes(right);
      input.disabled = !possible.includes(right);
    }
  }
}
