//! Exact plies from a DTZ file, which stores one side to move and mostly moves: 1 stands for 1 or 2
//! plies, 2 for 3 or 4.
//!
//! The codes of the side to move that is not stored are derived from its moves. Where the file
//! stores moves, the smaller number of plies is assumed first. Then, by ascending plies, a stored
//! position that takes one ply more by its moves is given that ply, and so are the positions before
//! it. Any other wrong number of plies is left as it is: the verification finds it.

use super::super::half_verifier::{HalfVerifier, Turn};
use super::super::placed_pieces::{PlacedPieces, index, reach};
use super::classes::{BLESSED, CURSED, LOSS, WIN, shown};
use super::{CheckError, Decoded, FileView, SyzygyVerifier, Verified, class, ranges_of};
use crate::error::TableError;
use crate::metric::ZeroingMove;
use crate::position::index_space::{IndexSpace, Side};
use crate::position::material::Kind;
use crate::syzygy::file::parse::{LOSS_PLIES, WIN_PLIES};
use crate::syzygy::{SyzygyFile, Wdl, distance};

/// The most plies that fit the codes in memory.
const MOST: u16 = 253;

impl SyzygyVerifier<'_> {
    /// Replaces the codes of values by the codes of exact plies.
    pub(super) fn store_distances(
        &self,
        verifier: &mut HalfVerifier<'_>,
        file: &SyzygyFile,
    ) -> Result<(), CheckError> {
        let space = verifier.own.space.clone();
        for number in 0..file.subs.len() {
            // If both sides have the same pieces, the file stores both: the attacker's is used, the
            // defender's is compared below.
            for side in [Side::Attacker, Side::Defender] {
                if let Some(values) = self.decoded(file, number, &space, side)? {
                    self.resolve(verifier, file, number, side, &values)?;
                    break;
                }
            }
        }
        if file.material.is_symmetric() {
            self.compare(verifier, file, &space)?;
        }
        Ok(())
    }

    /// Computes the codes of a file of the leading pawn, given the values of the side to move that
    /// the Syzygy file stores.
    fn resolve(
        &self,
        verifier: &mut HalfVerifier<'_>,
        file: &SyzygyFile,
        number: usize,
        side: Side,
        values: &Decoded<'_>,
    ) -> Result<(), CheckError> {
        let space = verifier.own.space.clone();
        let other = side.other();
        let view = FileView::new(file, &space, side);
        let ranges = ranges_of(&space, &view.slices(file, number, &space));
        let what = format!("distances of {}", verifier.half);
        self.run.progress.start(what, 3 * ranges.len() as u64);

        self.change_side(
            verifier,
            side,
            &ranges,
            |verifier, placed, number, class| {
                if class == 0 {
                    return Ok(0);
                }
                placed.put(space.decode(number));
                let Some(turn) = Turn::new(placed, number, side) else {
                    return Ok(0);
                };
                if side == Side::Attacker && verifier.zeroes(&turn, class) {
                    return Ok(class);
                }
                let [one, twin] = values.values(&placed.at);
                let found = verifier.code_of_value(&turn, class, values, one)?;
                if twin != one && verifier.code_of_value(&turn, class, values, twin)? != found {
                    let fen = self.fen(file, &space, number, side);
                    return Err(CheckError::Wrong(format!(
                        "{fen} and its reflection are stored with different distances"
                    )));
                }
                Ok(found)
            },
        )?;

        let codes = verifier.own.codes(other);
        let classes: Vec<Vec<u8>> = ranges.iter().map(|s| codes[s.clone()].to_vec()).collect();
        self.change_side(
            verifier,
            other,
            &ranges,
            |verifier, placed, number, class| {
                Ok(if class == 0 || !placed.put(space.decode(number)) {
                    0
                } else {
                    verifier.derive(placed, number, other, &mut Verified::default())
                })
            },
        )?;
        self.delay(verifier, side, values, &ranges)?;

        let codes = verifier.own.codes(other);
        for (stretch, classes) in ranges.iter().zip(&classes) {
            for (number, &stored) in stretch.clone().zip(classes) {
                let (stored, found) = (class(stored, other), class(codes[number], other));
                if stored != found {
                    let fen = self.fen(file, &space, number, other);
                    let (stored, found) = (shown(stored), shown(found));
                    return Err(CheckError::Wrong(format!(
                        "{fen} is stored as {stored}, but its moves make it {found}"
                    )));
                }
            }
        }
        let in_hundred = match side {
            Side::Attacker => (100, WIN_PLIES),
            Side::Defender => (101, LOSS_PLIES),
        };
        let codes = verifier.own.codes(side);
        let mut numbers = ranges.iter().flat_map(Clone::clone);
        if values.sub.flags & in_hundred.1 == 0
            && let Some(number) = numbers.find(|&number| codes[number] == in_hundred.0)
        {
            let fen = self.fen(file, &space, number, side);
            return Err(CheckError::Wrong(format!(
                "{fen} takes 100 plies, but is stored in moves, which may be 99"
            )));
        }
        Ok(())
    }

    /// Adds a ply to stored positions that take one more by their moves, by ascending plies.
    fn delay(
        &self,
        verifier: &mut HalfVerifier<'_>,
        side: Side,
        values: &Decoded<'_>,
        ranges: &[std::ops::Range<usize>],
    ) -> Result<(), CheckError> {
        let space = verifier.own.space.clone();
        let other = side.other();
        let exact = values.sub.flags
            & if side == Side::Attacker {
                WIN_PLIES
            } else {
                LOSS_PLIES
            };
        let derived = |verifier: &HalfVerifier<'_>, placed: &mut PlacedPieces, number, side| {
            placed.put(space.decode(number));
            verifier.derive(placed, number, side, &mut Verified::default())
        };
        let mut delayed = 0;
        for plies in (1..=MOST).step_by(2) {
            if (delayed == 0 && plies != 1 && plies != 101) || (exact != 0 && plies <= 100) {
                continue;
            }
            let code = code_of(plies, side);
            let next = code_of(plies + 1, side);
            delayed = self.change_side(verifier, side, ranges, |own, placed, number, found| {
                let late = found == code && derived(own, placed, number, side) == next;
                Ok(if late { next } else { found })
            })?;
            if delayed == 0 {
                continue;
            }
            let code = code_of(plies + 1, other);
            self.change_side(verifier, other, ranges, |own, placed, number, found| {
                Ok(match found == code {
                    true => derived(own, placed, number, other),
                    false => found,
                })
            })?;
        }
        Ok(())
    }

    /// Compares the losses of an ending in which both sides have the same pieces with the file,
    /// which stores them too.
    fn compare(
        &self,
        verifier: &HalfVerifier<'_>,
        file: &SyzygyFile,
        space: &IndexSpace,
    ) -> Result<(), CheckError> {
        let side = Side::Defender;
        let view = FileView::new(file, space, side);
        for number in 0..file.subs.len() {
            let ranges = ranges_of(space, &view.slices(file, number, space));
            let Some(values) = self.decoded(file, number, space, side)? else {
                continue;
            };
            let mut codes = verifier.own.codes(side).to_vec();
            self.change(&mut codes, space, &ranges, |placed, number, code| {
                if code == 0 || !placed.put(space.decode(number)) {
                    return Ok(code);
                }
                let Some(turn) = Turn::new(placed, number, side) else {
                    return Ok(code);
                };
                let class = if code > 101 { BLESSED } else { LOSS };
                for value in values.values(&placed.at) {
                    let stored = verifier.code_of_value(&turn, class, &values, value)?;
                    let moves = class == BLESSED || values.sub.flags & LOSS_PLIES == 0;
                    // A number of moves stands for an odd number of plies, whose code is even, or
                    // the next one.
                    let late = moves && stored % 2 == 0 && stored + 1 == code;
                    if stored != code && !late {
                        let fen = self.fen(file, space, number, side);
                        return Err(CheckError::Wrong(format!(
                            "{fen} is stored as lost in {} plies, but its moves make it {}",
                            stored - 1,
                            code - 1
                        )));
                    }
                    if code == 101 && moves {
                        let fen = self.fen(file, space, number, side);
                        return Err(CheckError::Wrong(format!(
                            "{fen} takes 100 plies, but is stored in moves, which may be 99"
                        )));
                    }
                }
                Ok(code)
            })?;
        }
        Ok(())
    }
}

fn code_of(plies: u16, side: Side) -> u8 {
    let code = match side {
        Side::Attacker => plies,
        Side::Defender => plies + 1,
    };
    code.try_into().unwrap_or(u8::MAX)
}

impl HalfVerifier<'_> {
    /// Whether a capture or pawn move has the value that a code stands for: a reader finds it
    /// before it reads the file.
    fn zeroes(&self, turn: &Turn<'_>, class: u8) -> bool {
        let mut best = u16::MAX;
        let placed = turn.placed;
        let enemies = placed.of(Side::Defender);
        for mover in 0..placed.count {
            let piece = placed.pieces[mover];
            if piece.side != Side::Attacker {
                continue;
            }
            let mut weigh = |after: u8| {
                if after > 0 {
                    best = best.min(self.before_loss(after, Some(ZeroingMove::Conversion)));
                }
            };
            if piece.kind == Kind::Pawn {
                self.pawn_moves(turn, mover, &mut 0, |after, _, _| {
                    weigh(after);
                    true
                });
            } else {
                for to in reach(piece, placed.at[mover], placed.occupied) & enemies {
                    weigh(self.capture(turn, mover, index(to), piece.kind));
                }
            }
        }
        best == u16::from(class)
    }

    /// The code of the distance that a stored value stands for; where the file stores moves, that
    /// of the smaller number of plies.
    fn code_of_value(
        &self,
        turn: &Turn<'_>,
        code: u8,
        values: &Decoded<'_>,
        value: u8,
    ) -> Result<u8, CheckError> {
        let (class, first) = match code {
            WIN if turn.side == Side::Attacker => (Wdl::Win, 1),
            CURSED if turn.side == Side::Attacker => (Wdl::CursedWin, 101),
            LOSS => (Wdl::Loss, 1),
            _ => (Wdl::BlessedLoss, 101),
        };
        let beyond = distance(values.sub, class, value.into()).map(|(beyond, _)| beyond);
        let beyond = beyond.ok_or_else(|| {
            CheckError::Wrong(format!("a value of {value} of the DTZ file has no meaning"))
        })?;
        let plies = first + beyond;
        if plies > MOST {
            return Err(TableError::TooDeep {
                half: self.half.to_string(),
            }
            .into());
        }
        if first == 1 && plies > 100 {
            return Err(CheckError::Wrong(format!(
                "the DTZ file stores {plies} plies for a position that the WDL file stores as decided within the fifty-move rule"
            )));
        }
        // Checkmate is stored like a loss in one ply.
        let mated = class == Wdl::Loss
            && plies == 1
            && turn.is_check()
            && !self.can_move(turn.placed, turn.side);
        Ok(code_of(if mated { 0 } else { plies }, turn.side))
    }
}
