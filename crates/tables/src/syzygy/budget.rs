//! The memory that it takes to make Syzygy files: reserved where it is used, and known before the work starts.

use std::collections::BTreeSet;

use everymove_kernel::run::{OverBudget, Run};

use crate::generate::plan::PROGRAM_BYTES;
use crate::position::material::Material;
use crate::store::directory::Tables;
use crate::syzygy::build::{Maker, file_name, wave_bytes};
use crate::syzygy::compress::repair::grammar::grammar_bytes;
use crate::syzygy::file::parse::Contents;
use crate::syzygy::index::candidates::table_size;
use crate::syzygy::order_search::{is_small, sample_bytes};
use crate::syzygy::values::captures::Captures;
use crate::syzygy::values::required_values::mates_bytes;

/// Numbers of leading men and tables of combinations, in bytes.
const NUMBERINGS: u64 = 4 << 20;

/// Refuses a budget that is too small for the Syzygy files of an ending, or of one that it needs, before any is made.
///
/// # Errors
/// [`OverBudget`] with the number of bytes that are needed.
pub fn require(material: &Material, tables: &Tables, run: &Run) -> Result<(), OverBudget> {
    let missing = |material: &&Material| {
        let there = |contents| {
            let name = file_name(material, contents);
            tables.folder().join(name).is_file()
        };
        !there(Contents::Wdl) || !there(Contents::Dtz)
    };
    let closure = material.closure();
    let needs = closure.iter().filter(missing).map(|material| {
        let need = Maker {
            material,
            tables,
            run,
        }
        .bytes_needed();
        (need, format!("{material} as Syzygy files"))
    });
    match needs.max() {
        Some((need, what)) => run.ram.require(&what, need),
        None => Ok(()),
    }
}

impl Maker<'_> {
    /// Bytes that both files take while they are made.
    pub(crate) fn bytes_needed(&self) -> u64 {
        self.needs()[0]
    }

    /// Bytes that it takes to see what one side's distances take.
    pub(crate) fn bytes_planned(&self) -> u64 {
        self.needs()[1]
    }

    fn needs(&self) -> [u64; 2] {
        let threads = self.run.threads.get() as u64;
        let (mut most, mut planned) = (0, 0);
        let mut captures = 0;
        for &black in self.sides() {
            let half = self.half(black);
            let space = self.tables.space(&half);
            let left: BTreeSet<_> = Captures::halves(&half, &space).into_iter().collect();
            let fields = left.iter().map(|half| self.tables.space(half).len() as u64);
            captures += fields.sum::<u64>();
            for file in 0..self.files() {
                let slices = self.slices(&space, black, file).len();
                let field = (slices * space.slice_len()) as u64;
                let size = table_size(self.material, file).unwrap_or(u64::MAX >> 8);
                let fetched = size + wave_bytes(threads);
                let grammar = grammar_bytes(size, threads);
                // A large field is gone when its values are made into symbols.
                let own = if is_small(size) {
                    field + fetched + grammar
                } else {
                    (field + fetched).max(fetched + grammar)
                };
                let chosen = field + sample_bytes(size, threads);
                let mated = field + mates_bytes(field);
                planned = planned.max(chosen).max(mated);
                most = most.max(own).max(planned);
            }
        }
        [most, planned].map(|bytes| PROGRAM_BYTES + NUMBERINGS + bytes + captures)
    }
}
