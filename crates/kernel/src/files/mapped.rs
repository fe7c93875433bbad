//! A file whose bytes are read when they are looked at.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::Path;

use super::open::open_file;
use crate::system::Map;

/// The bytes of a file, mapped into memory: the system reads a page when it is first looked at, and
/// takes it back when it needs memory.
///
/// The file must keep its length: a program that looks at bytes that were cut off is ended by the
/// system.
#[derive(Debug)]
pub struct Mapped(Map);

impl Mapped {
    /// Maps a file, whose bytes will be looked at in no order; also returns it, to be read from its
    /// beginning.
    ///
    /// # Errors
    /// If it cannot be opened, is no regular file, or cannot be mapped.
    pub fn open(path: &Path) -> io::Result<(Self, File)> {
        let file = open_file(path)?;
        let map = Map::of(&file)?;
        Ok((Self(map), file))
    }
}

impl Deref for Mapped {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn a_file_is_mapped_and_what_is_no_file_refused() {
        let folder = tempfile::tempdir().unwrap();
        for bytes in [&b""[..], b"bytes"] {
            let path = folder.path().join("file");
            std::fs::write(&path, bytes).unwrap();
            let (mapped, mut file) = Mapped::open(&path).unwrap();
            assert_eq!(*mapped, *bytes);
            let mut read = Vec::new();
            file.read_to_end(&mut read).unwrap();
            assert_eq!(read, bytes);
        }
        assert!(Mapped::open(folder.path()).is_err());
        assert!(Mapped::open(&folder.path().join("none")).is_err());
    }
}
