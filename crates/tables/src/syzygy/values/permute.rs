//! A field's bytes in the order of an arrangement's numbers.
//!
//! The numbers are gone through in rows: along a row one man walks over the squares that those placed before him leave free,
//! and the numbers of all other groups stand still. Men placed after him make room for him. They stand still too until he
//! comes to one of them, so that a row is a few stretches in which only his own square changes.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::position::geometry::{TRANSFORMED, squares, transform};
use crate::position::index_space::{IndexSpace, KINGS, Kings, Side, Squares};
use crate::syzygy::index::piece_order::{Arrangement, Digits, Piece, Placed, Walk};
use crate::syzygy::values::dont_care::ANY;
use crate::syzygy::values::value_table::Field;

/// Fields of a space seen through an arrangement.
pub(crate) struct Lens<'a> {
    space: Arc<IndexSpace>,
    arrangement: &'a Arrangement,
    men: usize,
    /// By man of the space: the man of the arrangement.
    places: Squares,
    flip: u8,
    walk: Option<Walk>,
    walker: Walker,
    digit: usize,
}

/// What the man who walks is in the space.
#[derive(Clone, Copy, Debug)]
enum Walker {
    /// One whose square turns nothing: a digit of its numbers.
    Piece,
    /// A king without pawns, the attacker's (0) or the defender's (1): where he stands turns the board.
    King(usize),
    /// A pawn: with his square the slice changes.
    Pawn,
}

/// Where a row's bytes go: some way apart, one after the other.
#[derive(Clone, Copy)]
struct Places {
    at: usize,
    step: usize,
}

impl Places {
    fn after(self, count: usize) -> Self {
        Self {
            at: self.at + count * self.step,
            ..self
        }
    }
}

/// The bytes of some squares, to be fetched from 64 that lie together.
struct Errand {
    from: usize,
    squares: [u8; 64],
    count: usize,
    to: Places,
}

/// Errands that wait until there are so many that memory can answer them at once.
struct Errands<'f> {
    field: &'f Field,
    waiting: Vec<Errand>,
}

impl<'f> Errands<'f> {
    /// As many as memory answers at the same time.
    const MANY: usize = 16;

    fn new(field: &'f Field) -> Self {
        Self {
            field,
            waiting: Vec::with_capacity(Self::MANY),
        }
    }

    fn add(&mut self, errand: Errand, bytes: &mut [u8]) {
        self.waiting.push(errand);
        if self.waiting.len() == Self::MANY {
            self.run(bytes);
        }
    }

    fn run(&mut self, bytes: &mut [u8]) {
        // Asked one after the other, each would keep the processor waiting.
        let asked = self.waiting.iter();
        let asked = asked.fold(0, |sum, errand| sum ^ self.field.get_together(errand.from));
        std::hint::black_box(asked);
        for errand in self.waiting.drain(..) {
            let own = self.field.together(errand.from);
            let squares = &errand.squares[..errand.count];
            let byte = |&square: &u8| own[usize::from(square & 63)].load(Ordering::Relaxed);
            let Places { at, step } = errand.to;
            if step == 1 {
                let to = bytes[at..].iter_mut().zip(squares);
                to.for_each(|(to, square)| *to = byte(square));
            } else {
                let to = (at..).step_by(step).zip(squares);
                to.for_each(|(at, square)| bytes[at] = byte(square));
            }
        }
    }
}

/// The squares that leading men leave free.
struct Free {
    taken: u64,
    squares: [u8; 64],
}

impl Free {
    fn beside(&mut self, leading: &[u8]) -> &[u8] {
        let taken = leading.iter().fold(0u64, |set, &s| set | 1 << s);
        let count = 64 - leading.len();
        if taken != self.taken {
            self.taken = taken;
            self.squares = std::array::from_fn(|place| place as u8);
            for taken in squares(taken) {
                for square in &mut self.squares {
                    *square += u8::from(*square >= taken);
                }
            }
        }
        &self.squares[..count]
    }
}

impl<'a> Lens<'a> {
    /// The men of the space are the arrangement's, its attacker the side to move.
    pub(crate) fn new(
        space: &Arc<IndexSpace>,
        arrangement: &'a Arrangement,
        black_to_move: bool,
    ) -> Self {
        let mut places = [0; 8];
        let mut used = [false; 8];
        for (man, of) in space.pieces.iter().enumerate() {
            let black = (of.side == Side::Attacker) == black_to_move;
            let piece = Piece {
                kind: of.kind,
                black,
            };
            let place = (0..arrangement.men.len())
                .find(|&place| !used[place] && arrangement.men[place] == piece)
                .expect("the arrangement has the same men");
            used[place] = true;
            places[man] = place as u8;
        }
        let walk = arrangement.walk();
        let seat = |man: usize| places.iter().position(|&place| usize::from(place) == man);
        let walking = walk.and_then(|walk| seat(walk.man)).unwrap_or(0);
        let digit = |man: usize| (2..2 + space.free).contains(&man).then(|| space.shift(man));
        let (walker, digit) = match walking {
            // Positions far apart follow each other; those of the next row are beside them.
            0 | 1 if space.pawns == 0 => {
                let next = walk.and_then(|walk| seat(walk.next?));
                (Walker::King(walking), next.and_then(digit).unwrap_or(0))
            }
            man if man < 2 + space.free => (Walker::Piece, space.shift(man)),
            _ => (Walker::Pawn, 0),
        };
        Self {
            space: space.clone(),
            arrangement,
            men: arrangement.men.len(),
            places,
            flip: if black_to_move { 56 } else { 0 },
            walk,
            walker,
            digit,
        }
    }

    /// The digit of which a field's bytes are brought together before they are seen.
    pub(crate) fn digit(&self) -> usize {
        self.digit
    }

    /// A field's bytes for numbers of the arrangement.
    pub(crate) fn bytes(&self, field: &Field, from: u64, to: u64) -> Vec<u8> {
        let mut bytes = vec![ANY; (to - from) as usize];
        let Some(walk) = &self.walk else {
            for (number, byte) in (from..to).zip(&mut bytes) {
                let placed = self.arrangement.placed(&self.arrangement.digits(number));
                *byte = self.byte(field, &placed);
            }
            return bytes;
        };
        // The leading men may change faster than the man who walks: then their rows lie within each other.
        let rows = walk.step;
        let mut free = Free {
            taken: 0,
            squares: [0; 64],
        };
        let mut errands = Errands::new(field);
        let turn = rows * walk.count;
        for start in (from / turn * turn..to).step_by(turn as usize) {
            let mut digits = self.arrangement.digits(start);
            for row in 0..rows {
                let first = start + row;
                let steps = |number: u64| number.saturating_sub(first).div_ceil(rows);
                let (begin, end) = (steps(from), steps(to).min(walk.count));
                if begin >= end {
                    continue;
                }
                if rows > 1 {
                    digits[0] = row as u32;
                }
                let places = Places {
                    at: (first + begin * rows - from) as usize,
                    step: rows as usize,
                };
                let numbers = begin as u32..end as u32;
                let each = |placed, path: &[u8], to| {
                    self.stretch(&mut errands, placed, walk.man, path, to, &mut bytes);
                };
                self.row(walk, &mut digits, numbers, &mut free, places, each);
                digits[walk.group] = 0;
            }
        }
        errands.run(&mut bytes);
        bytes
    }

    /// The stretches of some of a row's numbers: `each(men's squares, walking man's squares, where they go)`.
    fn row(
        &self,
        walk: &Walk,
        digits: &mut Digits,
        numbers: Range<u32>,
        free: &mut Free,
        mut to: Places,
        mut each: impl FnMut(Placed, &[u8], Places),
    ) {
        let leading = self.arrangement.leading_squares(digits);
        let free = free.beside(leading);
        let mut at: Placed = [0; 8];
        at[..leading.len()].copy_from_slice(leading);
        let mut next = numbers.start;
        while next < numbers.end {
            digits[walk.group] = next;
            let ranks = self.arrangement.ranks(digits);
            let own = usize::from(ranks[walk.man]);
            let mut limit = 64 - leading.len();
            for man in leading.len()..self.men {
                let rank = usize::from(ranks[man]);
                at[man] = free[rank];
                if rank > own && rank < limit {
                    limit = rank;
                }
            }
            let count = (limit - own).min((numbers.end - next) as usize);
            each(at, &free[own..own + count], to);
            to = to.after(count);
            next += count as u32;
        }
    }

    /// The men's squares as the field has them.
    #[inline]
    fn seated(&self, placed: &Placed) -> Squares {
        let mut at = [0; 8];
        for (square, &place) in at[..self.men].iter_mut().zip(&self.places) {
            *square = placed[usize::from(place)] ^ self.flip;
        }
        at
    }

    fn byte(&self, field: &Field, placed: &Placed) -> u8 {
        let found = self.space.encode(&self.seated(placed));
        let home = found.and_then(|(number, _)| field.home(number));
        home.map_or(ANY, |home| field.get(home))
    }

    /// The bytes of positions that differ in one man alone, who comes to some squares; those of positions that cannot be stay as
    /// they are.
    #[inline]
    fn stretch(
        &self,
        errands: &mut Errands<'_>,
        mut placed: Placed,
        man: usize,
        path: &[u8],
        to: Places,
        bytes: &mut [u8],
    ) {
        let space: &IndexSpace = &self.space;
        let field = errands.field;
        let places = (to.at..).step_by(to.step);
        match self.walker {
            Walker::Piece => {
                placed[man] = self.flip;
                let found = space.encode(&self.seated(&placed));
                let home = found.and_then(|(number, m)| Some((field.home(number)?, m)));
                let Some((home, m)) = home else { return };
                let turned = &TRANSFORMED[usize::from(m)];
                let mut squares = [0; 64];
                for (to, &square) in squares.iter_mut().zip(path) {
                    *to = turned[usize::from((square ^ self.flip) & 63)];
                }
                let errand = Errand {
                    from: home - (usize::from(turned[0]) << self.digit),
                    squares,
                    count: path.len(),
                    to,
                };
                errands.add(errand, bytes);
            }
            Walker::King(king) => {
                let mut at = self.seated(&placed);
                let slice = 6 * space.digits();
                // By symmetry: where in a pair's slice the others stand.
                let others: [usize; 8] = std::array::from_fn(|m| {
                    let pieces = 2..2 + space.free;
                    field.place(pieces.fold(0, |sum, i| {
                        sum | usize::from(transform(at[i], m as u8)) << space.shift(i)
                    }))
                });
                let kings: &Kings = &KINGS;
                for (to, &square) in places.zip(path) {
                    at[king] = square ^ self.flip;
                    if let Some((pair, m)) = kings.encode(at[0], at[1]) {
                        let place = (usize::from(pair) << slice) + others[usize::from(m)];
                        bytes[to] = field.at(place);
                    }
                }
            }
            Walker::Pawn => {
                for (to, &square) in places.zip(path) {
                    placed[man] = square;
                    bytes[to] = self.byte(field, &placed);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use everymove_kernel::run::Run;

    use super::*;
    use crate::position::material::Material;
    use crate::syzygy::index::candidates::arrangements;

    /// Every stretch of numbers gives the bytes that its positions have one by one.
    #[test]
    fn rows_give_what_single_positions_give() {
        let names = ["KQvK", "KQvKR", "KRRvK", "KPPvK", "KPvKP", "KNNvKN"];
        for (name, black) in names.iter().flat_map(|name| [(name, false), (name, true)]) {
            let material: Material = name.parse().unwrap();
            let (white, black_army) = (material.white().clone(), material.black().clone());
            let (attacker, defender) = if black {
                (black_army, white)
            } else {
                (white, black_army)
            };
            let half = crate::position::material::Half { attacker, defender };
            let run = Run::serial();
            let field = Field::scrambled(&half, &run);
            let mut turned = Field::scrambled(&half, &run);
            let mut rng = everymove_kernel::rng::SplitMix64::new(7);
            for arrangement in arrangements(&material, 2) {
                let lens = Lens::new(&field.space, &arrangement, black);
                turned.bring_together(lens.digit(), &run).unwrap();
                let size = arrangement.size();
                for length in [1, 70, 1024] {
                    let from = rng.below(size - length + 1);
                    let one = |number| arrangement.placed(&arrangement.digits(number));
                    let one_by_one: Vec<u8> = (from..from + length)
                        .map(|number| lens.byte(&field, &one(number)))
                        .collect();
                    let rows = lens.bytes(&turned, from, from + length);
                    assert_eq!(rows, one_by_one, "{name} {arrangement:?} {from}");
                }
            }
        }
    }
}
