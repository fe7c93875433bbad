//! Symbols for pairs of symbols that are often side by side (N. J. Larsson and A. Moffat, "Offline Dictionary-Based
//! Compression", 1999): the most frequent pair becomes a new symbol wherever it stands, again and again.
//!
//! The places of a pair are linked through the sequence, so that each replacement costs the same however long the sequence
//! is. A pair becomes a symbol only if the bits it saves pay for its line in the file. Of a long sequence a part is looked at,
//! as much as fits a certain memory, and its symbols are found again in the rest.

use std::collections::BinaryHeap;

use everymove_kernel::run::{Reservation, Run, Stop, Stopped};
use rustc_hash::FxHashMap;

use crate::library::TableError;
use crate::schedule::in_parallel;
use crate::syzygy::coded::{LEAF, MAX_SYMBOLS};
use crate::syzygy::replay::Replay;
use crate::syzygy::runs::{LONGEST, PIECE, Runs};

/// The most pairs within pairs: readers unfold symbols recursively.
const DEEPEST: u8 = 15;
/// Pairs that stand side by side less often are left alone.
const RAREST: u32 = 3;
/// Bits of a symbol's line in the file.
const LINE: f64 = 24.0;
/// Pairs that stand side by side more often become symbols even if that alone saves nothing: longer ones are made of them.
const COMMON: f64 = 64.0;

/// Places that are looked at to find pairs, at most.
const LOOKED_AT: u64 = 1 << 22;
/// Bytes of a place with its links.
const PLACE: u64 = 14;
/// When so many different pairs have stood side by side, no more symbols are made.
const PAIRS: u64 = 3 << 17;
/// The same for samples.
const SAMPLED_PAIRS: u64 = 1 << 17;
/// Bytes of a pair, where it is looked up and where it waits.
const PAIR: u64 = 48;
/// Bytes for each place of a piece in which symbols are found again, and what waits to be appended: two for each of some pieces.
const BENCH: u64 = 24;
const WAVE: u64 = 8;
/// Memory for a sequence that is longer than expected is taken by so many places.
const GROWTH: usize = 1 << 20;

/// The place of what became part of its left neighbour.
const HOLE: u16 = u16::MAX;
const NONE: u32 = u32::MAX;
/// The link of a place whose pair is not counted, since it overlaps one of the same that is.
const APART: u32 = u32::MAX - 1;
/// The link of a place whose pair is about to become a symbol.
const DYING: u32 = u32::MAX - 2;

/// Symbols, and a sequence made of them.
#[derive(Debug)]
pub(crate) struct Grammar {
    /// Both halves of each symbol; a value and [`LEAF`] for one value.
    pub(crate) symbols: Vec<(u16, u16)>,
    pub(crate) sequence: Vec<u16>,
    /// Memory of a sequence that is longer than expected.
    _held: Vec<Reservation>,
}

/// A symbol under construction.
#[derive(Clone, Copy, Debug)]
struct Symbol {
    halves: (u16, u16),
    length: u32,
    depth: u8,
    /// How often it stands in the sequence.
    count: u32,
}

/// Two symbols side by side, and where.
#[derive(Clone, Copy, Debug)]
struct Pair {
    halves: (u16, u16),
    count: u32,
    /// The place met last.
    head: u32,
}

impl Grammar {
    /// The symbols and sequence of values, in [`grammar_bytes`] that the caller has reserved in the name of `what`.
    pub(crate) fn of(values: &[u8], what: &str, run: &Run) -> Result<Self, TableError> {
        let runs = Runs::of(values);
        let (mut every, mut places) = (1, runs.places(values, 1));
        while places > LOOKED_AT {
            every += 1;
            places = runs.places(values, every);
        }
        let mut part = Vec::with_capacity(places as usize);
        if every == 1 {
            runs.append(values, &mut part);
        } else {
            let pieces = values.chunks(PIECE).step_by(every);
            pieces.for_each(|piece| runs.append(piece, &mut part));
        }
        let found = Pairing::new(&runs.symbols, part, every as f64).replace(&run.stop)?;
        if every == 1 {
            return Ok(found.without_unused());
        }
        let symbols = found.symbols;
        drop(found.sequence);
        Ok(replay(&runs, symbols, values, what, run)?.without_unused())
    }
}

/// About how many bits the symbols and the sequence of a sample take, if it stands for `share` times as many values. Takes
/// [`estimate_bytes`] of memory.
pub(crate) fn estimate(sample: &[u8], share: f64, stop: &Stop) -> Result<u64, Stopped> {
    let runs = Runs::of(sample);
    let mut sequence = Vec::with_capacity(runs.places(sample, 1) as usize);
    runs.append(sample, &mut sequence);
    let mut pairing = Pairing::new(&runs.symbols, sequence, share);
    pairing.most_pairs = SAMPLED_PAIRS;
    let grammar = pairing.replace(stop)?;
    let mut counts = vec![0u32; grammar.symbols.len()];
    for &symbol in &grammar.sequence {
        counts[usize::from(symbol)] += 1;
    }
    let all = grammar.sequence.len() as f64;
    let bits = |&count: &u32| match count {
        0 => 0.0,
        _ => f64::from(count) * (all / f64::from(count)).log2(),
    };
    let words: f64 = counts.iter().map(bits).sum();
    Ok((words * share + LINE * grammar.symbols.len() as f64) as u64)
}

/// Bytes that it takes to make symbols of a sample of so many values.
pub(crate) fn estimate_bytes(values: u64) -> u64 {
    values * PLACE + SAMPLED_PAIRS.min(2 * values) * PAIR
}

/// Bytes that symbols and sequence of so many values take while they are found.
pub(crate) fn grammar_bytes(values: u64, threads: u64) -> u64 {
    let places = values.min(LOOKED_AT);
    let pairing = places * PLACE + PAIRS.min(2 * places) * PAIR;
    if values <= LOOKED_AT {
        return pairing;
    }
    let bench = threads * (BENCH + WAVE) * PIECE as u64;
    pairing.max(2 * expected(values) + bench)
}

/// Places of a long sequence at the end, at most; if there should be more, more memory is reserved.
fn expected(values: u64) -> u64 {
    values / 8
}

/// The symbols of all values, in their order.
fn replay(
    runs: &Runs,
    symbols: Vec<(u16, u16)>,
    values: &[u8],
    what: &str,
    run: &Run,
) -> Result<Grammar, TableError> {
    let replay = Replay::new(&symbols);
    let mut sequence: Vec<u16> = Vec::with_capacity(expected(values.len() as u64) as usize);
    let mut held = Vec::new();
    let pieces: Vec<&[u8]> = values.chunks(PIECE).collect();
    for pieces in pieces.chunks((WAVE / 2) as usize * run.threads.get()) {
        let parts = in_parallel(
            pieces,
            run,
            || (),
            |(), piece| {
                let mut part = Vec::new();
                runs.append(piece, &mut part);
                replay.apply(part)
            },
        )?;
        for part in parts {
            if sequence.len() + part.len() > sequence.capacity() {
                held.push(run.ram.reserve(what, 2 * GROWTH as u64)?);
                sequence.reserve_exact(GROWTH);
            }
            sequence.extend(part);
        }
    }
    Ok(Grammar {
        symbols,
        sequence,
        _held: held,
    })
}

struct Pairing {
    symbols: Vec<Symbol>,
    sequence: Vec<u16>,
    /// By place: the next and the one before of the places of the same pair; in holes, where they end and begin.
    next: Vec<u32>,
    before: Vec<u32>,
    /// By place: the pair that begins there, as long as it is counted.
    ids: Vec<u32>,
    pairs: Vec<Pair>,
    /// Pairs by both halves.
    known: FxHashMap<u32, u32>,
    /// Pairs by count, at least as large as it is now; of equally frequent ones the one met first.
    queue: BinaryHeap<(u32, std::cmp::Reverse<u32>)>,
    /// Pairs that are new or grew since they were last queued.
    grown: Vec<u32>,
    live: u64,
    most_pairs: u64,
    /// How many times as long as the sequence that is meant is.
    share: f64,
}

impl Pairing {
    fn new(halves: &[(u16, u16)], sequence: Vec<u16>, share: f64) -> Self {
        let places = sequence.len();
        let mut symbols: Vec<Symbol> = Vec::with_capacity(halves.len());
        for &halves in halves {
            let (length, depth) = match halves {
                (_, LEAF) => (1, 0),
                (half, _) => {
                    let half = symbols[usize::from(half)];
                    (2 * half.length, half.depth + 1)
                }
            };
            symbols.push(Symbol {
                halves,
                length,
                depth,
                count: 0,
            });
        }
        for &symbol in &sequence {
            symbols[usize::from(symbol)].count += 1;
        }
        let mut pairing = Self {
            live: places as u64,
            most_pairs: PAIRS,
            share,
            symbols,
            sequence,
            next: vec![NONE; places],
            before: vec![APART; places],
            ids: vec![0; places],
            pairs: Vec::new(),
            known: FxHashMap::default(),
            queue: BinaryHeap::new(),
            grown: Vec::new(),
        };
        for place in 0..places.saturating_sub(1) {
            pairing.link(place as u32);
        }
        pairing.queue_grown();
        pairing
    }

    /// The live place after one.
    #[inline]
    fn right(&self, place: u32) -> Option<u32> {
        let next = place + 1;
        match self.sequence.get(next as usize) {
            None => None,
            Some(&HOLE) => {
                let next = self.next[next as usize];
                ((next as usize) < self.sequence.len()).then_some(next)
            }
            Some(_) => Some(next),
        }
    }

    /// The live place before one.
    #[inline]
    fn left(&self, place: u32) -> Option<u32> {
        let before = place.checked_sub(1)?;
        if self.sequence[before as usize] == HOLE {
            Some(self.before[before as usize])
        } else {
            Some(before)
        }
    }

    /// Counts the pair that begins at a place, unless it overlaps one of the same that is counted.
    fn link(&mut self, place: u32) {
        let Some(right) = self.right(place) else {
            return;
        };
        let halves = (self.sequence[place as usize], self.sequence[right as usize]);
        if halves.0 == halves.1
            && let Some(left) = self.left(place)
            && self.sequence[left as usize] == halves.0
            && self.before[left as usize] != APART
        {
            return;
        }
        let key = u32::from(halves.0) << 16 | u32::from(halves.1);
        let id = *self.known.entry(key).or_insert_with(|| {
            self.pairs.push(Pair {
                halves,
                count: 0,
                head: NONE,
            });
            self.pairs.len() as u32 - 1
        });
        let pair = &mut self.pairs[id as usize];
        self.ids[place as usize] = id;
        self.next[place as usize] = pair.head;
        self.before[place as usize] = NONE;
        if pair.head != NONE {
            self.before[pair.head as usize] = place;
        }
        pair.head = place;
        pair.count += 1;
        if pair.count == 1 || pair.count.is_power_of_two() {
            self.grown.push(id);
        }
    }

    /// No longer counts the pair that begins at a place.
    fn unlink(&mut self, place: u32) {
        let before = std::mem::replace(&mut self.before[place as usize], APART);
        if before == APART || before == DYING {
            return;
        }
        let next = self.next[place as usize];
        if next != NONE {
            self.before[next as usize] = before;
        }
        let pair = &mut self.pairs[self.ids[place as usize] as usize];
        pair.count -= 1;
        if before == NONE {
            pair.head = next;
        } else {
            self.next[before as usize] = next;
        }
    }

    fn queue_grown(&mut self) {
        self.grown.sort_unstable();
        self.grown.dedup();
        for id in self.grown.drain(..) {
            let count = self.pairs[id as usize].count;
            if count >= RAREST {
                self.queue.push((count, std::cmp::Reverse(id)));
            }
        }
    }

    fn replace(mut self, stop: &Stop) -> Result<Grammar, Stopped> {
        while self.symbols.len() < MAX_SYMBOLS && (self.pairs.len() as u64) < self.most_pairs {
            let Some((count, std::cmp::Reverse(id))) = self.queue.pop() else {
                break;
            };
            let pair = self.pairs[id as usize];
            if pair.count < RAREST {
                continue;
            }
            if pair.count != count {
                self.queue.push((pair.count, std::cmp::Reverse(id)));
                continue;
            }
            if self.pays(&pair) {
                stop.check()?;
                self.make(id);
                self.queue_grown();
            }
        }
        Ok(self.finish())
    }

    /// Whether a symbol for a pair saves more bits than its line costs, and readers can take it.
    fn pays(&self, pair: &Pair) -> bool {
        let (left, right) = pair.halves;
        let (a, b) = (
            self.symbols[usize::from(left)],
            self.symbols[usize::from(right)],
        );
        if a.length + b.length > LONGEST || a.depth.max(b.depth) >= DEEPEST {
            return false;
        }
        // Of the sum over all symbols of count times log2(all / count), what changes.
        let part = |count: f64| {
            if count > 0.5 {
                count * count.log2()
            } else {
                0.0
            }
        };
        let (all, c) = (self.live as f64, f64::from(pair.count));
        let (fa, fb) = (f64::from(a.count), f64::from(b.count));
        let (old, new) = if left == right {
            (part(fa), part(fa - 2.0 * c) + part(c))
        } else {
            (part(fa) + part(fb), part(fa - c) + part(fb - c) + part(c))
        };
        let saved = (part(all) - old) - (part(all - c) - new);
        saved * self.share > LINE || f64::from(pair.count) * self.share > COMMON
    }

    /// Makes a symbol of a pair wherever it is counted.
    fn make(&mut self, id: u32) {
        let pair = self.pairs[id as usize];
        let (left, right) = pair.halves;
        let (a, b) = (
            self.symbols[usize::from(left)],
            self.symbols[usize::from(right)],
        );
        let symbol = self.symbols.len() as u16;
        self.symbols.push(Symbol {
            halves: pair.halves,
            length: a.length + b.length,
            depth: a.depth.max(b.depth) + 1,
            count: 0,
        });
        // From left to right, so that of overlapping pairs the same ones go whatever the order of the links.
        let mut places = Vec::with_capacity(pair.count as usize);
        let mut place = pair.head;
        while place != NONE {
            places.push(place);
            self.before[place as usize] = DYING;
            place = self.next[place as usize];
        }
        let emptied = &mut self.pairs[id as usize];
        (emptied.head, emptied.count) = (NONE, 0);
        places.sort_unstable();
        for place in places {
            // Overlapped by one that is gone, it is no longer there.
            if self.before[place as usize] == DYING
                && let Some(second) = self.right(place)
            {
                self.join(place, second, symbol);
            }
        }
    }

    fn join(&mut self, first: u32, second: u32, symbol: u16) {
        let (left, right) = (self.left(first), self.right(second));
        let (a, b) = (
            self.sequence[first as usize],
            self.sequence[second as usize],
        );
        if let Some(left) = left {
            self.unlink(left);
        }
        self.unlink(first);
        self.unlink(second);
        self.symbols[usize::from(a)].count -= 1;
        self.symbols[usize::from(b)].count -= 1;
        self.symbols[usize::from(symbol)].count += 1;
        self.live -= 1;
        self.sequence[first as usize] = symbol;
        self.sequence[second as usize] = HOLE;
        let end = right.unwrap_or(self.sequence.len() as u32);
        self.next[first as usize + 1] = end;
        self.before[end as usize - 1] = first;
        if let Some(left) = left {
            self.link(left);
            // The pair before was perhaps not counted because it overlapped one that is gone.
            if let Some(far) = self.left(left)
                && self.before[far as usize] == APART
                && self.sequence[far as usize] == self.sequence[left as usize]
                && self.before[left as usize] != NONE
            {
                self.link_alone(far);
            }
        }
        self.link(first);
        if let Some(right) = right
            && self.sequence[right as usize] == b
            && self.before[right as usize] == APART
        {
            self.link(right);
        }
    }

    /// Counts a pair if neither neighbour of it is the same and counted.
    fn link_alone(&mut self, place: u32) {
        let Some(right) = self.right(place) else {
            return;
        };
        let overlaps = self.before[right as usize] != APART
            && self
                .right(right)
                .is_some_and(|far| self.sequence[far as usize] == self.sequence[right as usize]);
        if !overlaps {
            self.link(place);
        }
    }

    fn finish(self) -> Grammar {
        let live = self.sequence.into_iter().filter(|&symbol| symbol != HOLE);
        Grammar {
            sequence: live.collect(),
            symbols: self.symbols.iter().map(|symbol| symbol.halves).collect(),
            _held: Vec::new(),
        }
    }
}

impl Grammar {
    /// Without the symbols that neither the sequence nor a symbol of it needs.
    fn without_unused(mut self) -> Self {
        let mut used = vec![false; self.symbols.len()];
        for &symbol in &self.sequence {
            used[usize::from(symbol)] = true;
        }
        for symbol in (0..self.symbols.len()).rev() {
            let (left, right) = self.symbols[symbol];
            if used[symbol] && right != LEAF {
                // Symbols are made of earlier ones.
                used[usize::from(left)] = true;
                used[usize::from(right)] = true;
            }
        }
        let mut names = vec![0u16; self.symbols.len()];
        let mut count = 0;
        for (name, &used) in names.iter_mut().zip(&used) {
            *name = count;
            count += u16::from(used);
        }
        for symbol in &mut self.sequence {
            *symbol = names[usize::from(*symbol)];
        }
        let kept = self.symbols.iter().zip(&used).filter(|&(_, &used)| used);
        self.symbols = kept
            .map(|(&(left, right), _)| match right {
                LEAF => (left, LEAF),
                _ => (names[usize::from(left)], names[usize::from(right)]),
            })
            .collect();
        self
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::syzygy::coded::lengths;

    fn unfold(grammar: &Grammar) -> Vec<u8> {
        let mut values = Vec::new();
        let mut open: Vec<u16> = grammar.sequence.iter().rev().copied().collect();
        while let Some(symbol) = open.pop() {
            match grammar.symbols[usize::from(symbol)] {
                (value, LEAF) => values.push(value as u8),
                (left, right) => open.extend([right, left]),
            }
        }
        values
    }

    proptest! {
        #[test]
        fn symbols_unfold_to_the_values(
            parts in prop::collection::vec((0u8..4, 1usize..40, 1usize..6), 1..200)
        ) {
            let values: Vec<u8> = parts
                .iter()
                .flat_map(|&(value, run, times)| {
                    let word: Vec<u8> = std::iter::repeat_n(value, run).chain([value ^ 1]).collect();
                    std::iter::repeat_n(word, times).flatten()
                })
                .collect();
            let grammar = Grammar::of(&values, "values", &Run::serial()).unwrap();
            prop_assert_eq!(unfold(&grammar), values);
            prop_assert!(lengths(&grammar.symbols).unwrap().iter().all(|&n| n <= LONGEST));
        }
    }

    /// A sequence too long to be looked at as a whole.
    #[test]
    fn long_sequences_unfold_to_the_values() {
        let mut rng = everymove_kernel::rng::SplitMix64::new(1);
        let mut values = Vec::new();
        while values.len() < 10_000_000 {
            let word = rng.below(50) * rng.below(50);
            values.extend((0..4).map(|digit| (word >> (3 * digit) & 7) as u8));
        }
        // A value that is not where the sequence is looked at.
        values.splice(70_000..70_001, [9]);
        let run = Run::new(2, everymove_kernel::run::Ram::unlimited());
        let grammar = Grammar::of(&values, "values", &run).unwrap();
        assert!(unfold(&grammar) == values);
        assert!(grammar.symbols.len() <= MAX_SYMBOLS);
    }

    #[test]
    fn repeated_text_shrinks() {
        let values: Vec<u8> = (0..60_000u32).map(|i| (i * i % 61 % 7) as u8).collect();
        let grammar = Grammar::of(&values, "values", &Run::serial()).unwrap();
        assert_eq!(unfold(&grammar), values);
        assert!(grammar.sequence.len() < 2000, "{}", grammar.sequence.len());
    }
}
