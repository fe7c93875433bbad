//! The search for the piece order that makes the smallest sub-table: all candidates, tried on samples.
//!
//! The candidates are first compared by the entropy of the runs in a sample, which is quick and eliminates most; those left by the size of
//! the Re-Pair symbols of a larger sample. Of a small table the best few are then encoded in full.

use std::collections::BTreeSet;

use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Reservation, Run};
use rustc_hash::FxHashMap;

use crate::error::TableError;
use crate::parallel::in_parallel;
use crate::position::material::Material;
use crate::syzygy::compress::repair::grammar::{estimate_bits, estimate_bytes};
use crate::syzygy::compress::runs::runs;
use crate::syzygy::index::candidates::{is_default_order, piece_orders};
use crate::syzygy::index::piece_order::PieceOrder;
use crate::syzygy::values::dtz_map::StoredValues;
use crate::syzygy::values::permute::Permutation;
use crate::syzygy::values::value_table::ValueTable;

/// The most positions of a small table.
const SMALL: u64 = 1 << 21;
/// Windows of the first and the second sample of a small table, and of a large one.
const WINDOWS: [u64; 2] = [64, 256];
const LARGE_WINDOWS: [u64; 2] = [256, 1024];
/// Consecutive values of a window.
const WINDOW: u64 = 1024;
/// If the best order of a small table seems to take fewer bits than this, the first sample is too small.
const MIN_BITS: u64 = 1 << 12;
/// A first sample that is too small grows up to this many windows.
const MAX_WINDOWS: u64 = 512;
/// Orders that are compared by the second sample.
const FINALISTS: usize = 8;
/// Orders of a small table that are encoded in full.
const ENCODED: usize = 5;
/// Only orders whose estimate exceeds the best one by at most this part of it are encoded in full.
const MARGIN: u64 = 12;

/// Whether several orders of a table are encoded in full.
pub(crate) fn is_small(positions: u64) -> bool {
    positions <= SMALL
}

/// Bytes that the samples of a table take.
pub(crate) fn sample_bytes(positions: u64, threads: u64) -> u64 {
    let (values, symbols) = if is_small(positions) {
        let most = positions.min(MAX_WINDOWS * WINDOW);
        (most, most)
    } else {
        (LARGE_WINDOWS[1] * WINDOW, LARGE_WINDOWS[1] * WINDOW)
    };
    // The sample, another window, and the counts or symbols of the sample.
    threads * (values + (1 << 18) + estimate_bytes(symbols))
}

/// The search for a sub-table's piece order.
pub(crate) struct OrderSearch<'a> {
    pub(crate) material: &'a Material,
    /// The file of the leading pawn, from 0; 0 without pawns.
    pub(crate) file: usize,
    pub(crate) black_to_move: bool,
    pub(crate) values: StoredValues<'a>,
    pub(crate) run: &'a Run,
}

/// The orders that the first sample leaves, with their estimated bits, the best first.
pub(crate) struct Shortlist {
    orders: Vec<(u64, PieceOrder)>,
    windows: u64,
}

impl Shortlist {
    /// The estimated bits of the best order.
    pub(crate) fn bits(&self) -> u64 {
        self.orders.first().map_or(0, |&(bits, _)| bits)
    }
}

impl OrderSearch<'_> {
    /// Compares all candidates by a first sample. A table of a single value gets the default order.
    pub(crate) fn shortlist(
        &self,
        table: &mut ValueTable,
        single_value: bool,
    ) -> Result<Shortlist, TableError> {
        let mut orders: Vec<(u64, PieceOrder)> = piece_orders(self.material, self.file)
            .into_iter()
            .map(|order| (0, order))
            .collect();
        // If all orders are equally good, the default order wins.
        orders.sort_by_key(|(_, order)| !is_default_order(order));
        if single_value {
            orders.truncate(1);
        }
        let largest = largest(&orders);
        let small = is_small(largest);
        let mut windows = if small { WINDOWS } else { LARGE_WINDOWS }[0];
        if orders.len() > 1 {
            let _memory = self.reserve(largest)?;
            let entropy = |sample: &[u8], scale| (run_entropy(sample) * scale) as u64;
            self.estimate(table, &mut orders, windows, &entropy)?;
            while small && orders[0].0 < MIN_BITS && windows < MAX_WINDOWS {
                orders.truncate((orders.len() * 2 / 3).max(FINALISTS));
                windows *= 2;
                if orders.len() > FINALISTS {
                    self.estimate(table, &mut orders, windows, &entropy)?;
                }
            }
            orders.truncate(FINALISTS);
        }
        Ok(Shortlist { orders, windows })
    }

    /// Compares a shortlist by a second sample. Returns the best order of a large table; of a small one, those to be encoded in full, the best
    /// first.
    pub(crate) fn best(
        &self,
        table: &mut ValueTable,
        shortlist: Shortlist,
    ) -> Result<Vec<PieceOrder>, TableError> {
        let Shortlist {
            mut orders,
            windows,
        } = shortlist;
        let largest = largest(&orders);
        let small = is_small(largest);
        if orders.len() > 1 {
            let _memory = self.reserve(largest)?;
            let second = if small { WINDOWS } else { LARGE_WINDOWS }[1];
            // A stop is reported by the loop over the orders.
            let symbols =
                |sample: &[u8], scale| estimate_bits(sample, scale, &self.run.stop).unwrap_or(0);
            self.estimate(table, &mut orders, windows.max(second), &symbols)?;
        }
        orders.truncate(if small { ENCODED } else { 1 });
        let bits = orders.first().map_or(0, |&(bits, _)| bits);
        orders.retain(|&(own, _)| own <= bits + bits / MARGIN);
        Ok(orders.into_iter().map(|(_, order)| order).collect())
    }

    fn reserve(&self, positions: u64) -> Result<Reservation, TableError> {
        let bytes = sample_bytes(positions, self.run.threads.get() as u64);
        Ok(self.run.ram.reserve(&self.material.to_string(), bytes)?)
    }

    /// Estimates the bits of each order by `bits(sample, scale)` and sorts the orders by them.
    fn estimate(
        &self,
        table: &mut ValueTable,
        orders: &mut [(u64, PieceOrder)],
        windows: u64,
        bits: &(dyn Fn(&[u8], f64) -> u64 + Sync),
    ) -> Result<(), TableError> {
        let space = table.space.clone();
        let digit = |(_, order): &(u64, PieceOrder)| {
            Permutation::new(&space, order, self.black_to_move).digit()
        };
        let digits: BTreeSet<usize> = orders.iter().map(digit).collect();
        let mut digits: Vec<usize> = digits.into_iter().collect();
        // The digit that is adjacent now first: each other one costs a transposition.
        digits.sort_by_key(|&digit| (digit != table.adjacent_digit(), digit));
        for adjacent in digits {
            table.make_adjacent(adjacent, self.run)?;
            let table = &*table;
            let mut own: Vec<_> = orders.iter_mut().filter(|o| digit(o) == adjacent).collect();
            let estimates = in_parallel(
                &own,
                self.run,
                || (),
                |(), (_, order)| {
                    let permutation = Permutation::new(&space, order, self.black_to_move);
                    let size = order.size();
                    let sample = sample(table, &permutation, size, windows, self.values);
                    bits(&sample, size as f64 / sample.len() as f64)
                },
            )?;
            for (entry, estimate) in own.iter_mut().zip(estimates) {
                entry.0 = estimate;
            }
        }
        orders.sort_by_key(|&(bits, _)| bits);
        Ok(())
    }
}

/// The size of the largest order.
fn largest(of: &[(u64, PieceOrder)]) -> u64 {
    let sizes = of.iter().map(|(_, order)| order.size());
    sizes.max().unwrap_or(0)
}

/// The stored values of some windows of a table, one at a random place of each equal part of it; the whole table if it is not larger.
fn sample(
    table: &ValueTable,
    permutation: &Permutation<'_>,
    size: u64,
    windows: u64,
    values: StoredValues<'_>,
) -> Vec<u8> {
    let mut sample = Vec::new();
    if size <= windows * WINDOW {
        sample = permutation.bytes(table, 0, size);
    } else {
        sample.reserve_exact((windows * WINDOW) as usize);
        let mut rng = SplitMix64::new(windows);
        let part = size / windows;
        for window in 0..windows {
            let from = window * part + rng.below(part - WINDOW + 1);
            sample.extend(permutation.bytes(table, from, from + WINDOW));
        }
    }
    values.finish(&mut sample);
    sample
}

/// The entropy in bits of the runs of some values: of each run's value and length, given the value of the run before.
fn run_entropy(values: &[u8]) -> f64 {
    let mut counts: FxHashMap<(u8, u8, u8), u32> = FxHashMap::default();
    let (mut total, mut before) = (0u32, 0);
    for (value, length) in runs(values) {
        // Lengths exactly up to seven, then in half powers of two.
        let length = match length {
            short @ ..8 => short as u8,
            long => 6 + (2.0 * (long as f64).log2()) as u8,
        };
        *counts.entry((before, value, length)).or_default() += 1;
        before = value;
        total += 1;
    }
    let bits = |&count: &u32| f64::from(count) * (f64::from(total) / f64::from(count)).log2();
    counts.values().map(bits).sum()
}
