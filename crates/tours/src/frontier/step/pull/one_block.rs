//! The computation of one block from those before it.

use crate::frontier::FrontierError;
use crate::frontier::states::block::{Blocks, Builder, Cell};
use crate::frontier::states::maps::{Maps, Renumberings};
use crate::frontier::states::matching::{MAX_ENDPOINTS, matchings};
use crate::frontier::step::pull::Puller;
use crate::frontier::step::pull::listed::{images, is_listed, merge, planned};
use crate::frontier::step::pull::through::{pull, pull_two};
use crate::frontier::step::{Change, Step};
use crate::frontier::vectors::degrees::{Degrees, masks};
use crate::frontier::vectors::index::Index;

/// A thread's buffers, kept between blocks.
pub(crate) struct Scratch<'a, C> {
    wide: Accumulators<C>,
    /// For blocks whose sums are known to fit 32 bits: half as many cache lines.
    narrow: Accumulators<u32>,
    /// For blocks with few states.
    list: Vec<(u32, C)>,
    /// The predecessors of a block, and those of its mirror image.
    sources: [Vec<Source>; 2],
    words: Vec<u64>,
    renumberings: Renumberings<'a>,
}

/// Vectors of sums; all zero between blocks.
#[derive(Default)]
struct Accumulators<C> {
    sums: Vec<C>,
    mirrored: Vec<C>,
}

/// A block of the layer before, and how its matchings change.
#[derive(Clone, Copy)]
struct Source {
    position: u32,
    endpoints: u8,
    change: Change,
}

impl<'a, C: Cell> Scratch<'a, C> {
    /// For blocks after a step.
    pub(crate) fn new(maps: &'a Maps, step: &'a Step) -> Self {
        let slots = step.fold.as_ref().map_or(&[][..], |fold| &fold.to);
        Self {
            wide: Accumulators::default(),
            narrow: Accumulators::default(),
            list: Vec::new(),
            sources: Default::default(),
            words: Vec::new(),
            renumberings: Renumberings::new(maps, slots),
        }
    }
}

/// A vector of `size` sums, and one more entry to which lost matchings are added.
fn resized<C: Cell>(sums: &mut Vec<C>, size: usize) -> &mut [C] {
    if sums.len() <= size {
        // A fresh zeroed vector, not a resized one: pages that are never touched are never mapped.
        *sums = vec![C::default(); size + 1];
    }
    &mut sums[..=size]
}

/// Blocks of at least this many matchings are summed up in 32 bits where the sums fit.
const NARROWED: usize = 945;

/// The memory of longer lists is asked for.
const SHORT: u64 = 1 << 15;

/// The most states of one block that contribute to one sum: two contractions give as many of them
/// the same matching, and folding doubles that.
const CONTRIBUTIONS: u64 = 2 * (MAX_ENDPOINTS * MAX_ENDPOINTS) as u64;

/// The computation of blocks by one thread.
pub(crate) struct Pull<'a, 'b, C, B> {
    pub(crate) puller: &'a Puller<'a>,
    /// The blocks of the layer before.
    pub(crate) before: B,
    pub(crate) index: &'a Index,
    pub(crate) step: &'a Step,
    pub(crate) scratch: &'a mut Scratch<'b, C>,
}

impl<C: Cell, B: Blocks> Pull<'_, '_, C, B> {
    /// Gathers the block of `degrees` and adds it to `builder`; the number of transitions.
    pub(crate) fn block(
        &mut self,
        degrees: Degrees,
        builder: &mut Builder,
    ) -> Result<u64, FrontierError> {
        let ends = masks(degrees).ends;
        let endpoints = ends.count_ones() as usize;
        let size = matchings(endpoints);
        let image = match &self.step.fold {
            Some(fold) => fold.mirror.apply(degrees),
            None => degrees,
        };
        let mut sources = std::mem::take(&mut self.scratch.sources);
        let mut found = self.sources(degrees, &mut sources[0])?;
        sources[1].clear();
        if image != degrees {
            found.add(self.sources(image, &mut sources[1])?);
        }
        let bound = found.blocks * CONTRIBUTIONS * u64::from(u16::MAX);
        let slots = self.step.slots_out;
        let is_listed = is_listed(endpoints, slots, found.states);
        let is_planned = endpoints <= planned(slots);
        let unplanned = match (is_listed, is_planned) {
            (true, _) if found.states <= SHORT => 0,
            (true, _) => found.states * size_of::<(u32, C)>() as u64,
            (false, true) => 0,
            (false, false) => 2 * (size * (size_of::<C>() + size_of::<u32>())) as u64,
        };
        let _unplanned = match unplanned {
            0 => None,
            bytes => {
                let ram = &self.puller.run.ram;
                Some(ram.reserve("counting: the sums of a block", bytes)?)
            }
        };
        let sums_fit = found.widest <= 2 && bound <= u64::from(u32::MAX);
        if is_listed {
            let mut list = std::mem::take(&mut self.scratch.list);
            self.list(degrees, image, &sources, &mut list)?;
            builder.take_list(&list)?;
            self.scratch.list = list;
        } else if size >= NARROWED && sums_fit && self.puller.modulus.is_none() {
            let mut sums = std::mem::take(&mut self.scratch.narrow);
            self.sum(degrees, image, &sources, size, &mut sums)?;
            builder.take(&mut sums.sums[..size], &mut self.scratch.words)?;
            self.scratch.narrow = sums;
        } else {
            let mut sums = std::mem::take(&mut self.scratch.wide);
            self.sum(degrees, image, &sources, size, &mut sums)?;
            if let Some(modulus) = self.puller.modulus {
                let counts = &mut sums.sums[..size];
                counts.iter_mut().for_each(|c| *c = c.modulo(modulus));
            }
            builder.take(&mut sums.sums[..size], &mut self.scratch.words)?;
            self.scratch.wide = sums;
        }
        self.scratch.sources = sources;
        if unplanned > 0 {
            self.scratch.list = Vec::new();
            self.scratch.narrow = Accumulators::default();
            self.scratch.wide = Accumulators::default();
        }
        Ok(found.states)
    }

    /// Finds the blocks that contribute to that of `degrees`.
    fn sources(
        &mut self,
        degrees: Degrees,
        sources: &mut Vec<Source>,
    ) -> Result<Found, FrontierError> {
        sources.clear();
        let mut found = Found::default();
        let mut failed = None;
        let (index, blocks) = (self.index, &mut self.before);
        self.step.for_each_before(degrees, |before, change| {
            let Some(position) = index.position(before) else {
                return;
            };
            let block = match blocks.block(position) {
                Ok(block) if block.is_empty() => return,
                Ok(block) => block,
                Err(error) => {
                    failed = Some(error);
                    return;
                }
            };
            found.add(Found {
                blocks: 1,
                states: block.len() as u64,
                widest: block.width(),
            });
            sources.push(Source {
                position: position as u32,
                endpoints: masks(before).ends.count_ones() as u8,
                change,
            });
        });
        failed.map_or(Ok(found), Err)
    }

    /// Sums up what the predecessors contribute; folds, if the step does.
    fn sum<D: Cell>(
        &mut self,
        degrees: Degrees,
        image: Degrees,
        sources: &[Vec<Source>; 2],
        size: usize,
        into: &mut Accumulators<D>,
    ) -> Result<(), FrontierError> {
        self.gather(&sources[0], resized(&mut into.sums, size))?;
        into.sums[size] = D::default();
        let step = self.step;
        if step.fold.is_none() {
            return Ok(());
        }
        let ends = masks(image).ends;
        if image != degrees {
            self.gather(&sources[1], resized(&mut into.mirrored, size))?;
            let map = self.scratch.renumberings.of(ends);
            let sums = &mut into.sums;
            for (part, at) in into.mirrored[..size].chunks_mut(64).zip((0..).step_by(64)) {
                if part.iter().fold(D::default(), |any, &c| any.either(c)) == D::default() {
                    continue;
                }
                for (r, count) in (at..).zip(part) {
                    if *count != D::default() {
                        let r = map.image(r) as usize;
                        sums[r] = sums[r].plus(*count);
                        *count = D::default();
                    }
                }
            }
            into.mirrored[size] = D::default();
        } else {
            let map = self.scratch.renumberings.of(ends);
            let sums = &mut into.sums;
            for r in 0..size {
                if sums[r] != D::default() {
                    let image = map.image(r as u32) as usize;
                    if image < r {
                        sums[image] = sums[image].plus(sums[r]);
                        sums[r] = D::default();
                    }
                }
            }
        }
        Ok(())
    }

    /// Lists what the predecessors contribute, ascending by rank; folds, if the step does.
    fn list(
        &mut self,
        degrees: Degrees,
        image: Degrees,
        sources: &[Vec<Source>; 2],
        list: &mut Vec<(u32, C)>,
    ) -> Result<(), FrontierError> {
        list.clear();
        self.append(&sources[0], list)?;
        if self.step.fold.is_some() {
            let own = list.len();
            if image != degrees {
                self.append(&sources[1], list)?;
            }
            let map = self.scratch.renumberings.of(masks(image).ends);
            if image != degrees {
                let mirrored = &mut list[own..];
                mirrored.iter_mut().for_each(|(r, _)| *r = map.image(*r));
            } else {
                list.iter_mut()
                    .for_each(|(r, _)| *r = map.image(*r).min(*r));
            }
        }
        merge(list);
        if let Some(modulus) = self.puller.modulus {
            list.iter_mut().for_each(|(_, c)| *c = c.modulo(modulus));
            list.retain(|&(_, count)| count != C::default());
        }
        Ok(())
    }

    /// Appends what all predecessors contribute.
    fn append(
        &mut self,
        sources: &[Source],
        list: &mut Vec<(u32, C)>,
    ) -> Result<(), FrontierError> {
        for source in sources {
            let block = self.before.block(source.position as usize)?;
            let endpoints = usize::from(source.endpoints);
            let each = &mut |rank, count| list.push((rank, count));
            images(block, self.puller.maps, source.change, endpoints, each);
        }
        Ok(())
    }

    /// Adds what all predecessors contribute; `sums` has an entry more than there are ranks.
    fn gather<D: Cell>(&mut self, sources: &[Source], sums: &mut [D]) -> Result<(), FrontierError> {
        for source in sources {
            let block = self.before.block(source.position as usize)?;
            let endpoints = usize::from(source.endpoints);
            let maps = self.puller.maps;
            match source.change {
                Change::One(edit) => pull(block, maps.edit(edit, endpoints), sums),
                Change::Two(e, f) => pull_two(block, maps, e, f, endpoints, sums),
            }
        }
        Ok(())
    }
}

/// What the predecessors of a block have together.
#[derive(Clone, Copy, Default)]
struct Found {
    blocks: u64,
    states: u64,
    /// The most bytes that a count has.
    widest: u8,
}

impl Found {
    fn add(&mut self, other: Self) {
        self.blocks += other.blocks;
        self.states += other.states;
        self.widest = self.widest.max(other.widest);
    }
}
