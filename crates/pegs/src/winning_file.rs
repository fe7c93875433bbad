//! Winning sets in files: small, checked, and readable by other programs.
//!
//! # Format, versions 1 and 2
//! A file of checked blocks (see [`everymove_kernel::files`]) with the magic bytes `EMPEGWIN`.
//!
//! Block 0, tag 0: the problem as lines of UTF-8 text, each `key value`:
//! ```text
//! lattice square
//! board __ooo__/__ooo__/ooooooo/ooooooo/ooooooo/__ooo__/__ooo__
//! start __ooo__/__ooo__/ooooooo/ooo.ooo/ooooooo/__ooo__/__ooo__
//! finish ......    one position, as start; or the word anywhere
//! tail __o_o__/...  the tail holes, as pegs of a position
//! layers 16
//! ```
//! Then a block for each layer from the start, tagged with the jumps made: `parameter` (one byte), `count`
//! (u64, little-endian), and `count` numbers in Rice code: a number `n` is `n >> parameter` one bits, a zero
//! bit, and the low `parameter` bits of `n`, lowest first; bits fill bytes from the lowest. The numbers are
//! the gaps between the indexes of the winning positions: the first index, then each index less its
//! predecessor less one.
//!
//! The index of a position: number the holes along the rows from the top. The *tail* is its pegs on the tail
//! holes, the *head* its pegs on the others, both packed to numbers, lowest hole in the lowest bit. Under the
//! symmetries of the board that keep start and finish, the canonical head is the least image; where several
//! symmetries lead there, the one is taken that gives the tail the least rank. The *rank* of a tail is its
//! place, in ascending order, among those with as many pegs and the same parities on the board's invariant
//! sets. Canonical heads come in ascending order, each with as many places as there are such tails for the
//! layer, rounded up to a multiple of 64; the index is the number of places of earlier heads plus the rank.
//!
//! Version 2, for sets with more than 4 MB of a layer: where bit 31 of a block's tag is set, the next block continues
//! the layer. Its first gap is from the index after the last position of the block before.
//!
//! If the complement of the finish is the start, layer `jumps - n` is the complement of layer `n`, and the
//! file holds only layers 0 to `jumps / 2`.

use std::collections::HashMap;
use std::sync::Arc;

use everymove_kernel::files::{
    BlockReader, BlockWriter, Draft, FileError, Format, Storage, publish,
};
use everymove_kernel::run::Run;

use crate::board::Board;
use crate::error::PegError;
use crate::lattice::Lattice;
use crate::layers::layout::ranks;
use crate::layers::{ClassLayers, Layer, Split};
use crate::position::Position;
use crate::problem::{Finish, Problem};
use crate::rice_code::{BitReader, BitWriter, parameter};
use crate::winning::WinningSet;

const FORMAT: Format = Format {
    magic: *b"EMPEGWIN",
    version: 1,
    what: "a winning set",
};

/// The same with layers of several blocks.
const LONG_FORMAT: Format = Format {
    version: 2,
    ..FORMAT
};

/// The bit of a tag that says that the next block continues the layer.
const CONTINUED: u32 = 1 << 31;

/// Bytes after which a block of a layer ends, if the layer has more.
const PIECE: usize = 4 << 20;

/// Writes a winning set, layer by layer.
pub(crate) struct WinningWriter<'a> {
    blocks: BlockWriter<'a>,
    layers: u32,
    /// Bytes after which a block of a layer of several blocks ends.
    piece: usize,
}

impl<'a> WinningWriter<'a> {
    /// Starts the file of a set whose layers have these numbers of words and of positions.
    ///
    /// # Errors
    /// [`PegError::File`].
    pub(crate) fn new(
        draft: &'a mut Draft,
        problem: &Problem,
        split: &Split,
        counts: impl ExactSizeIterator<Item = (usize, u64)> + Clone,
    ) -> Result<Self, PegError> {
        Self::in_pieces(draft, problem, split, counts, PIECE)
    }

    fn in_pieces(
        draft: &'a mut Draft,
        problem: &Problem,
        split: &Split,
        counts: impl ExactSizeIterator<Item = (usize, u64)> + Clone,
        piece: usize,
    ) -> Result<Self, PegError> {
        let is_long = |(words, positions): (usize, u64)| {
            let places = 64 * words as u64;
            let parameter = parameter(places, positions);
            // A number takes its low bits and a zero; all together have no more ones than all gaps have.
            let bits = positions * (u64::from(parameter) + 1) + (places >> parameter);
            bits / 8 > piece as u64
        };
        let format = match counts.clone().any(is_long) {
            true => LONG_FORMAT,
            false => FORMAT,
        };
        let mut blocks = BlockWriter::new(draft, format)?;
        blocks.write(0, header(problem, split, counts.len()).as_bytes())?;
        Ok(Self {
            blocks,
            layers: 0,
            piece,
        })
    }

    /// Starts the next layer.
    pub(crate) fn layer(&mut self, words: usize, positions: u64) -> LayerWriter<'_, 'a> {
        self.layers += 1;
        let parameter = parameter(64 * words as u64, positions);
        LayerWriter {
            tag: self.layers - 1,
            blocks: &mut self.blocks,
            parameter,
            bits: BitWriter::new(vec![parameter; 9]),
            count: 0,
            left: positions,
            next: 0,
            piece: self.piece,
        }
    }

    /// Ends the file.
    ///
    /// # Errors
    /// [`PegError::File`].
    pub(crate) fn finish(self) -> Result<(), PegError> {
        self.blocks.finish()?;
        Ok(())
    }
}

/// Writes the positions of one layer.
pub(crate) struct LayerWriter<'w, 'a> {
    blocks: &'w mut BlockWriter<'a>,
    tag: u32,
    parameter: u8,
    bits: BitWriter,
    /// Positions of this block.
    count: u64,
    /// Positions that are to come.
    left: u64,
    /// The index after the last position.
    next: u64,
    piece: usize,
}

/// Bytes of memory that writing a layer takes.
pub(crate) const LAYER_WRITER: u64 = 3 * PIECE as u64;

impl LayerWriter<'_, '_> {
    /// Writes the positions of some words, the first of which has this number in the layer.
    ///
    /// # Errors
    /// [`PegError::File`].
    pub(crate) fn words(&mut self, first: usize, words: &[u64]) -> Result<(), PegError> {
        for rank in ranks(words) {
            let index = (64 * first + rank) as u64;
            self.bits.put(index - self.next, self.parameter);
            self.next = index + 1;
            self.count += 1;
            self.left -= 1;
            if self.bits.len() >= self.piece && self.left > 0 {
                self.flush(CONTINUED)?;
            }
        }
        Ok(())
    }

    /// Ends the layer.
    ///
    /// # Errors
    /// [`PegError::File`].
    pub(crate) fn finish(mut self) -> Result<(), PegError> {
        self.flush(0)
    }

    fn flush(&mut self, continued: u32) -> Result<(), PegError> {
        let bits = std::mem::replace(&mut self.bits, BitWriter::new(vec![self.parameter; 9]));
        let mut payload = bits.finish();
        payload[1..9].copy_from_slice(&self.count.to_le_bytes());
        self.count = 0;
        Ok(self.blocks.write(self.tag | continued, &payload)?)
    }
}

/// The first block of the file of a set.
fn header(problem: &Problem, split: &Split, layers: usize) -> String {
    let board = problem.board();
    let finish = match problem.finish() {
        Finish::Anywhere => "anywhere".to_owned(),
        Finish::At(hole) => board.line(Position::single(hole)),
        Finish::Exactly(target) => board.line(target),
    };
    format!(
        "lattice {}\nboard {}\nstart {}\nfinish {finish}\ntail {}\nlayers {layers}\n",
        board.lattice(),
        board.line(board.full()),
        board.line(problem.start()),
        board.line(split.tail()),
    )
}

impl WinningSet {
    /// Publishes the set under `name`; returns the number of winning positions written.
    ///
    /// # Errors
    /// [`PegError::File`].
    pub fn save(&self, storage: &dyn Storage, name: &str) -> Result<u64, PegError> {
        publish(storage, name, |draft| self.write(draft))
    }

    /// Writes the set into a file; returns the number of winning positions written.
    ///
    /// # Errors
    /// [`PegError::File`].
    pub fn write(&self, draft: &mut Draft) -> Result<u64, PegError> {
        let stored = &self.layers[..self.stored_layers()];
        let split = self.class_layers.split();
        let counts = || stored.iter().map(|layer| (layer.words.len(), layer.len()));
        let mut writer = WinningWriter::new(draft, self.problem(), split, counts())?;
        for layer in stored {
            let mut to = writer.layer(layer.words.len(), layer.len());
            to.words(0, &layer.words)?;
            to.finish()?;
        }
        writer.finish()?;
        Ok(counts().map(|(_, positions)| positions).sum())
    }

    /// Reads a set that [`save`](WinningSet::save) wrote.
    ///
    /// # Errors
    /// [`PegError::File`] if the file is missing, damaged or no winning set; [`PegError::OverBudget`].
    pub fn load(storage: &dyn Storage, name: &str, run: &Run) -> Result<Self, PegError> {
        let mut blocks = match BlockReader::open(storage, name, FORMAT) {
            Err(FileError::Version { .. }) => BlockReader::open(storage, name, LONG_FORMAT)?,
            opened => opened?,
        };
        let mut payload = Vec::new();
        blocks.read(&mut payload)?;
        let header = std::str::from_utf8(&payload).ok().and_then(Header::read);
        let header = header.ok_or_else(|| blocks.damaged("its header makes no sense"))?;
        let split = header
            .split(run)?
            .ok_or_else(|| blocks.damaged("its tail is not kept by its symmetries"))?;
        let class_layers =
            ClassLayers::new(&split, header.problem.board().class(header.problem.start()));
        let mut layers = Vec::with_capacity(header.layers);
        for jumps in 0..header.layers {
            let pegs = header.problem.start().pegs() - jumps;
            let mut layer = Layer::empty(Arc::new(class_layers.layout(pegs)), &run.ram)?;
            let mut next = Some(0);
            loop {
                let tag = blocks.read(&mut payload)?;
                next = match tag.is_some_and(|tag| tag & !CONTINUED == jumps as u32) {
                    true => next.and_then(|next| decode(&mut layer, next, &payload)),
                    false => None,
                };
                if next.is_none() || tag.is_none_or(|tag| tag & CONTINUED == 0) {
                    break;
                }
            }
            if next.is_none() || has_fillers(&class_layers, &layer) {
                return Err(blocks.damaged("its positions make no sense").into());
            }
            layers.push(layer);
        }
        if blocks.read(&mut payload)?.is_some() {
            return Err(blocks.damaged("more layers than its header says").into());
        }
        Self::from_layers(&header.problem, class_layers, layers, run)
    }
}

/// What the first block says.
struct Header {
    problem: Problem,
    tail: Position,
    layers: usize,
}

impl Header {
    fn read(text: &str) -> Option<Self> {
        let lines: HashMap<&str, &str> = text
            .lines()
            .filter_map(|line| line.split_once(' '))
            .collect();
        let line = |key| lines.get(key).copied();
        let lattice: Lattice = line("lattice")?.parse().ok()?;
        let board = Board::parse(line("board")?, lattice).ok()?;
        let start = board.position(line("start")?).ok()?;
        let finish = match line("finish")? {
            "anywhere" => Finish::Anywhere,
            text => {
                let target = board.position(text).ok()?;
                match target.pegs() {
                    1 => Finish::At(target.holes().next()?),
                    _ => Finish::Exactly(target),
                }
            }
        };
        let problem = Problem::new(&board, start, finish).ok()?;
        let layers = line("layers")?.parse().ok()?;
        let jumps = problem.start().pegs().checked_sub(problem.last_pegs())?;
        let fits = layers == 0 || layers == WinningSet::layers_stored(&problem, jumps);
        let tail = line("tail")?;
        // A board without a tail has no pegs to draw.
        let tail = if tail.contains('o') {
            board.position(tail).ok()?
        } else {
            Position::EMPTY
        };
        fits.then_some(Self {
            problem,
            tail,
            layers,
        })
    }

    fn split(&self, run: &Run) -> Result<Option<Arc<Split>>, PegError> {
        let group = self.problem.symmetries();
        if group
            .iter()
            .any(|symmetry| symmetry.position(self.tail) != self.tail)
        {
            return Ok(None);
        }
        Ok(Some(Arc::new(Split::with_tail(
            self.problem.board(),
            &group,
            self.tail,
            run,
        )?)))
    }
}

/// Adds the positions that a block holds, from an index on, to a layer; returns the index after the last, or `None` if the
/// block cannot be one of this layer.
fn decode(layer: &mut Layer, next: u64, payload: &[u8]) -> Option<u64> {
    let (&[parameter, ref count @ ..], bytes) = payload.split_first_chunk::<9>()?;
    let count = u64::from_le_bytes(*count);
    let places = 64 * layer.words.len() as u64;
    if parameter > 63 || count > places {
        return None;
    }
    let mut bits = BitReader::new(bytes);
    let mut next = next;
    for _ in 0..count {
        let index = bits.take(parameter).and_then(|gap| next.checked_add(gap));
        let index = index.filter(|&index| index < places)?;
        layer.words[(index / 64) as usize] |= 1 << (index % 64);
        next = index + 1;
    }
    Some(next)
}

/// Whether a layer has bits in places that fill a group up to whole words: they stand for no position.
fn has_fillers(class_layers: &ClassLayers, layer: &Layer) -> bool {
    (0..class_layers.split().heads().len()).any(|id| {
        let group = class_layers.group(id, layer.pegs()).len();
        ranks(&layer.words[layer.layout.range(id)]).any(|rank| rank >= group)
    })
}

#[cfg(test)]
mod tests {
    use everymove_kernel::files::Memory;

    use super::*;

    #[test]
    fn layers_of_several_blocks_come_back() {
        let board = Board::named("triangle6").unwrap();
        let problem = Problem::vacate(&board, "a1", Some("a1")).unwrap();
        let run = Run::serial();
        let set = WinningSet::new(&problem, &run).unwrap();
        let storage = Memory::default();
        let write = |name, piece| {
            publish(&storage, name, |draft| {
                let layers = &set.layers[..set.stored_layers()];
                let counts = layers.iter().map(|layer| (layer.words.len(), layer.len()));
                let split = set.class_layers.split();
                let mut writer = WinningWriter::in_pieces(draft, &problem, split, counts, piece)?;
                for layer in layers {
                    let mut to = writer.layer(layer.words.len(), layer.len());
                    for (first, words) in layer.words.chunks(10).enumerate() {
                        to.words(10 * first, words)?;
                    }
                    to.finish()?;
                }
                writer.finish()
            })
            .unwrap();
        };
        write("one block", PIECE);
        write("several", 30);
        let blocks = |name, format| {
            let mut reader = BlockReader::open(&storage, name, format).unwrap();
            let mut payload = Vec::new();
            std::iter::from_fn(|| reader.read(&mut payload).unwrap()).count()
        };
        let layers = set.stored_layers();
        assert_eq!(blocks("one block", FORMAT), layers + 1);
        assert!(blocks("several", LONG_FORMAT) > layers + 10);
        for name in ["one block", "several"] {
            let found = WinningSet::load(&storage, name, &run).unwrap();
            assert_eq!(found.sizes(), set.sizes());
            let words = |set: &WinningSet| -> Vec<Vec<u64>> {
                set.layers.iter().map(|layer| layer.words.clone()).collect()
            };
            assert_eq!(words(&found), words(&set));
        }
    }
}
