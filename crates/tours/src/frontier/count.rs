//! A count from beginning to end: plan, live degree vectors, layers, join.

use std::path::PathBuf;
use std::sync::Arc;

use everymove_kernel::grid::Square;
use everymove_kernel::run::{OverBudget, Ram, Reservation, Run, Work};
use num_bigint::BigUint;

use super::FrontierError;
use super::block::Layer;
use super::checkpoint::{Checkpoint, Phase};
use super::counted::{Count, EXACT, Width, describe, given_end, ways};
use super::degrees::Degrees;
use super::estimate::{
    Counts, GAPS, GAPS_OF_PIECES, Need, is_hopeless, layer_bytes, plan_bytes, rough_need,
};
use super::join::{Join, Joined};
use super::maps::Maps;
use super::plan::{Meet, Plan};
use super::pull::{Pulled, Puller, Spare};
use super::reach::{Layers, Reach};
use super::residues::{Combined, EXACT_BITS, MOST_BITS, log2_bound, primes, primes_needed};
use super::scheme::{Scheme, widest};
use super::steps::Step;
use super::strip::refuse_wide;
use super::{classes, external};
use crate::board::{Board, Kind, Leaper};
use crate::question::Question;

/// How to count; the answer does not depend on it.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// A folder where layers are saved, or the sums of classes, and from which a count is resumed.
    pub checkpoint: Option<PathBuf>,
    /// A folder for the layers of a count that does not fit the memory budget; without one, the folder `checkpoint`.
    pub work: Option<PathBuf>,
    /// The most bytes of files there; without it, half of what is free.
    pub disk: Option<u64>,
}

/// Counts the tours that a question asks for.
///
/// ```
/// use everymove_kernel::run::Run;
/// use everymove_tours::board::{Board, Kind};
/// use everymove_tours::frontier::{Options, count};
/// use everymove_tours::question::Question;
///
/// let question = Question::new(Board::knight(6, 6)?, Kind::Closed);
/// let answer = count(&question, &Options::default(), &Run::serial())?;
/// assert_eq!(answer.undirected, 9862u32.into());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`FrontierError`]: stopped, over the memory budget, a board too wide for the method, an unusable checkpoint, or both
/// ends given.
pub fn count(question: &Question, options: &Options, run: &Run) -> Result<Count, FrontierError> {
    let what = format!(
        "counting the {} tours of {}",
        question.kind,
        question.board.grid()
    );
    counted(question, options, run, &what).map_err(|error| match error {
        // What is estimated is exceeded by a part of it.
        FrontierError::OverBudget(OverBudget { need, limit, .. }) => {
            let need = need.saturating_add(need.saturating_sub(Ram::PROGRAM) / 8);
            OverBudget { what, need, limit }.into()
        }
        other => other,
    })
}

/// The count; `what` names it when memory is asked for.
fn counted(
    question: &Question,
    options: &Options,
    run: &Run,
    what: &str,
) -> Result<Count, FrontierError> {
    let start = given_end(question)?;
    if question.board.playable() == 1 {
        let paths = u32::from(question.kind == Kind::Open);
        return Ok(Count {
            undirected: paths.into(),
            work: Work::default(),
            scheme: Scheme::Whole,
        });
    }
    let opened = |directory: &PathBuf| Checkpoint::open(directory, &describe(question, start));
    let checkpoint = options.checkpoint.as_ref().map(opened).transpose()?;
    run.progress.start("planning the count", 0);
    refuse_wide(&question.board)?;
    let refused = match whole(question, start, checkpoint, run, what) {
        Err(Refused::Before(over)) => over,
        Err(Refused::Other(error)) => return Err(error),
        Ok(count) => return Ok(count),
    };
    if question.board.playable() > EXACT {
        return Err(refused.into());
    }
    match in_parts(question, options, run, what) {
        // All ways need too much: the one that needs least is reported.
        Err(FrontierError::OverBudget(over)) if over.what == what => Err(OverBudget {
            need: over.need.min(refused.need),
            ..over
        }
        .into()),
        Ok(None) => Err(refused.into()),
        Ok(Some(count)) => Ok(count),
        Err(error) => Err(error),
    }
}

/// Why whole layers in memory gave no count.
enum Refused {
    /// They were estimated not to fit.
    Before(OverBudget),
    Other(FrontierError),
}

impl<E: Into<FrontierError>> From<E> for Refused {
    fn from(error: E) -> Self {
        Self::Other(error.into())
    }
}

/// The count with whole layers in memory.
fn whole(
    question: &Question,
    start: Option<Square>,
    mut checkpoint: Option<Checkpoint>,
    run: &Run,
    what: &str,
) -> Result<Count, Refused> {
    let before = |error: FrontierError| match error {
        FrontierError::OverBudget(over) => Refused::Before(over),
        other => Refused::Other(other),
    };
    let refused = |over: OverBudget| before(over.into());
    let grid = question.board.grid();
    let rows = grid.rows().max(grid.cols());
    let steps = run.ram.reserve(what, plan_bytes(&question.board));
    let _steps = steps.map_err(|over| {
        let need = over.need.saturating_add(rough_need(widest(question), rows));
        refused(over.at_least(need))
    })?;
    let plan = Plan::new(&question.board, question.kind, start, &run.stop)?;
    let rough = rough_need(plan.slots(), rows);
    let knight = question.board.leaper() == Leaper::KNIGHT && question.board.holes().is_empty();
    if knight && is_hopeless(run.ram.left(), plan.slots(), rows) {
        let need = run.ram.used() + rough;
        let (what, limit) = (what.to_owned(), run.ram.limit());
        return Err(refused(OverBudget { what, need, limit }));
    }
    // Layers that are saved piece by piece are also made so.
    let gaps = match checkpoint {
        None => GAPS,
        Some(_) => GAPS_OF_PIECES,
    };
    let prepared = Prepared::of(question, &plan, gaps, run).map_err(|error| match error {
        // What is short so far is a part of what the count needs.
        FrontierError::OverBudget(over) => refused(over.at_least(run.ram.used() + rough)),
        other => Refused::Other(other),
    })?;
    let Prepared {
        reach,
        _lists,
        need,
        counts,
    } = prepared;
    run.ram.require(what, need.bytes).map_err(refused)?;
    let _unaccounted = run.ram.reserve(what, need.unaccounted).map_err(refused)?;
    let is_small = question.board.playable() <= EXACT;
    let fits = match counts {
        Counts::Exact if !is_small => log2_bound(&plan, &reach, run).map_err(before)? <= EXACT_BITS,
        _ => false,
    };
    let mut counting = Counting {
        maps: Maps::new(need.maps),
        fits,
        run,
        work: Work::of("blocks", reach.len()),
        modulus: None,
        spare: Spare::new(run),
        checkpoint: &mut checkpoint,
    };
    let exact = match is_small || fits {
        true => counting.total(&plan, reach)?,
        false => None,
    };
    let undirected = match exact {
        Some(total) => total.into(),
        None => counting.by_residues(&plan)?,
    };
    let work = counting.work;
    if let Some(checkpoint) = &mut checkpoint {
        checkpoint.clear()?;
    }
    Ok(Count {
        undirected,
        work,
        scheme: Scheme::Whole,
    })
}

/// The count with one class in memory at a time, or with layers on disk; `None` if neither can be. An error named `what`
/// says what the ways need that were tried.
fn in_parts(
    question: &Question,
    options: &Options,
    run: &Run,
    what: &str,
) -> Result<Option<Count>, FrontierError> {
    let mut least: Option<OverBudget> = None;
    let mut keep = |over: OverBudget| {
        if least.as_ref().is_none_or(|least| over.need < least.need) {
            least = Some(OverBudget {
                what: what.to_owned(),
                ..over
            });
        }
    };
    if classes::are_smaller(question, run)? {
        let classes_options = classes::Options {
            journal: options.checkpoint.clone(),
            ..classes::Options::default()
        };
        let rough = classes::RoughNeed::of(question);
        if run.ram.left() < rough.least {
            let need = run.ram.used() + rough.enough;
            let (what, limit) = (what.to_owned(), run.ram.limit());
            keep(OverBudget { what, need, limit });
        } else {
            match classes::count_by_classes(question, &classes_options, run, &mut |_| ()) {
                Err(FrontierError::OverBudget(over)) => keep(over),
                Ok(None) => {}
                done => return done,
            }
        }
    }
    let folder = options.work.as_ref().or(options.checkpoint.as_ref());
    let Some(parent) = folder else {
        return least.map_or(Ok(None), |over| Err(over.into()));
    };
    let mut over_disk = None;
    match external::count(question, parent, options.disk, run) {
        Err(FrontierError::OverBudget(over)) => keep(over),
        Err(error @ FrontierError::OverDisk { .. }) => over_disk = Some(error),
        counted => return counted.map(Some),
    }
    if classes::are_smaller(question, run)? {
        let classes_options = classes::Options {
            journal: options.checkpoint.clone(),
            files: Some(parent.clone()),
            disk: options.disk,
            ..classes::Options::default()
        };
        match classes::count_by_classes(question, &classes_options, run, &mut |_| ()) {
            // They need more memory than layers on disk that are not divided.
            Err(FrontierError::OverBudget(over)) => {
                if let Some(FrontierError::OverDisk { or_memory, .. }) = &mut over_disk {
                    *or_memory = Some(over.need);
                }
            }
            Err(error @ FrontierError::OverDisk { .. }) => over_disk = Some(error),
            counted => return counted,
        }
    }
    match (over_disk, least) {
        (Some(error), _) => Err(error),
        (None, Some(over)) => Err(over.into()),
        (None, None) => Ok(None),
    }
}

/// The live degree vectors of a plan, their memory, and what the count will need besides.
pub(super) struct Prepared {
    pub(super) reach: Reach,
    _lists: Reservation,
    pub(super) need: Need,
    pub(super) counts: Counts,
}

impl Prepared {
    /// The part of the memory of layers that is in gaps is `gaps`.
    pub(super) fn of(
        question: &Question,
        plan: &Plan,
        gaps: f64,
        run: &Run,
    ) -> Result<Self, FrontierError> {
        let counts = counts_of(&question.board);
        let reach = Reach::new(plan, run)?;
        let lists = reach.reserve(run)?;
        let layers = layer_bytes(question, plan, &reach, counts, run.ram.left(), run)?;
        let need = Need::of((layers, gaps), plan, reach.most_endpoints(run)?, run);
        Ok(Self {
            reach,
            _lists: lists,
            need,
            counts,
        })
    }
}

/// Counts the open tours from every square: directed tours that begin there, square by square in ascending order;
/// squares that are images of each other are counted once. The work is that of all counts together.
///
/// # Errors
/// As [`count`].
pub fn by_start(board: &Board, run: &Run) -> Result<(Vec<(Square, BigUint)>, Work), FrontierError> {
    let symmetries = board.symmetries();
    let mut counts: Vec<(Square, BigUint)> = Vec::new();
    let mut work = Work::default();
    for square in board.squares() {
        let first = symmetries
            .iter()
            .map(|&s| board.grid().image(s, square))
            .min();
        let known = counts
            .iter()
            .find(|&&(s, _)| Some(s) == first)
            .map(|(_, n)| n.clone());
        let number = match known {
            Some(number) => number,
            None => {
                let question = Question::new(board.clone(), Kind::Open).starting_on(square);
                let answer = count(&question, &Options::default(), run)?;
                work.merge(&answer.work);
                answer.undirected
            }
        };
        counts.push((square, number));
    }
    Ok((counts, work))
}

struct Counting<'a> {
    maps: Maps,
    /// The count is known to have at most [`EXACT_BITS`] bits.
    fits: bool,
    run: &'a Run,
    work: Work,
    modulus: Option<u64>,
    /// The memory of the steps of a phase.
    spare: Spare,
    checkpoint: &'a mut Option<Checkpoint>,
}

/// Boards of more squares than this are counted by residues from the start: 9x20 boards, for example, have counts around
/// 2^128, and narrower ones are cheap either way.
const SURELY_LARGE: usize = 180;

/// What the counts of a board are like.
pub(super) fn counts_of(board: &Board) -> Counts {
    match board.playable() {
        ..=SURELY_LARGE => Counts::Exact,
        _ => Counts::Residues,
    }
}

/// How often the layers of a count of at most this many bits are made.
pub(super) fn passes(counts: Counts, bits: f64) -> usize {
    match counts {
        Counts::Residues => primes_needed(bits),
        Counts::Exact if bits <= EXACT_BITS => 1,
        Counts::Exact => primes_needed(bits),
    }
}

impl Counting<'_> {
    /// The count, or `None` if it might need more than 128 bits.
    fn total(&mut self, plan: &Plan, reach: Reach) -> Result<Option<u128>, FrontierError> {
        self.run
            .progress
            .start("counting tours", reach.layers().count() as u64 - 1);
        match (plan, reach) {
            (Plan::OneWay(steps), Reach::OneWay(layers)) => {
                let last = self.advance(Phase::Common, &Arc::new(Layer::start()), steps, layers)?;
                Ok(last.map(|layer| layer.sum))
            }
            (
                Plan::Meet(meet),
                Reach::Meet {
                    common,
                    first,
                    second,
                },
            ) => self.meet(meet, common, first, second),
            _ => unreachable!("the live degree vectors are those of the plan"),
        }
    }

    fn meet(
        &mut self,
        meet: &Meet,
        common: Layers,
        first: Layers,
        second: Layers,
    ) -> Result<Option<u128>, FrontierError> {
        let start = Arc::new(Layer::start());
        let Some(branch) = self.advance(Phase::Common, &start, &meet.common, common)? else {
            return Ok(None);
        };
        let Some(second) = self.advance(Phase::Second, &branch, &meet.second, second)? else {
            return Ok(None);
        };
        let Some(first) = self.advance(Phase::First, &branch, &meet.first, first)? else {
            return Ok(None);
        };
        drop(branch);
        let join = Join::new(meet, &*second, &self.maps, self.run, self.modulus)?;
        // Every pair of states counts at most four times: unfolded, and once for each half.
        let largest = first.sum.max(second.sum).checked_mul(4);
        let bound = first
            .sum
            .checked_mul(second.sum)
            .and_then(|product| product.checked_mul(4));
        // Sums are computed modulo 2^128, so that it is enough if the total fits.
        if self.modulus.is_none() && bound.is_none() && !self.fits {
            return Ok(None);
        }
        let width = match self.modulus {
            Some(_) => Width::Bits64,
            None => Width::of(largest.unwrap_or(u128::MAX)),
        };
        let steps = (meet.first.len(), meet.second.len());
        let halves = [
            (Phase::First, steps.0, &*first),
            (Phase::Second, steps.1, &*second),
        ];
        let saved = match &*self.checkpoint {
            Some(checkpoint) => checkpoint.resume_join()?,
            None => Joined::default(),
        };
        let mut keep = |joined: &Joined| match &mut *self.checkpoint {
            Some(checkpoint) => checkpoint.offer_join(joined, halves),
            None => Ok(()),
        };
        let total = join.total(width, &first, saved, &mut keep)?;
        let multiplicity = join.multiplicity();
        Ok(Some(self.divided(total, multiplicity)))
    }

    /// `total / by`, also modulo the odd modulus.
    fn divided(&self, total: u128, by: u32) -> u128 {
        match self.modulus {
            Some(modulus) if by == 2 && total % 2 == 1 => (total + u128::from(modulus)) / 2,
            _ => total / u128::from(by),
        }
    }

    /// Takes a layer through all of `steps`; `layers` are the live degree vectors before and after each. `None` if a
    /// sum might exceed 128 bits.
    fn advance(
        &mut self,
        phase: Phase,
        start: &Arc<Layer>,
        steps: &[Step],
        mut layers: Layers,
    ) -> Result<Option<Arc<Layer>>, FrontierError> {
        let mut layer = start.clone();
        let mut done = 0;
        if let Some(checkpoint) = self.checkpoint
            && let Some((step, saved)) = checkpoint.resume(phase, &mut layers, &self.run.ram)?
        {
            (done, layer) = (step, Arc::new(saved));
            self.run.progress.advance(step as u64);
        }
        for (i, step) in steps.iter().enumerate().skip(done) {
            let after = Arc::new(std::mem::take(&mut layers[i + 1]));
            let Some(next) = self.step(&layer, step, &after, (phase, i + 1))? else {
                return Ok(None);
            };
            let before = std::mem::replace(&mut layer, Arc::new(next));
            if let Some(before) = Arc::into_inner(before) {
                self.spare.keep(before);
            }
            if let Some(checkpoint) = self.checkpoint {
                checkpoint.offer(phase, i + 1, &layer)?;
            }
        }
        self.spare = Spare::new(self.run);
        Ok(Some(layer))
    }

    /// The layer after a step, which is the `number`-th of its phase, from 1; `None` if a sum might exceed 128 bits.
    fn step(
        &mut self,
        before: &Layer,
        step: &Step,
        after: &Arc<Vec<Degrees>>,
        (phase, number): (Phase, usize),
    ) -> Result<Option<Layer>, FrontierError> {
        let bound = before.sum.checked_mul(ways(step));
        let width = match (self.modulus, bound) {
            (Some(_), _) => Width::Bits64,
            (None, Some(bound)) => Width::of(bound),
            (None, None) => return Ok(None),
        };
        let puller = Puller {
            spare: self.spare.clone(),
            ..Puller::new(&self.maps, self.run, self.modulus)
        };
        let Pulled { layer, transitions } = match self.checkpoint {
            None => puller.advance(width, before, step, after)?,
            Some(checkpoint) => {
                let saved = checkpoint.resume_part(phase, number, after, &self.run.ram)?;
                let part = saved.unwrap_or_else(|| Layer::empty(after.clone()));
                let keep = |part: &Layer| checkpoint.offer_part(phase, number, before, part);
                match width {
                    Width::Bits64 => puller.advance_from::<u64>(before, step, part, keep)?,
                    Width::Bits128 => puller.advance_from::<u128>(before, step, part, keep)?,
                }
            }
        };
        self.work.add("states", layer.states);
        self.work.add("transitions", transitions);
        self.work.at_least("peak_states", layer.states);
        self.run.progress.advance(1);
        Ok(Some(layer))
    }

    fn by_residues(&mut self, plan: &Plan) -> Result<BigUint, FrontierError> {
        let reach = Reach::new(plan, self.run)?;
        let _lists = reach.reserve(self.run)?;
        let bits = log2_bound(plan, &reach, self.run)?;
        if bits > MOST_BITS {
            return Err(FrontierError::TooMany);
        }
        let mut combined = Combined::default();
        for prime in primes().take(primes_needed(bits)) {
            combined.add(self.residue(plan, &reach, prime)?, prime);
        }
        Ok(combined.value())
    }

    /// The count modulo a prime: from the checkpoint, if it was finished before.
    fn residue(&mut self, plan: &Plan, reach: &Reach, prime: u64) -> Result<u64, FrontierError> {
        if let Some(checkpoint) = self.checkpoint {
            if let Some(&residue) = checkpoint.residues()?.get(&prime) {
                return Ok(residue);
            }
            checkpoint.pass(prime);
        }
        self.modulus = Some(prime);
        let residue = self
            .total(plan, reach.clone())?
            .expect("residues always fit") as u64;
        if let Some(checkpoint) = self.checkpoint {
            checkpoint.keep_residue(prime, residue)?;
        }
        Ok(residue)
    }
}

#[cfg(test)]
mod tests;
