//! Captures and promotions: lookup in the tables of other endings.

use std::collections::HashMap;
use std::sync::Arc;

use everymove_kernel::run::{Reservation, Run};

use crate::error::TableError;
use crate::position::index_space::{IndexSpace, Piece, Side, Squares};
use crate::position::material::{Army, Half, Kind};
use crate::store::directory::Tables;

/// The encoded distances of a half in memory.
pub(crate) struct HalfCodes {
    pub(crate) space: Arc<IndexSpace>,
    /// By the side to move.
    codes: [Vec<u8>; 2],
    _held: Option<Reservation>,
}

impl HalfCodes {
    /// Without codes, which are stored later in the memory that is held for them.
    pub(super) fn empty(space: Arc<IndexSpace>, held: Reservation) -> Self {
        Self {
            space,
            codes: [Vec::new(), Vec::new()],
            _held: Some(held),
        }
    }

    pub(super) fn new(half: &Half, tables: &Tables, run: &Run) -> Result<Self, TableError> {
        let codes = |to_move| tables.codes(half, to_move, run);
        Ok(Self {
            space: tables.space(half),
            codes: [codes(Side::Attacker)?, codes(Side::Defender)?],
            _held: None,
        })
    }

    #[inline]
    pub(crate) fn codes(&self, to_move: Side) -> &[u8] {
        &self.codes[to_move as usize]
    }

    pub(crate) fn codes_mut(&mut self, to_move: Side) -> &mut Vec<u8> {
        &mut self.codes[to_move as usize]
    }

    /// Returns the code of the pieces' squares in the order of the half.
    #[inline]
    pub(crate) fn look_up(&self, at: &Squares, to_move: Side) -> u8 {
        let number = self.space.encode(at);
        number.map_or(0, |(number, _)| self.codes(to_move)[number])
    }
}

/// Which moves lead to other endings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaving {
    /// Captures and promotions.
    All,
    /// Captures.
    Captures,
}

/// Another ending, and the mapping of its pieces.
struct Conversion {
    held: usize,
    /// By piece of the other ending: the piece of this ending.
    from: Vec<usize>,
}

/// All endings that captures and promotions lead to, by the piece that moves, its kind after the
/// move, and the captured piece.
pub(crate) struct Conversions {
    held: Vec<Arc<HalfCodes>>,
    /// `None` where the attacker is left with a bare king.
    table: HashMap<(usize, Kind, Option<usize>), Option<Conversion>>,
}

/// The piece that moves, its kind after the move, the captured piece, and all pieces after the
/// move.
type Departure = (usize, Kind, Option<usize>, Vec<(usize, Piece)>);

/// Returns the kinds that a piece can have after a move.
fn becomes(piece: Piece) -> impl Iterator<Item = Kind> {
    let promotions = (piece.kind == Kind::Pawn).then_some(Kind::PROMOTIONS);
    [piece.kind]
        .into_iter()
        .chain(promotions.into_iter().flatten())
}

/// Returns every kind of move that leaves an ending.
fn departures(space: &IndexSpace, leaving: Leaving) -> Vec<Departure> {
    let mut departures = Vec::new();
    for (mover, &piece) in space.pieces.iter().enumerate() {
        let victims =
            (2..space.pieces.len()).filter(|&victim| space.pieces[victim].side != piece.side);
        for taken in victims.map(Some).chain([None]) {
            for kind in becomes(piece) {
                if taken.is_none() && (kind == piece.kind || leaving == Leaving::Captures) {
                    continue;
                }
                let mut after: Vec<(usize, Piece)> =
                    space.pieces.iter().copied().enumerate().collect();
                after[mover].1.kind = kind;
                after.retain(|&(number, _)| Some(number) != taken);
                departures.push((mover, kind, taken, after));
            }
        }
    }
    departures
}

impl Conversions {
    /// Finds the encoded distances of each half that conversions lead to by `codes_of`.
    pub(crate) fn new(
        space: &IndexSpace,
        leaving: Leaving,
        codes_of: impl Fn(&Half) -> Result<Arc<HalfCodes>, TableError>,
    ) -> Result<Self, TableError> {
        let mut held: Vec<Arc<HalfCodes>> = Vec::new();
        let mut table = HashMap::new();
        for (mover, kind, taken, after) in departures(space, leaving) {
            let half = half_of(&after);
            if half.attacker.pieces().is_empty() {
                table.insert((mover, kind, taken), None);
                continue;
            }
            let known = held.iter().position(|known| known.space.half == half);
            let number = match known {
                Some(number) => number,
                None => {
                    held.push(codes_of(&half)?);
                    held.len() - 1
                }
            };
            let from = order(&held[number].space, after);
            let conversion = Conversion { held: number, from };
            table.insert((mover, kind, taken), Some(conversion));
        }
        Ok(Self { held, table })
    }

    /// Returns the halves that a half's conversions lead to.
    pub(crate) fn halves(space: &IndexSpace, leaving: Leaving) -> Vec<Half> {
        let mut seen: Vec<Half> = Vec::new();
        for (.., after) in departures(space, leaving) {
            let child = half_of(&after);
            if !child.attacker.pieces().is_empty() && !seen.contains(&child) {
                seen.push(child);
            }
        }
        seen
    }

    /// Returns the bytes of the tables that a half's conversions lead to.
    pub(super) fn bytes(half: &Half, tables: &Tables) -> u64 {
        let halves = Self::halves(&tables.space(half), Leaving::All);
        let bytes = |half: &Half| 2 * tables.space(half).len() as u64;
        halves.iter().map(bytes).sum()
    }

    /// Returns the code after a capture or promotion on `to`, with the pieces on the squares `at`
    /// before it.
    pub(crate) fn look_up(
        &self,
        at: &Squares,
        (mover, to, kind): (usize, u8, Kind),
        taken: Option<usize>,
        to_move: Side,
    ) -> u8 {
        let Some(Some(conversion)) = self.table.get(&(mover, kind, taken)) else {
            return 0;
        };
        let mut moved = *at;
        moved[mover] = to;
        let mut after = [0; 8];
        for (entry, &piece) in after.iter_mut().zip(&conversion.from) {
            *entry = moved[piece];
        }
        self.held[conversion.held].look_up(&after, to_move)
    }
}

fn half_of(pieces: &[(usize, Piece)]) -> Half {
    let army = |side| {
        let of_side = pieces.iter().filter(move |(_, piece)| piece.side == side);
        Army::new(of_side.map(|(_, piece)| piece.kind))
    };
    Half {
        attacker: army(Side::Attacker),
        defender: army(Side::Defender),
    }
}

/// Returns, by piece of an index space, the index of the same piece in `pieces`.
fn order(space: &IndexSpace, mut pieces: Vec<(usize, Piece)>) -> Vec<usize> {
    let take = |piece: &Piece| {
        let at = pieces.iter().position(|(_, other)| other == piece);
        at.map_or(0, |at| pieces.remove(at).0)
    };
    space.pieces.iter().map(take).collect()
}
