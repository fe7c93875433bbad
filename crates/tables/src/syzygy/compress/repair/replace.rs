//! Replaces the most frequent pair of a sequence by a new symbol, again and again.
//!
//! The occurrences of a pair are a doubly linked list through the sequence, so that the cost of a
//! replacement does not depend on the length of the sequence. An entry of the sequence takes twelve
//! bytes with its links, so that a replacement touches few cache lines.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use everymove_kernel::run::{Stop, Stopped};

use crate::syzygy::compress::header::MAX_SYMBOLS;
use crate::syzygy::compress::repair::symbol::{Halves, MIN_COUNT, Symbol, pays};

/// Bytes of an entry of the sequence with its links, and of the symbol that it is made from.
pub(crate) const ENTRY_BYTES: u64 = 14;
/// Bytes of a pair and its entry in the queue, spare capacity included.
pub(crate) const PAIR_BYTES: u64 = 48;

/// The most pairs before a symbol is made, so that the numbers of all pairs fit an entry: a new
/// symbol forms at most two pairs with each symbol.
const MAX_INITIAL_PAIRS: usize = Entry::MAX_PAIRS - 2 * MAX_SYMBOLS;

const NONE: u32 = u32::MAX;
/// The link of an entry whose pair is not counted, since it overlaps an equal one that is or was
/// removed.
const NOT_COUNTED: u32 = u32::MAX - 1;
/// The link of an entry whose pair is being replaced.
const BEING_REPLACED: u32 = u32::MAX - 2;

/// An entry of the sequence.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The next and the previous occurrence of the pair that begins here; in a gap, the entry
    /// after it and the entry before it.
    next: u32,
    previous: u32,
    /// The symbol in the high bits, and in the low bits the number of the pair that begins here,
    /// while it is counted.
    packed: u32,
}

impl Entry {
    const PAIR_BITS: u32 = 19;
    /// The most pairs whose numbers fit the low bits.
    const MAX_PAIRS: usize = 1 << Self::PAIR_BITS;
    /// The symbol of an entry that was merged into its left neighbour.
    const GAP: u16 = u16::MAX >> 3;

    fn new(symbol: u16) -> Self {
        Self {
            next: NONE,
            previous: NOT_COUNTED,
            packed: u32::from(symbol) << Self::PAIR_BITS,
        }
    }

    #[inline]
    fn symbol(self) -> u16 {
        (self.packed >> Self::PAIR_BITS) as u16
    }

    #[inline]
    fn pair(self) -> usize {
        self.packed as usize % Self::MAX_PAIRS
    }

    #[inline]
    fn set_pair(&mut self, pair: u32) {
        self.packed = u32::from(self.symbol()) << Self::PAIR_BITS | pair;
    }
}

/// A pair of adjacent symbols and its occurrences.
#[derive(Clone, Copy, Debug)]
struct Pair {
    halves: Halves,
    count: u32,
    /// The first entry of the list of occurrences.
    head: u32,
}

impl Pair {
    fn new(left: u16, right: u16) -> Self {
        Self {
            halves: (left, right),
            count: 0,
            head: NONE,
        }
    }
}

/// What is done once a sequence has the most pairs that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WhenFull {
    /// No more symbols are made.
    Stop,
    /// Pairs that occur too seldom to be replaced are removed.
    RemoveRare,
}

/// A sequence in which pairs are replaced by symbols.
pub(crate) struct PairReplacer {
    symbols: Vec<Symbol>,
    entries: Vec<Entry>,
    pairs: Vec<Pair>,
    /// By symbol: the pair of it and itself.
    twins: Vec<u32>,
    /// By symbol: the pair that it forms with the newest symbol on its right, and on its left.
    with_newest: [Vec<u32>; 2],
    /// Pairs by an upper bound of their count; of equally frequent ones the one found first.
    queue: BinaryHeap<(u32, Reverse<u32>)>,
    /// Pairs whose count grew since they were last queued.
    grown: Vec<u32>,
    /// The length of the sequence, gaps left out.
    length: u64,
    /// Numbers of pairs that were removed.
    unused: Vec<u32>,
    /// The pairs that contain the newest symbol.
    newest: Vec<u32>,
    max_pairs: usize,
    when_full: WhenFull,
    /// The length of the whole table divided by that of the sequence.
    scale: f64,
}

impl PairReplacer {
    /// For a sequence of symbols, given by their halves, that is a sample of a sequence `scale`
    /// times as long. About `max_pairs` different pairs are kept.
    pub(crate) fn new(
        halves: &[Halves],
        sequence: Vec<u16>,
        scale: f64,
        (max_pairs, when_full): (u64, WhenFull),
    ) -> Self {
        let mut symbols = Symbol::all(halves);
        let mut entries = Vec::with_capacity(sequence.len());
        for symbol in sequence {
            symbols[usize::from(symbol)].count += 1;
            entries.push(Entry::new(symbol));
        }
        let mut replacer = Self {
            length: entries.len() as u64,
            twins: vec![NONE; MAX_SYMBOLS],
            with_newest: [vec![NONE; MAX_SYMBOLS], vec![NONE; MAX_SYMBOLS]],
            queue: BinaryHeap::new(),
            grown: Vec::new(),
            pairs: Vec::new(),
            unused: Vec::new(),
            newest: Vec::new(),
            when_full,
            max_pairs: (max_pairs as usize).min(MAX_INITIAL_PAIRS),
            symbols,
            entries,
            scale,
        };
        replacer.link_all();
        replacer.queue_grown();
        replacer
    }

    /// Counts all pairs of the initial sequence.
    fn link_all(&mut self) {
        let count = self.symbols.len();
        let mut known = vec![NONE; count * count];
        let mut overlapped = false;
        for at in 1..self.entries.len() {
            let left = self.entries[at - 1].symbol();
            let right = self.entries[at].symbol();
            overlapped &= left == right;
            if !overlapped {
                let known = &mut known[usize::from(left) * count + usize::from(right)];
                if *known == NONE {
                    *known = self.pairs.len() as u32;
                    self.pairs.push(Pair::new(left, right));
                }
                self.count(at as u32 - 1, *known);
            }
            overlapped = left == right && !overlapped;
        }
        for (symbol, twin) in self.twins[..count].iter_mut().enumerate() {
            *twin = known[symbol * count + symbol];
        }
    }

    /// The entry after one, gaps skipped.
    #[inline]
    fn right(&self, at: u32) -> Option<u32> {
        let next = at + 1;
        let beside = self.entries.get(next as usize)?;
        if beside.symbol() != Entry::GAP {
            return Some(next);
        }
        ((beside.next as usize) < self.entries.len()).then_some(beside.next)
    }

    /// The entry before one, gaps skipped.
    #[inline]
    fn left(&self, at: u32) -> Option<u32> {
        let previous = at.checked_sub(1)?;
        let beside = self.entries[previous as usize];
        if beside.symbol() == Entry::GAP {
            Some(beside.previous)
        } else {
            Some(previous)
        }
    }

    #[inline]
    fn at(&self, at: u32) -> Entry {
        self.entries[at as usize]
    }

    /// Counts the pair that begins at an entry, unless it overlaps an equal one that is counted.
    /// The pair contains the newest symbol, or twice the same one.
    fn link(&mut self, at: u32) {
        let Some(right) = self.right(at) else {
            return;
        };
        let (first, second) = (self.at(at).symbol(), self.at(right).symbol());
        let known = if first == second {
            if let Some(left) = self.left(at)
                && self.at(left).symbol() == first
                && self.at(left).previous != NOT_COUNTED
            {
                return;
            }
            &mut self.twins[usize::from(first)]
        } else {
            let newest = self.symbols.len() - 1;
            if usize::from(second) == newest {
                &mut self.with_newest[0][usize::from(first)]
            } else {
                // A wrong pair would lead to a wrong file.
                assert_eq!(
                    usize::from(first),
                    newest,
                    "a pair without the newest symbol"
                );
                &mut self.with_newest[1][usize::from(second)]
            }
        };
        if *known == NONE {
            let new = Pair::new(first, second);
            *known = self.unused.pop().unwrap_or(self.pairs.len() as u32);
            match self.pairs.get_mut(*known as usize) {
                Some(removed) => *removed = new,
                None => self.pairs.push(new),
            }
            self.newest.push(*known);
        }
        let pair = *known;
        self.count(at, pair);
    }

    /// Adds an entry to the occurrences of a pair.
    #[inline]
    fn count(&mut self, at: u32, id: u32) {
        let pair = &mut self.pairs[id as usize];
        let next = std::mem::replace(&mut pair.head, at);
        pair.count += 1;
        if pair.count == MIN_COUNT || pair.count > MIN_COUNT && pair.count.is_power_of_two() {
            self.grown.push(id);
        }
        let own = &mut self.entries[at as usize];
        own.set_pair(id);
        own.next = next;
        own.previous = NONE;
        if next != NONE {
            self.entries[next as usize].previous = at;
        }
    }

    /// Removes an entry from the occurrences of its pair, if it is counted.
    #[inline]
    fn unlink(&mut self, at: u32) {
        let own = &mut self.entries[at as usize];
        let previous = std::mem::replace(&mut own.previous, NOT_COUNTED);
        if previous == NOT_COUNTED || previous == BEING_REPLACED {
            return;
        }
        let (next, id) = (own.next, own.pair());
        if next != NONE {
            self.entries[next as usize].previous = previous;
        }
        let pair = &mut self.pairs[id];
        pair.count -= 1;
        if previous == NONE {
            pair.head = next;
        } else {
            self.entries[previous as usize].next = next;
        }
    }

    fn queue_grown(&mut self) {
        self.grown.sort_unstable();
        self.grown.dedup();
        for id in self.grown.drain(..) {
            let count = self.pairs[id as usize].count;
            if count >= MIN_COUNT {
                self.queue.push((count, Reverse(id)));
            }
        }
    }

    /// Replaces pairs as long as that makes the file smaller. Returns the halves of all symbols,
    /// and the sequence.
    pub(crate) fn replace_all(mut self, stop: &Stop) -> Result<(Vec<Halves>, Vec<u16>), Stopped> {
        while self.symbols.len() < MAX_SYMBOLS && self.has_numbers() {
            let Some((count, Reverse(id))) = self.queue.pop() else {
                break;
            };
            let pair = self.pairs[id as usize];
            if pair.count < MIN_COUNT {
                continue;
            }
            if pair.count != count {
                self.queue.push((pair.count, Reverse(id)));
                continue;
            }
            if pays(&self.symbols, pair.halves, count, self.length, self.scale) {
                stop.check()?;
                self.replace_pair(id);
                self.queue_grown();
            }
        }
        let symbols = self.symbols.iter().map(|symbol| symbol.halves).collect();
        let symbol = |at: &Entry| Some(at.symbol()).filter(|&symbol| symbol != Entry::GAP);
        let mut sequence = Vec::with_capacity(self.length as usize);
        sequence.extend(self.entries.iter().filter_map(symbol));
        Ok((symbols, sequence))
    }

    /// Whether there are numbers for the pairs of another symbol. Rare pairs are removed if there
    /// are not, and if that is wanted.
    fn has_numbers(&mut self) -> bool {
        let are_left = |own: &Self, most| own.pairs.len() - own.unused.len() < most;
        if are_left(self, self.max_pairs) {
            return true;
        }
        if self.when_full == WhenFull::Stop {
            return false;
        }
        self.remove_rare();
        // Each removal reads all pairs: it is repeated only if it removes many.
        are_left(self, self.max_pairs / 8 * 7)
    }

    /// Removes the pairs that occur too seldom to be replaced. Those without the newest symbol will
    /// not occur more often, but for pairs of a symbol and itself, which are kept.
    fn remove_rare(&mut self) {
        self.unused.clear();
        for (id, pair) in self.pairs.iter_mut().enumerate() {
            let (left, right) = pair.halves;
            if pair.count >= MIN_COUNT || left == right {
                continue;
            }
            let mut at = pair.head;
            while at != NONE {
                let own = &mut self.entries[at as usize];
                own.previous = NOT_COUNTED;
                at = own.next;
            }
            (pair.count, pair.head) = (0, NONE);
            self.unused.push(id as u32);
        }
        let pairs = &self.pairs;
        self.queue
            .retain(|&(_, Reverse(id))| pairs[id as usize].count >= MIN_COUNT);
    }

    /// Replaces a pair by a new symbol at all its occurrences.
    fn replace_pair(&mut self, id: u32) {
        let pair = self.pairs[id as usize];
        let symbol = self.symbols.len() as u16;
        self.symbols
            .push(Symbol::of_pair(pair.halves, &self.symbols));
        // From left to right, so that of overlapping pairs always the same ones are replaced.
        let mut entries = Vec::with_capacity(pair.count as usize);
        let mut at = pair.head;
        while at != NONE {
            entries.push(at);
            let own = &mut self.entries[at as usize];
            own.previous = BEING_REPLACED;
            at = own.next;
        }
        let replaced = &mut self.pairs[id as usize];
        (replaced.head, replaced.count) = (NONE, 0);
        entries.sort_unstable();
        for at in entries {
            // A pair that overlapped a replaced one is gone.
            if self.at(at).previous == BEING_REPLACED
                && let Some(second) = self.right(at)
            {
                self.merge(at, second, symbol);
            }
        }
        for id in self.newest.drain(..) {
            let (left, right) = self.pairs[id as usize].halves;
            self.with_newest[0][usize::from(left)] = NONE;
            self.with_newest[1][usize::from(right)] = NONE;
        }
    }

    /// Replaces the symbols of two entries by one.
    fn merge(&mut self, first: u32, second: u32, symbol: u16) {
        let (left, right) = (self.left(first), self.right(second));
        let (a, b) = (self.at(first).symbol(), self.at(second).symbol());
        if let Some(left) = left {
            self.unlink(left);
        }
        self.unlink(first);
        self.unlink(second);
        self.symbols[usize::from(a)].count -= 1;
        self.symbols[usize::from(b)].count -= 1;
        self.symbols[usize::from(symbol)].count += 1;
        self.length -= 1;
        self.entries[first as usize] = Entry::new(symbol);
        self.entries[second as usize] = Entry::new(Entry::GAP);
        let end = right.unwrap_or(self.entries.len() as u32);
        self.entries[first as usize + 1].next = end;
        self.entries[end as usize - 1].previous = first;
        if let Some(left) = left {
            self.link(left);
            // The pair before may not have been counted because it overlapped one that is gone.
            if let Some(far) = self.left(left)
                && self.at(far).previous == NOT_COUNTED
                && self.at(far).symbol() == self.at(left).symbol()
                && self.at(left).previous != NONE
            {
                self.link_unless_overlapping(far);
            }
        }
        self.link(first);
        if let Some(right) = right
            && self.at(right).symbol() == b
            && self.at(right).previous == NOT_COUNTED
            && self.begins_twin(right)
        {
            self.link(right);
        }
    }

    /// Whether an entry is followed by one of the same symbol.
    fn begins_twin(&self, at: u32) -> bool {
        self.right(at)
            .is_some_and(|right| self.at(right).symbol() == self.at(at).symbol())
    }

    /// Counts a pair unless one that overlaps it is equal and counted.
    fn link_unless_overlapping(&mut self, at: u32) {
        let Some(right) = self.right(at) else {
            return;
        };
        let overlaps = self.at(right).previous != NOT_COUNTED && self.begins_twin(right);
        if !overlaps {
            self.link(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use everymove_kernel::rng::SplitMix64;

    use super::*;
    use crate::syzygy::compress::header::LEAF;
    use crate::syzygy::compress::repair::symbol::tests::expanded;

    /// Removing rare pairs gives more symbols than stopping, as many as without a limit, and a
    /// sequence that expands to what it was.
    #[test]
    fn rare_pairs_make_way_for_others() {
        let mut rng = SplitMix64::new(5);
        let mut letters = Vec::new();
        while letters.len() < 60_000 {
            let word = rng.below(40) * rng.below(40);
            letters.extend((0..6).map(|at| (word >> (2 * at) & 3) as u16));
            letters.extend(std::iter::repeat_n(0, (word % 7) as usize));
        }
        let leaves: Vec<Halves> = (0..4).map(|value| (value, LEAF)).collect();
        let made = |limit| {
            let replacer = PairReplacer::new(&leaves, letters.clone(), 1.0, limit);
            let (symbols, sequence) = replacer.replace_all(&Stop::default()).unwrap();
            assert!(expanded(&sequence, &symbols) == letters);
            symbols.len()
        };
        let all = made((1 << 18, WhenFull::Stop));
        let few = made((2000, WhenFull::Stop));
        let removed = made((2000, WhenFull::RemoveRare));
        assert!(few < all / 2, "{few} {all}");
        assert!(removed > all * 9 / 10, "{few} {removed} {all}");
    }
}
