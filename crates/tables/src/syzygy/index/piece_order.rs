//! In which order a sub-table takes the men, and what number that gives a position.
//!
//! The men come in groups: the leading group (three different men or two kings; with pawns, all pawns of one colour), then
//! the other side's pawns, then each run of like men. A position's number is the sum of each group's number times its factor.

use crate::position::material::Kind;
use crate::syzygy::index::binomial::{binomial, combinations};
use crate::syzygy::index::leading::{
    self, Numbering, OF_KINGS, OF_THREE, normalise, normalise_pawns, number_of_pawns,
    pawn_placements,
};

/// A man as Syzygy names him.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Piece {
    pub(crate) kind: Kind,
    pub(crate) black: bool,
}

impl Piece {
    const KINDS: [Kind; 6] = [
        Kind::Pawn,
        Kind::Knight,
        Kind::Bishop,
        Kind::Rook,
        Kind::Queen,
        Kind::King,
    ];

    /// From the four bits of a file.
    pub(crate) fn from_code(code: u8) -> Option<Self> {
        let kind = Self::KINDS.get(usize::from(code & 7).checked_sub(1)?)?;
        Some(Self {
            kind: *kind,
            black: code & 8 != 0,
        })
    }

    /// The four bits of a file.
    pub(crate) fn code(self) -> u8 {
        let place = Self::KINDS
            .iter()
            .position(|&k| k == self.kind)
            .unwrap_or(0);
        place as u8 + 1 + if self.black { 8 } else { 0 }
    }
}

/// The squares of men in the order of an arrangement; those beyond the men are 0.
pub(crate) type Placed = [u8; 8];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    /// Three different men or two kings.
    Leading,
    /// The pawns of the leading pawn's colour.
    LeadingPawns,
    /// The other side's pawns.
    OtherPawns,
    /// Like men.
    Alike,
}

#[derive(Clone, Copy, Debug)]
struct Group {
    first: usize,
    len: usize,
    choice: Choice,
    factor: u64,
    count: u64,
}

/// The order of a sub-table's men and the factors of their groups.
#[derive(Clone, Debug)]
pub(crate) struct Arrangement {
    pub(crate) men: Vec<Piece>,
    /// Which group from the least significant is the leading one, and which the other side's pawns (15: there are none).
    pub(crate) orders: [u8; 2],
    groups: Vec<Group>,
    size: u64,
    placements: &'static [[u8; 4]],
}

/// A man who comes from square to square as the numbers go up: the first of the group that changes fastest beside the
/// leading one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    pub(crate) man: usize,
    pub(crate) group: usize,
    /// How many numbers his group has.
    pub(crate) count: u64,
    /// From one of them to the next, in the position's number: more than 1 if the leading group changes faster.
    pub(crate) step: u64,
    /// The man who walks next, when this one has come to the end of his way.
    pub(crate) next: Option<usize>,
}

/// The numbers of the groups.
pub(crate) type Digits = [u32; 8];

/// No group of other pawns.
pub(crate) const NO_PAWNS: u8 = 15;

impl Arrangement {
    /// The arrangement of men in this order; none if Syzygy has none like it.
    pub(crate) fn new(men: &[Piece], orders: [u8; 2], file: usize) -> Option<Self> {
        let pawns = men.iter().filter(|p| p.kind == Kind::Pawn).count();
        let run = |first: usize| {
            let alike = men[first..].iter().take_while(|&&p| p == men[first]);
            alike.count()
        };
        let (first, second) = if pawns == 0 {
            (leading_men(men)?, 0)
        } else {
            let first = run(0);
            let second = if first < pawns { run(first) } else { 0 };
            if men[0].kind != Kind::Pawn || first + second != pawns {
                return None;
            }
            (first, second)
        };
        let mut groups = vec![(
            first,
            if pawns == 0 {
                Choice::Leading
            } else {
                Choice::LeadingPawns
            },
        )];
        if second > 0 {
            groups.push((second, Choice::OtherPawns));
        }
        let mut at = first + second;
        while at < men.len() {
            groups.push((run(at), Choice::Alike));
            at += run(at);
        }
        let placements = match (pawns, first) {
            (0, _) => &[][..],
            (_, ..=4) => pawn_placements(first, file),
            _ => return None,
        };
        let mut free = 64 - (first + second) as u64;
        let mut first_man = 0;
        let groups: Vec<Group> = groups
            .into_iter()
            .map(|(len, choice)| {
                let count = match choice {
                    Choice::Leading if len == 3 => leading::THREE,
                    Choice::Leading => leading::KINGS,
                    Choice::LeadingPawns => placements.len() as u64,
                    Choice::OtherPawns => binomial(48 - first as u64, len as u64),
                    Choice::Alike => {
                        let count = binomial(free, len as u64);
                        free -= len as u64;
                        count
                    }
                };
                let group = Group {
                    first: first_man,
                    len,
                    choice,
                    factor: 0,
                    count,
                };
                first_man += len;
                group
            })
            .collect();
        let mut arrangement = Self {
            men: men.to_vec(),
            orders,
            groups,
            size: 1,
            placements,
        };
        arrangement.set_factors(second > 0)?;
        Some(arrangement)
    }

    fn set_factors(&mut self, other_pawns: bool) -> Option<()> {
        let mut rest = (if other_pawns { 2 } else { 1 })..self.groups.len();
        for place in 0..self.groups.len() as u8 {
            let group = if place == self.orders[0] {
                0
            } else if other_pawns && place == self.orders[1] {
                1
            } else {
                rest.next()?
            };
            let group = &mut self.groups[group];
            group.factor = self.size;
            self.size = self.size.checked_mul(group.count)?;
        }
        // Readers know at most four like men beside the leading ones. A group without a factor was named twice or beyond the last.
        let fine = |g: &Group| g.factor > 0 && g.len <= 4;
        self.groups.iter().all(fine).then_some(())
    }

    /// How many numbers there are.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// How many groups there are.
    pub(crate) fn groups(&self) -> usize {
        self.groups.len()
    }

    /// How many men are in the leading group.
    pub(crate) fn leading(&self) -> usize {
        self.groups[0].len
    }

    fn numbering(&self) -> &'static Numbering {
        if self.groups[0].len == 3 {
            &OF_THREE
        } else {
            &OF_KINGS
        }
    }

    /// The number of a position given as the men's squares in this order, seen so that the arrangement's white plays up the
    /// board; none if the kings touch. With pawns, the leading pawn must be on the arrangement's file or its mirror image.
    pub(crate) fn number(&self, placed: &Placed) -> Option<u64> {
        let mut at = *placed;
        let at = &mut at[..self.men.len()];
        let lead = self.groups[0];
        let mut number = if lead.choice == Choice::LeadingPawns {
            normalise_pawns(at, lead.len);
            number_of_pawns(&at[..lead.len])
        } else {
            normalise(at, lead.len);
            self.numbering().number(&at[..lead.len])?
        } * lead.factor;
        for group in &self.groups[1..] {
            let (before, own) = at.split_at_mut(group.first);
            let own = &mut own[..group.len];
            own.sort_unstable();
            let below = if group.choice == Choice::OtherPawns {
                8
            } else {
                0
            };
            for (i, &square) in own.iter().enumerate() {
                let adjust = before.iter().filter(|&&s| s < square).count() as u64;
                let place = u64::from(square) - adjust - below;
                number += binomial(place, i as u64 + 1) * group.factor;
            }
        }
        Some(number)
    }

    /// How one man walks through the numbers; none if there is no man beside the leading ones.
    pub(crate) fn walk(&self) -> Option<Walk> {
        let mut others: Vec<_> = self.groups.iter().enumerate().skip(1).collect();
        others.sort_by_key(|(_, group)| group.factor);
        let &(group, fastest) = others.first()?;
        Some(Walk {
            man: fastest.first,
            group,
            count: fastest.count,
            step: fastest.factor,
            next: others.get(1).map(|(_, group)| group.first),
        })
    }

    /// The groups' numbers of a position's.
    pub(crate) fn digits(&self, number: u64) -> Digits {
        let mut digits = [0; 8];
        for (digit, group) in digits.iter_mut().zip(&self.groups) {
            *digit = (number / group.factor % group.count) as u32;
        }
        digits
    }

    /// The squares of the leading men at the groups' numbers.
    #[inline]
    pub(crate) fn leading_squares(&self, digits: &Digits) -> &[u8] {
        let lead = self.groups[0];
        let squares = match lead.choice {
            Choice::LeadingPawns => self.placements,
            _ => &self.numbering().squares,
        };
        &squares[digits[0] as usize][..lead.len]
    }

    /// By man beside the leading ones: the place of his square among those that they leave free.
    #[inline]
    pub(crate) fn ranks(&self, digits: &Digits) -> Placed {
        let mut ranks = [0; 8];
        let mut taken = 0u64;
        for (i, group) in self.groups.iter().enumerate().skip(1) {
            let own = digits[i];
            let to = &mut ranks[group.first..group.first + group.len];
            if group.choice == Choice::Alike && group.len == 1 {
                to[0] = free_square(taken, own);
            } else {
                // No leading pawn stands on the first rank, nor do the others.
                let below = if group.choice == Choice::OtherPawns {
                    8
                } else {
                    0
                };
                for (rank, &place) in to.iter_mut().zip(&combinations(group.len)[own as usize]) {
                    *rank = free_square(taken, u32::from(place) + below);
                }
            }
            taken = to.iter().fold(taken, |set, &s| set | 1 << s);
        }
        ranks
    }

    /// The squares of the men at the groups' numbers.
    pub(crate) fn placed(&self, digits: &Digits) -> Placed {
        let leading = self.leading_squares(digits);
        let taken = leading.iter().fold(0u64, |set, &s| set | 1 << s);
        let mut at = self
            .ranks(digits)
            .map(|rank| free_square(taken, u32::from(rank)));
        at[..leading.len()].copy_from_slice(leading);
        at[self.men.len()..].fill(0);
        at
    }
}

/// The square that is the `place`-th of those not taken.
#[inline]
fn free_square(mut taken: u64, place: u32) -> u8 {
    let mut square = place;
    while taken != 0 && taken.trailing_zeros() <= square {
        square += 1;
        taken &= taken - 1;
    }
    square as u8
}

/// How many men lead without pawns: three different ones, or the kings where only they are different from all others.
pub(crate) fn leading_men(men: &[Piece]) -> Option<usize> {
    let unique = |p: &Piece| men.iter().filter(|q| *q == p).count() == 1;
    let count = if men.iter().filter(|p| unique(p)).count() >= 3 {
        3
    } else {
        2
    };
    let leading = men.get(..count)?;
    let kings = leading.iter().filter(|p| p.kind == Kind::King).count();
    (leading.iter().all(unique) && (count == 3 || kings == 2)).then_some(count)
}

#[cfg(test)]
mod tests {
    use crate::position::material::Material;
    use crate::syzygy::index::candidates::arrangements;

    /// Every number leads to squares that lead back to it; numbers far apart stand for all.
    #[test]
    fn numbers_lead_to_squares_and_back() {
        let names = [
            "KQvK", "KPvK", "KRRvK", "KNNvKN", "KRBvKR", "KPPvKP", "KPPPvK", "KBBBvKQ",
        ];
        for name in names {
            let material: Material = name.parse().unwrap();
            for file in 0..if material.has_pawns() { 4 } else { 1 } {
                for arrangement in arrangements(&material, file) {
                    let size = arrangement.size();
                    for number in (0..size).step_by(1 + size as usize / 211).chain([size - 1]) {
                        let at = arrangement.placed(&arrangement.digits(number));
                        let men = &at[..arrangement.men.len()];
                        let set = men.iter().fold(0u64, |set, &s| set | 1 << s);
                        assert_eq!(set.count_ones() as usize, men.len(), "{name} {number}");
                        assert_eq!(arrangement.number(&at), Some(number), "{name}");
                    }
                }
            }
        }
    }
}
