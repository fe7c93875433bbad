//! Blocks of codes of a table file, with the illegal positions marked.

use std::sync::Arc;

use crate::error::TableError;
use crate::position::index_space::{IndexSpace, Side};
use crate::position::material::Half;
use crate::position::subspace::Subspace;
use crate::store::block_window::BlockSource;
use crate::store::directory::{Tables, mark_illegal};
use crate::store::format::{BLOCK, Reader};

/// A section of a table file.
#[derive(Debug)]
pub(crate) struct TableBlocks {
    reader: Arc<Reader>,
    section: usize,
    marks: IllegalMarks,
}

impl TableBlocks {
    /// Returns the section of a half with a side to move; [`TableError::TooDeep`] if a code takes more than a byte.
    pub(crate) fn new(tables: &Tables, half: &Half, to_move: Side) -> Result<Self, TableError> {
        let (reader, section) = tables.byte_section(half, to_move)?;
        Ok(Self {
            reader,
            section,
            marks: IllegalMarks::new(tables.space(half), to_move),
        })
    }
}

impl BlockSource for TableBlocks {
    fn load(&self, number: usize) -> Result<Vec<u8>, TableError> {
        let codes = self.reader.block(self.section, number)?;
        let mut codes: Vec<u8> = codes.into_iter().map(|code| code as u8).collect();
        self.marks.mark(number, &mut codes);
        Ok(codes)
    }
}

/// Marks illegal positions, block by block.
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

    /// Marks the positions of a block in which the defender's king could be captured, if the attacker is to move.
    pub(crate) fn mark(&self, block: usize, codes: &mut [u8]) {
        if self.to_move == Side::Defender {
            return;
        }
        let first = block * BLOCK;
        if let Some(whole) = &self.whole {
            return mark_illegal(whole, first / 64, codes);
        }
        // A block is a part of a P-slice, or several whole ones.
        let length = self.space.slice_len();
        for (part, codes) in codes.chunks_mut(length).enumerate() {
            let at = first + part * length;
            let subspace = Subspace::new(self.space.clone(), Some(at / length));
            mark_illegal(&subspace, at % length / 64, codes);
        }
    }
}
