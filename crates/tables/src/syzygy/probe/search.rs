//! The search of a probe: values of single positions from the entries of files and from captures.
//!
//! An entry of a WDL file is never better than the position, and worse only if a capture is better.
//! So the entry is read first, and the captures are searched only for what is better than it
//! (alpha-beta: D. E. Knuth and R. W. Moore, "An Analysis of Alpha-Beta Pruning", 1975).

use super::files::{LocatedFile, Patience, SyzygyFolder};
use super::pieces::{Flow, Moves, Pieces};
use super::{Rounding, Wdl, distance};
use crate::error::TableError;
use crate::syzygy::file::parse::{BLACK_TO_MOVE, Contents, SubTable, file_name};
use crate::syzygy::index::leading::normalise_pawns;
use crate::syzygy::index::piece_order::ColoredPiece;

/// Why a search has no result.
#[derive(Debug)]
pub(super) enum Interrupted {
    /// The checksum of a file is still being compared.
    BeingChecked,
    /// The file of some pieces is missing or damaged.
    Unusable {
        key: u64,
        contents: Contents,
    },
    Failed(Box<TableError>),
}

impl From<TableError> for Interrupted {
    fn from(error: TableError) -> Self {
        Self::Failed(Box::new(error))
    }
}

pub(super) type Searched<T> = Result<T, Interrupted>;

/// What a DTZ probe needs of the value of a position.
struct Decided {
    wdl: Wdl,
    /// Whether a capture has this value, and it is a win, or no other move is legal.
    by_capture: bool,
}

/// A search in the files of a folder.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) folder: &'a SyzygyFolder,
    pub(super) patience: Option<Patience<'a>>,
}

impl<'a> Search<'a> {
    /// The value of a position, if it is between `alpha` and `beta`; else a bound: at most `alpha`,
    /// or at least `beta`.
    pub(super) fn wdl(self, pieces: &Pieces, mut alpha: Wdl, beta: Wdl) -> Searched<Wdl> {
        if pieces.may_capture_in_passing() {
            let plain = pieces.without_en_passant();
            if let Some(passing) = self.in_passing(pieces)? {
                if passing >= beta || !plain.has_move() {
                    return Ok(passing);
                }
                alpha = alpha.max(passing);
            }
            return self.wdl(&plain, alpha, beta);
        }
        if pieces.are_two_kings() {
            return Ok(Wdl::Draw);
        }
        if alpha >= Wdl::Draw && pieces.is_bare_king() {
            return Ok(alpha);
        }
        let stored = self.stored_wdl(pieces)?;
        if stored >= beta || stored == Wdl::Win {
            return Ok(stored);
        }
        self.captures(pieces, alpha.max(stored), beta)
    }

    /// The largest of `alpha` and the values of all captures but en passant; if that is `beta` or
    /// more, a lower bound.
    fn captures(self, pieces: &Pieces, alpha: Wdl, beta: Wdl) -> Searched<Wdl> {
        let mut best = alpha;
        pieces.visit(Moves::Captures, |next| {
            let value = self.wdl(next, beta.negated(), best.negated())?.negated();
            best = best.max(value);
            Ok::<_, Interrupted>(if best >= beta {
                Flow::Break(())
            } else {
                Flow::Continue(())
            })
        })?;
        Ok(best)
    }

    /// The value of the best capture en passant; `None` if there is no legal one.
    fn in_passing(self, pieces: &Pieces) -> Searched<Option<Wdl>> {
        let mut best = None;
        pieces.visit(Moves::EnPassant, |next| {
            let value = self.wdl(next, Wdl::Loss, Wdl::Win)?.negated();
            best = best.max(Some(value));
            Ok::<_, Interrupted>(Flow::Continue(()))
        })?;
        Ok(best)
    }

    /// The value of a position, and whether the next move of a win is a capture.
    fn decide(self, pieces: &Pieces) -> Searched<Decided> {
        if pieces.are_two_kings() {
            return Ok(Decided {
                wdl: Wdl::Draw,
                by_capture: false,
            });
        }
        let passing = match pieces.may_capture_in_passing() {
            true => self.in_passing(pieces)?,
            false => None,
        };
        let plain = pieces.without_en_passant();
        if let Some(passing) = passing
            && (passing == Wdl::Win || !plain.has_move())
        {
            return Ok(Decided {
                wdl: passing,
                by_capture: true,
            });
        }
        let stored = self.stored_wdl(&plain)?;
        // A capture that only equals the entry matters in a win.
        let least = match stored {
            Wdl::Win => Wdl::CursedWin,
            Wdl::CursedWin => Wdl::Draw,
            other => other,
        };
        let alpha = passing.map_or(least, |passing| passing.max(least));
        let capture = self.captures(&plain, alpha, Wdl::Win)?;
        let wdl = capture.max(stored);
        Ok(Decided {
            wdl,
            by_capture: wdl > Wdl::Draw && capture == wdl,
        })
    }

    /// The plies to the next zeroing move, with a sign.
    pub(super) fn dtz(self, pieces: &Pieces) -> Searched<(i32, Rounding)> {
        let Decided { wdl, by_capture } = self.decide(pieces)?;
        let first = wdl.zeroing_distance();
        if wdl == Wdl::Draw || by_capture {
            return Ok((first, Rounding::Exact));
        }
        if wdl > Wdl::Draw {
            let mut by_pawn = false;
            pieces.visit(Moves::PawnPushes, |next| {
                by_pawn = self.is_at_most(next, wdl.negated())?;
                Ok::<_, Interrupted>(if by_pawn {
                    Flow::Break(())
                } else {
                    Flow::Continue(())
                })
            })?;
            if by_pawn {
                return Ok((first, Rounding::Exact));
            }
        }
        match self.stored_dtz(pieces, wdl)? {
            Some(distance) => Ok(distance),
            None if wdl > Wdl::Draw => self.fastest_win(pieces, wdl),
            None => self.slowest_loss(pieces),
        }
    }

    /// The distance of a win whose side to move is not stored, and whose next move is neither a
    /// capture nor a pawn move.
    fn fastest_win(self, pieces: &Pieces, wdl: Wdl) -> Searched<(i32, Rounding)> {
        let mut best: Option<(i32, Rounding)> = None;
        pieces.visit(Moves::Quiet, |next| {
            if self.is_at_most(next, wdl.negated())? {
                let (mut plies, rounding) = match self.stored_dtz(next, wdl.negated())? {
                    Some((next, rounding)) => (1 - next, rounding),
                    None => return Err(self.without_either_side(next)),
                };
                // A mate is stored as a loss in one ply.
                if plies == 2 && next.is_check() && !next.has_move() {
                    plies = 1;
                }
                if best.is_none_or(|(best, _)| plies < best) {
                    best = Some((plies, rounding));
                }
            }
            Ok::<_, Interrupted>(Flow::Continue(()))
        })?;
        Ok(best.unwrap_or((wdl.zeroing_distance(), Rounding::Exact)))
    }

    /// The distance of a loss whose side to move is not stored.
    fn slowest_loss(self, pieces: &Pieces) -> Searched<(i32, Rounding)> {
        // Without a move it is checkmate, stored as a loss in one ply.
        let mut best = (-1, Rounding::Exact);
        for moves in [Moves::Captures, Moves::EnPassant, Moves::PawnPushes] {
            pieces.visit(moves, |next| {
                let value = self.wdl(next, Wdl::Loss, Wdl::Win)?.negated();
                best.0 = best.0.min(value.zeroing_distance());
                Ok::<_, Interrupted>(Flow::Continue(()))
            })?;
        }
        pieces.visit(Moves::Quiet, |next| {
            let (plies, rounding) = self.dtz(next)?;
            if -plies - 1 < best.0 {
                best = (-plies - 1, rounding);
            }
            Ok::<_, Interrupted>(Flow::Continue(()))
        })?;
        Ok(best)
    }

    /// Whether the value of a position is at most `wdl`, which is not [`Wdl::Win`].
    fn is_at_most(self, pieces: &Pieces, wdl: Wdl) -> Searched<bool> {
        Ok(self.wdl(pieces, wdl, wdl.next_better())? <= wdl)
    }

    fn stored_wdl(self, pieces: &Pieces) -> Searched<Wdl> {
        let located = self.located(pieces, Contents::Wdl)?;
        match look_up(located, pieces)? {
            Some((_, value)) => Wdl::from_value(value).ok_or_else(|| {
                let what = format!("a value of {value} has no meaning");
                located.wrong(what).into()
            }),
            None => unreachable!("both sides to move are in WDL files"),
        }
    }

    /// The stored distance of a position that is a win or loss; `None` if the other side to move is
    /// stored.
    fn stored_dtz(self, pieces: &Pieces, wdl: Wdl) -> Searched<Option<(i32, Rounding)>> {
        let located = self.located(pieces, Contents::Dtz)?;
        let Some((sub, value)) = look_up(located, pieces)? else {
            return Ok(None);
        };
        let Some((beyond, rounding)) = distance(sub, wdl, value) else {
            let what = format!("a value of {value} has no meaning");
            return Err(located.wrong(what).into());
        };
        let first = wdl.zeroing_distance();
        Ok(Some((first + first.signum() * i32::from(beyond), rounding)))
    }

    /// The error of a DTZ file that stores neither a position nor the positions after its moves.
    fn without_either_side(self, pieces: &Pieces) -> Interrupted {
        let what = "it stores neither side to move".to_owned();
        match self.located(pieces, Contents::Dtz) {
            Ok(located) => located.wrong(what).into(),
            Err(interrupted) => interrupted,
        }
    }

    #[inline]
    fn located(self, pieces: &Pieces, contents: Contents) -> Searched<LocatedFile<'a>> {
        self.folder.located(pieces.key(), contents, self.patience)
    }
}

impl LocatedFile<'_> {
    fn wrong(&self, what: String) -> TableError {
        TableError::Wrong {
            path: file_name(self.file.material(), self.file.contents),
            what,
        }
    }
}

/// The sub-table and stored value of a position; `None` if the file has only the other side to
/// move.
fn look_up<'a>(
    located: LocatedFile<'a>,
    pieces: &Pieces,
) -> Result<Option<(&'a SubTable, u16)>, TableError> {
    let file = &**located.file;
    // The file's white pieces may be the position's black ones; if both sides have the same pieces,
    // white is the side to move.
    let flipped = match located.is_symmetric {
        true => pieces.black_to_move(),
        false => !located.as_white,
    };
    let black_to_move = pieces.black_to_move() != flipped;
    let lead = &file.subs[0][0].piece_order;
    let sides = if file.subs.len() > 1 {
        let mut at = squares_of(pieces, &lead.pieces, flipped);
        &file.subs[normalise_pawns(&mut at[..lead.pieces.len()], lead.leading())]
    } else {
        &file.subs[0]
    };
    let sub = match sides.as_slice() {
        [one] => one,
        two => &two[usize::from(black_to_move)],
    };
    if file.contents == Contents::Dtz
        && !located.is_symmetric
        && (sub.flags & BLACK_TO_MOVE != 0) != black_to_move
    {
        return Ok(None);
    }
    let at = squares_of(pieces, &sub.piece_order.pieces, flipped);
    let index = sub.piece_order.index(&at).unwrap_or(0);
    match file.value(sub, index) {
        Ok(value) => Ok(Some((sub, value))),
        Err(error) => {
            let path = file_name(&file.material, file.contents);
            Err(error.in_file(path.as_ref()).into())
        }
    }
}

/// The squares of the pieces of an order, by place; with ranks mirrored if the colors are exchanged
/// (`flipped`).
#[inline]
fn squares_of(pieces: &Pieces, order: &[ColoredPiece], flipped: bool) -> [u8; 8] {
    let mut at = [0; 8];
    let mut free = u64::MAX;
    for (square, piece) in at.iter_mut().zip(order) {
        let fitting = pieces.of(piece.kind, piece.black != flipped) & free;
        let found = fitting & fitting.wrapping_neg();
        free ^= found;
        *square = found.trailing_zeros() as u8 & 63 ^ if flipped { 56 } else { 0 };
    }
    at
}
