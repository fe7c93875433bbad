//! The parts of a layer: sections of it, and their owners.

use std::ops::Range;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use crate::layers::layout::{Layout, Span};

/// The most words of a block with more than one head; digests depend on it.
const BLOCK: usize = 1 << 12;

/// Sections of each process. Positions lie densely in some regions of a layer: parts are about equal in work only if each has a
/// little of every region.
const SECTIONS: usize = 16;

/// A layer in parts.
pub(super) struct Parts {
    pub(super) layout: Arc<Layout>,
    sections: Vec<Section>,
}

/// Whole blocks one after the other, which one process owns.
pub(super) struct Section {
    pub(super) owner: usize,
    /// Where its words begin among those of its owner's part.
    pub(super) first: usize,
    pub(super) span: Span,
}

impl Section {
    /// Its words, given those of its owner's part.
    pub(super) fn words<'a>(&self, part: &'a [u64]) -> &'a [u64] {
        &part[self.first..][..self.span.words()]
    }
}

impl Parts {
    /// A part for each process, of about as many words each.
    pub(super) fn new(layout: Layout, processes: usize) -> Self {
        let layout = Arc::new(layout);
        let mut lengths = vec![0; processes];
        let sections = sections(&layout, SECTIONS * processes).enumerate();
        let sections = sections.map(|(number, span)| {
            // Forwards and backwards in turn: 0 1 2 2 1 0 0 1 2.
            let (round, turn) = (number / processes, number % processes);
            let owner = match round % 2 {
                0 => turn,
                _ => processes - 1 - turn,
            };
            let first = lengths[owner];
            lengths[owner] += span.words();
            Section { owner, first, span }
        });
        Self {
            sections: sections.collect(),
            layout,
        }
    }

    /// The most words of a part of a layer, which has `words` words.
    pub(super) fn most(words: u64, processes: usize) -> u64 {
        let uneven = words.div_ceil(processes as u64) + (SECTIONS * (BLOCK + 1)) as u64;
        uneven.min(words)
    }

    /// The words of the part of a process.
    pub(super) fn words_of(&self, process: usize) -> usize {
        let words = self.of(process).map(|section| section.span.words());
        words.sum()
    }

    /// The sections of a process, in order.
    pub(super) fn of(&self, process: usize) -> impl Iterator<Item = &Section> {
        let own = move |section: &&Section| section.owner == process;
        self.sections.iter().filter(own)
    }

    /// Where words of a span belong in the part of a process: the number of the first of them there, and their range in the span.
    pub(super) fn within<'a>(
        &'a self,
        process: usize,
        span: &'a Span,
    ) -> impl Iterator<Item = (usize, Range<usize>)> + 'a {
        self.of(process).filter_map(|section| {
            let begin = section.span.heads.start.max(span.heads.start);
            let end = section.span.heads.end.min(span.heads.end);
            (begin < end).then(|| {
                let first = section.first + section.span.start(begin);
                (first, span.start(begin)..span.start(end))
            })
        })
    }

    /// The section with a word of the layer, and the number of that word in its owner's part.
    pub(super) fn locate(&self, word: usize) -> (&Section, usize) {
        let begin = |section: &Section| self.layout.start(section.span.heads.start);
        let after = self
            .sections
            .partition_point(|section| begin(section) <= word);
        let section = &self.sections[after - 1];
        (section, section.first + word - begin(section))
    }

    /// The digests of the blocks of a process's part, whose words are given.
    pub(super) fn digests(&self, process: usize, words: &[u64]) -> Vec<u64> {
        let mut bytes = Vec::new();
        let mut digests = Vec::new();
        for section in self.of(process) {
            let words = section.words(words);
            for block in section.span.windows(BLOCK) {
                let first = section.span.start(block.heads.start);
                digests.push(xxh3(&mut bytes, &words[first..][..block.words()]));
            }
        }
        digests
    }

    /// The digest of the layer whose blocks have these digests, by process.
    pub(super) fn digest(&self, digests: &[&[u64]]) -> u64 {
        let mut left = digests.to_vec();
        let mut in_order = Vec::new();
        for section in &self.sections {
            let blocks = section.span.windows(BLOCK).count();
            let (own, rest) = left[section.owner].split_at(blocks);
            in_order.extend(own);
            left[section.owner] = rest;
        }
        xxh3(&mut Vec::new(), &in_order)
    }
}

/// The heads of a layer, cut between blocks into `count` spans of about as many words each.
fn sections(layout: &Arc<Layout>, count: usize) -> impl Iterator<Item = Span> {
    let whole = Span::whole(layout);
    let words = whole.words() as u64;
    let mut bounds = vec![0];
    for block in whole.windows(BLOCK) {
        // A section ends with the first block that reaches its share of the words.
        let end = layout.start(block.heads.end) as u64;
        while bounds.len() < count && end * count as u64 >= words * bounds.len() as u64 {
            bounds.push(block.heads.end);
        }
    }
    bounds.resize(count, layout.heads());
    bounds.push(layout.heads());
    (0..count).map(move |number| Span {
        heads: bounds[number]..bounds[number + 1],
        layout: Arc::clone(&whole.layout),
    })
}

fn xxh3(bytes: &mut Vec<u8>, words: &[u64]) -> u64 {
    bytes.clear();
    words
        .iter()
        .for_each(|word| bytes.extend(word.to_le_bytes()));
    xxh3_64(bytes)
}
