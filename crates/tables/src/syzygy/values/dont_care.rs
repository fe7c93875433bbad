//! Don't-care entries, of which the file may store any value: filled so that runs become long.
//!
//! The published DTZ files are filled in the same way, value for value; the published WDL files nearly so.

use crate::syzygy::file::parse::Contents;

/// The byte of an entry that may hold any value.
pub(crate) const DONT_CARE: u8 = 255;
/// Added to a value of 1 to 3: the entry may hold this value or a smaller one. All smaller bytes are required values.
pub(crate) const AT_MOST: u8 = 240;
/// In DTZ files, a run of don't-care entries of at least this length is filled with the most frequent value.
const LONG: usize = 32;

/// Replaces every byte above [`AT_MOST`] by a value that the entry may hold. A run of such bytes gets one value: that of its left or right
/// neighbour, whichever is more frequent in all of `bytes`.
pub(crate) fn fill(bytes: &mut [u8], contents: Contents) {
    let counts = counts(bytes);
    let required = 0..=AT_MOST;
    let most_frequent = required
        .max_by_key(|&v| (counts[usize::from(v)], std::cmp::Reverse(v)))
        .unwrap_or(0);
    let mut at = 0;
    while let Some(start) = next_open(bytes, at) {
        at = start;
        let mut limit = DONT_CARE;
        loop {
            at = end_of_dont_care(bytes, at);
            match bytes.get(at) {
                Some(&byte) if byte > AT_MOST => limit = limit.min(byte - AT_MOST),
                _ => break,
            }
            at += 1;
        }
        let left = start.checked_sub(1).map(|i| bytes[i]);
        let left = left.filter(|&value| value <= limit);
        let right = bytes.get(at).copied().filter(|&value| value <= limit);
        let weight = |value: u8| (counts[usize::from(value)], std::cmp::Reverse(value));
        let neighbour = match (left, right) {
            (Some(left), Some(right)) if weight(right) > weight(left) => Some(right),
            (left, right) => left.or(right),
        };
        let value = match neighbour {
            _ if contents == Contents::Dtz && at - start >= LONG => most_frequent,
            Some(neighbour) => neighbour,
            None if limit == DONT_CARE => most_frequent,
            None => limit,
        };
        bytes[start..at].fill(value);
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

    #[test]
    fn runs_get_the_value_of_a_neighbour() {
        let filled = |bytes: &[u8], contents| {
            let mut bytes = bytes.to_vec();
            fill(&mut bytes, contents);
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
