//! Finds the longest wins of a table and its mutual zugzwangs.

use everymove_kernel::parallel;
use everymove_kernel::run::Run;

use crate::error::TableError;
use crate::position::board::set_up;
use crate::position::board::write_position;
use crate::position::index_space::{IndexSpace, Side};
use crate::position::material::Material;
use crate::store::directory::Tables;
use crate::store::format::BLOCK;
use shakmaty::Color;

/// Notable positions of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notable {
    /// Positions, as FEN, of the longest wins of either side, the winner to move.
    pub longest_wins: Vec<String>,
    /// Number of mutual zugzwangs up to symmetry: positions in which one side cannot win if it is
    /// to move, and the other loses if it is to move.
    pub zugzwangs: u64,
    /// Examples, as FEN, with the side to move that loses.
    pub zugzwang_examples: Vec<String>,
}

/// Finds them; at most `limit` positions of each kind are returned.
///
/// # Errors
/// [`TableError`] if the table is missing or damaged, or the run is stopped.
pub fn notable(
    material: &Material,
    tables: &Tables,
    limit: usize,
    run: &Run,
) -> Result<Notable, TableError> {
    let mut notable = Notable::default();
    for (number, half) in material.halves().iter().enumerate() {
        let attacker = if number == 0 {
            Color::White
        } else {
            Color::Black
        };
        let space = tables.space(half);
        let (reader, wins) = tables.section(half, Side::Attacker)?;
        let (_, losses) = tables.section(half, Side::Defender)?;
        let longest = reader.max_code(wins);
        let blocks = 0..reader.blocks(wins);
        run.progress.start(
            format!("longest wins and zugzwangs of {half}"),
            blocks.len() as u64,
        );
        let parts = parallel::try_map(
            run,
            blocks,
            || (),
            |(), block| {
                let (wins, losses) = (reader.block(wins, block)?, reader.block(losses, block)?);
                let mut found = Found::default();
                for (i, (&win, &loss)) in wins.iter().zip(&losses).enumerate() {
                    let index = block * BLOCK + i;
                    if win == longest && win > 0 && found.longest.len() < limit {
                        found.longest.push(index);
                    }
                    // The defender to move loses, and the attacker to move cannot win.
                    if loss > 0 && win == 0 && is_representative(&space, index) {
                        // The position with the attacker to move may be illegal: then it is no
                        // zugzwang.
                        if set_up(&space, index, attacker, Side::Attacker).is_some() {
                            found.zugzwangs += 1;
                            if found.examples.len() < limit {
                                found.examples.push(index);
                            }
                        }
                    }
                }
                run.progress.advance(1);
                Ok::<_, TableError>(found)
            },
        )?;
        for part in parts {
            notable.zugzwangs += part.zugzwangs;
            let keep = |list: &mut Vec<String>, from: Vec<usize>, to_move| {
                for index in from {
                    if list.len() < limit
                        && let Some(position) = set_up(&space, index, attacker, to_move)
                    {
                        list.push(write_position(&position));
                    }
                }
            };
            keep(&mut notable.longest_wins, part.longest, Side::Attacker);
            keep(
                &mut notable.zugzwang_examples,
                part.examples,
                Side::Defender,
            );
        }
    }
    Ok(notable)
}

#[derive(Default)]
struct Found {
    longest: Vec<usize>,
    zugzwangs: u64,
    examples: Vec<usize>,
}

/// Whether an index is the smallest of those of its position and its images.
pub(crate) fn is_representative(space: &IndexSpace, index: usize) -> bool {
    let at = space.decode(index);
    let pieces = &space.pieces;
    // Like pieces in ascending order.
    for piece in 1..pieces.len() {
        if pieces[piece] == pieces[piece - 1] && at[piece] < at[piece - 1] {
            return false;
        }
    }
    if !space.is_own_mirror(index / space.slice_len()) {
        return true;
    }
    let mut image = space.reflected(&at);
    space.sort_like(&mut image);
    at[..pieces.len()] <= image[..pieces.len()]
}
