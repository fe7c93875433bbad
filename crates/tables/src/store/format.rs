//! Table files: written sequentially, read at random. `docs/formats.md` describes every byte.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use everymove_kernel::files::{Access, Draft, FileError, PositionalFile, Storage};
use xxhash_rust::xxh3::xxh3_64;

use crate::metric::Metric;
use crate::position::material::Material;

const MAGIC: [u8; 8] = *b"\x89EGT\r\n\x1a\n";
const VERSION: u32 = 1;
const HEADER: usize = 64;
const TRAILER: usize = 32;
const SECTION: usize = 16;
/// Positions of a block.
pub(crate) const BLOCK: usize = 1 << 15;
/// Decoded blocks that a reader caches.
const CACHE: usize = 256;
/// The largest encoded distance of a file.
const MAX_CODE: u16 = u16::MAX / 2;
/// Level of zstd: higher ones shrink files little and take much longer.
const EFFORT: i32 = 3;

/// Returns the file name of a table.
pub(crate) fn file_name(material: &Material, metric: Metric) -> String {
    format!("{material}.{}", metric.extension())
}

/// A compressed block.
#[derive(Debug)]
pub(crate) struct Packed {
    bytes: Vec<u8>,
    /// Length in bytes, or 0 for a block whose positions all have one value.
    length: u32,
    /// A checksum of the bytes, or the one value.
    check: u32,
}

/// Compresses the encoded distances of a block, each of `width` bytes.
pub(crate) fn pack(codes: &[u16], width: u8) -> Packed {
    let first = codes.first().copied().unwrap_or(0);
    if codes.iter().all(|&code| code == first) {
        return Packed {
            bytes: Vec::new(),
            length: 0,
            check: u32::from(first),
        };
    }
    let raw: Vec<u8> = match width {
        1 => codes.iter().map(|&code| code as u8).collect(),
        _ => codes.iter().flat_map(|code| code.to_le_bytes()).collect(),
    };
    let bytes = zstd::bulk::compress(&raw, EFFORT).expect("memory takes all that is written");
    Packed {
        length: bytes.len() as u32,
        check: xxh3_64(&bytes) as u32,
        bytes,
    }
}

/// A section being written.
#[derive(Debug)]
struct Entry {
    positions: u64,
    width: u8,
    max: u16,
    blocks: Vec<(u32, u32)>,
}

/// Writes a table file.
pub(crate) struct Writer<'a> {
    draft: &'a mut Draft,
    at: u64,
    sections: Vec<Entry>,
}

impl<'a> Writer<'a> {
    /// Writes the header.
    pub(crate) fn new(
        draft: &'a mut Draft,
        material: &Material,
        metric: Metric,
    ) -> Result<Self, FileError> {
        let mut header = Vec::with_capacity(HEADER);
        header.extend(MAGIC);
        header.extend(VERSION.to_le_bytes());
        header.push(metric as u8);
        header.push(2 * material.halves().len() as u8);
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
    pub(crate) fn section(&mut self, positions: u64, max: u16) {
        self.sections.push(Entry {
            positions,
            width: width(max),
            max,
            blocks: Vec::new(),
        });
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
            index.push(0);
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

/// Returns the bytes of an encoded distance that is at most `max`.
pub(crate) fn width(max: u16) -> u8 {
    if max < 255 { 1 } else { 2 }
}

/// A section of an open file.
#[derive(Debug)]
struct Section {
    positions: u64,
    width: u8,
    max: u16,
    /// By block: offset, length (0: all positions have one value), checksum (or that value).
    blocks: Vec<(u64, u32, u32)>,
}

/// An open table file.
#[derive(Debug)]
pub(crate) struct Reader {
    path: String,
    file: Box<dyn PositionalFile>,
    pub(crate) material: Material,
    pub(crate) metric: Metric,
    sections: Vec<Section>,
    cache: Mutex<Cache>,
}

#[derive(Debug, Default)]
struct Cache {
    blocks: HashMap<(usize, usize), Arc<Vec<u16>>>,
    order: VecDeque<(usize, usize)>,
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
    pub(crate) fn open(storage: &dyn Storage, name: &str) -> Result<Self, FileError> {
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
        if version != VERSION {
            return Err(FileError::Version {
                path: shown(),
                found: version,
                expected: VERSION,
            });
        }
        if xxh3_64(&header[..HEADER - 8]) != u64_at(&header, HEADER - 8) {
            return Err(damaged("the header does not match its checksum"));
        }
        let metric = match header[12] {
            0 => Metric::Mate,
            1 => Metric::Zeroing,
            _ => return Err(damaged("its metric is unknown")),
        };
        let name = header[16..HEADER - 8].split(|&b| b == 0).next();
        let material: Material = name
            .and_then(|n| std::str::from_utf8(n).ok())
            .and_then(|n| n.parse().ok())
            .ok_or_else(|| damaged("it names no ending"))?;
        let sections = 2 * material.halves().len();
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
        let sections = read_index(&index, sections, at)
            .ok_or_else(|| damaged("the index contradicts the file"))?;
        Ok(Self {
            path: shown(),
            file,
            material,
            metric,
            sections,
            cache: Mutex::default(),
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
        let (at, length, check) = part.blocks[block];
        let too_large = || FileError::Damaged {
            path: self.path.clone(),
            what: format!("block {block} of section {section} has a code beyond the largest"),
        };
        if length == 0 {
            return match u16::try_from(check) {
                Ok(code) if code <= part.max => Ok(vec![code; count]),
                _ => Err(too_large()),
            };
        }
        let damaged = || FileError::Damaged {
            path: self.path.clone(),
            what: format!("block {block} of section {section} does not match its checksum"),
        };
        let mut bytes = vec![0; length as usize];
        self.file
            .read_exact_at(&mut bytes, at)
            .map_err(|e| FileError::io("read", self.path.clone(), e))?;
        if xxh3_64(&bytes) as u32 != check {
            return Err(damaged());
        }
        let width = usize::from(part.width);
        let raw = zstd::bulk::decompress(&bytes, count * width).map_err(|_| damaged())?;
        if raw.len() != count * width {
            return Err(damaged());
        }
        let codes: Vec<u16> = match width {
            1 => raw.iter().map(|&b| u16::from(b)).collect(),
            _ => raw.chunks_exact(2).map(|b| u16_at(b, 0)).collect(),
        };
        if codes.iter().any(|&code| code > part.max) {
            return Err(too_large());
        }
        Ok(codes)
    }

    /// Returns one encoded distance.
    pub(crate) fn code(&self, section: usize, position: usize) -> Result<u16, FileError> {
        let key = (section, position / BLOCK);
        let cached = {
            let cache = self.cache.lock().unwrap_or_else(|e| e.into_inner());
            cache.blocks.get(&key).cloned()
        };
        let codes = match cached {
            Some(codes) => codes,
            None => {
                let codes = Arc::new(self.block(section, key.1)?);
                let mut cache = self.cache.lock().unwrap_or_else(|e| e.into_inner());
                if cache.blocks.insert(key, codes.clone()).is_none() {
                    cache.order.push_back(key);
                }
                if cache.order.len() > CACHE
                    && let Some(oldest) = cache.order.pop_front()
                {
                    cache.blocks.remove(&oldest);
                }
                codes
            }
        };
        Ok(codes[position % BLOCK])
    }
}

fn read_index(index: &[u8], sections: usize, end: u64) -> Option<Vec<Section>> {
    let (mut entries, mut at) = (Vec::new(), HEADER as u64);
    let mut blocks = index.get(sections * SECTION..)?.chunks_exact(8);
    for section in index.get(..sections * SECTION)?.chunks_exact(SECTION) {
        let positions = u64_at(section, 0);
        let count = u32_at(section, 8) as usize;
        if positions.div_ceil(BLOCK as u64) != count as u64 {
            return None;
        }
        let own: Vec<_> = blocks
            .by_ref()
            .take(count)
            .map(|entry| {
                let start = at;
                at += u64::from(u32_at(entry, 0));
                (start, u32_at(entry, 0), u32_at(entry, 4))
            })
            .collect();
        // Twice a code fixed has two bytes: plies to mate.
        let max = u16_at(section, 12);
        if own.len() != count || !matches!(section[14], 1 | 2) || max > MAX_CODE {
            return None;
        }
        entries.push(Section {
            positions,
            width: section[14],
            max,
            blocks: own,
        });
    }
    (at == end && blocks.next().is_none()).then_some(entries)
}
