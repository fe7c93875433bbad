//! The sub-tables of one Syzygy file: values collected, piece orders chosen, encoded.

use std::ops::Range;
use std::sync::Arc;

use everymove_kernel::run::Run;
use everymove_kernel::system;

use crate::error::TableError;
use crate::position::index_space::IndexSpace;
use crate::position::material::{Half, Material};
use crate::store::buffer::{Buffer, Place};
use crate::store::directory::Tables;
use crate::syzygy::budget::Layout;
use crate::syzygy::compress::encode::{Encoded, SingleValue, encode};
use crate::syzygy::compress::repair::grammar::grammar_bytes;
use crate::syzygy::file::parse::{BLACK_TO_MOVE, Contents};
use crate::syzygy::file::write::EncodedSubTable;
use crate::syzygy::fill_search::{best_rule, rule_bytes};
use crate::syzygy::index::candidates::black_leads;
use crate::syzygy::index::leading::pawn_rank;
use crate::syzygy::index::piece_order::PieceOrder;
use crate::syzygy::order_search::{OrderSearch, Shortlist, is_small};
use crate::syzygy::values::captures::Captures;
use crate::syzygy::values::dtz_map::StoredValues;
use crate::syzygy::values::required_values::{RequiredDtz, required_wdl};
use crate::syzygy::values::sub_table::{SubTable, batch_bytes};
use crate::syzygy::values::value_table::ValueTable;

/// The largest blocks, as binary logarithms of bytes: WDL values are probed often and in random
/// order, DTZ values seldom.
const WDL_BLOCK_LOG2: u8 = 6;
const DTZ_BLOCK_LOG2: u8 = 10;
/// Orders are encoded in full until they have made this many bytes together: for large tables the
/// samples are accurate, and each encoding takes long.
const MAX_ENCODED_BYTES: u64 = 32_000;

/// Builds the sub-tables of an ending's files.
pub(crate) struct FileBuilder<'a> {
    pub(crate) material: &'a Material,
    pub(crate) tables: &'a Tables,
    pub(crate) layout: Layout,
    /// Where the values of large sub-tables are, and their sequences of symbols.
    pub(crate) place: &'a Place,
    /// Where the blocks of large sub-tables are, and the values of P-slices.
    pub(crate) files: &'a Place,
    /// See [`RequiredDtz::new`]; fewer than [`RequiredDtz::MOST_BYTES`] in tests.
    pub(crate) most_distances: usize,
    pub(crate) run: &'a Run,
}

/// What the values of one side to move are computed from.
struct Inputs {
    half: Half,
    space: Arc<IndexSpace>,
    black_to_move: bool,
    /// Loaded when they are needed.
    captures: Option<Captures>,
}

/// Bytes that it takes to encode a sub-table of `size` values in index order, beside these and
/// their symbols.
pub(crate) fn encoding_bytes(size: u64, threads: u64) -> u64 {
    grammar_bytes(size, threads).max(rule_bytes(size))
}

/// The half of an ending whose attacker is the side to move.
pub(crate) fn half_of(material: &Material, black_to_move: bool) -> Half {
    let half = Half {
        attacker: material.white().clone(),
        defender: material.black().clone(),
    };
    if black_to_move { half.swapped() } else { half }
}

/// The number of files of the leading pawn with sub-tables of their own; 1 without pawns.
pub(crate) fn files_of(material: &Material) -> usize {
    if material.has_pawns() { 4 } else { 1 }
}

/// The sides to move with sub-tables of their own: white, and black (`true`) unless both sides have
/// the same pieces.
pub(crate) fn sides_of(material: &Material) -> &'static [bool] {
    if material.is_symmetric() {
        &[false]
    } else {
        &[false, true]
    }
}

/// The slices whose leading pawn is on a file (0 to 3) or its mirror image; all slices without
/// pawns.
pub(crate) fn slices_of(
    material: &Material,
    space: &IndexSpace,
    black_to_move: bool,
    file: usize,
) -> Vec<usize> {
    if space.pawns == 0 {
        return (0..space.slices()).collect();
    }
    let leading = leading_pawns(material, space, black_to_move);
    let flip = if black_to_move { 56 } else { 0 };
    let on_file = |&slice: &usize| {
        let own = &space.p_slices[slice][leading.clone()];
        let lead = own.iter().map(|&s| s ^ flip).max_by_key(|&s| pawn_rank(s));
        lead.is_some_and(|s| usize::from((s & 7).min(7 - (s & 7))) == file)
    };
    (0..space.slices()).filter(on_file).collect()
}

impl FileBuilder<'_> {
    /// The sub-tables of the WDL file, by file of the leading pawn and side to move.
    pub(crate) fn wdl(&self) -> Result<Vec<Vec<EncodedSubTable>>, TableError> {
        let files = files_of(self.material);
        let mut subs: Vec<Vec<EncodedSubTable>> = (0..files).map(|_| Vec::new()).collect();
        for &black in sides_of(self.material) {
            let mut inputs = self.inputs(black);
            for (file, subs) in subs.iter_mut().enumerate() {
                let mut table = self.values(&mut inputs, file, |inputs, captures, slices| {
                    required_wdl(&inputs.half, slices, captures, self.tables, self.run)
                })?;
                let single_value = !table.has_several_values()?;
                let search = self.order_search(StoredValues::Wdl);
                let shortlist = search.shortlist(&mut table, single_value)?;
                let orders = search.best(&mut table, shortlist)?;
                subs.push(self.smallest(table, orders, StoredValues::Wdl)?);
            }
        }
        Ok(subs)
    }

    /// The sub-tables of the DTZ file, by file of the leading pawn: those of the side to move that
    /// seems to take fewer bits.
    pub(crate) fn dtz(&self) -> Result<Vec<Vec<EncodedSubTable>>, TableError> {
        let mut cheapest: Option<DtzPlan> = None;
        // Most files have white to move: its values, planned last, are still in memory.
        for &black in sides_of(self.material).iter().rev() {
            let plan = self.plan_dtz(black, cheapest.is_some())?;
            if cheapest
                .as_ref()
                .is_none_or(|least| plan.bits <= least.bits)
            {
                cheapest = Some(plan);
            }
        }
        let mut plan = cheapest.expect("there is a side to move");
        let mut subs = Vec::new();
        let black = plan.inputs.black_to_move;
        let side = if black { BLACK_TO_MOVE } else { 0 };
        for (file, (shortlist, table)) in plan.files.into_iter().enumerate() {
            let mut table = match table {
                Some(table) => table,
                None => self.distances(&mut plan.inputs, &plan.required, file)?,
            };
            let values = StoredValues::Dtz(&plan.required.meaning);
            let search = self.order_search(values);
            let orders = search.best(&mut table, shortlist)?;
            let mut sub = self.smallest(table, orders, values)?;
            sub.flags |= side;
            subs.push(vec![sub]);
        }
        Ok(subs)
    }

    /// The likely orders of a side's distances and about the bits they take. `other_is_planned`:
    /// the other side's values may be in memory.
    fn plan_dtz(&self, black: bool, other_is_planned: bool) -> Result<DtzPlan, TableError> {
        let mut inputs = self.inputs(black);
        let required = RequiredDtz::new(&inputs.half, self.most_distances, self.tables, self.run)?;
        let single_value = required.meaning.is_single_value();
        let (mut files, mut bits) = (Vec::new(), 0);
        let count = files_of(self.material);
        for file in 0..count {
            let mut table = self.distances(&mut inputs, &required, file)?;
            let search = self.order_search(StoredValues::Dtz(&required.meaning));
            let shortlist = search.shortlist(&mut table, single_value)?;
            bits += shortlist.bits();
            // The values are kept if the next step has enough memory beside them.
            let next = match (count, other_is_planned) {
                (1, true) => 0,
                (1, false) => self.bytes_planned(),
                _ => self.bytes_needed(),
            };
            let kept = self.layout.is_in_memory() && self.run.ram.left() >= next;
            files.push((shortlist, kept.then_some(table)));
        }
        inputs.captures = None;
        Ok(DtzPlan {
            inputs,
            required,
            files,
            bits,
        })
    }

    fn distances(
        &self,
        inputs: &mut Inputs,
        required: &RequiredDtz,
        file: usize,
    ) -> Result<SubTable, TableError> {
        self.values(inputs, file, |inputs, captures, slices| {
            required.value_table(&inputs.half, slices, captures, self.tables, self.run)
        })
    }

    fn inputs(&self, black_to_move: bool) -> Inputs {
        let half = half_of(self.material, black_to_move);
        Inputs {
            space: self.tables.space(&half),
            half,
            black_to_move,
            captures: None,
        }
    }

    /// The values of the sub-table with the leading pawn on a file, computed by `table` from
    /// captures for some slices.
    fn values(
        &self,
        inputs: &mut Inputs,
        file: usize,
        table: impl Fn(&Inputs, &Captures, Vec<usize>) -> Result<ValueTable, TableError>,
    ) -> Result<SubTable, TableError> {
        let captures = match inputs.captures.take() {
            Some(captures) => captures,
            None => Captures::new(&inputs.space, self.tables, self.run)?,
        };
        // The sub-table before may have left 15 MiB of freed buffers with the allocator.
        system::release_freed_memory();
        let black = inputs.black_to_move;
        let slices = slices_of(self.material, &inputs.space, black, file);
        let table = |slices| table(inputs, &captures, slices);
        let values = match self.layout.is_by_slice() {
            false => SubTable::whole(table(slices)?, file, black),
            true => {
                let one = |slice| table(vec![slice]);
                SubTable::by_slice(&inputs.space, slices, (file, black), self.files, one)?
            }
        };
        if self.layout.is_in_memory() {
            inputs.captures = Some(captures);
        }
        Ok(values)
    }

    fn order_search<'a>(&'a self, values: StoredValues<'a>) -> OrderSearch<'a> {
        OrderSearch {
            material: self.material,
            values,
            run: self.run,
        }
    }

    /// Encodes the values of a sub-table in the given orders, the likeliest first, and returns the
    /// smallest one. Stops after [`MAX_ENCODED_BYTES`].
    fn smallest(
        &self,
        table: SubTable,
        orders: Vec<PieceOrder>,
        values: StoredValues<'_>,
    ) -> Result<EncodedSubTable, TableError> {
        let mut table = Some(table);
        let mut smallest: Option<EncodedSubTable> = None;
        let (mut tried, mut encoded_bytes) = (0, 0);
        let count = orders.len();
        let small = Place::memory(self.material, self.run);
        for piece_order in orders {
            let Some(own) = &mut table else { break };
            if encoded_bytes > MAX_ENCODED_BYTES {
                break;
            }
            let what = self.material.to_string();
            let threads = self.run.threads.get() as u64;
            let (place, blocks) = match is_small(piece_order.size()) {
                true => (&small, &small),
                false => (self.place, self.files),
            };
            if !is_small(piece_order.size()) {
                // The allocator may keep what the estimates of the samples took, and the bytes in
                // index order come on top.
                system::release_freed_memory();
            }
            let batches = self.run.ram.reserve(&what, batch_bytes(threads))?;
            let mut bytes = own.permuted(&piece_order, place, self.run)?;
            drop(batches);
            tried += 1;
            if tried == count {
                // The memory of a large table is needed for the grammar.
                table = None;
            }
            if !is_small(piece_order.size()) {
                // The grammar needs what the samples and values took.
                system::release_freed_memory();
            }
            let _grammar = self
                .run
                .ram
                .reserve(&what, encoding_bytes(piece_order.size(), threads))?;
            let rule = best_rule(&bytes, values, self.run)?;
            let (maps, flags) = values.finish_table(&mut bytes, rule, self.run)?;
            let sub = EncodedSubTable {
                piece_order,
                flags,
                maps,
                encoded: self.encode(&bytes, values.contents(), [place, blocks])?,
            };
            encoded_bytes += sub.encoded.bytes();
            if smallest
                .as_ref()
                .is_none_or(|least| sub.encoded.bytes() < least.encoded.bytes())
            {
                smallest = Some(sub);
            }
        }
        Ok(smallest.expect("every ending has a piece order"))
    }

    fn encode(
        &self,
        values: &Buffer,
        contents: Contents,
        [sequence, blocks]: [&Place; 2],
    ) -> Result<Encoded, TableError> {
        let (single, block_log2) = match contents {
            Contents::Wdl => (SingleValue::Any, WDL_BLOCK_LOG2),
            Contents::Dtz => (SingleValue::Zero, DTZ_BLOCK_LOG2),
        };
        encode(values, single, block_log2, [sequence, blocks], self.run)
    }
}

/// The sub-tables of a DTZ file for one side to move, as far as they are planned.
struct DtzPlan {
    inputs: Inputs,
    required: RequiredDtz,
    /// By file of the leading pawn; with the distances, if there is memory to keep them.
    files: Vec<(Shortlist, Option<SubTable>)>,
    /// The estimated bits of all sub-tables.
    bits: u64,
}

/// Which pawns of a P-slice are of the leading pawn's colour.
fn leading_pawns(material: &Material, space: &IndexSpace, black_to_move: bool) -> Range<usize> {
    let attackers = space.half.attacker.pawns();
    // The attacker's pawns come first.
    if black_leads(material) == black_to_move {
        0..attackers
    } else {
        attackers..space.pawns
    }
}
