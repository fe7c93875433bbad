//! Counting on the backtracking pool.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use everymove_kernel::backtrack::{Tally, Tree, Watch, explore};
use everymove_kernel::run::{Run, Stopped};

use super::cases::{Case, Cases};
use super::graph::Graph;
use super::paths::{Path, Rule};
use super::segments::{Arena, Outcome, Segments};
use super::sink::Sink;
use super::word::Word;

/// Levels of the search whose nodes are jobs: some thousand jobs on boards that take longer than an instant.
const PATH_SPLIT: u32 = 5;
const SEGMENT_SPLIT: u32 = 8;

/// Nodes between two looks at the stop flag.
const TICK: u64 = 1 << 12;

/// Nodes, and directed tours by the class of their start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) nodes: u64,
    pub(crate) by_class: Vec<u64>,
}

impl Tally for Totals {
    fn merge(&mut self, later: Self) {
        self.nodes += later.nodes;
        if self.by_class.len() < later.by_class.len() {
            self.by_class.resize(later.by_class.len(), 0);
        }
        for (sum, more) in self.by_class.iter_mut().zip(later.by_class) {
            *sum += more;
        }
    }
}

/// Counts the tours of one case.
struct Counter<'a> {
    nodes: u64,
    by_class: &'a mut [u64],
    class_of: &'a [usize],
    class: usize,
    weight: u64,
    mirrored: bool,
    /// Absent while a single node is branched.
    watch: Option<&'a Watch<'a>>,
}

impl Sink for Counter<'_> {
    #[inline(always)]
    fn node(&mut self) -> ControlFlow<()> {
        self.nodes += 1;
        match self.watch {
            Some(watch) if self.nodes.is_multiple_of(TICK) => watch.tick(TICK),
            _ => ControlFlow::Continue(()),
        }
    }

    #[inline(always)]
    fn link(&mut self, _: usize, _: usize) {}

    #[inline(always)]
    fn mark(&self) -> usize {
        0
    }

    #[inline(always)]
    fn rewind(&mut self, _: usize) {}

    #[inline(always)]
    fn tour(&mut self, end: usize) -> ControlFlow<()> {
        self.by_class[self.class] += self.weight;
        if self.mirrored {
            let class = self.class_of[end];
            if class != self.class {
                self.by_class[class] += self.weight;
            }
        }
        ControlFlow::Continue(())
    }
}

/// A search in progress through one of the cases.
struct Node<T> {
    case: usize,
    state: T,
}

/// Runs `search` with a counter for one case and adds what it counted to `totals`.
fn counted<'a, W: Word, R>(
    cases: &'a Cases<W>,
    case: &Case<W>,
    watch: Option<&'a Watch<'a>>,
    totals: &'a mut Totals,
    search: impl FnOnce(&mut Counter<'a>) -> R,
) -> R {
    totals.by_class.resize(cases.classes.len(), 0);
    let mut counter = Counter {
        nodes: 0,
        by_class: &mut totals.by_class,
        class_of: &cases.class_of,
        class: case.class,
        weight: case.weight,
        mirrored: cases.mirrored,
        watch,
    };
    let result = search(&mut counter);
    totals.nodes += counter.nodes;
    if let Some(watch) = watch {
        let _ = watch.tick(counter.nodes % TICK);
    }
    result
}

/// Counts by growing paths under a rule.
pub(crate) fn by_paths<W: Word, R: Rule>(
    graph: &Graph<W>,
    cases: &Cases<W>,
    run: &Run,
) -> Result<Totals, Stopped> {
    let mut totals = Totals::default();
    let mut roots = Vec::new();
    for (index, case) in cases.list.iter().enumerate() {
        let root = counted(cases, case, None, &mut totals, |counter| {
            Path::root::<R>(graph, case, counter)
        });
        roots.extend(root.map(|state| Node { case: index, state }));
    }
    let tree = PathTree {
        graph,
        cases,
        rule: PhantomData::<R>,
    };
    totals.merge(explore(&tree, roots, PATH_SPLIT, run)?);
    Ok(totals)
}

struct PathTree<'a, W: Word, R> {
    graph: &'a Graph<W>,
    cases: &'a Cases<W>,
    rule: PhantomData<R>,
}

impl<W: Word, R: Rule> Tree for PathTree<'_, W, R> {
    type Node = Node<Path<W>>;
    type Tally = Totals;

    fn branch(
        &self,
        Node { case, state }: Self::Node,
        totals: &mut Totals,
        children: &mut Vec<Self::Node>,
    ) -> ControlFlow<()> {
        let ends = self.cases.list[case].ends;
        counted(self.cases, &self.cases.list[case], None, totals, |sink| {
            state.branch::<R>(self.graph, ends, sink, |state| {
                children.push(Node { case, state });
            })
        })
    }

    fn sweep(
        &self,
        Node { case, state }: Self::Node,
        totals: &mut Totals,
        watch: &Watch<'_>,
    ) -> ControlFlow<()> {
        let case = &self.cases.list[case];
        counted(self.cases, case, Some(watch), totals, |sink| {
            state.walk::<R>(self.graph, case.ends, sink)
        })
    }
}

/// Counts by growing segments in the arena of each case.
pub(crate) fn by_segments<W: Word>(
    arenas: &[Arena<W>],
    cases: &Cases<W>,
    run: &Run,
) -> Result<Totals, Stopped> {
    let mut totals = Totals::default();
    let mut roots = Vec::new();
    for (index, (case, arena)) in cases.list.iter().zip(arenas).enumerate() {
        let _ = counted(cases, case, None, &mut totals, |counter| {
            let (state, outcome) = Segments::root(arena, counter);
            match outcome {
                Outcome::Dead => ControlFlow::Continue(()),
                Outcome::Tour => counter.tour(state.end(arena)),
                Outcome::Choice => {
                    roots.push(Node { case: index, state });
                    ControlFlow::Continue(())
                }
            }
        });
    }
    let tree = SegmentTree { arenas, cases };
    totals.merge(explore(&tree, roots, SEGMENT_SPLIT, run)?);
    Ok(totals)
}

struct SegmentTree<'a, W: Word> {
    arenas: &'a [Arena<W>],
    cases: &'a Cases<W>,
}

impl<W: Word> Tree for SegmentTree<'_, W> {
    type Node = Node<Segments<W>>;
    type Tally = Totals;

    fn branch(
        &self,
        Node { case, state }: Self::Node,
        totals: &mut Totals,
        children: &mut Vec<Self::Node>,
    ) -> ControlFlow<()> {
        counted(self.cases, &self.cases.list[case], None, totals, |sink| {
            state.branch(&self.arenas[case], sink, |state| {
                children.push(Node { case, state });
            })
        })
    }

    fn sweep(
        &self,
        Node { case, state }: Self::Node,
        totals: &mut Totals,
        watch: &Watch<'_>,
    ) -> ControlFlow<()> {
        let arena = &self.arenas[case];
        counted(
            self.cases,
            &self.cases.list[case],
            Some(watch),
            totals,
            |sink| state.grow(arena, sink),
        )
    }
}
