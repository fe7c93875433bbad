//! All wins of a frame, step by step, chunk by chunk, in the order of a schedule.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use everymove_kernel::files::FileError;
use everymove_kernel::run::Run;

use crate::cut::{Cut, Still};
use crate::cycle::{Bench, Chunk, Group, Seeds, State};
use crate::library::{TableError, lock};
use crate::list::List;
use crate::metric::ILLEGAL;
use crate::schedule::{Schedule, Traffic, in_parallel};
use crate::space::{Space, numbers};
use crate::spool::{Bins, Kept, Spool};

/// A list of wins or losses of a frame.
#[derive(Clone, Debug)]
pub(crate) struct Level {
    pub(crate) code: u16,
    /// The class of the attacker's king, by which the slices of a frame are ordered; 0 in small frames.
    pub(crate) row: usize,
    pub(crate) list: Kept,
}

/// All wins and losses of a frame.
#[derive(Debug, Default)]
pub(crate) struct Levels {
    pub(crate) wins: Vec<Level>,
    pub(crate) losses: Vec<Level>,
    /// Instead of the lists, for frames that are small: the codes of wins and of losses, by position.
    pub(crate) codes: Option<[Vec<u8>; 2]>,
    /// How many wins and losses there are.
    pub(crate) found: [u64; 2],
    pub(crate) traffic: Traffic,
}

/// What is found of a frame: lists of them, or codes by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Lists,
    Codes,
}

impl Levels {
    fn new(form: Form, positions: usize) -> Self {
        let codes = (form == Form::Codes).then(|| [vec![0; positions], vec![0; positions]]);
        Self {
            codes,
            ..Self::default()
        }
    }

    /// Takes wins (0) or losses (1); false if the code is too large for a byte.
    fn take(&mut self, which: usize, level: Level) -> Result<bool, FileError> {
        self.found[which] += level.list.positions();
        let Some(codes) = &mut self.codes else {
            let levels = if which == 0 {
                &mut self.wins
            } else {
                &mut self.losses
            };
            levels.push(level);
            return Ok(true);
        };
        if level.code >= u16::from(ILLEGAL) {
            return Ok(false);
        }
        for (word, set) in level.list.load()?.iter() {
            for position in numbers(word as usize, set) {
                codes[which][position] = level.code as u8;
            }
        }
        Ok(true)
    }
}

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
struct Solver<'a> {
    state: &'a State,
    /// The first is closed under the defender's moves and is the one that seeds are sorted by.
    cuts: [Cut; 2],
    seeds: Vec<Seeds>,
    /// By code and cell: a chunk of the first cut and one of the second.
    losses: BTreeMap<u16, Vec<Vec<Kept>>>,
    levels: Levels,
    benches: Mutex<Vec<Bench>>,
    spool: &'a Spool,
    run: &'a Run,
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

/// Bytes that each thread needs to solve a frame.
pub(crate) fn bench_bytes(space: &Space, words: usize, schedule: Schedule) -> u64 {
    let cuts = stills(space, schedule).map(|still| Cut::new(space, still, words));
    largest(&cuts) as u64 * 16
}

/// Words of the largest chunk that is visited.
fn largest(cuts: &[Cut; 2]) -> usize {
    let chunks = |cut: &Cut| (0..cut.chunks).map(|c| cut.len(c)).max().unwrap_or(0);
    let second = if cuts[0].still == Still::Nothing {
        0
    } else {
        chunks(&cuts[1])
    };
    chunks(&cuts[0]).max(second)
}

/// Finds all wins of a frame.
pub(crate) fn solve(
    state: &mut State,
    schedule: Schedule,
    form: Form,
    spool: &Spool,
    run: &Run,
) -> Result<Levels, TableError> {
    let schedule = if is_small(&state.frame.space) {
        Schedule::Scan
    } else {
        schedule
    };
    let space = state.frame.space.clone();
    let cuts = stills(&space, schedule).map(|still| Cut::new(&space, still, state.frame.words));
    let cut = &cuts[0];
    let seeds = if cut.chunks == 1 {
        vec![state.seed(Chunk { cut, number: 0 }, spool)?]
    } else {
        let numbers: Vec<_> = (0..cut.chunks).collect();
        let seed = |(): &mut (), &number: &usize| state.seeds(Chunk { cut, number }, None, spool);
        let seeds = in_parallel(&numbers, run, || (), seed)?;
        seeds.into_iter().collect::<Result<_, _>>()?
    };
    let mut solver = Solver {
        state,
        cuts,
        seeds,
        losses: BTreeMap::new(),
        levels: Levels::new(form, state.frame.words * 64),
        benches: Mutex::default(),
        spool,
        run,
    };
    solver.mates()?;
    match schedule {
        Schedule::Scan => solver.scan()?,
        Schedule::Subcycles => solver.subcycles()?,
        Schedule::RootSplit => solver.root_split()?,
        Schedule::Leapfrog => solver.leapfrog()?,
    }
    Ok(solver.levels)
}

impl Solver<'_> {
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

    /// The cell of a word: its chunks of both cuts.
    #[inline]
    fn cell(&self, word: usize) -> usize {
        self.cuts[0].chunk(word) * self.cuts[1].chunks + self.cuts[1].chunk(word)
    }

    fn row(&self, cell: usize) -> usize {
        let columns = self.cuts[1].chunks;
        if self.cuts[0].still == Still::Nothing {
            cell % columns
        } else {
            cell / columns
        }
    }

    fn keep_losses(&mut self, found: Vec<(u16, usize, Kept)>) -> Result<(), TableError> {
        let cells = self.cuts[0].chunks * self.cuts[1].chunks;
        for (code, cell, list) in found {
            let row = self.row(cell);
            let level = Level {
                code,
                row,
                list: list.clone(),
            };
            self.take(1, level)?;
            let by_cell = self
                .losses
                .entry(code)
                .or_insert_with(|| vec![Vec::new(); cells]);
            by_cell[cell].push(list);
        }
        Ok(())
    }

    fn keep(&mut self, visits: Vec<Result<Visit, TableError>>) -> Result<(), TableError> {
        for visit in visits {
            let visit = visit?;
            for (code, cell, list) in visit.wins {
                let row = self.row(cell);
                self.take(0, Level { code, row, list })?;
            }
            self.levels.traffic.merge(&visit.traffic);
            self.keep_losses(visit.losses)?;
        }
        self.levels.traffic.passes += 1;
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
        self.losses.retain(|&code, _| code > done);
        let code = done + self.state.metric.stride();
        for seeds in &mut self.seeds {
            seeds.forget(done, code);
        }
        self.run.progress.advance(1);
    }

    /// Counts a cycle if there is anything to do in it.
    fn begin_cycle(&mut self, step: u16) {
        if self.has_work(step) {
            self.levels.traffic.cycles += 1;
            self.levels.traffic.positions += self.state.frame.words as u64 * 64;
        }
    }

    fn scan(&mut self) -> Result<(), TableError> {
        let mut step = self.next(None, false);
        while let Some(now) = step {
            self.begin_cycle(now);
            self.pass(0, &[self.part(now, Group::All, true)])?;
            self.end_cycle(now);
            step = self.next(step, false);
        }
        Ok(())
    }

    fn root_split(&mut self) -> Result<(), TableError> {
        let mut step = self.next(None, false);
        while let Some(now) = step {
            self.begin_cycle(now);
            self.pass(0, &[self.part(now, Group::Pieces, true)])?;
            self.pass(1, &[self.part(now, Group::King, false)])?;
            self.end_cycle(now);
            step = self.next(step, false);
        }
        Ok(())
    }

    fn leapfrog(&mut self) -> Result<(), TableError> {
        let (mut last, mut open) = (None, None);
        let mut cut = 0;
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
            if let Some(done) = open {
                self.begin_cycle(done);
                self.end_cycle(done);
            }
            open = next;
            last = next.or(last);
            cut = 1 - cut;
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
        let visits = self.visits(&chunks, |number, bench| {
            self.visit(cut, parts, number, bench)
        })?;
        self.keep(visits)
    }

    /// Visits chunks on all threads.
    fn visits<T: Send>(
        &self,
        chunks: &[usize],
        visit: impl Fn(usize, &mut Bench) -> T + Sync,
    ) -> Result<Vec<T>, TableError> {
        let largest = largest(&self.cuts);
        let visits = in_parallel(
            chunks,
            self.run,
            || (),
            |(), &number| {
                let kept = lock(&self.benches).pop();
                let mut bench = kept.unwrap_or_else(|| Bench::new(largest));
                let result = visit(number, &mut bench);
                lock(&self.benches).push(bench);
                result
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
        cut: usize,
        parts: &[Part],
        number: usize,
        bench: &mut Bench,
    ) -> Result<Visit, TableError> {
        let cut_number = cut;
        let cut = &self.cuts[cut];
        let chunk = Chunk { cut, number };
        let mut visit = Visit::default();
        for part in parts {
            let own: Vec<_> = visit
                .losses
                .iter()
                .filter(|(code, ..)| *code == part.step)
                .map(|(.., list)| list.clone())
                .collect();
            for list in self.lists(part.step, cut_number, number).chain(&own) {
                visit.traffic.sparse += list.bytes() * 8;
                let list = list.load()?;
                self.state.expand(chunk, &list, part.group, bench);
            }
            let seeds = part.seeds.then(|| &self.seeds[number]);
            for list in seeds.map_or(&[][..], |s| s.wins(part.step)) {
                self.state.mark(chunk, &*list.load()?, &mut bench.wins);
            }
            self.answer(chunk, bench, part.step, seeds, true, &mut visit)?;
        }
        self.count_chunk(cut.len(number), true, bench, &mut visit);
        Ok(visit)
    }

    fn count_chunk(&self, words: usize, stored: bool, bench: &mut Bench, visit: &mut Visit) {
        let bits = words as u64 * 64;
        visit.traffic.touched += std::mem::take(&mut bench.touched);
        visit.traffic.loaded += bits;
        if stored {
            visit.traffic.stored += bits;
        }
    }

    /// The defender's side of a step: from the new wins on the bench to losses. The wins are kept if they are `new`.
    fn answer(
        &self,
        chunk: Chunk<'_>,
        bench: &mut Bench,
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
            chunk,
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

    fn subcycles(&mut self) -> Result<(), TableError> {
        let mut step = self.next(None, false);
        while let Some(now) = step {
            self.begin_cycle(now);
            let fresh = self.attack(now)?;
            self.defend(now, &fresh)?;
            self.end_cycle(now);
            step = self.next(step, false);
        }
        Ok(())
    }

    /// The attacker's pass of a cycle: all his moves, over chunks in which the defender's king stays. Gives the new wins by
    /// the chunk of the attacker's king.
    fn attack(&mut self, step: u16) -> Result<Vec<Vec<Kept>>, TableError> {
        let cut = &self.cuts[1];
        let chunks: Vec<_> = (0..cut.chunks)
            .filter(|&chunk| self.lists(step, 1, chunk).next().is_some())
            .collect();
        let visits = self.visits(&chunks, |number, bench| {
            let chunk = Chunk { cut, number };
            let mut visit = Visit::default();
            for list in self.lists(step, 1, number) {
                visit.traffic.sparse += list.bytes() * 8;
                let list = list.load()?;
                self.state.expand(chunk, &list, Group::All, bench);
            }
            let mut cells = self.cells();
            bench.wins.drain(|local, set| {
                let word = cut.word(number, local);
                cells.push(self.cell(word), word, set);
            });
            for (cell, list) in cells.finish()? {
                visit.traffic.sparse += list.bytes() * 8;
                visit.wins.push((step, cell, list));
            }
            self.count_chunk(cut.len(number), true, bench, &mut visit);
            Ok::<_, TableError>(visit)
        })?;
        let columns = cut.chunks;
        let mut fresh = vec![Vec::new(); self.cuts[0].chunks];
        for visit in visits.iter().flatten() {
            for (_, cell, list) in &visit.wins {
                fresh[cell / columns].push(list.clone());
            }
        }
        self.keep(visits)?;
        Ok(fresh)
    }

    /// The defender's pass of a cycle, over chunks in which the attacker's king stays.
    fn defend(&mut self, step: u16, fresh: &[Vec<Kept>]) -> Result<(), TableError> {
        let cut = &self.cuts[0];
        let chunks: Vec<_> = (0..cut.chunks)
            .filter(|&c| !fresh[c].is_empty() || self.seeded(&self.seeds[c], step))
            .collect();
        let visits = self.visits(&chunks, |number, bench| {
            let chunk = Chunk { cut, number };
            let mut visit = Visit::default();
            let seeds = &self.seeds[number];
            // Conversions first: what they win is new, and is kept with the losses it leads to.
            for list in seeds.wins(step) {
                self.state.mark(chunk, &*list.load()?, &mut bench.wins);
            }
            let mut marked = self.cells();
            let mut again: Vec<(usize, u64)> = Vec::new();
            bench.wins.drain(|local, set| {
                let word = cut.word(number, local);
                marked.push(self.cell(word), word, set);
                again.push((local, set));
            });
            for (local, set) in again {
                bench.wins.add(local, set);
            }
            for list in &fresh[number] {
                visit.traffic.sparse += list.bytes() * 8;
                for (word, set) in list.load()?.iter() {
                    bench.wins.add(cut.local(word as usize), set);
                }
            }
            self.answer(chunk, bench, step, Some(seeds), false, &mut visit)?;
            let marked = marked.finish()?;
            self.count_chunk(cut.len(number), !marked.is_empty(), bench, &mut visit);
            visit
                .wins
                .extend(marked.into_iter().map(|(cell, list)| (step, cell, list)));
            Ok(visit)
        })?;
        self.keep(visits)
    }
}
