//! How many tours differ by more than a symmetry of the board.
//!
//! Burnside's lemma: the number of classes is the mean, over the symmetries, of the number of tours
//! that each maps onto themselves.

use everymove_kernel::grid::{Grid, Symmetry};
use everymove_kernel::run::{Run, Stopped, Work};

use super::{SymmetricError, invariant};
use crate::board::{Board, Kind};

/// Squares between two looks at the stop flag.
const STRIDE: usize = 1 << 16;

/// Tours up to symmetry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes {
    /// Classes of undirected tours under the symmetries of the board.
    pub classes: u128,
    /// How many undirected tours each symmetry of the board maps onto themselves; the identity
    /// maps all.
    pub invariant: Vec<(Symmetry, u128)>,
    /// How many classes have how much symmetry; `None` where the counts of `invariant` do not
    /// determine it.
    pub by_symmetry: Option<BySymmetry>,
    /// `nodes` visited.
    pub work: Work,
}

/// Classes by the order of their symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BySymmetry {
    /// Only the identity maps these tours onto themselves.
    pub asymmetric: u128,
    /// One other symmetry does: a half turn or a reflection (Jelliss: binary symmetry).
    pub binary: u128,
    /// The quarter turns do (quaternary symmetry).
    pub quaternary: u128,
}

/// Counts the classes of the `total` undirected tours of a board.
///
/// # Errors
/// [`SymmetricError::WrongTotal`] if there cannot be `total` tours; others as for counting
/// symmetric tours.
pub fn classes(
    board: &Board,
    kind: Kind,
    total: u128,
    run: &Run,
) -> Result<Classes, SymmetricError> {
    let mut work = Work::default();
    let mut counts: Vec<(Symmetry, u128)> = Vec::new();
    for symmetry in board.symmetries() {
        let moves_nothing = symmetry == Symmetry::Identity || moves_nothing(board, symmetry, run)?;
        let known = counts.iter().find(|(known, _)| inverse(*known) == symmetry);
        let tours = match (moves_nothing, known) {
            (true, _) => total,
            (false, Some(&(_, tours))) => tours,
            (false, None) => {
                let found = invariant::count(board, kind, symmetry, run)?;
                work.merge(&Work::of("nodes", found.nodes));
                u128::from(found.tours)
            }
        };
        counts.push((symmetry, tours));
    }
    let wrong = SymmetricError::WrongTotal {
        grid: board.grid(),
        total,
    };
    let order = counts.len() as u128;
    let sum = counts
        .iter()
        .try_fold(0u128, |sum, &(_, tours)| sum.checked_add(tours));
    let most_symmetric = counts.iter().map(|&(_, tours)| tours).max();
    match sum {
        Some(sum) if sum.is_multiple_of(order) && most_symmetric <= Some(total) => Ok(Classes {
            classes: sum / order,
            by_symmetry: by_symmetry(&counts),
            invariant: counts,
            work,
        }),
        _ => Err(wrong),
    }
}

/// Whether a symmetry maps each square of a board onto itself.
fn moves_nothing(board: &Board, symmetry: Symmetry, run: &Run) -> Result<bool, Stopped> {
    for (number, square) in board.squares().enumerate() {
        if number % STRIDE == 0 {
            run.stop.check()?;
        }
        if board.grid().image(symmetry, square) != square {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Splits classes by their symmetry, if no tour has two symmetries of order 2 and the group acts
/// faithfully.
fn by_symmetry(counts: &[(Symmetry, u128)]) -> Option<BySymmetry> {
    let of = |symmetry| {
        let found = counts.iter().find(|&&(s, _)| s == symmetry);
        found.map_or(0, |&(_, tours)| tours)
    };
    let order = counts.len() as u128;
    let involutions: Vec<_> = counts
        .iter()
        .filter(|&&(s, tours)| s != Symmetry::Identity && inverse(s) == s && tours > 0)
        .collect();
    let quarter = of(Symmetry::QuarterTurn);
    let total = of(Symmetry::Identity);
    // If two involutions map a tour onto itself, so does their product.
    let apart = involutions.iter().enumerate().all(|(i, &&(a, _))| {
        involutions[..i].iter().all(|&&(b, _)| {
            let product = product(a, b);
            product != Symmetry::Identity && of(product) == 0
        })
    });
    let faithful = counts
        .iter()
        .all(|&(s, tours)| s == Symmetry::Identity || tours < total);
    if !(apart && (faithful || total == 0)) {
        return None;
    }
    let invariant_under_one: u128 =
        involutions.iter().map(|&&(_, tours)| tours).sum::<u128>() - quarter;
    Some(BySymmetry {
        asymmetric: (total - invariant_under_one - quarter) / order,
        binary: invariant_under_one * 2 / order,
        quaternary: quarter * 4 / order,
    })
}

/// The symmetry that takes another back.
fn inverse(symmetry: Symmetry) -> Symmetry {
    match symmetry {
        Symmetry::QuarterTurn => Symmetry::ThreeQuarterTurn,
        Symmetry::ThreeQuarterTurn => Symmetry::QuarterTurn,
        other => other,
    }
}

/// The symmetry that does first one and then another, found by what it does to the corners.
fn product(first: Symmetry, second: Symmetry) -> Symmetry {
    let grid = Grid::new(2, 2).expect("a board of four corners");
    let both = |square| grid.image(second, grid.image(first, square));
    let same =
        |s: &&Symmetry| (0..grid.len()).all(|square| grid.image(**s, square) == both(square));
    Symmetry::ALL
        .iter()
        .find(same)
        .copied()
        .unwrap_or(Symmetry::Identity)
}
