//! The values of a sub-table before they have an index order: all of them in memory, or one P-slice
//! at a time.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use everymove_kernel::parallel;
use everymove_kernel::run::Run;

use crate::error::TableError;
use crate::position::index_space::IndexSpace;
use crate::store::buffer::{Buffer, Place};
use crate::syzygy::index::interleave::Interleave;
use crate::syzygy::index::piece_order::PieceOrder;
use crate::syzygy::values::dont_care::{DONT_CARE, add_counts};
use crate::syzygy::values::permute::Permutation;
use crate::syzygy::values::value_table::ValueTable;

/// Indices that a thread permutes at a time.
const BATCH: u64 = 1 << 16;
/// Batches of each thread before they are put together.
const BATCHES: usize = 8;
/// Bytes that are searched at a time.
const CHUNK: usize = 1 << 16;

/// Bytes of the batches that are permuted and not yet put together.
pub(crate) fn batch_bytes(threads: u64) -> u64 {
    threads * BATCHES as u64 * BATCH
}

/// The values of a sub-table.
pub(crate) struct SubTable {
    /// The file of the leading pawn, from 0; 0 without pawns.
    pub(crate) file: usize,
    pub(crate) black_to_move: bool,
    values: Values,
}

enum Values {
    Whole(ValueTable),
    BySlice {
        space: Arc<IndexSpace>,
        slices: Vec<usize>,
        /// The bytes of one slice after the other.
        bytes: Buffer,
    },
}

impl SubTable {
    /// The values of a table in memory.
    pub(crate) fn whole(table: ValueTable, file: usize, black_to_move: bool) -> Self {
        Self {
            file,
            black_to_move,
            values: Values::Whole(table),
        }
    }

    /// The values of some P-slices, computed by `table` one after the other and kept in `place`.
    pub(crate) fn by_slice(
        space: &Arc<IndexSpace>,
        slices: Vec<usize>,
        (file, black_to_move): (usize, bool),
        place: &Place,
        table: impl Fn(usize) -> Result<ValueTable, TableError>,
    ) -> Result<Self, TableError> {
        let mut bytes = place.buffer((slices.len() * space.slice_len()) as u64)?;
        for &slice in &slices {
            table(slice)?.append_to(&mut bytes)?;
        }
        Ok(Self {
            file,
            black_to_move,
            values: Values::BySlice {
                space: space.clone(),
                slices,
                bytes,
            },
        })
    }

    /// Whether one P-slice at a time is in memory.
    pub(crate) fn is_by_slice(&self) -> bool {
        matches!(self.values, Values::BySlice { .. })
    }

    /// The digit that an order needs adjacent, as a shift in bits; before it, whether it is another
    /// one than now.
    pub(crate) fn digit(&self, order: &PieceOrder) -> (bool, usize) {
        let (space, adjacent) = match &self.values {
            Values::Whole(table) => (&table.space, table.adjacent_digit()),
            Values::BySlice { space, .. } => (space, 0),
        };
        let digit = Permutation::new(space, order, self.black_to_move).digit();
        (digit != adjacent, digit)
    }

    /// Whether two bytes differ, don't-care entries left out.
    pub(crate) fn has_several_values(&self) -> Result<bool, TableError> {
        let bytes = match &self.values {
            Values::Whole(table) => return Ok(table.has_several_values(DONT_CARE)),
            Values::BySlice { bytes, .. } => bytes,
        };
        let (mut first, mut differ) = (None, false);
        bytes.for_each_chunk(CHUNK, |_, chunk| {
            for &byte in chunk.iter().filter(|&&byte| byte != DONT_CARE) {
                differ |= *first.get_or_insert(byte) != byte;
            }
            Ok(())
        })?;
        Ok(differ)
    }

    /// How often each byte occurs.
    pub(crate) fn counts(&self) -> Result<[u64; 256], TableError> {
        let mut counted = [0; 256];
        let mut add = |bytes: &[u8]| {
            add_counts(bytes, &mut counted);
            Ok(())
        };
        match &self.values {
            Values::Whole(table) => table.for_each_chunk(add)?,
            Values::BySlice { bytes, .. } => bytes.for_each_chunk(CHUNK, |_, chunk| add(chunk))?,
        }
        Ok(counted)
    }

    /// How many orders [`SubTable::samples`] is best given at a time, if a sample takes `length`
    /// bytes.
    pub(crate) fn samples_at_once(&self, length: u64, run: &Run) -> usize {
        match self.values {
            Values::Whole(_) => run.threads.get(),
            Values::BySlice { .. } => (SAMPLED_BY_SLICE / length.max(1)).max(1) as usize,
        }
    }

    /// By order: the bytes of some ranges of indices, one after the other.
    pub(crate) fn samples(
        &mut self,
        orders: &[&PieceOrder],
        ranges: &[Range<u64>],
        run: &Run,
    ) -> Result<Vec<Vec<u8>>, TableError> {
        let black = self.black_to_move;
        match &mut self.values {
            Values::Whole(table) => {
                let mut samples = vec![Vec::new(); orders.len()];
                let length = length(ranges);
                let space = table.space.clone();
                let permutations = orders
                    .iter()
                    .map(|order| Permutation::new(&space, order, black));
                for (digit, own) in by_digit(permutations, table.adjacent_digit()) {
                    table.make_adjacent(digit, run)?;
                    let table = &*table;
                    let sample = |permutation: &Permutation<'_>| {
                        let mut sample = Vec::with_capacity(length);
                        for range in ranges {
                            sample.extend(permutation.bytes(table, range.start, range.end));
                        }
                        sample
                    };
                    let made = parallel::map(run, &own, || (), |(), (_, own)| sample(own))?;
                    for ((number, _), made) in own.iter().zip(made) {
                        samples[*number] = made;
                    }
                }
                Ok(samples)
            }
            Values::BySlice { .. } => self.samples_by_slice(orders, ranges, run),
        }
    }

    fn samples_by_slice(
        &self,
        orders: &[&PieceOrder],
        ranges: &[Range<u64>],
        run: &Run,
    ) -> Result<Vec<Vec<u8>>, TableError> {
        let length = length(ranges);
        let samples: Vec<_> = (orders.iter())
            .map(|order| {
                let sample = Mutex::new(vec![DONT_CARE; length]);
                (Interleave::new(order, self.file), sample)
            })
            .collect();
        let interleaves = samples.iter().map(|(interleave, _)| interleave);
        let wanted = self.slices_with(interleaves, ranges);
        self.for_each_slice(Some(&wanted), run, |slice, table| {
            let space = table.space.clone();
            let new = |(interleave, _): &(Interleave<'_>, _)| {
                (interleave.by_parts().clone(), self.black_to_move)
            };
            let by_parts: Vec<(PieceOrder, bool)> = samples.iter().map(new).collect();
            let permutations = by_parts
                .iter()
                .map(|(order, black)| Permutation::new(&space, order, *black));
            for (digit, own) in by_digit(permutations, 0) {
                table.make_adjacent(digit, run)?;
                let table = &*table;
                parallel::for_each(
                    run,
                    &own,
                    || (),
                    |(), (number, permutation)| {
                        let (interleave, sample) = &samples[*number];
                        let mut sample = sample.lock().unwrap_or_else(|e| e.into_inner());
                        let parts = parts_of(slice, interleave, permutation);
                        let mut at = 0;
                        for range in ranges {
                            let count = (range.end - range.start) as usize;
                            let to = &mut sample[at..at + count];
                            for piece in interleave.pieces(range.clone()) {
                                if parts[piece.part as usize] {
                                    let Range { start, end } = piece.range;
                                    piece.store(&permutation.bytes(table, start, end), to);
                                }
                            }
                            at += count;
                        }
                    },
                )?;
            }
            Ok(())
        })?;
        let samples = samples.into_iter();
        Ok(samples
            .map(|(_, sample)| sample.into_inner().unwrap_or_else(|e| e.into_inner()))
            .collect())
    }

    /// By chosen slice: whether it may have positions of some ranges of indices.
    fn slices_with<'i>(
        &self,
        interleaves: impl Iterator<Item = &'i Interleave<'i>>,
        ranges: &[Range<u64>],
    ) -> Vec<bool> {
        let Values::BySlice { space, slices, .. } = &self.values else {
            return Vec::new();
        };
        let mut wanted = vec![false; slices.len()];
        for interleave in interleaves {
            // A range of any other order has positions of most slices.
            if !interleave.is_by_parts() {
                return vec![true; slices.len()];
            }
            let permutation = Permutation::new(space, interleave.by_parts(), self.black_to_move);
            let pieces = ranges
                .iter()
                .flat_map(|range| interleave.pieces(range.clone()));
            let mut parts: Vec<u64> = pieces.map(|piece| piece.part).collect();
            parts.dedup();
            for part in parts {
                let slice = permutation.slice(interleave.part(part).start);
                if let Some(rank) = slice.and_then(|slice| slices.binary_search(&slice).ok()) {
                    wanted[rank] = true;
                }
            }
        }
        wanted
    }

    /// The bytes of all indices of an order, in `place`.
    pub(crate) fn permuted(
        &mut self,
        order: &PieceOrder,
        place: &Place,
        run: &Run,
    ) -> Result<Buffer, TableError> {
        let black = self.black_to_move;
        if let Values::Whole(table) = &mut self.values {
            let mut bytes = place.buffer(order.size())?;
            let space = table.space.clone();
            let permutation = Permutation::new(&space, order, black);
            table.make_adjacent(permutation.digit(), run)?;
            let each = |_, batch: &[u8]| bytes.append(batch);
            in_batches(&permutation, table, 0..order.size(), run, each)?;
            return Ok(bytes);
        }
        let interleave = Interleave::new(order, self.file);
        let by_parts = self.by_parts(&interleave, place, run)?;
        if interleave.is_by_parts() {
            return Ok(by_parts);
        }
        let size = order.size();
        let mut bytes = place.buffer(size)?;
        let batch = |(): &mut (), from: u64| {
            let to = (from + BATCH).min(size);
            let mut batch = vec![0; (to - from) as usize];
            let mut part = Vec::new();
            for piece in interleave.pieces(from..to) {
                part.resize((piece.range.end - piece.range.start) as usize, 0);
                by_parts.read(piece.range.start, &mut part)?;
                piece.store(&part, &mut batch);
            }
            Ok::<_, TableError>(batch)
        };
        let starts = (0..size).step_by(BATCH as usize);
        let window = BATCHES * run.threads.get();
        let append = |batch: Vec<u8>| bytes.append(&batch);
        parallel::try_in_order(run, starts, window, || (), batch, append)?;
        Ok(bytes)
    }

    /// The bytes of all indices in the order by parts.
    fn by_parts(
        &self,
        interleave: &Interleave<'_>,
        place: &Place,
        run: &Run,
    ) -> Result<Buffer, TableError> {
        let order = interleave.by_parts();
        let mut bytes = place.buffer(order.size())?;
        // Parts come in any order if several are of one slice.
        let zeros = vec![0; CHUNK];
        for at in (0..order.size()).step_by(CHUNK) {
            bytes.append(&zeros[..(order.size() - at).min(CHUNK as u64) as usize])?;
        }
        self.for_each_slice(None, run, |slice, table| {
            let space = table.space.clone();
            let permutation = Permutation::new(&space, order, self.black_to_move);
            table.make_adjacent(permutation.digit(), run)?;
            let own = parts_of(slice, interleave, &permutation);
            for part in (0..interleave.parts()).filter(|&part| own[part as usize]) {
                let each = |at, batch: &[u8]| bytes.write(at, batch);
                in_batches(&permutation, table, interleave.part(part), run, each)?;
            }
            Ok(())
        })?;
        Ok(bytes)
    }

    /// Calls `each(slice, table of the slice)` for the slices of a table that is not in memory, or
    /// for the `wanted` ones of them.
    fn for_each_slice(
        &self,
        wanted: Option<&[bool]>,
        run: &Run,
        mut each: impl FnMut(usize, &mut ValueTable) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        let Values::BySlice {
            space,
            slices,
            bytes,
        } = &self.values
        else {
            return Ok(());
        };
        let offsets = (0..).step_by(space.slice_len());
        for (rank, (&slice, at)) in slices.iter().zip(offsets).enumerate() {
            if wanted.is_some_and(|wanted| !wanted[rank]) {
                continue;
            }
            each(
                slice,
                &mut ValueTable::of_slice(space, slice, bytes, at, run)?,
            )?;
        }
        Ok(())
    }
}

/// Bytes of the samples that are made at a time if the values are not in memory, unless one sample
/// is larger.
pub(crate) const SAMPLED_BY_SLICE: u64 = 8 << 20;

/// The number of indices of some ranges.
fn length(ranges: &[Range<u64>]) -> usize {
    ranges
        .iter()
        .map(|range| (range.end - range.start) as usize)
        .sum()
}

/// Permutations with their numbers, by the digit that is to be made adjacent: that which is
/// adjacent now first.
fn by_digit<'a>(
    permutations: impl Iterator<Item = Permutation<'a>>,
    adjacent: usize,
) -> Vec<(usize, Vec<(usize, Permutation<'a>)>)> {
    let mut digits: BTreeMap<usize, Vec<_>> = BTreeMap::new();
    for (number, permutation) in permutations.enumerate() {
        let own = digits.entry(permutation.digit()).or_default();
        own.push((number, permutation));
    }
    let mut digits: Vec<_> = digits.into_iter().collect();
    digits.sort_by_key(|&(digit, _)| digit != adjacent);
    digits
}

/// By part: whether its positions are in a slice.
fn parts_of(slice: usize, interleave: &Interleave<'_>, permutation: &Permutation<'_>) -> Vec<bool> {
    let is_own = |part| permutation.slice(interleave.part(part).start) == Some(slice);
    (0..interleave.parts()).map(is_own).collect()
}

/// Calls `each(first index, bytes)` for the bytes of a range of indices, in order.
fn in_batches(
    permutation: &Permutation<'_>,
    table: &ValueTable,
    range: Range<u64>,
    run: &Run,
    mut each: impl FnMut(u64, &[u8]) -> Result<(), TableError>,
) -> Result<(), TableError> {
    let batch = |(): &mut (), from: u64| {
        let batch = permutation.bytes(table, from, (from + BATCH).min(range.end));
        Ok((from, batch))
    };
    let starts = range.clone().step_by(BATCH as usize);
    let window = BATCHES * run.threads.get();
    let each = |(at, batch): (u64, Vec<u8>)| each(at, &batch);
    parallel::try_in_order(run, starts, window, || (), batch, each)
}

#[cfg(test)]
mod tests {
    use everymove_kernel::files::{Memory, Storage};

    use super::*;
    use crate::generate::build::build;
    use crate::generate::plan::Plan;
    use crate::metric::Metric;
    use crate::position::material::Material;
    use crate::store::directory::Tables;
    use crate::syzygy::file_builder::{half_of, slices_of};
    use crate::syzygy::index::candidates::piece_orders;
    use crate::syzygy::values::captures::Captures;
    use crate::syzygy::values::required_values::required_wdl;

    /// Samples of any ranges, also of one slice or a few, and the counts of bytes are the same
    /// whether all slices are in memory or one at a time.
    #[test]
    fn slices_give_the_samples_of_the_whole_table() {
        let folder = tempfile::tempdir().unwrap();
        let tables = Tables::new(folder.path(), Metric::Zeroing);
        let run = Run::serial();
        let storage: Arc<dyn Storage> = Arc::new(Memory::default());
        let place = Place::files(&storage, "values");
        let mut rng = everymove_kernel::rng::SplitMix64::new(4);
        for (name, file) in [("KPvK", 0), ("KPvK", 3), ("KPvKP", 1)] {
            let material: Material = name.parse().unwrap();
            let plan = Plan::new(material.clone(), Metric::Zeroing);
            build(&plan, &tables, &run).unwrap();
            let half = half_of(&material, false);
            let space = tables.space(&half);
            let captures = Captures::new(&space, &tables, &run).unwrap();
            let slices = slices_of(&material, &space, false, file);
            let table = |slices| required_wdl(&half, slices, &captures, &tables, &run);
            let mut whole = SubTable::whole(table(slices.clone()).unwrap(), file, false);
            let one = |slice| table(vec![slice]);
            let mut by_slice =
                SubTable::by_slice(&space, slices, (file, false), &place, one).unwrap();
            let counts = whole.counts().unwrap();
            assert_eq!(counts, by_slice.counts().unwrap());
            let orders = piece_orders(&material, file);
            let orders: Vec<&PieceOrder> = orders.iter().step_by(3).take(4).collect();
            let size = orders[0].size();
            for length in [1, 90, 5000] {
                let from = rng.below(size - length + 1);
                let ranges = [from..from + length / 2, from + length / 2..from + length];
                for orders in orders.chunks(2) {
                    let expected = whole.samples(orders, &ranges, &run).unwrap();
                    let found = by_slice.samples(orders, &ranges, &run).unwrap();
                    assert!(found == expected, "{name} {file} {orders:?} {ranges:?}");
                }
            }
        }
    }
}
