//! Classes as independent jobs: any process counts any of them, in any order.
//!
//! A process plans the count and counts the second half once, at its first class. Of the first half it keeps one class
//! of each layer, down to the classes that are jobs: the next job begins at the deepest layer that it shares with the
//! last one.

use std::sync::Arc;
use std::time::Instant;

use everymove_kernel::run::{Reservation, Run, Work};

use super::need::Need;
use super::tree::ClassSizes;
use super::tree::{Part, Tree};
use super::{
    Engine, Finished, FrontierError, InMemory, Options, Store, Sum, describe, digest, given_end,
    meet, multiplicity,
};
use crate::frontier::block::Layer;
use crate::frontier::join::Join;
use crate::frontier::maps::Maps;
use crate::frontier::plan::Meet;
use crate::frontier::reach::{Layers, Reach};
use crate::question::Question;

/// A count in parts that need nothing of each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The question in words.
    pub question: String,
    /// A digest of what the sums of classes depend on.
    pub plan: String,
    /// The sum over all classes is this many times the number of undirected tours.
    pub multiplicity: u32,
    /// The classes, ascending by their number.
    pub classes: Vec<ClassSize>,
}

/// A class and how large it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassSize {
    /// As [`Finished::class`].
    pub class: u32,
    /// Degree vectors of all layers of the class that no other class shares.
    pub degree_vectors: u64,
}

/// The classes of a count; `None` if the board has too few rows for two halves.
///
/// # Errors
/// As [`super::count_by_classes`].
pub fn split(
    question: &Question,
    options: &Options,
    run: &Run,
) -> Result<Option<Split>, FrontierError> {
    let Some(prepared) = Prepared::new(question, options, run)? else {
        return Ok(None);
    };
    let Prepared { tree, level, .. } = &prepared;
    let classes = tree.parts(*level).into_iter().map(|part| ClassSize {
        class: part.number,
        degree_vectors: tree.size_below(part),
    });
    Ok(Some(Split {
        question: describe(question, given_end(question)?),
        plan: digest(&prepared.meet, tree.key_slots(*level)),
        multiplicity: multiplicity(&prepared.meet),
        classes: classes.collect(),
    }))
}

/// Counts the classes that `next` names, one after the other until it returns `None`; `done` gets each when it is
/// finished. Nothing is computed before the first class is named.
///
/// # Errors
/// As [`super::count_by_classes`], and what `next` and `done` return; [`FrontierError::NoClass`] if the count has no
/// such class.
pub fn count_chosen<E: From<FrontierError>>(
    question: &Question,
    options: &Options,
    run: &Run,
    mut next: impl FnMut() -> Result<Option<u32>, E>,
    mut done: impl FnMut(Finished) -> Result<(), E>,
) -> Result<(), E> {
    let Some(mut class) = next()? else {
        return Ok(());
    };
    let no_class = |class| FrontierError::NoClass { class };
    let Some(prepared) = Prepared::new(question, options, run)? else {
        return Err(no_class(class).into());
    };
    let Prepared {
        meet,
        tree,
        level,
        common,
        second,
        maps,
        sizes,
        part_slots,
        _held,
    } = prepared;
    let mut ignore = |_| ();
    let mut engine = Engine {
        meet: &meet,
        tree,
        maps,
        run,
        journal_level: level,
        journal: None,
        done: Default::default(),
        finished: Vec::new(),
        classes: Vec::new(),
        work: Work::default(),
        observe: &mut ignore,
        sizes,
        part_slots,
        before_classes: Instant::now(),
        states_done: 0.0,
    };
    let branch = engine.half("common", Arc::new(Layer::start()), &meet.common, common)?;
    let second = engine.half("second", branch.clone(), &meet.second, second)?;
    let maps = std::mem::replace(&mut engine.maps, Maps::new(0));
    let join = Join::new(&meet, &*second, &maps, run, None)?;
    let mut store = InMemory { join, run };
    let mut path: Vec<(Part, Layer)> = Vec::new();
    loop {
        let part = Part {
            level,
            number: class,
        };
        if !engine.tree.parts(level).contains(&part) {
            return Err(no_class(class).into());
        }
        let finished = one_class(&mut engine, part, &branch, &mut path, &mut store)?;
        done(finished)?;
        class = match next()? {
            Some(class) => class,
            None => return Ok(()),
        };
    }
}

/// Counts a class. `path` holds one class of each layer from the first after `branch`, each below the one before.
fn one_class(
    engine: &mut Engine<'_>,
    class: Part,
    branch: &Layer,
    path: &mut Vec<(Part, Layer)>,
    store: &mut InMemory<'_>,
) -> Result<Finished, FrontierError> {
    let shared = path
        .iter()
        .take_while(|(part, _)| engine.tree.is_below(class, *part))
        .count();
    for (_, layer) in path.drain(shared..).rev() {
        layer.release(engine.run)?;
    }
    let mut sum = Sum::default();
    for level in path.len() + 1..=class.level {
        let before = path.last().map_or(branch, |(_, layer)| layer);
        let part = engine.tree.above(class, level);
        let made = store.advance(before, &engine.meet.first[level - 1], part, &engine.tree)?;
        if level < class.level {
            path.push((part, made.layer));
            continue;
        }
        (sum.transitions, sum.states) = (made.transitions, made.states);
        engine.descend(class, made.layer, store, &mut sum)?;
    }
    Ok(sum.finished(class.number))
}

/// The plan of a count and its live degree vectors.
struct Prepared {
    meet: Meet,
    tree: Tree,
    /// The layer whose classes are the jobs.
    level: usize,
    common: Layers,
    second: Layers,
    maps: Maps,
    sizes: ClassSizes,
    part_slots: usize,
    _held: [Reservation; 2],
}

impl Prepared {
    fn new(
        question: &Question,
        options: &Options,
        run: &Run,
    ) -> Result<Option<Self>, FrontierError> {
        run.progress.start("planning the count", 0);
        let Some(meet) = meet(question, options.columns)? else {
            return Ok(None);
        };
        let reach = Reach::of_meet(&meet, run)?;
        let lists = reach.reserve(run)?;
        let need = Need::new(&meet, &reach, options, run)?;
        let what = "counting by classes";
        run.ram.require(what, need.bytes)?;
        let unaccounted = run.ram.reserve(what, need.unaccounted)?;
        let Reach::Meet {
            common,
            first,
            second,
        } = reach
        else {
            unreachable!("two halves were asked for")
        };
        let tree = Tree::new(&meet.first, first, need.part_slots, None, run)?;
        let level = tree.level_with(options.key_slots).max(1);
        Ok(Some(Self {
            meet,
            tree,
            level,
            common,
            second,
            maps: Maps::new(need.maps),
            sizes: need.sizes,
            part_slots: need.part_slots,
            _held: [lists, unaccounted],
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::{Event, count_by_classes};
    use super::*;
    use crate::board::{Board, Kind};

    fn chosen(question: &Question, options: &Options, classes: &[u32]) -> BTreeMap<u32, Finished> {
        let mut found = BTreeMap::new();
        let mut classes = classes.iter().copied();
        let counted: Result<(), FrontierError> = count_chosen(
            question,
            options,
            &Run::serial(),
            || Ok(classes.next()),
            |finished| {
                assert!(found.insert(finished.class, finished).is_none());
                Ok(())
            },
        );
        counted.unwrap();
        found
    }

    /// Every class in two orders that share few layers, against the count that goes through them depth first.
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
                let options = Options {
                    key_slots,
                    ..Options::default()
                };
                let mut expected = BTreeMap::new();
                let mut keep = |event| {
                    if let Event::Class { finished, .. } = event {
                        expected.insert(finished.class, finished);
                    }
                };
                count_by_classes(&question, &options, &Run::serial(), &mut keep).unwrap();
                let split = split(&question, &options, &Run::serial()).unwrap().unwrap();
                let mut classes: Vec<u32> = split.classes.iter().map(|class| class.class).collect();
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
        for (rows, cols) in [(5, 6), (3, 3)] {
            let question = Question::new(Board::knight(rows, cols).unwrap(), Kind::Open);
            let mut next = Some(99_999);
            let counted: Result<(), FrontierError> = count_chosen(
                &question,
                &Options::default(),
                &Run::serial(),
                || Ok(next.take()),
                |_| panic!("nothing is counted"),
            );
            let error = counted.unwrap_err();
            assert!(matches!(error, FrontierError::NoClass { class: 99_999 }));
        }
    }
}
