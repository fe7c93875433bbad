//! Plies to mate under the fifty-move rule by plain forward computation over positions and
//! half-move clocks, and plies to a conversion by the same computation with as many plies as it
//! takes.
//!
//! Nothing of the library is used but the type of the result: a position is a square for each piece
//! and a side to move, moves are steps over the board, and one signed score holds the value for the
//! side to move. A clock of 100 ends the game unless it is mate; every smaller clock follows from
//! the one above.

mod agree;
mod board;
mod indices;

use std::collections::HashMap;
use std::rc::Rc;

use everymove_tables::Value;

pub(crate) use agree::{agrees_with_brute_force, four_men};

use board::{Board, Piece, attacked, is_white};
use indices::Indices;

/// The score of a mate, for the side that mates; each ply until then takes one off.
const MATE: i16 = 1000;
/// The score of positions that are not legal.
const ILLEGAL: i16 = i16::MIN;
/// Clocks 0 to 100.
pub(crate) const CLOCKS: usize = 101;

/// The value of a move, from the score of the position after it for the opponent.
fn before(after: i16) -> i16 {
    match -after {
        win @ 1.. => win - 1,
        0 => 0,
        loss => loss + 1,
    }
}

/// A position of a sample, with its score for each clock.
pub(crate) struct Sampled {
    /// The position as FEN, without en passant.
    pub(crate) fen: String,
    /// By clock.
    scores: [i16; CLOCKS],
}

impl Sampled {
    /// The value with a clock for the side to move.
    pub(crate) fn value(&self, clock: usize) -> Value {
        match self.scores[clock] {
            0 => Value::Draw,
            win @ 1.. => Value::Win((MATE - win) as u16),
            loss => Value::Loss((MATE + loss) as u16),
        }
    }
}

/// What ends a distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// Mate; 100 plies without a capture or pawn move are a draw.
    MateFifty,
    /// A capture, a promotion or mate.
    Conversion,
}

impl Goal {
    /// The most plies without a capture or pawn move: under the fifty-move rule, or more than any
    /// of these endings takes.
    fn most_plies(self) -> usize {
        match self {
            Self::MateFifty => 100,
            Self::Conversion => 900,
        }
    }

    /// The value of a capture or pawn move, from the score of the position after it for the
    /// opponent.
    fn before_zeroing(self, after: i16, is_conversion: bool) -> i16 {
        match self {
            Self::Conversion if is_conversion => -after.signum() * (MATE - 1),
            _ => before(after),
        }
    }
}

/// All endings that were computed.
pub(crate) struct Brute {
    goal: Goal,
    endings: HashMap<Vec<Piece>, Rc<Ending>>,
}

fn strength(piece: Piece) -> usize {
    b"KQRBNP"
        .iter()
        .position(|&p| p == piece.to_ascii_uppercase())
        .unwrap()
}

/// The pieces of a name such as `KRvKN`: both kings, White's others, Black's others.
fn pieces_of(name: &str) -> Vec<Piece> {
    let (white, black) = name.split_once('v').unwrap();
    let others = |side: &str| side.as_bytes()[1..].to_vec();
    let mut pieces = vec![b'K', b'k'];
    pieces.extend(others(white));
    pieces.extend(others(black).iter().map(u8::to_ascii_lowercase));
    pieces
}

/// The ranks that the pawns have advanced, together.
fn advancement(board: &Board) -> u8 {
    let of = |(&piece, &square): (&Piece, &u8)| match piece {
        b'P' => square / 8,
        b'p' => 7 - square / 8,
        _ => 0,
    };
    board.pieces.iter().zip(&board.at).map(of).sum()
}

/// The scores of an ending with a clock of 0, as far as they are known.
struct Ending {
    indices: Indices,
    scores: Vec<i16>,
    /// Whether there is a legal move.
    has_move: Vec<bool>,
}

/// Positions whose pawns have advanced equally, with the positions that quiet moves of pieces lead
/// to.
struct Group {
    states: Vec<u32>,
    /// By state: the end of its successors.
    ends: Vec<u32>,
    successors: Vec<u32>,
    /// By state: the value of the best capture or pawn move, [`ILLEGAL`] if there is none.
    zeroing: Vec<i16>,
}

impl Brute {
    pub(crate) fn new(goal: Goal) -> Self {
        Self {
            goal,
            endings: HashMap::new(),
        }
    }

    /// Computes an ending, for which all that it leads to must have been computed; returns the
    /// values of the positions of a sample, which `choose(length)` draws from the indices.
    pub(crate) fn compute(
        &mut self,
        name: &str,
        sample: usize,
        mut choose: impl FnMut(usize) -> usize,
    ) -> Vec<Sampled> {
        let indices = Indices::new(pieces_of(name));
        let len = indices.len();
        let mut ending = Ending {
            scores: vec![ILLEGAL; len],
            has_move: vec![false; len],
            indices,
        };
        let mut by_advancement: Vec<Vec<u32>> = vec![Vec::new(); 13];
        let mut legal = vec![false; len];
        for (index, legal) in legal.iter_mut().enumerate() {
            let board = ending.indices.decode(index);
            if board.is_legal() {
                *legal = true;
                by_advancement[usize::from(advancement(&board))].push(index as u32);
            }
        }
        let mut sampled = HashMap::new();
        while sampled.len() < sample.min(legal.iter().filter(|&&l| l).count()) {
            let index = choose(len);
            if legal[index] {
                sampled.insert(index as u32, [0; CLOCKS]);
            }
        }
        let mut layers = [vec![ILLEGAL; len], vec![ILLEGAL; len]];
        for states in by_advancement.into_iter().rev() {
            let group = self.group(states, &mut ending, &legal);
            group.solve(self.goal, &mut ending, &mut layers, &mut sampled);
        }
        let result = sampled.into_iter().map(|(index, scores)| Sampled {
            fen: ending.indices.decode(index as usize).fen(),
            scores,
        });
        let result = result.collect();
        self.endings
            .insert(ending.indices.pieces.clone(), Rc::new(ending));
        result
    }

    /// Returns a group of positions, and notes which have a move.
    fn group(&self, states: Vec<u32>, ending: &mut Ending, legal: &[bool]) -> Group {
        let mut group = Group {
            ends: Vec::with_capacity(states.len()),
            successors: Vec::new(),
            zeroing: Vec::with_capacity(states.len()),
            states,
        };
        for &state in &group.states {
            let board = ending.indices.decode(state as usize);
            let occupied = board.occupied();
            let begin = group.successors.len();
            for (mover, &piece) in board.pieces.iter().enumerate() {
                if is_white(piece) != board.white || matches!(piece, b'P' | b'p') {
                    continue;
                }
                let mut at = board.at.clone();
                attacked(piece, board.at[mover], occupied, |to| {
                    if occupied >> to & 1 == 0 {
                        at[mover] = to;
                        let next = ending.indices.encode(&at, !board.white);
                        if legal[next] {
                            group.successors.push(next as u32);
                        }
                    }
                });
            }
            group.ends.push(group.successors.len() as u32);
            let moves = board.zeroing();
            ending.has_move[state as usize] = group.successors.len() > begin || !moves.is_empty();
            let values = moves.iter().map(|(next, passed)| {
                let after = match passed {
                    Some(passed) => self.with_en_passant(next, *passed, ending),
                    None => self.look_up(next, ending).0,
                };
                let is_conversion = next.pieces != board.pieces;
                self.goal.before_zeroing(after, is_conversion)
            });
            group.zeroing.push(values.max().unwrap_or(ILLEGAL));
        }
        group
    }

    /// The score of the position after a double step.
    fn with_en_passant(&self, board: &Board, passed: u8, current: &Ending) -> i16 {
        let (score, has_move) = self.look_up(board, current);
        let captures = board.en_passant(passed);
        let after = captures.iter().map(|next| self.look_up(next, current).0);
        let values = after.map(|after| self.goal.before_zeroing(after, true));
        let best = values.max();
        match best {
            None => score,
            Some(best) if has_move => best.max(score),
            Some(best) => best,
        }
    }

    /// The score of a position with a clock of 0, and whether it has a legal move.
    fn look_up(&self, board: &Board, current: &Ending) -> (i16, bool) {
        if board.pieces.len() == 2 {
            return (0, true);
        }
        let mut all: Vec<(Piece, u8)> = board
            .pieces
            .iter()
            .copied()
            .zip(board.at.iter().copied())
            .collect();
        let mut white = board.white;
        let key = |&(piece, _): &(Piece, u8)| {
            let is_king = piece.eq_ignore_ascii_case(&b'K');
            (!is_king, !is_white(piece), strength(piece))
        };
        all.sort_by_key(key);
        for _ in 0..2 {
            let pieces: Vec<Piece> = all.iter().map(|&(piece, _)| piece).collect();
            let at: Vec<u8> = all.iter().map(|&(_, square)| square).collect();
            let ending = match self.endings.get(&pieces) {
                _ if pieces == current.indices.pieces => Some(current),
                known => known.map(|known| &**known),
            };
            if let Some(ending) = ending {
                let index = ending.indices.encode(&at, white);
                assert_ne!(ending.scores[index], ILLEGAL);
                return (ending.scores[index], ending.has_move[index]);
            }
            // The same with the colours exchanged.
            for (piece, square) in &mut all {
                *piece ^= 32;
                *square ^= 56;
            }
            white = !white;
            all.sort_by_key(key);
        }
        panic!(
            "{} must be computed first",
            String::from_utf8_lossy(&board.pieces)
        );
    }
}

impl Group {
    /// Computes the scores of all clocks; `layers` are for the clock above and for this one. Where
    /// there is no limit, a clock is the number of plies left, and the scores of the smallest
    /// are noted for all.
    fn solve(
        &self,
        goal: Goal,
        ending: &mut Ending,
        layers: &mut [Vec<i16>; 2],
        sampled: &mut HashMap<u32, [i16; CLOCKS]>,
    ) {
        let own: Vec<u32> = self
            .states
            .iter()
            .copied()
            .filter(|s| sampled.contains_key(s))
            .collect();
        let mut note = |clocks: std::ops::RangeInclusive<usize>, layer: &[i16]| {
            for state in &own {
                let scores = sampled.get_mut(state).unwrap();
                scores[clocks.clone()].fill(layer[*state as usize]);
            }
        };
        for &state in &self.states {
            let state = state as usize;
            let mated = !ending.has_move[state] && {
                let board = ending.indices.decode(state);
                board.in_check(board.white)
            };
            layers[0][state] = if mated { -MATE } else { 0 };
        }
        let most = goal.most_plies();
        note(100..=100, &layers[0]);
        for clock in (0..most).rev() {
            let [above, now] = layers;
            let mut changed = false;
            let mut begin = 0;
            for ((&state, &end), &zeroing) in self.states.iter().zip(&self.ends).zip(&self.zeroing)
            {
                let successors = &self.successors[begin..end as usize];
                begin = end as usize;
                let values = successors.iter().map(|&next| before(above[next as usize]));
                let best = values.max().map_or(zeroing, |best| best.max(zeroing));
                let score = if best == ILLEGAL {
                    above[state as usize]
                } else {
                    best
                };
                changed |= score != above[state as usize];
                now[state as usize] = score;
            }
            layers.swap(0, 1);
            if !changed {
                note(0..=clock.min(100), &layers[0]);
                break;
            }
            if goal == Goal::MateFifty {
                note(clock..=clock, &layers[0]);
            }
            assert!(
                goal == Goal::MateFifty || clock > 0,
                "{most} plies are too few"
            );
        }
        for &state in &self.states {
            ending.scores[state as usize] = layers[0][state as usize];
        }
    }
}
