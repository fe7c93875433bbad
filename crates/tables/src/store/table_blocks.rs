//! Blocks of codes of a table file, with the illegal positions marked.

use std::sync::Arc;

use crate::error::TableError;
use crate::position::index_space::{IndexSpace, Side};
use crate::position::material::Half;
use crate::position::subspace::Subspace;
use crate::store::block_cache::{BlockCache, Cached};
use crate::store::cached_half::BlockSource;
use crate::store::directory::{Tables, mark_illegal};
use crate::store::format::{BLOCK, Reader};

/// A section of a table file. Blocks of rows are kept in a cache as they are, and a part of them is decoded at a time.
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
    /// Returns the section of a half with a side to move; [`TableError::TooDeep`] if a code takes more than a byte.
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

    /// Returns the bytes of a block as they are, from the cache if they are there.
    fn packed(&self, block: usize) -> Result<Arc<[u8]>, TableError> {
        let load = || -> Result<_, TableError> {
            Ok(Cached::Block(self.reader.load(self.section, block)?.into()))
        };
        match self.cache.get(self.file, block as u32, load)? {
            Cached::Block(bytes) => Ok(bytes),
            Cached::Decoder(_) => unreachable!("only blocks have the number of this section"),
        }
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
            None => reader.unpack(section, block, &self.packed(block)?, range)?,
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

    /// Marks the positions, from an index on, in which the defender's king could be captured, if the attacker is to move. The length and
    /// the index are multiples of a power of two.
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
