//! A byte for every position of an ending, or of some of its pawns' constellations.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};

use everymove_kernel::run::{Reservation, Run, Stopped};

use crate::error::TableError;
use crate::parallel::in_parallel;
use crate::position::index_space::{IndexSpace, Side};
use crate::position::material::Half;
use crate::position::subspace::{Placement, Subspace};
use crate::store::directory::Tables;
use crate::store::format::{BLOCK, Reader};
use crate::syzygy::values::index_map::Seats;
use crate::syzygy::values::transpose::exchange_digits;
use crate::syzygy::values::wdl::{IMPOSSIBLE, class_of_loss, class_of_win};

/// Bytes of a line of a processor's caches.
const LINE: usize = 64;

/// A byte for each number of some slices of a space, the side to move as attacker.
pub(crate) struct Field {
    pub(crate) space: Arc<IndexSpace>,
    /// By slice: where it begins, in slices; none if it is not among them.
    homes: Vec<Option<u32>>,
    /// Without pawns all slices are one stretch.
    pub(crate) slices: Vec<usize>,
    bytes: Vec<AtomicU8>,
    /// Where they begin, so that each 64 of them lie in one line of the processor's caches.
    skipped: usize,
    /// The digit of homes that has changed places with the lowest, as a shift.
    lowest: usize,
    _held: Reservation,
}

/// What bytes are made from.
pub(crate) struct Coding {
    /// By code of a win, and of a loss; the last stands for all beyond it too. Code 0 is of what is neither, the same in both.
    pub(crate) win: Vec<u8>,
    pub(crate) loss: Vec<u8>,
}

impl Coding {
    /// The one that makes classes.
    pub(crate) fn classes() -> Self {
        Self {
            win: (0..=101).map(class_of_win).collect(),
            loss: (0..=102).map(class_of_loss).collect(),
        }
    }
}

/// What stands for a code.
#[inline]
fn coded(bytes: &[u8], code: u16) -> u8 {
    bytes[usize::from(code).min(bytes.len() - 1)]
}

/// The bytes of a word's 64 positions.
pub(crate) type Row = [u8; 64];

/// Puts a byte wherever there is a bit of a set.
#[inline]
pub(crate) fn put(row: &mut Row, set: u64, byte: u8) {
    for (eight, set) in row.as_chunks_mut::<8>().0.iter_mut().zip(set.to_le_bytes()) {
        let there = SPREAD[usize::from(set)];
        let own = u64::from_le_bytes(*eight);
        let byte = u64::from(byte) * 0x0101_0101_0101_0101;
        *eight = (own & !there | byte & there).to_le_bytes();
    }
}

/// By set of eight: 255 for each of its bits.
static SPREAD: [u64; 256] = {
    let mut spread = [0; 256];
    let mut i = 0;
    while i < 256 * 8 {
        if (i / 8) >> (i % 8) & 1 != 0 {
            spread[i / 8] |= 255 << (8 * (i % 8));
        }
        i += 1;
    }
    spread
};

impl Field {
    /// The bytes of some slices: of the codes of the side to move as attacker, and as defender in the half that is the
    /// other side's.
    pub(crate) fn new(
        half: &Half,
        slices: Vec<usize>,
        coding: &Coding,
        tables: &Tables,
        run: &Run,
    ) -> Result<Self, TableError> {
        let space = tables.space(half);
        let mut homes = vec![None; space.slices()];
        for (home, &slice) in slices.iter().enumerate() {
            homes[slice] = Some(home as u32);
        }
        let length = slices.len() * space.slice_len();
        let held = run.ram.reserve(&half.to_string(), length as u64)?;
        let mut bytes: Vec<AtomicU8> = Vec::with_capacity(length + LINE);
        let skipped = bytes.as_ptr().align_offset(LINE) % LINE;
        bytes.resize_with(skipped + length, || AtomicU8::new(coding.win[0]));
        let mut field = Self {
            space,
            homes,
            slices,
            bytes,
            skipped,
            lowest: 0,
            _held: held,
        };
        if !half.attacker.pieces().is_empty() {
            field.take_wins(half, coding, tables, run)?;
        }
        if !half.defender.pieces().is_empty() {
            field.take_losses(half, coding, tables, run)?;
        }
        Ok(field)
    }

    /// A field of a half in which neighbours differ.
    #[cfg(test)]
    pub(crate) fn scrambled(half: &Half, run: &Run) -> Self {
        let space = Arc::new(IndexSpace::new(half));
        let byte = |number: usize| AtomicU8::new(((number * 2_654_435_761) >> 13 & 127) as u8);
        Self {
            homes: (0..space.slices() as u32).map(Some).collect(),
            slices: (0..space.slices()).collect(),
            bytes: (0..space.len()).map(byte).collect(),
            space,
            skipped: 0,
            lowest: 0,
            _held: run.ram.reserve("a field", 0).unwrap(),
        }
    }

    /// Where a number's byte is.
    #[inline]
    pub(crate) fn home(&self, number: usize) -> Option<usize> {
        let shift = 6 * self.space.digits();
        let home = self.homes[number >> shift]?;
        Some((home as usize) << shift | number & ((1 << shift) - 1))
    }

    /// The digit of which bytes are together, as a shift.
    pub(crate) fn brought_together(&self) -> usize {
        self.lowest
    }

    /// Puts bytes side by side whose homes differ in the digit at a shift; at first it is the one at 0.
    pub(crate) fn bring_together(&mut self, shift: usize, run: &Run) -> Result<(), Stopped> {
        if shift == self.lowest {
            return Ok(());
        }
        for exchanged in [self.lowest, shift] {
            if exchanged != 0 {
                exchange_digits(&mut self.bytes[self.skipped..], exchanged, run)?;
            }
        }
        self.lowest = shift;
        Ok(())
    }

    /// The bytes of 64 homes that differ in the digit that was brought together; in `home` it is 0.
    #[inline]
    pub(crate) fn together(&self, home: usize) -> &[AtomicU8; 64] {
        let low = home & 63;
        let first = self.skipped + home - low + (low << self.lowest);
        let lines = self.bytes[first..].first_chunk();
        lines.expect("a field has a number of whole lines")
    }

    /// The first of the bytes that are brought together.
    #[inline]
    pub(crate) fn get_together(&self, home: usize) -> u8 {
        self.together(home)[0].load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn get(&self, home: usize) -> u8 {
        self.at(self.place(home))
    }

    /// Where a home's byte is now. Homes of other slices lie as far apart as their bytes.
    #[inline]
    pub(crate) fn place(&self, home: usize) -> usize {
        let apart = (home ^ home >> self.lowest) & 63;
        self.skipped + (home ^ apart ^ apart << self.lowest)
    }

    /// The byte at a place.
    #[inline]
    pub(crate) fn at(&self, place: usize) -> u8 {
        self.bytes[place].load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn set(&self, home: usize, byte: u8) {
        self.bytes[self.place(home)].store(byte, Ordering::Relaxed);
    }

    /// Whether there are bytes other than one and another, which does not count.
    pub(crate) fn has_several(&self, besides: u8) -> bool {
        let bytes = self.bytes[self.skipped..].iter();
        let bytes = bytes.map(|byte| byte.load(Ordering::Relaxed));
        let mut counted = bytes.filter(|&byte| byte != besides);
        let first = counted.next();
        counted.any(|byte| Some(byte) != first)
    }

    fn take_wins(
        &mut self,
        half: &Half,
        coding: &Coding,
        tables: &Tables,
        run: &Run,
    ) -> Result<(), TableError> {
        let (reader, section) = tables.section(half, Side::Attacker)?;
        // Slices in their order, so are the homes.
        let mut rest = &mut self.bytes[self.skipped..];
        let mut parts = Vec::new();
        for (first, count) in stretches(&self.space, &self.slices) {
            let (own, others) = rest.split_at_mut(count);
            parts.push((first, Mutex::new(own)));
            rest = others;
        }
        each(&parts, run, |(first, own)| {
            let mut own = own.lock().unwrap_or_else(|e| e.into_inner());
            let codes = codes(&reader, section, *first, own.len())?;
            for (byte, &code) in own.iter_mut().zip(&codes) {
                *byte.get_mut() = coded(&coding.win, code);
            }
            Ok(())
        })
    }

    fn take_losses(
        &self,
        half: &Half,
        coding: &Coding,
        tables: &Tables,
        run: &Run,
    ) -> Result<(), TableError> {
        let other = Half {
            attacker: half.defender.clone(),
            defender: half.attacker.clone(),
        };
        let from = tables.space(&other);
        let (reader, section) = tables.section(&other, Side::Defender)?;
        let seats = Seats::new(&from, self.space.clone(), None, None)
            .expect("both halves have the same men");
        // A slice's pawns are some slice's of this space, whatever the kings and pieces.
        let slices: Vec<usize> = if from.pawns == 0 {
            (0..from.slices()).collect()
        } else {
            let here = |&slice: &usize| {
                let at = from.decode(slice * from.slice_len());
                seats
                    .find(&at)
                    .is_some_and(|number| self.home(number).is_some())
            };
            (0..from.slices()).filter(here).collect()
        };
        each(&stretches(&from, &slices), run, |&(first, count)| {
            let codes = codes(&reader, section, first, count)?;
            for (i, word) in codes.chunks_exact(64).enumerate() {
                let lost = |set, (bit, &code): (usize, &u16)| set | u64::from(code != 0) << bit;
                let set = word.iter().enumerate().fold(0u64, lost);
                if set == 0 {
                    continue;
                }
                let at = from.decode(first + 64 * i);
                seats.find_each(&at, from.word_piece(), set, |square, number| {
                    if let Some(home) = self.home(number) {
                        self.set(home, coded(&coding.loss, word[usize::from(square)]));
                    }
                });
            }
            Ok(())
        })
    }

    /// Changes every word's bytes, before any are brought together: `work(frame, word of the frame, home of its first number,
    /// bytes)`.
    pub(crate) fn each_row(
        &mut self,
        run: &Run,
        work: impl Fn(&Subspace, usize, usize, &mut Row) + Sync,
    ) -> Result<(), TableError> {
        debug_assert_eq!(self.lowest, 0);
        let shift = 6 * self.space.digits();
        let whole = (self.space.pawns == 0).then(|| Subspace::new(self.space.clone(), None));
        let parts: Vec<_> = self.bytes[self.skipped..]
            .chunks_mut(1 << shift)
            .map(Mutex::new)
            .collect();
        let parts: Vec<_> = parts.into_iter().enumerate().collect();
        each(&parts, run, |(home, own)| {
            let mut own = own.lock().unwrap_or_else(|e| e.into_inner());
            let slice = self.slices[*home];
            let alone;
            let (frame, first) = match &whole {
                Some(frame) => (frame, slice << (shift - 6)),
                None => {
                    alone = Subspace::new(self.space.clone(), Some(slice));
                    (&alone, 0)
                }
            };
            for (word, own) in own.as_chunks_mut::<64>().0.iter_mut().enumerate() {
                if word % 4096 == 0 {
                    run.stop.check()?;
                }
                let mut row: Row = own.each_mut().map(|byte| *byte.get_mut());
                work(frame, first + word, home << shift | word << 6, &mut row);
                for (own, byte) in own.iter_mut().zip(row) {
                    *own.get_mut() = byte;
                }
            }
            Ok(())
        })
    }

    /// The classes of all positions of a half's attacker to move.
    pub(crate) fn classes(half: &Half, tables: &Tables, run: &Run) -> Result<Self, TableError> {
        let slices = (0..tables.space(half).slices()).collect();
        let mut field = Self::new(half, slices, &Coding::classes(), tables, run)?;
        field.each_row(run, |frame, word, _, row| {
            let placed = frame.placement(word);
            put(row, impossible(frame, placed.as_ref()), IMPOSSIBLE);
        })?;
        Ok(field)
    }
}

/// Squares of the word man where he cannot be: others stand there, or the waiting king is attacked; all if two of the other men
/// share a square.
pub(crate) fn impossible(frame: &Subspace, placed: Option<&Placement>) -> u64 {
    placed.map_or(!0, |placed| {
        placed.occupied | frame.king_attacked(placed, Side::Defender)
    })
}

/// Numbers of some slices that are read in one go, up to a block of the file: where they begin, and how many they are.
fn stretches(space: &IndexSpace, slices: &[usize]) -> Vec<(usize, usize)> {
    let length = space.slice_len();
    let mut stretches: Vec<(usize, usize)> = Vec::new();
    for &slice in slices {
        let (first, end) = (slice * length, (slice + 1) * length);
        match stretches.last_mut() {
            Some((from, count)) if *from + *count == first && *count + length <= BLOCK => {
                *count += length;
            }
            _ => {
                let parts = (first..end).step_by(BLOCK.min(length));
                stretches.extend(parts.map(|at| (at, BLOCK.min(end - at))));
            }
        }
    }
    stretches
}

/// Does something with every item that may go wrong.
fn each<I: Sync>(
    items: &[I],
    run: &Run,
    work: impl Fn(&I) -> Result<(), TableError> + Sync,
) -> Result<(), TableError> {
    let done = in_parallel(items, run, || (), |(), item| work(item))?;
    done.into_iter().collect()
}

/// Codes of a section from a number on; blocks and stretches need not begin together.
fn codes(
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

    #[test]
    fn bytes_are_put_where_there_are_bits() {
        const MARK: u8 = 200;
        let mut rng = everymove_kernel::rng::SplitMix64::new(3);
        for _ in 0..100 {
            let set = rng.next_u64();
            let before: Row = std::array::from_fn(|square| square as u8);
            let mut row = before;
            put(&mut row, set, MARK);
            for (square, (byte, before)) in row.into_iter().zip(before).enumerate() {
                let there = set >> square & 1 != 0;
                assert_eq!(byte, if there { MARK } else { before });
            }
        }
    }
}
