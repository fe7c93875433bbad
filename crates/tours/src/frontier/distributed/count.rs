//! The count by one of the processes.

use std::sync::Arc;

use everymove_kernel::files::SavedParts;
use everymove_kernel::run::{Reservation, Run, Work};
use xxhash_rust::xxh3::xxh3_64;

use super::super::FrontierError;
use super::super::block::Layer;
use super::super::counted::{width_of_join, width_of_step};
use super::super::degrees::{Degrees, DigitMap, masks};
use super::super::join::{Join, Joined};
use super::super::maps::Maps;
use super::super::plan::{Meet, Plan};
use super::super::pull::{Pulled, Puller, Spare};
use super::super::reach::{Layers, Live, Reach, in_ranges, keep};
use super::super::steps::Step;
use super::ghosts::{Wanted, exchange_ghosts};
use super::key_squares::KeySquares;
use super::link::{AnyExchange, Ended, Link};
use super::message;
use super::owners::{Owners, WorkOfGroups};
use super::pairs::{Pairs, Shares, pair_work};
use super::prepare::prepared;
use super::saved::Saved;
use super::{DistributedCount, Exchange};
use crate::board::Kind;
use crate::question::Question;

/// Counts the tours that a question asks for, each process a part of every layer; the memory of `run` is that of this process.
/// Every process returns the same. With folders for files of the format [`SHARED_PART`](super::SHARED_PART) it saves its parts of some
/// layers, and any number of processes resumes from the last ones; the files are removed in the end.
///
/// # Errors
/// [`FrontierError`]: as [`count`](super::super::count), [`FrontierError::OverBudget`] before any work if the parts of two
/// layers are estimated not to fit, [`FrontierError::TooManyShared`] on boards whose counts may not fit 128 bits,
/// [`FrontierError::File`]; and those of the exchange.
pub fn count_distributed<E: Exchange>(
    question: &Question,
    exchange: &mut E,
    saved: Option<SavedParts>,
    run: &Run,
) -> Result<DistributedCount, E::Error> {
    if question.board.playable() == 1 {
        return Ok(DistributedCount {
            undirected: u32::from(question.kind == Kind::Open).into(),
            work: Work::default(),
            digests: vec![],
        });
    }
    Link::run(exchange, |exchange| {
        let (plan, reach, maps, held) = prepared(question, exchange.processes(), run)?;
        let counting = Counting {
            maps,
            digests: Digests::Made,
            run,
            made: Vec::new(),
            exchange,
            saved: Saved::new(saved),
            spare: Spare::new(run),
            live: Live::new(&[], plan.slots(), run)?,
            _held: held,
        };
        counting.run(&plan, reach)
    })
}

/// One of this many blocks is looked at to estimate the work of a step.
const SAMPLE: usize = 8;

/// The part of a layer that a process has.
pub(super) struct Part {
    /// Its own blocks, and ghost blocks.
    pub(super) layer: Layer,
    pub(super) owners: Owners,
    pub(super) squares: KeySquares,
    /// The slots of the frontier.
    pub(super) slots: usize,
    /// The sum of all counts of the whole layer.
    pub(super) sum: u128,
    /// The states that each process has of its own; none if they are not known.
    pub(super) states: Vec<u64>,
}

/// A layer that was made, the same in all processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Made {
    /// 0 if it is omitted.
    pub(super) digest: u64,
    /// Its states; 0 for the layer before the first step, which is given.
    pub(super) states: u64,
    /// The transitions of the step to it.
    pub(super) transitions: u64,
}

/// Whether the largest of some numbers is more than an eighth above their mean.
fn is_uneven(numbers: &[u64]) -> bool {
    let mean = numbers.iter().sum::<u64>() / numbers.len().max(1) as u64;
    let most = numbers.iter().max();
    most.is_some_and(|&most| most > mean + mean / 8)
}

/// Who will own the blocks after a step.
pub(super) struct Next {
    owners: Owners,
    squares: KeySquares,
}

/// One half of a count, of which no step is done, or some.
pub(super) struct Half<'a> {
    pub(super) steps: &'a [Step],
    /// The live degree vectors of its layers, of which the first is the branch.
    pub(super) lists: Layers,
    /// How many steps come before it.
    offset: usize,
    begun: Option<At>,
    /// Who will own the blocks after its first step.
    pub(super) next: Option<Next>,
}

impl<'a> Half<'a> {
    pub(super) fn new(steps: &'a [Step], lists: Layers, offset: usize, begun: Option<At>) -> Self {
        Self {
            steps,
            lists,
            offset,
            begun,
            next: None,
        }
    }
}

/// Whether the layers that are made get a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Digests {
    Made,
    /// Nobody asks for them.
    Omitted,
}

pub(super) struct Counting<'a> {
    pub(super) maps: Maps,
    pub(super) digests: Digests,
    pub(super) run: &'a Run,
    /// The layers so far.
    pub(super) made: Vec<Made>,
    pub(super) exchange: &'a mut AnyExchange<'a>,
    pub(super) saved: Saved,
    /// The memory of the steps before.
    pub(super) spare: Spare,
    /// The live degree vectors after the step that is next.
    pub(super) live: Live,
    pub(super) _held: Vec<Reservation>,
}

/// A layer that is there, and how many steps were done before it: those of all phases, in the order in which they are done.
pub(super) type At = (usize, Part);

impl Counting<'_> {
    fn run(mut self, plan: &Plan, reach: Reach) -> Result<DistributedCount, Ended> {
        let blocks = reach.len();
        let steps = reach.layers().count() as u64 - 1;
        let what = "counting tours, layers in several processes";
        self.run.progress.start(what, steps);
        let [common, second] = match plan {
            Plan::OneWay(steps) => [steps.len(), 0],
            Plan::Meet(meet) => [meet.common.len(), meet.second.len()],
        };
        let mut resumed = self.resumed(common, second)?;
        match resumed.iter().map(|&(at, _)| at).max() {
            Some(at) => self.run.progress.advance(at as u64),
            None => self.begin()?,
        }
        // The layer of a phase that is saved, if that is not before its first step.
        let mut of_phase = |from: usize, to: usize| {
            let found = resumed.iter().position(|&(at, _)| at > from && at <= to);
            found.map(|found| resumed.swap_remove(found))
        };
        let begun = [
            of_phase(0, common),
            of_phase(common, common + second),
            of_phase(common + second, usize::MAX),
        ];
        let total = match (plan, reach) {
            (Plan::OneWay(steps), Reach::OneWay(lists)) => {
                let [begun, ..] = begun;
                let start = begun.unwrap_or_else(|| (0, self.start(steps)));
                self.advance(start, 0, steps, lists, &[])?.sum
            }
            (
                Plan::Meet(meet),
                Reach::Meet {
                    common,
                    first,
                    second,
                },
            ) => self.meet(meet, [common, first, second], begun)?,
            _ => unreachable!("the live degree vectors are those of the plan"),
        };
        self.saved.remove()?;
        let mut work = Work::of("blocks", blocks);
        for made in &self.made {
            work.add("states", made.states);
            work.add("transitions", made.transitions);
            work.at_least("peak_states", made.states);
        }
        Ok(DistributedCount {
            undirected: total.into(),
            work,
            digests: self.made.iter().map(|made| made.digest).collect(),
        })
    }

    /// The layer before the first step is made.
    pub(super) fn begin(&mut self) -> Result<(), Ended> {
        let own = match self.exchange.process() {
            0 => digest(&Layer::start(), self.run)?,
            _ => 0,
        };
        let said = self.exchange.gather(vec![own])?;
        self.made.push(Made {
            digest: said[0][0],
            states: 0,
            transitions: 0,
        });
        Ok(())
    }

    /// The layer before the first step, which process 0 owns.
    pub(super) fn start(&self, steps: &[Step]) -> Part {
        Part {
            layer: match self.exchange.process() {
                0 => Layer::start(),
                _ => Layer::empty(Arc::default()),
            },
            owners: Owners::first(),
            squares: KeySquares::new(self.exchange.processes()),
            slots: steps.first().map_or(0, |step| step.slots_in),
            sum: 1,
            states: Vec::new(),
        }
    }

    /// Takes a part through the steps of a phase that are left, of which the first is `offset` steps after that of the count, given the live degree
    /// vectors of all layers of the phase. `needed` are the layers of phases before it that are still needed.
    pub(super) fn advance(
        &mut self,
        (mut at, mut part): At,
        offset: usize,
        steps: &[Step],
        lists: Layers,
        needed: &[(usize, &Part)],
    ) -> Result<Part, Ended> {
        let lists = lists.into_iter().skip(1);
        for (step, list) in steps.iter().zip(lists).skip(at - offset) {
            let (next, wanted) = self.next(&part, &steps[at - offset..], &list)?;
            if let Some(wanted) = wanted {
                self.exchange_ghosts(&mut part, &wanted)?;
            }
            let (pulled, is_due) = self.pull(&part, step, list, next)?;
            let before = std::mem::replace(&mut part, pulled);
            self.spare.keep(before.layer);
            at += 1;
            if is_due {
                self.save(needed, (at, &part))?;
            }
        }
        self.spare = Spare::new(self.run);
        Ok(part)
    }

    /// Counts both halves and joins them; `begun` are saved layers of the common beginning, of the second half and of the first.
    fn meet(
        &mut self,
        meet: &Meet,
        lists: [Layers; 3],
        begun: [Option<At>; 3],
    ) -> Result<u128, Ended> {
        let [common, first, second] = lists;
        let [of_common, of_second, of_first] = begun;
        let start = of_common.unwrap_or_else(|| (0, self.start(&meet.common)));
        let mut branch = self.advance(start, 0, &meet.common, common, &[])?;
        let facing = Live::new(
            first.last().map_or(&[], Vec::as_slice),
            meet.facing.len(),
            self.run,
        )?;
        let offset = meet.common.len();
        let mut halves = [
            Half::new(&meet.second, second, offset, of_second),
            Half::new(&meet.first, first, offset + meet.second.len(), of_first),
        ];
        // Both halves begin with the same blocks.
        let mut wanted: Option<Wanted> = None;
        for half in &mut halves {
            if half.steps.is_empty() || half.begun.is_some() {
                continue;
            }
            let (next, more) = self.next(&branch, half.steps, &half.lists[1])?;
            half.next = Some(next);
            wanted = match (wanted.take(), more) {
                (Some(wanted), Some(more)) => Some(more.and(wanted)),
                (wanted, more) => wanted.or(more),
            };
        }
        if let Some(wanted) = wanted {
            self.exchange_ghosts(&mut branch, &wanted)?;
        }
        let [second, first] = halves;
        let (at_branch, at_second) = (second.offset, first.offset);
        let mut theirs = self.half(second, &branch, &[(at_branch, &branch)])?;
        let mut needed = vec![(at_branch, &branch)];
        needed.extend(theirs.as_ref().map(|part| (at_second, part)));
        let ours = self.half(first, &branch, &needed)?;
        let second = theirs.as_ref().unwrap_or(&branch);
        let first = ours.as_ref().unwrap_or(&branch);
        let (wanted, shares) = self.wanted_to_join(meet, first, second, &facing)?;
        drop(facing);
        self.exchange_ghosts(theirs.as_mut().unwrap_or(&mut branch), &wanted)?;
        let second = theirs.as_ref().unwrap_or(&branch);
        let first = ours.as_ref().unwrap_or(&branch);
        self.join(
            meet,
            &Pairs::new(meet, first, second, &shares),
            first,
            second,
        )
    }

    /// The part of the last layer of a half, if that has steps.
    pub(super) fn half(
        &mut self,
        half: Half<'_>,
        branch: &Part,
        needed: &[(usize, &Part)],
    ) -> Result<Option<Part>, Ended> {
        let Half {
            steps,
            mut lists,
            offset,
            begun,
            next,
        } = half;
        let begun = match (begun, steps.first(), next) {
            (Some(begun), ..) => begun,
            (None, Some(step), Some(next)) => {
                let list = std::mem::take(&mut lists[1]);
                let (part, is_due) = self.pull(branch, step, list, next)?;
                let at = offset + 1;
                if is_due {
                    self.save(needed, (at, &part))?;
                }
                (at, part)
            }
            _ => return Ok(None),
        };
        self.advance(begun, offset, steps, lists, needed).map(Some)
    }

    /// Who will own the blocks after the first of some steps, given their degree vectors, and the blocks of this process of which others make
    /// some; `None` if every process makes its blocks of its own ones.
    pub(super) fn next(
        &mut self,
        part: &Part,
        steps: &[Step],
        list: &[Degrees],
    ) -> Result<(Next, Option<Wanted>), Ended> {
        let step = &steps[0];
        let through = part.owners.through(&part.squares, steps);
        if let Some((owners, squares)) = through.filter(|_| !is_uneven(&part.states)) {
            return Ok((Next { owners, squares }, None));
        }
        let (run, process) = (self.run, self.exchange.process());
        let replaced = self.live.replace(list, step.slots_out, run);
        replaced.map_err(FrontierError::from)?;
        let live = &self.live;
        let owned = |degrees| part.owners.of(degrees) == process;
        let each_after = |degrees, each: &mut dyn FnMut(Degrees)| {
            step.any_after(degrees, |after| {
                let after = match &step.fold {
                    Some(fold) => fold.canonical(after),
                    None => after,
                };
                if live.contains(after) {
                    each(after);
                }
                false
            });
        };
        let squares = part.squares.after(steps);
        let key = squares.key();
        let layer = &part.layer;
        let works = in_ranges(layer.degrees.len(), run, |range| {
            let mut work = WorkOfGroups::none(&key, step.slots_out);
            for at in range.step_by(SAMPLE) {
                let (degrees, states) = (layer.degrees[at], layer.block(at).len() as u64);
                if owned(degrees) && states > 0 {
                    each_after(degrees, &mut |after| work.add(after, states));
                }
            }
            work
        });
        let mut all = WorkOfGroups::none(&key, step.slots_out);
        for work in works.map_err(FrontierError::from)? {
            all.add_all(&work);
        }
        let owners = Owners::new(&squares, step, &self.exchange.gather(all.numbers())?);
        let needed_by = |degrees, needs: &mut dyn FnMut(usize)| {
            each_after(degrees, &mut |after| needs(owners.of(after)));
        };
        let wanted = Wanted::new(layer, self.exchange, owned, needed_by, run)?;
        Ok((Next { owners, squares }, Some(wanted)))
    }

    /// The blocks of the second half that others join, and who joins how many; `facing` are the degree vectors of the first half.
    fn wanted_to_join(
        &mut self,
        meet: &Meet,
        first: &Part,
        second: &Part,
        facing: &Live,
    ) -> Result<(Wanted, Shares), Ended> {
        let (process, processes) = (self.exchange.process(), self.exchange.processes());
        let mut back = vec![0; meet.facing.len()];
        for (slot, &facing) in meet.facing.iter().enumerate() {
            back[usize::from(facing)] = slot as u8;
        }
        let back = DigitMap::complement(&back);
        let owned = |degrees| second.owners.of(degrees) == process;
        let each_opposite = |degrees: Degrees, each: &mut dyn FnMut(Degrees)| {
            let image = meet.second_fold.as_ref();
            let image = image.map_or(degrees, |fold| fold.mirror.apply(degrees));
            let opposites = [back.apply(degrees), back.apply(image)].into_iter();
            opposites.filter(|&d| facing.contains(d)).for_each(each);
        };
        let is_shared = meet.first.is_empty() && meet.second.is_empty() && processes > 1;
        let shares = match is_shared {
            true => self.shares(first, second, each_opposite)?,
            false => Shares::equal(processes),
        };
        let pairs = Pairs::new(meet, first, second, &shares);
        let needed_by = |degrees: Degrees, needs: &mut dyn FnMut(usize)| {
            each_opposite(degrees, &mut |opposite| {
                let owner = first.owners.of(opposite);
                if pairs.joins(owner, opposite, degrees) {
                    needs(owner);
                }
            });
        };
        let wanted = Wanted::new(&second.layer, self.exchange, owned, needed_by, self.run)?;
        Ok((wanted, shares))
    }

    /// Who joins how many of the pairs of two halves that are the same layer. `each_opposite` calls its argument with the degree vectors of the
    /// blocks of the first half that face a block of the second.
    fn shares(
        &mut self,
        first: &Part,
        second: &Part,
        each_opposite: impl Fn(Degrees, &mut dyn FnMut(Degrees)) + Sync,
    ) -> Result<Shares, Ended> {
        let (process, processes) = (self.exchange.process(), self.exchange.processes());
        let works = in_ranges(second.layer.degrees.len(), self.run, |range| {
            let mut work = vec![0; processes * processes];
            for at in range.step_by(SAMPLE) {
                let degrees = second.layer.degrees[at];
                if second.owners.of(degrees) == process && !second.layer.block(at).is_empty() {
                    let endpoints = masks(degrees).ends.count_ones() as usize;
                    each_opposite(degrees, &mut |opposite| {
                        let other = first.owners.of(opposite);
                        work[processes * process + other] += pair_work(endpoints);
                    });
                }
            }
            work
        });
        let works = works.map_err(FrontierError::from)?;
        let sum = |sum: Vec<u64>, work: Vec<u64>| {
            let sums = sum.into_iter().zip(work);
            sums.map(|(sum, more)| sum + more).collect()
        };
        let all = works.into_iter().fold(vec![0; processes * processes], sum);
        Ok(Shares::new(processes, &self.exchange.gather(all)?))
    }

    /// Adds to a part the ghost blocks that others want of it, and those that it wants.
    fn exchange_ghosts(&mut self, part: &mut Part, wanted: &Wanted) -> Result<(), Ended> {
        let layer = std::mem::replace(&mut part.layer, Layer::empty(Arc::default()));
        part.layer = exchange_ghosts(layer, part.slots, wanted, self.exchange, self.run)?;
        Ok(())
    }

    /// The part after a step, given the live degree vectors after it, and whether it is time to save it.
    fn pull(
        &mut self,
        before: &Part,
        step: &Step,
        mut list: Vec<Degrees>,
        next: Next,
    ) -> Result<(Part, bool), Ended> {
        let process = self.exchange.process();
        let is_own = |degrees| next.owners.of(degrees) == process;
        keep(&mut list, self.run, is_own).map_err(FrontierError::from)?;
        let after = Arc::new(list);
        let puller = Puller {
            spare: self.spare.clone(),
            ..Puller::new(&self.maps, self.run, None)
        };
        let width = width_of_step(before.sum, step)?;
        let Pulled { layer, transitions } = puller.advance(width, &before.layer, step, &after)?;
        let own = [
            layer.states,
            transitions,
            layer.sum as u64,
            (layer.sum >> 64) as u64,
            match self.digests {
                Digests::Made => digest(&layer, self.run)?,
                Digests::Omitted => 0,
            },
            u64::from(self.saved.is_due()),
        ];
        let said = self.exchange.gather(own.to_vec())?;
        let of = |number: usize| said.iter().map(move |said| said[number]);
        let sums = of(2).zip(of(3));
        let sum = sums
            .map(|(low, high)| u128::from(high) << 64 | u128::from(low))
            .sum();
        self.made.push(Made {
            digest: of(4).fold(0, u64::wrapping_add),
            states: of(0).sum(),
            transitions: of(1).sum(),
        });
        self.run.progress.advance(1);
        let part = Part {
            layer,
            owners: next.owners,
            squares: next.squares,
            slots: step.slots_out,
            sum,
            states: of(0).collect(),
        };
        // Process 0 decides when all save their parts.
        Ok((part, said[0][5] == 1))
    }

    /// The number of tours, of which this process counts those of its part of the first half.
    fn join(
        &mut self,
        meet: &Meet,
        pairs: &Pairs<'_>,
        first: &Part,
        second: &Part,
    ) -> Result<u128, Ended> {
        let process = self.exchange.process();
        let own = |first, second| pairs.joins(process, first, second);
        let join = Join::new(meet, &second.layer, &self.maps, self.run, None)?.only(&own);
        let width = width_of_join([first.sum, second.sum])?;
        let part = join.total(width, &first.layer, Joined::default(), &mut |_| Ok(()))?;
        let multiplicity = join.multiplicity();
        let said = self
            .exchange
            .gather(vec![part as u64, (part >> 64) as u64])?;
        let parts = said
            .iter()
            .map(|said| u128::from(said[1]) << 64 | u128::from(said[0]));
        let total = parts.fold(0, u128::wrapping_add);
        Ok(total / u128::from(multiplicity))
    }
}

/// This process's part of the digest of a layer, all of whose blocks it owns.
pub(super) fn digest(layer: &Layer, run: &Run) -> Result<u64, FrontierError> {
    let parts = in_ranges(layer.degrees.len(), run, |range| {
        let mut bytes = Vec::new();
        range.fold(0u64, |sum, position| {
            let (degrees, block) = (layer.degrees[position], layer.block(position));
            let (words, ranks, counts) = message::stored(&block, degrees);
            bytes.clear();
            bytes.extend(degrees.to_le_bytes());
            bytes.extend([message::code(block.at.form), block.at.width]);
            message::append(&mut bytes, words, u64::to_le_bytes);
            message::append(&mut bytes, ranks, u32::to_le_bytes);
            bytes.extend_from_slice(counts);
            sum.wrapping_add(xxh3_64(&bytes))
        })
    })?;
    Ok(parts.into_iter().fold(0, u64::wrapping_add))
}
