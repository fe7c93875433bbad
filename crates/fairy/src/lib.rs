//! Endgame tables of any pieces on any rectangle of up to 16 by 16 squares, with rules as switches.
//!
//! Pieces are those of [`everymove_kernel::pieces`]; the first man of each army is its royal, whose
//! capture the game is about. A position is legal if the side to move cannot capture the other
//! royal. Black's definitions are turned by half a turn.
//!
//! In reading order:
//! - [`ending`]: boards, armies and rules;
//! - `moves`: the rules: moves and their reverses in one form;
//! - `index`: the numbers of positions, up to symmetry;
//! - `solve`: retrograde analysis; `log`: what it finds, in memory or in a file from which it
//!   resumes;
//! - [`table`]: values; [`stats`]: counts; [`store`]: table files;
//! - [`position`]: positions as text, their moves and values;
//! - [`verify`]: every value derived again from the rules;
//! - [`FairyError`]: why there is no table.
//!
//! ```
//! use everymove_fairy::ending::{Ending, Rules, read_board, usual};
//! use everymove_kernel::run::Run;
//!
//! let [king, other] = [usual('K').unwrap(), usual('K').unwrap()];
//! let ending = Ending::new(read_board("6x5")?, "KRvK", [king, other], usual, Rules::default())?;
//! let table = everymove_fairy::solve(&ending, &Run::serial())?;
//! // Kc3 and Ra1 against Kc5: Ra1-a5 mates.
//! assert_eq!(table.value(0, [14, 26], &[0]), Some(everymove_fairy::Value::Win(1)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod ending;
pub mod error;
mod index;
mod log;
mod moves;
pub mod position;
mod solve;
pub mod stats;
pub mod store;
pub mod table;
pub mod verify;

use std::sync::Arc;

use everymove_kernel::run::Run;

use log::Log;

pub use ending::Ending;
pub use error::FairyError;
pub use table::{Table, Value};

/// Solves an ending, and before it those that captures lead to.
///
/// # Errors
/// [`FairyError`].
pub fn solve(ending: &Ending, run: &Run) -> Result<Arc<Table>, FairyError> {
    let mut solved: Vec<Arc<Table>> = Vec::new();
    for ending in ending.closure() {
        let smaller = (0..ending.men.len()).map(|man| {
            let rest = ending.without(man);
            let found = solved.iter().find(|table| *table.ending() == rest);
            found.cloned().expect("smaller endings are solved first")
        });
        let smaller: Vec<_> = smaller.collect();
        let blocks = solve::solve(&ending, &smaller, Log::in_memory(), run)?;
        solved.push(Arc::new(Table::read(&*blocks, run)?));
    }
    Ok(solved.pop().expect("the ending itself is last"))
}
