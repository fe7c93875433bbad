/**
 * `<chess-board>`: a chess board that is played on with mouse, touch or keys, or set up in its editing mode.
 *
 * The board knows no rules: it offers the legal moves that it was given.
 * @module
 */

import { announce, html, svg } from '../dom.js';
import { Arrows } from './arrows.js';
import { formatPlacement, lineInWords, parseFen, pieceName, pieceOf, piecesInWords, ROLE_NAMES, sanInWords, squareIndex, squareName, START } from './fen.js';
import { drawPiece } from './pieces.js';
import { choosePromotion } from './promotion.js';

/**
 * @typedef {import('./pieces.js').Piece} Piece
 * @typedef {import('./pieces.js').Role} Role
 * @typedef {import('./pieces.js').Colour} Colour
 * @typedef {{ uci: string, san: string, capture?: boolean }} LegalMove
 * @typedef {'win' | 'draw' | 'loss'} Mark value of a move for the side that makes it
 * @typedef {{ element: SVGGElement, piece: Piece, square: number }} DrawnPiece
 *
 * @typedef {object} View what the board shows
 * @property {string} fen
 * @property {LegalMove[]} [legal]
 * @property {string | null} [lastMove] in UCI notation
 * @property {boolean} [check] whether the side to move is in check
 * @property {Colour | 'both' | 'none'} [movable] whose pieces the reader may move
 * @property {string} [premove] while the other side thinks: the move that is to follow, in squares (`e2e4`), or empty; undefined where none can be entered
 */

/** A pointer that moves less than this many pixels taps. */
const THRESHOLD = 4;

export class ChessBoard extends HTMLElement {
  /** @type {SVGGElement[]} the cell of each square */
  #cells = [];
  /** @type {DrawnPiece[]} */
  #pieces = [];
  /** @type {View} */
  #view = { fen: START };
  /** @type {Colour} */
  #orientation = 'white';
  #selected = -1;
  #focused = 4;
  /** Whether the pointer chose the focused square, not keys. */
  #pointed = false;
  #editing = false;
  /** The piece that a click sets in the editing mode, or what it does instead. @type {Piece | 'erase' | 'move'} */
  brush = 'move';
  /** @type {{ square: number, drawn: DrawnPiece | null, x: number, y: number, wasSelected: boolean, dragging: boolean, id: number } | null} */
  #held = null;
  #readyCalled = false;
  /** Values of moves by their UCI notation, shown where a piece can go. @type {Map<string, Mark>} */
  marks = new Map();
  squares = /** @type {import('./fen.js').Squares} */ ([]);

  connectedCallback() {
    if (this.#readyCalled) return;
    this.#readyCalled = true;
    this.classList.add('chess-board');
    this.cellLayer = svg('g', { class: 'cells' });
    this.nameLayer = svg('g', { class: 'coordinates', 'aria-hidden': 'true' });
    this.underLayer = svg('g', { class: 'under', 'aria-hidden': 'true' });
    this.pieceLayer = svg('g', { class: 'pieces', 'aria-hidden': 'true' });
    this.markLayer = svg('g', { class: 'marks', 'aria-hidden': 'true' });
    const arrowLayer = svg('g', { class: 'arrows', 'aria-hidden': 'true' });
    this.picture = svg('svg', { viewBox: '0 0 800 800', role: 'grid', 'aria-label': this.getAttribute('label') ?? 'Chess board' },
      this.cellLayer, this.underLayer, this.nameLayer, this.pieceLayer, arrowLayer, this.markLayer);
    this.append(this.picture);
    this.arrows = new Arrows(arrowLayer, (square) => this.centre(square));
    this.#drawCells();
    this.#listen();
    this.show(this.#view);
  }

  /** The side at the bottom. */
  get orientation() {
    return this.#orientation;
  }

  set orientation(colour) {
    if (colour === this.#orientation) return;
    this.#orientation = colour;
    if (!this.#readyCalled) return;
    this.#drawCells();
    for (const drawn of this.#pieces) this.#put(drawn, false);
    this.#highlight();
    this.arrows?.draw();
  }

  /** Whether pieces are set up without regard to the rules. */
  get editing() {
    return this.#editing;
  }

  set editing(on) {
    this.#editing = on;
    this.classList.toggle('editing', on);
    this.#select(-1);
    this.#highlight();
  }

  /** The moves that the board offers. */
  get legal() {
    return this.#view.legal ?? [];
  }

  /**
   * Shows a position.
   * @param {View} view
   * @param {boolean} [animate]
   */
  show(view, animate = true) {
    const setup = parseFen(view.fen);
    if (!setup) return;
    const held = this.#held?.drawn;
    // The other side may move while a piece is held or selected.
    if (!held || !same(setup.squares[held.square], held.piece)) this.#cancelHold();
    const selected = same(setup.squares[this.#selected], this.squares[this.#selected]) ? this.#selected : -1;
    this.#view = view;
    this.turn = setup.turn;
    this.squares = setup.squares;
    if (!this.#readyCalled) return;
    this.#place(setup.squares, animate);
    this.#selected = this.#isMovable(selected) ? selected : -1;
    this.#highlight();
  }

  /** Shows values of moves where the selected piece can go. @param {Map<string, Mark>} marks */
  showMarks(marks) {
    this.marks = marks;
    this.#highlight();
  }

  /** The middle of a square on the picture. @param {number} square @returns {[number, number]} */
  centre(square) {
    const [file, rank] = [square % 8, Math.floor(square / 8)];
    return this.#orientation === 'white' ? [file * 100 + 50, 750 - rank * 100] : [750 - file * 100, rank * 100 + 50];
  }

  /** Moves the focus of keys to the board. */
  focus() {
    this.#cells[this.#focused]?.focus();
  }

  #drawCells() {
    const hadFocus = this.contains(document.activeElement);
    const rows = [];
    const names = [];
    for (let y = 0; y < 8; y += 1) {
      const row = svg('g', { role: 'row' });
      for (let x = 0; x < 8; x += 1) {
        const square = this.#orientation === 'white' ? (7 - y) * 8 + x : y * 8 + 7 - x;
        const dark = (x + y) % 2 === 1;
        const shade = dark ? 'dark' : 'light';
        const cell = svg('g', { role: 'gridcell', tabindex: square === this.#focused ? 0 : -1, 'data-square': squareName(square), class: `cell ${shade}` },
          svg('rect', { class: 'ground', x: x * 100, y: y * 100, width: 100, height: 100 }),
          svg('rect', { class: 'ring', x: x * 100 + 4, y: y * 100 + 4, width: 92, height: 92 }));
        this.#cells[square] = cell;
        row.append(cell);
        if (x === 0) names.push(svg('text', { x: 5, y: y * 100 + 21, class: `coordinate ${shade}` }, squareName(square).charAt(1)));
        if (y === 7) names.push(svg('text', { x: x * 100 + 95, y: 793, class: `coordinate end ${shade}` }, squareName(square).charAt(0)));
      }
      rows.push(row);
    }
    this.cellLayer?.replaceChildren(...rows);
    this.nameLayer?.replaceChildren(...names);
    if (hadFocus) this.focus();
  }

  /**
   * Puts the pieces on their squares; those that changed their square move there.
   * @param {import('./fen.js').Squares} squares
   * @param {boolean} animate
   */
  #place(squares, animate) {
    const free = this.#pieces.filter((drawn) => !same(squares[drawn.square], drawn.piece));
    const kept = this.#pieces.filter((drawn) => !free.includes(drawn));
    const taken = new Set(kept.map((drawn) => drawn.square));
    for (const [square, piece] of squares.entries()) {
      if (!piece || taken.has(square)) continue;
      const distance = (/** @type {DrawnPiece} */ drawn) => Math.hypot((drawn.square % 8) - (square % 8), Math.floor(drawn.square / 8) - Math.floor(square / 8));
      const [nearest] = free.filter((drawn) => same(drawn.piece, piece)).sort((a, b) => distance(a) - distance(b));
      if (nearest) {
        free.splice(free.indexOf(nearest), 1);
        nearest.square = square;
        this.pieceLayer?.append(nearest.element);
        this.#put(nearest, animate);
        kept.push(nearest);
      } else {
        const drawn = { element: drawPiece(piece), piece, square };
        this.pieceLayer?.append(drawn.element);
        this.#put(drawn, false);
        kept.push(drawn);
      }
    }
    for (const drawn of free) drawn.element.remove();
    this.#pieces = kept;
  }

  /** @param {DrawnPiece} drawn @param {boolean} animate */
  #put({ element, square }, animate) {
    const [x, y] = this.centre(square);
    element.classList.toggle('moving', animate);
    element.style.transform = `translate(${x - 50}px, ${y - 50}px)`;
  }

  /** Whether the reader may move the piece of a square. @param {number} square */
  #isMovable(square) {
    const piece = this.squares[square];
    if (!piece) return false;
    if (this.#editing) return true;
    const { movable = 'none', legal = [], premove } = this.#view;
    return (movable === 'both' || movable === piece.colour) && (piece.colour === this.turn ? legal.length > 0 : premove !== undefined);
  }

  /** Whether the move between two squares can be made, now or when it is the turn of its side. @param {number} from @param {number} to */
  #canMove(from, to) {
    if (this.#editing) return true;
    return this.#view.premove === undefined ? this.#movesFrom(from, to).length > 0 : this.squares[from]?.colour !== this.squares[to]?.colour;
  }

  /** @param {number} from @param {number} [to] */
  #movesFrom(from, to) {
    const start = squareName(from) + (to === undefined ? '' : squareName(to));
    const moves = this.legal.filter(({ uci }) => uci.startsWith(start));
    const [king, rook] = [this.squares[from], to === undefined ? null : this.squares[to]];
    if (moves.length > 0 || to === undefined || king?.role !== 'k' || rook?.role !== 'r' || king.colour !== rook.colour) return moves;
    // The king on its rook means castling.
    const castling = to > from ? 'O-O' : 'O-O-O';
    return this.legal.filter(({ san }) => san.replace(/[+#]/, '') === castling);
  }

  /** Draws selection, destinations, the last move, check; names the squares. */
  #highlight() {
    const { lastMove, check } = this.#view;
    const last = lastMove ? [squareIndex(lastMove), squareIndex(lastMove.slice(2))] : [];
    const checked = check ? this.squares.findIndex((piece) => piece?.role === 'k' && piece.colour === this.turn) : -1;
    const moves = this.#selected >= 0 && !this.#editing ? this.#movesFrom(this.#selected) : [];
    const under = [];
    const over = [];
    for (const square of last) under.push(this.#square(square, 'last'));
    const premove = this.#view.premove ? [squareIndex(this.#view.premove), squareIndex(this.#view.premove.slice(2))] : [];
    for (const square of premove) under.push(this.#square(square, 'premove'));
    if (checked >= 0) {
      const [x, y] = this.centre(checked);
      under.push(svg('circle', { cx: x, cy: y, r: 50, class: 'check-glow' }));
    }
    if (this.#selected >= 0) under.push(this.#square(this.#selected, 'selected'));
    const targets = new Map(moves.map((move) => [squareIndex(move.uci.slice(2)), move]));
    for (const [square, move] of targets) {
      const mark = this.marks.get(move.uci);
      const [x, y] = this.centre(square);
      if (mark) {
        over.push(svg('g', { class: `target ${mark}` }, svg('circle', { cx: x, cy: y, r: 23 }), svg('path', { d: SIGNS[mark], transform: `translate(${x} ${y})` })));
      } else if (this.squares[square]) {
        over.push(svg('circle', { cx: x, cy: y, r: 44, class: 'target take' }));
      } else {
        over.push(svg('circle', { cx: x, cy: y, r: 15, class: 'target quiet' }));
      }
    }
    this.underLayer?.replaceChildren(...under);
    this.markLayer?.replaceChildren(...over);
    for (const [square, cell] of this.#cells.entries()) {
      const piece = this.squares[square];
      const words = [squareName(square), piece ? pieceName(piece) : 'empty'];
      if (square === checked) words.push('in check');
      if (square === this.#selected) words.push('selected');
      if (premove.includes(square)) words.push(square === premove[0] ? 'moves next' : 'next move goes here');
      const move = targets.get(square);
      if (move) words.push(piece?.colour === this.turn ? 'castles with the king' : piece ? 'can be taken' : 'can move here');
      const mark = move && this.marks.get(move.uci);
      if (mark) words.push(mark === 'draw' ? 'draws' : mark === 'win' ? 'wins' : 'loses');
      cell.setAttribute('aria-label', words.join(', '));
      cell.setAttribute('aria-selected', String(square === this.#selected));
      cell.tabIndex = square === this.#focused ? 0 : -1;
      cell.classList.toggle('reachable', targets.has(square));
      cell.classList.toggle('movable', this.#isMovable(square));
    }
  }

  /** @param {number} square @param {string} name of its class */
  #square(square, name) {
    const [x, y] = this.centre(square);
    return svg('rect', { class: name, x: x - 50, y: y - 50, width: 100, height: 100 });
  }

  /** @param {number} square */
  #select(square) {
    this.#selected = square;
    this.#highlight();
    this.dispatchEvent(new CustomEvent('select', { detail: { square: square < 0 ? null : squareName(square) } }));
  }

  /**
   * Makes the move between two squares if it is legal, after the choice of a promotion.
   * @param {number} from
   * @param {number} to
   * @param {boolean} [dropped] the piece is at its new place already
   */
  async #tryMove(from, to, dropped = false) {
    if (this.#editing) {
      if (from === to) return;
      const squares = this.squares.slice();
      squares[to] = squares[from] ?? null;
      squares[from] = null;
      this.#edited(squares);
      return;
    }
    if (this.#view.premove !== undefined) {
      this.#select(-1);
      const drawn = this.#pieces.find((each) => each.square === from);
      if (drawn) this.#put(drawn, true);
      this.dispatchEvent(new CustomEvent('premove', { detail: squareName(from) + squareName(to) }));
      return;
    }
    const moves = this.#movesFrom(from, to);
    /** @type {LegalMove | undefined} */
    let move = moves[0];
    this.#select(-1);
    if (moves.length > 1) {
      const roles = moves.map(({ uci }) => /** @type {Role} */ (uci.charAt(4)));
      const role = await choosePromotion(this, to, this.squares[from]?.colour ?? 'white', roles);
      move = moves.find(({ uci }) => uci.charAt(4) === role);
    }
    const drawn = this.#pieces.find((each) => each.square === from);
    if (!move) {
      if (drawn) this.#put(drawn, true);
      return;
    }
    if (dropped && drawn) {
      // The piece stays where it was let go while the page answers.
      const [x, y] = this.centre(to);
      drawn.element.classList.remove('moving');
      drawn.element.style.transform = `translate(${x - 50}px, ${y - 50}px)`;
    }
    this.#focused = to;
    this.dispatchEvent(new CustomEvent('move', { detail: { uci: move.uci, san: move.san } }));
  }

  /** Reports the pieces after an edit. @param {import('./fen.js').Squares} squares */
  #edited(squares) {
    this.#select(-1);
    this.dispatchEvent(new CustomEvent('edit', { detail: { placement: formatPlacement(squares) } }));
  }

  /** What a tap or Enter on a square does. @param {number} square @param {boolean} wasSelected */
  #activate(square, wasSelected) {
    if (this.#editing && this.brush !== 'move') {
      const squares = this.squares.slice();
      const brush = this.brush === 'erase' ? null : this.brush;
      squares[square] = same(squares[square], brush) ? null : brush;
      this.#edited(squares);
    } else if (this.#selected >= 0 && this.#selected !== square && this.#canMove(this.#selected, square)) {
      this.#tryMove(this.#selected, square);
    } else if (this.#view.premove) {
      this.dispatchEvent(new CustomEvent('premove', { detail: '' }));
    } else if (this.#isMovable(square) && !wasSelected) {
      this.#select(square);
    } else if (this.#selected >= 0) {
      this.#select(-1);
    }
  }

  #cancelHold() {
    const held = this.#held;
    this.#held = null;
    this.classList.remove('dragging');
    if (!held?.drawn) return;
    held.drawn.element.classList.remove('dragged');
    if (this.#pieces.includes(held.drawn)) this.#put(held.drawn, true);
  }

  /** The square under a pointer; -1 beside the board. The picture is measured each time, as the page may have moved. @param {PointerEvent} event */
  #squareAt(event) {
    const { x, y } = this.#point(event);
    if (x < 0 || y < 0 || x >= 800 || y >= 800) return -1;
    const [file, rank] = [Math.floor(x / 100), 7 - Math.floor(y / 100)];
    return this.#orientation === 'white' ? rank * 8 + file : 63 - (rank * 8 + file);
  }

  /** @param {PointerEvent} event */
  #point(event) {
    const matrix = this.picture?.getScreenCTM();
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix?.inverse());
  }

  #listen() {
    const picture = this.picture;
    if (!picture) return;
    picture.addEventListener('pointerdown', (event) => {
      const square = this.#squareAt(event);
      if (square < 0 || this.#held) return;
      if (event.button === 2 || (event.button === 0 && event.shiftKey)) {
        this.arrows?.begin(square, event.ctrlKey ? 'red' : event.altKey ? 'blue' : 'green');
        picture.setPointerCapture(event.pointerId);
        return;
      }
      if (event.button !== 0) return;
      this.#pointed = true;
      this.arrows?.clear();
      const drawn = this.#isMovable(square) && (!this.#editing || this.brush === 'move') ? (this.#pieces.find((each) => each.square === square) ?? null) : null;
      const wasSelected = this.#selected === square;
      this.#held = { square, drawn, x: event.clientX, y: event.clientY, wasSelected, dragging: false, id: event.pointerId };
      if (drawn && !wasSelected && (this.#selected < 0 || !this.#canMove(this.#selected, square))) this.#select(square);
      this.#focused = square;
      picture.setPointerCapture(event.pointerId);
    });
    picture.addEventListener('pointermove', (event) => {
      this.arrows?.follow(this.#squareAt(event));
      const held = this.#held;
      if (!held?.drawn || event.pointerId !== held.id) return;
      if (!held.dragging && Math.hypot(event.clientX - held.x, event.clientY - held.y) < THRESHOLD) return;
      if (!held.dragging) {
        held.dragging = true;
        if (this.#selected !== held.square) this.#select(held.square);
        this.classList.add('dragging');
        held.drawn.element.classList.add('dragged');
        held.drawn.element.classList.remove('moving');
        this.pieceLayer?.append(held.drawn.element);
      }
      const { x, y } = this.#point(event);
      held.drawn.element.style.transform = `translate(${x - 50}px, ${y - 50}px)`;
    });
    picture.addEventListener('pointerup', (event) => {
      const square = this.#squareAt(event);
      if (this.arrows?.end(square)) return;
      const held = this.#held;
      if (!held || event.pointerId !== held.id) return;
      this.#held = null;
      this.classList.remove('dragging');
      held.drawn?.element.classList.remove('dragged');
      if (!held.dragging) {
        if (square === held.square) this.#activate(square, held.wasSelected);
        return;
      }
      if (this.#editing && square < 0) {
        const squares = this.squares.slice();
        squares[held.square] = null;
        this.#edited(squares);
      } else if (square >= 0 && square !== held.square && (this.#view.premove !== undefined || this.#canMove(held.square, square))) {
        this.#tryMove(held.square, square, true);
      } else if (held.drawn) {
        this.#put(held.drawn, true);
        if (square !== held.square) this.#select(-1);
      }
    });
    // Chromium scrolls from parts of an SVG picture in spite of their `touch-action`.
    picture.addEventListener('touchstart', (event) => {
      if (this.#held?.drawn && event.cancelable) event.preventDefault();
    }, { passive: false });
    const cancel = () => (this.arrows?.cancel(), this.#cancelHold());
    picture.addEventListener('pointercancel', cancel);
    picture.addEventListener('lostpointercapture', () => this.#held?.dragging && cancel());
    picture.addEventListener('contextmenu', (event) => event.preventDefault());
    picture.addEventListener('keydown', (event) => this.#key(event));
    picture.addEventListener('focusin', (event) => {
      const cell = event.target instanceof Element ? event.target.closest('[data-square]') : null;
      if (cell) this.#focused = squareIndex(cell.getAttribute('data-square') ?? '');
    });
    // Whoever comes by Tab moves a cursor over the squares; after a click these keys are those of the page.
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Tab') this.#pointed = false;
    });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const turn = this.#orientation === 'white' ? 1 : -1;
    const step = { ArrowLeft: -turn, ArrowRight: turn, ArrowUp: 8 * turn, ArrowDown: -8 * turn }[event.key];
    const square = this.#focused;
    if (this.#pointed && !this.#editing && (step !== undefined || event.key === 'Home' || event.key === 'End')) return;
    if (step !== undefined) {
      const next = square + step;
      const sameLine = Math.abs(step) === 8 || Math.floor(next / 8) === Math.floor(square / 8);
      if (next >= 0 && next < 64 && sameLine) this.#focusOn(next);
    } else if (event.key === 'Home') this.#focusOn(square - (square % 8) + (turn > 0 ? 0 : 7));
    else if (event.key === 'End') this.#focusOn(square - (square % 8) + (turn > 0 ? 7 : 0));
    else if (event.key === 'Enter' || event.key === ' ') this.#activate(square, this.#selected === square);
    else if (event.key === 'Escape' && (this.#held || this.#selected >= 0)) {
      this.#cancelHold();
      this.#select(-1);
    } else if (this.#editing && this.#editKey(event.key, square)) {
      // A letter sets a piece.
    } else if (event.key === 'o') announce(this.inWords());
    else if (event.key === 'l') announce(this.#lastInWords());
    else if (event.key === 'm') announce(this.#movesInWords());
    else if (event.key === 'r') announce(`Rank ${squareName(square).charAt(1)}: ${lineInWords(this.squares, (i) => square - (square % 8) + i)}`);
    else if (event.key === 'c') announce(`File ${squareName(square).charAt(0)}: ${lineInWords(this.squares, (i) => (square % 8) + 8 * i)}`);
    else return;
    event.preventDefault();
  }

  /** @param {string} key @param {number} square @returns {boolean} whether the key means something */
  #editKey(key, square) {
    const piece = key.length === 1 ? pieceOf(key) : null;
    const erases = key === 'Delete' || key === 'Backspace';
    if (!piece && !erases) return false;
    const squares = this.squares.slice();
    squares[square] = piece;
    this.#edited(squares);
    return true;
  }

  /** @param {number} square */
  #focusOn(square) {
    this.#cells[this.#focused]?.setAttribute('tabindex', '-1');
    this.#focused = square;
    this.#cells[square]?.setAttribute('tabindex', '0');
    this.#cells[square]?.focus();
  }

  /** The position in words. */
  inWords() {
    return `White: ${piecesInWords(this.squares, 'white')}. Black: ${piecesInWords(this.squares, 'black')}. ${this.turn === 'black' ? 'Black' : 'White'} to move.`;
  }

  #lastInWords() {
    const last = this.#view.lastMove;
    if (!last) return 'No move was made yet';
    const piece = this.squares[squareIndex(last.slice(2))];
    return `${piece ? pieceName(piece) : 'piece'} from ${last.slice(0, 2)} to ${last.slice(2, 4)}`;
  }

  #movesInWords() {
    if (this.#selected < 0) return `${this.legal.length} legal moves. Select a piece to hear its moves`;
    const name = ROLE_NAMES[this.squares[this.#selected]?.role ?? 'p'];
    const moves = this.#movesFrom(this.#selected).map(({ san }) => sanInWords(san));
    return moves.length ? moves.join('; ') : `this ${name} has no legal move`;
  }
}

/** Signs of the values of moves, about the origin. @type {Record<Mark, string>} */
const SIGNS = { win: 'M-9 1L-3 8L10 -8', draw: 'M-9 -5H9M-9 5H9', loss: 'M-8 -8L8 8M8 -8L-8 8' };

/** @param {Piece | null | undefined} a @param {Piece | null | undefined} b */
function same(a, b) {
  return Boolean(a && b && a.role === b.role && a.colour === b.colour);
}

customElements.define('chess-board', ChessBoard);

/** A small board that only shows a position. @param {string} fen @param {string} label @param {Colour} [orientation] */
export function diagram(fen, label, orientation = 'white') {
  const setup = parseFen(fen);
  const picture = svg('svg', { viewBox: '0 0 800 800', class: 'diagram', role: 'img', 'aria-label': label });
  for (let i = 0; i < 64; i += 1) {
    const square = orientation === 'white' ? i : 63 - i;
    const [x, y] = [(i % 8) * 100, 700 - Math.floor(i / 8) * 100];
    picture.append(svg('rect', { x, y, width: 100, height: 100, class: ((i % 8) + Math.floor(i / 8)) % 2 ? 'light' : 'dark' }));
    const piece = setup?.squares[square];
    if (piece) picture.append(svg('g', { transform: `translate(${x} ${y})` }, drawPiece(piece)));
  }
  return html('span', { class: 'diagram-place' }, picture);
}
