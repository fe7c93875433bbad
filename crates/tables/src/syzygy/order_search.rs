//! The search for the piece order that makes the smallest sub-table: all candidates, tried on samples.
//!
//! The candidates are first compared by the entropy of the runs in a sample, which is quick and eliminates most; those left by the size of
//! the Re-Pair symbols of a larger sample. Of a small table the best few are then encoded in full.

use std::ops::Range;
use std::sync::Mutex;

use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::Run;
use rustc_hash::FxHashMap;

use crate::error::TableError;
use crate::parallel::in_parallel;
use crate::position::material::Material;
use crate::syzygy::compress::repair::grammar::{estimate_bits, estimate_bytes};
use crate::syzygy::compress::runs::runs;
use crate::syzygy::index::candidates::{is_default_order, piece_orders};
use crate::syzygy::index::piece_order::PieceOrder;
use crate::syzygy::values::dtz_map::StoredValues;
use crate::syzygy::values::sub_table::{SAMPLED_BY_SLICE, SubTable};

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

/// Bytes that the samples of a table take, and then the estimates of bits made of them.
pub(crate) fn sample_bytes(positions: u64, threads: u64, by_slice: bool) -> [u64; 2] {
    let values = if is_small(positions) {
        positions.min(MAX_WINDOWS * WINDOW)
    } else {
        LARGE_WINDOWS[1] * WINDOW
    };
    let samples = match by_slice {
        true => values.max(SAMPLED_BY_SLICE),
        false => threads * values,
    };
    // Another window, and the counts or symbols of a sample.
    [samples, threads * ((1 << 18) + estimate_bytes(values))]
}

/// The search for a sub-table's piece order.
pub(crate) struct OrderSearch<'a> {
    pub(crate) material: &'a Material,
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
        table: &mut SubTable,
        single_value: bool,
    ) -> Result<Shortlist, TableError> {
        let mut orders: Vec<(u64, PieceOrder)> = piece_orders(self.material, table.file)
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
        table: &mut SubTable,
        shortlist: Shortlist,
    ) -> Result<Vec<PieceOrder>, TableError> {
        let Shortlist {
            mut orders,
            windows,
        } = shortlist;
        let largest = largest(&orders);
        let small = is_small(largest);
        if orders.len() > 1 {
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

    /// Estimates the bits of each order by `bits(sample, scale)` and sorts the orders by them.
    fn estimate(
        &self,
        table: &mut SubTable,
        orders: &mut [(u64, PieceOrder)],
        windows: u64,
        bits: &(dyn Fn(&[u8], f64) -> u64 + Sync),
    ) -> Result<(), TableError> {
        let size = largest(orders);
        let ranges = ranges(size, windows);
        let length: u64 = ranges.iter().map(|range| range.end - range.start).sum();
        let what = self.material.to_string();
        let threads = self.run.threads.get() as u64;
        let [for_samples, for_estimates] = sample_bytes(size, threads, table.is_by_slice());
        let _samples = self.run.ram.reserve(&what, for_samples)?;
        // Orders that need the same digit adjacent come together.
        let mut by_digit: Vec<usize> = (0..orders.len()).collect();
        by_digit.sort_by_key(|&number| table.digit(&orders[number].1));
        for numbers in by_digit.chunks(table.samples_at_once(length, self.run)) {
            let wanted: Vec<&PieceOrder> = numbers.iter().map(|&n| &orders[n].1).collect();
            let samples = table.samples(&wanted, &ranges, self.run)?;
            let samples: Vec<_> = samples.into_iter().map(Mutex::new).collect();
            let _estimates = self.run.ram.reserve(&what, for_estimates)?;
            let estimates = in_parallel(
                &samples,
                self.run,
                || (),
                |(), sample| {
                    let mut sample = sample.lock().unwrap_or_else(|e| e.into_inner());
                    self.values.finish(&mut sample);
                    bits(&sample, size as f64 / length as f64)
                },
            )?;
            for (&number, estimate) in numbers.iter().zip(estimates) {
                orders[number].0 = estimate;
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

/// Some windows of a table of `size` values, one at a random place of each equal part of it; the whole table if it is not larger.
fn ranges(size: u64, windows: u64) -> Vec<Range<u64>> {
    if size <= windows * WINDOW {
        return std::iter::once(0..size).collect();
    }
    let mut rng = SplitMix64::new(windows);
    let part = size / windows;
    let window = |window| {
        let from = window * part + rng.below(part - WINDOW + 1);
        from..from + WINDOW
    };
    (0..windows).map(window).collect()
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
