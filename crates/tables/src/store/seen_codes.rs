//! Which codes a section of a table has, as far as its blocks have been decoded.

use std::sync::atomic::{AtomicU64, Ordering};

/// The codes of the blocks of a section that have been decoded as a whole.
#[derive(Debug)]
pub(super) struct SeenCodes {
    /// A bit for each block.
    blocks: Vec<AtomicU64>,
    /// A bit for each code.
    codes: Vec<AtomicU64>,
}

impl SeenCodes {
    pub(super) fn new(blocks: usize, max: u16) -> Self {
        let bits = |count: usize| (0..count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Self {
            blocks: bits(blocks),
            codes: bits(usize::from(max) + 1),
        }
    }

    pub(super) fn has_block(&self, block: usize) -> bool {
        self.blocks[block / 64].load(Ordering::Acquire) >> (block % 64) & 1 != 0
    }

    /// Adds the codes of a block, of which none exceeds the largest of the section.
    pub(super) fn add(&self, block: usize, codes: &[u16]) {
        if self.has_block(block) {
            return;
        }
        let mut found = vec![false; 64 * self.codes.len()];
        for &code in codes {
            found[usize::from(code)] = true;
        }
        for (bits, found) in self.codes.iter().zip(found.chunks_exact(64)) {
            let set = (0..).zip(found);
            let set = set.fold(0, |set, (bit, &found)| set | u64::from(found) << bit);
            bits.fetch_or(set, Ordering::Relaxed);
        }
        self.blocks[block / 64].fetch_or(1 << (block % 64), Ordering::Release);
    }

    /// Returns the codes found so far, of those up to `max`, ascending.
    pub(super) fn codes(&self, max: u16) -> Vec<u16> {
        let has = |&code: &u16| {
            let bits = self.codes[usize::from(code) / 64].load(Ordering::Relaxed);
            bits >> (code % 64) & 1 != 0
        };
        (0..=max).filter(has).collect()
    }
}
