//! All wins of a frame, step by step, chunk by chunk, in the order of a schedule.

mod save;
mod subcycles;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use everymove_kernel::run::Run;

use crate::error::TableError;
use crate::generate::by_distance::{Form, Level, Levels};
use crate::generate::partition::{Cut, Still, largest};
use crate::generate::retro_step::{Bench, Group, Seeds, State};
use crate::generate::schedule::{Schedule, Traffic};
use crate::parallel::in_parallel;
use crate::position::index_space::Space;
use crate::store::directory::lock;
use crate::store::list::List;
use crate::store::spool::{Bins, Kept, Spool};
use crate::store::win_set::{Desk, Place, Won, cell};

pub(crate) use save::FrameLog;
use save::Stand;

/// Half a step, or all of it.
#[derive(Clone, Copy, Debug)]
struct Part {
    step: u16,
    group: Group,
    /// Whether the conversions of the step are put in.
    seeds: bool,
}

/// What a visit to a chunk gave.
#[derive(Debug, Default)]
struct Visit {
    /// By code and cell.
    wins: Vec<(u16, usize, Kept)>,
    losses: Vec<(u16, usize, Kept)>,
    traffic: Traffic,
}

/// Solves a frame.
struct Solver<'a, W: Won> {
    state: &'a State,
    won: &'a W,
    /// The first is closed under the defender's moves and is the one that seeds are sorted by.
    cuts: &'a [Cut; 2],
    seeds: Vec<Seeds>,
    /// By code and cell: a chunk of the first cut and one of the second.
    losses: BTreeMap<u16, Vec<Vec<Kept>>>,
    levels: Levels,
    benches: Mutex<Vec<(Bench<W::Pile>, Desk)>>,
    order: Order,
    log: Option<&'a mut FrameLog>,
    spool: &'a Spool,
    run: &'a Run,
}

/// How a frame is to be solved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    pub(crate) schedule: Schedule,
    pub(crate) form: Form,
    /// See [`crate::Plan`].
    pub(crate) uncached: bool,
}

/// Ways in which a schedule cuts a frame.
pub(crate) fn cuts(space: &Space, schedule: Schedule, words: usize) -> [Cut; 2] {
    stills(space, schedule).map(|still| Cut::new(space, still, words))
}

/// The two ways in which a schedule cuts a frame; alike only if the frame is too small to be cut.
fn stills(space: &Space, schedule: Schedule) -> [Still; 2] {
    if is_small(space) {
        return [Still::Nothing; 2];
    }
    match schedule {
        Schedule::Scan => [Still::Nothing, Still::AttackerKing],
        Schedule::Subcycles => [Still::AttackerKing, Still::DefenderKing],
        Schedule::RootSplit | Schedule::Leapfrog => [Still::AttackerKing, Still::FirstPiece],
    }
}

/// With the defender bare and one piece, or with pawns, a frame is small and is not cut.
fn is_small(space: &Space) -> bool {
    space.pawns > 0 || space.free < 2
}

/// Finds all wins of a frame, by cuts of the schedule.
pub(crate) fn solve<W: Won>(
    state: &mut State,
    won: &W,
    cuts: &[Cut; 2],
    order: Order,
    log: Option<&mut FrameLog>,
    spool: &Spool,
    run: &Run,
) -> Result<Levels, TableError> {
    let schedule = if is_small(&state.frame.space) {
        Schedule::Scan
    } else {
        order.schedule
    };
    let place = |number| Place {
        cuts,
        which: 0,
        number,
    };
    let seeds = if cuts[0].chunks == 1 {
        let seed = |near: &mut W::Near<'_>| Ok(state.seed(near, place(0), spool)?);
        vec![won.visit(place(0), &mut Desk::default(), seed)?]
    } else {
        let numbers: Vec<_> = (0..cuts[0].chunks).collect();
        let seed = |desk: &mut Desk, &number: &usize| {
            let place = place(number);
            won.visit(place, desk, |near| {
                Ok(state.seeds(near, place, None, spool)?)
            })
        };
        let seeds = in_parallel(&numbers, run, Desk::default, seed)?;
        seeds.into_iter().collect::<Result<_, _>>()?
    };
    // What is found goes where it is saved; conversions are found again.
    let seeded = spool;
    let saved = log.as_ref().map(|log| Spool::shared(log.log.data()));
    let spool = saved.as_ref().unwrap_or(seeded);
    let mut solver = Solver {
        state,
        won,
        cuts,
        seeds,
        losses: BTreeMap::new(),
        levels: Levels::new(order.form, state.frame.words * 64),
        benches: Mutex::default(),
        order,
        log,
        spool,
        run,
    };
    let stand = match solver.resume()? {
        Some(stand) => stand,
        None => {
            solver.mates()?;
            Stand::default()
        }
    };
    match schedule {
        Schedule::Scan => solver.scan(stand)?,
        Schedule::Subcycles => solver.subcycles(stand)?,
        Schedule::RootSplit => solver.root_split(stand)?,
        Schedule::Leapfrog => solver.leapfrog(stand)?,
    }
    solver.finish()?;
    Ok(solver.levels)
}

/// The row of a cell: the class of the attacker's king.
fn row(cuts: &[Cut; 2], cell: usize) -> usize {
    let columns = cuts[1].chunks;
    if cuts[0].still == Still::Nothing {
        cell % columns
    } else {
        cell / columns
    }
}

impl<W: Won> Solver<'_, W> {
    fn mates(&mut self) -> Result<(), TableError> {
        let mut cells = self.cells();
        for seeds in &self.seeds {
            for (word, set) in seeds.mates.iter() {
                cells.push(self.cell(word as usize), word as usize, set);
            }
        }
        let found = cells.finish()?;
        let found = found
            .into_iter()
            .map(|(cell, list)| (1, cell, list))
            .collect();
        self.keep_losses(found)
    }

    fn take(&mut self, which: usize, level: Level) -> Result<(), TableError> {
        if self.levels.take(which, level)? {
            return Ok(());
        }
        let half = self.state.frame.space.half.to_string();
        Err(TableError::TooDeep { half })
    }

    fn cells(&self) -> Bins<'_> {
        Bins::new(self.spool, self.cuts[0].chunks * self.cuts[1].chunks)
    }

    #[inline]
    fn cell(&self, word: usize) -> usize {
        cell(self.cuts, word)
    }

    fn keep_losses(&mut self, found: Vec<(u16, usize, Kept)>) -> Result<(), TableError> {
        for (code, cell, list) in found {
            if let Some(log) = &mut self.log {
                log.note(1, code, cell, &list);
            }
            self.keep_loss(code, cell, list)?;
        }
        Ok(())
    }

    fn keep_loss(&mut self, code: u16, cell: usize, list: Kept) -> Result<(), TableError> {
        let cells = self.cuts[0].chunks * self.cuts[1].chunks;
        let level = Level {
            code,
            row: row(self.cuts, cell),
            list: list.clone(),
        };
        self.take(1, level)?;
        let by_cell = self
            .losses
            .entry(code)
            .or_insert_with(|| vec![Vec::new(); cells]);
        by_cell[cell].push(list);
        Ok(())
    }

    fn keep_win(&mut self, code: u16, cell: usize, list: Kept) -> Result<(), TableError> {
        let row = row(self.cuts, cell);
        self.take(0, Level { code, row, list })
    }

    fn keep(&mut self, visits: Vec<Result<Visit, TableError>>) -> Result<(), TableError> {
        for visit in visits {
            let visit = visit?;
            for (code, cell, list) in visit.wins {
                if let Some(log) = &mut self.log {
                    log.note(0, code, cell, &list);
                }
                self.keep_win(code, cell, list)?;
            }
            self.levels.traffic.merge(&visit.traffic);
            self.keep_losses(visit.losses)?;
        }
        self.levels.traffic.passes += 1;
        if self.order.uncached {
            self.won.uncache()?;
            self.spool.uncache()?;
        }
        Ok(())
    }

    /// The step after another (none: before the first) with anything to do: a guess that is never too high. `running`
    /// tells whether the other may still add losses.
    fn next(&self, after: Option<u16>, running: bool) -> Option<u16> {
        let stride = self.state.metric.stride();
        let step = match after {
            None => 2 - stride,
            Some(step) if self.has_work(step + 1) => step + 1,
            Some(step) => step + stride,
        };
        let seeded = self.seeds.iter().any(|seeds| {
            seeds.wins.len() > usize::from(step) || seeds.losses.len() > usize::from(step + stride)
        });
        (seeded || running || self.losses.range(step..).next().is_some()).then_some(step)
    }

    fn has_work(&self, step: u16) -> bool {
        self.losses.contains_key(&step) || self.seeds.iter().any(|s| self.seeded(s, step))
    }

    fn seeded(&self, seeds: &Seeds, step: u16) -> bool {
        let code = step + self.state.metric.stride();
        !seeds.wins(step).is_empty() || !seeds.losses(code).is_empty()
    }

    fn end_cycle(&mut self, done: u16) {
        self.forget(done);
        self.run.progress.advance(1);
    }

    /// Forgets what led to a step that is done.
    fn forget(&mut self, done: u16) {
        self.losses.retain(|&code, _| code > done);
        let code = done + self.state.metric.stride();
        for seeds in &mut self.seeds {
            seeds.forget(done, code);
        }
    }

    /// Saves, if it is time, that a step is done and none is open.
    fn settle_after(&mut self, step: u16) -> Result<(), TableError> {
        self.settle(Stand {
            last: Some(step),
            done: Some(step),
            ..Stand::default()
        })
    }

    /// Counts a cycle if there is anything to do in it.
    fn begin_cycle(&mut self, step: u16) {
        if self.has_work(step) {
            self.levels.traffic.cycles += 1;
            self.levels.traffic.positions += self.state.frame.words as u64 * 64;
        }
    }

    fn scan(&mut self, stand: Stand) -> Result<(), TableError> {
        let mut step = self.next(stand.last, false);
        while let Some(now) = step {
            self.begin_cycle(now);
            self.pass(0, &[self.part(now, Group::All, true)])?;
            self.end_cycle(now);
            self.settle_after(now)?;
            step = self.next(step, false);
        }
        Ok(())
    }

    fn root_split(&mut self, stand: Stand) -> Result<(), TableError> {
        let mut step = self.next(stand.last, false);
        while let Some(now) = step {
            self.begin_cycle(now);
            self.pass(0, &[self.part(now, Group::Pieces, true)])?;
            self.pass(1, &[self.part(now, Group::King, false)])?;
            self.end_cycle(now);
            self.settle_after(now)?;
            step = self.next(step, false);
        }
        Ok(())
    }

    fn leapfrog(&mut self, stand: Stand) -> Result<(), TableError> {
        let Stand {
            mut last,
            mut open,
            mut done,
            mut cut,
        } = stand;
        loop {
            let running = open.is_some_and(|step| self.has_work(step));
            let next = self.next(last, running);
            let group = if cut == 0 { Group::Pieces } else { Group::King };
            // Each step meets each cut once; its conversions are put in where they are sorted.
            let parts: Vec<_> = open
                .into_iter()
                .chain(next)
                .map(|step| self.part(step, group, cut == 0))
                .collect();
            if parts.is_empty() {
                return Ok(());
            }
            self.pass(cut, &parts)?;
            if let Some(step) = open {
                self.begin_cycle(step);
                self.end_cycle(step);
            }
            done = open.or(done);
            open = next;
            last = next.or(last);
            cut = 1 - cut;
            self.settle(Stand {
                last,
                open,
                done,
                cut,
            })?;
        }
    }

    fn part(&self, step: u16, group: Group, seeds: bool) -> Part {
        Part { step, group, seeds }
    }

    fn pass(&mut self, cut: usize, parts: &[Part]) -> Result<(), TableError> {
        let chunks: Vec<_> = (0..self.cuts[cut].chunks)
            .filter(|&chunk| {
                parts.iter().any(|part| {
                    self.lists(part.step, cut, chunk).next().is_some()
                        || part.seeds && self.seeded(&self.seeds[chunk], part.step)
                })
            })
            .collect();
        let visits = self.visits(cut, &chunks, |place, near, bench| {
            self.visit(place, parts, near, bench)
        })?;
        self.keep(visits)
    }

    /// Visits chunks of a cut on all threads.
    fn visits<T: Send>(
        &self,
        which: usize,
        chunks: &[usize],
        visit: impl Fn(Place<'_>, &mut W::Near<'_>, &mut Bench<W::Pile>) -> Result<T, TableError> + Sync,
    ) -> Result<Vec<Result<T, TableError>>, TableError> {
        let largest = largest(self.cuts);
        let visits = in_parallel(
            chunks,
            self.run,
            || (),
            |(), &number| {
                let kept = lock(&self.benches).pop();
                let (mut bench, mut desk) = match kept {
                    Some(kept) => kept,
                    None => (Bench::new(self.won, largest)?, Desk::default()),
                };
                let place = Place {
                    cuts: self.cuts,
                    which,
                    number,
                };
                let result = self
                    .won
                    .visit(place, &mut desk, |near| visit(place, near, &mut bench))?;
                bench.trouble()?;
                lock(&self.benches).push((bench, desk));
                Ok(result)
            },
        );
        Ok(visits?)
    }

    /// The losses of a code in a chunk of a cut.
    fn lists(&self, code: u16, cut: usize, chunk: usize) -> impl Iterator<Item = &Kept> {
        let columns = self.cuts[1].chunks;
        let cells = self.losses.get(&code).into_iter().flatten().enumerate();
        cells
            .filter(move |(cell, _)| [cell / columns, cell % columns][cut] == chunk)
            .flat_map(|(_, lists)| lists)
    }

    fn visit(
        &self,
        place: Place<'_>,
        parts: &[Part],
        near: &mut W::Near<'_>,
        bench: &mut Bench<W::Pile>,
    ) -> Result<Visit, TableError> {
        let (cut, number) = (place.cut(), place.number);
        let mut visit = Visit::default();
        for part in parts {
            let own: Vec<_> = visit
                .losses
                .iter()
                .filter(|(code, ..)| *code == part.step)
                .map(|(.., list)| list.clone())
                .collect();
            for list in self.lists(part.step, place.which, number).chain(&own) {
                visit.traffic.sparse += list.bytes() * 8;
                let list = list.load()?;
                self.state.expand(near, cut, &list, part.group, bench);
            }
            let seeds = part.seeds.then(|| &self.seeds[number]);
            for list in seeds.map_or(&[][..], |s| s.wins(part.step)) {
                State::mark(near, cut, &*list.load()?, &mut bench.wins);
            }
            self.answer(place, near, bench, part.step, seeds, true, &mut visit)?;
        }
        self.count_chunk(cut.len(number), true, bench, &mut visit);
        Ok(visit)
    }

    fn count_chunk(
        &self,
        words: usize,
        stored: bool,
        bench: &mut Bench<W::Pile>,
        visit: &mut Visit,
    ) {
        let bits = words as u64 * 64;
        visit.traffic.touched += std::mem::take(&mut bench.touched);
        visit.traffic.loaded += bits;
        if stored {
            visit.traffic.stored += bits;
        }
    }

    /// The defender's side of a step: from the new wins on the bench to losses. The wins are kept if they are `new`.
    #[expect(
        clippy::too_many_arguments,
        reason = "what a step reads, writes and reports"
    )]
    fn answer(
        &self,
        place: Place<'_>,
        near: &mut W::Near<'_>,
        bench: &mut Bench<W::Pile>,
        step: u16,
        seeds: Option<&Seeds>,
        new: bool,
        visit: &mut Visit,
    ) -> Result<(), TableError> {
        let code = step + self.state.metric.stride();
        let seeds: Vec<Arc<List>> = seeds
            .map_or(&[][..], |s| s.losses(code))
            .iter()
            .map(Kept::load)
            .collect::<Result<_, _>>()?;
        let (mut wins, mut losses) = (self.cells(), self.cells());
        self.state.answer(
            near,
            place,
            bench,
            &seeds,
            code,
            |word, set| {
                if new {
                    wins.push(self.cell(word), word, set);
                }
            },
            |word, set| losses.push(self.cell(word), word, set),
        );
        for (cell, list) in wins.finish()? {
            visit.wins.push((step, cell, list));
        }
        for (cell, list) in losses.finish()? {
            visit.traffic.sparse += list.bytes() * 8;
            visit.losses.push((code, cell, list));
        }
        Ok(())
    }
}
