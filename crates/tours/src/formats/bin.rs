//! Tours as checked bytes, four a square.
//!
//! All numbers are little-endian; `h` is the number of holes. A file is a list of records, one for
//! each tour:
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 8 | `89 45 4D 54 0D 0A 1A 0A`: not valid text; a transfer that converts line ends damages it visibly |
//! | 8 | 2 | version, 2, or 3 of a sum of leapers |
//! | 10 | 1 | 0 an open tour, 1 a closed one |
//! | 11 | 1 | `m`, the number of leapers that the piece is the sum of, less one |
//! | 12 | 4 | rows |
//! | 16 | 4 | columns |
//! | 20 | 4 | the shorter leg of the first leaper |
//! | 24 | 4 | its longer leg |
//! | 28 | 4 | `h` |
//! | 32 | 8 `m` | the legs of the other leapers; all leapers in ascending order |
//! | 32+8m | 4 `h` | the holes as squares (`row * columns + column`, a1 is 0), ascending |
//! | 32+8m+4h | 8 | XXH3-64 of the step numbers as written below |
//! | 40+8m+4h | 8 | XXH3-64 of all bytes above |
//! | 48+8m+4h | 4 rows columns | the step number of each square from 0, row by row from the bottom; `FF FF FF FF` for a hole |
//!
//! and the end of the list, so that a list cut off between two records is recognised:
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 8 | as above |
//! | 8 | 2 | version, 2 |
//! | 10 | 1 | 255 |
//! | 11 | 5 | 0 |
//! | 16 | 8 | number of records since the beginning or the last such end |
//! | 24 | 8 | XXH3-64 of all bytes above |
//!
//! Lists may follow each other in one file.

use std::io::{self, Read, Write};

use everymove_kernel::grid::{Grid, GridError};
use everymove_kernel::run::{OverBudget, Ram};
use thiserror::Error;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::board::{Board, BoardError, Kind, Leaper};
use crate::tour::Tour;

pub(super) const MAGIC: [u8; 8] = *b"\x89EMT\r\n\x1a\n";
const VERSION: u16 = 2;
/// The version of tours of a sum of leapers.
const VERSION_OF_SUMS: u16 = 3;
/// The kind of the record that ends a list.
const END: u8 = 255;
/// Step numbers that go through the buffer at a time.
const CHUNK: usize = 1 << 16;

/// What is wrong with the bytes of a tour.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BinError {
    /// They end too early.
    #[error("the file ends too early, in {0}")]
    Truncated(&'static str),
    /// The list ends without its last record.
    #[error("the list is cut off after {0} tours")]
    Unended(u64),
    /// The list has another number of records than its end says.
    #[error("the list has {found} tours, but its end says {expected}")]
    WrongNumber {
        /// Records that were read.
        found: u64,
        /// The number in the end of the list.
        expected: u64,
    },
    /// They begin with other bytes.
    #[error("it does not begin like a binary tour")]
    NotATour,
    /// Written by another program.
    #[error("it has version {0}, and this program reads versions {VERSION} and {VERSION_OF_SUMS}")]
    Version(u16),
    /// A checksum does not match.
    #[error("the checksum of the {0} does not match: the bytes are damaged")]
    Checksum(&'static str),
    /// A field with a value it cannot have.
    #[error("the {0} cannot be {1}")]
    Field(&'static str, u64),
    /// An impossible board.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// It does not fit the memory budget.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The source failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl From<GridError> for BinError {
    fn from(error: GridError) -> Self {
        Self::Board(error.into())
    }
}

/// Writes a tour in this format. After the last, [`write_end`] ends the list.
///
/// # Errors
/// When the output fails.
pub fn write(out: &mut impl Write, tour: &Tour) -> io::Result<()> {
    let board = tour.board();
    let grid = board.grid();
    let (&(short, long), more) = (board.leaper().legs().split_first()).expect("a leaper has legs");
    let mut header = Vec::with_capacity(48 + 8 * more.len() + 4 * board.holes().len());
    header.extend_from_slice(&MAGIC);
    let version = match more {
        [] => VERSION,
        _ => VERSION_OF_SUMS,
    };
    header.extend_from_slice(&version.to_le_bytes());
    header.extend_from_slice(&[u8::from(tour.kind() == Kind::Closed), more.len() as u8]);
    let numbers = [
        grid.rows() as u32,
        grid.cols() as u32,
        short,
        long,
        board.holes().len() as u32,
    ];
    let holes = board.holes().iter().map(|&hole| hole as u32);
    let more = more.iter().flat_map(|&(short, long)| [short, long]);
    for number in numbers.into_iter().chain(more).chain(holes) {
        header.extend_from_slice(&number.to_le_bytes());
    }
    let mut sum = Xxh3::new();
    in_bytes(tour.steps(), |bytes| {
        sum.update(bytes);
        Ok(())
    })?;
    header.extend_from_slice(&sum.digest().to_le_bytes());
    header.extend_from_slice(&xxh3_64(&header).to_le_bytes());
    out.write_all(&header)?;
    in_bytes(tour.steps(), |bytes| out.write_all(bytes))
}

/// Writes the end of a list of `tours` tours.
///
/// # Errors
/// When the output fails.
pub fn write_end(out: &mut impl Write, tours: u64) -> io::Result<()> {
    let mut end = Vec::with_capacity(FIXED);
    end.extend_from_slice(&MAGIC);
    end.extend_from_slice(&VERSION.to_le_bytes());
    end.extend_from_slice(&[END, 0, 0, 0, 0, 0]);
    end.extend_from_slice(&tours.to_le_bytes());
    end.extend_from_slice(&xxh3_64(&end).to_le_bytes());
    out.write_all(&end)
}

/// Bytes of a record before its holes, and of the end of a list.
const FIXED: usize = 32;

/// Reads lists of tours in this format.
#[derive(Debug)]
pub struct BinReader<R> {
    input: R,
    /// Records since the last end.
    unended: u64,
}

impl<R: Read> BinReader<R> {
    /// A reader of the bytes of `input`.
    pub fn new(input: R) -> Self {
        let unended = 0;
        Self { input, unended }
    }

    /// The next tour, or `None` at the end of the bytes. Whether the steps are a tour is for the
    /// verifier to decide.
    ///
    /// # Errors
    /// [`BinError`] when the bytes are not a sound record, or a list has no end.
    pub fn next(&mut self, ram: &Ram) -> Result<Option<Tour>, BinError> {
        loop {
            let mut fixed = [0u8; FIXED];
            match fill(&mut self.input, &mut fixed)? {
                0 if self.unended > 0 => return Err(BinError::Unended(self.unended)),
                0 => return Ok(None),
                got if got >= 8 && fixed[..8] != MAGIC => return Err(BinError::NotATour),
                FIXED => {}
                _ => return Err(BinError::Truncated("the header")),
            }
            let version = u16::from_le_bytes([fixed[8], fixed[9]]);
            if ![VERSION, VERSION_OF_SUMS].contains(&version) {
                return Err(BinError::Version(version));
            }
            if fixed[10] == END {
                self.end(&fixed)?;
            } else {
                self.unended += 1;
                return record(&fixed, &mut self.input, ram).map(Some);
            }
        }
    }

    /// Checks the end of a list.
    fn end(&mut self, fixed: &[u8; FIXED]) -> Result<(), BinError> {
        let number = |at: usize| u64::from_le_bytes(fixed[at..at + 8].try_into().expect("8 bytes"));
        if xxh3_64(&fixed[..24]) != number(24) {
            return Err(BinError::Checksum("end of the list"));
        }
        let (found, expected) = (std::mem::take(&mut self.unended), number(16));
        if found != expected {
            return Err(BinError::WrongNumber { found, expected });
        }
        Ok(())
    }
}

/// Reads a record after its fixed part.
fn record(fixed: &[u8; FIXED], input: &mut impl Read, ram: &Ram) -> Result<Tour, BinError> {
    let number =
        |at: usize| u32::from_le_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]]);
    let [rows, cols, short, long, hole_count] = [12, 16, 20, 24, 28].map(number);
    let grid = Grid::new(rows, cols)?;
    if hole_count as usize >= grid.len() {
        return Err(BinError::Field("number of holes", hole_count.into()));
    }
    ram.require(
        "reading the tour",
        4 * grid.len() as u64 + 12 * u64::from(hole_count),
    )?;
    let more = 2 * usize::from(fixed[11]);
    let lists = numbers(input, more + hole_count as usize, None)?;
    let lists = lists.ok_or(BinError::Truncated("the holes"))?;
    let mut sums = [0u8; 16];
    if fill(input, &mut sums)? < sums.len() {
        return Err(BinError::Truncated("the checksums"));
    }
    let (steps_sum, header_sum) = sums.split_at(8);
    let mut sum = Xxh3::new();
    sum.update(fixed);
    in_bytes(&lists, |bytes| {
        sum.update(bytes);
        Ok(())
    })?;
    sum.update(steps_sum);
    if sum.digest().to_le_bytes() != header_sum {
        return Err(BinError::Checksum("header"));
    }
    let kind = match fixed[10] {
        0 => Kind::Open,
        1 => Kind::Closed,
        other => return Err(BinError::Field("kind", other.into())),
    };
    let (more, holes) = lists.split_at(more);
    let (more, _) = more.as_chunks::<2>();
    let more = more.iter().map(|&[short, long]| (short, long));
    let leaper = Leaper::sum([(short, long)].into_iter().chain(more).collect())?;
    if let Some(&hole) = holes.iter().find(|&&hole| hole as usize >= grid.len()) {
        return Err(BinError::Field("hole", hole.into()));
    }
    let holes: Vec<usize> = holes.iter().map(|&hole| hole as usize).collect();
    let board = Board::new(grid, leaper).with_holes(&holes)?;
    let mut sum = Xxh3::new();
    let steps = numbers(input, grid.len(), Some(&mut sum))?;
    let steps = steps.ok_or(BinError::Truncated("the step numbers"))?;
    if sum.digest().to_le_bytes() != steps_sum {
        return Err(BinError::Checksum("step numbers"));
    }
    Ok(Tour::from_steps(board, kind, steps))
}

/// Hands numbers on as bytes, a chunk at a time.
fn in_bytes(numbers: &[u32], mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(4 * CHUNK.min(numbers.len()));
    for chunk in numbers.chunks(CHUNK) {
        bytes.clear();
        bytes.extend(chunk.iter().flat_map(|number| number.to_le_bytes()));
        take(&bytes)?;
    }
    Ok(())
}

/// Reads `count` numbers, `None` if the bytes end before. Memory grows with the bytes that are
/// read, so that a header that claims too many costs nothing.
fn numbers(
    input: &mut impl Read,
    count: usize,
    mut sum: Option<&mut Xxh3>,
) -> io::Result<Option<Vec<u32>>> {
    let mut numbers = Vec::new();
    let mut bytes = vec![0u8; 4 * CHUNK.min(count)];
    while numbers.len() < count {
        let want = 4 * CHUNK.min(count - numbers.len());
        if fill(input, &mut bytes[..want])? < want {
            return Ok(None);
        }
        if let Some(sum) = &mut sum {
            sum.update(&bytes[..want]);
        }
        if numbers.capacity() - numbers.len() < CHUNK {
            numbers.reserve_exact(numbers.len().max(CHUNK).min(count - numbers.len()));
        }
        let (quads, _) = bytes[..want].as_chunks::<4>();
        numbers.extend(quads.iter().map(|&quad| u32::from_le_bytes(quad)));
    }
    Ok(Some(numbers))
}

/// Reads until the buffer is full or the bytes end; how many came.
fn fill(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut got = 0;
    while got < buffer.len() {
        match input.read(&mut buffer[got..]) {
            Ok(0) => break,
            Ok(more) => got += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}
