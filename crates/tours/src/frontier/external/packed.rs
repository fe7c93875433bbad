//! Ascending lists of degree vectors as differences of one to five bytes.

use std::borrow::Cow;
use std::iter;

use everymove_kernel::files::{push_varint, take_varint};
use everymove_kernel::run::{OverBudget, Reservation, Run};

use super::super::degrees::Degrees;
use super::super::reach::{Lists, union};

const LISTS: &str = "counting: the lists of degree vectors";

/// A list in memory, which is part of the budget.
#[derive(Debug)]
pub(super) struct Unpacked {
    pub(super) members: Vec<Degrees>,
    held: Reservation,
}

impl Unpacked {
    /// Takes another list in place of this one.
    pub(super) fn replace(&mut self, members: Vec<Degrees>) -> Result<(), OverBudget> {
        self.members = members;
        let bytes = size_of_val(&self.members[..]) as u64;
        self.held.resize(LISTS, bytes)
    }
}

/// A list that is read from front to back.
#[derive(Debug)]
pub(in super::super) struct Packed {
    /// Differences to the member before, less one (the first: itself), as varints.
    bytes: Vec<u8>,
    len: usize,
    _held: Reservation,
}

impl Packed {
    /// Packs an ascending list.
    pub(super) fn new(members: &[Degrees], run: &Run) -> Result<Self, OverBudget> {
        Self::of(members.iter().copied(), run)
    }

    /// Packs the members of two lists, those of both once.
    pub(super) fn union(one: &Self, other: &Self, run: &Run) -> Result<Self, OverBudget> {
        Self::of(union([one.iter(), other.iter()]), run)
    }

    /// Packs ascending members, which are listed twice: the memory is known before it is taken.
    fn of(members: impl Iterator<Item = Degrees> + Clone, run: &Run) -> Result<Self, OverBudget> {
        let (len, size) = measured(members.clone());
        let held = run.ram.reserve(LISTS, size)?;
        let mut bytes = Vec::with_capacity(size as usize);
        for left in differences(members) {
            push_varint(&mut bytes, left.into());
        }
        Ok(Self {
            bytes,
            len,
            _held: held,
        })
    }

    /// The list, and the memory that it takes from the budget.
    pub(super) fn unpack_within(&self, run: &Run) -> Result<Unpacked, OverBudget> {
        let held = run
            .ram
            .reserve(LISTS, (self.len * size_of::<Degrees>()) as u64)?;
        Ok(Unpacked {
            members: self.unpack(),
            held,
        })
    }

    /// How many members the list has.
    pub(in super::super) fn len(&self) -> usize {
        self.len
    }

    /// Bytes of the packed members.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The members, ascending.
    pub(super) fn iter(&self) -> impl Iterator<Item = Degrees> + Clone {
        let (mut next, mut bytes) = (0, &self.bytes[..]);
        iter::from_fn(move || {
            let member = next + take_varint(&mut bytes)? as Degrees;
            next = member.wrapping_add(1);
            Some(member)
        })
    }

    /// The list.
    pub(in super::super) fn unpack(&self) -> Vec<Degrees> {
        let mut members = Vec::with_capacity(self.len);
        members.extend(self.iter());
        members
    }
}

/// The bytes of an ascending list when it is packed.
pub(super) fn packed_bytes(members: &[Degrees]) -> u64 {
    measured(members.iter().copied()).1
}

/// How many members there are, and the bytes of their differences.
fn measured(members: impl Iterator<Item = Degrees>) -> (usize, u64) {
    differences(members).fold((0, 0), |(len, bytes), left| {
        let bits = 32 - (left | 1).leading_zeros();
        (len + 1, bytes + u64::from(bits.div_ceil(7)))
    })
}

/// The differences of ascending members to the one before, less one; the first is itself.
fn differences(members: impl Iterator<Item = Degrees>) -> impl Iterator<Item = u32> {
    let mut next = 0;
    members.map(move |member| {
        let left = member - next;
        next = member.wrapping_add(1);
        left
    })
}

impl Lists for Vec<Packed> {
    fn list(&self, layer: usize) -> Cow<'_, [Degrees]> {
        Cow::Owned(self[layer].unpack())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_back() {
        let lists: [&[u32]; 4] = [
            &[],
            &[0],
            &[0, 1, 2, 130, 131, 16_514, 3_486_784_400],
            &[4_294_967_294],
        ];
        for list in lists {
            let packed = Packed::new(list, &Run::serial()).unwrap();
            assert_eq!(packed.unpack(), list);
            assert_eq!(packed.len(), list.len());
            assert_eq!(packed.bytes.len() as u64, packed_bytes(list));
            for other in lists {
                let mut wanted = [list, other].concat();
                wanted.sort_unstable();
                wanted.dedup();
                let other = Packed::new(other, &Run::serial()).unwrap();
                let both = Packed::union(&packed, &other, &Run::serial()).unwrap();
                assert_eq!(both.unpack(), wanted);
            }
        }
    }
}
