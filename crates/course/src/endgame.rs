//! The positions of a small endgame as numbers, and the moves between them, for `leapfrog.rs`.
//!
//! White has a king and a queen or rook, Black a king and perhaps a rook. The board is square, of
//! any side. Moves backwards are the same moves, since nothing is taken.

// The pieces: White's king and queen or rook, Black's king and rook (which may be missing).
pub(crate) const KING: usize = 0;
pub(crate) const PIECE: usize = 1;
pub(crate) const BLACK_KING: usize = 2;
pub(crate) const ROOK: usize = 3;

/// The squares of the pieces.
pub(crate) type Place = [usize; 4];

/// A board and the pieces on it.
#[derive(Debug)]
pub(crate) struct Endgame {
    pub(crate) squares: usize,
    pub(crate) pieces: usize,
    /// The lines of squares along which a piece moves, by piece and square.
    lines: [Vec<Vec<Vec<usize>>>; 4],
}

/// The lines from a square in the first `directions` directions, at most `longest` squares long.
fn lines(side: i32, from: i32, directions: usize, longest: i32) -> Vec<Vec<usize>> {
    let all = [
        (0, 1),
        (1, 0),
        (0, -1),
        (-1, 0),
        (1, 1),
        (1, -1),
        (-1, -1),
        (-1, 1),
    ];
    let line = |&(down, right): &(i32, i32)| {
        let squares = (1..=longest).map(|n| (from / side + n * down, from % side + n * right));
        let inside = |&(r, c): &(i32, i32)| (0..side).contains(&r) && (0..side).contains(&c);
        squares
            .take_while(inside)
            .map(|(r, c)| (r * side + c) as usize)
            .collect()
    };
    all[..directions].iter().map(line).collect()
}

impl Endgame {
    pub(crate) fn new(side: usize, has_queen: bool, pieces: usize) -> Self {
        let n = side as i32;
        let piece = if has_queen { 8 } else { 4 };
        let lines = [(8, 1), (piece, n), (8, 1), (4, n)].map(|(directions, longest)| {
            (0..n * n)
                .map(|from| lines(n, from, directions, longest))
                .collect()
        });
        Self {
            squares: side * side,
            pieces,
            lines,
        }
    }

    /// The number of a place: its squares are the digits.
    pub(crate) fn index(&self, place: &Place) -> usize {
        place[..self.pieces]
            .iter()
            .fold(0, |index, square| index * self.squares + square)
    }

    /// Moves the last of some pieces to its next square, and those before it like the digits of a
    /// counter; after the last place comes the first.
    pub(crate) fn advance(&self, place: &mut Place, order: &[usize]) {
        for &piece in order.iter().rev().filter(|&&piece| piece < self.pieces) {
            place[piece] += 1;
            if place[piece] < self.squares {
                return;
            }
            place[piece] = 0;
        }
    }

    /// Whether no two pieces share a square.
    pub(crate) fn is_place(&self, place: &Place) -> bool {
        let squares = &place[..self.pieces];
        (1..squares.len()).all(|i| !squares[..i].contains(&squares[i]))
    }

    /// The places after the moves of a piece to empty squares.
    pub(crate) fn moves(&self, place: Place, piece: usize) -> impl Iterator<Item = Place> {
        let lines = if piece < self.pieces {
            &self.lines[piece][place[piece]][..]
        } else {
            &[]
        };
        lines.iter().flat_map(move |line| {
            let empty = line
                .iter()
                .take_while(move |&to| !place[..self.pieces].contains(to));
            empty.map(move |&to| {
                let mut after = place;
                after[piece] = to;
                after
            })
        })
    }

    /// The places after the moves of Black to empty squares.
    pub(crate) fn black_moves(&self, place: Place) -> impl Iterator<Item = Place> {
        self.moves(place, BLACK_KING).chain(self.moves(place, ROOK))
    }

    /// Whether a piece could take another if that were of the other colour.
    pub(crate) fn attacks(&self, place: &Place, piece: usize, other: usize) -> bool {
        let is_other = |line: &Vec<usize>| {
            line.iter().find(|to| place[..self.pieces].contains(to)) == Some(&place[other])
        };
        piece < self.pieces && self.lines[piece][place[piece]].iter().any(is_other)
    }

    /// Whether Black can take something, the king of White included.
    pub(crate) fn black_takes(&self, place: &Place) -> bool {
        self.attacks(place, ROOK, KING)
            || self.attacks(place, ROOK, PIECE)
            || self.attacks(place, BLACK_KING, KING)
            || self.attacks(place, BLACK_KING, PIECE) && !self.attacks(place, KING, PIECE)
    }
}
