//! Sets of vertices as machine words, alone or several in a row.

use std::fmt::Debug;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

/// A set of the numbers below [`Word::BITS`].
pub(crate) trait Word:
    Copy
    + Debug
    + Eq
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitAndAssign
    + BitOr<Output = Self>
    + BitOrAssign
    + BitXor<Output = Self>
    + BitXorAssign
    + Not<Output = Self>
    + 'static
{
    /// How many different numbers fit: a power of two.
    const BITS: usize;
    /// The empty set.
    const EMPTY: Self;
    /// One of the numbers, as small as can be.
    type Label: Copy + Send + Sync + 'static;
    /// A label for each number. Arrays of known length need no bounds checks for indices below
    /// [`Word::BITS`].
    type Labels: Copy + Send + Sync + AsRef<[Self::Label]> + AsMut<[Self::Label]>;
    /// A set for each number.
    type Sets: Clone + Send + Sync + AsRef<[Self]> + AsMut<[Self]>;

    /// All labels 0.
    fn labels() -> Self::Labels;
    /// Empty sets.
    fn sets() -> Box<Self::Sets>;
    /// A number made small.
    fn label(i: usize) -> Self::Label;
    /// The number that was made small.
    fn number(label: Self::Label) -> usize;

    /// The set of one number.
    fn bit(i: usize) -> Self;
    /// The smallest member; meaningless for the empty set.
    fn first(self) -> usize;
    /// The set without its smallest member.
    fn without_first(self) -> Self;
    /// How many members.
    fn len(self) -> usize;

    /// The set of all numbers below `n`.
    fn below(n: usize) -> Self {
        (0..n).fold(Self::EMPTY, |set, i| set | Self::bit(i))
    }

    /// Whether nothing is in it.
    #[inline(always)]
    fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    /// Whether `i` is in it.
    #[inline(always)]
    fn has(self, i: usize) -> bool {
        !(self & Self::bit(i)).is_empty()
    }

    /// Whether there are at least two members, without counting them (the base instruction set has
    /// no such count).
    #[inline(always)]
    fn several(self) -> bool {
        !self.is_empty() && !self.without_first().is_empty()
    }

    /// The members, ascending.
    #[inline(always)]
    fn members(self) -> Members<Self> {
        Members(self)
    }
}

/// Iterator over the members of a [`Word`].
pub(crate) struct Members<W>(W);

impl<W: Word> Iterator for Members<W> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0.is_empty() {
            return None;
        }
        let first = self.0.first();
        self.0 = self.0.without_first();
        Some(first)
    }
}

/// What is the same for every array of labels and sets.
macro_rules! arrays {
    ($bits:literal, $label:ty) => {
        const BITS: usize = $bits;
        type Label = $label;
        type Labels = [$label; $bits];
        type Sets = [Self; $bits];

        fn labels() -> Self::Labels {
            [0; $bits]
        }

        fn sets() -> Box<Self::Sets> {
            Box::new([Self::EMPTY; $bits])
        }

        #[inline(always)]
        fn label(i: usize) -> $label {
            i as $label
        }

        #[inline(always)]
        fn number(label: $label) -> usize {
            usize::from(label)
        }
    };
}

macro_rules! integer {
    ($word:ty, $bits:literal) => {
        impl Word for $word {
            arrays!($bits, u8);
            const EMPTY: Self = 0;

            #[inline(always)]
            fn bit(i: usize) -> Self {
                1 << i
            }

            #[inline(always)]
            fn first(self) -> usize {
                self.trailing_zeros() as usize
            }

            #[inline(always)]
            fn without_first(self) -> Self {
                self & self.wrapping_sub(1)
            }

            #[inline(always)]
            fn len(self) -> usize {
                self.count_ones() as usize
            }
        }
    };
}

integer!(u64, 64);
integer!(u128, 128);

/// A set of numbers below 512, for boards on which one tour is wanted rather than all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wide([u64; 8]);

impl Wide {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

impl Word for Wide {
    arrays!(512, u16);
    const EMPTY: Self = Self([0; 8]);

    fn bit(i: usize) -> Self {
        let mut words = [0; 8];
        words[i / 64] = 1 << (i % 64);
        Self(words)
    }

    fn first(self) -> usize {
        let at = self.0.iter().position(|&word| word != 0).unwrap_or(0);
        64 * at + self.0[at].trailing_zeros() as usize
    }

    fn without_first(mut self) -> Self {
        if let Some(word) = self.0.iter_mut().find(|word| **word != 0) {
            *word = word.without_first();
        }
        self
    }

    fn len(self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
}

impl Not for Wide {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0.map(|word| !word))
    }
}

macro_rules! operators {
    ($($operator:ident $method:ident, $assign:ident $assign_method:ident;)*) => {$(
        impl $operator for Wide {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.zip(other, u64::$method)
            }
        }

        impl $assign for Wide {
            #[inline(always)]
            fn $assign_method(&mut self, other: Self) {
                *self = self.$method(other);
            }
        }
    )*};
}

operators! {
    BitAnd bitand, BitAndAssign bitand_assign;
    BitOr bitor, BitOrAssign bitor_assign;
    BitXor bitxor, BitXorAssign bitxor_assign;
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn behaves_as_a_set<W: Word>(a: &BTreeSet<usize>, b: &BTreeSet<usize>) {
        let word = |set: &BTreeSet<usize>| set.iter().fold(W::EMPTY, |w, &i| w | W::bit(i));
        let (x, y) = (word(a), word(b));
        let set = |w: W| w.members().collect::<BTreeSet<_>>();
        assert_eq!(set(x), *a);
        assert_eq!(set(x & y), a & b);
        assert_eq!(set(x | y), a | b);
        assert_eq!(set(x ^ y), a ^ b);
        assert_eq!(set(x & !y), a - b);
        assert_eq!(
            set(x & W::below(W::BITS / 2)),
            a.range(..W::BITS / 2).copied().collect()
        );
        assert_eq!(
            (x.len(), x.is_empty(), x.several()),
            (a.len(), a.is_empty(), a.len() > 1)
        );
        assert_eq!(set(!x).len(), W::BITS - a.len());
        for i in 0..W::BITS {
            assert_eq!(x.has(i), a.contains(&i));
            assert_eq!(W::number(W::label(i)), i);
        }
        if let Some(&first) = a.first() {
            assert_eq!(x.first(), first);
            assert_eq!(x.without_first(), x ^ W::bit(first));
        }
    }

    proptest! {
        #[test]
        fn words_are_sets(
            small in prop::array::uniform2(prop::collection::btree_set(0usize..64, 0..9)),
            middle in prop::array::uniform2(prop::collection::btree_set(0usize..128, 0..9)),
            large in prop::array::uniform2(prop::collection::btree_set(0usize..512, 0..9)),
        ) {
            behaves_as_a_set::<u64>(&small[0], &small[1]);
            behaves_as_a_set::<u128>(&middle[0], &middle[1]);
            behaves_as_a_set::<Wide>(&large[0], &large[1]);
        }
    }
}
