//! Ascending lists of degree vectors as differences of one to five bytes.

use std::borrow::Cow;

use everymove_kernel::run::{OverBudget, Reservation, Run};

use super::super::degrees::Degrees;
use super::super::reach::Lists;

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
pub(super) struct Packed {
    /// Differences to the member before, less one (the first: itself), seven bits a byte, the lowest first; the highest
    /// bit says that another byte follows.
    bytes: Vec<u8>,
    len: usize,
    _held: Reservation,
}

impl Packed {
    /// Packs an ascending list.
    pub(super) fn new(members: &[Degrees], run: &Run) -> Result<Self, OverBudget> {
        let mut bytes = Vec::with_capacity(members.len() + members.len() / 4);
        let mut next = 0;
        for &member in members {
            let mut left = member - next;
            next = member + 1;
            while left >= 0x80 {
                bytes.push(left as u8 | 0x80);
                left >>= 7;
            }
            bytes.push(left as u8);
        }
        bytes.shrink_to_fit();
        Ok(Self {
            _held: run.ram.reserve(LISTS, bytes.len() as u64)?,
            bytes,
            len: members.len(),
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
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The list.
    pub(super) fn unpack(&self) -> Vec<Degrees> {
        let mut members = Vec::with_capacity(self.len);
        let (mut next, mut left, mut shift) = (0, 0, 0);
        for &byte in &self.bytes {
            left |= u32::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                members.push(next + left);
                next += left + 1;
                (left, shift) = (0, 0);
            }
        }
        members
    }
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
        }
    }
}
