//! Don't-care entries, of which the file may store any value: filled so that runs become long.
//!
//! The published DTZ files are filled in the same way, value for value; the published WDL files nearly so.

use std::cmp::Reverse;
use std::ops::Range;

use crate::syzygy::file::parse::Contents;

/// The byte of an entry that may hold any value.
pub(crate) const DONT_CARE: u8 = 255;
/// Added to a value of 1 to 3: the entry may hold this value or a smaller one. All smaller bytes are required values.
pub(crate) const AT_MOST: u8 = 240;
/// In DTZ files, a run of don't-care entries of at least this length is filled with the most frequent value.
const LONG: usize = 32;

/// Replaces every byte above [`AT_MOST`] by a value that the entry may hold. A run of such bytes gets one value: that of its left or right
/// neighbour, whichever is more frequent by `counts`.
pub(crate) fn fill(bytes: &mut [u8], counts: [u64; 256], contents: Contents) {
    let mut filler = Filler::new(counts, contents);
    filler.add(0, bytes);
    let end = filler.finish(bytes.len() as u64);
    end.write(0, bytes);
}

/// Fills bytes that come one chunk after the other.
pub(crate) struct Filler {
    counts: [u64; 256],
    most_frequent: u8,
    contents: Contents,
    /// The byte before the run of open entries, or before the next chunk if there is none.
    left: Option<u8>,
    /// The first entry of a run that the chunks so far end with, and the largest value that it may hold.
    open: Option<(u64, u8)>,
}

/// A value for entries of chunks that were filled before.
pub(crate) struct Earlier {
    pub(crate) range: Range<u64>,
    pub(crate) value: u8,
}

impl Earlier {
    const NONE: Self = Self {
        range: 0..0,
        value: 0,
    };

    /// Stores the value in the part of the range that `bytes`, from offset `at` on, contain.
    fn write(&self, at: u64, bytes: &mut [u8]) {
        let end = at + bytes.len() as u64;
        let clamp = |offset: u64| (offset.clamp(at, end) - at) as usize;
        bytes[clamp(self.range.start)..clamp(self.range.end)].fill(self.value);
    }
}

impl Filler {
    /// For values that occur as often as `counts` says.
    pub(crate) fn new(counts: [u64; 256], contents: Contents) -> Self {
        let required = 0..=AT_MOST;
        let most_frequent = required.max_by_key(|&v| (counts[usize::from(v)], Reverse(v)));
        Self {
            counts,
            most_frequent: most_frequent.unwrap_or(0),
            contents,
            left: None,
            open: None,
        }
    }

    /// Fills the chunk from offset `from` on. Returns what the entries before it are to be filled with, if a run of open entries ends in this chunk.
    pub(crate) fn add(&mut self, from: u64, bytes: &mut [u8]) -> Earlier {
        let mut earlier = Earlier::NONE;
        let mut at = 0;
        if self.open.is_none() {
            at = next_open(bytes, 0).unwrap_or(bytes.len());
        }
        while at < bytes.len() {
            let (start, mut limit) = self.open.take().unwrap_or((from + at as u64, DONT_CARE));
            if let Some(before) = at.checked_sub(1) {
                self.left = Some(bytes[before]);
            }
            loop {
                at = end_of_dont_care(bytes, at);
                match bytes.get(at) {
                    Some(&byte) if byte > AT_MOST => limit = limit.min(byte - AT_MOST),
                    _ => break,
                }
                at += 1;
            }
            let Some(&right) = bytes.get(at) else {
                self.open = Some((start, limit));
                return earlier;
            };
            let run = Earlier {
                range: start..from + at as u64,
                value: self.value(start, from + at as u64, limit, Some(right)),
            };
            run.write(from, bytes);
            if start < from {
                earlier = Earlier {
                    range: start..from,
                    ..run
                };
            }
            at = next_open(bytes, at).unwrap_or(bytes.len());
        }
        if let Some(&last) = bytes.last() {
            self.left = Some(last);
        }
        earlier
    }

    /// Returns what the entries up to the end, at offset `end`, are to be filled with, if the last chunk ends with a run of open entries.
    pub(crate) fn finish(self, end: u64) -> Earlier {
        let Some((start, limit)) = self.open else {
            return Earlier::NONE;
        };
        Earlier {
            range: start..end,
            value: self.value(start, end, limit, None),
        }
    }

    /// The value of a run of open entries, given the byte after it.
    fn value(&self, start: u64, end: u64, limit: u8, right: Option<u8>) -> u8 {
        let left = self.left.filter(|&value| value <= limit);
        let right = right.filter(|&value| value <= limit);
        let weight = |value: u8| (self.counts[usize::from(value)], Reverse(value));
        let neighbour = match (left, right) {
            (Some(left), Some(right)) if weight(right) > weight(left) => Some(right),
            (left, right) => left.or(right),
        };
        match neighbour {
            _ if self.contents == Contents::Dtz && end - start >= LONG as u64 => self.most_frequent,
            Some(neighbour) => neighbour,
            None if limit == DONT_CARE => self.most_frequent,
            None => limit,
        }
    }
}

/// How often each byte occurs.
pub(crate) fn counts(bytes: &[u8]) -> [u64; 256] {
    // Four tables, so that equal neighbours do not wait for each other's counter to be written.
    let mut tables = [[0u64; 256]; 4];
    let (fours, rest) = bytes.as_chunks::<4>();
    for four in fours {
        for (counts, &byte) in tables.iter_mut().zip(four) {
            counts[usize::from(byte)] += 1;
        }
    }
    rest.iter()
        .for_each(|&byte| tables[0][usize::from(byte)] += 1);
    std::array::from_fn(|byte| tables.iter().map(|counts| counts[byte]).sum())
}

/// Eight bytes from an offset on as a little-endian number; bytes beyond the end are 0.
#[inline]
fn eight(bytes: &[u8], from: usize) -> u64 {
    let mut eight = [0; 8];
    match bytes.get(from..from + 8) {
        Some(whole) => eight.copy_from_slice(whole),
        None => {
            let rest = bytes.get(from..).unwrap_or(&[]);
            eight[..rest.len()].copy_from_slice(rest);
        }
    }
    u64::from_le_bytes(eight)
}

/// The offset of the first byte above [`AT_MOST`], from an offset on.
#[inline]
fn next_open(bytes: &[u8], from: usize) -> Option<usize> {
    const HIGH: u64 = u64::from_ne_bytes([128; 8]);
    let mut at = from;
    while at < bytes.len() {
        // Most required values are below 128: eight bytes are compared at once.
        let high = eight(bytes, at) & HIGH;
        at += (high.trailing_zeros() / 8) as usize;
        if high != 0 {
            if bytes[at] > AT_MOST {
                return Some(at);
            }
            at += 1;
        }
    }
    None
}

/// The offset of the first byte that is not [`DONT_CARE`], from an offset on; the length if there is none.
#[inline]
fn end_of_dont_care(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    loop {
        let other = !eight(bytes, at);
        at += (other.trailing_zeros() / 8) as usize;
        if other != 0 {
            return at;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eight bytes at a time give the same as one by one, also for required values above 127 and at the end.
    #[test]
    fn runs_have_the_ends_that_single_bytes_give() {
        let mut rng = everymove_kernel::rng::SplitMix64::new(3);
        let some = [
            0,
            7,
            127,
            128,
            200,
            AT_MOST,
            AT_MOST + 1,
            AT_MOST + 3,
            DONT_CARE,
            DONT_CARE,
        ];
        for length in 0..200usize {
            let bytes: Vec<u8> = (0..length)
                .map(|_| some[rng.below(some.len() as u64) as usize])
                .collect();
            for from in 0..=length {
                let open = (from..length).find(|&at| bytes[at] > AT_MOST);
                assert_eq!(next_open(&bytes, from), open, "{bytes:?} {from}");
                let end = (from..length).find(|&at| bytes[at] != DONT_CARE);
                assert_eq!(
                    end_of_dont_care(&bytes, from),
                    end.unwrap_or(length),
                    "{bytes:?} {from}"
                );
            }
            let simple = |byte| bytes.iter().filter(|&&own| own == byte).count() as u64;
            assert!((0..=255).all(|byte| counts(&bytes)[usize::from(byte)] == simple(byte)));
        }
    }

    /// Chunks of any lengths are filled as all bytes at once.
    #[test]
    fn chunks_are_filled_as_the_whole() {
        let mut rng = everymove_kernel::rng::SplitMix64::new(8);
        let some = [0, 1, 2, 3, AT_MOST + 1, AT_MOST + 2, DONT_CARE, DONT_CARE];
        for round in 0..400 {
            let contents = [Contents::Wdl, Contents::Dtz][round % 2];
            let mut bytes = Vec::new();
            while bytes.len() < 150 {
                let byte = some[rng.below(some.len() as u64) as usize];
                bytes.extend(vec![
                    byte;
                    1 + rng.below(4) as usize * rng.below(12) as usize
                ]);
            }
            let mut whole = bytes.clone();
            let counted = counts(&whole);
            fill(&mut whole, counted, contents);
            let mut filler = Filler::new(counts(&bytes), contents);
            let mut at = 0;
            while at < bytes.len() {
                let end = (at + 1 + rng.below(40) as usize).min(bytes.len());
                let earlier = filler.add(at as u64, &mut bytes[at..end]);
                earlier.write(0, &mut bytes);
                at = end;
            }
            filler.finish(at as u64).write(0, &mut bytes);
            assert_eq!(bytes, whole);
        }
    }

    #[test]
    fn runs_get_the_value_of_a_neighbour() {
        let filled = |bytes: &[u8], contents| {
            let mut bytes = bytes.to_vec();
            let counted = counts(&bytes);
            fill(&mut bytes, counted, contents);
            bytes
        };
        let wdl = |bytes: &[u8]| filled(bytes, Contents::Wdl);
        assert_eq!(
            wdl(&[DONT_CARE, 4, 4, DONT_CARE, DONT_CARE, 2, DONT_CARE]),
            [4, 4, 4, 4, 4, 2, 2]
        );
        assert_eq!(wdl(&[4, 4, AT_MOST + 2, 2]), [4, 4, 2, 2]);
        assert_eq!(wdl(&[4, DONT_CARE, AT_MOST + 2, 4]), [4, 2, 2, 4]);
        assert_eq!(wdl(&[DONT_CARE; 3]), [0; 3]);
        let mut long = vec![3, 3, 3, 5];
        long.extend([DONT_CARE; LONG]);
        long.push(5);
        assert_eq!(filled(&long, Contents::Dtz)[4..4 + LONG], [3; LONG]);
        assert_eq!(filled(&long, Contents::Wdl)[4..4 + LONG], [5; LONG]);
    }
}
