//! What a solution finds, in the order in which it finds it: sets of positions in memory, or in a
//! file from which a later run resumes.
//!
//! ```text
//! header   magic 8 bytes | version u32 | zero u32 | xxh3 u64 of the identity of the ending
//! record   length u32 | kind u8 | side u8 | ply u16 | job u32 | zero u32 | xxh3 u64 | payload
//! ```
//!
//! All numbers are little-endian. The checksum covers the record before it and the payload, and is
//! seeded with where the record is. Whatever follows the last record that ends a ply is dropped by
//! the run that resumes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use everymove_kernel::files::{
    Access, FileError, PositionalFile, Storage, push_varint, take_varint,
};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::ending::Side;
use crate::moves::Bits;
use crate::table::PLIES;

const MAGIC: [u8; 8] = *b"EMFAIRYL";
const VERSION: u32 = 1;

/// Bytes of the header of the file, and of that of a record.
const HEAD: usize = 24;

/// Words with more squares are written whole.
const FEW: u32 = 6;

/// What a record holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Positions that no capture and no rule decides for a side.
    Open,
    /// Positions that a side wins by a capture at a ply.
    WinDue,
    /// Open positions of a side that captures save from a loss before a ply.
    LossDue,
    /// Positions that a side wins at a ply.
    Won,
    /// Positions that a side loses at a ply.
    Lost,
    /// Nothing: all that an attacker wins up to a ply is known.
    End,
}

const KINDS: [Kind; 6] = [
    Kind::Open,
    Kind::WinDue,
    Kind::LossDue,
    Kind::Won,
    Kind::Lost,
    Kind::End,
];

/// Where the sets of a job are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) kind: Kind,
    side: u8,
    pub(crate) ply: u16,
    pub(crate) job: u32,
    length: u32,
    /// In the file, or in memory the number of the payload.
    at: u64,
}

impl Record {
    pub(crate) fn side(&self) -> Side {
        self.side.into()
    }
}

/// The records of one ending.
#[derive(Debug)]
pub(crate) struct Log {
    file: Option<Box<dyn PositionalFile>>,
    path: String,
    content: Mutex<Content>,
}

#[derive(Debug, Default)]
struct Content {
    /// Where the next record begins.
    end: u64,
    /// The payloads, if there is no file.
    payloads: Vec<Arc<Vec<u8>>>,
    records: Vec<Record>,
}

impl Log {
    /// A log in memory.
    pub(crate) fn in_memory() -> Self {
        Self {
            file: None,
            path: String::new(),
            content: Mutex::default(),
        }
    }

    /// A log in a file, with what a run of the same ending left there.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub(crate) fn open(
        storage: &dyn Storage,
        name: &str,
        identity: &str,
        jobs: usize,
    ) -> Result<Self, FileError> {
        let file = storage.open_at(name, Access::Update)?;
        let mut log = Self {
            file: None,
            path: storage.display(name),
            content: Mutex::default(),
        };
        let mut header = [0; HEAD];
        header[..8].copy_from_slice(&MAGIC);
        header[8..12].copy_from_slice(&VERSION.to_le_bytes());
        header[16..].copy_from_slice(&xxh3_64(identity.as_bytes()).to_le_bytes());
        let mut content = Content {
            end: HEAD as u64,
            ..Content::default()
        };
        let size = file.size().map_err(|e| log.io("read", e))?;
        let mut known = [0; HEAD];
        let is_known =
            size >= HEAD as u64 && file.read_exact_at(&mut known, 0).is_ok() && known == header;
        if is_known {
            let (mut at, mut payload, mut whole) = (content.end, Vec::new(), 0);
            while let Some(record) = next(&*file, at, size, &mut payload) {
                if record.job as usize >= jobs || record.ply > PLIES {
                    break;
                }
                at += HEAD as u64 + u64::from(record.length);
                content.records.push(record);
                if record.kind == Kind::End {
                    (content.end, whole) = (at, content.records.len());
                }
            }
            content.records.truncate(whole);
        } else {
            file.resize(0).map_err(|e| log.io("write", e))?;
            file.write_all_at(&header, 0)
                .map_err(|e| log.io("write", e))?;
        }
        file.resize(content.end).map_err(|e| log.io("write", e))?;
        log.file = Some(file);
        log.content = Mutex::new(content);
        Ok(log)
    }

    fn io(&self, doing: &'static str, error: std::io::Error) -> FileError {
        FileError::io(doing, &*self.path, error)
    }

    fn content(&self) -> MutexGuard<'_, Content> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends a record; an empty payload is worth one of the kind `End` only.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub(crate) fn append(
        &self,
        kind: Kind,
        side: Side,
        ply: u16,
        job: usize,
        payload: Vec<u8>,
    ) -> Result<(), FileError> {
        if payload.is_empty() && kind != Kind::End {
            return Ok(());
        }
        let mut record = Record {
            kind,
            side: side as u8,
            ply,
            job: job as u32,
            length: payload.len() as u32,
            at: 0,
        };
        let mut content = self.content();
        match &self.file {
            None => {
                record.at = content.payloads.len() as u64;
                content.payloads.push(Arc::new(payload));
            }
            Some(file) => {
                record.at = content.end + HEAD as u64;
                let mut bytes = head(&record, &payload).to_vec();
                bytes.extend_from_slice(&payload);
                file.write_all_at(&bytes, content.end)
                    .map_err(|e| self.io("write", e))?;
                content.end += bytes.len() as u64;
            }
        }
        content.records.push(record);
        Ok(())
    }

    /// Records in the order in which they were appended.
    pub(crate) fn records(&self, wanted: impl Fn(&Record) -> bool) -> Vec<Record> {
        let content = self.content();
        let records = content.records.iter().filter(|record| wanted(record));
        records.copied().collect()
    }

    /// Calls `on` with each board of a record that has a position, one word of its set at a time.
    /// Boards are numbered within the job.
    ///
    /// # Errors
    /// [`FileError`] if the file cannot be read or does not hold sets of squares of `boards`
    /// boards.
    pub(crate) fn sets<const W: usize>(
        &self,
        record: &Record,
        boards: usize,
        squares: Bits<W>,
        on: impl FnMut(usize, Bits<W>),
    ) -> Result<(), FileError> {
        let payload = match &self.file {
            None => self.content().payloads[record.at as usize].clone(),
            Some(file) => {
                let mut payload = vec![0; record.length as usize];
                file.read_exact_at(&mut payload, record.at)
                    .map_err(|e| self.io("read", e))?;
                Arc::new(payload)
            }
        };
        let is_whole = each_set(&payload, boards, squares, on).is_some();
        is_whole.then_some(()).ok_or_else(|| FileError::Damaged {
            path: self.path.clone(),
            what: "a record holds no sets of squares".to_owned(),
        })
    }
}

fn head(record: &Record, payload: &[u8]) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..4].copy_from_slice(&record.length.to_le_bytes());
    head[4] = record.kind as u8;
    head[5] = record.side;
    head[6..8].copy_from_slice(&record.ply.to_le_bytes());
    head[8..12].copy_from_slice(&record.job.to_le_bytes());
    let mut hash = Xxh3::with_seed(record.at);
    hash.update(&head[..16]);
    hash.update(payload);
    head[16..].copy_from_slice(&hash.digest().to_le_bytes());
    head
}

/// The record that begins at a place, if there is a whole one.
fn next(file: &dyn PositionalFile, at: u64, size: u64, payload: &mut Vec<u8>) -> Option<Record> {
    let mut found = [0; HEAD];
    let begin = at + HEAD as u64;
    if begin > size {
        return None;
    }
    file.read_exact_at(&mut found, at).ok()?;
    let number =
        |i: usize| u32::from_le_bytes([found[i], found[i + 1], found[i + 2], found[i + 3]]);
    let record = Record {
        kind: *KINDS.get(usize::from(found[4]))?,
        side: found[5],
        ply: u16::from_le_bytes([found[6], found[7]]),
        job: number(8),
        length: number(0),
        at: begin,
    };
    if begin + u64::from(record.length) > size || record.side > 1 {
        return None;
    }
    payload.resize(record.length as usize, 0);
    file.read_exact_at(payload, begin).ok()?;
    (head(&record, payload) == found).then_some(record)
}

/// Sets of squares of boards, written in the order of the boards: of each word that is not empty,
/// how many words after the last one it is, with the number of its squares, then these, or the word
/// if they are many.
#[derive(Debug, Default)]
pub(crate) struct SetWriter {
    bytes: Vec<u8>,
    /// The first word that is not written.
    next: usize,
    /// The word that is collected.
    at: usize,
    word: u64,
}

impl SetWriter {
    /// Adds squares of a board, which are not before those that were added.
    #[inline]
    pub(crate) fn add<const W: usize>(&mut self, board: usize, squares: Bits<W>) {
        for (i, word) in squares
            .0
            .into_iter()
            .enumerate()
            .filter(|(_, word)| *word != 0)
        {
            if board * W + i != self.at {
                self.flush();
                self.at = board * W + i;
            }
            self.word |= word;
        }
    }

    fn flush(&mut self) {
        let mut word = std::mem::take(&mut self.word);
        let count = word.count_ones();
        if count == 0 {
            return;
        }
        let few = if count <= FEW { count } else { 0 };
        push_varint(
            &mut self.bytes,
            ((self.at - self.next) as u64) << 3 | u64::from(few),
        );
        self.next = self.at + 1;
        if few == 0 {
            self.bytes.extend_from_slice(&word.to_le_bytes());
            return;
        }
        while word != 0 {
            self.bytes.push(word.trailing_zeros() as u8);
            word &= word - 1;
        }
    }

    /// What was added, as bytes.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.flush();
        self.bytes
    }
}

fn each_set<const W: usize>(
    mut bytes: &[u8],
    boards: usize,
    squares: Bits<W>,
    mut on: impl FnMut(usize, Bits<W>),
) -> Option<()> {
    let mut next = 0;
    while !bytes.is_empty() {
        let number = take_varint(&mut bytes)?;
        let at = usize::try_from(number >> 3).ok()?.checked_add(next)?;
        next = at + 1;
        let word = match (number & 7) as usize {
            0 => {
                let (word, rest) = bytes.split_first_chunk::<8>()?;
                bytes = rest;
                u64::from_le_bytes(*word)
            }
            few => {
                let (listed, rest) = bytes.split_at_checked(few)?;
                bytes = rest;
                listed
                    .iter()
                    .fold(0, |word, square| word | 1 << (square & 63))
            }
        };
        if at / W >= boards || word & !squares.0[at % W] != 0 {
            return None;
        }
        let mut set = Bits::EMPTY;
        set.0[at % W] = word;
        on(at / W, set);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_come_back_and_parts_of_them_do_not() {
        let sets = [
            (0, 1),
            (0, 70),
            (3, 5),
            (3, 6),
            (3, 7),
            (3, 8),
            (3, 9),
            (3, 10),
            (3, 11),
            (900, 79),
        ];
        let mut writer = SetWriter::default();
        for (board, square) in sets {
            writer.add::<2>(board, Bits::one(square));
        }
        let bytes = writer.finish();
        let read = |bytes: &[u8], boards| {
            let mut found = Vec::new();
            let squares = Bits::<2>::first(80);
            each_set(bytes, boards, squares, |board, set| {
                found.extend(set.squares().map(|square| (board, square)));
            })
            .map(|()| found)
        };
        assert_eq!(read(&bytes, 901).unwrap(), sets);
        assert_eq!(read(&bytes, 900), None);
        assert_eq!(read(&bytes[..bytes.len() - 1], 901), None);
        assert_eq!(read(&[1 | 1 << 3, 20], 9), None);
    }

    /// Whatever a run left of its log, and whatever became of it, the next one finds the same
    /// values.
    #[test]
    fn a_damaged_log_is_resumed_from_its_whole_plies() {
        let usual = |letter| crate::ending::usual(letter).unwrap();
        let make = |material| {
            let board = crate::ending::read_board("5x5").unwrap();
            let rules = crate::ending::Rules {
                stalemate: crate::ending::Stalemate::Loss,
                ..Default::default()
            };
            let royals = [usual('K'), usual('K')];
            crate::Ending::new(board, material, royals, crate::ending::usual, rules).unwrap()
        };
        let (ending, run) = (make("KRvKN"), everymove_kernel::run::Run::serial());
        let smaller: Vec<_> = (0..2)
            .map(|man| crate::solve(&ending.without(man), &run).unwrap())
            .collect();
        let storage = everymove_kernel::files::Memory::default();
        let solve = |identity: &str| {
            let jobs = crate::index::Index::new(&ending).jobs();
            let log = Log::open(&storage, "log", identity, jobs).unwrap();
            let plies = log.records(|record| record.kind == Kind::End).len();
            let solved = crate::solve::solve(&ending, &smaller, log, &run).unwrap();
            let jobs = 0..solved.index().jobs();
            let blocks: Vec<_> = jobs.map(|job| solved.block(job).unwrap()).collect();
            (plies, blocks)
        };
        let size = || storage.open("log").unwrap().size().unwrap() as usize;
        let (plies, blocks) = solve("a");
        assert_eq!(plies, 0);
        let whole = size();
        assert!(solve("a").0 > 20 && size() == whole);
        for length in [whole - 1, whole / 10 * 9, whole / 3, 200, 24, 3, 0] {
            storage.damage("log", |bytes| bytes.truncate(length));
            let (plies, again) = solve("a");
            assert_eq!(plies > 1, length > whole / 2, "{length}");
            assert!(again == blocks && size() == whole, "{length}");
            storage.damage("log", |bytes| bytes[length / 2] ^= 1);
            assert!(solve("a").1 == blocks && size() == whole, "{length}");
        }
        assert_eq!(solve("b").0, 0);
    }
}
