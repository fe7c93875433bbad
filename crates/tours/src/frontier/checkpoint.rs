//! Layers on disk, from which a count that was killed is resumed.
//!
//! A checkpoint folder holds one manifest with the question that is counted, and for each phase of the count (the
//! common beginning, the first half, the second half) the last layer that was saved. Everything else (plan, live
//! degree vectors) is computed anew, which takes a small part of the time. `docs/formats.md` has the bytes.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use everymove_kernel::files::{
    BlockReader, BlockWriter, Disk, FileError, Format, Storage, publish, read_manifest,
    remove_stale_drafts, write_manifest,
};
use everymove_kernel::run::Ram;
use serde::{Deserialize, Serialize};

use super::FrontierError;
use super::block::{BlockRef, Chunk, Form, Layer};
use super::degrees::Degrees;

const LAYER: Format = Format {
    magic: *b"EMTLAYER",
    version: 1,
    what: "a layer of a tours count",
};
const MANIFEST: &str = "count.json";
const MANIFEST_FORMAT: &str = "everymove tours count";
const MANIFEST_VERSION: u32 = 1;
const RESIDUES: &str = "residues.json";
const RESIDUES_FORMAT: &str = "everymove tours residues";
const RESIDUES_VERSION: u32 = 1;

/// Payload bytes of one checked block: small enough to buffer, large enough to make headers cheap.
const PART: usize = 1 << 20;

/// The time between two saves, unless a save itself takes long.
const INTERVAL: Duration = Duration::from_secs(10);

/// A save that takes long is repeated after this many times its duration, so that saving takes at most a fourth of the
/// time.
const PAUSE: u32 = 3;

/// A save that takes little time is repeated after this many times its duration, before the interval has passed.
const SHORT_PAUSE: u32 = 12;

/// Tags of the checked blocks.
const HEAD: u32 = 1;
const PLACES: u32 = 2;
const BITS: u32 = 3;
const RANKS: u32 = 4;
const COUNTS: u32 = 5;
const CHUNK_ENDS: u32 = 6;

/// What a folder belongs to.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Manifest {
    question: String,
}

/// A part of a count with steps of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Common,
    First,
    Second,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Common => "common",
            Self::First => "first",
            Self::Second => "second",
        })
    }
}

/// A checkpoint folder in use.
pub(super) struct Checkpoint {
    storage: Box<dyn Storage>,
    /// Set apart the passes of a count that takes several.
    pass: String,
    next: Instant,
}

impl Checkpoint {
    /// Opens a folder, making it if need be, for a question in words.
    pub(super) fn open(directory: &Path, question: &str) -> Result<Self, FrontierError> {
        Self::on(Box::new(Disk::exclusive(directory)?), question)
    }

    fn on(storage: Box<dyn Storage>, question: &str) -> Result<Self, FrontierError> {
        let manifest = Manifest {
            question: question.to_owned(),
        };
        let found =
            read_manifest::<Manifest>(&*storage, MANIFEST, MANIFEST_FORMAT, MANIFEST_VERSION)?;
        match found {
            Some(found) if found != manifest => {
                return Err(FrontierError::OtherCheckpoint {
                    path: storage.display(MANIFEST),
                    found: found.question,
                    asked: manifest.question,
                });
            }
            Some(_) => remove_stale_drafts(&*storage)?,
            None => {
                write_manifest(
                    &*storage,
                    MANIFEST,
                    MANIFEST_FORMAT,
                    MANIFEST_VERSION,
                    &manifest,
                )?;
            }
        }
        Ok(Self {
            storage,
            pass: String::new(),
            next: Instant::now(),
        })
    }

    /// Starts another pass over the same question, modulo a prime.
    pub(super) fn pass(&mut self, prime: u64) {
        self.pass = format!("mod-{prime}-");
        self.next = Instant::now();
    }

    /// The residues of the passes that are finished, by prime.
    pub(super) fn residues(&self) -> Result<BTreeMap<u64, u64>, FrontierError> {
        let found = read_manifest(&*self.storage, RESIDUES, RESIDUES_FORMAT, RESIDUES_VERSION)?;
        Ok(found.unwrap_or_default())
    }

    /// Keeps the residue of a pass that is finished, and removes its layers.
    pub(super) fn keep_residue(&mut self, prime: u64, residue: u64) -> Result<(), FrontierError> {
        let mut all = self.residues()?;
        all.insert(prime, residue);
        write_manifest(
            &*self.storage,
            RESIDUES,
            RESIDUES_FORMAT,
            RESIDUES_VERSION,
            &all,
        )?;
        self.clear()
    }

    /// Removes the layers; call it when the answer is known.
    pub(super) fn clear(&mut self) -> Result<(), FrontierError> {
        for name in self.storage.list()? {
            if name.ends_with(".layer") {
                self.storage.remove(&name)?;
            }
        }
        Ok(())
    }

    fn prefix(&self, phase: Phase) -> String {
        format!("{}{phase}-", self.pass)
    }

    fn name(&self, phase: Phase, step: usize) -> String {
        format!("{}{step:04}.layer", self.prefix(phase))
    }

    /// The saved steps of a phase.
    fn steps(&self, phase: Phase) -> Result<Vec<usize>, FrontierError> {
        let prefix = self.prefix(phase);
        let names = self.storage.list()?;
        let step = |name: &String| {
            name.strip_prefix(&prefix)?
                .strip_suffix(".layer")?
                .parse::<usize>()
                .ok()
        };
        Ok(names.iter().filter_map(step).collect())
    }

    /// The last saved layer of a phase and the number of steps before it. `degrees` are the live degree vectors of
    /// the phase's layers.
    pub(super) fn resume(
        &self,
        phase: Phase,
        degrees: &mut [Vec<Degrees>],
        ram: &Ram,
    ) -> Result<Option<(usize, Layer)>, FrontierError> {
        let Some(step) = self.steps(phase)?.into_iter().max() else {
            return Ok(None);
        };
        let name = self.name(phase, step);
        let Some(degrees) = degrees.get_mut(step) else {
            let what = "it is of a step that this count does not have".to_owned();
            return Err(FileError::Damaged {
                path: self.storage.display(&name),
                what,
            }
            .into());
        };
        let layer = read(
            &*self.storage,
            &name,
            Arc::new(std::mem::take(degrees)),
            ram,
        )?;
        Ok(Some((step, layer)))
    }

    /// Saves a layer if the last save is long enough ago, and removes the phase's older ones.
    pub(super) fn offer(
        &mut self,
        phase: Phase,
        step: usize,
        layer: &Layer,
    ) -> Result<(), FrontierError> {
        if Instant::now() < self.next {
            return Ok(());
        }
        let started = Instant::now();
        let older = self.steps(phase)?;
        publish(&*self.storage, &self.name(phase, step), |draft| {
            let mut writer = BlockWriter::new(draft, LAYER)?;
            write(&mut writer, layer)?;
            writer.finish()
        })?;
        for old in older.into_iter().filter(|&old| old != step) {
            self.storage.remove(&self.name(phase, old))?;
        }
        let cost = started.elapsed().max(Duration::from_millis(5));
        let pause = (SHORT_PAUSE * cost).min(INTERVAL).max(PAUSE * cost);
        self.next = Instant::now() + pause;
        Ok(())
    }
}

fn write(writer: &mut BlockWriter<'_>, layer: &Layer) -> Result<(), FileError> {
    let mut head = Vec::new();
    head.extend((layer.blocks.len() as u64).to_le_bytes());
    head.extend((layer.chunks.len() as u64).to_le_bytes());
    head.extend(layer.states.to_le_bytes());
    head.extend(layer.sum.to_le_bytes());
    writer.write(HEAD, &head)?;
    let mut blocks = layer.blocks.as_slice();
    for (number, chunk) in layer.chunks.iter().enumerate() {
        let here = blocks
            .iter()
            .take_while(|b| b.chunk as usize == number)
            .count();
        let (of_chunk, rest) = blocks.split_at(here);
        blocks = rest;
        put(writer, PLACES, of_chunk, |b| {
            let mut place = [0; 14];
            place[..4].copy_from_slice(&b.keys.to_le_bytes());
            place[4..8].copy_from_slice(&b.counts.to_le_bytes());
            place[8..12].copy_from_slice(&b.len.to_le_bytes());
            place[12] = match b.form {
                Form::Dense => 0,
                Form::Bitmap => 1,
                Form::Sparse => 2,
            };
            place[13] = b.width;
            place
        })?;
        put(writer, BITS, &chunk.bits, |w| w.to_le_bytes())?;
        put(writer, RANKS, &chunk.ranks, |r| r.to_le_bytes())?;
        put(writer, COUNTS, &chunk.counts, |&c| [c])?;
        writer.write(CHUNK_ENDS, &[0])?;
    }
    Ok(())
}

/// Writes items in parts of about [`PART`] bytes.
fn put<T, const N: usize>(
    writer: &mut BlockWriter<'_>,
    tag: u32,
    items: &[T],
    bytes: impl Fn(&T) -> [u8; N],
) -> Result<(), FileError> {
    for part in items.chunks(PART / N) {
        let payload: Vec<u8> = part.iter().flat_map(&bytes).collect();
        writer.write(tag, &payload)?;
    }
    Ok(())
}

fn read(
    storage: &dyn Storage,
    name: &str,
    degrees: Arc<Vec<Degrees>>,
    ram: &Ram,
) -> Result<Layer, FrontierError> {
    let mut reader = BlockReader::open(storage, name, LAYER)?;
    let mut payload = Vec::new();
    let head = reader.read(&mut payload)?;
    let (Some(HEAD), Ok(head)) = (head, <[u8; 40]>::try_from(payload.as_slice())) else {
        return Err(reader.damaged("it should be the head of a layer").into());
    };
    let number = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().expect("8 bytes"));
    let mut layer = Layer::empty(degrees);
    layer.states = number(16);
    layer.sum = u128::from(number(24)) | u128::from(number(32)) << 64;
    if number(0) != layer.degrees.len() as u64 {
        return Err(reader
            .damaged("the layer has another number of blocks than this count")
            .into());
    }
    for _ in 0..number(8) {
        let first = layer.blocks.len();
        let mut chunk = Chunk::default();
        loop {
            match reader.read(&mut payload)? {
                Some(PLACES) => take(&payload, |place: [u8; 14]| {
                    let number = |at: usize| {
                        u32::from_le_bytes(place[at..at + 4].try_into().expect("4 bytes"))
                    };
                    layer.blocks.push(BlockRef {
                        chunk: layer.chunks.len() as u32,
                        keys: number(0),
                        counts: number(4),
                        len: number(8),
                        form: match place[12] {
                            0 => Form::Dense,
                            1 => Form::Bitmap,
                            _ => Form::Sparse,
                        },
                        width: place[13],
                    });
                }),
                Some(BITS) => take(&payload, |b| chunk.bits.push(u64::from_le_bytes(b))),
                Some(RANKS) => take(&payload, |b| chunk.ranks.push(u32::from_le_bytes(b))),
                Some(COUNTS) => chunk.counts.extend_from_slice(&payload),
                Some(CHUNK_ENDS) => break,
                _ => return Err(reader.damaged("a chunk of counts is not complete").into()),
            }
        }
        if !layer.blocks[first..].iter().all(|block| block.fits(&chunk)) {
            return Err(reader.damaged("a block lies outside its chunk").into());
        }
        chunk.bits.shrink_to_fit();
        chunk.ranks.shrink_to_fit();
        chunk.counts.shrink_to_fit();
        let places = (layer.blocks.len() - first) * size_of::<BlockRef>();
        let bytes = chunk.bytes() + places as u64;
        layer
            .held
            .push(ram.reserve("counting: the counts of a saved layer", bytes)?);
        layer.chunks.push(chunk);
    }
    if reader.read(&mut payload)?.is_some() || layer.blocks.len() != layer.degrees.len() {
        return Err(reader
            .damaged("the layer does not end where it says")
            .into());
    }
    Ok(layer)
}

/// Calls `each` with every whole item of a payload.
fn take<const N: usize>(payload: &[u8], mut each: impl FnMut([u8; N])) {
    for item in payload.chunks_exact(N) {
        each(item.try_into().expect("chunks of N bytes"));
    }
}

#[cfg(test)]
mod tests;
