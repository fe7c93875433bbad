//! The one format of all files of this crate: layers, the numbers of their positions, winning sets.
//!
//! # Format, version 1
//! A file of checked blocks (see [`everymove_kernel::files`]) with the magic bytes `EMPEGPOS`.
//! Block 0, tag 0: lines of UTF-8 text, each `key value`:
//! ```text
//! content winning set                  or the name of the layer, such as reached-05
//! question english, vacate d4, finish d4, winning set
//! lattice square
//! board __ooo__/__ooo__/ooooooo/ooooooo/ooooooo/__ooo__/__ooo__
//! start __ooo__/__ooo__/ooooooo/ooo.ooo/ooooooo/__ooo__/__ooo__
//! finish ......                        one position, as start; or the word anywhere
//! tail __o_o__/...                     the tail holes, as pegs of a position
//! heads 0 8256                         the canonical heads in this file: from the first to before the second
//! positions 839536
//! notes 1 2 3                          numbers that belong to the content
//! ```
//! Then *rows* in blocks with tag 1, at most 2^18 bytes of them in each as a compressed payload:
//! words of bitmaps (u64), or a number for each position; all little-endian.
//!
//! The rows of a layer are the words of its bitmap. The place of a position in it: number the holes
//! along the rows from the top. The *tail* is its pegs on the tail holes, the *head* its pegs on
//! the others, both packed to numbers, lowest hole in the lowest bit. Under the symmetries in use,
//! the canonical head is the least image; where several symmetries lead there, the one is taken
//! that gives the tail the least rank. The *rank* of a tail is its place, in ascending order, among
//! those with as many pegs and the same parities on the board's invariant sets. Canonical heads
//! come in ascending order, each with as many places as there are such tails for the layer, rounded
//! up to a multiple of 64; the index is the number of places of earlier heads plus the rank.

use std::ops::Range;

use everymove_kernel::files::{
    BlockReader, BlockWriter, Draft, FileError, Format, Packer, Storage, Unpacker,
};
use everymove_kernel::run::Run;

use crate::board::Board;
use crate::error::PegError;
use crate::layers::Split;
use crate::position::Position;
use crate::problem::{Finish, Problem};

const FORMAT: Format = Format {
    magic: *b"EMPEGPOS",
    version: 1,
    what: "a file of peg positions",
};

/// Bytes of rows in a block.
const BLOCK: usize = 1 << 18;

/// The content of a file with all layers of a winning set; its notes are the positions of each.
pub(crate) const WINNING_SET: &str = "winning set";

/// What a row of a file is.
pub(crate) trait Row: Copy + Sync {
    /// Its bytes.
    const BYTES: usize;
    /// Appends them.
    fn put(self, bytes: &mut Vec<u8>);
    /// The row of these bytes.
    fn take(bytes: &[u8]) -> Self;
}

macro_rules! number_rows {
    ($($number:ty),*) => {$(
        impl Row for $number {
            const BYTES: usize = size_of::<$number>();

            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }

            fn take(bytes: &[u8]) -> Self {
                Self::from_le_bytes(bytes.try_into().unwrap_or_default())
            }
        }
    )*};
}
number_rows!(u64, u128);

/// What the files of a question have in common, as lines of their headers.
pub(crate) fn identity(problem: &Problem, subject: &str, split: &Split) -> String {
    let board = problem.board();
    let finish = match problem.finish() {
        Finish::Anywhere => "anywhere".to_owned(),
        Finish::At(hole) => board.line(Position::single(hole)),
        Finish::Exactly(target) => board.line(target),
    };
    format!(
        "question {problem}, {subject}\nlattice {}\nboard {}\nstart {}\nfinish {finish}\ntail {}\n",
        board.lattice(),
        board.line(board.full()),
        board.line(problem.start()),
        board.line(split.tail()),
    )
}

/// The problem and the tail holes of an [`identity`].
pub(crate) fn read_identity(text: &str) -> Option<(Problem, Position)> {
    let mut lines = text.lines().skip(1);
    let mut line = |key: &str| lines.next()?.strip_prefix(key)?.strip_prefix(' ');
    let lattice = line("lattice")?.parse().ok()?;
    let board = Board::parse(line("board")?, lattice).ok()?;
    let start = board.position(line("start")?).ok()?;
    let finish = match line("finish")? {
        "anywhere" => Finish::Anywhere,
        text => Finish::Exactly(board.position(text).ok()?),
    };
    let tail = match line("tail")? {
        // A board without a tail has no pegs to draw.
        none if !none.contains('o') => Position::EMPTY,
        tail => board.position(tail).ok()?,
    };
    Some((Problem::new(&board, start, finish).ok()?, tail))
}

/// The question of an [`identity`].
fn question(identity: &str) -> &str {
    let line = identity.lines().next().unwrap_or_default();
    line.strip_prefix("question ").unwrap_or(line)
}

/// What a file says of itself.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) content: String,
    /// See [`identity`].
    pub(crate) identity: String,
    pub(crate) heads: Range<usize>,
    pub(crate) positions: u64,
    pub(crate) notes: Vec<u64>,
}

impl Header {
    fn text(&self) -> String {
        let Range { start, end } = self.heads;
        let notes: Vec<String> = self.notes.iter().map(u64::to_string).collect();
        format!(
            "content {}\n{}heads {start} {end}\npositions {}\nnotes {}\n",
            self.content,
            self.identity,
            self.positions,
            notes.join(" ")
        )
    }

    fn read(text: &str) -> Option<Self> {
        let (content, rest) = text.strip_prefix("content ")?.split_once('\n')?;
        let (identity, rest) = rest.split_at(rest.find("heads ")?);
        let mut lines = rest.lines().map(|line| {
            let (_, numbers) = line.split_once(' ')?;
            let numbers = numbers.split(' ').filter(|number| !number.is_empty());
            numbers.map(|number| number.parse().ok()).collect()
        });
        let mut line = || -> Option<Vec<u64>> { lines.next()? };
        let (&[start, end], &[positions]) = (&line()?[..], &line()?[..]) else {
            return None;
        };
        Some(Self {
            content: content.to_owned(),
            identity: identity.to_owned(),
            heads: start as usize..end as usize,
            positions,
            notes: line()?,
        })
    }
}

/// How many bytes of a disk files may take.
#[derive(Clone, Debug, Default)]
pub(crate) struct DiskLimit {
    pub(crate) what: String,
    pub(crate) most: u64,
    /// Bytes of the files that are there.
    pub(crate) used: u64,
}

/// Writes a file.
pub(crate) struct Writer<'a> {
    blocks: BlockWriter<'a>,
    limit: Option<&'a DiskLimit>,
    bytes: u64,
    /// Rows of a block that is not full yet.
    pending: Vec<u8>,
    packer: Packer,
}

impl<'a> Writer<'a> {
    /// Starts the file.
    ///
    /// # Errors
    /// [`PegError::File`].
    pub(crate) fn new(
        draft: &'a mut Draft,
        header: &Header,
        limit: Option<&'a DiskLimit>,
    ) -> Result<Self, PegError> {
        let mut blocks = BlockWriter::new(draft, FORMAT)?;
        blocks.write(0, header.text().as_bytes())?;
        Ok(Self {
            blocks,
            limit,
            bytes: 0,
            pending: Vec::new(),
            packer: Packer::new()?,
        })
    }

    /// Appends rows.
    ///
    /// # Errors
    /// [`PegError::File`], [`PegError::OverDisk`], [`PegError::Stopped`].
    pub(crate) fn write<T: Row>(&mut self, rows: &[T], run: &Run) -> Result<(), PegError> {
        let mut rows = rows;
        while !rows.is_empty() {
            let missing = (BLOCK - self.pending.len()) / T::BYTES;
            let (now, later) = rows.split_at(missing.min(rows.len()));
            now.iter().for_each(|row| row.put(&mut self.pending));
            if now.len() == missing {
                run.stop.check()?;
                self.put_block()?;
            }
            rows = later;
        }
        Ok(())
    }

    /// Ends the file.
    ///
    /// # Errors
    /// [`PegError::File`], [`PegError::OverDisk`].
    pub(crate) fn finish(mut self) -> Result<(), PegError> {
        if !self.pending.is_empty() {
            self.put_block()?;
        }
        self.blocks.finish()?;
        Ok(())
    }

    fn put_block(&mut self) -> Result<(), PegError> {
        let payload = self.packer.pack(&self.pending)?;
        self.pending.clear();
        self.bytes += payload.len() as u64;
        if let Some(DiskLimit { what, most, used }) = self.limit
            && used.saturating_add(self.bytes) > *most
        {
            return Err(PegError::OverDisk {
                what: what.clone(),
                need: used.saturating_add(self.bytes),
                limit: *most,
            });
        }
        Ok(self.blocks.write(1, &payload)?)
    }
}

/// Reads a file from front to back.
pub(crate) struct Reader {
    pub(crate) header: Header,
    blocks: BlockReader,
    payload: Vec<u8>,
    /// Rows of the block read last, of which those before `at` were taken.
    raw: Vec<u8>,
    at: usize,
    unpacker: Unpacker,
}

impl Reader {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// [`PegError::File`].
    pub(crate) fn open(storage: &dyn Storage, name: &str) -> Result<Self, PegError> {
        let mut blocks = BlockReader::open(storage, name, FORMAT)?;
        let mut payload = Vec::new();
        blocks.read(&mut payload)?;
        let header = std::str::from_utf8(&payload).ok().and_then(Header::read);
        let header = header.ok_or_else(|| blocks.damaged("its header makes no sense"))?;
        Ok(Self {
            header,
            blocks,
            payload,
            raw: Vec::new(),
            at: 0,
            unpacker: Unpacker::new()?,
        })
    }

    /// The same for a file that must have a content and an identity.
    ///
    /// # Errors
    /// [`PegError::File`].
    pub(crate) fn open_as(
        storage: &dyn Storage,
        name: &str,
        content: &str,
        identity: &str,
    ) -> Result<Self, PegError> {
        let reader = Self::open(storage, name)?;
        if reader.header.identity != identity {
            return Err(PegError::File(FileError::OtherQuestion {
                path: storage.display(name),
                found: question(&reader.header.identity).to_owned(),
                asked: question(identity).to_owned(),
            }));
        }
        match reader.header.content == content {
            true => Ok(reader),
            false => Err(reader.damaged("it is another layer").into()),
        }
    }

    /// The next rows.
    ///
    /// # Errors
    /// [`PegError::File`] of a damaged file or one that has fewer, [`PegError::Stopped`].
    pub(crate) fn read<T: Row>(&mut self, rows: &mut [T], run: &Run) -> Result<(), PegError> {
        let mut rows = rows.iter_mut();
        while rows.len() > 0 {
            if self.at == self.raw.len() {
                self.next_block(run)?;
            }
            let left = self.raw[self.at..].chunks_exact(T::BYTES);
            if left.len() == 0 {
                return Err(self.damaged("it holds a part of a row").into());
            }
            let taken = left.len().min(rows.len());
            // In this order: an iterator that is zipped first loses an item where the other ends.
            for (bytes, row) in left.zip(rows.by_ref()) {
                *row = T::take(bytes);
            }
            self.at += taken * T::BYTES;
        }
        Ok(())
    }

    /// Passes over bytes of rows.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub(crate) fn skip(&mut self, mut bytes: u64, run: &Run) -> Result<(), PegError> {
        while bytes > 0 {
            if self.at == self.raw.len() {
                self.next_block(run)?;
            }
            let taken = bytes.min((self.raw.len() - self.at) as u64);
            self.at += taken as usize;
            bytes -= taken;
        }
        Ok(())
    }

    /// Checks that nothing follows.
    ///
    /// # Errors
    /// [`PegError::File`] if something does.
    pub(crate) fn finish(mut self) -> Result<(), PegError> {
        let is_over = self.at == self.raw.len() && self.blocks.read(&mut self.payload)?.is_none();
        match is_over {
            true => Ok(()),
            false => Err(self.damaged("it holds more than its header says").into()),
        }
    }

    fn next_block(&mut self, run: &Run) -> Result<(), PegError> {
        run.stop.check()?;
        let tag = self.blocks.read(&mut self.payload)?;
        let unpacked = (self.unpacker).unpack(&self.payload, BLOCK, &mut self.raw);
        self.at = 0;
        match tag == Some(1) && unpacked.is_some() && !self.raw.is_empty() {
            true => Ok(()),
            false => Err(self.damaged("it ends before its last row").into()),
        }
    }

    /// An error for content that makes no sense.
    pub(crate) fn damaged(&self, what: &str) -> FileError {
        self.blocks.damaged(what)
    }
}
