//! Table files: written sequentially, read at random. `docs/formats.md` describes every byte.

use std::ops::Range;
use std::sync::Arc;

use everymove_kernel::files::{Access, Draft, FileError, PositionalFile, Storage, decompress};
use xxhash_rust::xxh3::xxh3_64;

use crate::metric::Metric;
use crate::position::material::Material;
use crate::store::block_cache::{BlockCache, Cached};
use crate::store::packing::{LEAST_ROWS, width};
use crate::store::row_decoder::RowDecoder;
use crate::store::row_model::RowModel;
use crate::store::rows::{GROUP, PADDING};
use crate::store::seen_codes::SeenCodes;

pub(crate) use crate::store::packing::{BLOCK, Packed, Packing};

const MAGIC: [u8; 8] = *b"\x89EGT\r\n\x1a\n";
/// Version of a file whose blocks are zstd frames.
const FRAMES: u32 = 1;
/// Version of a file that has a section of rows.
const ROWS: u32 = 2;
/// Version of a file whose distances depend on the half-move clock; it may have sections of rows.
const CLOCKED: u32 = 3;
const HEADER: usize = 64;
const TRAILER: usize = 32;
const SECTION: usize = 16;
/// The largest encoded distance of a file.
const MAX_CODE: u16 = u16::MAX / 2;

/// Returns the file name of a table.
pub(crate) fn file_name(material: &Material, metric: Metric) -> String {
    format!("{material}.{}", metric.extension())
}

/// A section being written.
#[derive(Debug)]
struct Entry {
    positions: u64,
    width: u8,
    max: u16,
    rows: bool,
    blocks: Vec<(u32, u32)>,
}

/// Writes a table file.
pub(crate) struct Writer<'a> {
    draft: &'a mut Draft,
    at: u64,
    sections: Vec<Entry>,
}

impl<'a> Writer<'a> {
    /// Writes the header of a file whose largest section has `largest` positions.
    pub(crate) fn new(
        draft: &'a mut Draft,
        material: &Material,
        metric: Metric,
        largest: u64,
    ) -> Result<Self, FileError> {
        let version = match largest {
            _ if metric.depends_on_clock() => CLOCKED,
            ..LEAST_ROWS => FRAMES,
            _ => ROWS,
        };
        let mut header = Vec::with_capacity(HEADER);
        header.extend(MAGIC);
        header.extend(version.to_le_bytes());
        header.push(metric as u8);
        header.push((metric.sections_of_half() * material.halves().len()) as u8);
        header.push(BLOCK.trailing_zeros() as u8);
        header.push(0);
        header.extend(material.to_string().bytes());
        header.resize(HEADER - 8, 0);
        header.extend(xxh3_64(&header).to_le_bytes());
        draft.put(&header)?;
        Ok(Self {
            draft,
            at: HEADER as u64,
            sections: Vec::new(),
        })
    }

    /// Starts a section of `positions` encoded distances, of which the largest is `max`.
    pub(crate) fn section(
        &mut self,
        positions: u64,
        max: u16,
        packing: &Packing,
    ) -> Result<(), FileError> {
        let rows = matches!(packing, Packing::Rows(_));
        self.sections.push(Entry {
            positions,
            width: width(max),
            max,
            rows,
            blocks: Vec::new(),
        });
        match packing {
            Packing::Frames(_) => Ok(()),
            Packing::Rows(encoder) => self.block(&Packed::new(encoder.model().to_bytes())),
        }
    }

    /// Appends the next block of the section.
    pub(crate) fn block(&mut self, packed: &Packed) -> Result<(), FileError> {
        self.draft.put(&packed.bytes)?;
        self.at += packed.bytes.len() as u64;
        if let Some(section) = self.sections.last_mut() {
            section.blocks.push((packed.length, packed.check));
        }
        Ok(())
    }

    /// Writes the index and the trailer.
    pub(crate) fn finish(self) -> Result<(), FileError> {
        let mut index = Vec::new();
        for section in &self.sections {
            index.extend(section.positions.to_le_bytes());
            index.extend((section.blocks.len() as u32).to_le_bytes());
            index.extend(section.max.to_le_bytes());
            index.push(section.width);
            index.push(section.rows.into());
        }
        for (length, check) in self.sections.iter().flat_map(|s| &s.blocks) {
            index.extend(length.to_le_bytes());
            index.extend(check.to_le_bytes());
        }
        let mut trailer = Vec::with_capacity(TRAILER);
        trailer.extend(self.at.to_le_bytes());
        trailer.extend((index.len() as u64).to_le_bytes());
        trailer.extend(xxh3_64(&index).to_le_bytes());
        trailer.extend(xxh3_64(&trailer).to_le_bytes());
        self.draft.put(&index)?;
        self.draft.put(&trailer)
    }
}

/// A section of an open file.
#[derive(Debug)]
struct Section {
    positions: u64,
    width: u8,
    max: u16,
    /// The number of its first part in the cache.
    first: u32,
    /// The statistics of a section of rows.
    model: Option<Part>,
    /// By block.
    blocks: Vec<Part>,
    seen: SeenCodes,
}

/// A part of an open file.
#[derive(Clone, Copy, Debug)]
struct Part {
    at: u64,
    /// Length in bytes; 0: all positions of the block have one value.
    length: u32,
    /// The checksum, or that value.
    check: u32,
}

/// An open table file.
#[derive(Debug)]
pub(crate) struct Reader {
    path: String,
    file: Box<dyn PositionalFile>,
    pub(crate) material: Material,
    pub(crate) metric: Metric,
    sections: Vec<Section>,
    cache: Arc<BlockCache>,
    number: u32,
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

impl Reader {
    /// Opens a table and checks header, index and trailer; blocks are checked when they are read.
    pub(crate) fn open(
        storage: &dyn Storage,
        name: &str,
        cache: &Arc<BlockCache>,
    ) -> Result<Self, FileError> {
        let shown = || storage.display(name);
        let io = |e| FileError::io("read", shown(), e);
        let damaged = |what: &str| FileError::Damaged {
            path: shown(),
            what: what.to_owned(),
        };
        let file = storage.open_at(name, Access::Read)?;
        let size = file.size().map_err(io)?;
        let mut header = vec![0; size.min(HEADER as u64) as usize];
        file.read_exact_at(&mut header, 0).map_err(io)?;
        if !header.starts_with(&MAGIC) {
            return Err(FileError::Foreign {
                path: shown(),
                expected: "an endgame table of everymove",
            });
        }
        if header.len() < HEADER || size < (HEADER + TRAILER) as u64 {
            return Err(damaged("it is cut short"));
        }
        let version = u32_at(&header, 8);
        if !matches!(version, FRAMES | ROWS | CLOCKED) {
            return Err(FileError::Version {
                path: shown(),
                found: version,
                expected: CLOCKED,
            });
        }
        if xxh3_64(&header[..HEADER - 8]) != u64_at(&header, HEADER - 8) {
            return Err(damaged("the header does not match its checksum"));
        }
        let metric = match header[12] {
            0 => Metric::Mate,
            1 => Metric::Zeroing,
            2 => Metric::MateFifty,
            3 => Metric::Conversion,
            _ => return Err(damaged("its metric is unknown")),
        };
        let name = header[16..HEADER - 8].split(|&b| b == 0).next();
        let material: Material = name
            .and_then(|n| std::str::from_utf8(n).ok())
            .and_then(|n| n.parse().ok())
            .ok_or_else(|| damaged("it names no ending"))?;
        let sections = metric.sections_of_half() * material.halves().len();
        if metric.depends_on_clock() != (version == CLOCKED) {
            return Err(damaged("its version is not that of its metric"));
        }
        if usize::from(header[13]) != sections || header[14] != BLOCK.trailing_zeros() as u8 {
            return Err(damaged("the header contradicts itself"));
        }
        let mut trailer = [0; TRAILER];
        file.read_exact_at(&mut trailer, size - TRAILER as u64)
            .map_err(io)?;
        if xxh3_64(&trailer[..24]) != u64_at(&trailer, 24) {
            return Err(damaged(
                "the end does not match its checksum: it may be cut short",
            ));
        }
        let (at, length) = (u64_at(&trailer, 0), u64_at(&trailer, 8));
        if at.checked_add(length) != Some(size - TRAILER as u64) {
            return Err(damaged("the index is not where the end says"));
        }
        let mut index = vec![0; length as usize];
        file.read_exact_at(&mut index, at).map_err(io)?;
        if xxh3_64(&index) != u64_at(&trailer, 16) {
            return Err(damaged("the index does not match its checksum"));
        }
        let sections = read_index(&index, sections, at, version)
            .ok_or_else(|| damaged("the index contradicts the file"))?;
        Ok(Self {
            path: shown(),
            file,
            material,
            metric,
            sections,
            cache: cache.clone(),
            number: cache.file(),
        })
    }

    pub(crate) fn sections(&self) -> usize {
        self.sections.len()
    }

    /// Returns the largest encoded distance of a section.
    pub(crate) fn max_code(&self, section: usize) -> u16 {
        self.sections[section].max
    }

    /// Returns the number of positions of a section.
    pub(crate) fn positions(&self, section: usize) -> u64 {
        self.sections[section].positions
    }

    /// Returns the number of blocks of a section.
    pub(crate) fn blocks(&self, section: usize) -> usize {
        self.sections[section].blocks.len()
    }

    /// Decodes a block and checks it.
    pub(crate) fn block(&self, section: usize, block: usize) -> Result<Vec<u16>, FileError> {
        let part = &self.sections[section];
        let count = (part.positions as usize - block * BLOCK).min(BLOCK);
        let codes = match self.only_code(section, block)? {
            Some(code) => vec![code; count],
            None => self.unpack(section, block, &self.load(section, block)?, 0..count)?,
        };
        part.seen.add(block, &codes);
        Ok(codes)
    }

    /// Returns how many codes are best decoded at once; a block is a whole number of such parts.
    pub(crate) fn codes_at_once(&self, section: usize) -> usize {
        match self.sections[section].model {
            Some(_) => GROUP,
            None => BLOCK,
        }
    }

    /// Decodes the codes of a block from the beginning of a part on, as [`Reader::codes_at_once`]
    /// says, and checks them; `bytes` are those of [`Reader::load`].
    pub(crate) fn unpack(
        &self,
        section: usize,
        block: usize,
        bytes: &[u8],
        range: Range<usize>,
    ) -> Result<Vec<u16>, FileError> {
        let part = &self.sections[section];
        let codes: Vec<u16> = match (&part.model, part.width) {
            (Some(_), _) => {
                let decoder = self.decoder(section)?;
                let codes = decoder.decode(bytes, range);
                codes.ok_or_else(|| self.mismatch(section, block))?
            }
            (None, 1) => bytes[range].iter().map(|&b| u16::from(b)).collect(),
            (None, _) => {
                let codes = bytes.as_chunks::<2>().0[range].iter();
                codes.map(|&code| u16::from_le_bytes(code)).collect()
            }
        };
        // Without a branch for each code, so that several are compared at a time.
        if codes.iter().fold(0, |max, &code| max.max(code)) > part.max {
            return Err(self.too_large(section, block));
        }
        Ok(codes)
    }

    /// Returns the blocks of a section that have not been decoded as a whole so far.
    pub(crate) fn unseen_blocks(&self, section: usize) -> Vec<usize> {
        let seen = &self.sections[section].seen;
        let blocks = 0..self.blocks(section);
        blocks.filter(|&block| !seen.has_block(block)).collect()
    }

    /// Returns the codes of all blocks of a section that have been decoded as a whole so far,
    /// ascending.
    pub(crate) fn seen_codes(&self, section: usize) -> Vec<u16> {
        let section = &self.sections[section];
        section.seen.codes(section.max)
    }

    /// Returns one encoded distance.
    pub(crate) fn code(&self, section: usize, position: usize) -> Result<u16, FileError> {
        let part = &self.sections[section];
        let (block, within) = (position / BLOCK, position % BLOCK);
        if let Some(code) = self.only_code(section, block)? {
            return Ok(code);
        }
        let number = part.first + 1 + block as u32;
        let load = || self.load(section, block);
        let bytes = self.cache.block(self.number, number, load)?;
        let code = match (&part.model, part.width) {
            (Some(_), _) => self.decoder(section)?.code(&bytes, within),
            (None, 1) => bytes.get(within).map(|&code| code.into()),
            (None, _) => Some(u16_at(&bytes, 2 * within)),
        };
        match code {
            None => Err(self.mismatch(section, block)),
            Some(code) if code > part.max => Err(self.too_large(section, block)),
            Some(code) => Ok(code),
        }
    }

    /// Returns the code of all positions of a block, `None` if it has several codes.
    pub(crate) fn only_code(&self, section: usize, block: usize) -> Result<Option<u16>, FileError> {
        let part = &self.sections[section];
        let place = part.blocks[block];
        if place.length > 0 {
            return Ok(None);
        }
        match u16::try_from(place.check) {
            Ok(code) if code <= part.max => Ok(Some(code)),
            _ => Err(self.too_large(section, block)),
        }
    }

    /// Reads a block that has several codes and compares its checksum. Returns its codes, or its
    /// rows with the padding that their decoder needs.
    pub(crate) fn load(&self, section: usize, block: usize) -> Result<Vec<u8>, FileError> {
        let part = &self.sections[section];
        let damaged = || self.mismatch(section, block);
        let mut bytes = self.read(part.blocks[block])?.ok_or_else(damaged)?;
        if part.model.is_some() {
            bytes.extend([0; PADDING]);
            return Ok(bytes);
        }
        let count = (part.positions as usize - block * BLOCK).min(BLOCK);
        let length = count * usize::from(part.width);
        let raw = decompress(&bytes, length).map_err(|_| damaged())?;
        if raw.len() != length {
            return Err(damaged());
        }
        Ok(raw)
    }

    /// Returns the decoder of a section of rows.
    fn decoder(&self, section: usize) -> Result<Arc<RowDecoder>, FileError> {
        let part = &self.sections[section];
        let damaged = || FileError::Damaged {
            path: self.path.clone(),
            what: format!("the statistics of section {section} do not match their checksum"),
        };
        let load = || {
            let bytes = part.model.map(|place| self.read(place)).transpose()?;
            let model = bytes.flatten().and_then(|b| RowModel::from_bytes(&b));
            let decoder = RowDecoder::new(&model.ok_or_else(damaged)?);
            Ok(Cached::Decoder(Arc::new(decoder)))
        };
        match self.cache.get(self.number, part.first, load)? {
            Cached::Decoder(decoder) => Ok(decoder),
            Cached::Block(_) => Err(damaged()),
        }
    }

    /// Reads a part of the file; `None` if it does not match its checksum.
    fn read(&self, part: Part) -> Result<Option<Vec<u8>>, FileError> {
        let mut bytes = vec![0; part.length as usize];
        self.file
            .read_exact_at(&mut bytes, part.at)
            .map_err(|e| FileError::io("read", self.path.clone(), e))?;
        Ok((xxh3_64(&bytes) as u32 == part.check).then_some(bytes))
    }

    fn mismatch(&self, section: usize, block: usize) -> FileError {
        FileError::Damaged {
            path: self.path.clone(),
            what: format!("block {block} of section {section} does not match its checksum"),
        }
    }

    /// The error of a section of codes whose functions of the half-move clock are no functions.
    pub(crate) fn without_function(&self, section: usize) -> FileError {
        FileError::Damaged {
            path: self.path.clone(),
            what: format!("what the half-move clock changes of section {section} contradicts it"),
        }
    }

    fn too_large(&self, section: usize, block: usize) -> FileError {
        FileError::Damaged {
            path: self.path.clone(),
            what: format!("block {block} of section {section} has a code beyond the largest"),
        }
    }
}

fn read_index(index: &[u8], sections: usize, end: u64, version: u32) -> Option<Vec<Section>> {
    let (mut entries, mut at, mut first) = (Vec::new(), HEADER as u64, 0);
    let mut parts = index.get(sections * SECTION..)?.chunks_exact(8);
    for section in index.get(..sections * SECTION)?.chunks_exact(SECTION) {
        let positions = u64_at(section, 0);
        let count = u32_at(section, 8) as usize;
        let rows = version >= ROWS && section[15] == 1;
        if positions.div_ceil(BLOCK as u64) != (count as u64).checked_sub(rows.into())? {
            return None;
        }
        let mut own = parts.by_ref().take(count).map(|entry| {
            let part = Part {
                at,
                length: u32_at(entry, 0),
                check: u32_at(entry, 4),
            };
            at += u64::from(part.length);
            part
        });
        let model = if rows { Some(own.next()?) } else { None };
        let blocks: Vec<_> = own.collect();
        // Twice a code fixed has two bytes: plies to mate.
        let max = u16_at(section, 12);
        if blocks.len() != count - usize::from(rows)
            || !matches!(section[14], 1 | 2)
            || max > MAX_CODE
            || (rows && (section[14] != 1 || max > 254))
            || (version >= ROWS && section[15] > 1)
        {
            return None;
        }
        entries.push(Section {
            positions,
            width: section[14],
            max,
            first,
            model,
            seen: SeenCodes::new(blocks.len(), max),
            blocks,
        });
        first += 1 + count as u32;
    }
    (at == end && parts.next().is_none()).then_some(entries)
}
