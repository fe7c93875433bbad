//! Every piece order that the sub-tables of an ending may have.

use crate::position::material::{Kind, Material};
use crate::syzygy::index::binomial::binomial;
use crate::syzygy::index::leading::{KING_PAIR_COUNT, THREE_PIECE_COUNT, leading_pawn_count};
use crate::syzygy::index::piece_order::{ColoredPiece, NO_OTHER_PAWNS, PieceOrder, leading_len};

/// If there are more orders than this, only those whose leading group is most significant are
/// candidates.
const MANY: usize = 60;

/// The pieces of an ending, white's first, each side's from the strongest to the weakest with its
/// king last.
pub(crate) fn pieces(material: &Material) -> Vec<ColoredPiece> {
    let side = |black| {
        let army = if black {
            material.black()
        } else {
            material.white()
        };
        let pieces = army.pieces().iter().copied().chain([Kind::King]);
        pieces
            .map(move |kind| ColoredPiece { kind, black })
            .collect::<Vec<_>>()
    };
    [side(false), side(true)].concat()
}

/// Whether the black pawns lead: those of the side with fewer pawns do, white's if both have the
/// same number.
pub(crate) fn black_leads(material: &Material) -> bool {
    let (white, black) = (material.white().pawns(), material.black().pawns());
    black > 0 && (white == 0 || black < white)
}

/// The candidate orders of an ending's sub-tables, with pawns of those with the leading pawn on
/// `file` (0 to 3).
pub(crate) fn piece_orders(material: &Material, file: usize) -> Vec<PieceOrder> {
    let pieces = pieces(material);
    let mut lists = Vec::new();
    if material.has_pawns() {
        let lead = ColoredPiece {
            kind: Kind::Pawn,
            black: black_leads(material),
        };
        let pawns = |leading: bool| {
            let own = pieces
                .iter()
                .filter(|p| p.kind == Kind::Pawn && (**p == lead) == leading);
            own.copied().collect::<Vec<_>>()
        };
        let pawns = [pawns(true), pawns(false)].concat();
        let others = pieces.iter().filter(|p| p.kind != Kind::Pawn);
        let others: Vec<ColoredPiece> = others.copied().collect();
        for others in permutations(&like_pieces(&others)) {
            lists.push([pawns.clone(), others.concat()].concat());
        }
    } else {
        for list in permutations(&like_pieces(&pieces)) {
            let list = list.concat();
            if leading_len(&list).is_some() {
                lists.push(list);
            }
        }
    }
    let mut all = Vec::new();
    for list in &lists {
        for lead in 0..list.len() as u8 {
            for other_pawns in (0..list.len() as u8).chain([NO_OTHER_PAWNS]) {
                all.extend(PieceOrder::new(list, [lead, other_pawns], file));
            }
        }
    }
    let both_pawns = material.white().pawns() > 0 && material.black().pawns() > 0;
    all.retain(|order| both_pawns || order.significance[1] == NO_OTHER_PAWNS);
    // Three leading pieces are most significant in all published files in which the other pieces
    // are different. Beside like pieces they are better least significant: the combinations of
    // like pieces change too much from one to the next.
    let three = |order: &PieceOrder| !material.has_pawns() && order.leading() == 3;
    let leads_last = |order: &PieceOrder| usize::from(order.significance[0]) + 1 == order.groups();
    let has_like = like_pieces(&pieces).iter().any(|group| group.len() > 1);
    let leads_first = |order: &PieceOrder| has_like && order.significance[0] == 0;
    all.retain(|order| !three(order) || leads_last(order) || leads_first(order));
    if all.len() > MANY && !both_pawns {
        // With pawns of both sides, the other side's may be most significant instead.
        let last = all.iter().map(|order| order.significance[0]).max();
        all.retain(|order| Some(order.significance[0]) == last);
    }
    all
}

/// The number of positions that a sub-table of an ending indexes, with pawns that with the leading
/// pawn on `file` (0 to 3): the same for every piece order, since the sizes of the groups are the
/// same. `None` if the product exceeds 64 bits.
pub(crate) fn table_size(material: &Material, file: usize) -> Option<u64> {
    let leading_pawn = ColoredPiece {
        kind: Kind::Pawn,
        black: black_leads(material),
    };
    let mut leading = 0;
    let mut other_pawns = 0;
    let mut like = Vec::new();
    for group in like_pieces(&pieces(material)) {
        if group[0] == leading_pawn {
            leading = group.len();
        } else if group[0].kind == Kind::Pawn {
            other_pawns = group.len();
        } else {
            like.push(group.len());
        }
    }
    let mut size = if leading > 0 {
        leading_pawn_count(leading, file)
            .checked_mul(binomial(48 - leading as u64, other_pawns as u64))?
    } else {
        let unique = like.iter().filter(|&&len| len == 1).count();
        leading = if unique >= 3 { 3 } else { 2 };
        // The leading pieces are all different: each is the only one of its kind.
        for _ in 0..leading {
            like.swap_remove(like.iter().position(|&len| len == 1)?);
        }
        if leading == 3 {
            THREE_PIECE_COUNT
        } else {
            KING_PAIR_COUNT
        }
    };
    let mut free = 64 - (leading + other_pawns) as u64;
    for len in like {
        size = size.checked_mul(binomial(free, len as u64))?;
        free -= len as u64;
    }
    Some(size)
}

/// The pieces grouped by kind and colour.
fn like_pieces(pieces: &[ColoredPiece]) -> Vec<Vec<ColoredPiece>> {
    let mut pieces = pieces.to_vec();
    pieces.sort_unstable();
    let groups = pieces.chunk_by(|a, b| a == b);
    groups.map(<[ColoredPiece]>::to_vec).collect()
}

fn permutations<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for first in 0..items.len() {
        let mut rest = items.to_vec();
        let item = rest.remove(first);
        for mut tail in permutations(&rest) {
            tail.insert(0, item.clone());
            all.push(tail);
        }
    }
    all
}

/// Whether an order is the one that published files of a single value have: the leading group most
/// significant, black before white pieces, kings first, then from the strongest to the weakest; if
/// the two kings lead, they are least significant with white's first.
pub(crate) fn is_default_order(order: &PieceOrder) -> bool {
    let pieces = &order.pieces;
    if pieces[0].kind != Kind::Pawn && order.leading() == 2 {
        return !pieces[0].black && order.significance[0] == 0;
    }
    let leads_last = order.significance[0] + 1 == order.groups() as u8;
    leads_last && pieces.is_sorted_by_key(|p: &ColoredPiece| (!p.black, p.kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The closed form gives the size of every order of every ending of up to five pieces.
    #[test]
    fn table_size_is_that_of_every_order() {
        for material in (3..=5).flat_map(Material::all) {
            for file in 0..if material.has_pawns() { 4 } else { 1 } {
                let size = table_size(&material, file);
                let all = piece_orders(&material, file);
                assert!(!all.is_empty(), "{material}");
                for order in all {
                    assert_eq!(size, Some(order.size()), "{material} {file}");
                }
            }
        }
    }

    /// Groups of four like pieces among them: the number of combinations must not be found by
    /// listing them.
    #[test]
    fn table_sizes_of_six_pieces_are_known() {
        let size = |name: &str| table_size(&name.parse().unwrap(), 0);
        assert_eq!(size("KQQQQvK"), Some(462 * 557_845));
        assert_eq!(size("KQRBvKQ"), Some(31_332 * 61 * 60 * 59));
        // The leading pawn on a2 to a7 ranks 47, 45, 43, 41, 39 and 37; three more pawns are on
        // squares of lower rank.
        let pawns = 16_215 + 14_190 + 12_341 + 10_660 + 9_139 + 7_770;
        assert_eq!(size("KPPPPvK"), Some(pawns * 60 * 59));
    }
}
