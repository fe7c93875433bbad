/**
 * The choice of a piece for a pawn that reaches its last rank.
 * @module
 */

import { html } from '../dom.js';
import { ROLE_NAMES } from './fen.js';
import { pieceIcon } from './pieces.js';

/**
 * @typedef {import('./pieces.js').Role} Role
 * @typedef {import('./pieces.js').Colour} Colour
 */

/**
 * Asks for a piece beside the promotion square, opening towards the middle of the board.
 * @param {import('./board.js').ChessBoard} board
 * @param {number} square
 * @param {Colour} colour
 * @param {Role[]} roles those that are legal
 * @returns {Promise<Role | null>} null where the reader cancels with Escape or a click outside
 */
export function choosePromotion(board, square, colour, roles) {
  const before = document.activeElement;
  const order = /** @type {Role[]} */ (['q', 'n', 'r', 'b']).filter((role) => roles.includes(role));
  const [x, y] = board.centre(square);
  return new Promise((resolve) => {
    const buttons = order.map((role) =>
      html('button', { type: 'button', 'aria-label': ROLE_NAMES[role], title: ROLE_NAMES[role], onclick: () => end(role) }, pieceIcon({ colour, role })));
    const chooser = html('div', { class: 'promotion', role: 'dialog', 'aria-label': 'Promote to' }, y < 400 ? buttons : buttons.reverse());
    chooser.style.left = `${(x - 50) / 8}%`;
    chooser.style.width = '12.5%';
    if (y < 400) chooser.style.top = '0';
    else chooser.style.bottom = '0';
    const end = (/** @type {Role | null} */ role) => {
      document.removeEventListener('pointerdown', outside, true);
      chooser.remove();
      if (role === null && (before instanceof HTMLElement || before instanceof SVGElement)) before.focus();
      resolve(role);
    };
    const outside = (/** @type {Event} */ event) => {
      if (event.target instanceof Node && chooser.contains(event.target)) return;
      event.preventDefault();
      event.stopPropagation();
      end(null);
    };
    chooser.addEventListener('keydown', (event) => {
      const all = [...chooser.querySelectorAll('button')];
      const at = all.findIndex((each) => each === document.activeElement);
      const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
      const role = order.find((each) => each === event.key.toLowerCase());
      if (event.key === 'Escape') end(null);
      else if (event.key === 'Tab') all[(at + (event.shiftKey ? -1 : 1) + all.length) % all.length]?.focus();
      else if (step) all[(at + step + all.length) % all.length]?.focus();
      else if (role) end(role);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    document.addEventListener('pointerdown', outside, true);
    board.append(chooser);
    buttons.find((each) => each.getAttribute('aria-label') === 'queen')?.focus();
  });
}
