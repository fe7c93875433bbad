//! Layers in files, so that a run of minutes can be killed at any instant and resumed.
//!
//! # Format, version 1
//! A file of checked blocks (see [`everymove_kernel::files`]) with the magic bytes `EMPEGLAY`. Block 0, tag
//! 0: lines of UTF-8 text: first the question, then what belongs to the layer. Blocks with tag 1: the words
//! of the bitmap, little-endian, 2^17 words to a block and the last as many as are left.
//!
//! Numbers of the positions of a layer are in a like file with the magic bytes `EMPEGVAL`: block 0 is the same, and the
//! blocks with tag 1 hold the numbers in the order of the positions.

use std::sync::Arc;
use std::time::{Duration, Instant};

use everymove_kernel::files::{BlockReader, BlockWriter, FileError, Format, Storage, publish};
use everymove_kernel::run::Run;

use crate::error::PegError;
use crate::layers::{ClassLayers, Layer};

const FORMAT: Format = Format {
    magic: *b"EMPEGLAY",
    version: 1,
    what: "a layer of peg positions",
};

const VALUES_FORMAT: Format = Format {
    magic: *b"EMPEGVAL",
    version: 1,
    what: "numbers of a layer of peg positions",
};

/// Bytes of numbers in a block, about.
const VALUES_BLOCK: usize = 1 << 20;

/// Words in a block: one megabyte.
const BLOCK: usize = 1 << 17;

/// Where a run saves its layers, and which of them.
#[derive(Clone, Copy, Debug)]
pub struct Checkpoint<'a> {
    /// A folder for this question alone.
    pub storage: &'a dyn Storage,
    /// Layers that were found in less time than this are not saved; a resumed run finds them again. With zero every
    /// layer is saved, whatever that costs.
    pub worth: Duration,
}

impl<'a> Checkpoint<'a> {
    /// Saves every layer that took a tenth of a second or more: as a board has at most 64 layers, a killed run loses the
    /// layer it was computing and a few seconds.
    pub fn new(storage: &'a dyn Storage) -> Self {
        Self {
            storage,
            worth: Duration::from_millis(100),
        }
    }

    pub(crate) fn save(
        &self,
        name: &str,
        question: &str,
        notes: &str,
        layer: &Layer,
    ) -> Result<(), PegError> {
        publish(self.storage, name, |draft| {
            let mut blocks = BlockWriter::new(draft, FORMAT)?;
            blocks.write(0, format!("{question}\n{notes}").as_bytes())?;
            let mut bytes = Vec::with_capacity(8 * BLOCK);
            for words in layer.words.chunks(BLOCK) {
                bytes.clear();
                bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
                blocks.write(1, &bytes)?;
            }
            blocks.finish()?;
            Ok(())
        })
    }

    /// The notes saved under `name`, and a reader for the layer; `None` if there is no such file.
    pub(crate) fn open(&self, name: &str, question: &str) -> Result<Option<Saved>, PegError> {
        self.open_as(FORMAT, name, question)
    }

    fn open_as(
        &self,
        format: Format,
        name: &str,
        question: &str,
    ) -> Result<Option<Saved>, PegError> {
        let mut blocks = match BlockReader::open(self.storage, name, format) {
            Err(error) if error.is_not_found() => return Ok(None),
            opened => opened?,
        };
        let mut payload = Vec::new();
        blocks.read(&mut payload)?;
        let text = String::from_utf8(payload).map_err(|_| blocks.damaged("it is no text"))?;
        let (found, notes) = text
            .split_once('\n')
            .ok_or_else(|| blocks.damaged("its question is missing"))?;
        if found != question {
            return Err(PegError::OtherQuestion {
                path: self.storage.display(name),
                found: found.to_owned(),
                expected: question.to_owned(),
            });
        }
        Ok(Some(Saved {
            notes: notes.to_owned(),
            blocks,
        }))
    }

    /// Saves a number of `N` bytes for every position of a layer.
    pub(crate) fn save_values<T: Copy, const N: usize>(
        &self,
        name: &str,
        question: &str,
        notes: &str,
        values: &[T],
        bytes: impl Fn(T) -> [u8; N],
    ) -> Result<(), PegError> {
        publish(self.storage, name, |draft| {
            let mut blocks = BlockWriter::new(draft, VALUES_FORMAT)?;
            blocks.write(0, format!("{question}\n{notes}").as_bytes())?;
            for part in values.chunks(VALUES_BLOCK / N) {
                let payload: Vec<u8> = part.iter().flat_map(|&value| bytes(value)).collect();
                blocks.write(1, &payload)?;
            }
            blocks.finish()?;
            Ok(())
        })
    }

    /// The notes of the numbers saved under `name`, and a reader for the numbers; `None` if there is no such file.
    pub(crate) fn open_values(
        &self,
        name: &str,
        question: &str,
    ) -> Result<Option<Saved>, PegError> {
        self.open_as(VALUES_FORMAT, name, question)
    }

    /// The layer under `name`, or else what `find` finds, which is saved if that took at least `worth`.
    pub(crate) fn keep(
        &self,
        name: &str,
        question: &str,
        class_layers: &ClassLayers,
        pegs: usize,
        run: &Run,
        find: impl FnOnce() -> Result<Layer, PegError>,
    ) -> Result<Layer, PegError> {
        if let Some(saved) = self.open(name, question)? {
            return saved.layer(class_layers, pegs, run);
        }
        let begun = Instant::now();
        let layer = find()?;
        if begun.elapsed() >= self.worth {
            self.save(name, question, "", &layer)?;
        }
        Ok(layer)
    }
}

/// When to save a state that replaces the last one: after enough time, and so that saving takes a tenth of it at most.
pub(crate) struct SaveTimer {
    last: Instant,
    cost: Duration,
}

impl SaveTimer {
    pub(crate) fn new() -> Self {
        Self {
            last: Instant::now(),
            cost: Duration::ZERO,
        }
    }

    /// Whether at least `worth` and nine times the cost of the last save have passed since then; always if `worth` is
    /// zero.
    pub(crate) fn is_due(&self, worth: Duration) -> bool {
        worth.is_zero() || self.last.elapsed() >= worth.max(9 * self.cost)
    }

    /// Saves, and measures how long that takes.
    pub(crate) fn save<T>(&mut self, save: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let saved = save();
        self.last = Instant::now();
        self.cost = self.last - begun;
        saved
    }
}

/// A saved layer whose notes have been read.
pub(crate) struct Saved {
    pub(crate) notes: String,
    blocks: BlockReader,
}

impl Saved {
    /// The layer.
    pub(crate) fn layer(
        mut self,
        class_layers: &ClassLayers,
        pegs: usize,
        run: &Run,
    ) -> Result<Layer, PegError> {
        let mut layer = Layer::empty(Arc::new(class_layers.layout(pegs)), &run.ram)?;
        let mut payload = Vec::new();
        for words in layer.words.chunks_mut(BLOCK) {
            let tag = self.blocks.read(&mut payload)?;
            if tag != Some(1) || payload.len() != 8 * words.len() {
                return Err(self.other_size());
            }
            for (word, bytes) in words.iter_mut().zip(payload.as_chunks::<8>().0) {
                *word = u64::from_le_bytes(*bytes);
            }
        }
        if self.blocks.read(&mut payload)?.is_some() {
            return Err(self.other_size());
        }
        Ok(layer)
    }

    /// The numbers, which must be as many as `values`.
    pub(crate) fn values<T, const N: usize>(
        mut self,
        values: &mut [T],
        value: impl Fn([u8; N]) -> T,
    ) -> Result<(), PegError> {
        let mut payload = Vec::new();
        for part in values.chunks_mut(VALUES_BLOCK / N) {
            let tag = self.blocks.read(&mut payload)?;
            if tag != Some(1) || payload.len() != N * part.len() {
                return Err(self.other_size());
            }
            for (to, bytes) in part.iter_mut().zip(payload.as_chunks::<N>().0) {
                *to = value(*bytes);
            }
        }
        if self.blocks.read(&mut payload)?.is_some() {
            return Err(self.other_size());
        }
        Ok(())
    }

    /// An error for notes that make no sense.
    pub(crate) fn damaged(&self, what: &str) -> PegError {
        let error: FileError = self.blocks.damaged(what);
        error.into()
    }

    fn other_size(&self) -> PegError {
        self.damaged("the layer has another size")
    }
}
