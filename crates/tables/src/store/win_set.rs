//! The set of wins while a subspace is solved: in memory, or in a file from which chunks are
//! loaded.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use everymove_kernel::files::{FileError, Storage};

use crate::error::TableError;
use crate::position::partition::{Partition, largest_chunk};
use crate::store::spool::SpoolFile;
use crate::store::words::Words;

/// A chunk of one of the two partitions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunkRef<'a> {
    pub(crate) partitions: &'a [Partition; 2],
    /// Index of the partition.
    pub(crate) which: usize,
    pub(crate) number: usize,
}

impl<'a> ChunkRef<'a> {
    pub(crate) fn partition(&self) -> &'a Partition {
        &self.partitions[self.which]
    }
}

/// The set of wins of a subspace.
pub(crate) trait WinSet: Sync {
    /// The words of a loaded chunk.
    type Chunk<'a>: Words
    where
        Self: 'a;
    /// The words behind an accumulator.
    type Buffer: Words + Send;

    /// Returns `words` empty words for an accumulator.
    fn new_buffer(&self, words: usize) -> Result<Self::Buffer, FileError>;

    /// Loads a chunk, calls `work` on it, and stores it. No other thread may use the chunk at the
    /// same time.
    fn with_chunk<T>(
        &self,
        chunk_ref: ChunkRef<'_>,
        chunk_buffer: &mut ChunkBuffer,
        work: impl FnOnce(&mut Self::Chunk<'_>) -> Result<T, TableError>,
    ) -> Result<T, TableError>;

    /// Bytes read from disk and written to it so far.
    fn bytes_moved(&self) -> (u64, u64);

    /// As [`SpoolFile::drop_cache`].
    fn drop_cache(&self) -> Result<(), FileError>;
}

/// A thread's buffer for a loaded chunk.
#[derive(Debug, Default)]
pub(crate) struct ChunkBuffer {
    words: Vec<u64>,
    dirty: Vec<bool>,
    bytes: Vec<u8>,
}

impl ChunkBuffer {
    /// Returns the bytes for the largest chunk and cell of a set of `words` words.
    pub(crate) fn bytes(partitions: &[Partition; 2], words: usize) -> u64 {
        let bits = segment_bits(partitions);
        let mut cells = vec![0u64; partitions[0].chunks * partitions[1].chunks];
        for first in (0..words).step_by(1 << bits) {
            cells[cell(partitions, first)] += 8 << bits;
        }
        largest_chunk(partitions) as u64 * 8 + cells.into_iter().max().unwrap_or(0)
    }
}

/// Returns the cell of a word: its pair of chunks in the two partitions.
#[inline]
pub(crate) fn cell(partitions: &[Partition; 2], word: usize) -> usize {
    partitions[0].chunk(word) * partitions[1].chunks + partitions[1].chunk(word)
}

/// Logarithm of the number of words that are consecutive in the chunks of both partitions.
fn segment_bits(partitions: &[Partition; 2]) -> u32 {
    partitions[0]
        .segment_bits()
        .min(partitions[1].segment_bits())
}

/// The whole set in memory.
#[derive(Debug)]
pub(crate) struct InMemory(Vec<AtomicU64>);

impl InMemory {
    /// Returns the bytes of a set of `words` words.
    pub(crate) fn bytes(words: usize) -> u64 {
        words as u64 * 8
    }

    pub(crate) fn new(words: usize) -> Self {
        Self((0..words).map(|_| AtomicU64::new(0)).collect())
    }
}

impl WinSet for InMemory {
    type Chunk<'a> = &'a [AtomicU64];
    type Buffer = Vec<u64>;

    fn new_buffer(&self, words: usize) -> Result<Vec<u64>, FileError> {
        Ok(vec![0; words])
    }

    fn with_chunk<T>(
        &self,
        _: ChunkRef<'_>,
        _: &mut ChunkBuffer,
        work: impl FnOnce(&mut Self::Chunk<'_>) -> Result<T, TableError>,
    ) -> Result<T, TableError> {
        work(&mut &self.0[..])
    }

    fn bytes_moved(&self) -> (u64, u64) {
        (0, 0)
    }

    fn drop_cache(&self) -> Result<(), FileError> {
        Ok(())
    }
}

/// The set in a file, ordered by cell: a chunk of either partition is a few cells, each read and
/// written in one operation.
#[derive(Debug)]
pub(crate) struct Chunked {
    file: SpoolFile,
    /// By cell (chunk of the first partition, then of the second): its offset in words.
    starts: Vec<usize>,
    /// By cell: the first words of its segments, which are consecutive in the chunks of both
    /// partitions.
    segments: Vec<Vec<u32>>,
    segment_bits: u32,
    columns: usize,
}

impl Chunked {
    /// Creates an empty set in a file that is removed when this value is dropped.
    pub(crate) fn new(
        storage: &Arc<dyn Storage>,
        name: &str,
        partitions: &[Partition; 2],
        words: usize,
    ) -> Result<Self, FileError> {
        let segment_bits = segment_bits(partitions);
        let columns = partitions[1].chunks;
        let mut segments = vec![Vec::new(); partitions[0].chunks * columns];
        for first in (0..words).step_by(1 << segment_bits) {
            segments[cell(partitions, first)].push(first as u32);
        }
        let mut starts = Vec::with_capacity(segments.len());
        let mut end = 0;
        for cell in &segments {
            starts.push(end);
            end += cell.len() << segment_bits;
        }
        let file = SpoolFile::new(storage, name)?;
        file.resize(end as u64 * 8)?;
        Ok(Self {
            file,
            starts,
            segments,
            segment_bits,
            columns,
        })
    }

    /// Returns the cells of a chunk.
    fn cells(&self, chunk_ref: ChunkRef<'_>) -> impl Iterator<Item = usize> + use<> {
        let (columns, number) = (self.columns, chunk_ref.number);
        let (first, step, count) = match chunk_ref.which {
            0 => (number * columns, 1, columns),
            _ => (number, columns, chunk_ref.partitions[0].chunks),
        };
        (0..count).map(move |i| first + i * step)
    }

    fn load(
        &self,
        chunk_ref: ChunkRef<'_>,
        chunk_buffer: &mut ChunkBuffer,
    ) -> Result<(), FileError> {
        let partition = chunk_ref.partition();
        let length = 1 << self.segment_bits;
        chunk_buffer
            .words
            .resize(partition.len(chunk_ref.number), 0);
        chunk_buffer.dirty.clear();
        chunk_buffer.dirty.resize(self.starts.len(), false);
        for cell in self.cells(chunk_ref) {
            let segments = &self.segments[cell];
            chunk_buffer.bytes.resize((segments.len() * length) * 8, 0);
            let at = self.starts[cell] as u64 * 8;
            self.file.read_at(at, &mut chunk_buffer.bytes)?;
            let parts = chunk_buffer.bytes.chunks_exact(length * 8);
            for (&first, part) in segments.iter().zip(parts) {
                let local = partition.local(first as usize);
                let words = &mut chunk_buffer.words[local..local + length];
                for (word, bytes) in words.iter_mut().zip(part.as_chunks().0) {
                    *word = u64::from_le_bytes(*bytes);
                }
            }
        }
        Ok(())
    }

    fn store(
        &self,
        chunk_ref: ChunkRef<'_>,
        chunk_buffer: &mut ChunkBuffer,
    ) -> Result<(), FileError> {
        let partition = chunk_ref.partition();
        let length = 1 << self.segment_bits;
        for cell in self
            .cells(chunk_ref)
            .filter(|&cell| chunk_buffer.dirty[cell])
        {
            chunk_buffer.bytes.clear();
            for &first in &self.segments[cell] {
                let local = partition.local(first as usize);
                let words = &chunk_buffer.words[local..local + length];
                chunk_buffer
                    .bytes
                    .extend(words.iter().flat_map(|word| word.to_le_bytes()));
            }
            self.file
                .write_at(self.starts[cell] as u64 * 8, &chunk_buffer.bytes)?;
        }
        Ok(())
    }
}

/// A chunk in a [`ChunkBuffer`].
#[derive(Debug)]
pub(crate) struct LoadedChunk<'a> {
    partitions: &'a [Partition; 2],
    partition: &'a Partition,
    words: &'a mut [u64],
    /// By cell: whether it was changed.
    dirty: &'a mut [bool],
}

impl Words for LoadedChunk<'_> {
    #[inline]
    fn get(&mut self, word: usize) -> u64 {
        self.words[self.partition.local(word)]
    }

    #[inline]
    fn set(&mut self, word: usize, set: u64) {
        self.words[self.partition.local(word)] = set;
        self.dirty[cell(self.partitions, word)] = true;
    }
}

impl WinSet for Chunked {
    type Chunk<'a> = LoadedChunk<'a>;
    type Buffer = Vec<u64>;

    fn new_buffer(&self, words: usize) -> Result<Vec<u64>, FileError> {
        Ok(vec![0; words])
    }

    fn with_chunk<T>(
        &self,
        chunk_ref: ChunkRef<'_>,
        chunk_buffer: &mut ChunkBuffer,
        work: impl FnOnce(&mut Self::Chunk<'_>) -> Result<T, TableError>,
    ) -> Result<T, TableError> {
        self.load(chunk_ref, chunk_buffer)?;
        let done = work(&mut LoadedChunk {
            partitions: chunk_ref.partitions,
            partition: chunk_ref.partition(),
            words: &mut chunk_buffer.words,
            dirty: &mut chunk_buffer.dirty,
        })?;
        self.store(chunk_ref, chunk_buffer)?;
        Ok(done)
    }

    fn bytes_moved(&self) -> (u64, u64) {
        self.file.bytes_moved()
    }

    fn drop_cache(&self) -> Result<(), FileError> {
        self.file.drop_cache()
    }
}
