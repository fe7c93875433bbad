/**
 * Scores of positions, for White.
 * @module
 */

/** @typedef {{ centipawns?: number | null, mate?: number | null }} Score */

/** Scores from here up are wins by endgame tables, whose moves to the mate are unknown. */
const TABLE_WIN = 31_000;

/**
 * A score in pawns or moves to mate: `+0.31`, `#3`, `#-2`; `win` or `loss` by endgame tables.
 * @param {Score} score
 */
export function scoreText({ centipawns, mate }) {
  if (typeof mate === 'number') return `#${mate}`;
  if (Math.abs(centipawns ?? 0) >= TABLE_WIN) return (centipawns ?? 0) > 0 ? 'win' : 'loss';
  const pawns = (centipawns ?? 0) / 100;
  return `${pawns > 0 ? '+' : pawns < 0 ? '−' : ''}${Math.abs(pawns).toFixed(2)}`;
}

/**
 * White's share of the game from 0 to 1 on a logistic scale, for bars and graphs.
 * @param {Score} score
 */
export function share({ centipawns, mate }) {
  if (typeof mate === 'number') return mate > 0 ? 1 : 0;
  return 1 / (1 + Math.exp(-(centipawns ?? 0) / 250));
}

/**
 * A score in words: `White is better (+1.20)`.
 * @param {Score} score
 */
export function scoreInWords(score) {
  const { centipawns, mate } = score;
  if (typeof mate === 'number') {
    if (mate === 0) return 'checkmate';
    return `${mate > 0 ? 'White' : 'Black'} mates in ${Math.abs(mate)}`;
  }
  const value = centipawns ?? 0;
  const side = value > 0 ? 'White' : 'Black';
  const size = Math.abs(value);
  if (size >= TABLE_WIN) return `${side} wins (endgame tables)`;
  const words = size < 30 ? 'equal' : size < 90 ? `${side} is slightly better` : size < 250 ? `${side} is better` : `${side} is winning`;
  return `${words} (${scoreText(score)})`;
}
