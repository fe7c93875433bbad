//! Listing: every tour once, in an order that never changes.

use std::ops::ControlFlow;

use everymove_kernel::run::{Run, Stopped};

use super::MAX_SQUARES;
use super::cases::{Case, Cases};
use super::explore::Search;
use super::graph::Graph;
use super::sink::{Link, Sink, in_order};
use super::word::Word;
use crate::board::Kind;
use crate::question::Direction;

/// Nodes between two checks of the stop flag.
const TICK: u64 = 1 << 12;

/// Changes the cases so that each tour is listed once in each direction asked for.
pub(crate) fn directed_cases<W: Word>(
    graph: &Graph<W>,
    cases: &mut Cases<W>,
    kind: Kind,
    direction: Direction,
    free_ends: bool,
) {
    match (kind, direction) {
        (Kind::Open, Direction::Undirected) if free_ends && graph.len() > 1 => {
            for case in &mut cases.list {
                case.ends &= !W::below(case.start);
            }
        }
        (Kind::Closed, Direction::Directed) => {
            let Some(&Case { start, .. }) = cases.list.first() else {
                return;
            };
            let near = graph.near(start);
            let list = near.members().map(|second| Case {
                start,
                second: Some(second),
                ends: near & !W::bit(second),
                class: 0,
                weight: 1,
            });
            cases.list = list.collect();
        }
        _ => {}
    }
}

/// Calls a visitor with the vertices of each tour in order.
pub(crate) struct Lister<'a, V> {
    /// How many vertices the tours have.
    n: usize,
    run: &'a Run,
    visitor: V,
    links: Vec<Link>,
    order: Vec<usize>,
    start: usize,
    nodes: u64,
    most_nodes: u64,
    stopped: bool,
}

/// The result of a listing.
pub(crate) struct Listed {
    pub(crate) nodes: u64,
    /// It reached its limit of nodes.
    pub(crate) cut_short: bool,
}

impl<'a, V: FnMut(&[usize]) -> ControlFlow<()>> Lister<'a, V> {
    pub(crate) fn new(n: usize, run: &'a Run, visitor: V) -> Self {
        Self {
            n,
            run,
            visitor,
            links: Vec::new(),
            order: Vec::new(),
            start: 0,
            nodes: 0,
            most_nodes: u64::MAX,
            stopped: false,
        }
    }

    /// The same, ended after a number of nodes.
    pub(crate) fn limited(self, most_nodes: u64) -> Self {
        Self { most_nodes, ..self }
    }

    /// Lists the tours of all cases.
    pub(crate) fn list<W: Word>(
        mut self,
        search: &impl Search<W>,
        cases: &[Case<W>],
    ) -> Result<Listed, Stopped> {
        let _ = cases.iter().try_for_each(|case| {
            self.links.clear();
            self.start = case.start;
            let ground = search.ground(case);
            match search.root(&ground, case, &mut self)? {
                Some(state) => search.sweep(&ground, &state, &mut self),
                None => ControlFlow::Continue(()),
            }
        });
        if self.stopped {
            return Err(Stopped);
        }
        Ok(Listed {
            nodes: self.nodes,
            cut_short: self.nodes > self.most_nodes,
        })
    }
}

impl<V: FnMut(&[usize]) -> ControlFlow<()>> Sink for Lister<'_, V> {
    fn node(&mut self) -> ControlFlow<()> {
        self.nodes += 1;
        if self.nodes > self.most_nodes {
            return ControlFlow::Break(());
        }
        if self.nodes.is_multiple_of(TICK) {
            self.run.progress.worked(TICK);
            self.stopped = self.run.stop.is_raised();
            if self.stopped {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    fn link(&mut self, u: usize, v: usize) {
        self.links.push((u as u16, v as u16));
    }

    fn mark(&self) -> usize {
        self.links.len()
    }

    fn rewind(&mut self, mark: usize) {
        self.links.truncate(mark);
    }

    fn tour(&mut self, end: usize) -> ControlFlow<()> {
        in_order::<MAX_SQUARES>(&self.links, self.n, self.start, end, &mut self.order);
        (self.visitor)(&self.order)
    }
}
