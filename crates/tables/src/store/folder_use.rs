//! Several builds in one directory at once: the directory is locked for all that build endings, and
//! each ending for one of them.

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use everymove_kernel::files::{
    Access, Disk, FileError, PositionalFile, ReadFile, Storage, WriteFile, open_lock,
    remove_stale_drafts,
};
use everymove_kernel::run::Run;
use everymove_kernel::system::{is_at, try_lock, try_lock_shared};

use crate::error::TableError;

/// The file of [`Disk::exclusive`].
const LOCK: &str = "lock";
/// Between two attempts to get a lock.
const WAIT: Duration = Duration::from_millis(100);
/// Attempts to get the lock of a directory, which another build may hold exclusively while it
/// starts.
const ATTEMPTS: usize = 10;

/// A directory in which several builds may run, but nothing that needs it alone.
#[derive(Debug)]
pub(crate) struct FolderUse {
    disk: Disk,
    /// Held until this value is dropped.
    _shared: File,
}

/// An ending that no other build works on.
#[derive(Debug)]
pub(crate) struct EndingLock {
    path: PathBuf,
    /// Held until this value is dropped.
    _file: File,
}

impl FolderUse {
    /// Creates the directory if it is missing and locks it together with other builds. The first of
    /// them removes the drafts that a crash left.
    ///
    /// # Errors
    /// [`FileError::InUse`] if another process has it for itself, [`FileError::Io`], or the run is
    /// stopped.
    pub(crate) fn new(folder: &Path, run: &Run) -> Result<Self, TableError> {
        let path = folder.display().to_string();
        fs::create_dir_all(folder).map_err(|e| FileError::io("create", &path, e))?;
        let opened =
            || open_lock(&folder.join(LOCK)).map_err(|e| FileError::io("write in", &path, e));
        let disk = Disk::new(folder);
        let alone = opened()?;
        if try_lock(&alone).is_ok() {
            remove_stale_drafts(&disk)?;
        }
        // Closed and opened again: not every Windows can unlock a file that stays open.
        drop(alone);
        let lock = opened()?;
        for attempt in 0.. {
            match try_lock_shared(&lock) {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if attempt < ATTEMPTS => {
                    run.stop.check()?;
                    std::thread::sleep(WAIT);
                }
                Err(TryLockError::WouldBlock) => return Err(FileError::InUse { path }.into()),
                Err(TryLockError::Error(e)) => return Err(FileError::io("lock", path, e).into()),
            }
        }
        Ok(Self {
            disk,
            _shared: lock,
        })
    }

    pub(crate) fn disk(&self) -> &Disk {
        &self.disk
    }

    /// Locks the file `name` of an ending; waits while another build has it.
    ///
    /// # Errors
    /// [`FileError::Io`], or the run is stopped.
    pub(crate) fn lock(&self, name: &str, run: &Run) -> Result<EndingLock, TableError> {
        let path = self.disk.folder().join(format!("{name}.{LOCK}"));
        let shown = || path.display().to_string();
        loop {
            let file = open_lock(&path).map_err(|e| FileError::io("write", shown(), e))?;
            match try_lock(&file) {
                // The build that had it may have removed the file since it was opened.
                Ok(()) if is_at(&file, &path) => return Ok(EndingLock { path, _file: file }),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    run.progress
                        .start(format!("waiting for another build of {name}"), 0);
                    std::thread::sleep(WAIT);
                }
                Err(TryLockError::Error(e)) => {
                    return Err(FileError::io("lock", shown(), e).into());
                }
            }
            run.stop.check()?;
        }
    }
}

impl Drop for EndingLock {
    fn drop(&mut self) {
        // Removed while it is locked; a file that stays is locked by the next build.
        let _ = fs::remove_file(&self.path);
    }
}

/// A storage in which all names begin with that of a table: the scratch files of its build.
#[derive(Debug)]
pub(crate) struct Scratch {
    storage: Arc<dyn Storage>,
    prefix: String,
}

impl Scratch {
    /// Returns the scratch files of the table `name`.
    pub(crate) fn new(storage: &Arc<dyn Storage>, name: impl fmt::Display) -> Self {
        Self {
            storage: storage.clone(),
            prefix: format!("{name}."),
        }
    }

    fn name(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }
}

impl Storage for Scratch {
    fn create(&self, name: &str) -> Result<Box<dyn WriteFile>, FileError> {
        self.storage.create(&self.name(name))
    }

    fn draft(&self, name: &str) -> Result<(String, Box<dyn WriteFile>), FileError> {
        let (draft, file) = self.storage.draft(&self.name(name))?;
        Ok((draft[self.prefix.len()..].to_owned(), file))
    }

    fn remove_stale(&self, draft: &str) -> Result<(), FileError> {
        self.storage.remove_stale(&self.name(draft))
    }

    fn open(&self, name: &str) -> Result<Box<dyn ReadFile>, FileError> {
        self.storage.open(&self.name(name))
    }

    fn open_at(&self, name: &str, access: Access) -> Result<Box<dyn PositionalFile>, FileError> {
        self.storage.open_at(&self.name(name), access)
    }

    fn rename(&self, from: &str, to: &str) -> Result<(), FileError> {
        self.storage.rename(&self.name(from), &self.name(to))
    }

    fn remove(&self, name: &str) -> Result<(), FileError> {
        self.storage.remove(&self.name(name))
    }

    fn list(&self) -> Result<Vec<String>, FileError> {
        let names = self.storage.list()?;
        let own = names
            .iter()
            .filter_map(|name| name.strip_prefix(&self.prefix));
        Ok(own.map(str::to_owned).collect())
    }

    fn sync_dir(&self) -> Result<(), FileError> {
        self.storage.sync_dir()
    }

    fn display(&self, name: &str) -> String {
        self.storage.display(&self.name(name))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn builds_share_a_folder_that_nobody_has_alone() {
        let folder = tempfile::tempdir().unwrap();
        let run = Run::serial();
        fs::write(folder.path().join("KQvK.dtm.draft"), "left by a crash").unwrap();
        let one = FolderUse::new(folder.path(), &run).unwrap();
        assert!(!folder.path().join("KQvK.dtm.draft").exists());
        fs::write(folder.path().join("KRvK.dtm.draft"), "being written").unwrap();
        let two = FolderUse::new(folder.path(), &run).unwrap();
        assert!(folder.path().join("KRvK.dtm.draft").exists());
        assert!(Disk::exclusive(folder.path()).is_err());
        drop((one, two));
        let alone = Disk::exclusive(folder.path()).unwrap();
        assert!(matches!(
            FolderUse::new(folder.path(), &run),
            Err(TableError::File(FileError::InUse { .. }))
        ));
        drop(alone);
        FolderUse::new(folder.path(), &run).unwrap();
    }

    /// Many threads take the lock of one ending again and again: never two at once, and no file is
    /// left.
    #[test]
    fn an_ending_has_one_build_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let run = Run::serial();
        let (inside, turns) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let shared = FolderUse::new(folder.path(), &run).unwrap();
                    for _ in 0..5 {
                        let _lock = shared.lock("KRvK.dtm", &run).unwrap();
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        std::thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                        turns.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(turns.into_inner(), 20);
        assert!(!folder.path().join("KRvK.dtm.lock").exists());
    }

    #[test]
    fn who_waits_can_be_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let run = Run::serial();
        let shared = FolderUse::new(folder.path(), &run).unwrap();
        let _lock = shared.lock("KRvK.dtm", &run).unwrap();
        run.stop.raise();
        assert!(matches!(
            shared.lock("KRvK.dtm", &run),
            Err(TableError::Stopped(_))
        ));
    }
}
