//! Arguments from the graph of moves itself: degrees, connection, cut squares.

use everymove_kernel::grid::Square;
use everymove_kernel::run::Run;

use super::{Ends, ExistenceError, Theorem};
use crate::board::{Board, Kind};

/// Larger boards are not examined square by square, so that the answer takes no noticeable time.
const LARGEST: usize = 1_000_000;

/// The most dead ends that are named.
const NAMED: usize = 10;

pub(super) fn impossible(
    board: &Board,
    kind: Kind,
    ends: Ends,
    run: &Run,
) -> Result<Option<Theorem>, ExistenceError> {
    if board.grid().len() > LARGEST || board.playable() == 1 {
        return Ok(None);
    }
    // An open tour needs the marks and the queue of `reach`, a closed one also the arrays and the
    // path of `cut_square`.
    let bytes = match kind {
        Kind::Open => 5,
        Kind::Closed => 16,
    };
    let what = format!("examining the {} board", board.grid());
    let _held = run.ram.reserve(&what, bytes * board.grid().len() as u64)?;
    let graph = Graph {
        board,
        leaps: board.leaper().leaps(),
    };
    let closed = kind == Kind::Closed;
    let arguments: [&dyn Fn() -> Option<Theorem>; 4] = [
        &|| graph.degrees(kind, ends),
        &|| graph.reach(),
        &|| closed.then(|| graph.crowded()).flatten(),
        &|| closed.then(|| graph.cut_square()).flatten(),
    ];
    for argument in arguments {
        run.stop.check()?;
        if let Some(theorem) = argument() {
            return Ok(Some(theorem));
        }
    }
    Ok(None)
}

/// The moves of a board, derived where they are asked for: stored, they would take a hundred bytes
/// a square.
struct Graph<'a> {
    board: &'a Board,
    leaps: Vec<(i64, i64)>,
}

impl Graph<'_> {
    fn near(&self, square: Square) -> impl Iterator<Item = Square> {
        let grid = self.board.grid();
        let steps = (self.leaps.iter()).filter_map(move |&(row, col)| grid.step(square, row, col));
        steps.filter(|&s| !self.board.is_hole(s))
    }

    fn degree(&self, square: Square) -> usize {
        self.near(square).count()
    }

    fn name(&self, square: Square) -> String {
        self.board.grid().name(square)
    }

    fn degrees(&self, kind: Kind, ends: Ends) -> Option<Theorem> {
        // Each given end takes one of the two places.
        let given: Vec<Square> = [ends.start, ends.end].into_iter().flatten().collect();
        let (mut dead, mut named) = (0, Vec::new());
        for square in self.board.squares() {
            match self.degree(square) {
                0 => {
                    return Some(Theorem::Isolated {
                        square: self.name(square),
                    });
                }
                1 if kind == Kind::Closed || !given.contains(&square) => {
                    dead += 1;
                    if dead <= NAMED {
                        named.push(square);
                    }
                }
                _ => {}
            }
        }
        if kind == Kind::Closed {
            let square = self.name(*named.first()?);
            return Some(Theorem::DeadEnd { square });
        }
        let mut all = named.iter().chain(&given).copied();
        let ends = Ends {
            start: all.next(),
            end: all.next(),
        };
        let fits = dead + given.len() <= 2 && super::colour(self.board, kind, ends).is_none();
        if dead == 0 || fits {
            return None;
        }
        let names: Vec<String> = named.iter().map(|&square| self.name(square)).collect();
        let mut squares = names.join(", ");
        if dead > NAMED {
            squares += &format!(" and {} more", dead - NAMED);
        }
        Some(Theorem::DeadEnds { squares })
    }

    fn reach(&self) -> Option<Theorem> {
        let from = self.board.squares().next()?;
        let mut seen = vec![false; self.board.grid().len()];
        // Every square is pushed once.
        let mut open = Vec::with_capacity(seen.len());
        open.push(from as u32);
        seen[from] = true;
        while let Some(square) = open.pop() {
            for next in self.near(square as usize) {
                if !std::mem::replace(&mut seen[next], true) {
                    open.push(next as u32);
                }
            }
        }
        let to = self.board.squares().find(|&s| !seen[s])?;
        Some(Theorem::Disconnected {
            from: self.name(from),
            to: self.name(to),
        })
    }

    /// A closed tour uses both moves of a square that has only two.
    fn crowded(&self) -> Option<Theorem> {
        self.board.squares().find_map(|square| {
            let needy = self.near(square).filter(|&s| self.degree(s) == 2);
            let needy: Vec<String> = needy.map(|s| self.name(s)).take(3).collect();
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
        let root = self.board.squares().next()?;
        let mut depth = vec![UNSEEN; self.board.grid().len()];
        // The least depth that the square's subtree reaches by one move back.
        let mut low = vec![UNSEEN; depth.len()];
        depth[root] = 0;
        low[root] = 0;
        let mut children_of_root = 0;
        // The path from the root with the next move to examine.
        let mut path: Vec<(u32, u16)> = Vec::with_capacity(depth.len());
        path.push((root as u32, 0));
        while let Some((square, next)) = path.last_mut() {
            let (square, step) = (*square as usize, usize::from(*next));
            *next += 1;
            if let Some(to) = self.near(square).nth(step) {
                if depth[to] == UNSEEN {
                    depth[to] = depth[square] + 1;
                    low[to] = depth[to];
                    path.push((to as u32, 0));
                } else {
                    low[square] = low[square].min(depth[to]);
                }
                continue;
            }
            path.pop();
            let Some(parent) = path.last().map(|&(parent, _)| parent as usize) else {
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
