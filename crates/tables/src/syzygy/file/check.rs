//! Checks a Syzygy file: its checksum, and that its parts are consistent down to the last block.

use everymove_kernel::parallel;
use everymove_kernel::run::{Run, Stopped};

use crate::syzygy::error::SyzygyError;
use crate::syzygy::file::parse::{Body, Contents, SubTable, SyzygyFile};

/// How much of a file was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Sub-tables: by side to move and, with pawns, by file of the leading pawn.
    pub sub_tables: u64,
    /// Positions, each index counted.
    pub positions: u64,
    /// Blocks decoded.
    pub blocks: u64,
}

impl SyzygyFile {
    /// Compares the checksum, decodes every block and compares every entry of the block indices.
    ///
    /// # Errors
    /// The first [`SyzygyError`], if there is one; [`Stopped`] if the run was stopped before.
    pub fn check(&self, run: &Run) -> Result<Result<Checked, SyzygyError>, Stopped> {
        match self.check_sum() {
            Ok(()) => self.check_blocks(run),
            Err(error) => Ok(Err(error)),
        }
    }

    /// As [`SyzygyFile::check`], without the checksum.
    ///
    /// # Errors
    /// As [`SyzygyFile::check`].
    pub fn check_blocks(&self, run: &Run) -> Result<Result<Checked, SyzygyError>, Stopped> {
        let subs: Vec<&SubTable> = self.subs.iter().flatten().collect();
        let checked = parallel::map(run, &subs, || (), |(), sub| self.check_sub(sub))?;
        let add = |mut sum: Checked, part: Result<Checked, SyzygyError>| {
            let part = part?;
            sum.sub_tables += part.sub_tables;
            sum.positions += part.positions;
            sum.blocks += part.blocks;
            Ok(sum)
        };
        Ok(checked.into_iter().try_fold(Checked::default(), add))
    }

    fn check_sub(&self, sub: &SubTable) -> Result<Checked, SyzygyError> {
        let positions = sub.piece_order.size();
        let mut checked = Checked {
            sub_tables: 1,
            positions,
            blocks: 0,
        };
        let Body::Blocks {
            header, decoder, ..
        } = &sub.body
        else {
            return Ok(checked);
        };
        let mut starts = vec![0u64];
        let mut values = Vec::new();
        for block in 0..header.blocks as usize {
            let (bytes, count) = self.block(sub, block)?;
            values.clear();
            decoder.decode_block(bytes, count, |symbol, taken| {
                decoder.expand(symbol, taken, &mut values);
            })?;
            self.check_values(sub, &values)?;
            starts.push(starts[block] + count as u64);
            checked.blocks += 1;
        }
        if starts.last() != Some(&positions) {
            return Err(SyzygyError::Inconsistent(
                "the blocks hold another number of positions",
            ));
        }
        for entry in 0..header.entries(positions) {
            let (block, place) = self.entry(sub, entry as usize)?;
            // Blocks beyond the last are padding and count as full.
            let start = match starts.get(block as usize) {
                Some(&start) => start,
                None => positions + (u64::from(block) - u64::from(header.blocks)) * (1 << 16),
            };
            if start + u64::from(place) != (entry << header.span_log2) + (1 << header.span_log2) / 2
            {
                return Err(SyzygyError::Inconsistent(
                    "the index leads to other positions",
                ));
            }
        }
        Ok(checked)
    }

    /// Checks that decoded values are in the range of the file's kind.
    fn check_values(&self, sub: &SubTable, values: &[u16]) -> Result<(), SyzygyError> {
        let limit = match (self.contents, &sub.maps) {
            (Contents::Wdl, _) => 5,
            (Contents::Dtz, None) => 4096,
            (Contents::Dtz, Some(maps)) => maps.iter().map(Vec::len).max().unwrap_or(0),
        };
        if values.iter().all(|&value| usize::from(value) < limit) {
            Ok(())
        } else {
            Err(SyzygyError::Inconsistent(
                "a position has a value that has no meaning",
            ))
        }
    }
}
