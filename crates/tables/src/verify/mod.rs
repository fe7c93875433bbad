//! Checking a table against the rules of chess.
//!
//! Every value of the decoded file is derived again from those of the positions that its moves lead to. Nothing of the
//! generation is used: no un-moves, no words, no lists; only the numbering of positions is shared, since it is the file's.
//! Moves come from the shakmaty library, in two ways: a sweep over all numbers with its attack tables, and whole boards
//! with its legal moves, which is slower by far and shares nothing with the sweep. Syzygy files are swept over as well,
//! once it is known what they tell.

use everymove_kernel::run::Run;

use crate::error::TableError;
use crate::metric::Metric;
use crate::position::material::Material;
use crate::store::directory::Tables;

mod boards;
mod conversion;
mod placed_pieces;
mod sweep;
mod syzygy;

pub use syzygy::{Proof, SyzygyVerifier, import_syzygy};

/// Beside a sweep, one position in so many is set up on a board.
const BOARDS: usize = 4099;

/// How thoroughly a table is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thoroughness {
    /// All positions by a sweep, and some thousands on boards. Where memory or the codes' width does not allow a sweep, all on
    /// boards.
    Sweep,
    /// Every so many positions on boards; 1 is all of them.
    Boards(usize),
}

/// What was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Legal positions, each with one side to move and counted once, however often it was looked at.
    pub positions: u64,
    /// Moves looked at.
    pub moves: u64,
}

impl Verified {
    pub(crate) fn add(&mut self, more: Self) {
        self.positions += more.positions;
        self.moves += more.moves;
    }
}

/// Derives the values of a table again.
///
/// # Errors
/// [`TableError::Wrong`] with the first position whose value does not follow from its moves, and as for probing.
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
            Thoroughness::Sweep => {
                let what = format!("verifying {half}");
                match run.ram.reserve(&what, sweep::bytes(&half, tables)) {
                    Err(_) => (1, false),
                    Ok(_held) => match sweep::sweep(&half, tables, run) {
                        Err(TableError::TooDeep { .. }) => (1, false),
                        swept => {
                            let swept = swept?;
                            total.add(swept.map_err(|what| wrong(material, tables, what))?);
                            (BOARDS, true)
                        }
                    },
                }
            }
        };
        let mut on_boards = boards::check(material, &half, tables, every, run)?;
        if swept {
            // The sweep has counted them.
            on_boards.positions = 0;
        }
        total.add(on_boards);
    }
    Ok(total)
}

fn wrong(material: &Material, tables: &Tables, what: String) -> TableError {
    wrong_file(tables.path(material), what)
}

fn wrong_file(path: std::path::PathBuf, what: String) -> TableError {
    let path = path.display().to_string();
    TableError::Wrong { path, what }
}

/// The plies of a win or loss, from those after its move: a zeroing move counts as one, or as more than the fifty-move rule
/// allows.
fn before(metric: Metric, after: u16, zeroing: bool) -> u16 {
    match metric {
        Metric::Zeroing if zeroing && after > 100 => 101,
        Metric::Zeroing if zeroing => 1,
        _ => after + 1,
    }
}
