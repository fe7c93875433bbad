//! Sets as bitmaps: a part is the words of a process, and pieces are joined by `or`.
//!
//! A piece is the number of its first word among those of the part (u64, little-endian), a byte, and the words, little-endian:
//! as they are after a 0, compressed by zstd (see [`Packer`]) after a 1, whichever is shorter. Words that are 0 at both
//! ends of a piece are not sent, and nothing is sent of a piece without others.

use everymove_kernel::files::{FileError, Packer, Unpacker};

use super::Part;

/// The most words of a piece: 256 KiB.
pub const PIECE: usize = 1 << 15;

/// Bytes of a piece before its words.
const HEADER: usize = 9;

/// The words of a process.
#[derive(Debug)]
pub struct Words {
    words: Vec<u64>,
    unpacker: Unpacker,
    bytes: Vec<u8>,
}

impl Words {
    /// A part with these words.
    ///
    /// # Errors
    /// [`FileError`] for want of memory.
    pub fn new(words: Vec<u64>) -> Result<Self, FileError> {
        Ok(Self {
            words,
            unpacker: Unpacker::new()?,
            bytes: Vec::new(),
        })
    }

    /// The words.
    pub fn into_words(self) -> Vec<u64> {
        self.words
    }

    /// Joins words from the one with number `first` on.
    ///
    /// # Panics
    /// If the part has no such words.
    pub fn or(&mut self, first: usize, words: &[u64]) {
        for (word, more) in self.words[first..][..words.len()].iter_mut().zip(words) {
            *word |= more;
        }
    }
}

impl Part for Words {
    fn join(&mut self, piece: &[u8]) -> Result<(), &'static str> {
        const WRONG: &str = "a piece is not of this part";
        let (header, rest) = piece.split_at_checked(HEADER).ok_or(WRONG)?;
        let first = header[..8].try_into().map(u64::from_le_bytes);
        let first = first.ok().and_then(|first| usize::try_from(first).ok());
        let words = first
            .and_then(|first| self.words.get_mut(first..))
            .ok_or(WRONG)?;
        let bytes = match header[8] {
            0 => rest,
            1 => {
                let unpacked = self.unpacker.unpack(rest, 8 * PIECE, &mut self.bytes);
                unpacked.ok_or("a piece cannot be decompressed")?;
                &self.bytes
            }
            _ => return Err(WRONG),
        };
        let (more, rest) = bytes.as_chunks::<8>();
        if !rest.is_empty() || more.len() > words.len() {
            return Err(WRONG);
        }
        for (word, more) in words.iter_mut().zip(more) {
            *word |= u64::from_le_bytes(*more);
        }
        Ok(())
    }
}

/// Makes pieces of words.
#[derive(Debug)]
pub struct Pieces {
    packer: Packer,
    bytes: Vec<u8>,
    most: usize,
}

impl Pieces {
    /// Of at most [`PIECE`] words.
    ///
    /// # Errors
    /// [`FileError`] for want of memory.
    pub fn new() -> Result<Self, FileError> {
        Self::of(PIECE)
    }

    /// Of at most `most` words.
    ///
    /// # Errors
    /// [`FileError`] for want of memory.
    pub fn of(most: usize) -> Result<Self, FileError> {
        Ok(Self {
            packer: Packer::new()?,
            bytes: Vec::new(),
            most: most.clamp(1, PIECE),
        })
    }

    /// Calls `send` with the pieces of words from the one with number `first` of a part on.
    ///
    /// # Errors
    /// Those of `send`, and [`FileError`] if the words cannot be compressed.
    pub fn each<E: From<FileError>>(
        &mut self,
        first: usize,
        words: &[u64],
        mut send: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        for (number, words) in words.chunks(self.most).enumerate() {
            let is_set = |word: &u64| *word != 0;
            let Some(start) = words.iter().position(is_set) else {
                continue;
            };
            let end = words
                .iter()
                .rposition(is_set)
                .map_or(start, |last| last + 1);
            let at = (first + number * self.most + start) as u64;
            self.bytes.clear();
            self.bytes.extend(at.to_le_bytes());
            self.bytes.push(0);
            for word in &words[start..end] {
                self.bytes.extend(word.to_le_bytes());
            }
            let packed = self.packer.pack(&self.bytes[HEADER..])?;
            if packed.len() < self.bytes.len() - HEADER {
                self.bytes.truncate(HEADER);
                self.bytes[HEADER - 1] = 1;
                self.bytes.extend(packed);
            }
            send(&self.bytes)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use everymove_kernel::rng::SplitMix64;

    use super::*;

    /// Words of which `share` of 64 are random, the others 0.
    fn words(count: usize, share: u64, rng: &mut SplitMix64) -> Vec<u64> {
        let word = |_| match rng.next_u64() % 64 < share {
            true => rng.next_u64(),
            false => 0,
        };
        (0..count).map(word).collect()
    }

    #[test]
    fn pieces_of_every_size_join_to_the_union() {
        let mut rng = SplitMix64::new(7);
        for most in [1, 3, 64, 1000, PIECE] {
            for share in [0, 1, 20, 64] {
                let (before, more) = (words(2500, 10, &mut rng), words(2400, share, &mut rng));
                let mut part = Words::new(before.clone()).unwrap();
                let (mut pieces, mut bytes) = (0, 0);
                let mut send = |piece: &[u8]| {
                    (pieces, bytes) = (pieces + 1, bytes + piece.len());
                    part.join(piece).unwrap();
                    Ok::<_, FileError>(())
                };
                Pieces::of(most)
                    .unwrap()
                    .each(77, &more, &mut send)
                    .unwrap();
                assert!(pieces <= 2400usize.div_ceil(most));
                assert!(bytes <= 8 * 2400 + HEADER * pieces);
                assert_eq!(pieces == 0, share == 0);
                if (most, share) == (PIECE, 1) {
                    assert!(bytes < 2400, "{bytes} bytes: not compressed");
                }
                let mut expected = before;
                for (word, more) in expected[77..].iter_mut().zip(&more) {
                    *word |= more;
                }
                assert_eq!(part.into_words(), expected);
            }
        }
    }

    #[test]
    fn pieces_beyond_the_part_and_damaged_ones_are_refused() {
        let mut part = Words::new(vec![0; 100]).unwrap();
        let mut piece = Vec::new();
        let mut keep = |bytes: &[u8]| {
            piece = bytes.to_vec();
            Ok::<_, FileError>(())
        };
        Pieces::new()
            .unwrap()
            .each(1, &[5; 100], &mut keep)
            .unwrap();
        assert_eq!(piece[HEADER - 1], 1);
        assert!(part.join(&piece).is_err());
        piece[0] = 0;
        assert_eq!(part.join(&piece), Ok(()));
        piece[0] = 101;
        assert!(part.join(&piece).is_err());
        assert!(part.join(&piece[..8]).is_err());
        assert!(part.join(&piece[..piece.len() - 1]).is_err());
        let wrong = [&[0; 8][..], &[2], &[0; 8]].concat();
        assert!(part.join(&wrong).is_err());
        assert_eq!(part.into_words(), [5; 100]);
    }
}
