//! Every order in which a sub-table may take its men.

use crate::position::material::{Kind, Material};
use crate::syzygy::index::binomial::binomial;
use crate::syzygy::index::leading::{KINGS, THREE, leading_pawn_count};
use crate::syzygy::index::piece_order::{Arrangement, NO_PAWNS, Piece, leading_men};

/// Beyond this many orders only those whose leading group changes last are tried.
const MANY: usize = 60;

/// The men of an ending as Syzygy names them.
pub(crate) fn pieces(material: &Material) -> Vec<Piece> {
    let side = |black| {
        let army = if black {
            material.black()
        } else {
            material.white()
        };
        let men = army.pieces().iter().copied().chain([Kind::King]);
        men.map(move |kind| Piece { kind, black })
            .collect::<Vec<_>>()
    };
    [side(false), side(true)].concat()
}

/// Whether the black pawns lead: those of the side with fewer, white's if there is no difference.
pub(crate) fn black_leads(material: &Material) -> bool {
    let (white, black) = (material.white().pawns(), material.black().pawns());
    black > 0 && (white == 0 || black < white)
}

/// Every arrangement that an ending may have.
pub(crate) fn arrangements(material: &Material, file: usize) -> Vec<Arrangement> {
    let men = pieces(material);
    let mut orders = Vec::new();
    if material.has_pawns() {
        let lead = Piece {
            kind: Kind::Pawn,
            black: black_leads(material),
        };
        let pawns = |wanted: bool| {
            let own = men
                .iter()
                .filter(|p| p.kind == Kind::Pawn && (**p == lead) == wanted);
            own.copied().collect::<Vec<_>>()
        };
        let first = [pawns(true), pawns(false)].concat();
        let rest: Vec<Piece> = men
            .iter()
            .copied()
            .filter(|p| p.kind != Kind::Pawn)
            .collect();
        for rest in permutations(&groups(&rest)) {
            orders.push([first.clone(), rest.concat()].concat());
        }
    } else {
        for order in permutations(&groups(&men)) {
            let order = order.concat();
            if leading_men(&order).is_some() {
                orders.push(order);
            }
        }
    }
    let mut all = Vec::new();
    for men in &orders {
        for lead in 0..men.len() as u8 {
            for other in (0..men.len() as u8).chain([NO_PAWNS]) {
                all.extend(Arrangement::new(men, [lead, other], file));
            }
        }
    }
    let both_pawns = material.white().pawns() > 0 && material.black().pawns() > 0;
    all.retain(|a| both_pawns || a.orders[1] == NO_PAWNS);
    // Three leading men change last in all published files that were compared, and take long if they do not.
    let three = |a: &Arrangement| !material.has_pawns() && a.leading() == 3;
    all.retain(|a| !three(a) || usize::from(a.orders[0]) + 1 == a.groups());
    if all.len() > MANY {
        let last = all.iter().map(|a| a.orders[0]).max();
        let best: Vec<_> = all
            .iter()
            .filter(|a| Some(a.orders[0]) == last)
            .cloned()
            .collect();
        // With both sides' pawns, the other pawns may change last instead.
        if !both_pawns {
            return best;
        }
    }
    all
}

/// How many positions a sub-table of an ending indexes, with pawns those with the leading pawn on `file` (0 to 3): the same for
/// every order of pieces, since the leading group and the sizes of the others are the same. `None` if the product exceeds 64 bits.
pub(crate) fn table_size(material: &Material, file: usize) -> Option<u64> {
    let men = pieces(material);
    let leads = Piece {
        kind: Kind::Pawn,
        black: black_leads(material),
    };
    let mut leading = 0;
    let mut other_pawns = 0;
    let mut like = Vec::new();
    for group in groups(&men) {
        match group[0] {
            piece if piece == leads => leading = group.len(),
            Piece {
                kind: Kind::Pawn, ..
            } => other_pawns = group.len(),
            _ => like.push(group.len()),
        }
    }
    let mut size = if leading > 0 {
        leading_pawn_count(leading, file)
            .checked_mul(binomial(48 - leading as u64, other_pawns as u64))?
    } else {
        let unique = like.iter().filter(|&&len| len == 1).count();
        leading = if unique >= 3 { 3 } else { 2 };
        // The leading pieces are all different: each is a group of one.
        for _ in 0..leading {
            like.swap_remove(like.iter().position(|&len| len == 1)?);
        }
        if leading == 3 { THREE } else { KINGS }
    };
    let mut free = 64 - (leading + other_pawns) as u64;
    for len in like {
        size = size.checked_mul(binomial(free, len as u64))?;
        free -= len as u64;
    }
    Some(size)
}

/// Men grouped with those like them.
fn groups(men: &[Piece]) -> Vec<Vec<Piece>> {
    let mut men = men.to_vec();
    men.sort_unstable();
    men.chunk_by(|a, b| a == b).map(<[Piece]>::to_vec).collect()
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

/// Whether the men come as black and white, kings first, strongest first (without pawns two kings alone lead white first), and
/// the leading group changes last.
pub(crate) fn is_plain(arrangement: &Arrangement) -> bool {
    let men = &arrangement.men;
    let lead_last = arrangement.orders[0] + 1 == arrangement.groups() as u8;
    let kings_lead = men[0].kind != Kind::Pawn && arrangement.leading() == 2;
    let key = |p: &Piece| (p.black == kings_lead, p.kind);
    if kings_lead {
        return !men[0].black && arrangement.orders[0] == 0;
    }
    lead_last && men.is_sorted_by_key(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The closed form gives the size of every order of every ending of up to five pieces.
    #[test]
    fn sizes_are_those_of_every_order() {
        for material in (3..=5).flat_map(Material::all) {
            for file in 0..if material.has_pawns() { 4 } else { 1 } {
                let size = table_size(&material, file);
                let all = arrangements(&material, file);
                assert!(!all.is_empty(), "{material}");
                for arrangement in all {
                    assert_eq!(size, Some(arrangement.size()), "{material} {file}");
                }
            }
        }
    }

    /// Groups of four, whose binomials once took minutes.
    #[test]
    fn sizes_of_six_pieces_are_known() {
        let size = |name: &str| table_size(&name.parse().unwrap(), 0);
        assert_eq!(size("KQQQQvK"), Some(462 * 557_845));
        assert_eq!(size("KQRBvKQ"), Some(31_332 * 61 * 60 * 59));
        // The leading pawn on a2 to a7 with ranks 47 to 37, three more on the squares of lower rank.
        assert_eq!(
            size("KPPPPvK"),
            Some((16_215 + 14_190 + 12_341 + 10_660 + 9_139 + 7_770) * 60 * 59)
        );
    }
}
