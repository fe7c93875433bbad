//! Exact plies from a DTZ file, which has one side to move and mostly tells moves: 1 stands for 1 or 2 plies, 2 for 3 or 4.
//!
//! The side to move that the file does not have takes its codes from its moves. Where the file tells moves, the smaller
//! number of plies is taken first. Then, from the fewest plies upwards, a position of the file whose moves make it one ply
//! more is given that ply, and so are those before it that this delays. A ply too few or too many beyond that is not set
//! right here: it is what the sweep finds.

use super::super::placed_pieces::{Placed, index, reach};
use super::super::sweep::{Sweep, Turn};
use super::classes::{BLESSED, CURSED, LOSS, WIN, shown};
use super::{Decoded, Seen, SyzygyVerifier, Trouble, Verified, class, stretches};
use crate::error::TableError;
use crate::position::index_space::{IndexSpace, Side};
use crate::position::material::Kind;
use crate::syzygy::file::parse::{LOSS_PLIES, WIN_PLIES};
use crate::syzygy::{SyzygyFile, Wdl, distance};

/// The most plies that are swept over.
const MOST: u16 = 253;

impl SyzygyVerifier<'_> {
    /// Replaces the codes of classes by codes of plies.
    pub(super) fn take_distances(
        &self,
        sweep: &mut Sweep<'_>,
        file: &SyzygyFile,
    ) -> Result<(), Trouble> {
        let space = sweep.own.space.clone();
        for number in 0..file.subs.len() {
            // With equal men the file has both: the attacker to move leads, the defender is compared below.
            for side in [Side::Attacker, Side::Defender] {
                if let Some(values) = self.decoded(file, number, &space, side)? {
                    self.resolve(sweep, file, number, side, &values)?;
                    break;
                }
            }
        }
        if file.material.is_symmetric() {
            self.compare(sweep, file, &space)?;
        }
        Ok(())
    }

    /// Finds the codes of a file of the leading pawn, of which the Syzygy file has a side to move.
    fn resolve(
        &self,
        sweep: &mut Sweep<'_>,
        file: &SyzygyFile,
        number: usize,
        side: Side,
        values: &Decoded<'_>,
    ) -> Result<(), Trouble> {
        let space = sweep.own.space.clone();
        let other = side.other();
        let seen = Seen::new(file, &space, side);
        let stretches = stretches(&space, &seen.slices(file, number, &space));
        let what = format!("distances of {}", sweep.half);
        self.run.progress.start(what, 3 * stretches.len() as u64);

        let mut codes = std::mem::take(sweep.own.codes_mut(side));
        self.change(&mut codes, &space, &stretches, |placed, number, class| {
            if class == 0 {
                return Ok(0);
            }
            placed.put(space.decode(number));
            let Some(turn) = Turn::new(placed, number, side) else {
                return Ok(0);
            };
            if side == Side::Attacker && sweep.zeroes(&turn, class) {
                return Ok(class);
            }
            let [one, twin] = values.values(&placed.at);
            let found = sweep.code_told(&turn, class, values, one)?;
            if twin != one && sweep.code_told(&turn, class, values, twin)? != found {
                let fen = self.shown(file, &space, number, side);
                return Err(Trouble::Wrong(format!(
                    "{fen} and its reflection are told as of different distances"
                )));
            }
            Ok(found)
        })?;
        *sweep.own.codes_mut(side) = codes;

        let mut codes = std::mem::take(sweep.own.codes_mut(other));
        let classes: Vec<Vec<u8>> = stretches
            .iter()
            .map(|s| codes[s.clone()].to_vec())
            .collect();
        self.change(&mut codes, &space, &stretches, |placed, number, class| {
            Ok(if class == 0 || !placed.put(space.decode(number)) {
                0
            } else {
                sweep.derive(placed, number, other, &mut Verified::default())
            })
        })?;
        *sweep.own.codes_mut(other) = codes;
        self.delay(sweep, side, values, &stretches)?;

        let codes = sweep.own.codes(other);
        for (stretch, classes) in stretches.iter().zip(&classes) {
            for (number, &told) in stretch.clone().zip(classes) {
                let (told, found) = (class(told, other), class(codes[number], other));
                if told != found {
                    let fen = self.shown(file, &space, number, other);
                    let (told, found) = (shown(told), shown(found));
                    return Err(Trouble::Wrong(format!(
                        "{fen} is told as {told}, but its moves make it {found}"
                    )));
                }
            }
        }
        let in_hundred = match side {
            Side::Attacker => (100, WIN_PLIES),
            Side::Defender => (101, LOSS_PLIES),
        };
        let codes = sweep.own.codes(side);
        let mut numbers = stretches.iter().flat_map(Clone::clone);
        if values.sub.flags & in_hundred.1 == 0
            && let Some(number) = numbers.find(|&number| codes[number] == in_hundred.0)
        {
            let fen = self.shown(file, &space, number, side);
            return Err(Trouble::Wrong(format!(
                "{fen} takes 100 plies, but is told in moves, which may be 99"
            )));
        }
        Ok(())
    }

    /// Gives a ply more to positions of the file that need it, from the fewest plies upwards.
    fn delay(
        &self,
        sweep: &mut Sweep<'_>,
        side: Side,
        values: &Decoded<'_>,
        stretches: &[std::ops::Range<usize>],
    ) -> Result<(), Trouble> {
        let space = sweep.own.space.clone();
        let other = side.other();
        let exact = values.sub.flags
            & if side == Side::Attacker {
                WIN_PLIES
            } else {
                LOSS_PLIES
            };
        let mut delayed = 0;
        for plies in (1..=MOST).step_by(2) {
            if (delayed == 0 && plies != 1 && plies != 101) || (exact != 0 && plies <= 100) {
                continue;
            }
            let code = code_of(plies, side);
            let next = code_of(plies + 1, side);
            let mut codes = std::mem::take(sweep.own.codes_mut(side));
            let derive = |placed: &mut Placed, number, side| {
                placed.put(space.decode(number));
                sweep.derive(placed, number, side, &mut Verified::default())
            };
            let changed = self.change(&mut codes, &space, stretches, |placed, number, found| {
                let late = found == code && derive(placed, number, side) == next;
                Ok(if late { next } else { found })
            });
            *sweep.own.codes_mut(side) = codes;
            delayed = changed?;
            if delayed == 0 {
                continue;
            }
            let code = code_of(plies + 1, other);
            let mut codes = std::mem::take(sweep.own.codes_mut(other));
            let changed = self.change(&mut codes, &space, stretches, |placed, number, found| {
                Ok(if found == code {
                    let derive = |placed: &mut Placed| {
                        placed.put(space.decode(number));
                        sweep.derive(placed, number, other, &mut Verified::default())
                    };
                    derive(placed)
                } else {
                    found
                })
            });
            *sweep.own.codes_mut(other) = codes;
            changed?;
        }
        Ok(())
    }

    /// Compares the losses of an ending of equal men with the file, which has them too.
    fn compare(
        &self,
        sweep: &Sweep<'_>,
        file: &SyzygyFile,
        space: &IndexSpace,
    ) -> Result<(), Trouble> {
        let side = Side::Defender;
        let seen = Seen::new(file, space, side);
        for number in 0..file.subs.len() {
            let stretches = stretches(space, &seen.slices(file, number, space));
            let Some(values) = self.decoded(file, number, space, side)? else {
                continue;
            };
            let mut codes = sweep.own.codes(side).to_vec();
            self.change(&mut codes, space, &stretches, |placed, number, code| {
                if code == 0 || !placed.put(space.decode(number)) {
                    return Ok(code);
                }
                let Some(turn) = Turn::new(placed, number, side) else {
                    return Ok(code);
                };
                let class = if code > 101 { BLESSED } else { LOSS };
                for value in values.values(&placed.at) {
                    let told = sweep.code_told(&turn, class, &values, value)?;
                    let moves = class == BLESSED || values.sub.flags & LOSS_PLIES == 0;
                    // Moves tell an odd number of plies, whose code is even, or the next.
                    let late = moves && told % 2 == 0 && told + 1 == code;
                    if told != code && !late {
                        let fen = self.shown(file, space, number, side);
                        return Err(Trouble::Wrong(format!(
                            "{fen} is told to be lost in {} plies, but its moves make it {}",
                            told - 1,
                            code - 1
                        )));
                    }
                    if code == 101 && moves {
                        let fen = self.shown(file, space, number, side);
                        return Err(Trouble::Wrong(format!(
                            "{fen} takes 100 plies, but is told in moves, which may be 99"
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

impl Sweep<'_> {
    /// Whether a capture or a pawn's move wins as much as a class's code says: a reader finds that out before it asks the file.
    fn zeroes(&self, turn: &Turn<'_>, class: u8) -> bool {
        let mut best = u16::MAX;
        let placed = turn.placed;
        let enemies = placed.of(Side::Defender);
        for mover in 0..placed.count {
            let man = placed.pieces[mover];
            if man.side != Side::Attacker {
                continue;
            }
            let mut weigh = |after: u8| {
                if after > 0 {
                    best = best.min(self.before_loss(after, true));
                }
            };
            if man.kind == Kind::Pawn {
                self.pawn_moves(turn, mover, &mut 0, |after, _| {
                    weigh(after);
                    true
                });
            } else {
                for to in reach(man, placed.at[mover], placed.occupied) & enemies {
                    weigh(self.capture(turn, mover, index(to), man.kind));
                }
            }
        }
        best == u16::from(class)
    }

    /// The code that the file's value tells; where it tells moves, that of the smaller number of plies.
    fn code_told(
        &self,
        turn: &Turn<'_>,
        code: u8,
        values: &Decoded<'_>,
        value: u8,
    ) -> Result<u8, Trouble> {
        let (class, first) = match code {
            WIN if turn.side == Side::Attacker => (Wdl::Win, 1),
            CURSED if turn.side == Side::Attacker => (Wdl::CursedWin, 101),
            LOSS => (Wdl::Loss, 1),
            _ => (Wdl::BlessedLoss, 101),
        };
        let beyond = distance(values.sub, class, value.into());
        let beyond = beyond.ok_or_else(|| {
            Trouble::Wrong(format!("a value of {value} of the DTZ file has no meaning"))
        })?;
        let plies = first + beyond;
        if plies > MOST {
            return Err(TableError::TooDeep {
                half: self.half.to_string(),
            }
            .into());
        }
        if first == 1 && plies > 100 {
            return Err(Trouble::Wrong(format!(
                "the DTZ file tells {plies} plies of what the WDL file says the fifty-move rule allows"
            )));
        }
        // Who is mated is told as who is mated next.
        let mated = class == Wdl::Loss
            && plies == 1
            && turn.is_check()
            && !self.can_move(turn.placed, turn.side);
        Ok(code_of(if mated { 0 } else { plies }, turn.side))
    }
}
