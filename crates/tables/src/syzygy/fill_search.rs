//! The choice of the rule by which the don't-care entries of a sub-table are filled: all rules,
//! tried on a sample.

use everymove_kernel::run::Run;

use crate::error::TableError;
use crate::store::buffer::Buffer;
use crate::syzygy::compress::repair::grammar::{estimate_bits, estimate_bytes};
use crate::syzygy::compress::run_list::RunList;
use crate::syzygy::values::dont_care::{AT_MOST, FillRule};
use crate::syzygy::values::dtz_map::StoredValues;

/// Consecutive values of a window.
const WINDOW: u64 = 1 << 14;
/// Windows of a sample.
const WINDOWS: u64 = 24;

/// Bytes that [`best_rule`] takes for a table of some values.
pub(crate) fn rule_bytes(values: u64) -> u64 {
    let values = values.min(WINDOW * WINDOWS);
    2 * values + estimate_bytes(values)
}

/// Returns the rule by which the values of a table, in index order, seem to take the fewest bits.
///
/// # Errors
/// [`TableError`] if the values cannot be read, or the run is stopped.
pub(crate) fn best_rule(
    table: &Buffer,
    values: StoredValues<'_>,
    run: &Run,
) -> Result<FillRule, TableError> {
    let sample = sample(table)?;
    if !sample.iter().any(|&byte| byte > AT_MOST) {
        return Ok(FillRule::USUAL);
    }
    let scale = table.len() as f64 / sample.len() as f64;
    let mut best = (u64::MAX, FillRule::USUAL);
    for rule in FillRule::ALL {
        let mut filled = sample.clone();
        values.finish(&mut filled, None, rule);
        let bits = estimate_bits(&RunList::of(filled), scale, &run.stop)?;
        if bits < best.0 {
            best = (bits, rule);
        }
    }
    Ok(best.1)
}

/// Windows at equal distances; all values of a small table.
fn sample(table: &Buffer) -> Result<Vec<u8>, TableError> {
    if table.len() <= WINDOW * WINDOWS {
        return table.to_vec();
    }
    let mut sample = vec![0; (WINDOW * WINDOWS) as usize];
    for (window, to) in (0..).zip(sample.chunks_mut(WINDOW as usize)) {
        let at = (table.len() - WINDOW) * window / (WINDOWS - 1);
        table.read(at, to)?;
    }
    Ok(sample)
}
