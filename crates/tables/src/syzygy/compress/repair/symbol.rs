//! A symbol under construction, and which pairs of symbols are worth one.

use crate::syzygy::compress::header::LEAF;
use crate::syzygy::compress::runs::MAX_SYMBOL_LENGTH;

/// The deepest nesting of symbols: readers expand symbols recursively.
const MAX_DEPTH: u8 = 15;
/// Pairs that occur less often are not replaced.
pub(super) const MIN_COUNT: u32 = 3;
/// Bits of a symbol's entry in the file.
pub(super) const SYMBOL_BITS: f64 = 24.0;
/// Pairs that occur more often are replaced even if that alone saves nothing, since longer symbols
/// are made of them.
const COMMON: f64 = 64.0;

/// Both halves of a symbol; a value and [`LEAF`] if it is a single value.
pub(crate) type Halves = (u16, u16);

/// A symbol under construction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Symbol {
    pub(super) halves: Halves,
    length: u32,
    depth: u8,
    /// How often it occurs in the sequence.
    pub(super) count: u32,
}

impl Symbol {
    /// The symbols with some halves, each after its own; none is counted.
    pub(super) fn all(of: &[Halves]) -> Vec<Self> {
        let mut symbols: Vec<Self> = Vec::with_capacity(of.len());
        for &halves in of {
            let symbol = match halves {
                (_, LEAF) => Self {
                    halves,
                    length: 1,
                    depth: 0,
                    count: 0,
                },
                halves => Self::of_pair(halves, &symbols),
            };
            symbols.push(symbol);
        }
        symbols
    }

    /// The symbol for a pair of symbols.
    pub(super) fn of_pair(halves: Halves, symbols: &[Self]) -> Self {
        let (a, b) = (
            symbols[usize::from(halves.0)],
            symbols[usize::from(halves.1)],
        );
        Self {
            halves,
            length: a.length + b.length,
            depth: a.depth.max(b.depth) + 1,
            count: 0,
        }
    }
}

/// Whether a symbol for a pair that occurs `count` times saves more bits than its entry costs, and
/// is within the limits of readers. `length` is that of the sequence, a part of one `scale` times
/// as long.
pub(super) fn pays(
    symbols: &[Symbol],
    (left, right): Halves,
    count: u32,
    length: u64,
    scale: f64,
) -> bool {
    let new = Symbol::of_pair((left, right), symbols);
    if new.length > MAX_SYMBOL_LENGTH || new.depth > MAX_DEPTH {
        return false;
    }
    // The entropy is the sum over all symbols of count * log2(all / count); only the terms that
    // change are computed.
    let part = |count: f64| {
        if count > 0.5 {
            count * count.log2()
        } else {
            0.0
        }
    };
    let occurs = |symbol: u16| f64::from(symbols[usize::from(symbol)].count);
    let (all, c) = (length as f64, f64::from(count));
    let (fa, fb) = (occurs(left), occurs(right));
    let (old, new) = if left == right {
        (part(fa), part(fa - 2.0 * c) + part(c))
    } else {
        (part(fa) + part(fb), part(fa - c) + part(fb - c) + part(c))
    };
    let saved = (part(all) - old) - (part(all - c) - new);
    saved * scale > SYMBOL_BITS || c * scale > COMMON
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A sequence with every symbol replaced by the single values that it stands for.
    pub(in super::super) fn expanded(sequence: &[u16], symbols: &[Halves]) -> Vec<u16> {
        let mut values = Vec::new();
        let mut open: Vec<u16> = sequence.iter().rev().copied().collect();
        while let Some(symbol) = open.pop() {
            match symbols[usize::from(symbol)] {
                (_, LEAF) => values.push(symbol),
                (left, right) => open.extend([right, left]),
            }
        }
        values
    }
}
