//! Plies to mate under the fifty-move rule by plain forward computation over positions and half-move clocks.
//!
//! Nothing of the library is used but the type of the result: a position is a square for each piece and a side to move, moves are steps over the board, and one signed score
//! holds the value for the side to move. A clock of 100 ends the game unless it is mate; every smaller clock follows from the one above.

use std::collections::HashMap;
use std::rc::Rc;

use everymove_tables::Value;

/// The score of a mate, for the side that mates; each ply until then takes one off.
const MATE: i16 = 1000;
/// The score of positions that are not legal.
const ILLEGAL: i16 = i16::MIN;
/// Clocks 0 to 100.
pub(crate) const CLOCKS: usize = 101;

/// A piece: its FEN letter, upper case for White.
type Piece = u8;

const ROOK: [(i8, i8); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const BISHOP: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
const QUEEN: [(i8, i8); 8] = [
    (1, 0),
    (-1, 0),
    (0, 1),
    (0, -1),
    (1, 1),
    (1, -1),
    (-1, 1),
    (-1, -1),
];
const KNIGHT: [(i8, i8); 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];

fn step(square: u8, (up, east): (i8, i8)) -> Option<u8> {
    let (rank, file) = ((square / 8) as i8 + up, (square % 8) as i8 + east);
    ((0..8).contains(&rank) && (0..8).contains(&file)).then_some((8 * rank + file) as u8)
}

fn is_white(piece: Piece) -> bool {
    piece.is_ascii_uppercase()
}

/// The squares that a piece attacks.
fn attacked(piece: Piece, from: u8, occupied: u64, mut visit: impl FnMut(u8)) {
    let mut slide = |steps: &[(i8, i8)], far: bool| {
        for &direction in steps {
            let mut at = from;
            while let Some(to) = step(at, direction) {
                visit(to);
                at = to;
                if !far || occupied >> to & 1 != 0 {
                    break;
                }
            }
        }
    };
    match piece.to_ascii_uppercase() {
        b'K' => slide(&QUEEN, false),
        b'Q' => slide(&QUEEN, true),
        b'R' => slide(&ROOK, true),
        b'B' => slide(&BISHOP, true),
        b'N' => slide(&KNIGHT, false),
        _ => {
            let up = if is_white(piece) { 1 } else { -1 };
            slide(&[(up, -1), (up, 1)], false);
        }
    }
}

/// A position: pieces, squares, whether White is to move.
#[derive(Clone)]
struct Board {
    pieces: Vec<Piece>,
    at: Vec<u8>,
    white: bool,
}

impl Board {
    fn occupied(&self) -> u64 {
        self.at.iter().fold(0, |set, &s| set | 1 << s)
    }

    fn in_check(&self, white: bool) -> bool {
        let king = if white { b'K' } else { b'k' };
        let king = self.pieces.iter().position(|&p| p == king).unwrap();
        let mut found = false;
        for (&piece, &from) in self.pieces.iter().zip(&self.at) {
            if is_white(piece) != white {
                attacked(piece, from, self.occupied(), |to| {
                    found |= to == self.at[king]
                });
            }
        }
        found
    }

    fn is_legal(&self) -> bool {
        let apart = self.occupied().count_ones() as usize == self.at.len();
        let mut all = self.pieces.iter().zip(&self.at);
        let pawns = all.all(|(&p, &s)| !matches!(p, b'P' | b'p') || (8..56).contains(&s));
        apart && pawns && !self.in_check(!self.white)
    }

    /// The position after a piece's move to a square, where it becomes `kind`, with the piece `taken` removed.
    fn after(&self, mover: usize, to: u8, kind: Piece, taken: Option<usize>) -> Self {
        let mut next = self.clone();
        next.at[mover] = to;
        next.pieces[mover] = kind;
        if let Some(taken) = taken {
            next.pieces.remove(taken);
            next.at.remove(taken);
        }
        next.white = !self.white;
        next
    }

    /// The legal captures and pawn moves, en passant excluded: the position after each, and the square passed over by a double step.
    fn zeroing(&self) -> Vec<(Self, Option<u8>)> {
        let mut found = Vec::new();
        let on = |square: u8| self.at.iter().position(|&s| s == square);
        for (mover, (&piece, &from)) in self.pieces.iter().zip(&self.at).enumerate() {
            if is_white(piece) != self.white {
                continue;
            }
            let is_pawn = matches!(piece, b'P' | b'p');
            let kinds = |to: u8| -> Vec<Piece> {
                match (is_pawn && !(8..56).contains(&to), self.white) {
                    (false, _) => vec![piece],
                    (true, true) => b"QRBN".to_vec(),
                    (true, false) => b"qrbn".to_vec(),
                }
            };
            attacked(piece, from, self.occupied(), |to| {
                if let Some(taken) = on(to)
                    && is_white(self.pieces[taken]) != self.white
                {
                    let after = |kind| (self.after(mover, to, kind, Some(taken)), None);
                    found.extend(kinds(to).into_iter().map(after));
                }
            });
            if is_pawn {
                let up = if self.white { 1 } else { -1 };
                let one = step(from, (up, 0)).filter(|&to| on(to).is_none());
                let Some(one) = one else { continue };
                found.extend(
                    kinds(one)
                        .into_iter()
                        .map(|k| (self.after(mover, one, k, None), None)),
                );
                let two = step(one, (up, 0)).filter(|&to| on(to).is_none());
                if from / 8 == if self.white { 1 } else { 6 }
                    && let Some(two) = two
                {
                    found.push((self.after(mover, two, piece, None), Some(one)));
                }
            }
        }
        // A captured king is no capture: such positions are not legal.
        found.retain(|(next, _)| next.pieces.contains(&b'K') && next.pieces.contains(&b'k'));
        found.retain(|(next, _)| next.is_legal());
        found
    }

    /// The legal captures en passant of the pawn that has just passed over a square.
    fn en_passant(&self, passed: u8) -> Vec<Self> {
        let up = if self.white { 1 } else { -1 };
        let pawn = step(passed, (-up, 0)).unwrap();
        let taken = self.at.iter().position(|&s| s == pawn).unwrap();
        let mut found = Vec::new();
        for (mover, (&piece, &from)) in self.pieces.iter().zip(&self.at).enumerate() {
            if matches!((piece, self.white), (b'P', true) | (b'p', false)) {
                attacked(piece, from, 0, |to| {
                    if to == passed {
                        found.push(self.after(mover, to, piece, Some(taken)));
                    }
                });
            }
        }
        found.retain(Self::is_legal);
        found
    }
}

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

/// All endings that were computed.
#[derive(Default)]
pub(crate) struct Brute {
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

/// The indices of an ending: the side to move, then the squares in base 64. With pawns the white king is mirrored to the files a to d, without
/// them it is moved to the triangle a1-d1-d4.
struct Indices {
    pieces: Vec<Piece>,
    pawns: bool,
    /// The squares of the white king.
    kings: Vec<u8>,
}

impl Indices {
    fn new(pieces: Vec<Piece>) -> Self {
        let pawns = pieces.iter().any(|p| matches!(p, b'P' | b'p'));
        let corner = |&s: &u8| s % 8 < 4 && (pawns || (s / 8 <= s % 8));
        let kings = (0..64).filter(corner).collect();
        Self {
            pieces,
            pawns,
            kings,
        }
    }

    fn len(&self) -> usize {
        (2 * self.kings.len()) << (6 * (self.pieces.len() - 1))
    }

    fn encode(&self, at: &[u8], white: bool) -> usize {
        let king = at[0];
        let mirror = if king % 8 > 3 { 7 } else { 0 };
        let flip = if !self.pawns && king / 8 > 3 { 56 } else { 0 };
        let turned = king ^ mirror ^ flip;
        let transpose = !self.pawns && turned / 8 > turned % 8;
        let image = |s: u8| {
            let s = s ^ mirror ^ flip;
            if transpose { s % 8 * 8 + s / 8 } else { s }
        };
        let king = self.kings.binary_search(&image(king)).unwrap();
        let first = usize::from(white) * self.kings.len() + king;
        at[1..]
            .iter()
            .fold(first, |index, &s| index * 64 + usize::from(image(s)))
    }

    fn decode(&self, index: usize) -> Board {
        let others = self.pieces.len() - 1;
        let first = index >> (6 * others);
        let mut at = vec![self.kings[first % self.kings.len()]];
        at.extend(
            (0..others)
                .rev()
                .map(|place| (index >> (6 * place) & 63) as u8),
        );
        Board {
            pieces: self.pieces.clone(),
            at,
            white: first >= self.kings.len(),
        }
    }
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

/// Positions whose pawns have advanced equally, with the positions that quiet moves of pieces lead to.
struct Group {
    states: Vec<u32>,
    /// By state: the end of its successors.
    ends: Vec<u32>,
    successors: Vec<u32>,
    /// By state: the value of the best capture or pawn move, [`ILLEGAL`] if there is none.
    zeroing: Vec<i16>,
}

impl Brute {
    /// Computes an ending, for which all that it leads to must have been computed; returns the values of the positions of a sample, which
    /// `choose(length)` draws from the indices.
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
            group.solve(&mut ending, &mut layers, &mut sampled);
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
                before(after)
            });
            group.zeroing.push(values.max().unwrap_or(ILLEGAL));
        }
        group
    }

    /// The score of the position after a double step.
    fn with_en_passant(&self, board: &Board, passed: u8, current: &Ending) -> i16 {
        let (score, has_move) = self.look_up(board, current);
        let captures = board.en_passant(passed);
        let values = captures
            .iter()
            .map(|next| before(self.look_up(next, current).0));
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
    /// Computes the scores of all clocks; `layers` are for the clock above and for this one.
    fn solve(
        &self,
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
        note(100..=100, &layers[0]);
        for clock in (0..100).rev() {
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
            note(clock..=clock, &layers[0]);
            if !changed {
                note(0..=clock, &layers[0]);
                break;
            }
        }
        for &state in &self.states {
            ending.scores[state as usize] = layers[0][state as usize];
        }
    }
}

impl Board {
    fn fen(&self) -> String {
        let mut rows = Vec::new();
        for rank in (0..8u8).rev() {
            let mut row = String::new();
            let mut empty = 0;
            for file in 0..8u8 {
                match self.at.iter().position(|&s| s == 8 * rank + file) {
                    None => empty += 1,
                    Some(piece) => {
                        if empty > 0 {
                            row += &empty.to_string();
                        }
                        row.push(char::from(self.pieces[piece]));
                        empty = 0;
                    }
                }
            }
            if empty > 0 {
                row += &empty.to_string();
            }
            rows.push(row);
        }
        format!(
            "{} {} - - 0 1",
            rows.join("/"),
            if self.white { 'w' } else { 'b' }
        )
    }
}
