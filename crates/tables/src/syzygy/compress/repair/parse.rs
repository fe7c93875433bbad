//! Parses a sequence of run symbols into the symbols of a grammar so that the code words take the fewest bits.
//!
//! Replacing pairs one after the other finds good symbols, but not the best sequence of them: a symbol that is replaced early may overlap a
//! longer one that would have taken fewer bits. The best sequence is a shortest path from the beginning of a chunk to its end, computed
//! from the end (J. A. Storer and T. G. Szymanski, "Data Compression via Textual Substitution", 1982).

use std::collections::VecDeque;

use crate::syzygy::compress::decode::LEAF;

/// A node at which no word ends.
const NONE: u16 = u16::MAX;
/// Bytes of a node, of the letter that leads to it, and of its entry in the queue while nodes are numbered.
pub(crate) const NODE_BYTES: u64 = 128;
/// Parts of a bit in which the length of a code word is given: symbols that are not used have no code word yet.
pub(crate) const BIT: f64 = 16.0;

/// The words of symbols in run symbols, as a trie in which the children of a node are adjacent, in the order of their letters.
pub(crate) struct Parser {
    /// Blocks of 64 run symbols.
    width: usize,
    /// By node and block. Node 0 is the root.
    blocks: Vec<Block>,
}

/// The children of a node by 64 of the run symbols.
#[derive(Clone, Copy)]
struct Block {
    letters: u64,
    /// The child of the first letter.
    children: u32,
    /// In the first block: the symbol whose word ends at the node.
    symbol: u16,
}

/// The best way from an offset of a chunk to its end.
#[derive(Clone, Copy, Default)]
struct Step {
    cost: u32,
    symbol: u16,
    /// Run symbols of the symbol's word.
    length: u16,
}

impl Parser {
    /// For symbols of which the first `run_symbols` are run symbols and each other one comes after its halves. Words are left out once
    /// there are `max_nodes` nodes.
    pub(crate) fn new(symbols: &[(u16, u16)], run_symbols: usize, max_nodes: usize) -> Self {
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
        let width = run_symbols.div_ceil(64);
        let mut parser = Self {
            width,
            blocks: Vec::new(),
        };
        // Breadth first, so that the children of a node get adjacent numbers: the words of a node and their common length.
        let mut open = VecDeque::from([(0..sorted.len(), 0)]);
        let mut next = 1;
        while let Some((mut range, length)) = open.pop_front() {
            let mut symbol = NONE;
            // Of equal words the first is used.
            while let Some(&(word, own)) = sorted[range.clone()].first()
                && word.len() == length
            {
                symbol = symbol.min(own);
                range.start += 1;
            }
            let first = parser.blocks.len();
            let empty = Block {
                letters: 0,
                children: next,
                symbol,
            };
            parser.blocks.resize(first + width, empty);
            let mut from = range.start;
            for own in sorted[range].chunk_by(|a, b| a.0[length] == b.0[length]) {
                let letter = usize::from(own[0].0[length]);
                let block = &mut parser.blocks[first + letter / 64];
                if block.letters == 0 {
                    block.children = next;
                }
                block.letters |= 1 << (letter % 64);
                open.push_back((from..from + own.len(), length + 1));
                from += own.len();
                next += 1;
            }
        }
        parser
    }

    /// The child of a node.
    #[inline]
    fn child(&self, node: u32, letter: u16) -> Option<u32> {
        let block = self.blocks[node as usize * self.width + usize::from(letter / 64)];
        let bit = 1u64 << (letter % 64);
        let rank = (block.letters & (bit - 1)).count_ones();
        (block.letters & bit != 0).then_some(block.children + rank)
    }

    /// The symbols of a chunk of run symbols that take the fewest bits; `costs` are those of each symbol, in parts of a bit.
    pub(crate) fn parse(&self, chunk: &[u16], costs: &[u32]) -> Vec<u16> {
        let mut steps = vec![Step::default(); chunk.len() + 1];
        for at in (0..chunk.len()).rev() {
            let mut best = Step {
                cost: u32::MAX,
                ..Step::default()
            };
            let mut node = 0;
            for (length, &letter) in (1..).zip(&chunk[at..]) {
                let Some(child) = self.child(node, letter) else {
                    break;
                };
                node = child;
                let symbol = self.blocks[node as usize * self.width].symbol;
                if symbol != NONE {
                    let cost = costs[usize::from(symbol)] + steps[at + usize::from(length)].cost;
                    if cost < best.cost {
                        best = Step {
                            cost,
                            symbol,
                            length,
                        };
                    }
                }
            }
            steps[at] = best;
        }
        let mut sequence = Vec::new();
        let mut at = 0;
        while at < chunk.len() {
            let step = steps[at];
            sequence.push(step.symbol);
            at += usize::from(step.length);
        }
        sequence
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// 0 and 1 are run symbols; 2 is 0 1, 3 is 2 2, 4 is 1 0, 5 is 4 3.
    const SYMBOLS: [(u16, u16); 6] = [(7, LEAF), (8, LEAF), (0, 1), (2, 2), (1, 0), (4, 3)];

    fn expand(sequence: &[u16]) -> Vec<u16> {
        let mut run_symbols = Vec::new();
        let mut open: Vec<u16> = sequence.iter().rev().copied().collect();
        while let Some(symbol) = open.pop() {
            match SYMBOLS[usize::from(symbol)] {
                (_, LEAF) => run_symbols.push(symbol),
                (left, right) => open.extend([right, left]),
            }
        }
        run_symbols
    }

    /// The least cost of a chunk, by trying every sequence.
    fn least(chunk: &[u16], costs: &[u32]) -> u32 {
        let symbols = (0..SYMBOLS.len() as u16).filter_map(|symbol| {
            let rest = chunk.strip_prefix(&expand(&[symbol])[..])?;
            Some(costs[usize::from(symbol)] + least(rest, costs))
        });
        symbols.min().unwrap_or(0)
    }

    proptest! {
        #[test]
        fn no_sequence_takes_fewer_bits(
            chunk in prop::collection::vec(0u16..2, 0..14),
            costs in prop::collection::vec(1u32..40, 6)
        ) {
            let parser = Parser::new(&SYMBOLS, 2, 100);
            let sequence = parser.parse(&chunk, &costs);
            prop_assert_eq!(expand(&sequence), &chunk[..]);
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
        let parse = |nodes| Parser::new(&symbols, 200, nodes).parse(&chunk, &costs);
        assert_eq!(parse(1000), [200, 202, 3, 5]);
        assert_eq!(parse(200), chunk);
        // The first pair fits, the second does not, nor does the symbol made of it.
        assert_eq!(parse(203), [200, 3, 190, 5, 3, 5]);
    }
}
