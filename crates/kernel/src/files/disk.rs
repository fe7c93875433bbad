//! A folder on a real disk.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::open::{open_file, open_lock};
use super::storage::{
    Access, FileError, PositionalFile, ReadFile, Storage, WriteFile, assert_plain, draft_name,
};
use crate::system::{self, try_lock};

/// A folder on disk. Clones share its lock, if it has one.
#[derive(Clone, Debug)]
pub struct Disk {
    folder: PathBuf,
    /// Held, not read: the lock goes when the last clone does.
    _lock: Option<Arc<File>>,
}

impl Disk {
    /// The file that marks a folder as in use.
    const LOCK: &str = "lock";

    /// A folder that exists.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            _lock: None,
        }
    }

    /// A folder that is made if it is missing.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn create(folder: impl Into<PathBuf>) -> Result<Self, FileError> {
        let disk = Self::new(folder);
        let path = disk.folder.display().to_string();
        fs::create_dir_all(&disk.folder).map_err(|e| FileError::io("create", path, e))?;
        Ok(disk)
    }

    /// A folder for one run alone: made if it is missing, locked until the last clone is dropped.
    ///
    /// The lock is the system's, on the file `lock`: it goes with the process, even one that was
    /// killed.
    ///
    /// # Errors
    /// [`FileError::InUse`] if another process has it, [`FileError::Io`] otherwise.
    pub fn exclusive(folder: impl Into<PathBuf>) -> Result<Self, FileError> {
        let folder = Self::create(folder)?.folder;
        let path = folder.display().to_string();
        let lock =
            open_lock(&folder.join(Self::LOCK)).map_err(|e| FileError::io("write in", &path, e))?;
        match try_lock(&lock) {
            Ok(()) => Ok(Self {
                folder,
                _lock: Some(Arc::new(lock)),
            }),
            Err(fs::TryLockError::WouldBlock) => Err(FileError::InUse { path }),
            Err(fs::TryLockError::Error(e)) => Err(FileError::io("lock", path, e)),
        }
    }

    /// The folder's path.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self, name: &str) -> PathBuf {
        assert_plain(name);
        self.folder.join(name)
    }

    fn error(&self, doing: &'static str, name: &str) -> impl Fn(io::Error) -> FileError {
        let path = self.display(name);
        move |source| FileError::io(doing, &path, source)
    }
}

impl Storage for Disk {
    fn create(&self, name: &str) -> Result<Box<dyn WriteFile>, FileError> {
        let file = File::create(self.path(name)).map_err(self.error("write", name))?;
        Ok(Box::new(file))
    }

    /// The draft is locked while it is written, so that [`Storage::remove_stale`] can tell it from
    /// those of runs that have ended.
    fn draft(&self, name: &str) -> Result<(String, Box<dyn WriteFile>), FileError> {
        loop {
            let draft = draft_name(name);
            let path = self.path(&draft);
            let file = match File::options().write(true).create_new(true).open(&path) {
                // Processes of several machines may have one number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                other => other.map_err(self.error("write", name))?,
            };
            let is_taken = matches!(try_lock(&file), Err(fs::TryLockError::WouldBlock));
            // Before it was locked another run may have taken it for a stale one.
            if !is_taken && path.exists() {
                return Ok((draft, Box::new(file)));
            }
        }
    }

    fn remove_stale(&self, draft: &str) -> Result<(), FileError> {
        let file = open_file(&self.path(draft)).map_err(self.error("remove", draft))?;
        // Removed while it is locked, so that a run that has just made it finds it taken or gone.
        match try_lock(&file) {
            Ok(()) => self.remove(draft),
            Err(_) => Ok(()),
        }
    }

    fn open(&self, name: &str) -> Result<Box<dyn ReadFile>, FileError> {
        let file = open_file(&self.path(name)).map_err(self.error("read", name))?;
        Ok(Box::new(file))
    }

    fn open_at(&self, name: &str, access: Access) -> Result<Box<dyn PositionalFile>, FileError> {
        let path = self.path(name);
        let file = match access {
            Access::Read => open_file(&path).map_err(self.error("read", name))?,
            Access::Update | Access::Replace => File::options()
                .read(true)
                .write(true)
                .create(true)
                .truncate(access == Access::Replace)
                .open(path)
                .map_err(self.error("write", name))?,
        };
        Ok(Box::new(file))
    }

    fn rename(&self, from: &str, to: &str) -> Result<(), FileError> {
        fs::rename(self.path(from), self.path(to)).map_err(self.error("replace", to))
    }

    fn remove(&self, name: &str) -> Result<(), FileError> {
        fs::remove_file(self.path(name)).map_err(self.error("remove", name))
    }

    fn list(&self) -> Result<Vec<String>, FileError> {
        let error = |e| FileError::io("list", self.folder.display().to_string(), e);
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(error)? {
            let entry = entry.map_err(error)?;
            let is_file = entry.file_type().map_err(error)?.is_file();
            // A name that is not UTF-8 is none of ours.
            if let (true, Ok(name)) = (is_file, entry.file_name().into_string()) {
                names.push(name);
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    fn sync_dir(&self) -> Result<(), FileError> {
        system::sync_folder(&self.folder)
            .map_err(|e| FileError::io("sync", self.folder.display().to_string(), e))
    }

    fn display(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }
}

impl WriteFile for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

impl ReadFile for File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }
}

impl PositionalFile for File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn resize(&self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn read_exact_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        system::read_exact_at(self, bytes, at)
    }

    fn write_all_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        system::write_all_at(self, bytes, at)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }

    fn uncache(&self) {
        system::forget_cached(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{publish, remove_stale_drafts};

    #[test]
    fn a_folder_serves_one_run_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("new/folder");
        let first = Disk::exclusive(&folder).unwrap();
        let clone = first.clone();
        drop(first);
        let refusal = Disk::exclusive(&folder).unwrap_err();
        assert!(matches!(refusal, FileError::InUse { .. }), "{refusal}");
        drop(clone);
        Disk::exclusive(&folder).unwrap();
    }

    #[test]
    fn published_files_are_listed_and_drafts_are_swept() {
        let dir = tempfile::tempdir().unwrap();
        let disk = Disk::new(dir.path());
        publish(&disk, "b", |draft| draft.put(b"bee")).unwrap();
        publish(&disk, "a", |draft| draft.put(b"ay")).unwrap();
        fs::create_dir(dir.path().join("folder")).unwrap();
        let failed = publish(&disk, "c", |draft| {
            draft.put(b"half")?;
            Err::<(), _>(FileError::Damaged {
                path: "c".into(),
                what: "on purpose".into(),
            })
        });
        assert!(failed.is_err());
        assert_eq!(disk.list().unwrap(), ["a", "b"]);
        fs::write(dir.path().join("d.draft"), "left by a crash").unwrap();
        remove_stale_drafts(&disk).unwrap();
        assert_eq!(disk.list().unwrap(), ["a", "b"]);
        let error = disk.open("nothing").err().unwrap();
        assert!(error.is_not_found());
        assert!(
            error.to_string().ends_with("no such file or directory"),
            "{error}"
        );
    }
}
