//! Verifies all indices of a half: the encoded distances are held in memory, and the moves come
//! from the attack tables of the shakmaty library. As in the check on boards, no code of the
//! generation is used.

use std::sync::Arc;

use everymove_kernel::parallel;
use everymove_kernel::run::Run;
use shakmaty::Bitboard;

use super::conversion::{Conversions, HalfCodes, Leaving};
use super::placed_pieces::{PlacedPieces, index, king, reach, square};
use super::{Verified, before};
use crate::error::TableError;
use crate::metric::{Metric, ZeroingMove};
use crate::position::geometry::transform;
use crate::position::index_space::{KINGS, Piece, Side};
use crate::position::material::{Half, Kind};
use crate::store::directory::Tables;

/// Indices that a thread takes at a time.
const STRETCH: usize = 1 << 14;

/// A capture or promotion.
const CONVERSION: Option<ZeroingMove> = Some(ZeroingMove::Conversion);

/// Returns the bytes that the scan of a half holds.
pub(super) fn bytes(half: &Half, tables: &Tables) -> u64 {
    2 * tables.space(half).len() as u64 + Conversions::bytes(half, tables)
}

/// A half being verified.
pub(super) struct HalfVerifier<'a> {
    pub(super) own: HalfCodes,
    conversions: Conversions,
    pub(super) half: &'a Half,
    metric: Metric,
    /// By symmetry and square.
    turned: Vec<[u8; 64]>,
}

/// Verifies all indices of a half; the inner error describes the first that is wrong.
pub(super) fn verify_half(
    half: &Half,
    tables: &Tables,
    run: &Run,
) -> Result<Result<Verified, String>, TableError> {
    HalfVerifier::new(half, tables, run)?.check(run)
}

/// A legal position with a side to move.
pub(super) struct Turn<'a> {
    pub(super) placed: &'a PlacedPieces,
    number: usize,
    pub(super) side: Side,
    /// The squares attacked by the other side, with the mover's king removed.
    danger: Bitboard,
}

impl<'a> Turn<'a> {
    /// Returns `None` if the other side's king could be captured.
    #[inline]
    pub(super) fn new(placed: &'a PlacedPieces, number: usize, side: Side) -> Option<Self> {
        let other = side.other();
        let own_attacks = placed.attacked(side, placed.occupied, None);
        if own_attacks.contains(square(placed.at[king(other)])) {
            return None;
        }
        let mut without_king = placed.occupied;
        without_king.discard(square(placed.at[king(side)]));
        Some(Self {
            placed,
            number,
            side,
            danger: placed.attacked(other, without_king, None),
        })
    }

    /// Whether the side to move is in check.
    pub(super) fn is_check(&self) -> bool {
        self.danger
            .contains(square(self.placed.at[king(self.side)]))
    }
}

impl<'a> HalfVerifier<'a> {
    fn new(half: &'a Half, tables: &Tables, run: &Run) -> Result<Self, TableError> {
        let own = HalfCodes::new(half, tables, run)?;
        let conversions = Conversions::new(&own.space, Leaving::All, |half| {
            HalfCodes::new(half, tables, run).map(Arc::new)
        })?;
        Ok(Self::of(half, own, conversions, tables.metric()))
    }

    pub(super) fn of(
        half: &'a Half,
        own: HalfCodes,
        conversions: Conversions,
        metric: Metric,
    ) -> Self {
        let turn = |m| std::array::from_fn(|s| transform(s as u8, m));
        Self {
            own,
            conversions,
            half,
            metric,
            turned: (0..8).map(turn).collect(),
        }
    }

    pub(super) fn check(&self, run: &Run) -> Result<Result<Verified, String>, TableError> {
        let len = self.own.space.len();
        let stretches = 0..len.div_ceil(STRETCH);
        run.progress
            .start(format!("verifying {}", self.half), stretches.len() as u64);
        let workspace = || PlacedPieces::new(&self.own.space);
        let parts = parallel::map(run, stretches, workspace, |placed, stretch| {
            run.progress.advance(1);
            self.stretch(
                stretch * STRETCH..((stretch + 1) * STRETCH).min(len),
                placed,
            )
        })?;
        let mut total = Verified::default();
        for part in parts {
            match part {
                Ok(part) => total.add(part),
                Err(what) => return Ok(Err(what)),
            }
        }
        Ok(Ok(total))
    }

    fn stretch(
        &self,
        numbers: std::ops::Range<usize>,
        placed: &mut PlacedPieces,
    ) -> Result<Verified, String> {
        let mut verified = Verified::default();
        for number in numbers {
            let apart = placed.put(self.own.space.decode(number));
            for side in [Side::Attacker, Side::Defender] {
                let found = self.own.codes(side)[number];
                let expected = if apart {
                    self.derive(placed, number, side, &mut verified)
                } else {
                    0
                };
                if found != expected {
                    return Err(self.complaint_of(placed, side, found, expected));
                }
            }
        }
        Ok(verified)
    }

    /// Returns the code that follows from the rules, 0 for an illegal position.
    #[inline]
    pub(super) fn derive(
        &self,
        placed: &PlacedPieces,
        number: usize,
        side: Side,
        verified: &mut Verified,
    ) -> u8 {
        let Some(turn) = Turn::new(placed, number, side) else {
            return 0;
        };
        verified.positions += 1;
        match side {
            Side::Attacker => self.win(&turn, &mut verified.moves),
            Side::Defender => self.loss(&turn, &mut verified.moves),
        }
    }

    /// Returns the code of the attacker's best win. Moves into check lead to illegal positions,
    /// which are not losses.
    fn win(&self, turn: &Turn<'_>, moves: &mut u64) -> u8 {
        // The smallest code minus one, so that 0 ("none") wraps to the largest number.
        let mut quiet = u8::MAX;
        let mut zeroing = u16::MAX;
        let placed = turn.placed;
        let enemies = placed.of(Side::Defender);
        for mover in 0..placed.count {
            let piece = placed.pieces[mover];
            if piece.side != Side::Attacker {
                continue;
            }
            if piece.kind == Kind::Pawn {
                self.pawn_moves(turn, mover, moves, |after, by, _| {
                    if after > 0 {
                        zeroing = zeroing.min(self.before_loss(after, Some(by)));
                    }
                    true
                });
                continue;
            }
            let reach = reach(piece, placed.at[mover], placed.occupied);
            self.quiet_moves(turn, mover, reach & !placed.occupied, moves, |after, _| {
                quiet = quiet.min(after.wrapping_sub(1));
                true
            });
            for to in reach & enemies {
                *moves += 1;
                let after = self.capture(turn, mover, index(to), piece.kind);
                if after > 0 {
                    zeroing = zeroing.min(self.before_loss(after, CONVERSION));
                }
            }
        }
        let quiet = match quiet {
            u8::MAX => u16::MAX,
            less_one => self.before_loss(less_one + 1, None),
        };
        match quiet.min(zeroing) {
            u16::MAX => 0,
            plies => self.win_code(plies),
        }
    }

    /// Returns the code of the defender's longest defence, 0 if it is not lost.
    fn loss(&self, turn: &Turn<'_>, moves: &mut u64) -> u8 {
        let placed = turn.placed;
        let enemies = placed.of(Side::Attacker);
        let mut quiet = 0;
        let mut zeroing = 0;
        let mut saved = false;
        for mover in 1..placed.count {
            let piece = placed.pieces[mover];
            if piece.side != Side::Defender {
                continue;
            }
            if piece.kind == Kind::Pawn {
                self.pawn_moves(turn, mover, moves, |after, by, legal| {
                    if after > 0 {
                        zeroing = zeroing.max(self.before_win(after, Some(by)));
                    }
                    saved = after == 0 && legal();
                    !saved
                });
            } else {
                let mut reach = reach(piece, placed.at[mover], placed.occupied);
                if piece.kind == Kind::King {
                    reach &= !turn.danger;
                }
                for to in reach & enemies {
                    *moves += 1;
                    let after = self.capture(turn, mover, index(to), piece.kind);
                    if after > 0 {
                        zeroing = zeroing.max(self.before_win(after, CONVERSION));
                    } else if placed.is_legal(mover, index(to), placed.on(index(to))) {
                        saved = true;
                        break;
                    }
                }
                if !saved {
                    self.quiet_moves(turn, mover, reach & !placed.occupied, moves, |after, to| {
                        quiet = quiet.max(after);
                        saved = after == 0
                            && (piece.kind == Kind::King || placed.is_legal(mover, to, None));
                        !saved
                    });
                }
            }
            if saved {
                return 0;
            }
        }
        let quiet = match quiet {
            0 => 0,
            code => self.before_win(code, None),
        };
        match quiet.max(zeroing) {
            // No legal move: mate or stalemate.
            0 if turn.is_check() => self.loss_code(0),
            0 => 0,
            plies => self.loss_code(plies),
        }
    }

    /// Calls `each(code, square)` for a piece's moves to empty squares until it returns false.
    #[inline]
    fn quiet_moves(
        &self,
        turn: &Turn<'_>,
        mover: usize,
        targets: Bitboard,
        moves: &mut u64,
        mut each: impl FnMut(u8, u8) -> bool,
    ) {
        let space = &self.own.space;
        let codes = self.own.codes(turn.side.other());
        let at = &turn.placed.at;
        if mover > 1 || space.pawns > 0 {
            let shift = space.shift(mover);
            let rest = turn.number - (usize::from(at[mover]) << shift);
            for to in targets {
                *moves += 1;
                let to = index(to);
                if !each(codes[rest + (usize::from(to) << shift)], to) {
                    return;
                }
            }
            return;
        }
        for to in targets {
            *moves += 1;
            let to = index(to);
            let pair = if mover == 0 { (to, at[1]) } else { (at[0], to) };
            let after = KINGS.encode(pair.0, pair.1).map_or(0, |(slice, m)| {
                let turned = &self.turned[usize::from(m)];
                let free = &at[2..2 + space.free];
                let number = free.iter().fold(usize::from(slice), |number, &s| {
                    number << 6 | usize::from(turned[usize::from(s)])
                });
                codes[number]
            });
            if !each(after, to) {
                return;
            }
        }
    }

    /// Returns the code after a capture, which may promote.
    pub(super) fn capture(&self, turn: &Turn<'_>, mover: usize, to: u8, kind: Kind) -> u8 {
        let taken = turn.placed.on(to);
        let next = turn.side.other();
        self.conversions
            .look_up(&turn.placed.at, (mover, to, kind), taken, next)
    }

    /// Calls `each(code, kind, is_legal)` for a pawn's moves until it returns false.
    pub(super) fn pawn_moves(
        &self,
        turn: &Turn<'_>,
        mover: usize,
        moves: &mut u64,
        mut each: impl FnMut(u8, ZeroingMove, &dyn Fn() -> bool) -> bool,
    ) {
        let placed = turn.placed;
        let (piece, from) = (placed.pieces[mover], placed.at[mover]);
        let next = turn.side.other();
        let path = Path::of(piece, from);
        let kinds = |to: u8| match to >> 3 == path.last {
            true => &Kind::PROMOTIONS[..],
            false => &[Kind::Pawn][..],
        };
        for to in reach(piece, from, placed.occupied) & placed.of(next) {
            let to = index(to);
            for &kind in kinds(to) {
                *moves += 1;
                let after = self.capture(turn, mover, to, kind);
                let by = ZeroingMove::Conversion;
                if !each(after, by, &|| placed.is_legal(mover, to, placed.on(to))) {
                    return;
                }
            }
        }
        if placed.occupied.contains(square(path.one)) {
            return;
        }
        for &kind in kinds(path.one) {
            *moves += 1;
            let (after, by) = if kind == Kind::Pawn {
                (self.pushed(turn, mover, path.one), ZeroingMove::PawnMove)
            } else {
                let promotion = (mover, path.one, kind);
                let after = (self.conversions).look_up(&placed.at, promotion, None, next);
                (after, ZeroingMove::Conversion)
            };
            if !each(after, by, &|| placed.is_legal(mover, path.one, None)) {
                return;
            }
        }
        let Some(two) = path.two else { return };
        if !placed.occupied.contains(square(two)) {
            *moves += 1;
            let after = self.double_push(turn, mover, path.one, two);
            let is_legal = || placed.is_legal(mover, two, None);
            each(after, ZeroingMove::PawnMove, &is_legal);
        }
    }

    fn pushed(&self, turn: &Turn<'_>, mover: usize, to: u8) -> u8 {
        let mut after = turn.placed.at;
        after[mover] = to;
        self.own.look_up(&after, turn.side.other())
    }

    /// Returns the code after a double push, en passant replies included.
    fn double_push(&self, turn: &Turn<'_>, mover: usize, passed: u8, to: u8) -> u8 {
        let stored = self.pushed(turn, mover, to);
        let mut placed = turn.placed.clone();
        let mut at = placed.at;
        at[mover] = to;
        placed.put(at);
        if !turn.placed.is_legal(mover, to, None) {
            return 0;
        }
        let replier = turn.side.other();
        let takes = |&taker: &usize| {
            let piece = placed.pieces[taker];
            piece.kind == Kind::Pawn
                && piece.side == replier
                && reach(piece, placed.at[taker], Bitboard::EMPTY).contains(square(passed))
                && placed.is_legal(taker, passed, Some(mover))
        };
        let takers: Vec<usize> = (2..placed.count).filter(takes).collect();
        if takers.is_empty() {
            return stored;
        }
        let codes = takers.iter().map(|&taker| {
            let capture = (taker, passed, Kind::Pawn);
            self.conversions
                .look_up(&placed.at, capture, Some(mover), turn.side)
        });
        match replier {
            Side::Attacker => {
                let wins = codes.filter(|&code| code > 0);
                let plies = wins.map(|code| self.before_loss(code, CONVERSION)).min();
                let stored = (stored > 0).then(|| self.metric.win_plies(stored.into()));
                let best = plies.into_iter().chain(stored).min();
                best.map_or(0, |plies| self.win_code(plies))
            }
            Side::Defender => {
                let mut worst = 0;
                for code in codes {
                    if code == 0 {
                        return 0;
                    }
                    worst = worst.max(self.before_win(code, CONVERSION));
                }
                if stored > 0 {
                    self.loss_code(worst.max(self.metric.loss_plies(stored.into())))
                } else if self.can_move(&placed, replier) {
                    0
                } else {
                    self.loss_code(worst)
                }
            }
        }
    }

    /// Whether a side has a legal move other than an en passant capture.
    pub(super) fn can_move(&self, placed: &PlacedPieces, side: Side) -> bool {
        (0..placed.count).any(|mover| {
            let piece = placed.pieces[mover];
            if piece.side != side {
                return false;
            }
            let mut targets = reach(piece, placed.at[mover], placed.occupied) & !placed.of(side);
            if piece.kind == Kind::Pawn {
                targets &= placed.of(side.other());
                // If one step is illegal, so are two: both leave the same line.
                let ahead = square(Path::of(piece, placed.at[mover]).one);
                if !placed.occupied.contains(ahead) {
                    targets.add(ahead);
                }
            }
            let mut targets = targets.into_iter().map(index);
            targets.any(|to| placed.is_legal(mover, to, placed.on(to)))
        })
    }

    /// Returns the plies of a win by a move to a loss of a code.
    pub(super) fn before_loss(&self, code: u8, by: Option<ZeroingMove>) -> u16 {
        before(self.metric, self.metric.loss_plies(code.into()), by)
    }

    /// Returns the plies of a loss by a move to a win of a code.
    pub(super) fn before_win(&self, code: u8, by: Option<ZeroingMove>) -> u16 {
        before(self.metric, self.metric.win_plies(code.into()), by)
    }

    /// Returns the code of a number of plies; 255, which no table in memory has, if there is none.
    fn win_code(&self, plies: u16) -> u8 {
        let code = match self.metric {
            Metric::Mate | Metric::MateFifty => plies.div_ceil(2),
            Metric::Zeroing | Metric::Conversion => plies,
        };
        code.try_into().unwrap_or(u8::MAX)
    }

    fn loss_code(&self, plies: u16) -> u8 {
        let code = match self.metric {
            Metric::Mate | Metric::MateFifty => plies / 2 + 1,
            Metric::Zeroing | Metric::Conversion => plies + 1,
        };
        code.try_into().unwrap_or(u8::MAX)
    }

    fn complaint_of(&self, placed: &PlacedPieces, side: Side, found: u8, expected: u8) -> String {
        let shown = |code: u8| match (code, side) {
            (0, _) => "not forced".to_owned(),
            (code, Side::Attacker) => {
                format!("a win in {} plies", self.metric.win_plies(code.into()))
            }
            (code, Side::Defender) => {
                format!("a loss in {} plies", self.metric.loss_plies(code.into()))
            }
        };
        self.complaint(placed, side, &shown(found), &shown(expected))
    }

    pub(super) fn complaint(
        &self,
        placed: &PlacedPieces,
        side: Side,
        found: &str,
        expected: &str,
    ) -> String {
        let pieces: Vec<String> = (0..placed.count)
            .map(|piece| {
                format!(
                    "{}{}",
                    placed.pieces[piece].kind.letter(),
                    square(placed.at[piece])
                )
            })
            .collect();
        format!(
            "{} with {}, {} to move, is stored as {found}, but the moves make it {expected}",
            self.half,
            pieces.join(" "),
            match side {
                Side::Attacker => self.half.attacker.to_string(),
                Side::Defender => self.half.defender.to_string(),
            },
        )
    }
}

/// The squares ahead of a pawn.
struct Path {
    one: u8,
    two: Option<u8>,
    /// The rank on which it promotes.
    last: u8,
}

impl Path {
    fn of(piece: Piece, from: u8) -> Self {
        match piece.side {
            Side::Attacker => Self {
                one: from + 8,
                two: (from >> 3 == 1).then(|| from + 16),
                last: 7,
            },
            Side::Defender => Self {
                one: from - 8,
                two: (from >> 3 == 6).then(|| from - 16),
                last: 0,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Material, Plan, build};
    use everymove_kernel::rng::SplitMix64;

    /// Every single change of an encoded distance is detected, of legal and of illegal positions.
    #[test]
    fn a_wrong_code_is_found() {
        for (name, metric) in [
            ("KQvK", Metric::Mate),
            ("KPvK", Metric::Mate),
            ("KRvK", Metric::Zeroing),
            ("KPvK", Metric::Zeroing),
            ("KPvK", Metric::Conversion),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let tables = Tables::new(folder.path(), metric);
            let material: Material = name.parse().unwrap();
            let plan = Plan::new(material.clone(), metric);
            let run = Run::serial();
            build(&plan, &tables, &run).unwrap();
            let half = &material.halves()[0];
            let mut verifier = HalfVerifier::new(half, &tables, &run).unwrap();
            assert!(verifier.check(&run).unwrap().is_ok());
            let len = verifier.own.space.len();
            let mut placed = PlacedPieces::new(&verifier.own.space);
            let mut rng = SplitMix64::new(1);
            for _ in 0..2_000 {
                let number = rng.below(len as u64) as usize;
                let side = [Side::Attacker, Side::Defender][rng.below(2) as usize];
                let right = verifier.own.codes(side)[number];
                let wrong = right.wrapping_add(1 + rng.below(40) as u8);
                verifier.own.codes_mut(side)[number] = wrong;
                let found = verifier.stretch(number..number + 1, &mut placed);
                assert!(
                    found.is_err(),
                    "{half} {number} {side:?}: {right} as {wrong}"
                );
                verifier.own.codes_mut(side)[number] = right;
            }
        }
    }
}
