//! Names the squares that the symmetries of a square board map `c2` to: `cargo run -p everymove-kernel --example symmetries`.

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use std::collections::BTreeSet;

use everymove_kernel::grid::{Grid, GridError};

fn main() -> Result<(), GridError> {
    let board = Grid::new(8, 8)?;
    let square = board.parse_square("c2")?;
    let images: BTreeSet<_> = (board.symmetries().iter())
        .map(|&symmetry| board.name(board.image(symmetry, square)))
        .collect();
    println!("c2 -> {}", images.into_iter().collect::<Vec<_>>().join(" "));
    Ok(())
}
