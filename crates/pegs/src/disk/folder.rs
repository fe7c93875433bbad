//! Where the files of layers are, and how many bytes they may take.

use std::fs;
use std::path::Path;

use everymove_kernel::files::{Disk, FileError, Storage, remove_stale_drafts};
use everymove_kernel::machine::free_disk_bytes;
use xxhash_rust::xxh3::xxh3_64;

use super::stored;
use crate::error::PegError;

/// Where layers are kept that do not fit memory.
#[derive(Clone, Copy, Debug)]
pub struct LayerFiles<'a> {
    place: Place<'a>,
    limit: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
enum Place<'a> {
    Storage(&'a dyn Storage),
    Under(&'a Path),
}

impl<'a> LayerFiles<'a> {
    /// In a folder of this question alone.
    pub fn on(storage: &'a dyn Storage) -> Self {
        Self {
            place: Place::Storage(storage),
            limit: None,
        }
    }

    /// In a folder of its own for each question, in this one; it is removed when the question is answered.
    pub fn under(parent: &'a Path) -> Self {
        Self {
            place: Place::Under(parent),
            limit: None,
        }
    }

    /// Uses at most this many bytes of the disk. Without a limit, files in a folder take at most half of what is free there.
    #[must_use]
    pub fn limit(self, bytes: Option<u64>) -> Self {
        Self {
            limit: bytes,
            ..self
        }
    }

    /// Does some work with the folder of a question. Files of earlier runs are there; if the work is done, all are removed.
    pub(super) fn work<T>(
        &self,
        question: &str,
        work: impl FnOnce(Folder<'_>) -> Result<T, PegError>,
    ) -> Result<T, PegError> {
        match self.place {
            Place::Storage(storage) => {
                let limit = self.limit.unwrap_or(u64::MAX);
                let done = work(Folder::new(storage, question, limit)?)?;
                stored::remove_all(storage)?;
                Ok(done)
            }
            Place::Under(parent) => {
                let path = parent.join(format!("layers-{:016x}", xxh3_64(question.as_bytes())));
                let storage = Disk::exclusive(&path)?;
                let free = || free_disk_bytes(&path).map_or(u64::MAX, |free| free / 2);
                let limit = self.limit.unwrap_or_else(free);
                let done = work(Folder::new(&storage, question, limit)?);
                // Parts that are ready are kept for the next run.
                if done.is_ok() || !stored::has_parts(&storage)? {
                    drop(storage);
                    let removed = fs::remove_dir_all(&path);
                    let path = path.display().to_string();
                    removed.map_err(|e| FileError::io("remove", path, e))?;
                }
                done
            }
        }
    }
}

/// A folder in use.
pub(super) struct Folder<'a> {
    pub(super) storage: &'a dyn Storage,
    /// What the files are of.
    pub(super) question: &'a str,
    limit: u64,
    /// Bytes of the files of complete parts.
    used: u64,
}

impl<'a> Folder<'a> {
    pub(super) fn new(
        storage: &'a dyn Storage,
        question: &'a str,
        limit: u64,
    ) -> Result<Self, PegError> {
        remove_stale_drafts(storage)?;
        Ok(Self {
            storage,
            question,
            limit,
            used: 0,
        })
    }

    /// Refuses `more` bytes of files beyond those of complete parts, if they are too many.
    ///
    /// # Errors
    /// [`PegError::OverDisk`].
    pub(super) fn require(&self, more: u64) -> Result<(), PegError> {
        let need = self.used.saturating_add(more);
        match need <= self.limit {
            true => Ok(()),
            false => Err(PegError::OverDisk {
                what: self.question.to_owned(),
                need,
                limit: self.limit,
            }),
        }
    }

    /// Counts bytes of files that are complete.
    pub(super) fn add(&mut self, bytes: u64) {
        self.used += bytes;
    }

    /// Counts bytes of files that were removed.
    pub(super) fn subtract(&mut self, bytes: u64) {
        self.used -= bytes;
    }
}
