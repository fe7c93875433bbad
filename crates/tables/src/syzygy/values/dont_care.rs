//! Values for positions of which a file may tell what it likes: those that make long runs.
//!
//! The published DTZ files fill in the same way, value for value; the published WDL files in about the same way.

use crate::syzygy::file::parse::Contents;

/// A byte for a position of which a file may tell anything.
pub(crate) const ANY: u8 = 255;
/// Added to a value of 1 to 3: the file may tell it or a worse one. Smaller bytes are certain values.
pub(crate) const AT_MOST: u8 = 240;
/// From this length on, a stretch without certain values is filled with the most frequent one, in DTZ files.
const LONG: usize = 32;

/// Puts certain values everywhere. Every stretch of uncertain bytes gets one value: that of its neighbours, or of the more
/// frequent of the two.
pub(crate) fn fill(bytes: &mut [u8], contents: Contents) {
    let counts = counts(bytes);
    let certain = 0..=AT_MOST;
    let most = certain
        .max_by_key(|&v| (counts[usize::from(v)], std::cmp::Reverse(v)))
        .unwrap_or(0);
    let mut at = 0;
    while let Some(start) = next_uncertain(bytes, at) {
        at = start;
        let mut limit = ANY;
        loop {
            at = end_of_any(bytes, at);
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
        let near = match (left, right) {
            (Some(left), Some(right)) if weight(right) > weight(left) => Some(right),
            (left, right) => left.or(right),
        };
        let value = match near {
            _ if contents == Contents::Dtz && at - start >= LONG => most,
            Some(near) => near,
            None if limit == ANY => most,
            None => limit,
        };
        bytes[start..at].fill(value);
    }
}

/// How often each byte is there.
pub(crate) fn counts(bytes: &[u8]) -> [u64; 256] {
    // Equal neighbours are counted apart: a counter that is raised has to be written before it can be raised again.
    let mut apart = [[0u64; 256]; 4];
    let (fours, rest) = bytes.as_chunks::<4>();
    for four in fours {
        for (counts, &byte) in apart.iter_mut().zip(four) {
            counts[usize::from(byte)] += 1;
        }
    }
    rest.iter()
        .for_each(|&byte| apart[0][usize::from(byte)] += 1);
    std::array::from_fn(|byte| apart.iter().map(|counts| counts[byte]).sum())
}

/// Eight bytes from a place on, the first the lowest; those beyond the end are 0.
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

/// The first place of an uncertain byte from one on.
#[inline]
fn next_uncertain(bytes: &[u8], from: usize) -> Option<usize> {
    const HIGH: u64 = u64::from_ne_bytes([128; 8]);
    let mut at = from;
    while at < bytes.len() {
        // Most certain bytes are small: eight of them are seen to be at once.
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

/// The first place from one on where not just anything may be told.
#[inline]
fn end_of_any(bytes: &[u8], from: usize) -> usize {
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

    /// Eight bytes at a time find what one by one is found, among certain bytes above 127 and at the end, too.
    #[test]
    fn stretches_begin_and_end_where_single_bytes_say() {
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
            ANY,
            ANY,
        ];
        for length in 0..200usize {
            let bytes: Vec<u8> = (0..length)
                .map(|_| some[rng.below(some.len() as u64) as usize])
                .collect();
            for from in 0..=length {
                let uncertain = (from..length).find(|&at| bytes[at] > AT_MOST);
                assert_eq!(next_uncertain(&bytes, from), uncertain, "{bytes:?} {from}");
                let end = (from..length).find(|&at| bytes[at] != ANY);
                assert_eq!(
                    end_of_any(&bytes, from),
                    end.unwrap_or(length),
                    "{bytes:?} {from}"
                );
            }
            let simple = |byte| bytes.iter().filter(|&&own| own == byte).count() as u64;
            assert!((0..=255).all(|byte| counts(&bytes)[usize::from(byte)] == simple(byte)));
        }
    }

    #[test]
    fn uncertain_stretches_take_after_their_neighbours() {
        let filled = |bytes: &[u8], contents| {
            let mut bytes = bytes.to_vec();
            fill(&mut bytes, contents);
            bytes
        };
        let wdl = |bytes: &[u8]| filled(bytes, Contents::Wdl);
        assert_eq!(wdl(&[ANY, 4, 4, ANY, ANY, 2, ANY]), [4, 4, 4, 4, 4, 2, 2]);
        assert_eq!(wdl(&[4, 4, AT_MOST + 2, 2]), [4, 4, 2, 2]);
        assert_eq!(wdl(&[4, ANY, AT_MOST + 2, 4]), [4, 2, 2, 4]);
        assert_eq!(wdl(&[ANY; 3]), [0; 3]);
        let mut long = vec![3, 3, 3, 5];
        long.extend([ANY; LONG]);
        long.push(5);
        assert_eq!(filled(&long, Contents::Dtz)[4..4 + LONG], [3; LONG]);
        assert_eq!(filled(&long, Contents::Wdl)[4..4 + LONG], [5; LONG]);
    }
}
