//! Where two halves meet: pairs of partial tours that together are one cycle.
//!
//! For facing degree vectors, let x and y count the two halves' matchings. Wanted is the sum of x_i
//! y_j over the pairs of matchings whose union is a single cycle. It is decomposed by the partner p
//! of endpoint 0 in j: joining 0 and p in every i, which is a contraction, leaves the same question
//! with two endpoints less. That costs C(k) = (2k-1) ((2k-1)!! + C(k-1)) for 2k endpoints instead
//! of ((2k-1)!!)^2.
//!
//! The recursion does not depend on the blocks but for their number of endpoints, so several pairs
//! of blocks are joined at once, one a lane.

mod cycles;

use std::time::{Duration, Instant};

use everymove_kernel::parallel;
use everymove_kernel::run::{Reservation, Run};
use serde::{Deserialize, Serialize};

use crate::frontier::FrontierError;
use crate::frontier::counted::Width;
use crate::frontier::states::block::{Block, Cell, Layer};
use crate::frontier::states::maps::{Maps, Renumberings};
use crate::frontier::states::matching::{MAX_ENDPOINTS, matchings};
use crate::frontier::step::plan::Meet;
use crate::frontier::vectors::degrees::{Degrees, DigitMap, masks};
use crate::frontier::vectors::index::Index;
use crate::frontier::vectors::live::in_ranges;
pub(crate) use cycles::cycle_work;
use cycles::{Cycles, Factor};

/// Pairs of blocks joined at once up to [`LANED`] endpoints.
const LANES: usize = 4;

/// With more endpoints, pairs are joined one by one: the vectors would outgrow the caches.
const LANED: usize = 12;

/// The same for pairs whose sums fit 32 bits.
const NARROW_LANES: usize = 8;
pub(crate) const NARROW_LANED: usize = 14;

/// Smaller blocks are not worth the test whether their sums fit 32 bits.
const NARROWED: usize = 8;

/// From this many endpoints on, all threads work on one pair if there are fewer pairs than a few
/// for each.
const SHARED: usize = 16;
const PAIRS_A_THREAD: usize = 4;

/// The work of a job of joins, in additions of counts, and the most groups of pairs in it.
const JOB: usize = 1 << 19;
const MOST_GROUPS: usize = 1 << 10;

/// The work that is done between two calls of `keep` at first, in additions of counts of a lane;
/// twice as much each time until it takes [`PORTION_TIME`]. All threads wait for the last one at
/// the end of a portion.
const PORTION: usize = 1 << 28;
const PORTION_TIME: Duration = Duration::from_secs(1);

/// The fewest and the most pairs of the first portion.
const FEWEST_PAIRS: usize = 256;
const MOST_PAIRS: usize = 1 << 17;

/// About the bytes that a thread takes to join blocks of this many endpoints: three vectors of
/// lanes, or two whole ones.
pub(crate) fn join_bytes(endpoints: usize) -> u64 {
    let lanes = match endpoints {
        ..=NARROW_LANED => 3 * NARROW_LANES * size_of::<u32>(),
        _ => 2 * size_of::<u128>(),
    };
    (matchings(endpoints) * lanes) as u64
}

/// The sum over some pairs of blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) total: u128,
    /// For every slot of the first half, the parts of the total by the slot's degree there, if
    /// asked for.
    pub(crate) by_degree: Vec<[u128; 3]>,
}

impl Tally {
    /// Adds a sum, modulo a number if one is given.
    pub(crate) fn add(&mut self, part: Self, modulus: Option<u64>) {
        let add = |sum: &mut u128, more| {
            let all = sum.wrapping_add(more);
            *sum = modulus.map_or(all, |modulus| all % u128::from(modulus));
        };
        add(&mut self.total, part.total);
        let slots = part.by_degree.len().max(self.by_degree.len());
        self.by_degree.resize(slots, [0; 3]);
        for (sums, more) in self.by_degree.iter_mut().zip(part.by_degree) {
            sums.iter_mut()
                .zip(more)
                .for_each(|(sum, more)| add(sum, more));
        }
    }
}

/// Whether the total is also taken apart by the degrees at each slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    Total,
    ByDegree,
}

/// The vectors of one thread, and its part of the total.
struct Workspace<'a, C, const L: usize> {
    renumberings: [Renumberings<'a>; 2],
    x: Vec<[C; L]>,
    y: Vec<[C; L]>,
    scratch: Vec<Vec<[C; L]>>,
    tally: Tally,
}

/// A part of a join: the first pairs, and their sum.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Joined {
    /// How many pairs, or degree vectors of the first half, are joined, in their order.
    pub(crate) pairs: u64,
    /// The sum over them.
    #[serde(with = "decimal")]
    pub(crate) total: u128,
}

/// Numbers beyond 64 bits as text.
mod decimal {
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(crate) fn serialize<S: Serializer>(number: &u128, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(number)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u128, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map_err(de::Error::custom)
    }
}

/// The degree vectors of the second half that face those of the first.
pub(crate) struct Opposite<'a> {
    meet: &'a Meet,
    complement: DigitMap,
}

impl<'a> Opposite<'a> {
    pub(crate) fn new(meet: &'a Meet) -> Self {
        Self {
            meet,
            complement: DigitMap::complement(&meet.facing),
        }
    }

    /// The degree vector of the second half that faces one of the first, and its folded form.
    pub(crate) fn of(&self, degrees: Degrees) -> (Degrees, Degrees) {
        let facing = self.complement.apply(degrees);
        let fold = self.meet.second_fold.as_ref();
        (facing, fold.map_or(facing, |fold| fold.canonical(facing)))
    }
}

/// A pair of facing blocks: positions in the two layers, and how often the pair counts.
#[derive(Clone, Copy)]
struct Pair {
    first: u32,
    second: u32,
    weight: u8,
}

/// The second half and what joins it.
pub(crate) struct Join<'a> {
    run: &'a Run,
    meet: &'a Meet,
    cycles: Cycles<'a>,
    second: &'a Layer,
    /// Where the second half has its degree vectors; without it its blocks face those of the first
    /// half position by position.
    index: Option<&'a Index>,
    opposite: Opposite<'a>,
    /// The first half's slot for each slot of the second half.
    back: Vec<u8>,
}

impl<'a> Join<'a> {
    /// Prepares to join layers with the second half's last layer. Sums are modulo a number, if one
    /// is given, otherwise modulo 2^128.
    pub(crate) fn new(
        meet: &'a Meet,
        second: &'a Layer,
        index: Option<&'a Index>,
        maps: &'a Maps,
        modulus: Option<u64>,
        run: &'a Run,
    ) -> Self {
        let mut back = vec![0; meet.facing.len()];
        for (slot, &facing) in meet.facing.iter().enumerate() {
            back[usize::from(facing)] = slot as u8;
        }
        Self {
            run,
            meet,
            cycles: Cycles { maps, modulus },
            second,
            index,
            opposite: Opposite::new(meet),
            back,
        }
    }

    /// Joins the pairs from number `from` on; `done` gets the number of pairs of each portion and
    /// their sum. `width` must hold the sum of either layer twice.
    pub(crate) fn join(
        &self,
        width: Width,
        first: &Layer,
        detail: Detail,
        from: u64,
        done: &mut dyn FnMut(u64, Tally) -> Result<(), FrontierError>,
    ) -> Result<(), FrontierError> {
        match width {
            Width::Bits64 => self.portions::<u64>(first, from, detail, done),
            Width::Bits128 => self.portions::<u128>(first, from, detail, done),
        }
    }

    /// Joins the pairs from number `from` on, portion by portion; `done` gets the number of pairs
    /// of each portion and their sum.
    fn portions<C: Factor>(
        &self,
        first: &Layer,
        from: u64,
        detail: Detail,
        done: &mut dyn FnMut(u64, Tally) -> Result<(), FrontierError>,
    ) -> Result<(), FrontierError> {
        // The positions are there twice while they are sorted by the number of endpoints.
        let bytes = (2 * size_of_val(&first.degrees[..])) as u64;
        let ram = &self.run.ram;
        let _held = ram.reserve("counting: the pairs of blocks", bytes)?;
        let pairs = self.pairs(first)?;
        let all: u64 = pairs.iter().map(|pairs| pairs.len() as u64).sum();
        if self.index.is_some() {
            self.run.progress.start("joining the halves", all);
            self.run.progress.advance(from.min(all));
        }
        let mut before = 0;
        for (endpoints, pairs) in pairs.iter().enumerate() {
            let joined = (from.saturating_sub(before) as usize).min(pairs.len());
            before += pairs.len() as u64;
            let mut rest = &pairs[joined..];
            let mut size = match detail {
                Detail::Total => {
                    let groups = PORTION / cycle_work(endpoints);
                    (LANES * groups).clamp(FEWEST_PAIRS, MOST_PAIRS)
                }
                Detail::ByDegree => pairs.len(),
            };
            while !rest.is_empty() {
                let (portion, others) = rest.split_at(rest.len().min(size));
                rest = others;
                let started = Instant::now();
                let (narrow, wide) = self.by_width(endpoints, portion, first)?;
                let mut part =
                    self.joined::<C, LANES, 1>(endpoints, LANED, &wide, first, detail)?;
                let more = self.joined::<u32, NARROW_LANES, 2>(
                    endpoints,
                    NARROW_LANED,
                    &narrow,
                    first,
                    detail,
                )?;
                part.add(more, self.cycles.modulus);
                if started.elapsed() < PORTION_TIME {
                    size *= 2;
                }
                done(portion.len() as u64, part)?;
            }
        }
        Ok(())
    }

    /// Adds the sum of a pair with these degrees in the first half.
    fn add(&self, tally: &mut Tally, mut degrees: Degrees, sum: u128) {
        tally.total = self.reduce(tally.total.wrapping_add(sum));
        for slot in &mut tally.by_degree {
            let part = &mut slot[degrees as usize % 3];
            *part = self.reduce(part.wrapping_add(sum));
            degrees /= 3;
        }
    }

    fn reduce(&self, value: u128) -> u128 {
        self.cycles.reduce(value)
    }

    /// The pair of a block of the first half, if that of the second is there. If both halves are
    /// the same layer, each unordered pair comes once.
    fn pair(&self, position: u32, first: &Layer) -> Option<Pair> {
        let degrees = first.degrees[position as usize];
        let (_, stored) = self.opposite.of(degrees);
        let second = match self.index {
            Some(index) => index.position(stored)? as u32,
            None => position,
        };
        let alike = self.meet.alike;
        (!alike || stored >= degrees).then_some(Pair {
            first: position,
            second,
            weight: if alike && stored != degrees { 2 } else { 1 },
        })
    }

    /// The positions in the first half of the facing pairs that are not empty, by number of
    /// endpoints.
    fn pairs(&self, first: &Layer) -> Result<Vec<Vec<u32>>, FrontierError> {
        let degrees = &first.degrees;
        let parts = in_ranges(degrees.len(), self.run, |range| {
            let mut pairs = vec![Vec::new(); MAX_ENDPOINTS + 1];
            for i in range.filter(|&i| !first.block(i).is_empty()) {
                let Some(pair) = self.pair(i as u32, first) else {
                    continue;
                };
                if !self.second.block(pair.second as usize).is_empty() {
                    let endpoints = masks(degrees[i]).ends.count_ones() as usize;
                    pairs[endpoints].push(pair.first);
                }
            }
            pairs
        })?;
        let of = |endpoints: usize| {
            let lists: Vec<&[u32]> = parts.iter().map(|part| &part[endpoints][..]).collect();
            lists.concat()
        };
        Ok((0..=MAX_ENDPOINTS).map(of).collect())
    }

    /// The pairs at some positions of the first half: those of which the sum of the counts of
    /// either block is below 2^32, and the others.
    fn by_width(
        &self,
        endpoints: usize,
        positions: &[u32],
        first: &Layer,
    ) -> Result<(Vec<Pair>, Vec<Pair>), FrontierError> {
        let is_tested = endpoints >= NARROWED && self.cycles.modulus.is_none();
        let most = u64::from(u32::MAX);
        let parts = in_ranges(positions.len(), self.run, |range| {
            let pairs = positions[range].iter();
            let pairs = pairs.filter_map(|&position| self.pair(position, first));
            // Unfolding counts a matching that is its own mirror image twice.
            pairs.partition::<Vec<Pair>, _>(|pair| {
                let (x, y) = (pair.first as usize, pair.second as usize);
                is_tested
                    && first.block(x).sums_to_at_most(most)
                    && self.second.block(y).sums_to_at_most(most / 2)
            })
        })?;
        let (narrow, wide): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        Ok((narrow.concat(), wide.concat()))
    }

    /// Joins pairs whose sums fit `C`: `L` at once up to `laned` endpoints, `M` beyond.
    fn joined<C: Factor, const L: usize, const M: usize>(
        &self,
        endpoints: usize,
        laned: usize,
        pairs: &[Pair],
        first: &Layer,
        detail: Detail,
    ) -> Result<Tally, FrontierError> {
        if pairs.is_empty() {
            Ok(Tally::default())
        } else if self.is_shared(endpoints, pairs) {
            self.one_by_one::<C>(endpoints, pairs, first, detail)
        } else if endpoints <= laned {
            self.all::<C, L>(endpoints, pairs, first, detail)
        } else {
            self.all::<C, M>(endpoints, pairs, first, detail)
        }
    }

    /// Whether all threads should work on one pair at a time.
    fn is_shared(&self, endpoints: usize, pairs: &[Pair]) -> bool {
        endpoints >= SHARED && pairs.len() < PAIRS_A_THREAD * self.run.threads.get()
    }

    fn all<C: Factor, const L: usize>(
        &self,
        endpoints: usize,
        pairs: &[Pair],
        first: &Layer,
        detail: Detail,
    ) -> Result<Tally, FrontierError> {
        let bytes = 3 * matchings(endpoints) as u64 * (L * size_of::<C>()) as u64;
        let (run, _held) = self.threads_for(bytes, pairs.len().div_ceil(L))?;
        let size = matchings(endpoints);
        let workspace = || Workspace::<'_, C, L> {
            renumberings: self.renumberings(),
            x: vec![[C::default(); L]; size],
            y: vec![[C::default(); L]; size],
            scratch: vec![Vec::new(); endpoints + 1],
            tally: self.zero(detail),
        };
        let join_group = |space: &mut Workspace<'_, C, L>, group: &[Pair]| {
            space.x.fill([C::default(); L]);
            space.y.fill([C::default(); L]);
            for (lane, pair) in group.iter().enumerate() {
                let block = first.block(pair.first as usize);
                block.for_each(|r, c| space.x[r as usize][lane] = c);
                let (y, maps) = (&mut space.y, &mut space.renumberings);
                let block = self.second.block(pair.second as usize);
                self.expand(pair, first, block, maps, |r, c| {
                    y[r][lane] = y[r][lane].plus(c);
                });
            }
            let sums = self
                .cycles
                .cycles(endpoints, &space.x, &space.y, &mut space.scratch);
            for (pair, sum) in group.iter().zip(sums) {
                let weighted = sum.into().wrapping_mul(u128::from(pair.weight));
                self.add(
                    &mut space.tally,
                    first.degrees[pair.first as usize],
                    weighted,
                );
            }
            self.run.progress.worked((L * size) as u64);
            self.advance(group.len());
            Ok(())
        };
        let groups = (JOB / cycle_work(endpoints)).clamp(1, MOST_GROUPS);
        let work = |space: &mut Workspace<'_, C, L>, part: &[Pair]| {
            let mut groups = part.chunks(L);
            groups.try_for_each(|group| join_group(space, group))
        };
        let jobs = pairs.chunks(L * groups);
        let spaces = parallel::try_for_each::<_, _, FrontierError>(&run, jobs, workspace, work)?;
        let mut tally = Tally::default();
        for space in spaces {
            tally.add(space.tally, self.cycles.modulus);
        }
        Ok(tally)
    }

    /// The run with as many threads as there is memory for, of `bytes` each, and that memory; no
    /// more than there are jobs.
    fn threads_for(&self, bytes: u64, jobs: usize) -> Result<(Run, Reservation), FrontierError> {
        let mut threads = self.run.threads.get().min(jobs.max(1));
        loop {
            let held =
                (self.run.ram).reserve("counting: joining the halves", bytes * threads as u64);
            match held {
                Ok(held) => return Ok((self.run.with_threads(threads), held)),
                Err(_) if threads > 1 => threads /= 2,
                Err(over) => return Err(over.into()),
            }
        }
    }

    /// Joins large pairs one after another, the partners of endpoint 0 distributed to the threads.
    fn one_by_one<C: Factor>(
        &self,
        endpoints: usize,
        pairs: &[Pair],
        first: &Layer,
        detail: Detail,
    ) -> Result<Tally, FrontierError> {
        let size = matchings(endpoints);
        let part = matchings(endpoints - 2);
        let bytes = (2 * size + 2 * self.run.threads.get() * part) * size_of::<C>();
        let what = "counting: joining the halves";
        let _held = self.run.ram.reserve(what, bytes as u64)?;
        let mut tally = self.zero(detail);
        let mut renumberings = self.renumberings();
        for pair in pairs {
            let mut x = vec![[C::default()]; size];
            let mut y = vec![[C::default()]; size];
            let block = first.block(pair.first as usize);
            block.for_each(|r, c| x[r as usize] = [c]);
            let block = self.second.block(pair.second as usize);
            self.expand(pair, first, block, &mut renumberings, |r, c| {
                y[r][0] = y[r][0].plus(c);
            });
            let start = || (vec![Vec::new(); endpoints + 1], 0u128);
            let work = |(scratch, sum): &mut (Vec<Vec<[C; 1]>>, u128), partner: usize| {
                let y = &y[partner * part..][..part];
                let [more] = self
                    .cycles
                    .joined_to::<C, 1>(endpoints, partner, &x, y, scratch);
                *sum = self.reduce(sum.wrapping_add(more.into()));
            };
            let sums = parallel::for_each(self.run, 0..endpoints - 1, start, work)?;
            let add = |sum: u128, (_, more)| self.reduce(sum.wrapping_add(more));
            let sum = sums.into_iter().fold(0, add);
            let weighted = sum.wrapping_mul(u128::from(pair.weight));
            self.add(&mut tally, first.degrees[pair.first as usize], weighted);
            self.run.progress.worked(size as u64);
            self.advance(1);
        }
        Ok(tally)
    }

    /// Shows that pairs are joined, where the progress counts pairs.
    fn advance(&self, pairs: usize) {
        if self.index.is_some() {
            self.run.progress.advance(pairs as u64);
        }
    }

    /// The sum over no pairs.
    fn zero(&self, detail: Detail) -> Tally {
        let slots = match detail {
            Detail::Total => 0,
            Detail::ByDegree => self.meet.facing.len(),
        };
        Tally {
            total: 0,
            by_degree: vec![[0; 3]; slots],
        }
    }

    /// Renumberings of the second half's endpoints as the first half's, and as those of the mirror
    /// image.
    fn renumberings(&self) -> [Renumberings<'_>; 2] {
        let fold = self.meet.second_fold.as_ref();
        let mirror = fold.map_or(&[][..], |fold| &fold.to);
        [&self.back, mirror].map(|slots| Renumberings::new(self.cycles.maps, slots))
    }

    /// Calls `each` with the second half's counts, unfolded and numbered as the first half's
    /// endpoints.
    fn expand<C: Cell>(
        &self,
        pair: &Pair,
        first: &Layer,
        block: Block<'_>,
        renumberings: &mut [Renumberings<'_>; 2],
        mut each: impl FnMut(usize, C),
    ) {
        let (facing, stored) = self.opposite.of(first.degrees[pair.first as usize]);
        let [renumbered, mirror] = renumberings;
        let renumbered = renumbered.of(masks(facing).ends);
        let Some(fold) = &self.meet.second_fold else {
            block.for_each(|r, count| each(renumbered.image(r) as usize, count));
            return;
        };
        if fold.mirror.apply(stored) != stored {
            if facing == stored {
                block.for_each(|r, count| each(renumbered.image(r) as usize, count));
            } else {
                let mirror = mirror.of(masks(stored).ends);
                block.for_each(|r, count| each(renumbered.image(mirror.image(r)) as usize, count));
            }
            return;
        }
        let mirror = mirror.of(masks(stored).ends);
        block.for_each(|r, count| {
            each(renumbered.image(r) as usize, count);
            each(renumbered.image(mirror.image(r)) as usize, count);
        });
    }
}
