//! A Syzygy file, read and checked.

use std::io::Read;
use std::path::Path;

use everymove_kernel::files::FileError;

use crate::position::material::{Army, Kind, Material};
use crate::syzygy::compress::decode::{Decoder, Head};
use crate::syzygy::error::SyzygyError;
use crate::syzygy::file::checksum::{self, checksum};
use crate::syzygy::index::piece_order::{Arrangement, NO_PAWNS, Piece};

/// What a Syzygy file tells.
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

    /// The ending of the file names.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Wdl => "rtbw",
            Self::Dtz => "rtbz",
        }
    }
}

/// DTZ: black to move is stored.
pub(crate) const BLACK: u8 = 1;
/// DTZ: values are ranks in the maps.
pub(crate) const MAPPED: u8 = 2;
/// DTZ: wins are stored in plies.
pub(crate) const WIN_PLIES: u8 = 4;
/// DTZ: losses are stored in plies.
pub(crate) const LOSS_PLIES: u8 = 8;
/// DTZ: maps have two bytes an entry.
pub(crate) const WIDE: u8 = 16;
/// All values are one.
pub(crate) const SINGLE: u8 = 128;

/// By class, wins first, then losses, cursed wins and blessed losses: what the stored values mean.
pub(crate) type Maps = [Vec<u16>; 4];

/// The values of a sub-table.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    Single(u8),
    Coded {
        head: Head,
        decoder: Decoder,
        index: usize,
        sizes: usize,
        data: usize,
    },
}

/// The positions with one side to move, and with pawns those of one file of the leading pawn.
#[derive(Clone, Debug)]
pub(crate) struct SubTable {
    pub(crate) arrangement: Arrangement,
    pub(crate) flags: u8,
    pub(crate) body: Body,
    /// Of DTZ: distances, halved unless in plies.
    pub(crate) maps: Option<Maps>,
}

/// A Syzygy file in memory.
#[derive(Debug)]
pub struct SyzygyFile {
    pub(crate) contents: Contents,
    pub(crate) material: Material,
    bytes: Vec<u8>,
    /// By file of the leading pawn (one without pawns), then by side to move.
    pub(crate) subs: Vec<Vec<SubTable>>,
}

impl SyzygyFile {
    /// Reads a file, everything but its blocks.
    ///
    /// # Errors
    /// [`FileError`] if it cannot be read, is of another kind or contradicts itself.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let shown = || path.display().to_string();
        let io = |e| FileError::io("read", shown(), e);
        let mut file = std::fs::File::open(path).map_err(io)?;
        let mut bytes = Vec::new();
        (file.by_ref().take(4))
            .read_to_end(&mut bytes)
            .map_err(io)?;
        // Other files may be large.
        let known = |contents: Contents| bytes == contents.magic();
        if !known(Contents::Wdl) && !known(Contents::Dtz) {
            return Err(SyzygyError::UnknownMagic.in_file(path));
        }
        file.read_to_end(&mut bytes).map_err(io)?;
        Self::parse(bytes).map_err(|error| error.in_file(path))
    }

    /// Reads everything but the blocks. Checksum and blocks are looked at by [`SyzygyFile::check`].
    ///
    /// # Errors
    /// [`SyzygyError`] saying what is wrong.
    pub fn parse(bytes: Vec<u8>) -> Result<Self, SyzygyError> {
        let at = |at: usize| bytes.get(at).copied().ok_or(SyzygyError::Truncated);
        let magic = bytes.get(..4).ok_or(SyzygyError::Truncated)?;
        let contents = [Contents::Wdl, Contents::Dtz];
        let contents = contents.into_iter().find(|c| c.magic() == magic);
        let contents = contents.ok_or(SyzygyError::UnknownMagic)?;
        let (men, layout) = (usize::from(at(4)? >> 4), at(4)? & 15);
        if !(3..=crate::position::material::MAX_PIECES).contains(&men) || layout > 3 {
            return Err(SyzygyError::Inconsistent(
                "the number of men or the layout is out of range",
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
        let both_pawns = both_sides_have_pawns(&bytes, 5, men);
        for file in 0..if pawns { 4 } else { 1 } {
            let mut orders = [[0, NO_PAWNS]; 2];
            let [low, high] = &mut orders;
            let places = if pawns && both_pawns { 2 } else { 1 };
            for (low, high) in low.iter_mut().zip(high).take(places) {
                let byte = at(next)?;
                *low = byte & 15;
                *high = byte >> 4;
                next += 1;
            }
            let list = bytes.get(next..next + men).ok_or(SyzygyError::Truncated)?;
            next += men;
            for (side, order) in orders.into_iter().enumerate().take(sides) {
                let code = |&byte: &u8| Piece::from_code(byte >> (4 * side) & 15);
                let men: Option<Vec<Piece>> = list.iter().map(code).collect();
                let men = men.ok_or(SyzygyError::Inconsistent("a man is of no kind"))?;
                lists.push((men, order, file));
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
                "the lists of men do not fit together",
            ));
        }
        let mut subs = Vec::new();
        for (men, order, file) in lists {
            let arrangement = Arrangement::new(&men, order, file);
            let arrangement = arrangement.ok_or(SyzygyError::Inconsistent(
                "the men are in an impossible order",
            ))?;
            let flags = at(next)?;
            let body = if flags & SINGLE != 0 {
                let value = match contents {
                    Contents::Wdl => at(next + 1)?,
                    Contents::Dtz => 0,
                };
                next += 2;
                Body::Single(value)
            } else {
                let (head, length) = Head::read(&bytes[next + 1..])?;
                next += 1 + length;
                Body::Coded {
                    decoder: Decoder::new(&head)?,
                    head,
                    index: 0,
                    sizes: 0,
                    data: 0,
                }
            };
            subs.push(SubTable {
                arrangement,
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
            subs,
        })
    }

    /// What the file tells.
    pub fn contents(&self) -> Contents {
        self.contents
    }

    /// The ending that it is for.
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// Compares the checksum.
    ///
    /// # Errors
    /// [`SyzygyError::Checksum`] if it is another.
    pub fn check_sum(&self) -> Result<(), SyzygyError> {
        let body = self.bytes.len() - checksum::LENGTH;
        if checksum(&self.bytes[..body]) == self.bytes[body..] {
            Ok(())
        } else {
            Err(SyzygyError::Checksum)
        }
    }

    /// Bytes of the file, all of them in memory.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The stored value of a number.
    pub(crate) fn value(&self, sub: &SubTable, number: u64) -> Result<u16, SyzygyError> {
        let (head, decoder) = match &sub.body {
            Body::Single(value) => return Ok(u16::from(*value)),
            Body::Coded { head, decoder, .. } => (head, decoder),
        };
        let lost = SyzygyError::Inconsistent("the index leads to other positions");
        let entry = number >> head.span;
        let (block, place) = self.entry(sub, entry as usize)?;
        let (mut block, mut place) = (block as usize, i64::from(place));
        place += number as i64 - ((entry << head.span) + (1 << head.span) / 2) as i64;
        while place < 0 {
            block = block.checked_sub(1).ok_or(lost)?;
            place += self.values_in(sub, block)?;
        }
        loop {
            let count = self.values_in(sub, block)?;
            if place < count {
                break;
            }
            place -= count;
            block += 1;
        }
        let (bytes, _) = self.block(sub, block)?;
        let (mut seen, mut at) = (0, None);
        let place = place as usize;
        decoder.symbols_of(bytes, place + 1, |symbol, taken| {
            at = Some((symbol, place - seen.min(place)));
            seen += taken;
        })?;
        let (symbol, within) = at.ok_or(lost)?;
        Ok(decoder.value_at(symbol, within))
    }

    /// How many values a block holds, padding included.
    fn values_in(&self, sub: &SubTable, block: usize) -> Result<i64, SyzygyError> {
        let Body::Coded { head, sizes, .. } = &sub.body else {
            return Err(SyzygyError::Inconsistent(
                "a table of one value has no blocks",
            ));
        };
        if block >= head.blocks as usize + usize::from(head.padding) {
            return Err(SyzygyError::Inconsistent(
                "the index leads beyond the blocks",
            ));
        }
        let at = sizes + 2 * block;
        let size = self.bytes.get(at..at + 2).ok_or(SyzygyError::Truncated)?;
        Ok(i64::from(u16::from_le_bytes([size[0], size[1]])) + 1)
    }

    /// A block's bytes and how many values they hold.
    pub(crate) fn block(
        &self,
        sub: &SubTable,
        block: usize,
    ) -> Result<(&[u8], usize), SyzygyError> {
        let Body::Coded {
            head, sizes, data, ..
        } = &sub.body
        else {
            return Err(SyzygyError::Inconsistent(
                "a table of one value has no blocks",
            ));
        };
        let length = 1usize << head.block;
        let start = data + block * length;
        let bytes = self.bytes.get(start..start + length);
        let size = self.bytes.get(sizes + 2 * block..sizes + 2 * block + 2);
        let (bytes, size) = bytes.zip(size).ok_or(SyzygyError::Truncated)?;
        Ok((
            bytes,
            usize::from(u16::from_le_bytes([size[0], size[1]])) + 1,
        ))
    }

    /// An entry of a sub-table's index: a block, and where in it.
    pub(crate) fn entry(&self, sub: &SubTable, entry: usize) -> Result<(u32, u16), SyzygyError> {
        let Body::Coded { index, .. } = &sub.body else {
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

/// Whether both colours have pawns, from a list of men that begins after one order byte or two: either way most of the
/// list is seen, and pawns come first.
fn both_sides_have_pawns(bytes: &[u8], at: usize, men: usize) -> bool {
    let list = |from: usize| bytes.get(from..from + men).unwrap_or_default();
    // With one order byte the list is right; if it shows both pawns it is so in any case, since with two order bytes the
    // second one is below 16 and never looks like a black pawn.
    let has = |list: &[u8], code: u8| list.iter().any(|&byte| byte & 15 == code);
    let two = list(at + 2);
    has(two, 1) && has(two, 9)
}

fn sorted(men: &[Piece]) -> Vec<Piece> {
    let mut men = men.to_vec();
    men.sort_unstable();
    men
}

fn material_of(men: &[Piece]) -> Result<Material, SyzygyError> {
    let army = |black: bool| {
        let own = men.iter().filter(|p| p.black == black);
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

/// Finds the indices, tables of sizes and blocks.
fn place_tables(subs: &mut [SubTable], start: usize, length: usize) -> Result<(), SyzygyError> {
    let mut next = start as u64;
    for sub in subs.iter_mut() {
        let positions = sub.arrangement.size();
        if let Body::Coded { head, index, .. } = &mut sub.body {
            *index = next as usize;
            next += 6 * head.entries(positions);
        }
    }
    for sub in subs.iter_mut() {
        if let Body::Coded { head, sizes, .. } = &mut sub.body {
            *sizes = next as usize;
            next += 2 * (u64::from(head.blocks) + u64::from(head.padding));
        }
    }
    for sub in subs.iter_mut() {
        if let Body::Coded { head, data, .. } = &mut sub.body {
            next = next.next_multiple_of(64);
            *data = next as usize;
            next += u64::from(head.blocks) << head.block;
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
