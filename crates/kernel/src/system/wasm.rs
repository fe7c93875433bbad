//! WebAssembly in a page: one thread, one process, files in memory.

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command};
use std::sync::OnceLock;
use std::time::Instant;

pub(super) use super::plain::advise_large_pages;
pub use super::plain::{
    OPENS_PAGES, Reader, bound_to, file_limit, is_at, path_of_bytes, release_freed_memory,
    report_size_limit, return_large_buffers, write_part,
};
pub(crate) use super::plain::{
    forget_cached, open_any, open_stream, processors, standard_input, sync_folder, wait_for_input,
};

/// The memory that a page may take.
const MEMORY: u64 = 2 << 30;

/// The time since this was first called: there is one thread, which waits for nobody.
pub(crate) fn process_cpu_seconds() -> f64 {
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed().as_secs_f64()
}

pub(crate) fn peak_rss_bytes() -> Option<u64> {
    None
}

pub(crate) fn free_memory_bytes() -> Option<u64> {
    None
}

pub(crate) fn memory_bytes() -> Option<u64> {
    Some(MEMORY)
}

pub(crate) fn processor() -> Option<String> {
    None
}

pub(crate) fn free_disk_bytes(_folder: &Path) -> Option<u64> {
    None
}

pub(crate) fn read_exact_at(mut file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(bytes)
}

pub(crate) fn write_all_at(mut file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.write_all(bytes)
}

/// The bytes of a file.
#[derive(Debug)]
pub(crate) struct Map(Vec<u8>);

impl Map {
    pub(crate) fn of(mut file: &File) -> io::Result<Self> {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        file.rewind()?;
        Ok(Self(bytes))
    }
}

impl Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// Compresses by zstd's format, without the library in C.
pub(crate) struct Compressor;

impl Compressor {
    pub(crate) fn new(_level: i32) -> io::Result<Self> {
        Ok(Self)
    }

    pub(crate) fn compress(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let level = ruzstd::encoding::CompressionLevel::Fastest;
        Ok(ruzstd::encoding::compress_to_vec(bytes, level))
    }
}

/// Reads zstd's format, without the library in C.
pub(crate) struct Decompressor(ruzstd::decoding::FrameDecoder);

impl Decompressor {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self(ruzstd::decoding::FrameDecoder::new()))
    }

    pub(crate) fn decompress_to_buffer(
        &mut self,
        frame: &[u8],
        bytes: &mut Vec<u8>,
    ) -> io::Result<usize> {
        bytes.resize(bytes.capacity(), 0);
        let found = self.0.decode_all(frame, bytes).map_err(io::Error::other)?;
        bytes.truncate(found);
        Ok(found)
    }
}

/// Locks a file for its holder alone; there is nobody else.
///
/// # Errors
/// None.
pub fn try_lock(_file: &File) -> Result<(), TryLockError> {
    Ok(())
}

/// Locks a file together with others; there is nobody else.
///
/// # Errors
/// None.
pub fn try_lock_shared(_file: &File) -> Result<(), TryLockError> {
    Ok(())
}

/// The number of the process: there is one.
pub(crate) fn process_id() -> u32 {
    1
}

/// The folders of a search path: one.
pub fn split_paths(path: &OsStr) -> Vec<PathBuf> {
    vec![path.into()]
}

/// Runs a function; its stack is that of the page's work.
pub fn with_stack<T: Send>(_bytes: usize, work: impl FnOnce() -> T + Send) -> Option<T> {
    Some(work())
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
