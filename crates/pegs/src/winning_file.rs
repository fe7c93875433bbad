//! Winning sets in files: small, checked, and readable by other programs.
//!
//! # Format, version 1
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
//! If the complement of the finish is the start, layer `jumps - n` is the complement of layer `n`, and the
//! file holds only layers 0 to `jumps / 2`.

use std::collections::HashMap;
use std::sync::Arc;

use everymove_kernel::files::{BlockReader, BlockWriter, Draft, Format, Storage, publish};
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
        let mut blocks = BlockWriter::new(draft, FORMAT)?;
        blocks.write(0, self.header(stored.len()).as_bytes())?;
        let mut written = 0;
        for (jumps, layer) in stored.iter().enumerate() {
            let count = layer.len();
            let parameter = parameter(64 * layer.words.len() as u64, count);
            let mut payload = vec![parameter];
            payload.extend(count.to_le_bytes());
            let mut bits = BitWriter::new(payload);
            let mut next = 0;
            for index in ranks(&layer.words) {
                bits.put((index - next) as u64, parameter);
                next = index + 1;
            }
            blocks.write(jumps as u32, &bits.finish())?;
            written += count;
        }
        blocks.finish()?;
        Ok(written)
    }

    /// Reads a set that [`save`](WinningSet::save) wrote.
    ///
    /// # Errors
    /// [`PegError::File`] if the file is missing, damaged or no winning set; [`PegError::OverBudget`].
    pub fn load(storage: &dyn Storage, name: &str, run: &Run) -> Result<Self, PegError> {
        let mut blocks = BlockReader::open(storage, name, FORMAT)?;
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
            let tag = blocks.read(&mut payload)?;
            let pegs = header.problem.start().pegs() - jumps;
            let layer = match tag == Some(jumps as u32) {
                true => decode(&class_layers, pegs, &payload, run)?,
                false => None,
            };
            layers.push(layer.ok_or_else(|| blocks.damaged("its positions make no sense"))?);
        }
        if blocks.read(&mut payload)?.is_some() {
            return Err(blocks.damaged("more layers than its header says").into());
        }
        Self::from_layers(&header.problem, class_layers, layers, run)
    }

    fn header(&self, layers: usize) -> String {
        let problem = self.problem();
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
            board.line(self.class_layers.split().tail()),
        )
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

/// The layer that a block holds, or `None` if it cannot be one.
fn decode(
    class_layers: &ClassLayers,
    pegs: usize,
    payload: &[u8],
    run: &Run,
) -> Result<Option<Layer>, PegError> {
    let mut layer = Layer::empty(Arc::new(class_layers.layout(pegs)), &run.ram)?;
    let Some((&[parameter, ref count @ ..], bytes)) = payload.split_first_chunk::<9>() else {
        return Ok(None);
    };
    let count = u64::from_le_bytes(*count);
    let places = 64 * layer.words.len() as u64;
    if parameter > 63 || count > places {
        return Ok(None);
    }
    let mut bits = BitReader::new(bytes);
    let mut next = 0u64;
    for _ in 0..count {
        let index = bits.take(parameter).and_then(|gap| next.checked_add(gap));
        let Some(index) = index.filter(|&index| index < places) else {
            return Ok(None);
        };
        layer.words[(index / 64) as usize] |= 1 << (index % 64);
        next = index + 1;
    }
    // The places that fill a group up to whole words stand for no position.
    let is_filler = |id: usize| {
        let group = class_layers.group(id, pegs).len();
        ranks(&layer.words[layer.layout.range(id)]).any(|rank| rank >= group)
    };
    let is_sound = !(0..class_layers.split().heads().len()).any(is_filler);
    Ok(is_sound.then_some(layer))
}
