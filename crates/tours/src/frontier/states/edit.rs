//! The three ways in which a new edge changes a matching of endpoints, and permutations of the
//! endpoints.
//!
//! An edge between two frontier vertices either
//! - joins two untouched vertices, which become the ends of a new segment: [`Edit::Insert`];
//! - prolongs a segment from its end to an untouched vertex: [`Edit::Move`];
//! - joins the ends of two segments, which become inner vertices: [`Edit::Contract`], impossible if
//!   they are the two ends of one segment, since that would close a cycle too early.
//!
//! Endpoints are numbered by their order along the frontier, so an edit also renumbers. What an
//! edit does to the rank of a matching depends on the numbers alone and never on where on the board
//! the endpoints are.

use crate::frontier::states::matching::{MAX_ENDPOINTS, Mates};

/// A change of a matching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Edit {
    /// Nothing changes.
    Keep,
    /// Endpoint `from` (numbered before) becomes endpoint `to` (numbered after).
    Move { from: u8, to: u8 },
    /// Endpoints `a < b` (numbered before) are joined and vanish.
    Contract { a: u8, b: u8 },
    /// A new segment with the endpoints `a < b` (numbered after).
    Insert { a: u8, b: u8 },
    /// The ends of the only segment are joined: the tour is complete.
    Close,
}

impl Edit {
    pub(crate) fn contract(a: u8, b: u8) -> Self {
        Self::Contract {
            a: a.min(b),
            b: a.max(b),
        }
    }

    pub(crate) fn insert(a: u8, b: u8) -> Self {
        Self::Insert {
            a: a.min(b),
            b: a.max(b),
        }
    }

    /// The number of endpoints after the edit.
    pub(crate) fn endpoints_after(self, endpoints: usize) -> usize {
        match self {
            Self::Keep | Self::Move { .. } => endpoints,
            Self::Contract { .. } | Self::Close => endpoints - 2,
            Self::Insert { .. } => endpoints + 2,
        }
    }

    /// The matching after the edit, or `None` if a cycle would close.
    pub(crate) fn apply(self, endpoints: usize, mates: &Mates) -> Option<Mates> {
        let mut out = [0; MAX_ENDPOINTS + 4];
        match self {
            Self::Keep | Self::Close => out = *mates,
            Self::Move { from, to } => {
                let renumber = |x: u8| opened(x - u8::from(x > from), to);
                for x in (0..endpoints as u8).filter(|&x| x != from) {
                    let mate = mates[usize::from(x)];
                    out[usize::from(renumber(x))] = if mate == from { to } else { renumber(mate) };
                }
                out[usize::from(to)] = renumber(mates[usize::from(from)]);
            }
            Self::Contract { a, b } => {
                if mates[usize::from(a)] == b {
                    return None;
                }
                let renumber = |x: u8| x - u8::from(x > a) - u8::from(x > b);
                let (mate_a, mate_b) = (mates[usize::from(a)], mates[usize::from(b)]);
                for x in (0..endpoints as u8).filter(|&x| x != a && x != b) {
                    let mate = match mates[usize::from(x)] {
                        m if m == a => mate_b,
                        m if m == b => mate_a,
                        m => m,
                    };
                    out[usize::from(renumber(x))] = renumber(mate);
                }
            }
            Self::Insert { a, b } => {
                let renumber = |x: u8| opened(opened(x, a), b);
                for x in 0..endpoints as u8 {
                    out[usize::from(renumber(x))] = renumber(mates[usize::from(x)]);
                }
                out[usize::from(a)] = b;
                out[usize::from(b)] = a;
            }
        }
        Some(out)
    }
}

impl Edit {
    /// Calls `each` with every matching of `endpoints` endpoints that the edit turns into `after`,
    /// in a fixed order.
    pub(crate) fn for_each_before(
        self,
        endpoints: usize,
        after: &Mates,
        mut each: impl FnMut(Mates),
    ) {
        match self {
            Self::Keep => each(*after),
            Self::Close => {
                let mut before = [0; MAX_ENDPOINTS + 4];
                before[0] = 1;
                each(before);
            }
            Self::Move { from, to } => {
                let back = Self::Move { from: to, to: from };
                if let Some(mates) = back.apply(endpoints, after) {
                    each(mates);
                }
            }
            Self::Insert { a, b } => {
                if after[usize::from(a)] != b {
                    return;
                }
                let closed = |x: u8| x - u8::from(x > a) - u8::from(x > b);
                let mut before = [0; MAX_ENDPOINTS + 4];
                for x in (0..endpoints as u8 + 2).filter(|&x| x != a && x != b) {
                    before[usize::from(closed(x))] = closed(after[usize::from(x)]);
                }
                each(before);
            }
            Self::Contract { a, b } => {
                let number = |x: u8| opened(opened(x, a), b);
                let mut whole = [0; MAX_ENDPOINTS + 4];
                for x in 0..endpoints as u8 - 2 {
                    whole[usize::from(number(x))] = number(after[usize::from(x)]);
                }
                for x in 0..endpoints as u8 - 2 {
                    // Every ordered pair (x, its partner) once: x is joined to a, the partner to b.
                    let (x, y) = (number(x), number(after[usize::from(x)]));
                    let mut before = whole;
                    for (end, mate) in [(a, x), (b, y)] {
                        before[usize::from(end)] = mate;
                        before[usize::from(mate)] = end;
                    }
                    each(before);
                }
            }
        }
    }
}

/// The number of endpoint `x` after a new endpoint has taken number `at`.
fn opened(x: u8, at: u8) -> u8 {
    x + u8::from(x >= at)
}

/// The matching after endpoint `i` was renumbered to `to[i]`.
pub(crate) fn permute(to: &[u8], mates: &Mates) -> Mates {
    let mut out = [0; MAX_ENDPOINTS + 4];
    for (i, &t) in to.iter().enumerate() {
        out[usize::from(t)] = to[usize::from(mates[i])];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::states::matching::{matchings, unrank};

    #[test]
    fn what_came_before_is_found() {
        let endpoints = 6;
        let edits = [
            Edit::Keep,
            Edit::Move { from: 4, to: 1 },
            Edit::Move { from: 0, to: 5 },
            Edit::Contract { a: 0, b: 3 },
            Edit::Contract { a: 2, b: 5 },
            Edit::Insert { a: 0, b: 7 },
            Edit::Insert { a: 3, b: 4 },
        ];
        for edit in edits {
            let out = edit.endpoints_after(endpoints);
            for r in 0..matchings(out) {
                let after = unrank(r, out);
                let mut found = Vec::new();
                edit.for_each_before(endpoints, &after, |mates| found.push(mates));
                let all = (0..matchings(endpoints)).map(|q| unrank(q, endpoints));
                let expected: Vec<_> = all
                    .filter(|mates| {
                        edit.apply(endpoints, mates)
                            .is_some_and(|m| m[..out] == after[..out])
                    })
                    .collect();
                found.sort_unstable();
                let mut sorted = expected;
                sorted.sort_unstable();
                assert_eq!(found, sorted, "{edit:?} {r}");
            }
        }
    }
}
