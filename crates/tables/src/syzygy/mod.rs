//! Syzygy files: win, draw or loss (`.rtbw`) and distances to zeroing moves (`.rtbz`), as every
//! chess program reads them.
//!
//! `docs/formats.md` describes every byte. The rooms, in reading order:
//! - `index`: the index of a position in a sub-table, given the order of its pieces
//!   (`piece_order`), and the orders to choose from (`candidates`);
//! - `file`: a file parsed (`parse`), checked (`check`), laid out in bytes (`write`), its CityHash
//!   (`checksum`);
//! - `compress`: Re-Pair symbols (`repair`), Huffman code (`huffman`, `header`), blocks encoded
//!   (`encode`) and decoded (`decode`);
//! - `values`: what a file stores for each position (`required_values`), where it is free to choose
//!   (`dont_care`), all in the order of a sub-table's indices (`permute`).
//!
//! And the modules that use them:
//! - [`SyzygyFolder`] (`probe`): positions looked up, with the captures from them;
//! - [`write()`] (`build`): files made from our own tables of distances to zeroing moves;
//!   `file_builder`: the sub-tables of one file; `order_search`: the piece order that makes the
//!   smallest file; `fill_search`: the rule for its don't-care entries; [`require`] (`budget`): the
//!   memory it takes;
//! - [`published_bytes`] (`published`): sizes and checksums of the published files, for comparison;
//! - [`verify::import_syzygy`](crate::verify::import_syzygy): our own tables made from Syzygy
//!   files, each value verified.

pub(crate) mod compress;
pub(crate) mod file;
pub(crate) mod index;

mod budget;
mod build;
mod error;
mod file_builder;
mod fill_search;
mod order_search;
mod probe;
mod published;
mod values;

pub use budget::require;
pub(crate) use budget::{is_missing, least_bytes, reserve_retained};
pub use build::{write, write_to};
pub use error::SyzygyError;
pub use file::check::Checked;
pub use file::checksum::seal;
pub use file::parse::{Contents, SyzygyFile, file_name};
pub use probe::{Faults, Patience, Rounding, SyzygyFolder, Wdl};
pub use published::published_bytes;

pub(crate) use probe::distance;
