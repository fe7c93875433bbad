//! Long sequences of bytes, in memory or in a scratch file where memory does not suffice.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use everymove_kernel::files::Storage;
use everymove_kernel::run::{Reservation, Run};

use crate::error::TableError;
use crate::store::folder_use::Scratch;
use crate::store::spool::SpoolFile;

/// Bytes that are appended to a file at a time.
const APPENDED: usize = 1 << 16;
/// A sequence in memory that gets longer than expected grows by this many bytes.
const GROWTH: usize = 2 << 20;

/// Bytes of memory that a buffer in a file takes.
pub(crate) const FILE_BYTES: u64 = APPENDED as u64;

/// Where buffers are.
pub(crate) enum Place {
    /// In memory, reserved in the name of what is made.
    Memory { what: String, run: Run },
    /// In files of their own, which are removed with the buffers.
    Files {
        storage: Arc<dyn Storage>,
        /// Files made so far.
        count: AtomicU32,
    },
}

impl Place {
    /// Returns a place in memory.
    pub(crate) fn memory(what: impl fmt::Display, run: &Run) -> Self {
        Self::Memory {
            what: what.to_string(),
            run: run.clone(),
        }
    }

    /// Returns a place in files beside the file `name`.
    pub(crate) fn files(storage: &Arc<dyn Storage>, name: impl fmt::Display) -> Self {
        Self::Files {
            storage: Arc::new(Scratch::new(storage, name)),
            count: AtomicU32::new(0),
        }
    }

    /// Returns an empty buffer for about `expected` bytes, which are reserved if it is in memory.
    pub(crate) fn buffer(&self, expected: u64) -> Result<Buffer, TableError> {
        let content = match self {
            Self::Memory { what, run } => Content::InMemory {
                memory: vec![run.ram.reserve(what, expected)?],
                bytes: Vec::with_capacity(expected as usize),
                what: what.clone(),
                run: run.clone(),
            },
            Self::Files { storage, count } => {
                let number = count.fetch_add(1, Ordering::Relaxed);
                // A file that is left after a crash is a draft, which the next build removes.
                Content::InFile {
                    file: SpoolFile::new(storage, &format!("{number}.draft"))?,
                    last: Vec::with_capacity(APPENDED),
                }
            }
        };
        Ok(Buffer { content })
    }
}

/// A sequence of bytes that is appended to, then read and changed anywhere.
pub(crate) struct Buffer {
    content: Content,
}

enum Content {
    InMemory {
        bytes: Vec<u8>,
        memory: Vec<Reservation>,
        what: String,
        run: Run,
    },
    /// The bytes appended last are not yet in the file.
    InFile { file: SpoolFile, last: Vec<u8> },
}

impl Buffer {
    /// The number of bytes.
    pub(crate) fn len(&self) -> u64 {
        match &self.content {
            Content::InMemory { bytes, .. } => bytes.len() as u64,
            Content::InFile { file, last } => file.end() + last.len() as u64,
        }
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// [`TableError`] if there is no memory for more bytes than expected, or the file cannot be
    /// written.
    pub(crate) fn append(&mut self, more: &[u8]) -> Result<(), TableError> {
        match &mut self.content {
            Content::InMemory {
                bytes,
                memory,
                what,
                run,
            } => {
                if bytes.len() + more.len() > bytes.capacity() {
                    let growth = GROWTH.max(more.len());
                    memory.push(run.ram.reserve(what, growth as u64)?);
                    bytes.reserve_exact(growth);
                }
                bytes.extend_from_slice(more);
            }
            Content::InFile { file, last } => {
                if last.len() + more.len() > APPENDED {
                    file.append(last)?;
                    last.clear();
                }
                match more.len() {
                    ..=APPENDED => last.extend_from_slice(more),
                    _ => drop(file.append(more)?),
                }
            }
        }
        Ok(())
    }

    /// Fills `to` with the bytes from an offset on.
    ///
    /// # Errors
    /// [`TableError`] if the file cannot be read.
    pub(crate) fn read(&self, at: u64, to: &mut [u8]) -> Result<(), TableError> {
        match &self.content {
            Content::InMemory { bytes, .. } => {
                to.copy_from_slice(&bytes[at as usize..][..to.len()]);
            }
            Content::InFile { file, last } => {
                let filed = file.end().saturating_sub(at).min(to.len() as u64) as usize;
                let (first, rest) = to.split_at_mut(filed);
                if !first.is_empty() {
                    file.read_at(at, first)?;
                }
                let from = (at + filed as u64 - file.end().min(at + filed as u64)) as usize;
                rest.copy_from_slice(&last[from..][..rest.len()]);
            }
        }
        Ok(())
    }

    /// Replaces bytes from an offset on.
    ///
    /// # Errors
    /// [`TableError`] if the file cannot be written.
    pub(crate) fn write(&mut self, at: u64, new: &[u8]) -> Result<(), TableError> {
        match &mut self.content {
            Content::InMemory { bytes, .. } => {
                bytes[at as usize..][..new.len()].copy_from_slice(new);
            }
            Content::InFile { file, last } => {
                if at + new.len() as u64 > file.end() {
                    file.append(last)?;
                    last.clear();
                }
                file.write_at(at, new)?;
            }
        }
        Ok(())
    }

    /// Returns all bytes in memory.
    ///
    /// # Errors
    /// As [`Buffer::read`].
    pub(crate) fn to_vec(&self) -> Result<Vec<u8>, TableError> {
        let mut bytes = vec![0; self.len() as usize];
        self.read(0, &mut bytes)?;
        Ok(bytes)
    }

    /// Calls `each(offset, bytes)` for chunks of up to `length` bytes, in order.
    ///
    /// # Errors
    /// As [`Buffer::read`], and those of `each`.
    pub(crate) fn for_each_chunk(
        &self,
        length: usize,
        mut each: impl FnMut(u64, &[u8]) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        if let Content::InMemory { bytes, .. } = &self.content {
            let offsets = (0..).step_by(length);
            return (offsets.zip(bytes.chunks(length))).try_for_each(|(at, chunk)| each(at, chunk));
        }
        let mut chunk = vec![0; length.min(self.len() as usize)];
        for at in (0..self.len()).step_by(length) {
            let count = (self.len() - at).min(length as u64) as usize;
            self.read(at, &mut chunk[..count])?;
            each(at, &chunk[..count])?;
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use everymove_kernel::files::{Disk, Memory};
    use everymove_kernel::rng::SplitMix64;
    use everymove_kernel::run::Ram;

    use super::*;

    /// Both kinds of places.
    pub(crate) fn places(run: &Run) -> [Place; 2] {
        let storage: Arc<dyn Storage> = Arc::new(Memory::default());
        [Place::memory("bytes", run), Place::files(&storage, "bytes")]
    }

    #[test]
    fn buffers_hold_what_was_written() {
        let run = Run::serial();
        for place in places(&run) {
            let mut rng = SplitMix64::new(4);
            let mut buffer = place.buffer(1000).unwrap();
            let mut expected = Vec::new();
            for length in [0, 5, 3000, APPENDED - 1, 2, APPENDED, APPENDED + 9, 77, 600] {
                let more: Vec<u8> = (0..length).map(|_| rng.next_u64() as u8).collect();
                buffer.append(&more).unwrap();
                expected.extend(more);
                assert_eq!(buffer.len(), expected.len() as u64);
                assert!(buffer.to_vec().unwrap() == expected);
                for _ in 0..20 {
                    let at = rng.below(expected.len() as u64 + 1) as usize;
                    let length = rng.below((expected.len() - at) as u64 + 1) as usize;
                    let new = vec![length as u8; length.min(100)];
                    buffer.write(at as u64, &new).unwrap();
                    expected[at..at + new.len()].copy_from_slice(&new);
                    let mut found = vec![0; length];
                    buffer.read(at as u64, &mut found).unwrap();
                    assert!(found == expected[at..at + length]);
                }
            }
            let mut chunks = Vec::new();
            let each = |at: u64, chunk: &[u8]| {
                assert_eq!(at, chunks.len() as u64);
                chunks.extend_from_slice(chunk);
                Ok(())
            };
            buffer.for_each_chunk(1003, each).unwrap();
            assert!(chunks == expected);
        }
    }

    #[test]
    fn memory_is_reserved_and_files_are_removed() {
        let run = Run::new(1, Ram::limited(3 << 20));
        let place = Place::memory("bytes", &run);
        let mut buffer = place.buffer(100).unwrap();
        buffer.append(&[1; 101]).unwrap();
        assert_eq!(run.ram.used(), 100 + GROWTH as u64);
        let error = buffer.append(&vec![1; GROWTH]);
        assert!(matches!(error, Err(TableError::OverBudget(_))));
        drop(buffer);
        assert_eq!(run.ram.used(), 0);
        let folder = tempfile::tempdir().unwrap();
        let storage: Arc<dyn Storage> = Arc::new(Disk::new(folder.path()));
        let place = Place::files(&storage, "KQvK.rtbw");
        let buffers = [place.buffer(9).unwrap(), place.buffer(9).unwrap()];
        assert_eq!(storage.list().unwrap().len(), 2);
        drop(buffers);
        assert!(storage.list().unwrap().is_empty());
    }
}
