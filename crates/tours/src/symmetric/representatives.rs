//! One tour of each class: the first of its images.

use everymove_kernel::grid::{Grid, Square, Symmetry};

use crate::board::{Board, Kind};

/// Chooses one undirected tour of each class under the symmetries of a board.
pub struct Representatives {
    kind: Kind,
    grid: Grid,
    symmetries: Vec<Symmetry>,
}

impl Representatives {
    /// Of the tours of a board.
    pub fn new(board: &Board, kind: Kind) -> Self {
        Self {
            kind,
            grid: board.grid(),
            symmetries: board.symmetries(),
        }
    }

    /// Whether a tour, given as its squares in order, comes before all its images that are other
    /// tours.
    pub fn has(&self, order: &[Square]) -> bool {
        let tour = normal(self.kind, order);
        self.symmetries.iter().all(|&symmetry| {
            let image = |&square: &Square| self.grid.image(symmetry, square);
            let moved: Vec<Square> = order.iter().map(image).collect();
            tour <= normal(self.kind, &moved)
        })
    }
}

/// The same squares for a tour and its reverse, and for every start of a closed one.
fn normal(kind: Kind, order: &[Square]) -> Vec<Square> {
    let mut tour = order.to_vec();
    if kind == Kind::Closed {
        let least = (0..tour.len()).min_by_key(|&step| tour[step]);
        tour.rotate_left(least.unwrap_or(0));
    }
    let second = usize::from(kind == Kind::Closed);
    if tour.len() > 1 + second && tour[tour.len() - 1] < tour[second] {
        tour[second..].reverse();
    }
    tour
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use everymove_kernel::run::Run;

    use super::*;
    use crate::question::{Direction, Question};
    use crate::symmetric::classes;

    /// As many tours are chosen as Burnside's lemma counts classes.
    #[test]
    fn every_class_has_one() {
        let holed = Board::knight(4, 5).unwrap().with_holes(&[0]).unwrap();
        let knight = |rows, cols| Board::knight(rows, cols).unwrap();
        for (board, kind) in [
            (knight(6, 6), Kind::Closed),
            (knight(5, 6), Kind::Closed),
            (knight(5, 5), Kind::Open),
            (knight(3, 4), Kind::Open),
            (knight(4, 5), Kind::Open),
            (holed, Kind::Open),
        ] {
            let representatives = Representatives::new(&board, kind);
            let (mut all, mut chosen) = (0, 0);
            let question = Question::new(board.clone(), kind);
            let run = Run::serial();
            crate::list(&question, Direction::Undirected, &run, |order| {
                all += 1;
                chosen += u128::from(representatives.has(order));
                ControlFlow::Continue(())
            })
            .unwrap();
            let expected = classes(&board, kind, all, &run).unwrap().classes;
            assert_eq!(chosen, expected, "{} {kind}", board.grid());
        }
    }
}
