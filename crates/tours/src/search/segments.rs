//! Segment growing: Hamiltonian cycles from paths that grow everywhere at once.
//!
//! After D. E. Knuth's SSHAM (The Art of Computer Programming, pre-fascicle 8a, section 7.2.2.4).
//! Chosen edges form segments. A vertex is *bare* (in no segment), *outer* (end of one) or inner.
//! Whatever has no more possible edges than it needs takes them all at once; when nothing is
//! forced, the outer vertex with the fewest possible edges takes each of them in turn. An outer
//! vertex becomes inner by that, so every cycle is found once.
//!
//! Instead of sparse sets, the possible edges of a vertex are computed when needed: its neighbours
//! that are not inner, less the other end of its own segment. A state is two words and the other
//! ends, small enough to be copied at every node rather than undone.
//!
//! An open tour is a cycle through one more vertex, the *hub*, that joins its start and its end.

use std::ops::ControlFlow;

use super::cases::Case;
use super::explore::Search;
use super::graph::Graph;
use super::sink::Sink;
use super::word::Word;
use crate::board::Kind;

/// The graph of one case: the hub has only edges that the case allows.
#[derive(Clone)]
pub(crate) struct Arena<W: Word> {
    graph: Graph<W>,
    vertices: W,
    /// Open tours: one vertex more, next to the start and all ends. Closed tours: the start.
    hub: usize,
    forced: Vec<(usize, usize)>,
}

impl<W: Word> Arena<W> {
    fn new(graph: &Graph<W>, kind: Kind, case: &Case<W>) -> Self {
        match kind {
            Kind::Open => Self::open(graph, case),
            Kind::Closed => Self::closed(graph, case),
        }
    }

    /// Needs room for one more vertex than the graph has.
    fn open(graph: &Graph<W>, case: &Case<W>) -> Self {
        let hub = graph.len();
        let mut forced = vec![(hub, case.start)];
        forced.extend(case.second.map(|second| (case.start, second)));
        let mut graph = graph.clone();
        for v in case.ends.members().chain([case.start]) {
            graph.connect(hub, v);
        }
        Self {
            vertices: W::below(hub + 1),
            graph,
            hub,
            forced,
        }
    }

    fn closed(graph: &Graph<W>, case: &Case<W>) -> Self {
        let hub = case.start;
        let kept = case.ends | case.second.map_or(W::EMPTY, W::bit);
        let vertices = graph.all();
        let mut graph = graph.clone();
        for v in (graph.near(hub) & !kept).members() {
            graph.separate(hub, v);
        }
        Self {
            graph,
            vertices,
            hub,
            forced: case
                .second
                .map(|second| (hub, second))
                .into_iter()
                .collect(),
        }
    }
}

/// Segments so far.
#[derive(Clone, Copy)]
pub(crate) struct Segments<W: Word> {
    /// Bare and outer vertices.
    alive: W,
    bare: W,
    /// Of an outer vertex the other end of its segment, of a bare one itself, of an inner one the
    /// vertex that it was joined to last.
    mate: W::Labels,
}

/// What following all forced moves came to.
enum Outcome {
    /// No cycle is possible.
    Dead,
    /// A cycle is complete.
    Tour,
    /// There is a choice to be made.
    Choice,
}

/// The search that grows segments.
pub(crate) struct Growth<'a, W: Word> {
    graph: &'a Graph<W>,
    kind: Kind,
}

impl<'a, W: Word> Growth<'a, W> {
    /// Tours of a kind on a graph.
    pub(crate) fn on(graph: &'a Graph<W>, kind: Kind) -> Self {
        Self { graph, kind }
    }
}

impl<W: Word> Search<W> for Growth<'_, W> {
    type Ground = Arena<W>;
    type State = Segments<W>;

    /// Few vertices have a choice of more than two or three, so it takes some levels to make enough
    /// jobs.
    const SPLIT: u32 = 8;

    fn ground(&self, case: &Case<W>) -> Arena<W> {
        Arena::new(self.graph, self.kind, case)
    }

    fn root(
        &self,
        arena: &Arena<W>,
        _: &Case<W>,
        sink: &mut impl Sink,
    ) -> ControlFlow<(), Option<Segments<W>>> {
        sink.node()?;
        let mut state = Segments {
            alive: arena.vertices,
            bare: arena.vertices,
            mate: W::labels(),
        };
        for v in arena.vertices.members() {
            state.set_mate(v, v);
        }
        for &(u, v) in &arena.forced {
            state.link(arena, u, v, sink);
        }
        match state.settle(arena, arena.vertices, sink) {
            Outcome::Dead => ControlFlow::Continue(None),
            Outcome::Tour => sink.tour(state.end(arena)).map_continue(|()| None),
            Outcome::Choice => ControlFlow::Continue(Some(state)),
        }
    }

    fn branch<S: Sink>(
        &self,
        arena: &Arena<W>,
        state: &Segments<W>,
        sink: &mut S,
        mut child: impl FnMut(&S, Segments<W>),
    ) -> ControlFlow<()> {
        state.each_choice(arena, sink, |sink, state| {
            child(sink, state);
            ControlFlow::Continue(())
        })
    }

    fn sweep(
        &self,
        arena: &Arena<W>,
        state: &Segments<W>,
        sink: &mut impl Sink,
    ) -> ControlFlow<()> {
        state.grow(arena, sink)
    }
}

impl<W: Word> Segments<W> {
    fn grow(&self, arena: &Arena<W>, sink: &mut impl Sink) -> ControlFlow<()> {
        self.each_choice(arena, sink, |sink, child| child.grow(arena, sink))
    }

    /// Makes each choice in turn and passes on the states that are neither dead ends nor tours.
    #[inline(always)]
    fn each_choice<S: Sink>(
        &self,
        arena: &Arena<W>,
        sink: &mut S,
        mut go_on: impl FnMut(&mut S, Self) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (v, choices) = self.choose(arena);
        let mark = sink.mark();
        for w in choices.members() {
            sink.node()?;
            let mut child = *self;
            let touched = child.link(arena, v, w, sink);
            match child.settle(arena, touched, sink) {
                Outcome::Dead => {}
                Outcome::Tour => sink.tour(child.end(arena))?,
                Outcome::Choice => go_on(sink, child)?,
            }
            sink.rewind(mark);
        }
        ControlFlow::Continue(())
    }

    /// The vertex that a complete cycle visits before it closes at the hub.
    fn end(&self, arena: &Arena<W>) -> usize {
        self.mate(arena.hub)
    }

    #[inline(always)]
    fn mate(&self, v: usize) -> usize {
        W::number(self.mate.as_ref()[v % W::BITS])
    }

    #[inline(always)]
    fn set_mate(&mut self, v: usize, mate: usize) {
        self.mate.as_mut()[v % W::BITS] = W::label(mate);
    }

    /// The vertices to which a vertex that is not inner may still be joined.
    #[inline(always)]
    fn possible(&self, arena: &Arena<W>, v: usize) -> W {
        arena.graph.near(v) & self.alive & !W::bit(self.mate(v))
    }

    /// Joins two vertices that are not inner and not ends of one segment. Returns the vertices that
    /// may have lost a possible edge or need one fewer.
    #[inline(always)]
    fn link(&mut self, arena: &Arena<W>, u: usize, v: usize, sink: &mut impl Sink) -> W {
        sink.link(u, v);
        let (a, b) = (self.mate(u), self.mate(v));
        let mut touched = W::bit(a) | W::bit(b);
        for (x, other) in [(u, v), (v, u)] {
            if self.bare.has(x) {
                self.bare ^= W::bit(x);
            } else {
                self.alive ^= W::bit(x);
                self.set_mate(x, other);
                touched |= arena.graph.near(x);
            }
        }
        self.set_mate(a, b);
        self.set_mate(b, a);
        touched
    }

    /// Follows forced edges until a choice is left, looking at the touched vertices.
    #[inline(always)]
    fn settle(&mut self, arena: &Arena<W>, mut touched: W, sink: &mut impl Sink) -> Outcome {
        loop {
            touched &= self.alive;
            if touched.is_empty() {
                return Outcome::Choice;
            }
            let v = touched.first();
            touched = touched.without_first();
            let possible = self.possible(arena, v);
            if self.bare.has(v) {
                let rest = possible.without_first();
                if possible.is_empty() || rest.is_empty() {
                    return Outcome::Dead;
                }
                if rest.several() {
                    continue;
                }
                let w = rest.first();
                touched |= self.link(arena, v, possible.first(), sink);
                if self.mate(v) == w {
                    return self.close(arena, v, sink);
                }
                touched |= self.link(arena, v, w, sink);
            } else if possible.is_empty() {
                return self.close(arena, v, sink);
            } else if !possible.several() {
                touched |= self.link(arena, v, possible.first(), sink);
            }
        }
    }

    /// Joins the ends of the segment of `v` if it is the last one and holds every vertex.
    fn close(&mut self, arena: &Arena<W>, v: usize, sink: &mut impl Sink) -> Outcome {
        let w = self.mate(v);
        if self.alive != W::bit(v) | W::bit(w) || !arena.graph.near(v).has(w) {
            return Outcome::Dead;
        }
        sink.link(v, w);
        Outcome::Tour
    }

    /// The outer vertex with the fewest possible edges, and those.
    #[inline(always)]
    fn choose(&self, arena: &Arena<W>) -> (usize, W) {
        let (mut best, mut choices, mut fewest) = (0, W::EMPTY, usize::MAX);
        for v in (self.alive & !self.bare).members() {
            let possible = self.possible(arena, v);
            // Nothing is forced, so there are at least two.
            let mut rest = possible.without_first().without_first();
            let mut count = 2;
            while !rest.is_empty() && count < fewest {
                rest = rest.without_first();
                count += 1;
            }
            if count < fewest {
                (best, choices, fewest) = (v, possible, count);
                if fewest == 2 {
                    break;
                }
            }
        }
        (best, choices)
    }
}
