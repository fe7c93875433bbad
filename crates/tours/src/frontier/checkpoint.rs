//! Layers on disk, from which a count that was killed is resumed.
//!
//! A checkpoint folder holds one manifest with the question that is counted, and for each phase of the count (the
//! common beginning, the first half, the second half) the last layer that was saved, the first blocks of the layer after
//! it if that takes long, and the sum of the part of the join that is done. Everything else (plan, live degree vectors)
//! is computed anew, which takes a small part of the time. `docs/formats.md` has the bytes.

mod layer_file;

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use everymove_kernel::files::{
    BlockWriter, Disk, FileError, Storage, publish, read_manifest, remove_stale_drafts,
    write_manifest,
};
use everymove_kernel::run::Ram;
use serde::{Deserialize, Serialize};

use super::FrontierError;
use super::block::Layer;
use super::degrees::Degrees;
use super::join::Joined;
use super::pull::BATCH;
use layer_file::{LAYER, read, write};

/// The ending of the files of `external`.
pub(super) const BLOCKS: &str = ".blocks";

const MANIFEST: &str = "count.json";
const MANIFEST_FORMAT: &str = "everymove tours count";
const MANIFEST_VERSION: u32 = 1;
const RESIDUES: &str = "residues.json";
const RESIDUES_FORMAT: &str = "everymove tours residues";
const RESIDUES_VERSION: u32 = 1;
const JOIN: &str = "join.json";
const JOIN_FORMAT: &str = "everymove tours join";
const JOIN_VERSION: u32 = 1;

/// The time between two saves, unless a save itself takes long.
const INTERVAL: Duration = Duration::from_secs(10);

/// A save that takes long is repeated after this many times its duration, so that saving takes at most a fourth of the
/// time.
const PAUSE: u32 = 3;

/// A save that takes little time is repeated after this many times its duration, before the interval has passed.
const SHORT_PAUSE: u32 = 12;

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
            let is_layer = name.ends_with(".layer") || name.ends_with(BLOCKS);
            if is_layer || name.ends_with(".part") || name.ends_with(JOIN) {
                self.storage.remove(&name)?;
            }
        }
        Ok(())
    }

    /// Removes the folder with all that a count leaves there; call it when the answer is known.
    pub(super) fn remove(mut self, directory: &Path) -> Result<(), FrontierError> {
        self.clear()?;
        self.storage.remove(MANIFEST)?;
        drop(self);
        // Without the lock another run may have begun there by now: then the folder stays.
        let _ = fs::remove_file(directory.join("lock"));
        let _ = fs::remove_dir(directory);
        Ok(())
    }

    /// The folder.
    pub(super) fn storage(&self) -> &dyn Storage {
        &*self.storage
    }

    fn prefix(&self, phase: Phase) -> String {
        format!("{}{phase}-", self.pass)
    }

    fn name(&self, phase: Phase, step: usize) -> String {
        format!("{}{step:04}.layer", self.prefix(phase))
    }

    /// The name of the first blocks of a layer.
    fn part_name(&self, phase: Phase, step: usize) -> String {
        format!("{}{step:04}.part", self.prefix(phase))
    }

    /// The steps of a phase of which there is a file with an ending.
    fn steps(&self, phase: Phase, ending: &str) -> Result<Vec<usize>, FrontierError> {
        let prefix = self.prefix(phase);
        let names = self.storage.list()?;
        let step = |name: &String| {
            name.strip_prefix(&prefix)?
                .strip_suffix(ending)?
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
        let Some(step) = self.steps(phase, ".layer")?.into_iter().max() else {
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
        let degrees = Arc::new(std::mem::take(degrees));
        let layer = read(&*self.storage, &name, degrees, ram)?;
        if layer.blocks.len() != layer.degrees.len() {
            let what = "it has fewer blocks than this count".to_owned();
            let path = self.storage.display(&name);
            return Err(FileError::Damaged { path, what }.into());
        }
        Ok(Some((step, layer)))
    }

    /// The saved first blocks of the layer after `step` steps, if any.
    pub(super) fn resume_part(
        &self,
        phase: Phase,
        step: usize,
        degrees: &Arc<Vec<Degrees>>,
        ram: &Ram,
    ) -> Result<Option<Layer>, FrontierError> {
        if !self.steps(phase, ".part")?.contains(&step) {
            return Ok(None);
        }
        let name = self.part_name(phase, step);
        let part = read(&*self.storage, &name, degrees.clone(), ram)?;
        if part.blocks.len() != (part.chunks.len() * BATCH).min(degrees.len()) {
            let what = "it does not end after a chunk of this count".to_owned();
            let path = self.storage.display(&name);
            return Err(FileError::Damaged { path, what }.into());
        }
        Ok(Some(part))
    }

    /// Saves a layer if the last save is long enough ago, and removes the phase's older ones.
    pub(super) fn offer(
        &mut self,
        phase: Phase,
        step: usize,
        layer: &Layer,
    ) -> Result<(), FrontierError> {
        if !self.is_due() {
            return Ok(());
        }
        let started = Instant::now();
        self.save(phase, step, layer)?;
        self.pause_after(started);
        Ok(())
    }

    /// Saves the first blocks of the layer after `step` steps if the last save is long enough ago, and the layer
    /// before it if that was not saved.
    pub(super) fn offer_part(
        &mut self,
        phase: Phase,
        step: usize,
        before: &Layer,
        part: &Layer,
    ) -> Result<(), FrontierError> {
        if !self.is_due() {
            return Ok(());
        }
        let started = Instant::now();
        // The layer before a phase is the last of another phase, or has one block.
        self.save_once(phase, step - 1, before)?;
        let older = self.steps(phase, ".part")?;
        self.publish(&self.part_name(phase, step), part)?;
        for old in older.into_iter().filter(|&old| old != step) {
            self.storage.remove(&self.part_name(phase, old))?;
        }
        self.pause_after(started);
        Ok(())
    }

    /// The saved state of the join.
    pub(super) fn resume_join(&self) -> Result<Joined, FrontierError> {
        let name = format!("{}{JOIN}", self.pass);
        let found = read_manifest(&*self.storage, &name, JOIN_FORMAT, JOIN_VERSION)?;
        Ok(found.unwrap_or_default())
    }

    /// Saves the state of the join if the last save is long enough ago; `halves` are the layers that are joined, with
    /// their phases and numbers of steps.
    pub(super) fn offer_join(
        &mut self,
        joined: &Joined,
        halves: [(Phase, usize, &Layer); 2],
    ) -> Result<(), FrontierError> {
        if !self.is_due() {
            return Ok(());
        }
        let started = Instant::now();
        for (phase, step, layer) in halves {
            self.save_once(phase, step, layer)?;
        }
        let name = format!("{}{JOIN}", self.pass);
        write_manifest(&*self.storage, &name, JOIN_FORMAT, JOIN_VERSION, joined)?;
        self.pause_after(started);
        Ok(())
    }

    fn is_due(&self) -> bool {
        Instant::now() >= self.next
    }

    /// Sets the time of the next save by what a save has cost.
    fn pause_after(&mut self, started: Instant) {
        let cost = started.elapsed().max(Duration::from_millis(5));
        let pause = (SHORT_PAUSE * cost).min(INTERVAL).max(PAUSE * cost);
        self.next = Instant::now() + pause;
    }

    /// Saves a layer unless it is saved, or is the one before the first step of a phase.
    fn save_once(&self, phase: Phase, step: usize, layer: &Layer) -> Result<(), FrontierError> {
        if step == 0 || self.steps(phase, ".layer")?.contains(&step) {
            return Ok(());
        }
        self.save(phase, step, layer)
    }

    /// Saves a layer, and removes the phase's older ones and parts of ones up to it.
    fn save(&self, phase: Phase, step: usize, layer: &Layer) -> Result<(), FrontierError> {
        let older = self.steps(phase, ".layer")?;
        let parts = self.steps(phase, ".part")?;
        self.publish(&self.name(phase, step), layer)?;
        for old in older.into_iter().filter(|&old| old != step) {
            self.storage.remove(&self.name(phase, old))?;
        }
        for old in parts.into_iter().filter(|&old| old <= step) {
            self.storage.remove(&self.part_name(phase, old))?;
        }
        Ok(())
    }

    fn publish(&self, name: &str, layer: &Layer) -> Result<(), FrontierError> {
        publish(&*self.storage, name, |draft| {
            let mut writer = BlockWriter::new(draft, LAYER)?;
            write(&mut writer, layer)?;
            writer.finish()
        })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
