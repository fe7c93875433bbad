//! What a count by classes will take, before it starts.

use everymove_kernel::freed_memory;
use everymove_kernel::run::Run;

use super::super::FrontierError;
use super::super::bits::Index;
use super::super::degrees::Degrees;
use super::super::estimate::{
    Counts, ERROR, GAPS, Size, Sizes, branch_weights, is_measured, last, layer_sizes, map_bytes,
    neighbours, rough_need, sums_bytes,
};
use super::super::external::{files, step_bytes};
use super::super::join::join_bytes;
use super::super::plan::{Meet, Plan};
use super::super::reach::{Lists, Reach};
use super::super::scheme::{self, Files, Scheme, widest};
use super::super::steps::{Action, Step};
use super::tree::ClassSizes;
use super::{Columns, Options, meet};
use crate::question::Question;

/// With this much memory the tables of maps may be larger, if the count is long.
const MUCH_MEMORY: u64 = 32 << 30;
const LARGE_PLAN: u64 = 50_000_000;
const LARGE_MAPS: u64 = 5 << 30;

/// The slots of the keys that are tried: parts become smaller with each, and the layers before them are read more often.
const FEWEST_SLOTS: usize = 5;
const MOST_SLOTS: usize = 9;

/// Pairs of blocks of up to this many endpoints are joined in lanes.
const LANED: usize = 14;

/// The memory that a count by classes takes besides the lists of degree vectors.
pub(super) struct Memory {
    /// All of it, in bytes.
    pub(super) bytes: u64,
    /// The part that is not reserved piece by piece while the count runs: gaps and tables.
    pub(super) unaccounted: u64,
    /// The part of the tables of maps.
    pub(super) maps: u64,
    /// The most slots of a key with which it fits, or the most that are tried.
    pub(super) part_slots: usize,
}

impl Memory {
    /// As [`Need::new`] estimates it; where what is known at once shows that memory is plenty, that is taken, which needs no
    /// estimate.
    pub(super) fn new(
        question: &Question,
        meet: &Meet,
        reach: &Reach,
        options: &Options,
        run: &Run,
    ) -> Result<Self, FrontierError> {
        let fewest = FEWEST_SLOTS.max(options.key_slots);
        let part_slots = options.part_slots.unwrap_or(fewest);
        let enough = match options.columns {
            Columns::Narrow if part_slots >= FEWEST_SLOTS => RoughNeed::measured(question),
            Columns::Narrow | Columns::Wide => None,
        };
        if let Some(layers) = enough {
            let fixed = Fixed::new(meet, reach, run)?;
            let bytes = layers + fixed.bytes;
            if bytes <= run.ram.left() {
                return Ok(Self {
                    bytes,
                    unaccounted: (layers as f64 * GAPS / (1.0 + GAPS)) as u64 + fixed.maps,
                    maps: fixed.maps,
                    part_slots,
                });
            }
        }
        Ok(Need::new(meet, reach, options, run)?.memory)
    }
}

/// The memory that does not depend on the sizes of layers, in bytes.
struct Fixed {
    /// All of it: indices of layers, tables of maps, and what each thread sums in.
    bytes: u64,
    /// The part of the tables of maps.
    maps: u64,
}

impl Fixed {
    fn new(meet: &Meet, reach: &Reach, run: &Run) -> Result<Self, FrontierError> {
        let ends = reach.most_endpoints(run)?;
        let maps = match run.ram.left() {
            MUCH_MEMORY.. if reach.len() > LARGE_PLAN => LARGE_MAPS,
            _ => map_bytes(ends),
        };
        let slots = meet.facing.len();
        let joins = join_bytes(ends.min(LANED)) * run.threads.get() as u64;
        // The second half's index and that of the layer before a step.
        let steps = meet.common.iter().chain(&meet.first).chain(&meet.second);
        let widest = steps.map(|step| step.slots_in).max().unwrap_or(slots);
        let index = Index::bytes(slots, None) + Index::bytes(widest, None);
        Ok(Self {
            bytes: index + maps + joins.max(sums_bytes(ends, widest, run)),
            maps,
        })
    }
}

/// What a count by classes will take besides the lists of degree vectors.
pub(super) struct Need {
    pub(super) memory: Memory,
    pub(super) sizes: ClassSizes,
    /// About the states of all layers.
    pub(super) states: f64,
}

impl Need {
    pub(super) fn new(
        meet: &Meet,
        reach: &Reach,
        options: &Options,
        run: &Run,
    ) -> Result<Self, FrontierError> {
        let [common, first, second] = reach.halves();
        run.progress.start("estimating the memory", 0);
        let (of_common, branch) = layer_sizes(vec![1.0], &meet.common, common, Counts::Exact, run)?;
        let most = options.part_slots.unwrap_or(MOST_SLOTS);
        // Beside the weights of a step: those of the common layer and of a half's first, and the sizes of classes.
        let starts = branch.len() + first[0].len().max(second[0].len());
        let beside = 8 * starts as u64 + ClassSizes::bytes(&meet.first, most);
        let what = "counting: the weights of degree vectors";
        let _beside = run.ram.reserve(what, beside)?;
        let all = common.last().expect("a layer before the first step");
        let start = branch_weights(all, &branch, &second[0]);
        let (of_second, _) = layer_sizes(start, &meet.second, second, Counts::Exact, run)?;
        let start = branch_weights(all, &branch, &first[0]);
        let root = of_common.last().copied().unwrap_or_default();
        let sizes = ClassSizes::new(&meet.first, first, most, (root, start), run)?;

        let whole = neighbours(&of_common).max(neighbours(&of_second) + root.bytes);
        let fixed = Fixed::new(meet, reach, run)?;
        let bytes = |slots: usize| {
            let classes = last(&of_second) + sizes.bytes_at_once(slots);
            let layers = whole.max(classes);
            let gaps = (layers * GAPS) as u64;
            (
                layers as u64 + (layers * ERROR) as u64 + gaps + fixed.bytes,
                gaps,
            )
        };
        let part_slots = options.part_slots.unwrap_or_else(|| {
            let fits = |&slots: &usize| bytes(slots).0 <= run.ram.left();
            let tried = FEWEST_SLOTS.max(options.key_slots)..MOST_SLOTS;
            tried.into_iter().find(fits).unwrap_or(MOST_SLOTS)
        });
        let (bytes, gaps) = bytes(part_slots);
        let memory = Memory {
            bytes,
            unaccounted: gaps + fixed.maps,
            maps: fixed.maps,
            part_slots,
        };
        Ok(Self {
            memory,
            states: Size::sum(of_common.iter().chain(&of_second)).states + sizes.states(),
            sizes,
        })
    }
}

/// The most slots of the keys that are tried where parts of layers are in files: with more, the files are small and many.
const MOST_SLOTS_ON_DISK: usize = 7;

/// The memory for blocks that are joined, at least.
const LEAST_PORTION: u64 = 32 << 20;

/// What a count by classes with layers in files will take.
pub(super) struct OnDiskNeed {
    pub(super) files: Files,
    /// The most slots of a key with which the files fit, or the most that are tried.
    pub(super) part_slots: usize,
    /// The sizes of the layers that are counted whole.
    pub(super) whole: Sizes,
    pub(super) sizes: ClassSizes,
    /// About the states of all layers.
    pub(super) states: f64,
}

impl OnDiskNeed {
    /// Given the lists of degree vectors (the common ones, those of the first half and of the second) and the bytes that
    /// files may take.
    pub(super) fn new<L: Lists + ?Sized>(
        meet: &Meet,
        [common, first, second]: [&L; 3],
        options: &Options,
        limit: u64,
        run: &Run,
    ) -> Result<Self, FrontierError> {
        run.progress.start("estimating the memory", 0);
        let most = options.part_slots.unwrap_or(MOST_SLOTS_ON_DISK);
        let (of_common, branch) = layer_sizes(vec![1.0], &meet.common, common, Counts::Exact, run)?;
        let what = "counting: the weights of degree vectors";
        let bytes = size_of_val(&branch[..]) as u64 + ClassSizes::bytes(&meet.first, most);
        let _beside = run.ram.reserve(what, bytes)?;
        let start =
            |half: &L| branch_weights(&common.list(meet.common.len()), &branch, &half.list(0));
        let (of_second, _) = layer_sizes(start(second), &meet.second, second, Counts::Exact, run)?;
        let root = of_common.last().copied().unwrap_or_default();
        let start = start(first);
        let sizes = ClassSizes::new(&meet.first, first, most, (root, start), run)?;
        let before = neighbours(&of_common).max(neighbours(&of_second) + root.bytes);
        let files_by = |slots: usize| {
            let classes = last(&of_second) + root.bytes + sizes.bytes_at_once(slots);
            files(before.max(classes))
        };
        let part_slots = options.part_slots.unwrap_or_else(|| {
            let fits = |&slots: &usize| files_by(slots).compressed <= limit;
            let tried = FEWEST_SLOTS.max(options.key_slots)..most;
            tried.into_iter().find(fits).unwrap_or(most)
        });
        Ok(Self {
            files: files_by(part_slots),
            part_slots,
            states: Size::sum(of_common.iter().chain(&of_second)).states + sizes.states(),
            whole: Sizes {
                common: of_common,
                first: vec![],
                second: of_second,
            },
            sizes,
        })
    }
}

/// The least memory of a count by classes with layers in files, besides the lists of degree vectors and the tables of maps:
/// of a plan whose longest list has `longest` members, and the last one of the second half `last`.
pub(super) fn memory_on_disk(plan: &Plan, (longest, last): (u64, u64), ends: usize) -> u64 {
    let Plan::Meet(meet) = plan else { return 0 };
    let facing = meet.facing.len();
    let second = Index::bytes(facing, None) + last * size_of::<Degrees>() as u64;
    let joining = join_bytes(ends.min(facing)) + LEAST_PORTION;
    // Of the layers before the one that is read, few have lists that are not divided by classes.
    let path = 2 * longest * size_of::<Degrees>() as u64;
    second + path + step_bytes(plan, longest, ends).max(joining)
}

/// What a count by classes is estimated to take; `None` where whole layers take less.
pub(in super::super) fn estimate(
    question: &Question,
    run: &Run,
) -> Result<Option<scheme::Need>, FrontierError> {
    let Some(meet) = meet(question, Columns::Narrow, run)?.filter(is_uneven) else {
        return Ok(None);
    };
    let reach = Reach::of_meet(&meet, run)?;
    let _lists = reach.reserve(run)?;
    freed_memory::release();
    let need = Need::new(&meet, &reach, &Options::default(), run)?;
    let memory = run.ram.used() + need.memory.bytes;
    let classes = Scheme::Classes(need.sizes.classes(Options::default().key_slots));
    let vectors = reach.len() as f64;
    Ok(Some(scheme::Need::of(
        classes,
        memory,
        scheme::Files::default(),
        vectors,
        need.states,
    )))
}

/// Whether the first half has a row more, so that its parts are smaller than whole layers. Otherwise the second half
/// alone takes as much memory.
pub(super) fn is_uneven(meet: &Meet) -> bool {
    let squares = |steps: &[Step]| {
        let eliminations = steps
            .iter()
            .filter(|step| matches!(step.action, Action::Eliminate(_)));
        eliminations.count()
    };
    squares(&meet.first) > squares(&meet.second)
}

/// What is known of the memory of a count by classes before it is planned, in bytes.
pub(in super::super) struct RoughNeed {
    /// With this much left, the count is not refused.
    pub(in super::super) enough: u64,
    /// With less than this, it is not planned: planning alone may take more.
    pub(in super::super) least: u64,
}

impl RoughNeed {
    /// Of the whole count of a question.
    pub(in super::super) fn of(question: &Question) -> Self {
        let (slots, grid) = (widest(question), question.board.grid());
        let rows = grid.rows().max(grid.cols());
        Self::new(slots, rows, rough_need(slots, rows))
    }

    /// With this much left besides [`Fixed`], a count is not refused, if that is known by measurements of boards of its size.
    /// It is at least what [`Need`] estimates: half more than whole layers take, because on boards of few slots that is up to
    /// a quarter less.
    fn measured(question: &Question) -> Option<u64> {
        let (slots, grid) = (widest(question), question.board.grid());
        let rows = grid.rows().max(grid.cols());
        let whole = rough_need(slots, rows);
        is_measured(question).then(|| Self::new(slots, rows, whole + whole / 2).enough)
    }

    /// For a frontier of `slots` slots, 0 if they are not known, of a board whose longer side has `rows` squares, given about
    /// what whole layers take.
    pub(in super::super) fn new(slots: usize, rows: usize, whole: u64) -> Self {
        // As measured of 9x9 open, with 20 slots.
        const WIDE: u64 = 104 << 30;
        // As estimated of 8x9 open, with 18 slots, and keys of the fewest slots.
        const NINE_ROWS: u64 = 6400 << 20;
        // As estimated of 8x11 open.
        const MORE_ROWS: u64 = 26 << 30;
        let (enough, least) = match (slots, rows) {
            (0, _) => (0, 0),
            // By the estimates classes take half of what whole layers do on 7x9, a third on 9x8.
            (1..=16, _) => (whole, whole / 5 * 2),
            (17, _) => (whole, whole / 4),
            (18, ..=9) => (NINE_ROWS, NINE_ROWS / 4),
            (18, _) => (MORE_ROWS, MORE_ROWS / 4),
            _ => (WIDE, WIDE / 4 * 3),
        };
        Self { enough, least }
    }
}

#[cfg(test)]
mod tests {
    use everymove_kernel::run::Ram;

    use super::*;
    use crate::board::{Board, Kind};

    /// What is taken without an estimate is at least what is estimated, for keys as jobs have them.
    fn is_enough(rows: u32, cols: u32, kind: Kind) {
        let question = Question::new(Board::knight(rows, cols).unwrap(), kind);
        let options = Options {
            part_slots: Some(FEWEST_SLOTS),
            ..Options::default()
        };
        let run = Run::new(2, Ram::limited(64 << 30));
        let Some(meet) = meet(&question, Columns::Narrow, &Run::serial()).unwrap() else {
            return;
        };
        let reach = Reach::of_meet(&meet, &run).unwrap();
        let estimated = Need::new(&meet, &reach, &options, &run).unwrap().memory;
        let taken = Memory::new(&question, &meet, &reach, &options, &run).unwrap();
        let name = format!("{rows}x{cols} {kind}");
        let fixed = Fixed::new(&meet, &reach, &run).unwrap().bytes;
        let measured = RoughNeed::measured(&question).unwrap();
        assert_eq!(taken.bytes, measured + fixed, "{name}");
        assert!(
            taken.bytes >= estimated.bytes,
            "{name}: {} {}",
            taken.bytes,
            estimated.bytes
        );
        assert!(taken.unaccounted >= estimated.unaccounted, "{name}");
        assert_eq!(
            (taken.maps, taken.part_slots),
            (estimated.maps, estimated.part_slots)
        );
    }

    #[test]
    fn memory_that_is_plenty_needs_no_estimate() {
        for kind in [Kind::Open, Kind::Closed] {
            for (rows, most) in [(3, 10), (4, 10), (5, 10), (6, 10), (7, 8)] {
                (rows..=most).for_each(|cols| is_enough(rows, cols, kind));
            }
        }
    }

    #[test]
    #[ignore = "takes minutes; cargo xtask long"]
    fn memory_that_is_plenty_needs_no_estimate_on_larger_boards() {
        for (rows, cols) in [(7, 9), (7, 10), (8, 8), (8, 9), (8, 10)] {
            is_enough(rows, cols, Kind::Closed);
        }
        for (rows, cols) in [(7, 9), (7, 10), (8, 8), (8, 9), (8, 10)] {
            is_enough(rows, cols, Kind::Open);
        }
    }
}
