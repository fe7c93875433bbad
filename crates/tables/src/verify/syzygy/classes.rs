//! What every position is worth, from a WDL file: the better of the file's value and of the best capture.

use super::super::conversion::{Conversions, Held, Leaving};
use super::super::placed_pieces::{Placed, index, reach, square};
use super::super::sweep::{Sweep, Turn};
use super::{SyzygyVerifier, Trouble, Verified, class, stretches};
use crate::error::TableError;
use crate::metric::Metric;
use crate::parallel::in_parallel;
use crate::position::index_space::Side;
use crate::position::material::{Half, Kind, Material};
use crate::syzygy::{Contents, SyzygyFile, Wdl};

use super::Seen;

/// The code of a win that is only known to be one: that of a zeroing move.
pub(super) const WIN: u8 = 1;
pub(super) const CURSED: u8 = 101;
pub(super) const LOSS: u8 = 2;
pub(super) const BLESSED: u8 = 102;
/// What a WDL file's value of a draw is.
const DRAW: u8 = 2;

impl SyzygyVerifier<'_> {
    /// What the positions of a smaller ending are worth, as codes of classes.
    pub(super) fn worth(&self, half: &Half) -> Result<Held, TableError> {
        let material = Material::new(half.attacker.clone(), half.defender.clone());
        let file = self.folder.file(&material, Contents::Wdl)?;
        let space = self.space(half);
        let reserved = (self.run.ram).reserve(&half.to_string(), 2 * space.len() as u64)?;
        let conversions = Conversions::new(&space, Leaving::Captures, self)?;
        let held = Held::of(space, Vec::new(), Vec::new(), Some(reserved));
        let mut sweep = Sweep::of(half, held, conversions, Metric::Zeroing);
        match self.take_classes(&mut sweep, &file) {
            Ok(()) => Ok(sweep.own),
            Err(Trouble::Table(error)) => Err(error),
            Err(Trouble::Wrong(what)) => Err(super::wrong_file(
                self.folder.path(&material, Contents::Wdl),
                what,
            )),
        }
    }

    /// Fills a half's codes with classes.
    pub(super) fn take_classes(
        &self,
        sweep: &mut Sweep<'_>,
        file: &SyzygyFile,
    ) -> Result<(), Trouble> {
        let space = sweep.own.space.clone();
        for side in [Side::Attacker, Side::Defender] {
            let mut codes = vec![0; space.len()];
            let seen = Seen::new(file, &space, side);
            let run = self.run;
            run.progress.start(
                format!("decoding {}", sweep.half),
                space.len().div_ceil(super::STRETCH) as u64,
            );
            for number in 0..file.subs.len() {
                let stretches = stretches(&space, &seen.slices(file, number, &space));
                let Some(values) = self.decoded(file, number, &space, side)? else {
                    continue;
                };
                self.change(&mut codes, &space, &stretches, |placed, number, _| {
                    if !placed.put(space.decode(number)) {
                        return Ok(0);
                    }
                    let Some(turn) = Turn::new(placed, number, side) else {
                        return Ok(0);
                    };
                    let [one, other] = values.values(&placed.at);
                    let found = sweep.told(&turn, one);
                    let impossible = sweep.half.defender.pieces().is_empty()
                        && match side {
                            Side::Attacker => one.min(other) < DRAW,
                            Side::Defender => one.max(other) > DRAW,
                        };
                    if impossible || (other != one && sweep.told(&turn, other) != found) {
                        let fen = self.shown(file, &space, number, side);
                        return Err(Trouble::Wrong(if impossible {
                            format!("{fen} is told as won for a bare king")
                        } else {
                            format!("{fen} and its reflection are told as of different worth")
                        }));
                    }
                    Ok(found)
                })?;
            }
            *sweep.own.codes_mut(side) = codes;
        }
        Ok(())
    }

    /// Compares every class with those of the positions that the moves lead to.
    pub(super) fn check_classes(&self, sweep: &Sweep<'_>) -> Result<Verified, Trouble> {
        let space = &sweep.own.space;
        let all: Vec<usize> = (0..space.slices()).collect();
        let stretches = stretches(space, &all);
        let what = format!("verifying {}", sweep.half);
        self.run.progress.start(what, stretches.len() as u64);
        let check = |placed: &mut Placed, range: &std::ops::Range<usize>| {
            let mut verified = Verified::default();
            self.run.progress.advance(1);
            for number in range.clone() {
                let apart = placed.put(space.decode(number));
                for side in [Side::Attacker, Side::Defender] {
                    if !apart {
                        continue;
                    }
                    let found = class(sweep.own.codes(side)[number], side);
                    let derived = sweep.derive(placed, number, side, &mut verified);
                    if !fits(found, derived, side) {
                        let complaint = sweep.complaint(
                            placed,
                            side,
                            &shown(found),
                            &shown(class(derived, side)),
                        );
                        return Err(Trouble::Wrong(complaint));
                    }
                }
            }
            Ok(verified)
        };
        let parts = in_parallel(&stretches, self.run, || Placed::new(space), check);
        let mut total = Verified::default();
        for part in parts.map_err(TableError::from)? {
            total.add(part?);
        }
        Ok(total)
    }
}

/// Whether a class fits a code that was derived from classes: 1 (or 2 for a loss) by zeroing moves or mate alone. A quiet move
/// may use up the fifty moves.
fn fits(found: Wdl, derived: u8, side: Side) -> bool {
    let likely = class(derived, side);
    found == likely
        || match side {
            Side::Attacker => derived > 1 && (found, likely) == (Wdl::CursedWin, Wdl::Win),
            Side::Defender => derived > 2 && (found, likely) == (Wdl::BlessedLoss, Wdl::Loss),
        }
}

/// A class in words.
pub(super) fn shown(class: Wdl) -> String {
    match class {
        Wdl::Loss => "a loss",
        Wdl::BlessedLoss => "a blessed loss",
        Wdl::Draw => "not forced",
        Wdl::CursedWin => "a cursed win",
        Wdl::Win => "a win",
    }
    .to_owned()
}

impl Sweep<'_> {
    /// The code of a position's class from the file's value.
    fn told(&self, turn: &Turn<'_>, value: u8) -> u8 {
        match turn.side {
            Side::Attacker => {
                let own = match value {
                    4 => return WIN,
                    3 => CURSED,
                    _ => u8::MAX,
                };
                match own.min(self.best_capture(turn)) {
                    u8::MAX => 0,
                    code => code,
                }
            }
            Side::Defender => {
                let own = match value {
                    0 => LOSS,
                    1 => BLESSED,
                    _ => return 0,
                };
                match self.worst_capture(turn) {
                    None => 0,
                    Some(code) => own.max(code),
                }
            }
        }
    }

    /// The code of the attacker's best capture, the largest number if none wins.
    fn best_capture(&self, turn: &Turn<'_>) -> u8 {
        let mut best = u8::MAX;
        self.captures(turn, |after, _| {
            match after {
                0 => {}
                1..=101 => best = WIN,
                _ => best = best.min(CURSED),
            }
            best != WIN
        });
        best
    }

    /// The code of the defender's slowest loss by a capture, 0 if he has none; none if a capture saves him.
    fn worst_capture(&self, turn: &Turn<'_>) -> Option<u8> {
        let mut worst = Some(0);
        self.captures(turn, |after, legal| {
            match after {
                0 if legal() => worst = None,
                0 => {}
                1..=100 => worst = worst.max(Some(LOSS)),
                _ => worst = worst.max(Some(BLESSED)),
            }
            worst.is_some()
        });
        worst
    }

    /// Gives the codes after captures and whether these are legal, until told to stop.
    fn captures(&self, turn: &Turn<'_>, mut each: impl FnMut(u8, &dyn Fn() -> bool) -> bool) {
        let placed = turn.placed;
        let enemies = placed.of(turn.side.other());
        if enemies.count() == 1 {
            return;
        }
        for mover in 0..placed.count {
            let man = placed.pieces[mover];
            if man.side != turn.side {
                continue;
            }
            for to in reach(man, placed.at[mover], placed.occupied) & enemies {
                let to = index(to);
                debug_assert!(placed.occupied.contains(square(to)));
                let kinds = match (man.kind, to >> 3) {
                    (Kind::Pawn, 0 | 7) => &Kind::PROMOTIONS[..],
                    _ => &[man.kind][..],
                };
                for &kind in kinds {
                    let after = self.capture(turn, mover, to, kind);
                    if !each(after, &|| placed.is_legal(mover, to, placed.on(to))) {
                        return;
                    }
                }
            }
        }
    }
}
