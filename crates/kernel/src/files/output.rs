//! A file that a person named: tried before the work, written after it.

use std::fs;
use std::path::{Path, PathBuf};

use super::disk::Disk;
use super::publish::{Draft, Fill, erased, publish_by, remove_stale_drafts_of};
use super::storage::{FileError, Storage};
use crate::system::open_stream;

/// A file to be written when the work is done, known beforehand to be writable.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    target: Target,
}

#[derive(Debug)]
enum Target {
    /// Replaced in one step. The folder and the name after links were followed, so that a link
    /// stays a link.
    File { folder: Disk, name: String },
    /// A terminal, a pipe or a device: written straight to, for there is nothing to replace.
    Stream,
}

impl Output {
    /// Makes sure that a file of this name can be written, and changes nothing.
    ///
    /// # Errors
    /// [`FileError::Unwritable`] or [`FileError::Io`] saying what prevents it.
    pub fn prepare(path: impl Into<PathBuf>) -> Result<Self, FileError> {
        let path = path.into();
        let unwritable = |what: &str| FileError::Unwritable {
            path: path.display().to_string(),
            what: what.to_owned(),
        };
        let target = match fs::metadata(&path) {
            Ok(found) if found.is_dir() => {
                return Err(unwritable("it is a directory, expected a file"));
            }
            Ok(found) if !found.is_file() => {
                return Ok(Self {
                    path,
                    target: Target::Stream,
                });
            }
            Ok(_) => {
                // A file that may not be written must not be replaced either, though its folder
                // would allow it.
                fs::OpenOptions::new()
                    .append(true)
                    .open(&path)
                    .and_then(|_| fs::canonicalize(&path))
                    .map_err(|e| FileError::io("write", path.display().to_string(), e))?
            }
            Err(_) => path.clone(),
        };
        let name = target
            .file_name()
            .and_then(|name| name.to_str())
            .filter(|_| !path.as_os_str().to_string_lossy().ends_with('/'))
            .ok_or_else(|| unwritable("expected a file name in plain text"))?
            .to_owned();
        let folder = match target.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        if !folder.is_dir() {
            return Err(unwritable(&format!(
                "there is no directory {}",
                folder.display()
            )));
        }
        let folder = Disk::new(folder);
        // A draft that stays is in nobody's way.
        let _ = remove_stale_drafts_of(&folder, &name);
        folder
            .draft(&name)
            .and_then(|(probe, _file)| folder.remove(&probe))
            .map_err(|error| match error {
                FileError::Io { source, .. } => {
                    FileError::io("write", path.display().to_string(), source)
                }
                other => other,
            })?;
        Ok(Self {
            path,
            target: Target::File { folder, name },
        })
    }

    /// The path as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the file: whole or not at all.
    ///
    /// # Errors
    /// What `write` returns, or [`FileError`].
    pub fn publish<T, E: From<FileError>>(
        self,
        write: impl FnOnce(&mut Draft) -> Result<T, E>,
    ) -> Result<T, E> {
        erased(write, |write| self.publish_by(write))
    }

    fn publish_by(self, write: &mut Fill<'_>) -> Result<(), FileError> {
        match self.target {
            Target::File { folder, name } => {
                let mode = fs::metadata(&self.path).map(|found| found.permissions());
                publish_by(&folder, &name, write)?;
                if let Ok(mode) = mode {
                    // Worth keeping, not worth failing for: the content is there.
                    let _ = fs::set_permissions(&self.path, mode);
                }
                Ok(())
            }
            Target::Stream => {
                let path = self.path.display().to_string();
                let file = open_stream(&self.path).map_err(|e| FileError::io("write", &path, e))?;
                Draft::stream(path, Box::new(file)).fill(write).map(drop)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) -> Result<(), FileError> {
        Output::prepare(path)?.publish(|draft| draft.put(text.as_bytes()))
    }

    #[test]
    fn preparing_changes_nothing_and_publishing_replaces() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a picture.svg");
        let output = Output::prepare(&path).unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        output.publish(|draft| draft.put(b"one")).unwrap();
        write(&path, "two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_written_is_refused_beforehand() {
        let dir = tempfile::tempdir().unwrap();
        let refusal = |path: &Path| Output::prepare(path).unwrap_err().to_string();
        assert!(refusal(dir.path()).ends_with("it is a directory, expected a file"));
        assert!(refusal(&dir.path().join("none/f.svg")).contains("there is no directory"));
        assert!(refusal(Path::new("")).contains("expected a file name"));
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_stay_what_they_are() {
        let dir = tempfile::tempdir().unwrap();
        let (file, link) = (dir.path().join("file"), dir.path().join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, "new").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        write(Path::new("/dev/null"), "nothing").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
