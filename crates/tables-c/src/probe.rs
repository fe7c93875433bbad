//! Values, distances and moves of positions.

use std::ffi::c_char;

use everymove_tables::service::{Category as Found, Facts, MoveFacts};
use everymove_tables::syzygy::{Rounding, Wdl as Worth};
use everymove_tables::{Metric, Value};
use shakmaty::{Chess, Role};

use crate::handle::CTables;
use crate::pointers;
use crate::position::CPosition;
use crate::status::{Failure, Status, answer};

/// The most legal moves of a chess position, rounded up: an array of this length always suffices.
pub const EM_MAX_MOVES: usize = 256;

/// The value of a position for the side to move under the fifty-move rule, the clock being 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wdl {
    /// It loses.
    Loss = -2,
    /// It would lose, but the fifty-move rule makes it a draw.
    BlessedLoss = -1,
    /// Neither side wins.
    Draw = 0,
    /// It would win, but the fifty-move rule makes it a draw.
    CursedWin = 1,
    /// It wins.
    Win = 2,
}

/// The value of a move under the fifty-move rule, the clock of the position counted, for the side
/// that makes it. Better values have larger numbers, `EM_CATEGORY_UNKNOWN` excepted.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// It loses.
    Loss = -4,
    /// It loses, or the fifty-move rule makes it a draw: the distance, which a Syzygy file rounds,
    /// does not say which.
    LossOrBlessed = -3,
    /// It loses without the fifty-move rule, which may make it a draw: only the distance to mate is
    /// known.
    MaybeLoss = -2,
    /// It would lose, but the fifty-move rule makes it a draw.
    BlessedLoss = -1,
    /// Neither side wins.
    Draw = 0,
    /// It would win, but the fifty-move rule makes it a draw.
    CursedWin = 1,
    /// It wins without the fifty-move rule, which may make it a draw: only the distance to mate is
    /// known.
    MaybeWin = 2,
    /// It wins, or the fifty-move rule makes it a draw: the distance, which a Syzygy file rounds,
    /// does not say which.
    WinOrCursed = 3,
    /// It wins.
    Win = 4,
    /// No table has the position after the move.
    Unknown = 5,
}

/// A distance in plies and who wins.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Distance {
    /// 1: the side to move wins, 0: draw, -1: the other side wins; without the fifty-move rule,
    /// but for `em_probe_dtm50`.
    pub outcome: i32,
    /// Plies, the moves of both sides counted; 0 for a draw, and for a side that is checkmated.
    pub plies: u32,
    /// Whether `plies` is exact. Otherwise it comes from a Syzygy file that stores moves, and may
    /// be one too few.
    pub exact: bool,
}

/// A legal move and the value of the position after it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MoveValue {
    /// The square that the piece leaves, 0 (a1) to 63 (h8).
    pub from: u8,
    /// The square that it reaches.
    pub to: u8,
    /// 'q', 'r', 'b' or 'n' for a promotion, otherwise 0.
    pub promotion: u8,
    /// Whether it is a capture or a pawn move, which sets the clock to 0.
    pub zeroing: bool,
    /// Whether it mates.
    pub mates: bool,
    /// Whether `dtz` is known.
    pub has_dtz: bool,
    /// Whether `dtm` is known.
    pub has_dtm: bool,
    /// The move in the notation of UCI, for example "e7e8q", with a zero byte at the end.
    pub uci: [c_char; 6],
    /// The value for the side that makes the move.
    pub category: Category,
    /// Plies from the position after the move to the next capture, pawn move or mate. Its
    /// `outcome` is that of the side that makes the move.
    pub dtz: Distance,
    /// Plies from the position after the move to mate. Its `outcome` is that of the side that
    /// makes the move.
    pub dtm: Distance,
}

/// Writes the value of a position to `*wdl`: from Syzygy files, from own tables of plies to a
/// zeroing move, or from own tables of plies to mate, which determine wins of at most 100 plies and
/// draws. The clock of the position is taken as 0.
///
/// # Safety
/// The pointers are null, or `tables` comes from `em_open`, `position` points to a position and
/// `wdl` to memory for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn em_probe_wdl(
    tables: *const CTables,
    position: *const CPosition,
    wdl: *mut Wdl,
) -> Status {
    answer(|| {
        // SAFETY: by the condition of this function.
        let (tables, chess) = unsafe { arguments(tables, position) }?;
        let value = match known(tables.tables.wdl(&chess, None)?)? {
            Worth::Loss => Wdl::Loss,
            Worth::BlessedLoss => Wdl::BlessedLoss,
            Worth::Draw => Wdl::Draw,
            Worth::CursedWin => Wdl::CursedWin,
            Worth::Win => Wdl::Win,
        };
        // SAFETY: by the condition of this function.
        unsafe { pointers::write(wdl, value, "wdl") }
    })
}

/// Writes the plies to the next capture, pawn move or mate, for the side that wins the quickest
/// that keeps the win, to `*distance`: from own tables, where they are exact, or from Syzygy files.
/// More than 100 plies: the fifty-move rule makes it a draw. The clock of the position is taken as
/// 0; with a clock of `c` it is won if `c` and the plies are together at most 100.
///
/// # Safety
/// As `em_probe_wdl`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn em_probe_dtz(
    tables: *const CTables,
    position: *const CPosition,
    distance: *mut Distance,
) -> Status {
    answer(|| {
        // SAFETY: by the condition of this function.
        let (tables, chess) = unsafe { arguments(tables, position) }?;
        let (value, rounding) = known(tables.tables.dtz(&chess, None)?)?;
        let found = Distance::new(value, rounding);
        // SAFETY: by the condition of this function.
        unsafe { pointers::write(distance, found, "distance") }
    })
}

/// Writes the plies to mate, without the fifty-move rule, to `*distance`: from own tables.
///
/// # Safety
/// As `em_probe_wdl`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn em_probe_dtm(
    tables: *const CTables,
    position: *const CPosition,
    distance: *mut Distance,
) -> Status {
    answer(|| {
        // SAFETY: by the condition of this function.
        let (tables, chess) = unsafe { arguments(tables, position) }?;
        let value = known(tables.tables.own(Metric::Mate, &chess)?)?;
        let found = Distance::new(value, Rounding::Exact);
        // SAFETY: by the condition of this function.
        unsafe { pointers::write(distance, found, "distance") }
    })
}

/// Writes the plies to mate under the fifty-move rule, which makes a game a draw after 100 plies
/// without a capture or pawn move unless the last of them mates, to `*distance`: from own tables
/// (.dtm50). The clock of the position is counted.
///
/// # Safety
/// As `em_probe_wdl`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn em_probe_dtm50(
    tables: *const CTables,
    position: *const CPosition,
    distance: *mut Distance,
) -> Status {
    answer(|| {
        // SAFETY: by the condition of this function.
        let (tables, chess) = unsafe { arguments(tables, position) }?;
        let value = known(tables.tables.own(Metric::MateFifty, &chess)?)?;
        let found = Distance::new(value, Rounding::Exact);
        // SAFETY: by the condition of this function.
        unsafe { pointers::write(distance, found, "distance") }
    })
}

/// Writes all legal moves of a position with their values, the best first, to `moves`, an array of
/// `capacity` entries, and their number to `*number`. The clock of the position is counted. Moves
/// whose value no table has are among them, as `EM_CATEGORY_UNKNOWN`.
///
/// # Safety
/// As `em_probe_wdl`; `moves` points to memory for `capacity` entries, `number` to memory for the
/// result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn em_probe_moves(
    tables: *const CTables,
    position: *const CPosition,
    moves: *mut MoveValue,
    capacity: usize,
    number: *mut usize,
) -> Status {
    answer(|| {
        // SAFETY: by the condition of this function.
        let (tables, chess) = unsafe { arguments(tables, position) }?;
        let found = tables.tables.position(&chess)?;
        let values: Vec<_> = found.moves.iter().map(MoveValue::new).collect();
        if values.len() > capacity {
            let reason = format!("{} moves, but the array has {capacity}", values.len());
            return Err(Failure::new(Status::BadArgument, reason));
        }
        // SAFETY: by the condition of this function, and there are at most `capacity` values.
        unsafe { pointers::write_all(moves, &values, "moves") }?;
        // SAFETY: by the condition of this function.
        unsafe { pointers::write(number, values.len(), "number") }
    })
}

/// The tables and the position of a call.
///
/// # Safety
/// The pointers are null, or `tables` comes from `em_open` and `position` points to a position.
unsafe fn arguments<'a>(
    tables: *const CTables,
    position: *const CPosition,
) -> Result<(&'a CTables, Chess), Failure> {
    // SAFETY: by the condition of this function.
    let tables = unsafe { pointers::borrow(tables, "tables") }?;
    // SAFETY: by the condition of this function.
    let position = unsafe { pointers::borrow(position, "position") }?;
    Ok((tables, position.to_chess()?))
}

fn known<T>(found: Option<T>) -> Result<T, Failure> {
    found.ok_or_else(|| {
        let reason = "no table of the folders determines the value";
        Failure::new(Status::NoTable, reason)
    })
}

impl Distance {
    fn new(value: Value, rounding: Rounding) -> Self {
        let (outcome, plies) = match value {
            Value::Win(plies) => (1, plies),
            Value::Draw => (0, 0),
            Value::Loss(plies) => (-1, plies),
        };
        Self {
            outcome,
            plies: plies.into(),
            exact: rounding == Rounding::Exact,
        }
    }

    /// From signed plies after a move, for the side that made it.
    fn after(facts: &Facts, plies: Option<i32>, exact: bool) -> Self {
        if facts.checkmate {
            return Self {
                outcome: 1,
                plies: 0,
                exact: true,
            };
        }
        let plies = plies.unwrap_or(0);
        Self {
            outcome: -plies.signum(),
            plies: plies.unsigned_abs(),
            exact,
        }
    }
}

impl MoveValue {
    fn new(found: &MoveFacts) -> Self {
        let after = &found.after;
        let mut uci = [0; 6];
        for (to, byte) in uci[..5].iter_mut().zip(found.uci.bytes()) {
            *to = byte as c_char;
        }
        let promotion = found.play.promotion().map_or(0, |role| match role {
            Role::Queen => b'q',
            Role::Rook => b'r',
            Role::Bishop => b'b',
            _ => b'n',
        });
        let square = |square: Option<shakmaty::Square>| square.map_or(64, |s| u32::from(s) as u8);
        let has_dtm = after.checkmate || after.dtm.is_some();
        Self {
            from: square(found.play.from()),
            to: square(Some(found.play.to())),
            promotion,
            zeroing: found.zeroing,
            mates: after.checkmate,
            has_dtz: after.dtz.is_some(),
            has_dtm,
            uci,
            category: category(after.category.negated()),
            dtz: Distance::after(after, after.dtz, after.dtz_is_exact),
            dtm: Distance::after(after, after.dtm, has_dtm),
        }
    }
}

fn category(found: Found) -> Category {
    match found {
        Found::Loss => Category::Loss,
        Found::Unknown => Category::Unknown,
        Found::SyzygyLoss => Category::LossOrBlessed,
        Found::MaybeLoss => Category::MaybeLoss,
        Found::BlessedLoss => Category::BlessedLoss,
        Found::Draw => Category::Draw,
        Found::CursedWin => Category::CursedWin,
        Found::MaybeWin => Category::MaybeWin,
        Found::SyzygyWin => Category::WinOrCursed,
        Found::Win => Category::Win,
    }
}
