//! A file of lines that grows, and of which a crash costs at most the line that was being written.
//!
//! ```text
//! {"sum":"0f1e2d3c4b5a6978","entry":ENTRY}
//! ```
//!
//! A line each: ENTRY is any JSON, the sum is the xxh3 of ENTRY's bytes, seeded with the line's
//! number from 0. Bytes after the last line break are a line that was torn by a crash: they are
//! dropped when the file is opened again. Everything before was synced, so a line that does not
//! match its sum was damaged later, and is refused.

use std::io::{Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::storage::{FileError, Storage, WriteFile};

/// A journal that is open for more entries. One process at a time: lock the folder.
pub struct Journal {
    path: String,
    file: Box<dyn WriteFile>,
    lines: u64,
    /// After a failed write the end of the file is unknown.
    broken: bool,
}

impl Journal {
    /// Opens or starts the journal `name` and returns the entries that it holds.
    ///
    /// # Errors
    /// [`FileError::Damaged`] saying which line is wrong, [`FileError::Io`].
    pub fn open<T: Serialize + DeserializeOwned>(
        storage: &dyn Storage,
        name: &str,
    ) -> Result<(Self, Vec<T>), FileError> {
        let path = storage.display(name);
        let entries: Vec<T> = read(storage, name)?;
        // What is sound is written anew and takes the name in one step; the file then stays open to
        // grow.
        let (draft, file) = storage.draft(name)?;
        let mut journal = Self {
            file,
            path,
            lines: 0,
            broken: false,
        };
        let mut text = Vec::new();
        for entry in &entries {
            text.extend(journal.line(entry)?);
            journal.lines += 1;
        }
        journal.put(&text)?;
        storage.rename(&draft, name)?;
        storage.sync_dir()?;
        Ok((journal, entries))
    }

    /// Adds an entry; when this returns, it is on the disk.
    ///
    /// # Errors
    /// [`FileError::Io`]; no entry can be added after that.
    pub fn append(&mut self, entry: &impl Serialize) -> Result<(), FileError> {
        if self.broken {
            let gone = std::io::Error::other("an earlier write has failed");
            return Err(FileError::io("write", &self.path, gone));
        }
        let line = self.line(entry)?;
        self.broken = true;
        self.put(&line)?;
        self.broken = false;
        self.lines += 1;
        Ok(())
    }

    fn line(&self, entry: &impl Serialize) -> Result<Vec<u8>, FileError> {
        let text = serde_json::to_string(entry)
            .map_err(|e| FileError::io("write", &self.path, std::io::Error::other(e)))?;
        let sum = xxh3_64_with_seed(text.as_bytes(), self.lines);
        Ok(format!("{HEAD}{sum:016x}{MIDDLE}{text}}}\n").into_bytes())
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.file
            .write_all(bytes)
            .and_then(|()| self.file.sync())
            .map_err(|e| FileError::io("write", &self.path, e))
    }
}

const HEAD: &str = "{\"sum\":\"";
const MIDDLE: &str = "\",\"entry\":";

fn read<T: DeserializeOwned>(storage: &dyn Storage, name: &str) -> Result<Vec<T>, FileError> {
    let mut bytes = Vec::new();
    match storage.open(name) {
        Ok(mut file) => file
            .read_to_end(&mut bytes)
            .map_err(|e| FileError::io("read", storage.display(name), e))?,
        Err(error) if error.is_not_found() => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let whole = bytes
        .iter()
        .rposition(|&b| b == b'\n')
        .map_or(0, |at| at + 1);
    let lines = bytes[..whole].split_inclusive(|&b| b == b'\n');
    (lines.enumerate())
        .map(|(number, line)| {
            entry(&line[..line.len() - 1], number as u64).ok_or_else(|| FileError::Damaged {
                path: storage.display(name),
                what: format!("line {} does not match its checksum", number + 1),
            })
        })
        .collect()
}

fn entry<T: DeserializeOwned>(line: &[u8], number: u64) -> Option<T> {
    let rest = std::str::from_utf8(line).ok()?.strip_prefix(HEAD)?;
    let (sum, rest) = rest.split_once(MIDDLE)?;
    let text = rest.strip_suffix('}')?;
    let matches = sum == format!("{:016x}", xxh3_64_with_seed(text.as_bytes(), number));
    matches.then(|| serde_json::from_str(text).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Memory;

    fn fill(storage: &Memory, upto: u32) -> Result<(), FileError> {
        let (mut journal, entries) = Journal::open::<u32>(storage, "j")?;
        for n in entries.len() as u32..upto {
            journal.append(&(n * 7))?;
        }
        Ok(())
    }

    /// Whatever instant the power fails at, what was acknowledged is there, in order, and the
    /// journal goes on.
    #[test]
    fn no_crash_loses_an_acknowledged_entry() {
        for crash in 0..40 {
            for seed in 0..8 {
                let storage = Memory::default();
                fill(&storage, 3).unwrap();
                storage.crash_after(crash);
                let acknowledged = match Journal::open::<u32>(&storage, "j") {
                    Err(_) => 3,
                    Ok((mut journal, _)) => {
                        3 + (3..9)
                            .take_while(|n| journal.append(&(n * 7)).is_ok())
                            .count()
                    }
                };
                let image = storage.image(seed);
                let (_, entries) = Journal::open::<u32>(&image, "j").unwrap();
                assert!(entries.len() >= acknowledged, "crash {crash} seed {seed}");
                assert!(entries.iter().enumerate().all(|(i, &n)| n == i as u32 * 7));
                fill(&image, 9).unwrap();
                assert_eq!(Journal::open::<u32>(&image, "j").unwrap().1.len(), 9);
            }
        }
    }

    #[test]
    fn damage_is_named_and_torn_ends_are_dropped() {
        let storage = Memory::default();
        fill(&storage, 5).unwrap();
        storage.damage("j", |bytes| bytes.truncate(bytes.len() - 1));
        assert_eq!(Journal::open::<u32>(&storage, "j").unwrap().1.len(), 4);
        storage.damage("j", |bytes| bytes[8] ^= 1);
        let error = Journal::open::<u32>(&storage, "j").err().unwrap();
        assert_eq!(
            error.to_string(),
            "j is damaged: line 1 does not match its checksum; remove it and make it anew"
        );
    }

    #[test]
    fn after_a_failed_write_nothing_is_added() {
        let storage = Memory::default();
        let (mut journal, _) = Journal::open::<u32>(&storage, "j").unwrap();
        storage.crash_after(0);
        assert!(journal.append(&1).is_err());
        storage.crash_after(100);
        assert!(journal.append(&2).is_err());
    }
}
