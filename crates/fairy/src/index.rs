//! Indices of positions: the royals up to the symmetries of the ending, then the square of each
//! man.
//!
//! A *slice* has one pair of squares of the royals, the first of those that symmetries map to each
//! other. A *board* is a slice with the squares of all men but the last, a number in base `n`; the
//! squares of the last man are the bits of one set.

use std::ops::Range;

use everymove_kernel::grid::{Grid, Symmetry};

use crate::ending::Ending;
use crate::moves::{Bits, Mover};

/// A pair of squares that no legal position has.
const NO_SLICE: u32 = u32::MAX;

/// Positions of a job of many slices.
const JOB: usize = 1 << 17;

/// Jobs that there are, if they are not small, so that every thread has some.
const LEAST_JOBS: usize = 64;

/// Positions of a job that is not worth being made smaller.
const SMALL_JOB: usize = 1 << 14;

/// Where positions are.
#[derive(Clone, Debug)]
pub(crate) struct Index {
    /// Squares of the board.
    pub(crate) squares: usize,
    /// Men that are not royal.
    pub(crate) men: usize,
    /// The squares of the royals of each slice.
    pub(crate) slices: Vec<[u8; 2]>,
    /// How many pairs of squares are mapped to each slice.
    pub(crate) weights: Vec<u32>,
    /// The image of every square under each symmetry of the ending; the first is the identity.
    pub(crate) symmetries: Vec<Vec<u8>>,
    /// Slices of one job, and of one block of a file; the last may have fewer.
    pub(crate) per_job: usize,
    /// Of a pair of squares, the slice, and the symmetry that maps the pair to it.
    pairs: Vec<(u32, u8)>,
}

impl Index {
    /// The positions of an ending.
    pub(crate) fn new(ending: &Ending) -> Self {
        let board = ending.board;
        let n = board.len();
        let symmetries = symmetries(ending);
        // Royals that attack each other whatever else there is are legal for neither side.
        let movers: [Mover<4>; 2] = [
            Mover::new(&ending.royals[0].piece, board),
            Mover::new(&ending.royals[1].piece.half_turn(), board),
        ];
        let attacks = |mover: &Mover<4>, from: usize, to: usize| {
            let mut steps = mover.capture.from[from].iter();
            steps.any(|step| usize::from(step.square) == to && step.is_certain())
        };
        let mut index = Self {
            squares: n,
            men: ending.men.len(),
            slices: Vec::new(),
            weights: Vec::new(),
            symmetries,
            per_job: 1,
            pairs: vec![(NO_SLICE, 0); n * n],
        };
        for white in 0..n {
            for black in 0..n {
                let both = attacks(&movers[0], white, black) && attacks(&movers[1], black, white);
                if white == black || both || index.pairs[white * n + black].0 != NO_SLICE {
                    continue;
                }
                let slice = index.slices.len() as u32;
                index.slices.push([white as u8, black as u8]);
                let mut weight = 0;
                for (symmetry, image) in index.symmetries.iter().enumerate() {
                    // The symmetry maps the pair to the images; its inverse is what maps the images
                    // to the pair.
                    let at = image[white] as usize * n + image[black] as usize;
                    if index.pairs[at].0 == NO_SLICE {
                        weight += 1;
                        let inverse = index.inverse(symmetry);
                        index.pairs[at] = (slice, inverse as u8);
                    }
                }
                index.weights.push(weight);
            }
        }
        let most = index.slices.len().div_ceil(LEAST_JOBS);
        let most = most.max(SMALL_JOB / index.slice_len());
        index.per_job = (JOB / index.slice_len()).min(most).max(1);
        index
    }

    fn inverse(&self, symmetry: usize) -> usize {
        let image = &self.symmetries[symmetry];
        let undone =
            |other: &Vec<u8>| (0..self.squares).all(|s| other[image[s] as usize] as usize == s);
        let found = self.symmetries.iter().position(undone);
        found.expect("symmetries are a group")
    }

    /// The slice of a pair of squares of the royals, and the symmetry that maps the pair to that of
    /// the slice.
    #[inline]
    pub(crate) fn slice(&self, royals: [usize; 2]) -> Option<(usize, usize)> {
        let (slice, symmetry) = self.pairs[royals[0] * self.squares + royals[1]];
        (slice != NO_SLICE).then_some((slice as usize, symmetry as usize))
    }

    /// Boards of a slice.
    pub(crate) fn boards(&self) -> usize {
        self.squares.pow((self.men as u32).saturating_sub(1))
    }

    /// Positions of a slice.
    pub(crate) fn slice_len(&self) -> usize {
        self.squares.pow(self.men as u32)
    }

    /// The number of jobs.
    pub(crate) fn jobs(&self) -> usize {
        self.slices.len().div_ceil(self.per_job)
    }

    /// The slices of a job.
    pub(crate) fn slices_of_job(&self, job: usize) -> Range<usize> {
        let first = job * self.per_job;
        first..(first + self.per_job).min(self.slices.len())
    }

    /// Positions of one side to move.
    pub(crate) fn len(&self) -> usize {
        self.slices.len() * self.slice_len()
    }

    /// The job of a position, its number in the job, and the number of positions of that job; none
    /// if its royals attack each other.
    #[inline]
    pub(crate) fn position(
        &self,
        royals: [usize; 2],
        men: impl Iterator<Item = usize>,
    ) -> Option<(usize, usize, usize)> {
        let (slice, symmetry) = self.slice(royals)?;
        let job = slice / self.per_job;
        let slices = self.slices_of_job(job);
        let image = &self.symmetries[symmetry];
        let number = |at, square: usize| at * self.squares + image[square] as usize;
        Some((
            job,
            men.fold(slice - slices.start, number),
            slices.len() * self.slice_len(),
        ))
    }

    /// The squares of the men of a board, without the last.
    #[inline]
    pub(crate) fn men_of_board(&self, mut board: usize, men: &mut [usize]) {
        for man in men.iter_mut().rev() {
            *man = board % self.squares;
            board /= self.squares;
        }
    }
}

/// Sets of squares mapped by the inverse of each symmetry, a byte at a time.
pub(crate) struct Images<const W: usize>(Vec<Vec<Bits<W>>>);

impl<const W: usize> Images<W> {
    pub(crate) fn new(index: &Index) -> Self {
        let of = |image: &Vec<u8>| {
            let mut origin = vec![0; index.squares];
            for (square, &to) in image.iter().enumerate() {
                origin[to as usize] = square;
            }
            let bytes = index.squares.div_ceil(8);
            let of_byte = |at: usize| {
                let (byte, value) = (at / 256, at % 256);
                let squares = (0..8).filter(|bit| value >> bit & 1 != 0);
                let squares = squares.filter_map(|bit| origin.get(8 * byte + bit));
                squares.fold(Bits::EMPTY, |all, &square| all | Bits::one(square))
            };
            (0..256 * bytes).map(of_byte).collect()
        };
        Self(index.symmetries.iter().map(of).collect())
    }

    /// The squares that the symmetry maps to those of a set.
    #[inline]
    pub(crate) fn origins(&self, symmetry: usize, squares: Bits<W>) -> Bits<W> {
        if symmetry == 0 || squares.is_empty() {
            return squares;
        }
        let bytes = squares.0.iter().flat_map(|word| word.to_le_bytes());
        let tables = self.0[symmetry].chunks_exact(256);
        tables
            .zip(bytes)
            .fold(Bits::EMPTY, |all, (table, byte)| all | table[byte as usize])
    }
}

/// The symmetries of the board that map every definition of an ending to itself.
fn symmetries(ending: &Ending) -> Vec<Vec<u8>> {
    let board: Grid = ending.board;
    let royals = ending.royals.iter().map(|royal| &royal.piece);
    let pieces: Vec<_> = royals
        .chain(ending.men.iter().map(|man| &man.definition.piece))
        .collect();
    let kept = board.symmetries().iter().filter(|&&symmetry| {
        pieces
            .iter()
            .all(|piece| piece.is_kept_by(|dx, dy| turned(symmetry, dx, dy)))
    });
    let image = |&symmetry: &Symmetry| {
        let squares = 0..board.len();
        squares
            .map(|square| board.image(symmetry, square) as u8)
            .collect()
    };
    kept.map(image).collect()
}

/// What a symmetry of the board makes of a direction.
fn turned(symmetry: Symmetry, dx: i32, dy: i32) -> (i32, i32) {
    match symmetry {
        Symmetry::Identity => (dx, dy),
        Symmetry::HalfTurn => (-dx, -dy),
        Symmetry::FlipRows => (dx, -dy),
        Symmetry::FlipCols => (-dx, dy),
        Symmetry::Transpose => (dy, dx),
        Symmetry::AntiTranspose => (-dy, -dx),
        Symmetry::QuarterTurn => (-dy, dx),
        Symmetry::ThreeQuarterTurn => (dy, -dx),
    }
}
