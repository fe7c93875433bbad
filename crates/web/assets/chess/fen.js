/**
 * Positions as text: squares, FEN (Forsyth-Edwards notation), and sentences for screen readers.
 *
 * A square is its index `rank * 8 + file`, a1 = 0, h8 = 63.
 * @module
 */

/** @typedef {import('./pieces.js').Piece} Piece */
/** @typedef {import('./pieces.js').Role} Role */
/** @typedef {import('./pieces.js').Colour} Colour */
/** @typedef {(Piece | null)[]} Squares the 64 squares */

/**
 * @typedef {object} Setup
 * @property {Squares} squares
 * @property {Colour} turn
 * @property {string} castling `KQkq`, `-` without rights
 * @property {string} enPassant the square behind a pawn that has just moved two squares, or `-`
 * @property {number} clock plies since the last capture or pawn move
 * @property {number} number of the move
 */

export const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

/** @type {Record<Role, string>} */
export const ROLE_NAMES = { k: 'king', q: 'queen', r: 'rook', b: 'bishop', n: 'knight', p: 'pawn' };

/** The roles, the most valuable first. @type {Role[]} */
export const ROLES = ['k', 'q', 'r', 'b', 'n', 'p'];

/** @param {number} square */
export function squareName(square) {
  return 'abcdefgh'.charAt(square % 8) + (Math.floor(square / 8) + 1);
}

/** @param {string} name @returns {number} -1 where the text names no square */
export function squareIndex(name) {
  const file = 'abcdefgh'.indexOf(name.charAt(0));
  const rank = '12345678'.indexOf(name.charAt(1));
  return name.length >= 2 && file >= 0 && rank >= 0 ? rank * 8 + file : -1;
}

/** @param {Piece} piece */
export function pieceName(piece) {
  return `${piece.colour} ${ROLE_NAMES[piece.role]}`;
}

/** @param {Piece} piece */
export function pieceLetter(piece) {
  return piece.colour === 'white' ? piece.role.toUpperCase() : piece.role;
}

/** @param {string} letter as in FEN @returns {Piece | null} */
export function pieceOf(letter) {
  const role = letter.toLowerCase();
  if (!/^[kqrbnp]$/.test(role)) return null;
  return { colour: letter === role ? 'black' : 'white', role: /** @type {Role} */ (role) };
}

/** @param {Colour} colour @returns {Colour} */
export function other(colour) {
  return colour === 'white' ? 'black' : 'white';
}

/**
 * Reads a FEN, also one with underscores for blanks or with fields missing at its end.
 * @param {string} text
 * @returns {Setup | null} null where the pieces cannot be read
 */
export function parseFen(text) {
  const [placement = '', turn = 'w', castling = '-', enPassant = '-', clock = '0', number = '1'] = text.trim().split(/[\s_]+/);
  const ranks = placement.split('/');
  if (ranks.length !== 8) return null;
  /** @type {Squares} */
  const squares = new Array(64).fill(null);
  for (const [i, rank] of ranks.entries()) {
    let file = 0;
    for (const letter of rank) {
      if (/[1-8]/.test(letter)) {
        file += Number(letter);
        continue;
      }
      const piece = pieceOf(letter);
      if (!piece || file > 7) return null;
      squares[(7 - i) * 8 + file] = piece;
      file += 1;
    }
    if (file !== 8) return null;
  }
  return {
    squares,
    turn: turn === 'b' ? 'black' : 'white',
    castling,
    enPassant,
    clock: Number(clock) || 0,
    number: Number(number) || 1,
  };
}

/** @param {Squares} squares @returns {string} the first field of a FEN */
export function formatPlacement(squares) {
  const ranks = [];
  for (let rank = 7; rank >= 0; rank -= 1) {
    let line = '';
    for (const piece of squares.slice(rank * 8, rank * 8 + 8)) line += piece ? pieceLetter(piece) : '1';
    ranks.push(line.replace(/1+/g, (run) => String(run.length)));
  }
  return ranks.join('/');
}

/** @param {Setup} setup */
export function formatFen(setup) {
  const { squares, turn, castling, enPassant, clock, number } = setup;
  return `${formatPlacement(squares)} ${turn === 'white' ? 'w' : 'b'} ${castling || '-'} ${enPassant || '-'} ${clock} ${number}`;
}

/** Castling rights without those whose king or rook is not at home. @param {Setup} setup */
export function possibleCastling({ squares, castling }) {
  const at = (/** @type {string} */ name) => {
    const piece = squares[squareIndex(name)];
    return piece ? pieceLetter(piece) : '';
  };
  const rights = [['K', 'e1', 'h1', 'R'], ['Q', 'e1', 'a1', 'R'], ['k', 'e8', 'h8', 'r'], ['q', 'e8', 'a8', 'r']];
  const kept = rights.filter(([right = '', king = '', rook = '', letter]) =>
    castling.includes(right) && at(king).toLowerCase() === 'k' && at(king) === (right === right.toUpperCase() ? 'K' : 'k') && at(rook) === letter);
  return kept.map(([right]) => right).join('') || '-';
}

/**
 * The pieces of one side in words: `king e1, rooks a1 and h1`.
 * @param {Squares} squares
 * @param {Colour} colour
 */
export function piecesInWords(squares, colour) {
  const parts = [];
  for (const role of ROLES) {
    const places = squares.flatMap((piece, i) => (piece?.colour === colour && piece.role === role ? [squareName(i)] : []));
    if (places.length === 0) continue;
    places.sort();
    const last = places.pop();
    parts.push(`${ROLE_NAMES[role]}${places.length ? 's' : ''} ${places.length ? `${places.join(', ')} and ` : ''}${last}`);
  }
  return parts.join(', ') || 'nothing';
}

/**
 * A line of squares in words: `white rook, empty, empty, black king`.
 * @param {Squares} squares
 * @param {(i: number) => number} at the square of each of the eight places
 */
export function lineInWords(squares, at) {
  const parts = [];
  for (let i = 0; i < 8; i += 1) {
    const piece = squares[at(i)];
    if (piece) parts.push(`${squareName(at(i))} ${pieceName(piece)}`);
  }
  return parts.join(', ') || 'empty';
}

/** The name of the ending, the stronger side first: `KQvKR`. @param {Squares} squares */
export function materialOf(squares) {
  const side = (/** @type {Colour} */ colour) =>
    ROLES.map((role) => role.toUpperCase().repeat(squares.filter((p) => p?.colour === colour && p.role === role).length)).join('');
  const rank = (/** @type {string} */ text) => text.length * 1e8 + [...text].reduce((sum, c) => sum * 6 + 'PNBRQK'.indexOf(c), 0);
  const [white, black] = [side('white'), side('black')];
  return rank(white) >= rank(black) ? `${white}v${black}` : `${black}v${white}`;
}

/** @param {Squares} squares */
export function countPieces(squares) {
  return squares.filter(Boolean).length;
}

/**
 * A move in words for a screen reader: `Nxe5+` is `knight takes e5, check`.
 * @param {string} san
 */
export function sanInWords(san) {
  if (/^O-O-O/.test(san)) return `castles queenside${/[+]/.test(san) ? ', check' : ''}`;
  if (/^O-O/.test(san)) return `castles kingside${/[+]/.test(san) ? ', check' : ''}`;
  const names = /** @type {Record<string, string>} */ ({ K: 'king', Q: 'queen', R: 'rook', B: 'bishop', N: 'knight' });
  const parts = /^([KQRBN]?)([a-h]?[1-8]?)(x?)([a-h][1-8])(?:=([QRBN]))?([+#]?)/.exec(san);
  if (!parts) return san;
  const [, piece = '', from = '', takes, to = '', promotion = '', sign] = parts;
  const words = [names[piece] ?? (from ? `${from} pawn` : 'pawn'), names[piece] && from, takes && 'takes', to];
  const end = [promotion && `promotes to ${names[promotion]}`, sign === '+' && 'check', sign === '#' && 'checkmate'].filter(Boolean);
  return [words.filter(Boolean).join(' '), ...end].join(', ');
}
