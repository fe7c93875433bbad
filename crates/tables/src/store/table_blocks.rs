//! Blocks of codes of a table file, with the illegal positions marked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use crate::error::TableError;
use crate::position::index_space::{IndexSpace, Side};
use crate::position::material::Half;
use crate::position::subspace::Subspace;
use crate::store::block_window::BlockSource;
use crate::store::directory::{Tables, lock, mark_illegal};
use crate::store::format::{BLOCK, PackedBlock, Reader};

/// Blocks of the file that are kept as they are: a part of them is decoded at a time.
const KEPT: usize = 16;

/// A section of a table file.
#[derive(Debug)]
pub(crate) struct TableBlocks {
    reader: Arc<Reader>,
    section: usize,
    marks: IllegalMarks,
    /// The blocks read last, with their numbers.
    kept: Mutex<VecDeque<(usize, PackedBlock)>>,
}

impl TableBlocks {
    /// Bytes of the blocks that are kept, at most.
    pub(crate) const KEPT_BYTES: u64 = (KEPT * BLOCK) as u64;

    /// Returns the section of a half with a side to move; [`TableError::TooDeep`] if a code takes more than a byte.
    pub(crate) fn new(tables: &Tables, half: &Half, to_move: Side) -> Result<Self, TableError> {
        let (reader, section) = tables.byte_section(half, to_move)?;
        Ok(Self {
            reader,
            section,
            marks: IllegalMarks::new(tables.space(half), to_move),
            kept: Mutex::default(),
        })
    }
}

impl BlockSource for TableBlocks {
    fn codes_at_once(&self) -> usize {
        self.reader.codes_at_once(self.section)
    }

    fn load(&self, number: usize) -> Result<Vec<u8>, TableError> {
        let from = number * self.codes_at_once();
        let positions = self.reader.positions(self.section) as usize;
        let to = (from + self.codes_at_once()).min(positions);
        let (block, within) = (from / BLOCK, from % BLOCK);
        let mut kept = lock(&self.kept);
        let place = match kept.iter().position(|(number, _)| *number == block) {
            Some(place) => place,
            None => {
                kept.truncate(KEPT - 1);
                kept.push_front((block, self.reader.packed(self.section, block)?));
                0
            }
        };
        let packed = &kept[place].1;
        let range = within..within + (to - from);
        let codes = self.reader.unpack(self.section, block, packed, range)?;
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
