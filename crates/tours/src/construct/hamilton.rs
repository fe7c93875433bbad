//! An exact search for a Hamiltonian cycle of a small graph, some of whose edges are prescribed.
//!
//! The cycle grows as a set of paths everywhere at once: an edge is taken or removed, and what
//! follows from that is done at once (a vertex with two edges left takes both; a vertex that has
//! two removes the others; an edge that would close a path too early is removed). Where nothing
//! follows, the vertex with the fewest choices decides. Knuth's SSHAM ("Hamiltonian paths and
//! cycles", The Art of Computer Programming, pre-fascicle 8A) grows paths in this way.
//!
//! The enumerator of [`crate::search`] grows tours in the same way on bit sets; this search wants
//! one tour only, of a graph of any size, and lets edges be prescribed.
//!
//! A Hamiltonian path is a cycle through one more vertex that is joined to the ends allowed.

use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Stop, Stopped};

use super::ranks::{self, Ranks};

/// A graph under construction: vertices `0..n`, edges in the order they were added.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    ends: Vec<[u32; 2]>,
    /// Edges by vertex.
    at: Vec<Vec<u32>>,
    prescribed: Vec<u32>,
}

impl Graph {
    pub(super) fn new(vertices: usize) -> Self {
        Self {
            ends: Vec::new(),
            at: vec![Vec::new(); vertices],
            prescribed: Vec::new(),
        }
    }

    pub(super) fn vertices(&self) -> usize {
        self.at.len()
    }

    /// One more vertex.
    pub(super) fn add_vertex(&mut self) -> usize {
        self.at.push(Vec::new());
        self.at.len() - 1
    }

    /// Joins two vertices, at most once; returns the edge.
    pub(super) fn join(&mut self, u: usize, v: usize) -> u32 {
        if let Some(edge) = self.between(u, v) {
            return edge;
        }
        let edge = self.ends.len() as u32;
        self.ends.push([u as u32, v as u32]);
        self.at[u].push(edge);
        self.at[v].push(edge);
        edge
    }

    /// Joins two vertices by an edge that every cycle is to use.
    pub(super) fn prescribe(&mut self, u: usize, v: usize) {
        let edge = self.join(u, v);
        self.prescribed.push(edge);
    }

    fn between(&self, u: usize, v: usize) -> Option<u32> {
        let (few, other) = if self.at[u].len() <= self.at[v].len() {
            (u, v)
        } else {
            (v, u)
        };
        let mut edges = self.at[few].iter().copied();
        edges.find(|&edge| self.ends[edge as usize].contains(&(other as u32)))
    }

    fn other(&self, edge: u32, vertex: usize) -> usize {
        let [u, v] = self.ends[edge as usize];
        (if u as usize == vertex { v } else { u }) as usize
    }
}

/// How a search ended.
#[derive(Debug)]
pub(super) enum Outcome {
    /// The vertices of a cycle in order.
    Cycle(Vec<usize>),
    /// There is none.
    Nothing,
    /// The node limit was reached before either was clear.
    Limit,
}

/// Searches with ever longer attempts, each in another random order, until one ends or `limit`
/// nodes are spent; adds the nodes to `nodes`. Equal seeds give equal cycles.
pub(super) fn cycle(
    graph: &Graph,
    seed: u64,
    limit: u64,
    stop: &Stop,
    nodes: &mut u64,
) -> Result<Outcome, Stopped> {
    let mut rng = SplitMix64::new(seed);
    let mut spent = 0;
    // Most successful attempts need hardly more nodes than vertices; one that backtracks often
    // rarely succeeds.
    let vertices = graph.vertices() as u64;
    let mut attempt = vertices + vertices / 4 + 500;
    while spent < limit {
        let share = attempt.min(limit - spent);
        let mut search = Search::new(graph, SplitMix64::new(rng.next_u64()));
        let outcome = search.run(share, stop)?;
        spent += search.nodes;
        *nodes += search.nodes;
        if !matches!(outcome, Outcome::Limit) {
            return Ok(outcome);
        }
        attempt += attempt / 3;
    }
    Ok(Outcome::Limit)
}

enum Change {
    Removed(u32),
    /// An edge taken, and the far ends of the two paths it joined.
    Taken(u32, [u32; 2]),
}

struct Search<'g> {
    graph: &'g Graph,
    rng: SplitMix64,
    nodes: u64,
    alive: Vec<bool>,
    taken: Vec<bool>,
    /// Edges left at a vertex, taken ones included.
    left: Vec<u32>,
    /// Edges taken at a vertex.
    used: Vec<u8>,
    /// The other end of the path that ends here.
    mate: Vec<u32>,
    count: usize,
    trail: Vec<Change>,
    /// Vertices with two edges left.
    forced: Vec<u32>,
    /// Vertices without their two edges, by the number of choices.
    ranks: Ranks,
}

impl<'g> Search<'g> {
    fn new(graph: &'g Graph, rng: SplitMix64) -> Self {
        let n = graph.vertices();
        Self {
            graph,
            rng,
            nodes: 0,
            alive: vec![true; graph.ends.len()],
            taken: vec![false; graph.ends.len()],
            left: graph.at.iter().map(|edges| edges.len() as u32).collect(),
            used: vec![0; n],
            mate: (0..n as u32).collect(),
            count: 0,
            trail: Vec::new(),
            forced: Vec::new(),
            ranks: Ranks::new(n),
        }
    }

    fn run(&mut self, limit: u64, stop: &Stop) -> Result<Outcome, Stopped> {
        let n = self.graph.vertices();
        if n < 3 {
            return Ok(Outcome::Nothing);
        }
        let mut sound = self.begin();
        // Edges tried, with the trail's length before each.
        let mut decisions: Vec<(usize, u32)> = Vec::new();
        loop {
            if sound {
                if self.count == n {
                    return Ok(Outcome::Cycle(self.order()));
                }
                let Some(edge) = self.decide() else {
                    return Ok(Outcome::Nothing);
                };
                if self.nodes >= limit {
                    return Ok(Outcome::Limit);
                }
                self.nodes += 1;
                if self.nodes.is_multiple_of(1024) {
                    stop.check()?;
                }
                decisions.push((self.trail.len(), edge));
                sound = self.take(edge) && self.propagate();
            } else {
                let Some((length, edge)) = decisions.pop() else {
                    return Ok(Outcome::Nothing);
                };
                self.undo(length);
                sound = self.remove(edge) && self.propagate();
            }
        }
    }

    fn begin(&mut self) -> bool {
        (0..self.left.len()).for_each(|v| self.rank(v));
        let narrow = (0..self.left.len()).filter(|&v| self.left[v] == 2);
        self.forced = narrow.map(|v| v as u32).collect();
        self.left.iter().all(|&left| left >= 2)
            && self.graph.prescribed.iter().all(|&edge| self.take(edge))
            && self.propagate()
    }

    /// Keeps the number of choices of a vertex up to date.
    fn rank(&mut self, vertex: usize) {
        let left = self.left[vertex].min(ranks::HIGHEST);
        let choices = match self.used[vertex] {
            0 => Some(left * left.saturating_sub(1) / 2),
            1 => Some(left.saturating_sub(1)),
            _ => None,
        };
        self.ranks.set(vertex, choices);
    }

    /// An edge at the vertex with the fewest choices, towards the neighbour with the fewest edges
    /// left.
    fn decide(&mut self) -> Option<u32> {
        let vertex = self.ranks.first()?;
        let edges = self.graph.at[vertex].iter().copied();
        let edges = edges.filter(|&e| self.alive[e as usize] && !self.taken[e as usize]);
        let rng = &mut self.rng;
        edges.min_by_key(|&edge| {
            let other = self.graph.other(edge, vertex);
            (self.left[other], rng.next_u64())
        })
    }

    fn take(&mut self, edge: u32) -> bool {
        let e = edge as usize;
        if self.taken[e] {
            return true;
        }
        let n = self.graph.vertices();
        let [u, v] = self.graph.ends[e].map(|end| end as usize);
        if !self.alive[e] || self.used[u] == 2 || self.used[v] == 2 {
            return false;
        }
        let (a, b) = (self.mate[u] as usize, self.mate[v] as usize);
        if a == v && self.count < n - 1 {
            return false;
        }
        self.trail.push(Change::Taken(edge, [a as u32, b as u32]));
        self.taken[e] = true;
        self.count += 1;
        self.used[u] += 1;
        self.used[v] += 1;
        self.rank(u);
        self.rank(v);
        if self.count == n {
            return true;
        }
        self.mate[a] = b as u32;
        self.mate[b] = a as u32;
        self.release(u)
            && self.release(v)
            && match self.graph.between(a, b) {
                Some(closing) if self.taken[closing as usize] => true,
                Some(closing) if self.count < n - 1 => self.remove(closing),
                Some(closing) => self.alive[closing as usize],
                None => self.count < n - 1,
            }
    }

    /// Removes the other edges of a vertex that has its two.
    fn release(&mut self, vertex: usize) -> bool {
        self.used[vertex] < 2
            || self.graph.at[vertex]
                .iter()
                .all(|&edge| self.taken[edge as usize] || self.remove(edge))
    }

    fn remove(&mut self, edge: u32) -> bool {
        let e = edge as usize;
        if self.taken[e] {
            return false;
        }
        if !self.alive[e] {
            return true;
        }
        self.alive[e] = false;
        self.trail.push(Change::Removed(edge));
        let mut fine = true;
        for end in self.graph.ends[e] {
            let left = &mut self.left[end as usize];
            *left -= 1;
            fine &= *left >= 2;
            if *left == 2 {
                self.forced.push(end);
            }
            self.rank(end as usize);
        }
        fine
    }

    fn propagate(&mut self) -> bool {
        while let Some(vertex) = self.forced.pop() {
            let edges = &self.graph.at[vertex as usize];
            let fine = edges
                .iter()
                .all(|&edge| !self.alive[edge as usize] || self.take(edge));
            if !fine {
                return false;
            }
        }
        true
    }

    fn undo(&mut self, length: usize) {
        self.forced.clear();
        while self.trail.len() > length {
            match self.trail.pop() {
                Some(Change::Removed(edge)) => {
                    self.alive[edge as usize] = true;
                    for end in self.graph.ends[edge as usize] {
                        self.left[end as usize] += 1;
                        self.rank(end as usize);
                    }
                }
                Some(Change::Taken(edge, [a, b])) => {
                    let [u, v] = self.graph.ends[edge as usize];
                    self.taken[edge as usize] = false;
                    self.count -= 1;
                    self.used[u as usize] -= 1;
                    self.used[v as usize] -= 1;
                    self.mate[a as usize] = u;
                    self.mate[b as usize] = v;
                    self.rank(u as usize);
                    self.rank(v as usize);
                }
                None => break,
            }
        }
    }

    fn order(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.graph.vertices());
        let (mut vertex, mut came_by) = (0, u32::MAX);
        while order.len() < self.graph.vertices() {
            order.push(vertex);
            let mut edges = self.graph.at[vertex].iter().copied();
            let next = edges.find(|&edge| edge != came_by && self.taken[edge as usize]);
            came_by = next.expect("each vertex of a cycle has two edges");
            vertex = self.graph.other(came_by, vertex);
        }
        order
    }
}

#[cfg(test)]
mod tests;
