/**
 * `<peg-board>`: a board of peg solitaire that can be played by mouse, touch (drag and tap) and keys, or edited. It
 * knows how pegs jump; whether a position can be won is for the page to ask. Events: `jump` (detail: a Jump) and
 * `place` (detail: the index of a place, when editing).
 * @module
 */

import { announce, reducedMotion, replace, svg } from '../dom.js';
import { Places } from './peg-places.js';

/** Distance between neighbours in units of the picture. */
const UNIT = 10;
const HOLE = 2.6;
const PEG = 3.9;
/** A pointer that moves further than this many pixels drags. */
const DRAG = 5;

/**
 * @typedef {import('./peg-places.js').Jump} Jump
 * @typedef {'good' | 'bad'} Judgement
 */

export class PegBoard extends HTMLElement {
  constructor() {
    super();
    this.places = new Places('o/oo/ooo', 'triangular');
    /** @type {boolean[]} */
    this.pegs = [];
    /** @type {'play' | 'edit' | 'show'} */
    this.mode = 'play';
    /** Whether each jump of the position keeps it winnable, by its text; empty where nothing is known. @type {Map<string, Judgement>} */
    this.judged = new Map();
    /** The chosen peg, -1 for none. */
    this.selected = -1;
    /** @type {Jump | null} */
    this.last = null;
    /** The place of the keyboard. */
    this.current = 0;
    /** @type {SVGGElement[]} */
    this.cells = [];
  }

  /**
   * @param {Places} places
   * @param {boolean[]} pegs
   */
  setBoard(places, pegs) {
    this.places = places;
    this.pegs = pegs;
    this.selected = -1;
    this.last = null;
    this.judged = new Map();
    this.current = Math.min(this.current, places.places.length - 1);
    this.build();
  }

  /**
   * Shows a position; the jump that led to it is animated.
   * @param {boolean[]} pegs
   * @param {Jump | null} [jump]
   */
  setPegs(pegs, jump = null) {
    this.pegs = pegs;
    this.selected = -1;
    this.last = jump;
    this.judged = new Map();
    this.draw();
    if (jump) this.animateJump(jump);
  }

  /** @param {Map<string, Judgement>} judged */
  setJudged(judged) {
    this.judged = judged;
    this.draw();
  }

  /** @param {'play' | 'edit' | 'show'} mode */
  setMode(mode) {
    this.mode = mode;
    this.selected = -1;
    this.draw();
  }

  /** @param {number} place */
  middle(place) {
    const { x, y } = this.places.point(place);
    return { x: x * UNIT, y: y * UNIT };
  }

  build() {
    const points = this.places.places.map((_, place) => this.middle(place));
    const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
    const [left, top] = [Math.min(...xs) - 10.5, Math.min(...ys) - 10.5];
    const [width, height] = [Math.max(...xs) - left + 10.5, Math.max(...ys) - top + 10.5];
    const dots = points.map(({ x, y }) => `M${x} ${y}h.01`).join('');
    const bonds = this.places.pairs().map(([a, b]) => {
      const [from, to] = [/** @type {{x:number,y:number}} */ (points[a]), /** @type {{x:number,y:number}} */ (points[b])];
      return `M${from.x} ${from.y}L${to.x} ${to.y}`;
    }).join('');
    // The parts of a place stay the same elements: an element that disappears under a finger ends its touch.
    this.cells = points.map(({ x, y }, place) => svg('g', {
      role: 'gridcell', transform: `translate(${x} ${y})`, tabindex: place === this.current ? 0 : -1, 'data-place': this.places.places[place]?.name,
    },
    svg('circle', { r: UNIT / 2, class: 'reach' }),
    svg('circle', { r: HOLE, class: 'hole' }),
    svg('circle', { r: 1.9, class: 'dot' }),
    svg('circle', { r: PEG, class: 'marble' }),
    svg('circle', { r: PEG + 0.55, class: 'ring' }),
    svg('path', { d: 'M1.6 -3.2l1 1.1 2-2.4', class: 'sign yes' }),
    svg('path', { d: 'M2.2 -4.2l2 2m0 -2l-2 2', class: 'sign no' }),
    svg('circle', { r: 4.8, class: 'focus-ring' })));
    this.rows = [...new Set(this.places.places.map(({ row }) => row))].map((row) =>
      svg('g', { role: 'row' }, this.cells.filter((_, place) => this.places.places[place]?.row === row)));
    this.flying = svg('g', { 'aria-hidden': 'true', class: 'flying' });
    this.picture = svg('svg', { viewBox: `${left} ${top} ${width} ${height}`, class: 'peg-picture', role: 'grid', 'aria-label': 'peg board; arrow keys move, Enter takes a peg and puts it down' },
      svg('defs', {},
        svg('radialGradient', { id: 'peg-shine', cx: '35%', cy: '30%', r: '75%' },
          svg('stop', { offset: '0', class: 'shine' }), svg('stop', { offset: '.45', class: 'body' }), svg('stop', { offset: '1', class: 'shadow' }))),
      svg('g', { 'aria-hidden': 'true' },
        svg('path', { d: dots + bonds, class: 'board-edge' }),
        svg('path', { d: dots + bonds, class: 'board-wood' }),
        this.labels(left, top)),
      this.rows, this.flying);
    this.style.setProperty('--ratio', (width / height).toFixed(3));
    replace(this, this.picture);
    this.listen(this.picture);
    this.draw();
  }

  /** Column letters and row numbers beside the board. @param {number} left @param {number} top */
  labels(left, top) {
    const group = svg('g', { class: 'peg-labels' });
    const { places, lattice } = this.places;
    for (const row of new Set(places.map((place) => place.row))) {
      const first = places.findIndex((place) => place.row === row);
      const x = lattice === 'square' ? left + 2 : this.middle(first).x - 9;
      group.append(svg('text', { x, y: this.middle(first).y + 1.1 }, row + 1));
    }
    if (lattice === 'square') {
      for (const col of new Set(places.map((place) => place.col))) {
        group.append(svg('text', { x: col * UNIT, y: top + 2.4 }, String.fromCharCode(97 + col)));
      }
    } else {
      const last = Math.max(...places.map((place) => place.row));
      places.forEach((place, i) => {
        if (place.row === last) group.append(svg('text', { x: this.middle(i).x, y: this.middle(i).y + 9.9 }, String.fromCharCode(97 + place.col)));
      });
    }
    return group;
  }

  /** The jumps from a place. @param {number} from */
  jumpsFrom(from) {
    return this.places.possible(this.pegs).filter((jump) => jump.from === from);
  }

  /** What is known of the jumps from a place: good where one keeps the position winnable. @param {number} from @returns {Judgement | undefined} */
  judgement(from) {
    const known = this.jumpsFrom(from).map((jump) => this.judged.get(this.places.jumpName(jump)));
    return known.includes('good') ? 'good' : known.length > 0 && known.every((each) => each === 'bad') ? 'bad' : undefined;
  }

  draw() {
    if (!this.picture) return;
    const targets = new Map(this.selected < 0 ? [] : this.jumpsFrom(this.selected).map((jump) => [jump.to, jump]));
    this.cells.forEach((cell, place) => {
      const peg = this.pegs[place] === true;
      const movable = this.mode === 'play' && this.jumpsFrom(place).length > 0;
      const target = targets.get(place);
      const judged = target ? this.judged.get(this.places.jumpName(target)) : movable ? this.judgement(place) : undefined;
      cell.setAttribute('class', ['place', peg && 'peg', movable && 'movable', place === this.selected && 'selected', target && 'target',
        this.last?.to === place && 'arrived', judged].filter(Boolean).join(' '));
      cell.setAttribute('aria-label', this.describe(place));
      cell.setAttribute('aria-selected', String(place === this.selected));
    });
  }

  /** Words for a place. @param {number} place */
  describe(place) {
    const words = [this.places.places[place]?.name ?? '', this.pegs[place] ? 'peg' : 'empty'];
    if (place === this.selected) words.push('chosen');
    if (this.mode === 'play') {
      const jumps = this.jumpsFrom(place);
      if (jumps.length > 0) words.push(`can jump to ${jumps.map((jump) => this.places.places[jump.to]?.name).join(' or ')}`);
      const target = this.selected >= 0 && this.jumpsFrom(this.selected).find((jump) => jump.to === place);
      if (target) {
        words.push('jump here');
        const judged = this.judged.get(this.places.jumpName(target));
        if (judged) words.push(judged === 'good' ? 'keeps it winnable' : 'loses');
      } else if (jumps.length > 0) {
        const judged = this.judgement(place);
        if (judged) words.push(judged === 'good' ? 'has a jump that keeps it winnable' : 'every jump loses');
      }
    }
    return words.join(', ');
  }

  /** Moves a copy of the peg from its place to where it landed. @param {Jump} jump */
  animateJump(jump) {
    if (reducedMotion() || !this.flying) return;
    const [from, over, to] = [this.middle(jump.from), this.middle(jump.over), this.middle(jump.to)];
    const landed = this.cells[jump.to]?.querySelector('.marble');
    const taken = svg('circle', { cx: over.x, cy: over.y, r: PEG, class: 'marble' });
    replace(this.flying, taken);
    taken.animate([{ opacity: 1 }, { opacity: 0 }], { duration: 320, easing: 'ease-in', fill: 'forwards' }).finished.then(() => taken.remove(), () => undefined);
    landed?.animate([{ transform: `translate(${from.x - to.x}px, ${from.y - to.y}px)` }, { transform: `translate(${(from.x - to.x) / 2}px, ${(from.y - to.y) / 2}px) scale(1.18)` }, { transform: 'none' }], { duration: 300, easing: 'ease-in-out' });
  }

  /** @param {number} place */
  select(place) {
    this.selected = place;
    this.draw();
    if (place >= 0) {
      const targets = this.jumpsFrom(place).map((jump) => this.places.places[jump.to]?.name);
      announce(`${this.places.places[place]?.name} chosen, can jump to ${targets.join(' or ')}`);
    }
  }

  /** A place was clicked, tapped or entered. @param {number} place */
  act(place) {
    this.focusPlace(place, false);
    if (this.mode === 'edit') {
      this.dispatchEvent(new CustomEvent('place', { detail: place }));
    } else if (this.mode === 'play') {
      const jump = this.selected >= 0 ? this.jumpsFrom(this.selected).find(({ to }) => to === place) : undefined;
      if (jump) this.jump(jump);
      else if (place === this.selected) this.select(-1);
      else if (this.jumpsFrom(place).length > 0) this.select(place);
      else {
        this.select(-1);
        announce(`${this.describe(place)}, no jump from here`);
      }
    }
  }

  /** @param {Jump} jump */
  jump(jump) {
    this.selected = -1;
    this.dispatchEvent(new CustomEvent('jump', { detail: jump }));
  }

  /** @param {number} place @param {boolean} [focus] */
  focusPlace(place, focus = true) {
    this.cells[this.current]?.setAttribute('tabindex', '-1');
    this.current = place;
    this.cells[place]?.setAttribute('tabindex', '0');
    if (focus) this.cells[place]?.focus();
  }

  /** The place of the given ones that lies best in a direction from the current one. @param {number} dx @param {number} dy @param {number[]} among */
  towards(dx, dy, among) {
    const here = this.middle(this.current);
    let best = -1;
    let least = Infinity;
    for (const place of among) {
      const { x, y } = this.middle(place);
      const along = (x - here.x) * dx + (y - here.y) * dy;
      const aside = Math.abs((x - here.x) * dy) + Math.abs((y - here.y) * dx);
      if (along <= 0.1 || aside > along * 1.8) continue;
      if (along + aside < least) [best, least] = [place, along + aside];
    }
    return best;
  }

  /** The place below a pointer, -1 for none. @param {PointerEvent | MouseEvent} event */
  under(event) {
    const matrix = this.picture?.getScreenCTM();
    if (!matrix) return -1;
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const distances = this.cells.map((_, place) => Math.hypot(point.x - this.middle(place).x, point.y - this.middle(place).y));
    const nearest = distances.indexOf(Math.min(...distances));
    return (distances[nearest] ?? Infinity) < UNIT * 0.6 ? nearest : -1;
  }

  /** @param {SVGSVGElement} picture */
  listen(picture) {
    /** @type {{ place: number, x: number, y: number, moving: boolean, marble: Element | null } | null} */
    let held = null;
    let dragged = false;
    picture.addEventListener('pointerdown', (event) => {
      dragged = false;
      if (!event.isPrimary || event.button !== 0 || this.mode !== 'play') return;
      const place = this.under(event);
      if (place >= 0 && this.jumpsFrom(place).length > 0) held = { place, x: event.clientX, y: event.clientY, moving: false, marble: null };
    });
    // A page scrolls with a finger unless the first move of the touch is refused.
    picture.addEventListener('touchmove', (event) => held && event.preventDefault(), { passive: false });
    picture.addEventListener('pointermove', (event) => {
      if (!held) return;
      const [right, down] = [event.clientX - held.x, event.clientY - held.y];
      if (!held.moving && Math.hypot(right, down) < DRAG) return;
      if (!held.moving) {
        held.moving = true;
        picture.setPointerCapture(event.pointerId);
        this.select(held.place);
        // A copy above all places follows the pointer.
        const { x, y } = this.middle(held.place);
        held.marble = svg('circle', { cx: x, cy: y, r: PEG * 1.08, class: 'marble' });
        this.cells[held.place]?.querySelector('.marble')?.setAttribute('visibility', 'hidden');
        if (this.flying) replace(this.flying, held.marble);
      }
      const scale = picture.getScreenCTM()?.a ?? 1;
      held.marble?.setAttribute('transform', `translate(${right / scale} ${down / scale})`);
    });
    picture.addEventListener('pointerup', (event) => {
      if (!held?.moving) {
        held = null;
        return;
      }
      dragged = true;
      const { place, marble } = held;
      held = null;
      const to = this.under(event);
      const jump = this.jumpsFrom(place).find((each) => each.to === to);
      marble?.remove();
      this.cells[place]?.querySelector('.marble')?.removeAttribute('visibility');
      if (jump) this.jump(jump);
      else this.select(-1);
    });
    const cancel = () => {
      if (!held) return;
      held.marble?.remove();
      this.cells[held.place]?.querySelector('.marble')?.removeAttribute('visibility');
      if (held.moving) this.select(-1);
      held = null;
    };
    picture.addEventListener('pointercancel', cancel);
    // A touch is captured by the place where it began, and loses that capture to the picture when a drag begins.
    picture.addEventListener('lostpointercapture', (event) => event.target === picture && cancel());
    picture.addEventListener('click', (event) => {
      const place = dragged ? -1 : this.under(event);
      dragged = false;
      if (place >= 0) this.act(place);
      else if (this.selected >= 0) this.select(-1);
    });
    picture.addEventListener('focusin', (event) => {
      const place = this.cells.findIndex((cell) => cell === event.target);
      if (place >= 0) this.focusPlace(place, false);
    });
    picture.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const direction = /** @type {Record<string, [number, number]>} */ ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] })[event.key];
      if (direction) {
        event.preventDefault();
        const targets = this.selected >= 0 && this.current === this.selected ? this.jumpsFrom(this.selected).map(({ to }) => to) : [];
        const next = this.towards(...direction, targets);
        const place = next >= 0 ? next : this.towards(...direction, this.cells.map((_, i) => i));
        if (place >= 0) this.focusPlace(place);
      } else if (event.key === 'Enter' || event.key === ' ') {
        event.preventDefault();
        this.act(this.current);
      } else if (event.key === 'Escape' && this.selected >= 0) {
        event.preventDefault();
        const place = this.selected;
        this.select(-1);
        this.focusPlace(place);
      }
    });
  }
}

customElements.define('peg-board', PegBoard);
