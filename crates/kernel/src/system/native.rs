//! What all systems have that run programs of their own.

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io;
use std::ops::Deref;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::thread::{self, Builder};

use memmap2::Mmap;

/// Makes frames of zstd.
pub(crate) type Compressor = zstd::bulk::Compressor<'static>;
/// Reads frames of zstd.
pub(crate) type Decompressor = zstd::bulk::Decompressor<'static>;

/// The bytes of a file, which the system reads when they are looked at.
#[derive(Debug)]
pub(crate) struct Map(Mmap);

impl Map {
    #[expect(
        unsafe_code,
        reason = "a map is of memory that other programs can change"
    )]
    pub(crate) fn of(file: &File) -> io::Result<Self> {
        // SAFETY: the bytes are only read, as plain bytes of which any value is valid. This
        // project's programs never change a file under its final name but replace it by
        // another, which leaves the mapped one as it was; that of another program's changes
        // is documented.
        let map = unsafe { Mmap::map(file) }?;
        super::this::advise_random_reads(&map);
        Ok(Self(map))
    }
}

impl Deref for Map {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// Locks a file for its holder alone.
///
/// # Errors
/// [`TryLockError::WouldBlock`] if somebody has it, or what the system reports.
pub fn try_lock(file: &File) -> Result<(), TryLockError> {
    file.try_lock()
}

/// Locks a file together with others.
///
/// # Errors
/// [`TryLockError::WouldBlock`] if somebody has it alone, or what the system reports.
pub fn try_lock_shared(file: &File) -> Result<(), TryLockError> {
    file.try_lock_shared()
}

/// The number of the process.
pub(crate) fn process_id() -> u32 {
    std::process::id()
}

/// The folders of a search path.
pub fn split_paths(path: &OsStr) -> Vec<PathBuf> {
    std::env::split_paths(path).collect()
}

/// Runs a function on a thread with a stack of `bytes` bytes; `None` where the system refuses the
/// thread.
pub fn with_stack<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| {
        let thread = Builder::new().stack_size(bytes).spawn_scoped(scope, work);
        let ended = thread.ok()?.join();
        Some(ended.unwrap_or_else(|panic| resume_unwind(panic)))
    })
}
