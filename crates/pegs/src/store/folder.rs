//! Where layers are kept besides memory.

use std::fs;
use std::path::Path;
use std::time::Duration;

use everymove_kernel::files::{Disk, FileError, Storage, remove_stale_drafts};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::PegError;
use crate::problem::Problem;

/// The ending of the names of files with parts of layers.
pub(crate) const PART: &str = ".part";

/// Where layers are kept besides memory; by default nowhere.
#[derive(Clone, Copy, Debug)]
pub struct LayerFiles<'a> {
    /// A folder for one problem alone, in which layers are saved, and from which the next run
    /// takes them.
    pub checkpoint: Option<&'a dyn Storage>,
    /// Layers in memory that were found in less time than this are not saved in the checkpoint; a
    /// resumed run finds them again. With zero every layer is saved, whatever that costs.
    pub worth: Duration,
    /// If the layers do not fit the memory, they are in a folder of this one, which has a name
    /// that follows from the problem and is removed when the question is answered. Without
    /// this folder they are in the checkpoint.
    pub work: Option<&'a Path>,
    /// Bytes of the disk that layers may take which do not fit the memory.
    pub limit: u64,
}

impl Default for LayerFiles<'_> {
    fn default() -> Self {
        Self {
            checkpoint: None,
            // As a board has at most 64 layers, a killed run loses the layer it was computing and a
            // few seconds.
            worth: Duration::from_millis(100),
            work: None,
            limit: u64::MAX,
        }
    }
}

impl LayerFiles<'_> {
    /// Does some work with the folders of a problem. What earlier runs left is there; if the work
    /// is done, the folder for layers that do not fit the memory is removed.
    pub(crate) fn open<T>(
        &self,
        problem: &Problem,
        work: impl FnOnce(Folders<'_>) -> Result<T, PegError>,
    ) -> Result<T, PegError> {
        let folders = |overflow| Folders {
            files: *self,
            overflow,
            first: LayersIn::Memory,
            window: usize::MAX,
        };
        if let Some(storage) = self.checkpoint {
            remove_stale_drafts(storage)?;
        }
        let Some(parent) = self.work else {
            return work(folders(self.checkpoint));
        };
        let hash = xxh3_64(problem.to_string().as_bytes());
        let path = parent.join(format!("layers-{hash:016x}"));
        let storage = Disk::exclusive(&path)?;
        remove_stale_drafts(&storage)?;
        let done = work(folders(Some(&storage)));
        // Parts that are ready are kept for the next run.
        let is_empty = !storage.list()?.iter().any(|name| name.ends_with(PART));
        if done.is_ok() || is_empty {
            drop(storage);
            let removed = fs::remove_dir_all(&path);
            let path = path.display().to_string();
            removed.map_err(|e| FileError::io("remove", path, e))?;
        }
        done
    }
}

/// Folders in use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Folders<'a> {
    pub(crate) files: LayerFiles<'a>,
    /// Where layers are that do not fit the memory.
    pub(crate) overflow: Option<&'a dyn Storage>,
    /// Where layers are to be first.
    pub(crate) first: LayersIn,
    /// The most words of layers in files, or numbers of their positions, that are in memory at a
    /// time.
    pub(crate) window: usize,
}

/// Where the layers of a search are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayersIn {
    /// In memory, whole.
    Memory,
    /// In files, and parts of them in memory.
    Files,
}

impl Folders<'_> {
    /// Does some work with layers in memory or else, if they do not fit, in files.
    pub(crate) fn place<T>(
        &self,
        mut work: impl FnMut(LayersIn) -> Result<T, PegError>,
    ) -> Result<T, PegError> {
        match work(self.first) {
            Err(PegError::OverBudget(_)) if self.overflow.is_some() => work(LayersIn::Files),
            done => done,
        }
    }
}
