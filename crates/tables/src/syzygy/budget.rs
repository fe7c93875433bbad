//! The memory that it takes to make Syzygy files: reserved where it is used, and computed before
//! the work starts.

use everymove_kernel::run::{OverBudget, Reservation, Run};
use everymove_kernel::system;

use crate::generate::build::needed;
use crate::generate::plan::PROGRAM_BYTES;
use crate::position::material::{Kind, Material};
use crate::store::buffer::FILE_BYTES;
use crate::store::directory::Tables;
use crate::syzygy::compress::repair::grammar::sequence_bytes;
use crate::syzygy::file::checksum::Checksum;
use crate::syzygy::file::parse::{Contents, file_name};
use crate::syzygy::file_builder::{
    FileBuilder, encoding_bytes, files_of, half_of, sides_of, slices_of,
};
use crate::syzygy::index::candidates::table_size;
use crate::syzygy::order_search::{is_small, sample_bytes};
use crate::syzygy::values::captures::Captures;
use crate::syzygy::values::required_values::wins_in_one_bytes;
use crate::syzygy::values::sub_table::batch_bytes;

/// Bytes of the index tables of leading pieces and the lists of combinations, with four like pieces
/// or three pawns and without.
const LARGE_INDEX_BYTES: u64 = 7 << 20;
const INDEX_BYTES: u64 = 2 << 20;

/// Bytes that the allocator keeps of the smaller buffers of tables made before: KRPvKR by one
/// thread took 63.1 MiB where its files alone need 55.3 MiB.
const LEAST_RETAINED_BYTES: u64 = 8 << 20;
/// The same, where the budget has more: KRPvKR by two threads took 240.9 MiB of 256 MiB while these
/// were reserved.
const RETAINED_BYTES: u64 = 24 << 20;

/// Where the values of a sub-table are while it is made, and how many threads work on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    values: Values,
    pub(crate) threads: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Values {
    /// In memory, also in index order.
    InMemory,
    /// In memory by position; in index order in a file.
    ByPosition,
    /// One P-slice in memory at a time.
    BySlice,
}

impl Layout {
    /// The layouts for an ending, the fastest first.
    pub(crate) fn all(material: &Material, run: &Run) -> Vec<Self> {
        let wished = run.threads.get();
        let mut layouts = vec![Self {
            values: Values::InMemory,
            threads: wished,
        }];
        for values in [Values::ByPosition, Values::BySlice] {
            if values == Values::ByPosition || material.has_pawns() {
                layouts.push(Self {
                    values,
                    threads: wished,
                });
                if wished > 1 {
                    layouts.push(Self { values, threads: 1 });
                }
            }
        }
        layouts
    }

    /// The fastest layout that fits what is left of the budget.
    ///
    /// # Errors
    /// [`OverBudget`] if none does.
    pub(crate) fn that_fits(
        material: &Material,
        tables: &Tables,
        run: &Run,
    ) -> Result<Self, OverBudget> {
        let layouts = Self::all(material, run);
        let fitting = layouts
            .iter()
            .find(|layout| layout.bytes_needed(material, tables) <= run.ram.left());
        // The other layouts are for a small budget.
        if fitting.is_none_or(|layout| !layout.is_in_memory()) {
            system::return_large_buffers();
        }
        if let Some(&layout) = fitting {
            return Ok(layout);
        }
        let least = least_bytes_of(material, tables, run);
        run.ram.require(&files_name(material), least)?;
        Ok(layouts[layouts.len() - 1])
    }

    pub(crate) fn is_in_memory(self) -> bool {
        self.values == Values::InMemory
    }

    pub(crate) fn is_by_slice(self) -> bool {
        self.values == Values::BySlice
    }

    fn bytes_needed(self, material: &Material, tables: &Tables) -> u64 {
        self.needs(material, tables)[0]
    }

    /// Bytes that both files take while they are made, and that it takes to plan the DTZ file of
    /// one side to move.
    fn needs(self, material: &Material, tables: &Tables) -> [u64; 2] {
        let threads = self.threads as u64;
        let (mut most, mut planned) = (0u64, 0u64);
        let mut written = 0u64;
        for &black in sides_of(material) {
            let half = half_of(material, black);
            let space = tables.space(&half);
            let left = Captures::halves(&space);
            let captures = left.iter().map(|half| tables.space(half).len() as u64);
            let captures = captures.sum::<u64>();
            for file in 0..files_of(material) {
                let slices = match self.values {
                    Values::BySlice => 1,
                    _ => slices_of(material, &space, black, file).len(),
                };
                let values = (slices * space.slice_len()) as u64;
                // A size beyond 64 bits is beyond every budget.
                let size = table_size(material, file).unwrap_or(u64::MAX >> 8);
                // Compressed values take less than a byte each.
                written = written.saturating_add(size);
                let (own, symbols) = match self.values {
                    Values::InMemory => (size, sequence_bytes(size)),
                    _ if is_small(size) => (size, sequence_bytes(size)),
                    _ => (FILE_BYTES, FILE_BYTES),
                };
                let permuted = own + batch_bytes(threads);
                let grammar = own + encoding_bytes(size, threads) + symbols + FILE_BYTES;
                // A large value table is dropped before its grammar is made.
                let encoding = if is_small(size) {
                    values + permuted.max(grammar)
                } else {
                    (values + permuted).max(grammar)
                };
                let [samples, estimates] = sample_bytes(size, threads, self.is_by_slice());
                let searching = match self.values {
                    // No slice is loaded while bits are estimated.
                    Values::BySlice => samples + values.max(estimates),
                    _ => values + samples + estimates,
                };
                let wins_in_one = match half.attacker.pawns() {
                    0 => 0,
                    _ => wins_in_one_bytes(values),
                };
                let computing = captures + values + wins_in_one;
                // Captures are kept only if all values are in memory.
                let beside = if self.is_in_memory() { captures } else { 0 };
                planned = planned.max(searching + beside).max(computing);
                most = most.max(encoding + beside).max(planned);
            }
        }
        most = most.max(written.min(Checksum::BYTES));
        let fixed = PROGRAM_BYTES + index_bytes(material);
        [most + fixed, planned + fixed]
    }
}

fn index_bytes(material: &Material) -> u64 {
    let armies = [material.white(), material.black()];
    let most = armies.iter().flat_map(|army| {
        let pieces = army.pieces();
        pieces.iter().map(|kind| {
            let like = pieces.iter().filter(|other| *other == kind).count();
            like + usize::from(*kind == Kind::Pawn)
        })
    });
    match most.max() {
        Some(4..) => LARGE_INDEX_BYTES,
        _ => INDEX_BYTES,
    }
}

/// Compares the budget with the memory for the Syzygy files of an ending and of all endings it
/// leads to, as far as they are missing.
///
/// # Errors
/// [`OverBudget`] with the number of bytes that are needed.
pub fn require(material: &Material, tables: &Tables, run: &Run) -> Result<(), OverBudget> {
    let missing = |material: &&Material| is_missing(material, tables);
    // Endings with few pawns first: the needs of the others take longer to compute, and are seldom
    // larger.
    let mut closure = material.closure();
    closure.sort_by_key(pawns);
    let (few, many) = closure.split_at(closure.partition_point(|m| pawns(m) <= FEW_PAWNS));
    for part in [few, many] {
        if let Some((need, what)) = largest(part.iter().filter(missing), tables, run) {
            let is_own = what == files_name(material);
            run.ram.require(&needed(what, is_own, material), need)?;
        }
    }
    Ok(())
}

/// What the files of an ending are called in an error.
fn files_name(material: &Material) -> String {
    format!("{material} as Syzygy files")
}

/// Whether a Syzygy file of an ending is missing.
pub(crate) fn is_missing(material: &Material, tables: &Tables) -> bool {
    [Contents::Wdl, Contents::Dtz].iter().any(|&contents| {
        let name = file_name(material, contents);
        !tables.folder().join(name).is_file()
    })
}

/// Reserves what the allocator keeps of tables that were made before, as far as the budget has more
/// than the Syzygy files of an ending, and of all it leads to, need.
///
/// # Errors
/// [`OverBudget`] if another thread takes that memory meanwhile.
pub(crate) fn reserve_retained(
    material: &Material,
    tables: &Tables,
    run: &Run,
) -> Result<Reservation, OverBudget> {
    let closure = material.closure();
    let missing = closure.iter().filter(|own| is_missing(own, tables));
    let need = largest(missing, tables, run).map_or(u64::MAX, |(need, _)| need);
    let spare = run.ram.left().saturating_sub(need);
    run.ram
        .reserve("memory of finished tables", RETAINED_BYTES.min(spare))
}

/// Returns the smallest memory budget, in bytes, in which the Syzygy files of some endings can be
/// made.
pub(crate) fn least_bytes(endings: &[Material], tables: &Tables, run: &Run) -> u64 {
    largest(endings.iter(), tables, run).map_or(0, |(need, _)| need)
}

/// Endings with more pawns are looked at only if the others fit.
const FEW_PAWNS: usize = 2;

fn pawns(material: &Material) -> usize {
    material.white().pawns() + material.black().pawns()
}

/// The bytes of the ending that needs most, and what they are for.
fn largest<'a>(
    missing: impl Iterator<Item = &'a Material>,
    tables: &Tables,
    run: &Run,
) -> Option<(u64, String)> {
    let needs = missing.map(|material| {
        // Tables are made in the same process, within a small budget by one thread.
        let retained = match tables.has(material) {
            true => 0,
            false => LEAST_RETAINED_BYTES,
        };
        let least = least_bytes_of(material, tables, run);
        (least + retained, files_name(material))
    });
    needs.max()
}

/// The bytes in which the files of an ending can be made.
fn least_bytes_of(material: &Material, tables: &Tables, run: &Run) -> u64 {
    let layouts = Layout::all(material, run).into_iter();
    let needs = layouts.map(|layout| layout.bytes_needed(material, tables));
    needs.min().unwrap_or(u64::MAX)
}

impl FileBuilder<'_> {
    /// Bytes that both files take while they are made.
    pub(crate) fn bytes_needed(&self) -> u64 {
        self.layout.needs(self.material, self.tables)[0]
    }

    /// Bytes that it takes to plan the DTZ file of one side to move.
    pub(crate) fn bytes_planned(&self) -> u64 {
        self.layout.needs(self.material, self.tables)[1]
    }
}

#[cfg(test)]
mod tests {
    use everymove_kernel::run::Ram;

    use super::*;
    use crate::generate::plan::Plan;
    use crate::metric::Metric;

    /// A refusal names the ending that does not fit, and the one that was asked for if that is
    /// another one.
    #[test]
    fn a_refusal_says_which_ending_needs_which() {
        let folder = tempfile::tempdir().unwrap();
        let tables = Tables::new(folder.path(), Metric::Zeroing);
        let run = Run::new(1, Ram::limited(12 << 20));
        let material = |name: &str| name.parse::<Material>().unwrap();
        let refused = |name| require(&material(name), &tables, &run).unwrap_err().what;
        let name = "KRRvKR as Syzygy files";
        assert_eq!(refused("KRRvKR"), name);
        assert_eq!(
            refused("KRPvKR"),
            format!("{name}, which KRPvKR depends on,")
        );
        let refused = |name| {
            let plan = Plan::new(material(name), Metric::Zeroing);
            plan.require(&tables, &run).unwrap_err().what
        };
        let own = refused("KRRvKR");
        assert!(!own.contains("depends"), "{own}");
        let other = refused("KPPPvK");
        assert!(other.ends_with(", which KPPPvK depends on,"), "{other}");
    }
}
