//! Jumps by head: what every jump does to the positions of one canonical head, looked up once.

use std::ops::ControlFlow;

use super::layout::Layout;
use super::split::{Part, Split};

/// Ways to get from a position to another, as flips of holes under conditions: the jumps of a board, or the
/// complement.
///
/// `W` words hold a bit for each step.
pub(crate) struct Steps<const W: usize> {
    /// What each step flips in the head and in the tail.
    flips: Vec<(Part, Part)>,
    /// Steps that a byte of the head or the tail forbids.
    head_forbids: Vec<[[u64; W]; 256]>,
    tail_forbids: Vec<[[u64; W]; 256]>,
}

impl<const W: usize> Steps<W> {
    /// The jumps of the split's board, of which there are at most `64 * W`.
    pub(crate) fn jumps(split: &Split) -> Self {
        let jumps = split.board().jumps();
        let masks: Vec<(u64, u64)> = jumps
            .iter()
            .map(|jump| (jump.mask(), jump.pegs()))
            .collect();
        Self::new(split, &masks)
    }

    /// The one step that exchanges pegs and empty holes.
    pub(crate) fn complement(split: &Split) -> Self {
        let (head, tail) = split.pack_mask(split.board().full().0);
        let anything = |len: usize| vec![[[0; W]; 256]; len.div_ceil(8)];
        Self {
            flips: vec![(head, tail)],
            head_forbids: anything(split.head_len()),
            tail_forbids: anything(split.tail_len()),
        }
    }

    fn new(split: &Split, masks: &[(u64, u64)]) -> Self {
        let parts: Vec<_> = masks
            .iter()
            .map(|&(mask, pegs)| (split.pack_mask(mask), split.pack_mask(pegs)))
            .collect();
        let table = |len: usize, part: fn(&(Part, Part)) -> Part| {
            let mut tables = vec![[[0; W]; 256]; len.div_ceil(8)];
            for (byte, table) in tables.iter_mut().enumerate() {
                for (value, forbidden) in table.iter_mut().enumerate() {
                    for (number, (mask, pegs)) in parts.iter().enumerate() {
                        let within = |p| part(p) >> (8 * byte) & 0xFF;
                        if value as Part & within(mask) != within(pegs) {
                            forbidden[number / 64] |= 1 << (number % 64);
                        }
                    }
                }
            }
            tables
        };
        Self {
            flips: parts.iter().map(|&(mask, _)| mask).collect(),
            head_forbids: table(split.head_len(), |p| p.0),
            tail_forbids: table(split.tail_len(), |p| p.1),
        }
    }

    #[inline(always)]
    fn forbidden(tables: &[[[u64; W]; 256]], part: Part) -> [u64; W] {
        let mut forbidden = [0; W];
        for (table, byte) in tables.iter().zip(part.to_le_bytes()) {
            for (word, &more) in forbidden.iter_mut().zip(&table[usize::from(byte)]) {
                *word |= more;
            }
        }
        forbidden
    }
}

/// Runs `$body` with the constant `$width` set to words enough for the jumps of `$board`.
///
/// At most 64 holes have at most six jumps each, so that six words always do; most boards need two.
macro_rules! with_width {
    ($board:expr, $width:ident => $body:expr) => {
        match $board.jumps().len() {
            0..=64 => {
                const $width: usize = 1;
                $body
            }
            65..=128 => {
                const $width: usize = 2;
                $body
            }
            _ => {
                const $width: usize = 6;
                $body
            }
        }
    };
}
pub(crate) use with_width;

/// What a step does to all tails of the head in hand.
#[derive(Clone, Copy, Default)]
struct Entry {
    /// The first bit of the group it leads to.
    base: usize,
    /// What it flips in the tail.
    flip: Part,
    /// Where the ranks under the symmetry in use begin; for a symmetric head, the symmetries, a bit each.
    via: u32,
}

/// The steps of one canonical head into one layer.
pub(crate) struct Desk<'a, const W: usize> {
    split: &'a Split,
    steps: &'a Steps<W>,
    to: &'a Layout,
    /// Steps the head allows that lead to a head with one symmetry, and to one with several.
    plain: [u64; W],
    symmetric: [u64; W],
    entries: Vec<[Entry; 64]>,
}

impl<'a, const W: usize> Desk<'a, W> {
    /// A desk for steps into the layer laid out by `to`.
    pub(crate) fn new(split: &'a Split, steps: &'a Steps<W>, to: &'a Layout) -> Self {
        let entries = vec![[Entry::default(); 64]; W];
        Self {
            split,
            steps,
            to,
            plain: [0; W],
            symmetric: [0; W],
            entries,
        }
    }

    /// Takes up a canonical head.
    pub(crate) fn take(&mut self, id: usize) {
        let head = self.split.heads()[id];
        let forbidden = Steps::forbidden(&self.steps.head_forbids, head);
        self.plain = [0; W];
        self.symmetric = [0; W];
        for (number, &(head_flip, tail_flip)) in self.steps.flips.iter().enumerate() {
            let (word, bit) = (number / 64, number % 64);
            if forbidden[word] >> bit & 1 == 1 {
                continue;
            }
            let seat = self.split.seat(head ^ head_flip);
            let base = self.to.start(seat.id as usize) * 64;
            let via = if seat.by.is_power_of_two() {
                self.plain[word] |= 1 << bit;
                seat.by.trailing_zeros() << self.split.tail_len()
            } else {
                self.symmetric[word] |= 1 << bit;
                u32::from(seat.by)
            };
            self.entries[word][bit] = Entry {
                base,
                flip: tail_flip,
                via,
            };
        }
    }

    /// Calls `visit` with the index of every position one step from the head in hand with a tail, until it breaks.
    #[inline(always)]
    pub(crate) fn each<B>(
        &self,
        tail: Part,
        mut visit: impl FnMut(usize) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let forbidden = Steps::forbidden(&self.steps.tail_forbids, tail);
        let ranks = self.split.ranks();
        for (word, forbidden) in forbidden.into_iter().enumerate() {
            let entries = &self.entries[word];
            let mut bits = self.plain[word] & !forbidden;
            while bits != 0 {
                let entry = &entries[(bits.trailing_zeros() & 63) as usize];
                bits &= bits - 1;
                let rank = ranks[(entry.via + (tail ^ entry.flip)) as usize];
                visit(entry.base + usize::from(rank))?;
            }
            let mut bits = self.symmetric[word] & !forbidden;
            while bits != 0 {
                let entry = &entries[(bits.trailing_zeros() & 63) as usize];
                bits &= bits - 1;
                let rank = self.split.rank_by(entry.via as u16, tail ^ entry.flip);
                visit(entry.base + usize::from(rank))?;
            }
        }
        ControlFlow::Continue(())
    }
}
