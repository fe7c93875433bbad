//! The best capture of every position. Programs that read Syzygy files try captures first, so that
//! a file need not store what a capture already decides.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use everymove_kernel::run::Run;

use crate::error::TableError;
use crate::generate::conversions::child;
use crate::position::geometry::{GEOMETRY, attacks, pawn_attacks, squares};
use crate::position::index_space::{IndexSpace, Side, Squares};
use crate::position::material::{Army, Half, Kind};
use crate::position::subspace::{Placement, Subspace};
use crate::store::directory::Tables;
use crate::syzygy::values::index_map::IndexMap;
use crate::syzygy::values::value_table::ValueTable;
use crate::syzygy::values::wdl::{DRAW, ILLEGAL, WIN};

/// A capture of one piece by another, with or without promotion.
struct Capture {
    mover: usize,
    victim: usize,
    /// The values after the capture, and their indices; `None` if only the two kings are left.
    after: Option<(Arc<ValueTable>, IndexMap)>,
}

/// All captures of a half's attacker.
pub(crate) struct Captures {
    plain: Vec<Capture>,
    promoting: Vec<Capture>,
}

/// By square of the word piece: the value of the best capture plus one, 0 if there is no capture.
pub(crate) type BestCaptures = [u8; 64];

impl Captures {
    /// Loads the tables of all endings that a capture leads to.
    pub(crate) fn new(space: &IndexSpace, tables: &Tables, run: &Run) -> Result<Self, TableError> {
        let mut loaded: HashMap<Half, Arc<ValueTable>> = HashMap::new();
        let (mut plain, mut promoting) = (Vec::new(), Vec::new());
        for (mover, victim, promotion) in captures(space) {
            let after = match left(space, victim, promotion) {
                None => None,
                Some(left) => {
                    let table = match loaded.get(&left) {
                        Some(table) => table.clone(),
                        None => Arc::new(ValueTable::wdl(&left, tables, run)?),
                    };
                    loaded.insert(left, table.clone());
                    let promoted = promotion.map(|kind| (mover, kind));
                    let map = IndexMap::new(space, table.space.clone(), Some(victim), promoted);
                    Some((table, map.expect("a capture leaves all other pieces")))
                }
            };
            let captures = match promotion {
                None => &mut plain,
                Some(_) => &mut promoting,
            };
            captures.push(Capture {
                mover,
                victim,
                after,
            });
        }
        Ok(Self { plain, promoting })
    }

    /// The halves that the captures of a half lead to, the side to move being the attacker; those
    /// with bare kings left out.
    pub(crate) fn halves(space: &IndexSpace) -> BTreeSet<Half> {
        let left = |(_, victim, promotion)| left(space, victim, promotion);
        captures(space).into_iter().filter_map(left).collect()
    }

    /// The best captures of the positions of a word.
    pub(crate) fn best(&self, subspace: &Subspace, placed: &Placement) -> BestCaptures {
        let mut best = [0; 64];
        for capture in &self.plain {
            capture.update(subspace, placed, false, &mut best);
        }
        for capture in &self.promoting {
            capture.update(subspace, placed, true, &mut best);
        }
        best
    }
}

/// The captures of a half's attacker: the piece that moves, the one that is taken, and what the
/// first becomes if it promotes.
fn captures(space: &IndexSpace) -> Vec<(usize, usize, Option<Kind>)> {
    let of_side = |side| (0..space.pieces.len()).filter(move |&p| space.pieces[p].side == side);
    let mut captures = Vec::new();
    for mover in of_side(Side::Attacker) {
        for victim in of_side(Side::Defender).filter(|&victim| victim >= 2) {
            captures.push((mover, victim, None));
            if space.pieces[mover].kind == Kind::Pawn {
                captures.extend(Kind::PROMOTIONS.map(|kind| (mover, victim, Some(kind))));
            }
        }
    }
    captures
}

/// The half that a capture leads to, whose attacker moves next; none with bare kings.
fn left(space: &IndexSpace, victim: usize, promotion: Option<Kind>) -> Option<Half> {
    let victim = space.pieces[victim].kind;
    let left = child(&space.half, Side::Attacker, Some(victim), promotion).swapped();
    let bare = Army::default();
    (left.attacker != bare || left.defender != bare).then_some(left)
}

impl Capture {
    /// Updates the best captures of a word with this one, where it is possible.
    fn update(
        &self,
        subspace: &Subspace,
        placed: &Placement,
        promotes: bool,
        best: &mut BestCaptures,
    ) {
        let word_piece = subspace.word_piece();
        let kind = subspace.piece(self.mover).kind;
        let empty = !placed.occupied;
        let mut at = placed.at;
        if self.mover == word_piece {
            let to = placed.at[self.victim];
            let from = attacks(kind, 1 << to, empty) & empty;
            if from != 0 {
                at[self.mover] = to;
                let value = self.value(&at);
                squares(from).for_each(|square| raise(best, square, value));
            }
            return;
        }
        let from = placed.at[self.mover];
        let reach = |to: u64| match kind {
            Kind::Pawn => {
                pawn_attacks(from, true) & to & if promotes { !0 << 56 } else { !(!0 << 56) }
            }
            _ => attacks(kind, 1 << from, empty) & to,
        };
        if self.victim == word_piece {
            self.update_each(&at, self.mover, reach(empty), best);
            return;
        }
        let to = placed.at[self.victim];
        if kind == Kind::Pawn && reach(1 << to) == 0 {
            return;
        }
        if let Some(between) = GEOMETRY.line(kind, true, from, to, placed.occupied) {
            at[self.mover] = to;
            self.update_each(&at, word_piece, empty & !between, best);
        }
    }

    /// The value after the capture, given the squares after it (that of the captured piece is not
    /// used); `None` if the capture is illegal.
    fn value(&self, at: &Squares) -> Option<u8> {
        match &self.after {
            None => kings_apart(at).then_some(DRAW),
            Some((table, map)) => opposite_value(table, table.slot(map.map(at)?)?),
        }
    }

    /// Updates the best captures with the values after the capture, one piece being on each square
    /// of a set.
    fn update_each(&self, at: &Squares, piece: usize, set: u64, best: &mut BestCaptures) {
        match &self.after {
            None => {
                let mut at = *at;
                for square in squares(set) {
                    at[piece] = square;
                    raise(best, square, self.value(&at));
                }
            }
            Some((table, map)) => {
                let slot_of = |index| table.slot(index);
                map.map_each(at, piece, set, slot_of, |square, slot| {
                    raise(best, square, opposite_value(table, slot));
                });
            }
        }
    }
}

fn kings_apart(at: &Squares) -> bool {
    attacks(Kind::King, 1 << at[0], 0) >> at[1] & 1 == 0
}

/// The value of a slot's position for the side that is not to move; `None` if the position is
/// illegal.
#[inline]
fn opposite_value(table: &ValueTable, slot: usize) -> Option<u8> {
    let value = table.get_in_slot_order(slot);
    (value != ILLEGAL).then(|| WIN - value)
}

#[inline]
fn raise(best: &mut BestCaptures, square: u8, value: Option<u8>) {
    let entry = &mut best[usize::from(square)];
    *entry = (*entry).max(value.map_or(0, |value| value + 1));
}
