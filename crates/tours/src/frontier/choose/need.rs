//! What a count takes, before it starts: from tables of measured boards, from the estimated sizes of its layers, and from what
//! each way of counting has besides layers.

use everymove_kernel::run::{OverBudget, Ram, Reservation, Run};

use crate::board::{Board, Leaper};
use crate::frontier::FrontierError;
use crate::frontier::choose::scheme::{Files, widest};
use crate::frontier::choose::sizes::{Counts, Size, last, layer_sizes, neighbours};
use crate::frontier::classes::{ClassSizes, Columns, Options};
use crate::frontier::join::{NARROW_LANED, join_bytes};
use crate::frontier::states::maps::Maps;
use crate::frontier::step::plan::{Phase, Phases, Plan};
use crate::frontier::step::pull::entries;
use crate::frontier::step::weights::branch_weights;
use crate::frontier::store::files::Rest;
use crate::frontier::vectors::degrees::Degrees;
use crate::frontier::vectors::index::Index;
use crate::frontier::vectors::live::{List, Live};
use crate::question::Question;

/// What boards of a size are known to take, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    /// Whole layers in memory.
    pub(crate) whole: u64,
    /// A class in memory at a time.
    pub(crate) classes: u64,
    /// Layers on disk.
    pub(crate) disk: u64,
}

impl Known {
    /// Of the board of a question; of boards that are not in the table, less than most take.
    pub(crate) fn of(question: &Question) -> Self {
        let grid = question.board.grid();
        Self::of_size(widest(question), grid.rows().max(grid.cols()))
    }

    /// Of a frontier of `slots` slots on a board whose longer side has `rows` squares.
    pub(crate) fn of_size(slots: usize, rows: usize) -> Self {
        let lines = include_str!("needs.tsv").lines();
        let numbers = |line: &str| -> Option<[u64; 5]> {
            let numbers = line.split('\t').map(|text| text.parse::<u64>().ok());
            numbers.collect::<Option<Vec<_>>>()?.try_into().ok()
        };
        let mut rows_of_table = lines.filter_map(numbers);
        let fits = |&[most, length, ..]: &[u64; 5]| {
            slots as u64 <= most && (rows as u64 <= length || length == 99)
        };
        let [.., whole, classes, disk] = rows_of_table.find(fits).unwrap_or([0; 5]);
        Self {
            whole: whole << 20,
            classes: classes << 20,
            disk: disk << 20,
        }
    }
}

/// The most rows of boards for which the table was compared with estimates of their layers.
const MEASURED_ROWS: usize = 10;

/// On smaller frontiers what is needed is known as soon.
const LARGE_FRONTIER: usize = 15;

/// Whether the memory of counts on boards of this size was measured.
pub(crate) fn is_measured(question: &Question) -> bool {
    let (board, grid) = (&question.board, question.board.grid());
    let knight = board.leaper() == Leaper::KNIGHT && board.holes().is_empty();
    knight && grid.rows().max(grid.cols()) <= MEASURED_ROWS
}

/// Whether `left` bytes are so few beside what whole layers of such boards take that the exact need need not be computed.
pub(crate) fn is_hopeless(question: &Question, left: u64) -> bool {
    let rough = Known::of(question).whole;
    match widest(question) {
        ..LARGE_FRONTIER => false,
        _ if is_measured(question) => left < rough / 4 * 3,
        _ => left < rough / 4,
    }
}

/// Bytes of the steps of a count and of what is kept of each layer besides its blocks.
pub(crate) fn plan_bytes(board: &Board) -> u64 {
    512 * board.playable() as u64
}

/// Layers take this part more than estimated, on the boards measured.
pub(crate) const ERROR: f64 = 0.1;

/// Layers take this part more than their counts: vectors of a layer that is freed leave gaps.
pub(crate) const GAPS: f64 = 0.05;

/// Bytes of a thread's accumulators per matching: two vectors of 64 bits and two of 32.
const BYTES_A_SUM: u64 = 24;

/// With this much memory the tables of maps may be larger, if the count is long.
const MUCH_MEMORY: u64 = 32 << 30;
const LARGE_PLAN: u64 = 50_000_000;
const LARGE_MAPS: u64 = 5 << 30;

/// The tables of maps, by the largest number of endpoints of a frontier: as many as pay for themselves.
pub(crate) fn map_bytes(endpoints: usize) -> u64 {
    match endpoints {
        ..=10 => 2 << 20,
        11..=12 => 5 << 20,
        13..=14 => 16 << 20,
        15..=16 => 48 << 20,
        _ => 256 << 20,
    }
}

/// What is known of the live degree vectors of a count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// Vectors of all layers.
    pub(crate) vectors: u64,
    /// The most endpoints of one.
    pub(crate) ends: usize,
    /// The most of a layer.
    pub(crate) longest: u64,
}

impl Found {
    pub(crate) fn of<L: List>(live: &Live<L>, run: &Run) -> Result<Self, FrontierError> {
        Ok(Self {
            vectors: live.vectors(),
            ends: live.most_endpoints(run)?,
            longest: live.longest(),
        })
    }
}

/// What a count with layers in memory takes besides the lists of degree vectors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InMemory {
    /// All of it, in bytes.
    pub(crate) bytes: u64,
    /// The part that is not reserved piece by piece while the count runs: gaps and tables.
    pub(crate) unaccounted: u64,
    /// The part of the tables of maps.
    pub(crate) maps: u64,
}

impl InMemory {
    /// Given the most bytes of layers at once. By classes the index of the second half is kept while steps are made.
    pub(crate) fn of(layers: f64, by_classes: bool, plan: &Plan, found: Found, run: &Run) -> Self {
        let maps = match run.ram.left() {
            MUCH_MEMORY.. if found.vectors > LARGE_PLAN => LARGE_MAPS,
            _ => map_bytes(found.ends),
        };
        let threads = run.threads.get() as u64;
        let sums = entries(found.ends, plan.slots()) * BYTES_A_SUM * threads;
        let facing = plan.meet.as_ref().filter(|_| by_classes);
        let (joins, second) = facing.map_or((0, 0), |meet| {
            let joins = join_bytes(found.ends.min(NARROW_LANED)) * threads;
            (joins, Index::bytes(meet.facing.len(), None))
        });
        let index = second + Index::bytes(plan.slots(), None);
        let gaps = (layers * GAPS) as u64;
        let layers = layers as u64 + (layers * ERROR) as u64 + gaps;
        Self {
            bytes: layers + index + maps + sums.max(joins),
            unaccounted: gaps + maps,
            maps,
        }
    }
}

/// The slots of the keys that are tried: classes become smaller with each, and the layers before them are read more often.
const FEWEST_SLOTS: usize = 5;
const MOST_SLOTS: usize = 9;

/// With more, files are small and many.
const MOST_SLOTS_ON_DISK: usize = 7;

/// The sizes of the layers of a count by classes.
pub(crate) struct ByClasses {
    /// The layers that are counted whole, those of the first half left out.
    pub(crate) whole: Phases<Vec<Size>>,
    pub(crate) classes: ClassSizes,
    root: Size,
    on_disk: bool,
}

impl ByClasses {
    /// For keys of at most `part_slots` slots, or as many as are tried.
    pub(crate) fn new<L: List>(
        plan: &Plan,
        live: &Live<L>,
        part_slots: Option<usize>,
        on_disk: bool,
        run: &Run,
    ) -> Result<Self, FrontierError> {
        run.progress.start("estimating the memory", 0);
        let steps = &plan.steps;
        let most = part_slots.unwrap_or(match on_disk {
            true => MOST_SLOTS_ON_DISK,
            false => MOST_SLOTS,
        });
        let (common, branch) =
            layer_sizes(vec![1.0], &steps.common, &live.common, Counts::Exact, run)?;
        // Beside the weights of a step: those of the common layer and of a half's first, and the sizes of classes.
        let starts = branch.len() + live.first[0].len().max(live.second[0].len());
        let beside = 8 * starts as u64 + ClassSizes::bytes(&steps.first, most);
        let what = "counting: the weights of degree vectors";
        let _beside = run.ram.reserve(what, beside)?;
        let start = branch_weights(live, &branch, Phase::Second, run)?;
        let (second, _) = layer_sizes(start, &steps.second, &live.second, Counts::Exact, run)?;
        let root = common.last().copied().unwrap_or_default();
        let start = branch_weights(live, &branch, Phase::First, run)?;
        let classes = ClassSizes::new(&steps.first, &live.first, most, (root, start), run)?;
        Ok(Self {
            whole: Phases {
                common,
                first: vec![],
                second,
            },
            classes,
            root,
            on_disk,
        })
    }

    /// About the states of all layers.
    pub(crate) fn states(&self) -> f64 {
        let whole = self.whole.each().into_iter().flatten();
        Size::sum(whole).states + self.classes.states()
    }

    /// About the most bytes of layers at once by keys of at most `slots` slots.
    fn bytes(&self, slots: usize) -> f64 {
        let Phases { common, second, .. } = &self.whole;
        let whole = neighbours(common).max(neighbours(second) + self.root.bytes);
        // A file of the common layers is what a count is resumed from.
        let kept = if self.on_disk { self.root.bytes } else { 0.0 };
        whole.max(last(second) + kept + self.classes.bytes_at_once(slots))
    }

    /// The slots of the keys with which the layers fit, or the most that are tried, and the bytes of layers at once.
    pub(crate) fn slots(
        &self,
        part_slots: Option<usize>,
        key_slots: usize,
        fits: impl Fn(f64) -> bool,
    ) -> (usize, f64) {
        let most = match self.on_disk {
            true => MOST_SLOTS_ON_DISK,
            false => MOST_SLOTS,
        };
        let mut tried = FEWEST_SLOTS.max(key_slots)..most;
        let found = || tried.find(|&slots| fits(self.bytes(slots))).unwrap_or(most);
        let slots = part_slots.unwrap_or_else(found);
        (slots, self.bytes(slots))
    }
}

/// Layers that are known to fit are not estimated: half more than whole layers are known to take, because on boards of few slots
/// classes take up to a quarter less.
pub(crate) fn plenty_for_classes(question: &Question, options: &Options) -> Option<(usize, f64)> {
    let slots = (options.part_slots).unwrap_or(FEWEST_SLOTS.max(options.key_slots));
    let known = Known::of(question);
    let enough = match widest(question) {
        ..=17 => known.whole + known.whole / 2,
        _ => known.classes,
    };
    let is_known = is_measured(question) && options.columns == Columns::Narrow;
    (is_known && slots >= FEWEST_SLOTS).then_some((slots, enough as f64))
}

/// The least bytes of a thread's cache of a layer in a file.
pub(crate) const LEAST_CACHE: u64 = 4 << 20;

/// Bytes of finished jobs that wait for their turn, and of the writer's buffers.
pub(crate) const WAITING: u64 = 12 << 20;

/// The memory for blocks that are joined, at least: of layers that are whole, and of classes.
const LEAST_PORTION: u64 = 12 << 20;
const LEAST_PORTION_OF_CLASSES: u64 = 32 << 20;

/// What the memory of the tables of maps is asked for.
const MAPS: &str = "counting: the tables of maps";

/// The least bytes of the tables of maps; with fewer, most maps would be computed matching by matching.
const LEAST_MAPS: u64 = 16 << 20;

/// With fewer bytes there is no room for the larger tables beside those that are used most.
const MANY_MAPS: u64 = 64 << 20;

/// The part of the budget that the allocator may keep.
const KEPT: u64 = 12;

/// Bytes on disk for an estimated byte in memory: 0.37 on 7x8 open, 0.46 on 8x8 closed, 0.52 on 7x9 open.
const COMPRESSED: f64 = 0.5;

/// The same without compression: 0.57, 0.80 and 0.83 there.
const PLAIN: f64 = 0.8;

impl Rest {
    /// The least memory with one thread.
    pub(crate) fn of(plan: &Plan, found: Found) -> Self {
        let list = found.longest * size_of::<Degrees>() as u64;
        let slots = plan.slots();
        let sums = entries(found.ends, slots) * BYTES_A_SUM;
        let index = Index::bytes(slots, None);
        let step = index + 2 * list + sums + 2 * LEAST_CACHE + WAITING;
        let join = plan.meet.as_ref().map_or(0, |meet| {
            let facing = meet.facing.len();
            let vectors = join_bytes(found.ends.min(facing));
            Index::bytes(facing, None) + 4 * list + vectors + LEAST_PORTION
        });
        Self {
            step,
            join,
            ends: found.ends,
        }
    }

    /// The same by classes, where the last list of the second half has `last` members: its index is kept while steps are made.
    pub(crate) fn by_classes(plan: &Plan, found: Found, last: u64) -> Self {
        let of_degrees = |members: u64| members * size_of::<Degrees>() as u64;
        let facing = plan.meet.as_ref().map_or(0, |meet| meet.facing.len());
        let joining = join_bytes(found.ends.min(facing)) + LEAST_PORTION_OF_CLASSES;
        // Of the layers before the one that is read, few have lists that are not divided by classes.
        let path = 2 * of_degrees(found.longest);
        let kept = Index::bytes(facing, None) + of_degrees(last) + path;
        let both = kept + Self::of(plan, found).step.max(joining);
        Self {
            step: both,
            join: both,
            ends: found.ends,
        }
    }

    /// With the least tables of maps.
    pub(crate) fn bytes(&self) -> u64 {
        self.step.max(self.join) + least_maps(self.ends)
    }
}

/// The least bytes of the tables of maps for frontiers of at most `ends` endpoints.
pub(crate) fn least_maps(ends: usize) -> u64 {
    map_bytes(ends).min(LEAST_MAPS)
}

/// The tables of maps of the steps or of the join, and their memory: half of what the `rest` leaves, as the other half is for the caches
/// of layers.
pub(crate) fn maps_beside(
    rest: u64,
    ends: usize,
    run: &Run,
) -> Result<(Maps, Reservation), OverBudget> {
    let spare = run.ram.left().saturating_sub(rest);
    let bytes = (spare / 2).clamp(least_maps(ends), map_bytes(ends));
    let held = run.ram.reserve(MAPS, bytes)?;
    let maps = match bytes < map_bytes(ends).min(MANY_MAPS) {
        true => Maps::few(bytes),
        false => Maps::new(bytes),
    };
    Ok((maps, held))
}

/// Memory that the allocator keeps of freed lists and segments, from what the `rest` leaves; each thread has its own.
pub(crate) fn kept_bytes(rest: u64, run: &Run) -> u64 {
    let spare = run.ram.left().saturating_sub(rest);
    let kept = run.ram.limit() / KEPT * run.threads.get() as u64;
    kept.min(spare / 3)
}

/// The files of layers that would take this many bytes of memory at once.
pub(crate) fn files(at_once: f64) -> Files {
    let bytes = |part: f64| (at_once * part) as u64;
    Files {
        compressed: bytes(COMPRESSED),
        plain: bytes(PLAIN),
    }
}

/// A refusal that names what the program has and what a count takes besides.
pub(crate) fn refusal(what: &str, beside: u64, run: &Run) -> OverBudget {
    OverBudget {
        what: what.to_owned(),
        need: run.ram.used().max(Ram::PROGRAM).saturating_add(beside),
        limit: run.ram.limit(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Kind;
    use crate::frontier::classes::plan;
    use crate::frontier::vectors::live::Members;

    /// What is taken without an estimate is at least what is estimated, for keys as jobs have them.
    fn is_enough(rows: u32, cols: u32, kind: Kind) {
        let question = Question::new(Board::knight(rows, cols).unwrap(), kind);
        let options = Options {
            part_slots: Some(FEWEST_SLOTS),
            ..Options::default()
        };
        let run = Run::new(2, Ram::limited(64 << 30));
        let Some(plan) = plan(&question, &options, &run).unwrap() else {
            return;
        };
        let live: Live<Members> = Live::new(&plan, &run).unwrap();
        let sizes = ByClasses::new(&plan, &live, options.part_slots, false, &run).unwrap();
        let (slots, layers) = sizes.slots(options.part_slots, options.key_slots, |_| true);
        let (taken_slots, taken) = plenty_for_classes(&question, &options).unwrap();
        assert_eq!(slots, taken_slots);
        let estimated = layers * (1.0 + ERROR + GAPS);
        assert!(
            taken >= estimated,
            "{rows}x{cols} {kind}: {taken} {estimated}"
        );
    }

    #[test]
    fn what_is_taken_without_an_estimate_is_enough() {
        for (rows, cols) in [(5, 6), (6, 6), (5, 9), (6, 8), (7, 7), (6, 10)] {
            for kind in [Kind::Open, Kind::Closed] {
                is_enough(rows, cols, kind);
            }
        }
    }

    /// Larger boards never take less than the table says of smaller ones, by the same number of slots.
    #[test]
    fn the_table_has_every_size_once() {
        for slots in 0..24 {
            let sizes: Vec<Known> = (1..40).map(|rows| Known::of_size(slots, rows)).collect();
            for pair in sizes.windows(2) {
                assert!(pair[0].whole <= pair[1].whole && pair[0].disk <= pair[1].disk);
            }
            assert!(sizes[0].whole > 0 && sizes[0].classes > 0 && sizes[0].disk > 0);
        }
    }
}
