//! Counting with layers in files: for counts whose layers outgrow memory.
//!
//! A layer is written once, in segments of some dozens of kilobytes, checksummed, and compressed unless there is much
//! room on the disk; the next step reads it through a cache of each thread. The blocks are in an order in which they are
//! read nearly in sequence (module `order`). Of the degree vectors, one list is unpacked at a time (`packed`, `lists`). The file of the last step is the
//! state of the count, from which it is resumed; a damaged file is made anew.

mod begin;
mod jobs;
mod lists;
mod loaded;
mod need;
mod order;
mod packed;
mod segment;
mod stored;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use everymove_kernel::files::{Draft, FileError, Storage, publish, write_temporary};
use everymove_kernel::freed_memory;
use everymove_kernel::grid::Square;
use everymove_kernel::machine::free_disk_bytes;
use everymove_kernel::parallel;
use everymove_kernel::run::{Reservation, Run, Work};
use xxhash_rust::xxh3::xxh3_64;

use super::FrontierError;
use super::bits::{Class, Index};
use super::block::{Builder, Cell};
use super::checkpoint::{BLOCKS, Checkpoint, Phase};
use super::counted::{Count, Width, describe, given_end, width_of_join, width_of_step};
use super::degrees::{Degrees, Order, masks};
use super::estimate::{Counts, Size, Sizes};
use super::join::{Half, Join, Joined, join_bytes};
use super::maps::Maps;
use super::plan::{Meet, Plan};
use super::pull::{Puller, Scratch, survey};
use super::reach::ordered;
use super::scheme::Scheme;
use super::steps::Step;
use super::strip::Strip;
use crate::question::Question;
pub(super) use begin::{Begin, Lasts};
use jobs::{Done, Space};
pub(super) use lists::PackedLists;
pub(super) use loaded::Loader;
pub(super) use need::{
    ListsFound, counting_bytes, estimate, files, found_in_parts, least_maps, rough_need_on_disk,
    step_bytes,
};
use need::{MAPS, kept_bytes, maps_beside, meeting_bytes};
pub(super) use order::eliminated;
pub(super) use packed::Packed;
pub(super) use stored::Stored;
use stored::{Cached, Packer, Storing, Totals, Writer};

/// Uncompressed bytes of a segment, about.
const SEGMENT: u64 = 64 << 10;

/// Segments that a thread computes at a time: several, so that few are read by two threads, but not many, since they wait for
/// earlier jobs: with 32, and four jobs that might wait, 7x9 open took 112M of memory with two threads and a budget of 90M.
const JOB: usize = 8;

/// Jobs that have been begun and not yet written, at the least and at the most. With few of them threads wait for each other.
const WINDOW: u64 = 2;
const MOST_WINDOW: u64 = 64;

/// Bytes of finished jobs that wait for their turn, and of the writer's buffers.
const WAITING: u64 = 12 << 20;

/// The least bytes of a thread's cache, and the most that pay for themselves.
const LEAST_CACHE: u64 = 4 << 20;
const MOST_CACHE: u64 = 128 << 20;

/// Remaining times of more seconds are not shown.
const LONGEST: f64 = 1e9;

/// Counts the tours that a question asks for with layers in files of a folder of its own in `parent`, which may have `disk`
/// bytes; without a limit half of what is free. The folder is removed when the count is complete.
///
/// # Errors
/// As [`super::count`].
pub(super) fn count(
    question: &Question,
    parent: &Path,
    disk: Option<u64>,
    run: &Run,
) -> Result<Count, FrontierError> {
    let start = given_end(question)?;
    let words = describe(question, start);
    let folder = folder_of(parent, &words);
    let checkpoint = Checkpoint::open(&folder, &words)?;
    let limit = disk.unwrap_or_else(|| free_disk_bytes(&folder).map_or(u64::MAX, |free| free / 2));
    let counted = counted(question, start, checkpoint.storage(), limit, run);
    let files = checkpoint.storage().list()?;
    // Layers that are ready are kept for the next run.
    if counted.is_ok() || !files.iter().any(|name| name.ends_with(BLOCKS)) {
        checkpoint.remove(&folder)?;
    }
    counted
}

fn counted(
    question: &Question,
    start: Option<Square>,
    storage: &dyn Storage,
    limit: u64,
    run: &Run,
) -> Result<Count, FrontierError> {
    let plan = Plan::new(&question.board, question.kind, start, &run.stop)?;
    let rough = run.ram.used() + rough_need_on_disk(question);
    let lists = PackedLists::new(&plan, run).map_err(|error| error.at_least(rough))?;
    let blocks = lists.len();
    let ends = lists.most_endpoints();
    let what = format!(
        "counting the {} tours of {} on disk",
        question.kind,
        question.board.grid()
    );
    let rest = counting_bytes(&plan, lists.longest(), ends);
    run.ram.require(&what, rest + least_maps(ends))?;
    let sizes = lists.sizes(&plan, Counts::Exact, run)?;
    let join = meeting_bytes(&plan, lists.longest(), ends);
    let mut engine = External::new(Begin {
        storage,
        strip: Strip::new(&question.board, question.kind, start),
        slots: plan.steps().next().map_or(0, |step| step.slots_in),
        ends,
        rest,
        rest_of_steps: step_bytes(&plan, lists.longest(), ends),
        run,
        limit,
        files: files(sizes.bytes_at_once()),
        what,
        blocks,
        sizes,
    })?;
    run.progress
        .start("counting tours", plan.steps().count() as u64);
    let total = match &plan {
        Plan::OneWay(steps) => {
            let last = engine.phase(Phase::Common, None, steps, lists.common)?;
            let sum = last.totals.sum;
            engine.remove(last)?;
            sum
        }
        Plan::Meet(meet) => engine.meet(meet, lists, (join, ends))?,
    };
    Ok(Count {
        undirected: total.into(),
        work: engine.work,
        scheme: Scheme::Disk,
    })
}

/// The folder of a count.
fn folder_of(parent: &Path, question: &str) -> PathBuf {
    parent.join(format!("layers-{:016x}", xxh3_64(question.as_bytes())))
}

/// A count with layers in files, under way.
pub(in super::super) struct External<'a> {
    storage: &'a dyn Storage,
    strip: Strip,
    /// The slots before the first step.
    slots: usize,
    maps: Arc<Maps>,
    /// The memory of `maps`.
    held: Reservation,
    run: &'a Run,
    /// The most bytes of files.
    limit: u64,
    storing: Storing,
    /// The bytes of the files of complete layers.
    used: u64,
    what: String,
    work: Work,
    /// The estimated sizes of the layers.
    sizes: Sizes,
    /// When the first layer of this run began.
    begun: Instant,
    /// The estimated states of the layers that this run has counted.
    counted: f64,
    /// How many layers are ready.
    ready: usize,
    /// What the allocator keeps.
    _kept: Reservation,
}

impl<'a> External<'a> {
    /// Prepares to count.
    ///
    /// # Errors
    /// [`FrontierError::OverDisk`] if the files are estimated not to fit; too little memory.
    pub(in super::super) fn new(begin: Begin<'a>) -> Result<Self, FrontierError> {
        let Begin {
            storage,
            strip,
            slots,
            ends,
            rest,
            rest_of_steps,
            run,
            limit,
            files,
            what,
            blocks,
            sizes,
        } = begin;
        if files.compressed > limit {
            let need = files.compressed;
            return Err(FrontierError::OverDisk {
                what,
                need,
                limit,
                or_memory: None,
            });
        }
        let storing = match files.are_compressed(limit) {
            true => Storing::Compressed,
            false => Storing::Plain,
        };
        // What the allocator keeps of the lists while they were found would come on top of what is reserved from here on.
        freed_memory::release();
        let kept = kept_bytes(rest + least_maps(ends), run);
        let kept = run.ram.reserve(&what, kept)?;
        let (maps, held) = maps_beside(rest_of_steps, ends, run)?;
        Ok(Self {
            storage,
            strip,
            slots,
            maps: Arc::new(maps),
            held,
            run,
            limit,
            storing,
            used: 0,
            what,
            work: Work::of("blocks", blocks),
            sizes,
            begun: Instant::now(),
            counted: 0.0,
            ready: 0,
            _kept: kept,
        })
    }

    /// The work so far.
    pub(in super::super) fn work(&self) -> &Work {
        &self.work
    }

    /// The tables of maps.
    pub(in super::super) fn maps(&self) -> &Arc<Maps> {
        &self.maps
    }

    pub(in super::super) fn run(&self) -> &'a Run {
        self.run
    }

    /// The order of the vectors of a layer after this many squares, as [`order::order`].
    pub(in super::super) fn order(&self, eliminated: usize, slots: usize, key: &[u8]) -> Order {
        order::order(&self.strip, eliminated, slots, key)
    }

    /// Counts layers as ready, `new` of which this run has counted, the last of a phase by its steps.
    fn ready(&mut self, phase: Phase, steps: std::ops::Range<usize>, new: bool) {
        self.ready += steps.len();
        if new {
            let sizes = match phase {
                Phase::Common => &self.sizes.common,
                Phase::First => &self.sizes.first,
                Phase::Second => &self.sizes.second,
            };
            self.counted += Size::sum(&sizes[steps]).states;
        }
        self.announce();
    }

    /// Shows how many layers are ready, and the time that the others will take at the speed so far.
    fn announce(&self) {
        let all = self.sizes.layers().count();
        let states: f64 = self.sizes.layers().map(|size| size.states).sum();
        let elapsed = self.begun.elapsed().as_secs_f64();
        let share = (states - self.counted) / self.counted;
        let left = (self.counted > 0.0 && elapsed * share < LONGEST)
            .then(|| Duration::from_secs_f64(elapsed * share.max(0.0)));
        let progress = &self.run.progress;
        progress.stage(format!("{} of {all} layers on disk", self.ready), left);
        progress.start("counting tours", all as u64);
        progress.advance(self.ready as u64);
    }

    /// Counts both halves and joins them; the join takes at least `rest` bytes, and tables of maps for `ends` endpoints.
    fn meet(
        &mut self,
        meet: &Meet,
        lists: PackedLists,
        (rest, ends): (u64, usize),
    ) -> Result<u128, FrontierError> {
        let PackedLists {
            common,
            first,
            second,
        } = lists;
        let branch = self.phase(Phase::Common, None, &meet.common, common)?;
        let mut half = |phase, steps: &[Step], lists| match steps {
            [] => Ok(None),
            _ => self.phase(phase, Some(&branch), steps, lists).map(Some),
        };
        let theirs = half(Phase::Second, &meet.second, second)?;
        let ours = half(Phase::First, &meet.first, first)?;
        let (ours, theirs) = (
            ours.as_ref().unwrap_or(&branch),
            theirs.as_ref().unwrap_or(&branch),
        );
        // The join has more memory besides than a step.
        self.maps = Arc::new(Maps::new(0));
        self.held.resize(MAPS, 0)?;
        let (maps, held) = maps_beside(rest, ends, self.run)?;
        (self.maps, self.held) = (Arc::new(maps), held);
        let (run, cache) = self.run_of_join(meet, ours);
        let caches = 2 * run.threads.get() as u64 * cache;
        let _caches = (run.ram).reserve("counting: the caches of a layer", caches)?;
        let [ours, theirs] = [ours, theirs].map(|layer| Cached { layer, cache });
        let join = Join::new(meet, &theirs, &self.maps, &run, None)?;
        let sums = [ours.layer.totals.sum, theirs.layer.totals.sum];
        let width = width_of_join(sums)?;
        let total = join.total(width, &ours, Joined::default(), &mut |_| Ok(()))?;
        Ok(total / u128::from(join.multiplicity()))
    }

    /// Takes a layer through all steps of a phase, from the last file of it on.
    pub(in super::super) fn phase(
        &mut self,
        phase: Phase,
        before: Option<&Stored>,
        steps: &[Step],
        mut lists: Vec<Packed>,
    ) -> Result<Stored, FrontierError> {
        let eliminated = before.map_or(0, |stored| stored.eliminated);
        let name = |step: usize| format!("{phase}-{step:04}{BLOCKS}");
        let (mut done, mut last) = (0, None);
        for step in (1..=steps.len()).rev() {
            if last.is_none() {
                let class = self.class(eliminated, &steps[..step]);
                last = self.reopen(&name(step), &lists[step], class)?;
                done = if last.is_some() { step } else { 0 };
            }
        }
        if let Some(last) = &mut last {
            last.eliminated = eliminated + order::eliminated(&steps[..done]);
        }
        self.ready(phase, 0..done, false);
        let mut start = match (before, &last) {
            (None, None) => Some(self.start(&lists[0])?),
            _ => None,
        };
        for (i, step) in steps.iter().enumerate().skip(done) {
            let from = last.as_ref().or(start.as_ref()).or(before);
            let Some(from) = from else {
                unreachable!("a phase begins with a layer")
            };
            let class = self.class(eliminated, &steps[..=i]);
            let list = std::mem::replace(&mut lists[i + 1], Packed::new(&[], self.run)?);
            let after = ordered(&list.unpack(), &class.order, step.slots_out, self.run)?;
            drop(list);
            let file = name(i + 1);
            let file = (&file[..], Lasts::BeyondACrash);
            let (mut next, transitions) = self.advance(from, step, after, class, file)?;
            self.work.add("states", next.totals.states);
            self.work.add("transitions", transitions);
            self.work.at_least("peak_states", next.totals.states);
            next.eliminated = eliminated + order::eliminated(&steps[..=i]);
            self.ready(phase, i..i + 1, true);
            if let Some(older) = last.replace(next).or(start.take()) {
                self.remove(older)?;
            }
            freed_memory::release();
        }
        // Without a common step the halves begin with the start.
        Ok(last.or(start).expect("a half has a step at least"))
    }

    /// The order of the layer after some steps.
    fn class(&self, eliminated: usize, steps: &[Step]) -> Class {
        let slots = steps.last().map_or(0, |step| step.slots_out);
        order::class(&self.strip, eliminated + order::eliminated(steps), slots)
    }

    /// The layer before the first step, as a file.
    fn start(&mut self, list: &Packed) -> Result<Stored, FrontierError> {
        let class = order::class(&self.strip, 0, self.slots);
        let name = format!("start{BLOCKS}");
        let mut builder = Builder::default();
        builder.take(&mut [1u64], &mut Vec::new())?;
        let payload = Packer::new(self.storing)?.pack(&builder)?;
        publish(self.storage, &name, |draft| {
            let mut writer = Writer::new(draft, 1, 1, self.storing)?;
            writer.segment(&payload)?;
            writer.finish(Totals { states: 1, sum: 1 })
        })?;
        let stored = Stored::open(self.storage, &name, list.unpack(), class, self.run)?;
        self.used += stored.bytes;
        Ok(stored)
    }

    /// A layer of an earlier run; `None` if there is none, or a damaged one, which is removed.
    fn reopen(
        &mut self,
        name: &str,
        list: &Packed,
        class: Class,
    ) -> Result<Option<Stored>, FrontierError> {
        if !self.storage.list()?.iter().any(|file| file == name) {
            return Ok(None);
        }
        let degrees = list.unpack();
        let slots = class.order.rest();
        let degrees = ordered(&degrees, &class.order, slots, self.run)?;
        match Stored::open(self.storage, name, degrees, class, self.run) {
            Ok(stored) => {
                self.used += stored.bytes;
                Ok(Some(stored))
            }
            Err(FrontierError::File(
                FileError::Damaged { .. } | FileError::Foreign { .. } | FileError::Version { .. },
            )) => {
                self.storage.remove(name)?;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    pub(in super::super) fn remove(&mut self, stored: Stored) -> Result<(), FrontierError> {
        self.used -= stored.bytes;
        Ok(self.storage.remove(&stored.name)?)
    }

    /// The bytes of each of this many caches.
    pub(in super::super) fn cache(&self, caches: u64) -> u64 {
        (self.run.ram.left() / 2 / caches).clamp(LEAST_CACHE, MOST_CACHE)
    }

    /// The run of the join with as many threads as there is memory for the caches of, besides what one thread needs, and
    /// the bytes of each cache.
    fn run_of_join(&self, meet: &Meet, ours: &Stored) -> (Run, u64) {
        let ends = ours.degrees.iter().map(|&d| masks(d).ends.count_ones());
        let vectors = join_bytes(ends.max().unwrap_or(0) as usize);
        let pairs = 2 * size_of_val(&ours.degrees[..]) as u64;
        let needed = Index::bytes(meet.facing.len(), None) + pairs + vectors;
        let left = self.run.ram.left().saturating_sub(needed);
        let mut threads = self.run.threads.get();
        while threads > 1 && left / (2 * threads as u64) < LEAST_CACHE {
            threads /= 2;
        }
        let cache = (left / 4 / threads as u64).clamp(LEAST_CACHE, MOST_CACHE);
        (self.run.with_threads(threads), cache)
    }

    /// The layer after a step, with sums as wide as they need be, and the number of transitions.
    pub(in super::super) fn advance(
        &mut self,
        before: &Stored,
        step: &Step,
        after: Vec<Degrees>,
        class: Class,
        (name, lasts): (&str, Lasts),
    ) -> Result<(Stored, u64), FrontierError> {
        let file = (name, lasts);
        match width_of_step(before.totals.sum, step)? {
            Width::Bits64 => self.pull::<u64>(before, step, after, class, file),
            Width::Bits128 => self.pull::<u128>(before, step, after, class, file),
        }
    }

    fn pull<C: Cell>(
        &mut self,
        before: &Stored,
        step: &Step,
        after: Vec<Degrees>,
        class: Class,
        (name, lasts): (&str, Lasts),
    ) -> Result<(Stored, u64), FrontierError> {
        let ram = &self.run.ram;
        let lists = ((before.degrees.len() + after.len()) * size_of::<Degrees>()) as u64;
        let index = Index::bytes(step.slots_in, Some(&before.class));
        let _index = ram.reserve("counting: the index of a layer", index + lists + WAITING)?;
        let (run, _sums) = self.threads_for::<C>(step, &after)?;
        // The segments that are written will be about as large as those that are read.
        let segments = 2 * before.reading_bytes() * run.threads.get() as u64;
        let _segments = ram.reserve("counting: the largest segments of a layer", segments)?;
        let cache = self.cache(run.threads.get() as u64);
        let caches = cache * run.threads.get() as u64;
        let _caches = ram.reserve("counting: the caches of a layer", caches)?;
        let source = Cached {
            layer: before,
            cache,
        };
        let window = window(ram.left(), before.largest_segment());
        let waiting = (window - WINDOW) * JOB as u64 * SEGMENT;
        let _waiting = ram.reserve("counting: segments that are complete", waiting)?;
        let index = Index::new(&before.degrees, step.slots_in, Some(&before.class), &run)?;
        let puller = Puller::new(&self.maps, &run, None);
        let a_segment = before.blocks_a_segment(SEGMENT);
        let left = self.limit.saturating_sub(self.used);
        let storing = lasts.storing(self.storing, before.totals.states, left);
        let mut totals = Totals::default();
        let mut transitions = 0;
        let (limit, used) = (self.limit, self.used);
        let mut written = None;
        let write = |draft: &mut Draft| {
            let mut writer = Writer::new(draft, after.len(), a_segment, storing)?;
            parallel::try_in_order(
                &run,
                after.chunks(a_segment * JOB),
                window as usize,
                || Space::<'_, C> {
                    scratch: Scratch::new(&self.maps, step),
                    reader: source.reader(),
                    storing,
                    packer: None,
                },
                |space: &mut Space<'_, C>, job: &[Degrees]| {
                    space.job(&puller, &index, step, job, a_segment)
                },
                |done: Done| {
                    transitions += done.transitions;
                    totals.states += done.totals.states;
                    totals.sum += done.totals.sum;
                    for payload in &done.payloads {
                        writer.segment(payload)?;
                    }
                    let need = used + writer.bytes();
                    if need > limit {
                        let what = self.what.clone();
                        return Err(FrontierError::OverDisk {
                            what,
                            need,
                            limit,
                            or_memory: None,
                        });
                    }
                    Ok(())
                },
            )?;
            written = Some(writer.finish(totals)?);
            Ok::<(), FrontierError>(())
        };
        match lasts {
            Lasts::BeyondACrash => publish(self.storage, name, write)?,
            Lasts::ThisRun => write_temporary(self.storage, name, write)?,
        }
        let written = written.expect("a file that was published was written");
        let stored = Stored::of_written(self.storage, name, (after, class), totals, written)?;
        self.used += stored.bytes;
        Ok((stored, transitions))
    }

    /// The run with as many threads as there is memory for the sums of, and that memory.
    fn threads_for<C: Cell>(
        &self,
        step: &Step,
        after: &[Degrees],
    ) -> Result<(Run, Reservation), FrontierError> {
        let what = "counting: the sums of a block";
        let mut threads = self.run.threads.get();
        loop {
            let run = self.run.with_threads(threads);
            let (sums, _) = survey::<C>(&run, step, after)?;
            let caches = threads as u64 * LEAST_CACHE;
            match self.run.ram.require(what, sums + caches) {
                Err(_) if threads > 1 => threads /= 2,
                Err(over) => return Err(over.into()),
                Ok(()) => return Ok((run, self.run.ram.reserve(what, sums)?)),
            }
        }
    }
}

/// How many jobs may be begun and not yet written, given the bytes that are left and those of a large segment.
fn window(left: u64, largest: u64) -> u64 {
    let usual = left / 32 / (JOB as u64 * SEGMENT);
    let of_largest = left / 4 / (JOB as u64 * largest.max(1));
    usual.min(of_largest).clamp(WINDOW, MOST_WINDOW)
}

#[cfg(test)]
mod tests;
