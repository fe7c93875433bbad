//! Pairs of matchings whose union is one cycle: the recursion by the partner of endpoint 0, on
//! vectors of counts.

use crate::frontier::states::block::Cell;
use crate::frontier::states::edit::Edit;
use crate::frontier::states::maps::{Action, LOST, Maps, RankMap, direct};
use crate::frontier::states::matching::matchings;

/// A count, and a type for the sum of the products of two blocks' counts.
pub(crate) trait Factor: Cell {
    type Sum: Copy + Default + Into<u128> + Send;

    /// Adds `a * b` to a sum; `reduce` brings it below the modulus, if there is one.
    fn add_product(sum: &mut Self::Sum, a: Self, b: Self, reduce: impl Fn(u128) -> u128);

    /// Adds another sum.
    fn add_sum(sum: &mut Self::Sum, more: Self::Sum, reduce: impl Fn(u128) -> u128);
}

/// For blocks whose counts have sums below 2^32: all products together stay below 2^64.
impl Factor for u32 {
    type Sum = u64;

    #[inline(always)]
    fn add_product(sum: &mut u64, a: Self, b: Self, _reduce: impl Fn(u128) -> u128) {
        *sum = sum.wrapping_add(u64::from(a).wrapping_mul(u64::from(b)));
    }

    #[inline(always)]
    fn add_sum(sum: &mut u64, more: u64, _reduce: impl Fn(u128) -> u128) {
        *sum = sum.wrapping_add(more);
    }
}

/// Factors whose products have 128 bits, or are reduced.
macro_rules! wide_factor {
    ($cell:ty) => {
        impl Factor for $cell {
            type Sum = u128;

            #[inline(always)]
            fn add_product(sum: &mut u128, a: Self, b: Self, reduce: impl Fn(u128) -> u128) {
                *sum = reduce(sum.wrapping_add(u128::from(a).wrapping_mul(u128::from(b))));
            }

            #[inline(always)]
            fn add_sum(sum: &mut u128, more: u128, reduce: impl Fn(u128) -> u128) {
                *sum = reduce(sum.wrapping_add(more));
            }
        }
    };
}

wide_factor!(u64);
wide_factor!(u128);

/// The additions of counts that joining two blocks takes.
pub(crate) fn cycle_work(endpoints: usize) -> usize {
    match endpoints {
        ..=2 => 1,
        _ => (endpoints - 1) * (matchings(endpoints) + cycle_work(endpoints - 2)),
    }
}

/// What the recursion needs besides the vectors.
pub(crate) struct Cycles<'a> {
    pub(crate) maps: &'a Maps,
    /// Counts are residues modulo this number, if any.
    pub(crate) modulus: Option<u64>,
}

impl Cycles<'_> {
    /// A number, or its residue.
    pub(crate) fn reduce(&self, value: u128) -> u128 {
        self.modulus.map_or(value, |m| value % u128::from(m))
    }

    /// For every lane, the sum of x_i y_j over the pairs of matchings whose union is one cycle.
    pub(crate) fn cycles<C: Factor, const L: usize>(
        &self,
        endpoints: usize,
        x: &[[C; L]],
        y: &[[C; L]],
        scratch: &mut [Vec<[C; L]>],
    ) -> [C::Sum; L] {
        let reduce = |sum| self.reduce(sum);
        let mut total = [C::Sum::default(); L];
        match endpoints {
            2 => {
                for lane in 0..L {
                    C::add_product(&mut total[lane], x[0][lane], y[0][lane], reduce);
                }
            }
            4 => {
                for (i, y) in y.iter().enumerate() {
                    let (x, x2) = (&x[(i + 1) % 3], &x[(i + 2) % 3]);
                    for lane in 0..L {
                        let others = x[lane].plus(x2[lane]);
                        C::add_product(&mut total[lane], others, y[lane], reduce);
                    }
                }
            }
            _ => {
                let size = matchings(endpoints - 2);
                for (partner, part) in y.chunks(size).enumerate() {
                    let sums = self.joined_to(endpoints, partner, x, part, scratch);
                    for (total, sum) in total.iter_mut().zip(sums) {
                        C::add_sum(total, sum, reduce);
                    }
                }
            }
        }
        total
    }

    /// The part of [`Cycles::cycles`] of the matchings `part` that join endpoint 0 to the
    /// `partner`-th of the others.
    pub(crate) fn joined_to<C: Factor, const L: usize>(
        &self,
        endpoints: usize,
        partner: usize,
        x: &[[C; L]],
        part: &[[C; L]],
        scratch: &mut [Vec<[C; L]>],
    ) -> [C::Sum; L] {
        if part.iter().all(|lanes| *lanes == [C::default(); L]) {
            return [C::Sum::default(); L];
        }
        let size = matchings(endpoints - 2);
        let mut inner = std::mem::take(&mut scratch[endpoints]);
        inner.clear();
        inner.resize(size + 1, [C::default(); L]);
        let edit = Edit::Contract {
            a: 0,
            b: partner as u8 + 1,
        };
        contract(self.maps.edit(edit, endpoints), x, &mut inner);
        if let Some(modulus) = self.modulus {
            let counts = inner.iter_mut().flatten();
            counts.for_each(|c| *c = c.modulo(modulus));
        }
        let sums = self.cycles(endpoints - 2, &inner[..size], part, scratch);
        scratch[endpoints] = inner;
        sums
    }
}

/// Adds `x` through the map of a contraction.
fn contract<C: Cell, const L: usize>(map: &RankMap, x: &[[C; L]], sums: &mut [[C; L]]) {
    let lost = sums.len() - 1;
    let mut add = |at: usize, lanes: &[C; L]| {
        for (sum, &count) in sums[at].iter_mut().zip(lanes) {
            *sum = sum.plus(count);
        }
    };
    match map {
        RankMap::Table(table) => {
            for (lanes, &image) in x.iter().zip(&table[..]) {
                add((image as usize).min(lost), lanes);
            }
        }
        RankMap::Pieces(pieces) => {
            for piece in &pieces.list {
                let part = &x[piece.start as usize..piece.end as usize];
                let base = piece.base as usize;
                match &piece.action {
                    Action::Lose => {}
                    Action::Shift => {
                        part.iter()
                            .enumerate()
                            .for_each(|(i, lanes)| add(base + i, lanes));
                    }
                    Action::Table(table) => {
                        for (lanes, &image) in part.iter().zip(&table[..]) {
                            add(
                                if image == LOST {
                                    lost
                                } else {
                                    base + image as usize
                                },
                                lanes,
                            );
                        }
                    }
                    Action::Direct(..) => {
                        for (i, lanes) in part.iter().enumerate() {
                            if *lanes != [C::default(); L] {
                                let image = piece.image(piece.start + i as u32);
                                add((image as usize).min(lost), lanes);
                            }
                        }
                    }
                }
            }
        }
        RankMap::Shift(base) => {
            for (r, lanes) in x.iter().enumerate() {
                add(r + *base as usize, lanes);
            }
        }
        RankMap::Direct(edit, endpoints) => {
            for (r, lanes) in x.iter().enumerate() {
                if *lanes != [C::default(); L] {
                    add(
                        (direct(*edit, *endpoints, r as u32) as usize).min(lost),
                        lanes,
                    );
                }
            }
        }
    }
}
