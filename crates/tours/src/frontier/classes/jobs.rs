//! Classes as independent jobs: any process counts any of them, in any order.
//!
//! A process plans the count once, and counts the second half once, at its first class; both are
//! kept for further calls. Of the first half it keeps one class of each layer, down to the classes
//! that are jobs: the next job begins at the deepest layer that it shares with the last one.

use std::sync::Arc;

use everymove_kernel::run::{Reservation, Run};

use crate::frontier::FrontierError;
use crate::frontier::choose::known::Known;
use crate::frontier::choose::need::InMemory;
use crate::frontier::classes::need::{ByClasses, plenty_for_classes};
use crate::frontier::classes::tree::{Part, Tree};
use crate::frontier::classes::{ClassOptions, Counting, Finished, Sum, digest, multiplicity, plan};
use crate::frontier::counted::{describe, given_end};
use crate::frontier::engine::Engine;
use crate::frontier::states::block::Layer;
use crate::frontier::step::plan::Plan;
use crate::frontier::store::memory::{self, Kept, Memory};
use crate::frontier::vectors::live::{Found, Live, Members};
use crate::question::Question;

/// A count in parts that need nothing of each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The question in words.
    pub question: String,
    /// A digest of what the sums of classes depend on.
    pub plan: String,
    /// The classes, ascending by their number.
    pub classes: Vec<ClassSize>,
}

/// A class and how large it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassSize {
    /// As [`Finished::class`].
    pub class: u32,
    /// The matchings of all degree vectors of the layers of the class that no other class shares:
    /// about in proportion to its work.
    pub matchings: u64,
    /// The classes of earlier layers from which it comes, by longer and longer keys. Classes with
    /// the same ones share these layers.
    pub path: Vec<u32>,
}

/// A count that is planned, with its live degree vectors, for which the memory of the run is
/// reserved.
pub struct Planned {
    split: Split,
    plan: Plan,
    tree: Tree,
    /// The layer whose classes are the jobs.
    level: usize,
    live: Live<Members>,
    /// Live degree vectors of all layers.
    vectors: u64,
    /// The bytes of the tables of maps.
    maps: u64,
    /// The layer of the branch, and what the store has of the second half, once they are counted.
    halves: Option<(Arc<Layer>, Kept)>,
    _unaccounted: Reservation,
}

impl Planned {
    /// Plans a count; `None` if the board has too few rows for two halves.
    ///
    /// # Errors
    /// As [`super::count_by_classes`].
    pub fn new(
        question: &Question,
        options: &ClassOptions,
        run: &Run,
    ) -> Result<Option<Self>, FrontierError> {
        run.progress.start("planning the count", 0);
        let Some(plan) = plan(question, options, run)? else {
            return Ok(None);
        };
        let enough = run.ram.used() + Known::of(question).classes;
        let live = Live::new(&plan, run);
        let mut live: Live<Members> = live.map_err(|error| error.at_least(enough))?;
        let found = Found::of(&live, run)?;
        let need = |layers| InMemory::of(layers, true, &plan, found, run);
        let fits = |layers| need(layers).bytes <= run.ram.left();
        let plenty = plenty_for_classes(question, options);
        let (part_slots, layers) = match plenty.filter(|&(_, layers)| fits(layers)) {
            Some(plenty) => plenty,
            None => {
                let sizes = ByClasses::new(&plan, &live, options.part_slots, false, run)?;
                sizes.slots(options.part_slots, options.key_slots, fits)
            }
        };
        let what = "counting by classes";
        let need = need(layers);
        run.ram.require(what, need.bytes)?;
        let unaccounted = run.ram.reserve(what, need.unaccounted)?;
        let lists = std::mem::take(&mut live.first);
        let order = |_, slots, key: &[u8]| memory::order(slots, key);
        let tree = Tree::new(&plan.steps.first, lists, part_slots, &order, run)?;
        let level = tree.level_with(options.key_slots).max(1);
        let classes = tree.parts(level).into_iter().map(|part| ClassSize {
            class: part.number,
            matchings: tree.matchings_below(part),
            path: tree.path(part).map(|above| above.number).collect(),
        });
        Ok(Some(Self {
            split: Split {
                question: describe(question, given_end(question)?),
                plan: digest(&plan, tree.key_slots(level)),
                classes: classes.collect(),
            },
            level,
            plan,
            tree,
            live,
            vectors: found.vectors,
            maps: need.maps,
            halves: None,
            _unaccounted: unaccounted,
        }))
    }

    /// The classes.
    pub fn split(&self) -> &Split {
        &self.split
    }

    /// The sum over all classes is this many times the number of undirected tours.
    pub fn multiplicity(&self) -> u32 {
        multiplicity(&self.plan)
    }

    /// Counts the classes that `next` names, one after the other until it returns `None`; `done`
    /// gets each when it is finished. Nothing is computed before the first class is named.
    /// Returns the plan with what all classes need, for further calls, whose runs must have the
    /// same memory budget.
    ///
    /// # Errors
    /// As [`super::count_by_classes`], and what `next` and `done` return;
    /// [`FrontierError::NoClass`] if the count has no such class.
    pub fn count<E: From<FrontierError>>(
        self,
        run: &Run,
        mut next: impl FnMut() -> Result<Option<u32>, E>,
        mut done: impl FnMut(Finished) -> Result<(), E>,
    ) -> Result<Self, E> {
        let Some(mut class) = next()? else {
            return Ok(self);
        };
        let Self {
            split,
            plan,
            tree,
            level,
            live,
            vectors,
            maps,
            halves,
            _unaccounted,
        } = self;
        let mut ignore = |_| ();
        let store = Memory::new(maps, None, false, run);
        let (branch, store) = match halves {
            Some((branch, kept)) => (Some(branch), store.with(kept)),
            None => (None, store),
        };
        let engine = Engine::new(store, &plan, vectors, None, &mut ignore, run);
        let mut counting = Counting::new(engine, tree, live, level);
        let branch = match branch {
            Some(branch) => branch,
            None => counting.halves()?,
        };
        let mut path: Vec<(Part, Arc<Layer>)> = Vec::new();
        loop {
            let part = Part {
                level,
                number: class,
            };
            if !counting.classes.contains(&part) {
                return Err(FrontierError::NoClass { class }.into());
            }
            done(one_class(&mut counting, part, &branch, &mut path)?)?;
            match next()? {
                Some(next) => class = next,
                None => break,
            }
        }
        let Counting {
            engine, tree, live, ..
        } = counting;
        Ok(Self {
            split,
            tree,
            level,
            live,
            vectors,
            maps,
            halves: Some((branch, engine.store.into_kept())),
            _unaccounted,
            plan,
        })
    }
}

/// Counts a class. `path` holds one class of each layer from the first after `branch`, each below
/// the one before.
fn one_class(
    counting: &mut Counting<'_, Memory<'_>, Members>,
    class: Part,
    branch: &Layer,
    path: &mut Vec<(Part, Arc<Layer>)>,
) -> Result<Finished, FrontierError> {
    let shared = path
        .iter()
        .take_while(|(part, _)| counting.tree.is_below(class, *part))
        .count();
    for (_, layer) in path.drain(shared..).rev() {
        counting.release(layer)?;
    }
    let mut sum = Sum::new(counting.meet.facing.len());
    for level in path.len() + 1..=class.level {
        let before = path.last().map_or(branch, |(_, layer)| layer);
        let part = counting.tree.above(class, level);
        let ready = counting.layer(before, part)?;
        let layer = Arc::new(ready.layer);
        if level < class.level {
            path.push((part, layer));
            continue;
        }
        (sum.transitions, sum.states) = (ready.transitions, ready.states);
        counting.descend(class, layer, &mut sum)?;
    }
    Ok(sum.finished(class.number))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::board::{Board, Kind};
    use crate::frontier::classes::tests::by_classes;

    fn planned(question: &Question, options: &ClassOptions) -> Planned {
        Planned::new(question, options, &Run::serial())
            .unwrap()
            .unwrap()
    }

    fn chosen(
        question: &Question,
        options: &ClassOptions,
        classes: &[u32],
    ) -> BTreeMap<u32, Finished> {
        let mut found = BTreeMap::new();
        let mut planned = planned(question, options);
        // What the second call needs is there from the first.
        for classes in classes.chunks(classes.len().div_ceil(2)) {
            let mut classes = classes.iter().copied();
            let counted: Result<_, FrontierError> = planned.count(
                &Run::serial(),
                || Ok(classes.next()),
                |finished| {
                    assert!(found.insert(finished.class, finished).is_none());
                    Ok(())
                },
            );
            planned = counted.unwrap();
        }
        found
    }

    /// Every class in two orders that share few layers, against the count that goes through them
    /// depth first.
    #[test]
    fn any_order_gives_the_classes_of_the_whole_count() {
        for (rows, cols, kind) in [
            (5, 6, Kind::Open),
            (5, 7, Kind::Open),
            (6, 7, Kind::Closed),
            (4, 7, Kind::Open),
        ] {
            let question = Question::new(Board::knight(rows, cols).unwrap(), kind);
            for key_slots in [0, 3, 5] {
                let options = ClassOptions {
                    key_slots,
                    ..ClassOptions::default()
                };
                let (_, expected) = by_classes(&question, &options, &Run::serial());
                let expected = expected.into_iter().map(|class| (class.class, class));
                let expected: BTreeMap<u32, Finished> = expected.collect();
                let planned = planned(&question, &options);
                let classes = planned.split().classes.iter();
                let mut classes: Vec<u32> = classes.map(|class| class.class).collect();
                assert_eq!(classes.len(), expected.len());
                classes.sort_by_key(|class| (class % 3, class % 5, *class));
                assert_eq!(chosen(&question, &options, &classes), expected);
                for class in classes.iter().rev().take(2) {
                    let alone = chosen(&question, &options, &[*class]);
                    assert_eq!(alone[class], expected[class]);
                }
            }
        }
    }

    #[test]
    fn classes_that_do_not_exist_are_refused() {
        let question = Question::new(Board::knight(5, 6).unwrap(), Kind::Open);
        let mut next = Some(99_999);
        let counted: Result<_, FrontierError> = planned(&question, &ClassOptions::default()).count(
            &Run::serial(),
            || Ok(next.take()),
            |_| panic!("nothing is counted"),
        );
        let error = counted.err().unwrap();
        assert!(matches!(error, FrontierError::NoClass { class: 99_999 }));
    }

    #[test]
    fn boards_with_too_few_rows_are_not_planned() {
        let question = Question::new(Board::knight(3, 3).unwrap(), Kind::Open);
        let planned = Planned::new(&question, &ClassOptions::default(), &Run::serial());
        assert!(planned.unwrap().is_none());
    }
}
