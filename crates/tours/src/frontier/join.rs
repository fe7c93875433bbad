//! Where two halves meet: pairs of partial tours that together are one cycle.
//!
//! For facing degree vectors, let x and y count the two halves' matchings. Wanted is the sum of x_i y_j over the pairs
//! of matchings whose union is a single cycle. It is decomposed by the partner p of endpoint 0 in j: joining 0 and p
//! in every i, which is a contraction, leaves the same question with two endpoints less. That costs
//! C(k) = (2k-1) ((2k-1)!! + C(k-1)) for 2k endpoints instead of ((2k-1)!!)^2.
//!
//! The recursion does not depend on the blocks but for their number of endpoints, so several pairs of blocks are
//! joined at once, one a lane.

use std::time::{Duration, Instant};

use everymove_kernel::parallel;
use everymove_kernel::run::Run;
use serde::{Deserialize, Serialize};

use super::FrontierError;
use super::block::{Cell, Layer};
use super::degrees::{Degrees, DigitMap, masks};
use super::edit::Edit;
use super::maps::{Action, LOST, Maps, RankMap, direct, permuted};
use super::matching::{MAX_ENDPOINTS, matchings};
use super::plan::Meet;
use super::steps::renumbering;

/// Pairs of blocks joined at once up to [`LANED`] endpoints.
const LANES: usize = 4;

/// With more endpoints, pairs are joined one by one: the vectors would outgrow the caches.
const LANED: usize = 12;

/// Pairs that are joined between two calls of `keep`, at first; twice as many each time until they take
/// [`PORTION_TIME`].
const PORTION: usize = 256;
const PORTION_TIME: Duration = Duration::from_secs(1);

/// A part of a join: the first pairs, and their sum.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Joined {
    /// How many pairs are joined, in the order of their numbers of endpoints and of the first half.
    pub(super) pairs: u64,
    /// The sum over them.
    #[serde(with = "decimal")]
    pub(super) total: u128,
}

/// Numbers beyond 64 bits as text.
mod decimal {
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(super) fn serialize<S: Serializer>(
        number: &u128,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<u128, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

/// Two halves and what joins them.
pub(super) struct Join<'a> {
    pub(super) meet: &'a Meet,
    pub(super) maps: &'a Maps,
    pub(super) run: &'a Run,
    /// Counts are residues modulo this number, if any.
    pub(super) modulus: Option<u64>,
    facing: DigitMap,
    /// The first half's slot for each slot of the second half.
    back: Vec<u8>,
}

/// A pair of facing blocks: positions in the two layers, and how often the pair counts.
#[derive(Clone, Copy)]
struct Pair {
    first: u32,
    second: u32,
    weight: u8,
}

impl<'a> Join<'a> {
    pub(super) fn new(meet: &'a Meet, maps: &'a Maps, run: &'a Run, modulus: Option<u64>) -> Self {
        let mut back = vec![0; meet.facing.len()];
        for (slot, &facing) in meet.facing.iter().enumerate() {
            back[usize::from(facing)] = slot as u8;
        }
        Self {
            meet,
            maps,
            run,
            modulus,
            facing: DigitMap::complement(&meet.facing),
            back,
        }
    }

    /// The number of tours, modulo 2^128 or the modulus; `C` must hold the sum of either layer twice. It goes on from
    /// a part that was joined before; `keep` gets what is joined now and then.
    pub(super) fn total<C: Cell>(
        &self,
        first: &Layer,
        second: &Layer,
        mut joined: Joined,
        mut keep: impl FnMut(&Joined) -> Result<(), FrontierError>,
    ) -> Result<u128, FrontierError> {
        let alike = self.meet.first.is_empty() && self.meet.second.is_empty();
        let pairs = self.pairs(first, second, alike);
        let all: u64 = pairs.iter().map(|pairs| pairs.len() as u64).sum();
        self.run.progress.start("joining the halves", all);
        self.run.progress.advance(joined.pairs.min(all));
        let mut before = 0;
        for (endpoints, pairs) in pairs.iter().enumerate() {
            let done = (joined.pairs.saturating_sub(before) as usize).min(pairs.len());
            before += pairs.len() as u64;
            let mut rest = &pairs[done..];
            let mut size = PORTION;
            while !rest.is_empty() {
                let (portion, others) = rest.split_at(rest.len().min(size));
                rest = others;
                let started = Instant::now();
                let part = if endpoints <= LANED {
                    self.all::<C, LANES>(endpoints, portion, first, second)?
                } else {
                    self.all::<C, 1>(endpoints, portion, first, second)?
                };
                if started.elapsed() < PORTION_TIME {
                    size *= 2;
                }
                joined.total = self.reduce(joined.total.wrapping_add(part));
                joined.pairs += portion.len() as u64;
                keep(&joined)?;
            }
        }
        Ok(joined.total)
    }

    /// Every total is this many times the number of tours.
    pub(super) fn multiplicity(&self) -> u32 {
        if self.meet.second_fold.is_some() {
            2
        } else {
            1
        }
    }

    fn reduce(&self, value: u128) -> u128 {
        self.modulus.map_or(value, |m| value % u128::from(m))
    }

    /// The degree vector of the second half that faces one of the first, and its folded form.
    fn opposite(&self, degrees: Degrees) -> (Degrees, Degrees) {
        let facing = self.facing.apply(degrees);
        let stored = self
            .meet
            .second_fold
            .as_ref()
            .map_or(facing, |fold| fold.canonical(facing));
        (facing, stored)
    }

    /// The facing pairs, by number of endpoints. If both halves are the same layer, each unordered pair comes once.
    fn pairs(&self, first: &Layer, second: &Layer, alike: bool) -> Vec<Vec<Pair>> {
        let mut pairs = vec![Vec::new(); MAX_ENDPOINTS + 1];
        for (i, &degrees) in first.degrees.iter().enumerate() {
            let (_, stored) = self.opposite(degrees);
            let Ok(j) = second.degrees.binary_search(&stored) else {
                continue;
            };
            if first.block(i).is_empty() || second.block(j).is_empty() || alike && j < i {
                continue;
            }
            let weight = if alike && j > i { 2 } else { 1 };
            let endpoints = masks(degrees).ends.count_ones() as usize;
            pairs[endpoints].push(Pair {
                first: i as u32,
                second: j as u32,
                weight,
            });
        }
        pairs
    }

    fn all<C: Cell, const L: usize>(
        &self,
        endpoints: usize,
        pairs: &[Pair],
        first: &Layer,
        second: &Layer,
    ) -> Result<u128, FrontierError> {
        let bytes = 3 * matchings(endpoints) as u64 * (L * size_of::<C>()) as u64;
        let threads = self.run.threads.get().min(pairs.len().div_ceil(L));
        let _held = self
            .run
            .ram
            .reserve("counting: joining the halves", bytes * threads as u64)?;
        let size = matchings(endpoints);
        let workspace = || Workspace::<C, L> {
            x: vec![[C::default(); L]; size],
            y: vec![[C::default(); L]; size],
            scratch: vec![Vec::new(); endpoints + 1],
            total: 0,
        };
        let work = |space: &mut Workspace<C, L>, group: &[Pair]| {
            space.x.fill([C::default(); L]);
            space.y.fill([C::default(); L]);
            for (lane, pair) in group.iter().enumerate() {
                first
                    .block(pair.first as usize)
                    .for_each(|r, c| space.x[r as usize][lane] = c);
                self.expand(pair, first, second, |r, c| {
                    space.y[r][lane] = space.y[r][lane].plus(c);
                });
            }
            let sums = self.cycles(endpoints, &space.x, &space.y, &mut space.scratch);
            for (pair, sum) in group.iter().zip(sums) {
                let weighted = sum.wrapping_mul(u128::from(pair.weight));
                space.total = self.reduce(space.total.wrapping_add(weighted));
            }
            self.run.progress.worked((L * size) as u64);
            self.run.progress.advance(group.len() as u64);
        };
        let spaces = parallel::for_each(self.run, pairs.chunks(L), workspace, work)?;
        Ok((spaces.into_iter()).fold(0, |sum, space| self.reduce(sum.wrapping_add(space.total))))
    }

    /// Calls `each` with the second half's counts, unfolded and numbered as the first half's endpoints.
    fn expand<C: Cell>(
        &self,
        pair: &Pair,
        first: &Layer,
        second: &Layer,
        mut each: impl FnMut(usize, C),
    ) {
        let (facing, stored) = self.opposite(first.degrees[pair.first as usize]);
        let renumbered = Renumbering::new(self.maps, renumbering(&self.back, masks(facing).ends));
        let block = second.block(pair.second as usize);
        let Some(fold) = &self.meet.second_fold else {
            block.for_each(|r, count| each(renumbered.image(r) as usize, count));
            return;
        };
        if fold.mirror.apply(stored) != stored {
            if facing == stored {
                block.for_each(|r, count| each(renumbered.image(r) as usize, count));
            } else {
                let mirror = Renumbering::new(self.maps, fold.renumbering(masks(stored).ends));
                block.for_each(|r, count| each(renumbered.image(mirror.image(r)) as usize, count));
            }
            return;
        }
        let mirror = Renumbering::new(self.maps, fold.renumbering(masks(stored).ends));
        block.for_each(|r, count| {
            each(renumbered.image(r) as usize, count);
            each(renumbered.image(mirror.image(r)) as usize, count);
        });
    }

    /// For every lane, the sum of x_i y_j over the pairs of matchings whose union is one cycle.
    fn cycles<C: Cell, const L: usize>(
        &self,
        endpoints: usize,
        x: &[[C; L]],
        y: &[[C; L]],
        scratch: &mut [Vec<[C; L]>],
    ) -> [u128; L] {
        let mut total = [0u128; L];
        let mut add = |lane: usize, a: C, b: C| {
            total[lane] = self.reduce(total[lane].wrapping_add(a.wide().wrapping_mul(b.wide())));
        };
        match endpoints {
            2 => {
                for lane in 0..L {
                    add(lane, x[0][lane], y[0][lane]);
                }
            }
            4 => {
                for lane in 0..L {
                    for (i, y) in y.iter().enumerate() {
                        let others = x[(i + 1) % 3][lane].plus(x[(i + 2) % 3][lane]);
                        add(lane, others, y[lane]);
                    }
                }
            }
            _ => {
                let size = matchings(endpoints - 2);
                let mut inner = std::mem::take(&mut scratch[endpoints]);
                inner.resize(size + 1, [C::default(); L]);
                for (partner, part) in y.chunks(size).enumerate() {
                    if part.iter().all(|lanes| *lanes == [C::default(); L]) {
                        continue;
                    }
                    inner.fill([C::default(); L]);
                    let edit = Edit::Contract {
                        a: 0,
                        b: partner as u8 + 1,
                    };
                    contract(self.maps.edit(edit, endpoints), x, &mut inner);
                    if let Some(modulus) = self.modulus {
                        inner
                            .iter_mut()
                            .flatten()
                            .for_each(|c| *c = c.modulo(modulus));
                    }
                    let sums = self.cycles(endpoints - 2, &inner[..size], part, scratch);
                    for (total, sum) in total.iter_mut().zip(sums) {
                        *total = self.reduce(total.wrapping_add(sum));
                    }
                }
                scratch[endpoints] = inner;
            }
        }
        total
    }
}

/// The vectors of one thread, and its part of the total.
struct Workspace<C, const L: usize> {
    x: Vec<[C; L]>,
    y: Vec<[C; L]>,
    scratch: Vec<Vec<[C; L]>>,
    total: u128,
}

/// Adds `x` through the map of a contraction.
fn contract<C: Cell, const L: usize>(map: &RankMap, x: &[[C; L]], sums: &mut [[C; L]]) {
    let lost = sums.len() - 1;
    let mut add = |at: usize, lanes: &[C; L]| {
        for (sum, &count) in sums[at].iter_mut().zip(lanes) {
            *sum = sum.plus(count);
        }
    };
    match map {
        RankMap::Table(table) => {
            for (lanes, &image) in x.iter().zip(&table[..]) {
                add((image as usize).min(lost), lanes);
            }
        }
        RankMap::Pieces(pieces) => {
            for piece in pieces {
                let part = &x[piece.start as usize..piece.end as usize];
                let base = piece.base as usize;
                match &piece.action {
                    Action::Lose => {}
                    Action::Shift => {
                        part.iter()
                            .enumerate()
                            .for_each(|(i, lanes)| add(base + i, lanes));
                    }
                    Action::Table(table) => {
                        for (lanes, &image) in part.iter().zip(&table[..]) {
                            add(
                                if image == LOST {
                                    lost
                                } else {
                                    base + image as usize
                                },
                                lanes,
                            );
                        }
                    }
                    Action::Direct(..) => {
                        for (i, lanes) in part.iter().enumerate() {
                            if *lanes != [C::default(); L] {
                                let image = piece.image(piece.start + i as u32);
                                add((image as usize).min(lost), lanes);
                            }
                        }
                    }
                }
            }
        }
        RankMap::Shift(base) => {
            for (r, lanes) in x.iter().enumerate() {
                add(r + *base as usize, lanes);
            }
        }
        RankMap::Direct(edit, endpoints) => {
            for (r, lanes) in x.iter().enumerate() {
                if *lanes != [C::default(); L] {
                    add(
                        (direct(*edit, *endpoints, r as u32) as usize).min(lost),
                        lanes,
                    );
                }
            }
        }
    }
}

/// A renumbering of endpoints as a map of ranks.
struct Renumbering {
    to: Vec<u8>,
    table: Option<std::sync::Arc<[u32]>>,
}

impl Renumbering {
    fn new(maps: &Maps, to: Vec<u8>) -> Self {
        let table = maps.permutation(&to);
        Self { to, table }
    }

    #[inline]
    fn image(&self, r: u32) -> u32 {
        match &self.table {
            Some(table) => table[r as usize],
            None => permuted(&self.to, r),
        }
    }
}
