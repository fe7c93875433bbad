//! Finished P-slices in a file: blocks that are compressed one by one, and a table of their places.
//!
//! The record of a P-slice is its table: for each block the offset of its frame (8 bytes) and the
//! frame's length (4 bytes).

use std::sync::Arc;

use everymove_kernel::files::{FileError, compress, decompress};

use crate::error::TableError;
use crate::store::format::BLOCK;
use crate::store::half_codes::BlockSource;
use crate::store::half_codes::IllegalMarks;
use crate::store::spool::SpoolFile;

/// Bytes of a block's entry.
const ENTRY: usize = 12;
/// Level of zstd.
const EFFORT: i32 = 1;
/// Frames are appended when together they reach this many bytes.
const FULL: usize = 1 << 20;

/// Where a record is: offset and length; the length is 0 before the P-slice is finished.
pub(super) type Place = (u64, u64);

/// Returns the codes of a block of a P-slice of `length` codes.
fn block_len(length: usize) -> usize {
    length.min(BLOCK)
}

/// Appends the record of a P-slice, block by block.
pub(super) struct Appender<'a> {
    file: &'a SpoolFile,
    frames: Vec<u8>,
    /// Lengths of the frames that are not in the file yet.
    lengths: Vec<u32>,
    table: Vec<u8>,
}

impl<'a> Appender<'a> {
    pub(super) fn new(file: &'a SpoolFile) -> Self {
        Self {
            file,
            frames: Vec::new(),
            lengths: Vec::new(),
            table: Vec::new(),
        }
    }

    /// Appends codes, whole blocks of them.
    pub(super) fn push(&mut self, codes: &[u8]) -> Result<(), FileError> {
        for block in codes.chunks(BLOCK) {
            let frame = compress(block, EFFORT);
            self.frames.extend_from_slice(&frame);
            self.lengths.push(frame.len() as u32);
            if self.frames.len() > FULL {
                self.empty()?;
            }
        }
        Ok(())
    }

    fn empty(&mut self) -> Result<(), FileError> {
        let mut at = self.file.append(&self.frames)?;
        self.frames.clear();
        for length in self.lengths.drain(..) {
            self.table.extend(at.to_le_bytes());
            self.table.extend(length.to_le_bytes());
            at += u64::from(length);
        }
        Ok(())
    }

    /// Appends what is left and the table; returns its place.
    pub(super) fn finish(mut self) -> Result<Place, FileError> {
        self.empty()?;
        Ok((self.file.append(&self.table)?, self.table.len() as u64))
    }
}

/// The finished P-slices of a half with one side to move.
#[derive(Clone, Debug)]
pub(super) struct PackedSlices {
    pub(super) file: Arc<SpoolFile>,
    /// By P-slice.
    pub(super) places: Vec<Place>,
    /// Codes of a P-slice: a power of two.
    pub(super) length: usize,
}

impl PackedSlices {
    /// Returns a P-slice.
    pub(super) fn slice(&self, slice: usize) -> Result<Vec<u8>, TableError> {
        let mut codes = Vec::with_capacity(self.length);
        for block in 0..self.length / block_len(self.length) {
            codes.extend(self.part(slice, block)?);
        }
        Ok(codes)
    }

    /// Returns a block of the section that has these P-slices one after the other. Those that are
    /// not finished are 0.
    pub(super) fn block(&self, number: usize) -> Result<Vec<u8>, TableError> {
        let first = number * BLOCK;
        if self.length >= BLOCK {
            return self.part(first / self.length, first % self.length / BLOCK);
        }
        let slices = first / self.length..((first + BLOCK) / self.length).min(self.places.len());
        let mut codes = Vec::with_capacity(BLOCK);
        for slice in slices {
            codes.extend(self.part(slice, 0)?);
        }
        Ok(codes)
    }

    /// Returns a block of a P-slice.
    fn part(&self, slice: usize, block: usize) -> Result<Vec<u8>, TableError> {
        let (at, length) = self.places[slice];
        let codes = block_len(self.length);
        if length == 0 {
            return Ok(vec![0; codes]);
        }
        let entry = (self.file).read(at + (block * ENTRY) as u64, ENTRY as u64)?;
        let (offset, length) = entry.split_at(8);
        let offset = u64::from_le_bytes(offset.try_into().expect("8 bytes"));
        let length = u32::from_le_bytes(length.try_into().expect("4 bytes"));
        let frame = self.file.read(offset, length.into())?;
        let unpacked = decompress(&frame, codes).ok();
        let whole = unpacked.filter(|found| found.len() == codes);
        whole.ok_or_else(|| self.wrong())
    }

    fn wrong(&self) -> TableError {
        TableError::File(FileError::Damaged {
            path: self.file.path(),
            what: "it does not hold the codes of a P-slice".to_owned(),
        })
    }

    /// Checks the record of a P-slice.
    ///
    /// # Errors
    /// [`TableError::File`] if it is no record of a P-slice whose frames (offset, length) are all
    /// in the file, as `holds` says.
    pub(super) fn check(
        &self,
        slice: usize,
        holds: impl Fn(u64, u64) -> bool,
    ) -> Result<(), TableError> {
        let (at, length) = self.places[slice];
        let bytes = self.file.read(at, length)?;
        let (entries, rest) = bytes.as_chunks::<ENTRY>();
        let held = |&[a, b, c, d, e, f, g, h, i, j, k, l]: &[u8; ENTRY]| {
            let length = u32::from_le_bytes([i, j, k, l]);
            holds(u64::from_le_bytes([a, b, c, d, e, f, g, h]), length.into())
        };
        let blocks = self.length / block_len(self.length);
        match rest.is_empty() && entries.len() == blocks && entries.iter().all(held) {
            true => Ok(()),
            false => Err(self.wrong()),
        }
    }
}

/// Finished P-slices of the half that is being made.
#[derive(Debug)]
pub(super) struct OwnBlocks {
    pub(super) slices: PackedSlices,
    pub(super) marks: IllegalMarks,
}

impl BlockSource for OwnBlocks {
    fn codes_at_once(&self) -> usize {
        BLOCK
    }

    fn load(&self, number: usize) -> Result<Vec<u8>, TableError> {
        let mut codes = self.slices.block(number)?;
        self.marks.mark(number * BLOCK, &mut codes);
        Ok(codes)
    }
}

#[cfg(test)]
mod tests {
    use everymove_kernel::files::{Disk, Storage};
    use everymove_kernel::rng::SplitMix64;

    use super::*;

    #[test]
    fn blocks_and_slices_come_back_whatever_their_length() {
        let folder = tempfile::tempdir().unwrap();
        let storage: Arc<dyn Storage> = Arc::new(Disk::new(folder.path()));
        let mut rng = SplitMix64::new(3);
        for length in [64, BLOCK / 4, BLOCK, 8 * BLOCK] {
            let file = Arc::new(SpoolFile::new(&storage, "slices").unwrap());
            let mut slices = PackedSlices {
                file: file.clone(),
                places: vec![(0, 0); 7],
                length,
            };
            let mut codes = vec![vec![0; length]; 7];
            // The last is never finished.
            for slice in [4, 0, 1, 5, 3, 2] {
                let random = || (rng.below(9) * rng.below(20)) as u8;
                codes[slice] = std::iter::repeat_with(random).take(length).collect();
                let mut appender = Appender::new(&file);
                appender.push(&codes[slice]).unwrap();
                slices.places[slice] = appender.finish().unwrap();
            }
            slices.check(5, |_, _| true).unwrap();
            assert!(slices.check(4, |at, _| at > 0).is_err());
            for (slice, codes) in codes.iter().enumerate() {
                assert!(slices.slice(slice).unwrap() == *codes, "{length} {slice}");
            }
            let all = codes.concat();
            for (number, expected) in all.chunks(BLOCK).enumerate() {
                assert!(slices.block(number).unwrap() == expected, "{length}");
            }
        }
    }
}
