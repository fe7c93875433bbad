//! The distances of a subspace for each clock, one layer after the other.
//!
//! Wins are kept as 255 less their code, losses as their code or 255. Then both sides minimise: the
//! attacker to move chooses the least code of a loss, the defender to move the least complement of
//! a win. Illegal positions have the neutral value 255 on either side: no move leads to
//! them. Illegal moves need no further attention.

use everymove_kernel::parallel;
use everymove_kernel::run::Run;

use super::functions::{Extended, FunctionId, Functions, NEVER, TooManyFunctions};
use super::row::{NEUTRAL, Row, merge, merge_except, merge_moves, merge_turned};
use crate::error::TableError;
use crate::generate::conversions::Conversions;
use crate::position::geometry::squares;
use crate::position::index_space::Side;
use crate::position::subspace::{Placement, Reflections, Subspace};
use crate::store::clock_steps::ClockSteps;

/// The largest code that is stored: the next is one more, and 255 has another meaning.
const MOST_CODE: u8 = 253;
/// Words that a thread takes at a time.
const STRETCH: usize = 256;

/// The layer of a clock of a subspace.
pub(super) struct Layers<'a> {
    subspace: &'a Subspace,
    conversions: &'a Conversions,
    /// With the attacker to move: 255 less the code of a win, 0 where none is forced.
    wins: Vec<Row>,
    /// With the defender to move: the code of a loss, 255 where none is forced.
    losses: Vec<Row>,
    /// Room for the losses of the next layer.
    next: Vec<Row>,
    /// With the defender to move: the least complement of a win that a capture or pawn move leads
    /// to; 0 if one escapes, 255 if there is none.
    bounds: Vec<Row>,
}

/// A subspace with all its layers.
pub(super) struct Solved {
    /// By side to move: codes with a clock of 0, 0 where nothing is forced.
    pub(super) codes: [Vec<u8>; 2],
    /// By side to move: the step functions.
    pub(super) functions: [Vec<FunctionId>; 2],
}

/// Why a subspace cannot be solved.
#[derive(Debug)]
pub(super) enum Unsolved {
    Stopped(everymove_kernel::run::Stopped),
    /// A code does not fit.
    TooDeep,
    TooManyFunctions,
}

impl From<everymove_kernel::run::Stopped> for Unsolved {
    fn from(stopped: everymove_kernel::run::Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

impl From<TooManyFunctions> for Unsolved {
    fn from(_: TooManyFunctions) -> Self {
        Self::TooManyFunctions
    }
}

impl Unsolved {
    /// The error of a half.
    pub(super) fn of(self, half: impl ToString) -> TableError {
        let half = half.to_string();
        match self {
            Self::Stopped(stopped) => stopped.into(),
            Self::TooDeep => TableError::TooDeep { half },
            Self::TooManyFunctions => TableError::TooManyFunctions { half },
        }
    }
}

/// Bytes for each index of a subspace while it is solved, without the functions.
pub(super) const LAYER_BYTES: u64 = 4;
/// Bytes for each index of the functions of both sides.
pub(super) const FUNCTION_BYTES: u64 = 2 * size_of::<FunctionId>() as u64;

/// Computes all layers of a subspace; `functions` are those of the attacker and of the defender to
/// move.
pub(super) fn solve(
    subspace: &Subspace,
    conversions: &Conversions,
    functions: &[Functions; 2],
    run: &Run,
) -> Result<Solved, Unsolved> {
    let words = subspace.words;
    let mut found = [(); 2].map(|()| vec![[NEVER; 64]; words]);
    let mut layers = Layers::new(subspace, conversions, run)?;
    layers.mates(&functions[1], &mut found[1], run)?;
    for clock in (0..ClockSteps::END).rev() {
        run.progress.advance(1);
        let losses = layers.next_losses(clock, &functions[1], &mut found[1], run)?;
        let wins = layers.next_wins(clock, &functions[0], &mut found[0], run)?;
        std::mem::swap(&mut layers.losses, &mut layers.next);
        if losses + wins == 0 {
            // So the layers of all smaller clocks are the same.
            run.progress.advance(clock.into());
            break;
        }
    }
    let Layers { wins, losses, .. } = layers;
    let wins = wins.into_flattened().into_iter();
    let losses = losses.into_flattened().into_iter();
    let no_loss = |code| if code == NEUTRAL { 0 } else { code };
    Ok(Solved {
        // Illegal positions have the complement 255 of no win.
        codes: [
            wins.map(|rest| no_loss(NEUTRAL - rest)).collect(),
            losses.map(no_loss).collect(),
        ],
        functions: found.map(Vec::into_flattened),
    })
}

impl<'a> Layers<'a> {
    /// Returns the layer of clock 100 without its mates.
    fn new(
        subspace: &'a Subspace,
        conversions: &'a Conversions,
        run: &Run,
    ) -> Result<Self, Unsolved> {
        let rows = || vec![[NEUTRAL; 64]; subspace.words];
        let mut layers = Self {
            subspace,
            conversions,
            wins: rows(),
            losses: rows(),
            next: rows(),
            bounds: rows(),
        };
        let stretches = layers.wins.chunks_mut(STRETCH);
        let stretches = (0..)
            .step_by(STRETCH)
            .zip(stretches.zip(layers.bounds.chunks_mut(STRETCH)));
        parallel::for_each(
            run,
            stretches,
            || (),
            |(), (first, (wins, bounds))| {
                for (word, (wins, bounds)) in (first..).zip(wins.iter_mut().zip(bounds)) {
                    let Some(placed) = subspace.placement(word) else {
                        *bounds = [0; 64];
                        continue;
                    };
                    for square in squares(legal(subspace, &placed, Side::Attacker)) {
                        wins[usize::from(square)] = 0;
                    }
                    let legal = legal(subspace, &placed, Side::Defender);
                    let row = conversions.row(subspace, &placed, Side::Defender, legal);
                    for (square, bound) in bounds.iter_mut().enumerate() {
                        *bound = match row.codes[square] {
                            _ if legal >> square & 1 == 0 => 0,
                            0 => NEUTRAL,
                            NEUTRAL => 0,
                            // A loss of code c has a best move to a win of code c - 1.
                            code => NEUTRAL - (code - 1),
                        };
                    }
                }
            },
        )?;
        Ok(layers)
    }

    /// Finds the mates, which are losses whatever the clock, and notes stalemates as moves that
    /// escape.
    fn mates(
        &mut self,
        functions: &Functions,
        found: &mut [FunctionRow],
        run: &Run,
    ) -> Result<(), Unsolved> {
        let (subspace, wins) = (self.subspace, &self.wins);
        for_words(
            subspace,
            &mut self.bounds,
            found,
            run,
            |at, bounds, found| {
                let best = quiet(*bounds, subspace, &at, Side::Defender, wins);
                let without_move = (0..64).filter(|&square| best[square] == NEUTRAL);
                let mut in_check = None;
                for square in without_move {
                    let in_check = in_check
                        .get_or_insert_with(|| subspace.king_attacked(at.placed, Side::Defender));
                    if *in_check >> square & 1 == 0 {
                        bounds[square] = 0;
                    } else {
                        let mate = functions.extend(NEVER, ClockSteps::END, 1, at.extended)?;
                        found[square] = mate;
                    }
                }
                Ok(0)
            },
        )?;
        let losses = self.losses.as_flattened_mut().iter_mut();
        for (loss, _) in losses
            .zip(found.as_flattened())
            .filter(|(_, found)| **found != NEVER)
        {
            *loss = 1;
        }
        Ok(())
    }

    /// Computes the losses of a layer from the wins of the layer before; returns how many changed.
    fn next_losses(
        &mut self,
        clock: u8,
        functions: &Functions,
        found: &mut [FunctionRow],
        run: &Run,
    ) -> Result<u64, Unsolved> {
        let (subspace, wins, before, bounds) =
            (self.subspace, &self.wins, &self.losses, &self.bounds);
        for_words(subspace, &mut self.next, found, run, |at, next, found| {
            let best = quiet(bounds[at.word], subspace, &at, Side::Defender, wins);
            for (next, best) in next.iter_mut().zip(&best) {
                *next = (NEUTRAL - best).saturating_add(1);
            }
            record(&before[at.word], next, found, |above, code| {
                Ok(functions.extend(above, clock, code, at.extended)?)
            })
        })
    }

    /// Computes the wins of a layer from the losses of the layer before; returns how many changed.
    fn next_wins(
        &mut self,
        clock: u8,
        functions: &Functions,
        found: &mut [FunctionRow],
        run: &Run,
    ) -> Result<u64, Unsolved> {
        let (subspace, conversions, losses) = (self.subspace, self.conversions, &self.losses);
        for_words(subspace, &mut self.wins, found, run, |at, wins, found| {
            let mut best = quiet([NEUTRAL; 64], subspace, &at, Side::Attacker, losses);
            if clock == ClockSteps::END - 1 {
                // Captures and pawn moves win as fast whatever the clock: the minimum includes them
                // from here on.
                let legal = legal(subspace, at.placed, Side::Attacker);
                let row = conversions.row(subspace, at.placed, Side::Attacker, legal);
                merge(&mut best, &row.codes);
            }
            let before = wins.map(|rest| NEUTRAL - rest);
            let next: Row = std::array::from_fn(|i| match wins[i] {
                // Illegal.
                NEUTRAL => 0,
                _ => before[i].min(best[i]),
            });
            for (wins, code) in wins.iter_mut().zip(&next) {
                *wins = NEUTRAL - code;
            }
            record(&before, &next, found, |above, code| {
                Ok(functions.extend(above, clock, code, at.extended)?)
            })
        })
    }
}

/// The functions of a word, by square of the word piece.
type FunctionRow = [FunctionId; 64];

/// A word of a subspace without two pieces on one square.
struct AtWord<'a> {
    word: usize,
    placed: &'a Placement,
    extended: &'a mut Extended,
}

/// Calls `work` with each word of a subspace, its row of `rows` and its functions; returns the sum
/// of its results.
fn for_words(
    subspace: &Subspace,
    rows: &mut [Row],
    found: &mut [FunctionRow],
    run: &Run,
    work: impl Fn(AtWord<'_>, &mut Row, &mut FunctionRow) -> Result<u64, Unsolved> + Sync,
) -> Result<u64, Unsolved> {
    let stretches = rows.chunks_mut(STRETCH).zip(found.chunks_mut(STRETCH));
    let stretches = (0..).step_by(STRETCH).zip(stretches);
    let start = || (Extended::default(), 0);
    let threads =
        parallel::try_for_each(run, stretches, start, |state, (first, (rows, found))| {
            let (extended, sum) = state;
            for (word, (row, found)) in (first..).zip(rows.iter_mut().zip(found)) {
                if let Some(placed) = &subspace.placement(word) {
                    let at = AtWord {
                        word,
                        placed,
                        extended,
                    };
                    *sum += work(at, row, found)?;
                }
            }
            Ok::<_, Unsolved>(())
        })?;
    Ok(threads.iter().map(|(_, sum)| sum).sum())
}

/// Returns the squares of the word piece for which a position is legal with a side to move.
fn legal(subspace: &Subspace, placed: &Placement, to_move: Side) -> u64 {
    !placed.occupied & !subspace.king_attacked(placed, to_move.other())
}

/// Returns a row with the values of the positions that a side's quiet moves lead to merged into it.
#[inline]
fn quiet(mut best: Row, subspace: &Subspace, at: &AtWord<'_>, side: Side, values: &[Row]) -> Row {
    let AtWord { word, placed, .. } = *at;
    for piece in subspace.pieces(side) {
        if piece == subspace.word_piece() {
            let kind = subspace.piece(piece).kind;
            merge_moves(&mut best, kind, &values[word], placed.occupied);
            continue;
        }
        subspace.steps(
            word,
            placed,
            piece,
            Reflections::One,
            |to, path, symmetry| {
                let values = &values[to];
                if symmetry != 0 {
                    merge_turned(&mut best, values, symmetry);
                } else if path & (path - 1) == 0 {
                    // The word piece cannot be on the only square of the path: that position is
                    // illegal.
                    merge(&mut best, values);
                } else {
                    merge_except(&mut best, values, path);
                }
            },
        );
    }
    best
}

/// Extends the functions of the positions whose code changed; returns how many.
#[inline]
fn record(
    before: &Row,
    after: &Row,
    found: &mut FunctionRow,
    mut extend: impl FnMut(FunctionId, u8) -> Result<FunctionId, Unsolved>,
) -> Result<u64, Unsolved> {
    if before == after {
        return Ok(0);
    }
    let mut changes = 0;
    for square in 0..64 {
        let code = after[square];
        if before[square] != code {
            if code > MOST_CODE {
                return Err(Unsolved::TooDeep);
            }
            found[square] = extend(found[square], code)?;
            changes += 1;
        }
    }
    Ok(changes)
}
