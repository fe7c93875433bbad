//! The search for the piece order that makes the smallest sub-table: all candidates, tried on
//! samples.
//!
//! The candidates are first compared by the entropy of the runs in a sample, which is quick and
//! eliminates most; those left by the size of the Re-Pair symbols of a larger sample. Of a small
//! table the best few are then encoded in full.
//!
//! What a sample says depends on its runs, not on its values: the fewer runs a table has, the more
//! of its values are read. A sample that is larger than the usual one is read part by part, and
//! only its runs are kept.

use std::ops::Range;

use everymove_kernel::parallel;
use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::Run;
use rustc_hash::FxHashMap;

use crate::error::TableError;
use crate::position::material::Material;
use crate::syzygy::compress::repair::grammar::{estimate_bits, estimate_bytes};
use crate::syzygy::compress::run_list::RunList;
use crate::syzygy::file::parse::Contents;
use crate::syzygy::index::candidates::{is_default_order, piece_orders};
use crate::syzygy::index::piece_order::PieceOrder;
use crate::syzygy::values::dont_care::FillRule;
use crate::syzygy::values::dtz_map::StoredValues;
use crate::syzygy::values::sub_table::{SAMPLED_BY_SLICE, SubTable};

/// The most positions of a small table.
const SMALL: u64 = 1 << 21;
/// Windows of the first and the second sample of a small table, and of a large one with many runs.
const WINDOWS: [u64; 2] = [64, 256];
const LARGE_WINDOWS: [u64; 2] = [256, 1024];
/// Consecutive values of a window.
const WINDOW: u64 = 1024;
/// If the best order of a small table seems to take fewer bits than this, the first sample is too
/// small.
const MIN_BITS: u64 = 1 << 12;
/// A first sample that is too small grows up to this many windows.
const MAX_WINDOWS: u64 = 512;
/// Runs of the best order in the first sample of a large table: samples with fewer are too small.
const MIN_RUNS: u64 = 1 << 11;
/// The same in the second sample: of a WDL table, and of a DTZ table, whose runs are many.
const MIN_SECOND_RUNS: [u64; 2] = [40_000, 20_000];
/// Windows up to which the first and the second sample of a large table grow.
const MAX_LARGE_WINDOWS: [u64; 2] = [1 << 12, 1 << 14];
/// Windows that are read at a time of a sample that is larger than the usual one.
const PART: u64 = LARGE_WINDOWS[1] / 2;
/// Bytes of the runs that are kept of such a sample. An order with more has many times the runs of
/// the best one; the first ones are compared.
const KEPT: usize = (PART * WINDOW) as usize;
/// Orders that are compared by the second sample.
const FINALISTS: usize = 8;
/// Orders of a small table that are encoded in full.
const ENCODED: usize = 5;
/// Only orders whose estimate exceeds the best one by at most this part of it are compared further,
/// by a larger sample or encoded in full.
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
    // A part of a larger sample and its runs take as much as the values of the usual one. Another
    // window, and the counts or symbols of a sample.
    [samples, threads * ((1 << 18) + estimate_bytes(values))]
}

/// The search for a sub-table's piece order.
pub(crate) struct OrderSearch<'a> {
    pub(crate) material: &'a Material,
    pub(crate) values: StoredValues<'a>,
    pub(crate) run: &'a Run,
}

/// An order, and what a sample says of it.
struct Candidate {
    order: PieceOrder,
    /// The estimated bits of the table.
    bits: u64,
    /// The runs of the sample.
    runs: u64,
}

/// The orders that the first sample leaves, the best first.
pub(crate) struct Shortlist {
    candidates: Vec<Candidate>,
    windows: u64,
}

impl Shortlist {
    /// The estimated bits of the best order.
    pub(crate) fn bits(&self) -> u64 {
        self.candidates.first().map_or(0, |best| best.bits)
    }

    /// The windows of the second sample.
    fn second_windows(&self, contents: Contents) -> u64 {
        let Some(best) = self.candidates.first() else {
            return 0;
        };
        if is_small(best.order.size()) {
            return self.windows.max(WINDOWS[1]);
        }
        let runs = match contents {
            Contents::Wdl => MIN_SECOND_RUNS[0],
            Contents::Dtz => MIN_SECOND_RUNS[1],
        };
        let wanted = (self.windows * runs / best.runs.max(1)).next_multiple_of(PART);
        wanted.clamp(LARGE_WINDOWS[1], MAX_LARGE_WINDOWS[1])
    }
}

impl OrderSearch<'_> {
    /// Compares all candidates by a first sample. A table of a single value gets the default order.
    pub(crate) fn shortlist(
        &self,
        table: &mut SubTable,
        single_value: bool,
    ) -> Result<Shortlist, TableError> {
        let mut orders = piece_orders(self.material, table.file);
        // If all orders are equally good, the default order wins.
        orders.sort_by_key(|order| !is_default_order(order));
        if single_value {
            orders.truncate(1);
        }
        let candidate = |order| Candidate {
            order,
            bits: 0,
            runs: 0,
        };
        let mut candidates: Vec<Candidate> = orders.into_iter().map(candidate).collect();
        let small = is_small(largest(&candidates));
        let mut windows = if small { WINDOWS } else { LARGE_WINDOWS }[0];
        if candidates.len() > 1 {
            let entropy = |sample: &RunList, scale| (run_entropy(sample) * scale) as u64;
            self.estimate(table, &mut candidates, windows, &entropy)?;
            let too_small = |best: &Candidate, windows| match small {
                true => best.bits < MIN_BITS && windows < MAX_WINDOWS,
                false => best.runs < MIN_RUNS && windows < MAX_LARGE_WINDOWS[0],
            };
            while too_small(&candidates[0], windows) && (small || candidates.len() > FINALISTS) {
                let kept = if small {
                    candidates.len() * 2 / 3
                } else {
                    candidates.len() / 3
                };
                candidates.truncate(kept.max(FINALISTS));
                windows *= 2;
                if small && candidates.len() <= FINALISTS {
                    continue;
                }
                self.estimate(table, &mut candidates, windows, &entropy)?;
            }
            candidates.truncate(FINALISTS);
        }
        Ok(Shortlist {
            candidates,
            windows,
        })
    }

    /// Compares a shortlist by a second sample. Returns the best order of a large table; of a small
    /// one, those to be encoded in full, the best first.
    pub(crate) fn best(
        &self,
        table: &mut SubTable,
        shortlist: Shortlist,
    ) -> Result<Vec<PieceOrder>, TableError> {
        let windows = shortlist.second_windows(self.values.contents());
        let usual = windows.min(LARGE_WINDOWS[1]);
        let mut candidates = shortlist.candidates;
        // A stop is reported by the loop over the orders.
        let symbols =
            |sample: &RunList, scale| estimate_bits(sample, scale, &self.run.stop).unwrap_or(0);
        if candidates.len() > 1 {
            self.estimate(table, &mut candidates, usual, &symbols)?;
        }
        // Only what is close takes the time of a larger sample.
        if windows > usual {
            keep_close(&mut candidates);
            if candidates.len() > 1 {
                self.estimate(table, &mut candidates, windows, &symbols)?;
            }
        }
        let small = is_small(largest(&candidates));
        candidates.truncate(if small { ENCODED } else { 1 });
        keep_close(&mut candidates);
        Ok(candidates.into_iter().map(|own| own.order).collect())
    }

    /// Estimates the bits of each order by `bits(sample, scale)` and sorts the orders by them.
    fn estimate(
        &self,
        table: &mut SubTable,
        candidates: &mut [Candidate],
        windows: u64,
        bits: &(dyn Fn(&RunList, f64) -> u64 + Sync),
    ) -> Result<(), TableError> {
        let size = largest(candidates);
        let ranges = ranges(size, windows);
        let length: u64 = ranges.iter().map(|range| range.end - range.start).sum();
        let in_parts = !is_small(size) && windows > LARGE_WINDOWS[1];
        // The values of a part, and runs.
        let sample_bytes_each = match in_parts {
            true => PART * WINDOW + KEPT as u64,
            false => length,
        };
        let counted = in_parts.then(|| table.counts()).transpose()?;
        let what = self.material.to_string();
        let threads = self.run.threads.get() as u64;
        let [for_samples, for_estimates] = sample_bytes(size, threads, table.is_by_slice());
        let _samples = self.run.ram.reserve(&what, for_samples)?;
        // Orders that need the same digit adjacent come together.
        let mut by_digit: Vec<usize> = (0..candidates.len()).collect();
        by_digit.sort_by_key(|&number| table.digit(&candidates[number].order));
        for numbers in by_digit.chunks(table.samples_at_once(sample_bytes_each, self.run)) {
            let wanted: Vec<&PieceOrder> = numbers.iter().map(|&n| &candidates[n].order).collect();
            let parts = ranges.chunks(if in_parts {
                PART as usize
            } else {
                ranges.len()
            });
            let mut samples: Vec<RunList> = wanted.iter().map(|_| RunList::default()).collect();
            for part in parts {
                let more = self.runs_of(table, &wanted, part, counted.as_ref())?;
                for (sample, more) in samples.iter_mut().zip(more) {
                    if sample.values() == 0 {
                        *sample = more;
                    } else if sample.bytes() + more.bytes() <= KEPT {
                        sample.append(&more);
                    }
                }
            }
            let _estimates = self.run.ram.reserve(&what, for_estimates)?;
            let estimate =
                |(): &mut (), sample: &RunList| bits(sample, size as f64 / sample.values() as f64);
            let estimates = parallel::map(self.run, &samples, || (), estimate)?;
            for ((&number, bits), sample) in numbers.iter().zip(estimates).zip(&samples) {
                candidates[number].bits = bits;
                candidates[number].runs = sample.iter().count() as u64;
            }
        }
        candidates.sort_by_key(|own| own.bits);
        Ok(())
    }

    /// By order: the runs of the values that a file would store in some ranges of indices, given
    /// how often each byte occurs in the table if that is known.
    fn runs_of(
        &self,
        table: &mut SubTable,
        orders: &[&PieceOrder],
        ranges: &[Range<u64>],
        counted: Option<&[u64; 256]>,
    ) -> Result<Vec<RunList>, TableError> {
        let values = table.samples(orders, ranges, self.run)?;
        let runs = |(): &mut (), mut values: Vec<u8>| {
            self.values.finish(&mut values, counted, FillRule::USUAL);
            RunList::of(values)
        };
        Ok(parallel::map(self.run, values, || (), runs)?)
    }
}

/// Keeps the candidates whose estimate exceeds that of the best one, the first, by at most a
/// [`MARGIN`]th.
fn keep_close(candidates: &mut Vec<Candidate>) {
    let bits = candidates.first().map_or(0, |best| best.bits);
    candidates.retain(|own| own.bits <= bits + bits / MARGIN);
}

/// The size of the largest order.
fn largest(of: &[Candidate]) -> u64 {
    let sizes = of.iter().map(|own| own.order.size());
    sizes.max().unwrap_or(0)
}

/// Some windows of a table of `size` values, one at a random place of each equal part of it; the
/// whole table if it is not larger.
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

/// The entropy in bits of runs: of each run's value and length, given the value of the run before.
fn run_entropy(runs: &RunList) -> f64 {
    let mut counts: FxHashMap<(u8, u8, u8), u32> = FxHashMap::default();
    let (mut total, mut before) = (0u32, 0);
    for (value, length) in runs.iter() {
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
