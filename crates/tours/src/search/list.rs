//! Listing: every tour once, in an order that never changes.

use std::ops::ControlFlow;

use everymove_kernel::grid::Square;
use everymove_kernel::run::Run;

use super::Direction;
use super::cases::{Case, Cases};
use super::graph::Graph;
use super::paths::{Path, Rule};
use super::segments::{Arena, Outcome, Segments};
use super::sink::Sink;
use super::word::Word;
use crate::board::Kind;

/// Nodes between two looks at the stop flag.
const TICK: u64 = 1 << 12;

/// Makes each tour appear as often as the direction asks for, where the cases do not see to that.
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

/// Puts the squares of each tour in order and hands them to a visitor.
pub(crate) struct Lister<'a, W: Word, V> {
    graph: &'a Graph<W>,
    run: &'a Run,
    visitor: V,
    moves: Vec<(usize, usize)>,
    order: Vec<Square>,
    start: usize,
    pub(crate) nodes: u64,
    pub(crate) stopped: bool,
}

impl<'a, W: Word, V: FnMut(&[Square]) -> ControlFlow<()>> Lister<'a, W, V> {
    pub(crate) fn new(graph: &'a Graph<W>, run: &'a Run, visitor: V) -> Self {
        Self {
            graph,
            run,
            visitor,
            moves: Vec::new(),
            order: Vec::new(),
            start: 0,
            nodes: 0,
            stopped: false,
        }
    }

    /// Lists one case by growing a path.
    pub(crate) fn by_path<R: Rule>(&mut self, case: &Case<W>) -> ControlFlow<()> {
        self.begin(case);
        match Path::root::<R>(self.graph, case, self) {
            Some(path) => path.walk::<R>(self.graph, case.ends, self),
            None => ControlFlow::Continue(()),
        }
    }

    /// Lists one case by growing segments.
    pub(crate) fn by_segments(&mut self, arena: &Arena<W>, case: &Case<W>) -> ControlFlow<()> {
        self.begin(case);
        let (state, outcome) = Segments::root(arena, self);
        match outcome {
            Outcome::Dead => ControlFlow::Continue(()),
            Outcome::Tour => self.tour(state.end(arena)),
            Outcome::Choice => state.grow(arena, self),
        }
    }

    fn begin(&mut self, case: &Case<W>) {
        self.moves.clear();
        self.start = case.start;
    }
}

impl<W: Word, V: FnMut(&[Square]) -> ControlFlow<()>> Sink for Lister<'_, W, V> {
    fn node(&mut self) -> ControlFlow<()> {
        self.nodes += 1;
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
        self.moves.push((u, v));
    }

    fn mark(&self) -> usize {
        self.moves.len()
    }

    fn rewind(&mut self, mark: usize) {
        self.moves.truncate(mark);
    }

    fn tour(&mut self, end: usize) -> ControlFlow<()> {
        const NOWHERE: usize = usize::MAX;
        let n = self.graph.len();
        let mut near = [[NOWHERE; 2]; 128];
        for &(u, v) in self.moves.iter().filter(|&&(u, v)| u < n && v < n) {
            // The move that closes a tour is not part of its order.
            if n > 2 && (u.min(v), u.max(v)) == (self.start.min(end), self.start.max(end)) {
                continue;
            }
            for (from, to) in [(u, v), (v, u)] {
                let slot = usize::from(near[from][0] != NOWHERE);
                near[from][slot] = to;
            }
        }
        self.order.clear();
        let (mut before, mut at) = (NOWHERE, self.start);
        while at != NOWHERE {
            self.order.push(self.graph.square(at));
            let [a, b] = near[at];
            (before, at) = (at, if a == before { b } else { a });
        }
        debug_assert_eq!(self.order.len(), n, "a tour visits every square");
        (self.visitor)(&self.order)
    }
}
