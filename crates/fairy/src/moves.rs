//! Moves on a board, in one form: from a square to another, while all squares of `empty` are vacant
//! and, if there is a screen, exactly one of its squares is occupied. A move and its reverse have
//! the same condition, since it names neither of their two squares.
//!
//! Positions that differ in the square of one man, the last, are the bits of one [`Bits`]:
//! conditions are sets of its squares.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

use everymove_kernel::grid::Grid;
use everymove_kernel::pieces::{Atom, Kind, Piece};

/// A set of squares of a board of up to `64 * W`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bits<const W: usize>(pub(crate) [u64; W]);

impl<const W: usize> Bits<W> {
    pub(crate) const EMPTY: Self = Self([0; W]);

    pub(crate) fn one(square: usize) -> Self {
        let mut bits = Self::EMPTY;
        bits.0[square / 64] = 1 << (square % 64);
        bits
    }

    pub(crate) fn first(squares: usize) -> Self {
        (0..squares).fold(Self::EMPTY, |all, square| all | Self::one(square))
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    pub(crate) fn has(self, square: usize) -> bool {
        self.0[square / 64] >> (square % 64) & 1 != 0
    }

    pub(crate) fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    pub(crate) fn squares(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(i, mut word)| {
            std::iter::from_fn(move || {
                (word != 0).then(|| {
                    let bit = word.trailing_zeros() as usize;
                    word &= word - 1;
                    64 * i + bit
                })
            })
        })
    }

    /// Square `s` becomes square `s - by`; no square may leave the words.
    #[inline]
    fn lowered(self, by: i32) -> Self {
        let (words, bits) = ((by.unsigned_abs() / 64) as usize, by.unsigned_abs() % 64);
        let mut out = [0; W];
        for (i, out) in out.iter_mut().enumerate() {
            let word = |at: Option<usize>| at.and_then(|at| self.0.get(at)).copied().unwrap_or(0);
            *out = if by >= 0 {
                let high = word(Some(i + words + 1));
                word(Some(i + words)) >> bits | if bits == 0 { 0 } else { high << (64 - bits) }
            } else {
                let low = word(i.checked_sub(words + 1));
                word(i.checked_sub(words)) << bits | if bits == 0 { 0 } else { low >> (64 - bits) }
            };
        }
        Self(out)
    }
}

impl<const W: usize> BitAnd for Bits<W> {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }
}

impl<const W: usize> BitOr for Bits<W> {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }
}

impl<const W: usize> Not for Bits<W> {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self(self.0.map(|word| !word))
    }
}

impl<const W: usize> BitAndAssign for Bits<W> {
    #[inline]
    fn bitand_assign(&mut self, other: Self) {
        *self = *self & other;
    }
}

impl<const W: usize> BitOrAssign for Bits<W> {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

/// A move from or to a square that the list it is in names; this is the other one, with the
/// condition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<const W: usize> {
    pub(crate) square: u8,
    has_screen: bool,
    empty: Bits<W>,
    screen: Bits<W>,
}

impl<const W: usize> Step<W> {
    /// The squares of the last man with which the move is possible, where `fixed` are those of all
    /// others.
    #[inline]
    pub(crate) fn with_last(&self, fixed: Bits<W>) -> Bits<W> {
        if !(self.empty & fixed).is_empty() {
            return Bits::EMPTY;
        }
        if !self.has_screen {
            return !self.empty;
        }
        match (self.screen & fixed).count() {
            0 => self.screen & !self.empty,
            1 => !(self.screen | self.empty),
            _ => Bits::EMPTY,
        }
    }

    /// Whether the move is possible among the men on `occupied`.
    pub(crate) fn is_possible(&self, occupied: Bits<W>) -> bool {
        (self.empty & occupied).is_empty()
            && (!self.has_screen || (self.screen & occupied).count() == 1)
    }

    /// Whether the move is possible on any occupancy.
    pub(crate) fn is_certain(&self) -> bool {
        self.empty.is_empty() && !self.has_screen
    }
}

/// Moves by the square that they leave, and by the one that they reach.
#[derive(Debug)]
pub(crate) struct Steps<const W: usize> {
    pub(crate) from: Vec<Vec<Step<W>>>,
    pub(crate) to: Vec<Vec<Step<W>>>,
}

/// An atom for sets of squares at once.
#[derive(Debug)]
struct Ray<const W: usize> {
    atom: Atom,
    by: i32,
    /// The squares that a step reaches from the board.
    reached: Bits<W>,
    /// The same for the squares between, from the origin.
    legs: Vec<(i32, Bits<W>)>,
}

impl<const W: usize> Ray<W> {
    /// The origins of one step to each of some squares.
    #[inline]
    fn back(&self, squares: Bits<W>) -> Bits<W> {
        (squares & self.reached).lowered(self.by)
    }
}

/// All moves of a piece of one side on a board.
#[derive(Debug)]
pub(crate) struct Mover<const W: usize> {
    pub(crate) quiet: Steps<W>,
    pub(crate) capture: Steps<W>,
    rays: Vec<Ray<W>>,
}

impl<const W: usize> Mover<W> {
    /// The moves of a piece whose forward is up the board.
    pub(crate) fn new(piece: &Piece, board: Grid) -> Self {
        let lists = || Steps {
            from: vec![Vec::new(); board.len()],
            to: vec![Vec::new(); board.len()],
        };
        let (mut quiet, mut capture) = (lists(), lists());
        for from in 0..board.len() {
            for atom in piece.atoms() {
                steps(atom, from, board, |to, step| {
                    let kinds = [(atom.quiet, &mut quiet), (atom.capture, &mut capture)];
                    for (_, steps) in kinds.into_iter().filter(|(is_wanted, _)| *is_wanted) {
                        steps.from[from].push(step);
                        let square = from as u8;
                        steps.to[to].push(Step { square, ..step });
                    }
                });
            }
        }
        let reached = |dx: i32, dy: i32| {
            let origin = |&square: &usize| board.step(square, -i64::from(dy), -i64::from(dx));
            let squares = (0..board.len()).filter(|square| origin(square).is_some());
            squares.fold(Bits::EMPTY, |all, square| all | Bits::one(square))
        };
        let by = |dx, dy| dy * board.cols() as i32 + dx;
        let rays = piece.atoms().iter().map(|atom| Ray {
            atom: *atom,
            by: by(atom.dx, atom.dy),
            reached: reached(atom.dx, atom.dy),
            legs: (atom.legs().into_iter())
                .map(|(dx, dy)| (by(dx, dy), reached(dx, dy)))
                .collect(),
        });
        Self {
            quiet,
            capture,
            rays: rays.collect(),
        }
    }

    /// The squares from which a quiet move leads to one of `to`; `vacant` are the squares that no
    /// other man has, `occupied` those that one has.
    #[inline]
    pub(crate) fn quiet_origins(&self, to: Bits<W>, vacant: Bits<W>, occupied: Bits<W>) -> Bits<W> {
        let rays = self.rays.iter().filter(|ray| ray.atom.quiet);
        rays.fold(Bits::EMPTY, |all, ray| {
            all | origins(ray, to, vacant, occupied)
        })
    }

    /// The squares from which the man on `to` can be captured.
    pub(crate) fn capture_origins(&self, to: usize, vacant: Bits<W>, occupied: Bits<W>) -> Bits<W> {
        let rays = self.rays.iter().filter(|ray| ray.atom.capture);
        let to = Bits::one(to);
        rays.fold(Bits::EMPTY, |all, ray| {
            all | origins(ray, to, vacant, occupied)
        })
    }
}

/// The squares from which a move along a ray leads to one of `to`.
#[inline]
fn origins<const W: usize>(
    ray: &Ray<W>,
    to: Bits<W>,
    vacant: Bits<W>,
    occupied: Bits<W>,
) -> Bits<W> {
    let (mut at, mut found) = (to, Bits::EMPTY);
    match ray.atom.kind {
        Kind::Slide => {
            for _ in 0..ray.atom.range {
                at = ray.back(at) & vacant;
                if at.is_empty() {
                    break;
                }
                found |= at;
            }
        }
        Kind::Lame => {
            found = ray.back(to) & vacant;
            for &(by, reached) in &ray.legs {
                found &= !(occupied & reached).lowered(by);
            }
        }
        Kind::Cannon => {
            // `at`: nothing was jumped over yet; `over`: one man was, which may be here.
            let mut over = Bits::EMPTY;
            for _ in 0..ray.atom.range {
                let behind = ray.back(over) & vacant;
                found |= behind;
                let back = ray.back(at);
                over = behind | (back & occupied);
                at = back & vacant;
                if (at | over).is_empty() {
                    break;
                }
            }
        }
        Kind::Grasshopper => {
            at = ray.back(to) & occupied;
            for _ in 0..ray.atom.range {
                at = ray.back(at) & vacant;
                if at.is_empty() {
                    break;
                }
                found |= at;
            }
        }
    }
    found
}

/// The moves of an atom from a square, each with its target.
fn steps<const W: usize>(
    atom: &Atom,
    from: usize,
    board: Grid,
    mut on: impl FnMut(usize, Step<W>),
) {
    let go = |at, dx: i32, dy: i32| board.step(at, i64::from(dy), i64::from(dx));
    let line = std::iter::successors(go(from, atom.dx, atom.dy), |&at| go(at, atom.dx, atom.dy));
    let most = match atom.kind {
        Kind::Grasshopper => atom.range.saturating_add(1),
        _ => atom.range,
    };
    let (mut path, mut last) = (Bits::EMPTY, None);
    for (steps, to) in line.take(most as usize).enumerate() {
        let mut step = Step {
            square: to as u8,
            has_screen: false,
            empty: Bits::EMPTY,
            screen: Bits::EMPTY,
        };
        let is_move = match atom.kind {
            Kind::Slide => {
                step.empty = path;
                true
            }
            Kind::Lame => {
                let legs = atom
                    .legs()
                    .into_iter()
                    .filter_map(|(dx, dy)| go(from, dx, dy));
                step.empty = legs.fold(Bits::EMPTY, |all, leg| all | Bits::one(leg));
                true
            }
            Kind::Cannon => {
                (step.has_screen, step.screen) = (true, path);
                steps > 0
            }
            Kind::Grasshopper => {
                step.has_screen = true;
                if let Some(hurdle) = last {
                    step.screen = Bits::one(hurdle);
                    step.empty = path & !step.screen;
                }
                steps > 0
            }
        };
        if is_move {
            on(to, step);
        }
        path |= Bits::one(to);
        last = Some(to);
    }
}
