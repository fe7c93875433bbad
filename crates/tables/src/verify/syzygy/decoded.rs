//! The values of a Syzygy file, decoded, for the positions of a half.

use everymove_kernel::run::{Reservation, Run};

use crate::error::TableError;
use crate::position::geometry::transform;
use crate::position::index_space::{IndexSpace, Side, Squares};
use crate::position::material::Army;
use crate::syzygy::compress::decode::Decoder;
use crate::syzygy::file::parse::{BLACK_TO_MOVE, Body, Contents, SubTable, SyzygyFile};
use crate::syzygy::index::leading::normalise_pawns;
use crate::syzygy::index::piece_order::PieceOrder;
use crate::syzygy::{SyzygyError, file_name};

/// Exclusive or with a square mirrors the ranks of the board.
const FLIP: u8 = 56;

/// The colours that the positions of a half with a side to move have in a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileView {
    /// The side that is white in the file.
    white: Side,
    pub(super) black_to_move: bool,
}

impl FileView {
    pub(super) fn new(file: &SyzygyFile, space: &IndexSpace, to_move: Side) -> Self {
        let pieces = &file.subs[0][0].piece_order.pieces;
        let white = Army::new(pieces.iter().filter(|p| !p.black).map(|p| p.kind));
        let white = if file.material.is_symmetric() {
            to_move
        } else if white == space.half.attacker {
            Side::Attacker
        } else {
            Side::Defender
        };
        Self {
            white,
            black_to_move: white != to_move,
        }
    }

    fn flip(self) -> u8 {
        match self.white {
            Side::Attacker => 0,
            Side::Defender => FLIP,
        }
    }

    /// By place in a piece order: the piece of the space.
    fn pieces(self, piece_order: &PieceOrder, space: &IndexSpace) -> Squares {
        let mut pieces = [0; 8];
        let mut used = [false; 8];
        for (to, piece) in pieces.iter_mut().zip(&piece_order.pieces) {
            let side = if piece.black {
                self.white.other()
            } else {
                self.white
            };
            let fits = |&m: &usize| {
                !used[m] && (space.pieces[m].kind, space.pieces[m].side) == (piece.kind, side)
            };
            if let Some(own) = (0..space.pieces.len()).find(fits) {
                used[own] = true;
                *to = own as u8;
            }
        }
        pieces
    }

    /// The slices of a space whose leading pawn is on a file (0 to 3); all slices without pawns.
    pub(super) fn slices(
        self,
        file: &SyzygyFile,
        pawn_file: usize,
        space: &IndexSpace,
    ) -> Vec<usize> {
        if space.pawns == 0 {
            return (0..space.slices()).collect();
        }
        let lead = &file.subs[0][0].piece_order;
        let pieces = self.pieces(lead, space);
        let on_file = |&slice: &usize| {
            let at = space.decode(slice * space.slice_len());
            let mut leading = pieces.map(|piece| at[usize::from(piece)] ^ self.flip());
            normalise_pawns(&mut leading[..lead.pieces.len()], lead.leading()) == pawn_file
        };
        (0..space.slices()).filter(on_file).collect()
    }

    /// The sub-table of a file of the leading pawn (0 to 3); `None` if the Syzygy file stores the
    /// other side to move.
    pub(super) fn sub(self, file: &SyzygyFile, pawn_file: usize) -> Option<&SubTable> {
        let sides = &file.subs[pawn_file];
        let sub = sides
            .get(usize::from(self.black_to_move))
            .or(sides.first())?;
        let stored = match file.contents {
            Contents::Wdl => true,
            Contents::Dtz => {
                file.material.is_symmetric()
                    || (sub.flags & BLACK_TO_MOVE != 0) == self.black_to_move
            }
        };
        stored.then_some(sub)
    }
}

/// The decoded values of a sub-table, looked up by positions of a half.
pub(super) struct Decoded<'a> {
    pub(super) sub: &'a SubTable,
    values: Vec<u8>,
    pieces: Squares,
    flip: u8,
    pawns: bool,
    _memory: Reservation,
}

impl<'a> Decoded<'a> {
    /// Decodes the sub-table of a file of the leading pawn (0 to 3); `None` if the Syzygy file
    /// stores the other side to move.
    pub(super) fn new(
        file: &'a SyzygyFile,
        pawn_file: usize,
        space: &IndexSpace,
        to_move: Side,
        run: &Run,
    ) -> Result<Option<Self>, TableError> {
        let view = FileView::new(file, space, to_move);
        let Some(sub) = view.sub(file, pawn_file) else {
            return Ok(None);
        };
        let size = match sub.body {
            Body::Single(_) => 1,
            Body::Blocks { .. } => sub.piece_order.size(),
        };
        let name = file_name(&file.material, file.contents);
        let memory = run.ram.reserve(&name, size)?;
        let mut values = Vec::with_capacity(size as usize);
        match &sub.body {
            Body::Single(value) => values.push(*value),
            Body::Blocks {
                header, decoder, ..
            } => {
                let mut wide = Vec::new();
                for block in 0..header.blocks as usize {
                    if block % 1024 == 0 {
                        run.stop.check()?;
                    }
                    wide.clear();
                    decode(file, sub, decoder, block, &mut wide, &mut values).map_err(|error| {
                        match error {
                            Some(error) => error.in_file(std::path::Path::new(&name)).into(),
                            None => TableError::TooDeep {
                                half: space.half.to_string(),
                            },
                        }
                    })?;
                }
            }
        }
        if values.len() as u64 != size {
            let error = SyzygyError::Inconsistent("the blocks hold another number of positions");
            return Err(error.in_file(std::path::Path::new(&name)).into());
        }
        Ok(Some(Self {
            pieces: view.pieces(&sub.piece_order, space),
            flip: view.flip(),
            pawns: space.pawns > 0,
            sub,
            values,
            _memory: memory,
        }))
    }

    /// The value of a position, given the squares of its pieces. A position whose leading pieces
    /// are all on one long diagonal has two indices, one for each of its reflections, and so
    /// two values.
    pub(super) fn values(&self, at: &Squares) -> [u8; 2] {
        if let [one] = self.values[..] {
            return [one; 2];
        }
        let piece_order = &self.sub.piece_order;
        let mut placed = [0; 8];
        let count = piece_order.pieces.len();
        for (to, &piece) in placed[..count].iter_mut().zip(&self.pieces) {
            *to = at[usize::from(piece)] ^ self.flip;
        }
        let value = |placed: &Squares| {
            let index = piece_order.index(placed).unwrap_or(0) as usize;
            self.values.get(index).copied().unwrap_or(0)
        };
        let first = value(&placed);
        let leading = &placed[..piece_order.leading()];
        let reflected = !self.pawns
            && (leading.iter().all(|&s| s % 9 == 0)
                || leading.iter().all(|&s| (s >> 3) + (s & 7) == 7));
        if !reflected {
            return [first; 2];
        }
        [first, value(&placed.map(|s| transform(s, 4)))]
    }

    /// Changes the value of a position.
    #[cfg(test)]
    pub(super) fn damage(&mut self, index: usize, value: u8) {
        self.values[index] = value;
    }
}

/// Appends a block's values. The error is `None` if a value does not fit a byte.
fn decode(
    file: &SyzygyFile,
    sub: &SubTable,
    decoder: &Decoder,
    block: usize,
    wide: &mut Vec<u16>,
    to: &mut Vec<u8>,
) -> Result<(), Option<SyzygyError>> {
    let (bytes, count) = file.block(sub, block)?;
    decoder.decode_block(bytes, count, |symbol, taken| {
        decoder.expand(symbol, taken, wide);
    })?;
    for &value in &*wide {
        to.push(u8::try_from(value).map_err(|_| None)?);
    }
    Ok(())
}
