//! Writes a game of peg solitaire, one board a move, as SVG: `cargo run -p everymove-draw --example pegs > game.svg`.

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use everymove_draw::pegs::{Jump, Lattice, Pegboard, strip};
use everymove_draw::theme::Theme;

fn main() {
    // A plus of five places in each direction; three pegs, and two jumps that leave one.
    let mut places: Vec<_> = (0..5).map(|col| (2, col)).collect();
    places.extend([0, 1, 3, 4].map(|row| (row, 2)));
    let board = Pegboard {
        places: &places,
        lattice: Lattice::Square,
    };
    let number = |place| places.iter().position(|&p| p == place).expect("a place");
    let jump = |from, over, to| Jump {
        from: number(from),
        over: number(over),
        to: number(to),
    };
    let start = [(2, 0), (2, 1), (1, 2)].map(|place| 1 << number(place));
    let first = [jump((2, 0), (2, 1), (2, 2))];
    let second = [jump((2, 2), (1, 2), (0, 2))];
    let pegs = start.into_iter().sum();
    print!("{}", strip(&board, pegs, &[&first, &second], Theme::Light));
}
