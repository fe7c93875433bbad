//! Checks positions one by one on boards of the shakmaty library, with its legal moves.

use everymove_kernel::parallel;
use everymove_kernel::run::Run;
use shakmaty::{Chess, Color, Position};

use super::by_clock::{self, ByClock};
use super::{Verified, before};
use crate::error::TableError;
use crate::metric::ZeroingMove;
use crate::position::board::{set_up, write_position};
use crate::position::index_space::{IndexSpace, Side};
use crate::position::material::{Half, Material};
use crate::probe::Value;
use crate::store::directory::Tables;
use crate::store::format::BLOCK;

/// Checks every `every`-th index of a half, with either side to move.
pub(super) fn check(
    material: &Material,
    half: &Half,
    tables: &Tables,
    every: usize,
    run: &Run,
) -> Result<Verified, TableError> {
    let mut total = Verified::default();
    let space = tables.space(half);
    let blocks = 0..space.len().div_ceil(BLOCK);
    for to_move in [Side::Attacker, Side::Defender] {
        run.progress
            .start(format!("boards of {half}"), blocks.len() as u64);
        let checker = Checker {
            material,
            tables,
            space: &space,
            to_move,
        };
        let checked = parallel::try_map(
            run,
            blocks.clone(),
            || (),
            |(), block| {
                let numbers = block * BLOCK..((block + 1) * BLOCK).min(space.len());
                let checked = checker.check(numbers, every, run);
                run.progress.advance(1);
                checked
            },
        )?;
        for part in checked {
            total.add(part);
        }
    }
    Ok(total)
}

/// Values with the half-move clocks from which on they are those of a position.
fn shown(values: &ByClock) -> String {
    let each = values.iter().map(|(clock, value)| match clock {
        0 => format!("{value:?}"),
        clock => format!("{value:?} from a clock of {clock} on"),
    });
    each.collect::<Vec<_>>().join(", ")
}

struct Checker<'a> {
    material: &'a Material,
    tables: &'a Tables,
    space: &'a IndexSpace,
    to_move: Side,
}

impl Checker<'_> {
    fn check(
        &self,
        numbers: std::ops::Range<usize>,
        every: usize,
        run: &Run,
    ) -> Result<Verified, TableError> {
        let mut verified = Verified::default();
        let first = numbers.start.next_multiple_of(every);
        for number in (first..numbers.end).step_by(every) {
            let Some(position) = set_up(self.space, number, Color::White, self.to_move) else {
                continue;
            };
            if number % 1024 == 0 {
                run.stop.check()?;
            }
            verified.positions += 1;
            let moves = &mut verified.moves;
            let (found, expected) = match self.tables.metric().depends_on_clock() {
                true => (
                    self.tables.values_by_clock(&position)?,
                    by_clock::derive(&position, self.tables, moves)?,
                ),
                false => (
                    vec![(0, self.tables.value(&position)?)],
                    vec![(0, self.derive(&position, moves)?)],
                ),
            };
            if found != expected {
                let (found, expected) = (shown(&found), shown(&expected));
                let what = format!(
                    "{} is stored as {found}, but its moves make it {expected}",
                    write_position(&position)
                );
                return Err(TableError::wrong(&self.tables.path(self.material), what));
            }
        }
        Ok(verified)
    }

    fn derive(&self, position: &Chess, moves: &mut u64) -> Result<Value, TableError> {
        let legal = position.legal_moves();
        if legal.is_empty() {
            return Ok(if position.is_check() {
                Value::Loss(0)
            } else {
                Value::Draw
            });
        }
        let (mut win, mut draw, mut loss) = (None, false, 0);
        for play in legal {
            *moves += 1;
            let mut next = position.clone();
            next.play_unchecked(play);
            let by = ZeroingMove::of(play);
            match self.tables.value(&next)? {
                Value::Loss(n) => {
                    let n = before(self.tables.metric(), n, by);
                    win = Some(win.unwrap_or(n).min(n));
                }
                Value::Draw => draw = true,
                Value::Win(n) => {
                    loss = loss.max(before(self.tables.metric(), n, by));
                }
            }
        }
        Ok(match win {
            Some(n) => Value::Win(n),
            None if draw => Value::Draw,
            None => Value::Loss(loss),
        })
    }
}
