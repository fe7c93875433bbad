//! The values of a position for every half-move clock, derived from those of the positions that its
//! moves lead to.

use shakmaty::{Chess, Position};

use crate::error::TableError;
use crate::probe::Value;
use crate::stats::FIFTY_MOVES;
use crate::store::directory::Tables;

/// The values of a position, each with the first clock that has it.
pub(super) type ByClock = Vec<(u8, Value)>;

/// The clock with which a game is over.
const END: u8 = FIFTY_MOVES as u8;

/// Returns the values that follow from the moves; adds their number to `moves`.
pub(super) fn derive(
    position: &Chess,
    tables: &Tables,
    moves: &mut u64,
) -> Result<ByClock, TableError> {
    let legal = position.legal_moves();
    if legal.is_empty() {
        let value = match position.is_check() {
            true => Value::Loss(0),
            false => Value::Draw,
        };
        return Ok(vec![(0, value)]);
    }
    let mut reset = Vec::new();
    let mut quiet: Vec<ByClock> = Vec::new();
    for play in legal {
        *moves += 1;
        let mut next = position.clone();
        next.play_unchecked(play);
        if play.is_zeroing() {
            reset.push(tables.value(&next)?);
        } else {
            quiet.push(tables.values_by_clock(&next)?);
        }
    }
    // A move leads to a clock that is larger by one.
    let steps = quiet
        .iter()
        .flatten()
        .map(|&(clock, _)| clock.saturating_sub(1));
    let mut clocks: Vec<u8> = steps.chain([0]).filter(|&clock| clock < END).collect();
    clocks.sort_unstable();
    clocks.dedup();
    let mut values = ByClock::new();
    for clock in clocks {
        let after = quiet.iter().map(|values| at(values, clock + 1));
        let best = best(after.chain(reset.iter().copied()));
        if values.last().is_none_or(|&(_, value)| value != best) {
            values.push((clock, best));
        }
    }
    if values.last().is_none_or(|&(_, value)| value != Value::Draw) {
        values.push((END, Value::Draw));
    }
    Ok(values)
}

/// The value with a clock.
fn at(values: &ByClock, clock: u8) -> Value {
    let begun = values.iter().take_while(|&&(first, _)| first <= clock);
    begun.last().map_or(Value::Draw, |&(_, value)| value)
}

/// The value of a position from those of the positions after its moves.
fn best(after: impl Iterator<Item = Value>) -> Value {
    let (mut win, mut draw, mut loss) = (None, false, 0);
    for value in after {
        match value {
            Value::Loss(n) => win = Some(win.map_or(n + 1, |best: u16| best.min(n + 1))),
            Value::Draw => draw = true,
            Value::Win(n) => loss = loss.max(n + 1),
        }
    }
    match win {
        Some(n) => Value::Win(n),
        None if draw => Value::Draw,
        None => Value::Loss(loss),
    }
}
