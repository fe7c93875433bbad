//! Our own tables made from Syzygy files.

use everymove_kernel::files::{Disk, publish, remove_stale_drafts};
use everymove_kernel::run::Run;

use super::{Proof, SyzygyVerifier};
use crate::error::TableError;
use crate::generate::sections::write_section;
use crate::position::index_space::Side;
use crate::position::material::Material;
use crate::store::directory::Tables;
use crate::store::format::{BLOCK, Writer, file_name};
use crate::syzygy::SyzygyFolder;
use crate::verify::Verified;

/// Makes our own table of an ending from its two Syzygy files and the WDL files of the endings that
/// captures and promotions lead to. Every value is verified; plies that the DTZ file rounds are
/// computed exactly, so that the table is, byte for byte, the one that [`build`](crate::build())
/// makes.
///
/// # Errors
/// As [`SyzygyVerifier::verify`]; and [`TableError::File`] if the table exists already or cannot be
/// written. No part of it is left then.
///
/// # Panics
/// If the tables are of another metric than [`Metric::Zeroing`](crate::Metric::Zeroing).
pub fn import_syzygy(
    material: &Material,
    folder: &SyzygyFolder,
    tables: &Tables,
    run: &Run,
) -> Result<Verified, TableError> {
    let metric = tables.metric();
    assert_eq!(
        metric,
        crate::Metric::Zeroing,
        "Syzygy files store distances to zeroing moves"
    );
    let disk = Disk::exclusive(tables.folder())?;
    remove_stale_drafts(&disk)?;
    let verifier = SyzygyVerifier::new(folder, run);
    publish(&disk, &file_name(material, metric), |draft| {
        let halves = material.halves();
        let largest = halves.iter().map(|half| tables.space(half).len() as u64);
        let mut writer = Writer::new(draft, material, metric, largest.max().unwrap_or(0))?;
        let mut total = Verified::default();
        verifier.each_half(material, Proof::Pair, |held, verified| {
            total.add(verified);
            for side in [Side::Attacker, Side::Defender] {
                let codes = held.codes(side);
                let max = codes.iter().copied().max().unwrap_or(0).into();
                let block = |number: usize| {
                    let codes = codes.chunks(BLOCK).nth(number).unwrap_or_default();
                    Ok(codes.iter().map(|&code| code.into()).collect())
                };
                write_section(codes.len() as u64, max, block, run, &mut writer)?;
            }
            Ok(())
        })?;
        writer.finish()?;
        Ok(total)
    })
}
