//! The encoded distances of a half: in memory as a whole or slice by slice, or loaded block by
//! block from a table file or from the slices that are finished; the blocks used last stay in a
//! cache.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::error::TableError;
use crate::position::index_space::{IndexSpace, Side};
use crate::position::material::Half;
use crate::position::subspace::Subspace;
use crate::store::block_cache::BlockCache;
use crate::store::directory::{Tables, lock, mark_illegal};
use crate::store::format::{BLOCK, Reader};

/// Encoded distances of a half with one side to move, by index.
#[derive(Clone, Debug)]
pub(crate) enum EncodedDistances {
    /// All indices.
    Whole(Arc<Vec<u8>>),
    /// By slice; slices that are not loaded are `None`.
    Slices(Vec<Option<Arc<Vec<u8>>>>),
    /// All indices, of which the blocks used last are in a cache.
    Cached(Arc<CachedHalf>),
}

/// The encoded distances of a half, and its index space.
#[derive(Clone, Debug)]
pub(crate) struct HalfView {
    pub(crate) space: Arc<IndexSpace>,
    pub(crate) codes: EncodedDistances,
}

/// The codes of a half while some of them are looked up.
pub(crate) enum Codes<'a> {
    Whole(&'a [u8]),
    /// Slices, and the number of bits of an index within a slice.
    Slices(&'a [Option<Arc<Vec<u8>>>], usize),
    Cached(LockedHalf<'a>),
}

impl HalfView {
    /// Returns the codes, to look up several of them.
    #[inline]
    pub(crate) fn codes(&self) -> Codes<'_> {
        match &self.codes {
            EncodedDistances::Whole(codes) => Codes::Whole(codes),
            EncodedDistances::Slices(slices) => Codes::Slices(slices, 6 * self.space.digits()),
            EncodedDistances::Cached(half) => Codes::Cached(half.lock()),
        }
    }

    /// Returns the code of an index, whose slice must be loaded.
    #[inline]
    pub(crate) fn code(&self, index: usize) -> u8 {
        // Without [`Codes`], which has a lock to give back.
        match &self.codes {
            EncodedDistances::Whole(codes) => codes[index],
            EncodedDistances::Slices(slices) => in_slices(slices, 6 * self.space.digits(), index),
            EncodedDistances::Cached(half) => half.lock().code(index),
        }
    }
}

/// Returns the code of an index, of which `bits` bits are within a slice, which must be loaded.
#[inline]
fn in_slices(slices: &[Option<Arc<Vec<u8>>>], bits: usize, index: usize) -> u8 {
    match &slices[index >> bits] {
        Some(slice) => slice[index & ((1 << bits) - 1)],
        None => unreachable!("the constellations that pawn moves lead to come first"),
    }
}

impl Codes<'_> {
    /// Returns the code of an index, whose slice must be loaded.
    #[inline(always)]
    pub(crate) fn of(&mut self, index: usize) -> u8 {
        match self {
            Self::Whole(codes) => codes[index],
            Self::Slices(slices, bits) => in_slices(slices, *bits, index),
            Self::Cached(half) => half.code(index),
        }
    }
}

/// Where blocks of codes are loaded from.
pub(crate) trait BlockSource: Debug + Send + Sync {
    /// The codes of a block: a power of two.
    fn codes_at_once(&self) -> usize;

    /// Loads a block; the last one may be shorter than the others.
    fn load(&self, number: usize) -> Result<Vec<u8>, TableError>;
}

/// The codes of a half with one side to move, in files. For one thread: others wait.
#[derive(Debug)]
pub(crate) struct CachedHalf {
    source: Box<dyn BlockSource>,
    /// The codes of a block.
    length: usize,
    cache: Arc<BlockCache>,
    /// The number of the half in the cache.
    file: u32,
    last: Mutex<LastBlock>,
}

/// The block used last, which is looked up without the cache.
#[derive(Debug, Default)]
struct LastBlock {
    number: usize,
    /// Empty before the first.
    codes: Arc<[u8]>,
    error: Option<TableError>,
}

impl CachedHalf {
    /// Returns a half whose blocks share a cache with those of others.
    pub(crate) fn new(source: Box<dyn BlockSource>, cache: &Arc<BlockCache>) -> Self {
        Self {
            length: source.codes_at_once(),
            source,
            cache: cache.clone(),
            file: cache.file(),
            last: Mutex::default(),
        }
    }

    /// Returns the half for as many codes as are wanted now.
    #[inline]
    pub(crate) fn lock(&self) -> LockedHalf<'_> {
        LockedHalf {
            half: self,
            last: lock(&self.last),
        }
    }

    /// Returns the first error. The codes of a block that could not be loaded were given as 0.
    pub(crate) fn take_error(&self) -> Result<(), TableError> {
        lock(&self.last).error.take().map_or(Ok(()), Err)
    }
}

/// A [`CachedHalf`] in use.
pub(crate) struct LockedHalf<'a> {
    half: &'a CachedHalf,
    last: MutexGuard<'a, LastBlock>,
}

impl LockedHalf<'_> {
    /// Returns the code of an index; 0 if it cannot be loaded, which [`CachedHalf::take_error`]
    /// reports.
    #[inline]
    pub(crate) fn code(&mut self, index: usize) -> u8 {
        let length = self.half.length;
        let (number, within) = (index >> length.trailing_zeros(), index & (length - 1));
        if number != self.last.number || self.last.codes.is_empty() {
            self.change_to(number);
        }
        self.last.codes[within]
    }

    /// Makes another block the last one.
    fn change_to(&mut self, number: usize) {
        self.last.number = number;
        let half = self.half;
        let load = || half.source.load(number);
        self.last.codes = match half.cache.block(half.file, number as u32, load) {
            Ok(codes) => codes,
            Err(error) => {
                self.last.error.get_or_insert(error);
                vec![0; self.half.length].into()
            }
        };
    }
}

/// A section of a table file. Blocks of rows are kept in a cache as they are, and a part of them is
/// decoded at a time.
#[derive(Debug)]
pub(crate) struct TableBlocks {
    reader: Arc<Reader>,
    section: usize,
    marks: IllegalMarks,
    cache: Arc<BlockCache>,
    /// The number of the section in the cache.
    file: u32,
}

impl TableBlocks {
    /// Returns the section of a half with a side to move; [`TableError::TooDeep`] if a code takes
    /// more than a byte.
    pub(crate) fn new(
        tables: &Tables,
        half: &Half,
        to_move: Side,
        cache: &Arc<BlockCache>,
    ) -> Result<Self, TableError> {
        let (reader, section) = tables.byte_section(half, to_move)?;
        Ok(Self {
            reader,
            section,
            marks: IllegalMarks::new(tables.space(half), to_move),
            cache: cache.clone(),
            file: cache.file(),
        })
    }
}

impl BlockSource for TableBlocks {
    fn codes_at_once(&self) -> usize {
        self.reader.codes_at_once(self.section)
    }

    fn load(&self, number: usize) -> Result<Vec<u8>, TableError> {
        let (reader, section) = (&self.reader, self.section);
        let from = number * self.codes_at_once();
        let to = (from + self.codes_at_once()).min(reader.positions(section) as usize);
        let (block, within) = (from / BLOCK, from % BLOCK);
        let range = within..within + (to - from);
        let codes = match reader.only_code(section, block)? {
            Some(code) => vec![code; range.len()],
            // All of the block is decoded now.
            None if self.codes_at_once() == BLOCK => {
                reader.unpack(section, block, &reader.load(section, block)?, range)?
            }
            None => {
                let load = || reader.load(section, block);
                let packed = self.cache.block(self.file, block as u32, load)?;
                reader.unpack(section, block, &packed, range)?
            }
        };
        let mut codes: Vec<u8> = codes.into_iter().map(|code| code as u8).collect();
        self.marks.mark(from, &mut codes);
        Ok(codes)
    }
}

/// Marks illegal positions.
#[derive(Debug)]
pub(crate) struct IllegalMarks {
    space: Arc<IndexSpace>,
    to_move: Side,
    /// The only subspace of a half without pawns.
    whole: Option<Subspace>,
}

impl IllegalMarks {
    pub(crate) fn new(space: Arc<IndexSpace>, to_move: Side) -> Self {
        let whole = (space.pawns == 0).then(|| Subspace::new(space.clone(), None));
        Self {
            space,
            to_move,
            whole,
        }
    }

    /// Marks the positions, from an index on, in which the defender's king could be captured, if
    /// the attacker is to move. The length and the index are multiples of a power of two.
    pub(crate) fn mark(&self, first: usize, codes: &mut [u8]) {
        if self.to_move == Side::Defender {
            return;
        }
        if let Some(whole) = &self.whole {
            return mark_illegal(whole, first / 64, codes);
        }
        // They are a part of a P-slice, or several whole ones.
        let length = self.space.slice_len();
        for (part, codes) in codes.chunks_mut(length).enumerate() {
            let at = first + part * length;
            let subspace = Subspace::new(self.space.clone(), Some(at / length));
            mark_illegal(&subspace, at % length / 64, codes);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Blocks of which every code is the block's number; block 9 cannot be loaded.
    #[derive(Debug)]
    struct Numbers(Arc<AtomicUsize>);

    impl BlockSource for Numbers {
        fn codes_at_once(&self) -> usize {
            64
        }

        fn load(&self, number: usize) -> Result<Vec<u8>, TableError> {
            self.0.fetch_add(1, Ordering::Relaxed);
            let half = || "a half".to_owned();
            match number {
                9 => Err(TableError::TooDeep { half: half() }),
                _ => Ok(vec![number as u8; 64]),
            }
        }
    }

    #[test]
    fn blocks_are_loaded_once_and_errors_reported() {
        let loads = Arc::new(AtomicUsize::new(0));
        let cache = Arc::new(BlockCache::new(1 << 20));
        let half = CachedHalf::new(Box::new(Numbers(loads.clone())), &cache);
        let other = CachedHalf::new(Box::new(Numbers(loads.clone())), &cache);
        let code = |half: &CachedHalf, number: usize| half.lock().code(number * 64 + 5);
        for (number, expected) in [(0, 1), (3, 2), (3, 2), (4, 3), (3, 3), (0, 3)] {
            assert_eq!(usize::from(code(&half, number)), number);
            assert_eq!(loads.load(Ordering::Relaxed), expected, "{number}");
        }
        assert_eq!(code(&other, 4), 4);
        assert_eq!(loads.load(Ordering::Relaxed), 4, "a block of another half");
        assert!(half.take_error().is_ok());
        assert_eq!(code(&half, 9), 0);
        assert_eq!(code(&half, 3), 3);
        let error = half.take_error();
        assert!(matches!(error, Err(TableError::TooDeep { .. })));
    }
}
