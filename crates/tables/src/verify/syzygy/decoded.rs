//! The values of a Syzygy file, decoded, for the positions of a half.

use everymove_kernel::run::{Reservation, Run};

use crate::error::TableError;
use crate::position::geometry::transform;
use crate::position::index_space::{IndexSpace, Side, Squares};
use crate::position::material::Army;
use crate::syzygy::compress::decode::Decoder;
use crate::syzygy::file::parse::{BLACK, Body, Contents, SubTable, SyzygyFile};
use crate::syzygy::index::leading::normalise_pawns;
use crate::syzygy::index::piece_order::{Arrangement, Placed};
use crate::syzygy::{SyzygyError, file_name};

/// Turns the board upside down.
const FLIP: u8 = 56;

/// How a file sees the positions of a half with a side to move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// The side that is white there.
    white: Side,
    pub(super) black_to_move: bool,
}

impl Seen {
    pub(super) fn new(file: &SyzygyFile, space: &IndexSpace, to_move: Side) -> Self {
        let men = &file.subs[0][0].arrangement.men;
        let white = Army::new(men.iter().filter(|p| !p.black).map(|p| p.kind));
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

    /// By place in an arrangement, the man of the space.
    fn men(self, arrangement: &Arrangement, space: &IndexSpace) -> Placed {
        let mut men = [0; 8];
        let mut used = [false; 8];
        for (to, piece) in men.iter_mut().zip(&arrangement.men) {
            let side = if piece.black {
                self.white.other()
            } else {
                self.white
            };
            let fits = |&m: &usize| {
                !used[m] && (space.pieces[m].kind, space.pieces[m].side) == (piece.kind, side)
            };
            if let Some(man) = (0..space.pieces.len()).find(fits) {
                used[man] = true;
                *to = man as u8;
            }
        }
        men
    }

    /// The slices of a space whose leading pawn is on a file, from 0; all of them without pawns.
    pub(super) fn slices(self, file: &SyzygyFile, number: usize, space: &IndexSpace) -> Vec<usize> {
        if space.pawns == 0 {
            return (0..space.slices()).collect();
        }
        let lead = &file.subs[0][0].arrangement;
        let men = self.men(lead, space);
        let on_file = |&slice: &usize| {
            let at = space.decode(slice * space.slice_len());
            let mut leading = men.map(|man| at[usize::from(man)] ^ self.flip());
            normalise_pawns(&mut leading[..lead.men.len()], lead.leading()) == number
        };
        (0..space.slices()).filter(on_file).collect()
    }

    /// The sub-table of a file of the leading pawn, from 0; none if the Syzygy file has the other side to move.
    pub(super) fn sub(self, file: &SyzygyFile, number: usize) -> Option<&SubTable> {
        let sides = &file.subs[number];
        let sub = sides
            .get(usize::from(self.black_to_move))
            .or(sides.first())?;
        let told = match file.contents {
            Contents::Wdl => true,
            Contents::Dtz => {
                file.material.is_symmetric() || (sub.flags & BLACK != 0) == self.black_to_move
            }
        };
        told.then_some(sub)
    }
}

/// A sub-table's values, and how to find those of positions of a half.
pub(super) struct Decoded<'a> {
    pub(super) sub: &'a SubTable,
    values: Vec<u8>,
    men: Placed,
    flip: u8,
    pawns: bool,
    _held: Reservation,
}

impl<'a> Decoded<'a> {
    /// Decodes the sub-table of a file of the leading pawn; none if the Syzygy file has the other side to move.
    pub(super) fn new(
        file: &'a SyzygyFile,
        number: usize,
        space: &IndexSpace,
        to_move: Side,
        run: &Run,
    ) -> Result<Option<Self>, TableError> {
        let seen = Seen::new(file, space, to_move);
        let Some(sub) = seen.sub(file, number) else {
            return Ok(None);
        };
        let size = match sub.body {
            Body::Single(_) => 1,
            Body::Coded { .. } => sub.arrangement.size(),
        };
        let name = file_name(&file.material, file.contents);
        let held = run.ram.reserve(&name, size)?;
        let mut values = Vec::with_capacity(size as usize);
        match &sub.body {
            Body::Single(value) => values.push(*value),
            Body::Coded { head, decoder, .. } => {
                let mut wide = Vec::new();
                for block in 0..head.blocks as usize {
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
            men: seen.men(&sub.arrangement, space),
            flip: seen.flip(),
            pawns: space.pawns > 0,
            sub,
            values,
            _held: held,
        }))
    }

    /// The value of a position by the squares of its men. A position whose leading men all stand on one long diagonal has two
    /// numbers, one for each of its reflections, and thus two values.
    pub(super) fn values(&self, at: &Squares) -> [u8; 2] {
        if let [one] = self.values[..] {
            return [one; 2];
        }
        let arrangement = &self.sub.arrangement;
        let mut placed = [0; 8];
        let men = arrangement.men.len();
        for (to, &man) in placed[..men].iter_mut().zip(&self.men) {
            *to = at[usize::from(man)] ^ self.flip;
        }
        let value = |placed: &Placed| {
            let number = arrangement.number(placed).unwrap_or(0) as usize;
            self.values.get(number).copied().unwrap_or(0)
        };
        let first = value(&placed);
        let leading = &placed[..arrangement.leading()];
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
    pub(super) fn damage(&mut self, number: usize, value: u8) {
        self.values[number] = value;
    }
}

/// Appends a block's values; no error is named if one does not fit a byte.
fn decode(
    file: &SyzygyFile,
    sub: &SubTable,
    decoder: &Decoder,
    block: usize,
    wide: &mut Vec<u16>,
    to: &mut Vec<u8>,
) -> Result<(), Option<SyzygyError>> {
    let (bytes, count) = file.block(sub, block)?;
    decoder.symbols_of(bytes, count, |symbol, taken| {
        decoder.expand(symbol, taken, wide);
    })?;
    for &value in &*wide {
        to.push(u8::try_from(value).map_err(|_| None)?);
    }
    Ok(())
}
