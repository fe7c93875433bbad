//! One byte for every position of a half, or of some of its P-slices.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use everymove_kernel::parallel;
use everymove_kernel::run::{Reservation, Run, Stopped};

use crate::error::TableError;
use crate::position::index_space::{IndexSpace, Side};
use crate::position::material::Half;
use crate::position::subspace::{Placement, Subspace};
use crate::store::buffer::Buffer;
use crate::store::directory::Tables;
use crate::store::format::{BLOCK, Reader};
use crate::syzygy::values::index_map::IndexMap;
use crate::syzygy::values::transpose::swap_digits;
use crate::syzygy::values::wdl::{ILLEGAL, value_of_loss, value_of_win};

/// Bytes that are appended to a buffer, or read from it, at a time.
const APPENDED: usize = 1 << 16;
/// Bytes of a cache line.
const CACHE_LINE: usize = 64;

/// A byte for each index of some slices of a space, the side to move being the attacker.
///
/// A *slot* is the number of an entry if the chosen slices followed each other without gaps; its
/// lowest base-64 digits are those of the index. An *offset* is where the entry is in memory now:
/// its digits within a slice are those of the slot in another order, see
/// [`ValueTable::make_adjacent`].
pub(crate) struct ValueTable {
    pub(crate) space: Arc<IndexSpace>,
    /// By slice of the space: its rank among the chosen slices, `None` if it is not chosen.
    ranks: Vec<Option<u32>>,
    /// The chosen slices, ascending.
    pub(crate) slices: Vec<usize>,
    bytes: Vec<AtomicU8>,
    /// Unused bytes at the front, so that each 64 entries lie in one cache line.
    padding: usize,
    /// By base-64 digit of slots within a slice, the lowest first: where it is in offsets, as a
    /// shift in bits.
    digit_shifts: Vec<usize>,
    _memory: Reservation,
}

/// The byte that stands for each encoded distance.
pub(crate) struct CodeMap {
    /// By encoded win, and by encoded loss; the last entry is also that of all larger codes. Entry
    /// 0 (neither won nor lost) is the same in both.
    pub(crate) win: Vec<u8>,
    pub(crate) loss: Vec<u8>,
}

impl CodeMap {
    /// Maps distances to the values win to loss.
    pub(crate) fn to_wdl() -> Self {
        Self {
            win: (0..=101).map(value_of_win).collect(),
            loss: (0..=102).map(value_of_loss).collect(),
        }
    }
}

#[inline]
fn byte_of(bytes: &[u8], code: u16) -> u8 {
    bytes[usize::from(code).min(bytes.len() - 1)]
}

/// The bytes of the 64 positions of a word.
pub(crate) type WordBytes = [u8; 64];

/// Stores a byte at each position of a set.
#[inline]
pub(crate) fn store_at(bytes: &mut WordBytes, set: u64, byte: u8) {
    for (eight, set) in bytes
        .as_chunks_mut::<8>()
        .0
        .iter_mut()
        .zip(set.to_le_bytes())
    {
        let mask = BYTE_MASKS[usize::from(set)];
        let own = u64::from_le_bytes(*eight);
        let byte = u64::from(byte) * 0x0101_0101_0101_0101;
        *eight = (own & !mask | byte & mask).to_le_bytes();
    }
}

/// By set of eight: a byte of ones for each bit.
static BYTE_MASKS: [u64; 256] = {
    let mut masks = [0; 256];
    let mut i = 0;
    while i < 256 * 8 {
        if (i / 8) >> (i % 8) & 1 != 0 {
            masks[i / 8] |= 255 << (8 * (i % 8));
        }
        i += 1;
    }
    masks
};

impl ValueTable {
    /// The bytes of some slices, read from our tables: wins of the attacker to move from the half's
    /// own table, losses from that of the other half, in which the side to move is the
    /// defender.
    pub(crate) fn new(
        half: &Half,
        slices: Vec<usize>,
        map: &CodeMap,
        tables: &Tables,
        run: &Run,
    ) -> Result<Self, TableError> {
        let mut table = Self::filled(tables.space(half), slices, map.win[0], run)?;
        if !half.attacker.pieces().is_empty() {
            table.read_wins(half, map, tables, run)?;
        }
        if !half.defender.pieces().is_empty() {
            table.read_losses(half, map, tables, run)?;
        }
        Ok(table)
    }

    /// A table of some slices in which all bytes are the same.
    fn filled(
        space: Arc<IndexSpace>,
        slices: Vec<usize>,
        byte: u8,
        run: &Run,
    ) -> Result<Self, TableError> {
        let mut ranks = vec![None; space.slices()];
        for (rank, &slice) in slices.iter().enumerate() {
            ranks[slice] = Some(rank as u32);
        }
        let length = slices.len() * space.slice_len();
        let memory = run.ram.reserve(&space.half.to_string(), length as u64)?;
        let mut bytes: Vec<AtomicU8> = Vec::with_capacity(length + CACHE_LINE);
        let padding = bytes.as_ptr().align_offset(CACHE_LINE) % CACHE_LINE;
        bytes.resize_with(padding + length, || AtomicU8::new(byte));
        Ok(Self {
            digit_shifts: digit_shifts(&space),
            space,
            ranks,
            slices,
            bytes,
            padding,
            _memory: memory,
        })
    }

    /// Appends all bytes, slice by slice; only of a table whose offsets are in the order of slots,
    /// as they are when new.
    pub(crate) fn append_to(self, to: &mut Buffer) -> Result<(), TableError> {
        debug_assert!(self.is_in_slot_order());
        self.for_each_chunk(|bytes| to.append(bytes))
    }

    /// Calls `each` for chunks of the bytes, in the order in which they are in memory now.
    pub(crate) fn for_each_chunk(
        &self,
        mut each: impl FnMut(&[u8]) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        let mut bytes = Vec::with_capacity(APPENDED);
        for part in self.bytes[self.padding..].chunks(APPENDED) {
            bytes.clear();
            bytes.extend(part.iter().map(|byte| byte.load(Ordering::Relaxed)));
            each(&bytes)?;
        }
        Ok(())
    }

    /// A table of one slice, whose bytes are those of a buffer from an offset on.
    pub(crate) fn of_slice(
        space: &Arc<IndexSpace>,
        slice: usize,
        from: &Buffer,
        at: u64,
        run: &Run,
    ) -> Result<Self, TableError> {
        let mut table = Self::filled(space.clone(), vec![slice], 0, run)?;
        let mut bytes = vec![0; APPENDED.min(space.slice_len())];
        let offsets = (at..).step_by(bytes.len());
        for (own, at) in table.bytes[table.padding..]
            .chunks_mut(bytes.len())
            .zip(offsets)
        {
            from.read(at, &mut bytes[..own.len()])?;
            for (own, &byte) in own.iter_mut().zip(&bytes) {
                *own.get_mut() = byte;
            }
        }
        Ok(table)
    }

    /// A table of a half in which neighbouring entries differ.
    #[cfg(test)]
    pub(crate) fn scrambled(half: &Half, run: &Run) -> Self {
        let space = Arc::new(IndexSpace::new(half));
        let byte = |index: usize| AtomicU8::new(((index * 2_654_435_761) >> 13 & 127) as u8);
        Self {
            ranks: (0..space.slices() as u32).map(Some).collect(),
            slices: (0..space.slices()).collect(),
            bytes: (0..space.len()).map(byte).collect(),
            digit_shifts: digit_shifts(&space),
            space,
            padding: 0,
            _memory: run.ram.reserve("a value table", 0).unwrap(),
        }
    }

    /// The slot of an index; `None` if its slice is not in the table.
    #[inline]
    pub(crate) fn slot(&self, index: usize) -> Option<usize> {
        let shift = 6 * self.space.digits();
        let rank = self.ranks[index >> shift]?;
        Some((rank as usize) << shift | index & ((1 << shift) - 1))
    }

    fn is_in_slot_order(&self) -> bool {
        self.digit_shifts.is_sorted()
    }

    /// The digit of slots whose entries are adjacent, as a shift in bits.
    pub(crate) fn adjacent_digit(&self) -> usize {
        6 * self.digit_shifts.iter().position(|&s| s == 0).unwrap_or(0)
    }

    /// Makes entries adjacent that differ only in the base-64 digit of slots at a shift: exchanges
    /// the places that it and the adjacent digit have in offsets. In a new table digit 0 is
    /// adjacent.
    pub(crate) fn make_adjacent(&mut self, shift: usize, run: &Run) -> Result<(), Stopped> {
        let adjacent = self.adjacent_digit();
        if shift != adjacent {
            let place = self.digit_shifts[shift / 6];
            swap_digits(&mut self.bytes[self.padding..], place, run)?;
            self.digit_shifts.swap(shift / 6, adjacent / 6);
        }
        Ok(())
    }

    /// The bytes of the 64 slots from an offset on, which is that of a slot whose adjacent digit is
    /// 0.
    #[inline]
    pub(crate) fn adjacent(&self, offset: usize) -> &[AtomicU8; 64] {
        let line = self.bytes[offset..].first_chunk();
        line.expect("the length of a table is a multiple of 64")
    }

    /// The byte of a slot.
    #[inline]
    pub(crate) fn get(&self, slot: usize) -> u8 {
        self.load(self.offset(slot))
    }

    /// The offset of a slot. Equal slots of different slices are as far apart as their offsets.
    #[inline]
    pub(crate) fn offset(&self, slot: usize) -> usize {
        let within = (1 << (6 * self.digit_shifts.len())) - 1;
        let mut digits = slot & within;
        let mut offset = self.padding + (slot & !within);
        for shift in &self.digit_shifts {
            offset += (digits & 63) << shift;
            digits >>= 6;
        }
        offset
    }

    /// The byte of a slot of a table whose offsets are in the order of slots, as they are when new.
    #[inline]
    pub(crate) fn get_in_slot_order(&self, slot: usize) -> u8 {
        debug_assert!(self.is_in_slot_order());
        self.load(self.padding + slot)
    }

    /// The byte at an offset.
    #[inline]
    pub(crate) fn load(&self, offset: usize) -> u8 {
        self.bytes[offset].load(Ordering::Relaxed)
    }

    #[inline]
    fn set_in_slot_order(&self, slot: usize, byte: u8) {
        debug_assert!(self.is_in_slot_order());
        self.bytes[self.padding + slot].store(byte, Ordering::Relaxed);
    }

    /// Whether two bytes differ, entries equal to `ignored` left out.
    pub(crate) fn has_several_values(&self, ignored: u8) -> bool {
        let bytes = self.bytes[self.padding..].iter();
        let bytes = bytes.map(|byte| byte.load(Ordering::Relaxed));
        let mut counted = bytes.filter(|&byte| byte != ignored);
        let first = counted.next();
        counted.any(|byte| Some(byte) != first)
    }

    fn read_wins(
        &mut self,
        half: &Half,
        map: &CodeMap,
        tables: &Tables,
        run: &Run,
    ) -> Result<(), TableError> {
        let (reader, section) = tables.section(half, Side::Attacker)?;
        // The chosen slices ascend, and so do their slots.
        let mut rest = &mut self.bytes[self.padding..];
        let mut parts = Vec::new();
        for (first, count) in read_ranges(&self.space, &self.slices) {
            let (own, others) = rest.split_at_mut(count);
            parts.push((first, own));
            rest = others;
        }
        let read = |(): &mut (), (first, own): (usize, &mut [AtomicU8])| {
            let codes = read_codes(&reader, section, first, own.len())?;
            for (byte, &code) in own.iter_mut().zip(&codes) {
                *byte.get_mut() = byte_of(&map.win, code);
            }
            Ok(())
        };
        parallel::try_for_each(run, parts, || (), read).map(drop)
    }

    fn read_losses(
        &self,
        half: &Half,
        map: &CodeMap,
        tables: &Tables,
        run: &Run,
    ) -> Result<(), TableError> {
        let other = half.swapped();
        let source = tables.space(&other);
        let (reader, section) = tables.section(&other, Side::Defender)?;
        let to_own = IndexMap::new(&source, self.space.clone(), None, None)
            .expect("both halves have the same pieces");
        // With pawns, all positions of a slice of the source are in one slice of this space.
        let slices: Vec<usize> = if source.pawns == 0 {
            (0..source.slices()).collect()
        } else {
            let chosen = |&slice: &usize| {
                let at = source.decode(slice * source.slice_len());
                let index = to_own.map(&at);
                index.is_some_and(|index| self.slot(index).is_some())
            };
            (0..source.slices()).filter(chosen).collect()
        };
        let read = |(): &mut (), (first, count)| {
            let codes = read_codes(&reader, section, first, count)?;
            for (i, word) in codes.chunks_exact(64).enumerate() {
                // Most words have no loss.
                if word.iter().fold(0, |all, &code| all | code) == 0 {
                    continue;
                }
                let lost = |set, (bit, &code): (usize, &u16)| set | u64::from(code != 0) << bit;
                let set = word.iter().enumerate().fold(0u64, lost);
                let at = source.decode(first + 64 * i);
                let slot_of = |index| self.slot(index);
                to_own.map_each(&at, source.word_piece(), set, slot_of, |square, slot| {
                    let byte = byte_of(&map.loss, word[usize::from(square)]);
                    self.set_in_slot_order(slot, byte);
                });
            }
            Ok(())
        };
        let ranges = read_ranges(&source, &slices);
        parallel::try_for_each(run, ranges, || (), read).map(drop)
    }

    /// Changes the bytes of every word by `work(subspace, word of the subspace, slot of the word's
    /// first position, bytes)`. Only for a table whose offsets are in the order of slots, as
    /// they are when new.
    pub(crate) fn for_each_word(
        &mut self,
        run: &Run,
        work: impl Fn(&Subspace, usize, usize, &mut WordBytes) + Sync,
    ) -> Result<(), TableError> {
        debug_assert!(self.is_in_slot_order());
        let shift = 6 * self.space.digits();
        let whole = (self.space.pawns == 0).then(|| Subspace::new(self.space.clone(), None));
        let parts = self.bytes[self.padding..].chunks_mut(1 << shift);
        let change = |(): &mut (), (rank, own): (usize, &mut [AtomicU8])| {
            let slice = self.slices[rank];
            let p_slice;
            let (subspace, first) = match &whole {
                Some(subspace) => (subspace, slice << (shift - 6)),
                None => {
                    p_slice = Subspace::new(self.space.clone(), Some(slice));
                    (&p_slice, 0)
                }
            };
            for (word, own) in own.as_chunks_mut::<64>().0.iter_mut().enumerate() {
                if word % 4096 == 0 {
                    run.stop.check()?;
                }
                // In a loop that the compiler turns into copies of several bytes.
                let mut bytes: WordBytes = [0; 64];
                for (byte, own) in bytes.iter_mut().zip(&mut *own) {
                    *byte = *own.get_mut();
                }
                work(
                    subspace,
                    first + word,
                    rank << shift | word << 6,
                    &mut bytes,
                );
                for (own, byte) in own.iter_mut().zip(bytes) {
                    *own.get_mut() = byte;
                }
            }
            Ok(())
        };
        parallel::try_for_each(run, parts.enumerate(), || (), change).map(drop)
    }

    /// The values win to loss of all positions of a half with the attacker to move.
    pub(crate) fn wdl(half: &Half, tables: &Tables, run: &Run) -> Result<Self, TableError> {
        let slices = (0..tables.space(half).slices()).collect();
        let mut table = Self::new(half, slices, &CodeMap::to_wdl(), tables, run)?;
        table.for_each_word(run, |subspace, word, _, bytes| {
            let placed = subspace.placement(word);
            store_at(bytes, illegal(subspace, placed.as_ref()), ILLEGAL);
        })?;
        Ok(table)
    }
}

/// The shifts of the digits of slots within a slice, in their order.
fn digit_shifts(space: &IndexSpace) -> Vec<usize> {
    (0..space.digits()).map(|digit| 6 * digit).collect()
}

/// The squares of the word piece that make a position illegal: occupied ones, and those for which
/// the king of the side that is not to move is attacked; all squares if `placed` is `None`, since
/// two of the other pieces share a square.
pub(crate) fn illegal(subspace: &Subspace, placed: Option<&Placement>) -> u64 {
    placed.map_or(!0, |placed| {
        placed.occupied | subspace.king_attacked(placed, Side::Defender)
    })
}

/// Ranges of indices of some slices that are read at a time, each at most a block of the file long:
/// first index and length.
fn read_ranges(space: &IndexSpace, slices: &[usize]) -> Vec<(usize, usize)> {
    let length = space.slice_len();
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &slice in slices {
        let (first, end) = (slice * length, (slice + 1) * length);
        match ranges.last_mut() {
            Some((from, count)) if *from + *count == first && *count + length <= BLOCK => {
                *count += length;
            }
            _ => {
                let parts = (first..end).step_by(BLOCK.min(length));
                ranges.extend(parts.map(|at| (at, BLOCK.min(end - at))));
            }
        }
    }
    ranges
}

/// The codes of `count` indices of a section from `first` on; the range may begin and end within
/// blocks.
fn read_codes(
    reader: &Reader,
    section: usize,
    first: usize,
    count: usize,
) -> Result<Vec<u16>, TableError> {
    let mut codes = Vec::new();
    let mut at = first;
    while at < first + count {
        let block = reader.block(section, at / BLOCK)?;
        let from = at % BLOCK;
        if at == first && from == 0 && block.len() == count {
            return Ok(block);
        }
        let to = (from + first + count - at).min(block.len());
        codes.extend_from_slice(&block[from..to]);
        at += to - from;
    }
    Ok(codes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::material::Material;

    /// Whichever digits were made adjacent before, every slot has its own byte, and the entries of
    /// the adjacent digit follow each other.
    #[test]
    fn slots_keep_their_bytes_in_every_order_of_digits() {
        let run = Run::serial();
        for name in ["KRPvK", "KQvKR"] {
            let material: Material = name.parse().unwrap();
            let half = material.halves().swap_remove(0);
            let unchanged = ValueTable::scrambled(&half, &run);
            let mut table = ValueTable::scrambled(&half, &run);
            let slots = || (0..unchanged.bytes.len()).step_by(97);
            let last = 6 * (table.space.digits() - 1);
            for shift in [last, 6, 0, last, 0, 6, 6, last] {
                table.make_adjacent(shift, &run).unwrap();
                assert_eq!(table.adjacent_digit(), shift);
                for slot in slots() {
                    assert_eq!(table.get(slot), unchanged.get_in_slot_order(slot));
                    let digit = slot >> shift & 63;
                    let line = table.adjacent(table.offset(slot - (digit << shift)));
                    assert_eq!(line[digit].load(Ordering::Relaxed), table.get(slot));
                }
            }
        }
    }

    #[test]
    fn bytes_are_stored_at_the_positions_of_a_set() {
        const MARK: u8 = 200;
        let mut rng = everymove_kernel::rng::SplitMix64::new(3);
        for _ in 0..100 {
            let set = rng.next_u64();
            let before: WordBytes = std::array::from_fn(|square| square as u8);
            let mut bytes = before;
            store_at(&mut bytes, set, MARK);
            for (square, (byte, before)) in bytes.into_iter().zip(before).enumerate() {
                let stored = set >> square & 1 != 0;
                assert_eq!(byte, if stored { MARK } else { before });
            }
        }
    }
}
