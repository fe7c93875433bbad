/**
 * A tour as a file: SVG, PNG, CSV.
 * @module
 */

import { download } from '../dom.js';

/**
 * @typedef {import('../boards/tour-board.js').TourBoard} TourBoard
 */

/** @param {TourBoard} board */
const fileName = (board) => `${board.closed ? 'closed' : 'open'}-tour-${board.rows}x${board.cols}`;

/**
 * The picture of a board with its whole line, on white, without references to other files.
 * @param {TourBoard} board
 */
export function tourSvg(board) {
  const { rows, cols } = board;
  const side = 10;
  const squares = [];
  for (let square = 0; square < rows * cols; square += 1) {
    const { x, y } = board.middle(square);
    const dark = (Math.floor(square / cols) + (square % cols)) % 2 === 0;
    if (dark && !board.holes.has(square)) squares.push(`M${x - 5} ${y - 5}h${side}v${side}h-${side}z`);
  }
  const holes = [...board.holes].map((square) => board.middle(square)).map(({ x, y }) => `M${x - 5} ${y - 5}h${side}v${side}h-${side}z`);
  const lines = [];
  const { moves } = board;
  for (let move = 0; move < moves; move += 1) {
    const [from, to] = [board.point(move), board.point(move + 1)];
    const hue = Math.round(262 + (move / moves) * 130) % 360;
    lines.push(`<path d="M${from.x} ${from.y}L${to.x} ${to.y}" stroke="hsl(${hue} 70% 42%)"/>`);
  }
  const start = board.point(0);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2 -2 ${cols * side + 4} ${rows * side + 4}" width="${cols * 80 + 32}" height="${rows * 80 + 32}">
<title>${board.closed ? 'closed' : 'open'} tour of the ${rows}x${cols} board</title>
<rect x="-2" y="-2" width="${cols * side + 4}" height="${rows * side + 4}" fill="#fff"/>
<rect width="${cols * side}" height="${rows * side}" fill="#fbf7ec" stroke="#8b8372" stroke-width=".5"/>
<path d="${squares.join('')}" fill="#efe6d2"/><path d="${holes.join('')}" fill="#fff"/>
<g fill="none" stroke-width="1.15" stroke-linecap="round">${lines.join('')}</g>
<circle cx="${start.x}" cy="${start.y}" r="1.9" fill="#fff" stroke="#1f1d19" stroke-width=".6"/>
</svg>
`;
}

/** @param {TourBoard} board */
export function saveSvg(board) {
  download(`${fileName(board)}.svg`, tourSvg(board), 'image/svg+xml');
}

/** @param {TourBoard} board */
export async function savePng(board) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(tourSvg(board))}`;
  await image.decode();
  // Canvases of more than 4096 pixels a side are refused by some browsers.
  const scale = Math.min(1, 4096 / Math.max(image.naturalWidth, image.naturalHeight));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(image.naturalWidth * scale);
  canvas.height = Math.round(image.naturalHeight * scale);
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob instanceof Blob) download(`${fileName(board)}.png`, blob);
}

/** The numbers of the squares, a line for each row from the top. @param {TourBoard} board */
export function saveCsv(board) {
  /** @type {string[]} */
  const steps = Array(board.rows * board.cols).fill('');
  board.order.forEach((square, i) => (steps[square] = String(i + 1)));
  const rows = [];
  for (let row = board.rows - 1; row >= 0; row -= 1) rows.push(steps.slice(row * board.cols, (row + 1) * board.cols).join(','));
  download(`${fileName(board)}.csv`, `${rows.join('\n')}\n`, 'text/csv');
}
