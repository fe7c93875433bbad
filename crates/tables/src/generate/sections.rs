//! Writes the codes of a half with one side to move as a section of a file.

use everymove_kernel::parallel;
use everymove_kernel::run::Run;

use crate::error::TableError;
use crate::store::format::{BLOCK, Packed, Packing, Writer};

/// Writes a section of `positions` codes of at most `max`; `block` returns the codes of the block
/// of a number.
pub(crate) fn write_section(
    positions: u64,
    max: u16,
    block: impl Fn(usize) -> Result<Vec<u16>, TableError> + Sync,
    run: &Run,
    writer: &mut Writer<'_>,
) -> Result<(), TableError> {
    let sample = |blocks: &[usize]| blocks.iter().map(|&number| block(number)).collect();
    let packing = Packing::new(positions, max, sample)?;
    writer.section(positions, max, &packing)?;
    let pack = |(): &mut (), number| Ok::<Packed, TableError>(packing.pack(&block(number)?));
    let write = |block: Packed| Ok(writer.block(&block)?);
    let window = 8 * run.threads.get();
    let blocks = 0..positions.div_ceil(BLOCK as u64) as usize;
    parallel::try_in_order(run, blocks, window, || (), pack, write)
}
