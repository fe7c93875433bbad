//! The graph of moves on bit sets.

use std::collections::{BTreeMap, BTreeSet};

use everymove_kernel::grid::Square;

use super::word::Word;
use crate::board::Board;

/// Vertices and their neighbours.
#[derive(Clone)]
pub(crate) struct Graph<W: Word> {
    squares: Vec<Square>,
    vertices: BTreeMap<Square, usize>,
    near: Box<W::Sets>,
}

impl<W: Word> Graph<W> {
    /// The graph of a board of at most `W::BITS` playable squares.
    pub(crate) fn new(board: &Board) -> Self {
        Self::numbered(board, board.squares().collect())
    }

    /// The graph of a board whose playable squares are numbered in the order given.
    pub(crate) fn numbered(board: &Board, squares: Vec<Square>) -> Self {
        let mut graph = Self::unconnected(squares);
        for v in 0..graph.len() {
            for neighbour in board.neighbours(graph.square(v)) {
                if let Some(u) = graph.vertex(neighbour) {
                    graph.connect(u, v);
                }
            }
        }
        graph
    }

    /// A graph without edges whose vertices represent `squares`.
    pub(crate) fn unconnected(squares: Vec<Square>) -> Self {
        let number = |(v, &square): (usize, &Square)| (square, v);
        Self {
            vertices: squares.iter().enumerate().map(number).collect(),
            squares,
            near: W::sets(),
        }
    }

    /// Number of vertices.
    pub(crate) fn len(&self) -> usize {
        self.squares.len()
    }

    /// All vertices.
    pub(crate) fn all(&self) -> W {
        W::below(self.len())
    }

    /// The square of a vertex.
    pub(crate) fn square(&self, v: usize) -> Square {
        self.squares[v]
    }

    /// The vertex of a playable square.
    pub(crate) fn vertex(&self, square: Square) -> Option<usize> {
        self.vertices.get(&square).copied()
    }

    /// The neighbours of a vertex.
    #[inline(always)]
    pub(crate) fn near(&self, v: usize) -> W {
        (*self.near).as_ref()[v % W::BITS]
    }

    /// Makes `u` and `v` neighbours.
    pub(crate) fn connect(&mut self, u: usize, v: usize) {
        let near = self.near.as_mut().as_mut();
        near[u] |= W::bit(v);
        near[v] |= W::bit(u);
    }

    /// Makes `u` and `v` strangers.
    pub(crate) fn separate(&mut self, u: usize, v: usize) {
        let near = self.near.as_mut().as_mut();
        near[u] &= !W::bit(v);
        near[v] &= !W::bit(u);
    }

    /// The symmetries of the board as permutations of the vertices, each once.
    pub(crate) fn permutations(&self, board: &Board) -> Vec<Vec<usize>> {
        let image = |symmetry, v: usize| board.grid().image(symmetry, self.squares[v]);
        let permutations: BTreeSet<Vec<usize>> = board
            .symmetries()
            .into_iter()
            .filter_map(|s| {
                (0..self.len())
                    .map(|v| self.vertex(image(s, v)))
                    .collect::<Option<Vec<_>>>()
            })
            .collect();
        permutations.into_iter().collect()
    }

    /// What the colours of the vertices leave possible.
    pub(crate) fn colouring(&self) -> Colouring<W> {
        let mut sides = [W::EMPTY; 2];
        let mut layer = W::bit(0);
        for side in [0, 1].into_iter().cycle() {
            if layer.is_empty() {
                break;
            }
            sides[side] |= layer;
            let next = layer.members().fold(W::EMPTY, |set, v| set | self.near(v));
            layer = next & !(sides[0] | sides[1]);
        }
        if sides[0] | sides[1] != self.all() {
            return Colouring::Disconnected;
        }
        let edge_within = |side: W| side.members().any(|v| !(self.near(v) & side).is_empty());
        if sides.into_iter().any(edge_within) {
            Colouring::Mixed
        } else {
            Colouring::Alternating(sides)
        }
    }
}

/// How a graph can be coloured with two colours that alternate along every move.
pub(crate) enum Colouring<W> {
    /// Some vertices cannot be reached: no tour.
    Disconnected,
    /// Some cycle is odd: there is no two-colouring.
    Mixed,
    /// Every move changes sides.
    Alternating([W; 2]),
}

impl<W: Word> Colouring<W> {
    /// The vertices on which an open tour can end that starts on `start`, which cannot be any if
    /// the answer is empty.
    pub(crate) fn ends(&self, start: usize, all: W) -> W {
        match *self {
            Self::Disconnected => W::EMPTY,
            Self::Mixed => all,
            Self::Alternating([a, b]) => {
                let (own, other) = if a.has(start) { (a, b) } else { (b, a) };
                match own.len() as i64 - other.len() as i64 {
                    0 => other,
                    1 => own,
                    _ => W::EMPTY,
                }
            }
        }
    }

    /// Whether a closed tour is not ruled out.
    pub(crate) fn allows_closed(&self) -> bool {
        match *self {
            Self::Disconnected => false,
            Self::Mixed => true,
            Self::Alternating([a, b]) => a.len() == b.len(),
        }
    }
}
