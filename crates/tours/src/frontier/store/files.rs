//! Layers in files, for counts whose layers outgrow memory.
//!
//! A layer is written once, in segments of some dozens of kilobytes, checksummed, and compressed
//! unless there is much room on the disk; the next step reads it through a cache of each thread. A
//! damaged file is made anew.
//!
//! The blocks are in an order in which steps, folds and joins read nearly in sequence. Slots are
//! ranked by their squares: first the outermost pair of columns, row by row with the two squares of
//! a row side by side, then the next pair, and so on; the apex comes last. A step adds and removes
//! digits and subtracts powers of three, so that for each choice of edges the predecessors of
//! ascending vectors are ascending. Reflection left to right exchanges the digits of a pair, upside
//! down those of the pairs of two rows: either maps vectors with a common beginning to vectors with
//! a common beginning, at every length, so that vectors that are close have images that are close.

use std::sync::Arc;

use everymove_kernel::files::{Draft, Storage, publish, write_temporary};
use everymove_kernel::parallel;
use everymove_kernel::run::{Reservation, Run};
use everymove_kernel::system;

use crate::frontier::FrontierError;
use crate::frontier::choose::scheme::FileBytes;
use crate::frontier::counted::{Width, width_of_join, width_of_step};
use crate::frontier::join::{Detail, Join, Opposite, Tally, join_bytes};
use crate::frontier::states::block::{Builder, Cell};
use crate::frontier::states::maps::Maps;
use crate::frontier::step::Step;
use crate::frontier::step::plan::{Meet, Phase};
use crate::frontier::step::pull::{Pull, Puller, Scratch, survey};
use crate::frontier::step::strip::Strip;
use crate::frontier::store::folder::Folder;
use crate::frontier::store::portions::Loader;
use crate::frontier::store::room::{
    LEAST_CACHE, Rest, WAITING, kept_bytes, least_maps, maps_beside,
};
use crate::frontier::store::stored::{
    Cached, Packer, Reader, SEGMENT_BYTES, Stored, Storing, Totals, Writer, blocks_a_segment,
    is_unusable,
};
use crate::frontier::store::{Facing, Place, Ready, Store};
use crate::frontier::vectors::degrees::{Degrees, Order, masks};
use crate::frontier::vectors::index::{Class, Index, Vectors};
use crate::frontier::vectors::live::{Members, ordered};

/// Segments that a thread computes at a time: several, so that few are read by two threads, but not
/// many, since they wait for earlier jobs.
const JOB: usize = 8;

/// Jobs that have been begun and not yet written, at the least and at the most. With few of them
/// threads wait for each other.
const WINDOW: u64 = 2;
const MOST_WINDOW: u64 = 64;

/// The most bytes of a thread's cache that pay for themselves.
const MOST_CACHE: u64 = 128 << 20;

/// Bytes of files that must be left for each state of a layer if the next layer is written without
/// compression: a state takes about three, and the next layer has at most about twice as many.
const PLAIN_ROOM: u64 = 12;

/// Layers in files.
pub(crate) struct Files<'a> {
    folder: Option<Folder>,
    storage: Arc<dyn Storage>,
    strip: Strip,
    maps: Maps,
    /// The memory of `maps`.
    held: Reservation,
    rest: Rest,
    run: &'a Run,
    modulus: Option<u64>,
    /// The most bytes of files.
    limit: u64,
    storing: Storing,
    /// The bytes of the files of complete layers.
    used: u64,
    what: String,
    /// The last common layer, from which a count is resumed.
    branch: String,
    second: Option<Facing<Stored>>,
    /// What the allocator keeps.
    _kept: Reservation,
}

impl<'a> Files<'a> {
    /// Prepares to count what `what` says of the board laid out as `strip`, in files of at most
    /// `limit` bytes.
    ///
    /// # Errors
    /// [`FrontierError::OverDisk`] if the files are estimated not to fit; too little memory.
    pub(crate) fn new(
        folder: Folder,
        strip: Strip,
        rest: Rest,
        (estimated, limit): (FileBytes, u64),
        what: String,
        run: &'a Run,
    ) -> Result<Self, FrontierError> {
        if estimated.compressed > limit {
            let need = estimated.compressed;
            return Err(FrontierError::OverDisk {
                what,
                need,
                limit,
                or_memory: None,
            });
        }
        let storing = match estimated.are_compressed(limit) {
            true => Storing::Compressed,
            false => Storing::Plain,
        };
        // What the allocator keeps of the lists while they were found would come on top of what is
        // reserved from here on.
        system::release_freed_memory();
        let kept = kept_bytes(rest.step.max(rest.join) + least_maps(rest.ends), run);
        let kept = run.ram.reserve(&what, kept)?;
        let (maps, held) = maps_beside(rest.step, rest.ends, run)?;
        Ok(Self {
            storage: folder.storage().clone(),
            folder: Some(folder),
            strip,
            maps,
            held,
            rest,
            run,
            modulus: None,
            limit,
            storing,
            used: 0,
            what,
            branch: String::new(),
            second: None,
            _kept: kept,
        })
    }

    fn name(&self, place: Place) -> String {
        let folder = self.folder.as_ref();
        folder.map_or_else(String::new, |folder| folder.name(place))
    }

    /// How a layer is written: those that no other run reads are compressed only where room is
    /// short, as that takes a third of the time of a count by classes.
    fn storing_of(&self, place: Place, before: &Stored) -> Storing {
        let left = self.limit.saturating_sub(self.used);
        match !place.is_whole && before.totals.states <= left / PLAIN_ROOM {
            true => Storing::Plain,
            false => self.storing,
        }
    }

    fn pull<C: Cell>(
        &mut self,
        before: &Stored,
        step: &Step,
        place: Place,
        after: Vectors,
    ) -> Result<Ready<Stored>, FrontierError> {
        let ram = &self.run.ram;
        let class = before.vectors.class.as_ref();
        let index = Index::bytes(step.slots_in, class);
        let lists = size_of_val(&before.vectors.list[..]) + size_of_val(&after.list[..]);
        let index_and_lists = index + lists as u64;
        let _index = ram.reserve("counting: the index of a layer", index_and_lists + WAITING)?;
        let (run, _sums) = self.threads_for::<C>(step, &after.list)?;
        // The segments that are written will be about as large as those that are read.
        let segments = 2 * before.reading_bytes() * run.threads.get() as u64;
        let _segments = ram.reserve("counting: the largest segments of a layer", segments)?;
        let threads = run.threads.get() as u64;
        let cache = (ram.left() / 2 / threads).clamp(LEAST_CACHE, MOST_CACHE);
        let _caches = ram.reserve("counting: the caches of a layer", cache * threads)?;
        let layer = before;
        let source = Cached { layer, cache };
        let window = window(ram.left(), before.largest_segment());
        let waiting = (window - WINDOW) * JOB as u64 * SEGMENT_BYTES;
        let _waiting = ram.reserve("counting: segments that are complete", waiting)?;
        let index = Index::new(&before.vectors.list, step.slots_in, class, &run)?;
        let puller = Puller::new(&self.maps, &run, self.modulus);
        let (blocks, states) = (before.vectors.list.len(), before.totals.states);
        let a_segment = blocks_a_segment(SEGMENT_BYTES, blocks, states);
        let storing = self.storing_of(place, before);
        let mut totals = Totals::default();
        let mut transitions = 0;
        let (limit, used) = (self.limit, self.used);
        let mut written = None;
        let write = |draft: &mut Draft| {
            let mut writer = Writer::new(draft, &after.list, a_segment, storing)?;
            parallel::try_in_order(
                &run,
                after.list.chunks(a_segment * JOB),
                window as usize,
                || Space::<'_, C> {
                    scratch: Scratch::new(&self.maps, step),
                    reader: source.reader(),
                    packer: Packer::new(storing),
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
        let (storage, name) = (&*self.storage, self.name(place));
        match place.is_whole {
            true => publish(storage, &name, write)?,
            false => write_temporary(storage, &name, write)?,
        }
        let written = written.expect("a file that was published was written");
        let stored = Stored::of_written(storage, &name, after, totals, written)?;
        self.used += stored.bytes();
        system::release_freed_memory();
        Ok(Ready {
            blocks: stored.vectors.list.len() as u64,
            states: stored.totals.states,
            bytes: stored.bytes(),
            layer: stored,
            transitions,
        })
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

impl Store for Files<'_> {
    type Layer = Stored;

    fn folder(&mut self) -> &mut Option<Folder> {
        &mut self.folder
    }

    fn pass(&mut self, modulus: Option<u64>) {
        self.modulus = modulus;
        self.second = None;
        // The files of the pass before are removed.
        self.used = 0;
    }

    fn ordered(&self, place: Place, members: Members) -> Result<Vectors, FrontierError> {
        let order = order(&self.strip, place, &[]);
        let list = ordered(&members.list, &order, place.slots, self.run)?;
        let order = Arc::new(order);
        Ok(Vectors {
            list,
            class: Some(Class { order, number: 0 }),
            // A step reserves the lists that it reads and makes.
            held: None,
        })
    }

    fn order(&self, place: Place, key: &[u8]) -> Option<Order> {
        Some(order(&self.strip, place, key))
    }

    fn start(&mut self, vectors: Vectors) -> Result<Stored, FrontierError> {
        let name = "start.blocks";
        let mut builder = Builder::default();
        builder.take(&mut [1u64], &mut Vec::new())?;
        let payload = Packer::new(self.storing).pack(&builder)?;
        publish(&*self.storage, name, |draft| {
            let mut writer = Writer::new(draft, &vectors.list, 1, self.storing)?;
            writer.segment(&payload)?;
            writer.finish(Totals { states: 1, sum: 1 })
        })?;
        let stored = Stored::open(&*self.storage, name, vectors, self.run)?;
        self.used += stored.bytes();
        Ok(stored)
    }

    fn resume(&mut self, place: Place, vectors: Vectors) -> Result<Option<Stored>, FrontierError> {
        let name = self.name(place);
        match Stored::open(&*self.storage, &name, vectors, self.run) {
            Ok(stored) => {
                self.used += stored.bytes();
                Ok(Some(stored))
            }
            Err(error) if is_unusable(&error) => {
                self.storage.remove(&name)?;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn advance(
        &mut self,
        before: &Stored,
        step: &Step,
        place: Place,
        after: Vectors,
    ) -> Result<Ready<Stored>, FrontierError> {
        let width = match self.modulus {
            Some(_) => Width::Bits64,
            None => width_of_step(before.totals.sum, step)?,
        };
        match width {
            Width::Bits64 => self.pull::<u64>(before, step, place, after),
            Width::Bits128 => self.pull::<u128>(before, step, place, after),
        }
    }

    /// Every whole layer is kept when it is made.
    fn save(&mut self, _: Place, _: &Stored) -> Result<(), FrontierError> {
        Ok(())
    }

    fn end_phase(&mut self, phase: Phase, last: &Stored) {
        if phase == Phase::Common {
            self.branch.clone_from(&last.name);
        }
    }

    fn face(&mut self, meet: &Meet, layer: Arc<Stored>) -> Result<(), FrontierError> {
        // The join has more memory besides than a step, or less.
        self.maps = Maps::new(0);
        self.held.resize(&self.what, 0)?;
        let (slots, Vectors { list, class, .. }) = (meet.facing.len(), &layer.vectors);
        let facing = Facing::new(&layer, list, class.as_ref(), slots, self.run)?;
        let index = Index::bytes(slots, class.as_ref());
        let rest = self.rest.join.saturating_sub(index);
        (self.maps, self.held) = maps_beside(rest, self.rest.ends, self.run)?;
        self.second = Some(facing);
        Ok(())
    }

    fn join(
        &mut self,
        meet: &Meet,
        first: &Stored,
        detail: Detail,
        from: u64,
        done: &mut dyn FnMut(u64, Tally) -> Result<(), FrontierError>,
    ) -> Result<(), FrontierError> {
        let second = self
            .second
            .as_ref()
            .expect("the second half is counted first");
        let width = match self.modulus {
            Some(_) => Width::Bits64,
            None => width_of_join([first.totals.sum, second.layer.totals.sum])?,
        };
        let run = self.run;
        let list = first.vectors.list.iter();
        let ends = list.map(|&d| masks(d).ends.count_ones()).max();
        let vectors = join_bytes(ends.unwrap_or(0) as usize);
        let mut threads = run.threads.get();
        let segments = first.reading_bytes() + second.layer.reading_bytes();
        let beside = vectors + segments * threads as u64;
        let left = run.ram.left().saturating_sub(beside);
        while threads > 1 && left / (8 * threads as u64) < LEAST_CACHE {
            threads /= 2;
        }
        let run = &run.with_threads(threads);
        // Each thread has two, and reads nearly in sequence.
        let cache = (left / 16 / threads as u64).clamp(LEAST_CACHE / 4, MOST_CACHE);
        let caches = 2 * cache * threads as u64;
        let _caches = (run.ram).reserve("counting: the caches of a layer", caches)?;
        let opposite = Opposite::new(meet);
        let loader = Loader::new([first, &second.layer], cache, &second.index, &opposite);
        loader.in_portions(from, left / 4, run, |positions, [ours, theirs]| {
            let join = Join::new(meet, &theirs, None, &self.maps, self.modulus, run);
            let mut tally = Tally::default();
            join.join(width, &ours, detail, 0, &mut |_, part| {
                tally.add(part, self.modulus);
                Ok(())
            })?;
            done(positions, tally)
        })
    }

    fn sum(layer: &Stored) -> u128 {
        layer.totals.sum
    }

    fn release(&mut self, stored: Stored) -> Result<(), FrontierError> {
        if stored.name != self.branch {
            self.used -= stored.bytes();
            self.storage.remove(&stored.name)?;
        }
        Ok(())
    }
}

/// The order of a layer's degree vectors in which the slots of `key` come first and decide the
/// class.
fn order(strip: &Strip, place: Place, key: &[u8]) -> Order {
    let apex = usize::from(strip.apex());
    let mut ranked: Vec<(usize, usize, usize, usize)> = (apex..place.slots)
        .map(|slot| {
            let square = strip.square(place.eliminated + slot - apex);
            let (row, col) = (square / strip.cols(), square % strip.cols());
            (col.min(strip.cols() - 1 - col), row, col, slot)
        })
        .collect();
    ranked.sort_unstable();
    let squares = ranked.iter().map(|&(.., slot)| slot as u8);
    let slots_in_turn = squares.chain(0..apex as u8);
    let then: Vec<u8> = slots_in_turn.filter(|slot| !key.contains(slot)).collect();
    Order::within_classes(place.slots, key, &then)
}

/// How many jobs may be begun and not yet written, given the bytes that are left and those of a
/// large segment.
fn window(left: u64, largest: u64) -> u64 {
    let usual = left / 32 / (JOB as u64 * SEGMENT_BYTES);
    let of_largest = left / 4 / (JOB as u64 * largest.max(1));
    usual.min(of_largest).clamp(WINDOW, MOST_WINDOW)
}

/// What a thread keeps between jobs.
struct Space<'a, C> {
    scratch: Scratch<'a, C>,
    reader: Reader<'a>,
    packer: Packer,
}

/// A job that is complete.
#[derive(Default)]
struct Done {
    payloads: Vec<Vec<u8>>,
    totals: Totals,
    transitions: u64,
}

impl<C: Cell> Space<'_, C> {
    /// Computes the blocks of some segments.
    fn job(
        &mut self,
        puller: &Puller<'_>,
        index: &Index,
        step: &Step,
        job: &[Degrees],
        a_segment: usize,
    ) -> Result<Done, FrontierError> {
        let mut done = Done::default();
        for part in job.chunks(a_segment) {
            let mut builder = Builder::default();
            for &degrees in part {
                puller.run.stop.check()?;
                let mut pull = Pull {
                    puller,
                    before: &mut self.reader,
                    index,
                    step,
                    scratch: &mut self.scratch,
                };
                done.transitions += pull.block(degrees, &mut builder)?;
            }
            done.totals.states += builder.states;
            done.totals.sum += builder.sum;
            done.payloads.push(self.packer.pack(&builder)?);
        }
        puller.run.progress.worked(done.transitions);
        Ok(done)
    }
}

#[cfg(test)]
mod tests;
