//! Solves one P-slice and appends its codes to the file of finished P-slices.

use std::collections::BTreeMap;
use std::sync::Arc;

use everymove_kernel::run::Run;

use super::finished::FinishedSlices;
use super::memory::CachedWay;
use super::packed::{Appender, Place};
use crate::error::TableError;
use crate::generate::by_distance::{ByDistance, DistanceList, Representation};
use crate::generate::conversions::Conversions;
use crate::generate::retro_step::RetroStep;
use crate::generate::schedule::{Schedule, Traffic};
use crate::generate::solve::{SolveOptions, partitions, solve};
use crate::metric::{Metric, ZeroingMove};
use crate::position::index_space::{IndexSpace, Side, indices};
use crate::position::material::Half;
use crate::position::subspace::Subspace;
use crate::store::block_cache::BlockCache;
use crate::store::directory::{Tables, mark_illegal};
use crate::store::half_codes::CachedHalf;
use crate::store::half_codes::TableBlocks;
use crate::store::half_codes::{EncodedDistances, HalfView};
use crate::store::spool::Spool;
use crate::store::win_set::InMemory;

/// A P-slice that is done.
pub(super) struct SolvedSlice {
    /// Wins with the attacker to move, illegal positions marked, and losses with the defender to
    /// move, if they were made in memory.
    pub(super) codes: Option<[Vec<u8>; 2]>,
    /// By side to move: the place in the file of finished P-slices.
    pub(super) packed: [Place; 2],
    pub(super) max: [u8; 2],
    pub(super) found: [u64; 2],
    pub(super) traffic: Traffic,
}

/// The values of the positions that conversions lead to.
pub(super) enum Values {
    /// In memory.
    Loaded(Arc<Conversions>),
    /// In files, of which a few blocks are in memory.
    Cached(CachedWay),
}

/// What it takes to solve the P-slices of a group.
pub(super) struct SliceSolver<'a> {
    pub(super) half: &'a Half,
    pub(super) space: &'a Arc<IndexSpace>,
    pub(super) metric: Metric,
    pub(super) tables: &'a Tables,
    pub(super) finished: &'a FinishedSlices<'a>,
    pub(super) spool: &'a Spool,
    pub(super) run: &'a Run,
}

impl SliceSolver<'_> {
    /// Solves a P-slice.
    pub(super) fn solve(&self, slice: usize, values: &Values) -> Result<SolvedSlice, TableError> {
        match values {
            Values::Loaded(conversions) => self.solve_loaded(slice, conversions),
            Values::Cached(cached) => self.solve_cached(slice, *cached),
        }
    }

    fn solve_loaded(
        &self,
        slice: usize,
        conversions: &Arc<Conversions>,
    ) -> Result<SolvedSlice, TableError> {
        let file = self.finished.file();
        let retro = self.retro(slice, conversions.clone());
        let mut retro = retro.with_loss_bounds();
        let mut by_distance = self.by_distance(&mut retro, Representation::Codes)?;
        let mut codes = by_distance.codes.take().unwrap_or_default();
        let mut packed = [(0, 0); 2];
        for (codes, packed) in codes.iter().zip(&mut packed) {
            let mut appender = Appender::new(file);
            appender.push(codes)?;
            *packed = appender.finish()?;
        }
        let max = [0, 1].map(|side| codes[side].iter().copied().max().unwrap_or(0));
        max.iter()
            .try_for_each(|&code| self.require_byte(code.into()))?;
        mark_illegal(&retro.subspace, 0, &mut codes[0]);
        Ok(SolvedSlice {
            codes: Some(codes),
            packed,
            max,
            found: by_distance.found,
            traffic: by_distance.traffic,
        })
    }

    fn solve_cached(&self, slice: usize, memory: CachedWay) -> Result<SolvedSlice, TableError> {
        let by_distance = {
            let (conversions, halves) = self.conversions(memory.cache)?;
            let mut retro = self.retro(slice, conversions.into());
            if memory.loss_bounds {
                retro = retro.with_loss_bounds();
            }
            let by_distance = self.by_distance(&mut retro, Representation::Lists)?;
            halves.iter().try_for_each(|half| half.take_error())?;
            by_distance
        };
        let lists = [&by_distance.wins, &by_distance.losses];
        let (mut packed, mut max) = ([(0, 0); 2], [0; 2]);
        for (side, lists) in lists.into_iter().enumerate() {
            packed[side] = self.pack(lists, memory.packed_at_once)?;
            let code = lists.iter().map(|level| level.code).max().unwrap_or(0);
            self.require_byte(code)?;
            max[side] = code as u8;
        }
        Ok(SolvedSlice {
            codes: None,
            packed,
            max,
            found: by_distance.found,
            traffic: by_distance.traffic,
        })
    }

    /// Refuses a P-slice with a code so large that those of P-slices before it may not fit a byte.
    fn require_byte(&self, code: u16) -> Result<(), TableError> {
        if code > self.metric.largest_code_after(ZeroingMove::PawnMove) {
            let half = self.half.to_string();
            return Err(TableError::TooDeep { half });
        }
        Ok(())
    }

    fn retro(&self, slice: usize, conversions: Arc<Conversions>) -> RetroStep {
        let subspace = Subspace::new(self.space.clone(), Some(slice));
        RetroStep::new(subspace, self.metric, conversions, self.run.stop.clone())
    }

    fn by_distance(
        &self,
        retro: &mut RetroStep,
        representation: Representation,
    ) -> Result<ByDistance, TableError> {
        let serial = self.run.with_threads(1).unseen();
        let (words, schedule) = (retro.subspace.words, Schedule::Scan);
        let win_set = InMemory::new(words);
        let partitions = partitions(self.space, schedule, words);
        let options = SolveOptions {
            schedule,
            representation,
            uncached: false,
        };
        let spool = self.spool;
        solve(retro, &win_set, &partitions, options, None, spool, &serial)
    }

    /// Returns the conversions of the half, and the halves that they lead to, for each of which the
    /// cache has `bytes` bytes.
    fn conversions(&self, bytes: usize) -> Result<(Conversions, Vec<Arc<CachedHalf>>), TableError> {
        let mut views: BTreeMap<(Half, Side), Arc<HalfView>> = BTreeMap::new();
        let count = Conversions::halves(self.space).len();
        let cache = Arc::new(BlockCache::new((count * bytes) as u64));
        let mut halves = Vec::new();
        let conversions = Conversions::new(self.space, self.metric, |half, side| {
            let key = (half.clone(), side);
            if let Some(view) = views.get(&key) {
                return Ok::<_, TableError>(view.clone());
            }
            let cached = if half == self.half {
                self.finished.cached(side, &cache)
            } else {
                let source = TableBlocks::new(self.tables, half, side, &cache)?;
                CachedHalf::new(Box::new(source), &cache)
            };
            let cached = Arc::new(cached);
            halves.push(cached.clone());
            let view = Arc::new(HalfView {
                space: self.tables.space(half),
                codes: EncodedDistances::Cached(cached),
            });
            views.insert(key, view.clone());
            Ok(view)
        })?;
        Ok((conversions, halves))
    }

    /// Appends the codes of the lists of one side to move, of which at most `at_once` are in memory
    /// at once.
    fn pack(&self, lists: &[DistanceList], at_once: usize) -> Result<Place, TableError> {
        let length = self.space.slice_len();
        let mut appender = Appender::new(self.finished.file());
        let mut codes = vec![0; at_once.min(length)];
        for from in (0..length).step_by(codes.len()) {
            self.run.stop.check()?;
            codes.fill(0);
            let words = from / 64..(from + codes.len()) / 64;
            for level in lists {
                let list = level.list.load()?;
                let within = list
                    .iter()
                    .skip_while(|(word, _)| (*word as usize) < words.start);
                for (word, set) in within.take_while(|(word, _)| (*word as usize) < words.end) {
                    for index in indices(word as usize, set) {
                        // A code beyond a byte is refused by the caller.
                        codes[index - from] = level.code as u8;
                    }
                }
            }
            appender.push(&codes)?;
        }
        Ok(appender.finish()?)
    }
}
