//! Counting by classes: the larger half in independent parts, of which one is in memory at a time.
//!
//! While a row is eliminated, the squares of the next rows on the side where the elimination began soon have all their
//! edges from it. Their degrees do not change any more, so the layers fall into *classes* by these degrees, up to the
//! join of the halves (module `tree`). The engine counts the second half whole and goes through the tree of classes
//! depth first: it keeps one class of each layer at most. The sum of every class goes to a journal, so that a count
//! can be interrupted and continued, also on another machine.

mod chosen;
mod journal;
mod need;
mod on_disk;
mod store;
mod summary;
mod time_left;
mod tree;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use everymove_kernel::files::{Disk, Storage};
use everymove_kernel::run::{Run, Work};
use num_bigint::BigUint;
use xxhash_rust::xxh3::xxh3_64;

use super::FrontierError;
use super::block::Layer;
use super::counted::{Count, describe, given_end};
use super::degrees::masks;
use super::estimate::plan_bytes;
use super::join::{Join, Tally};
use super::maps::Maps;
use super::matching::MAX_ENDPOINTS;
use super::plan::Meet;
use super::pull::{Puller, Spare};
use super::reach::{Layers, Reach};
use super::scheme::Scheme;
use super::steps::Step;
use super::strip::{Strip, refuse_wide};
use crate::question::Question;
pub use chosen::{ClassSize, Planned, Split};
pub use journal::Finished;
use journal::{Classes, Subject};
use need::Need;
pub(super) use need::{RoughNeed, estimate};
use on_disk::count_on_disk;
pub(super) use on_disk::estimate as estimate_on_disk;
use store::{InMemory, Made, Store, advance};
pub use summary::{Summary, SummaryError, add_up, summary};
use time_left::TimeLeft;
use tree::{ClassSizes, Part, Tree};

/// How to count by classes; the answer does not depend on it.
#[derive(Clone, Debug)]
pub struct Options {
    /// A folder for the journal, from which a count is resumed; none is kept without one.
    pub journal: Option<PathBuf>,
    /// The most slots in the key of the classes that the journal has.
    pub key_slots: usize,
    /// The most slots in the key of any layer: more of them make the parts smaller that are in memory; `None`: as many
    /// as the memory budget asks for.
    pub part_slots: Option<usize>,
    /// Only plan.
    pub plan_only: bool,
    /// Which side of the board is the frontier's.
    pub columns: Columns,
    /// A folder in which the layers are kept in files, in a folder of their own that is removed when the count is
    /// complete; without one they are in memory. Classes that are counted one by one are always in memory.
    pub files: Option<PathBuf>,
    /// The most bytes of files; without it half of what is free.
    pub disk: Option<u64>,
}

/// Which side of the board is the frontier's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Columns {
    /// The shorter one.
    #[default]
    Narrow,
    /// The longer one: the same count by another computation, with far more work.
    Wide,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            journal: None,
            key_slots: 5,
            part_slots: None,
            plan_only: false,
            columns: Columns::Narrow,
            files: None,
            disk: None,
        }
    }
}

/// What a count by classes reports while it runs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// The live degree vectors of a layer.
    List {
        /// `common`, `second` or `first`.
        phase: &'static str,
        /// The step that makes it, from 1.
        step: usize,
        /// How many have 0, 2, 4, ... endpoints.
        by_pairs: Vec<u64>,
    },
    /// The plan is made: live degree vectors of all layers, classes, and how many of them the journal has.
    Planned {
        /// Live degree vectors, of all layers.
        blocks: u64,
        /// Classes.
        classes: u64,
        /// Classes that are finished.
        finished: u64,
    },
    /// A layer, or the part of it that belongs to a class.
    Layer {
        /// `common`, `second` or `first`.
        phase: &'static str,
        /// The step that made it, from 1.
        step: usize,
        /// The number of its class, by the degrees of as many slots as are settled.
        class: u32,
        /// Degree vectors.
        blocks: u64,
        /// States.
        states: u64,
        /// Bytes of the states.
        bytes: u64,
        /// Transitions from the layer before.
        transitions: u64,
    },
    /// A class is finished.
    Class {
        /// What the journal has of it.
        finished: Finished,
        /// Classes that are finished, this one included.
        done: u64,
        /// All classes.
        of: u64,
    },
}

/// Whether classes take less memory than whole layers.
pub(super) fn are_smaller(question: &Question, run: &Run) -> Result<bool, FrontierError> {
    Ok(meet(question, Columns::Narrow, run)?.is_some_and(|meet| need::is_uneven(&meet)))
}

/// Counts the tours that a question asks for, class by class; `observe` gets what happens. `None` if the board has too
/// few rows for two halves.
///
/// # Errors
/// As [`super::count`]; a journal of another question or plan is refused, and so is a count that is estimated not to fit
/// the memory budget or the disk, before it starts.
pub fn count_by_classes(
    question: &Question,
    options: &Options,
    run: &Run,
    observe: &mut dyn FnMut(Event),
) -> Result<Option<Count>, FrontierError> {
    if let Some(parent) = &options.files
        && !options.plan_only
    {
        return count_on_disk(question, options, parent, run, observe);
    }
    run.progress.start("planning the count", 0);
    let Some(meet) = meet(question, options.columns, run)? else {
        return Ok(None);
    };
    let enough = run.ram.used() + RoughNeed::of(question).enough;
    let reach = Reach::of_meet(&meet, run).map_err(|error| error.at_least(enough))?;
    let _lists = reach.reserve(run).map_err(|over| over.at_least(enough))?;
    if options.plan_only {
        report_lists(&reach, observe);
        return Ok(None);
    }
    let what = format!(
        "counting the {} tours of {} by classes",
        question.kind,
        question.board.grid()
    );
    let need = Need::new(&meet, &reach, options, run)?;
    let Need { memory, sizes, .. } = need;
    run.ram.require(&what, memory.bytes)?;
    let blocks = reach.len();
    let [common, first, second] = reach.into_halves();
    let _unaccounted = run.ram.reserve(&what, memory.unaccounted)?;
    let ready = Ready {
        tree: Tree::new(&meet.first, first, memory.part_slots, None, run)?,
        maps: Maps::new(memory.maps),
        sizes,
        part_slots: memory.part_slots,
        blocks,
    };
    // The folder stays locked until the count ends.
    let storage = options.journal.as_ref().map(Disk::exclusive).transpose()?;
    let journal = storage.as_ref().map(|storage| storage as &dyn Storage);
    let mut engine = Engine::new((question, options), &meet, ready, journal, (run, observe))?;
    engine.count(common, second)?;
    engine.answer(Scheme::Classes).map(Some)
}

/// What a count by classes has planned.
struct Ready {
    tree: Tree,
    /// Tables for the halves that are counted whole in memory.
    maps: Maps,
    sizes: ClassSizes,
    part_slots: usize,
    /// Live degree vectors of all layers.
    blocks: u64,
}

/// The sum over all classes is this many times the number of undirected tours.
fn multiplicity(meet: &Meet) -> u32 {
    match meet.second_fold {
        Some(_) => 2,
        None => 1,
    }
}

/// The halves of a count by classes; `None` if the board has too few rows.
fn meet(question: &Question, columns: Columns, run: &Run) -> Result<Option<Meet>, FrontierError> {
    let strip = strip(question, columns, run)?;
    Meet::by_classes(&strip, &question.board, &run.stop)
}

/// The board laid out for a count.
fn strip(question: &Question, columns: Columns, run: &Run) -> Result<Strip, FrontierError> {
    let start = given_end(question)?;
    refuse_wide(&question.board)?;
    (run.ram).require("planning the count", plan_bytes(&question.board))?;
    Ok(match columns {
        Columns::Narrow => Strip::new(&question.board, question.kind, start),
        Columns::Wide => Strip::turned(&question.board, question.kind, start),
    })
}

fn report_lists(reach: &Reach, observe: &mut dyn FnMut(Event)) {
    let [common, first, second] = reach.halves();
    for (phase, layers) in [("common", common), ("second", second), ("first", first)] {
        for (step, list) in layers.iter().enumerate().skip(1) {
            let mut by_pairs = vec![0; MAX_ENDPOINTS / 2 + 1];
            list.iter()
                .for_each(|&d| by_pairs[masks(d).ends.count_ones() as usize / 2] += 1);
            observe(Event::List {
                phase,
                step,
                by_pairs,
            });
        }
    }
}

/// A digest of what the sums of classes depend on.
fn digest(meet: &Meet, key: usize) -> String {
    let mut text = format!("{key} {:?}", meet.facing);
    let steps = [&meet.common, &meet.first, &meet.second];
    for step in steps.into_iter().flatten() {
        let fold = step.fold.as_ref().map(|fold| &fold.to);
        // Writing to a string does not fail.
        let _ = write!(text, " {} {:?} {fold:?}", step.slots_out, step.action);
    }
    format!("{:016x}", xxh3_64(text.as_bytes()))
}

struct Engine<'a> {
    meet: &'a Meet,
    tree: Tree,
    maps: Maps,
    run: &'a Run,
    /// The layer whose classes are those of the journal.
    journal_level: usize,
    journal: Option<Classes>,
    finished: Vec<Finished>,
    /// The numbers of the finished classes.
    done: BTreeSet<u32>,
    classes: Vec<Part>,
    work: Work,
    observe: &'a mut dyn FnMut(Event),
    /// The time that is left, where somebody is shown it.
    time_left: Option<TimeLeft>,
}

/// What a class has come to so far.
#[derive(Default)]
struct Sum {
    tally: Tally,
    transitions: u64,
    states: u64,
}

impl Sum {
    fn finished(&self, class: u32) -> Finished {
        let text = |numbers: &[u128; 3]| numbers.map(|n| n.to_string());
        Finished {
            class,
            sum: self.tally.total.to_string(),
            by_degree: self.tally.by_degree.iter().map(text).collect(),
            transitions: self.transitions,
            states: self.states,
        }
    }
}

impl<'a> Engine<'a> {
    /// Opens the journal, if there is one, and shows what is planned.
    fn new(
        (question, options): (&Question, &Options),
        meet: &'a Meet,
        ready: Ready,
        journal: Option<&dyn Storage>,
        (run, observe): (&'a Run, &'a mut dyn FnMut(Event)),
    ) -> Result<Self, FrontierError> {
        let Ready {
            tree,
            maps,
            sizes,
            part_slots,
            blocks,
        } = ready;
        let journal_level = tree.level_with(options.key_slots).max(1);
        let classes = tree.parts(journal_level);
        let subject = Subject {
            question: describe(question, given_end(question)?),
            plan: digest(meet, tree.key_slots(journal_level)),
            classes: classes.len() as u64,
            multiplicity: multiplicity(meet),
        };
        let opened = journal.map(|storage| Classes::open(storage, &subject));
        let (journal, finished) = opened.transpose()?.unzip();
        let finished = finished.unwrap_or_default();
        observe(Event::Planned {
            blocks,
            classes: classes.len() as u64,
            finished: finished.len() as u64,
        });
        Ok(Self {
            meet,
            tree,
            maps,
            run,
            journal_level,
            journal,
            done: finished.iter().map(|f| f.class).collect(),
            finished,
            classes,
            work: Work::of("blocks", blocks),
            observe,
            time_left: Some(TimeLeft::new(sizes, part_slots)),
        })
    }

    /// The count, when all classes are finished.
    fn answer(self, scheme: impl FnOnce(u64) -> Scheme) -> Result<Count, FrontierError> {
        Ok(Count {
            undirected: self.total()? / multiplicity(self.meet),
            work: self.work,
            scheme: scheme(self.classes.len() as u64),
        })
    }

    /// Counts the second half and then all classes that are not finished.
    fn count(&mut self, common: Layers, second: Layers) -> Result<(), FrontierError> {
        if self.done.len() == self.classes.len() {
            return Ok(());
        }
        let meet = self.meet;
        let branch = self.half("common", Arc::new(Layer::start()), &meet.common, common)?;
        let second = self.half("second", branch.clone(), &meet.second, second)?;
        let maps = std::mem::replace(&mut self.maps, Maps::new(0));
        let join = Join::new(meet, &*second, &maps, self.run, None)?;
        let Ok(layer) = Arc::try_unwrap(branch) else {
            unreachable!("the second half has its own layers")
        };
        let run = self.run;
        self.all_classes(layer, &mut InMemory::new(join, run))
    }

    /// Counts all classes that are not finished, given the layer before the first step.
    fn all_classes<S: Store>(
        &mut self,
        layer: S::Layer,
        store: &mut S,
    ) -> Result<(), FrontierError> {
        if let Some(time_left) = &mut self.time_left {
            time_left.begin();
        }
        self.announce();
        self.descend(self.tree.root(), layer, store, &mut Sum::default())
    }

    /// Takes a layer through all steps of a half that is counted whole.
    fn half(
        &mut self,
        phase: &'static str,
        mut layer: Arc<Layer>,
        steps: &[Step],
        mut layers: Layers,
    ) -> Result<Arc<Layer>, FrontierError> {
        let phase_words = format!("counting the {phase} part of the halves");
        self.run.progress.start(phase_words, steps.len() as u64);
        let spare = Spare::new(self.run);
        for (i, step) in steps.iter().enumerate() {
            let after = Arc::new(std::mem::take(&mut layers[i + 1]));
            let puller = Puller {
                spare: spare.clone(),
                ..Puller::new(&self.maps, self.run, None)
            };
            let pulled = advance(&puller, &layer, step, &after)?;
            let made = Made::from(pulled);
            self.report((phase, i + 1, 0), &made);
            self.run.progress.advance(1);
            let before = std::mem::replace(&mut layer, Arc::new(made.layer));
            if let Ok(before) = Arc::try_unwrap(before) {
                spare.keep(before);
            }
        }
        Ok(layer)
    }

    /// Counts and shows the layer after a step of a phase, of the class with a number.
    fn report<L>(&mut self, (phase, step, class): (&'static str, usize, u32), made: &Made<L>) {
        self.work.add("states", made.states);
        self.work.add("transitions", made.transitions);
        self.work.at_least("peak_states", made.states);
        (self.observe)(Event::Layer {
            phase,
            step,
            class,
            blocks: made.blocks,
            states: made.states,
            bytes: made.bytes,
            transitions: made.transitions,
        });
    }

    /// Counts all classes below `part`, whose layer is `layer`.
    fn descend<S: Store>(
        &mut self,
        part: Part,
        layer: S::Layer,
        store: &mut S,
        sum: &mut Sum,
    ) -> Result<(), FrontierError> {
        if part.level == self.tree.depth() {
            store.join(&layer, &mut sum.tally)?;
            return store.release(layer);
        }
        let step = &self.meet.first[part.level];
        let mut children = self.tree.children(part);
        children.retain(|&child| self.is_wanted(child));
        let mut layer = Some(layer);
        let mut left = children.len();
        for child in children {
            left -= 1;
            let Some(before) = &layer else { break };
            let made = store.advance(before, step, child, &self.tree)?;
            self.report(("first", child.level, child.number), &made);
            if left == 0
                && let Some(before) = layer.take()
            {
                store.release(before)?;
            }
            if child.level == self.journal_level {
                let mut sum = Sum {
                    transitions: made.transitions,
                    states: made.states,
                    ..Sum::default()
                };
                self.descend(child, made.layer, store, &mut sum)?;
                self.finish(child, &sum)?;
            } else {
                sum.transitions += made.transitions;
                sum.states += made.states;
                self.descend(child, made.layer, store, sum)?;
            }
        }
        Ok(())
    }

    /// Whether a class contains one that is not finished.
    fn is_wanted(&self, part: Part) -> bool {
        if part.level > self.journal_level {
            return true;
        }
        let mut below = self
            .classes
            .iter()
            .filter(|&&class| self.tree.is_below(class, part));
        below.any(|class| !self.done.contains(&class.number))
    }

    fn finish(&mut self, part: Part, sum: &Sum) -> Result<(), FrontierError> {
        let finished = sum.finished(part.number);
        if let Some(journal) = &mut self.journal {
            journal.append(&finished)?;
        }
        self.done.insert(part.number);
        self.finished.push(finished.clone());
        if let Some(time_left) = &mut self.time_left {
            time_left.finished(part);
        }
        self.announce();
        (self.observe)(Event::Class {
            finished,
            done: self.done.len() as u64,
            of: self.classes.len() as u64,
        });
        Ok(())
    }

    /// Shows how many classes are finished, and the time that the others will take at the speed so far.
    fn announce(&self) {
        let open = self.classes.iter();
        let open = open.filter(|part| !self.done.contains(&part.number));
        let left = self.time_left.as_ref();
        let left = left.and_then(|time_left| time_left.of(open));
        let (done, of) = (self.done.len(), self.classes.len());
        let progress = &self.run.progress;
        progress.stage(format!("{done} of {of} classes done"), left);
        progress.start("counting a class", 0);
    }

    /// The sum over all classes.
    fn total(&self) -> Result<BigUint, FrontierError> {
        let sums = self.finished.iter().map(|f| f.sum.parse::<BigUint>());
        let total: Result<BigUint, _> = sums.sum();
        total.map_err(|_| FrontierError::TooMany)
    }
}

#[cfg(test)]
pub(super) mod tests;
