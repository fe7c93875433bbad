//! The memory that it takes to make Syzygy files: reserved where it is used, and computed before the work starts.

use std::collections::BTreeSet;

use everymove_kernel::run::{OverBudget, Run};

use crate::generate::plan::PROGRAM_BYTES;
use crate::position::material::Material;
use crate::store::directory::Tables;
use crate::syzygy::compress::repair::grammar::grammar_bytes;
use crate::syzygy::file::parse::{Contents, file_name};
use crate::syzygy::file_builder::{FileBuilder, batch_bytes};
use crate::syzygy::index::candidates::table_size;
use crate::syzygy::order_search::{is_small, sample_bytes};
use crate::syzygy::values::captures::Captures;
use crate::syzygy::values::required_values::wins_in_one_bytes;

/// Bytes of the index tables of leading pieces and the lists of combinations.
const INDEX_BYTES: u64 = 7 << 20;

/// Bytes that the allocator keeps, for each thread, of the smaller buffers of tables made before: measured, KRBvKR with two threads.
const RETAINED_BYTES: u64 = 10 << 20;

/// Compares the budget with the memory for the Syzygy files of an ending and of all endings it leads to, as far as they are missing.
///
/// # Errors
/// [`OverBudget`] with the number of bytes that are needed.
pub fn require(material: &Material, tables: &Tables, run: &Run) -> Result<(), OverBudget> {
    let missing = |material: &&Material| {
        let exists = |contents| {
            let name = file_name(material, contents);
            tables.folder().join(name).is_file()
        };
        !exists(Contents::Wdl) || !exists(Contents::Dtz)
    };
    // Endings with few pawns first: the needs of the others take longer to compute, and are seldom larger.
    let mut closure = material.closure();
    closure.sort_by_key(pawns);
    let (few, many) = closure.split_at(closure.partition_point(|m| pawns(m) <= FEW_PAWNS));
    for part in [few, many] {
        if let Some((need, what)) = largest(part.iter().filter(missing), tables, run) {
            run.ram.require(&what, need)?;
        }
    }
    Ok(())
}

/// Returns the smallest memory budget, in bytes, in which the Syzygy files of some endings can be made.
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
        let builder = FileBuilder {
            material,
            tables,
            run,
        };
        let what = format!("{material} as Syzygy files");
        // Tables are made in the same process.
        let retained = match tables.has(material) {
            true => 0,
            false => RETAINED_BYTES * run.threads.get() as u64,
        };
        (builder.bytes_needed() + retained, what)
    });
    needs.max()
}

impl FileBuilder<'_> {
    /// Bytes that both files take while they are made.
    pub(crate) fn bytes_needed(&self) -> u64 {
        self.needs()[0]
    }

    /// Bytes that it takes to plan the DTZ file of one side to move.
    pub(crate) fn bytes_planned(&self) -> u64 {
        self.needs()[1]
    }

    fn needs(&self) -> [u64; 2] {
        let threads = self.run.threads.get() as u64;
        let (mut most, mut planned) = (0u64, 0u64);
        let mut captures = 0u64;
        for &black in self.sides() {
            let half = self.half(black);
            let space = self.tables.space(&half);
            let left: BTreeSet<_> = Captures::halves(&half, &space).into_iter().collect();
            let tables = left.iter().map(|half| self.tables.space(half).len() as u64);
            captures += tables.sum::<u64>();
            for file in 0..self.files() {
                let slices = self.slices(&space, black, file).len();
                let values = (slices * space.slice_len()) as u64;
                // A size beyond 64 bits is beyond every budget.
                let size = table_size(self.material, file).unwrap_or(u64::MAX >> 8);
                let permuted = size + batch_bytes(threads);
                let grammar = grammar_bytes(size, threads);
                // A large value table is dropped before its grammar is made.
                let encoding = if is_small(size) {
                    values + permuted + grammar
                } else {
                    (values + permuted).max(permuted + grammar)
                };
                let searching = values + sample_bytes(size, threads);
                let wins_in_one = values + wins_in_one_bytes(values);
                planned = planned.max(searching).max(wins_in_one);
                most = most.max(encoding).max(planned);
            }
        }
        [most, planned].map(|bytes| PROGRAM_BYTES + INDEX_BYTES + bytes + captures)
    }
}
