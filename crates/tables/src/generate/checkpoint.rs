//! Checkpoints of a half of a table, from which a killed run resumes.
//!
//! There are two files for each half: `NAME.data`, to which every result is appended, and
//! `NAME.journal`, one [`Line`] for each save: the length of the data, a checksum of what was
//! appended since the line before, and the places of the results. Without pawns the results are
//! lists (`store::list`) of the entries in `solve::save`; with pawns they are P-slices
//! (`with_pawns`), whose records are those of `with_pawns::packed`.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use everymove_kernel::files::{Disk, FileError, Journal, Storage};
use everymove_kernel::run::Stop;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::error::TableError;
use crate::store::directory::lock;
use crate::store::spool::SpoolFile;

/// The version of a checkpoint; others are begun again.
const VERSION: u32 = 3;
const INTERVAL: Duration = Duration::from_secs(10);

/// A directory of checkpoints.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    storage: Arc<dyn Storage>,
    /// The directory, if the storage is one.
    disk: Option<Disk>,
    interval: Duration,
}

/// A line of a journal.
#[derive(Debug, Serialize, Deserialize)]
enum Line<E> {
    Begun {
        version: u32,
        /// The schedule, on which everything after this line depends.
        how: String,
    },
    Saved {
        /// Length of the data in bytes.
        end: u64,
        /// Checksum of the data since the line before, in hexadecimal.
        sum: String,
        entry: E,
    },
}

impl Checkpoint {
    /// Saves in this directory, which no other run may use, every ten seconds.
    pub fn new(disk: Disk) -> Self {
        Self {
            storage: Arc::new(disk.clone()),
            disk: Some(disk),
            interval: INTERVAL,
        }
    }

    /// Saves in any storage.
    #[cfg(test)]
    pub(crate) fn on(storage: Arc<dyn Storage>) -> Self {
        Self {
            storage,
            disk: None,
            interval: INTERVAL,
        }
    }

    /// Saves when this much time has passed since the last save.
    pub fn interval(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }

    /// The directory, with its lock, if it is `folder`, under whatever path.
    pub(crate) fn disk_of(&self, folder: &Path) -> Option<&Disk> {
        self.disk.as_ref().filter(|disk| {
            let [own, other] = [disk.folder(), folder].map(Path::canonicalize);
            own.is_ok_and(|own| other.is_ok_and(|other| own == other))
        })
    }

    /// Opens or creates the log of one half and returns its saved entries. Entries of another
    /// schedule are removed.
    ///
    /// # Errors
    /// [`FileError::Damaged`] if the data do not match the journal, [`FileError::Io`], or the run
    /// is stopped.
    pub(crate) fn log<E: Serialize + DeserializeOwned>(
        &self,
        name: &str,
        how: &str,
        stop: &Stop,
    ) -> Result<(Log, Vec<E>), TableError> {
        let journal_name = format!("{name}.journal");
        let lines: Vec<Line<E>> = Journal::open(&*self.storage, &journal_name)?.1;
        let same = |line: &Line<E>| matches!(line, Line::Begun { version: VERSION, how: was } if was == how);
        let fresh = !lines.first().is_some_and(same);
        if fresh {
            self.remove(name)?;
        }
        let (mut journal, lines) = Journal::open(&*self.storage, &journal_name)?;
        if fresh {
            journal.append(&Line::<E>::Begun {
                version: VERSION,
                how: how.to_owned(),
            })?;
        }
        let data = SpoolFile::open_kept(&self.storage, &format!("{name}.data"))?;
        let mut log = Log {
            journal: Mutex::new(journal),
            data: Arc::new(data),
            end: 0,
            saved: Instant::now(),
            interval: self.interval,
        };
        let mut entries = Vec::new();
        for line in lines {
            if let Line::Saved { end, sum, entry } = line {
                stop.check()?;
                if log.sum(end)? != sum {
                    return Err(TableError::File(FileError::Damaged {
                        path: log.data.path(),
                        what: "it does not hold what its journal says; without both files the work starts again"
                            .to_owned(),
                    }));
                }
                log.end = end;
                entries.push(entry);
            }
        }
        log.data.truncate(log.end)?;
        Ok((log, entries))
    }

    /// Removes the checkpoint of one half.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub(crate) fn remove(&self, name: &str) -> Result<(), FileError> {
        for ending in ["journal", "data"] {
            match self.storage.remove(&format!("{name}.{ending}")) {
                Err(error) if !error.is_not_found() => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

/// The open checkpoint of one half.
pub(crate) struct Log {
    /// Behind a mutex only so that the log can be shared; one thread saves.
    journal: Mutex<Journal>,
    data: Arc<SpoolFile>,
    end: u64,
    saved: Instant,
    interval: Duration,
}

impl Log {
    /// The file to which all results are appended.
    pub(crate) fn data(&self) -> &Arc<SpoolFile> {
        &self.data
    }

    /// The error of a checkpoint whose entries are not those of its half.
    pub(crate) fn wrong(&self) -> TableError {
        TableError::File(FileError::Damaged {
            path: self.data.path(),
            what: "it does not hold what such a table has; without it and its journal the work starts again".to_owned(),
        })
    }

    /// Whether bytes were saved at a place.
    pub(crate) fn holds(&self, at: u64, bytes: u64) -> bool {
        at.checked_add(bytes).is_some_and(|end| end <= self.end)
    }

    /// Whether the interval has passed.
    pub(crate) fn is_due(&self) -> bool {
        self.saved.elapsed() >= self.interval
    }

    /// Saves what was appended, with an entry that holds its offsets.
    pub(crate) fn save<E: Serialize>(&mut self, entry: E) -> Result<(), FileError> {
        self.data.sync()?;
        let end = self.data.end();
        let sum = self.sum(end)?;
        lock(&self.journal).append(&Line::Saved { end, sum, entry })?;
        self.end = end;
        self.saved = Instant::now();
        Ok(())
    }

    /// Returns the checksum of the data since the last save.
    fn sum(&self, end: u64) -> Result<String, FileError> {
        let mut hash = Xxh3::new();
        let mut at = self.end;
        while at < end {
            let part = self.data.read(at, (end - at).min(1 << 20));
            match part {
                Err(FileError::Io { source, .. })
                    if source.kind() == std::io::ErrorKind::UnexpectedEof =>
                {
                    return Ok("cut short".to_owned());
                }
                part => hash.update(&part?),
            }
            at += 1 << 20;
        }
        Ok(format!("{:016x}", hash.digest()))
    }
}
