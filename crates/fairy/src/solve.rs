//! Retrograde analysis, ply by ply, of sets of positions that differ in the square of the last man.
//!
//! Wins of each side are found on their own. At every ply `p`:
//! 1. *losses*: of the positions that have a move into a win found at `p - 1`, those all of whose
//!    moves lead into wins;
//! 2. *wins*: the positions that have a move into a loss found at `p - 1`.
//!
//! Captures are evaluated beforehand, in the tables of the smaller endings: a position that wins by
//! one at a later ply, and one that cannot lose earlier than one, wait for that ply in the log.
//! Moves of men are taken back within a slice; those of royals, which lead to other slices,
//! are played forwards from each slice, so that every thread writes its own slices only.
//!
//! In memory are sets alone: what is not won, what may be lost, and what was found at the last ply
//! and at this one. What was found goes to the log, and the values are put together from it at the
//! end, one job after the other.

use std::collections::BTreeMap;
use std::sync::Arc;

use everymove_kernel::files::FileError;
use everymove_kernel::parallel;
use everymove_kernel::run::{Run, Stopped};

use crate::ending::{BareKing, Ending, MOST_MEN, Metric, Side, Stalemate};
use crate::error::FairyError;
use crate::index::{Images, Index};
use crate::log::{Kind, Log, Record, SetWriter};
use crate::moves::{Bits, Mover, Step};
use crate::table::{Blocks, ILLEGAL, LOSS, Numbers, PLIES, Table, WIN};

/// Solves an ending by the tables of the endings without each of its men.
///
/// # Errors
/// [`FairyError::OverBudget`] before the work starts, [`FairyError::Stopped`], [`FairyError::File`]
/// of the log.
pub(crate) fn solve<'a>(
    ending: &'a Ending,
    smaller: &'a [Arc<Table>],
    log: Log,
    run: &Run,
) -> Result<Box<dyn Blocks + 'a>, FairyError> {
    Ok(match ending.board.len().div_ceil(64) {
        1 => Box::new(Solver::<1>::solve(ending, smaller, log, run)?),
        2 => Box::new(Solver::<2>::solve(ending, smaller, log, run)?),
        3 => Box::new(Solver::<3>::solve(ending, smaller, log, run)?),
        _ => Box::new(Solver::<4>::solve(ending, smaller, log, run)?),
    })
}

/// Records of a job: two for each ply, and those that wait for one.
const RECORDS: usize = 400;

/// Bytes of memory that solving an ending takes, with a log in a file.
pub(crate) fn bytes(ending: &Ending, index: &Index, threads: usize) -> u64 {
    let set = 8 * ending.board.len().div_ceil(64) as u64;
    let job = (index.per_job * index.boards()) as u64;
    let positions = (index.per_job * index.slice_len()) as u64;
    // What is not won, what may be lost, and four of what was found at the last ply and at this
    // one; of each thread a buffer, and the values of a job.
    let sets = 6 * index.slices.len() as u64 * index.boards() as u64;
    let records = (RECORDS * index.jobs() * size_of::<Record>()) as u64;
    set * (sets + job * threads as u64) + 8 * positions * threads as u64 + records
}

/// Sets of positions, and which slices have any.
struct Found<const W: usize> {
    boards: Vec<Bits<W>>,
    is_active: Vec<bool>,
}

impl<const W: usize> Found<W> {
    fn none(index: &Index) -> Self {
        Self {
            boards: vec![Bits::EMPTY; index.slices.len() * index.boards()],
            is_active: vec![false; index.slices.len()],
        }
    }

    fn is_empty(&self) -> bool {
        !self.is_active.contains(&true)
    }
}

/// The squares of the royals and of all men but the last.
struct Place<const W: usize> {
    slice: usize,
    board: usize,
    royals: [usize; 2],
    men: [u8; MOST_MEN - 3],
    occupied: Bits<W>,
}

/// The boards of a slice.
struct Boards<const W: usize> {
    /// The squares of the men but the last.
    men: Vec<[u8; MOST_MEN - 3]>,
    /// The same as sets.
    occupied: Vec<Bits<W>>,
    /// The image of each board under each symmetry.
    images: Vec<Vec<u32>>,
}

impl<const W: usize> Boards<W> {
    fn new(index: &Index) -> Self {
        let fixed = index.men.saturating_sub(1);
        let men = (0..index.boards()).map(|board| {
            let mut squares = [0; MOST_MEN - 3];
            index.men_of_board(board, &mut squares[..fixed]);
            squares.map(|square| square as u8)
        });
        let men: Vec<_> = men.collect();
        let set = |men: &[u8; MOST_MEN - 3]| {
            let squares = men[..fixed].iter().map(|&square| usize::from(square));
            squares.fold(Bits::EMPTY, |all, square| all | Bits::one(square))
        };
        let images = index.symmetries.iter().map(|image| {
            let number = |at: u32, &square: &u8| {
                at * index.squares as u32 + u32::from(image[usize::from(square)])
            };
            men.iter()
                .map(|men| men[..fixed].iter().fold(0, number))
                .collect()
        });
        Self {
            occupied: men.iter().map(set).collect(),
            images: images.collect(),
            men,
        }
    }
}

struct Solver<'a, const W: usize> {
    ending: &'a Ending,
    smaller: &'a [Arc<Table>],
    index: Index,
    boards: Boards<W>,
    images: Images<W>,
    royals: [Mover<W>; 2],
    men: Vec<Mover<W>>,
    /// Men before the last.
    fixed: usize,
    /// The squares of the last man; of an ending of two royals, one bit that is no square.
    all: Bits<W>,
    log: Log,
    /// The codes that occur, ascending.
    known: Vec<u16>,
}

/// What changes while the wins of one side are found: of one job.
struct Part<'a, const W: usize> {
    job: usize,
    /// The positions that may still be decided.
    open: &'a mut [Bits<W>],
    found: &'a mut [Bits<W>],
    /// Of each slice, whether anything was found.
    is_active: &'a mut [bool],
}

impl<'a, const W: usize> Solver<'a, W> {
    fn solve(
        ending: &'a Ending,
        smaller: &'a [Arc<Table>],
        log: Log,
        run: &Run,
    ) -> Result<Self, FairyError> {
        let index = Index::new(ending);
        let what = format!("the table of {ending}");
        let _held = run
            .ram
            .reserve(&what, bytes(ending, &index, run.threads.get()))?;
        let moves = |side, piece: &everymove_kernel::pieces::Piece| match side {
            0 => Mover::new(piece, ending.board),
            _ => Mover::new(&piece.half_turn(), ending.board),
        };
        let men = ending.men.iter();
        let mut solver = Self {
            ending,
            smaller,
            boards: Boards::new(&index),
            images: Images::new(&index),
            royals: [0, 1].map(|side| moves(side, &ending.royals[side].piece)),
            men: men
                .map(|man| moves(man.side, &man.definition.piece))
                .collect(),
            fixed: index.men.saturating_sub(1),
            all: match index.men {
                0 => Bits::one(0),
                _ => Bits::first(index.squares),
            },
            index,
            log,
            known: Vec::new(),
        };
        // Threads cost more than they save on little work.
        let alone = run.with_threads(1);
        let run = if solver.index.len() < 1 << 16 {
            &alone
        } else {
            run
        };
        if solver
            .log
            .records(|record| record.kind == Kind::End)
            .is_empty()
        {
            solver.start(run)?;
            solver.log.append(Kind::End, 0, 0, 0, Vec::new())?;
        }
        if ending.bare_side().is_none() {
            solver.wins_of(0, run)?;
            solver.wins_of(1, run)?;
        }
        let decided = solver.log.records(|record| code(record).is_some());
        solver.known = decided.iter().filter_map(code).collect();
        solver.known.extend([0, ILLEGAL]);
        solver.known.sort_unstable();
        solver.known.dedup();
        Ok(solver)
    }

    fn place(&self, slice: usize, board: usize) -> Place<W> {
        let royals = self.index.slices[slice].map(usize::from);
        let occupied = Bits::one(royals[0]) | Bits::one(royals[1]) | self.boards.occupied[board];
        let men = self.boards.men[board];
        Place {
            slice,
            board,
            royals,
            men,
            occupied,
        }
    }

    /// The square of a man before the last.
    #[inline]
    fn square(&self, place: &Place<W>, man: usize) -> usize {
        place.men[man].into()
    }

    /// The number of a board in which one man is on another square.
    #[inline]
    fn moved(&self, place: &Place<W>, man: usize, to: usize) -> usize {
        let stride = self.index.squares.pow((self.fixed - 1 - man) as u32);
        place.slice * self.index.boards() + place.board + to * stride
            - self.square(place, man) * stride
    }

    /// The squares of the last man with which a step is possible.
    #[inline]
    fn condition(&self, step: &Step<W>, occupied: Bits<W>) -> Bits<W> {
        match self.index.men {
            0 if step.is_possible(occupied) => self.all,
            0 => Bits::EMPTY,
            _ => step.with_last(occupied),
        }
    }

    /// What the step of a royal finds in a set: positions of the board before the step.
    #[inline]
    fn after_royal(
        &self,
        place: &Place<W>,
        side: Side,
        step: &Step<W>,
        boards: &[Bits<W>],
    ) -> Bits<W> {
        let mut royals = place.royals;
        royals[side] = step.square.into();
        let Some((slice, symmetry)) = self.index.slice(royals) else {
            return Bits::EMPTY;
        };
        let board = self.boards.images[symmetry][place.board] as usize;
        let found = boards[slice * self.index.boards() + board];
        if found.is_empty() {
            return found;
        }
        let found = match self.index.men {
            0 => found,
            _ => self.images.origins(symmetry, found),
        };
        found & self.condition(step, place.occupied)
    }

    /// The positions of a board in which a side to move cannot capture the other royal.
    fn legal_of(&self, place: &Place<W>, side: Side) -> Bits<W> {
        if place.occupied.count() as usize != 2 + self.fixed {
            return Bits::EMPTY;
        }
        let vacant = match self.index.men {
            0 => self.all,
            _ => self.all & !place.occupied,
        };
        vacant & !self.attacked(place, side)
    }

    /// The legal positions of a side to move.
    fn legal(&self, side: Side, run: &Run) -> Result<Vec<Bits<W>>, Stopped> {
        let boards = self.index.boards();
        let mut legal = vec![Bits::EMPTY; self.index.slices.len() * boards];
        let jobs = legal.chunks_mut(boards).enumerate();
        parallel::for_each(
            run,
            jobs,
            || (),
            |(), (slice, legal)| {
                for (board, legal) in legal.iter_mut().enumerate() {
                    *legal = self.legal_of(&self.place(slice, board), side);
                }
            },
        )?;
        Ok(legal)
    }

    /// The squares of the last man with which a side attacks the other royal.
    fn attacked(&self, place: &Place<W>, side: Side) -> Bits<W> {
        let target = place.royals[1 - side];
        let mut attacked = Bits::EMPTY;
        let mut attack = |mover: &Mover<W>, from: usize| {
            for step in &mover.capture.to[target] {
                if usize::from(step.square) == from {
                    attacked |= self.condition(step, place.occupied);
                }
            }
        };
        attack(&self.royals[side], place.royals[side]);
        for man in (0..self.fixed).filter(|&man| self.ending.men[man].side == side) {
            attack(&self.men[man], self.square(place, man));
        }
        if self.ending.men.last().is_some_and(|last| last.side == side) {
            let vacant = self.all & !place.occupied;
            attacked |= self.men[self.fixed].capture_origins(target, vacant, place.occupied);
        }
        attacked
    }

    /// Writes to the log what captures, mates and stalemates decide, and the positions that may
    /// still be lost.
    fn start(&self, run: &Run) -> Result<(), FairyError> {
        let legal = [self.legal(0, run)?, self.legal(1, run)?];
        for side in 0..2 {
            let captures = || Captures::new(self.index.squares);
            parallel::try_for_each(run, 0..self.index.jobs(), captures, |captures, job| {
                let mut sets: BTreeMap<(Kind, u16), SetWriter> = BTreeMap::new();
                let slices = self.index.slices_of_job(job);
                let boards = slices
                    .flat_map(|slice| (0..self.index.boards()).map(move |board| (slice, board)));
                for (at, (slice, board)) in boards.enumerate() {
                    let place = self.place(slice, board);
                    self.start_board(&place, side, &legal, captures, |kind, ply, squares| {
                        sets.entry((kind, ply)).or_default().add(at, squares);
                    });
                }
                for ((kind, ply), set) in sets {
                    self.log.append(kind, side, ply, job, set.finish())?;
                }
                Ok::<_, FairyError>(())
            })?;
        }
        Ok(())
    }

    fn start_board(
        &self,
        place: &Place<W>,
        side: Side,
        legal: &[Vec<Bits<W>>; 2],
        captures: &mut Captures<W>,
        mut add: impl FnMut(Kind, u16, Bits<W>),
    ) {
        let at = place.slice * self.index.boards() + place.board;
        let own = legal[side][at];
        if own.is_empty() {
            return;
        }
        captures.clear();
        self.captures(place, side, own, captures);
        let any = captures.winning | captures.losing | captures.saved;
        let stuck = own & !any;
        let none = self.trapped(place, side, &legal[1 - side], stuck);
        let (mate, stalemate) = (none & !legal[1 - side][at], none & legal[1 - side][at]);
        add(Kind::Lost, 0, mate);
        if let Some(bare) = self.ending.bare_side() {
            let shatranj = self.ending.rules.bare_king == BareKing::Shatranj;
            let is_saved = self.ending.men_of(1 - side) == 2 && shatranj;
            match bare == side {
                true if is_saved => add(Kind::Lost, 0, own & !mate & !any),
                true => add(Kind::Lost, 0, own & !mate),
                false => add(Kind::Won, 0, own & !mate),
            }
            return;
        }
        match self.ending.rules.stalemate {
            Stalemate::Draw => {}
            Stalemate::Win => add(Kind::Won, 0, stalemate),
            Stalemate::Loss => add(Kind::Lost, 0, stalemate),
        }
        for last in captures.winning.squares() {
            add(Kind::WinDue, captures.best[last], Bits::one(last));
        }
        let losing = captures.losing & !(captures.winning | captures.saved);
        for last in losing.squares() {
            add(Kind::LossDue, captures.worst[last], Bits::one(last));
        }
        add(
            Kind::Open,
            0,
            own & !(none | captures.winning | captures.saved | losing),
        );
    }

    /// Looks up all captures of a side.
    fn captures(&self, place: &Place<W>, side: Side, own: Bits<W>, found: &mut Captures<W>) {
        if self.index.men == 0 {
            return;
        }
        let last = self.fixed;
        let is_enemy = |man: usize| self.ending.men[man].side != side;
        // The men after a man was taken; the last is on `at` before.
        let mut take =
            |man: usize, royals: [usize; 2], moved: Option<(usize, usize)>, at: usize| {
                let mut men = [0; MOST_MEN];
                for (man, square) in men.iter_mut().zip(place.men) {
                    *man = square.into();
                }
                men[last] = at;
                if let Some((man, to)) = moved {
                    men[man] = to;
                }
                let rest = (0..=last).filter(|&other| other != man).map(|man| men[man]);
                let code = self.smaller[man].code(1 - side, royals, rest);
                found.add(at, code, self.ending.rules.metric);
            };
        let mut steps = |from: usize, mover: &Mover<W>, who: Option<usize>| {
            for step in &mover.capture.from[from] {
                let to = usize::from(step.square);
                let (mut royals, mut moved) = (place.royals, None);
                match who {
                    None => royals[side] = to,
                    Some(man) => moved = Some((man, to)),
                }
                let fixed =
                    (0..self.fixed).find(|&man| is_enemy(man) && self.square(place, man) == to);
                if let Some(man) = fixed {
                    let possible = self.condition(step, place.occupied) & own;
                    possible
                        .squares()
                        .for_each(|at| take(man, royals, moved, at));
                } else if is_enemy(last) && own.has(to) && step.is_possible(place.occupied) {
                    take(last, royals, moved, to);
                }
            }
        };
        steps(place.royals[side], &self.royals[side], None);
        for man in (0..self.fixed).filter(|&man| !is_enemy(man)) {
            steps(self.square(place, man), &self.men[man], Some(man));
        }
        if !is_enemy(last) {
            let vacant = self.all & !place.occupied;
            for man in (0..self.fixed).filter(|&man| is_enemy(man)) {
                let to = self.square(place, man);
                let origins = self.men[last].capture_origins(to, vacant, place.occupied) & own;
                let royals = place.royals;
                origins
                    .squares()
                    .for_each(|at| take(man, royals, Some((last, to)), at));
            }
        }
    }

    /// Those of some positions that have no quiet move into a set.
    fn trapped(
        &self,
        place: &Place<W>,
        side: Side,
        into: &[Bits<W>],
        mut left: Bits<W>,
    ) -> Bits<W> {
        let men = &self.ending.men;
        if men.last().is_some_and(|last| last.side == side) {
            let at = place.slice * self.index.boards() + place.board;
            let vacant = self.all & !place.occupied;
            left &= !self.men[self.fixed].quiet_origins(into[at], vacant, place.occupied);
        }
        for man in (0..self.fixed).filter(|&man| men[man].side == side) {
            for step in &self.men[man].quiet.from[self.square(place, man)] {
                if left.is_empty() {
                    return left;
                }
                let found = into[self.moved(place, man, step.square.into())];
                if !(found & left).is_empty() {
                    left &= !(found & self.condition(step, place.occupied));
                }
            }
        }
        for step in &self.royals[side].quiet.from[place.royals[side]] {
            if left.is_empty() {
                return left;
            }
            left &= !self.after_royal(place, side, step, into);
        }
        left
    }

    /// Adds the positions of a slice from which a quiet move of a side leads into a set; returns
    /// whether there may be any.
    fn reach(&self, slice: usize, side: Side, into: &Found<W>, out: &mut [Bits<W>]) -> bool {
        let boards = self.index.boards();
        let mut is_active = into.is_active[slice];
        if is_active {
            let first = slice * boards;
            for board in 0..boards {
                let found = into.boards[first + board];
                if found.is_empty() {
                    continue;
                }
                let place = self.place(slice, board);
                for man in (0..self.fixed).filter(|&man| self.ending.men[man].side == side) {
                    for step in &self.men[man].quiet.to[self.square(&place, man)] {
                        let at = self.moved(&place, man, step.square.into()) - first;
                        out[at] |= found & self.condition(step, place.occupied);
                    }
                }
                if self.ending.men.last().is_some_and(|last| last.side == side) {
                    let vacant = self.all & !place.occupied;
                    let last = &self.men[self.fixed];
                    out[board] |= last.quiet_origins(found, vacant, place.occupied);
                }
            }
        }
        let royals = self.index.slices[slice].map(usize::from);
        let steps = self.royals[side].quiet.from[royals[side]].iter();
        for step in steps {
            let mut moved = royals;
            moved[side] = step.square.into();
            let target = self.index.slice(moved);
            let Some((target, symmetry)) = target.filter(|(target, _)| into.is_active[*target])
            else {
                continue;
            };
            is_active = true;
            let found = &into.boards[target * boards..(target + 1) * boards];
            let images = &self.boards.images[symmetry];
            for ((board, out), &image) in out.iter_mut().enumerate().zip(images) {
                if !found[image as usize].is_empty() {
                    let place = self.place(slice, board);
                    *out |= self.after_royal(&place, side, step, &into.boards);
                }
            }
        }
        is_active
    }

    /// Calls `on` with the boards of a record, numbered among all, and the slice of each.
    fn each_board(
        &self,
        record: &Record,
        mut on: impl FnMut(usize, Bits<W>),
    ) -> Result<(), FileError> {
        let slices = self.index.slices_of_job(record.job as usize);
        let (first, boards) = (
            slices.start * self.index.boards(),
            slices.len() * self.index.boards(),
        );
        self.log.sets(record, boards, self.all, |board, set| {
            on(first + board, set)
        })
    }

    /// Finds all wins of a side, and the losses of the other, from where the log ends.
    fn wins_of(&self, attacker: Side, run: &Run) -> Result<(), FairyError> {
        let defender = 1 - attacker;
        let done = self
            .log
            .records(|record| record.kind == Kind::End && record.side() == attacker);
        let mut ply = done.last().map_or(0, |record| record.ply);
        let mut unwon = self.legal(attacker, run)?;
        let mut open = vec![Bits::EMPTY; unwon.len()];
        let none = || Found::none(&self.index);
        let ([mut won, mut new_won], [mut lost, mut new_lost]) =
            ([none(), none()], [none(), none()]);
        for record in self.log.records(|record| record.side() == defender) {
            match record.kind {
                Kind::LossDue if record.ply > ply => {}
                Kind::Open | Kind::LossDue => {
                    self.each_board(&record, |at, set| open[at] |= set)?;
                }
                _ => {}
            }
        }
        for record in self.log.records(|record| record.ply <= ply) {
            let (open, found) = match (record.kind, record.side() == attacker) {
                (Kind::Won, true) => (&mut unwon, &mut won),
                (Kind::Lost, false) => (&mut open, &mut lost),
                _ => continue,
            };
            let is_last = record.ply == ply;
            self.each_board(&record, |at, set| {
                open[at] &= !set;
                if is_last {
                    found.boards[at] |= set;
                    found.is_active[at / self.index.boards()] = true;
                }
            })?;
        }
        let due = self.log.records(|record| {
            (record.kind, record.side()) == (Kind::WinDue, attacker)
                || (record.kind, record.side()) == (Kind::LossDue, defender)
        });
        let last_due = due.iter().map(|record| record.ply).max().unwrap_or(0);
        let mut due_of_job = vec![Vec::new(); self.index.jobs()];
        for record in due {
            due_of_job[record.job as usize].push(record);
        }
        let due = |job: usize, kind, ply| {
            let of_job = due_of_job[job].iter();
            of_job.filter(move |record| (record.kind, record.ply) == (kind, ply))
        };
        while last_due > ply || !won.is_empty() || !lost.is_empty() {
            ply += 1;
            self.each_job(&mut open, &mut new_lost, run, |out, part| {
                let due = due(part.job, Kind::LossDue, ply);
                let trapped = |slice, board, candidates| {
                    self.trapped(&self.place(slice, board), defender, &unwon, candidates)
                };
                self.decide((Kind::Lost, defender), ply, &won, due, out, part, trapped)
            })?;
            self.each_job(&mut unwon, &mut new_won, run, |out, part| {
                let due = due(part.job, Kind::WinDue, ply);
                let all = |_, _, candidates| candidates;
                self.decide((Kind::Won, attacker), ply, &lost, due, out, part, all)
            })?;
            self.log.append(Kind::End, attacker, ply, 0, Vec::new())?;
            std::mem::swap(&mut won, &mut new_won);
            std::mem::swap(&mut lost, &mut new_lost);
        }
        Ok(())
    }

    /// Does some work for every job, with an empty set for each of its boards.
    fn each_job(
        &self,
        open: &mut [Bits<W>],
        found: &mut Found<W>,
        run: &Run,
        work: impl Fn(&mut [Bits<W>], Part<'_, W>) -> Result<(), FileError> + Sync,
    ) -> Result<(), FairyError> {
        let boards = self.index.per_job * self.index.boards();
        let jobs = (open.chunks_mut(boards))
            .zip(found.boards.chunks_mut(boards))
            .zip(found.is_active.chunks_mut(self.index.per_job))
            .enumerate();
        let buffer = || vec![Bits::EMPTY; boards];
        parallel::try_for_each(
            run,
            jobs,
            buffer,
            |buffer, (job, ((open, found), is_active))| {
                if is_active.contains(&true) {
                    found.fill(Bits::EMPTY);
                    is_active.fill(false);
                }
                let buffer = &mut buffer[..open.len()];
                work(
                    buffer,
                    Part {
                        job,
                        open,
                        found,
                        is_active,
                    },
                )?;
                Ok::<_, FairyError>(())
            },
        )?;
        Ok(())
    }

    /// Decides positions of a job that lead to those decided last, or are due: of the open ones of
    /// a board, those that `decided` leaves.
    #[expect(clippy::too_many_arguments, reason = "the state of one ply")]
    fn decide<'r>(
        &self,
        (kind, side): (Kind, Side),
        ply: u16,
        last: &Found<W>,
        due: impl Iterator<Item = &'r Record>,
        out: &mut [Bits<W>],
        part: Part<'_, W>,
        decided: impl Fn(usize, usize, Bits<W>) -> Bits<W>,
    ) -> Result<(), FileError> {
        let mut is_due = false;
        for record in due {
            is_due = true;
            self.log.sets(record, out.len(), self.all, |board, set| {
                if kind == Kind::Lost {
                    part.open[board] |= set;
                }
                out[board] |= set;
            })?;
        }
        let mut sets = SetWriter::default();
        let boards = self.index.boards();
        for (i, slice) in self.index.slices_of_job(part.job).enumerate() {
            let first = i * boards;
            let out = &mut out[first..first + boards];
            if !self.reach(slice, side, last, out) && !is_due {
                continue;
            }
            for (board, out) in out.iter_mut().enumerate() {
                let open = &mut part.open[first + board];
                let candidates = std::mem::replace(out, Bits::EMPTY) & *open;
                if candidates.is_empty() {
                    continue;
                }
                let found = decided(slice, board, candidates);
                if !found.is_empty() {
                    *open &= !found;
                    part.found[first + board] = found;
                    part.is_active[i] = true;
                    sets.add(first + board, found);
                }
            }
        }
        self.log.append(kind, side, ply, part.job, sets.finish())
    }
}

/// The code of the positions of a record that decides some.
fn code(record: &Record) -> Option<u16> {
    match record.kind {
        Kind::Won => Some(WIN | record.ply),
        Kind::Lost => Some(LOSS | record.ply),
        _ => None,
    }
}

impl<const W: usize> Blocks for Solver<'_, W> {
    fn ending(&self) -> &Ending {
        self.ending
    }

    fn index(&self) -> &Index {
        &self.index
    }

    fn known(&self) -> &[u16] {
        &self.known
    }

    fn block(&self, job: usize) -> Result<Vec<u8>, FairyError> {
        let slices = self.index.slices_of_job(job);
        let (boards, squares) = (
            self.index.boards(),
            self.index.slice_len() / self.index.boards(),
        );
        let of_side = slices.len() * self.index.slice_len();
        let number = |code: u16| self.known.binary_search(&code).expect("it occurs");
        let mut numbers = Numbers::new(2 * of_side, self.known.len(), number(ILLEGAL));
        let (draw, mut at) = (number(0), 0);
        for (slice, board) in slices.flat_map(|slice| (0..boards).map(move |board| (slice, board)))
        {
            let place = self.place(slice, board);
            for side in 0..2 {
                for last in self.legal_of(&place, side).squares() {
                    numbers.set(side * of_side + at + last, draw);
                }
            }
            at += squares;
        }
        let decided = self
            .log
            .records(|record| record.job as usize == job && code(record).is_some());
        for record in decided {
            let (first, number) = (record.side() * of_side, number(code(&record).unwrap_or(0)));
            self.log
                .sets(&record, of_side / squares, self.all, |board, set| {
                    for last in set.squares() {
                        numbers.set(first + board * squares + last, number);
                    }
                })?;
        }
        Ok(numbers.bytes)
    }
}

/// What the captures of a board lead to, by the square of the last man.
struct Captures<const W: usize> {
    winning: Bits<W>,
    losing: Bits<W>,
    saved: Bits<W>,
    /// Plies of the shortest win.
    best: Vec<u16>,
    /// Plies of the longest loss.
    worst: Vec<u16>,
}

impl<const W: usize> Captures<W> {
    fn new(squares: usize) -> Self {
        Self {
            winning: Bits::EMPTY,
            losing: Bits::EMPTY,
            saved: Bits::EMPTY,
            best: vec![0; squares],
            worst: vec![0; squares],
        }
    }

    fn clear(&mut self) {
        (self.winning, self.losing, self.saved) = (Bits::EMPTY, Bits::EMPTY, Bits::EMPTY);
    }

    /// Adds a capture with which the opponent comes to a position of this code.
    fn add(&mut self, last: usize, code: u16, metric: Metric) {
        let bit = Bits::one(last);
        let plies = match metric {
            Metric::Mate => (code & PLIES) + 1,
            Metric::Conversion => 1,
        };
        match code {
            ILLEGAL => {}
            0..WIN => self.saved |= bit,
            WIN..LOSS => {
                let known = if self.losing.has(last) {
                    self.worst[last]
                } else {
                    0
                };
                self.worst[last] = known.max(plies);
                self.losing |= bit;
            }
            LOSS.. => {
                let known = if self.winning.has(last) {
                    self.best[last]
                } else {
                    u16::MAX
                };
                self.best[last] = known.min(plies);
                self.winning |= bit;
            }
        }
    }
}
