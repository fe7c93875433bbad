//! The most frequent pair of a sequence made a symbol, again and again.
//!
//! The places of a pair are linked through the sequence, so that each replacement costs the same however long the sequence
//! is; a place with its links takes twelve bytes, so that what a replacement looks at lies side by side.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use everymove_kernel::run::{Stop, Stopped};

use crate::syzygy::compress::decode::{LEAF, MAX_SYMBOLS};
use crate::syzygy::compress::runs::LONGEST;

/// The most pairs within pairs: readers unfold symbols recursively.
const DEEPEST: u8 = 15;
/// Pairs that stand side by side less often are left alone.
const RAREST: u32 = 3;
/// Bits of a symbol's line in the file.
pub(crate) const LINE: f64 = 24.0;
/// Pairs that stand side by side more often become symbols even if that alone saves nothing: longer ones are made of them.
const COMMON: f64 = 64.0;

/// Bytes of a place with its links, and of the sequence that it is made from.
pub(crate) const PLACE: u64 = 14;
/// Bytes of a pair, and where it waits, with room to grow.
pub(crate) const PAIR: u64 = 48;

/// Pairs that there may be before a symbol is made: each symbol has two with it.
const MOST_PAIRS: usize = Place::PAIRS - 2 * MAX_SYMBOLS;

const NONE: u32 = u32::MAX;
/// The link of a place whose pair is not counted, since it overlaps one of the same that is.
const APART: u32 = u32::MAX - 1;
/// The link of a place whose pair is about to become a symbol.
const DYING: u32 = u32::MAX - 2;

/// A place of the sequence.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The next and the one before of the places of the same pair; in holes, where they end and begin.
    next: u32,
    before: u32,
    /// Its symbol, and the pair that begins there as long as it is counted.
    what: u32,
}

impl Place {
    const PAIR_BITS: u32 = 19;
    /// The most pairs whose numbers fit.
    const PAIRS: usize = 1 << Self::PAIR_BITS;
    /// The symbol of a place that became part of its left neighbour.
    const HOLE: u16 = u16::MAX >> 3;

    fn new(symbol: u16) -> Self {
        Self {
            next: NONE,
            before: APART,
            what: u32::from(symbol) << Self::PAIR_BITS,
        }
    }

    #[inline]
    fn symbol(self) -> u16 {
        (self.what >> Self::PAIR_BITS) as u16
    }

    #[inline]
    fn pair(self) -> usize {
        self.what as usize % Self::PAIRS
    }

    #[inline]
    fn begins(&mut self, pair: u32) {
        self.what = u32::from(self.symbol()) << Self::PAIR_BITS | pair;
    }
}

/// A symbol under construction.
#[derive(Clone, Copy, Debug)]
struct Symbol {
    halves: Halves,
    length: u32,
    depth: u8,
    /// How often it stands in the sequence.
    count: u32,
}

/// Both halves of a symbol; a value and [`LEAF`] for one value.
pub(crate) type Halves = (u16, u16);

/// Two symbols side by side, and where.
#[derive(Clone, Copy, Debug)]
struct Pair {
    halves: Halves,
    count: u32,
    /// The place met last.
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

/// A sequence in which pairs become symbols.
pub(crate) struct Pairing {
    symbols: Vec<Symbol>,
    places: Vec<Place>,
    pairs: Vec<Pair>,
    /// By symbol: the pair of it and itself.
    twins: Vec<u32>,
    /// By symbol: its pairs with the newest symbol, which is the second of them, or the first.
    with_newest: [Vec<u32>; 2],
    /// Pairs by count, at least as large as it is now; of equally frequent ones the one met first.
    queue: BinaryHeap<(u32, Reverse<u32>)>,
    /// Pairs that grew since they were last queued.
    grown: Vec<u32>,
    live: u64,
    most_pairs: usize,
    /// How many times as long as the sequence that is meant is.
    share: f64,
}

impl Pairing {
    /// The pairs of a sequence of symbols, given by their halves. When `most_pairs` different ones have stood side by side, no
    /// more symbols are made. The sequence stands for one that is `share` times as long.
    pub(crate) fn new(halves: &[Halves], sequence: Vec<u16>, share: f64, most_pairs: u64) -> Self {
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
        let mut places = Vec::with_capacity(sequence.len());
        for symbol in sequence {
            symbols[usize::from(symbol)].count += 1;
            places.push(Place::new(symbol));
        }
        let mut pairing = Self {
            live: places.len() as u64,
            twins: vec![NONE; MAX_SYMBOLS],
            with_newest: [vec![NONE; MAX_SYMBOLS], vec![NONE; MAX_SYMBOLS]],
            queue: BinaryHeap::new(),
            grown: Vec::new(),
            pairs: Vec::new(),
            most_pairs: (most_pairs as usize).min(MOST_PAIRS),
            symbols,
            places,
            share,
        };
        pairing.link_all();
        pairing.queue_grown();
        pairing
    }

    /// Counts all pairs of a sequence as it was given.
    fn link_all(&mut self) {
        let count = self.symbols.len();
        let mut known = vec![NONE; count * count];
        let mut overlapped = false;
        for place in 1..self.places.len() {
            let left = self.places[place - 1].symbol();
            let right = self.places[place].symbol();
            overlapped &= left == right;
            if !overlapped {
                let known = &mut known[usize::from(left) * count + usize::from(right)];
                if *known == NONE {
                    *known = self.pairs.len() as u32;
                    self.pairs.push(Pair::new(left, right));
                }
                self.count(place as u32 - 1, *known);
            }
            overlapped = left == right && !overlapped;
        }
        for (symbol, twin) in self.twins[..count].iter_mut().enumerate() {
            *twin = known[symbol * count + symbol];
        }
    }

    /// The live place after one.
    #[inline]
    fn right(&self, place: u32) -> Option<u32> {
        let next = place + 1;
        let beside = self.places.get(next as usize)?;
        if beside.symbol() != Place::HOLE {
            return Some(next);
        }
        ((beside.next as usize) < self.places.len()).then_some(beside.next)
    }

    /// The live place before one.
    #[inline]
    fn left(&self, place: u32) -> Option<u32> {
        let before = place.checked_sub(1)?;
        let beside = self.places[before as usize];
        if beside.symbol() == Place::HOLE {
            Some(beside.before)
        } else {
            Some(before)
        }
    }

    #[inline]
    fn at(&self, place: u32) -> Place {
        self.places[place as usize]
    }

    /// Counts the pair that begins at a place, unless it overlaps one of the same that is counted. It has the newest symbol,
    /// or twice the same.
    fn link(&mut self, place: u32) {
        let Some(right) = self.right(place) else {
            return;
        };
        let (first, second) = (self.at(place).symbol(), self.at(right).symbol());
        let known = if first == second {
            if let Some(left) = self.left(place)
                && self.at(left).symbol() == first
                && self.at(left).before != APART
            {
                return;
            }
            &mut self.twins[usize::from(first)]
        } else {
            let newest = self.symbols.len() - 1;
            if usize::from(second) == newest {
                &mut self.with_newest[0][usize::from(first)]
            } else {
                // A wrong pair would make a wrong file.
                assert_eq!(
                    usize::from(first),
                    newest,
                    "a pair without the newest symbol"
                );
                &mut self.with_newest[1][usize::from(second)]
            }
        };
        if *known == NONE {
            *known = self.pairs.len() as u32;
            self.pairs.push(Pair::new(first, second));
        }
        let pair = *known;
        self.count(place, pair);
    }

    /// Counts a pair that begins at a place.
    #[inline]
    fn count(&mut self, place: u32, id: u32) {
        let pair = &mut self.pairs[id as usize];
        let next = std::mem::replace(&mut pair.head, place);
        pair.count += 1;
        if pair.count == RAREST || pair.count > RAREST && pair.count.is_power_of_two() {
            self.grown.push(id);
        }
        let own = &mut self.places[place as usize];
        own.begins(id);
        own.next = next;
        own.before = NONE;
        if next != NONE {
            self.places[next as usize].before = place;
        }
    }

    /// No longer counts the pair that begins at a place.
    #[inline]
    fn unlink(&mut self, place: u32) {
        let own = &mut self.places[place as usize];
        let before = std::mem::replace(&mut own.before, APART);
        if before == APART || before == DYING {
            return;
        }
        let (next, id) = (own.next, own.pair());
        if next != NONE {
            self.places[next as usize].before = before;
        }
        let pair = &mut self.pairs[id];
        pair.count -= 1;
        if before == NONE {
            pair.head = next;
        } else {
            self.places[before as usize].next = next;
        }
    }

    fn queue_grown(&mut self) {
        self.grown.sort_unstable();
        self.grown.dedup();
        for id in self.grown.drain(..) {
            let count = self.pairs[id as usize].count;
            if count >= RAREST {
                self.queue.push((count, Reverse(id)));
            }
        }
    }

    /// Makes symbols as long as there are pairs that pay. Gives the halves of all symbols, and the sequence.
    pub(crate) fn replace(mut self, stop: &Stop) -> Result<(Vec<Halves>, Vec<u16>), Stopped> {
        while self.symbols.len() < MAX_SYMBOLS && self.pairs.len() < self.most_pairs {
            let Some((count, Reverse(id))) = self.queue.pop() else {
                break;
            };
            let pair = self.pairs[id as usize];
            if pair.count < RAREST {
                continue;
            }
            if pair.count != count {
                self.queue.push((pair.count, Reverse(id)));
                continue;
            }
            if self.pays(&pair) {
                stop.check()?;
                self.make(id);
                self.queue_grown();
            }
        }
        let symbols = self.symbols.iter().map(|symbol| symbol.halves).collect();
        let symbol = |place: &Place| Some(place.symbol()).filter(|&symbol| symbol != Place::HOLE);
        let mut sequence = Vec::with_capacity(self.live as usize);
        sequence.extend(self.places.iter().filter_map(symbol));
        Ok((symbols, sequence))
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
            let own = &mut self.places[place as usize];
            own.before = DYING;
            place = own.next;
        }
        let emptied = &mut self.pairs[id as usize];
        (emptied.head, emptied.count) = (NONE, 0);
        places.sort_unstable();
        let new = self.pairs.len();
        for place in places {
            // Overlapped by one that is gone, it is no longer there.
            if self.at(place).before == DYING
                && let Some(second) = self.right(place)
            {
                self.join(place, second, symbol);
            }
        }
        for pair in &self.pairs[new..] {
            let (left, right) = pair.halves;
            self.with_newest[0][usize::from(left)] = NONE;
            self.with_newest[1][usize::from(right)] = NONE;
        }
    }

    fn join(&mut self, first: u32, second: u32, symbol: u16) {
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
        self.live -= 1;
        self.places[first as usize] = Place::new(symbol);
        self.places[second as usize] = Place::new(Place::HOLE);
        let end = right.unwrap_or(self.places.len() as u32);
        self.places[first as usize + 1].next = end;
        self.places[end as usize - 1].before = first;
        if let Some(left) = left {
            self.link(left);
            // The pair before was perhaps not counted because it overlapped one that is gone.
            if let Some(far) = self.left(left)
                && self.at(far).before == APART
                && self.at(far).symbol() == self.at(left).symbol()
                && self.at(left).before != NONE
            {
                self.link_alone(far);
            }
        }
        self.link(first);
        if let Some(right) = right
            && self.at(right).symbol() == b
            && self.at(right).before == APART
        {
            self.link(right);
        }
    }

    /// Counts a pair if neither neighbour of it is the same and counted.
    fn link_alone(&mut self, place: u32) {
        let Some(right) = self.right(place) else {
            return;
        };
        let overlaps = self.at(right).before != APART
            && self
                .right(right)
                .is_some_and(|far| self.at(far).symbol() == self.at(right).symbol());
        if !overlaps {
            self.link(place);
        }
    }
}
