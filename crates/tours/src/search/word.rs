//! Sets of vertices as machine words.

use std::fmt::Debug;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

/// A set of up to 64 or 128 small numbers.
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
    /// How many different numbers fit.
    const BITS: usize;
    /// The empty set.
    const EMPTY: Self;
    /// A small number for each possible member. Arrays of known length need no bounds checks for indices that are
    /// masked with `BITS - 1`.
    type Labels: Copy + Send + Sync + AsRef<[u8]> + AsMut<[u8]>;
    /// A set for each possible member.
    type Sets: Clone + Send + Sync + AsRef<[Self]> + AsMut<[Self]>;

    /// Zeros.
    fn labels() -> Self::Labels;
    /// Empty sets.
    fn sets() -> Self::Sets;

    /// The set of one number.
    fn bit(i: usize) -> Self;
    /// The set of all numbers below `n`.
    fn below(n: usize) -> Self;
    /// The smallest member; meaningless for the empty set.
    fn first(self) -> usize;
    /// The set without its smallest member.
    fn without_first(self) -> Self;
    /// How many members.
    fn len(self) -> usize;

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

    /// Whether there are at least two members, without counting them (the base instruction set has no such count).
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

macro_rules! word {
    ($word:ty, $bits:literal) => {
        impl Word for $word {
            const BITS: usize = $bits;
            const EMPTY: Self = 0;
            type Labels = [u8; $bits];
            type Sets = [Self; $bits];

            fn labels() -> [u8; $bits] {
                [0; $bits]
            }

            fn sets() -> [Self; $bits] {
                [0; $bits]
            }

            #[inline(always)]
            fn bit(i: usize) -> Self {
                1 << i
            }

            fn below(n: usize) -> Self {
                if n == $bits { !0 } else { (1 << n) - 1 }
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

word!(u64, 64);
word!(u128, 128);
