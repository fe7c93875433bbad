//! The folder from which a count that was killed is resumed.
//!
//! A manifest says which question is counted. Beside it are layers, one file each, the residues of
//! the passes that are finished, the part of the join that is done, and the journal of the classes.
//! Everything else (plan, live degree vectors) is computed anew, which takes a small part of the
//! time. `docs/formats.md` has the manifests.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use everymove_kernel::files::{Disk, Storage, read_manifest, remove_stale_drafts, write_manifest};
use everymove_kernel::machine::free_disk_bytes;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::frontier::FrontierError;
use crate::frontier::join::Joined;
use crate::frontier::step::plan::Phase;
use crate::frontier::store::Place;

/// The ending of the files of layers.
pub(crate) const BLOCKS: &str = ".blocks";

/// The beginning of the names of files with a class of a layer.
const CLASS: &str = "class-";

const MANIFEST: &str = "count.json";
const MANIFEST_FORMAT: &str = "everymove tours count";
const RESIDUES: &str = "residues.json";
const RESIDUES_FORMAT: &str = "everymove tours residues";
const JOIN: &str = "join.json";
const JOIN_FORMAT: &str = "everymove tours join";
const VERSION: u32 = 1;

/// The time between two saves, unless a save itself takes long.
const INTERVAL: Duration = Duration::from_secs(10);

/// A save that takes long is repeated after this many times its duration, so that saving takes at
/// most a fourth of the time.
const PAUSE: u32 = 3;

/// A save that takes little time is repeated after this many times its duration, before the
/// interval has passed.
const SHORT_PAUSE: u32 = 12;

/// What a folder belongs to.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Manifest {
    question: String,
}

/// A folder in use.
pub(crate) struct Folder {
    storage: Arc<dyn Storage>,
    /// Sets apart the passes of a count that takes several.
    pass: String,
    next: Instant,
}

impl Folder {
    /// Opens a folder, making it if need be, for a question in words.
    pub(crate) fn open(directory: &Path, question: &str) -> Result<Self, FrontierError> {
        Self::on(Arc::new(Disk::exclusive(directory)?), question)
    }

    pub(crate) fn on(storage: Arc<dyn Storage>, question: &str) -> Result<Self, FrontierError> {
        let manifest = Manifest {
            question: question.to_owned(),
        };
        let found = read_manifest::<Manifest>(&*storage, MANIFEST, MANIFEST_FORMAT, VERSION)?;
        match found {
            Some(found) if found != manifest => {
                return Err(FrontierError::OtherCheckpoint {
                    path: storage.display(MANIFEST),
                    found: found.question,
                    asked: manifest.question,
                });
            }
            Some(_) => remove_stale_drafts(&*storage)?,
            None => write_manifest(&*storage, MANIFEST, MANIFEST_FORMAT, VERSION, &manifest)?,
        }
        Ok(Self {
            storage,
            pass: String::new(),
            next: Instant::now(),
        })
    }

    /// The files of the folder.
    pub(crate) fn storage(&self) -> &Arc<dyn Storage> {
        &self.storage
    }

    /// Starts another pass over the same question, modulo a prime.
    pub(crate) fn pass(&mut self, prime: u64) {
        self.pass = format!("mod-{prime}-");
        self.next = Instant::now();
    }

    /// The residues of the passes that are finished, by prime.
    pub(crate) fn residues(&self) -> Result<BTreeMap<u64, u64>, FrontierError> {
        let found = read_manifest(&*self.storage, RESIDUES, RESIDUES_FORMAT, VERSION)?;
        Ok(found.unwrap_or_default())
    }

    /// Keeps the residue of a pass that is finished, and removes its layers.
    pub(crate) fn keep_residue(&mut self, prime: u64, residue: u64) -> Result<(), FrontierError> {
        let mut all = self.residues()?;
        all.insert(prime, residue);
        write_manifest(&*self.storage, RESIDUES, RESIDUES_FORMAT, VERSION, &all)?;
        self.clear()
    }

    /// The state of the join that an earlier run kept.
    pub(crate) fn resume_join(&self) -> Result<Joined, FrontierError> {
        let name = format!("{}{JOIN}", self.pass);
        let found = read_manifest(&*self.storage, &name, JOIN_FORMAT, VERSION)?;
        Ok(found.unwrap_or_default())
    }

    /// Keeps the state of the join, if it is time.
    pub(crate) fn keep_join(&mut self, joined: &Joined) -> Result<(), FrontierError> {
        let name = format!("{}{JOIN}", self.pass);
        self.when_due(|storage| {
            write_manifest(storage, &name, JOIN_FORMAT, VERSION, joined)?;
            Ok(())
        })
    }

    /// Whether there is something to go on from.
    pub(crate) fn is_begun(&self) -> Result<bool, FrontierError> {
        let files = self.storage.list()?;
        let is_begun = |name: &String| name != MANIFEST && name != "lock";
        Ok(files.iter().any(is_begun))
    }

    /// Removes layers and the state of the join; call it when the answer is known.
    pub(crate) fn clear(&mut self) -> Result<(), FrontierError> {
        for name in self.storage.list()? {
            if name.ends_with(BLOCKS) || name.ends_with(JOIN) {
                self.storage.remove(&name)?;
            }
        }
        Ok(())
    }

    /// Removes the folder with all that a count leaves there; call it when the answer is known.
    pub(crate) fn remove(self, directory: &Path) -> Result<(), FrontierError> {
        for name in self.storage.list()? {
            if name != "lock" {
                self.storage.remove(&name)?;
            }
        }
        drop(self);
        // Without the lock another run may have begun there by now: then the folder stays.
        let _ = fs::remove_file(directory.join("lock"));
        let _ = fs::remove_dir(directory);
        Ok(())
    }

    /// The name of the file of a layer.
    pub(crate) fn name(&self, place: Place) -> String {
        let (phase, step) = (place.phase.name(), place.step);
        match place.is_whole {
            true => format!("{}{phase}-{step:04}{BLOCKS}", self.pass),
            false => format!("{CLASS}{step:04}{BLOCKS}"),
        }
    }

    /// The steps of a phase of which there is a layer, the last first.
    pub(crate) fn steps(&self, phase: Phase) -> Result<Vec<usize>, FrontierError> {
        let prefix = format!("{}{}-", self.pass, phase.name());
        let names = self.storage.list()?;
        let step = |name: &String| {
            let step = name.strip_prefix(&prefix)?.strip_suffix(BLOCKS)?;
            step.parse::<usize>().ok()
        };
        let mut steps: Vec<usize> = names.iter().filter_map(step).collect();
        steps.sort_unstable_by_key(|&step| std::cmp::Reverse(step));
        Ok(steps)
    }

    /// Removes the classes of layers that another run left.
    pub(crate) fn remove_classes(&mut self) -> Result<(), FrontierError> {
        for name in self.storage.list()? {
            if name.starts_with(CLASS) {
                self.storage.remove(&name)?;
            }
        }
        Ok(())
    }

    /// Saves something if the last save is long enough ago, and sets the time of the next one by
    /// what it cost.
    pub(crate) fn when_due(
        &mut self,
        save: impl FnOnce(&dyn Storage) -> Result<(), FrontierError>,
    ) -> Result<(), FrontierError> {
        let started = Instant::now();
        if started < self.next {
            return Ok(());
        }
        save(&*self.storage)?;
        let cost = started.elapsed().max(Duration::from_millis(5));
        let pause = (SHORT_PAUSE * cost).min(INTERVAL).max(PAUSE * cost);
        self.next = Instant::now() + pause;
        Ok(())
    }
}

/// Counts what `words` say in a folder for layers, given the bytes that its files may take: `disk`,
/// or half of what is free. The folder is removed when the count is complete.
pub(crate) fn in_folder<T>(
    words: &str,
    parent: &Path,
    disk: Option<u64>,
    count: impl FnOnce(Folder, u64) -> Result<T, FrontierError>,
) -> Result<T, FrontierError> {
    let path = parent.join(format!("layers-{:016x}", xxh3_64(words.as_bytes())));
    let folder = Folder::open(&path, words)?;
    let limit = disk.unwrap_or_else(|| free_disk_bytes(&path).map_or(u64::MAX, |free| free / 2));
    let counted = count(folder, limit);
    // What is ready is kept for the next run.
    if let Ok(folder) = Folder::open(&path, words)
        && (counted.is_ok() || !folder.is_begun()?)
    {
        folder.remove(&path)?;
    }
    counted
}

#[cfg(test)]
mod tests;
