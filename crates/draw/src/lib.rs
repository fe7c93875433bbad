//! Pictures of boards, walks on boards, and measurements, as text: SVG for screens and paper,
//! characters for terminals.
//!
//! It knows grids, places and plain numbers and no problem: a tour is an order of squares, a
//! position of pegs a word of bits, a chess position the letters of a FEN.
//!
//! In reading order:
//! - [`theme`]: dark and light, and the colours along a walk;
//! - [`svg`]: a walk on a board as a picture, as a sheet of many, as an animation;
//! - [`tikz`]: walks as pictures for LaTeX;
//! - [`raster`]: these pictures as PNG;
//! - [`pegs`]: positions and games of peg solitaire as pictures, strips, animations, and in
//!   characters;
//! - [`chess`]: chess positions as pictures;
//! - [`pieces`]: pieces by their moves, and positions of any men on any board;
//! - [`terminal`]: numbers in a grid or in boxes, and lines in Braille dots;
//! - [`chart`]: lines and bars over linear and logarithmic axes.
//!
//! ```
//! use everymove_draw::svg::{self, Style, Walk};
//! use everymove_kernel::grid::Grid;
//!
//! // One of the tours of the 3x4 board.
//! let walk = Walk {
//!     grid: Grid::new(3, 4)?,
//!     order: &[0, 9, 3, 5, 11, 2, 4, 10, 1, 8, 6, 0],
//!     closed: false,
//!     holes: &[],
//! };
//! let picture = svg::picture(&walk, &Style::default());
//! assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n"));
//! # Ok::<(), everymove_kernel::grid::GridError>(())
//! ```

pub mod chart;
pub mod chess;
mod lettering;
pub mod pegs;
pub mod pieces;
pub mod raster;
pub mod svg;
pub mod terminal;
pub mod theme;
pub mod tikz;
