//! The value of every position, for the side to move: in blocks, and a table in memory.

use everymove_kernel::parallel;
use everymove_kernel::run::{Reservation, Run};

use crate::ending::{Ending, Side};
use crate::error::FairyError;
use crate::index::Index;

/// The value of a position for the side to move, with the plies of the table's metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// The side to move wins.
    Win(u16),
    /// Neither side wins.
    Draw,
    /// The side to move loses.
    Loss(u16),
}

impl Value {
    /// The plies; none of a draw.
    pub fn plies(self) -> Option<u16> {
        match self {
            Self::Win(plies) | Self::Loss(plies) => Some(plies),
            Self::Draw => None,
        }
    }

    /// `win`, `draw` or `loss`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Win(_) => "win",
            Self::Draw => "draw",
            Self::Loss(_) => "loss",
        }
    }
}

/// Codes below are draws; while a table is solved, they are the least plies of a loss so far.
pub(crate) const WIN: u16 = 0x4000;
/// Codes from here to the next are losses.
pub(crate) const LOSS: u16 = 0x8000;
/// No legal position.
pub(crate) const ILLEGAL: u16 = u16::MAX;
/// The bits of a code that are plies.
pub(crate) const PLIES: u16 = WIN - 1;

/// The value of a code; none if the position is not legal.
pub(crate) fn decoded(code: u16) -> Option<Value> {
    match code {
        ILLEGAL => None,
        0..WIN => Some(Value::Draw),
        WIN..LOSS => Some(Value::Win(code & PLIES)),
        LOSS.. => Some(Value::Loss(code & PLIES)),
    }
}

/// The values of an ending, a block for each job: the numbers of the codes of all positions with
/// White to move, then of those with Black to move.
pub(crate) trait Blocks: Sync {
    fn ending(&self) -> &Ending;

    fn index(&self) -> &Index;

    /// The codes that occur, ascending.
    fn known(&self) -> &[u16];

    /// The numbers of the positions of a job.
    fn block(&self, job: usize) -> Result<Vec<u8>, FairyError>;

    /// Bytes of a block.
    fn block_len(&self, job: usize) -> usize {
        let index = self.index();
        2 * index.slices_of_job(job).len() * index.slice_len() * width(self.known().len())
    }
}

/// Bytes of the number of a code where `known` codes occur.
pub(crate) fn width(known: usize) -> usize {
    if known > 256 { 2 } else { 1 }
}

/// Numbers of codes, while a block is put together.
pub(crate) struct Numbers {
    pub(crate) bytes: Vec<u8>,
    width: usize,
}

impl Numbers {
    pub(crate) fn new(positions: usize, known: usize, number: usize) -> Self {
        let width = width(known);
        let bytes = match width {
            1 => vec![number as u8; positions],
            _ => (number as u16).to_le_bytes().repeat(positions),
        };
        Self { bytes, width }
    }

    #[inline]
    pub(crate) fn set(&mut self, at: usize, number: usize) {
        match self.width {
            1 => self.bytes[at] = number as u8,
            _ => self.bytes[2 * at..][..2].copy_from_slice(&(number as u16).to_le_bytes()),
        }
    }
}

/// The code of a position of a block.
#[inline]
pub(crate) fn code(block: &[u8], known: &[u16], at: usize) -> u16 {
    let number = match known.len() {
        ..=256 => usize::from(block[at]),
        _ => usize::from(u16::from_le_bytes([block[2 * at], block[2 * at + 1]])),
    };
    known[number]
}

/// The values of all positions of an ending in memory.
#[derive(Debug)]
pub struct Table {
    ending: Ending,
    index: Index,
    known: Vec<u16>,
    blocks: Vec<Vec<u8>>,
    _held: Reservation,
}

impl Table {
    /// Puts the values of an ending into memory.
    pub(crate) fn read(blocks: &dyn Blocks, run: &Run) -> Result<Self, FairyError> {
        let (ending, index, known) = (blocks.ending(), blocks.index(), blocks.known());
        let bytes = (0..index.jobs())
            .map(|job| blocks.block_len(job) as u64)
            .sum();
        let held = run.ram.reserve(&format!("the table of {ending}"), bytes)?;
        Ok(Self {
            ending: ending.clone(),
            index: index.clone(),
            known: known.to_vec(),
            blocks: parallel::try_map(run, 0..index.jobs(), || (), |(), job| blocks.block(job))?,
            _held: held,
        })
    }

    /// What it is the table of.
    pub fn ending(&self) -> &Ending {
        &self.ending
    }

    /// The number of positions that are stored, of both sides to move.
    pub fn positions(&self) -> u64 {
        2 * self.index.len() as u64
    }

    /// The value of a position with the royals and the men of the ending on these squares; none if
    /// it is not legal.
    pub fn value(&self, side: Side, royals: [usize; 2], men: &[usize]) -> Option<Value> {
        decoded(self.code(side, royals, men.iter().copied()))
    }

    #[inline]
    pub(crate) fn code(
        &self,
        side: Side,
        royals: [usize; 2],
        men: impl Iterator<Item = usize>,
    ) -> u16 {
        match self.index.position(royals, men) {
            Some((job, at, of_side)) => code(&self.blocks[job], &self.known, side * of_side + at),
            None => ILLEGAL,
        }
    }
}

impl Blocks for Table {
    fn ending(&self) -> &Ending {
        &self.ending
    }

    fn index(&self) -> &Index {
        &self.index
    }

    fn known(&self) -> &[u16] {
        &self.known
    }

    fn block(&self, job: usize) -> Result<Vec<u8>, FairyError> {
        Ok(self.blocks[job].clone())
    }
}
