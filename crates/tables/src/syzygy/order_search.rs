//! Which order of men makes the smallest file: all that there are, tried on samples.
//!
//! A first sample is weighed by its runs alone, which is quick and drops most orders; for those left a second one is made
//! into symbols as the file will be. Of a small table the best few are then tried in full.

use std::collections::BTreeSet;

use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Reservation, Run};
use rustc_hash::FxHashMap;

use crate::error::TableError;
use crate::parallel::in_parallel;
use crate::position::material::Material;
use crate::syzygy::compress::repair::grammar::{estimate, estimate_bytes};
use crate::syzygy::compress::runs::each_run;
use crate::syzygy::index::candidates::{arrangements, is_plain};
use crate::syzygy::index::piece_order::Arrangement;
use crate::syzygy::values::dtz_map::Values;
use crate::syzygy::values::permute::Lens;
use crate::syzygy::values::value_table::Field;

/// Tables of up to so many positions are small.
const SMALL: u64 = 1 << 21;
/// Windows of a table's first sample and its second: of small tables, and of large ones.
const WINDOWS: [u64; 2] = [64, 256];
const MANY_WINDOWS: [u64; 2] = [256, 1024];
/// Values of a window.
const WINDOW: u64 = 1024;
/// Where the best order seems to take fewer bits, what matters is rare, and the first sample of a small table too small.
const RARE: u64 = 1 << 12;
/// Then it grows up to so many windows.
const MOST_WINDOWS: u64 = 512;
/// Orders that are left for the second sample.
const FINALISTS: usize = 8;
/// Orders of a small table that are tried in full.
const TRIED: usize = 5;
/// Only those are tried in full that seem to take at most this much more than the best, as a part of it.
const MARGIN: u64 = 12;

/// Whether several orders of a table of so many positions are tried in full.
pub(crate) fn is_small(positions: u64) -> bool {
    positions <= SMALL
}

/// Bytes of the samples of a table of so many positions.
pub(crate) fn sample_bytes(positions: u64, threads: u64) -> u64 {
    let (values, symbols) = if is_small(positions) {
        let most = positions.min(MOST_WINDOWS * WINDOW);
        (most, most)
    } else {
        (MANY_WINDOWS[1] * WINDOW, MANY_WINDOWS[1] * WINDOW)
    };
    // What was sampled, a window more, and what is counted or made of it.
    threads * (values + (1 << 18) + estimate_bytes(symbols))
}

/// What is to be ordered.
pub(crate) struct Choice<'a> {
    pub(crate) material: &'a Material,
    pub(crate) file: usize,
    pub(crate) black_to_move: bool,
    pub(crate) values: Values<'a>,
    pub(crate) run: &'a Run,
}

/// The orders that a first sample leaves, the lightest first.
pub(crate) struct Shortlist {
    left: Vec<(u64, Arrangement)>,
    windows: u64,
}

impl Shortlist {
    /// About how many bits the best takes.
    pub(crate) fn bits(&self) -> u64 {
        self.left.first().map_or(0, |&(bits, _)| bits)
    }
}

impl Choice<'_> {
    /// The orders worth a closer look. If all values are one, it does not matter: then it is one.
    pub(crate) fn shortlist(
        &self,
        field: &mut Field,
        one_value: bool,
    ) -> Result<Shortlist, TableError> {
        let mut left: Vec<(u64, Arrangement)> = arrangements(self.material, self.file)
            .into_iter()
            .map(|arrangement| (0, arrangement))
            .collect();
        // Where all orders are as good, as for tables of one value, the one that the published files have.
        left.sort_by_key(|(_, arrangement)| !is_plain(arrangement));
        if one_value {
            left.truncate(1);
        }
        let largest = largest(&left);
        let small = is_small(largest);
        let mut windows = if small { WINDOWS } else { MANY_WINDOWS }[0];
        if left.len() > 1 {
            let _held = self.reserve(largest)?;
            let runs = |sample: &[u8], share| (information(sample) * share) as u64;
            self.weigh(field, &mut left, windows, &runs)?;
            while small && left[0].0 < RARE && windows < MOST_WINDOWS {
                left.truncate((left.len() * 2 / 3).max(FINALISTS));
                windows *= 2;
                if left.len() > FINALISTS {
                    self.weigh(field, &mut left, windows, &runs)?;
                }
            }
            left.truncate(FINALISTS);
        }
        Ok(Shortlist { left, windows })
    }

    /// The best of some arrangements, the best first. Of a large table it is one, of a small one there are several to be tried
    /// in full.
    pub(crate) fn best(
        &self,
        field: &mut Field,
        shortlist: Shortlist,
    ) -> Result<Vec<Arrangement>, TableError> {
        let Shortlist { mut left, windows } = shortlist;
        let largest = largest(&left);
        let small = is_small(largest);
        if left.len() > 1 {
            let _held = self.reserve(largest)?;
            let second = if small { WINDOWS } else { MANY_WINDOWS }[1];
            // A run that is stopped is told so when the orders are weighed.
            let symbols =
                |sample: &[u8], share| estimate(sample, share, &self.run.stop).unwrap_or(0);
            self.weigh(field, &mut left, windows.max(second), &symbols)?;
        }
        left.truncate(if small { TRIED } else { 1 });
        let bits = left.first().map_or(0, |&(bits, _)| bits);
        left.retain(|&(own, _)| own <= bits + bits / MARGIN);
        Ok(left
            .into_iter()
            .map(|(_, arrangement)| arrangement)
            .collect())
    }

    fn reserve(&self, positions: u64) -> Result<Reservation, TableError> {
        let bytes = sample_bytes(positions, self.run.threads.get() as u64);
        Ok(self.run.ram.reserve(&self.material.to_string(), bytes)?)
    }

    /// Weighs a sample of each arrangement and puts the lightest first.
    fn weigh(
        &self,
        field: &mut Field,
        left: &mut [(u64, Arrangement)],
        windows: u64,
        weight: &(dyn Fn(&[u8], f64) -> u64 + Sync),
    ) -> Result<(), TableError> {
        let space = field.space.clone();
        let digit = |(_, arrangement): &(u64, Arrangement)| {
            Lens::new(&space, arrangement, self.black_to_move).digit()
        };
        let digits: BTreeSet<usize> = left.iter().map(digit).collect();
        let mut digits: Vec<usize> = digits.into_iter().collect();
        // What is together now comes first, and then what is one exchange away.
        digits.sort_by_key(|&digit| (digit != field.brought_together(), digit));
        for together in digits {
            field.bring_together(together, self.run)?;
            let field = &*field;
            let mut own: Vec<_> = left.iter_mut().filter(|a| digit(a) == together).collect();
            let weights = in_parallel(
                &own,
                self.run,
                || (),
                |(), (_, arrangement)| {
                    let lens = Lens::new(&space, arrangement, self.black_to_move);
                    let size = arrangement.size();
                    let sample = sample(field, &lens, size, windows, self.values);
                    weight(&sample, size as f64 / sample.len() as f64)
                },
            )?;
            for (entry, weight) in own.iter_mut().zip(weights) {
                entry.0 = weight;
            }
        }
        left.sort_by_key(|&(weight, _)| weight);
        Ok(())
    }
}

/// Numbers of the arrangement that has most.
fn largest(of: &[(u64, Arrangement)]) -> u64 {
    let sizes = of.iter().map(|(_, arrangement)| arrangement.size());
    sizes.max().unwrap_or(0)
}

/// Windows of a table's values, one in each of as many parts of it, filled; or all of them.
fn sample(field: &Field, lens: &Lens<'_>, size: u64, windows: u64, values: Values<'_>) -> Vec<u8> {
    let mut sample = Vec::new();
    if size <= windows * WINDOW {
        sample = lens.bytes(field, 0, size);
    } else {
        sample.reserve_exact((windows * WINDOW) as usize);
        let mut rng = SplitMix64::new(windows);
        let part = size / windows;
        for window in 0..windows {
            let from = window * part + rng.below(part - WINDOW + 1);
            sample.extend(lens.bytes(field, from, from + WINDOW));
        }
    }
    values.settle(&mut sample);
    sample
}

/// Bits that tell runs of values: what each run is, given the value before it, as rare as that is among all of them.
fn information(values: &[u8]) -> f64 {
    let mut counts: FxHashMap<(u8, u8, u8), u32> = FxHashMap::default();
    let (mut runs, mut before) = (0u32, 0);
    for (value, length) in each_run(values) {
        // Lengths to the bit up to seven, then by half powers of two.
        let length = match length {
            short @ ..8 => short as u8,
            long => 6 + (2.0 * (long as f64).log2()) as u8,
        };
        *counts.entry((before, value, length)).or_default() += 1;
        before = value;
        runs += 1;
    }
    let bits = |&count: &u32| f64::from(count) * (f64::from(runs) / f64::from(count)).log2();
    counts.values().map(bits).sum()
}
