//! Counting by classes: the larger half in independent parts, of which one is in memory at a time.
//!
//! While a row is eliminated, the squares of the next rows on the side where the elimination began
//! soon have all their edges from it. Their degrees do not change any more, so the layers fall into
//! *classes* by these degrees, up to the join of the halves (module `tree`). The engine counts the
//! second half whole and goes through the tree of classes depth first: it keeps one class of each
//! layer at most. The sum of every class goes to a journal, so that a count can be interrupted and
//! continued, also on another machine.

mod jobs;
pub(crate) mod journal;
pub(crate) mod need;
mod summary;
mod tree;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use everymove_kernel::files::Storage;
use everymove_kernel::run::Run;
use everymove_kernel::system;
use num_bigint::BigUint;
use xxhash_rust::xxh3::xxh3_64;

use crate::frontier::FrontierError;
use crate::frontier::choose::known::Known;
use crate::frontier::choose::need::{InMemory, files, plan_bytes};
use crate::frontier::choose::scheme::Scheme;
use crate::frontier::counted::{Count, describe, given_end};
use crate::frontier::engine::Engine;
pub use crate::frontier::engine::Event;
use crate::frontier::join::{Detail, Tally};
use crate::frontier::states::matching::MAX_ENDPOINTS;
use crate::frontier::step::plan::{Meet, Phase, Plan};
use crate::frontier::step::strip::{Strip, refuse_wide};
use crate::frontier::step::{Action, Step};
use crate::frontier::store::files::Files;
use crate::frontier::store::folder::{Folder, in_folder};
use crate::frontier::store::memory::Memory;
use crate::frontier::store::room::Rest;
use crate::frontier::store::{Place, Ready, Store};
use crate::frontier::vectors::degrees::{Degrees, masks};
use crate::frontier::vectors::live::{Found, LISTS, List, Live, Members, Packed};
use crate::question::Question;
pub use jobs::{ClassSize, Planned, Split};
pub use journal::Finished;
use journal::{ClassJournal, Subject};
use need::ByClasses;
pub use summary::{Summary, SummaryError, add_up, summary};
use tree::{ClassSizes, Part, Tree};

/// How to count by classes; the answer does not depend on it.
#[derive(Clone, Debug)]
pub struct ClassOptions {
    /// A folder for the journal, from which a count is resumed; none is kept without one.
    pub journal: Option<PathBuf>,
    /// The most slots in the key of the classes that the journal has.
    pub key_slots: usize,
    /// The most slots in the key of any layer: more of them make the parts smaller that are in
    /// memory; `None`: as many as the memory budget asks for.
    pub part_slots: Option<usize>,
    /// Only plan.
    pub plan_only: bool,
    /// Which side of the board is the frontier's.
    pub columns: Columns,
    /// A folder in which the layers are kept in files, in a folder of their own that is removed
    /// when the count is complete; without one they are in memory. Classes that are counted
    /// one by one are always in memory.
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

impl Default for ClassOptions {
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

/// Whether classes take less memory than whole layers: whether the first half has a row more.
/// Otherwise the second half alone takes as much.
pub(crate) fn are_smaller(question: &Question, run: &Run) -> Result<bool, FrontierError> {
    let plan = plan(question, &ClassOptions::default(), run)?;
    Ok(plan.is_some_and(|plan| is_uneven(&plan)))
}

pub(crate) fn is_uneven(plan: &Plan) -> bool {
    let squares = |steps: &[Step]| {
        let eliminations = steps.iter();
        let eliminates = |step: &&Step| matches!(step.action, Action::Eliminate(_));
        eliminations.filter(eliminates).count()
    };
    squares(&plan.steps.first) > squares(&plan.steps.second)
}

/// Counts the tours that a question asks for, class by class; `observe` gets what happens. `None`
/// if the board has too few rows for two halves. With layers in files and without a folder for the
/// journal it is beside the layers.
///
/// # Errors
/// As [`count`](crate::frontier::count); a journal of another question or plan is refused, and so
/// is a count that is estimated not to fit the memory budget or the disk, before it starts.
pub fn count_by_classes(
    question: &Question,
    options: &ClassOptions,
    run: &Run,
    observe: &mut dyn FnMut(Event),
) -> Result<Option<Count>, FrontierError> {
    run.progress.start("planning the count", 0);
    let Some(plan) = plan(question, options, run)? else {
        return Ok(None);
    };
    if options.plan_only {
        report_lists(&plan, run, observe)?;
        return Ok(None);
    }
    let start = given_end(question)?;
    let words = describe(question, start);
    let opened = |path: &PathBuf| Folder::open(path, &words);
    let journal = options.journal.as_ref().map(opened).transpose()?;
    let counted = match &options.files {
        None => in_memory(question, options, &plan, journal, run, observe),
        Some(parent) => in_folder(&words, parent, options.disk, |folder, limit| {
            let files = (folder, limit);
            in_files(question, options, &plan, files, journal, run, observe)
        }),
    };
    counted.map(Some)
}

/// What a count by classes is called when memory is asked for.
fn what(question: &Question) -> String {
    let (grid, kind) = (question.board.grid(), question.kind);
    format!("counting the {kind} tours of {grid} by classes")
}

fn in_memory(
    question: &Question,
    options: &ClassOptions,
    plan: &Plan,
    folder: Option<Folder>,
    run: &Run,
    observe: &mut dyn FnMut(Event),
) -> Result<Count, FrontierError> {
    let enough = run.ram.used() + Known::of(question).classes;
    let live: Live<Members> = Live::new(plan, run).map_err(|error| error.at_least(enough))?;
    let found = Found::of(&live, run)?;
    let sizes = ByClasses::new(plan, &live, options.part_slots, false, run)?;
    let need = |layers| InMemory::of(layers, true, plan, found, run);
    let fits = |layers| need(layers).bytes <= run.ram.left();
    let (part_slots, layers) = sizes.slots(options.part_slots, options.key_slots, fits);
    let (what, need) = (what(question), need(layers));
    run.ram.require(&what, need.bytes)?;
    let _unaccounted = run.ram.reserve(&what, need.unaccounted)?;
    let journal = folder.as_ref().map(|folder| folder.storage().clone());
    let store = Memory::new(need.maps, folder, false, run);
    let engine = Engine::new(store, plan, found.vectors, None, observe, run);
    let time_left = TimeLeft::new(sizes.classes, part_slots);
    let slots = options.key_slots;
    Counting::opened(question, slots, engine, live, time_left, journal)?.count(Scheme::Classes)
}

/// The common layers and the second half are files that a count is resumed from. Of the first half
/// one class of each layer is in a file at a time; a class of its last layer is joined in portions
/// that fit the memory.
fn in_files(
    question: &Question,
    options: &ClassOptions,
    plan: &Plan,
    (folder, limit): (Folder, u64),
    journal: Option<Folder>,
    run: &Run,
    observe: &mut dyn FnMut(Event),
) -> Result<Count, FrontierError> {
    let live: Live<Packed> = Live::new(plan, run)?;
    let found = Found::of(&live, run)?;
    let sizes = ByClasses::new(plan, &live, options.part_slots, true, run)?;
    let fits = |layers| files(layers).compressed <= limit;
    let (part_slots, layers) = sizes.slots(options.part_slots, options.key_slots, fits);
    let last = live.second.last().map_or(0, |list| list.len() as u64);
    let rest = Rest::by_classes(plan, found, last);
    let what = format!("{} on disk", what(question));
    let members: usize = live.first.iter().map(List::len).sum();
    let tree = (members * size_of::<Degrees>()) as u64;
    run.ram.require(&what, tree + rest.bytes())?;
    let journal = journal.as_ref().unwrap_or(&folder).storage().clone();
    let strip = strip(question, options, run)?;
    let tree = run.ram.reserve(LISTS, tree)?;
    let store = Files::new(folder, strip, rest, (files(layers), limit), what, run)?;
    drop(tree);
    let engine = Engine::new(store, plan, found.vectors, Some(sizes.whole), observe, run);
    let time_left = TimeLeft::new(sizes.classes, part_slots);
    let slots = options.key_slots;
    let counting = Counting::opened(question, slots, engine, live, time_left, Some(journal))?;
    counting.count(Scheme::ClassesOnDisk)
}

/// The sum over all classes is this many times the number of undirected tours.
fn multiplicity(plan: &Plan) -> u32 {
    plan.meet.as_ref().map_or(1, Meet::multiplicity)
}

/// The halves of a count by classes; `None` if the board has too few rows.
pub(crate) fn plan(
    question: &Question,
    options: &ClassOptions,
    run: &Run,
) -> Result<Option<Plan>, FrontierError> {
    let strip = strip(question, options, run)?;
    Plan::by_classes(&strip, &question.board, &run.stop)
}

/// The board laid out for a count.
fn strip(question: &Question, options: &ClassOptions, run: &Run) -> Result<Strip, FrontierError> {
    let start = given_end(question)?;
    refuse_wide(&question.board)?;
    (run.ram).require("planning the count", plan_bytes(&question.board))?;
    Ok(match options.columns {
        Columns::Narrow => Strip::new(&question.board, question.kind, start),
        Columns::Wide => Strip::turned(&question.board, question.kind, start),
    })
}

fn report_lists(
    plan: &Plan,
    run: &Run,
    observe: &mut dyn FnMut(Event),
) -> Result<(), FrontierError> {
    let live: Live<Members> = Live::new(plan, run)?;
    for phase in [Phase::Common, Phase::Second, Phase::First] {
        for (step, list) in live[phase].iter().enumerate().skip(1) {
            let mut by_pairs = vec![0; MAX_ENDPOINTS / 2 + 1];
            let pairs = |&d: &Degrees| masks(d).ends.count_ones() as usize / 2;
            list.list.iter().for_each(|d| by_pairs[pairs(d)] += 1);
            observe(Event::List {
                phase: phase.name(),
                step,
                by_pairs,
            });
        }
    }
    Ok(())
}

/// A digest of what the sums of classes depend on.
fn digest(plan: &Plan, key: usize) -> String {
    let facing = plan.meet.as_ref().map(|meet| &meet.facing);
    let mut text = format!("{key} {:?}", facing.unwrap_or(&vec![]));
    for step in plan.all() {
        let fold = step.fold.as_ref().map(|fold| &fold.to);
        // Writing to a string does not fail.
        let _ = write!(text, " {} {:?} {fold:?}", step.slots_out, step.action);
    }
    format!("{:016x}", xxh3_64(text.as_bytes()))
}

/// A count by classes under way.
struct Counting<'a, S: Store, L> {
    engine: Engine<'a, S>,
    meet: &'a Meet,
    tree: Tree,
    /// The live degree vectors of the phases that are counted whole.
    live: Live<L>,
    /// The layer whose classes are those of the journal.
    journal_level: usize,
    journal: Option<ClassJournal>,
    finished: Vec<Finished>,
    /// The numbers of the finished classes.
    done: BTreeSet<u32>,
    classes: Vec<Part>,
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
    /// Of no pairs of halves that meet on a frontier of `slots` slots.
    fn new(slots: usize) -> Self {
        Self {
            tally: Tally {
                total: 0,
                by_degree: vec![[0; 3]; slots],
            },
            ..Self::default()
        }
    }

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

impl<'a, S: Store, L: List> Counting<'a, S, L> {
    /// A count of which the classes of a layer are finished one by one.
    fn new(engine: Engine<'a, S>, tree: Tree, live: Live<L>, level: usize) -> Self {
        let meet = engine.plan.meet.as_ref();
        Self {
            meet: meet.expect("a count by classes has two halves"),
            live,
            journal_level: level,
            journal: None,
            finished: vec![],
            done: BTreeSet::new(),
            classes: tree.parts(level),
            tree,
            engine,
            time_left: None,
        }
    }

    /// Orders the first half's vectors by classes, opens the journal, if there is one, and shows
    /// what is planned.
    fn opened(
        question: &Question,
        key_slots: usize,
        mut engine: Engine<'a, S>,
        mut live: Live<L>,
        time_left: TimeLeft,
        journal: Option<Arc<dyn Storage>>,
    ) -> Result<Self, FrontierError> {
        if let Some(folder) = engine.store.folder() {
            folder.remove_classes()?;
        }
        let plan = engine.plan;
        let branch = engine.place(plan.steps.common.len());
        let lists = std::mem::take(&mut live.first);
        let order = |step: usize, _, key: &[u8]| {
            let place = branch.after(Phase::First, &plan.steps.first[..step]);
            engine.store.order(place, key)
        };
        let (slots, run) = (time_left.part_slots, engine.run);
        let tree = Tree::new(&plan.steps.first, lists, slots, &order, run)?;
        system::release_freed_memory();
        let level = tree.level_with(key_slots).max(1);
        let mut counting = Self::new(engine, tree, live, level);
        counting.time_left = Some(time_left);
        let classes = counting.classes.len() as u64;
        if let Some(storage) = journal {
            let subject = Subject {
                question: describe(question, given_end(question)?),
                plan: digest(plan, counting.tree.key_slots(level)),
                classes,
                multiplicity: multiplicity(plan),
            };
            let (journal, finished) = ClassJournal::open(&*storage, &subject)?;
            counting.done = finished.iter().map(|class| class.class).collect();
            (counting.journal, counting.finished) = (Some(journal), finished);
        }
        let blocks = counting.engine.work.get("blocks");
        counting.engine.tell(Event::Planned {
            blocks,
            classes,
            finished: counting.finished.len() as u64,
        });
        Ok(counting)
    }

    /// Counts all classes that are not finished.
    fn count(mut self, scheme: impl Fn(u64) -> Scheme) -> Result<Count, FrontierError> {
        if self.done.len() < self.classes.len() {
            let branch = self.halves()?;
            if let Some(time_left) = &mut self.time_left {
                time_left.begun = Instant::now();
            }
            self.announce();
            self.descend(self.tree.root(), branch, &mut Sum::default())?;
        }
        let sums = self.finished.iter().map(|f| f.sum.parse::<BigUint>());
        let total: Result<BigUint, _> = sums.sum();
        let total = total.map_err(|_| FrontierError::TooMany)?;
        let undirected = total / multiplicity(self.engine.plan);
        let (work, folder) = self.engine.end();
        if let Some(mut folder) = folder {
            folder.clear()?;
        }
        Ok(Count {
            undirected,
            work,
            scheme: scheme(self.classes.len() as u64),
        })
    }

    /// Counts the common layers, the last of which is returned, and the second half.
    fn halves(&mut self) -> Result<Arc<S::Layer>, FrontierError> {
        let (branch, place) = self.engine.common(&mut self.live.common)?;
        let lists = &mut self.live.second;
        let second = self
            .engine
            .phase(Phase::Second, branch.clone(), place, lists)?;
        self.live = Live::default();
        self.engine.store.face(self.meet, second)?;
        Ok(branch)
    }

    /// The layer of a class, given that before the step.
    fn layer(&mut self, before: &S::Layer, part: Part) -> Result<Ready<S::Layer>, FrontierError> {
        let plan = self.engine.plan;
        let steps = &plan.steps.first[..part.level];
        let branch = self.engine.place(plan.steps.common.len());
        let place = Place {
            is_whole: false,
            ..branch.after(Phase::First, steps)
        };
        let vectors = self.tree.vectors(part, self.engine.run)?;
        let step = &steps[part.level - 1];
        let ready = self.engine.store.advance(before, step, place, vectors)?;
        self.engine.report(place, part.number, &ready);
        Ok(ready)
    }

    /// Counts all classes below `part`, whose layer is `layer`.
    fn descend(
        &mut self,
        part: Part,
        layer: Arc<S::Layer>,
        sum: &mut Sum,
    ) -> Result<(), FrontierError> {
        if part.level == self.tree.depth() {
            let tally = &mut sum.tally;
            let done = &mut |_, part| {
                tally.add(part, None);
                Ok(())
            };
            let store = &mut self.engine.store;
            store.join(self.meet, &layer, Detail::ByDegree, 0, done)?;
            return self.release(layer);
        }
        let mut children = self.tree.children(part);
        children.retain(|&child| self.is_wanted(child));
        let mut layer = Some(layer);
        let last = children.last().copied();
        for child in children {
            let Some(before) = &layer else { break };
            let ready = self.layer(before, child)?;
            if last == Some(child)
                && let Some(before) = layer.take()
            {
                self.release(before)?;
            }
            let below = Arc::new(ready.layer);
            if child.level == self.journal_level {
                let mut sum = Sum {
                    transitions: ready.transitions,
                    states: ready.states,
                    ..Sum::new(self.meet.facing.len())
                };
                self.descend(child, below, &mut sum)?;
                self.finish(child, &sum)?;
            } else {
                sum.transitions += ready.transitions;
                sum.states += ready.states;
                self.descend(child, below, sum)?;
            }
        }
        Ok(())
    }

    /// Gives a layer back, if it is used nowhere else.
    fn release(&mut self, layer: Arc<S::Layer>) -> Result<(), FrontierError> {
        Arc::into_inner(layer).map_or(Ok(()), |layer| self.engine.store.release(layer))
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
            time_left.states_done += time_left.states_of(part);
        }
        self.announce();
        self.engine.tell(Event::Class {
            finished,
            done: self.done.len() as u64,
            of: self.classes.len() as u64,
        });
        Ok(())
    }

    /// Shows how many classes are finished, and the time that the others will take at the speed so
    /// far.
    fn announce(&self) {
        let open = self.classes.iter();
        let open = open.filter(|part| !self.done.contains(&part.number));
        let left = self.time_left.as_ref();
        let left = left.and_then(|time_left| time_left.of(open));
        let (done, of) = (self.done.len(), self.classes.len());
        let progress = &self.engine.run.progress;
        progress.stage(format!("{done} of {of} classes done"), left);
        progress.start("counting a class", 0);
    }
}

/// The classes' estimated states, and the time since the first class began.
struct TimeLeft {
    sizes: ClassSizes,
    /// The most slots of a key of the sizes.
    part_slots: usize,
    begun: Instant,
    /// The estimated states of the classes that are finished since.
    states_done: f64,
}

impl TimeLeft {
    fn new(sizes: ClassSizes, part_slots: usize) -> Self {
        Self {
            sizes,
            part_slots,
            begun: Instant::now(),
            states_done: 0.0,
        }
    }

    /// The time that these classes will take; `None` before the first is finished.
    fn of<'a>(&self, open: impl Iterator<Item = &'a Part>) -> Option<Duration> {
        let states: f64 = open.map(|&part| self.states_of(part)).sum();
        (self.states_done > 0.0).then(|| {
            let seconds = self.begun.elapsed().as_secs_f64();
            Duration::from_secs_f64(seconds * states / self.states_done)
        })
    }

    /// The estimated states of a class.
    fn states_of(&self, part: Part) -> f64 {
        let slots = self.part_slots;
        self.sizes.states_of(slots, part.level, part.number)
    }
}

#[cfg(test)]
pub(crate) mod tests;
