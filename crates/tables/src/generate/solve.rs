//! Finds all wins of a subspace, step by step, chunk by chunk, in the order of a schedule.

mod save;
mod subcycles;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use everymove_kernel::parallel;
use everymove_kernel::run::Run;

use crate::error::TableError;
use crate::generate::by_distance::{ByDistance, DistanceList, Representation};
use crate::generate::retro_step::{Group, InitialPositions, RetroStep, Workspace};
use crate::generate::schedule::{Schedule, Traffic};
use crate::position::index_space::IndexSpace;
use crate::position::partition::{FixedPiece, Partition, largest_chunk};
use crate::store::directory::lock;
use crate::store::list::List;
use crate::store::spool::{Bins, Spool, StoredList};
use crate::store::win_set::{ChunkBuffer, ChunkRef, WinSet, cell};

use save::ScheduleState;
pub(crate) use save::SubspaceLog;

/// A step, or the part of it for one group of pieces.
#[derive(Clone, Copy, Debug)]
struct StepPart {
    step: u16,
    group: Group,
    /// Whether the conversions of the step are added.
    initial: bool,
}

/// The results of processing a chunk.
#[derive(Debug, Default)]
struct ChunkResult {
    /// By code and cell.
    wins: Vec<(u16, usize, StoredList)>,
    losses: Vec<(u16, usize, StoredList)>,
    traffic: Traffic,
}

/// Solves a subspace.
struct Solver<'a, W: WinSet> {
    retro: &'a RetroStep,
    win_set: &'a W,
    /// Chunks of the first partition are closed under the defender's moves; the initial positions
    /// are sorted by them.
    partitions: &'a [Partition; 2],
    initial: Vec<InitialPositions>,
    /// By code and cell (a chunk of the first partition and one of the second).
    losses: BTreeMap<u16, Vec<Vec<StoredList>>>,
    by_distance: ByDistance,
    workspaces: Mutex<Vec<(Workspace<W::Buffer>, ChunkBuffer)>>,
    options: SolveOptions,
    log: Option<&'a mut SubspaceLog>,
    spool: &'a Spool,
    run: &'a Run,
}

/// How a subspace is to be solved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SolveOptions {
    pub(crate) schedule: Schedule,
    pub(crate) representation: Representation,
    /// See [`crate::Plan`].
    pub(crate) uncached: bool,
}

/// Returns the two partitions of a subspace that a schedule uses.
pub(crate) fn partitions(space: &IndexSpace, schedule: Schedule, words: usize) -> [Partition; 2] {
    fixed(space, schedule).map(|fixed| Partition::new(space, fixed, words))
}

/// Returns the fixed pieces of the two partitions; alike only if the subspace is too small to be
/// partitioned.
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

/// Subspaces with a bare defender and one piece, or with pawns, are small and not partitioned.
fn is_small(space: &IndexSpace) -> bool {
    space.pawns > 0 || space.free < 2
}

/// Finds all wins of a subspace.
pub(crate) fn solve<W: WinSet>(
    retro: &mut RetroStep,
    win_set: &W,
    partitions: &[Partition; 2],
    options: SolveOptions,
    log: Option<&mut SubspaceLog>,
    spool: &Spool,
    run: &Run,
) -> Result<ByDistance, TableError> {
    let schedule = if is_small(&retro.subspace.space) {
        Schedule::Scan
    } else {
        options.schedule
    };
    let half = &retro.subspace.space.half;
    let chunks = partitions[0].chunks;
    run.progress
        .start(format!("{half}: captures and mates"), chunks as u64);
    let chunk_ref = |number| ChunkRef {
        partitions,
        which: 0,
        number,
    };
    let initial = if partitions[0].chunks == 1 {
        let seed = |known_wins: &mut W::Chunk<'_>| {
            Ok(retro.initial_with_bounds(known_wins, chunk_ref(0), spool)?)
        };
        vec![win_set.with_chunk(chunk_ref(0), &mut ChunkBuffer::default(), seed)?]
    } else {
        let seed = |chunk_buffer: &mut ChunkBuffer, number| {
            let chunk_ref = chunk_ref(number);
            let initial = win_set.with_chunk(chunk_ref, chunk_buffer, |known_wins| {
                Ok(retro.initial(known_wins, chunk_ref, None, spool)?)
            });
            run.progress.advance(1);
            initial
        };
        parallel::try_map(run, 0..partitions[0].chunks, ChunkBuffer::default, seed)?
    };
    run.stop.check()?;
    // Results go where they are saved; conversions are found again after a crash.
    let seeded = spool;
    let saved = log.as_ref().map(|log| Spool::shared(log.log.data()));
    let spool = saved.as_ref().unwrap_or(seeded);
    let mut solver = Solver {
        retro,
        win_set,
        partitions,
        initial,
        losses: BTreeMap::new(),
        by_distance: ByDistance::new(options.representation, retro.subspace.words * 64),
        workspaces: Mutex::default(),
        options,
        log,
        spool,
        run,
    };
    let reached = match solver.resume()? {
        Some(reached) => reached,
        None => {
            solver.mates()?;
            ScheduleState::default()
        }
    };
    match schedule {
        Schedule::Scan => solver.step_by_step(reached, Solver::scan)?,
        Schedule::Subcycles => solver.step_by_step(reached, Solver::subcycle)?,
        Schedule::RootSplit => solver.step_by_step(reached, Solver::root_split)?,
        Schedule::Leapfrog => solver.leapfrog(reached)?,
    }
    solver.finish()?;
    Ok(solver.by_distance)
}

/// Returns the row of a cell: the class of the attacker's king.
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
        self.record_losses(found)
    }

    fn add(&mut self, which: usize, level: DistanceList) -> Result<(), TableError> {
        if self.by_distance.add(which, level)? {
            return Ok(());
        }
        let half = self.retro.subspace.space.half.to_string();
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

    fn record_losses(&mut self, found: Vec<(u16, usize, StoredList)>) -> Result<(), TableError> {
        for (code, cell, list) in found {
            if let Some(log) = &mut self.log {
                log.record_list(1, code, cell, &list);
            }
            self.record_loss(code, cell, list)?;
        }
        Ok(())
    }

    fn record_loss(&mut self, code: u16, cell: usize, list: StoredList) -> Result<(), TableError> {
        let cells = self.partitions[0].chunks * self.partitions[1].chunks;
        let level = DistanceList {
            code,
            row: row(self.partitions, cell),
            list: list.clone(),
        };
        self.add(1, level)?;
        let by_cell = self
            .losses
            .entry(code)
            .or_insert_with(|| vec![Vec::new(); cells]);
        by_cell[cell].push(list);
        Ok(())
    }

    fn record_win(&mut self, code: u16, cell: usize, list: StoredList) -> Result<(), TableError> {
        let row = row(self.partitions, cell);
        self.add(0, DistanceList { code, row, list })
    }

    fn record(&mut self, results: Vec<ChunkResult>) -> Result<(), TableError> {
        for found in results {
            for (code, cell, list) in found.wins {
                if let Some(log) = &mut self.log {
                    log.record_list(0, code, cell, &list);
                }
                self.record_win(code, cell, list)?;
            }
            self.by_distance.traffic.merge(&found.traffic);
            self.record_losses(found.losses)?;
        }
        self.by_distance.traffic.passes += 1;
        if self.options.uncached {
            self.win_set.drop_cache()?;
            self.spool.drop_cache()?;
        }
        Ok(())
    }

    /// Returns the step after another (`None`: the first) with anything to do: a lower bound.
    /// `running` says whether the other may still add losses.
    fn next_step(&self, after: Option<u16>, running: bool) -> Option<u16> {
        let stride = self.retro.metric.stride();
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
        self.losses.contains_key(&step)
            || self.initial.iter().any(|s| self.has_conversions(s, step))
    }

    fn has_conversions(&self, initial: &InitialPositions, step: u16) -> bool {
        let code = step + self.retro.metric.stride();
        !initial.wins(step).is_empty() || !initial.losses(code).is_empty()
    }

    /// Releases what led to a step that is done.
    fn release(&mut self, done: u16) {
        self.losses.retain(|&code, _| code > done);
        let code = done + self.retro.metric.stride();
        for initial in &mut self.initial {
            initial.release(done, code);
        }
    }

    /// Counts a cycle if there is anything to do in it.
    fn begin_cycle(&mut self, step: u16) {
        if self.has_work(step) {
            self.by_distance.traffic.cycles += 1;
            self.by_distance.traffic.positions += self.retro.subspace.words as u64 * 64;
        }
    }

    /// The schedules in which a step is done before the next begins; `cycle` does one.
    fn step_by_step(
        &mut self,
        reached: ScheduleState,
        cycle: impl Fn(&mut Self, u16) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        let mut step = self.next_step(reached.last, false);
        while let Some(now) = step {
            self.begin_cycle(now);
            cycle(self, now)?;
            self.release(now);
            self.save_if_due(ScheduleState {
                last: step,
                done: step,
                ..ScheduleState::default()
            })?;
            step = self.next_step(step, false);
        }
        Ok(())
    }

    fn scan(&mut self, step: u16) -> Result<(), TableError> {
        self.pass(0, &[self.part(step, Group::All, true)])
    }

    fn root_split(&mut self, step: u16) -> Result<(), TableError> {
        self.pass(0, &[self.part(step, Group::Pieces, true)])?;
        self.pass(1, &[self.part(step, Group::King, false)])
    }

    fn leapfrog(&mut self, reached: ScheduleState) -> Result<(), TableError> {
        let ScheduleState {
            mut last,
            mut open,
            mut done,
            mut partition,
        } = reached;
        loop {
            let running = open.is_some_and(|step| self.has_work(step));
            let next = self.next_step(last, running);
            let group = if partition == 0 {
                Group::Pieces
            } else {
                Group::King
            };
            // Each step passes each partition once; its conversions are added with the one they are
            // sorted by.
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
                self.release(step);
            }
            done = open.or(done);
            open = next;
            last = next.or(last);
            partition = 1 - partition;
            self.save_if_due(ScheduleState {
                last,
                open,
                done,
                partition,
            })?;
        }
    }

    fn part(&self, step: u16, group: Group, initial: bool) -> StepPart {
        StepPart {
            step,
            group,
            initial,
        }
    }

    fn pass(&mut self, partition: usize, parts: &[StepPart]) -> Result<(), TableError> {
        if let Some(part) = parts.first() {
            // The number of steps is not known beforehand.
            let half = &self.retro.subspace.space.half;
            let phase = format!("{half}: step {}", part.step);
            self.run.progress.start(phase, 0);
        }
        let chunks: Vec<_> = (0..self.partitions[partition].chunks)
            .filter(|&chunk| {
                parts.iter().any(|part| {
                    self.lists(part.step, partition, chunk).next().is_some()
                        || part.initial && self.has_conversions(&self.initial[chunk], part.step)
                })
            })
            .collect();
        let results =
            self.process_chunks(partition, &chunks, |chunk_ref, known_wins, workspace| {
                self.process_chunk(chunk_ref, parts, known_wins, workspace)
            })?;
        self.record(results)
    }

    /// Processes chunks of a partition on all threads.
    fn process_chunks<T: Send>(
        &self,
        which: usize,
        chunks: &[usize],
        process: impl Fn(
            ChunkRef<'_>,
            &mut W::Chunk<'_>,
            &mut Workspace<W::Buffer>,
        ) -> Result<T, TableError>
        + Sync,
    ) -> Result<Vec<T>, TableError> {
        let largest = largest_chunk(self.partitions);
        let positions = (64 * self.retro.subspace.words / self.partitions[which].chunks) as u64;
        parallel::try_map(
            self.run,
            chunks,
            || (),
            |(), &number| {
                let kept = lock(&self.workspaces).pop();
                let (mut workspace, mut chunk_buffer) = match kept {
                    Some(kept) => kept,
                    None => (
                        Workspace::new(self.win_set, largest)?,
                        ChunkBuffer::default(),
                    ),
                };
                let chunk_ref = ChunkRef {
                    partitions: self.partitions,
                    which,
                    number,
                };
                let result =
                    self.win_set
                        .with_chunk(chunk_ref, &mut chunk_buffer, |known_wins| {
                            process(chunk_ref, known_wins, &mut workspace)
                        })?;
                workspace.take_error()?;
                lock(&self.workspaces).push((workspace, chunk_buffer));
                self.run.progress.worked(positions);
                Ok(result)
            },
        )
    }

    /// Returns the losses of a code in a chunk of a partition.
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

    fn process_chunk(
        &self,
        chunk_ref: ChunkRef<'_>,
        parts: &[StepPart],
        known_wins: &mut W::Chunk<'_>,
        workspace: &mut Workspace<W::Buffer>,
    ) -> Result<ChunkResult, TableError> {
        let (partition, number) = (chunk_ref.partition(), chunk_ref.number);
        let mut found = ChunkResult::default();
        for part in parts {
            let own: Vec<_> = found
                .losses
                .iter()
                .filter(|(code, ..)| *code == part.step)
                .map(|(.., list)| list.clone())
                .collect();
            for list in self.lists(part.step, chunk_ref.which, number).chain(&own) {
                found.traffic.sparse += list.bytes() * 8;
                let list = list.load()?;
                self.retro
                    .find_wins(known_wins, partition, &list, part.group, workspace);
            }
            let initial = part.initial.then(|| &self.initial[number]);
            for list in initial.map_or(&[][..], |s| s.wins(part.step)) {
                RetroStep::mark(known_wins, partition, &*list.load()?, &mut workspace.wins);
            }
            self.find_losses(
                chunk_ref, known_wins, workspace, part.step, initial, true, &mut found,
            )?;
        }
        self.count_chunk(partition.len(number), true, workspace, &mut found);
        Ok(found)
    }

    fn count_chunk(
        &self,
        words: usize,
        stored: bool,
        workspace: &mut Workspace<W::Buffer>,
        found: &mut ChunkResult,
    ) {
        let bits = words as u64 * 64;
        found.traffic.touched += std::mem::take(&mut workspace.touched);
        found.traffic.loaded += bits;
        if stored {
            found.traffic.stored += bits;
        }
    }

    /// The defender's part of a step: from the new wins in the workspace to losses. The wins are
    /// recorded if they are `new`.
    #[expect(
        clippy::too_many_arguments,
        reason = "what a step reads, writes and reports"
    )]
    fn find_losses(
        &self,
        chunk_ref: ChunkRef<'_>,
        known_wins: &mut W::Chunk<'_>,
        workspace: &mut Workspace<W::Buffer>,
        step: u16,
        initial: Option<&InitialPositions>,
        new: bool,
        found: &mut ChunkResult,
    ) -> Result<(), TableError> {
        let code = step + self.retro.metric.stride();
        let initial: Vec<Arc<List>> = initial
            .map_or(&[][..], |s| s.losses(code))
            .iter()
            .map(StoredList::load)
            .collect::<Result<_, _>>()?;
        let (mut wins, mut losses) = (self.cells(), self.cells());
        self.retro.find_losses(
            known_wins,
            chunk_ref,
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
            found.wins.push((step, cell, list));
        }
        for (cell, list) in losses.finish()? {
            found.traffic.sparse += list.bytes() * 8;
            found.losses.push((code, cell, list));
        }
        Ok(())
    }
}
