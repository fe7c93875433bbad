//! All wins of a subspace, step by step, chunk by chunk, in the order of a schedule.

mod save;
mod subcycles;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use everymove_kernel::run::Run;

use crate::error::TableError;
use crate::generate::by_distance::{ByDistance, DistanceList, Form};
use crate::generate::retro_step::{Group, InitialPositions, State, Workspace};
use crate::generate::schedule::{Schedule, Traffic};
use crate::parallel::in_parallel;
use crate::position::index_space::IndexSpace;
use crate::position::partition::{FixedPiece, Partition, largest_chunk};
use crate::store::directory::lock;
use crate::store::list::List;
use crate::store::spool::{Bins, Spool, StoredList};
use crate::store::win_set::{ChunkBuffer, Place, WinSet, cell};

use save::Progress;
pub(crate) use save::SubspaceLog;

/// Half a step, or all of it.
#[derive(Clone, Copy, Debug)]
struct Part {
    step: u16,
    group: Group,
    /// Whether the conversions of the step are put in.
    initial: bool,
}

/// What a visit to a chunk gave.
#[derive(Debug, Default)]
struct Visit {
    /// By code and cell.
    wins: Vec<(u16, usize, StoredList)>,
    losses: Vec<(u16, usize, StoredList)>,
    traffic: Traffic,
}

/// Solves a subspace.
struct Solver<'a, W: WinSet> {
    state: &'a State,
    won: &'a W,
    /// The first is closed under the defender's moves and is the one that initial are sorted by.
    partitions: &'a [Partition; 2],
    initial: Vec<InitialPositions>,
    /// By code and cell: a chunk of the first partition and one of the second.
    losses: BTreeMap<u16, Vec<Vec<StoredList>>>,
    by_distance: ByDistance,
    workspaces: Mutex<Vec<(Workspace<W::Accumulator>, ChunkBuffer)>>,
    order: Order,
    log: Option<&'a mut SubspaceLog>,
    spool: &'a Spool,
    run: &'a Run,
}

/// How a subspace is to be solved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    pub(crate) schedule: Schedule,
    pub(crate) form: Form,
    /// See [`crate::Plan`].
    pub(crate) uncached: bool,
}

/// Ways in which a schedule partitions a subspace.
pub(crate) fn partitions(space: &IndexSpace, schedule: Schedule, words: usize) -> [Partition; 2] {
    fixed(space, schedule).map(|fixed| Partition::new(space, fixed, words))
}

/// The two ways in which a schedule partitions a subspace; alike only if the subspace is too small to be partition.
fn fixed(space: &IndexSpace, schedule: Schedule) -> [FixedPiece; 2] {
    if is_small(space) {
        return [FixedPiece::Nothing; 2];
    }
    match schedule {
        Schedule::Scan => [FixedPiece::Nothing, FixedPiece::AttackerKing],
        Schedule::Subcycles => [FixedPiece::AttackerKing, FixedPiece::DefenderKing],
        Schedule::RootSplit | Schedule::Leapfrog => {
            [FixedPiece::AttackerKing, FixedPiece::FirstPiece]
        }
    }
}

/// With the defender bare and one piece, or with pawns, a subspace is small and is not partition.
fn is_small(space: &IndexSpace) -> bool {
    space.pawns > 0 || space.free < 2
}

/// Finds all wins of a subspace, by partitions of the schedule.
pub(crate) fn solve<W: WinSet>(
    state: &mut State,
    won: &W,
    partitions: &[Partition; 2],
    order: Order,
    log: Option<&mut SubspaceLog>,
    spool: &Spool,
    run: &Run,
) -> Result<ByDistance, TableError> {
    let schedule = if is_small(&state.subspace.space) {
        Schedule::Scan
    } else {
        order.schedule
    };
    let place = |number| Place {
        partitions,
        which: 0,
        number,
    };
    let initial = if partitions[0].chunks == 1 {
        let seed = |win_set: &mut W::Chunk<'_>| Ok(state.seed(win_set, place(0), spool)?);
        vec![won.visit(place(0), &mut ChunkBuffer::default(), seed)?]
    } else {
        let numbers: Vec<_> = (0..partitions[0].chunks).collect();
        let seed = |chunk_buffer: &mut ChunkBuffer, &number: &usize| {
            let place = place(number);
            won.visit(place, chunk_buffer, |win_set| {
                Ok(state.initial(win_set, place, None, spool)?)
            })
        };
        let initial = in_parallel(&numbers, run, ChunkBuffer::default, seed)?;
        initial.into_iter().collect::<Result<_, _>>()?
    };
    // What is found goes where it is saved; conversions are found again.
    let seeded = spool;
    let saved = log.as_ref().map(|log| Spool::shared(log.log.data()));
    let spool = saved.as_ref().unwrap_or(seeded);
    let mut solver = Solver {
        state,
        won,
        partitions,
        initial,
        losses: BTreeMap::new(),
        by_distance: ByDistance::new(order.form, state.subspace.words * 64),
        workspaces: Mutex::default(),
        order,
        log,
        spool,
        run,
    };
    let stand = match solver.resume()? {
        Some(stand) => stand,
        None => {
            solver.mates()?;
            Progress::default()
        }
    };
    match schedule {
        Schedule::Scan => solver.scan(stand)?,
        Schedule::Subcycles => solver.subcycles(stand)?,
        Schedule::RootSplit => solver.root_split(stand)?,
        Schedule::Leapfrog => solver.leapfrog(stand)?,
    }
    solver.finish()?;
    Ok(solver.by_distance)
}

/// The row of a cell: the class of the attacker's king.
fn row(partitions: &[Partition; 2], cell: usize) -> usize {
    let columns = partitions[1].chunks;
    if partitions[0].fixed == FixedPiece::Nothing {
        cell % columns
    } else {
        cell / columns
    }
}

impl<W: WinSet> Solver<'_, W> {
    fn mates(&mut self) -> Result<(), TableError> {
        let mut cells = self.cells();
        for initial in &self.initial {
            for (word, set) in initial.mates.iter() {
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

    fn take(&mut self, which: usize, level: DistanceList) -> Result<(), TableError> {
        if self.by_distance.take(which, level)? {
            return Ok(());
        }
        let half = self.state.subspace.space.half.to_string();
        Err(TableError::TooDeep { half })
    }

    fn cells(&self) -> Bins<'_> {
        Bins::new(
            self.spool,
            self.partitions[0].chunks * self.partitions[1].chunks,
        )
    }

    #[inline]
    fn cell(&self, word: usize) -> usize {
        cell(self.partitions, word)
    }

    fn keep_losses(&mut self, found: Vec<(u16, usize, StoredList)>) -> Result<(), TableError> {
        for (code, cell, list) in found {
            if let Some(log) = &mut self.log {
                log.note(1, code, cell, &list);
            }
            self.keep_loss(code, cell, list)?;
        }
        Ok(())
    }

    fn keep_loss(&mut self, code: u16, cell: usize, list: StoredList) -> Result<(), TableError> {
        let cells = self.partitions[0].chunks * self.partitions[1].chunks;
        let level = DistanceList {
            code,
            row: row(self.partitions, cell),
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

    fn keep_win(&mut self, code: u16, cell: usize, list: StoredList) -> Result<(), TableError> {
        let row = row(self.partitions, cell);
        self.take(0, DistanceList { code, row, list })
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
            self.by_distance.traffic.merge(&visit.traffic);
            self.keep_losses(visit.losses)?;
        }
        self.by_distance.traffic.passes += 1;
        if self.order.uncached {
            self.won.uncache()?;
            self.spool.uncache()?;
        }
        Ok(())
    }

    /// The step after another (none: before the first) with anything to do: a guess that is never too high. `running`
    /// tells whether the other may fixed add losses.
    fn next(&self, after: Option<u16>, running: bool) -> Option<u16> {
        let stride = self.state.metric.stride();
        let step = match after {
            None => 2 - stride,
            Some(step) if self.has_work(step + 1) => step + 1,
            Some(step) => step + stride,
        };
        let seeded = self.initial.iter().any(|initial| {
            initial.wins.len() > usize::from(step)
                || initial.losses.len() > usize::from(step + stride)
        });
        (seeded || running || self.losses.range(step..).next().is_some()).then_some(step)
    }

    fn has_work(&self, step: u16) -> bool {
        self.losses.contains_key(&step) || self.initial.iter().any(|s| self.seeded(s, step))
    }

    fn seeded(&self, initial: &InitialPositions, step: u16) -> bool {
        let code = step + self.state.metric.stride();
        !initial.wins(step).is_empty() || !initial.losses(code).is_empty()
    }

    fn end_cycle(&mut self, done: u16) {
        self.forget(done);
        self.run.progress.advance(1);
    }

    /// Forgets what led to a step that is done.
    fn forget(&mut self, done: u16) {
        self.losses.retain(|&code, _| code > done);
        let code = done + self.state.metric.stride();
        for initial in &mut self.initial {
            initial.forget(done, code);
        }
    }

    /// Saves, if it is time, that a step is done and none is open.
    fn settle_after(&mut self, step: u16) -> Result<(), TableError> {
        self.settle(Progress {
            last: Some(step),
            done: Some(step),
            ..Progress::default()
        })
    }

    /// Counts a cycle if there is anything to do in it.
    fn begin_cycle(&mut self, step: u16) {
        if self.has_work(step) {
            self.by_distance.traffic.cycles += 1;
            self.by_distance.traffic.positions += self.state.subspace.words as u64 * 64;
        }
    }

    fn scan(&mut self, stand: Progress) -> Result<(), TableError> {
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

    fn root_split(&mut self, stand: Progress) -> Result<(), TableError> {
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

    fn leapfrog(&mut self, stand: Progress) -> Result<(), TableError> {
        let Progress {
            mut last,
            mut open,
            mut done,
            mut partition,
        } = stand;
        loop {
            let running = open.is_some_and(|step| self.has_work(step));
            let next = self.next(last, running);
            let group = if partition == 0 {
                Group::Pieces
            } else {
                Group::King
            };
            // Each step meets each partition once; its conversions are put in where they are sorted.
            let parts: Vec<_> = open
                .into_iter()
                .chain(next)
                .map(|step| self.part(step, group, partition == 0))
                .collect();
            if parts.is_empty() {
                return Ok(());
            }
            self.pass(partition, &parts)?;
            if let Some(step) = open {
                self.begin_cycle(step);
                self.end_cycle(step);
            }
            done = open.or(done);
            open = next;
            last = next.or(last);
            partition = 1 - partition;
            self.settle(Progress {
                last,
                open,
                done,
                partition,
            })?;
        }
    }

    fn part(&self, step: u16, group: Group, initial: bool) -> Part {
        Part {
            step,
            group,
            initial,
        }
    }

    fn pass(&mut self, partition: usize, parts: &[Part]) -> Result<(), TableError> {
        let chunks: Vec<_> = (0..self.partitions[partition].chunks)
            .filter(|&chunk| {
                parts.iter().any(|part| {
                    self.lists(part.step, partition, chunk).next().is_some()
                        || part.initial && self.seeded(&self.initial[chunk], part.step)
                })
            })
            .collect();
        let visits = self.visits(partition, &chunks, |place, win_set, workspace| {
            self.visit(place, parts, win_set, workspace)
        })?;
        self.keep(visits)
    }

    /// Visits chunks of a partition on all threads.
    fn visits<T: Send>(
        &self,
        which: usize,
        chunks: &[usize],
        visit: impl Fn(
            Place<'_>,
            &mut W::Chunk<'_>,
            &mut Workspace<W::Accumulator>,
        ) -> Result<T, TableError>
        + Sync,
    ) -> Result<Vec<Result<T, TableError>>, TableError> {
        let largest = largest_chunk(self.partitions);
        let visits = in_parallel(
            chunks,
            self.run,
            || (),
            |(), &number| {
                let kept = lock(&self.workspaces).pop();
                let (mut workspace, mut chunk_buffer) = match kept {
                    Some(kept) => kept,
                    None => (Workspace::new(self.won, largest)?, ChunkBuffer::default()),
                };
                let place = Place {
                    partitions: self.partitions,
                    which,
                    number,
                };
                let result = self.won.visit(place, &mut chunk_buffer, |win_set| {
                    visit(place, win_set, &mut workspace)
                })?;
                workspace.take_error()?;
                lock(&self.workspaces).push((workspace, chunk_buffer));
                Ok(result)
            },
        );
        Ok(visits?)
    }

    /// The losses of a code in a chunk of a partition.
    fn lists(
        &self,
        code: u16,
        partition: usize,
        chunk: usize,
    ) -> impl Iterator<Item = &StoredList> {
        let columns = self.partitions[1].chunks;
        let cells = self.losses.get(&code).into_iter().flatten().enumerate();
        cells
            .filter(move |(cell, _)| [cell / columns, cell % columns][partition] == chunk)
            .flat_map(|(_, lists)| lists)
    }

    fn visit(
        &self,
        place: Place<'_>,
        parts: &[Part],
        win_set: &mut W::Chunk<'_>,
        workspace: &mut Workspace<W::Accumulator>,
    ) -> Result<Visit, TableError> {
        let (partition, number) = (place.partition(), place.number);
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
                self.state
                    .expand(win_set, partition, &list, part.group, workspace);
            }
            let initial = part.initial.then(|| &self.initial[number]);
            for list in initial.map_or(&[][..], |s| s.wins(part.step)) {
                State::mark(win_set, partition, &*list.load()?, &mut workspace.wins);
            }
            self.answer(
                place, win_set, workspace, part.step, initial, true, &mut visit,
            )?;
        }
        self.count_chunk(partition.len(number), true, workspace, &mut visit);
        Ok(visit)
    }

    fn count_chunk(
        &self,
        words: usize,
        stored: bool,
        workspace: &mut Workspace<W::Accumulator>,
        visit: &mut Visit,
    ) {
        let bits = words as u64 * 64;
        visit.traffic.touched += std::mem::take(&mut workspace.touched);
        visit.traffic.loaded += bits;
        if stored {
            visit.traffic.stored += bits;
        }
    }

    /// The defender's side of a step: from the new wins on the workspace to losses. The wins are kept if they are `new`.
    #[expect(
        clippy::too_many_arguments,
        reason = "what a step reads, writes and reports"
    )]
    fn answer(
        &self,
        place: Place<'_>,
        win_set: &mut W::Chunk<'_>,
        workspace: &mut Workspace<W::Accumulator>,
        step: u16,
        initial: Option<&InitialPositions>,
        new: bool,
        visit: &mut Visit,
    ) -> Result<(), TableError> {
        let code = step + self.state.metric.stride();
        let initial: Vec<Arc<List>> = initial
            .map_or(&[][..], |s| s.losses(code))
            .iter()
            .map(StoredList::load)
            .collect::<Result<_, _>>()?;
        let (mut wins, mut losses) = (self.cells(), self.cells());
        self.state.answer(
            win_set,
            place,
            workspace,
            &initial,
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
