//! Bytes compressed by zstd, as frames and as payloads: the length of the bytes (u32,
//! little-endian), and a frame.

use std::fmt;
use std::io;

use super::storage::FileError;
use crate::system::{Compressor, Decompressor};

/// The level of compression: higher ones take more time and save little on sets of states.
const LEVEL: i32 = 1;

/// The zstd frame of some bytes.
///
/// # Panics
/// If memory for the compressor is refused.
pub fn compress(bytes: &[u8], level: i32) -> Vec<u8> {
    let frame = Compressor::new(level).and_then(|mut compressor| compressor.compress(bytes));
    frame.expect("memory takes all that is written")
}

/// The bytes of a zstd frame.
///
/// # Errors
/// If it is no frame, or of more than `most` bytes.
pub fn decompress(frame: &[u8], most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(most)?;
    Decompressor::new()?.decompress_to_buffer(frame, &mut bytes)?;
    Ok(bytes)
}

/// Compresses payloads; one for each thread.
pub struct Packer(Compressor);

impl fmt::Debug for Packer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Packer").finish_non_exhaustive()
    }
}

impl Packer {
    /// A compressor of a fixed, low level.
    ///
    /// # Errors
    /// [`FileError::Io`] if it cannot be made, for want of memory.
    pub fn new() -> Result<Self, FileError> {
        let compressor = Compressor::new(LEVEL);
        Ok(Self(
            compressor.map_err(|e| FileError::io("compress", "a file", e))?,
        ))
    }

    /// The payload of less than 4 GiB of bytes.
    ///
    /// # Errors
    /// [`FileError::Io`] if the library reports an error.
    ///
    /// # Panics
    /// If there are 4 GiB or more.
    pub fn pack(&mut self, bytes: &[u8]) -> Result<Vec<u8>, FileError> {
        let length = u32::try_from(bytes.len()).expect("a payload of less than 4 GiB");
        let mut payload = length.to_le_bytes().to_vec();
        let packed = self.0.compress(bytes);
        payload.extend(packed.map_err(|e| FileError::io("compress", "a file", e))?);
        Ok(payload)
    }
}

/// Decompresses what a [`Packer`] made.
pub struct Unpacker(Decompressor);

impl fmt::Debug for Unpacker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unpacker").finish_non_exhaustive()
    }
}

impl Unpacker {
    /// A decompressor.
    ///
    /// # Errors
    /// [`FileError::Io`] if it cannot be made, for want of memory.
    pub fn new() -> Result<Self, FileError> {
        let decompressor = Decompressor::new();
        Ok(Self(decompressor.map_err(|e| {
            FileError::io("read", "a compressed file", e)
        })?))
    }

    /// Replaces what `bytes` held by what was packed; `None` if the payload is not one, or of more
    /// than `most` bytes.
    pub fn unpack(&mut self, payload: &[u8], most: usize, bytes: &mut Vec<u8>) -> Option<()> {
        let (length, packed) = payload.split_first_chunk::<4>()?;
        let length = u32::from_le_bytes(*length) as usize;
        bytes.clear();
        if length > most {
            return None;
        }
        bytes.try_reserve(length).ok()?;
        let unpacked = self.0.decompress_to_buffer(packed, bytes).ok()?;
        (unpacked == length).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_come_back_and_wrong_lengths_do_not_pass() {
        let bytes: Vec<u8> = (0..100_000u32).map(|i| (i / 700) as u8).collect();
        let payload = Packer::new().unwrap().pack(&bytes).unwrap();
        assert!(payload.len() < bytes.len() / 10);
        let mut unpacker = Unpacker::new().unwrap();
        let mut found = vec![1, 2, 3];
        assert_eq!(unpacker.unpack(&payload, 100_000, &mut found), Some(()));
        assert_eq!(found, bytes);
        assert_eq!(unpacker.unpack(&payload, 99_999, &mut found), None);
        let mut longer = payload.clone();
        longer[0] ^= 1;
        for wrong in [&longer[..], &payload[..3], &payload[..payload.len() - 1]] {
            assert_eq!(unpacker.unpack(wrong, 200_000, &mut found), None);
        }
    }
}
