//! Searches on the backtracking pool, scored tour by tour.
//!
//! A node is a root or a move that was chosen; moves that are forced are no nodes.

use std::ops::ControlFlow;

use everymove_kernel::backtrack::{PARTS, Tally, Tree, Watch, explore};
use everymove_kernel::run::{Run, Stopped};

use super::cases::Case;
use super::sink::{Link, Sink};
use super::word::Word;

/// Nodes between two checks of the stop flag.
const TICK: u64 = 1 << 12;

/// A way to find the tours of a case.
pub(crate) trait Search<W: Word>: Sync {
    /// What is computed once for a case and constant in all its states.
    type Ground: Sync;
    /// How far the search has come.
    type State: Send + Copy;

    /// Levels of the search whose nodes are jobs of their own: enough for some thousand jobs.
    const SPLIT: u32;

    /// Prepares a case.
    fn ground(&self, case: &Case<W>) -> Self::Ground;

    /// Visits the root: the state that the search of a case begins with, unless all is over at
    /// once.
    fn root(
        &self,
        ground: &Self::Ground,
        case: &Case<W>,
        sink: &mut impl Sink,
    ) -> ControlFlow<(), Option<Self::State>>;

    /// Visits the children of a state and passes on those below which there may be more.
    fn branch<S: Sink>(
        &self,
        ground: &Self::Ground,
        state: &Self::State,
        sink: &mut S,
        child: impl FnMut(&S, Self::State),
    ) -> ControlFlow<()>;

    /// Visits everything below a state.
    fn sweep(
        &self,
        ground: &Self::Ground,
        state: &Self::State,
        sink: &mut impl Sink,
    ) -> ControlFlow<()>;
}

/// What to gather from tours.
pub(crate) trait Score<W: Word>: Sync {
    /// Where it is gathered.
    type Tally: Tally;

    /// Whether the moves of each tour are wanted: following them costs a little.
    const LINKS: bool;

    /// Gathers one tour of a case. `links` are its moves in any order, those to the hub of the
    /// search among them.
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

/// Scores all tours of the cases.
pub(crate) fn score_all<W: Word, F: Search<W>, S: Score<W>>(
    search: &F,
    cases: &[Case<W>],
    score: &S,
    run: &Run,
) -> Result<S::Tally, Stopped> {
    let mut tally = S::Tally::default();
    let mut roots = Vec::new();
    let grounds: Vec<_> = cases.iter().map(|case| search.ground(case)).collect();
    for (index, (case, ground)) in cases.iter().zip(&grounds).enumerate() {
        let mut scorer = Scorer::new(score, case, &mut tally, Vec::new(), None);
        if let ControlFlow::Continue(Some(state)) = search.root(ground, case, &mut scorer) {
            roots.push(Job {
                case: index,
                state,
                links: scorer.links.clone(),
            });
        }
    }
    let tree = ScoreTree {
        search,
        cases,
        grounds: &grounds,
        score,
    };
    run.progress.start("searching", PARTS);
    tally.merge(explore(&tree, roots, F::SPLIT, run)?);
    Ok(tally)
}

struct ScoreTree<'a, W: Word, F: Search<W>, S> {
    search: &'a F,
    cases: &'a [Case<W>],
    grounds: &'a [F::Ground],
    score: &'a S,
}

impl<W: Word, F: Search<W>, S: Score<W>> Tree for ScoreTree<'_, W, F, S> {
    type Node = Job<F::State>;
    type Tally = S::Tally;

    fn branch(
        &self,
        job: Self::Node,
        tally: &mut S::Tally,
        children: &mut Vec<Self::Node>,
    ) -> ControlFlow<()> {
        let (case, ground) = (&self.cases[job.case], &self.grounds[job.case]);
        let mut scorer = Scorer::new(self.score, case, tally, job.links, None);
        let push = |scorer: &Scorer<'_, W, S>, state| {
            children.push(Job {
                case: job.case,
                state,
                links: scorer.links.clone(),
            });
        };
        self.search.branch(ground, &job.state, &mut scorer, push)
    }

    fn search_below(
        &self,
        job: Self::Node,
        tally: &mut S::Tally,
        watch: &Watch<'_>,
    ) -> ControlFlow<()> {
        let (case, ground) = (&self.cases[job.case], &self.grounds[job.case]);
        let mut scorer = Scorer::new(self.score, case, tally, job.links, Some(watch));
        self.search.sweep(ground, &job.state, &mut scorer)
    }
}
