//! Bytes from a file, a pipe or a device.

use std::fs::{File, Metadata};
use std::io::{self, BufReader, Read};
use std::path::Path;

use super::error::InputError;
use crate::run::Run;
use crate::system::{open_any, standard_input, wait_for_input};

/// Bytes that a computation reads; a [`Read`] that ends with an error when the run is stopped.
///
/// Errors of [`Input::read`] carry an [`InputError`]: [`InputError::from_io`] gets it back.
pub struct Input {
    name: String,
    bytes: Bytes,
    run: Run,
    read: u64,
    limit: u64,
    is_text: bool,
    /// Whether the first bytes of a text were checked for a byte order mark.
    is_begun: bool,
    /// First bytes of a text that were read to see whether they are a byte order mark.
    head: Vec<u8>,
}

/// The byte order mark of UTF-8.
const MARK: &[u8] = "\u{feff}".as_bytes();

enum Bytes {
    /// Waits for it, and checks the stop flag at intervals.
    File(File),
    /// Read at once.
    Other(Box<dyn Read + Send>),
}

impl std::fmt::Debug for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Input")
            .field("name", &self.name)
            .field("read", &self.read)
            .finish_non_exhaustive()
    }
}

impl Input {
    /// A file, pipe or device.
    ///
    /// # Errors
    /// [`InputError::Io`] if it cannot be opened or is a directory.
    pub fn open(path: &Path, run: &Run) -> Result<Self, InputError> {
        let name = crate::text::shown(&path.display().to_string());
        let open = || {
            let file = open_any(path)?;
            match file.metadata()?.is_dir() {
                true => Err(io::ErrorKind::IsADirectory.into()),
                false => Ok(file),
            }
        };
        match open() {
            Ok(file) => Ok(Self::of(name, Bytes::File(file), run)),
            Err(source) => Err(InputError::Io { name, source }),
        }
    }

    /// Standard input. What a buffer of [`io::stdin`] holds already is not seen.
    ///
    /// # Errors
    /// [`InputError::Io`] if standard input is closed.
    pub fn standard(run: &Run) -> Result<Self, InputError> {
        let name = "standard input".to_owned();
        match standard_input() {
            Ok(Some(file)) => Ok(Self::of(name, Bytes::File(file), run)),
            Ok(None) => Ok(Self::new(name, io::stdin(), run)),
            Err(source) => Err(InputError::Io { name, source }),
        }
    }

    /// Any other source, called `name` in messages. The stop flag is checked before each of its
    /// reads.
    pub fn new(name: impl Into<String>, bytes: impl Read + Send + 'static, run: &Run) -> Self {
        Self::of(name.into(), Bytes::Other(Box::new(bytes)), run)
    }

    fn of(name: String, bytes: Bytes, run: &Run) -> Self {
        Self {
            name,
            bytes,
            run: run.clone(),
            read: 0,
            limit: u64::MAX,
            is_text: false,
            is_begun: false,
            head: Vec::new(),
        }
    }

    /// The same as a text in UTF-8: a byte order mark at its begin is left out,
    /// [`InputError::Utf16`] replaces that of UTF-16, and [`InputError::ZeroByte`] a byte 0: a
    /// text has none, a device may have no other.
    pub fn as_text(mut self) -> Self {
        self.is_text = true;
        self
    }

    /// The same, with [`InputError::TooLarge`] in place of the byte after the first `limit` ones.
    pub fn at_most(mut self, limit: u64) -> Self {
        self.limit = limit;
        self
    }

    /// How messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The bytes of a regular file that are not read yet; `None` of a pipe or a device.
    pub fn left(&self) -> Option<u64> {
        let Bytes::File(file) = &self.bytes else {
            return None;
        };
        let metadata = file.metadata().ok().filter(Metadata::is_file)?;
        Some(metadata.len().saturating_sub(self.read))
    }

    /// The run under which it is read.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// With a buffer, for readers that want a [`BufRead`](io::BufRead).
    pub fn buffered(self) -> BufReader<Self> {
        BufReader::with_capacity(1 << 16, self)
    }
}

impl Input {
    /// Reads bytes, as they are.
    fn read_raw(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let stop = &self.run.stop;
        stop.check().map_err(InputError::from)?;
        let read = match &mut self.bytes {
            Bytes::File(file) => loop {
                wait_for_input(file, stop).map_err(InputError::from)?;
                match file.read(buffer) {
                    Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
                    other => break other,
                }
            },
            Bytes::Other(bytes) => bytes.read(buffer),
        }?;
        if self.is_begun
            && let Some(zero) = buffer[..read].iter().position(|&byte| byte == 0)
        {
            let (name, at) = (self.name.clone(), self.read + zero as u64 + 1);
            return Err(InputError::ZeroByte { name, at }.into());
        }
        self.read += read as u64;
        if self.read > self.limit {
            let (name, limit) = (self.name.clone(), self.limit);
            return Err(InputError::TooLarge { name, limit }.into());
        }
        Ok(read)
    }

    /// Reads the first bytes of a text into `self.head`: no more than show whether they are a byte
    /// order mark, since who writes the text may wait for an answer to its first line.
    fn begin_text(&mut self) -> io::Result<()> {
        let is_open = |head: &[u8]| {
            head.len() < MARK.len() && MARK.starts_with(head) || matches!(head, [0xff] | [0xfe])
        };
        while is_open(&self.head) {
            let mut next = [0];
            match self.read_raw(&mut next)? {
                0 => break,
                _ => self.head.push(next[0]),
            }
        }
        let name = || self.name.clone();
        if self.head == MARK {
            self.head.clear();
        } else if matches!(self.head[..], [0xff, 0xfe] | [0xfe, 0xff]) {
            return Err(InputError::Utf16 { name: name() }.into());
        } else if let Some(zero) = self.head.iter().position(|&byte| byte == 0) {
            let (name, at) = (name(), zero as u64 + 1);
            return Err(InputError::ZeroByte { name, at }.into());
        }
        self.is_begun = true;
        Ok(())
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_text && !self.is_begun {
            self.begin_text()?;
        }
        if self.head.is_empty() || buffer.is_empty() {
            return self.read_raw(buffer);
        }
        let given = self.head.len().min(buffer.len());
        buffer[..given].copy_from_slice(&self.head[..given]);
        self.head.drain(..given);
        Ok(given)
    }
}
