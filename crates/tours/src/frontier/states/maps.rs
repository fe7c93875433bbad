//! What an [`Edit`] does to ranks, prepared so that it costs one table look-up a state.
//!
//! For up to [`TABLED`] endpoints a map is one table. Above that the tables would outgrow the
//! caches, so a map is cut by the partner of endpoint 0, the leading digit of the rank: within one
//! digit the edit is an edit of the remaining endpoints, whose table is 11 times smaller, plus a
//! constant. What cannot be cut is computed matching by matching.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, RwLock};

use crate::frontier::states::edit::{Edit, permute};
use crate::frontier::states::matching::{MAX_ENDPOINTS, Mates, matchings, rank, unrank};
use crate::frontier::step::renumbering;

/// Up to this many endpoints a map is a single table of at most 10,395 ranks.
pub(crate) const TABLED: usize = 12;

/// Tables are made up to this size where a map cannot be cut, and with much memory up to the next
/// size.
const TABLED_AT_MOST: usize = TABLED + 2;

/// Maps of this many endpoints and more are not worth preparing without much memory: blocks that
/// large are few.
const DIRECT: usize = TABLED + 6;

/// Much memory for tables: a table of 16 endpoints takes 8 MB, and a frontier has some hundred of
/// them.
const MUCH: u64 = 1 << 30;

/// The image of a matching that an edit would close into a cycle.
pub(crate) const LOST: u32 = u32::MAX;

/// A prepared map of ranks.
#[derive(Clone, Debug)]
pub(crate) enum RankMap {
    /// `rank + base`.
    Shift(u32),
    /// `table[rank]`, which may be [`LOST`].
    Table(Arc<[u32]>),
    /// By ranges of the rank.
    Pieces(Pieces),
    /// The edit itself, on matchings of this many endpoints.
    Direct(Edit, usize),
}

/// Ranges of the rank in ascending order, and which of them each cell of [`CELL`] ranks belongs to.
#[derive(Clone, Debug)]
pub(crate) struct Pieces {
    pub(crate) list: Vec<Piece>,
    cells: Vec<u16>,
}

/// Ranks of a cell: every piece consists of whole cells, since no map of [`TABLED`] endpoints is
/// cut.
const CELL: u32 = matchings(TABLED) as u32;

impl Pieces {
    fn new(list: Vec<Piece>) -> Self {
        let mut cells = Vec::new();
        for (i, piece) in list.iter().enumerate() {
            cells.resize((piece.end / CELL) as usize, i as u16);
        }
        Self { list, cells }
    }
}

impl RankMap {
    /// The image of a rank, which may be [`LOST`].
    #[inline]
    pub(crate) fn image(&self, r: u32) -> u32 {
        match self {
            Self::Shift(base) => r + base,
            Self::Table(table) => table[r as usize],
            Self::Pieces(pieces) => {
                let piece = pieces.cells[(r / CELL) as usize];
                pieces.list[usize::from(piece)].image(r)
            }
            Self::Direct(edit, endpoints) => direct(*edit, *endpoints, r),
        }
    }
}

/// A range of ranks, `start..end`, on which a map is simple.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) base: u32,
    pub(crate) action: Action,
}

/// What happens to `rank - start` within a piece, before `base` is added.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Lose,
    Shift,
    Table(Arc<[u32]>),
    Direct(Edit, usize),
}

impl Piece {
    /// The image of a rank of this piece.
    #[inline]
    pub(crate) fn image(&self, rank: u32) -> u32 {
        let inner = rank - self.start;
        let image = match &self.action {
            Action::Lose => LOST,
            Action::Shift => inner,
            Action::Table(table) => table[inner as usize],
            Action::Direct(edit, endpoints) => direct(*edit, *endpoints, inner),
        };
        if image == LOST {
            LOST
        } else {
            self.base + image
        }
    }
}

/// The image of a rank, computed from the matching itself.
// Long beside a call, and called in many places: one copy is compiled.
#[inline(never)]
pub(crate) fn direct(edit: Edit, endpoints: usize, r: u32) -> u32 {
    edit.apply(endpoints, &unrank(r as usize, endpoints))
        .map_or(LOST, |mates| {
            rank(&mates, edit.endpoints_after(endpoints)) as u32
        })
}

/// All prepared maps, computed when first used and shared by the threads. Tables take up to a given
/// memory; maps beyond it are computed matching by matching.
pub(crate) struct Maps {
    edits: Vec<OnceLock<RankMap>>,
    permutations: RwLock<HashMap<u128, Arc<[u32]>>>,
    /// Bytes that tables may still take.
    left: AtomicU64,
    /// The most endpoints of a table where a map cannot be cut.
    tabled: usize,
    /// Maps of this many endpoints are not prepared.
    direct: usize,
}

const NUMBERS: usize = MAX_ENDPOINTS + 2;

impl Maps {
    /// No maps yet; their tables will take at most `bytes`.
    pub(crate) fn new(bytes: u64) -> Self {
        let slots = (MAX_ENDPOINTS / 2 + 1) * 3 * NUMBERS * NUMBERS;
        Self {
            edits: (0..slots).map(|_| OnceLock::new()).collect(),
            permutations: RwLock::default(),
            left: AtomicU64::new(bytes),
            tabled: TABLED_AT_MOST + if bytes < MUCH { 0 } else { 2 },
            direct: DIRECT + if bytes < MUCH { 0 } else { 2 },
        }
    }

    /// No maps yet; their tables will take at most `bytes`, which is little: only small tables, of
    /// which many fit.
    pub(crate) fn few(bytes: u64) -> Self {
        Self {
            tabled: TABLED,
            ..Self::new(bytes)
        }
    }

    /// Takes the memory of a table for matchings of `endpoints` endpoints, if that much is left.
    fn takes_table(&self, endpoints: usize) -> bool {
        let bytes = matchings(endpoints) as u64 * size_of::<u32>() as u64;
        let order = Ordering::Relaxed;
        let less = |left: u64| left.checked_sub(bytes);
        self.left.fetch_update(order, order, less).is_ok()
    }

    /// The map of `edit` on matchings of `endpoints` endpoints.
    #[inline]
    pub(crate) fn edit(&self, edit: Edit, endpoints: usize) -> &RankMap {
        const SAME: &RankMap = &RankMap::Shift(0);
        let (kind, i, j) = match edit {
            Edit::Keep | Edit::Close => return SAME,
            Edit::Move { from, to } => (0, from, to),
            Edit::Contract { a, b } => (1, a, b),
            Edit::Insert { a, b } => (2, a, b),
        };
        let (i, j) = (usize::from(i), usize::from(j));
        let slot = ((endpoints / 2 * 3 + kind) * NUMBERS + i) * NUMBERS + j;
        self.edits[slot].get_or_init(|| self.prepare(edit, endpoints))
    }

    fn prepare(&self, edit: Edit, endpoints: usize) -> RankMap {
        if let Edit::Insert { a: 0, b } = edit {
            return RankMap::Shift((usize::from(b) - 1) as u32 * matchings(endpoints) as u32);
        }
        let hard = edit_is_hard(edit);
        if endpoints <= TABLED || endpoints <= self.tabled && hard {
            return match self.takes_table(endpoints) {
                true => RankMap::Table(self.table(edit, endpoints)),
                false => RankMap::Direct(edit, endpoints),
            };
        }
        if endpoints >= self.direct || hard {
            return RankMap::Direct(edit, endpoints);
        }
        RankMap::Pieces(Pieces::new(self.pieces(edit, endpoints)))
    }

    /// The images of all ranks, put together from those of smaller matchings: far quicker than
    /// matching by matching.
    fn table(&self, edit: Edit, endpoints: usize) -> Arc<[u32]> {
        if endpoints <= 2 {
            return [direct(edit, endpoints, 0)].into();
        }
        if let Edit::Move { from, to: 0 } = edit
            && from > 0
        {
            // A renumbering: the inverse of one that can be cut.
            let back = self.edit(Edit::Move { from: 0, to: from }, endpoints);
            let mut images = vec![0; matchings(endpoints)];
            for rank in 0..images.len() as u32 {
                images[back.image(rank) as usize] = rank;
            }
            return images.into();
        }
        let size = matchings(endpoints - 2) as u32;
        let of_partner = |partner: u8| {
            let inner = peel(edit, endpoints, partner);
            let inner = inner.map(|(inner, base)| (self.edit(inner, endpoints - 2), base));
            (0..size).map(move |rank| match inner {
                None => LOST,
                Some((map, base)) => match map.image(rank) {
                    LOST => LOST,
                    image => base + image,
                },
            })
        };
        (1..endpoints as u8).flat_map(of_partner).collect()
    }

    /// Cuts a map by the partner of endpoint 0.
    fn pieces(&self, edit: Edit, endpoints: usize) -> Vec<Piece> {
        let size = matchings(endpoints - 2) as u32;
        let mut pieces = Vec::new();
        for partner in 1..endpoints as u8 {
            let start = u32::from(partner - 1) * size;
            let mut add = |from: u32, to: u32, base, action| {
                pieces.push(Piece {
                    start: start + from,
                    end: start + to,
                    base,
                    action,
                });
            };
            let Some((inner, base)) = peel(edit, endpoints, partner) else {
                add(0, size, 0, Action::Lose);
                continue;
            };
            match self.edit(inner, endpoints - 2) {
                RankMap::Shift(shift) => add(0, size, base + shift, Action::Shift),
                RankMap::Table(table) => add(0, size, base, Action::Table(table.clone())),
                RankMap::Direct(inner, n) => add(0, size, base, Action::Direct(*inner, *n)),
                RankMap::Pieces(Pieces { list, .. }) => {
                    for p in list {
                        add(p.start, p.end, base + p.base, p.action.clone());
                    }
                }
            }
        }
        pieces
    }

    /// Finds the images of all ranks under a renumbering, put together from those of the endpoints
    /// besides endpoint 0 and its partner.
    fn renumber(&self, to: &[u8], images: &mut [u32]) {
        let endpoints = to.len();
        if endpoints <= 2 {
            images.fill(0);
            return;
        }
        let size = matchings(endpoints - 2);
        for (partner, images) in (1..).zip(images.chunks_exact_mut(size)) {
            let pair = [to[0], to[partner]];
            let mut rest = [0; MAX_ENDPOINTS];
            let others = (1..endpoints).filter(|&end| end != partner);
            for (rest, end) in rest.iter_mut().zip(others) {
                let less = pair.iter().filter(|&&other| other < to[end]).count();
                *rest = to[end] - less as u8;
            }
            self.renumber(&rest[..endpoints - 2], images);
            let insert = self.edit(Edit::insert(pair[0], pair[1]), endpoints - 2);
            for image in images {
                *image = insert.image(*image);
            }
        }
    }

    /// The table of a renumbering of endpoints, or `None` if it is better computed matching by
    /// matching.
    pub(crate) fn permutation(&self, to: &[u8]) -> Option<Arc<[u32]>> {
        let endpoints = to.len();
        if endpoints > self.tabled {
            return None;
        }
        let key = renumbering_key(to);
        let found = self
            .permutations
            .read()
            .unwrap_or_else(|e| e.into_inner())
            .get(&key)
            .cloned();
        if found.is_none() && !self.takes_table(endpoints) {
            return None;
        }
        Some(found.unwrap_or_else(|| {
            let mut images = vec![0; matchings(endpoints)];
            self.renumber(to, &mut images);
            let table: Arc<[u32]> = images.into();
            let mut all = self.permutations.write().unwrap_or_else(|e| e.into_inner());
            all.entry(key).or_insert(table).clone()
        }))
    }
}

/// A thread's renumberings of endpoints for one map of slots: threads share nothing when they look
/// one up.
pub(crate) struct Renumberings<'a> {
    maps: &'a Maps,
    /// The slot that each slot becomes.
    slots: &'a [u8],
    tables: HashMap<u128, Option<Arc<[u32]>>>,
    /// Those that were looked up last, at places by the ends.
    recent: Vec<Option<Renumbering>>,
}

/// A renumbering of endpoints as a map of ranks.
pub(crate) struct Renumbering {
    ends: u32,
    to: Vec<u8>,
    table: Option<Arc<[u32]>>,
}

/// The logarithm of the number of renumberings that are kept at places.
const RECENT: u32 = 11;

impl<'a> Renumberings<'a> {
    /// Slot `s` becomes slot `slots[s]`.
    pub(crate) fn new(maps: &'a Maps, slots: &'a [u8]) -> Self {
        Self {
            maps,
            slots,
            tables: HashMap::new(),
            recent: Vec::new(),
        }
    }

    /// The renumbering of the endpoints at these slots.
    pub(crate) fn of(&mut self, ends: u32) -> &Renumbering {
        if self.recent.is_empty() {
            self.recent.resize_with(1 << RECENT, || None);
        }
        // The top bits of a multiplicative hash.
        let place = ends.wrapping_mul(0x9e37_79b1) >> (u32::BITS - RECENT);
        let place = &mut self.recent[place as usize];
        if place.as_ref().is_none_or(|found| found.ends != ends) {
            let to = renumbering(self.slots, ends);
            let table = self.tables.entry(renumbering_key(&to));
            let table = table.or_insert_with(|| self.maps.permutation(&to)).clone();
            *place = None;
            return place.insert(Renumbering { ends, to, table });
        }
        place.as_ref().expect("it was found")
    }
}

impl Renumbering {
    /// The rank after the renumbering.
    #[inline]
    pub(crate) fn image(&self, r: u32) -> u32 {
        match &self.table {
            Some(table) => table[r as usize],
            None => permuted(&self.to, r),
        }
    }
}

/// A renumbering as a number.
fn renumbering_key(to: &[u8]) -> u128 {
    to.iter()
        .fold(to.len() as u128, |key, &t| key << 5 | u128::from(t))
}

/// The rank of a renumbered matching, computed from the matching itself.
// Long beside a call, and called in many places: one copy is compiled.
#[inline(never)]
pub(crate) fn permuted(to: &[u8], r: u32) -> u32 {
    let mates: Mates = permute(to, &unrank(r as usize, to.len()));
    rank(&mates, to.len()) as u32
}

/// Whether the leading digit after the edit depends on more than the leading digit before it.
fn edit_is_hard(edit: Edit) -> bool {
    matches!(edit, Edit::Move { from: 1.., to: 0 })
}

/// The edit of the remaining endpoints when endpoint 0 is joined to `partner`, and the rank to add;
/// `None` if the matchings with that partner are lost. Only for edits that are not hard.
fn peel(edit: Edit, endpoints: usize, partner: u8) -> Option<(Edit, u32)> {
    let rest = |x: u8, partner: u8| x - 1 - u8::from(x > partner);
    let opened = |x: u8, at: u8| x + u8::from(x >= at);
    let sub = matchings(edit.endpoints_after(endpoints) - 2) as u32;
    let lead = |partner: u8| u32::from(partner - 1) * sub;
    Some(match edit {
        Edit::Keep | Edit::Close => (Edit::Keep, lead(partner)),
        Edit::Insert { a, b } => {
            let after = opened(opened(partner, a), b);
            (Edit::insert(rest(a, after), rest(b, after)), lead(after))
        }
        Edit::Move { from: 0, to } => (Edit::insert(to, opened(partner - 1, to)), 0),
        Edit::Move { from, to } if from == partner => (Edit::Keep, lead(to)),
        Edit::Move { from, to } => {
            let after = opened(partner - u8::from(partner > from), to);
            (
                Edit::Move {
                    from: rest(from, partner),
                    to: rest(to, after),
                },
                lead(after),
            )
        }
        Edit::Contract { a: 0, b } if b == partner => return None,
        Edit::Contract { a: 0, b } => {
            let to = partner - 1 - u8::from(partner > b);
            (
                Edit::Move {
                    from: rest(b, partner),
                    to,
                },
                0,
            )
        }
        Edit::Contract { a, b } if a == partner => (
            Edit::Move {
                from: rest(b, partner),
                to: 0,
            },
            0,
        ),
        Edit::Contract { a, b } if b == partner => (
            Edit::Move {
                from: rest(a, partner),
                to: 0,
            },
            0,
        ),
        Edit::Contract { a, b } => {
            let after = partner - u8::from(partner > a) - u8::from(partner > b);
            (
                Edit::Contract {
                    a: rest(a, partner),
                    b: rest(b, partner),
                },
                lead(after),
            )
        }
    })
}

/// The bytes of the tables of maps, by the largest number of endpoints of a frontier: as many as
/// pay for themselves.
pub(crate) fn map_bytes(endpoints: usize) -> u64 {
    match endpoints {
        ..=10 => 2 << 20,
        11..=12 => 5 << 20,
        13..=14 => 16 << 20,
        15..=16 => 48 << 20,
        _ => 256 << 20,
    }
}

#[cfg(test)]
mod tests;
