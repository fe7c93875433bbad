//! Lists kept in memory, or in one file when there are too many for it.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use everymove_kernel::files::FileError;

use crate::list::List;

/// A spool's bins are emptied into the file when together they hold this many bytes.
const FULL: usize = 4 << 20;

/// Shorter lists stay in memory: there are many, and they are small.
const SHORT: u64 = 256;

/// Where lists are kept.
#[derive(Debug, Default)]
pub(crate) struct Spool {
    file: Option<Arc<SpoolFile>>,
}

#[derive(Debug)]
struct SpoolFile {
    path: PathBuf,
    file: File,
    end: AtomicU64,
}

impl Drop for SpoolFile {
    fn drop(&mut self) {
        // What stays after a crash is swept with the drafts.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// A list that is kept.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
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
        let file = File::options()
            .create(true)
            .truncate(true)
            .read(true)
            .write(true)
            .open(path)
            .map_err(|e| FileError::io("write", path.display().to_string(), e))?;
        Ok(Self {
            file: Some(Arc::new(SpoolFile {
                path: path.to_owned(),
                file,
                end: AtomicU64::new(0),
            })),
        })
    }

    fn keep(&self, list: List) -> Result<Kept, FileError> {
        let (positions, bytes) = (list.positions(), list.bytes());
        let place = match &self.file {
            Some(spool) if bytes > SHORT => {
                let at = spool.end.fetch_add(bytes, Ordering::Relaxed);
                let written = spool.file.write_all_at(list.as_bytes(), at);
                written.map_err(|e| FileError::io("write", spool.path.display().to_string(), e))?;
                Place::Filed(spool.clone(), at)
            }
            _ => Place::Held(Arc::new(list.pack())),
        };
        Ok(Kept {
            place,
            positions,
            bytes,
        })
    }
}

impl Kept {
    /// The list itself.
    pub(crate) fn load(&self) -> Result<Arc<List>, FileError> {
        match &self.place {
            Place::Held(list) => Ok(list.clone()),
            Place::Filed(spool, at) => {
                let mut bytes = vec![0; self.bytes as usize];
                let read = spool.file.read_exact_at(&mut bytes, *at);
                read.map_err(|e| FileError::io("read", spool.path.display().to_string(), e))?;
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
    kept: Vec<(usize, Kept)>,
    trouble: Option<FileError>,
}

impl<'a> Bins<'a> {
    pub(crate) fn new(spool: &'a Spool, bins: usize) -> Self {
        Self {
            spool,
            bins: vec![List::default(); bins],
            held: 0,
            kept: Vec::new(),
            trouble: None,
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
                Err(error) => self.trouble = Some(error),
            }
        }
    }

    /// The lists, by bin; a bin may have several, in ascending order.
    pub(crate) fn finish(mut self) -> Result<Vec<(usize, Kept)>, FileError> {
        self.empty();
        match self.trouble {
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
