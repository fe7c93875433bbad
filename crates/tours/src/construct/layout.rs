//! Where to cut a board into tiles.
//!
//! Broad boards, with sides of at least five, are cut into tiles of eight squares a side but for
//! one band of rows and one column of tiles that take up the rest, five to twelve. Where they cross
//! is the root, so that on a board with two odd sides it is the only tile with an odd number of
//! squares. If the tour is to begin or end at a given square, rest and root are made as large as it
//! takes to hold it.

use super::joint::Joint;
use super::mosaic::Layout;
use super::tile::Origin;

/// Squares that a root tile with given ends may have. Beyond it the search for one gets stuck too
/// often.
pub(super) const LARGEST_ROOT: usize = 40_000;
/// How many ways to cut a board are tried.
const ATTEMPTS: usize = 60;

/// A side of the board in pieces.
#[derive(Clone, Debug)]
struct Cut {
    before: Vec<usize>,
    root: usize,
    after: Vec<usize>,
}

impl Cut {
    fn whole(length: usize) -> Self {
        Self {
            before: Vec::new(),
            root: length,
            after: Vec::new(),
        }
    }

    fn offset(&self) -> usize {
        self.before.iter().sum()
    }

    fn pieces(&self) -> Vec<usize> {
        [&self.before[..], &[self.root], &self.after[..]].concat()
    }
}

/// Where a tour of a board is to begin and end.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ends {
    /// A closed tour; it may begin anywhere.
    Closed,
    /// An open tour; the ends as (row, column) where they are given.
    Open {
        start: Option<(usize, usize)>,
        end: Option<(usize, usize)>,
    },
}

/// The layouts to be tried for a knight's board with sides of at least three, the most promising
/// first.
pub(super) fn layouts(rows: usize, cols: usize, ends: Ends, seed: u64) -> Vec<Layout> {
    let given: Vec<(usize, usize)> = match ends {
        Ends::Closed => Vec::new(),
        Ends::Open { start, end } => [start, end].into_iter().flatten().collect(),
    };
    let span = |along: fn(&(usize, usize)) -> usize| {
        let places = given.iter().map(along);
        Some((places.clone().min()?, places.max()?))
    };
    let (row_span, col_span) = (span(|place| place.0), span(|place| place.1));
    let breadth = rows.min(cols);
    let (joint, row_cuts, col_cuts) = match breadth {
        3 | 4 => {
            let joint = if breadth == 3 {
                Joint::THREE
            } else {
                Joint::FOUR
            };
            let closed = matches!(ends, Ends::Closed);
            let long = |length, span| match breadth {
                3 => cuts_of_three(length, span, closed),
                _ => cuts_of_four(length, span),
            };
            if rows == breadth {
                (joint, vec![Cut::whole(rows)], long(cols, col_span))
            } else {
                (joint, long(rows, row_span), vec![Cut::whole(cols)])
            }
        }
        _ => (
            Joint::BROAD,
            broad_cuts(rows, row_span, seed),
            broad_cuts(cols, col_span, seed.rotate_left(32)),
        ),
    };
    let mut pairs: Vec<(&Cut, &Cut)> = row_cuts
        .iter()
        .flat_map(|row| col_cuts.iter().map(move |col| (row, col)))
        .collect();
    pairs.sort_by_key(|(row, col)| row.root * col.root);
    pairs.retain(|(row, col)| row.root * col.root <= LARGEST_ROOT);
    pairs.truncate(ATTEMPTS);
    let pairs = pairs.into_iter();
    pairs
        .map(|(row, col)| layout(row, col, ends, joint, seed))
        .collect()
}

fn layout(row: &Cut, col: &Cut, ends: Ends, joint: Joint, seed: u64) -> Layout {
    let within =
        |place: (usize, usize)| (place.0 - row.offset()) * col.root + place.1 - col.offset();
    let origin = match ends {
        Ends::Closed => Origin::Closed,
        Ends::Open { start, end } => Origin::Open {
            start: start.map(within),
            end: end.map(within),
        },
    };
    Layout {
        bands: row.pieces(),
        widths: col.pieces(),
        root: (row.before.len(), col.before.len()),
        origin,
        joint,
        seed,
        root_nodes: 5_000 + 12 * (row.root * col.root) as u64,
    }
}

/// A length of at least five as eights and a rest of five to twelve.
fn rest(length: usize) -> usize {
    5 + (length - 5) % 8
}

fn eights(length: usize) -> Vec<usize> {
    vec![8; length / 8]
}

fn broad_cuts(length: usize, span: Option<(usize, usize)>, seed: u64) -> Vec<Cut> {
    let smallest = rest(length);
    let cut = |root: usize, eighths: usize| Cut {
        before: eights(8 * eighths),
        root,
        after: eights(length - root - 8 * eighths),
    };
    let Some((low, high)) = span else {
        let places = (length - smallest) / 8 + 1;
        return vec![cut(smallest, seed as usize % places)];
    };
    let mut cuts = Vec::new();
    for root in (smallest..=length).step_by(8) {
        if root > high - low {
            let first = (high + 1).saturating_sub(root).div_ceil(8);
            let last = (low / 8).min((length - root) / 8);
            cuts.extend((first..=last).map(|eighths| cut(root, eighths)));
        }
        // A few sizes more than needed, in case the ends are where neighbours are to hang.
        if cuts.len() >= 8 {
            break;
        }
    }
    cuts
}

/// Three rows: the root holds the ends, tiles of four and eight columns continue it on both sides.
fn cuts_of_three(length: usize, span: Option<(usize, usize)>, closed: bool) -> Vec<Cut> {
    let fours = |length: usize| {
        let mut pieces = eights(length);
        pieces.extend((length % 8 == 4).then_some(4));
        pieces
    };
    let cut = |offset: usize, root: usize| {
        let mut before = fours(offset);
        before.reverse();
        Cut {
            before,
            root,
            after: fours(length - offset - root),
        }
    };
    let Some((low, high)) = span else {
        // The smallest boards of three rows that have a tour, for each remainder by four.
        let smallest = match (closed, length % 4) {
            (true, 0) => 12,
            (true, _) => 10,
            (false, 0) => 8,
            (false, 1) => 9,
            (false, 2) => 10,
            (false, _) => 7,
        };
        let root = smallest.min(length);
        return vec![cut(0, root)];
    };
    let roots = (4..=length)
        .filter(|root| root % 4 == length % 4 && *root > high - low)
        .take(12);
    let offsets = |root: usize| {
        (0..=low.min(length - root))
            .step_by(4)
            .filter(move |at| at + root > high)
    };
    roots
        .flat_map(|root| offsets(root).map(move |at| cut(at, root)))
        .collect()
}

/// Four rows: the root reaches from an end of the board beyond the given squares; tiles follow on
/// the other side, the last with five to twelve columns. There are never tiles on both sides: each
/// last tile would hold the one move between inner squares that a tour of four rows has.
fn cuts_of_four(length: usize, span: Option<(usize, usize)>) -> Vec<Cut> {
    let outwards = |length: usize| match length {
        0 => Vec::new(),
        _ => [eights(length - rest(length)), vec![rest(length)]].concat(),
    };
    let on_the_left = |root: usize| Cut {
        before: Vec::new(),
        root,
        after: outwards(length - root),
    };
    let on_the_right = |root: usize| Cut {
        before: outwards(length - root).into_iter().rev().collect(),
        root,
        after: Vec::new(),
    };
    let Some((low, high)) = span else {
        return vec![on_the_left(if length < 13 { length } else { 8 })];
    };
    // The whole board, or as much as holds the ends and leaves a last tile.
    let roots = |narrowest: usize| {
        let few = narrowest.max(3)..=(narrowest + 20).min(length.saturating_sub(5));
        few.chain([length])
    };
    let left = roots(high + 2).map(on_the_left);
    let right = roots(length - low + 1).map(on_the_right);
    left.chain(right).collect()
}
