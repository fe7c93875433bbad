/**
 * `<tour-board>`: a rectangular board, the line of a tour up to a step, and squares that can be chosen by mouse, touch
 * and keys. It knows no rules: the page sets what is shown and listens to `square` events.
 * @module
 */

import { append, replace, svg } from '../dom.js';
import { letters, squareName } from './squares.js';

/** Side of a square in units of the picture. */
const SIDE = 10;
/** Colours along the line: each part is one path. */
const PARTS = 48;

/**
 * @typedef {object} Mark what is drawn on a square
 * @property {'move' | 'good' | 'plain'} kind
 * @property {string} [text] a short text in the square
 * @property {string} [label] words for a screen reader
 */

/**
 * @typedef {object} SquareDetail of the event `square`
 * @property {number} square
 * @property {'click' | 'drag' | 'key'} by
 * @property {boolean} first whether it is the first square of a drag
 */

/**
 * The colour of a place on the line, from 0 at the start to 1 at the end.
 * @param {number} place
 */
export function lineColour(place) {
  const hue = (262 + place * 130) % 360;
  return `light-dark(oklch(${0.44 + place * 0.12} 0.17 ${hue}), oklch(${0.7 + place * 0.1} 0.15 ${hue}))`;
}

export class TourBoard extends HTMLElement {
  constructor() {
    super();
    this.rows = 8;
    this.cols = 8;
    /** @type {Set<number>} */
    this.holes = new Set();
    /** @type {number[]} */
    this.order = [];
    this.closed = false;
    /** How far along the line it is shown, in moves; may lie between two squares. */
    this.shown = 0;
    this.numbers = false;
    /** @type {Map<number, Mark>} */
    this.marks = new Map();
    /** What a drag does: nothing, choose every square it meets (`paint`), or the same when it begins on the line's end (`line`). @type {'' | 'paint' | 'line'} */
    this.drag = '';
    /** Small pictures show no coordinates and take no input. */
    this.small = false;
    /** The square of the keyboard. */
    this.at = 0;
    /** @type {SVGSVGElement | null} */
    this.picture = null;
  }

  connectedCallback() {
    if (!this.picture) this.build();
  }

  /**
   * @param {number} rows
   * @param {number} cols
   * @param {Iterable<number>} [holes] missing squares
   */
  setBoard(rows, cols, holes = []) {
    const same = rows === this.rows && cols === this.cols;
    this.rows = rows;
    this.cols = cols;
    this.holes = new Set(holes);
    if (!same) {
      this.at = 0;
      this.order = [];
      this.marks = new Map();
      this.shown = 0;
    }
    if (!same || !this.picture) this.build();
    else this.drawHoles();
  }

  /** @param {Iterable<number>} holes missing squares */
  setHoles(holes) {
    this.holes = new Set(holes);
    this.drawHoles();
  }

  drawHoles() {
    this.gaps?.setAttribute('d', [...this.holes].map((square) => this.outline(square)).join(''));
    this.labelCell();
  }

  /**
   * The line, shown as a whole unless `shown` says less.
   * @param {number[]} order squares
   * @param {boolean} closed
   * @param {number} [shown] moves
   */
  setTour(order, closed, shown) {
    this.order = order;
    this.closed = closed;
    this.shown = shown ?? this.moves;
    this.drawLine();
  }

  /** Number of moves of the line. */
  get moves() {
    return Math.max(0, this.order.length - (this.closed ? 0 : 1));
  }

  /**
   * Shows the line up to a move; a fraction is on the way to the next square.
   * @param {number} move
   */
  show(move) {
    this.shown = Math.max(0, Math.min(move, this.moves));
    this.drawProgress();
  }

  /** @param {Map<number, Mark>} marks */
  setMarks(marks) {
    this.marks = marks;
    this.drawMarks();
  }

  /** @param {boolean} numbers whether each square shows its number in the tour */
  setNumbers(numbers) {
    this.numbers = numbers;
    this.drawNumbers();
  }

  /**
   * The middle of a square in units of the picture.
   * @param {number} square
   */
  middle(square) {
    return { x: (square % this.cols) * SIDE + SIDE / 2, y: (this.rows - 1 - Math.floor(square / this.cols)) * SIDE + SIDE / 2 };
  }

  /** @param {number} square */
  name(square) {
    return squareName(square, this.cols);
  }

  build() {
    const { rows, cols } = this;
    const edge = this.small ? 0.6 : 2.1 * this.writing;
    const width = cols * SIDE;
    const height = rows * SIDE;
    const shade = [];
    for (let row = 0; row < rows; row += 1) {
      for (let col = (row + rows) % 2; col < cols; col += 2) shade.push(`M${col * SIDE} ${row * SIDE}h${SIDE}v${SIDE}h-${SIDE}z`);
    }
    this.places = { line: svg('g', { class: 'tour-line' }), marks: svg('g'), numbers: svg('g', { class: 'tour-numbers' }), head: svg('g') };
    this.cells = svg('g', { class: 'tour-cells' });
    this.gaps = svg('path', { class: 'hole' });
    // These two stay while they move: an element that disappears under a finger ends its touch.
    this.ring = svg('circle', { r: Math.max(2.7, Math.max(rows, cols) * 0.1), class: 'tour-head' });
    this.grip = svg('circle', { r: SIDE / 2, class: 'tour-grip' });
    append(this.places.head, this.ring, this.grip);
    const picture = svg(
      'svg',
      { viewBox: `${-edge} ${-0.6} ${width + edge + 0.6} ${height + edge + 0.6}`, class: 'tour-picture' },
      svg('g', { 'aria-hidden': 'true' },
        svg('rect', { width, height, class: 'pale' }),
        svg('path', { d: shade.join(''), class: 'shade' }),
        svg('rect', { width, height, class: 'border' }),
        this.gaps,
        this.small ? null : this.coordinates(),
        this.places.line, this.places.marks, this.places.numbers, this.places.head),
      this.small ? null : this.cells,
    );
    if (this.small) {
      picture.setAttribute('role', 'img');
      picture.setAttribute('aria-label', this.getAttribute('label') ?? `tour of the ${rows} by ${cols} board`);
    } else {
      picture.setAttribute('role', 'grid');
      picture.setAttribute('aria-rowcount', String(rows));
      picture.setAttribute('aria-colcount', String(cols));
      picture.setAttribute('aria-label', `board of ${rows} rows and ${cols} columns; arrow keys move, Enter chooses`);
      this.listen(picture);
    }
    this.style.setProperty('--ratio', ((width + edge) / (height + edge)).toFixed(3));
    this.picture = picture;
    replace(this, picture);
    if (!this.small) this.placeCell(false);
    this.drawHoles();
    this.drawLine();
  }

  /** @param {number} square */
  outline(square) {
    const { x, y } = this.middle(square);
    return `M${x - SIDE / 2} ${y - SIDE / 2}h${SIDE}v${SIDE}h-${SIDE}z`;
  }

  /** Size of the coordinates: about the same on the screen for boards of any size. */
  get writing() {
    return Math.max(1.7, Math.max(this.rows, this.cols) * 0.26);
  }

  coordinates() {
    const step = Math.max(this.rows, this.cols) > 26 ? 5 : 1;
    const size = this.writing;
    const group = svg('g', { class: 'coordinates', 'font-size': size });
    for (let col = 0; col < this.cols; col += step) {
      group.append(svg('text', { x: col * SIDE + SIDE / 2, y: this.rows * SIDE + size * 1.5 }, letters(col)));
    }
    for (let row = step === 1 ? 0 : 4; row < this.rows; row += step) {
      group.append(svg('text', { x: -size * 1.05, y: (this.rows - row) * SIDE - SIDE / 2 + size * 0.35 }, row + 1));
    }
    return group;
  }

  drawLine() {
    if (!this.places) return;
    const parts = Math.max(1, Math.min(PARTS, this.moves));
    this.parts = Array.from({ length: parts }, (_, part) => {
      const path = svg('path', { fill: 'none' });
      path.style.stroke = lineColour(parts === 1 ? 0 : part / (parts - 1));
      return path;
    });
    const [first] = this.order;
    const start = first === undefined ? null : this.middle(first);
    replace(this.places.line, this.parts, start && svg('circle', { cx: start.x, cy: start.y, r: 1.9, class: 'tour-start' }));
    this.drawn = Array.from({ length: parts }, () => -1);
    this.drawNumbers();
    this.drawMarks();
    this.drawProgress();
  }

  /** The point of the line after a number of moves. @param {number} move */
  point(move) {
    const count = this.order.length;
    const whole = Math.min(Math.floor(move), this.moves);
    const from = this.middle(this.order[whole % count] ?? 0);
    const to = this.middle(this.order[Math.min(whole + 1, this.moves) % count] ?? 0);
    const part = move - whole;
    return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
  }

  drawProgress() {
    if (!this.places || !this.parts || !this.drawn) return;
    const { moves, shown } = this;
    const parts = this.parts.length;
    this.parts.forEach((path, part) => {
      const from = Math.floor((part * moves) / parts);
      const to = Math.min(Math.floor(((part + 1) * moves) / parts), shown);
      const drawn = /** @type {number[]} */ (this.drawn);
      if (drawn[part] === to) return;
      drawn[part] = to;
      if (to <= from) {
        path.setAttribute('d', '');
        return;
      }
      const points = [];
      for (let move = from; move < to; move += 1) points.push(this.point(move));
      points.push(this.point(to));
      path.setAttribute('d', points.map(({ x, y }, i) => `${i ? 'L' : 'M'}${+x.toFixed(2)} ${+y.toFixed(2)}`).join(''));
    });
    const { x, y } = this.point(shown);
    const visible = this.order.length > 0 && !this.small;
    for (const part of [this.ring, this.grip]) {
      part?.setAttribute('cx', x.toFixed(2));
      part?.setAttribute('cy', y.toFixed(2));
      part?.toggleAttribute('hidden', !visible || (part === this.grip && this.drag !== 'line'));
    }
    if (this.numbers) {
      this.places.numbers.childNodes.forEach((text, i) => {
        if (text instanceof SVGElement) text.classList.toggle('later', i > shown + 1e-9);
      });
    }
  }

  drawNumbers() {
    if (!this.places) return;
    const texts = this.numbers && !this.small
      ? this.order.map((square, i) => {
          const { x, y } = this.middle(square);
          const later = i > this.shown + 1e-9;
          return svg('text', { x, y: y + 1.25, ...(later ? { class: 'later' } : {}) }, i + 1);
        })
      : [];
    replace(this.places.numbers, texts);
  }

  drawMarks() {
    if (!this.places) return;
    const shapes = [];
    for (const [square, mark] of this.marks) {
      const { x, y } = this.middle(square);
      if (mark.kind === 'move') shapes.push(svg('circle', { cx: x, cy: y, r: 3.4, class: 'mark move' }));
      else if (mark.kind === 'good') shapes.push(svg('rect', { x: x - 4.6, y: y - 4.6, width: 9.2, height: 9.2, rx: 1.4, class: `mark ${mark.kind}` }));
      if (mark.text) {
        const size = Math.min(3.6, 14 / mark.text.length);
        const text = svg('text', { x, y: y + size * 0.36, class: 'mark-text' }, mark.text);
        text.style.fontSize = `${size}px`;
        shapes.push(text);
      }
    }
    replace(this.places.marks, shapes);
    this.labelCell();
  }

  /** Words for the square of the keyboard. @param {number} square */
  describe(square) {
    const words = [this.name(square)];
    if (this.holes.has(square)) words.push('missing square');
    const step = this.order.indexOf(square);
    if (step >= 0) words.push(step <= this.shown ? `number ${step + 1}` : 'not yet visited');
    const mark = this.marks.get(square);
    if (mark) words.push(mark.label ?? (mark.kind === 'move' ? 'possible move' : ''));
    return words.join(', ');
  }

  labelCell() {
    this.cell?.setAttribute('aria-label', this.describe(this.at));
  }

  /** Makes the element of the keyboard's square anew, so that screen readers speak it. @param {boolean} focus */
  placeCell(focus) {
    if (!this.cells) return;
    const { x, y } = this.middle(this.at);
    const row = this.rows - Math.floor(this.at / this.cols);
    this.cell = svg('rect', {
      x: x - SIDE / 2 + 0.3, y: y - SIDE / 2 + 0.3, width: SIDE - 0.6, height: SIDE - 0.6, rx: 1,
      role: 'gridcell', tabindex: 0, 'aria-colindex': (this.at % this.cols) + 1, 'aria-label': this.describe(this.at),
    });
    replace(this.cells, svg('g', { role: 'row', 'aria-rowindex': row }, this.cell));
    if (focus) this.cell.focus();
  }

  /**
   * @param {number} square
   * @param {'click' | 'drag' | 'key'} by
   * @param {boolean} [first]
   */
  choose(square, by, first = true) {
    /** @type {SquareDetail} */
    const detail = { square, by, first };
    this.dispatchEvent(new CustomEvent('square', { detail, bubbles: true }));
  }

  /** The square below a pointer, -1 beside the board. @param {MouseEvent} event */
  under(event) {
    const matrix = this.picture?.getScreenCTM();
    if (!matrix) return -1;
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const col = Math.floor(point.x / SIDE);
    const row = this.rows - 1 - Math.floor(point.y / SIDE);
    return col >= 0 && row >= 0 && col < this.cols && row < this.rows ? row * this.cols + col : -1;
  }

  /** @param {SVGSVGElement} picture */
  listen(picture) {
    let dragging = false;
    let dragged = false;
    let last = -1;
    picture.addEventListener('pointerdown', (event) => {
      dragged = false;
      last = this.under(event);
      const grip = event.target instanceof Element && event.target.closest('.tour-grip') !== null;
      dragging = event.isPrimary && event.button === 0 && (this.drag === 'paint' ? last >= 0 : grip);
      if (dragging) picture.setPointerCapture(event.pointerId);
    });
    // A page scrolls with a finger unless the first move of the touch is refused.
    picture.addEventListener('touchmove', (event) => dragging && event.preventDefault(), { passive: false });
    picture.addEventListener('pointermove', (event) => {
      if (!dragging) return;
      const square = this.under(event);
      if (square < 0 || square === last) return;
      if (!dragged && this.drag === 'paint') this.choose(last, 'drag', true);
      this.choose(square, 'drag', !dragged && this.drag !== 'paint');
      dragged = true;
      last = square;
    });
    // A touch is captured by the shape where it began, and loses that capture to the picture.
    const stop = (/** @type {Event} */ event) => {
      if (event.type !== 'lostpointercapture' || event.target === picture) dragging = false;
    };
    for (const name of ['pointerup', 'pointercancel', 'lostpointercapture']) picture.addEventListener(name, stop);
    picture.addEventListener('click', (event) => {
      const square = this.under(event);
      if (dragged || square < 0) return;
      this.at = square;
      this.choose(square, 'click');
      this.placeCell(this.contains(document.activeElement));
    });
    picture.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      let row = Math.floor(this.at / this.cols);
      let col = this.at % this.cols;
      switch (event.key) {
        case 'ArrowLeft': col -= 1; break;
        case 'ArrowRight': col += 1; break;
        case 'ArrowUp': row += 1; break;
        case 'ArrowDown': row -= 1; break;
        case 'Home': col = 0; break;
        case 'End': col = this.cols - 1; break;
        case 'PageUp': row = this.rows - 1; break;
        case 'PageDown': row = 0; break;
        case 'Enter': case ' ':
          event.preventDefault();
          this.choose(this.at, 'key');
          return;
        default: return;
      }
      event.preventDefault();
      if (row < 0 || col < 0 || row >= this.rows || col >= this.cols) return;
      this.at = row * this.cols + col;
      this.placeCell(true);
    });
  }
}

customElements.define('tour-board', TourBoard);
