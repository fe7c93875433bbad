//! All of a file or nothing of it.

use std::io::{self, BufWriter, Write};

use super::storage::{DRAFT, FileError, Storage, WriteFile, of_draft};

/// Writes a file so that its name never stands for half of it.
///
/// The bytes go to a draft in the same folder, are synced, and take the name in one step; then the
/// folder is synced. Each call has a draft of its own: of several that write one name at once, the
/// last has it, whole. After a crash at any instant the name stands for what it stood for before or
/// for all of the new bytes; once this function has returned, for the new bytes. Pillai et al.,
/// "All file systems are not created equal" (OSDI 2014), shows why each step is there. If `write`
/// fails, the draft is removed and the old file stays.
///
/// # Errors
/// What `write` returns, or [`FileError`] from the storage.
pub fn publish<T, E: From<FileError>>(
    storage: &dyn Storage,
    name: &str,
    write: impl FnOnce(&mut Draft) -> Result<T, E>,
) -> Result<T, E> {
    erased(write, |write| publish_by(storage, name, write))
}

/// Writes a draft: `false` if that failed.
pub(super) type Fill<'a> = dyn FnMut(&mut Draft) -> bool + 'a;

/// Lets `file`, which is compiled once for all callers, call `write`, and returns what that gave.
pub(super) fn erased<T, E: From<FileError>>(
    write: impl FnOnce(&mut Draft) -> Result<T, E>,
    file: impl FnOnce(&mut Fill<'_>) -> Result<(), FileError>,
) -> Result<T, E> {
    let (mut write, mut value) = (Some(write), None);
    file(&mut |draft| {
        value = write.take().map(|write| write(draft));
        matches!(value, Some(Ok(_)))
    })?;
    value.expect("a file that could be made was written")
}

pub(super) fn publish_by(
    storage: &dyn Storage,
    name: &str,
    write: &mut Fill<'_>,
) -> Result<(), FileError> {
    let (draft_name, file) = storage.draft(name)?;
    let mut draft = Draft {
        path: storage.display(name),
        bytes: BufWriter::with_capacity(1 << 18, file),
        length: 0,
    };
    let filled = write(&mut draft);
    let published = match filled {
        true => (draft.sync()).and_then(|()| storage.rename(&draft_name, name)),
        false => Ok(()),
    };
    if filled && published.is_ok() {
        return storage.sync_dir();
    }
    // The first error is the one worth telling; a draft that stays is removed by the next run.
    let _ = storage.remove(&draft_name);
    published
}

/// Writes a file that is of no use after a crash: nothing is synced, and after a crash the name may
/// stand for a part of it. If `write` fails, the file is removed.
///
/// # Errors
/// What `write` returns, or [`FileError`] from the storage.
pub fn write_temporary<T, E: From<FileError>>(
    storage: &dyn Storage,
    name: &str,
    write: impl FnOnce(&mut Draft) -> Result<T, E>,
) -> Result<T, E> {
    erased(write, |write| {
        let file = storage.create(name)?;
        let draft = Draft {
            path: storage.display(name),
            bytes: BufWriter::with_capacity(1 << 18, file),
            length: 0,
        };
        let written = draft.fill(write);
        if !matches!(written, Ok(true)) {
            // The first error is the one worth telling.
            let _ = storage.remove(name);
        }
        written.map(drop)
    })
}

/// Removes files with the ending of drafts that a crash left behind, scratch files among them. Call
/// it when no other process writes scratch files in the folder.
///
/// # Errors
/// [`FileError::Io`].
pub fn remove_stale_drafts(storage: &dyn Storage) -> Result<(), FileError> {
    remove_stale(storage, |name| name.ends_with(DRAFT))
}

/// Removes the drafts of one file that runs left which have ended.
pub(super) fn remove_stale_drafts_of(storage: &dyn Storage, file: &str) -> Result<(), FileError> {
    remove_stale(storage, |name| of_draft(name) == Some(file))
}

fn remove_stale(storage: &dyn Storage, which: impl Fn(&str) -> bool) -> Result<(), FileError> {
    for name in storage.list()? {
        if which(&name) {
            match storage.remove_stale(&name) {
                // Another run removes them, too.
                Err(error) if error.is_not_found() => {}
                other => other?,
            }
        }
    }
    Ok(())
}

/// A file that is being written and has not got its name yet.
pub struct Draft {
    path: String,
    bytes: BufWriter<Box<dyn WriteFile>>,
    length: u64,
}

impl Draft {
    /// Appends bytes; like [`Write::write_all`], with an error that names the file.
    ///
    /// # Errors
    /// [`FileError::Io`], for example on a full disk.
    pub fn put(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.write_all(bytes)
            .map_err(|e| FileError::io("write", &self.path, e))
    }

    /// Bytes appended so far.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// How messages call the file.
    pub fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn stream(path: String, file: Box<dyn WriteFile>) -> Self {
        Self {
            path,
            bytes: BufWriter::new(file),
            length: 0,
        }
    }

    /// Lets `write` write to a stream, which has no draft: what is written has gone out. `false` if
    /// `write` failed.
    pub(super) fn fill(mut self, write: &mut Fill<'_>) -> Result<bool, FileError> {
        let filled = write(&mut self);
        if filled {
            let flushed = self.bytes.flush();
            flushed.map_err(|e| FileError::io("write", &self.path, e))?;
        }
        Ok(filled)
    }

    fn sync(&mut self) -> Result<(), FileError> {
        self.bytes
            .flush()
            .and_then(|()| self.bytes.get_mut().sync())
            .map_err(|e| FileError::io("write", &self.path, e))
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.bytes.write(bytes)?;
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.bytes.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::files::{Disk, Memory};

    fn content(storage: &dyn Storage, name: &str) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        storage.open(name).ok()?.read_to_end(&mut bytes).unwrap();
        Some(bytes)
    }

    /// Every crash point, many images of each: the name stands for the old file or the new one.
    #[test]
    fn a_crash_leaves_the_old_file_or_the_new_one() {
        let (old, new) = (vec![1u8; 3000], vec![2u8; 700_000]);
        let mut outcomes = [0; 2];
        for crash_at in 1.. {
            let storage = Memory::default();
            publish(&storage, "file", |draft| draft.put(&old)).unwrap();
            storage.crash_after(crash_at);
            let published = publish(&storage, "file", |draft| draft.put(&new));
            for seed in 0..20 {
                let image = storage.image(seed);
                let found = content(&image, "file").expect("the name is never lost");
                assert!(
                    found == old || found == new,
                    "crash {crash_at}, seed {seed}"
                );
                assert!(published.is_err() || found == new, "crash {crash_at}");
                outcomes[usize::from(found == new)] += 1;
                remove_stale_drafts(&image).unwrap();
                assert_eq!(image.list().unwrap(), ["file"]);
            }
            if published.is_ok() {
                break;
            }
        }
        assert!(
            outcomes.iter().all(|&n| n > 0),
            "both outcomes occur: {outcomes:?}"
        );
    }

    /// Several writers of one name at once: whatever a reader finds is whole, and no draft stays.
    #[test]
    fn one_of_several_writers_has_the_name() {
        let dir = tempfile::tempdir().unwrap();
        let disk = Disk::new(dir.path());
        let write = |number: u8| {
            publish(&disk, "file", |draft| {
                for _ in 0..4 {
                    draft.put(&vec![number; 1000 * usize::from(number)])?;
                    draft.flush().unwrap();
                    std::thread::yield_now();
                }
                Ok::<_, FileError>(())
            })
        };
        let is_whole = |found: &[u8]| found.len() == 4000 * usize::from(found[0]);
        write(1).unwrap();
        std::thread::scope(|scope| {
            for number in 1..=6 {
                scope.spawn(move || (0..15).for_each(|_| write(number).unwrap()));
            }
            for _ in 0..100 {
                let found = content(&disk, "file").unwrap();
                assert!(is_whole(&found) && found.iter().all(|&b| b == found[0]));
            }
        });
        assert_eq!(disk.list().unwrap(), ["file"]);
    }

    /// A writer that publishes while another one writes the same file, and a crash at any instant.
    #[test]
    fn a_crash_among_two_writers_leaves_a_whole_file() {
        let put = |storage: &Memory, letter: u8, between: &dyn Fn()| {
            publish(storage, "file", |draft| {
                draft.put(&vec![letter; 300_000])?;
                between();
                draft.put(&vec![letter; 300_000])
            })
        };
        for crash_at in 1.. {
            let storage = Memory::default();
            storage.crash_after(crash_at);
            let first = put(&storage, b'a', &|| {
                let _ = put(&storage, b'b', &|| {});
            });
            for seed in 0..20 {
                let image = storage.image(seed);
                if let Some(found) = content(&image, "file") {
                    let is_whole = found.len() == 600_000 && found.iter().all(|b| *b == found[0]);
                    assert!(is_whole, "crash {crash_at}, seed {seed}");
                    assert!(first.is_err() || found[0] == b'a');
                }
                remove_stale_drafts(&image).unwrap();
                assert!(image.list().unwrap().len() <= 1);
            }
            if first.is_ok() {
                break;
            }
        }
    }

    /// Drafts that runs left which have ended are removed, those that are being written and other
    /// files are not.
    #[test]
    fn drafts_of_ended_runs_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let disk = Disk::new(dir.path());
        let stale = ["file.0-0.draft", "file.0-123456.draft"];
        let others = [
            "file.0-0.drafts",
            "file.draft",
            "file.notes.draft",
            "other.0-0.draft",
        ];
        for name in stale.iter().chain(&others) {
            std::fs::write(dir.path().join(name), "left").unwrap();
        }
        let names = || {
            let names = disk.list().unwrap();
            let (own, others): (Vec<_>, Vec<_>) = names
                .into_iter()
                .partition(|name| of_draft(name) == Some("file"));
            (own.len(), others)
        };
        publish(&disk, "file", |_| {
            assert_eq!(names().0, stale.len() + 1);
            remove_stale_drafts_of(&disk, "file")?;
            assert_eq!(names(), (1, others.map(str::to_owned).to_vec()));
            remove_stale_drafts(&disk)?;
            assert_eq!(names(), (1, vec![others[0].to_owned()]));
            Ok::<_, FileError>(())
        })
        .unwrap();
        assert_eq!(disk.list().unwrap(), ["file", others[0]]);
    }

    /// The fake must be able to catch a careless writer, or the test above shows nothing.
    #[test]
    fn writing_in_place_or_without_sync_is_caught() {
        let broken = |careless: &dyn Fn(&Memory) -> Result<(), FileError>| {
            (1..12).any(|crash_at| {
                (0..40).any(|seed| {
                    let storage = Memory::default();
                    publish(&storage, "file", |draft| draft.put(b"old")).unwrap();
                    storage.crash_after(crash_at);
                    let _ = careless(&storage);
                    let found = content(&storage.image(seed), "file");
                    !matches!(found.as_deref(), Some(b"old" | b"newer"))
                })
            })
        };
        let put = |storage: &Memory, name: &str, sync: bool| {
            let mut file = storage.create(name)?;
            let error = |e| FileError::io("write", name, e);
            file.write_all(b"newer").map_err(error)?;
            if sync {
                file.sync().map_err(error)
            } else {
                Ok(())
            }
        };
        assert!(
            broken(&|storage| put(storage, "file", true)),
            "written in place"
        );
        assert!(
            broken(&|storage| {
                put(storage, "draft", false)?;
                storage.rename("draft", "file")?;
                storage.sync_dir()
            }),
            "renamed before the bytes were synced"
        );
        assert!(!broken(&|storage| {
            put(storage, "draft", true)?;
            storage.rename("draft", "file")?;
            storage.sync_dir()
        }));
    }
}
