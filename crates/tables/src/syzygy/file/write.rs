//! Lays out a Syzygy file as bytes.

use everymove_kernel::files::Draft;

use crate::error::TableError;
use crate::position::material::Material;
use crate::syzygy::compress::encode::Encoded;
use crate::syzygy::compress::runs::CHUNK;
use crate::syzygy::file::checksum::Checksum;
use crate::syzygy::file::parse::{BLACK_TO_MOVE, Contents, MAPPED, Maps, SINGLE, WIDE};
use crate::syzygy::index::piece_order::{NO_OTHER_PAWNS, PieceOrder};

/// A sub-table to be written, values encoded.
pub(crate) struct EncodedSubTable {
    pub(crate) piece_order: PieceOrder,
    /// Of a DTZ file: side to move and accuracy.
    pub(crate) flags: u8,
    pub(crate) maps: Option<Maps>,
    pub(crate) encoded: Encoded,
}

impl EncodedSubTable {
    fn is_wide(&self) -> bool {
        let mut entries = self.maps.iter().flatten().flatten();
        entries.any(|&distance| distance > 255)
    }

    fn flags(&self) -> u8 {
        if matches!(self.encoded, Encoded::Single(_)) {
            // Readers ask for the side to move even of a single value.
            return SINGLE | self.flags & BLACK_TO_MOVE;
        }
        let mapped = if self.maps.is_some() { MAPPED } else { 0 };
        let wide = if self.is_wide() { WIDE } else { 0 };
        self.flags | mapped | wide
    }
}

/// Writes a file with its checksum and returns its length in bytes. `files` are the sub-tables by
/// file of the leading pawn (one entry without pawns) and side to move.
pub(crate) fn write_file(
    contents: Contents,
    material: &Material,
    files: &[Vec<EncodedSubTable>],
    draft: &mut Draft,
) -> Result<u64, TableError> {
    let mut sum = Checksum::default();
    let mut length = 0;
    let mut put = |bytes: &[u8]| -> Result<u64, TableError> {
        sum.add(bytes);
        draft.put(bytes)?;
        length += bytes.len() as u64;
        Ok(length)
    };
    put(&head(contents, material, files))?;
    for sub in files.iter().flatten() {
        if let Encoded::Blocks { data, .. } = &sub.encoded {
            pad_to_line(&mut put)?;
            data.for_each_chunk(CHUNK, |_, chunk| put(chunk).map(drop))?;
        }
    }
    let length = pad_to_line(&mut put)?;
    let sum = sum.finish();
    draft.put(&sum)?;
    Ok(length + sum.len() as u64)
}

/// Pads what `put` writes to a multiple of 64 bytes, and returns the length.
fn pad_to_line(put: &mut impl FnMut(&[u8]) -> Result<u64, TableError>) -> Result<u64, TableError> {
    let length = put(&[])?;
    let zeros = length.next_multiple_of(64) - length;
    put(&[0; 64][..zeros as usize])
}

/// The bytes before the blocks.
fn head(contents: Contents, material: &Material, files: &[Vec<EncodedSubTable>]) -> Vec<u8> {
    let mut to = Vec::new();
    to.extend(contents.magic());
    let split = u8::from(!material.is_symmetric());
    let pawns = if material.has_pawns() { 2 } else { 0 };
    to.push((material.piece_count() as u8) << 4 | split | pawns);
    for sides in files {
        write_piece_orders(contents, sides, &mut to);
    }
    pad(&mut to, 2);
    for sub in files.iter().flatten() {
        to.push(sub.flags());
        match &sub.encoded {
            Encoded::Single(value) => to.push(match contents {
                Contents::Wdl => *value,
                Contents::Dtz => 0,
            }),
            Encoded::Blocks { header, .. } => header.write(&mut to),
        }
    }
    if contents == Contents::Dtz {
        for sub in files.iter().flatten() {
            write_maps(sub, &mut to);
        }
        pad(&mut to, 2);
    }
    for sub in files.iter().flatten() {
        if let Encoded::Blocks { index, .. } = &sub.encoded {
            for &(block, place) in index {
                to.extend(block.to_le_bytes());
                to.extend(place.to_le_bytes());
            }
        }
    }
    for sub in files.iter().flatten() {
        if let Encoded::Blocks { sizes, .. } = &sub.encoded {
            to.extend(sizes.iter().flat_map(|size| size.to_le_bytes()));
        }
    }
    to
}

fn pad(to: &mut Vec<u8>, multiple: usize) {
    to.resize(to.len().next_multiple_of(multiple), 0);
}

/// Appends the order bytes and pieces of one file of the leading pawn: the first side to move in
/// the low halves of the bytes, the second in the high halves; in a WDL file with one side to move
/// its own again, in a DTZ file nothing.
fn write_piece_orders(contents: Contents, sides: &[EncodedSubTable], to: &mut Vec<u8>) {
    let high = match contents {
        Contents::Wdl => 4,
        Contents::Dtz => 8,
    };
    let (Some(first), Some(second)) = (sides.first(), sides.last()) else {
        return;
    };
    let (first, second) = (&first.piece_order, &second.piece_order);
    for place in 0..2 {
        if first.significance[place] != NO_OTHER_PAWNS {
            to.push(byte(
                first.significance[place],
                second.significance[place],
                high,
            ));
        }
    }
    let pieces = first.pieces.iter().zip(&second.pieces);
    to.extend(pieces.map(|(one, other)| byte(one.code(), other.code(), high)));
}

fn byte(low: u8, high: u8, shift: u32) -> u8 {
    low | high.checked_shl(shift).unwrap_or(0)
}

fn write_maps(sub: &EncodedSubTable, to: &mut Vec<u8>) {
    let (Some(maps), Encoded::Blocks { .. }) = (&sub.maps, &sub.encoded) else {
        return;
    };
    let wide = sub.is_wide();
    if wide {
        pad(to, 2);
    }
    for map in maps {
        let entries = std::iter::once(map.len() as u16).chain(map.iter().copied());
        for entry in entries {
            to.push(entry as u8);
            if wide {
                to.push((entry >> 8) as u8);
            }
        }
    }
}
