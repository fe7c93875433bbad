//! Lists kept in memory, or in one file where memory does not suffice.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use everymove_kernel::files::{Access, FileError, PositionalFile, Storage};

use crate::store::list::List;

/// Bins are written to the file when together they reach this many bytes.
const FULL: usize = 2 << 20;

/// Lists of up to this many bytes are not worth a place in a file.
const SHORT: u64 = 64;

/// Where lists are stored.
#[derive(Debug, Default)]
pub(crate) struct Spool {
    file: Option<Arc<SpoolFile>>,
    /// Lists of up to this many bytes stay in memory in any case: there are many, and they are
    /// small.
    short: u64,
}

/// A file that any number of threads append to and read from.
#[derive(Debug)]
pub(crate) struct SpoolFile {
    storage: Arc<dyn Storage>,
    name: String,
    file: Box<dyn PositionalFile>,
    end: AtomicU64,
    moved: Arc<BytesMoved>,
    /// Whether the file is kept when this value is dropped.
    keep: bool,
}

/// Bytes read from files and written to them.
#[derive(Debug, Default)]
pub(crate) struct BytesMoved {
    read: AtomicU64,
    written: AtomicU64,
}

impl BytesMoved {
    /// Bytes read and written so far.
    pub(crate) fn total(&self) -> (u64, u64) {
        let count = |n: &AtomicU64| n.load(Ordering::Relaxed);
        (count(&self.read), count(&self.written))
    }
}

impl SpoolFile {
    /// Creates a file that is removed when this value is dropped.
    pub(crate) fn new(storage: &Arc<dyn Storage>, name: &str) -> Result<Self, FileError> {
        Self::open(storage, name, false)
    }

    /// Opens or creates a file that is kept; [`SpoolFile::truncate`] must be called before anything
    /// is appended.
    pub(crate) fn open_kept(storage: &Arc<dyn Storage>, name: &str) -> Result<Self, FileError> {
        let file = Self::open(storage, name, true)?;
        // A journal refers to the file: its name must be durable first.
        storage.sync_dir()?;
        Ok(file)
    }

    fn open(storage: &Arc<dyn Storage>, name: &str, keep: bool) -> Result<Self, FileError> {
        let access = match keep {
            true => Access::Update,
            false => Access::Replace,
        };
        Ok(Self {
            file: storage.open_at(name, access)?,
            storage: storage.clone(),
            name: name.to_owned(),
            end: AtomicU64::new(0),
            moved: Arc::default(),
            keep,
        })
    }

    /// As [`SpoolFile::new`], with a shared counter of bytes.
    pub(crate) fn new_counted(
        storage: &Arc<dyn Storage>,
        name: &str,
        moved: &Arc<BytesMoved>,
    ) -> Result<Self, FileError> {
        let mut file = Self::new(storage, name)?;
        file.moved = moved.clone();
        Ok(file)
    }

    /// Removes all bytes from `end` on and appends there.
    pub(crate) fn truncate(&self, end: u64) -> Result<(), FileError> {
        self.end.store(end, Ordering::Relaxed);
        self.resize(end)
    }

    /// Length in bytes: the offset of the next append.
    pub(crate) fn end(&self) -> u64 {
        self.end.load(Ordering::Relaxed)
    }

    /// The path, for messages.
    pub(crate) fn path(&self) -> String {
        self.storage.display(&self.name)
    }

    fn error(&self, doing: &'static str) -> impl FnOnce(std::io::Error) -> FileError + '_ {
        move |error| FileError::io(doing, self.path(), error)
    }

    /// Makes the bytes written so far durable.
    pub(crate) fn sync(&self) -> Result<(), FileError> {
        self.file.sync().map_err(self.error("write"))
    }

    /// Sets the length in bytes; new bytes are zero.
    pub(crate) fn resize(&self, length: u64) -> Result<(), FileError> {
        self.file.resize(length).map_err(self.error("write"))
    }

    /// Writes bytes at an offset.
    pub(crate) fn write_at(&self, at: u64, bytes: &[u8]) -> Result<(), FileError> {
        self.moved
            .written
            .fetch_add(bytes.len() as u64, Ordering::Relaxed);
        let written = self.file.write_all_at(bytes, at);
        written.map_err(self.error("write"))
    }

    /// Reads bytes at an offset.
    pub(crate) fn read_at(&self, at: u64, bytes: &mut [u8]) -> Result<(), FileError> {
        self.moved
            .read
            .fetch_add(bytes.len() as u64, Ordering::Relaxed);
        let read = self.file.read_exact_at(bytes, at);
        read.map_err(self.error("read"))
    }

    /// Bytes read and written so far.
    pub(crate) fn bytes_moved(&self) -> (u64, u64) {
        self.moved.total()
    }

    /// Makes the file durable and asks the operating system to drop its cached pages.
    pub(crate) fn drop_cache(&self) -> Result<(), FileError> {
        self.sync()?;
        self.file.uncache();
        Ok(())
    }

    /// Appends bytes and returns their offset.
    pub(crate) fn append(&self, bytes: &[u8]) -> Result<u64, FileError> {
        let at = self.end.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.write_at(at, bytes)?;
        Ok(at)
    }

    /// Reads `length` bytes at an offset.
    pub(crate) fn read(&self, at: u64, length: u64) -> Result<Vec<u8>, FileError> {
        let mut bytes = vec![0; length as usize];
        self.read_at(at, &mut bytes)?;
        Ok(bytes)
    }
}

impl Drop for SpoolFile {
    fn drop(&mut self) {
        // A file that is left after a crash or an error is a draft, which the next build removes.
        if !self.keep {
            let _ = self.storage.remove(&self.name);
        }
    }
}

/// A list that is stored.
#[derive(Clone, Debug)]
pub(crate) struct StoredList {
    location: Location,
    positions: u64,
    bytes: u64,
}

#[derive(Clone, Debug)]
enum Location {
    InMemory(Arc<List>),
    InFile(Arc<SpoolFile>, u64),
}

impl Spool {
    /// Returns a spool in memory.
    pub(crate) fn in_memory() -> Self {
        Self::default()
    }

    /// Returns a spool in a file of its own, which is removed with the last list.
    pub(crate) fn in_file(storage: &Arc<dyn Storage>, name: &str) -> Result<Self, FileError> {
        Ok(Self {
            file: Some(Arc::new(SpoolFile::new(storage, name)?)),
            short: SHORT,
        })
    }

    /// Returns a spool in a shared file; all lists go there, short ones included.
    pub(crate) fn shared(file: &Arc<SpoolFile>) -> Self {
        Self {
            file: Some(file.clone()),
            short: 0,
        }
    }

    /// Bytes read and written so far.
    pub(crate) fn bytes_moved(&self) -> (u64, u64) {
        self.file.as_ref().map_or((0, 0), |file| file.bytes_moved())
    }

    /// As [`SpoolFile::drop_cache`].
    pub(crate) fn drop_cache(&self) -> Result<(), FileError> {
        self.file.as_ref().map_or(Ok(()), |file| file.drop_cache())
    }

    fn store(&self, list: List) -> Result<StoredList, FileError> {
        let (positions, bytes) = (list.positions(), list.bytes());
        let location = match &self.file {
            Some(spool) if bytes > self.short => {
                Location::InFile(spool.clone(), spool.append(list.as_bytes())?)
            }
            _ => Location::InMemory(Arc::new(list.pack())),
        };
        Ok(StoredList {
            location,
            positions,
            bytes,
        })
    }
}

impl StoredList {
    /// Returns a list that is in a file at (offset, bytes, number of positions).
    pub(crate) fn in_file(file: &Arc<SpoolFile>, (at, bytes, positions): (u64, u64, u64)) -> Self {
        Self {
            location: Location::InFile(file.clone(), at),
            positions,
            bytes,
        }
    }

    /// Returns (offset, bytes, number of positions) of a list in a file, `None` for a list in
    /// memory.
    pub(crate) fn location(&self) -> Option<(u64, u64, u64)> {
        match self.location {
            Location::InMemory(_) => None,
            Location::InFile(_, at) => Some((at, self.bytes, self.positions)),
        }
    }

    /// Loads the list.
    pub(crate) fn load(&self) -> Result<Arc<List>, FileError> {
        match &self.location {
            Location::InMemory(list) => Ok(list.clone()),
            Location::InFile(spool, at) => {
                let bytes = spool.read(*at, self.bytes)?;
                Ok(Arc::new(List::from_bytes(bytes, self.positions)))
            }
        }
    }

    /// Number of positions.
    pub(crate) fn positions(&self) -> u64 {
        self.positions
    }

    /// Size in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Lists filled concurrently, each in ascending order.
#[derive(Debug)]
pub(crate) struct Bins<'a> {
    spool: &'a Spool,
    bins: Vec<List>,
    bytes: usize,
    lists: Vec<(usize, StoredList)>,
    error: Option<FileError>,
}

impl<'a> Bins<'a> {
    pub(crate) fn new(spool: &'a Spool, bins: usize) -> Self {
        Self {
            spool,
            bins: vec![List::default(); bins],
            bytes: 0,
            lists: Vec::new(),
            error: None,
        }
    }

    /// Appends a word to a bin; words must ascend within a bin.
    #[inline]
    pub(crate) fn push(&mut self, bin: usize, word: usize, set: u64) {
        let list = &mut self.bins[bin];
        let before = list.bytes();
        list.push(word as u32, set);
        self.bytes += (list.bytes() - before) as usize;
        if self.bytes > FULL && self.spool.file.is_some() {
            self.empty();
        }
    }

    fn empty(&mut self) {
        self.bytes = 0;
        for (bin, list) in self.bins.iter_mut().enumerate() {
            if list.is_empty() {
                continue;
            }
            match self.spool.store(std::mem::take(list)) {
                Ok(list) => self.lists.push((bin, list)),
                Err(error) => self.error = Some(error),
            }
        }
    }

    /// Returns the lists by bin; a bin may have several, in ascending order.
    pub(crate) fn finish(mut self) -> Result<Vec<(usize, StoredList)>, FileError> {
        self.empty();
        match self.error {
            Some(error) => Err(error),
            None => Ok(self.lists),
        }
    }
}

#[cfg(test)]
mod tests {
    use everymove_kernel::files::Disk;

    use super::*;

    #[test]
    fn both_places_give_back_what_they_got() {
        let folder = tempfile::tempdir().unwrap();
        let storage: Arc<dyn Storage> = Arc::new(Disk::new(folder.path()));
        let filed = Spool::in_file(&storage, "spool").unwrap();
        for spool in [Spool::in_memory(), filed] {
            let mut bins = Bins::new(&spool, 3);
            for word in 0..2_000_000 {
                bins.push(word % 2, word, 1 << (word % 64) | 1);
            }
            let mut found = [Vec::new(), Vec::new(), Vec::new()];
            for (bin, kept) in bins.finish().unwrap() {
                found[bin].extend(kept.load().unwrap().iter());
            }
            for (bin, found) in found.iter().enumerate().take(2) {
                assert_eq!(found.len(), 1_000_000);
                for (i, &(word, set)) in found.iter().enumerate() {
                    assert_eq!(word as usize, 2 * i + bin);
                    assert_eq!(set, 1 << (word % 64) | 1);
                }
            }
            assert!(found[2].is_empty());
        }
        assert!(
            storage.list().unwrap().is_empty(),
            "a spool removes its file"
        );
    }
}
