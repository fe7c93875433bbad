//! Opening files that are there: nothing here waits.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::system::{open_any, open_stream};

/// Opens a file for reading.
///
/// # Errors
/// What the system reports; for a directory, a pipe or a device that it is no file. A pipe is
/// refused at once, though nobody writes to it; [`Input`](crate::input::Input) reads pipes.
pub fn open_file(path: &Path) -> io::Result<File> {
    let file = open_any(path)?;
    let kind = file.metadata()?;
    match (kind.is_dir(), kind.is_file()) {
        (true, _) => Err(io::ErrorKind::IsADirectory.into()),
        (_, true) => Ok(file),
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is a pipe or a device, expected a file",
        )),
    }
}

/// The bytes of a file, opened as by [`open_file`].
///
/// # Errors
/// As [`open_file`].
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_file(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a file to add to it, made if it is missing. Waits for a reader of a pipe, unless the
/// process is stopped.
///
/// # Errors
/// What the system reports.
pub fn open_to_append(path: &Path) -> io::Result<File> {
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => open_stream(path),
        _ => File::options().append(true).create(true).open(path),
    }
}

/// Opens the file of a lock, made if it is missing.
///
/// # Errors
/// What the system reports.
pub fn open_lock(path: &Path) -> io::Result<File> {
    // For reading, too: the system does not wait for the other end of a pipe then.
    File::options()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(path)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_is_refused_without_waiting() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
        for path in [&*pipe, Path::new("/dev/null")] {
            let error = open_file(path).unwrap_err().to_string();
            assert_eq!(error, "it is a pipe or a device, expected a file");
        }
        let error = open_file(dir.path()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
        let file = dir.path().join("file");
        std::fs::write(&file, "text").unwrap();
        std::os::unix::fs::symlink(&file, dir.path().join("link")).unwrap();
        open_file(&file).unwrap();
        open_file(&dir.path().join("link")).unwrap();
    }
}
