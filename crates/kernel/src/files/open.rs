//! Opening files that are there: nothing here waits.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
#[cfg(unix)]
use std::time::Duration;

#[cfg(unix)]
use crate::run::Stop;

/// Opens a file for reading.
///
/// # Errors
/// What the system reports; for a directory, a pipe or a device that it is no file. A pipe is refused at once, though nobody
/// writes to it; [`Input`](crate::input::Input) reads pipes.
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

/// Opens whatever has the name for reading; a pipe without waiting for somebody who writes to it, and then reads end at once
/// where it has no bytes.
#[cfg(unix)]
pub(crate) fn open_any(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;

    let flags = rustix::fs::OFlags::NONBLOCK.bits();
    File::options()
        .read(true)
        .custom_flags(flags as i32)
        .open(path)
}

#[cfg(not(unix))]
pub(crate) fn open_any(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Opens a pipe or a device for writing. Waits for a reader of the pipe, unless the process is stopped.
#[cfg(unix)]
pub(super) fn open_stream(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};

    use rustix::fs::{OFlags, fcntl_setfl};
    use rustix::io::Errno;

    let flags = OFlags::NONBLOCK.bits() as i32;
    loop {
        let opened = File::options().write(true).custom_flags(flags).open(path);
        match opened {
            // Only a pipe may get a reader later.
            Err(error)
                if error.raw_os_error() == Some(Errno::NXIO.raw_os_error())
                    && std::fs::metadata(path)?.file_type().is_fifo() =>
            {
                Stop::of_process().check().map_err(io::Error::other)?;
                std::thread::sleep(Duration::from_millis(50));
            }
            other => {
                let file = other?;
                fcntl_setfl(&file, OFlags::empty())?;
                return Ok(file);
            }
        }
    }
}

#[cfg(not(unix))]
pub(super) fn open_stream(path: &Path) -> io::Result<File> {
    File::options().write(true).open(path)
}

/// Opens a file to add to it, made if it is missing. Waits for a reader of a pipe, unless the process is stopped.
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

/// Lets writes beyond the limit on the size of files fail with an error, in place of a signal that ends the process and
/// leaves drafts. Programs call it when they start.
#[cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(unsafe_code, reason = "a function of the C library")
)]
pub fn report_size_limit() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the signal is ignored, so no code of ours runs in a handler.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
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
