//! The value of every position from a WDL file: the better of the stored value and the best
//! capture.

use everymove_kernel::parallel;

use super::super::conversion::{Conversions, HalfCodes, Leaving};
use super::super::half_verifier::{HalfVerifier, Turn};
use super::super::placed_pieces::{PlacedPieces, index, reach, square};
use super::{CheckError, SyzygyVerifier, Verified, class, ranges_of};
use crate::error::TableError;
use crate::metric::Metric;
use crate::position::index_space::Side;
use crate::position::material::{Half, Kind};
use crate::syzygy::{Contents, SyzygyFile, Wdl};

use super::FileView;

/// The codes that stand for values whose distance is not known: those of the shortest distances.
pub(super) const WIN: u8 = 1;
pub(super) const CURSED: u8 = 101;
pub(super) const LOSS: u8 = 2;
pub(super) const BLESSED: u8 = 102;
/// The stored value of a draw.
const DRAW: u8 = 2;

impl SyzygyVerifier<'_> {
    /// The values of a smaller ending, as the codes of the shortest distances.
    pub(super) fn wdl_codes(&self, half: &Half) -> Result<HalfCodes, TableError> {
        let material = half.material();
        let file = self.folder.file(&material, Contents::Wdl)?;
        let space = self.space(half);
        let reserved = (self.run.ram).reserve(&half.to_string(), 2 * space.len() as u64)?;
        let conversions = Conversions::new(&space, Leaving::Captures, |half| self.held(half))?;
        let held = HalfCodes::empty(space, reserved);
        let mut verifier = HalfVerifier::of(half, held, conversions, Metric::Zeroing);
        match self.store_classes(&mut verifier, &file) {
            Ok(()) => Ok(verifier.own),
            Err(CheckError::Table(error)) => Err(error),
            Err(CheckError::Wrong(what)) => Err(TableError::wrong(
                &self.folder.path(&material, Contents::Wdl),
                what,
            )),
        }
    }

    /// Fills a half's codes with values, as the codes of the shortest distances.
    pub(super) fn store_classes(
        &self,
        verifier: &mut HalfVerifier<'_>,
        file: &SyzygyFile,
    ) -> Result<(), CheckError> {
        let space = verifier.own.space.clone();
        for side in [Side::Attacker, Side::Defender] {
            *verifier.own.codes_mut(side) = vec![0; space.len()];
            let view = FileView::new(file, &space, side);
            let run = self.run;
            run.progress.start(
                format!("decoding {}", verifier.half),
                space.len().div_ceil(super::RANGE) as u64,
            );
            for number in 0..file.subs.len() {
                let ranges = ranges_of(&space, &view.slices(file, number, &space));
                let Some(values) = self.decoded(file, number, &space, side)? else {
                    continue;
                };
                self.change_side(verifier, side, &ranges, |verifier, placed, number, _| {
                    if !placed.put(space.decode(number)) {
                        return Ok(0);
                    }
                    let Some(turn) = Turn::new(placed, number, side) else {
                        return Ok(0);
                    };
                    let [one, other] = values.values(&placed.at);
                    let found = verifier.code_of_stored(&turn, one);
                    let impossible = verifier.half.defender.pieces().is_empty()
                        && match side {
                            Side::Attacker => one.min(other) < DRAW,
                            Side::Defender => one.max(other) > DRAW,
                        };
                    if impossible
                        || (other != one && verifier.code_of_stored(&turn, other) != found)
                    {
                        let fen = self.fen(file, &space, number, side);
                        return Err(CheckError::Wrong(if impossible {
                            format!("{fen} is stored as won for a bare king")
                        } else {
                            format!("{fen} and its reflection are stored with different values")
                        }));
                    }
                    Ok(found)
                })?;
            }
        }
        Ok(())
    }

    /// Compares every value with those of the positions that the moves lead to.
    pub(super) fn check_classes(
        &self,
        verifier: &HalfVerifier<'_>,
    ) -> Result<Verified, CheckError> {
        let space = &verifier.own.space;
        let all: Vec<usize> = (0..space.slices()).collect();
        let ranges = ranges_of(space, &all);
        let what = format!("verifying {}", verifier.half);
        self.run.progress.start(what, ranges.len() as u64);
        let check = |placed: &mut PlacedPieces, range: &std::ops::Range<usize>| {
            let mut verified = Verified::default();
            self.run.progress.advance(1);
            for number in range.clone() {
                let apart = placed.put(space.decode(number));
                for side in [Side::Attacker, Side::Defender] {
                    if !apart {
                        continue;
                    }
                    let found = class(verifier.own.codes(side)[number], side);
                    let derived = verifier.derive(placed, number, side, &mut verified);
                    if !is_consistent(found, derived, side) {
                        let complaint = verifier.complaint(
                            placed,
                            side,
                            &shown(found),
                            &shown(class(derived, side)),
                        );
                        return Err(CheckError::Wrong(complaint));
                    }
                }
            }
            Ok(verified)
        };
        let parts = parallel::map(self.run, &ranges, || PlacedPieces::new(space), check);
        let mut total = Verified::default();
        for part in parts.map_err(TableError::from)? {
            total.add(part?);
        }
        Ok(total)
    }
}

/// Whether a value is consistent with a code derived from values without distances. After a quiet
/// move (a code above 1, or above 2 for a loss) the fifty-move rule may turn a win into a cursed
/// win, and a loss into a blessed loss.
fn is_consistent(found: Wdl, derived: u8, side: Side) -> bool {
    let likely = class(derived, side);
    found == likely
        || match side {
            Side::Attacker => derived > 1 && (found, likely) == (Wdl::CursedWin, Wdl::Win),
            Side::Defender => derived > 2 && (found, likely) == (Wdl::BlessedLoss, Wdl::Loss),
        }
}

/// A value in words.
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

impl HalfVerifier<'_> {
    /// The code of a position's value, given the stored value.
    fn code_of_stored(&self, turn: &Turn<'_>, value: u8) -> u8 {
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

    /// The code of the attacker's best capture, `u8::MAX` if none wins.
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

    /// The code of the defender's slowest loss by a capture, 0 if there is no capture; `None` if a
    /// capture does not lose.
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

    /// Calls `each(code after the capture, whether the capture is legal)` for all captures, until
    /// it returns false.
    fn captures(&self, turn: &Turn<'_>, mut each: impl FnMut(u8, &dyn Fn() -> bool) -> bool) {
        let placed = turn.placed;
        let enemies = placed.of(turn.side.other());
        if enemies.count() == 1 {
            return;
        }
        for mover in 0..placed.count {
            let piece = placed.pieces[mover];
            if piece.side != turn.side {
                continue;
            }
            for to in reach(piece, placed.at[mover], placed.occupied) & enemies {
                let to = index(to);
                debug_assert!(placed.occupied.contains(square(to)));
                let kinds = match (piece.kind, to >> 3) {
                    (Kind::Pawn, 0 | 7) => &Kind::PROMOTIONS[..],
                    _ => &[piece.kind][..],
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
