//! Counts of solutions and of games, and the odds of random play.
//!
//! Every number of a position is a sum over its jumps of the numbers of the positions they lead to,
//! so one pass from the last layer to the first finds them all. Additions stick at the largest
//! value instead of wrapping, and a result there is reported as an overflow, so no wrong number can
//! come out.

use std::sync::Arc;

use everymove_kernel::run::{OverBudget, Run, Work};

use crate::bidirectional::{complete, find_winning};
use crate::error::PegError;
use crate::forecast::Sizes;
use crate::layers::Steps;
use crate::layers::layout::{Layer, index};
use crate::layers::values::{LayerValues, Recurrence};
use crate::position::Position;
use crate::problem::Problem;
use crate::reach::{Reach, reach_in, reached_layers};
use crate::step_table::with_width;
use crate::store::file::Row;
use crate::store::{Folders, LayerFiles, LayersIn, Question, Store, StoredLayer, StoredValues};
use crate::symmetry::Symmetry;
use crate::winning::WinningSet;

/// Computes the numbers of the positions of layers, from the last layer to the first, which holds
/// one position: its number and the notes of its numbers. `rule` is that of a layer, the last if
/// that is said; `note` takes numbers into the first of the notes of their layer, which are
/// followed by those of the layer below. `receive` gets the numbers of a layer when those of
/// the layer before it are known.
///
/// # Errors
/// [`PegError::OverBudget`], [`PegError::Stopped`], [`PegError::File`],
/// [`PegError::OverDisk`].
fn count_backwards<R: Recurrence<Value: Row>>(
    store: &mut Store<'_>,
    mut layers: Vec<StoredLayer>,
    name: &str,
    rule: impl Fn(&StoredLayer, bool) -> R,
    note: impl Fn(&[R::Value]) -> u64,
    mut receive: impl FnMut(&StoredLayer, StoredValues<R::Value>),
) -> Result<(R::Value, Vec<u64>), PegError> {
    let (all, run) = (layers.len(), store.run);
    run.progress.start(format!("counting {name}"), all as u64);
    let Some(class_layers) = layers.first().map(|layer| Arc::clone(&layer.class_layers)) else {
        return Ok((R::Value::default(), Vec::new()));
    };
    let split = class_layers.split();
    let mut below: Option<(StoredLayer, StoredValues<R::Value>)> = None;
    for number in store
        .layer_numbers(name)?
        .into_iter()
        .filter(|&number| number < all)
    {
        if let Some(found) = store.find_values((name, number), &layers[number])? {
            layers.truncate(number + 1);
            below = layers.pop().zip(Some(found));
            run.progress.advance((all - number) as u64);
            break;
        }
    }
    with_width!(split.board(), W => {
        let steps = Steps::<W>::jumps(split);
        while let Some(layer) = layers.pop() {
            let number = layers.len();
            let from = below.as_ref().map(|(layer, numbers)| (layer, numbers));
            let mut notes = vec![0];
            notes.extend(from.iter().flat_map(|(_, numbers)| &numbers.parts.notes));
            let rule = rule(&layer, from.is_none());
            let add = |notes: &mut [u64], numbers: &[R::Value]| notes[0] += note(numbers);
            let numbers = store.values((name, number), &layer, &steps, from, &rule, (notes, add))?;
            store.keep_only(name, number)?;
            run.progress.advance(1);
            if let Some((layer, numbers)) = below.replace((layer, numbers)) {
                receive(&layer, numbers);
            }
        }
    });
    let Some((layer, numbers)) = below else {
        return Ok((R::Value::default(), Vec::new()));
    };
    let counted = (store.first_value(&numbers)?, numbers.parts.notes.clone());
    receive(&layer, numbers);
    Ok(counted)
}

/// How many ways there are to solve a problem.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
/// [`PegError::OverBudget`], [`PegError::Stopped`], [`PegError::Overflow`] above 2^128 - 2
/// solutions.
pub fn count_solutions(problem: &Problem, run: &Run) -> Result<Solutions, PegError> {
    LayerFiles::default().open(problem, |folders| solutions_in(problem, folders, run))
}

/// The same with layers and numbers in folders.
///
/// # Errors
/// As [`count_solutions`]; [`PegError::OverDisk`], [`PegError::File`].
pub(crate) fn solutions_in(
    problem: &Problem,
    folders: Folders<'_>,
    run: &Run,
) -> Result<Solutions, PegError> {
    folders.place(|layers_in| {
        let value_bytes = size_of::<u128>();
        let (class_layers, mut store, found) =
            find_winning(problem, folders, layers_in, value_bytes, run)?;
        let mut layers = found.layers;
        complete(&mut store, &class_layers, problem, &mut layers)?;
        let (solutions, unique) = each_count(&mut store, layers, |_, _| ())?;
        Ok(Solutions {
            solutions,
            winning: found.sizes,
            unique,
            work: found.work,
        })
    })
}

/// Counts the solutions from every winning position, given the layers from the start to the finish:
/// those from the start, and the positions with exactly one in each layer. No position has more
/// solutions than the start.
fn each_count(
    store: &mut Store<'_>,
    layers: Vec<StoredLayer>,
    receive: impl FnMut(&StoredLayer, StoredValues<u128>),
) -> Result<(u128, Vec<u64>), PegError> {
    let rule = |_: &StoredLayer, is_last| SolutionCount { is_last };
    let note = |counts: &[u128]| counts.iter().filter(|&&count| count == 1).count() as u64;
    let counted = count_backwards(store, layers, "solutions", rule, note, receive)?;
    match counted.0 {
        u128::MAX => Err(PegError::Overflow { what: "solutions" }),
        _ => Ok(counted),
    }
}

impl WinningSet {
    /// Counts the solutions of the problem.
    ///
    /// # Errors
    /// As [`count_solutions`].
    pub fn count_solutions(&self, run: &Run) -> Result<Solutions, PegError> {
        let (solutions, unique) = self.each_count(run, |_, _| ())?;
        Ok(Solutions {
            solutions,
            winning: self.sizes().to_vec(),
            unique,
            work: self.work().clone(),
        })
    }

    /// Passes the number of solutions of every winning position, from the last layer to the first,
    /// to `receive`.
    ///
    /// # Errors
    /// As [`count_solutions`].
    pub(crate) fn each_count(
        &self,
        run: &Run,
        mut receive: impl FnMut(&Layer, LayerValues<u128>),
    ) -> Result<(u128, Vec<u64>), PegError> {
        let mut store = Store::in_memory(run);
        each_count(&mut store, self.stored(), |layer, counts| {
            if let (Some(layer), Some(counts)) = (layer.memory.as_ref(), counts.memory) {
                receive(layer, counts);
            }
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
        set.each_count(run, |_, counts| numbers.push(counts))?;
        numbers.reverse();
        Ok(Self { set, numbers })
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
        self.numbers[jumps].of(&layer.words, index).copied()
    }
}

/// Solutions: one at the finish, elsewhere the sum.
struct SolutionCount {
    is_last: bool,
}

impl Recurrence for SolutionCount {
    type Value = u128;

    #[inline(always)]
    fn add(&self, sum: &mut u128, successor: &u128) {
        *sum = sum.saturating_add(*successor);
    }

    #[inline(always)]
    fn value(&self, sum: u128, _: u64, _: usize) -> u128 {
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

/// Counts all games from a problem's start: every reachable position is visited, and kept until the
/// end.
///
/// # Errors
/// [`PegError::OverBudget`] before any work if the layers do not fit, [`PegError::Stopped`],
/// [`PegError::Overflow`] above 2^128 - 2 games.
pub fn count_games(problem: &Problem, run: &Run) -> Result<Games, PegError> {
    LayerFiles::default().open(problem, |folders| games_in(problem, folders, run))
}

/// About the bytes of the numbers of two layers, known before the positions are: on the boards that
/// were counted, up to half of the places of a layer are positions that can be reached.
fn likely_bytes(problem: &Problem, group: &[Symmetry]) -> u64 {
    let (board, start) = (problem.board(), problem.start());
    let sizes = Sizes::new(board, group, board.class(start));
    let places = sizes.map_or(0, |sizes| 8 * sizes.largest(1..=start.pegs()));
    places.saturating_mul(size_of::<Chance>() as u64)
}

/// Refuses numbers of positions that will not fit, before the first is counted. Two layers have
/// numbers at a time; those after them are not needed any more.
fn require_numbers(layers: &[StoredLayer], heads: usize, run: &Run) -> Result<(), OverBudget> {
    let bytes = |layer: &StoredLayer| {
        layer.positions() * size_of::<Chance>() as u64 + 4 * layer.words as u64 + 4
    };
    let (mut most, mut freed, mut below) = (0u64, 0, 0);
    for pair in (0..layers.len()).rev() {
        let numbers = bytes(&layers[pair]);
        most = most.max((numbers + below).saturating_sub(freed));
        if let Some(after) = layers.get(pair + 1) {
            freed += 4 * (heads as u64 + 1) + 8 * after.words as u64;
        }
        below = numbers;
    }
    run.ram.require("counting games", most)
}

/// The same with layers and numbers in folders.
///
/// # Errors
/// As [`count_games`]; [`PegError::OverDisk`], [`PegError::File`].
pub(crate) fn games_in(
    problem: &Problem,
    folders: Folders<'_>,
    run: &Run,
) -> Result<Games, PegError> {
    let (board, start) = (problem.board(), problem.start());
    let targets = problem.targets();
    // A symmetry that moves the finish keeps the number of games, but not that of solutions.
    let all = board.class_symmetries(start);
    let group = problem.keeping_targets(&all);
    let question = Question {
        problem,
        subject: "games",
        group: &group,
        what: format!("every position of the {} board", board.name()),
        value_bytes: size_of::<Chance>(),
    };
    let memory = |sizes: &Sizes| sizes.all(1..=start.pegs());
    let (first, mut reach) = folders.place(|layers_in| {
        let opened = Store::open(folders, layers_in, &question, memory, run);
        let (class_layers, mut store) = opened.map_err(|error| match error {
            PegError::OverBudget(over) => {
                let need = over.need.saturating_add(likely_bytes(problem, &group));
                over.at_least(need).into()
            }
            other => other,
        })?;
        let (layers, reach) = reached_layers(&mut store, &class_layers, start)?;
        if layers_in == LayersIn::Memory {
            require_numbers(&layers, class_layers.split().heads().len(), run)?;
        }
        let split = class_layers.split();
        let rule = |layer: &StoredLayer, _| {
            let wins = targets.iter().filter(|target| target.pegs() == layer.pegs);
            let index = |&target| index(&class_layers.layout(layer.pegs), split, target);
            GameCount {
                wins: wins.map(index).collect(),
            }
        };
        let none = |_: &[Chance]| 0;
        let counted = count_backwards(&mut store, layers, "games", rule, none, |_, _| ())?;
        Ok((counted.0, reach))
    })?;
    if group.len() < all.len() {
        reach = reach_in(board, start, usize::MAX, folders, run)?;
    }
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

/// Games, solutions and odds.
impl Row for Chance {
    const BYTES: usize = 40;

    fn put(self, bytes: &mut Vec<u8>) {
        self.games.put(bytes);
        self.solutions.put(bytes);
        bytes.extend(self.odds.to_le_bytes());
    }

    fn take(bytes: &[u8]) -> Self {
        Self {
            games: u128::take(&bytes[..16]),
            solutions: u128::take(&bytes[16..32]),
            odds: f64::from_bits(u64::take(&bytes[32..])),
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

    #[inline(always)]
    fn add(&self, sum: &mut Chance, successor: &Chance) {
        sum.games = sum.games.saturating_add(successor.games);
        sum.solutions = sum.solutions.saturating_add(successor.solutions);
        sum.odds += successor.odds;
    }

    #[inline(always)]
    fn value(&self, sum: Chance, jumps: u64, index: usize) -> Chance {
        let games = if jumps == 0 { 1 } else { sum.games };
        if self.wins.contains(&index) {
            return Chance {
                games,
                solutions: 1,
                odds: 1.0,
            };
        }
        let odds = match jumps {
            0 => 0.0,
            _ => sum.odds / jumps as f64,
        };
        Chance { games, odds, ..sum }
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
