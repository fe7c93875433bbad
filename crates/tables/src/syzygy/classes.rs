//! What every position of an ending is worth to the side to move, under the fifty-move rule.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use everymove_kernel::run::{Reservation, Run, Stopped};

use crate::format::{BLOCK, Reader};
use crate::frame::Frame;
use crate::library::{TableError, Tables};
use crate::material::Half;
use crate::schedule::in_parallel;
use crate::space::{Side, Space};
use crate::syzygy::seats::Seats;
use crate::syzygy::tiles::exchange_digits;

/// Values of the side to move, as in the files.
pub(crate) const LOSS: u8 = 0;
pub(crate) const BLESSED: u8 = 1;
pub(crate) const DRAW: u8 = 2;
pub(crate) const CURSED: u8 = 3;
pub(crate) const WIN: u8 = 4;
/// Of positions that cannot be.
pub(crate) const IMPOSSIBLE: u8 = 255;

/// The class of a win's code: 0 is none.
pub(crate) fn class_of_win(code: u16) -> u8 {
    match code {
        0 => DRAW,
        1..=100 => WIN,
        _ => CURSED,
    }
}

/// The class of a loss's code: plies and one.
pub(crate) fn class_of_loss(code: u16) -> u8 {
    match code {
        0 => DRAW,
        1..=101 => LOSS,
        _ => BLESSED,
    }
}

/// A byte for each number of some slices of a space, the side to move as attacker.
pub(crate) struct Field {
    pub(crate) space: Arc<Space>,
    /// By slice: where it begins, in slices; none if it is not among them.
    homes: Vec<Option<u32>>,
    /// Without pawns all slices are one stretch.
    pub(crate) slices: Vec<usize>,
    bytes: Vec<AtomicU8>,
    /// The digit of homes that has changed places with the lowest, as a shift.
    lowest: usize,
    _held: Reservation,
}

/// What a byte is made from.
pub(crate) struct Coding<'a> {
    /// What it is until a code is met.
    pub(crate) none: u8,
    /// By code of a win and of a loss.
    pub(crate) win: &'a (dyn Fn(u16) -> u8 + Sync),
    pub(crate) loss: &'a (dyn Fn(u16) -> u8 + Sync),
}

impl Field {
    /// The bytes of some slices: of the codes of the side to move as attacker, and as defender in the half that is the
    /// other side's.
    pub(crate) fn new(
        half: &Half,
        slices: Vec<usize>,
        coding: &Coding<'_>,
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
        let mut bytes = Vec::new();
        bytes.resize_with(length, || AtomicU8::new(coding.none));
        let field = Self {
            space,
            homes,
            slices,
            bytes,
            lowest: 0,
            _held: held,
        };
        if !half.attacker.men().is_empty() {
            field.take_wins(half, coding, tables, run)?;
        }
        if !half.defender.men().is_empty() {
            field.take_losses(half, coding, tables, run)?;
        }
        Ok(field)
    }

    /// A field of a half in which neighbours differ.
    #[cfg(test)]
    pub(crate) fn scrambled(half: &Half, run: &Run) -> Self {
        let space = Arc::new(Space::new(half));
        let byte = |number: usize| AtomicU8::new(((number * 2_654_435_761) >> 13 & 127) as u8);
        Self {
            homes: (0..space.slices() as u32).map(Some).collect(),
            slices: (0..space.slices()).collect(),
            bytes: (0..space.len()).map(byte).collect(),
            space,
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

    /// Puts bytes side by side whose homes differ in the digit at a shift; at first it is the one at 0.
    pub(crate) fn bring_together(&mut self, shift: usize, run: &Run) -> Result<(), Stopped> {
        if shift == self.lowest {
            return Ok(());
        }
        for exchanged in [self.lowest, shift] {
            if exchanged != 0 {
                exchange_digits(&mut self.bytes, exchanged, run)?;
            }
        }
        self.lowest = shift;
        Ok(())
    }

    /// The bytes of 64 homes that differ in the digit that was brought together; in `home` it is 0.
    #[inline]
    pub(crate) fn together(&self, home: usize) -> &[AtomicU8] {
        let low = home & 63;
        let first = home - low + (low << self.lowest);
        &self.bytes[first..first + 64]
    }

    #[inline]
    pub(crate) fn get(&self, home: usize) -> u8 {
        self.bytes[self.place(home)].load(Ordering::Relaxed)
    }

    #[inline]
    fn place(&self, home: usize) -> usize {
        let apart = (home ^ home >> self.lowest) & 63;
        home ^ apart ^ apart << self.lowest
    }

    #[inline]
    pub(crate) fn set(&self, home: usize, byte: u8) {
        self.bytes[self.place(home)].store(byte, Ordering::Relaxed);
    }

    /// Whether there are bytes other than one and another, which does not count.
    pub(crate) fn has_several(&self, besides: u8) -> bool {
        let bytes = self.bytes.iter().map(|byte| byte.load(Ordering::Relaxed));
        let mut counted = bytes.filter(|&byte| byte != besides);
        let first = counted.next();
        counted.any(|byte| Some(byte) != first)
    }

    fn take_wins(
        &self,
        half: &Half,
        coding: &Coding<'_>,
        tables: &Tables,
        run: &Run,
    ) -> Result<(), TableError> {
        let (reader, section) = tables.section(half, Side::Attacker)?;
        self.each_block(&self.space, &self.slices, run, |first, count| {
            let codes = codes(&reader, section, first, count)?;
            for (i, code) in codes.into_iter().enumerate().filter(|&(_, code)| code != 0) {
                if let Some(home) = self.home(first + i) {
                    self.set(home, (coding.win)(code));
                }
            }
            Ok(())
        })
    }

    fn take_losses(
        &self,
        half: &Half,
        coding: &Coding<'_>,
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
                let at = from.squares(slice * from.slice_len());
                seats
                    .find(&at)
                    .is_some_and(|number| self.home(number).is_some())
            };
            (0..from.slices()).filter(here).collect()
        };
        self.each_block(&from, &slices, run, |first, count| {
            let codes = codes(&reader, section, first, count)?;
            for (i, word) in codes.chunks_exact(64).enumerate() {
                let lost = |set, (bit, &code): (usize, &u16)| set | u64::from(code != 0) << bit;
                let set = word.iter().enumerate().fold(0u64, lost);
                if set == 0 {
                    continue;
                }
                let at = from.squares(first + 64 * i);
                seats.find_word(&at, set, |square, number| {
                    if let Some(home) = self.home(number) {
                        self.set(home, (coding.loss)(word[usize::from(square)]));
                    }
                });
            }
            Ok(())
        })
    }

    /// Does something with stretches of whole words of some slices: `work(first number, numbers)`.
    pub(crate) fn each_block(
        &self,
        space: &Space,
        slices: &[usize],
        run: &Run,
        work: impl Fn(usize, usize) -> Result<(), TableError> + Sync,
    ) -> Result<(), TableError> {
        let length = space.slice_len();
        let mut stretches: Vec<(usize, usize)> = Vec::new();
        for &slice in slices {
            let (first, end) = (slice * length, (slice + 1) * length);
            match stretches.last_mut() {
                // Slices in a row up to a block of the file make one stretch.
                Some((from, count)) if *from + *count == first && *count + length <= BLOCK => {
                    *count += length;
                }
                _ => {
                    let parts = (first..end).step_by(BLOCK.min(length));
                    stretches.extend(parts.map(|at| (at, BLOCK.min(end - at))));
                }
            }
        }
        let done = in_parallel(
            &stretches,
            run,
            || (),
            |(), &(first, count)| work(first, count),
        )?;
        done.into_iter().collect()
    }

    /// Marks what cannot be: men on one square, the waiting king attacked.
    pub(crate) fn mark_impossible(&self, byte: u8, run: &Run) -> Result<(), TableError> {
        self.each_word(run, |frame, word, home| {
            let impossible = match frame.place(word) {
                None => u64::MAX,
                Some(placed) => placed.occupied | frame.king_attacked(&placed, Side::Defender),
            };
            for square in crate::geometry::squares(impossible) {
                self.set(home | usize::from(square), byte);
            }
            Ok(())
        })
    }

    /// Does something with every word: `work(frame, word of the frame, home of its first number)`.
    pub(crate) fn each_word(
        &self,
        run: &Run,
        work: impl Fn(&Frame, usize, usize) -> Result<(), TableError> + Sync,
    ) -> Result<(), TableError> {
        let shift = 6 * self.space.digits();
        let whole = (self.space.pawns == 0).then(|| Frame::new(self.space.clone(), None));
        let homes: Vec<usize> = (0..self.slices.len()).collect();
        let done = in_parallel(
            &homes,
            run,
            || (),
            |(), &home| -> Result<(), TableError> {
                let slice = self.slices[home];
                let own;
                let (frame, first) = match &whole {
                    Some(frame) => (frame, slice << (shift - 6)),
                    None => {
                        own = Frame::new(self.space.clone(), Some(slice));
                        (&own, 0)
                    }
                };
                for word in 0..1usize << (shift - 6) {
                    if word % 4096 == 0 {
                        run.stop.check()?;
                    }
                    work(frame, first + word, home << shift | word << 6)?;
                }
                Ok(())
            },
        )?;
        done.into_iter().collect()
    }

    /// The classes of all positions of a half's attacker to move.
    pub(crate) fn classes(half: &Half, tables: &Tables, run: &Run) -> Result<Self, TableError> {
        let slices = (0..tables.space(half).slices()).collect();
        let coding = Coding {
            none: DRAW,
            win: &class_of_win,
            loss: &class_of_loss,
        };
        let field = Self::new(half, slices, &coding, tables, run)?;
        field.mark_impossible(IMPOSSIBLE, run)?;
        Ok(field)
    }
}

/// Codes of a section from a number on; blocks and stretches need not begin together.
fn codes(
    reader: &Reader,
    section: usize,
    first: usize,
    count: usize,
) -> Result<Vec<u16>, TableError> {
    let mut codes = Vec::with_capacity(count);
    let mut at = first;
    while at < first + count {
        let block = reader.block(section, at / BLOCK)?;
        let from = at % BLOCK;
        let to = (from + first + count - at).min(block.len());
        codes.extend_from_slice(&block[from..to]);
        at += to - from;
    }
    Ok(codes)
}
