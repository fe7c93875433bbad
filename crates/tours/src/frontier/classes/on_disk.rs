//! Counting by classes with layers in files: for counts of which not even a class fits the memory.
//!
//! The common layers and the second half are counted as in `external`, whole. Of the first half one class of each layer
//! is in a file at a time. A class of its last layer is joined in portions that fit the memory. The sums go to the same
//! journal as those of a count in memory, so that either continues the other if their classes have the same slots.

use std::path::{Path, PathBuf};

use everymove_kernel::files::{Disk, Storage};
use everymove_kernel::freed_memory;
use everymove_kernel::machine::free_disk_bytes;
use everymove_kernel::run::{Ram, Reservation, Run};
use xxhash_rust::xxh3::xxh3_64;

use super::super::FrontierError;
use super::super::bits::Index;
use super::super::checkpoint::{BLOCKS, Checkpoint, Phase};
use super::super::counted::{Count, describe, given_end, width_of_join};
use super::super::degrees::{Degrees, masks};
use super::super::external::{
    Begin, External, Lasts, ListsFound, Loader, Packed, PackedLists, Stored, eliminated, least_maps,
};
use super::super::join::{Join, Opposite, Tally, join_bytes};
use super::super::maps::Maps;
use super::super::plan::{Meet, Plan};
use super::super::reach::Reach;
use super::super::scheme::{self, Scheme};
use super::super::steps::Step;
use super::journal::JOURNAL;
use super::need::{OnDiskNeed, memory_on_disk};
use super::store::{Made, Store};
use super::tree::{Part, Tree};
use super::{Columns, Engine, Event, Options, Ready, meet, strip};
use crate::question::Question;

/// The start of the names of files with a part of a layer.
const PART: &str = "class-";

/// The least bytes of a thread's cache while layers are joined.
const CACHE: u64 = 4 << 20;

const LISTS: &str = "counting: the lists of degree vectors";

/// Counts the tours that a question asks for, class by class, with layers in files; `observe` gets what happens. `None` if the
/// board has too few rows for two halves. Without a folder for the journal it is beside the layers.
///
/// # Errors
/// As [`super::count_by_classes`], and [`FrontierError::OverDisk`].
pub(super) fn count_on_disk(
    question: &Question,
    options: &Options,
    parent: &Path,
    run: &Run,
    observe: &mut dyn FnMut(Event),
) -> Result<Option<Count>, FrontierError> {
    run.progress.start("planning the count", 0);
    let Some(meet) = meet(question, options.columns, run)? else {
        return Ok(None);
    };
    let words = describe(question, given_end(question)?);
    let path = folder_of(parent, &words);
    let checkpoint = Checkpoint::open(&path, &words)?;
    let free = || free_disk_bytes(&path).map_or(u64::MAX, |free| free / 2);
    let limit = options.disk.unwrap_or_else(free);
    let journal = options.journal.as_ref().map(Disk::exclusive).transpose()?;
    let storage = checkpoint.storage();
    let journal: &dyn Storage = journal.as_ref().map_or(storage, |journal| journal);
    let counted = counted(
        question,
        options,
        Plan::Meet(meet),
        (storage, limit),
        journal,
        run,
        observe,
    );
    let files = storage.list()?;
    let is_begun = |name: &String| name.ends_with(BLOCKS) || name == JOURNAL;
    if counted.is_ok() || !files.iter().any(is_begun) {
        if files.iter().any(|name| name == JOURNAL) {
            storage.remove(JOURNAL)?;
        }
        checkpoint.remove(&path)?;
    }
    counted.map(Some)
}

/// The folder of a count. Its layers are others than those of a count without classes.
fn folder_of(parent: &Path, question: &str) -> PathBuf {
    parent.join(format!("classes-{:016x}", xxh3_64(question.as_bytes())))
}

fn counted(
    question: &Question,
    options: &Options,
    plan: Plan,
    (storage, limit): (&dyn Storage, u64),
    journal: &dyn Storage,
    run: &Run,
    observe: &mut dyn FnMut(Event),
) -> Result<Count, FrontierError> {
    let Plan::Meet(meet) = &plan else {
        unreachable!("a count by classes has two halves")
    };
    let grid = question.board.grid();
    let what = format!(
        "counting the {} tours of {grid} by classes on disk",
        question.kind
    );
    let lists = PackedLists::new(&plan, run)?;
    let (blocks, ends, longest) = (lists.len(), lists.most_endpoints(), lists.longest());
    let PackedLists {
        common,
        first,
        second,
    } = lists;
    let need = OnDiskNeed::new(meet, [&common, &first, &second], options, limit, run)?;
    let members: usize = first.iter().map(Packed::len).sum();
    let tree_bytes = (members * size_of::<Degrees>()) as u64;
    let _tree = run.ram.reserve(LISTS, tree_bytes)?;
    let memory = memory_on_disk(
        &plan,
        (longest, second.last().map_or(0, |list| list.len() as u64)),
        ends,
    );
    run.ram.require(&what, memory + least_maps(ends))?;
    let mut external = External::new(Begin {
        storage,
        strip: strip(question, options.columns, run)?,
        slots: plan.steps().next().map_or(0, |step| step.slots_in),
        ends,
        rest: memory,
        rest_of_steps: memory,
        run,
        limit,
        files: need.files,
        what,
        blocks,
        sizes: need.whole,
    })?;
    for name in storage.list()? {
        if name.starts_with(PART) {
            storage.remove(&name)?;
        }
    }
    let before = eliminated(&meet.common);
    let arrange = |layer: usize, slots: usize, key: &[u8]| {
        external.order(before + eliminated(&meet.first[..layer]), slots, key)
    };
    let unpacked = first.iter().map(|list| list.unpack());
    let tree = Tree::new(&meet.first, unpacked, need.part_slots, Some(&arrange), run)?;
    drop(first);
    freed_memory::release();
    let ready = Ready {
        tree,
        maps: Maps::new(0),
        sizes: need.sizes,
        part_slots: need.part_slots,
        blocks,
    };
    let journal = Some(journal);
    let mut engine = Engine::new((question, options), meet, ready, journal, (run, observe))?;
    if engine.done.len() < engine.classes.len() {
        let steps = meet.common.len() + meet.second.len();
        run.progress.start("counting tours", steps as u64);
        let branch = external.phase(Phase::Common, None, &meet.common, common)?;
        let second = external.phase(Phase::Second, Some(&branch), &meet.second, second)?;
        engine.work = external.work().clone();
        let branch = Kept::new(branch, run)?;
        let mut store = OnDisk::new(external, meet, second)?;
        engine.all_classes(branch, &mut store)?;
    }
    engine.answer(Scheme::ClassesOnDisk)
}

/// A layer in a file, and the memory of its degree vectors.
struct Kept {
    layer: Stored,
    _held: Reservation,
}

impl Kept {
    fn new(layer: Stored, run: &Run) -> Result<Self, FrontierError> {
        let bytes = size_of_val(&layer.degrees[..]) as u64;
        let held = run.ram.reserve(LISTS, bytes)?;
        Ok(Self { layer, _held: held })
    }
}

/// Layers in files, and the second half.
struct OnDisk<'a> {
    external: External<'a>,
    meet: &'a Meet,
    second: Stored,
    index: Index,
    opposite: Opposite<'a>,
    _held: Reservation,
}

impl<'a> OnDisk<'a> {
    fn new(external: External<'a>, meet: &'a Meet, second: Stored) -> Result<Self, FrontierError> {
        let run = external.run();
        let (slots, class) = (meet.facing.len(), Some(&second.class));
        let bytes = Index::bytes(slots, class) + size_of_val(&second.degrees[..]) as u64;
        let held = run.ram.reserve("counting: the index of a layer", bytes)?;
        Ok(Self {
            index: Index::new(&second.degrees, slots, class, run)?,
            opposite: Opposite::new(meet),
            external,
            meet,
            second,
            _held: held,
        })
    }
}

impl Store for OnDisk<'_> {
    type Layer = Kept;

    fn advance(
        &mut self,
        before: &Kept,
        step: &Step,
        part: Part,
        tree: &Tree,
    ) -> Result<Made<Kept>, FrontierError> {
        let Some(class) = tree.class(part) else {
            unreachable!("every layer in a file has an order")
        };
        let after = tree.members(part).to_vec();
        let name = format!("{PART}{:04}{BLOCKS}", part.level);
        let file = (&name[..], Lasts::ThisRun);
        let (layer, transitions) =
            self.external
                .advance(&before.layer, step, after, class, file)?;
        freed_memory::release();
        Ok(Made {
            blocks: layer.degrees.len() as u64,
            states: layer.totals.states,
            bytes: layer.bytes,
            transitions,
            layer: Kept::new(layer, self.external.run())?,
        })
    }

    fn join(&mut self, layer: &Kept, tally: &mut Tally) -> Result<(), FrontierError> {
        let layer = &layer.layer;
        let width = width_of_join([layer.totals.sum, self.second.totals.sum])?;
        let (run, maps) = (self.external.run(), self.external.maps().clone());
        let ends = layer.degrees.iter().map(|&d| masks(d).ends.count_ones());
        let vectors = join_bytes(ends.max().unwrap_or(0) as usize);
        let mut threads = run.threads.get();
        let segments = layer.reading_bytes() + self.second.reading_bytes();
        let beside = vectors + segments * threads as u64;
        let left = run.ram.left().saturating_sub(beside);
        while threads > 1 && left / (8 * threads as u64) < CACHE {
            threads /= 2;
        }
        let run = &run.with_threads(threads);
        let cache = (left / 16 / threads as u64).max(CACHE);
        let caches = 2 * cache * threads as u64;
        let _caches = (run.ram).reserve("counting: the caches of a layer", caches)?;
        let loader = Loader::new([layer, &self.second], cache, &self.index, &self.opposite);
        loader.in_portions(left / 4, run, |[ours, theirs]| {
            let join = Join::aligned(self.meet, &theirs, &maps, run);
            join.merge(tally, join.tally(width, &ours)?);
            Ok(())
        })
    }

    fn release(&mut self, kept: Kept) -> Result<(), FrontierError> {
        match kept.layer.name.starts_with(PART) {
            true => self.external.remove(kept.layer),
            // The layers that all classes begin with are what a count is continued from.
            false => Ok(()),
        }
    }
}

/// What such a count is estimated to take; `None` where layers on disk that are not divided take no more.
pub(in super::super) fn estimate(
    question: &Question,
    run: &Run,
) -> Result<Option<scheme::Need>, FrontierError> {
    let options = Options::default();
    let Some(meet) = meet(question, Columns::Narrow, run)?.filter(super::need::is_uneven) else {
        return Ok(None);
    };
    let reach = Reach::of_meet(&meet, run)?;
    let _lists = reach.reserve(run)?;
    let found = ListsFound::of_reach(&reach, run)?;
    let [common, first, second] = reach.halves();
    // The parts may be larger where files may take more.
    let need = OnDiskNeed::new(&meet, [common, first, second], &options, 0, run)?;
    let members: usize = first.iter().map(Vec::len).sum();
    let lists = found.packed + (members * size_of::<Degrees>()) as u64;
    let last = second.last().map_or(0, |list| list.len() as u64);
    let plan = Plan::Meet(meet);
    let counting = memory_on_disk(&plan, (found.longest, last), found.ends);
    Ok(Some(scheme::Need::of(
        Scheme::ClassesOnDisk(need.sizes.classes(options.key_slots)),
        Ram::PROGRAM + lists + counting + least_maps(found.ends),
        need.files,
        found.vectors as f64,
        need.states,
    )))
}
