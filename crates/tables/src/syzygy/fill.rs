//! Values for positions of which a file may tell what it likes: those that make long runs.
//!
//! The published DTZ files fill in the same way, value for value; the published WDL files in about the same way.

use crate::syzygy::file::Contents;

/// A byte for a position of which a file may tell anything.
pub(crate) const ANY: u8 = 255;
/// Added to a value of 1 to 3: the file may tell it or a worse one. Smaller bytes are certain values.
pub(crate) const AT_MOST: u8 = 240;
/// From this length on, a stretch without certain values is filled with the most frequent one, in DTZ files.
const LONG: usize = 32;

/// Puts certain values everywhere. Every stretch of uncertain bytes gets one value: that of its neighbours, or of the more
/// frequent of the two.
pub(crate) fn fill(bytes: &mut [u8], contents: Contents) {
    let mut counts = [0u64; 256];
    for &byte in bytes.iter() {
        counts[usize::from(byte)] += 1;
    }
    let certain = 0..=AT_MOST;
    let most = certain
        .max_by_key(|&v| (counts[usize::from(v)], std::cmp::Reverse(v)))
        .unwrap_or(0);
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] <= AT_MOST {
            at += 1;
            continue;
        }
        let start = at;
        let mut limit = ANY;
        while at < bytes.len() && bytes[at] > AT_MOST {
            if bytes[at] != ANY {
                limit = limit.min(bytes[at] - AT_MOST);
            }
            at += 1;
        }
        let left = start.checked_sub(1).map(|i| bytes[i]);
        let neighbours = [left, bytes.get(at).copied()];
        let allowed = neighbours
            .into_iter()
            .flatten()
            .filter(|&value| value <= limit);
        let near = allowed.max_by_key(|&v| (counts[usize::from(v)], std::cmp::Reverse(v)));
        let value = match near {
            _ if contents == Contents::Dtz && at - start >= LONG => most,
            Some(near) => near,
            None if limit == ANY => most,
            None => limit,
        };
        bytes[start..at].fill(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
