//! WebAssembly, where there are no files, processes or clocks of the process.

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Child, ChildStdin, Command};

pub(super) use super::plain::advise_large_pages;
pub use super::plain::{
    OPENS_PAGES, Reader, bound_to, file_limit, is_at, path_of_bytes, release_freed_memory,
    report_size_limit, return_large_buffers, write_part,
};
pub(crate) use super::plain::{
    advise_random_reads, forget_cached, open_any, open_stream, processors, standard_input,
    sync_folder, wait_for_input,
};

pub(crate) fn process_cpu_seconds() -> f64 {
    0.0
}

pub(crate) fn peak_rss_bytes() -> Option<u64> {
    None
}

pub(crate) fn free_memory_bytes() -> Option<u64> {
    None
}

pub(crate) fn memory_bytes() -> Option<u64> {
    None
}

pub(crate) fn processor() -> Option<String> {
    None
}

pub(crate) fn free_disk_bytes(_folder: &Path) -> Option<u64> {
    None
}

pub(crate) fn read_exact_at(_file: &File, _bytes: &mut [u8], _at: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn write_all_at(_file: &File, _bytes: &[u8], _at: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A program that was started; there are none.
#[derive(Debug)]
pub struct Group;

impl Group {
    /// Has no effect.
    pub fn prepare(_command: &mut Command) {}

    /// No program can be started here.
    pub fn of(_child: &Child) -> Self {
        Self
    }

    /// Has no effect.
    pub fn kill(&self, _child: &mut Child) {}

    /// Has no effect.
    ///
    /// # Errors
    /// None.
    pub fn set_nonblocking(_input: &ChildStdin) -> io::Result<()> {
        Ok(())
    }
}
