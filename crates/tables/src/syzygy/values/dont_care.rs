//! Don't-care entries, of which the file may store any value: filled so that runs become long.
//!
//! The published DTZ files are filled by the rule without length classes, value for value; the
//! published WDL files nearly so.

use std::cmp::Reverse;
use std::ops::Range;

use crate::syzygy::compress::runs::runs;
use crate::syzygy::file::parse::Contents;

/// The byte of an entry that may hold any value.
pub(crate) const DONT_CARE: u8 = 255;
/// Added to a value of 1 to 3: the entry may hold this value or a smaller one. All smaller bytes
/// are required values.
pub(crate) const AT_MOST: u8 = 240;
/// In DTZ files, a run of don't-care entries of at least this length is filled with the most
/// frequent value.
const LONG: u64 = 32;

/// Which neighbour gives a run of don't-care entries its value: the one with the longer run, or, if
/// both are of the same length class, the one with the more frequent value.
///
/// A short run between long ones is an exception, which is stored in fewer bits if its neighbours
/// have one value and it is as short as possible. Where runs are short anyway, the more frequent
/// value makes them more regular.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FillRule {
    /// The length class of a run is the binary logarithm of its length, at most this.
    classes: u32,
}

impl FillRule {
    /// The rule that is best for most tables.
    pub(crate) const USUAL: Self = Self { classes: 2 };
    /// All rules, the usual one first.
    pub(crate) const ALL: [Self; 3] = [Self::USUAL, Self { classes: 1 }, Self { classes: 0 }];

    fn class(self, run: Run) -> u32 {
        run.length.max(1).ilog2().min(self.classes)
    }
}

/// A run of equal entries.
#[derive(Clone, Copy)]
struct Run {
    value: u8,
    length: u64,
}

/// A run of open entries: the largest value that all may hold, [`DONT_CARE`] if that is any.
#[derive(Clone)]
struct Open {
    range: Range<u64>,
    limit: u8,
}

impl Open {
    fn admits(&self, value: u8) -> bool {
        self.range.is_empty() || value <= self.limit
    }
}

/// Replaces every byte above [`AT_MOST`] by a value that the entry may hold. A run of such bytes
/// gets one value: that of its left or right neighbour.
pub(crate) fn fill(bytes: &mut [u8], counts: [u64; 256], contents: Contents, rule: FillRule) {
    let mut filler = Filler::new(counts, contents, rule);
    filler.add(0, bytes);
    for end in filler.finish(bytes.len() as u64) {
        end.write(0, bytes);
    }
}

/// Fills bytes that come one chunk after the other.
pub(crate) struct Filler {
    counts: [u64; 256],
    most_frequent: u8,
    contents: Contents,
    rule: FillRule,
    /// An undecided run of open entries, and the run before it.
    undecided: Option<(Run, Open)>,
    /// The last run of required values, with open entries that have its value.
    last: Option<Run>,
    /// The open entries after it, as far as they are known.
    open: Open,
    /// Entries of earlier chunks that are filled in this one.
    earlier: Vec<Earlier>,
}

/// A value for entries of chunks that were filled before.
pub(crate) struct Earlier {
    pub(crate) range: Range<u64>,
    pub(crate) value: u8,
}

impl Earlier {
    /// Stores the value in the part of the range that `bytes`, from offset `at` on, contain.
    fn write(&self, at: u64, bytes: &mut [u8]) {
        let end = at + bytes.len() as u64;
        let clamp = |offset: u64| (offset.clamp(at, end) - at) as usize;
        bytes[clamp(self.range.start)..clamp(self.range.end)].fill(self.value);
    }
}

impl Filler {
    /// For values that occur as often as `counts` says.
    pub(crate) fn new(counts: [u64; 256], contents: Contents, rule: FillRule) -> Self {
        let required = 0..=AT_MOST;
        let most_frequent = required.max_by_key(|&v| (counts[usize::from(v)], Reverse(v)));
        Self {
            counts,
            most_frequent: most_frequent.unwrap_or(0),
            contents,
            rule,
            undecided: None,
            last: None,
            open: Open {
                range: 0..0,
                limit: DONT_CARE,
            },
            earlier: Vec::new(),
        }
    }

    /// Fills the chunk from offset `from` on, as far as its bytes decide. Returns what entries of
    /// earlier chunks are to be filled with.
    pub(crate) fn add(&mut self, from: u64, bytes: &mut [u8]) -> Vec<Earlier> {
        let mut at = 0;
        while at < bytes.len() {
            let start = at;
            loop {
                at = end_of_dont_care(bytes, at);
                match bytes.get(at) {
                    Some(&byte) if byte > AT_MOST => {
                        self.open.limit = self.open.limit.min(byte - AT_MOST);
                    }
                    _ => break,
                }
                at += 1;
            }
            if self.open.range.is_empty() {
                self.open.range.start = from + start as u64;
            }
            self.open.range.end = from + at as u64;
            let Some(run) = first_run(&bytes[at..]) else {
                break;
            };
            at += run.length as usize;
            self.add_run(run, from, bytes);
        }
        std::mem::take(&mut self.earlier)
    }

    /// Adds a run of required values, which follows the open entries.
    fn add_run(&mut self, mut run: Run, from: u64, bytes: &mut [u8]) {
        let end = self.open.range.end;
        let open = std::mem::replace(
            &mut self.open,
            Open {
                range: end..end,
                limit: DONT_CARE,
            },
        );
        let length = open.range.end - open.range.start;
        let Some(last) = self.last else {
            self.store(&open, self.value(&open, None, Some(run.value)), from, bytes);
            run.length += length;
            self.last = Some(run);
            return;
        };
        let is_long = self.is_long(&open);
        if last.value == run.value && open.admits(run.value) && !is_long {
            self.store(&open, run.value, from, bytes);
            run.length += last.length + length;
            self.last = Some(run);
            return;
        }
        if let Some((left, before)) = self.undecided.take() {
            self.store(&before, self.better(left, last), from, bytes);
        }
        self.last = Some(run);
        if length == 0 {
            return;
        }
        if open.admits(last.value) && open.admits(run.value) && !is_long {
            self.undecided = Some((last, open));
            return;
        }
        let value = self.value(&open, Some(last.value), Some(run.value));
        self.store(&open, value, from, bytes);
        if value == run.value {
            run.length += length;
            self.last = Some(run);
        }
    }

    /// Returns what entries of earlier chunks are to be filled with, the last chunk ending at
    /// offset `end`.
    pub(crate) fn finish(mut self, end: u64) -> Vec<Earlier> {
        if let (Some((left, open)), Some(last)) = (self.undecided.take(), self.last) {
            self.store(&open, self.better(left, last), end, &mut []);
        }
        let open = self.open.clone();
        let value = self.value(&open, self.last.map(|run| run.value), None);
        self.store(&open, value, end, &mut []);
        self.earlier
    }

    /// Stores a value in open entries: those of the chunk from offset `from` on, the others later.
    fn store(&mut self, open: &Open, value: u8, from: u64, bytes: &mut [u8]) {
        let range = open.range.clone();
        let whole = Earlier { range, value };
        whole.write(from, bytes);
        if whole.range.start < from && !whole.range.is_empty() {
            let range = whole.range.start..whole.range.end.min(from);
            self.earlier.push(Earlier { range, value });
        }
    }

    /// Whether open entries of a DTZ file get the most frequent value.
    fn is_long(&self, open: &Open) -> bool {
        self.contents == Contents::Dtz && open.range.end - open.range.start >= LONG
    }

    /// The value of open entries between two runs, both of whose values they may hold.
    fn better(&self, left: Run, right: Run) -> u8 {
        let weight = |run: Run| {
            let count = self.counts[usize::from(run.value)];
            (self.rule.class(run), count, Reverse(run.value))
        };
        if weight(right) > weight(left) {
            right.value
        } else {
            left.value
        }
    }

    /// The value of open entries, given the values beside them, of which they may hold at most one.
    fn value(&self, open: &Open, left: Option<u8>, right: Option<u8>) -> u8 {
        let neighbour = left.filter(|&value| open.admits(value));
        match neighbour.or(right.filter(|&value| open.admits(value))) {
            _ if self.is_long(open) => self.most_frequent,
            Some(neighbour) => neighbour,
            None if open.limit == DONT_CARE => self.most_frequent,
            None => open.limit,
        }
    }
}

/// The run of equal required values that bytes begin with; `None` without bytes.
#[inline]
fn first_run(bytes: &[u8]) -> Option<Run> {
    let (value, length) = runs(bytes).next()?;
    Some(Run {
        value,
        length: length as u64,
    })
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

/// Adds how often each byte occurs.
pub(crate) fn add_counts(bytes: &[u8], sum: &mut [u64; 256]) {
    for (sum, more) in sum.iter_mut().zip(counts(bytes)) {
        *sum += more;
    }
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

/// The offset of the first byte that is not [`DONT_CARE`], from an offset on; the length if there
/// is none.
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

    const OPEN: [u8; 4] = [AT_MOST + 1, AT_MOST + 2, DONT_CARE, DONT_CARE];

    /// Eight bytes at a time give the same as one by one, also at the end.
    #[test]
    fn runs_have_the_ends_that_single_bytes_give() {
        let mut rng = everymove_kernel::rng::SplitMix64::new(3);
        let some = [0, 127, 128, AT_MOST, AT_MOST + 1, DONT_CARE, DONT_CARE];
        for length in 0..200usize {
            let bytes: Vec<u8> = (0..length)
                .map(|_| some[rng.below(some.len() as u64) as usize])
                .collect();
            for from in 0..=length {
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

    /// Chunks of any lengths are filled as all bytes at once, and every entry holds a value that it
    /// may hold.
    #[test]
    fn chunks_are_filled_as_the_whole() {
        let mut rng = everymove_kernel::rng::SplitMix64::new(8);
        let some = [&[0, 1, 2, 3][..], &OPEN].concat();
        for round in 0..1200 {
            let contents = [Contents::Wdl, Contents::Dtz][round % 2];
            let rule = FillRule::ALL[round % 3];
            let mut bytes = Vec::new();
            while bytes.len() < 150 {
                let byte = some[rng.below(some.len() as u64) as usize];
                bytes.extend(vec![
                    byte;
                    1 + rng.below(4) as usize * rng.below(12) as usize
                ]);
            }
            let before = bytes.clone();
            let mut whole = bytes.clone();
            let counted = counts(&whole);
            fill(&mut whole, counted, contents, rule);
            let mut filler = Filler::new(counts(&bytes), contents, rule);
            let mut at = 0;
            while at < bytes.len() {
                let end = (at + 1 + rng.below(40) as usize).min(bytes.len());
                let earlier = filler.add(at as u64, &mut bytes[at..end]);
                assert!(earlier.iter().all(|own| own.range.end <= at as u64));
                earlier.iter().for_each(|own| own.write(0, &mut bytes));
                at = end;
            }
            for end in filler.finish(at as u64) {
                end.write(0, &mut bytes);
            }
            assert_eq!(bytes, whole);
            // Long runs of DTZ files have no limited entries.
            let may_hold = |(&of, &value): (&u8, &u8)| match of {
                DONT_CARE => value <= 3,
                above if above > AT_MOST => value <= above - AT_MOST,
                required => value == required,
            };
            let is_wdl = contents == Contents::Wdl;
            assert!(!is_wdl || before.iter().zip(&whole).all(may_hold));
        }
    }

    #[test]
    fn runs_get_the_value_of_a_neighbour() {
        let filled = |bytes: &[u8], contents, classes| {
            let mut bytes = bytes.to_vec();
            let counted = counts(&bytes);
            fill(&mut bytes, counted, contents, FillRule { classes });
            bytes
        };
        let wdl = |bytes: &[u8]| filled(bytes, Contents::Wdl, 0);
        assert_eq!(
            wdl(&[DONT_CARE, 4, 4, DONT_CARE, DONT_CARE, 2, DONT_CARE]),
            [4, 4, 4, 4, 4, 2, 2]
        );
        assert_eq!(wdl(&[4, 4, AT_MOST + 2, 2]), [4, 4, 2, 2]);
        assert_eq!(wdl(&[4, DONT_CARE, AT_MOST + 2, 4]), [4, 2, 2, 4]);
        assert_eq!(wdl(&[DONT_CARE; 3]), [0; 3]);
        let mut long = vec![3, 3, 3, 5];
        long.extend([DONT_CARE; LONG as usize]);
        long.push(5);
        assert_eq!(filled(&long, Contents::Dtz, 0)[4..36], [3; 32]);
        assert_eq!(filled(&long, Contents::Wdl, 0)[4..36], [5; 32]);
    }

    /// The longer neighbour by its class wins over the more frequent one; open entries between
    /// equal values count as part of a run.
    #[test]
    fn longer_neighbours_win_over_more_frequent_ones() {
        let filled = |classes| {
            let mut bytes = vec![4, DONT_CARE, 2, 2, 2, 0, 4, 4, DONT_CARE, 1, DONT_CARE, 1];
            bytes.extend([3, 4, 4, 4]);
            let counted = counts(&bytes);
            fill(&mut bytes, counted, Contents::Wdl, FillRule { classes });
            [bytes[1], bytes[8], bytes[10]]
        };
        assert_eq!(filled(0), [4, 4, 1]);
        assert_eq!(filled(1), [2, 4, 1]);
        // Two against three values are of one class, of which the more frequent value wins.
        assert_eq!(filled(2), [2, 4, 1]);
    }
}
