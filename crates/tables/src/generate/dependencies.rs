//! The finished P-slices that the conversions of a P-slice lead to.
//!
//! A table with pawns may be much larger than memory; one P-slice needs only a few P-slices of it,
//! which the pawns' squares alone determine.

use std::collections::{BTreeMap, BTreeSet};

use crate::generate::conversions::child;
use crate::position::geometry::{pawn_attacks, squares};
use crate::position::index_space::{IndexSpace, Side};
use crate::position::material::{Half, Kind};
use crate::store::directory::Tables;

/// Slices by half and side to move. A half without pawns is needed completely and is represented by
/// slice 0.
#[derive(Debug, Default)]
pub(crate) struct Dependencies {
    pub(crate) wanted: BTreeMap<(Half, Side), BTreeSet<usize>>,
}

/// Side and square of a pawn.
type Pawn = (Side, u8);

impl Dependencies {
    /// Returns what the conversions of some P-slices lead to, other P-slices of the same half
    /// excluded.
    pub(crate) fn new(space: &IndexSpace, slices: &[usize], tables: &Tables) -> Self {
        let mut dependencies = Self::default();
        for &slice in slices {
            let pieces = &space.pieces[2 + space.free..];
            let pawns = pieces.iter().zip(space.p_slices[slice]);
            Constellation {
                half: &space.half,
                pawns: pawns.map(|(piece, square)| (piece.side, square)).collect(),
                tables,
                dependencies: &mut dependencies,
            }
            .visit();
        }
        dependencies
    }

    /// Total size in bytes.
    pub(crate) fn bytes(&self, tables: &Tables) -> u64 {
        let of = |((half, _), slices): (&(Half, Side), &BTreeSet<usize>)| {
            let space = tables.space(half);
            if space.pawns == 0 {
                space.len() as u64
            } else {
                (slices.len() * space.slice_len()) as u64
            }
        };
        self.wanted.iter().map(of).sum()
    }
}

struct Constellation<'a> {
    half: &'a Half,
    pawns: Vec<Pawn>,
    tables: &'a Tables,
    dependencies: &'a mut Dependencies,
}

impl Constellation<'_> {
    fn visit(&mut self) {
        for side in [Side::Attacker, Side::Defender] {
            let enemies = match side {
                Side::Attacker => &self.half.defender,
                Side::Defender => &self.half.attacker,
            };
            let taken: BTreeSet<Kind> = enemies.pieces().iter().copied().collect();
            let pieces: Vec<Kind> = taken.into_iter().filter(|&k| k != Kind::Pawn).collect();
            for &piece in &pieces {
                self.add(side, Some(piece), None, self.pawns.clone());
            }
            for enemy in 0..self.pawns.len() {
                if self.pawns[enemy].0 != side {
                    self.add(side, Some(Kind::Pawn), None, self.without(enemy));
                }
            }
            for own in 0..self.pawns.len() {
                if self.pawns[own].0 == side {
                    self.pawn(own, side, &pieces);
                }
            }
        }
    }

    /// Adds the conversions by a pawn.
    fn pawn(&mut self, own: usize, side: Side, pieces: &[Kind]) {
        let up = side == Side::Attacker;
        let from = self.pawns[own].1;
        let (ahead, home, last) = if up {
            (from + 8, 1, 7)
        } else {
            (from - 8, 6, 0)
        };
        if ahead >> 3 == last {
            for kind in Kind::PROMOTIONS {
                self.add(side, None, Some(kind), self.without(own));
            }
        }
        let stop = if up {
            ahead.wrapping_add(8)
        } else {
            ahead.wrapping_sub(8)
        };
        let blocked = |at: u8| self.pawns.iter().any(|pawn| pawn.1 == at);
        if from >> 3 == home && !blocked(ahead) && !blocked(stop) {
            // A double push may be answered by an en passant capture.
            let beside = pawn_attacks(ahead, up);
            for taker in 0..self.pawns.len() {
                let (of, at) = self.pawns[taker];
                if of != side && beside >> at & 1 != 0 {
                    let mut pawns = self.pawns.clone();
                    pawns[taker].1 = ahead;
                    pawns.remove(own);
                    self.add(of, Some(Kind::Pawn), None, pawns);
                }
            }
        }
        for to in squares(pawn_attacks(from, up)) {
            let stands = self.pawns.iter().position(|&(_, at)| at == to);
            match stands {
                Some(enemy) if self.pawns[enemy].0 != side => {
                    let mut pawns = self.pawns.clone();
                    pawns[own].1 = to;
                    pawns.remove(enemy);
                    self.add(side, Some(Kind::Pawn), None, pawns);
                }
                Some(_) => {}
                None => self.takes_piece(own, side, to, last, pieces),
            }
        }
    }

    fn takes_piece(&mut self, own: usize, side: Side, to: u8, last: u8, pieces: &[Kind]) {
        for &piece in pieces {
            if to >> 3 == last {
                for kind in Kind::PROMOTIONS {
                    self.add(side, Some(piece), Some(kind), self.without(own));
                }
            } else {
                let mut pawns = self.pawns.clone();
                pawns[own].1 = to;
                self.add(side, Some(piece), None, pawns);
            }
        }
    }

    fn without(&self, pawn: usize) -> Vec<Pawn> {
        let mut pawns = self.pawns.clone();
        pawns.remove(pawn);
        pawns
    }

    /// Adds the slice that a conversion leads to.
    fn add(
        &mut self,
        mover: Side,
        victim: Option<Kind>,
        promotion: Option<Kind>,
        pawns: Vec<Pawn>,
    ) {
        let half = child(self.half, mover, victim, promotion);
        if half.attacker.pieces().is_empty() {
            return;
        }
        let key = (half, mover.other());
        let slice = if pawns.is_empty() {
            0
        } else {
            let of = |side| pawns.iter().filter(move |p| p.0 == side).map(|p| p.1);
            let ordered: Vec<u8> = of(Side::Attacker).chain(of(Side::Defender)).collect();
            self.tables.space(&key.0).p_slice(&ordered)
        };
        self.dependencies
            .wanted
            .entry(key)
            .or_default()
            .insert(slice);
    }
}

#[cfg(test)]
mod tests {
    use everymove_kernel::rng::SplitMix64;
    use shakmaty::{Color, Position};

    use super::*;
    use crate::metric::Metric;
    use crate::position::board::set_up;
    use crate::position::board::{army, squares_of};
    use crate::position::material::Material;

    /// Every dependency exists: no en passant capture ends on another pawn.
    #[test]
    fn every_demand_can_be_met() {
        let tables = Tables::new("nowhere", Metric::Mate);
        for name in ["KPPvKP", "KPPPvK", "KRPvKP"] {
            let material: Material = name.parse().unwrap();
            for half in material.halves() {
                let space = tables.space(&half);
                let slices: Vec<_> = (0..space.slices()).collect();
                for ((half, _), slices) in Dependencies::new(&space, &slices, &tables).wanted {
                    let there = tables.space(&half).slices().max(1);
                    assert!(slices.iter().all(|&slice| slice < there), "{half}");
                }
            }
        }
    }

    /// Every legal conversion of random positions leads to a slice among the dependencies.
    #[test]
    fn every_conversion_was_demanded() {
        let tables = Tables::new("nowhere", Metric::Mate);
        let mut rng = SplitMix64::new(5);
        for name in ["KPvK", "KPvKP", "KRPvKN", "KPPvKP", "KQPvKP", "KPPPvK"] {
            let material: Material = name.parse().unwrap();
            for half in material.halves() {
                let space = tables.space(&half);
                let mut conversions = 0;
                while conversions < 2_000 {
                    let number = (rng.next_u64() % space.len() as u64) as usize;
                    let slice = number / space.slice_len();
                    let wanted = Dependencies::new(&space, &[slice], &tables).wanted;
                    for to_move in [Side::Attacker, Side::Defender] {
                        let Some(position) = set_up(&space, number, Color::White, to_move) else {
                            continue;
                        };
                        let zeroing = |m: &shakmaty::Move| m.is_zeroing();
                        for play in position.legal_moves().into_iter().filter(zeroing) {
                            let mut next = position.clone();
                            next.play_unchecked(play);
                            let led_to = Half {
                                attacker: army(&next, Color::White),
                                defender: army(&next, Color::Black),
                            };
                            if led_to == half || led_to.attacker.pieces().is_empty() {
                                continue;
                            }
                            conversions += 1;
                            let child = tables.space(&led_to);
                            let at = squares_of(&next, Color::White, &child.pieces);
                            let (index, _) = child.encode(&at).unwrap();
                            let slice = match child.pawns {
                                0 => 0,
                                _ => index / child.slice_len(),
                            };
                            let slices = &wanted[&(led_to, to_move.other())];
                            assert!(slices.contains(&slice), "{half} {number} {play:?}");
                        }
                    }
                }
            }
        }
    }
}
