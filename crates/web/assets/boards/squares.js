/**
 * Names of squares of rectangular boards, as the program writes them: column letters (`a` to `z`, `aa`, ...) and the
 * row from 1. A square is its index `row * cols + col`, row 0 at the bottom.
 * @module
 */

/**
 * The letters of a column, counted from 0.
 * @param {number} col
 */
export function letters(col) {
  let text = '';
  for (let rest = col; rest >= 0; rest = Math.floor(rest / 26) - 1) text = String.fromCharCode(97 + (rest % 26)) + text;
  return text;
}

/**
 * @param {number} square
 * @param {number} cols
 */
export function squareName(square, cols) {
  return letters(square % cols) + (Math.floor(square / cols) + 1);
}

/**
 * The square of a name.
 * @param {string} text
 * @param {number} rows
 * @param {number} cols
 * @returns {number} -1 where the text names no square of the board
 */
export function parseSquare(text, rows, cols) {
  const parts = /^([a-z]+)([1-9]\d*)$/i.exec(text.trim());
  if (!parts) return -1;
  let col = 0;
  for (const letter of /** @type {string} */ (parts[1]).toLowerCase()) col = col * 26 + letter.charCodeAt(0) - 96;
  const row = Number(parts[2]);
  return col <= cols && row <= rows ? (row - 1) * cols + col - 1 : -1;
}

/**
 * The squares of a tour as the program writes it: `a1-b3-c5`.
 * @param {string} text
 * @param {number} rows
 * @param {number} cols
 */
export function parseTour(text, rows, cols) {
  return text.split('-').map((name) => parseSquare(name, rows, cols));
}

/**
 * The sides of a board written as ROWSxCOLS.
 * @param {string} text
 * @returns {[number, number] | null}
 */
export function parseSize(text) {
  const parts = /^\s*(\d{1,4})\s*[x×, ]\s*(\d{1,4})\s*$/i.exec(text);
  return parts && Number(parts[1]) > 0 && Number(parts[2]) > 0 ? [Number(parts[1]), Number(parts[2])] : null;
}
