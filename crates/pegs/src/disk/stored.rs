//! A layer in files: one or more parts, each with the words of consecutive heads, read from front to back.
//!
//! # Format, version 1
//! A part is a file of checked blocks (see [`everymove_kernel::files`]) with the magic bytes `EMPEGPRT`, named
//! `LAYER-HEAD.part` after the number of its first head. Block 0, tag 0: lines of UTF-8 text: the question; `heads FIRST
//! END positions N`, the heads from `FIRST` up to but not including `END`, and the number of their positions; then what
//! belongs to the layer. Blocks with tag 1: the first head and the end of a run of heads (u32, little-endian), and the
//! words of these heads, little-endian, as a compressed payload. Heads without positions may be left out.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use everymove_kernel::files::{
    BlockReader, BlockWriter, FileError, Format, Packer, Storage, Unpacker, publish,
};
use everymove_kernel::parallel;
use everymove_kernel::run::Run;

use super::folder::Folder;
use crate::error::PegError;
use crate::layers::layout::{ClassLayers, Layout, Span};

const FORMAT: Format = Format {
    magic: *b"EMPEGPRT",
    version: 1,
    what: "a part of a layer of peg positions",
};

/// The ending of the names of parts.
const PART: &str = ".part";

/// Words of a block: what is compressed at a time, 256 kB.
const BLOCK: usize = 1 << 15;

/// The most bytes of a block before compression: a block has one head at least.
const MOST: usize = 64 << 20;

/// Blocks that may be compressed while an earlier one is not written, for each thread.
const WINDOW: usize = 2;

/// Bytes that reading a layer and writing another take besides their words, and for each thread.
pub(super) const BUFFERS: u64 = 3 << 20;
pub(super) const BUFFERS_A_THREAD: u64 = 2 << 20;

/// A word of a bitmap in memory.
pub(super) trait Word {
    fn store(&mut self, word: u64);
}

impl Word for u64 {
    fn store(&mut self, word: u64) {
        *self = word;
    }
}

impl Word for AtomicU64 {
    fn store(&mut self, word: u64) {
        *self.get_mut() = word;
    }
}

/// A file with the words of some heads.
#[derive(Clone, Debug)]
struct Part {
    name: String,
    heads: Range<usize>,
}

/// A layer of which some parts, from the first head on, are in files.
#[derive(Clone)]
pub(super) struct Stored<L> {
    /// The name of the layer, with which those of its files begin.
    name: String,
    pub(super) layout: L,
    parts: Vec<Part>,
    /// Positions of the parts.
    pub(super) positions: u64,
    /// What belongs to the layer.
    pub(super) notes: String,
    /// Bytes of the files.
    pub(super) bytes: u64,
}

/// A layer that can be read and extended: the places of its heads are in memory.
pub(super) type StoredLayer = Stored<Arc<Layout>>;

/// A layer that takes no memory for its places.
pub(super) type ClosedLayer = Stored<Extent>;

/// How large a layer is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// Pegs of every position in the layer.
    pub(super) pegs: usize,
    /// Words of its bitmap.
    pub(super) words: usize,
}

impl<L> Stored<L> {
    fn with_layout<M>(self, layout: M) -> Stored<M> {
        Stored {
            name: self.name,
            layout,
            parts: self.parts,
            positions: self.positions,
            notes: self.notes,
            bytes: self.bytes,
        }
    }
}

impl ClosedLayer {
    /// The layer with its places, which follow from those of its class.
    pub(super) fn open(&self, class_layers: &ClassLayers) -> StoredLayer {
        let layout = Arc::new(class_layers.layout(self.layout.pegs));
        self.clone().with_layout(layout)
    }
}

impl StoredLayer {
    /// Gives back the memory of its places.
    pub(super) fn close(self) -> ClosedLayer {
        let extent = Extent {
            pegs: self.layout.pegs,
            words: self.layout.words(),
        };
        self.with_layout(extent)
    }

    /// The parts that are there; those that are damaged, or that follow such a part or a gap, are removed.
    ///
    /// # Errors
    /// [`PegError::File`], [`PegError::OtherQuestion`], [`PegError::Stopped`].
    pub(super) fn open(
        folder: &Folder<'_>,
        name: &str,
        layout: Arc<Layout>,
        run: &Run,
    ) -> Result<Self, PegError> {
        let mut layer = Self {
            name: name.to_owned(),
            layout,
            parts: Vec::new(),
            positions: 0,
            notes: String::new(),
            bytes: 0,
        };
        for file in parts(folder.storage, name)? {
            let usable = match file == layer.next_file() {
                true => layer.checked(folder, &file, run),
                false => Ok(false),
            };
            match usable {
                Ok(true) => {}
                Ok(false)
                | Err(PegError::File(
                    FileError::Damaged { .. }
                    | FileError::Foreign { .. }
                    | FileError::Version { .. },
                )) => folder.storage.remove(&file)?,
                Err(error) => return Err(error),
            }
        }
        Ok(layer)
    }

    /// Reads all of a file that should be the next part; whether it is, and then it is appended.
    fn checked(&mut self, folder: &Folder<'_>, file: &str, run: &Run) -> Result<bool, PegError> {
        let mut blocks = BlockReader::open(folder.storage, file, FORMAT)?;
        let bytes = blocks.left();
        let mut payload = Vec::new();
        blocks.read(&mut payload)?;
        let text = String::from_utf8(payload).map_err(|_| blocks.damaged("it is no text"))?;
        let (found, rest) = text.split_once('\n').unwrap_or((&text, ""));
        if found != folder.question {
            return Err(PegError::OtherQuestion {
                path: folder.storage.display(file),
                found: found.to_owned(),
                expected: folder.question.to_owned(),
            });
        }
        let (line, notes) = rest.split_once('\n').unwrap_or((rest, ""));
        let words: Vec<&str> = line.split(' ').collect();
        let ["heads", first, end, "positions", positions] = words[..] else {
            return Ok(false);
        };
        let (Ok(first), Ok(end), Ok(positions)) = (first.parse(), end.parse(), positions.parse())
        else {
            return Ok(false);
        };
        let heads: Range<usize> = first..end;
        if heads.start != self.end() || heads.is_empty() || heads.end > self.layout.heads() {
            return Ok(false);
        }
        let mut payload = Vec::new();
        while blocks.read(&mut payload)?.is_some() {
            run.stop.check()?;
        }
        self.append(file.to_owned(), heads, positions, bytes, notes);
        Ok(true)
    }

    fn append(
        &mut self,
        name: String,
        heads: Range<usize>,
        positions: u64,
        bytes: u64,
        notes: &str,
    ) {
        self.parts.push(Part { name, heads });
        self.positions += positions;
        self.bytes += bytes;
        self.notes = notes.to_owned();
    }

    /// The head after those of the parts.
    pub(super) fn end(&self) -> usize {
        self.parts.last().map_or(0, |part| part.heads.end)
    }

    /// Whether the parts have all heads.
    pub(super) fn is_complete(&self) -> bool {
        self.end() == self.layout.heads()
    }

    fn next_file(&self) -> String {
        format!("{}-{:08}{PART}", self.name, self.end())
    }

    /// Writes the next part: the words of the span, which begins where the parts end.
    ///
    /// # Errors
    /// [`PegError::File`], [`PegError::Stopped`], [`PegError::OverDisk`].
    pub(super) fn write(
        &mut self,
        folder: &Folder<'_>,
        span: &Span,
        words: &[AtomicU64],
        notes: &str,
        run: &Run,
    ) -> Result<(), PegError> {
        let load = |word: &AtomicU64| word.load(Ordering::Relaxed);
        let positions = words.iter().map(|word| u64::from(load(word).count_ones()));
        let positions: u64 = positions.sum();
        let Range { start, end } = span.heads;
        let name = self.next_file();
        let pack = |(packer, raw): &mut (Option<Packer>, Vec<u8>), heads: Range<usize>| {
            let words = &words[span.start(heads.start)..span.start(heads.end)];
            if words.iter().all(|word| load(word) == 0) {
                return Ok::<_, PegError>(Vec::new());
            }
            raw.clear();
            raw.extend(words.iter().flat_map(|word| load(word).to_le_bytes()));
            let packer = match packer {
                Some(packer) => packer,
                empty => empty.insert(Packer::new()?),
            };
            let mut payload = Vec::new();
            payload.extend((heads.start as u32).to_le_bytes());
            payload.extend((heads.end as u32).to_le_bytes());
            payload.extend(packer.pack(raw)?);
            Ok(payload)
        };
        let bytes = publish(folder.storage, &name, |draft| {
            let head = format!(
                "{}\nheads {start} {end} positions {positions}\n{notes}",
                folder.question
            );
            let mut blocks = BlockWriter::new(draft, FORMAT)?;
            blocks.write(0, head.as_bytes())?;
            let mut bytes = head.len() as u64;
            let starts = |first: usize| (first < end).then(|| block(span, first));
            let runs = std::iter::successors(starts(start), |run| starts(run.end));
            parallel::try_in_order(
                run,
                runs,
                WINDOW * run.threads.get(),
                || (None, Vec::new()),
                pack,
                |payload| {
                    if payload.is_empty() {
                        return Ok(());
                    }
                    bytes += payload.len() as u64;
                    folder.require(bytes)?;
                    Ok(blocks.write(1, &payload)?)
                },
            )?;
            blocks.finish()?;
            Ok::<u64, PegError>(draft.length())
        })?;
        self.append(name, start..end, positions, bytes, notes);
        Ok(())
    }

    /// Removes the files.
    ///
    /// # Errors
    /// [`PegError::File`].
    pub(super) fn remove(self, storage: &dyn Storage) -> Result<(), PegError> {
        for part in &self.parts {
            storage.remove(&part.name)?;
        }
        Ok(())
    }

    /// Reads the layer from its first head on.
    pub(super) fn reader<'a>(&'a self, storage: &'a dyn Storage) -> Reader<'a> {
        Reader {
            storage,
            layer: self,
            next: 0,
            blocks: None,
            payload: Vec::new(),
            raw: Vec::new(),
            heads: 0..0,
            unpacker: None,
        }
    }
}

/// The names of the files of a layer's parts, in ascending order of their heads.
fn parts(storage: &dyn Storage, layer: &str) -> Result<Vec<String>, PegError> {
    let mut files = storage.list()?;
    let head = |name: &str| {
        let head = name.strip_prefix(layer)?.strip_prefix('-')?;
        head.strip_suffix(PART)?.parse::<usize>().ok()
    };
    files.retain(|name| head(name).is_some());
    Ok(files)
}

/// Removes the files of a layer, whatever is in them.
///
/// # Errors
/// [`PegError::File`].
pub(super) fn remove(storage: &dyn Storage, layer: &str) -> Result<(), PegError> {
    for file in parts(storage, layer)? {
        storage.remove(&file)?;
    }
    Ok(())
}

/// Whether there are files of layers.
///
/// # Errors
/// [`PegError::File`].
pub(super) fn has_parts(storage: &dyn Storage) -> Result<bool, PegError> {
    Ok(storage.list()?.iter().any(|name| name.ends_with(PART)))
}

/// Removes the files of all layers.
///
/// # Errors
/// [`PegError::File`].
pub(super) fn remove_all(storage: &dyn Storage) -> Result<(), PegError> {
    for file in storage.list()?.iter().filter(|name| name.ends_with(PART)) {
        storage.remove(file)?;
    }
    Ok(())
}

/// The heads of the block that begins with `first`, in a part with the heads of `span`.
fn block(span: &Span, first: usize) -> Range<usize> {
    let heads = span.layout.heads_within(first, BLOCK);
    first..heads.end.min(span.heads.end)
}

/// Reads spans of a layer in ascending order.
pub(super) struct Reader<'a> {
    storage: &'a dyn Storage,
    layer: &'a StoredLayer,
    /// The part to be opened next.
    next: usize,
    blocks: Option<BlockReader>,
    payload: Vec<u8>,
    /// The words of the block read last.
    raw: Vec<u8>,
    /// Its heads.
    heads: Range<usize>,
    unpacker: Option<Unpacker>,
}

impl Reader<'_> {
    /// Replaces `words` by those of a span, which begins where the last one ended or later.
    ///
    /// # Errors
    /// [`PegError::File`] of a damaged file, [`PegError::Stopped`].
    pub(super) fn read<T: Word>(
        &mut self,
        span: &Span,
        words: &mut [T],
        run: &Run,
    ) -> Result<(), PegError> {
        words.iter_mut().for_each(|word| word.store(0));
        loop {
            self.copy(span, words);
            if self.heads.end >= span.heads.end || !self.advance(run)? {
                return Ok(());
            }
        }
    }

    /// Copies what the span and the block have in common.
    fn copy<T: Word>(&self, span: &Span, words: &mut [T]) {
        let first = self.heads.start.max(span.heads.start);
        let end = self.heads.end.min(span.heads.end);
        if first >= end {
            return;
        }
        let layout = &span.layout;
        let offset = layout.start(first) - layout.start(self.heads.start);
        let to = &mut words[span.start(first)..span.start(end)];
        let from = self.raw.as_chunks::<8>().0.iter().skip(offset);
        for (to, bytes) in to.iter_mut().zip(from) {
            to.store(u64::from_le_bytes(*bytes));
        }
    }

    /// Reads the next block; whether there was one.
    fn advance(&mut self, run: &Run) -> Result<bool, PegError> {
        run.stop.check()?;
        loop {
            let Some(blocks) = &mut self.blocks else {
                let Some(part) = self.layer.parts.get(self.next) else {
                    return Ok(false);
                };
                let opened = BlockReader::open(self.storage, &part.name, FORMAT)?;
                let blocks = self.blocks.insert(opened);
                // The text was read before.
                blocks.read(&mut self.payload)?;
                self.next += 1;
                continue;
            };
            if blocks.read(&mut self.payload)?.is_none() {
                self.blocks = None;
                continue;
            }
            let wrong = || blocks.damaged("it is no block of a layer");
            let number = |at: usize| {
                let bytes = self.payload.get(at..at + 4)?.try_into().ok()?;
                Some(u32::from_le_bytes(bytes) as usize)
            };
            let (first, end) = number(0).zip(number(4)).ok_or_else(wrong)?;
            let part = &self.layer.parts[self.next - 1].heads;
            if first < part.start.max(self.heads.end) || end <= first || end > part.end {
                return Err(wrong().into());
            }
            let unpacker = match &mut self.unpacker {
                Some(unpacker) => unpacker,
                empty => empty.insert(Unpacker::new()?),
            };
            let layout = &self.layer.layout;
            let bytes = 8 * (layout.start(end) - layout.start(first));
            let unpacked = unpacker.unpack(&self.payload[8..], MOST, &mut self.raw);
            if unpacked.is_none() || self.raw.len() != bytes {
                return Err(wrong().into());
            }
            self.heads = first..end;
            return Ok(true);
        }
    }
}
