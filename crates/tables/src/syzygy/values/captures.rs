//! What captures are worth: programs that read Syzygy files look at captures first, so that a file need not tell what a
//! capture already does.

use std::collections::HashMap;
use std::sync::Arc;

use everymove_kernel::run::Run;

use crate::error::TableError;
use crate::position::geometry::{GEOMETRY, attacks, pawn_attacks, squares};
use crate::position::index_space::{IndexSpace, Side, Squares};
use crate::position::material::{Army, Half, Kind};
use crate::position::subspace::{Placement, Subspace};
use crate::store::directory::Tables;
use crate::syzygy::values::index_map::Seats;
use crate::syzygy::values::value_table::Field;
use crate::syzygy::values::wdl::{DRAW, IMPOSSIBLE, WIN};

/// A man takes another and perhaps is promoted.
struct Route {
    mover: usize,
    victim: usize,
    /// None if only the kings are left.
    left: Option<(Arc<Field>, Seats)>,
}

/// The captures of a half's attacker.
pub(crate) struct Captures {
    /// Those that promote come last.
    plain: Vec<Route>,
    promoting: Vec<Route>,
}

/// By square of the word man: the value of the best capture and one, 0 if there is none.
pub(crate) type Best = [u8; 64];

impl Captures {
    /// Gets what the captures of a half lead to.
    pub(crate) fn new(
        half: &Half,
        space: &IndexSpace,
        tables: &Tables,
        run: &Run,
    ) -> Result<Self, TableError> {
        let mut fields: HashMap<Half, Arc<Field>> = HashMap::new();
        let (mut plain, mut promoting) = (Vec::new(), Vec::new());
        for (mover, man) in space.pieces.iter().enumerate() {
            if man.side != Side::Attacker {
                continue;
            }
            for victim in 2..space.pieces.len() {
                let of = space.pieces[victim];
                if of.side != Side::Defender {
                    continue;
                }
                let mut route = |promotion: Option<Kind>| -> Result<Route, TableError> {
                    let own = promotion
                        .map_or(half.attacker.clone(), |kind| half.attacker.promoted(kind));
                    let left = Half {
                        attacker: half.defender.without(of.kind),
                        defender: own,
                    };
                    let bare = [&left.attacker, &left.defender]
                        .iter()
                        .all(|a| **a == Army::default());
                    let left = if bare {
                        None
                    } else {
                        let field = match fields.get(&left) {
                            Some(field) => field.clone(),
                            None => Arc::new(Field::classes(&left, tables, run)?),
                        };
                        fields.insert(left, field.clone());
                        let promoted = promotion.map(|kind| (mover, kind));
                        let seats = Seats::new(space, field.space.clone(), Some(victim), promoted);
                        Some((field, seats.expect("a capture leaves the other men")))
                    };
                    Ok(Route {
                        mover,
                        victim,
                        left,
                    })
                };
                plain.push(route(None)?);
                if man.kind == Kind::Pawn {
                    for kind in Kind::PROMOTIONS {
                        promoting.push(route(Some(kind))?);
                    }
                }
            }
        }
        Ok(Self { plain, promoting })
    }

    /// What the captures of a half lead to, seen by the side that moves then; those with bare kings left out.
    pub(crate) fn halves(half: &Half, space: &IndexSpace) -> Vec<Half> {
        let mut halves = Vec::new();
        let of_side = |side| space.pieces[2..].iter().filter(move |man| man.side == side);
        let victims = of_side(Side::Defender).map(|man| half.defender.without(man.kind));
        for attacker in victims {
            let mut add = |defender: Army| {
                let left = Half {
                    attacker: attacker.clone(),
                    defender,
                };
                if left.attacker != Army::default() || left.defender != Army::default() {
                    halves.push(left);
                }
            };
            add(half.attacker.clone());
            if half.attacker.pawns() > 0 {
                for kind in Kind::PROMOTIONS {
                    add(half.attacker.promoted(kind));
                }
            }
        }
        halves
    }

    /// The best captures of a word's positions.
    pub(crate) fn best(&self, frame: &Subspace, placed: &Placement) -> Best {
        let mut best = [0; 64];
        for route in &self.plain {
            route.weigh(frame, placed, false, &mut best);
        }
        for route in &self.promoting {
            route.weigh(frame, placed, true, &mut best);
        }
        best
    }
}

impl Route {
    fn weigh(&self, frame: &Subspace, placed: &Placement, promotes: bool, best: &mut Best) {
        let word_man = frame.word_piece();
        let kind = frame.piece(self.mover).kind;
        let empty = !placed.occupied;
        let mut at = placed.at;
        if self.mover == word_man {
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
        if self.victim == word_man {
            self.values(&at, self.mover, reach(empty), best);
            return;
        }
        let to = placed.at[self.victim];
        if kind == Kind::Pawn && reach(1 << to) == 0 {
            return;
        }
        if let Some(between) = GEOMETRY.line(kind, true, from, to, placed.occupied) {
            at[self.mover] = to;
            self.values(&at, word_man, empty & !between, best);
        }
    }

    /// The value of what is left; the man who was taken may stand anywhere.
    fn value(&self, at: &Squares) -> Option<u8> {
        match &self.left {
            None => kings_apart(at).then_some(DRAW),
            Some((field, seats)) => turned(field, seats.find(at)?),
        }
    }

    /// The values of what is left with one man on each square of a set.
    fn values(&self, at: &Squares, man: usize, set: u64, best: &mut Best) {
        match &self.left {
            None => {
                let mut at = *at;
                for square in squares(set) {
                    at[man] = square;
                    raise(best, square, self.value(&at));
                }
            }
            Some((field, seats)) => seats.find_each(at, man, set, |square, number| {
                raise(best, square, turned(field, number));
            }),
        }
    }
}

fn kings_apart(at: &Squares) -> bool {
    attacks(Kind::King, 1 << at[0], 0) >> at[1] & 1 == 0
}

/// A position's value to the side that is not to move.
#[inline]
fn turned(field: &Field, number: usize) -> Option<u8> {
    let value = field
        .home(number)
        .map_or(IMPOSSIBLE, |home| field.get(home));
    (value != IMPOSSIBLE).then(|| WIN - value)
}

#[inline]
fn raise(best: &mut Best, square: u8, value: Option<u8>) {
    let entry = &mut best[usize::from(square)];
    *entry = (*entry).max(value.map_or(0, |value| value + 1));
}
