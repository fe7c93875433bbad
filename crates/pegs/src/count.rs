//! Counts of solutions and of games, and the odds of random play.
//!
//! Every number of a position is a sum over its jumps of the numbers of the positions they lead to, so one
//! pass from the last layer to the first finds them all. Additions stick at the largest value instead of
//! wrapping, and a result there is reported as an overflow, so no wrong number can come out.

use everymove_kernel::run::{OverBudget, Run, Work};

use crate::checkpoint::{Checkpoint, SaveTimer};
use crate::error::PegError;
use crate::layers::estimate::Sizes;
use crate::layers::layout::index;
use crate::layers::values::{LayerValues, Recurrence, values_from_successors};
use crate::layers::{Layer, Steps};
use crate::position::Position;
use crate::problem::Problem;
use crate::reach::{ReachPlan, stored_reach};
use crate::reached::{Reach, class_symmetries};
use crate::step_table::with_width;
use crate::symmetry::Symmetry;
use crate::winning::WinningSet;

/// The files of a checkpoint with the numbers of the last layer that was counted.
const SOLUTIONS_FILE: &str = "solutions.pegs";
const GAMES_FILE: &str = "games.pegs";

/// How many ways there are to solve a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solutions {
    /// Ordered sequences of jumps from the start to the finish.
    pub solutions: u128,
    /// Winning positions after each number of jumps, up to the problem's symmetries.
    pub winning: Vec<u64>,
    /// Those of them from which there is exactly one solution.
    pub unique: Vec<u64>,
    /// What it cost: see [`WinningSet::work`].
    pub work: Work,
}

/// Counts the solutions of a problem.
///
/// # Errors
/// [`PegError::OverBudget`], [`PegError::Stopped`], [`PegError::Overflow`] above 2^128 - 2 solutions.
pub fn count_solutions(problem: &Problem, run: &Run) -> Result<Solutions, PegError> {
    WinningSet::new(problem, run)?.count_solutions(run)
}

impl WinningSet {
    /// Counts the solutions of the problem.
    ///
    /// # Errors
    /// As [`count_solutions`].
    pub fn count_solutions(&self, run: &Run) -> Result<Solutions, PegError> {
        self.count_solutions_kept(None, run)
    }

    /// The same; with a checkpoint, the numbers of the last layer that was counted are kept in a file.
    ///
    /// # Errors
    /// As [`count_solutions`]; [`PegError::File`] and [`PegError::OtherQuestion`] of the checkpoint.
    pub(crate) fn count_solutions_kept(
        &self,
        checkpoint: Option<Checkpoint<'_>>,
        run: &Run,
    ) -> Result<Solutions, PegError> {
        let mut unique: Vec<u64> = Vec::with_capacity(self.layers.len());
        let mut solutions = 0;
        let question = format!("{}, solutions", self.problem());
        let mut begun = None;
        if let Some(checkpoint) = checkpoint
            && let Some(saved) = checkpoint.open_values(SOLUTIONS_FILE, &question)?
        {
            let numbers = saved.notes.split_whitespace().map(str::parse);
            unique = (numbers.collect::<Result<_, _>>())
                .map_err(|_| saved.damaged("its counts are not numbers"))?;
            let at = self.layers.len().checked_sub(unique.len());
            let at = at.filter(|&at| at < self.layers.len());
            let at = at.ok_or_else(|| saved.damaged("it has another number of layers"))?;
            let mut counts = LayerValues::new(&self.layers[at], &run.ram)?;
            saved.values(&mut counts.values, u128::from_le_bytes)?;
            solutions = counts.values.first().copied().unwrap_or(0);
            begun = Some((at, counts));
        }
        let mut timer = SaveTimer::new();
        let visit = |counts: &LayerValues<u128>| {
            unique.push(counts.values.iter().filter(|&&count| count == 1).count() as u64);
            solutions = counts.values.first().copied().unwrap_or(0);
            match checkpoint {
                Some(checkpoint) if timer.is_due(checkpoint.worth) => timer.save(|| {
                    let notes: Vec<String> = unique.iter().map(u64::to_string).collect();
                    let (name, values) = (SOLUTIONS_FILE, &counts.values);
                    checkpoint.save_values(
                        name,
                        &question,
                        &notes.join(" "),
                        values,
                        u128::to_le_bytes,
                    )
                }),
                _ => Ok(()),
            }
        };
        self.each_count(begun, run, visit, |_, _| ())?;
        if solutions == u128::MAX {
            return Err(PegError::Overflow { what: "solutions" });
        }
        unique.reverse();
        Ok(Solutions {
            solutions,
            winning: self.sizes().to_vec(),
            unique,
            work: self.work().clone(),
        })
    }

    /// Passes the number of solutions of every winning position, from the last layer to the first: to `visit` as soon
    /// as those of a layer are known, to `receive` when the next layer's are known. A number of [`u128::MAX`] means
    /// that or more. With `begun`, a layer and its numbers, it begins with the layer before that one.
    pub(crate) fn each_count(
        &self,
        begun: Option<(usize, LayerValues<u128>)>,
        run: &Run,
        mut visit: impl FnMut(&LayerValues<u128>) -> Result<(), PegError>,
        mut receive: impl FnMut(&Layer, LayerValues<u128>),
    ) -> Result<(), PegError> {
        run.progress
            .start("counting solutions", self.layers.len() as u64);
        let left = begun.as_ref().map_or(self.layers.len(), |(at, _)| *at);
        run.progress.advance((self.layers.len() - left) as u64);
        with_width!(self.problem().board(), W => {
            let steps = Steps::<W>::jumps(self.class_layers.split());
            let mut below: Option<(&Layer, LayerValues<u128>)> =
                begun.map(|(at, counts)| (&self.layers[at], counts));
            for layer in self.layers[..left].iter().rev() {
                let from = below.as_ref().map(|(layer, numbers)| (*layer, numbers));
                let rule = SolutionCount { is_last: below.is_none() };
                let counts = values_from_successors(&self.class_layers, layer, &steps, from, &rule, run)?;
                run.progress.advance(1);
                visit(&counts)?;
                if let Some((layer, counts)) = below.replace((layer, counts)) {
                    receive(layer, counts);
                }
            }
            if let Some((layer, counts)) = below {
                receive(layer, counts);
            }
            Ok(())
        })
    }
}

/// The number of solutions from every winning position of a set.
pub struct SolutionCounts<'a> {
    set: &'a WinningSet,
    /// For each layer, from the start.
    numbers: Vec<LayerValues<u128>>,
}

impl<'a> SolutionCounts<'a> {
    /// Counts the solutions from every position of a set and keeps the counts, 16 bytes each.
    ///
    /// # Errors
    /// As [`count_solutions`].
    pub fn new(set: &'a WinningSet, run: &Run) -> Result<Self, PegError> {
        let bytes = 16 * set.positions();
        run.ram
            .require("the number of solutions of every winning position", bytes)?;
        let mut numbers = Vec::with_capacity(set.layers.len());
        set.each_count(None, run, |_| Ok(()), |_, counts| numbers.push(counts))?;
        numbers.reverse();
        let counts = Self { set, numbers };
        // No position has more solutions than the start, so the number of the start shows whether any overflowed.
        match counts.of(set.problem().start()) {
            Some(u128::MAX) => Err(PegError::Overflow { what: "solutions" }),
            _ => Ok(counts),
        }
    }

    /// The same; `None` where the counts do not fit the budget or 128 bits.
    ///
    /// # Errors
    /// [`PegError::Stopped`].
    pub fn if_they_fit(set: &'a WinningSet, run: &Run) -> Result<Option<Self>, PegError> {
        match Self::new(set, run) {
            Ok(counts) => Ok(Some(counts)),
            Err(PegError::OverBudget(_) | PegError::Overflow { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The number of solutions from a position; `None` if it is not winning.
    pub fn of(&self, position: Position) -> Option<u128> {
        let layer = self.set.layer_of(position)?;
        let jumps = self.set.problem().start().pegs() - position.pegs();
        let index = layer.index(self.set.class_layers.split(), position);
        self.numbers[jumps].of(layer, index).copied()
    }
}

/// Solutions: one at the finish, elsewhere the sum.
struct SolutionCount {
    is_last: bool,
}

impl Recurrence for SolutionCount {
    type Value = u128;
    type Sum = u128;

    #[inline(always)]
    fn add(&self, sum: &mut u128, child: &u128) {
        *sum = sum.saturating_add(*child);
    }

    #[inline(always)]
    fn value(&self, sum: u128, _: usize) -> u128 {
        if self.is_last { 1 } else { sum }
    }
}

/// How games from a start end.
#[derive(Clone, Debug)]
pub struct Games {
    /// Ordered sequences of jumps to a position without a jump.
    pub games: u128,
    /// Those that reach the finish. With a finish of one peg these are the solutions.
    pub solutions: u128,
    /// The probability of reaching the finish if every jump is drawn uniformly.
    pub odds: f64,
    /// The positions that were reached.
    pub reach: Reach,
}

/// Counts all games from a problem's start: every reachable position is visited, and kept until the end.
///
/// # Errors
/// [`PegError::OverBudget`] before any work if the layers do not fit, [`PegError::Stopped`], [`PegError::Overflow`]
/// above 2^128 - 2 games.
pub fn count_games(problem: &Problem, run: &Run) -> Result<Games, PegError> {
    count_games_kept(problem, None, run)
}

/// About the bytes of the numbers of two layers, known before the positions are: on the boards that were counted, up to half of
/// the places of a layer are positions that can be reached.
fn likely_bytes(problem: &Problem, group: &[Symmetry]) -> u64 {
    let (board, start) = (problem.board(), problem.start());
    let sizes = Sizes::new(board, group, board.class(start));
    let places = sizes.map_or(0, |sizes| 8 * sizes.largest(1..=start.pegs()));
    places.saturating_mul(size_of::<Chance>() as u64)
}

/// Refuses numbers of positions that will not fit, before the first is counted. Two layers have numbers at a time; those after
/// them are not needed any more.
fn require_numbers(layers: &[Layer], run: &Run) -> Result<(), OverBudget> {
    let bytes = |layer: &Layer| {
        let ones = layer.words.iter().map(|word| u64::from(word.count_ones()));
        ones.sum::<u64>() * size_of::<Chance>() as u64 + 4 * layer.words.len() as u64 + 4
    };
    let (mut most, mut freed, mut below) = (0u64, 0, 0);
    for pair in (0..layers.len()).rev() {
        let numbers = bytes(&layers[pair]);
        most = most.max((numbers + below).saturating_sub(freed));
        if let Some(after) = layers.get(pair + 1) {
            freed += after.layout.bytes();
        }
        below = numbers;
    }
    run.ram.require("counting games", most)
}

/// The same; with a checkpoint, the layers of positions are kept in files.
///
/// # Errors
/// As [`count_games`]; [`PegError::File`] and [`PegError::OtherQuestion`] of the checkpoint.
pub(crate) fn count_games_kept(
    problem: &Problem,
    checkpoint: Option<Checkpoint<'_>>,
    run: &Run,
) -> Result<Games, PegError> {
    let (board, start) = (problem.board(), problem.start());
    let targets = problem.targets();
    // A symmetry that moves the finish keeps the number of games, but not that of solutions.
    let all = class_symmetries(board, start);
    let keeps = |symmetry: &&Symmetry| {
        let image = |&target: &Position| targets.contains(&symmetry.position(target));
        targets.iter().all(image)
    };
    let group: Vec<Symmetry> = all.iter().filter(keeps).cloned().collect();
    let stored = stored_reach(board, start, &group, checkpoint, run);
    let (class_layers, layers, mut reach) = stored.map_err(|error| match error {
        PegError::OverBudget(over) => {
            let need = over.need.saturating_add(likely_bytes(problem, &group));
            over.at_least(need).into()
        }
        other => other,
    })?;
    require_numbers(&layers, run)?;
    if group.len() < all.len() {
        let mut plan = ReachPlan::new(board, start);
        if let Some(checkpoint) = checkpoint {
            plan = plan.checkpoint(checkpoint);
        }
        reach = plan.reach(run)?;
    }
    let split = class_layers.split();
    run.progress.start("counting games", layers.len() as u64);
    let question = format!("{problem}, games");
    let mut layers = layers;
    let mut below: Option<(Layer, LayerValues<Chance>)> = None;
    if let Some(checkpoint) = checkpoint
        && let Some(saved) = checkpoint.open_values(GAMES_FILE, &question)?
    {
        let at = saved.notes.trim().parse::<usize>().ok();
        let at = at.filter(|&at| at < layers.len());
        let at = at.ok_or_else(|| saved.damaged("it is of another layer"))?;
        run.progress.advance((layers.len() - at) as u64);
        layers.truncate(at + 1);
        if let Some(layer) = layers.pop() {
            let mut chances = LayerValues::new(&layer, &run.ram)?;
            saved.values(&mut chances.values, Chance::from_bytes)?;
            below = Some((layer, chances));
        }
    }
    let mut timer = SaveTimer::new();
    let first: Chance = with_width!(problem.board(), W => {
        let steps = Steps::<W>::jumps(split);
        while let Some(layer) = layers.pop() {
            let wins = targets.iter().filter(|target| target.pegs() == layer.pegs());
            let rule = GameCount {
                wins: wins.map(|&target| index(&layer.layout, split, target)).collect(),
            };
            let from = below.as_ref().map(|(layer, numbers)| (layer, numbers));
            let chances = values_from_successors(&class_layers, &layer, &steps, from, &rule, run)?;
            run.progress.advance(1);
            if let Some(checkpoint) = checkpoint
                && timer.is_due(checkpoint.worth)
            {
                // The layers that are left are those before this one.
                let notes = layers.len().to_string();
                let values = &chances.values;
                timer.save(|| checkpoint.save_values(GAMES_FILE, &question, &notes, values, Chance::to_bytes))?;
            }
            below = Some((layer, chances));
        }
        below.map(|(_, chances)| chances.values[0]).unwrap_or_default()
    });
    if first.games == u128::MAX {
        return Err(PegError::Overflow { what: "games" });
    }
    Ok(Games {
        games: first.games,
        solutions: first.solutions,
        odds: first.odds,
        reach,
    })
}

/// How games from a position end.
#[derive(Clone, Copy, Debug, Default)]
struct Chance {
    games: u128,
    solutions: u128,
    odds: f64,
}

/// Bytes of a [`Chance`] in a file.
const CHANCE: usize = 40;

impl Chance {
    /// Games, solutions and odds, little-endian.
    fn to_bytes(self) -> [u8; CHANCE] {
        let mut bytes = [0; CHANCE];
        bytes[..16].copy_from_slice(&self.games.to_le_bytes());
        bytes[16..32].copy_from_slice(&self.solutions.to_le_bytes());
        bytes[32..].copy_from_slice(&self.odds.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: [u8; CHANCE]) -> Self {
        let [games, solutions] = bytes.as_chunks::<16>().0 else {
            return Self::default();
        };
        let odds = bytes.last_chunk::<8>().copied().unwrap_or_default();
        Self {
            games: u128::from_le_bytes(*games),
            solutions: u128::from_le_bytes(*solutions),
            odds: f64::from_le_bytes(odds),
        }
    }
}

/// Games: one at a dead end, elsewhere the sum; odds: the mean.
struct GameCount {
    /// Indexes of the finishes in the layer.
    wins: Vec<usize>,
}

impl Recurrence for GameCount {
    type Value = Chance;
    type Sum = (Chance, u32);

    #[inline(always)]
    fn add(&self, (sum, jumps): &mut (Chance, u32), child: &Chance) {
        sum.games = sum.games.saturating_add(child.games);
        sum.solutions = sum.solutions.saturating_add(child.solutions);
        sum.odds += child.odds;
        *jumps += 1;
    }

    #[inline(always)]
    fn value(&self, (sum, jumps): (Chance, u32), index: usize) -> Chance {
        let games = if jumps == 0 { 1 } else { sum.games };
        if self.wins.contains(&index) {
            return Chance {
                games,
                solutions: 1,
                odds: 1.0,
            };
        }
        let odds = if jumps == 0 {
            0.0
        } else {
            sum.odds / f64::from(jumps)
        };
        Chance {
            games,
            solutions: sum.solutions,
            odds,
        }
    }
}

#[cfg(test)]
mod tests {
    use everymove_kernel::run::Ram;

    use super::*;
    use crate::board::Board;

    /// The budget that the first refusal names is enough.
    #[test]
    fn the_first_refusal_names_enough() {
        for (board, start) in [
            ("triangle5", "a5"),
            ("triangle6", "a6"),
            ("square5x5", "c3"),
            ("square4x6", "c2"),
            ("square3x8", "d2"),
        ] {
            let named = Board::named(board).unwrap();
            let problem = Problem::vacate(&named, start, None).unwrap();
            let within = |ram| count_games(&problem, &Run::new(2, Ram::limited(ram)));
            let Err(PegError::OverBudget(refused)) = within(1 << 10) else {
                panic!("{board} fits a kilobyte")
            };
            within(refused.need).unwrap_or_else(|error| panic!("{board}: {error}"));
        }
    }
}
