//! Positions of one space found in another: the same men, or what a capture leaves of them.

use std::sync::Arc;

use crate::position::geometry::{TRANSFORMED, squares};
use crate::position::index_space::{IndexSpace, Side, Squares};
use crate::position::material::Kind;

/// Turns the board upside down.
const FLIP: u8 = 56;

/// Which men of one space take which places of another, with the sides changed: its attacker is this one's defender.
#[derive(Debug)]
pub(crate) struct Seats {
    pub(crate) space: Arc<IndexSpace>,
    /// By place of the other space: the man of this one.
    sources: Squares,
    /// By man of this space: his place in the other, if his square is a digit of its numbers.
    digits: [Option<u8>; 8],
}

impl Seats {
    /// The seats after a man was taken, and a pawn promoted, if any; none if the men do not fit.
    pub(crate) fn new(
        from: &IndexSpace,
        to: Arc<IndexSpace>,
        taken: Option<usize>,
        promoted: Option<(usize, Kind)>,
    ) -> Option<Self> {
        let mut sources = [0; 8];
        let mut used = [false; 8];
        for (place, man) in to.pieces.iter().enumerate() {
            let source = (0..from.pieces.len()).find(|&source| {
                let kind = match promoted {
                    Some((pawn, kind)) if pawn == source => kind,
                    _ => from.pieces[source].kind,
                };
                let side: Side = from.pieces[source].side.other();
                !used[source] && taken != Some(source) && (kind, side) == (man.kind, man.side)
            })?;
            used[source] = true;
            sources[place] = source as u8;
        }
        // Pawns are part of the slices, and so are kings if there are no pawns.
        let kings = if to.pawns > 0 { 0 } else { 2 };
        let mut digits = [None; 8];
        for place in kings..2 + to.free {
            digits[usize::from(sources[place])] = Some(place as u8);
        }
        Some(Self {
            digits,
            sources,
            space: to,
        })
    }

    #[inline]
    fn seated(&self, at: &Squares) -> Squares {
        let mut seated = [0; 8];
        let men = self.space.pieces.len();
        for (place, &source) in seated[..men].iter_mut().zip(&self.sources) {
            *place = at[usize::from(source)] ^ FLIP;
        }
        seated
    }

    /// The number of a position in the other space; none if the kings touch.
    #[inline]
    pub(crate) fn find(&self, at: &Squares) -> Option<usize> {
        Some(self.space.encode(&self.seated(at))?.0)
    }

    /// Calls `visit(square, number)` for the positions in which one man stands on a square of `set`.
    #[inline]
    pub(crate) fn find_each(
        &self,
        at: &Squares,
        man: usize,
        set: u64,
        mut visit: impl FnMut(u8, usize),
    ) {
        let mut at = *at;
        let Some(place) = self.digits[man] else {
            for square in squares(set) {
                at[man] = square;
                if let Some(number) = self.find(&at) {
                    visit(square, number);
                }
            }
            return;
        };
        at[man] = FLIP;
        let Some((number, m)) = self.space.encode(&self.seated(&at)) else {
            return;
        };
        let shift = self.space.shift(usize::from(place));
        let turned = &TRANSFORMED[usize::from(m)];
        let others = number - (usize::from(turned[0]) << shift);
        for square in squares(set) {
            let own = usize::from(turned[usize::from(square ^ FLIP)]);
            visit(square, others + (own << shift));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::material::{Half, Material};

    /// Every man is found on every square of a set as alone.
    #[test]
    fn sets_are_found_as_single_squares_are() {
        let mut rng = everymove_kernel::rng::SplitMix64::new(5);
        for name in ["KQvKR", "KRBvKR", "KPvKP", "KRPvKN", "KPPvK"] {
            let material: Material = name.parse().unwrap();
            let (white, black) = (material.white().clone(), material.black().clone());
            let own = IndexSpace::new(&Half {
                attacker: white.clone(),
                defender: black.clone(),
            });
            let other = Arc::new(IndexSpace::new(&Half {
                attacker: black,
                defender: white,
            }));
            let seats = Seats::new(&own, other, None, None).unwrap();
            for _ in 0..200 {
                let at = own.decode(rng.below(own.len() as u64) as usize);
                let man = rng.below((2 + own.free) as u64) as usize;
                let set = rng.next_u64()
                    & !at[2..own.pieces.len()]
                        .iter()
                        .fold(0, |set, &s| set | 1 << s);
                let mut found = Vec::new();
                seats.find_each(&at, man, set, |square, number| found.push((square, number)));
                let alone = |square: u8| {
                    let mut at = at;
                    at[man] = square;
                    Some((square, seats.find(&at)?))
                };
                let alone: Vec<_> = squares(set).filter_map(alone).collect();
                assert_eq!(found, alone, "{name}, man {man}");
            }
        }
    }
}
