//! Degree vectors: how many edges each frontier vertex has, as one number in base 3.
//!
//! Digit `s` of a [`Degrees`] value is the degree (0 untouched, 1 end of a segment, 2 inner) of
//! frontier slot `s`. An edge at a slot adds a power of three, so steps are additions, and a
//! layer's set of degree vectors is a plain bitset over `0..3^slots`.

use std::sync::OnceLock;

/// A degree vector: digit `s` in base 3 is the degree of slot `s`.
pub(crate) type Degrees = u32;

/// The most slots a frontier may have: 3^20 still fits 32 bits.
pub(crate) const MAX_SLOTS: usize = 20;

const HALF: usize = 10;

/// Powers of three up to [`MAX_SLOTS`].
pub(crate) const POW3: [u32; MAX_SLOTS + 1] = {
    let mut pow = [1u32; MAX_SLOTS + 1];
    let mut i = 1;
    while i <= MAX_SLOTS {
        pow[i] = pow[i - 1] * 3;
        i += 1;
    }
    pow
};

/// Which slots have degree 1 and which have degree 2, as bit masks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Masks {
    pub(crate) ends: u32,
    pub(crate) done: u32,
}

impl Masks {
    /// The degree of a slot.
    pub(crate) fn degree(self, slot: u8) -> u32 {
        (self.ends >> slot & 1) + 2 * (self.done >> slot & 1)
    }

    /// How many endpoints lie on slots below `slot`.
    pub(crate) fn ends_below(self, slot: u8) -> u8 {
        (self.ends & ((1 << slot) - 1)).count_ones() as u8
    }

    /// The masks with one edge less at a slot of degree 1 or 2.
    pub(crate) fn less(self, slot: u8) -> Self {
        let bit = 1 << slot;
        if self.ends & bit != 0 {
            Self {
                ends: self.ends ^ bit,
                ..self
            }
        } else {
            Self {
                ends: self.ends | bit,
                done: self.done ^ bit,
            }
        }
    }
}

/// The masks of a degree vector.
#[inline]
pub(crate) fn masks(degrees: Degrees) -> Masks {
    static TABLE: OnceLock<Vec<(u16, u16)>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        (0..POW3[HALF])
            .map(|value| {
                let digit = |s: usize| value / POW3[s] % 3;
                let mask = |d| (0..HALF).filter(|&s| digit(s) == d).map(|s| 1 << s).sum();
                (mask(1), mask(2))
            })
            .collect()
    });
    let (low, high) = (degrees % POW3[HALF], degrees / POW3[HALF]);
    let ((e0, d0), (e1, d1)) = (table[low as usize], table[high as usize]);
    Masks {
        ends: u32::from(e0) | u32::from(e1) << HALF,
        done: u32::from(d0) | u32::from(d1) << HALF,
    }
}

/// The most slots of degree 1 that one of some degree vectors has.
#[inline(always)]
pub(crate) fn most_ends(list: &[Degrees]) -> usize {
    static TABLE: OnceLock<Vec<u8>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let ends = |value| masks(value).ends.count_ones() as u8;
        (0..POW3[HALF]).map(ends).collect()
    });
    let table: &[u8; POW3[HALF] as usize] = table[..].try_into().expect("a half");
    let of = |half: u32| table[(half % POW3[HALF]) as usize];
    let ends = list.iter().map(|&d| of(d) + of(d / POW3[HALF]));
    ends.fold(0, u8::max).into()
}

/// A map of degree vectors that works digit by digit: slot `s` goes to `to[s]` and its degree may
/// be complemented.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DigitMap {
    low: Vec<u32>,
    high: Vec<u32>,
}

impl DigitMap {
    /// The map that moves the degree of slot `s` to slot `to[s]`.
    pub(crate) fn permutation(to: &[u8]) -> Self {
        Self::new(to, |degree| degree)
    }

    /// The map that gives slot `to[s]` what slot `s` lacks to degree 2.
    pub(crate) fn complement(to: &[u8]) -> Self {
        Self::new(to, |degree| 2 - degree)
    }

    fn new(to: &[u8], change: impl Fn(u32) -> u32) -> Self {
        // The images of the vectors of one slot more are those of one slot less, with each degree
        // of the new slot.
        let half = |slots: &[u8]| {
            slots.iter().fold(vec![0], |images: Vec<u32>, &to| {
                let moved = (0..3).map(|degree| change(degree) * POW3[usize::from(to)]);
                let with = |added| images.iter().map(move |image| image + added);
                moved.flat_map(with).collect()
            })
        };
        let (low, high) = to.split_at(to.len().min(HALF));
        Self {
            low: half(low),
            high: half(high),
        }
    }

    /// The image of a degree vector.
    pub(crate) fn apply(&self, degrees: Degrees) -> Degrees {
        let (low, high) = (degrees % POW3[HALF], degrees / POW3[HALF]);
        self.low[low as usize] + self.high[high as usize]
    }
}

/// An order of degree vectors in which some slots are the most significant, so that the vectors
/// that agree there are contiguous: a *class*, numbered by these degrees.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    map: DigitMap,
    back: DigitMap,
    /// How many slots do not decide the class.
    rest: usize,
}

impl Order {
    /// The order of vectors of `slots` slots by those in `first`, the first of them most
    /// significant.
    pub(crate) fn new(slots: usize, first: &[u8]) -> Self {
        let rest = slots - first.len();
        let mut to = vec![0; slots];
        let mut next = 0;
        for (s, place) in to.iter_mut().enumerate() {
            if let Some(i) = first.iter().position(|&f| usize::from(f) == s) {
                *place = (slots - 1 - i) as u8;
            } else {
                *place = next;
                next += 1;
            }
        }
        let mut from = vec![0; slots];
        for (s, &place) in to.iter().enumerate() {
            from[usize::from(place)] = s as u8;
        }
        Self {
            map: DigitMap::permutation(&to),
            back: DigitMap::permutation(&from),
            rest,
        }
    }

    /// The order by the slots of `key`, which decide the class, and within a class by those of
    /// `then`.
    pub(crate) fn within_classes(slots: usize, key: &[u8], then: &[u8]) -> Self {
        Self {
            rest: slots - key.len(),
            ..Self::new(slots, &[key, then].concat())
        }
    }

    /// The position of a degree vector among all of them in this order.
    #[inline]
    pub(crate) fn code(&self, degrees: Degrees) -> u32 {
        self.map.apply(degrees)
    }

    /// The degree vector at a position.
    pub(crate) fn degrees(&self, code: u32) -> Degrees {
        self.back.apply(code)
    }

    /// The class of a degree vector.
    pub(crate) fn class(&self, degrees: Degrees) -> u32 {
        self.code(degrees) / POW3[self.rest]
    }

    /// How many slots do not decide the class.
    pub(crate) fn rest(&self) -> usize {
        self.rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_and_maps_agree_with_digits() {
        let to: Vec<u8> = (0..13).map(|s| (s * 5 + 3) % 13).collect();
        let moved = DigitMap::permutation(&to);
        let rest = DigitMap::complement(&to);
        for degrees in (0..POW3[13]).step_by(977) {
            let before = masks(degrees);
            let after = masks(moved.apply(degrees));
            let lacking = masks(rest.apply(degrees));
            for s in 0..13 {
                let digit = degrees / POW3[usize::from(s)] % 3;
                assert_eq!(before.degree(s), digit);
                assert_eq!(after.degree(to[usize::from(s)]), digit);
                assert_eq!(lacking.degree(to[usize::from(s)]), 2 - digit);
                if digit > 0 {
                    assert_eq!(before.less(s), masks(degrees - POW3[usize::from(s)]));
                }
            }
        }
    }

    #[test]
    fn classes_are_contiguous_in_their_order() {
        let first = [4u8, 1, 11];
        let order = Order::new(12, &first);
        for degrees in (0..POW3[12]).step_by(311) {
            let digit = |s: u8| degrees / POW3[usize::from(s)] % 3;
            let class = first.iter().fold(0, |class, &s| 3 * class + digit(s));
            assert_eq!(order.class(degrees), class);
            assert_eq!(order.degrees(order.code(degrees)), degrees);
            assert_eq!(order.code(degrees) / POW3[9], class);
        }
        assert_eq!(order.rest(), 9);
        let further = Order::within_classes(12, &first, &[7, 0]);
        for degrees in (0..POW3[12]).step_by(311) {
            let digit = |s: u8| degrees / POW3[usize::from(s)] % 3;
            assert_eq!(further.class(degrees), order.class(degrees));
            let place = further.code(degrees) / POW3[7] % 9;
            assert_eq!(place, 3 * digit(7) + digit(0));
        }
    }
}
