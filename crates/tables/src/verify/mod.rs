//! Verifies a table against the rules of chess.
//!
//! Every value of the decoded file is derived again from the values of the positions that its moves
//! lead to. No code of the generation is used: no un-moves, no bit-parallel words, no lists; only
//! the indices of positions are shared, since they are part of the file format. Moves come from the
//! shakmaty library, in two ways: an index scan with its attack tables, and boards with its legal
//! moves, which is much slower and shares nothing with the scan. Syzygy files are scanned as well,
//! after the class of every position is known.

use everymove_kernel::run::Run;

use crate::error::TableError;
use crate::metric::{Metric, ZeroingMove};
use crate::position::material::Material;
use crate::store::directory::Tables;

mod boards;
mod by_clock;
mod conversion;
mod half_verifier;
mod placed_pieces;
mod syzygy;

pub use syzygy::{Proof, SyzygyVerifier, import_syzygy};

/// Beside an index scan, one position in this many is set up on a board.
const BOARDS: usize = 4099;

/// How a table is verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thoroughness {
    /// All positions by an index scan, and some thousands on boards. Where memory or the width of
    /// the encoded distances does not allow a scan, or distances depend on the half-move clock,
    /// all on boards.
    Scan,
    /// Every n-th position on boards; 1 is all of them.
    Boards(usize),
}

/// What was verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Legal positions, each side to move counted separately, each position once.
    pub positions: u64,
    /// Moves evaluated.
    pub moves: u64,
}

impl Verified {
    pub(crate) fn add(&mut self, more: Self) {
        self.positions += more.positions;
        self.moves += more.moves;
    }
}

/// Verifies a table.
///
/// # Errors
/// [`TableError::Wrong`] with the first position whose value does not follow from its moves;
/// otherwise as for probing.
pub fn verify(
    material: &Material,
    tables: &Tables,
    how: Thoroughness,
    run: &Run,
) -> Result<Verified, TableError> {
    let mut total = Verified::default();
    for half in material.halves() {
        let (every, swept) = match how {
            Thoroughness::Boards(every) => (every, false),
            Thoroughness::Scan if tables.metric().depends_on_clock() => (1, false),
            Thoroughness::Scan => {
                let what = format!("verifying {half}");
                match run.ram.reserve(&what, half_verifier::bytes(&half, tables)) {
                    Err(_) => (1, false),
                    Ok(_held) => match half_verifier::verify_half(&half, tables, run) {
                        Err(TableError::TooDeep { .. }) => (1, false),
                        swept => {
                            let swept = swept?;
                            let wrong = |what| TableError::wrong(&tables.path(material), what);
                            total.add(swept.map_err(wrong)?);
                            (BOARDS, true)
                        }
                    },
                }
            }
        };
        let mut on_boards = boards::check(material, &half, tables, every, run)?;
        if swept {
            // The index scan has counted them.
            on_boards.positions = 0;
        }
        total.add(on_boards);
    }
    Ok(total)
}

/// Returns the plies of a win or loss from those after its move, which is `None` if the fifty-move
/// rule counts it: a move that ends the distance counts as one ply, or as 101 if the fifty-move
/// rule makes what follows a draw.
fn before(metric: Metric, after: u16, by: Option<ZeroingMove>) -> u16 {
    match (metric, by) {
        (Metric::Zeroing, Some(_)) if after > 100 => 101,
        (Metric::Zeroing, Some(_)) | (Metric::Conversion, Some(ZeroingMove::Conversion)) => 1,
        _ => after + 1,
    }
}
