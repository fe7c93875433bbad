//! What systems that are not Unix do without.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use crate::run::{Stop, Stopped};

/// The program that shows an address in the browser.
pub const OPENS_PAGES: &str = "explorer";

pub(super) fn advise_large_pages<T>(_memory: &mut [T], _skipped: usize, _bytes: usize) {}

/// How many files may be open at once.
pub fn file_limit() -> Option<u64> {
    None
}

pub(crate) fn processors() -> Vec<usize> {
    Vec::new()
}

/// Calls `start`; no [`processors`](crate::machine::processors) are named here.
///
/// # Errors
/// What `start` reports.
pub fn bound_to<T>(_processors: &[usize], start: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    start()
}

/// Returns freed memory to the system; here the allocator does so itself.
pub fn release_freed_memory() {}

/// Returns large buffers to the system as soon as they are dropped; here the allocator does so
/// itself.
pub fn return_large_buffers() {}

/// Lets writes beyond the limit on the size of files fail with an error; here they do.
pub fn report_size_limit() {}

pub(crate) fn open_any(path: &Path) -> io::Result<File> {
    File::open(path)
}

pub(crate) fn open_stream(path: &Path) -> io::Result<File> {
    File::options().write(true).open(path)
}

pub(crate) fn forget_cached(_file: &File) {}

/// A folder cannot be synced by opening it: a new name lasts as the system says.
pub(crate) fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Whether an open file is the one that a path names now: an open file cannot be removed.
pub fn is_at(_file: &File, _path: &Path) -> bool {
    true
}

/// A path as a program in C gives it.
pub fn path_of_bytes(bytes: &[u8]) -> Option<&OsStr> {
    std::str::from_utf8(bytes).ok().map(OsStr::new)
}

pub(crate) fn standard_input() -> io::Result<Option<File>> {
    Ok(None)
}

pub(crate) fn wait_for_input(_file: &File, stop: &Stop) -> Result<(), Stopped> {
    stop.check()
}

/// A stream to somebody who reads it.
pub trait Reader: Write {}

impl<S: Write> Reader for S {}

/// Writes a part of `bytes` to a stream, and returns how many; waits for its reader.
///
/// # Errors
/// What the stream reports.
pub fn write_part(stream: &mut impl Reader, bytes: &[u8], _stop: &Stop) -> io::Result<usize> {
    let written = stream.write(bytes)?;
    stream.flush()?;
    Ok(written)
}
