//! Positions of one space found in another: the same men, or what a capture leaves of them.

use std::sync::Arc;

use crate::geometry::{squares, transform};
use crate::material::Kind;
use crate::space::{Side, Space, Squares};

/// Turns the board upside down.
const FLIP: u8 = 56;

/// Which men of one space take which places of another, with the sides changed: its attacker is this one's defender.
#[derive(Debug)]
pub(crate) struct Seats {
    pub(crate) space: Arc<Space>,
    /// By place of the other space: the man of this one.
    sources: Squares,
    /// The place of this space's word man, unless it is a king's that is part of the other space's slices.
    word_place: Option<usize>,
    word_man: usize,
}

impl Seats {
    /// The seats after a man was taken, and a pawn promoted, if any; none if the men do not fit.
    pub(crate) fn new(
        from: &Space,
        to: Arc<Space>,
        taken: Option<usize>,
        promoted: Option<(usize, Kind)>,
    ) -> Option<Self> {
        let mut sources = [0; 8];
        let mut used = [false; 8];
        for (place, man) in to.men.iter().enumerate() {
            let source = (0..from.men.len()).find(|&source| {
                let kind = match promoted {
                    Some((pawn, kind)) if pawn == source => kind,
                    _ => from.men[source].kind,
                };
                let side: Side = from.men[source].side.other();
                !used[source] && taken != Some(source) && (kind, side) == (man.kind, man.side)
            })?;
            used[source] = true;
            sources[place] = source as u8;
        }
        let word_man = from.word_man();
        let place = (0..to.men.len()).find(|&p| usize::from(sources[p]) == word_man);
        Some(Self {
            word_place: place.filter(|&p| p > 1 || to.pawns > 0),
            sources,
            word_man,
            space: to,
        })
    }

    #[inline]
    fn seated(&self, at: &Squares) -> Squares {
        let mut seated = [0; 8];
        let men = self.space.men.len();
        for (place, &source) in seated[..men].iter_mut().zip(&self.sources) {
            *place = at[usize::from(source)] ^ FLIP;
        }
        seated
    }

    /// The number of a position in the other space; none if the kings touch.
    #[inline]
    pub(crate) fn find(&self, at: &Squares) -> Option<usize> {
        Some(self.space.locate(&self.seated(at))?.0)
    }

    /// Calls `visit(square, number)` for the positions of a word whose word man stands on a square of `set`.
    #[inline]
    pub(crate) fn find_word(&self, at: &Squares, set: u64, mut visit: impl FnMut(u8, usize)) {
        let mut at = *at;
        let Some(place) = self.word_place.filter(|&p| p < 2 + self.space.free) else {
            for square in squares(set) {
                at[self.word_man] = square;
                if let Some(number) = self.find(&at) {
                    visit(square, number);
                }
            }
            return;
        };
        // Where the word man stands turns nothing: the kings, or the pawns, do.
        at[self.word_man] = FLIP;
        let Some((number, m)) = self.space.locate(&self.seated(&at)) else {
            return;
        };
        let shift = self.space.shift(place);
        let base = number - (usize::from(transform(0, m)) << shift);
        for square in squares(set) {
            visit(
                square,
                base + (usize::from(transform(square ^ FLIP, m)) << shift),
            );
        }
    }
}
