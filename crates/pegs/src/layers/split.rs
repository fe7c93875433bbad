//! Heads and tails: how the holes are split, and the tables that follow.

use std::collections::HashMap;

use everymove_kernel::run::{OverBudget, Reservation, Run, Stop, Stopped};

use crate::board::Board;
use crate::error::PegError;
use crate::invariant::Class;
use crate::position::{Bits, Hole, Position};
use crate::symmetry::Symmetry;

/// A head or a tail: some of a position's bits, packed.
pub(crate) type Part = u32;

/// The canonical head that a head belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CanonicalHead {
    /// The canonical head's number.
    pub(crate) id: u32,
    /// The symmetries that lead there, a bit each; more than one if the head is symmetric itself.
    pub(crate) by: u16,
}

/// Numbers of the tail classes, starts of the groups, tails in the order of groups and ranks.
type TailGroups = (HashMap<Class, u32>, Vec<u32>, Vec<Part>);

/// The canonical heads in ascending order; for every head the number of its canonical head and the
/// symmetries that lead there, a bit each.
type CanonicalHeads = (Vec<Part>, Vec<u32>, Vec<u16>);

/// A board under a symmetry group, split into heads and tails.
pub(crate) struct Split {
    board: Board,
    order: usize,
    tail_len: usize,
    head_len: usize,
    /// Bytes of a position, spread to `head << 32 | tail`.
    pack: Vec<[u64; 256]>,
    head_holes: Vec<Hole>,
    tail_holes: Vec<Hole>,
    canonical_id: Vec<u32>,
    canonical_by: Vec<u16>,
    /// The canonical heads in ascending order.
    heads: Vec<Part>,
    /// `rank[(g << tail_len) + tail]`: the rank of the image of `tail` under symmetry `g`.
    rank: Vec<u16>,
    /// Tails by group and rank; a group is `pegs * classes + class number`.
    tails: Vec<Part>,
    starts: Vec<u32>,
    class_numbers: HashMap<Class, u32>,
    _held: Reservation,
}

impl Split {
    /// Tables for the positions of `board` up to `group`.
    ///
    /// # Errors
    /// [`PegError::OverBudget`] if the tables do not fit, [`PegError::Stopped`].
    pub(crate) fn new(board: &Board, group: &[Symmetry], run: &Run) -> Result<Self, PegError> {
        let tail = choose_tail(board, group);
        Self::with_tail(board, group, tail, run)
    }

    /// The same with a given set of tail holes, which the group must keep.
    pub(crate) fn with_tail(
        board: &Board,
        group: &[Symmetry],
        tail: Position,
        run: &Run,
    ) -> Result<Self, PegError> {
        let tail_holes: Vec<Hole> = tail.holes().collect();
        let head_holes: Vec<Hole> = board.complement(tail).holes().collect();
        let (tail_len, head_len) = (tail_holes.len(), head_holes.len());
        let what = format!("laying out the {} board", board.name());
        let need = table_bytes(tail_len, head_len, group.len());
        if head_len > LONGEST_HEAD {
            return Err(PegError::OverBudget(OverBudget {
                what,
                need,
                limit: run.ram.limit(),
            }));
        }
        let held = run.ram.reserve(&what, need)?;

        let (class_numbers, starts, tails) = tail_groups(board, &tail_holes, &run.stop)?;
        let mut rank_of = vec![0u16; 1 << tail_len];
        for group in starts.windows(2) {
            let members = &tails[group[0] as usize..group[1] as usize];
            for (rank, &tail) in members.iter().enumerate() {
                rank_of[tail as usize] = rank as u16;
            }
        }
        let mut rank = Vec::with_capacity(group.len() << tail_len);
        for symmetry in group {
            run.stop.check()?;
            let images = Images::new(symmetry, &tail_holes);
            rank.extend((0..1u32 << tail_len).map(|tail| rank_of[images.of(tail) as usize]));
        }

        let (heads, canonical_id, canonical_by) = canonical_heads(group, &head_holes, &run.stop)?;
        Ok(Self {
            pack: pack_tables(board, &head_holes, &tail_holes),
            board: board.clone(),
            order: group.len(),
            tail_len,
            head_len,
            head_holes,
            tail_holes,
            canonical_id,
            canonical_by,
            heads,
            rank,
            tails,
            starts,
            class_numbers,
            _held: held,
        })
    }

    /// The board.
    pub(crate) fn board(&self) -> &Board {
        &self.board
    }

    /// The tail holes.
    pub(crate) fn tail(&self) -> Position {
        self.tail_holes
            .iter()
            .fold(Position::EMPTY, |tail, &hole| tail.with(hole))
    }

    /// Number of symmetries in use.
    pub(crate) fn order(&self) -> usize {
        self.order
    }

    /// Number of tail holes.
    pub(crate) fn tail_len(&self) -> usize {
        self.tail_len
    }

    /// Number of head holes.
    pub(crate) fn head_len(&self) -> usize {
        self.head_len
    }

    /// The canonical heads, in the order of their numbers.
    pub(crate) fn heads(&self) -> &[Part] {
        &self.heads
    }

    /// The canonical head of any head.
    #[inline(always)]
    pub(crate) fn canonical_head(&self, head: Part) -> CanonicalHead {
        CanonicalHead {
            id: self.canonical_id[head as usize],
            by: self.canonical_by[head as usize],
        }
    }

    /// All ranks, for [`successors`](crate::layers::successors).
    #[inline(always)]
    pub(crate) fn ranks(&self) -> &[u16] {
        &self.rank
    }

    /// The rank of a tail under a canonical head reached by any of the symmetries `by`: the least
    /// of its images'.
    #[inline]
    pub(crate) fn rank_by(&self, by: u16, tail: Part) -> u16 {
        let ranks = Bits(u64::from(by)).map(|g| self.rank[(g << self.tail_len) + tail as usize]);
        ranks.min().unwrap_or(u16::MAX)
    }

    /// How many of the symmetries `by` give a tail a rank.
    pub(crate) fn keeping(&self, by: u16, tail: Part, rank: usize) -> u64 {
        let ranks = Bits(u64::from(by)).map(|g| self.rank[(g << self.tail_len) + tail as usize]);
        ranks.filter(|&image| usize::from(image) == rank).count() as u64
    }

    /// Head and tail of a position.
    #[inline]
    pub(crate) fn pack(&self, position: Position) -> (Part, Part) {
        let bytes = position.0.to_le_bytes();
        let packed = self
            .pack
            .iter()
            .zip(bytes)
            .fold(0, |word, (table, byte)| word | table[usize::from(byte)]);
        ((packed >> 32) as Part, packed as Part)
    }

    /// The position with a head and a tail.
    pub(crate) fn unpack(&self, head: Part, tail: Part) -> Position {
        let place = |part: Part, holes: &[Hole]| {
            Bits(u64::from(part)).fold(0, |word, i| word | 1 << holes[i])
        };
        Position(place(head, &self.head_holes) | place(tail, &self.tail_holes))
    }

    /// Some holes as the bits of a head and a tail.
    pub(crate) fn pack_mask(&self, mask: u64) -> (Part, Part) {
        self.pack(Position(mask))
    }

    /// The number of a tail class, if any tail has it.
    pub(crate) fn class_number(&self, class: Class) -> Option<u32> {
        self.class_numbers.get(&class).copied()
    }

    /// The tails with `pegs` pegs and a class number, in the order of their ranks.
    #[inline]
    pub(crate) fn group(&self, pegs: usize, class_number: u32) -> &[Part] {
        let group = pegs * self.class_numbers.len() + class_number as usize;
        &self.tails[self.starts[group] as usize..self.starts[group + 1] as usize]
    }
}

/// Numbers the tail classes, and lists the tails by pegs and class: (numbers, starts of groups,
/// tails).
fn tail_groups(board: &Board, holes: &[Hole], stop: &Stop) -> Result<TailGroups, Stopped> {
    let of_hole: Vec<u64> = holes
        .iter()
        .map(|&hole| board.class(Position::single(hole)).0)
        .collect();
    let count = 1usize << holes.len();
    let mut classes = vec![0u64; count];
    let mut numbers = HashMap::from([(Class(0), 0)]);
    let mut number = vec![0u32; count];
    for tail in 1..count {
        check_at_times(tail, stop)?;
        classes[tail] = classes[tail & (tail - 1)] ^ of_hole[tail.trailing_zeros() as usize];
        let next = numbers.len() as u32;
        number[tail] = *numbers.entry(Class(classes[tail])).or_insert(next);
    }
    let group = |tail: usize| tail.count_ones() as usize * numbers.len() + number[tail] as usize;
    let mut starts = vec![0u32; (holes.len() + 1) * numbers.len() + 1];
    for tail in 0..count {
        starts[group(tail) + 1] += 1;
    }
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
    let mut next = starts.clone();
    let mut tails = vec![0; count];
    for tail in 0..count {
        let slot = &mut next[group(tail)];
        tails[*slot as usize] = tail as Part;
        *slot += 1;
    }
    Ok((numbers, starts, tails))
}

/// Checks the stop flag in every 2^16th round of a loop.
fn check_at_times(round: usize, stop: &Stop) -> Result<(), Stopped> {
    match round % (1 << 16) {
        0 => stop.check(),
        _ => Ok(()),
    }
}

/// The canonical heads, and for every head its canonical head's number and the symmetries leading
/// there.
fn canonical_heads(
    group: &[Symmetry],
    holes: &[Hole],
    stop: &Stop,
) -> Result<CanonicalHeads, Stopped> {
    let images: Vec<Images> = group
        .iter()
        .map(|symmetry| Images::new(symmetry, holes))
        .collect();
    let inverse: Vec<usize> = group
        .iter()
        .map(|symmetry| inverse_of(group, symmetry))
        .collect();
    let count = 1usize << holes.len();
    let (mut canonical_id, mut canonical_by) = (vec![0u32; count], vec![0u16; count]);
    let mut heads = Vec::with_capacity(count / group.len());
    for head in 0..count as Part {
        check_at_times(head as usize, stop)?;
        if canonical_by[head as usize] != 0 {
            continue;
        }
        // Heads come in ascending order, so the first of an orbit is its least.
        for (images, inverse) in images.iter().zip(&inverse) {
            let image = images.of(head) as usize;
            canonical_id[image] = heads.len() as u32;
            canonical_by[image] |= 1 << inverse;
        }
        heads.push(head);
    }
    Ok((heads, canonical_id, canonical_by))
}

fn inverse_of(group: &[Symmetry], symmetry: &Symmetry) -> usize {
    group
        .iter()
        .position(|other| other.undoes(symmetry))
        .expect("a group holds the inverse of each of its symmetries")
}

fn pack_tables(board: &Board, head_holes: &[Hole], tail_holes: &[Hole]) -> Vec<[u64; 256]> {
    let mut bit_of = vec![0u64; board.holes()];
    for (i, &hole) in tail_holes.iter().enumerate() {
        bit_of[hole] = 1 << i;
    }
    for (i, &hole) in head_holes.iter().enumerate() {
        bit_of[hole] = 1 << (32 + i);
    }
    let mut tables = vec![[0; 256]; board.holes().div_ceil(8)];
    for (byte, table) in tables.iter_mut().enumerate() {
        for (value, word) in table.iter_mut().enumerate() {
            let holes = Bits((value as u64) << (8 * byte)).filter(|&hole| hole < bit_of.len());
            *word = holes.fold(0, |word, hole| word | bit_of[hole]);
        }
    }
    tables
}

/// What a symmetry does to heads or tails, by bytes.
struct Images(Vec<[Part; 256]>);

impl Images {
    fn new(symmetry: &Symmetry, holes: &[Hole]) -> Self {
        let to: Vec<Part> = holes
            .iter()
            .map(|&hole| holes.iter().position(|&other| other == symmetry.hole(hole)))
            .map(|to| 1 << to.expect("heads and tails are unions of orbits"))
            .collect();
        let mut tables = vec![[0; 256]; holes.len().div_ceil(8).max(1)];
        for (byte, table) in tables.iter_mut().enumerate() {
            for (value, image) in table.iter_mut().enumerate() {
                let bits = Bits((value as u64) << (8 * byte)).filter(|&bit| bit < to.len());
                *image = bits.fold(0, |image, bit| image | to[bit]);
            }
        }
        Self(tables)
    }

    fn of(&self, part: Part) -> Part {
        let bytes = part.to_le_bytes();
        self.0
            .iter()
            .zip(bytes)
            .fold(0, |image, (table, byte)| image | table[usize::from(byte)])
    }
}

/// Bytes that the tables of a split take.
pub(crate) fn table_bytes(tail_len: usize, head_len: usize, order: usize) -> u64 {
    let tails = 1u64 << tail_len;
    // Whatever does not fit by far need not be exact.
    let heads = 1u64 << head_len.min(52);
    // Ranks and the list of tails; while building, their classes too. Seats, and the canonical
    // heads with their columns and places.
    tails * (2 * order as u64 + 4 + 14) + heads * 6 + heads / order as u64 * 16
}

/// Heads of more holes are refused whatever the budget: the tables alone take a hundred gigabytes.
const LONGEST_HEAD: usize = 32;

/// Tails have no more holes than this.
pub(crate) const LONGEST_TAIL: usize = 24;

/// The largest number of tails that a group may have, so that a rank fits 16 bits.
const LARGEST_GROUP: u64 = 1 << 16;

/// Ranks beyond this many bytes leave the second-level cache, which every jump then pays for: on
/// the English board two to three times over at 16 MiB.
const FAST_RANKS: u64 = 2 << 20;

/// How many bytes of other tables a byte of slow ranks outweighs.
const SLOW_RANK: u64 = 15;

/// The tail with the least tables, of those that are a union of orbits and whose ranks fit 16 bits;
/// ranks beyond [`FAST_RANKS`] weigh [`SLOW_RANK`] times more.
pub(crate) fn choose_tail(board: &Board, group: &[Symmetry]) -> Position {
    let orbits = orbits(board, group);
    // reachable[n]: some union of orbits with n holes.
    let mut reachable: Vec<Option<Position>> = vec![None; board.holes() + 1];
    reachable[0] = Some(Position::EMPTY);
    for orbit in &orbits {
        for len in (orbit.pegs()..reachable.len()).rev() {
            if reachable[len].is_none() {
                reachable[len] = reachable[len - orbit.pegs()].map(|set| Position(set.0 | orbit.0));
            }
        }
    }
    let fits = |tail: &Position| {
        tail.pegs() <= LONGEST_TAIL && largest_group(board, *tail) <= LARGEST_GROUP
    };
    let cost = |tail: &Position| {
        let (len, order) = (tail.pegs(), group.len());
        let slow = (2 * order as u64) << len;
        table_bytes(len, board.holes() - len, order) + SLOW_RANK * slow.saturating_sub(FAST_RANKS)
    };
    let candidates = reachable.into_iter().flatten().filter(fits);
    candidates.min_by_key(cost).unwrap_or(Position::EMPTY)
}

/// The sets of holes that a group exchanges, the farthest from the board's centre first.
fn orbits(board: &Board, group: &[Symmetry]) -> Vec<Position> {
    let mut orbits: Vec<Position> = Vec::new();
    for hole in 0..board.holes() {
        if orbits.iter().all(|orbit| !orbit.has(hole)) {
            let images = group.iter().map(|symmetry| symmetry.hole(hole));
            orbits.push(images.fold(Position::EMPTY, Position::with));
        }
    }
    let distance = |orbit: &Position| {
        let hole = orbit.holes().next().unwrap_or(0);
        let (row, col) = board.row_col(hole);
        let (down, right) = (
            2 * row as i64 + 1 - board.rows() as i64,
            2 * col as i64 + 1 - board.cols() as i64,
        );
        down * down + right * right
    };
    orbits.sort_by_key(|orbit| -distance(orbit));
    orbits
}

/// The size of the largest group of tails, or less than [`LARGEST_GROUP`] if that is plain from the
/// dimension.
fn largest_group(board: &Board, tail: Position) -> u64 {
    let of_hole: Vec<u64> = tail
        .holes()
        .map(|hole| board.class(Position::single(hole)).0)
        .collect();
    // The dimension of the classes of single holes over GF(2).
    let mut basis: Vec<u64> = Vec::new();
    for &class in &of_hole {
        let class = basis
            .iter()
            .fold(class, |class, &other| class.min(class ^ other));
        if class != 0 {
            basis.push(class);
        }
    }
    let free = tail.pegs() - basis.len();
    if free <= 16 {
        return 1 << free;
    }
    let mut sizes = HashMap::from([((0usize, 0u64), 1u64)]);
    for class in of_hole {
        for ((pegs, other), size) in sizes.clone() {
            *sizes.entry((pegs + 1, other ^ class)).or_default() += size;
        }
    }
    sizes.into_values().max().unwrap_or(0)
}
