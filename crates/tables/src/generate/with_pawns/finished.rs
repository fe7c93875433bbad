//! The finished P-slices of a half: in a file, and in memory as long as others lead to them.

use std::sync::Arc;

use everymove_kernel::run::Run;

use super::packed::{OwnBlocks, PackedSlices};
use super::{AdvancementGroup, SavedSlice, SolvedSlice};
use crate::error::TableError;
use crate::generate::checkpoint::Log;
use crate::generate::sections::write_section;
use crate::position::index_space::{IndexSpace, Side};
use crate::position::subspace::Subspace;
use crate::store::block_cache::BlockCache;
use crate::store::directory::mark_illegal;
use crate::store::format::Writer;
use crate::store::half_codes::CachedHalf;
use crate::store::half_codes::IllegalMarks;
use crate::store::half_codes::{EncodedDistances, HalfView};
use crate::store::spool::SpoolFile;

/// The finished P-slices, by side to move: attacker, defender.
pub(super) struct FinishedSlices<'a> {
    space: &'a Arc<IndexSpace>,
    /// Those in memory, illegal positions marked.
    codes: [Vec<Option<Arc<Vec<u8>>>>; 2],
    packed: [PackedSlices; 2],
    max: [u8; 2],
}

impl<'a> FinishedSlices<'a> {
    pub(super) fn new(space: &'a Arc<IndexSpace>, file: &Arc<SpoolFile>) -> Self {
        let packed = || PackedSlices {
            file: file.clone(),
            places: vec![(0, 0); space.slices()],
            length: space.slice_len(),
        };
        Self {
            space,
            codes: [(); 2].map(|()| vec![None; space.slices()]),
            packed: [packed(), packed()],
            max: [0; 2],
        }
    }

    /// The file of finished P-slices.
    pub(super) fn file(&self) -> &Arc<SpoolFile> {
        &self.packed[0].file
    }

    /// Whether a P-slice is finished.
    pub(super) fn has(&self, slice: usize) -> bool {
        self.packed[0].places[slice].1 > 0
    }

    pub(super) fn put(&mut self, slice: usize, solved: SolvedSlice) {
        for side in 0..2 {
            self.packed[side].places[slice] = solved.packed[side];
            self.max[side] = self.max[side].max(solved.max[side]);
        }
        for (codes, solved) in self
            .codes
            .iter_mut()
            .zip(solved.codes.into_iter().flatten())
        {
            codes[slice] = Some(Arc::new(solved));
        }
    }

    /// Adds a P-slice that was saved, without loading its encoded distances.
    ///
    /// # Errors
    /// [`TableError::File`] if they are not those of a P-slice, or cannot be read.
    pub(super) fn put_saved(&mut self, saved: &SavedSlice, log: &Log) -> Result<(), TableError> {
        for side in 0..2 {
            let (packed, max) = (&mut self.packed[side], saved.max[side]);
            let (at, length) = saved.packed[side];
            let place = packed.places.get_mut(saved.slice);
            *place
                .filter(|_| log.holds(at, length))
                .ok_or_else(|| log.wrong())? = (at, length);
            packed.check(saved.slice, |at, length| log.holds(at, length))?;
            if packed.slice(saved.slice)?.iter().any(|&code| code > max) {
                return Err(log.wrong());
            }
            self.max[side] = self.max[side].max(max);
        }
        Ok(())
    }

    /// Loads the encoded distances of a P-slice.
    pub(super) fn reload(&mut self, slice: usize) -> Result<(), TableError> {
        for side in 0..2 {
            let mut codes = self.packed[side].slice(slice)?;
            if side == 0 {
                let subspace = Subspace::new(self.space.clone(), Some(slice));
                mark_illegal(&subspace, 0, &mut codes);
            }
            self.codes[side][slice] = Some(Arc::new(codes));
        }
        Ok(())
    }

    /// Returns what is in memory.
    pub(super) fn view(&self, to_move: Side) -> Arc<HalfView> {
        let codes = &self.codes[usize::from(to_move == Side::Defender)];
        Arc::new(HalfView {
            space: self.space.clone(),
            codes: EncodedDistances::Slices(codes.clone()),
        })
    }

    /// Returns what is finished now, of which blocks are loaded when they are needed.
    pub(super) fn cached(&self, to_move: Side, cache: &Arc<BlockCache>) -> CachedHalf {
        let source = OwnBlocks {
            slices: self.packed[usize::from(to_move == Side::Defender)].clone(),
            marks: IllegalMarks::new(self.space.clone(), to_move),
        };
        CachedHalf::new(Box::new(source), cache)
    }

    /// Releases the P-slices that are further advanced than `advancement`.
    pub(super) fn release(&mut self, groups: &[AdvancementGroup], advancement: u32) {
        let past = groups.iter().filter(|g| g.advancement > advancement);
        for &slice in past.flat_map(|g| &g.slices) {
            self.codes[0][slice] = None;
            self.codes[1][slice] = None;
        }
    }

    pub(super) fn write(mut self, run: &Run, writer: &mut Writer<'_>) -> Result<(), TableError> {
        self.codes = [Vec::new(), Vec::new()];
        for (packed, max) in self.packed.iter().zip(self.max) {
            let max = u16::from(max);
            let block = |number| -> Result<Vec<u16>, TableError> {
                let codes = packed.block(number)?.into_iter();
                Ok(codes.map(u16::from).collect())
            };
            write_section(self.space.len() as u64, max, block, run, writer)?;
        }
        Ok(())
    }
}
