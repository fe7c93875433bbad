//! Arguments from the graph of moves itself: degrees, connection, cut squares.

use everymove_kernel::grid::Square;

use super::{Ends, Theorem};
use crate::board::{Board, Kind};

/// Larger boards are not examined square by square, so that the answer takes no noticeable time.
const LARGEST: usize = 1_000_000;

pub(super) fn impossible(board: &Board, kind: Kind, ends: Ends) -> Option<Theorem> {
    if board.grid().len() > LARGEST || board.playable() == 1 {
        return None;
    }
    let graph = Graph::of(board);
    graph
        .degrees(kind, ends)
        .or_else(|| graph.reach())
        .or_else(|| (kind == Kind::Closed).then(|| graph.crowded()).flatten())
        .or_else(|| (kind == Kind::Closed).then(|| graph.cut_square()).flatten())
}

struct Graph<'a> {
    board: &'a Board,
    squares: Vec<Square>,
    /// Neighbours by square of the grid.
    moves: Vec<Vec<Square>>,
}

impl<'a> Graph<'a> {
    fn of(board: &'a Board) -> Self {
        let mut moves = vec![Vec::new(); board.grid().len()];
        let squares: Vec<Square> = board.squares().collect();
        for &square in &squares {
            moves[square] = board.neighbours(square).collect();
        }
        Self {
            board,
            squares,
            moves,
        }
    }

    fn name(&self, square: Square) -> String {
        self.board.grid().name(square)
    }

    fn degrees(&self, kind: Kind, ends: Ends) -> Option<Theorem> {
        let of_degree = |d| {
            self.squares
                .iter()
                .copied()
                .filter(move |&s| self.moves[s].len() == d)
        };
        if let Some(square) = of_degree(0).next() {
            return Some(Theorem::Isolated {
                square: self.name(square),
            });
        }
        let mut dead: Vec<Square> = of_degree(1).collect();
        if kind == Kind::Closed {
            return dead.first().map(|&square| Theorem::DeadEnd {
                square: self.name(square),
            });
        }
        // Each given end takes one of the two places.
        let given: Vec<Square> = [ends.start, ends.end].into_iter().flatten().collect();
        dead.retain(|square| !given.contains(square));
        (dead.len() + given.len() > 2 && !dead.is_empty()).then(|| Theorem::DeadEnds {
            squares: dead
                .iter()
                .map(|&s| self.name(s))
                .collect::<Vec<_>>()
                .join(", "),
        })
    }

    fn reach(&self) -> Option<Theorem> {
        let from = *self.squares.first()?;
        let mut seen = vec![false; self.moves.len()];
        let mut open = vec![from];
        seen[from] = true;
        while let Some(square) = open.pop() {
            for &next in &self.moves[square] {
                if !std::mem::replace(&mut seen[next], true) {
                    open.push(next);
                }
            }
        }
        let to = self.squares.iter().copied().find(|&s| !seen[s])?;
        Some(Theorem::Disconnected {
            from: self.name(from),
            to: self.name(to),
        })
    }

    /// A closed tour uses both moves of a square that has only two.
    fn crowded(&self) -> Option<Theorem> {
        self.squares.iter().find_map(|&square| {
            let needy = self.moves[square]
                .iter()
                .filter(|&&s| self.moves[s].len() == 2);
            let needy: Vec<String> = needy.map(|&s| self.name(s)).take(3).collect();
            let [first, second, third] = <[String; 3]>::try_from(needy).ok()?;
            Some(Theorem::Crowded {
                square: self.name(square),
                first,
                second,
                third,
            })
        })
    }

    /// A cut vertex of the connected graph, by depth-first search (Hopcroft and Tarjan 1973).
    fn cut_square(&self) -> Option<Theorem> {
        const UNSEEN: u32 = u32::MAX;
        let root = *self.squares.first()?;
        let mut depth = vec![UNSEEN; self.moves.len()];
        // The least depth that the square's subtree reaches by one move back.
        let mut low = vec![UNSEEN; self.moves.len()];
        depth[root] = 0;
        low[root] = 0;
        let mut children_of_root = 0;
        // The path from the root with the next move to examine.
        let mut path = vec![(root, 0)];
        while let Some((square, next)) = path.last_mut() {
            let (square, step) = (*square, *next);
            *next += 1;
            if let Some(&to) = self.moves[square].get(step) {
                if depth[to] == UNSEEN {
                    depth[to] = depth[square] + 1;
                    low[to] = depth[to];
                    path.push((to, 0));
                } else {
                    low[square] = low[square].min(depth[to]);
                }
                continue;
            }
            path.pop();
            let Some(&(parent, _)) = path.last() else {
                break;
            };
            low[parent] = low[parent].min(low[square]);
            children_of_root += usize::from(parent == root);
            let cuts = if parent == root {
                children_of_root > 1
            } else {
                low[square] >= depth[parent]
            };
            if cuts {
                return Some(Theorem::CutSquare {
                    square: self.name(parent),
                });
            }
        }
        None
    }
}
