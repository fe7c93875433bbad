//! Generates a half without pawns as one subspace; what does not fit into memory is kept in files.

use std::sync::Arc;

use everymove_kernel::run::{Run, Work};

use crate::error::TableError;
use crate::generate::by_distance::{ByDistance, Representation};
use crate::generate::checkpoint::Checkpoint;
use crate::generate::conversions::Conversions;
use crate::generate::merge::write_lists;
use crate::generate::plan::{Need, PROGRAM_BYTES, Plan};
use crate::generate::retro_step::{RetroStep, Workspace};
use crate::generate::schedule::{Schedule, Traffic};
use crate::generate::solve::{SolveOptions, SubspaceLog, partitions, solve};
use crate::position::index_space::IndexSpace;
use crate::position::material::Half;
use crate::position::partition::{Partition, largest_chunk};
use crate::position::subspace::Subspace;
use crate::store::directory::Tables;
use crate::store::format::Writer;
use crate::store::paged::Paged;
use crate::store::spool::Spool;
use crate::store::win_set::{ChunkBuffer, Chunked, InMemory, WinSet};

/// Bytes of the lists that a thread fills, plus those of a chunk that it reads, at most.
const LISTS: u64 = 4 << 20;
/// Bytes of all lists of wins, losses and conversions for each word, when they are kept in memory.
const LISTS_PER_WORD: u64 = 64;
/// The smallest page cache of a set, in bytes.
const PAGES: u64 = 1 << 20;

/// Where the set of wins is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Backing {
    /// In memory.
    Memory,
    /// In a file, with a chunk for each thread in memory.
    Chunks,
    /// In a file, with a page cache in memory.
    Pages,
}

/// Generates a half without pawns.
pub(crate) struct PawnlessBuilder<'a> {
    half: &'a Half,
    space: Arc<IndexSpace>,
    words: usize,
    partitions: [Partition; 2],
    plan: &'a Plan,
    tables: &'a Tables,
    run: &'a Run,
}

impl<'a> PawnlessBuilder<'a> {
    pub(crate) fn new(half: &'a Half, plan: &'a Plan, tables: &'a Tables, run: &'a Run) -> Self {
        let space = tables.space(half);
        let words = space.len() / 64;
        Self {
            half,
            words,
            partitions: partitions(&space, plan.schedule, words),
            space,
            plan,
            tables,
            run,
        }
    }

    /// Returns the places where the set of wins can be stored, best first. Small sets are not worth
    /// a file.
    fn backings(&self) -> &'static [Backing] {
        if self.space.free < 3 {
            &[Backing::Memory]
        } else if self.plan.schedule == Schedule::Scan {
            &[Backing::Memory, Backing::Pages]
        } else {
            &[Backing::Memory, Backing::Chunks]
        }
    }

    fn need(&self, backing: Backing) -> Need {
        let of = |(half, _)| self.tables.space(&half).len() as u64;
        let others: u64 = Conversions::halves(&self.space).into_iter().map(of).sum();
        let chunk = largest_chunk(&self.partitions);
        let (set, each) = match backing {
            Backing::Memory => (InMemory::bytes(self.words), Workspace::bytes(chunk)),
            Backing::Chunks => (
                0,
                Workspace::bytes(chunk) + ChunkBuffer::bytes(&self.partitions, self.words),
            ),
            Backing::Pages => (0, Paged::bytes(self.words, PAGES)),
        };
        Need {
            once: PROGRAM_BYTES + others + set,
            each: each + LISTS,
        }
    }

    /// Bytes of memory without which the half cannot be made.
    pub(crate) fn least_bytes(&self) -> u64 {
        let needs = self.backings().iter().map(|&backing| self.need(backing));
        needs.map(Need::least).min().unwrap_or(0)
    }

    pub(crate) fn build(
        &self,
        writer: &mut Writer<'_>,
        work: &mut Work,
    ) -> Result<Traffic, TableError> {
        let (what, ram) = (self.half.to_string(), &self.run.ram);
        let available = ram.left();
        let fitting = self.backings().iter().copied().find(|&backing| {
            let need = self.need(backing);
            need.least() <= available
        });
        let backing = fitting.unwrap_or(Backing::Memory);
        let need = self.need(backing);
        let _once = ram.reserve(&what, need.least())?;
        let mut log = self.log()?;
        let finished = log
            .as_ref()
            .and_then(|log| log.finished(&self.partitions, ByDistance::default()));
        if let Some(by_distance) = finished {
            return self.write(by_distance, self.run, writer, work);
        }
        let conversions = Conversions::new(&self.space, self.plan.metric, |half, side| {
            self.tables.view(half, side, self.run)
        })?;
        let subspace = Subspace::new(self.space.clone(), None);
        let mut retro = RetroStep::new(
            subspace,
            self.plan.metric,
            conversions.into(),
            self.run.stop.clone(),
        );
        // As many threads as memory allows, then lists in memory if that allows it too.
        let more = ram.left() / need.each;
        let threads = self.run.threads.get().min(1 + more as usize);
        let run = self.run.with_threads(threads);
        let _benches = ram.reserve(&what, (threads as u64 - 1) * need.each)?;
        let storage = &self.tables.scratch(self.half);
        // Reserved until the table is written.
        let lists = match backing {
            Backing::Memory => ram.reserve(&what, self.words as u64 * LISTS_PER_WORD).ok(),
            _ => None,
        };
        let spool = match lists {
            Some(_) => Spool::in_memory(),
            None => Spool::in_file(storage, "lists.draft")?,
        };
        let log = log.as_mut();
        let mut by_distance = match backing {
            Backing::Memory => {
                self.solve(&mut retro, &InMemory::new(self.words), log, &spool, &run)?
            }
            Backing::Chunks => {
                let win_set = Chunked::new(storage, "won.draft", &self.partitions, self.words)?;
                self.solve(&mut retro, &win_set, log, &spool, &run)?
            }
            Backing::Pages => {
                let pages = PAGES + ram.left() / 3;
                let win_set = Paged::new(storage, self.words, pages)?;
                self.solve(&mut retro, &win_set, log, &spool, &run)?
            }
        };
        drop(retro);
        let (read, written) = spool.bytes_moved();
        by_distance.traffic.disk_read += read;
        by_distance.traffic.disk_written += written;
        self.write(by_distance, &run, writer, work)
    }

    /// Opens the checkpoint, if there is one.
    fn log(&self) -> Result<Option<SubspaceLog>, TableError> {
        let open = |checkpoint: &Checkpoint| {
            let name = self.plan.checkpoint_name(self.half);
            let log = checkpoint.log(&name, &self.plan.schedule.to_string(), &self.run.stop)?;
            SubspaceLog::new(log, &self.partitions, self.words)
        };
        self.plan.checkpoint.as_ref().map(open).transpose()
    }

    fn write(
        &self,
        by_distance: ByDistance,
        run: &Run,
        writer: &mut Writer<'_>,
        work: &mut Work,
    ) -> Result<Traffic, TableError> {
        work.add("wins", by_distance.found[0]);
        work.add("losses", by_distance.found[1]);
        for lists in [&by_distance.wins, &by_distance.losses] {
            let max = lists.iter().map(|level| level.code).max().unwrap_or(0);
            run.progress.start(format!("writing {}", self.half), 0);
            write_lists(lists, &self.space, max, run, writer)?;
        }
        Ok(by_distance.traffic)
    }

    fn solve(
        &self,
        retro: &mut RetroStep,
        win_set: &impl WinSet,
        log: Option<&mut SubspaceLog>,
        spool: &Spool,
        run: &Run,
    ) -> Result<ByDistance, TableError> {
        let options = SolveOptions {
            schedule: self.plan.schedule,
            representation: Representation::Lists,
            uncached: self.plan.uncached,
        };
        let mut by_distance = solve(retro, win_set, &self.partitions, options, log, spool, run)?;
        (
            by_distance.traffic.disk_read,
            by_distance.traffic.disk_written,
        ) = win_set.bytes_moved();
        Ok(by_distance)
    }
}
