//! A question cut into cases, each a path from a vertex into a set of ends; symmetric cases are
//! counted once.
//!
//! Open tours: a case is a start. With folding, only one start of each class under the board's
//! symmetries is searched, of its first moves only one of each class under the symmetries that keep
//! the start, and, where start and end are both free, only ends of the same or a later class: a
//! tour backwards is a tour, so those count for two.
//!
//! Closed tours: they pass every vertex, so one is chosen; a case is its successor, the ends are
//! possible predecessors, each unordered pair once. With folding, of the pairs only one of each
//! class under the symmetries that keep the vertex.

use std::collections::BTreeSet;

use super::graph::Graph;
use super::word::Word;
use crate::board::Kind;

/// One part of the search: paths from `start`, by `second` if given, that end in `ends`.
#[derive(Clone, Debug)]
pub(crate) struct Case<W> {
    pub(crate) start: usize,
    pub(crate) second: Option<usize>,
    pub(crate) ends: W,
    /// The class of the start.
    pub(crate) class: usize,
    /// How many directed tours a path of this case represents, the mirrored ones left out.
    pub(crate) weight: u64,
}

/// All cases of a question, and how to add them up.
#[derive(Clone, Debug)]
pub(crate) struct Cases<W> {
    pub(crate) list: Vec<Case<W>>,
    /// The class of every vertex: its orbit under the symmetries in use.
    pub(crate) class_of: Vec<usize>,
    /// The vertices of every class.
    pub(crate) classes: Vec<Vec<usize>>,
    /// Whether a path into another class also represents its reverse, which starts in that class.
    pub(crate) mirrored: bool,
}

/// Where tours may start and end, and whether to use symmetry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) start: Option<usize>,
    pub(crate) end: Option<usize>,
    pub(crate) fold: bool,
    /// Whether cases that the colours rule out are left out.
    pub(crate) colour: bool,
}

impl<W: Word> Cases<W> {
    /// The cases of a question with `limits`, folded by a group of symmetries; none if there can be
    /// no tour.
    pub(crate) fn new(
        graph: &Graph<W>,
        group: Vec<Vec<usize>>,
        kind: Kind,
        limits: Limits,
    ) -> Self {
        let mut group = if limits.fold {
            group
        } else {
            vec![(0..graph.len()).collect()]
        };
        match kind {
            Kind::Open => {
                for fixed in limits.start.into_iter().chain(limits.end) {
                    group.retain(|g| g[fixed] == fixed);
                }
                Self::open(graph, &group, limits)
            }
            Kind::Closed => Self::closed(graph, &group, limits),
        }
    }

    /// No case at all.
    pub(crate) fn none() -> Self {
        Self {
            list: Vec::new(),
            class_of: Vec::new(),
            classes: Vec::new(),
            mirrored: false,
        }
    }

    fn open(graph: &Graph<W>, group: &[Vec<usize>], limits: Limits) -> Self {
        let (classes, class_of) = orbits(graph.len(), group);
        let mirrored = limits.fold && limits.start.is_none() && limits.end.is_none();
        let colouring = graph.colouring();
        let mut list = Vec::new();
        for (class, members) in classes.iter().enumerate() {
            let start = members[0];
            if limits.start.is_some_and(|s| s != start) {
                continue;
            }
            let mut ends = limits.end.map_or(graph.all(), W::bit);
            if graph.len() > 1 {
                ends &= !W::bit(start);
            }
            if limits.colour {
                ends &= colouring.ends(start, graph.all());
            }
            if mirrored {
                let later = |v: &usize| class_of[*v] >= class;
                ends &= (0..graph.len())
                    .filter(later)
                    .fold(W::EMPTY, |set, v| set | W::bit(v));
            }
            if ends.is_empty() {
                continue;
            }
            let keeping: Vec<_> = group.iter().filter(|g| g[start] == start).collect();
            let weight = members.len() as u64;
            let case = |second, weight| Case {
                start,
                second,
                ends,
                class,
                weight,
            };
            if keeping.len() < 2 {
                list.push(case(None, weight));
                continue;
            }
            for second in graph.near(start).members() {
                let orbit: BTreeSet<usize> = keeping.iter().map(|g| g[second]).collect();
                if orbit.first() == Some(&second) {
                    list.push(case(Some(second), weight * orbit.len() as u64));
                }
            }
        }
        Self {
            list,
            class_of,
            classes,
            mirrored,
        }
    }

    fn closed(graph: &Graph<W>, group: &[Vec<usize>], limits: Limits) -> Self {
        let all = (0..graph.len()).collect();
        let mut cases = Self {
            list: Vec::new(),
            class_of: vec![0; graph.len()],
            classes: vec![all],
            mirrored: false,
        };
        if graph.len() < 3 || limits.colour && !graph.colouring().allows_closed() {
            return cases;
        }
        let keepers = |v: usize| group.iter().filter(move |g| g[v] == v);
        let rank = |&v: &usize| (graph.near(v).len(), std::cmp::Reverse(keepers(v).count()));
        let best = if limits.fold {
            (0..graph.len()).min_by_key(rank)
        } else {
            limits
                .start
                .or((0..graph.len()).min_by_key(|v| graph.near(*v).len()))
        };
        let Some(start) = best else {
            return cases;
        };
        for second in graph.near(start).members() {
            let mut by_weight: Vec<(u64, W)> = Vec::new();
            for last in graph.near(start).members().filter(|&v| v > second) {
                let pair = |g: &Vec<usize>| (g[second].min(g[last]), g[second].max(g[last]));
                let orbit: BTreeSet<_> = keepers(start).map(pair).collect();
                if orbit.first() != Some(&(second, last)) {
                    continue;
                }
                // Both directions of every tour in the orbit.
                let weight = 2 * orbit.len() as u64;
                match by_weight.iter_mut().find(|(w, _)| *w == weight) {
                    Some((_, ends)) => *ends |= W::bit(last),
                    None => by_weight.push((weight, W::bit(last))),
                }
            }
            cases
                .list
                .extend(by_weight.into_iter().map(|(weight, ends)| Case {
                    start,
                    second: Some(second),
                    ends,
                    class: 0,
                    weight,
                }));
        }
        cases
    }
}

/// The orbits of 0..n under a group of permutations, by their smallest members, and the number of
/// each one's orbit.
pub(crate) fn orbits(n: usize, group: &[Vec<usize>]) -> (Vec<Vec<usize>>, Vec<usize>) {
    let mut orbits = Vec::new();
    let mut orbit_of = vec![usize::MAX; n];
    for v in 0..n {
        if orbit_of[v] != usize::MAX {
            continue;
        }
        let orbit: BTreeSet<usize> = group.iter().map(|g| g[v]).collect();
        for &u in &orbit {
            orbit_of[u] = orbits.len();
        }
        orbits.push(orbit.into_iter().collect());
    }
    (orbits, orbit_of)
}
