//! A half without pawns, all of it at once; what does not fit into memory is in files.

use std::sync::Arc;

use everymove_kernel::run::{Run, Work};

use crate::error::TableError;
use crate::generate::build::{PROGRAM, Plan};
use crate::generate::by_distance::{Form, Levels};
use crate::generate::checkpoint::Checkpoint;
use crate::generate::conversions::Conversions;
use crate::generate::merge::write_lists;
use crate::generate::partition::{Cut, largest};
use crate::generate::retro_step::{Bench, State};
use crate::generate::schedule::{Schedule, Traffic};
use crate::generate::solve::{FrameLog, Order, cuts, solve};
use crate::position::index_space::Space;
use crate::position::material::Half;
use crate::position::subspace::Frame;
use crate::store::directory::Tables;
use crate::store::format::Writer;
use crate::store::paged::Swapped;
use crate::store::spool::Spool;
use crate::store::win_set::{Desk, Filed, Held, Won};

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
pub(crate) struct PieceMaker<'a> {
    half: &'a Half,
    space: Arc<Space>,
    words: usize,
    cuts: [Cut; 2],
    plan: &'a Plan,
    tables: &'a Tables,
    run: &'a Run,
}

impl<'a> PieceMaker<'a> {
    pub(crate) fn new(half: &'a Half, plan: &'a Plan, tables: &'a Tables, run: &'a Run) -> Self {
        let space = tables.space(half);
        let words = space.len() / 64;
        Self {
            half,
            words,
            cuts: cuts(&space, plan.schedule, words),
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
        let chunk = largest(&self.cuts);
        let (set, each) = match home {
            Home::Memory => (Held::bytes(self.words), Bench::bytes(chunk)),
            Home::Chunks => (0, Bench::bytes(chunk) + Desk::bytes(&self.cuts, self.words)),
            Home::Pages => (0, Swapped::bytes(self.words, PAGES)),
        };
        Need {
            once: PROGRAM + others + set,
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
            .and_then(|log| log.finished(&self.cuts, Levels::default()));
        if let Some(levels) = finished {
            return self.write(levels, self.run, writer, work);
        }
        let conversions = Conversions::new(&self.space, self.plan.metric, |half, side| {
            self.tables.view(half, side, self.run)
        })?;
        let frame = Frame::new(self.space.clone(), None);
        let mut state = State::new(frame, self.plan.metric, conversions.into());
        // As many threads as there is room for, then lists in memory if there is room for them, too.
        let more = ram.left() / need.each;
        let threads = self.run.threads.get().min(1 + more as usize);
        let run = self.run.with_threads(threads);
        let _benches = ram.reserve(&what, (threads as u64 - 1) * need.each)?;
        let folder = self.tables.folder();
        // Held until the table is written.
        let lists = match home {
            Home::Memory => ram.reserve(&what, self.words as u64 * LISTS_PER_WORD).ok(),
            _ => None,
        };
        let spool = match lists {
            Some(_) => Spool::held(),
            None => Spool::filed(&folder.join("lists.draft"))?,
        };
        let log = log.as_mut();
        let mut levels = match home {
            Home::Memory => self.solve(&mut state, &Held::new(self.words), log, &spool, &run)?,
            Home::Chunks => {
                let won = Filed::new(&folder.join("won.draft"), &self.cuts, self.words)?;
                self.solve(&mut state, &won, log, &spool, &run)?
            }
            Home::Pages => {
                let pages = PAGES + ram.left() / 3;
                let won = Swapped::new(folder, self.words, pages)?;
                self.solve(&mut state, &won, log, &spool, &run)?
            }
        };
        drop(state);
        let (read, written) = spool.moved();
        levels.traffic.disk_read += read;
        levels.traffic.disk_written += written;
        self.write(levels, &run, writer, work)
    }

    /// What was saved of the work, if work is saved.
    fn log(&self) -> Result<Option<FrameLog>, TableError> {
        let open = |checkpoint: &Checkpoint| {
            let name = self.plan.log_name(self.half);
            let log = checkpoint.log(&name, &self.plan.schedule.to_string())?;
            Ok(FrameLog::new(log))
        };
        self.plan.checkpoint.as_ref().map(open).transpose()
    }

    fn write(
        &self,
        levels: Levels,
        run: &Run,
        writer: &mut Writer<'_>,
        work: &mut Work,
    ) -> Result<Traffic, TableError> {
        work.add("wins", levels.found[0]);
        work.add("losses", levels.found[1]);
        for lists in [&levels.wins, &levels.losses] {
            let max = lists.iter().map(|level| level.code).max().unwrap_or(0);
            writer.section(self.space.len() as u64, max);
            write_lists(lists, &self.space, max, run, writer)?;
        }
        Ok(levels.traffic)
    }

    fn solve(
        &self,
        state: &mut State,
        won: &impl Won,
        log: Option<&mut FrameLog>,
        spool: &Spool,
        run: &Run,
    ) -> Result<Levels, TableError> {
        let order = Order {
            schedule: self.plan.schedule,
            form: Form::Lists,
            uncached: self.plan.uncached,
        };
        let mut levels = solve(state, won, &self.cuts, order, log, spool, run)?;
        (levels.traffic.disk_read, levels.traffic.disk_written) = won.moved();
        Ok(levels)
    }
}
