//! Compares plies to mate with and without the fifty-move rule.

use everymove_kernel::run::Run;

use crate::error::TableError;
use crate::metric::Metric;
use crate::position::index_space::Side;
use crate::position::material::{Half, Material};
use crate::stats::{Counting, count_codes};
use crate::store::Tables;
use crate::store::clock_steps::ClockSteps;
use crate::store::locate::{FUNCTIONS, clock_steps};

/// What the fifty-move rule makes of the wins, or of the losses, with one side to move, by number
/// of positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// The same plies to mate with every half-move clock with which the position is won or lost.
    pub same: u64,
    /// The same plies with a clock of 0, more with a larger one.
    pub longer_with_clock: u64,
    /// More plies, with a clock of 0 already.
    pub longer: u64,
    /// Drawn, with a clock of 0 already.
    pub drawn: u64,
}

/// What the fifty-move rule changes of an ending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Wins with White, the stronger side, to move.
    pub white_wins: Differences,
    /// Losses with Black to move.
    pub black_losses: Differences,
    /// Wins with Black to move.
    pub black_wins: Differences,
    /// Losses with White to move.
    pub white_losses: Differences,
}

/// Compares the tables that a directory has of an ending.
///
/// # Errors
/// [`TableError::Wrong`] if the tables contradict each other: the rule makes no mate quicker, and
/// delays none that takes at most 100 plies. [`TableError`] if a table is missing or damaged, or
/// the run is stopped.
pub fn compare(
    material: &Material,
    mate: &Tables,
    fifty: &Tables,
    counting: Counting,
    run: &Run,
) -> Result<Compared, TableError> {
    for (tables, metric) in [(mate, Metric::Mate), (fifty, Metric::MateFifty)] {
        if tables.metric() != metric {
            let what = format!("expected a table of {metric}");
            return Err(TableError::wrong(&tables.path(material), what));
        }
    }
    let mut compared = Compared::default();
    for (number, half) in material.halves().iter().enumerate() {
        let of = |to_move| compare_half(half, to_move, mate, fifty, counting, run);
        let (wins, losses) = (of(Side::Attacker)?, of(Side::Defender)?);
        if number == 0 {
            (compared.white_wins, compared.black_losses) = (wins, losses);
        }
        if number == 1 || material.is_symmetric() {
            (compared.black_wins, compared.white_losses) = (wins, losses);
        }
    }
    Ok(compared)
}

/// A class of positions, as a code.
#[derive(Clone, Copy)]
enum Class {
    Unforced,
    Same,
    LongerWithClock,
    Longer,
    Drawn,
    Contradiction,
}

fn compare_half(
    half: &Half,
    to_move: Side,
    mate: &Tables,
    fifty: &Tables,
    counting: Counting,
    run: &Run,
) -> Result<Differences, TableError> {
    let (mate, mate_section) = mate.section(half, to_move)?;
    let (reader, section) = fifty.section(half, to_move)?;
    let steps = clock_steps(&reader, section)?;
    // The largest code of a mate within 100 plies: 50 moves of the attacker, from where either side
    // is to move.
    let within = match to_move {
        Side::Attacker => 50,
        Side::Defender => 51,
    };
    let class = |mate: u16, code: u16, number: u16| match (mate, code) {
        (0, 0) => Class::Unforced,
        _ if mate == 0 || (code != 0 && code < mate) => Class::Contradiction,
        _ if mate <= within && code != mate => Class::Contradiction,
        (_, 0) => Class::Drawn,
        _ if code > mate => Class::Longer,
        _ => match steps.code(code, number, last_clock(&steps, code, number)) {
            Some(last) if last == code => Class::Same,
            Some(_) => Class::LongerWithClock,
            None => Class::Contradiction,
        },
    };
    let classes = |block| {
        let mates = mate.block(mate_section, block)?;
        let codes = reader.block(section, block)?;
        let numbers = reader.block(section + FUNCTIONS, block)?;
        let all = mates.iter().zip(codes).zip(numbers);
        Ok(all
            .map(|((&mate, code), number)| class(mate, code, number) as u16)
            .collect())
    };
    run.progress
        .start(format!("comparing {half}"), reader.blocks(section) as u64);
    let counts = count_codes(half, to_move, fifty, counting, run, classes)?;
    let count = |class: Class| counts.get(&(class as u16)).copied().unwrap_or(0);
    if count(Class::Contradiction) > 0 {
        let what =
            format!("it contradicts the plies to mate of {half} without the fifty-move rule");
        return Err(TableError::wrong(&fifty.path(&half.material()), what));
    }
    Ok(Differences {
        same: count(Class::Same),
        longer_with_clock: count(Class::LongerWithClock),
        longer: count(Class::Longer),
        drawn: count(Class::Drawn),
    })
}

/// Returns the largest clock with which something is forced still.
fn last_clock(steps: &ClockSteps, code: u16, number: u16) -> u8 {
    let clocks = (0..=ClockSteps::END).rev();
    let mut forced = clocks.filter(|&clock| steps.code(code, number, clock) != Some(0));
    forced.next().unwrap_or(0)
}
