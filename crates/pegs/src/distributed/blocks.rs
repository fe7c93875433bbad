//! The parts of a layer: blocks of heads, and their owners.

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use crate::layers::layout::{Layout, Span};

/// The most words of a block with more than one head; digests depend on it.
const BLOCK: usize = 1 << 12;

/// A layer in parts.
pub(super) struct Parts {
    /// The first head of each part, and the end of the last.
    bounds: Vec<usize>,
    layout: Arc<Layout>,
}

impl Parts {
    /// A part for each process, of about as many words each.
    pub(super) fn new(layout: Layout, processes: usize) -> Self {
        let layout = Arc::new(layout);
        let whole = Span::whole(&layout);
        let (words, heads) = (whole.words() as u64, layout.heads());
        let mut bounds = vec![0];
        for block in whole.windows(BLOCK) {
            // A part ends with the first block that reaches its share of the words.
            let end = layout.start(block.heads.end) as u64;
            while bounds.len() < processes && end * processes as u64 >= words * bounds.len() as u64
            {
                bounds.push(block.heads.end);
            }
        }
        bounds.resize(processes, heads);
        bounds.push(heads);
        Self { bounds, layout }
    }

    /// The most words of a part of a layer, which has `words` words.
    pub(super) fn most(words: u64, processes: usize) -> u64 {
        words.div_ceil(processes as u64) + BLOCK as u64
    }

    /// The heads of the part of a process.
    pub(super) fn part(&self, process: usize) -> Span {
        Span {
            heads: self.bounds[process]..self.bounds[process + 1],
            layout: Arc::clone(&self.layout),
        }
    }
}

/// The digests of the blocks of a part with these words.
pub(super) fn digests(part: &Span, words: &[u64]) -> Vec<u64> {
    let mut bytes = Vec::new();
    let digest = |block: Span| {
        let first = part.start(block.heads.start);
        xxh3(&mut bytes, &words[first..first + block.words()])
    };
    part.windows(BLOCK).map(digest).collect()
}

/// The digest of a layer whose blocks have these digests.
pub(super) fn digest(blocks: &[u64]) -> u64 {
    xxh3(&mut Vec::new(), blocks)
}

fn xxh3(bytes: &mut Vec<u8>, words: &[u64]) -> u64 {
    bytes.clear();
    words
        .iter()
        .for_each(|word| bytes.extend(word.to_le_bytes()));
    xxh3_64(bytes)
}
