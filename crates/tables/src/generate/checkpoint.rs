//! Unfinished work on a half of a table, kept so that a run that was killed goes on from there.
//!
//! Two files for each half: `NAME.HALF.data`, to which everything that was found is appended, and `NAME.HALF.journal`, a
//! line for each time the work was saved: how far the data reaches, a checksum of what was appended since the line before,
//! and where in it everything is. `docs/formats.md` describes them.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use everymove_kernel::files::{Disk, FileError, Journal, Storage};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::store::directory::lock;
use crate::store::spool::SpoolFile;

const VERSION: u32 = 1;
const PAUSE: Duration = Duration::from_secs(30);

/// A folder in which unfinished work is kept.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    disk: Disk,
    pause: Duration,
}

/// A line of a journal.
#[derive(Debug, Serialize, Deserialize)]
enum Line<E> {
    Begun {
        version: u32,
        /// How the work is cut up, on which everything after this line depends.
        how: String,
    },
    Saved {
        /// Bytes of data.
        end: u64,
        /// A checksum of those since the line before, in hexadecimal.
        sum: String,
        entry: E,
    },
}

impl Checkpoint {
    /// Work is saved in this folder, which no other run may use, every half minute.
    pub fn new(disk: Disk) -> Self {
        Self { disk, pause: PAUSE }
    }

    /// Saves when this long has passed since the last time.
    pub fn pause(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }

    /// Whether this is the folder, by whatever name.
    pub(crate) fn is_in(&self, folder: &Path) -> bool {
        let [own, other] = [self.disk.folder(), folder].map(Path::canonicalize);
        own.is_ok_and(|own| other.is_ok_and(|other| own == other))
    }

    pub(crate) fn disk(&self) -> &Disk {
        &self.disk
    }

    /// Opens or starts the log of some work, and gives what was saved of it. Work that was done in another way is
    /// forgotten.
    ///
    /// # Errors
    /// [`FileError::Damaged`] if the data are not what was saved, [`FileError::Io`].
    pub(crate) fn log<E: Serialize + DeserializeOwned>(
        &self,
        name: &str,
        how: &str,
    ) -> Result<(Log, Vec<E>), FileError> {
        let journal_name = format!("{name}.journal");
        let lines: Vec<Line<E>> = Journal::open(&self.disk, &journal_name)?.1;
        let same = |line: &Line<E>| matches!(line, Line::Begun { version: VERSION, how: was } if was == how);
        let fresh = !lines.first().is_some_and(same);
        if fresh {
            self.forget(name)?;
        }
        let (mut journal, lines) = Journal::open(&self.disk, &journal_name)?;
        if fresh {
            journal.append(&Line::<E>::Begun {
                version: VERSION,
                how: how.to_owned(),
            })?;
        }
        let data = SpoolFile::kept(&self.disk.folder().join(format!("{name}.data")))?;
        let mut log = Log {
            journal: Mutex::new(journal),
            data: Arc::new(data),
            end: 0,
            saved: Instant::now(),
            pause: self.pause,
        };
        let mut entries = Vec::new();
        for line in lines {
            if let Line::Saved { end, sum, entry } = line {
                if log.sum(end)? != sum {
                    return Err(FileError::Damaged {
                        path: log.data.path().display().to_string(),
                        what: "it does not hold what its journal says; without both files the work starts again"
                            .to_owned(),
                    });
                }
                log.end = end;
                entries.push(entry);
            }
        }
        log.data.partition(log.end)?;
        Ok((log, entries))
    }

    /// Removes what was saved of some work.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub(crate) fn forget(&self, name: &str) -> Result<(), FileError> {
        for ending in ["journal", "data"] {
            match self.disk.remove(&format!("{name}.{ending}")) {
                Err(error) if !error.is_not_found() => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

/// What is saved of some work, open for more.
pub(crate) struct Log {
    /// Behind a lock only to be shared; one thread saves.
    journal: Mutex<Journal>,
    data: Arc<SpoolFile>,
    end: u64,
    saved: Instant,
    pause: Duration,
}

impl Log {
    /// What everything that is found is appended to.
    pub(crate) fn data(&self) -> &Arc<SpoolFile> {
        &self.data
    }

    /// Whether it is time to save.
    pub(crate) fn is_due(&self) -> bool {
        self.saved.elapsed() >= self.pause
    }

    /// Saves what was appended, with an entry that says where it is.
    pub(crate) fn save<E: Serialize>(&mut self, entry: E) -> Result<(), FileError> {
        self.data.sync()?;
        let end = self.data.end();
        let sum = self.sum(end)?;
        lock(&self.journal).append(&Line::Saved { end, sum, entry })?;
        self.end = end;
        self.saved = Instant::now();
        Ok(())
    }

    /// A checksum of the data from where they were last saved to.
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
