//! Lists kept in memory, or in one file when there are too many for it.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use everymove_kernel::files::FileError;

use crate::store::list::List;

/// A spool's bins are emptied into the file when together they hold this many bytes.
const FULL: usize = 2 << 20;

/// Bytes of a list that is not worth a place in a file.
const SHORT: u64 = 64;

/// Where lists are kept.
#[derive(Debug, Default)]
pub(crate) struct Spool {
    file: Option<Arc<SpoolFile>>,
    /// Lists of up to so many bytes stay in memory even so: there are many, and they are small.
    short: u64,
}

/// One file that any number of threads append to and read from.
#[derive(Debug)]
pub(crate) struct SpoolFile {
    path: PathBuf,
    file: File,
    end: AtomicU64,
    moved: Arc<Moved>,
    /// Whether the file stays.
    kept: bool,
}

/// Bytes read from files and written to them.
#[derive(Debug, Default)]
pub(crate) struct Moved {
    read: AtomicU64,
    written: AtomicU64,
}

impl Moved {
    /// Bytes read and written so far.
    pub(crate) fn so_far(&self) -> (u64, u64) {
        let count = |n: &AtomicU64| n.load(Ordering::Relaxed);
        (count(&self.read), count(&self.written))
    }
}

impl SpoolFile {
    /// A file of its own, which goes with this value.
    pub(crate) fn new(path: &Path) -> Result<Self, FileError> {
        Self::open(path, false)
    }

    /// A file that stays, as it is if it was there; nothing is appended before [`SpoolFile::partition`] says where.
    pub(crate) fn kept(path: &Path) -> Result<Self, FileError> {
        Self::open(path, true)
    }

    fn open(path: &Path, kept: bool) -> Result<Self, FileError> {
        let file = File::options()
            .create(true)
            .truncate(!kept)
            .read(true)
            .write(true)
            .open(path)
            .map_err(|e| FileError::io("write", path.display().to_string(), e))?;
        Ok(Self {
            path: path.to_owned(),
            file,
            end: AtomicU64::new(0),
            moved: Arc::default(),
            kept,
        })
    }

    /// A file as of [`SpoolFile::new`] that counts with others.
    pub(crate) fn counted(path: &Path, moved: &Arc<Moved>) -> Result<Self, FileError> {
        let mut file = Self::new(path)?;
        file.moved = moved.clone();
        Ok(file)
    }

    /// Forgets what is beyond so many bytes, and appends there.
    pub(crate) fn partition(&self, end: u64) -> Result<(), FileError> {
        self.end.store(end, Ordering::Relaxed);
        self.resize(end)
    }

    /// Bytes appended, and where the next ones go.
    pub(crate) fn end(&self) -> u64 {
        self.end.load(Ordering::Relaxed)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the bytes written so far last.
    pub(crate) fn sync(&self) -> Result<(), FileError> {
        let synced = self.file.sync_data();
        synced.map_err(|e| FileError::io("write", self.path.display().to_string(), e))
    }

    /// Makes it so many bytes long, zeros if nothing was written there.
    pub(crate) fn resize(&self, length: u64) -> Result<(), FileError> {
        let resized = self.file.set_len(length);
        resized.map_err(|e| FileError::io("write", self.path.display().to_string(), e))
    }

    /// Writes bytes at a place.
    pub(crate) fn put(&self, at: u64, bytes: &[u8]) -> Result<(), FileError> {
        self.moved
            .written
            .fetch_add(bytes.len() as u64, Ordering::Relaxed);
        let written = self.file.write_all_at(bytes, at);
        written.map_err(|e| FileError::io("write", self.path.display().to_string(), e))
    }

    /// Fills a buffer with the bytes of a place.
    pub(crate) fn fetch(&self, at: u64, bytes: &mut [u8]) -> Result<(), FileError> {
        self.moved
            .read
            .fetch_add(bytes.len() as u64, Ordering::Relaxed);
        let read = self.file.read_exact_at(bytes, at);
        read.map_err(|e| FileError::io("read", self.path.display().to_string(), e))
    }

    /// Bytes read and written so far.
    pub(crate) fn moved(&self) -> (u64, u64) {
        self.moved.so_far()
    }

    /// Has the operating system write what it holds of the file and forget it.
    pub(crate) fn uncache(&self) -> Result<(), FileError> {
        self.sync()?;
        // Only a request, which a file system may have no way to follow.
        let _ = rustix::fs::fadvise(&self.file, 0, None, rustix::fs::Advice::DontNeed);
        Ok(())
    }

    /// Adds bytes and says where they begin.
    pub(crate) fn append(&self, bytes: &[u8]) -> Result<u64, FileError> {
        let at = self.end.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.put(at, bytes)?;
        Ok(at)
    }

    /// Reads so many bytes back.
    pub(crate) fn read(&self, at: u64, length: u64) -> Result<Vec<u8>, FileError> {
        let mut bytes = vec![0; length as usize];
        self.fetch(at, &mut bytes)?;
        Ok(bytes)
    }
}

impl Drop for SpoolFile {
    fn drop(&mut self) {
        // What stays after a crash is swept with the drafts.
        if !self.kept {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// A list that is kept.
#[derive(Clone, Debug)]
pub(crate) struct StoredList {
    place: Place,
    positions: u64,
    bytes: u64,
}

#[derive(Clone, Debug)]
enum Place {
    Held(Arc<List>),
    Filed(Arc<SpoolFile>, u64),
}

impl Spool {
    /// A spool in memory.
    pub(crate) fn held() -> Self {
        Self::default()
    }

    /// A spool in a file of its own, which goes when the last list does.
    pub(crate) fn filed(path: &Path) -> Result<Self, FileError> {
        Ok(Self {
            file: Some(Arc::new(SpoolFile::new(path)?)),
            short: SHORT,
        })
    }

    /// A spool in a file that others read, too; all lists go there.
    pub(crate) fn shared(file: &Arc<SpoolFile>) -> Self {
        Self {
            file: Some(file.clone()),
            short: 0,
        }
    }

    /// Bytes read and written so far.
    pub(crate) fn moved(&self) -> (u64, u64) {
        self.file.as_ref().map_or((0, 0), |file| file.moved())
    }

    /// As [`SpoolFile::uncache`].
    pub(crate) fn uncache(&self) -> Result<(), FileError> {
        self.file.as_ref().map_or(Ok(()), |file| file.uncache())
    }

    fn keep(&self, list: List) -> Result<StoredList, FileError> {
        let (positions, bytes) = (list.positions(), list.bytes());
        let place = match &self.file {
            Some(spool) if bytes > self.short => {
                Place::Filed(spool.clone(), spool.append(list.as_bytes())?)
            }
            _ => Place::Held(Arc::new(list.pack())),
        };
        Ok(StoredList {
            place,
            positions,
            bytes,
        })
    }
}

impl StoredList {
    /// A list that was kept in a file: where, in how many bytes, how many positions.
    pub(crate) fn filed(file: &Arc<SpoolFile>, (at, bytes, positions): (u64, u64, u64)) -> Self {
        Self {
            place: Place::Filed(file.clone(), at),
            positions,
            bytes,
        }
    }

    /// As for [`StoredList::filed`]; none for a list in memory.
    pub(crate) fn place(&self) -> Option<(u64, u64, u64)> {
        match self.place {
            Place::Held(_) => None,
            Place::Filed(_, at) => Some((at, self.bytes, self.positions)),
        }
    }

    /// The list itself.
    pub(crate) fn load(&self) -> Result<Arc<List>, FileError> {
        match &self.place {
            Place::Held(list) => Ok(list.clone()),
            Place::Filed(spool, at) => {
                let bytes = spool.read(*at, self.bytes)?;
                Ok(Arc::new(List::from_bytes(bytes, self.positions)))
            }
        }
    }

    /// How many positions it holds.
    pub(crate) fn positions(&self) -> u64 {
        self.positions
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Lists being filled side by side, each in ascending order.
#[derive(Debug)]
pub(crate) struct Bins<'a> {
    spool: &'a Spool,
    bins: Vec<List>,
    held: usize,
    kept: Vec<(usize, StoredList)>,
    take_error: Option<FileError>,
}

impl<'a> Bins<'a> {
    pub(crate) fn new(spool: &'a Spool, bins: usize) -> Self {
        Self {
            spool,
            bins: vec![List::default(); bins],
            held: 0,
            kept: Vec::new(),
            take_error: None,
        }
    }

    /// Adds a word to a bin, after those it has.
    #[inline]
    pub(crate) fn push(&mut self, bin: usize, word: usize, set: u64) {
        let list = &mut self.bins[bin];
        let before = list.bytes();
        list.push(word as u32, set);
        self.held += (list.bytes() - before) as usize;
        if self.held > FULL && self.spool.file.is_some() {
            self.empty();
        }
    }

    fn empty(&mut self) {
        self.held = 0;
        for (bin, list) in self.bins.iter_mut().enumerate() {
            if list.is_empty() {
                continue;
            }
            match self.spool.keep(std::mem::take(list)) {
                Ok(kept) => self.kept.push((bin, kept)),
                Err(error) => self.take_error = Some(error),
            }
        }
    }

    /// The lists, by bin; a bin may have several, in ascending order.
    pub(crate) fn finish(mut self) -> Result<Vec<(usize, StoredList)>, FileError> {
        self.empty();
        match self.take_error {
            Some(error) => Err(error),
            None => Ok(self.kept),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_places_give_back_what_they_got() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spool");
        let filed = Spool::filed(&path).unwrap();
        for spool in [Spool::held(), filed] {
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
        assert!(!path.exists(), "a spool cleans up after itself");
    }
}
