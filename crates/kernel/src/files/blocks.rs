//! A stream of blocks, each with a checksum.
//!
//! ```text
//! header   magic 8 bytes | version u32 | zero u32 | xxh3 u64 of the 16 bytes before
//! block    length u32, at least 1 | tag u32 | xxh3 u64 | payload
//! end      length 0 u32 | tag 0 u32 | xxh3 u64, and nothing after
//! ```
//!
//! All numbers are little-endian. A block's checksum covers its length, its tag and its payload,
//! and is seeded with the block's number from 0, so that blocks that were exchanged, repeated or
//! left out do not pass; the end, numbered like a block, tells a whole file from one that was cut
//! off.

use std::io::{BufReader, Read};

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::publish::Draft;
use super::storage::{Access, FileError, PositionalFile, ReadFile, Storage};

/// The largest payload of a block, in bytes: 64 MiB. A megabyte or so is a good size.
pub const MAX_BLOCK: usize = 64 << 20;

/// What kind of file this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// The first bytes of the file.
    pub magic: [u8; 8],
    /// The version of the content; readers refuse all others.
    pub version: u32,
    /// What messages call it, with its article: "a tours layer".
    pub what: &'static str,
}

impl Format {
    fn header(self) -> [u8; 24] {
        let mut header = [0; 24];
        header[..8].copy_from_slice(&self.magic);
        header[8..12].copy_from_slice(&self.version.to_le_bytes());
        let sum = xxh3_64(&header[..16]);
        header[16..].copy_from_slice(&sum.to_le_bytes());
        header
    }

    /// Compares what a file begins with, up to the length of a header.
    fn check(self, header: &[u8], path: &str) -> Result<(), FileError> {
        let path = || path.to_owned();
        let damaged = |what: &str| FileError::Damaged {
            path: path(),
            what: format!("block 0: {what}"),
        };
        let magic = &header[..header.len().min(8)];
        if magic != &self.magic[..magic.len()] || magic.is_empty() {
            return Err(FileError::Foreign {
                path: path(),
                expected: self.what,
            });
        }
        if header.len() < 24 {
            return Err(damaged("it ends within its header"));
        }
        if xxh3_64(&header[..16]).to_le_bytes() != header[16..] {
            return Err(damaged("its header does not match its checksum"));
        }
        let found = u32::from_le_bytes([header[8], header[9], header[10], header[11]]);
        if found != self.version {
            return Err(FileError::Version {
                path: path(),
                found,
                expected: self.version,
            });
        }
        Ok(())
    }
}

fn checksum(number: u64, head: &[u8; 8], payload: &[u8]) -> u64 {
    let mut hash = Xxh3::with_seed(number);
    hash.update(head);
    hash.update(payload);
    hash.digest()
}

/// Writes the blocks of one file.
#[must_use = "a file without its end is refused: call finish"]
pub struct BlockWriter<'a> {
    draft: &'a mut Draft,
    number: u64,
}

impl<'a> BlockWriter<'a> {
    /// Starts a file of this format.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn new(draft: &'a mut Draft, format: Format) -> Result<Self, FileError> {
        draft.put(&format.header())?;
        Ok(Self { draft, number: 0 })
    }

    /// Appends a block. The tag is the format's own business.
    ///
    /// # Errors
    /// [`FileError::Io`].
    ///
    /// # Panics
    /// If the payload is empty or longer than [`MAX_BLOCK`].
    pub fn write(&mut self, tag: u32, payload: &[u8]) -> Result<(), FileError> {
        assert!(
            (1..=MAX_BLOCK).contains(&payload.len()),
            "a block of {} bytes",
            payload.len()
        );
        self.put(tag, payload)
    }

    /// Ends the file; returns the number of blocks.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn finish(mut self) -> Result<u64, FileError> {
        self.put(0, &[])?;
        Ok(self.number - 1)
    }

    fn put(&mut self, tag: u32, payload: &[u8]) -> Result<(), FileError> {
        let mut head = [0; 8];
        head[..4].copy_from_slice(&(payload.len() as u32).to_le_bytes());
        head[4..].copy_from_slice(&tag.to_le_bytes());
        let sum = checksum(self.number, &head, payload);
        self.draft.put(&head)?;
        self.draft.put(&sum.to_le_bytes())?;
        self.draft.put(payload)?;
        self.number += 1;
        Ok(())
    }
}

/// Reads the blocks of one file, front to back, and believes none that does not match its checksum.
pub struct BlockReader {
    path: String,
    bytes: BufReader<Box<dyn ReadFile>>,
    left: u64,
    number: u64,
    ended: bool,
}

impl BlockReader {
    /// Opens a file of this format.
    ///
    /// # Errors
    /// [`FileError::Io`], [`FileError::Foreign`], [`FileError::Version`], [`FileError::Damaged`].
    pub fn open(storage: &dyn Storage, name: &str, format: Format) -> Result<Self, FileError> {
        let path = storage.display(name);
        let file = storage.open(name)?;
        let left = file
            .size()
            .map_err(|e| FileError::io("read", path.as_str(), e))?;
        let mut reader = Self {
            bytes: BufReader::with_capacity(1 << 18, file),
            path,
            left,
            number: 0,
            ended: false,
        };
        let mut header = [0; 24];
        let known = &mut header[..left.min(24) as usize];
        reader.take(known)?;
        format.check(known, &reader.path)?;
        Ok(reader)
    }

    /// Reads the next block into `payload`, replacing what it held, and returns its tag; `None`
    /// after the last.
    ///
    /// # Errors
    /// [`FileError::Damaged`] saying which block is wrong, [`FileError::Io`].
    pub fn read(&mut self, payload: &mut Vec<u8>) -> Result<Option<u32>, FileError> {
        payload.clear();
        if self.ended {
            return Ok(None);
        }
        let (mut head, mut sum) = ([0; 8], [0; 8]);
        self.take(&mut head)?;
        self.take(&mut sum)?;
        let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        if length > MAX_BLOCK || length as u64 > self.left {
            return Err(self.damaged("it says that it is longer than it can be"));
        }
        payload.resize(length, 0);
        self.take(payload)?;
        if checksum(self.number, &head, payload) != u64::from_le_bytes(sum) {
            return Err(self.damaged("it does not match its checksum"));
        }
        if length == 0 {
            if self.left > 0 {
                return Err(self.damaged("bytes follow the end"));
            }
            self.ended = true;
            return Ok(None);
        }
        self.number += 1;
        Ok(Some(u32::from_le_bytes([
            head[4], head[5], head[6], head[7],
        ])))
    }

    /// Bytes of the file that have not been read yet.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// An error of this file for content that passes its checksum and still makes no sense.
    pub fn damaged(&self, what: &str) -> FileError {
        FileError::Damaged {
            path: self.path.clone(),
            what: format!("block {}: {what}", self.number),
        }
    }

    fn take(&mut self, into: &mut [u8]) -> Result<(), FileError> {
        if into.len() as u64 > self.left {
            return Err(self.damaged("the file ends too early"));
        }
        self.bytes
            .read_exact(into)
            .map_err(|e| FileError::io("read", &self.path, e))?;
        self.left -= into.len() as u64;
        Ok(())
    }
}

/// The blocks of one file, read in any order by any number of threads; each must match its
/// checksum.
#[derive(Debug)]
pub struct BlockFile {
    path: String,
    file: Box<dyn PositionalFile>,
    /// Where each begins.
    blocks: Vec<u64>,
}

impl BlockFile {
    /// Opens a file of this format.
    ///
    /// # Errors
    /// As [`BlockReader::open`]; [`FileError::Damaged`], too, if it does not end with its last
    /// block.
    pub fn open(storage: &dyn Storage, name: &str, format: Format) -> Result<Self, FileError> {
        let path = storage.display(name);
        let file = storage.open_at(name, Access::Read)?;
        let io = |e| FileError::io("read", path.as_str(), e);
        let size = file.size().map_err(io)?;
        let mut header = [0; 24];
        let known = &mut header[..size.min(24) as usize];
        file.read_exact_at(known, 0).map_err(io)?;
        format.check(known, &path)?;
        let mut found = Self {
            path: path.clone(),
            file,
            blocks: Vec::new(),
        };
        let mut at = 24;
        loop {
            let mut head = [0; 8];
            if size - at < 16 {
                return Err(found.damaged(found.blocks.len(), "the file was cut off"));
            }
            found.file.read_exact_at(&mut head, at).map_err(io)?;
            let length = u64::from(u32::from_le_bytes([head[0], head[1], head[2], head[3]]));
            if length > MAX_BLOCK as u64 || length > size - at - 16 {
                let what = "it says that it is longer than it can be";
                return Err(found.damaged(found.blocks.len(), what));
            }
            found.blocks.push(at);
            at += 16 + length;
            if length == 0 {
                break;
            }
        }
        if at != size {
            return Err(found.damaged(found.blocks.len() - 1, "bytes follow the end"));
        }
        found.read(found.blocks.len() - 1)?;
        found.blocks.pop();
        Ok(found)
    }

    /// The number of blocks.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The tag and the payload of a block.
    ///
    /// # Errors
    /// [`FileError::Damaged`], [`FileError::Io`].
    ///
    /// # Panics
    /// If there is no such block.
    pub fn read(&self, number: usize) -> Result<(u32, Vec<u8>), FileError> {
        let io = |e| FileError::io("read", self.path.as_str(), e);
        let (at, mut head) = (self.blocks[number], [0; 16]);
        self.file.read_exact_at(&mut head, at).map_err(io)?;
        let (head, sum) = head.split_at(8);
        let head: [u8; 8] = head.try_into().expect("half of 16 bytes");
        let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        if length > MAX_BLOCK {
            return Err(self.damaged(number, "it says that it is longer than it can be"));
        }
        let mut payload = vec![0; length];
        self.file.read_exact_at(&mut payload, at + 16).map_err(io)?;
        if checksum(number as u64, &head, &payload).to_le_bytes() != *sum {
            return Err(self.damaged(number, "it does not match its checksum"));
        }
        let tag = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
        Ok((tag, payload))
    }

    /// An error of this file for a block that passes its checksum and still makes no sense.
    pub fn damaged(&self, number: usize, what: &str) -> FileError {
        FileError::Damaged {
            path: self.path.clone(),
            what: format!("block {number}: {what}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::files::{Memory, publish};

    const FORMAT: Format = Format {
        magic: *b"EMTESTS1",
        version: 3,
        what: "a test file",
    };

    type Blocks = Vec<(u32, Vec<u8>)>;

    fn written(blocks: &Blocks) -> Memory {
        let storage = Memory::default();
        publish(&storage, "f", |draft| {
            let mut writer = BlockWriter::new(draft, FORMAT)?;
            for (tag, payload) in blocks {
                writer.write(*tag, payload)?;
            }
            writer.finish()
        })
        .map(|count| assert_eq!(count, blocks.len() as u64))
        .unwrap();
        storage
    }

    fn read(storage: &Memory, format: Format) -> Result<Blocks, FileError> {
        let mut reader = BlockReader::open(storage, "f", format)?;
        let (mut blocks, mut payload) = (Vec::new(), Vec::new());
        while let Some(tag) = reader.read(&mut payload)? {
            blocks.push((tag, payload.clone()));
        }
        Ok(blocks)
    }

    proptest! {
        #[test]
        fn blocks_read_back_and_no_damage_passes(
            blocks in prop::collection::vec((any::<u32>(), prop::collection::vec(any::<u8>(), 1..50)), 0..5),
            place in any::<prop::sample::Index>(),
            flip in 1u8..,
            cut in any::<prop::sample::Index>(),
        ) {
            let storage = written(&blocks);
            prop_assert_eq!(read(&storage, FORMAT).unwrap(), blocks.clone());
            storage.damage("f", |bytes| { let at = place.index(bytes.len()); bytes[at] ^= flip; });
            prop_assert!(read(&storage, FORMAT).is_err());
            let storage = written(&blocks);
            storage.damage("f", |bytes| bytes.truncate(cut.index(bytes.len())));
            prop_assert!(read(&storage, FORMAT).is_err());
            let storage = written(&blocks);
            storage.damage("f", |bytes| bytes.push(flip));
            prop_assert!(read(&storage, FORMAT).is_err());
        }
    }

    #[test]
    fn exchanged_blocks_do_not_pass() {
        let storage = written(&vec![(1, vec![1; 8]), (1, vec![2; 8])]);
        storage.damage("f", |bytes| bytes[24..72].rotate_left(24));
        assert_eq!(
            read(&storage, FORMAT).unwrap_err().to_string(),
            "f is damaged: block 0: it does not match its checksum; remove it and make it anew"
        );
    }

    #[test]
    fn other_formats_and_versions_are_named() {
        let storage = written(&vec![]);
        let newer = Format {
            version: 4,
            ..FORMAT
        };
        assert_eq!(
            read(&storage, newer).unwrap_err().to_string(),
            "f has version 3 of its format, but this program reads version 4: make the file anew"
        );
        let other = Format {
            magic: *b"OTHERMAG",
            ..FORMAT
        };
        assert_eq!(
            read(&storage, other).unwrap_err().to_string(),
            "f is not a test file: it starts with the wrong bytes"
        );
        storage.damage("f", Vec::clear);
        assert!(matches!(
            read(&storage, FORMAT),
            Err(FileError::Foreign { .. })
        ));
    }
}
