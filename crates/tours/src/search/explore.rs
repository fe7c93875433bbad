//! Searches on the backtracking pool, scored tour by tour.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use everymove_kernel::backtrack::{PARTS, Tally, Tree, Watch, explore};
use everymove_kernel::run::{Run, Stopped};

use super::cases::Case;
use super::graph::Graph;
use super::paths::{Path, Rule};
use super::segments::{Arena, Outcome, Segments};
use super::sink::{Link, Sink};
use super::word::Word;

/// Levels of the search whose nodes are jobs: some thousand jobs on boards that take longer than an instant.
const PATH_SPLIT: u32 = 5;
const SEGMENT_SPLIT: u32 = 8;

/// Nodes between two looks at the stop flag.
const TICK: u64 = 1 << 12;

/// What to gather from tours.
pub(crate) trait Score<W: Word>: Sync {
    /// Where it is gathered.
    type Tally: Tally;

    /// Whether the moves of each tour are wanted: following them costs a little.
    const LINKS: bool;

    /// Gathers one tour of a case. `links` are its moves in any order, those to the hub of the search among them.
    fn tour(&self, case: &Case<W>, links: &[Link], end: usize, tally: &mut Self::Tally);

    /// Gathers a number of nodes.
    fn nodes(tally: &mut Self::Tally, nodes: u64);
}

/// A node: which case, what was chosen, and the moves so far if they are wanted.
pub(crate) struct Job<T> {
    case: usize,
    state: T,
    links: Vec<Link>,
}

struct Scorer<'a, W: Word, S: Score<W>> {
    score: &'a S,
    case: &'a Case<W>,
    tally: &'a mut S::Tally,
    links: Vec<Link>,
    nodes: u64,
    /// Absent while a single node is branched.
    watch: Option<&'a Watch<'a>>,
}

impl<'a, W: Word, S: Score<W>> Scorer<'a, W, S> {
    fn new(
        score: &'a S,
        case: &'a Case<W>,
        tally: &'a mut S::Tally,
        mut links: Vec<Link>,
        watch: Option<&'a Watch<'a>>,
    ) -> Self {
        if S::LINKS {
            links.reserve(W::BITS + 1 - links.len());
        }
        Self {
            score,
            case,
            tally,
            links,
            nodes: 0,
            watch,
        }
    }
}

impl<W: Word, S: Score<W>> Drop for Scorer<'_, W, S> {
    fn drop(&mut self) {
        S::nodes(self.tally, self.nodes);
        if let Some(watch) = self.watch {
            let _ = watch.tick(self.nodes % TICK);
        }
    }
}

impl<W: Word, S: Score<W>> Sink for Scorer<'_, W, S> {
    #[inline(always)]
    fn node(&mut self) -> ControlFlow<()> {
        self.nodes += 1;
        match self.watch {
            Some(watch) if self.nodes.is_multiple_of(TICK) => watch.tick(TICK),
            _ => ControlFlow::Continue(()),
        }
    }

    #[inline(always)]
    fn link(&mut self, u: usize, v: usize) {
        if S::LINKS {
            self.links.push((u as u16, v as u16));
        }
    }

    #[inline(always)]
    fn mark(&self) -> usize {
        self.links.len()
    }

    #[inline(always)]
    fn rewind(&mut self, mark: usize) {
        self.links.truncate(mark);
    }

    #[inline(always)]
    fn tour(&mut self, end: usize) -> ControlFlow<()> {
        self.score.tour(self.case, &self.links, end, self.tally);
        ControlFlow::Continue(())
    }
}

/// Scores all tours of the cases by growing paths under a rule.
pub(crate) fn by_paths<W: Word, R: Rule, S: Score<W>>(
    graph: &Graph<W>,
    cases: &[Case<W>],
    score: &S,
    run: &Run,
) -> Result<S::Tally, Stopped> {
    let mut tally = S::Tally::default();
    let mut roots = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let mut scorer = Scorer::new(score, case, &mut tally, Vec::new(), None);
        if let Some(state) = Path::root::<R>(graph, case, &mut scorer) {
            roots.push(Job {
                case: index,
                state,
                links: scorer.links.clone(),
            });
        }
    }
    let tree = PathTree {
        graph,
        cases,
        score,
        rule: PhantomData::<R>,
    };
    run.progress.start("growing paths", PARTS);
    tally.merge(explore(&tree, roots, PATH_SPLIT, run)?);
    Ok(tally)
}

struct PathTree<'a, W: Word, R, S> {
    graph: &'a Graph<W>,
    cases: &'a [Case<W>],
    score: &'a S,
    rule: PhantomData<R>,
}

impl<W: Word, R: Rule, S: Score<W>> Tree for PathTree<'_, W, R, S> {
    type Node = Job<Path<W>>;
    type Tally = S::Tally;

    fn branch(
        &self,
        job: Self::Node,
        tally: &mut S::Tally,
        children: &mut Vec<Self::Node>,
    ) -> ControlFlow<()> {
        let case = &self.cases[job.case];
        let mut scorer = Scorer::new(self.score, case, tally, job.links, None);
        job.state
            .branch::<R, _>(self.graph, case.ends, &mut scorer, |scorer, state| {
                children.push(Job {
                    case: job.case,
                    state,
                    links: scorer.links.clone(),
                });
            })
    }

    fn sweep(&self, job: Self::Node, tally: &mut S::Tally, watch: &Watch<'_>) -> ControlFlow<()> {
        let case = &self.cases[job.case];
        let mut scorer = Scorer::new(self.score, case, tally, job.links, Some(watch));
        job.state.walk::<R>(self.graph, case.ends, &mut scorer)
    }
}

/// Scores all tours of the cases by growing segments in the arena of each.
pub(crate) fn by_segments<W: Word, S: Score<W>>(
    arenas: &[Arena<W>],
    cases: &[Case<W>],
    score: &S,
    run: &Run,
) -> Result<S::Tally, Stopped> {
    let mut tally = S::Tally::default();
    let mut roots = Vec::new();
    for (index, (case, arena)) in cases.iter().zip(arenas).enumerate() {
        let mut scorer = Scorer::new(score, case, &mut tally, Vec::new(), None);
        let (state, outcome) = Segments::root(arena, &mut scorer);
        match outcome {
            Outcome::Dead => {}
            Outcome::Tour => score.tour(case, &scorer.links, state.end(arena), scorer.tally),
            Outcome::Choice => roots.push(Job {
                case: index,
                state,
                links: scorer.links.clone(),
            }),
        }
    }
    let tree = SegmentTree {
        arenas,
        cases,
        score,
    };
    run.progress.start("growing segments", PARTS);
    tally.merge(explore(&tree, roots, SEGMENT_SPLIT, run)?);
    Ok(tally)
}

struct SegmentTree<'a, W: Word, S> {
    arenas: &'a [Arena<W>],
    cases: &'a [Case<W>],
    score: &'a S,
}

impl<W: Word, S: Score<W>> Tree for SegmentTree<'_, W, S> {
    type Node = Job<Segments<W>>;
    type Tally = S::Tally;

    fn branch(
        &self,
        job: Self::Node,
        tally: &mut S::Tally,
        children: &mut Vec<Self::Node>,
    ) -> ControlFlow<()> {
        let case = &self.cases[job.case];
        let mut scorer = Scorer::new(self.score, case, tally, job.links, None);
        job.state
            .branch(&self.arenas[job.case], &mut scorer, |scorer, state| {
                children.push(Job {
                    case: job.case,
                    state,
                    links: scorer.links.clone(),
                });
            })
    }

    fn sweep(&self, job: Self::Node, tally: &mut S::Tally, watch: &Watch<'_>) -> ControlFlow<()> {
        let case = &self.cases[job.case];
        let mut scorer = Scorer::new(self.score, case, tally, job.links, Some(watch));
        job.state.grow(&self.arenas[job.case], &mut scorer)
    }
}
