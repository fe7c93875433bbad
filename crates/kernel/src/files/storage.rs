//! The few things a folder of files must be able to do, so that tests can put a fake in its place.

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use thiserror::Error;

/// A flat folder of named files.
///
/// Names are plain: no separators, not empty, not `.` or `..`. Operations are as weak as a disk's:
/// what a file holds is safe after [`WriteFile::sync`], what the folder holds (names created,
/// renamed, removed) after [`Storage::sync_dir`]. [`publish`](super::publish) puts them in the
/// right order.
pub trait Storage: fmt::Debug + Send + Sync {
    /// Starts a file, emptying it if it exists.
    ///
    /// # Errors
    /// [`FileError::Io`].
    fn create(&self, name: &str) -> Result<Box<dyn WriteFile>, FileError>;

    /// Starts a draft of the file `name`: an empty file with a name of its own,
    /// `NAME.PROCESS-NUMBER.draft`, which comes first.
    ///
    /// # Errors
    /// [`FileError::Io`].
    fn draft(&self, name: &str) -> Result<(String, Box<dyn WriteFile>), FileError> {
        let draft = draft_name(name);
        let file = self.create(&draft)?;
        Ok((draft, file))
    }

    /// Removes a draft, or a scratch file, if no run writes it any more.
    ///
    /// # Errors
    /// [`FileError::Io`].
    fn remove_stale(&self, draft: &str) -> Result<(), FileError> {
        self.remove(draft)
    }

    /// Opens a file for reading.
    ///
    /// # Errors
    /// [`FileError::Io`]; [`FileError::is_not_found`] distinguishes a missing file from other
    /// errors.
    fn open(&self, name: &str) -> Result<Box<dyn ReadFile>, FileError>;

    /// Opens a file for reads and writes at any position.
    ///
    /// # Errors
    /// [`FileError::Io`].
    fn open_at(&self, name: &str, access: Access) -> Result<Box<dyn PositionalFile>, FileError>;

    /// Gives a file another name, replacing what had it, in one step.
    ///
    /// # Errors
    /// [`FileError::Io`].
    fn rename(&self, from: &str, to: &str) -> Result<(), FileError>;

    /// Removes a file.
    ///
    /// # Errors
    /// [`FileError::Io`].
    fn remove(&self, name: &str) -> Result<(), FileError>;

    /// The names of all files, ascending.
    ///
    /// # Errors
    /// [`FileError::Io`].
    fn list(&self) -> Result<Vec<String>, FileError>;

    /// Makes created, renamed and removed names last.
    ///
    /// # Errors
    /// [`FileError::Io`].
    fn sync_dir(&self) -> Result<(), FileError>;

    /// How messages should call a file: its path.
    fn display(&self, name: &str) -> String;
}

/// A file being written from front to back.
pub trait WriteFile: io::Write + Send {
    /// Makes the bytes written so far last.
    ///
    /// # Errors
    /// What the system reports.
    fn sync(&mut self) -> io::Result<()>;
}

/// A file being read.
pub trait ReadFile: io::Read + io::Seek + Send {
    /// Its length in bytes.
    ///
    /// # Errors
    /// What the system reports.
    fn size(&self) -> io::Result<u64>;
}

/// How a [`PositionalFile`] is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// An existing file, only to be read; writes fail.
    Read,
    /// An existing file or, if there is none, an empty one, to be read and written.
    Update,
    /// An empty file, to be read and written; what the name held before is lost.
    Replace,
}

/// A file that any number of threads read and write at any position at once.
///
/// Nothing is buffered. As with [`WriteFile`], what is written is safe after [`sync`](Self::sync)
/// only: after a crash each write since then may have happened, happened in part, or not at all, in
/// any order.
pub trait PositionalFile: fmt::Debug + Send + Sync {
    /// Its length in bytes.
    ///
    /// # Errors
    /// What the system reports.
    fn size(&self) -> io::Result<u64>;

    /// Cuts it to `length` bytes, or extends it with zeros.
    ///
    /// # Errors
    /// What the system reports.
    fn resize(&self, length: u64) -> io::Result<()>;

    /// Fills `bytes` from position `at`.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] if the file ends before; otherwise what the system reports.
    fn read_exact_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()>;

    /// Writes all of `bytes` at position `at`. A gap between the end of the file and `at` is filled
    /// with zeros.
    ///
    /// # Errors
    /// What the system reports, for example that the disk is full.
    fn write_all_at(&self, bytes: &[u8], at: u64) -> io::Result<()>;

    /// Makes all that was written so far durable.
    ///
    /// # Errors
    /// What the system reports.
    fn sync(&self) -> io::Result<()>;

    /// Asks the operating system to drop the file from its cache, after a [`sync`](Self::sync). A
    /// system that cannot do that does nothing.
    fn uncache(&self) {}
}

/// Why a file could not be written, read or believed. Each says which file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileError {
    /// The system refused.
    #[error("cannot {doing} {path}: {reason}", reason = plain(source))]
    Io {
        /// What was tried: `create`, `write`, `read`, ...
        doing: &'static str,
        /// The file.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// The file is of another kind.
    #[error("{path} is not {expected}: it starts with the wrong bytes")]
    Foreign {
        /// The file.
        path: String,
        /// The kind of file that was expected, with its article.
        expected: &'static str,
    },
    /// The file is of the right kind, but of a version that this program does not read.
    #[error(
        "{path} has version {found} of its format, but this program reads version {expected}: make the file anew"
    )]
    Version {
        /// The file.
        path: String,
        /// Its version.
        found: u32,
        /// The version that is read.
        expected: u32,
    },
    /// The bytes are not those that were written.
    #[error("{path} is damaged: {what}; remove it and make it anew")]
    Damaged {
        /// The file.
        path: String,
        /// What is wrong, and where.
        what: String,
    },
    /// Another process works in the folder.
    #[error(
        "{path} is in use by another run: wait until that has ended, or name another directory"
    )]
    InUse {
        /// The folder.
        path: String,
    },
    /// The folder belongs to another computation.
    #[error("{path} belongs to {found}, not to {asked}: name another directory")]
    OtherQuestion {
        /// A file of the folder.
        path: String,
        /// What was computed.
        found: String,
        /// What is computed.
        asked: String,
    },
    /// Some processes of a computation save their parts, this one does not.
    #[error("process {process} saves nothing and others do: name a directory for all or for none")]
    NotSavedByAll {
        /// A process that saves nothing.
        process: usize,
    },
    /// The path names no file that could be written.
    #[error("cannot write {path}: {what}")]
    Unwritable {
        /// The path.
        path: String,
        /// Why.
        what: String,
    },
}

impl FileError {
    /// Wraps what the system reported.
    pub fn io(doing: &'static str, path: impl Into<String>, source: io::Error) -> Self {
        Self::Io {
            doing,
            path: path.into(),
            source,
        }
    }

    /// Whether the file is simply not there.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

/// The system's words without the number that only programmers read.
pub(crate) fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => "unknown error".to_owned(),
    }
}

/// The ending of files that are still being written.
pub(super) const DRAFT: &str = ".draft";

/// A name for a draft that no other draft of this process has.
pub(super) fn draft_name(name: &str) -> String {
    static DRAFTS: AtomicU64 = AtomicU64::new(0);
    let number = DRAFTS.fetch_add(1, Ordering::Relaxed);
    format!("{name}.{}-{number}{DRAFT}", crate::system::process_id())
}

/// The file of which a name is that of a [draft](Storage::draft).
pub(super) fn of_draft(draft: &str) -> Option<&str> {
    let (name, numbers) = draft.strip_suffix(DRAFT)?.rsplit_once('.')?;
    let (process, number) = numbers.split_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (is_number(process) && is_number(number)).then_some(name)
}

/// Panics unless `name` is plain: a wrong name here is a bug of the caller, not bad input.
pub(super) fn assert_plain(name: &str) {
    assert!(
        !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\\', '\0']),
        "'{name}' is not a plain file name"
    );
}
