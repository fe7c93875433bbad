//! Path growing: the path is extended at its head until every vertex is visited.
//!
//! Unpruned it is textbook backtracking. Pruned, a position is abandoned when it leaves a vertex
//! without a way in, or two vertices that can only be the end of the path. Both find paths in
//! lexicographic order of their vertices.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use super::cases::Case;
use super::explore::Search;
use super::graph::Graph;
use super::sink::Sink;
use super::word::Word;

/// A partial path: its head and the vertices it has not visited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path<W> {
    head: usize,
    free: W,
    /// The free vertex, if any, with a single neighbour among the free ones and the head: the path
    /// can only end there. Always empty without pruning.
    dead_end: W,
}

/// What can come next on a path.
pub(crate) struct Choices<W> {
    /// The vertices worth moving to.
    next: W,
    /// The free vertices that have a single free neighbour once the head has left.
    dead_ends: W,
}

/// A way to choose the next vertices of a path.
pub(crate) trait Rule: Sync {
    /// The dead ends of a fresh path; `None` if it is hopeless.
    fn inspect<W: Word>(graph: &Graph<W>, ends: W, head: usize, free: W) -> Option<W>;

    /// The choices on a path with something left to visit.
    fn choices<W: Word>(graph: &Graph<W>, ends: W, path: &Path<W>) -> Choices<W>;
}

/// Every free neighbour of the head: the textbook's search.
pub(crate) struct Unpruned;

impl Rule for Unpruned {
    fn inspect<W: Word>(_: &Graph<W>, _: W, _: usize, _: W) -> Option<W> {
        Some(W::EMPTY)
    }

    #[inline(always)]
    fn choices<W: Word>(graph: &Graph<W>, _: W, path: &Path<W>) -> Choices<W> {
        Choices {
            next: graph.near(path.head) & path.free,
            dead_ends: W::EMPTY,
        }
    }
}

/// Free neighbours of the head that strand no vertex and leave at most one dead end, where the path
/// may end.
pub(crate) struct Pruned;

impl Rule for Pruned {
    fn inspect<W: Word>(graph: &Graph<W>, ends: W, head: usize, free: W) -> Option<W> {
        let mut dead_ends = W::EMPTY;
        for v in free.members() {
            let ways = graph.near(v) & (free | W::bit(head));
            if ways.is_empty() {
                return None;
            }
            if !ways.several() {
                dead_ends |= W::bit(v);
            }
        }
        (!dead_ends.several() && (dead_ends & !ends).is_empty()).then_some(dead_ends)
    }

    #[inline(always)]
    fn choices<W: Word>(graph: &Graph<W>, ends: W, path: &Path<W>) -> Choices<W> {
        let Path {
            head,
            free,
            dead_end,
        } = *path;
        let none = Choices {
            next: W::EMPTY,
            dead_ends: W::EMPTY,
        };
        let mut next = graph.near(head) & free;
        let mut dead_ends = dead_end;
        for v in next.members() {
            // The head leaves v behind, or moves to it.
            let ways = graph.near(v) & free;
            if ways.is_empty() && free.several() {
                return none;
            }
            if !ways.several() {
                dead_ends |= W::bit(v);
            }
        }
        if dead_ends.several() {
            // One of them must be next (an old dead end cannot: only the end may be there), the
            // other one the end.
            next &= dead_ends & !dead_end;
            if dead_ends.without_first().several() {
                return none;
            }
        } else if free.several() {
            next &= !dead_end;
        }
        let misplaced = dead_ends & !ends;
        if !misplaced.is_empty() {
            next &= misplaced;
            if misplaced.several() {
                return none;
            }
        }
        let last = ends & free;
        if !last.several() && free.several() {
            next &= !last;
            if last.is_empty() {
                return none;
            }
        }
        Choices { next, dead_ends }
    }
}

impl<W: Word> Path<W> {
    /// Visits every continuation of a path; `choices` are its own.
    fn walk<R: Rule>(
        &self,
        choices: Choices<W>,
        graph: &Graph<W>,
        ends: W,
        sink: &mut impl Sink,
    ) -> ControlFlow<()> {
        let mark = sink.mark();
        for next in choices.next.members() {
            sink.node()?;
            sink.link(self.head, next);
            let child = self.moved(next, &choices);
            if child.free.is_empty() {
                child.finish(ends, sink)?;
            } else {
                // Looked at from here, a path that leads nowhere costs no call.
                let choices = R::choices(graph, ends, &child);
                if !choices.next.is_empty() {
                    child.walk::<R>(choices, graph, ends, sink)?;
                }
            }
            sink.rewind(mark);
        }
        ControlFlow::Continue(())
    }

    fn finish(&self, ends: W, sink: &mut impl Sink) -> ControlFlow<()> {
        if ends.has(self.head) {
            sink.tour(self.head)
        } else {
            ControlFlow::Continue(())
        }
    }

    #[inline(always)]
    fn moved(&self, next: usize, choices: &Choices<W>) -> Self {
        Self {
            head: next,
            free: self.free & !W::bit(next),
            dead_end: choices.dead_ends & !W::bit(next),
        }
    }
}

/// The search that grows a path from the start of a case.
pub(crate) struct Paths<'a, W: Word, R> {
    graph: &'a Graph<W>,
    rule: PhantomData<R>,
}

impl<'a, W: Word, R: Rule> Paths<'a, W, R> {
    /// Paths on a graph under a rule.
    pub(crate) fn on(graph: &'a Graph<W>) -> Self {
        Self {
            graph,
            rule: PhantomData,
        }
    }
}

impl<W: Word, R: Rule> Search<W> for Paths<'_, W, R> {
    type Ground = W;
    type State = Path<W>;

    /// Ways to take a path on multiply fast, so few levels make enough jobs.
    const SPLIT: u32 = 5;

    fn ground(&self, case: &Case<W>) -> W {
        case.ends
    }

    fn root(
        &self,
        _: &W,
        case: &Case<W>,
        sink: &mut impl Sink,
    ) -> ControlFlow<(), Option<Path<W>>> {
        sink.node()?;
        let mut head = case.start;
        let mut free = self.graph.all() & !W::bit(head);
        if let Some(second) = case.second {
            sink.link(head, second);
            head = second;
            free &= !W::bit(head);
        }
        let dead_end = R::inspect(self.graph, case.ends, head, free);
        let path = dead_end.map(|dead_end| Path {
            head,
            free,
            dead_end,
        });
        if let Some(path) = path.filter(|path| path.free.is_empty()) {
            path.finish(case.ends, sink)?;
            return ControlFlow::Continue(None);
        }
        ControlFlow::Continue(path)
    }

    fn branch<S: Sink>(
        &self,
        &ends: &W,
        path: &Path<W>,
        sink: &mut S,
        mut child: impl FnMut(&S, Path<W>),
    ) -> ControlFlow<()> {
        let choices = R::choices(self.graph, ends, path);
        let mark = sink.mark();
        for next in choices.next.members() {
            sink.node()?;
            sink.link(path.head, next);
            let next = path.moved(next, &choices);
            if next.free.is_empty() {
                next.finish(ends, sink)?;
            } else {
                child(sink, next);
            }
            sink.rewind(mark);
        }
        ControlFlow::Continue(())
    }

    fn sweep(&self, &ends: &W, path: &Path<W>, sink: &mut impl Sink) -> ControlFlow<()> {
        let choices = R::choices(self.graph, ends, path);
        path.walk::<R>(choices, self.graph, ends, sink)
    }
}
