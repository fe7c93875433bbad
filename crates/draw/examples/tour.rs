//! Writes the picture of a tour as SVG: `cargo run -p everymove-draw --example tour > tour.svg`.

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use everymove_draw::svg::{Numbers, Style, Walk, picture};
use everymove_draw::theme::Theme;
use everymove_kernel::grid::{Grid, GridError};

fn main() -> Result<(), GridError> {
    let walk = Walk {
        grid: Grid::new(3, 4)?,
        order: &[0, 9, 3, 5, 11, 2, 4, 10, 1, 8, 6, 0],
        closed: false,
        holes: &[],
    };
    let style = Style {
        theme: Theme::Light,
        numbers: Numbers::Shown,
    };
    print!("{}", picture(&walk, &style));
    Ok(())
}
