//! Where the values of a position are: the sections of its two halves.

use std::sync::{Arc, PoisonError, RwLock};

use everymove_kernel::files::FileError;
use rustc_hash::FxHashMap;
use shakmaty::{Chess, Color, Position, Role};

use crate::error::TableError;
use crate::position::board::{army, require_no_castling};
use crate::position::index_space::{IndexSpace, Side};
use crate::position::material::{Army, Half, Kind, Material};
use crate::store::clock_steps::{ClockSteps, Step};
use crate::store::directory::Tables;
use crate::store::format::Reader;

/// The halves of a table, by the colour of the attacker.
#[derive(Debug)]
pub(crate) struct Located {
    white: Option<LocatedHalf>,
    black: Option<LocatedHalf>,
}

/// A half: its file, its first section and its indices.
#[derive(Debug)]
pub(crate) struct LocatedHalf {
    pub(crate) reader: Arc<Reader>,
    /// The section with the attacker to move; that with the defender to move is the next.
    pub(crate) section: usize,
    pub(crate) space: Arc<IndexSpace>,
    /// What the half-move clock changes, by side to move, if the metric depends on it.
    pub(crate) steps: Option<[ClockSteps; 2]>,
}

impl LocatedHalf {
    /// Returns the code of an index after `clock` plies without a capture or pawn move.
    pub(crate) fn code(
        &self,
        attacker_moves: bool,
        index: usize,
        clock: u32,
    ) -> Result<u16, TableError> {
        let side = usize::from(!attacker_moves);
        let section = self.section + side;
        let code = self.reader.code(section, index)?;
        let Some(steps) = self.steps.as_ref().filter(|_| clock > 0 && code > 0) else {
            return Ok(code);
        };
        let number = self.reader.code(section + FUNCTIONS, index)?;
        let clock = clock.min(ClockSteps::END.into()) as u8;
        let code = steps[side].code(code, number, clock);
        Ok(code.ok_or_else(|| self.reader.without_function(section))?)
    }

    /// Returns the code of an index with a clock of 0, and what larger clocks make of it.
    pub(crate) fn steps(
        &self,
        attacker_moves: bool,
        index: usize,
    ) -> Result<(u16, &[Step]), TableError> {
        let side = usize::from(!attacker_moves);
        let section = self.section + side;
        let code = self.reader.code(section, index)?;
        let Some(steps) = &self.steps else {
            return Ok((code, &[]));
        };
        let number = self.reader.code(section + FUNCTIONS, index)?;
        let steps = steps[side].steps(code, number);
        Ok((
            code,
            steps.ok_or_else(|| self.reader.without_function(section))?,
        ))
    }
}

/// From the section of codes to that of the numbers of their functions of the clock.
pub(crate) const FUNCTIONS: usize = 2;
/// From the section of codes to that of the functions.
const STEPS: usize = 4;

impl Located {
    /// Returns the half of an attacker; `None` if it is a bare king.
    pub(crate) fn half(&self, attacker: Color) -> Option<&LocatedHalf> {
        match attacker {
            Color::White => self.white.as_ref(),
            Color::Black => self.black.as_ref(),
        }
    }
}

/// By the pieces of a board: what was located.
#[derive(Debug, Default)]
pub(crate) struct Locations {
    known: RwLock<FxHashMap<u64, Arc<Located>>>,
}

impl Tables {
    /// Returns where the values of a position are.
    ///
    /// # Errors
    /// [`TableError`] if tables do not cover the position, or the table is missing or its header is
    /// damaged.
    pub(crate) fn locate(&self, position: &Chess) -> Result<Arc<Located>, TableError> {
        require_no_castling(position)?;
        let key = piece_key(position);
        let known = &self.locations().known;
        let read = known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(located) = read.get(&key) {
            return Ok(located.clone());
        }
        drop(read);
        crate::position::board::material_of(position)?;
        let half = |attacker: Color| {
            let half = Half {
                attacker: army(position, attacker),
                defender: army(position, !attacker),
            };
            if half.attacker.pieces().is_empty() {
                return Ok(None);
            }
            let (_, section) = self.section(&half, Side::Attacker)?;
            let (reader, _) = self.section(&half, Side::Defender)?;
            let steps = match self.metric().depends_on_clock() {
                true => Some([
                    clock_steps(&reader, section)?,
                    clock_steps(&reader, section + 1)?,
                ]),
                false => None,
            };
            Ok::<_, TableError>(Some(LocatedHalf {
                steps,
                reader,
                section,
                space: self.space(&half),
            }))
        };
        let located = Arc::new(Located {
            white: half(Color::White)?,
            black: half(Color::Black)?,
        });
        let mut write = known.write().unwrap_or_else(PoisonError::into_inner);
        write.insert(key, located.clone());
        Ok(located)
    }
}

/// Reads the functions of the clock that belong to a section of codes.
pub(crate) fn clock_steps(reader: &Reader, section: usize) -> Result<ClockSteps, FileError> {
    let wrong = || reader.without_function(section);
    if reader.positions(section + FUNCTIONS) != reader.positions(section) {
        return Err(wrong());
    }
    let mut numbers = Vec::new();
    for block in 0..reader.blocks(section + STEPS) {
        numbers.extend(reader.block(section + STEPS, block)?);
    }
    ClockSteps::from_numbers(numbers).ok_or_else(wrong)
}

/// Returns a key of the pieces of a board: five bits for the number of pieces of each colour and
/// kind but kings.
pub(crate) fn piece_key(position: &Chess) -> u64 {
    let board = position.board();
    let roles = [
        Role::Pawn,
        Role::Knight,
        Role::Bishop,
        Role::Rook,
        Role::Queen,
    ];
    let (white, black) = (board.by_color(Color::White), board.by_color(Color::Black));
    let mut key = 0;
    for role in roles {
        let pieces = board.by_role(role);
        key = key << 5 | (pieces & white).count() as u64;
        key = key << 5 | (pieces & black).count() as u64;
    }
    key
}

/// Returns the [`piece_key`] of boards with these pieces.
pub(crate) fn material_key(white: &Army, black: &Army) -> u64 {
    let of = |army: &Army, color| -> u64 {
        let pieces = army.pieces().iter();
        pieces.map(|&kind| piece_key_unit(kind, color)).sum()
    };
    of(white, 0) + of(black, 1)
}

/// Returns the ending of boards with a [`piece_key`].
pub(crate) fn material_of_key(key: u64) -> Material {
    let army = |color| {
        let pieces = Kind::EXCEPT_KING.into_iter().flat_map(move |kind| {
            let count = (key / piece_key_unit(kind, color)) & 31;
            (0..count).map(move |_| kind)
        });
        Army::new(pieces)
    };
    Material::new(army(0), army(1))
}

/// Returns what a piece of a color (0 White, 1 Black) adds to the [`piece_key`]; nothing for a
/// king.
#[inline]
pub(crate) fn piece_key_unit(kind: Kind, color: usize) -> u64 {
    match kind {
        Kind::King => 0,
        _ => 1 << (5 * (2 * (kind as usize - 1) + 1 - color)),
    }
}
