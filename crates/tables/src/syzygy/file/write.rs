//! The bytes of a Syzygy file.

use everymove_kernel::files::{Draft, FileError};

use crate::position::material::Material;
use crate::syzygy::compress::encode::Encoded;
use crate::syzygy::file::checksum::checksum;
use crate::syzygy::file::parse::{BLACK, Contents, MAPPED, Maps, SINGLE, WIDE};
use crate::syzygy::index::piece_order::{Arrangement, NO_PAWNS};

/// A sub-table to be written.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) arrangement: Arrangement,
    /// Of DTZ: side and accuracy.
    pub(crate) flags: u8,
    pub(crate) maps: Option<Maps>,
    pub(crate) encoded: Encoded,
}

impl Part {
    fn is_wide(&self) -> bool {
        let mut entries = self.maps.iter().flatten().flatten();
        entries.any(|&distance| distance > 255)
    }

    fn flags(&self) -> u8 {
        if matches!(self.encoded, Encoded::Single(_)) {
            // Which side it is for is asked even of one value.
            return SINGLE | self.flags & BLACK;
        }
        let mapped = if self.maps.is_some() { MAPPED } else { 0 };
        let wide = if self.is_wide() { WIDE } else { 0 };
        self.flags | mapped | wide
    }
}

/// A file's bytes: `files` has the sub-tables of each file of the leading pawn (one without pawns), by side to move.
pub(crate) fn bytes(contents: Contents, material: &Material, files: &[Vec<Part>]) -> Vec<u8> {
    let mut to = Vec::new();
    to.extend(contents.magic());
    let split = u8::from(!material.is_symmetric());
    let pawns = if material.has_pawns() { 2 } else { 0 };
    to.push((material.piece_count() as u8) << 4 | split | pawns);
    for sides in files {
        write_men(contents, sides, &mut to);
    }
    pad(&mut to, 2);
    for part in files.iter().flatten() {
        to.push(part.flags());
        match &part.encoded {
            Encoded::Single(value) => to.push(match contents {
                Contents::Wdl => *value,
                Contents::Dtz => 0,
            }),
            Encoded::Coded { head, .. } => head.write(&mut to),
        }
    }
    if contents == Contents::Dtz {
        for part in files.iter().flatten() {
            write_maps(part, &mut to);
        }
        pad(&mut to, 2);
    }
    for part in files.iter().flatten() {
        if let Encoded::Coded { index, .. } = &part.encoded {
            for &(block, place) in index {
                to.extend(block.to_le_bytes());
                to.extend(place.to_le_bytes());
            }
        }
    }
    for part in files.iter().flatten() {
        if let Encoded::Coded { sizes, .. } = &part.encoded {
            to.extend(sizes.iter().flat_map(|size| size.to_le_bytes()));
        }
    }
    for part in files.iter().flatten() {
        if let Encoded::Coded { data, .. } = &part.encoded {
            pad(&mut to, 64);
            to.extend(data);
        }
    }
    pad(&mut to, 64);
    let sum = checksum(&to);
    to.extend(sum);
    to
}

fn pad(to: &mut Vec<u8>, multiple: usize) {
    to.resize(to.len().next_multiple_of(multiple), 0);
}

/// The orders and men of a file: in the high halves the second side's, of WDL files with one side its own again.
fn write_men(contents: Contents, sides: &[Part], to: &mut Vec<u8>) {
    let high = match contents {
        Contents::Wdl => 4,
        Contents::Dtz => 8,
    };
    let (Some(first), Some(second)) = (sides.first(), sides.last()) else {
        return;
    };
    let (first, second) = (&first.arrangement, &second.arrangement);
    for place in 0..2 {
        if first.orders[place] != NO_PAWNS {
            to.push(byte(first.orders[place], second.orders[place], high));
        }
    }
    let men = first.men.iter().zip(&second.men);
    to.extend(men.map(|(one, other)| byte(one.code(), other.code(), high)));
}

fn byte(low: u8, high: u8, shift: u32) -> u8 {
    low | high.checked_shl(shift).unwrap_or(0)
}

fn write_maps(part: &Part, to: &mut Vec<u8>) {
    let (Some(maps), Encoded::Coded { .. }) = (&part.maps, &part.encoded) else {
        return;
    };
    let wide = part.is_wide();
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

/// Appends a file's bytes to a draft.
pub(crate) fn put(draft: &mut Draft, bytes: &[u8]) -> Result<(), FileError> {
    draft.put(bytes)
}
