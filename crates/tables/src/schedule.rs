//! The order in which chunks are visited: four ways to do the same work with different traffic between far and near memory.

mod parallel;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use everymove_kernel::run::{Run, Stopped};
use thiserror::Error;

use crate::cut::{Cut, Still};
use crate::cycle::{Bench, Chunk, Group, Seeds, State};
use crate::list::List;
pub(crate) use parallel::in_parallel;

/// How the tree of moves and un-moves is cut up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// Not at all: all moves from all positions, anywhere in the table.
    Scan,
    /// By side: a pass of the attacker's moves, a pass of the defender's.
    Subcycles,
    /// By the attacker's men: a pass with the pieces' moves and all the defender's, a pass with the king's and all the
    /// defender's.
    RootSplit,
    /// As `RootSplit`, with the passes in alternating order, so that the last pass of a cycle and the first of the next visit
    /// the same chunks and are done in one visit (H. G. Muller, "Leapfrog: Tree Decomposition").
    #[default]
    Leapfrog,
}

/// A text that names no schedule.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("'{0}' is not a schedule: expected scan, subcycles, rootsplit or leapfrog")]
pub struct NotASchedule(String);

impl Schedule {
    /// All of them, the simplest first.
    pub const ALL: [Self; 4] = [Self::Scan, Self::Subcycles, Self::RootSplit, Self::Leapfrog];
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scan => "scan",
            Self::Subcycles => "subcycles",
            Self::RootSplit => "rootsplit",
            Self::Leapfrog => "leapfrog",
        })
    }
}

impl FromStr for Schedule {
    type Err = NotASchedule;

    fn from_str(text: &str) -> Result<Self, NotASchedule> {
        let found = Self::ALL.into_iter().find(|s| s.to_string() == text);
        found.ok_or_else(|| NotASchedule(text.to_owned()))
    }
}

/// What passed between far memory (the whole table) and near memory (the chunk in work).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bits of the won set brought near.
    pub loaded: u64,
    /// Bits of the won set taken back.
    pub stored: u64,
    /// Bits of sparse lists (losses, and new wins that a later pass needs) read and written.
    pub sparse: u64,
    /// Passes over the table.
    pub passes: u64,
    /// Cycles: steps from losses to the losses before them.
    pub cycles: u64,
    /// Positions of the table (of a side to move) times cycles: what to divide by.
    pub positions: u64,
}

impl Traffic {
    /// Adds what another part of the work moved.
    pub fn merge(&mut self, other: &Self) {
        self.loaded += other.loaded;
        self.stored += other.stored;
        self.sparse += other.sparse;
        self.passes += other.passes;
        self.cycles += other.cycles;
        self.positions += other.positions;
    }
}

/// Wins and losses as lists, each with its code.
#[derive(Debug, Default)]
pub(crate) struct Levels {
    pub(crate) wins: Vec<(u16, Arc<List>)>,
    pub(crate) losses: Vec<(u16, Arc<List>)>,
    pub(crate) traffic: Traffic,
}

/// Half a step, or all of it.
#[derive(Clone, Copy, Debug)]
struct Part {
    step: u16,
    group: Group,
    /// Whether the conversions of the step are put in.
    seeds: bool,
}

/// A pass over the chunks of one of the two cuts.
#[derive(Clone, Debug)]
struct Pass {
    cut: usize,
    parts: Vec<Part>,
}

/// What a visit to a chunk gave.
#[derive(Debug, Default)]
struct Visit {
    wins: Vec<(u16, Arc<List>)>,
    losses: Vec<(u16, usize, Arc<List>)>,
    /// New wins for a pass of the defender's moves, by cell.
    fresh: Vec<(usize, Arc<List>)>,
    traffic: Traffic,
}

/// Solves a frame.
pub(crate) struct Solver<'a> {
    state: &'a State,
    /// The first is closed under the defender's moves and is the one that seeds are sorted by.
    cuts: [Cut; 2],
    seeds: Vec<Seeds>,
    /// By code and cell: a chunk of the first cut and one of the second.
    losses: BTreeMap<u16, Vec<Vec<Arc<List>>>>,
    levels: Levels,
    run: &'a Run,
}

/// Finds all wins of a frame.
pub(crate) fn solve(state: &mut State, schedule: Schedule, run: &Run) -> Result<Levels, Stopped> {
    let space = state.frame.space.clone();
    let words = state.frame.words;
    // With the defender bare and one piece, or with pawns, a frame is small and has no two cuts.
    let small = state.frame.slice.is_some() || space.free < 2;
    let schedule = if small { Schedule::Scan } else { schedule };
    let (first, second) = match schedule {
        Schedule::Scan => (Still::Nothing, Still::Nothing),
        Schedule::Subcycles => (Still::AttackerKing, Still::DefenderKing),
        Schedule::RootSplit | Schedule::Leapfrog => (Still::AttackerKing, Still::FirstPiece),
    };
    let cuts = [first, second].map(|still| Cut::new(&space, still, words));
    let seeds = if small {
        let cut = &cuts[0];
        vec![state.seed(Chunk { cut, number: 0 })]
    } else {
        let cut = &cuts[0];
        let numbers: Vec<_> = (0..cut.chunks).collect();
        in_parallel(
            &numbers,
            run,
            || (),
            |(), &number| state.seeds(Chunk { cut, number }, None),
        )?
    };
    let mut solver = Solver {
        state,
        cuts,
        seeds,
        losses: BTreeMap::new(),
        levels: Levels::default(),
        run,
    };
    solver.mates();
    match schedule {
        Schedule::Scan => solver.scan()?,
        Schedule::Subcycles => solver.subcycles()?,
        Schedule::RootSplit => solver.root_split()?,
        Schedule::Leapfrog => solver.leapfrog()?,
    }
    Ok(solver.levels)
}

impl Solver<'_> {
    fn mates(&mut self) {
        let mut found = Vec::new();
        for seeds in &mut self.seeds {
            let mut cells = Cells::new(&self.cuts);
            for (word, set) in std::mem::take(&mut seeds.mates).iter() {
                cells.push(word as usize, set);
            }
            found.extend(cells.lists().map(|(cell, list)| (1, cell, list)));
        }
        self.keep_losses(found);
    }

    fn keep_losses(&mut self, found: Vec<(u16, usize, Arc<List>)>) {
        let cells = self.cuts[0].chunks * self.cuts[1].chunks;
        for (code, cell, list) in found {
            self.levels.losses.push((code, list.clone()));
            let by_cell = self
                .losses
                .entry(code)
                .or_insert_with(|| vec![Vec::new(); cells]);
            by_cell[cell].push(list);
        }
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
        let stride = self.state.metric.stride();
        let filled = |lists: &[List], code: u16| {
            lists
                .get(usize::from(code))
                .is_some_and(|list| !list.is_empty())
        };
        self.losses.contains_key(&step)
            || self
                .seeds
                .iter()
                .any(|seeds| filled(&seeds.wins, step) || filled(&seeds.losses, step + stride))
    }

    fn scan(&mut self) -> Result<(), Stopped> {
        let mut step = self.next(None, false);
        while let Some(now) = step {
            let part = Part {
                step: now,
                group: Group::All,
                seeds: true,
            };
            self.pass(&Pass {
                cut: 0,
                parts: vec![part],
            })?;
            self.end_cycle(now);
            step = self.next_after_done(now);
        }
        Ok(())
    }

    fn root_split(&mut self) -> Result<(), Stopped> {
        let mut step = self.next(None, false);
        while let Some(now) = step {
            for (cut, group) in [(0, Group::Pieces), (1, Group::King)] {
                let part = Part {
                    step: now,
                    group,
                    seeds: cut == 0,
                };
                self.pass(&Pass {
                    cut,
                    parts: vec![part],
                })?;
            }
            self.end_cycle(now);
            step = self.next_after_done(now);
        }
        Ok(())
    }

    fn leapfrog(&mut self) -> Result<(), Stopped> {
        let (mut last, mut open) = (None, None);
        let mut cut = 0;
        loop {
            let running = open.is_some_and(|step| self.has_work(step));
            let next = self.next(last, running);
            let group = if cut == 0 { Group::Pieces } else { Group::King };
            // Each step meets each cut once; its conversions are put in where they are sorted.
            let part = |step| Part {
                step,
                group,
                seeds: cut == 0,
            };
            let parts: Vec<_> = open.into_iter().chain(next).map(part).collect();
            if parts.is_empty() {
                return Ok(());
            }
            self.pass(&Pass { cut, parts })?;
            if let Some(done) = open {
                self.end_cycle(done);
            }
            open = next;
            last = next.or(last);
            cut = 1 - cut;
        }
    }

    fn subcycles(&mut self) -> Result<(), Stopped> {
        let mut step = self.next(None, false);
        while let Some(now) = step {
            let fresh = self.attack(now)?;
            self.defend(now, &fresh)?;
            self.end_cycle(now);
            step = self.next_after_done(now);
        }
        Ok(())
    }

    /// As [`Solver::next`] when the step before is complete.
    fn next_after_done(&mut self, done: u16) -> Option<u16> {
        self.losses.remove(&done);
        self.next(Some(done), false)
    }

    fn end_cycle(&mut self, done: u16) {
        self.losses.retain(|&code, _| code > done);
        let positions = self.state.frame.words as u64 * 64;
        self.levels.traffic.cycles += 1;
        self.levels.traffic.positions += positions;
    }

    fn pass(&mut self, pass: &Pass) -> Result<(), Stopped> {
        let chunks = self.busy(pass);
        let visits = {
            let solver = &*self;
            let largest = chunks.iter().map(|&c| solver.cuts[pass.cut].len(c)).max();
            let bench = || Bench::new(largest.unwrap_or(0));
            in_parallel(&chunks, self.run, bench, |bench, &number| {
                solver.visit(pass, number, bench)
            })?
        };
        self.levels.traffic.passes += 1;
        for visit in visits {
            self.keep(visit);
        }
        Ok(())
    }

    fn keep(&mut self, visit: Visit) {
        self.levels.wins.extend(visit.wins);
        self.levels.traffic.merge(&visit.traffic);
        self.keep_losses(visit.losses);
    }

    /// The chunks of a pass that have anything to do.
    fn busy(&self, pass: &Pass) -> Vec<usize> {
        let stride = self.state.metric.stride();
        let all = 0..self.cuts[pass.cut].chunks;
        let busy = |&chunk: &usize| {
            pass.parts.iter().any(|part| {
                let seeds = || {
                    let filled = |lists: &[List], code: u16| {
                        lists
                            .get(usize::from(code))
                            .is_some_and(|list| !list.is_empty())
                    };
                    filled(&self.seeds[chunk].wins, part.step)
                        || filled(&self.seeds[chunk].losses, part.step + stride)
                };
                self.lists(part.step, pass.cut, chunk).next().is_some() || part.seeds && seeds()
            })
        };
        all.filter(busy).collect()
    }

    /// The losses of a code in a chunk of a cut.
    fn lists(&self, code: u16, cut: usize, chunk: usize) -> impl Iterator<Item = &Arc<List>> {
        let columns = self.cuts[1].chunks;
        let cells = self.losses.get(&code).into_iter().flatten().enumerate();
        cells
            .filter(move |(cell, _)| [cell / columns, cell % columns][cut] == chunk)
            .flat_map(|(_, lists)| lists)
    }

    fn visit(&self, pass: &Pass, number: usize, bench: &mut Bench) -> Visit {
        let cut = &self.cuts[pass.cut];
        let chunk = Chunk { cut, number };
        let stride = self.state.metric.stride();
        let mut visit = Visit::default();
        for part in &pass.parts {
            let own: Vec<_> = visit
                .losses
                .iter()
                .filter(|(code, ..)| *code == part.step)
                .map(|(.., list)| list.clone())
                .collect();
            for list in self.lists(part.step, pass.cut, number).chain(&own) {
                visit.traffic.sparse += list.bytes() * 8;
                self.state.expand(chunk, list, part.group, &mut bench.wins);
            }
            let seeds = part.seeds.then(|| &self.seeds[number]);
            if let Some(list) = seeds.and_then(|s| s.wins.get(usize::from(part.step))) {
                self.state.mark(chunk, list, &mut bench.wins);
            }
            let code = part.step + stride;
            let losses = seeds.and_then(|s| s.losses.get(usize::from(code)));
            let mut cells = Cells::new(&self.cuts);
            let mut wins = List::default();
            self.state.answer(
                chunk,
                bench,
                losses,
                code,
                |word, set| wins.push(word as u32, set),
                |word, set| cells.push(word, set),
            );
            if !wins.is_empty() {
                visit.wins.push((part.step, Arc::new(wins.pack())));
            }
            for (cell, list) in cells.lists() {
                visit.traffic.sparse += list.bytes() * 8;
                visit.losses.push((code, cell, list));
            }
        }
        let dense = cut.len(number) as u64 * 64;
        visit.traffic.loaded += dense;
        visit.traffic.stored += dense;
        visit
    }

    /// The attacker's pass of a cycle: all his moves, over chunks in which the defender's king stays; the new wins.
    fn attack(&mut self, step: u16) -> Result<Vec<Vec<Arc<List>>>, Stopped> {
        let cut = &self.cuts[1];
        let chunks: Vec<_> = (0..cut.chunks)
            .filter(|&chunk| self.lists(step, 1, chunk).next().is_some())
            .collect();
        let visits = {
            let solver = &*self;
            let largest = chunks.iter().map(|&c| cut.len(c)).max().unwrap_or(0);
            in_parallel(
                &chunks,
                self.run,
                || Bench::new(largest),
                |bench, &number| {
                    let chunk = Chunk { cut, number };
                    let mut visit = Visit::default();
                    for list in solver.lists(step, 1, number) {
                        visit.traffic.sparse += list.bytes() * 8;
                        solver
                            .state
                            .expand(chunk, list, Group::All, &mut bench.wins);
                    }
                    let mut cells = Cells::new(&solver.cuts);
                    bench
                        .wins
                        .drain(|local, set| cells.push(cut.word(number, local), set));
                    visit.fresh = cells.lists().collect();
                    let fresh = visit.fresh.iter().map(|(_, list)| list.bytes() * 8);
                    visit.traffic.sparse += fresh.sum::<u64>();
                    let dense = cut.len(number) as u64 * 64;
                    visit.traffic.loaded += dense;
                    visit.traffic.stored += dense;
                    visit
                },
            )?
        };
        self.levels.traffic.passes += 1;
        let mut fresh = vec![Vec::new(); self.cuts[0].chunks];
        for visit in visits {
            self.levels.traffic.merge(&visit.traffic);
            for (cell, list) in visit.fresh {
                self.levels.wins.push((step, list.clone()));
                fresh[cell / self.cuts[1].chunks].push(list);
            }
        }
        Ok(fresh)
    }

    /// The defender's pass of a cycle, over chunks in which the attacker's king stays.
    fn defend(&mut self, step: u16, fresh: &[Vec<Arc<List>>]) -> Result<(), Stopped> {
        let code = step + self.state.metric.stride();
        let cut = &self.cuts[0];
        let chunks: Vec<_> = (0..cut.chunks)
            .filter(|&chunk| {
                let seeds = &self.seeds[chunk];
                !fresh[chunk].is_empty()
                    || seeds
                        .wins
                        .get(usize::from(step))
                        .is_some_and(|l| !l.is_empty())
                    || seeds
                        .losses
                        .get(usize::from(code))
                        .is_some_and(|l| !l.is_empty())
            })
            .collect();
        let visits = {
            let solver = &*self;
            let largest = chunks.iter().map(|&c| cut.len(c)).max().unwrap_or(0);
            in_parallel(
                &chunks,
                self.run,
                || Bench::new(largest),
                |bench, &number| {
                    let chunk = Chunk { cut, number };
                    let mut visit = Visit::default();
                    let seeds = &solver.seeds[number];
                    let mut marked = List::default();
                    if let Some(list) = seeds.wins.get(usize::from(step)) {
                        solver.state.mark(chunk, list, &mut bench.wins);
                        bench
                            .wins
                            .drain(|local, set| marked.push(cut.word(number, local) as u32, set));
                    }
                    for list in fresh[number].iter().map(|list| &**list).chain([&marked]) {
                        visit.traffic.sparse += list.bytes() * 8;
                        for (word, set) in list.iter() {
                            bench.wins.add(cut.local(word as usize), set);
                        }
                    }
                    let mut cells = Cells::new(&solver.cuts);
                    let losses = seeds.losses.get(usize::from(code));
                    solver.state.answer(
                        chunk,
                        bench,
                        losses,
                        code,
                        |_, _| {},
                        |word, set| cells.push(word, set),
                    );
                    let dense = cut.len(number) as u64 * 64;
                    visit.traffic.loaded += dense;
                    if !marked.is_empty() {
                        visit.traffic.stored += dense;
                        visit.wins.push((step, Arc::new(marked.pack())));
                    }
                    for (cell, list) in cells.lists() {
                        visit.traffic.sparse += list.bytes() * 8;
                        visit.losses.push((code, cell, list));
                    }
                    visit
                },
            )?
        };
        self.levels.traffic.passes += 1;
        for visit in visits {
            self.keep(visit);
        }
        Ok(())
    }
}

/// Words sorted into the cells that a chunk of either cut is made of.
struct Cells<'a> {
    cuts: &'a [Cut; 2],
    lists: Vec<List>,
}

impl<'a> Cells<'a> {
    fn new(cuts: &'a [Cut; 2]) -> Self {
        let mut lists = Vec::new();
        lists.resize_with(cuts[0].chunks * cuts[1].chunks, List::default);
        Self { cuts, lists }
    }

    #[inline]
    fn push(&mut self, word: usize, set: u64) {
        let cell = self.cuts[0].chunk(word) * self.cuts[1].chunks + self.cuts[1].chunk(word);
        self.lists[cell].push(word as u32, set);
    }

    fn lists(self) -> impl Iterator<Item = (usize, Arc<List>)> {
        let lists = self.lists.into_iter().enumerate();
        lists
            .filter(|(_, list)| !list.is_empty())
            .map(|(cell, list)| (cell, Arc::new(list.pack())))
    }
}
