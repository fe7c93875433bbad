//! Retrograde analysis, ply by ply, of sets of positions that differ in the square of the last man.
//!
//! Wins of each side are found on their own. At every ply `p`:
//! 1. *losses*: of the positions that have a move into a win found at `p - 1`, those all of whose moves lead into wins;
//! 2. *wins*: the positions that have a move into a loss found at `p - 1`.
//!
//! Captures are evaluated beforehand, in the tables of the smaller endings: a position that wins by one at a later ply, and one that cannot lose
//! earlier than one, wait for that ply in their code. Moves of men are taken back within a slice; those of royals, which lead to other slices,
//! are played forwards from each slice, so that every thread writes its own slices only.

use std::sync::Arc;

use everymove_kernel::parallel;
use everymove_kernel::run::{Run, Stopped};

use crate::ending::{BareKing, Ending, MOST_MEN, Metric, Side, Stalemate};
use crate::error::FairyError;
use crate::index::{Images, Index};
use crate::moves::{Bits, Mover, Step};
use crate::table::{ILLEGAL, LOSS, PLIES, Table, WIN};

/// No position waits for a ply.
const NEVER: u16 = u16::MAX;

/// The table of an ending from those of the endings without each of its men.
///
/// # Errors
/// [`FairyError::OverBudget`] before the work starts, [`FairyError::Stopped`].
pub(crate) fn solve(
    ending: &Ending,
    smaller: &[Arc<Table>],
    run: &Run,
) -> Result<Table, FairyError> {
    match ending.board.len().div_ceil(64) {
        1 => Solver::<1>::solve(ending, smaller, run),
        2 => Solver::<2>::solve(ending, smaller, run),
        3 => Solver::<3>::solve(ending, smaller, run),
        _ => Solver::<4>::solve(ending, smaller, run),
    }
}

/// Bytes of memory that the table of an ending takes, and those that solving it takes beside.
pub(crate) fn bytes(ending: &Ending, index: &Index) -> (u64, u64) {
    let words = ending.board.len().div_ceil(64) as u64;
    let boards = (index.slices.len() * index.boards()) as u64;
    // Two sets of legal positions, two of those that may lose, and four of what was found at the last ply and at this one.
    (4 * index.len() as u64, 8 * 8 * words * boards)
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
    /// Slices of one job.
    per_job: usize,
}

/// What changes while the wins of one side are found: of one job.
struct Part<'a, const W: usize> {
    /// The positions that may still be decided.
    open: &'a mut [Bits<W>],
    codes: &'a mut [u16],
    /// The next ply for which a code waits, of each slice.
    due: &'a mut [u16],
    found: &'a mut [Bits<W>],
    is_active: &'a mut [bool],
}

impl<'a, const W: usize> Solver<'a, W> {
    fn solve(
        ending: &'a Ending,
        smaller: &'a [Arc<Table>],
        run: &Run,
    ) -> Result<Table, FairyError> {
        let index = Index::new(ending);
        let (kept, beside) = bytes(ending, &index);
        let what = format!("the table of {ending}");
        let mut held = run.ram.reserve(&what, kept + beside)?;
        let moves = |side, piece: &everymove_kernel::pieces::Piece| match side {
            0 => Mover::new(piece, ending.board),
            _ => Mover::new(&piece.half_turn(), ending.board),
        };
        let men = ending.men.iter();
        let solver = Self {
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
            per_job: index.slices.len().div_ceil(64 * run.threads.get()).max(1),
            index,
        };
        // Threads cost more than they save on little work.
        let alone = run.with_threads(1);
        let run = if solver.index.len() < 1 << 16 {
            &alone
        } else {
            run
        };
        let legal = solver.legal(run)?;
        let mut codes = [0, 1].map(|_| vec![ILLEGAL; solver.index.len()]);
        let mut open = solver.start(&legal, &mut codes, run)?;
        if ending.bare_side().is_none() {
            for (attacker, mut unwon) in legal.into_iter().enumerate() {
                let may_lose = &mut open[1 - attacker];
                solver.wins_of(attacker, &mut unwon, may_lose, &mut codes, run)?;
            }
        }
        for code in codes.iter_mut().flatten().filter(|code| **code < WIN) {
            *code = 0;
        }
        held.resize(&what, kept)?;
        Ok(Table {
            ending: ending.clone(),
            index: solver.index,
            codes,
            _held: held,
        })
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

    /// The legal positions of each side to move: those in which it cannot capture the other royal.
    fn legal(&self, run: &Run) -> Result<[Vec<Bits<W>>; 2], Stopped> {
        let boards = self.index.boards();
        let mut legal = [0, 1].map(|_| vec![Bits::EMPTY; self.index.slices.len() * boards]);
        let [white, black] = &mut legal;
        let chunk = self.per_job * boards;
        let jobs = white
            .chunks_mut(chunk)
            .zip(black.chunks_mut(chunk))
            .enumerate();
        parallel::for_each(
            run,
            jobs,
            || (),
            |(), (job, (white, black))| {
                for (at, legal) in white.iter_mut().zip(black).enumerate() {
                    let place = self.place(job * self.per_job + at / boards, at % boards);
                    if place.occupied.count() as usize == 2 + self.fixed {
                        let vacant = match self.index.men {
                            0 => self.all,
                            _ => self.all & !place.occupied,
                        };
                        *legal.0 = vacant & !self.attacked(&place, 0);
                        *legal.1 = vacant & !self.attacked(&place, 1);
                    }
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

    /// Codes of what captures, mates and stalemates decide; returns the positions of each side to move that may still lose.
    fn start(
        &self,
        legal: &[Vec<Bits<W>>; 2],
        codes: &mut [Vec<u16>; 2],
        run: &Run,
    ) -> Result<[Vec<Bits<W>>; 2], Stopped> {
        let (boards, positions) = (self.index.boards(), self.index.slice_len());
        let mut open = [0, 1].map(|_| vec![Bits::EMPTY; self.index.slices.len() * boards]);
        for side in 0..2 {
            let codes = codes[side].chunks_mut(self.per_job * positions);
            let jobs = open[side]
                .chunks_mut(self.per_job * boards)
                .zip(codes)
                .enumerate();
            let captures = || Captures::new(self.index.squares);
            parallel::for_each(run, jobs, captures, |captures, (job, (open, codes))| {
                for (at, open) in open.iter_mut().enumerate() {
                    let place = self.place(job * self.per_job + at / boards, at % boards);
                    let first = (at / boards) * positions + place.board * self.index.squares;
                    *open = self.start_board(&place, side, legal, captures, &mut codes[first..]);
                }
            })?;
        }
        Ok(open)
    }

    fn start_board(
        &self,
        place: &Place<W>,
        side: Side,
        legal: &[Vec<Bits<W>>; 2],
        captures: &mut Captures<W>,
        codes: &mut [u16],
    ) -> Bits<W> {
        let at = place.slice * self.index.boards() + place.board;
        let own = legal[side][at];
        if own.is_empty() {
            return own;
        }
        captures.clear();
        self.captures(place, side, own, captures);
        let any = captures.winning | captures.losing | captures.saved;
        let stuck = own & !any;
        let none = self.trapped(place, side, &legal[1 - side], stuck);
        let (mate, stalemate) = (none & !legal[1 - side][at], none & legal[1 - side][at]);
        let shatranj = self.ending.rules.bare_king == BareKing::Shatranj;
        let can_bare = match self.ending.men_of(1 - side) == 2 && shatranj {
            true => any,
            false => Bits::EMPTY,
        };
        let bare = self.ending.bare_side();
        for last in own.squares() {
            codes[last] = if mate.has(last) {
                LOSS
            } else if let Some(bare) = bare {
                match (bare == side, can_bare.has(last)) {
                    (true, true) => 0,
                    (true, false) => LOSS,
                    (false, _) => WIN,
                }
            } else if stalemate.has(last) {
                match self.ending.rules.stalemate {
                    Stalemate::Draw => 0,
                    Stalemate::Win => WIN,
                    Stalemate::Loss => LOSS,
                }
            } else if captures.winning.has(last) {
                WIN | captures.best[last]
            } else if captures.losing.has(last) && !captures.saved.has(last) {
                captures.worst[last]
            } else {
                0
            };
        }
        own & !(none | captures.winning | captures.saved)
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

    /// Adds the positions of a slice from which a quiet move of a side leads into a set; returns whether there may be any.
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

    /// Finds all wins of a side, and the losses of the other.
    fn wins_of(
        &self,
        attacker: Side,
        unwon: &mut [Bits<W>],
        may_lose: &mut [Bits<W>],
        codes: &mut [Vec<u16>; 2],
        run: &Run,
    ) -> Result<(), Stopped> {
        let none = || Found::none(&self.index);
        let ([mut won, mut new_won], [mut lost, mut new_lost]) =
            ([none(), none()], [none(), none()]);
        let mut due = [0, 1].map(|_| vec![0; self.index.slices.len()]);
        let defender = 1 - attacker;
        let waits = |due: &[Vec<u16>; 2]| due.iter().flatten().any(|&ply| ply != NEVER);
        let mut ply = 0;
        while waits(&due) || !won.is_empty() || !lost.is_empty() {
            let [win_due, loss_due] = &mut due;
            let codes_of_defender = &mut codes[defender];
            self.each_slice(
                may_lose,
                codes_of_defender,
                loss_due,
                &mut new_lost,
                run,
                |out, slice, part| {
                    self.losses(slice, defender, ply, &won, unwon, out, part);
                },
            )?;
            let codes_of_attacker = &mut codes[attacker];
            self.each_slice(
                unwon,
                codes_of_attacker,
                win_due,
                &mut new_won,
                run,
                |out, slice, part| {
                    self.wins(slice, attacker, ply, &lost, out, part);
                },
            )?;
            std::mem::swap(&mut won, &mut new_won);
            std::mem::swap(&mut lost, &mut new_lost);
            ply += 1;
        }
        Ok(())
    }

    /// Does some work for every slice, with a buffer of its boards.
    fn each_slice(
        &self,
        open: &mut [Bits<W>],
        codes: &mut [u16],
        due: &mut [u16],
        found: &mut Found<W>,
        run: &Run,
        work: impl Fn(&mut [Bits<W>], usize, Part<'_, W>) + Sync,
    ) -> Result<(), Stopped> {
        let (boards, positions) = (self.index.boards(), self.index.slice_len());
        let jobs = (open.chunks_mut(self.per_job * boards))
            .zip(codes.chunks_mut(self.per_job * positions))
            .zip(due.chunks_mut(self.per_job))
            .zip(found.boards.chunks_mut(self.per_job * boards))
            .zip(found.is_active.chunks_mut(self.per_job))
            .enumerate();
        let buffer = || vec![Bits::EMPTY; boards];
        parallel::for_each(
            run,
            jobs,
            buffer,
            |buffer, (job, ((((open, codes), due), found), is_active))| {
                for i in 0..due.len() {
                    let (boards, positions) = (
                        i * boards..(i + 1) * boards,
                        i * positions..(i + 1) * positions,
                    );
                    let part = Part {
                        open: &mut open[boards.clone()],
                        codes: &mut codes[positions],
                        due: &mut due[i..=i],
                        found: &mut found[boards],
                        is_active: &mut is_active[i..=i],
                    };
                    if std::mem::take(&mut part.is_active[0]) {
                        part.found.fill(Bits::EMPTY);
                    }
                    work(buffer, job * self.per_job + i, part);
                }
            },
        )?;
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "the state of one ply")]
    fn losses(
        &self,
        slice: usize,
        side: Side,
        ply: u16,
        won: &Found<W>,
        unwon: &[Bits<W>],
        out: &mut [Bits<W>],
        part: Part<'_, W>,
    ) {
        if ply == 0 {
            // The side has lost by the rules.
            self.waiting(part.codes, LOSS, LOSS, |board, last| {
                part.found[board] |= last
            });
            part.is_active[0] = part.found.iter().any(|found| !found.is_empty());
            return;
        }
        let mut is_active = self.reach(slice, side, won, out);
        if part.due[0] <= ply {
            part.due[0] = self.waiting(part.codes, ply, WIN, |board, last| out[board] |= last);
            is_active = true;
        }
        if !is_active {
            return;
        }
        for (board, out) in out.iter_mut().enumerate() {
            let candidates = std::mem::replace(out, Bits::EMPTY) & part.open[board];
            if candidates.is_empty() {
                continue;
            }
            let place = self.place(slice, board);
            let trapped = self.trapped(&place, side, unwon, candidates);
            let first = board * self.index.squares;
            for last in trapped.squares() {
                let code = &mut part.codes[first + last];
                if *code <= ply {
                    *code = LOSS | ply;
                    part.found[board] |= Bits::one(last);
                    part.is_active[0] = true;
                }
            }
            part.open[board] &= !part.found[board];
        }
    }

    fn wins(
        &self,
        slice: usize,
        side: Side,
        ply: u16,
        lost: &Found<W>,
        out: &mut [Bits<W>],
        part: Part<'_, W>,
    ) {
        let mut is_active = self.reach(slice, side, lost, out);
        if part.due[0] <= ply {
            part.due[0] = self.waiting(part.codes, WIN | ply, LOSS, |board, last| {
                out[board] |= last
            });
            is_active = true;
        }
        if !is_active {
            return;
        }
        for (board, out) in out.iter_mut().enumerate() {
            let found = std::mem::replace(out, Bits::EMPTY) & part.open[board];
            if found.is_empty() {
                continue;
            }
            let first = board * self.index.squares;
            for last in found.squares() {
                part.codes[first + last] = WIN | ply;
            }
            part.found[board] = found;
            part.open[board] &= !found;
            part.is_active[0] = true;
        }
    }

    /// Reports the positions of a slice with a code; returns the ply of the next larger code below `end`.
    fn waiting(
        &self,
        codes: &[u16],
        code: u16,
        end: u16,
        mut on: impl FnMut(usize, Bits<W>),
    ) -> u16 {
        let mut next = NEVER;
        let n = self.index.squares;
        for (chunk, codes) in codes.chunks(64).enumerate() {
            let mut has = false;
            for &other in codes {
                has |= other == code;
                next = next.min(if other > code && other < end {
                    other
                } else {
                    NEVER
                });
            }
            if has {
                let equal = codes
                    .iter()
                    .enumerate()
                    .filter(|(_, other)| **other == code);
                for (i, _) in equal {
                    let at = 64 * chunk + i;
                    on(at / n, Bits::one(at % n));
                }
            }
        }
        match next {
            NEVER => NEVER,
            code => code & PLIES,
        }
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
