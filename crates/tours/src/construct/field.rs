//! A board as a graph to be searched.

use everymove_kernel::grid::Square;
use everymove_kernel::run::{Stop, Stopped};

use super::hamilton::{self, Graph, Outcome};
use crate::board::Board;

/// About what a search needs for each square, in bytes: its moves, at least eight, their state, the
/// undo list.
pub(super) fn bytes_a_square(board: &Board) -> u64 {
    40 * board.leaper().leaps().len().max(8) as u64
}

/// The graph of a board's moves with what is asked of a tour.
pub(super) struct Field {
    graph: Graph,
    squares: Vec<Square>,
    vertices: Vec<u32>,
    ends: Option<(Option<Square>, Option<Square>)>,
}

/// How a search ended.
pub(super) enum Search {
    /// The squares in order; of a closed tour, from anywhere.
    Found(Vec<Square>),
    /// There is no tour.
    Nothing,
    /// The node limit was reached.
    Limit,
}

/// From where a search is to begin, other things being equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sweep {
    /// From the left or from below.
    Forward,
    /// From the right or from above.
    Backward,
}

impl Field {
    /// The moves of a board.
    pub(super) fn new(board: &Board, sweep: Sweep) -> Self {
        let grid = board.grid();
        // Numbering along the shorter side keeps the search at one place: the frontier between done
        // and undone stays short.
        let mut squares: Vec<Square> = board.squares().collect();
        if grid.cols() > grid.rows() {
            squares.sort_unstable_by_key(|&square| {
                let (row, col) = grid.row_col(square);
                (col, row)
            });
        }
        if sweep == Sweep::Backward {
            squares.reverse();
        }
        let mut vertices = vec![u32::MAX; grid.len()];
        for (vertex, &square) in squares.iter().enumerate() {
            vertices[square] = vertex as u32;
        }
        let mut graph = Graph::new(squares.len());
        let leaps = board.leaper().leaps();
        for (vertex, &square) in squares.iter().enumerate() {
            for &(row, col) in &leaps {
                if let Some(to) = grid.step(square, row, col) {
                    let to = vertices[to] as usize;
                    // Holes have no vertex; each move is seen from both its squares.
                    if to < vertex {
                        graph.join(vertex, to);
                    }
                }
            }
        }
        Self {
            graph,
            squares,
            vertices,
            ends: None,
        }
    }

    /// Asks that the tour passes from one of two squares to the other, be that a move or not.
    pub(super) fn prescribe(&mut self, from: Square, to: Square) {
        let [from, to] = [from, to].map(|square| self.vertices[square] as usize);
        self.graph.prescribe(from, to);
    }

    /// Asks for an open tour, with the given ends if any.
    pub(super) fn open(&mut self, start: Option<Square>, end: Option<Square>) {
        // A cycle through one vertex more, which represents all squares outside.
        let outside = self.graph.add_vertex();
        for end in [start, end].into_iter().flatten() {
            self.graph.prescribe(outside, self.vertices[end] as usize);
        }
        if start.is_none() || end.is_none() {
            for vertex in 0..self.squares.len() {
                self.graph.join(vertex, outside);
            }
        }
        self.ends = Some((start, end));
    }

    /// Searches; adds the nodes to `nodes`.
    pub(super) fn search(
        &self,
        seed: u64,
        limit: u64,
        stop: &Stop,
        nodes: &mut u64,
    ) -> Result<Search, Stopped> {
        let mut cycle = match hamilton::cycle(&self.graph, seed, limit, stop, nodes)? {
            Outcome::Cycle(cycle) => cycle,
            Outcome::Nothing => return Ok(Search::Nothing),
            Outcome::Limit => return Ok(Search::Limit),
        };
        let Some((start, end)) = self.ends else {
            let order = cycle.into_iter().map(|vertex| self.squares[vertex]);
            return Ok(Search::Found(order.collect()));
        };
        let outside = self.squares.len();
        let at = cycle.iter().position(|&vertex| vertex == outside);
        cycle.rotate_left(at.unwrap_or(0));
        let mut order: Vec<Square> = cycle[1..]
            .iter()
            .map(|&vertex| self.squares[vertex])
            .collect();
        let wrong_way = start.is_some_and(|start| order[0] != start)
            || end.is_some_and(|end| order[order.len() - 1] != end);
        if wrong_way {
            order.reverse();
        }
        Ok(Search::Found(order))
    }
}
