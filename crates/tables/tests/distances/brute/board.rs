//! A position as a square for each piece, and its moves as steps over the board.

/// A piece: its FEN letter, upper case for White.
pub(super) type Piece = u8;

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

pub(super) fn step(square: u8, (up, east): (i8, i8)) -> Option<u8> {
    let (rank, file) = ((square / 8) as i8 + up, (square % 8) as i8 + east);
    ((0..8).contains(&rank) && (0..8).contains(&file)).then_some((8 * rank + file) as u8)
}

pub(super) fn is_white(piece: Piece) -> bool {
    piece.is_ascii_uppercase()
}

/// The squares that a piece attacks.
pub(super) fn attacked(piece: Piece, from: u8, occupied: u64, mut visit: impl FnMut(u8)) {
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
pub(super) struct Board {
    pub(super) pieces: Vec<Piece>,
    pub(super) at: Vec<u8>,
    pub(super) white: bool,
}

impl Board {
    pub(super) fn occupied(&self) -> u64 {
        self.at.iter().fold(0, |set, &s| set | 1 << s)
    }

    pub(super) fn in_check(&self, white: bool) -> bool {
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

    pub(super) fn is_legal(&self) -> bool {
        let apart = self.occupied().count_ones() as usize == self.at.len();
        let mut all = self.pieces.iter().zip(&self.at);
        let pawns = all.all(|(&p, &s)| !matches!(p, b'P' | b'p') || (8..56).contains(&s));
        apart && pawns && !self.in_check(!self.white)
    }

    /// The position after a piece's move to a square, where it becomes `kind`, with the piece
    /// `taken` removed.
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

    /// The legal captures and pawn moves, en passant excluded: the position after each, and the
    /// square passed over by a double step.
    pub(super) fn zeroing(&self) -> Vec<(Self, Option<u8>)> {
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
    pub(super) fn en_passant(&self, passed: u8) -> Vec<Self> {
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

impl Board {
    pub(super) fn fen(&self) -> String {
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
