//! A folder in memory that keeps apart what was written and what would survive a power cut.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::storage::{FileError, ReadFile, Storage, WriteFile, assert_plain};
use crate::rng::SplitMix64;

/// A fake [`Storage`] for tests: it can crash at the n-th operation, and then shows what a disk might hold.
///
/// What a disk may do with unsynced work, and this one does: of the changes of names since the last
/// [`Storage::sync_dir`], any first part has happened; of the bytes of a file since its last
/// [`WriteFile::sync`], any first part is there, perhaps followed by zeros. Emptying a file that exists takes effect
/// at once.
#[derive(Clone, Debug, Default)]
pub struct Memory(Arc<Mutex<Folder>>);

type Names = BTreeMap<String, usize>;

#[derive(Debug, Default)]
struct Folder {
    files: Vec<File>,
    names: Names,
    /// The names after the last sync of the folder, and after each change since.
    history: Vec<Names>,
    operations: u64,
    crash_after: Option<u64>,
}

#[derive(Clone, Debug, Default)]
struct File {
    bytes: Vec<u8>,
    synced: usize,
}

impl Memory {
    /// Lets `operations` more writes, syncs and changes of names happen; every one after them fails.
    pub fn crash_after(&self, operations: u64) {
        let mut folder = self.lock();
        folder.crash_after = Some(folder.operations + operations);
    }

    /// Writes, syncs and changes of names so far.
    pub fn operations(&self) -> u64 {
        self.lock().operations
    }

    /// What the disk might hold if the power failed now; another seed, another possibility.
    pub fn image(&self, seed: u64) -> Self {
        let folder = self.lock();
        let mut rng = SplitMix64::new(seed);
        let versions = folder.history.len() + 1;
        let names = match pick(&mut rng, versions) {
            last if last == versions - 1 => &folder.names,
            earlier => &folder.history[earlier],
        };
        let files = folder.files.iter().map(|file| {
            let unsynced = file.bytes.len() - file.synced;
            let kept = file.synced + pick(&mut rng, unsynced + 1);
            let mut bytes = file.bytes[..kept].to_vec();
            if pick(&mut rng, 2) == 0 {
                bytes.resize(kept + pick(&mut rng, file.bytes.len() - kept + 1), 0);
            }
            File {
                synced: bytes.len(),
                bytes,
            }
        });
        Self(Arc::new(Mutex::new(Folder {
            files: files.collect(),
            names: names.clone(),
            ..Folder::default()
        })))
    }

    /// Damages a file in place: `change` edits its bytes. Does nothing if there is no such file.
    pub fn damage(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let mut folder = self.lock();
        if let Some(&id) = folder.names.get(name) {
            let file = &mut folder.files[id];
            change(&mut file.bytes);
            file.synced = file.bytes.len();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Folder> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn operation<T>(
        &self,
        doing: &'static str,
        name: &str,
        act: impl FnOnce(&mut Folder) -> io::Result<T>,
    ) -> Result<T, FileError> {
        let mut folder = self.lock();
        folder
            .operate()
            .and_then(|()| act(&mut folder))
            .map_err(|e| FileError::io(doing, name, e))
    }
}

/// A number below `n`.
fn pick(rng: &mut SplitMix64, n: usize) -> usize {
    rng.below(n as u64) as usize
}

impl Folder {
    fn operate(&mut self) -> io::Result<()> {
        if self.crash_after.is_some_and(|last| self.operations >= last) {
            return Err(io::Error::other("the storage has crashed"));
        }
        self.operations += 1;
        Ok(())
    }

    fn rename_with(&mut self, change: impl FnOnce(&mut Names)) {
        self.history.push(self.names.clone());
        change(&mut self.names);
    }
}

impl Storage for Memory {
    fn create(&self, name: &str) -> Result<Box<dyn WriteFile>, FileError> {
        assert_plain(name);
        let id = self.operation("write", name, |folder| {
            if let Some(&id) = folder.names.get(name) {
                folder.files[id] = File::default();
                return Ok(id);
            }
            let id = folder.files.len();
            folder.files.push(File::default());
            folder.rename_with(|names| {
                names.insert(name.to_owned(), id);
            });
            Ok(id)
        })?;
        Ok(Box::new(Writer {
            storage: self.clone(),
            id,
        }))
    }

    fn open(&self, name: &str) -> Result<Box<dyn ReadFile>, FileError> {
        let folder = self.lock();
        match folder.names.get(name) {
            Some(&id) => Ok(Box::new(Cursor::new(folder.files[id].bytes.clone()))),
            None => Err(FileError::io("read", name, not_found())),
        }
    }

    fn rename(&self, from: &str, to: &str) -> Result<(), FileError> {
        assert_plain(to);
        self.operation("replace", to, |folder| {
            let id = *folder.names.get(from).ok_or_else(not_found)?;
            folder.rename_with(|names| {
                names.remove(from);
                names.insert(to.to_owned(), id);
            });
            Ok(())
        })
    }

    fn remove(&self, name: &str) -> Result<(), FileError> {
        self.operation("remove", name, |folder| {
            if !folder.names.contains_key(name) {
                return Err(not_found());
            }
            folder.rename_with(|names| {
                names.remove(name);
            });
            Ok(())
        })
    }

    fn list(&self) -> Result<Vec<String>, FileError> {
        Ok(self.lock().names.keys().cloned().collect())
    }

    fn sync_dir(&self) -> Result<(), FileError> {
        self.operation("sync", "the folder", |folder| {
            folder.history.clear();
            Ok(())
        })
    }

    fn display(&self, name: &str) -> String {
        name.to_owned()
    }
}

fn not_found() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "no such file")
}

struct Writer {
    storage: Memory,
    id: usize,
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut folder = self.storage.lock();
        folder.operate()?;
        folder.files[self.id].bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl WriteFile for Writer {
    fn sync(&mut self) -> io::Result<()> {
        let mut folder = self.storage.lock();
        folder.operate()?;
        let file = &mut folder.files[self.id];
        file.synced = file.bytes.len();
        Ok(())
    }
}

impl ReadFile for Cursor<Vec<u8>> {
    fn size(&self) -> io::Result<u64> {
        Ok(self.get_ref().len() as u64)
    }
}
