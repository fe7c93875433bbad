//! One tile: a rectangle with a path through all its squares that leaves room for its neighbours.

use everymove_kernel::run::{Stop, Stopped};

use super::field::{Field, Search, Sweep};
use super::joint::{Joint, Shape, Side};
use crate::board::Board;

/// What is asked of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Role {
    pub(super) shape: Shape,
    /// Where the path comes from.
    pub(super) from: Origin,
    /// The sides on which neighbours hang, as [`Side::bit`]s.
    pub(super) sockets: u8,
}

/// Where the path of a tile begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Origin {
    /// It is entered from the tile on this side.
    Side(Side),
    /// It is the first, and closed.
    Closed,
    /// It is the first, and open, with the given ends.
    Open {
        /// The first square.
        start: Option<usize>,
        /// The last square.
        end: Option<usize>,
    },
}

/// A path through a rectangle in one direction.
#[derive(Clone, Debug)]
pub(super) struct Tile {
    pub(super) shape: Shape,
    /// When each square is visited, row by row from the bottom.
    pub(super) steps: Vec<u32>,
    /// In the order in which the path passes them.
    pub(super) sockets: Vec<Socket>,
}

/// A place in a path where a neighbour is put in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Socket {
    pub(super) side: Side,
    /// The step of the tile after which the neighbour comes.
    pub(super) after: u32,
    /// Whether the joint's u comes before its v, so that the neighbour is entered at x.
    pub(super) forward: bool,
}

impl Tile {
    fn new(role: &Role, joint: &Joint, order: &[usize]) -> Self {
        let mut steps = vec![0; role.shape.len()];
        for (step, &square) in order.iter().enumerate() {
            steps[square] = step as u32;
        }
        let sides = Side::ALL
            .into_iter()
            .filter(|side| role.sockets & side.bit() != 0);
        let mut sockets: Vec<Socket> = sides
            .map(|side| {
                let [u, v] = joint.socket(side, role.shape).map(|square| steps[square]);
                debug_assert_eq!(u.abs_diff(v), 1);
                Socket {
                    side,
                    after: u.min(v),
                    forward: u < v,
                }
            })
            .collect();
        sockets.sort_by_key(|socket| socket.after);
        Self {
            shape: role.shape,
            steps,
            sockets,
        }
    }

    /// The same path the other way.
    pub(super) fn reversed(&self) -> Self {
        let last = self.shape.len() as u32 - 1;
        let sockets = self.sockets.iter().rev().map(|socket| Socket {
            after: last - 1 - socket.after,
            forward: !socket.forward,
            ..*socket
        });
        Self {
            shape: self.shape,
            steps: self.steps.iter().map(|&step| last - step).collect(),
            sockets: sockets.collect(),
        }
    }
}

/// Finds a tile for a role, entered at x; `None` if there is none or `limit` nodes did not show
/// one.
pub(super) fn find(
    role: &Role,
    joint: &Joint,
    seed: u64,
    limit: u64,
    stop: &Stop,
    nodes: &mut u64,
) -> Result<Option<Tile>, Stopped> {
    let shape = role.shape;
    // Prescribed moves need not be real ones: what hangs between their squares is always there.
    let Ok(board) = Board::knight(shape.rows as u32, shape.cols as u32) else {
        return Ok(None);
    };
    // Towards the neighbours: what they need is easier to leave than to begin with.
    let ahead = Side::Right.bit() | Side::Up.bit();
    let behind = role.sockets != 0 && role.sockets & ahead == 0;
    let sweep = if behind {
        Sweep::Backward
    } else {
        Sweep::Forward
    };
    let mut field = Field::new(&board, sweep);
    for side in Side::ALL {
        if role.sockets & side.bit() != 0 {
            let [u, v] = joint.socket(side, shape);
            field.prescribe(u, v);
        }
    }
    let entry = match role.from {
        Origin::Side(side) => Some(joint.entry(side, shape)),
        Origin::Closed | Origin::Open { .. } => None,
    };
    if let Some([x, y]) = entry {
        field.prescribe(x, y);
    }
    if let Origin::Open { start, end } = role.from {
        field.open(start, end);
    }
    let Search::Found(mut order) = field.search(seed, limit, stop, nodes)? else {
        return Ok(None);
    };
    if !matches!(role.from, Origin::Open { .. }) {
        let (first, last) = match entry {
            Some([x, y]) => (x, y),
            None => unused_move(role, joint, &order),
        };
        let at = order.iter().position(|&square| square == first);
        order.rotate_left(at.unwrap_or(0));
        if order[1] == last {
            order[1..].reverse();
        }
    }
    Ok(Some(Tile::new(role, joint, &order)))
}

/// Two successive squares of a cycle between which no neighbour hangs, the later first: there it
/// may be cut open.
fn unused_move(role: &Role, joint: &Joint, cycle: &[usize]) -> (usize, usize) {
    let sides = Side::ALL
        .into_iter()
        .filter(|side| role.sockets & side.bit() != 0);
    let sockets: Vec<[usize; 2]> = sides.map(|side| joint.socket(side, role.shape)).collect();
    let free = cycle.windows(2).find(|pair| {
        let is = |socket: &[usize; 2]| socket.contains(&pair[0]) && socket.contains(&pair[1]);
        !sockets.iter().any(is)
    });
    // Four sockets cannot take all moves of a cycle of at least thirty squares.
    free.map_or((cycle[0], cycle[cycle.len() - 1]), |pair| {
        (pair[1], pair[0])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Kind;
    use crate::check;

    fn try_role(role: Role, joint: &Joint, seed: u64) -> Option<Tile> {
        find(&role, joint, seed, 100_000, &Stop::default(), &mut 0).unwrap()
    }

    /// A tile that is alone is a tour.
    fn verify(tile: &Tile, kind: Kind) -> check::Report {
        let board = Board::knight(tile.shape.rows as u32, tile.shape.cols as u32).unwrap();
        check::verify_steps(&board, kind, &tile.steps, 1).unwrap()
    }

    #[test]
    fn every_broad_tile_exists() {
        for rows in 5..=12 {
            for cols in (5..=12).filter(|cols| rows * cols % 2 == 0) {
                let shape = Shape { rows, cols };
                for from in [Origin::Closed]
                    .into_iter()
                    .chain(Side::ALL.map(Origin::Side))
                {
                    for seed in 0..4 {
                        let sockets = match from {
                            Origin::Side(side) => 15 & !side.bit(),
                            _ => 15,
                        };
                        let tile = try_role(
                            Role {
                                shape,
                                from,
                                sockets,
                            },
                            &Joint::BROAD,
                            seed,
                        );
                        let tile = tile.unwrap_or_else(|| panic!("{rows}x{cols} {from:?}"));
                        assert!(verify(&tile, Kind::Closed).closed);
                        assert_eq!(tile.sockets.len(), sockets.count_ones() as usize);
                        if let Origin::Side(side) = from {
                            let [x, y] = Joint::BROAD.entry(side, shape);
                            assert_eq!((tile.steps[x], tile.steps[y]), (0, shape.len() as u32 - 1));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn odd_tiles_begin_where_they_are_asked_to() {
        for rows in [5, 7, 9, 11] {
            for cols in [5, 7, 9, 11] {
                let shape = Shape { rows, cols };
                for start in (0..shape.len()).step_by(2) {
                    let from = Origin::Open {
                        start: Some(start),
                        end: None,
                    };
                    let tile = try_role(
                        Role {
                            shape,
                            from,
                            sockets: 0,
                        },
                        &Joint::BROAD,
                        0,
                    );
                    let tile = tile.unwrap_or_else(|| panic!("{rows}x{cols} from {start}"));
                    assert_eq!(verify(&tile, Kind::Open).start, start);
                    let turned = tile.reversed();
                    assert_eq!(verify(&turned, Kind::Open).end, start);
                }
            }
        }
    }

    #[test]
    fn sockets_are_where_the_path_passes() {
        let shape = Shape { rows: 7, cols: 8 };
        let role = Role {
            shape,
            from: Origin::Closed,
            sockets: 15,
        };
        let tile = try_role(role, &Joint::BROAD, 3).unwrap();
        for tile in [tile.clone(), tile.reversed()] {
            assert!(tile.sockets.is_sorted_by_key(|socket| socket.after));
            for socket in &tile.sockets {
                let [u, v] = Joint::BROAD
                    .socket(socket.side, shape)
                    .map(|s| tile.steps[s]);
                let (first, second) = if socket.forward { (u, v) } else { (v, u) };
                assert_eq!((first, second), (socket.after, socket.after + 1));
            }
        }
    }
}
