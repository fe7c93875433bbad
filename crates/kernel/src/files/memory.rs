//! A folder in memory that keeps apart what was written and what would survive a power cut.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::storage::{
    Access, FileError, PositionalFile, ReadFile, Storage, WriteFile, assert_plain,
};
use crate::rng::SplitMix64;

/// A fake [`Storage`] for tests: it can crash at the n-th operation, and then shows what a disk
/// might hold.
///
/// What a disk may do with unsynced work, and this one does: of the changes of names since the last
/// [`Storage::sync_dir`], any first part has happened; of the bytes of a file since its last
/// [`WriteFile::sync`], any first part is there, perhaps followed by zeros. Of the writes at
/// positions since the last [`PositionalFile::sync`], each has happened, happened for its first
/// bytes, or not at all, whatever became of those before it. Emptying a file that exists takes
/// effect at once.
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
    /// How many of the bytes are durable, for a file that is written from front to back.
    synced: usize,
    /// For a file that was opened for access at positions.
    positional: Option<Unsynced>,
}

/// What is durable of a file, and the changes since.
#[derive(Clone, Debug, Default)]
struct Unsynced {
    durable: Vec<u8>,
    changes: Vec<Change>,
}

#[derive(Clone, Debug)]
enum Change {
    Write(usize, Vec<u8>),
    Resize(usize),
}

impl File {
    /// What the disk might hold of it after a crash.
    fn image(&self, rng: &mut SplitMix64) -> Vec<u8> {
        if let Some(unsynced) = &self.positional {
            return unsynced.image(rng);
        }
        let unsynced = self.bytes.len() - self.synced;
        let kept = self.synced + pick(rng, unsynced + 1);
        let mut bytes = self.bytes[..kept].to_vec();
        if pick(rng, 2) == 0 {
            bytes.resize(kept + pick(rng, self.bytes.len() - kept + 1), 0);
        }
        bytes
    }

    fn change(&mut self, change: Change) {
        change.apply(&mut self.bytes);
        if let Some(unsynced) = &mut self.positional {
            unsynced.changes.push(change);
        }
    }

    fn sync(&mut self) {
        self.synced = self.bytes.len();
        if let Some(unsynced) = &mut self.positional {
            unsynced.durable.clone_from(&self.bytes);
            unsynced.changes.clear();
        }
    }
}

impl Unsynced {
    fn image(&self, rng: &mut SplitMix64) -> Vec<u8> {
        let mut bytes = self.durable.clone();
        for change in &self.changes {
            match (pick(rng, 3), change) {
                (0, _) => {}
                (1, Change::Write(at, written)) => {
                    let part = written[..pick(rng, written.len() + 1)].to_vec();
                    Change::Write(*at, part).apply(&mut bytes);
                }
                _ => change.apply(&mut bytes),
            }
        }
        bytes
    }
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Resize(length) => bytes.resize(*length, 0),
            Self::Write(at, written) => {
                let end = at + written.len();
                if bytes.len() < end {
                    bytes.resize(end, 0);
                }
                bytes[*at..end].copy_from_slice(written);
            }
        }
    }
}

impl Memory {
    /// Lets `operations` more writes, syncs and changes of names happen; every one after them
    /// fails.
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
            let bytes = file.image(&mut rng);
            File {
                synced: bytes.len(),
                bytes,
                positional: None,
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
            file.sync();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Folder> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of an empty file of this name.
    fn emptied(&self, name: &str) -> Result<usize, FileError> {
        assert_plain(name);
        self.operation("write", name, |folder| {
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
        })
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
        let id = self.emptied(name)?;
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

    fn open_at(&self, name: &str, access: Access) -> Result<Box<dyn PositionalFile>, FileError> {
        let found = self.lock().names.get(name).copied();
        let id = match (access, found) {
            (Access::Read, None) => return Err(FileError::io("read", name, not_found())),
            (Access::Read | Access::Update, Some(id)) => id,
            (Access::Update, None) | (Access::Replace, _) => self.emptied(name)?,
        };
        let file = &mut self.lock().files[id];
        let (bytes, synced) = (&file.bytes, file.synced);
        file.positional.get_or_insert_with(|| Unsynced {
            durable: bytes[..synced].to_vec(),
            changes: vec![Change::Write(synced, bytes[synced..].to_vec())],
        });
        Ok(Box::new(AtPositions {
            storage: self.clone(),
            id,
            access,
        }))
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
        let file = &mut folder.files[self.id];
        file.change(Change::Write(file.bytes.len(), bytes.to_vec()));
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
        folder.files[self.id].sync();
        Ok(())
    }
}

impl ReadFile for Cursor<Vec<u8>> {
    fn size(&self) -> io::Result<u64> {
        Ok(self.get_ref().len() as u64)
    }
}

#[derive(Debug)]
struct AtPositions {
    storage: Memory,
    id: usize,
    access: Access,
}

impl AtPositions {
    fn change(&self, change: Change) -> io::Result<()> {
        if self.access == Access::Read {
            return Err(io::Error::other("the file was opened for reading only"));
        }
        let mut folder = self.storage.lock();
        folder.operate()?;
        folder.files[self.id].change(change);
        Ok(())
    }
}

/// A position or length in memory.
fn index(at: u64) -> io::Result<usize> {
    usize::try_from(at).map_err(|_| io::ErrorKind::FileTooLarge.into())
}

impl PositionalFile for AtPositions {
    fn size(&self) -> io::Result<u64> {
        Ok(self.storage.lock().files[self.id].bytes.len() as u64)
    }

    fn resize(&self, length: u64) -> io::Result<()> {
        self.change(Change::Resize(index(length)?))
    }

    fn read_exact_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        let folder = self.storage.lock();
        let held = folder.files[self.id].bytes.get(index(at)?..);
        let found = held.and_then(|held| held.get(..bytes.len()));
        bytes.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write_all_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.change(Change::Write(index(at)?, bytes.to_vec()))
    }

    fn sync(&self) -> io::Result<()> {
        let mut folder = self.storage.lock();
        folder.operate()?;
        folder.files[self.id].sync();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Disk;

    /// The disk and the fake give the same answers.
    #[test]
    fn positions_read_what_was_written_there() {
        let dir = tempfile::tempdir().unwrap();
        let storages: [Box<dyn Storage>; 2] =
            [Box::new(Disk::new(dir.path())), Box::new(Memory::default())];
        for storage in &storages {
            assert!(
                storage
                    .open_at("none", Access::Read)
                    .unwrap_err()
                    .is_not_found()
            );
            let file = storage.open_at("file", Access::Replace).unwrap();
            file.write_all_at(b"world", 6).unwrap();
            file.write_all_at(b"hello", 0).unwrap();
            let mut bytes = [1; 11];
            file.read_exact_at(&mut bytes, 0).unwrap();
            assert_eq!(&bytes, b"hello\0world");
            let end = file.read_exact_at(&mut bytes, 1).unwrap_err();
            assert_eq!(end.kind(), io::ErrorKind::UnexpectedEof);
            file.read_exact_at(&mut [], 11).unwrap();
            file.resize(4).unwrap();
            file.sync().unwrap();
            file.uncache();
            drop(file);
            let file = storage.open_at("file", Access::Update).unwrap();
            assert_eq!(file.size().unwrap(), 4);
            let read = storage.open_at("file", Access::Read).unwrap();
            assert!(read.write_all_at(b"x", 0).is_err());
            drop(storage.open_at("file", Access::Replace).unwrap());
            assert_eq!(file.size().unwrap(), 0);
        }
    }

    /// After a crash every combination of the writes since the last sync is possible, and nothing
    /// else.
    #[test]
    fn a_crash_keeps_any_of_the_writes_since_the_last_sync() {
        let storage = Memory::default();
        let file = storage.open_at("file", Access::Replace).unwrap();
        file.write_all_at(b"........", 0).unwrap();
        file.sync().unwrap();
        storage.sync_dir().unwrap();
        file.write_all_at(b"aa", 0).unwrap();
        file.write_all_at(b"bb", 4).unwrap();
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..300 {
            let image = storage.image(seed);
            let file = image.open_at("file", Access::Read).unwrap();
            let mut bytes = [0; 8];
            file.read_exact_at(&mut bytes, 0).unwrap();
            seen.insert(String::from_utf8(bytes.to_vec()).unwrap());
        }
        let parts = |letter: &str| ["..".into(), format!("{letter}."), letter.repeat(2)];
        let all = parts("a")
            .into_iter()
            .flat_map(|a| parts("b").map(|b| format!("{a}..{b}..")));
        assert_eq!(seen, all.collect());
        file.sync().unwrap();
        assert!((0..20).all(|seed| {
            let file = storage.image(seed).open_at("file", Access::Read).unwrap();
            let mut bytes = [0; 8];
            file.read_exact_at(&mut bytes, 0).unwrap();
            &bytes == b"aa..bb.."
        }));
    }

    #[test]
    fn a_crash_ends_writes_at_positions() {
        let storage = Memory::default();
        let file = storage.open_at("file", Access::Update).unwrap();
        storage.crash_after(1);
        file.write_all_at(b"one", 0).unwrap();
        assert!(file.write_all_at(b"two", 3).is_err() && file.sync().is_err());
    }
}
