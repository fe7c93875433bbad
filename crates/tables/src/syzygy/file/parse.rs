//! Parses a Syzygy file: its header, piece orders, block headers and the places of its tables.

use std::fs::File;
use std::ops::Deref;
use std::path::Path;
use std::sync::OnceLock;

use everymove_kernel::files::{FileError, Mapped};
use everymove_kernel::prefetch::prefetch;

use crate::position::material::{Army, Kind, Material};
use crate::syzygy::compress::decode::Decoder;
use crate::syzygy::compress::header::Header;
use crate::syzygy::error::SyzygyError;
use crate::syzygy::file::checksum::{self, checksum};
use crate::syzygy::index::piece_order::{ColoredPiece, NO_OTHER_PAWNS, PieceOrder};
use crate::syzygy::published::published_checksum;

/// What a Syzygy file stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Contents {
    /// Win, draw or loss, both sides to move (`.rtbw`).
    Wdl,
    /// Plies to a zeroing move, one side to move (`.rtbz`).
    Dtz,
}

impl Contents {
    /// The first four bytes of a file.
    pub(crate) fn magic(self) -> [u8; 4] {
        match self {
            Self::Wdl => [0x71, 0xe8, 0x23, 0x5d],
            Self::Dtz => [0xd7, 0x66, 0x0c, 0xa5],
        }
    }

    /// What files with an extension store.
    pub(crate) fn of_extension(extension: &str) -> Option<Self> {
        let mut all = [Self::Wdl, Self::Dtz].into_iter();
        all.find(|contents| contents.extension() == extension)
    }

    /// The extension of file names, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Wdl => "rtbw",
            Self::Dtz => "rtbz",
        }
    }
}

/// The name of an ending's file.
pub fn file_name(material: &Material, contents: Contents) -> String {
    format!("{material}.{}", contents.extension())
}

/// The largest value of a WDL file, that of wins.
const LARGEST_WDL: u8 = 4;

/// Flag of a DTZ file: the positions with black to move are stored.
pub(crate) const BLACK_TO_MOVE: u8 = 1;
/// Flag of a DTZ file: values are indices of maps.
pub(crate) const MAPPED: u8 = 2;
/// Flag of a DTZ file: wins are stored in plies, not in moves.
pub(crate) const WIN_PLIES: u8 = 4;
/// Flag of a DTZ file: losses are stored in plies, not in moves.
pub(crate) const LOSS_PLIES: u8 = 8;
/// Flag of a DTZ file: map entries have two bytes.
pub(crate) const WIDE: u8 = 16;
/// Flag: all positions have the same value.
pub(crate) const SINGLE: u8 = 128;

/// The distances that stored values stand for, by class: wins, losses, cursed wins, blessed losses.
pub(crate) type Maps = [Vec<u16>; 4];

/// The values of a sub-table: one for all positions, or blocks with the offsets of their index,
/// sizes and data in the file.
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "most sub-tables have blocks, and a box would be one more access to memory in every probe"
)]
pub(crate) enum Body {
    Single(u8),
    Blocks {
        header: Header,
        decoder: Decoder,
        index: usize,
        sizes: usize,
        data: usize,
    },
}

/// The part of a file for one side to move and, with pawns, one file of the leading pawn.
#[derive(Clone, Debug)]
pub(crate) struct SubTable {
    pub(crate) piece_order: PieceOrder,
    pub(crate) flags: u8,
    pub(crate) body: Body,
    /// Of a DTZ file: distances beyond the first, halved unless in plies.
    pub(crate) maps: Option<Maps>,
}

/// The bytes of a file.
#[derive(Debug)]
enum Bytes {
    Mapped(Mapped),
    InMemory(Vec<u8>),
}

impl Deref for Bytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(bytes) => bytes,
            Self::InMemory(bytes) => bytes,
        }
    }
}

/// A Syzygy file, parsed.
#[derive(Debug)]
pub struct SyzygyFile {
    pub(crate) contents: Contents,
    pub(crate) material: Material,
    bytes: Bytes,
    /// Whether the checksum is right, once it was compared.
    pub(crate) sound: OnceLock<bool>,
    /// By file of the leading pawn (one entry without pawns), then by side to move.
    pub(crate) subs: Vec<Vec<SubTable>>,
}

impl SyzygyFile {
    /// Maps a file and parses everything but its blocks.
    ///
    /// # Errors
    /// [`FileError`] if it cannot be read, is not a Syzygy file or is inconsistent.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        Ok(Self::open_with_source(path)?.0)
    }

    /// The same; also returns the file, to be read from its beginning.
    pub(crate) fn open_with_source(path: &Path) -> Result<(Self, File), FileError> {
        let opened = Mapped::open(path);
        let (mapped, file) =
            opened.map_err(|e| FileError::io("read", path.display().to_string(), e))?;
        match Self::of(Bytes::Mapped(mapped)) {
            Ok(parsed) => Ok((parsed, file)),
            Err(error) => Err(error.in_file(path)),
        }
    }

    /// Parses everything but the blocks. The checksum and the blocks are checked by
    /// [`SyzygyFile::check`].
    ///
    /// # Errors
    /// [`SyzygyError`] saying what is wrong.
    pub fn parse(bytes: Vec<u8>) -> Result<Self, SyzygyError> {
        Self::of(Bytes::InMemory(bytes))
    }

    fn of(bytes: Bytes) -> Result<Self, SyzygyError> {
        let at = |at: usize| bytes.get(at).copied().ok_or(SyzygyError::Truncated);
        let magic = bytes.get(..4).ok_or(SyzygyError::Truncated)?;
        let contents = [Contents::Wdl, Contents::Dtz];
        let contents = contents.into_iter().find(|c| c.magic() == magic);
        let contents = contents.ok_or(SyzygyError::UnknownMagic)?;
        let (pieces, layout) = (usize::from(at(4)? >> 4), at(4)? & 15);
        if !(3..=crate::position::material::MAX_PIECES).contains(&pieces) || layout > 3 {
            return Err(SyzygyError::Inconsistent(
                "the number of pieces or the layout is out of range",
            ));
        }
        let (split, pawns) = (layout & 1 != 0, layout & 2 != 0);
        let sides = if split && contents == Contents::Wdl {
            2
        } else {
            1
        };
        let mut lists = Vec::new();
        let mut next = 5;
        let both_pawns = both_sides_have_pawns(&bytes, 5, pieces);
        for file in 0..if pawns { 4 } else { 1 } {
            let mut significances = [[0, NO_OTHER_PAWNS]; 2];
            let [low, high] = &mut significances;
            let places = if pawns && both_pawns { 2 } else { 1 };
            for (low, high) in low.iter_mut().zip(high).take(places) {
                let byte = at(next)?;
                *low = byte & 15;
                *high = byte >> 4;
                next += 1;
            }
            let list = bytes
                .get(next..next + pieces)
                .ok_or(SyzygyError::Truncated)?;
            next += pieces;
            for (side, order) in significances.into_iter().enumerate().take(sides) {
                let code = |&byte: &u8| ColoredPiece::from_code(byte >> (4 * side) & 15);
                let pieces: Option<Vec<ColoredPiece>> = list.iter().map(code).collect();
                let pieces = pieces.ok_or(SyzygyError::Inconsistent("a piece is of no kind"))?;
                lists.push((pieces, order, file));
            }
        }
        next += next % 2;
        let material = material_of(&lists[0].0)?;
        if lists
            .iter()
            .any(|list| sorted(&list.0) != sorted(&lists[0].0))
            || lists.iter().any(|list| pawns && list.0[0] != lists[0].0[0])
            || material.has_pawns() != pawns
            || material.is_symmetric() == split
        {
            return Err(SyzygyError::Inconsistent(
                "the lists of pieces do not fit together",
            ));
        }
        let mut subs = Vec::new();
        for (pieces, order, file) in lists {
            let piece_order = PieceOrder::new(&pieces, order, file);
            let piece_order = piece_order.ok_or(SyzygyError::Inconsistent(
                "the pieces are in an impossible order",
            ))?;
            let flags = at(next)?;
            let body = if flags & SINGLE != 0 {
                let value = match contents {
                    Contents::Wdl => at(next + 1)?,
                    Contents::Dtz => 0,
                };
                if value > LARGEST_WDL {
                    return Err(SyzygyError::Inconsistent(
                        "all positions have a value that has no meaning",
                    ));
                }
                next += 2;
                Body::Single(value)
            } else {
                let (header, length) = Header::read(&bytes[next + 1..])?;
                next += 1 + length;
                Body::Blocks {
                    decoder: Decoder::new(&header)?,
                    header,
                    index: 0,
                    sizes: 0,
                    data: 0,
                }
            };
            subs.push(SubTable {
                piece_order,
                flags,
                body,
                maps: None,
            });
        }
        if contents == Contents::Dtz {
            for sub in subs.iter_mut().filter(|sub| sub.flags & MAPPED != 0) {
                sub.maps = Some(read_maps(&bytes, &mut next, sub.flags & WIDE != 0)?);
            }
            next += next % 2;
        }
        place_tables(&mut subs, next, bytes.len())?;
        let subs = subs.chunks(sides).map(<[SubTable]>::to_vec).collect();
        Ok(Self {
            contents,
            material,
            bytes,
            sound: OnceLock::new(),
            subs,
        })
    }

    /// What the file stores.
    pub fn contents(&self) -> Contents {
        self.contents
    }

    /// The ending that it is for.
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// Compares the checksum at the end with that of the bytes before it.
    ///
    /// # Errors
    /// [`SyzygyError::Checksum`] if they differ.
    pub fn check_sum(&self) -> Result<(), SyzygyError> {
        let sound = self.sound.get_or_init(|| {
            let body = self.bytes.len() - checksum::LENGTH;
            checksum(&self.bytes[..body]) == self.bytes[body..]
        });
        sound.then_some(()).ok_or(SyzygyError::Checksum)
    }

    /// The same from the file itself, of which no more than a part is in memory at a time;
    /// `goes_on` is called after each part, and ends the comparison without a result where it
    /// is false.
    pub(crate) fn compare_sum(
        &self,
        source: &mut File,
        goes_on: impl Fn() -> bool,
    ) -> std::io::Result<Option<bool>> {
        let body = self.bytes.len() - checksum::LENGTH;
        let Some(sum) = checksum::of_stream(source, body as u64, goes_on)? else {
            return Ok(None);
        };
        let sound = sum == self.bytes[body..];
        Ok(Some(*self.sound.get_or_init(|| sound)))
    }

    /// Whether the file ends with the checksum of the published file of its ending; `None` where
    /// that is not known.
    pub(crate) fn is_published(&self) -> Option<bool> {
        let published = published_checksum(&self.material, self.contents)?;
        let own = &self.bytes[self.bytes.len() - checksum::LENGTH..];
        let digits: String = own.iter().map(|byte| format!("{byte:02x}")).collect();
        Some(digits == published)
    }

    /// The size of the file in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The stored value of the position with an index in a sub-table.
    pub(crate) fn value(&self, sub: &SubTable, index: u64) -> Result<u16, SyzygyError> {
        let (header, decoder, sizes, data) = match &sub.body {
            Body::Single(value) => return Ok(u16::from(*value)),
            Body::Blocks {
                header,
                decoder,
                sizes,
                data,
                ..
            } => (header, decoder, *sizes, *data),
        };
        let beyond = SyzygyError::Inconsistent("the index leads beyond the blocks");
        let blocks = header.blocks as usize + usize::from(header.padding);
        let sizes = self.bytes.get(sizes..sizes + 2 * blocks);
        let (sizes, _) = sizes.ok_or(SyzygyError::Truncated)?.as_chunks::<2>();
        let values_in = |block: usize| match sizes.get(block) {
            Some(&size) => Ok(i64::from(u16::from_le_bytes(size)) + 1),
            None => Err(beyond),
        };
        let entry = index >> header.span_log2;
        let (block, place) = self.entry(sub, entry as usize)?;
        let (mut block, mut place) = (block as usize, i64::from(place));
        // The block is this one or one beside it: it is on its way while the sizes are read.
        if let Some(byte) = self.bytes.get(data + (block << header.block_log2)) {
            prefetch(byte);
        }
        place += index as i64 - ((entry << header.span_log2) + (1 << header.span_log2) / 2) as i64;
        while place < 0 {
            block = block.checked_sub(1).ok_or(SyzygyError::Inconsistent(
                "the index leads to other positions",
            ))?;
            place += values_in(block)?;
        }
        loop {
            let count = values_in(block)?;
            if place < count {
                break;
            }
            place -= count;
            block += 1;
        }
        let length = 1usize << header.block_log2;
        let from_block = self.bytes.get(data + block * length..);
        let from_block = from_block.ok_or(SyzygyError::Truncated)?;
        decoder.value(from_block, length, place as usize)
    }

    /// The bytes of a block and the number of its values.
    pub(crate) fn block(
        &self,
        sub: &SubTable,
        block: usize,
    ) -> Result<(&[u8], usize), SyzygyError> {
        let Body::Blocks {
            header,
            sizes,
            data,
            ..
        } = &sub.body
        else {
            return Err(SyzygyError::Inconsistent(
                "a table of one value has no blocks",
            ));
        };
        let length = 1usize << header.block_log2;
        let start = data + block * length;
        let bytes = self.bytes.get(start..start + length);
        let size = self.bytes.get(sizes + 2 * block..sizes + 2 * block + 2);
        let (bytes, size) = bytes.zip(size).ok_or(SyzygyError::Truncated)?;
        Ok((
            bytes,
            usize::from(u16::from_le_bytes([size[0], size[1]])) + 1,
        ))
    }

    /// An entry of a sub-table's block index: a block and a place in it.
    pub(crate) fn entry(&self, sub: &SubTable, entry: usize) -> Result<(u32, u16), SyzygyError> {
        let Body::Blocks { index, .. } = &sub.body else {
            return Err(SyzygyError::Inconsistent(
                "a table of one value has no index",
            ));
        };
        let at = index + 6 * entry;
        let bytes = self.bytes.get(at..at + 6).ok_or(SyzygyError::Truncated)?;
        let block = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        Ok((block, u16::from_le_bytes([bytes[4], bytes[5]])))
    }
}

/// Whether both sides have pawns; then there are two order bytes at `at`, else one.
///
/// The pieces are read as if there was one order byte. If there is one, they are right. If there
/// are two, the second takes the place of the first piece and the last piece is missing, but both
/// sides' pawns are there, since pawns come first and a king last.
fn both_sides_have_pawns(bytes: &[u8], at: usize, pieces: usize) -> bool {
    let list = bytes.get(at + 1..at + 1 + pieces).unwrap_or_default();
    let has = |code: u8| list.iter().any(|&byte| byte & 15 == code);
    has(1) && has(9)
}

fn sorted(pieces: &[ColoredPiece]) -> Vec<ColoredPiece> {
    let mut pieces = pieces.to_vec();
    pieces.sort_unstable();
    pieces
}

fn material_of(pieces: &[ColoredPiece]) -> Result<Material, SyzygyError> {
    let army = |black: bool| {
        let own = pieces.iter().filter(|p| p.black == black);
        let kings = own.clone().filter(|p| p.kind == Kind::King).count();
        (kings == 1).then(|| Army::new(own.map(|p| p.kind)))
    };
    let armies = army(false).zip(army(true));
    let (white, black) =
        armies.ok_or(SyzygyError::Inconsistent("a side has no king or several"))?;
    Ok(Material::new(white, black))
}

fn read_maps(bytes: &[u8], next: &mut usize, wide: bool) -> Result<Maps, SyzygyError> {
    let mut maps = [const { Vec::new() }; 4];
    let width = if wide { 2 } else { 1 };
    *next += if wide { *next % 2 } else { 0 };
    let mut read = || {
        let entry = bytes
            .get(*next..*next + width)
            .ok_or(SyzygyError::Truncated)?;
        *next += width;
        Ok(entry
            .iter()
            .rev()
            .fold(0, |value, &b| value << 8 | u16::from(b)))
    };
    for map in &mut maps {
        let count = read()?;
        *map = (0..count).map(|_| read()).collect::<Result<_, _>>()?;
    }
    Ok(maps)
}

/// Computes the offsets of all block indices, tables of block sizes and blocks.
fn place_tables(subs: &mut [SubTable], start: usize, length: usize) -> Result<(), SyzygyError> {
    let mut next = start as u64;
    for sub in subs.iter_mut() {
        let positions = sub.piece_order.size();
        if let Body::Blocks { header, index, .. } = &mut sub.body {
            *index = next as usize;
            next += 6 * header.entries(positions);
        }
    }
    for sub in subs.iter_mut() {
        if let Body::Blocks { header, sizes, .. } = &mut sub.body {
            *sizes = next as usize;
            next += 2 * (u64::from(header.blocks) + u64::from(header.padding));
        }
    }
    for sub in subs.iter_mut() {
        if let Body::Blocks { header, data, .. } = &mut sub.body {
            next = next.next_multiple_of(64);
            *data = next as usize;
            next += u64::from(header.blocks) << header.block_log2;
        }
    }
    let end = next.next_multiple_of(64) + checksum::LENGTH as u64;
    match (length as u64).cmp(&end) {
        std::cmp::Ordering::Less => Err(SyzygyError::Truncated),
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Greater => Err(SyzygyError::Inconsistent(
            "the file is longer than its tables",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// KQvKPP and KPvKP: an order byte may look like a white pawn.
    #[test]
    fn order_bytes_are_told_from_pieces() {
        let one_side = [0x11, 0x99, 0x99, 0x66, 0x55, 0xee, 0x11, 0x99, 0x99];
        assert!(!both_sides_have_pawns(&one_side, 0, 5));
        let both_sides = [0x33, 0x22, 0x11, 0x99, 0x66, 0xee, 0x33];
        assert!(both_sides_have_pawns(&both_sides, 0, 4));
    }
}
