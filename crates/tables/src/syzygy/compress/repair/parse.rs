//! Parses a sequence of run symbols into the symbols of a grammar so that the code words take the
//! fewest bits.
//!
//! Replacing pairs one after the other finds good symbols, but not the best sequence of them: a
//! symbol that is replaced early may overlap a longer one that would have taken fewer bits. The
//! best sequence is a shortest path from the beginning of a chunk to its end, computed from the end
//! (J. A. Storer and T. G. Szymanski, "Data Compression via Textual Substitution", 1982).

use std::collections::VecDeque;
use std::ops::Range;

use everymove_kernel::dispatch::{self, Task};

use crate::syzygy::compress::header::LEAF;

/// The symbol of a slot at which no word ends.
const NONE: u16 = u16::MAX;
/// The cost of a slot at which no word ends: more than that of any chunk.
const NO_WORD: u32 = 1 << 30;
/// Bits of a letter in an edge.
const LETTER_BITS: u32 = 12;
/// Bits of a slot in a step.
const SLOT_BITS: u32 = 20;
/// The half of a step that has its cost.
const COST: u64 = !0 << 32;
/// Letters of a run for which its words are compared all at once.
const LONG_RUN: usize = 8;
/// The edge of an unused slot: a letter that does not occur, since [`LEAF`] is no symbol.
const UNUSED: u32 = LEAF as u32;
/// Bytes of a node, of the letter that leads to it, and of its entry in the queue while nodes are
/// numbered.
pub(crate) const NODE_BYTES: u64 = 128;
/// Parts of a bit in which the length of a code word is given: symbols that are not used have no
/// code word yet.
pub(crate) const BIT: f64 = 16.0;

/// The words of symbols in run symbols, as a trie in a double array (J. Aoe, "An Efficient Digital
/// Search Algorithm by Using a Double-Array Structure", 1989): the child of a node by a letter is
/// in the slot `base + letter`, if the edge there has this letter. No two nodes have the same base,
/// so that the letter of an edge identifies its parent.
pub(crate) struct Parser {
    /// By slot.
    nodes: Vec<Node>,
    /// By slot: the symbol whose word ends there.
    symbols: Vec<u16>,
    /// The base of the root.
    root: u32,
    /// By letter.
    runs: Vec<RunWords>,
}

/// A slot of the double array.
#[derive(Clone, Copy)]
struct Node {
    /// The letter that leads to the node, and above it the base of its children. The slots from
    /// base 0 are never used: it is that of nodes without children.
    edge: u32,
    /// The cost of the symbol whose word ends here.
    cost: u32,
}

/// The words that repeat one letter. They begin at most offsets of a long run, and are found
/// without the trie there.
#[derive(Clone, Default)]
struct RunWords {
    /// By number of letters, from 1 on: the step of this word alone.
    steps: Vec<u64>,
    /// By number of letters, from 1 on: the base of the node.
    bases: Vec<u32>,
}

impl Node {
    const UNUSED: Self = Self {
        edge: UNUSED,
        cost: NO_WORD,
    };
}

impl Parser {
    /// For symbols of which the first `run_symbols` are run symbols and each other one comes after
    /// its halves. Words are left out once there are `max_nodes` nodes, or fewer if their slots
    /// do not fit a step. Of equal words the first is used. [`Parser::set_costs`] is to be
    /// called before the first chunk.
    pub(crate) fn new(symbols: &[(u16, u16)], run_symbols: usize, max_nodes: usize) -> Self {
        let parser = Self::of_symbols(symbols, run_symbols, max_nodes);
        if parser.nodes.len() < 1 << SLOT_BITS {
            return parser;
        }
        Self::new(symbols, run_symbols, max_nodes / 2)
    }

    /// As [`Parser::new`], however many slots there are.
    fn of_symbols(symbols: &[(u16, u16)], run_symbols: usize, max_nodes: usize) -> Self {
        let mut words: Vec<Vec<u16>> = Vec::with_capacity(symbols.len());
        let mut letters = 0;
        for (symbol, &(left, right)) in symbols.iter().enumerate() {
            let word = if symbol < run_symbols || right == LEAF {
                vec![symbol as u16]
            } else {
                match [left, right].map(|half| &words[usize::from(half)][..]) {
                    // A half was left out.
                    [[], _] | [_, []] => Vec::new(),
                    halves if letters + halves.concat().len() > max_nodes => Vec::new(),
                    halves => halves.concat(),
                }
            };
            letters += word.len();
            words.push(word);
        }
        let mut sorted: Vec<(&[u16], u16)> = (words.iter().zip(0..))
            .map(|(word, symbol)| (&word[..], symbol))
            .filter(|(word, _)| !word.is_empty())
            .collect();
        sorted.sort_unstable();
        sorted.dedup_by_key(|&mut (word, _)| word);
        Self::of_words(&sorted, run_symbols)
    }

    /// For different words with their symbols, in ascending order.
    fn of_words(words: &[(&[u16], u16)], letters: usize) -> Self {
        let mut parser = Self {
            nodes: vec![Node::UNUSED; letters],
            symbols: vec![NONE; letters],
            root: 0,
            runs: vec![RunWords::default(); letters],
        };
        let mut is_base = vec![false; letters];
        // Base 0 is that of nodes without children, and no slot below `letters` is used.
        let mut first = letters;
        // The words of a node, and their common length. The root has no slot.
        let mut open = VecDeque::from([(None::<usize>, 0..words.len(), 0)]);
        while let Some((slot, mut range, length)) = open.pop_front() {
            if let (Some(slot), Some(&(word, own))) = (slot, words[range.clone()].first())
                && word.len() == length
            {
                parser.symbols[slot] = own;
                range.start += 1;
            }
            let mut from = range.start;
            let children: Vec<(usize, Range<usize>)> = words[range]
                .chunk_by(|a, b| a.0[length] == b.0[length])
                .map(|own| {
                    let range = from..from + own.len();
                    from = range.end;
                    (usize::from(own[0].0[length]), range)
                })
                .collect();
            if children.is_empty() {
                continue;
            }
            let is_used = |slot: usize| parser.nodes.get(slot).is_some_and(|n| n.edge != UNUSED);
            let fits = |&base: &usize| {
                is_base.get(base) != Some(&true)
                    && !children.iter().any(|(letter, _)| is_used(base + letter))
            };
            let base = (first..).find(fits).unwrap_or(first);
            // Slots that few nodes fit are given up, so that the time is about proportional to the
            // number of nodes.
            first += (base - first) / 8;
            let end = base + letters;
            if end > parser.nodes.len() {
                parser.nodes.resize(end, Node::UNUSED);
                parser.symbols.resize(end, NONE);
                is_base.resize(end, false);
            }
            is_base[base] = true;
            match slot {
                Some(slot) => parser.nodes[slot].edge |= (base as u32) << LETTER_BITS,
                None => parser.root = base as u32,
            }
            for (letter, range) in children {
                parser.nodes[base + letter].edge = letter as u32;
                open.push_back((Some(base + letter), range, length + 1));
            }
        }
        parser
    }

    /// Sets the costs of each symbol, in parts of a bit.
    pub(crate) fn set_costs(&mut self, costs: &[u32]) {
        for (node, &symbol) in self.nodes.iter_mut().zip(&self.symbols) {
            let cost = costs.get(usize::from(symbol));
            node.cost = cost.copied().unwrap_or(NO_WORD);
        }
        for (letter, run) in (0..).zip(&mut self.runs) {
            *run = RunWords::default();
            let mut base = self.root;
            loop {
                let slot = base + letter;
                let node = self.nodes[slot as usize];
                if node.edge & UNUSED != letter {
                    break;
                }
                base = node.edge >> LETTER_BITS;
                run.bases.push(base);
                let length = (run.bases.len() as u32) << SLOT_BITS;
                let step = u64::from(node.cost) << 32 | u64::from(length | slot);
                run.steps.push(step);
            }
        }
    }

    /// The symbols of a chunk of run symbols that take the fewest bits.
    pub(crate) fn parse(&self, chunk: &[u16]) -> Vec<u16> {
        let steps = dispatch::run(Steps {
            parser: self,
            chunk,
        });
        let mut sequence = Vec::new();
        let mut at = 0;
        while at < chunk.len() {
            let step = steps[at] as u32;
            sequence.push(self.symbols[(step & ((1 << SLOT_BITS) - 1)) as usize]);
            at += (step >> SLOT_BITS) as usize;
        }
        sequence
    }
}

/// Computes, by offset of a chunk, the best way from there to its end: in the high half its cost,
/// in the low one the number of letters of its first word and, in [`SLOT_BITS`], the slot where
/// this ends. Of equal costs the shortest first word is best.
struct Steps<'a> {
    parser: &'a Parser,
    chunk: &'a [u16],
}

impl Task for Steps<'_> {
    type Output = Vec<u64>;

    #[inline(always)]
    fn run(self) -> Vec<u64> {
        let Self { parser, chunk } = self;
        let mut steps = vec![0; chunk.len() + 1];
        // The equal letters from an offset on.
        let mut equal = 0;
        for at in (0..chunk.len()).rev() {
            let (own, after) = steps[at..]
                .split_first_mut()
                .expect("one more than letters");
            let same = chunk.get(at + 1) == Some(&chunk[at]);
            equal = if same { equal + 1 } else { 1 };
            // Signed, since processors compare these faster.
            let mut best = i64::MAX;
            let (mut base, mut skipped) = (parser.root, 0);
            if equal >= LONG_RUN {
                let run = &parser.runs[usize::from(chunk[at])];
                skipped = equal.min(run.steps.len());
                for (&word, &next) in run.steps[..skipped].iter().zip(&*after) {
                    best = best.min((word + (next & COST)) as i64);
                }
                // No word has as many of the letter.
                if skipped < equal {
                    *own = best as u64;
                    continue;
                }
                base = run.bases[skipped - 1];
            }
            let mut length = (skipped as u32) << SLOT_BITS;
            for (&letter, &next) in chunk[at + skipped..].iter().zip(&after[skipped..]) {
                let slot = base + u32::from(letter);
                let node = parser.nodes[slot as usize];
                if node.edge & UNUSED != u32::from(letter) {
                    break;
                }
                base = node.edge >> LETTER_BITS;
                length += 1 << SLOT_BITS;
                let word = u64::from(node.cost) << 32 | u64::from(length | slot);
                best = best.min((word + (next & COST)) as i64);
            }
            *own = best as u64;
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::syzygy::compress::repair::symbol::tests::expanded;

    /// 0 and 1 are run symbols; 2 is 0 1, 3 is 2 2, 4 is 1 0, 5 is 4 3; 6, 7 and 8 are two, four
    /// and eight times 0, and 9 is 8 3.
    const SYMBOLS: [(u16, u16); 10] = [
        (7, LEAF),
        (8, LEAF),
        (0, 1),
        (2, 2),
        (1, 0),
        (4, 3),
        (0, 0),
        (6, 6),
        (7, 7),
        (8, 3),
    ];

    /// The least cost of a chunk, by trying every symbol at every offset.
    fn least(chunk: &[u16], costs: &[u32]) -> u32 {
        let mut least = vec![0; chunk.len() + 1];
        for at in (0..chunk.len()).rev() {
            let symbols = (0..SYMBOLS.len() as u16).filter_map(|symbol| {
                let rest = chunk[at..].strip_prefix(&expanded(&[symbol], &SYMBOLS)[..])?;
                Some(costs[usize::from(symbol)] + least[chunk.len() - rest.len()])
            });
            least[at] = symbols.min().unwrap_or(u32::MAX);
        }
        least[0]
    }

    proptest! {
        #[test]
        fn no_sequence_takes_fewer_bits(
            runs in prop::collection::vec((0u16..2, 1usize..30, 0usize..3), 0..8),
            costs in prop::collection::vec(1u32..40, SYMBOLS.len())
        ) {
            let run = |&(letter, length, changes): &(u16, usize, usize)| {
                let alternating = (0..changes as u16).map(move |i| letter ^ (i & 1));
                std::iter::repeat_n(letter, length).chain(alternating)
            };
            let chunk: Vec<u16> = runs.iter().flat_map(run).collect();
            let mut parser = Parser::new(&SYMBOLS, 2, 100);
            parser.set_costs(&costs);
            let sequence = parser.parse(&chunk);
            prop_assert_eq!(expanded(&sequence, &SYMBOLS), &chunk[..]);
            let cost: u32 = sequence.iter().map(|&s| costs[usize::from(s)]).sum();
            prop_assert_eq!(cost, least(&chunk, &costs));
        }
    }

    /// More run symbols than bits of a machine word; words beyond the limit are not used.
    #[test]
    fn many_run_symbols_are_distinguished() {
        let mut symbols: Vec<(u16, u16)> = (0..200).map(|value| (value, LEAF)).collect();
        symbols.extend([(3, 70), (3, 190), (201, 5)]);
        let chunk = [3, 70, 3, 190, 5, 3, 5];
        let costs = vec![10; symbols.len()];
        let parse = |nodes| {
            let mut parser = Parser::new(&symbols, 200, nodes);
            parser.set_costs(&costs);
            parser.parse(&chunk)
        };
        assert_eq!(parse(1000), [200, 202, 3, 5]);
        assert_eq!(parse(200), chunk);
        // The first pair fits, the second does not, nor does the symbol made of it.
        assert_eq!(parse(203), [200, 3, 190, 5, 3, 5]);
    }
}
