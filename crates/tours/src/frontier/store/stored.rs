//! A layer in a file: written once from front to back, then read whole, or anywhere through a cache
//! of each thread. It is a block file with these payloads, by tag:
//!
//! ```text
//! 1 head      number of degree vectors u64 | checksum of them in their order (u32 each) u64 |
//!             vectors of a segment u32 | u8: 0 for segments as they are, 1 for packed ones
//! 2 segment   the bytes of a segment, or the last part of them
//! 3 tail      states u64 | sum of all counts u128
//! 4 more      2^26 bytes of a segment whose next part is the next block
//! ```
//!
//! The degree vectors themselves are not in the file. Those of a layer made in memory ascend.

use everymove_kernel::files::{
    self, Access, BlockReader, BlockWriter, Draft, FileError, Format, PositionalFile, Storage,
    Unpacker,
};
use everymove_kernel::run::Run;
use xxhash_rust::xxh3::Xxh3;

use crate::frontier::FrontierError;
use crate::frontier::states::block::{Block, Blocks, Builder};
use crate::frontier::states::segment::{Segment, decode, encode};
use crate::frontier::vectors::degrees::Degrees;
use crate::frontier::vectors::index::Vectors;

const BLOCKS: Format = Format {
    magic: *b"EMTBLOCK",
    version: 3,
    what: "a layer of a tours count",
};

/// Tags of the checked blocks.
const HEAD: u32 = 1;
const SEGMENT: u32 = 2;
const TAIL: u32 = 3;
const MORE: u32 = 4;

/// Bytes of the file's header, and of the header of each checked block.
const FILE_HEADER: u64 = 24;
const HEADER: usize = 16;

/// Uncompressed bytes of a segment, about.
pub(crate) const SEGMENT_BYTES: u64 = 64 << 10;

/// The largest segment, uncompressed.
const MOST: usize = 2 << 30;

/// The bytes of a checked block. A longer payload is in several, all but the last of this length
/// and with the tag [`MORE`].
#[cfg(not(test))]
const PIECE: usize = files::MAX_BLOCK;
#[cfg(test)]
const PIECE: usize = 1 << 10;

/// Segments that take up to this many bytes to read are part of what is reserved for caches and for
/// waiting.
const SMALL: u64 = 64 << 20;

/// The fewest and the most blocks of a segment.
const FEWEST: u64 = 4;
const MOST_BLOCKS: u64 = 1 << 10;

/// How the segments of a file are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storing {
    /// As they are: the least time.
    Plain,
    /// Compressed: about half the bytes.
    Compressed,
}

/// Makes the payloads of segments; one for each thread.
#[derive(Debug)]
pub(crate) struct Packer {
    storing: Storing,
    /// Made when the first segment is compressed.
    packer: Option<files::Packer>,
    raw: Vec<u8>,
}

impl Packer {
    pub(crate) fn new(storing: Storing) -> Self {
        Self {
            storing,
            packer: None,
            raw: Vec::new(),
        }
    }

    /// The payload of a segment.
    pub(crate) fn pack(&mut self, builder: &Builder) -> Result<Vec<u8>, FrontierError> {
        self.raw.clear();
        encode(builder, &mut self.raw);
        if self.raw.len() > MOST {
            return Err(FrontierError::BlockTooLarge);
        }
        if self.storing == Storing::Plain {
            return Ok(self.raw.clone());
        }
        let packer = match &mut self.packer {
            Some(packer) => packer,
            empty => empty.insert(files::Packer::new()?),
        };
        Ok(packer.pack(&self.raw)?)
    }
}

/// Where a segment's payload is in the file.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Where its first checked block begins.
    at: u64,
    /// The number of that block.
    number: u32,
    /// Bytes of the payload.
    bytes: u32,
}

/// What the segments of a layer come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) states: u64,
    pub(crate) sum: u128,
}

/// A file that is being written.
pub(crate) struct Writer<'a> {
    file: BlockWriter<'a>,
    at: u64,
    /// The number of the next checked block.
    number: u32,
    places: Vec<Place>,
    a_segment: usize,
    storing: Storing,
}

/// Identifies the degree vectors of a layer and their order.
fn digest(degrees: &[Degrees]) -> u64 {
    let mut hash = Xxh3::new();
    for part in degrees.chunks(1 << 10) {
        let bytes: Vec<u8> = part.iter().flat_map(|d| d.to_le_bytes()).collect();
        hash.update(&bytes);
    }
    hash.digest()
}

/// What is known of a file that was written.
#[derive(Debug)]
pub(crate) struct Written {
    places: Vec<Place>,
    a_segment: usize,
    storing: Storing,
    bytes: u64,
}

impl<'a> Writer<'a> {
    /// Starts the file of a layer with these degree vectors, this many blocks in each segment but
    /// the last.
    pub(crate) fn new(
        draft: &'a mut Draft,
        degrees: &[Degrees],
        a_segment: usize,
        storing: Storing,
    ) -> Result<Self, FileError> {
        let mut writer = Self {
            file: BlockWriter::new(draft, BLOCKS)?,
            at: FILE_HEADER,
            number: 0,
            places: Vec::new(),
            a_segment,
            storing,
        };
        let mut head = (degrees.len() as u64).to_le_bytes().to_vec();
        head.extend(digest(degrees).to_le_bytes());
        head.extend((a_segment as u32).to_le_bytes());
        head.push(match storing {
            Storing::Plain => 0,
            Storing::Compressed => 1,
        });
        writer.put(HEAD, &head)?;
        Ok(writer)
    }

    /// Appends the next segment.
    pub(crate) fn segment(&mut self, mut payload: &[u8]) -> Result<(), FileError> {
        self.places.push(Place {
            at: self.at,
            number: self.number,
            bytes: payload.len() as u32,
        });
        while let Some((piece, rest)) = payload.split_at_checked(PIECE)
            && !rest.is_empty()
        {
            self.put(MORE, piece)?;
            payload = rest;
        }
        self.put(SEGMENT, payload)
    }

    /// Bytes so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.at
    }

    /// Ends the file.
    pub(crate) fn finish(mut self, totals: Totals) -> Result<Written, FileError> {
        let mut tail = totals.states.to_le_bytes().to_vec();
        tail.extend(totals.sum.to_le_bytes());
        self.put(TAIL, &tail)?;
        self.file.finish()?;
        Ok(Written {
            places: self.places,
            a_segment: self.a_segment,
            storing: self.storing,
            bytes: self.at,
        })
    }

    fn put(&mut self, tag: u32, payload: &[u8]) -> Result<(), FileError> {
        self.file.write(tag, payload)?;
        self.at += (HEADER + payload.len()) as u64;
        self.number += 1;
        Ok(())
    }
}

/// A complete layer in a file.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) name: String,
    pub(crate) totals: Totals,
    pub(crate) vectors: Vectors,
    path: String,
    file: Box<dyn PositionalFile>,
    written: Written,
}

/// A layer in a file, and how many bytes of it each thread may keep.
#[derive(Debug)]
pub(crate) struct Cached<'a> {
    pub(crate) layer: &'a Stored,
    pub(crate) cache: u64,
}

impl Stored {
    /// How many blocks a segment has.
    pub(crate) fn a_segment(&self) -> usize {
        self.written.a_segment
    }

    /// Bytes of the file.
    pub(crate) fn bytes(&self) -> u64 {
        self.written.bytes
    }

    /// About the bytes that a thread takes to read the largest segment, beyond what small ones
    /// take.
    pub(crate) fn reading_bytes(&self) -> u64 {
        // The payload, its bytes without compression, and the blocks.
        let times = match self.written.storing {
            Storing::Plain => 2,
            Storing::Compressed => 6,
        };
        (times * self.largest_segment()).saturating_sub(SMALL)
    }

    /// The bytes of the largest segment in the file.
    pub(crate) fn largest_segment(&self) -> u64 {
        let bytes = self
            .written
            .places
            .iter()
            .map(|place| u64::from(place.bytes));
        bytes.max().unwrap_or(0)
    }

    /// Opens a file that was just written, whose segments are checked when they are read.
    pub(crate) fn of_written(
        storage: &dyn Storage,
        name: &str,
        vectors: Vectors,
        totals: Totals,
        written: Written,
    ) -> Result<Self, FrontierError> {
        Ok(Self {
            name: name.to_owned(),
            totals,
            vectors,
            path: storage.display(name),
            file: storage.open_at(name, Access::Read)?,
            written,
        })
    }

    /// Opens a file and checks all of it.
    pub(crate) fn open(
        storage: &dyn Storage,
        name: &str,
        vectors: Vectors,
        run: &Run,
    ) -> Result<Self, FrontierError> {
        let (totals, written) = read(storage, name, &vectors.list, run, &mut |_| Ok(()))?;
        Self::of_written(storage, name, vectors, totals, written)
    }

    fn damaged(&self, segment: usize, what: &str) -> FrontierError {
        FileError::Damaged {
            path: self.path.clone(),
            what: format!("block {}: {what}", segment + 1),
        }
        .into()
    }
}

/// Whether a file is damaged, or none of this count: then its layer is made anew.
pub(crate) fn is_unusable(error: &FrontierError) -> bool {
    matches!(
        error,
        FrontierError::File(
            FileError::Damaged { .. } | FileError::Foreign { .. } | FileError::Version { .. }
        )
    )
}

/// How many blocks make a segment of about `bytes` bytes, of a layer of `blocks` blocks with
/// `states` states.
pub(crate) fn blocks_a_segment(bytes: u64, blocks: usize, states: u64) -> usize {
    // States take three bytes each, about.
    let mean = (3 * states / blocks.max(1) as u64).max(1);
    (bytes / mean).clamp(FEWEST, MOST_BLOCKS) as usize
}

/// Reads the file of a layer with these degree vectors and checks all of it; `each` gets the
/// segments in turn.
pub(crate) fn read(
    storage: &dyn Storage,
    name: &str,
    degrees: &[Degrees],
    run: &Run,
    each: &mut dyn FnMut(Segment) -> Result<(), FrontierError>,
) -> Result<(Totals, Written), FrontierError> {
    let mut reader = BlockReader::open(storage, name, BLOCKS)?;
    let mut payload = Vec::new();
    let number = |bytes: &[u8]| {
        let bytes = bytes.try_into().map(u64::from_le_bytes);
        bytes.unwrap_or_default()
    };
    let tag = reader.read(&mut payload)?;
    let wrong = "it is not the head of this layer";
    let is_head = tag == Some(HEAD) && payload.len() == 21;
    if !is_head || number(&payload[..8]) != degrees.len() as u64 {
        return Err(reader.damaged(wrong).into());
    }
    if number(&payload[8..16]) != digest(degrees) {
        return Err(reader.damaged("it is another layer").into());
    }
    let a_segment = u32::from_le_bytes([payload[16], payload[17], payload[18], payload[19]]);
    let storing = match payload[20] {
        0 if a_segment > 0 => Storing::Plain,
        1 if a_segment > 0 => Storing::Compressed,
        _ => return Err(reader.damaged(wrong).into()),
    };
    let mut at = FILE_HEADER + (HEADER + payload.len()) as u64;
    let mut places = Vec::new();
    // The head is block 0.
    let mut begun: Option<Place> = None;
    let mut numbers = 1..;
    // The payload of the segment that is read, and what the segments before come to.
    let mut whole = Vec::new();
    let mut unpacking = Unpacking::default();
    let mut found = Totals::default();
    let mut vectors = degrees;
    let totals = loop {
        run.stop.check()?;
        let tag = reader.read(&mut payload)?;
        let number_of_block = numbers.next().unwrap_or_default();
        let mut place = begun.take().unwrap_or(Place {
            at,
            number: number_of_block,
            bytes: 0,
        });
        place.bytes = match place.bytes.checked_add(payload.len() as u32) {
            Some(bytes) => bytes,
            None => return Err(reader.damaged("a segment is too long").into()),
        };
        match tag {
            Some(MORE) if payload.len() == PIECE => {
                whole.extend_from_slice(&payload);
                begun = Some(place);
            }
            Some(SEGMENT) => {
                whole.extend_from_slice(&payload);
                let own = vectors.len().min(a_segment as usize);
                let (own, rest) = vectors.split_at(own);
                let segment = unpacking.segment(storing, &whole)?;
                let sound = segment.and_then(|segment| Some((totals_of(&segment, own)?, segment)));
                let Some((more, segment)) = sound else {
                    return Err(reader.damaged("a segment is not one of this layer").into());
                };
                found.states = found.states.saturating_add(more.states);
                found.sum = found.sum.saturating_add(more.sum);
                vectors = rest;
                whole.clear();
                places.push(place);
                each(segment)?;
            }
            Some(TAIL) if payload.len() == 24 => {
                let sum = u128::from(number(&payload[8..16]));
                break Totals {
                    states: number(&payload[..8]),
                    sum: sum | u128::from(number(&payload[16..])) << 64,
                };
            }
            _ => return Err(reader.damaged("the layer is not complete").into()),
        }
        at += (HEADER + payload.len()) as u64;
    };
    let segments = degrees.len().div_ceil(a_segment as usize);
    if reader.read(&mut payload)?.is_some() || places.len() != segments || found != totals {
        let what = "the layer does not end where it says";
        return Err(reader.damaged(what).into());
    }
    let written = Written {
        places,
        a_segment: a_segment as usize,
        storing,
        bytes: at,
    };
    Ok((totals, written))
}

impl<'a> Cached<'a> {
    /// What a thread reads the layer's blocks with.
    pub(crate) fn reader(&self) -> Reader<'a> {
        Reader {
            layer: self.layer,
            cache: self.cache,
            slot_of: vec![NONE; self.layer.written.places.len()],
            slots: Vec::new(),
            free: Vec::new(),
            hand: 0,
            bytes: 0,
            payload: Vec::new(),
            unpacking: Unpacking::default(),
        }
    }
}

/// No slot has the segment.
const NONE: u32 = u32::MAX;

/// A thread's cache of segments; the one to make way is found by the clock algorithm.
pub(crate) struct Reader<'a> {
    layer: &'a Stored,
    cache: u64,
    /// The slot of each segment of the layer.
    slot_of: Vec<u32>,
    slots: Vec<Slot>,
    /// The slots without a segment.
    free: Vec<usize>,
    /// The slot that is looked at next when one must make way.
    hand: usize,
    bytes: u64,
    payload: Vec<u8>,
    unpacking: Unpacking,
}

/// Makes segments of payloads.
#[derive(Default)]
struct Unpacking {
    raw: Vec<u8>,
    unpacker: Option<Unpacker>,
}

impl Unpacking {
    /// The segment of a payload; `None` if it is of none.
    fn segment(
        &mut self,
        storing: Storing,
        payload: &[u8],
    ) -> Result<Option<Segment>, FrontierError> {
        if storing == Storing::Plain {
            return Ok(decode(payload));
        }
        let unpacker = match &mut self.unpacker {
            Some(unpacker) => unpacker,
            empty => empty.insert(Unpacker::new()?),
        };
        let unpacked = unpacker.unpack(payload, MOST, &mut self.raw);
        Ok(unpacked.and_then(|_| decode(&self.raw)))
    }
}

/// What a segment comes to, if its blocks are those of some degree vectors.
fn totals_of(segment: &Segment, degrees: &[Degrees]) -> Option<Totals> {
    if segment.blocks.len() != degrees.len() {
        return None;
    }
    let mut totals = Totals::default();
    for (&at, &degrees) in segment.blocks.iter().zip(degrees) {
        let chunk = &segment.chunk;
        let (states, sum) = Block { at, chunk }.checked_totals(degrees)?;
        totals.states = totals.states.checked_add(states)?;
        totals.sum = totals.sum.checked_add(sum)?;
    }
    Some(totals)
}

struct Slot {
    /// The number of the segment, or [`NONE`].
    number: u32,
    used: bool,
    segment: Segment,
}

impl Blocks for &mut Reader<'_> {
    #[inline]
    fn block(&mut self, position: usize) -> Result<Block<'_>, FrontierError> {
        Blocks::block(*self, position)
    }
}

impl Blocks for Reader<'_> {
    #[inline]
    fn block(&mut self, position: usize) -> Result<Block<'_>, FrontierError> {
        let (number, within) = (
            position / self.layer.written.a_segment,
            position % self.layer.written.a_segment,
        );
        let slot = match self.slot_of[number] {
            NONE => self.load(number)?,
            slot => slot as usize,
        };
        let slot = &mut self.slots[slot];
        slot.used = true;
        Ok(Block {
            at: slot.segment.blocks[within],
            chunk: &slot.segment.chunk,
        })
    }
}

impl Reader<'_> {
    /// Loads a segment; returns its slot.
    #[cold]
    fn load(&mut self, number: usize) -> Result<usize, FrontierError> {
        let segment = self.read(number)?;
        self.bytes += segment.bytes();
        while self.bytes > self.cache && self.free.len() < self.slots.len() {
            self.hand = (self.hand + 1) % self.slots.len();
            let slot = &mut self.slots[self.hand];
            if slot.number != NONE && !std::mem::take(&mut slot.used) {
                self.bytes -= slot.segment.bytes();
                self.slot_of[slot.number as usize] = NONE;
                slot.number = NONE;
                slot.segment = Segment::default();
                self.free.push(self.hand);
            }
        }
        let slot = Slot {
            number: number as u32,
            used: true,
            segment,
        };
        let at = match self.free.pop() {
            Some(at) => {
                self.slots[at] = slot;
                at
            }
            None => {
                self.slots.push(slot);
                self.slots.len() - 1
            }
        };
        self.slot_of[number] = at as u32;
        Ok(at)
    }

    /// Reads and checks a segment.
    fn read(&mut self, number: usize) -> Result<Segment, FrontierError> {
        let layer = self.layer;
        let place = layer.written.places[number];
        let pieces = (place.bytes as usize).div_ceil(PIECE).max(1);
        self.payload
            .resize(pieces * HEADER + place.bytes as usize, 0);
        let read = layer.file.read_exact_at(&mut self.payload, place.at);
        read.map_err(|e| FileError::io("read", layer.path.as_str(), e))?;
        for (piece, bytes) in self.payload.chunks(HEADER + PIECE).enumerate() {
            let (header, payload) = bytes.split_at(HEADER);
            let mut hash = Xxh3::with_seed(u64::from(place.number) + piece as u64);
            hash.update(&header[..8]);
            hash.update(payload);
            if hash.digest().to_le_bytes() != header[8..] {
                return Err(layer.damaged(number, "it does not match its checksum"));
            }
        }
        // The payload without the headers of its pieces.
        for piece in 1..pieces {
            let from = piece * (HEADER + PIECE) + HEADER;
            let to = (from + PIECE).min(self.payload.len());
            self.payload.copy_within(from..to, HEADER + piece * PIECE);
        }
        let payload = &self.payload[HEADER..HEADER + place.bytes as usize];
        let wrong = || layer.damaged(number, "it is no segment of a layer");
        let segment = self
            .unpacking
            .segment(layer.written.storing, payload)?
            .ok_or_else(wrong)?;
        let a_segment = layer.written.a_segment;
        let blocks = a_segment.min(layer.vectors.list.len() - number * a_segment);
        if segment.blocks.len() != blocks {
            return Err(wrong());
        }
        Ok(segment)
    }
}
