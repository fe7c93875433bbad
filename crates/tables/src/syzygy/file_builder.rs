//! The sub-tables of one Syzygy file: values collected, piece orders chosen, encoded.

use std::ops::Range;
use std::sync::Arc;

use everymove_kernel::run::Run;

use crate::error::TableError;
use crate::parallel::in_parallel;
use crate::position::index_space::IndexSpace;
use crate::position::material::{Half, Material};
use crate::store::directory::Tables;
use crate::syzygy::compress::encode::{Encoded, SingleValue, encode};
use crate::syzygy::compress::repair::grammar::grammar_bytes;
use crate::syzygy::file::parse::{BLACK_TO_MOVE, Contents};
use crate::syzygy::file::write::EncodedSubTable;
use crate::syzygy::index::candidates::black_leads;
use crate::syzygy::index::leading::pawn_rank;
use crate::syzygy::index::piece_order::PieceOrder;
use crate::syzygy::order_search::{OrderSearch, Shortlist};
use crate::syzygy::values::captures::Captures;
use crate::syzygy::values::dont_care::DONT_CARE;
use crate::syzygy::values::dtz_map::StoredValues;
use crate::syzygy::values::permute::Permutation;
use crate::syzygy::values::required_values::{RequiredDtz, required_wdl};
use crate::syzygy::values::value_table::ValueTable;

/// The largest blocks, as binary logarithms of bytes: WDL values are probed often and in random order, DTZ values seldom.
const WDL_BLOCK_LOG2: u8 = 6;
const DTZ_BLOCK_LOG2: u8 = 10;
/// Orders are encoded in full until they have made this many bytes together: for large tables the samples are accurate, and each
/// encoding takes long.
const MAX_ENCODED_BYTES: u64 = 32_000;
/// Indices that a thread permutes at a time.
const BATCH: u64 = 1 << 16;
/// Batches of each thread before they are put together.
const BATCHES: usize = 8;

/// Bytes of the batches that are permuted and not yet put together.
pub(crate) fn batch_bytes(threads: u64) -> u64 {
    threads * BATCHES as u64 * BATCH
}

/// Builds the sub-tables of an ending's files.
pub(crate) struct FileBuilder<'a> {
    pub(crate) material: &'a Material,
    pub(crate) tables: &'a Tables,
    pub(crate) run: &'a Run,
}

impl FileBuilder<'_> {
    /// The half whose attacker is the side to move.
    pub(crate) fn half(&self, black_to_move: bool) -> Half {
        let (white, black) = (self.material.white().clone(), self.material.black().clone());
        let (attacker, defender) = if black_to_move {
            (black, white)
        } else {
            (white, black)
        };
        Half { attacker, defender }
    }

    /// The number of files of the leading pawn with sub-tables of their own; 1 without pawns.
    pub(crate) fn files(&self) -> usize {
        if self.material.has_pawns() { 4 } else { 1 }
    }

    /// The sides to move with sub-tables of their own: white, and black (`true`) unless both sides have the same pieces.
    pub(crate) fn sides(&self) -> &'static [bool] {
        if self.material.is_symmetric() {
            &[false]
        } else {
            &[false, true]
        }
    }

    /// The sub-tables of the WDL file, by file of the leading pawn and side to move.
    pub(crate) fn wdl(&self) -> Result<Vec<Vec<EncodedSubTable>>, TableError> {
        let mut subs: Vec<Vec<EncodedSubTable>> = (0..self.files()).map(|_| Vec::new()).collect();
        for &black in self.sides() {
            let half = self.half(black);
            let space = self.tables.space(&half);
            let captures = Captures::new(&half, &space, self.tables, self.run)?;
            for (file, subs) in subs.iter_mut().enumerate() {
                let slices = self.slices(&space, black, file);
                let mut table = required_wdl(&half, slices, &captures, self.tables, self.run)?;
                let single_value = !table.has_several_values(DONT_CARE);
                let search = self.order_search(file, black, StoredValues::Wdl);
                let shortlist = search.shortlist(&mut table, single_value)?;
                let orders = search.best(&mut table, shortlist)?;
                subs.push(self.smallest(table, orders, black, StoredValues::Wdl)?);
            }
        }
        Ok(subs)
    }

    /// The sub-tables of the DTZ file, by file of the leading pawn: those of the side to move that seems to take fewer bits.
    pub(crate) fn dtz(&self) -> Result<Vec<Vec<EncodedSubTable>>, TableError> {
        let mut cheapest: Option<DtzPlan> = None;
        // Most files have white to move: its values, planned last, are still in memory.
        for &black in self.sides().iter().rev() {
            let plan = self.plan_dtz(black, cheapest.is_some())?;
            if cheapest
                .as_ref()
                .is_none_or(|least| plan.bits <= least.bits)
            {
                cheapest = Some(plan);
            }
        }
        let plan = cheapest.expect("there is a side to move");
        let mut subs = Vec::new();
        let side = if plan.black { BLACK_TO_MOVE } else { 0 };
        for (file, (shortlist, table)) in plan.files.into_iter().enumerate() {
            let again = || self.distances(&plan.inputs, plan.black, file);
            let mut table = table.map_or_else(again, Ok)?;
            let values = StoredValues::Dtz(&plan.inputs.required.meaning);
            let search = self.order_search(file, plan.black, values);
            let orders = search.best(&mut table, shortlist)?;
            let mut sub = self.smallest(table, orders, plan.black, values)?;
            sub.flags |= side;
            subs.push(vec![sub]);
        }
        Ok(subs)
    }

    /// The likely orders of a side's distances and about the bits they take. `other_is_planned`: the other side's values may be in memory.
    fn plan_dtz(&self, black: bool, other_is_planned: bool) -> Result<DtzPlan, TableError> {
        let half = self.half(black);
        let space = self.tables.space(&half);
        let inputs = DtzInputs {
            captures: Captures::new(&half, &space, self.tables, self.run)?,
            required: RequiredDtz::new(&half, self.tables, self.run)?,
            half,
            space,
        };
        let single_value = inputs.required.meaning.is_single_value();
        let (mut files, mut bits) = (Vec::new(), 0);
        for file in 0..self.files() {
            let mut table = self.distances(&inputs, black, file)?;
            let values = StoredValues::Dtz(&inputs.required.meaning);
            let search = self.order_search(file, black, values);
            let shortlist = search.shortlist(&mut table, single_value)?;
            bits += shortlist.bits();
            // The values are kept if the next step has enough memory beside them.
            let next = match (self.files(), other_is_planned) {
                (1, true) => 0,
                (1, false) => self.bytes_planned(),
                _ => self.bytes_needed(),
            };
            let kept = self.run.ram.left() >= next;
            files.push((shortlist, kept.then_some(table)));
        }
        Ok(DtzPlan {
            inputs,
            black,
            files,
            bits,
        })
    }

    fn distances(
        &self,
        inputs: &DtzInputs,
        black: bool,
        file: usize,
    ) -> Result<ValueTable, TableError> {
        let slices = self.slices(&inputs.space, black, file);
        let (half, captures) = (&inputs.half, &inputs.captures);
        let required = &inputs.required;
        required.value_table(half, slices, captures, self.tables, self.run)
    }

    fn order_search<'a>(
        &'a self,
        file: usize,
        black_to_move: bool,
        values: StoredValues<'a>,
    ) -> OrderSearch<'a> {
        OrderSearch {
            material: self.material,
            file,
            black_to_move,
            values,
            run: self.run,
        }
    }

    /// The slices whose leading pawn is on a file (0 to 3) or its mirror image; all slices without pawns.
    pub(crate) fn slices(
        &self,
        space: &IndexSpace,
        black_to_move: bool,
        file: usize,
    ) -> Vec<usize> {
        if space.pawns == 0 {
            return (0..space.slices()).collect();
        }
        let leading = leading_pawns(self.material, space, black_to_move);
        let flip = if black_to_move { 56 } else { 0 };
        let on_file = |&slice: &usize| {
            let own = &space.p_slices[slice][leading.clone()];
            let lead = own.iter().map(|&s| s ^ flip).max_by_key(|&s| pawn_rank(s));
            lead.is_some_and(|s| usize::from((s & 7).min(7 - (s & 7))) == file)
        };
        (0..space.slices()).filter(on_file).collect()
    }

    /// The bytes of a value table in an index order.
    pub(crate) fn permute(
        &self,
        table: &mut ValueTable,
        order: &PieceOrder,
        black_to_move: bool,
    ) -> Result<Vec<u8>, TableError> {
        let permutation = Permutation::new(&table.space, order, black_to_move);
        table.make_adjacent(permutation.digit(), self.run)?;
        let table = &*table;
        let size = order.size();
        let mut bytes = Vec::with_capacity(size as usize);
        let starts: Vec<u64> = (0..size).step_by(BATCH as usize).collect();
        for batches in starts.chunks(BATCHES * self.run.threads.get()) {
            let parts = in_parallel(
                batches,
                self.run,
                || (),
                |(), &from| permutation.bytes(table, from, (from + BATCH).min(size)),
            )?;
            parts.iter().for_each(|part| bytes.extend(part));
        }
        Ok(bytes)
    }

    fn encode(&self, values: &[u8], contents: Contents) -> Result<Encoded, TableError> {
        let (single, block_log2) = match contents {
            Contents::Wdl => (SingleValue::Any, WDL_BLOCK_LOG2),
            Contents::Dtz => (SingleValue::Zero, DTZ_BLOCK_LOG2),
        };
        let what = self.material.to_string();
        encode(values, single, block_log2, &what, self.run)
    }

    /// Encodes a value table in the given orders, the likeliest first, and returns the smallest sub-table. Stops after
    /// [`MAX_ENCODED_BYTES`].
    fn smallest(
        &self,
        table: ValueTable,
        orders: Vec<PieceOrder>,
        black_to_move: bool,
        values: StoredValues<'_>,
    ) -> Result<EncodedSubTable, TableError> {
        let mut table = Some(table);
        let mut smallest: Option<EncodedSubTable> = None;
        let (mut tried, mut encoded_bytes) = (0, 0);
        let count = orders.len();
        for piece_order in orders {
            let Some(own) = &mut table else { break };
            if encoded_bytes > MAX_ENCODED_BYTES {
                break;
            }
            let what = self.material.to_string();
            let threads = self.run.threads.get() as u64;
            let permuted = piece_order.size() + batch_bytes(threads);
            let _permuted = self.run.ram.reserve(&what, permuted)?;
            let mut bytes = self.permute(own, &piece_order, black_to_move)?;
            tried += 1;
            if tried == count {
                // The memory of a large table is needed for the grammar.
                table = None;
            }
            let grammar = grammar_bytes(piece_order.size(), threads);
            let _grammar = self.run.ram.reserve(&what, grammar)?;
            let (maps, flags) = values.finish(&mut bytes);
            let sub = EncodedSubTable {
                piece_order,
                flags,
                maps,
                encoded: self.encode(&bytes, values.contents())?,
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
}

/// What a side's distances are computed from.
struct DtzInputs {
    half: Half,
    space: Arc<IndexSpace>,
    captures: Captures,
    required: RequiredDtz,
}

/// The sub-tables of a DTZ file for one side to move, as far as they are planned.
struct DtzPlan {
    inputs: DtzInputs,
    black: bool,
    /// By file of the leading pawn; with the distances, if there is memory to keep them.
    files: Vec<(Shortlist, Option<ValueTable>)>,
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
