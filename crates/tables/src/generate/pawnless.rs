//! A half without pawns, all of it at once; what does not fit into memory is in files.

use std::sync::Arc;

use everymove_kernel::run::{Run, Work};

use crate::error::TableError;
use crate::generate::by_distance::{ByDistance, Form};
use crate::generate::checkpoint::Checkpoint;
use crate::generate::conversions::Conversions;
use crate::generate::merge::write_lists;
use crate::generate::plan::{PROGRAM_BYTES, Plan};
use crate::generate::retro_step::{State, Workspace};
use crate::generate::schedule::{Schedule, Traffic};
use crate::generate::solve::{Order, SubspaceLog, partitions, solve};
use crate::position::index_space::IndexSpace;
use crate::position::material::Half;
use crate::position::partition::{Partition, largest_chunk};
use crate::position::subspace::Subspace;
use crate::store::directory::Tables;
use crate::store::format::Writer;
use crate::store::paged::Paged;
use crate::store::spool::Spool;
use crate::store::win_set::{ChunkBuffer, Chunked, InMemory, WinSet};

/// Lists that a thread fills, and those of a chunk that it reads, at most, in bytes.
const LISTS: u64 = 4 << 20;
/// Lists of wins and losses and of conversions for each word, in bytes, when they are all kept in memory.
const LISTS_PER_WORD: u64 = 64;
/// The fewest bytes of pages in memory, of each set that is paged in and out.
const PAGES: u64 = 1 << 20;

/// Where the set of wins is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Home {
    /// In memory.
    Memory,
    /// In a file, a chunk for each thread in memory.
    Chunks,
    /// In a file, some pages in memory.
    Pages,
}

/// Bytes of memory.
#[derive(Clone, Copy, Debug)]
struct Need {
    /// For what there is once.
    once: u64,
    /// For each thread.
    each: u64,
}

/// Makes a half without pawns.
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

    /// Where the set of wins can be, what is best first. Small ones are not worth a file.
    fn homes(&self) -> &'static [Home] {
        if self.space.free < 3 {
            &[Home::Memory]
        } else if self.plan.schedule == Schedule::Scan {
            &[Home::Memory, Home::Pages]
        } else {
            &[Home::Memory, Home::Chunks]
        }
    }

    fn need(&self, home: Home) -> Need {
        let of = |(half, _)| self.tables.space(&half).len() as u64;
        let others: u64 = Conversions::halves(&self.space).into_iter().map(of).sum();
        let chunk = largest_chunk(&self.partitions);
        let (set, each) = match home {
            Home::Memory => (InMemory::bytes(self.words), Workspace::bytes(chunk)),
            Home::Chunks => (
                0,
                Workspace::bytes(chunk) + ChunkBuffer::bytes(&self.partitions, self.words),
            ),
            Home::Pages => (0, Paged::bytes(self.words, PAGES)),
        };
        Need {
            once: PROGRAM_BYTES + others + set,
            each: each + LISTS,
        }
    }

    /// Bytes without which it cannot be done.
    pub(crate) fn least(&self) -> u64 {
        let needs = self.homes().iter().map(|&home| self.need(home));
        needs.map(|need| need.once + need.each).min().unwrap_or(0)
    }

    pub(crate) fn make(
        &self,
        writer: &mut Writer<'_>,
        work: &mut Work,
    ) -> Result<Traffic, TableError> {
        let (what, ram) = (self.half.to_string(), &self.run.ram);
        let room = ram.left();
        let fitting = self.homes().iter().copied().find(|&home| {
            let need = self.need(home);
            need.once + need.each <= room
        });
        let home = fitting.unwrap_or(Home::Memory);
        let need = self.need(home);
        let _once = ram.reserve(&what, need.once + need.each)?;
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
        let mut state = State::new(subspace, self.plan.metric, conversions.into());
        // As many threads as there is room for, then lists in memory if there is room for them, too.
        let more = ram.left() / need.each;
        let threads = self.run.threads.get().min(1 + more as usize);
        let run = self.run.with_threads(threads);
        let _benches = ram.reserve(&what, (threads as u64 - 1) * need.each)?;
        let folder = self.tables.folder();
        // InMemory until the table is written.
        let lists = match home {
            Home::Memory => ram.reserve(&what, self.words as u64 * LISTS_PER_WORD).ok(),
            _ => None,
        };
        let spool = match lists {
            Some(_) => Spool::held(),
            None => Spool::filed(&folder.join("lists.draft"))?,
        };
        let log = log.as_mut();
        let mut by_distance = match home {
            Home::Memory => {
                self.solve(&mut state, &InMemory::new(self.words), log, &spool, &run)?
            }
            Home::Chunks => {
                let won = Chunked::new(&folder.join("won.draft"), &self.partitions, self.words)?;
                self.solve(&mut state, &won, log, &spool, &run)?
            }
            Home::Pages => {
                let pages = PAGES + ram.left() / 3;
                let won = Paged::new(folder, self.words, pages)?;
                self.solve(&mut state, &won, log, &spool, &run)?
            }
        };
        drop(state);
        let (read, written) = spool.moved();
        by_distance.traffic.disk_read += read;
        by_distance.traffic.disk_written += written;
        self.write(by_distance, &run, writer, work)
    }

    /// What was saved of the work, if work is saved.
    fn log(&self) -> Result<Option<SubspaceLog>, TableError> {
        let open = |checkpoint: &Checkpoint| {
            let name = self.plan.log_name(self.half);
            let log = checkpoint.log(&name, &self.plan.schedule.to_string())?;
            Ok(SubspaceLog::new(log))
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
            writer.section(self.space.len() as u64, max);
            write_lists(lists, &self.space, max, run, writer)?;
        }
        Ok(by_distance.traffic)
    }

    fn solve(
        &self,
        state: &mut State,
        won: &impl WinSet,
        log: Option<&mut SubspaceLog>,
        spool: &Spool,
        run: &Run,
    ) -> Result<ByDistance, TableError> {
        let order = Order {
            schedule: self.plan.schedule,
            form: Form::Lists,
            uncached: self.plan.uncached,
        };
        let mut by_distance = solve(state, won, &self.partitions, order, log, spool, run)?;
        (
            by_distance.traffic.disk_read,
            by_distance.traffic.disk_written,
        ) = won.moved();
        Ok(by_distance)
    }
}
