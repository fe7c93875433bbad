//! Counting the leaves of the tree of legal moves.

use everymove_kernel::parallel;
use everymove_kernel::run::{Run, Stopped};
use shakmaty::{Chess, Move, Position as _};

use crate::position::Position;

/// Number of paths of exactly `depth` legal moves, the last ply counted without being played.
///
/// # Errors
/// [`Stopped`] if the run is stopped.
///
/// ```
/// use everymove_engine::{Position, perft};
/// use everymove_kernel::run::Run;
///
/// assert_eq!(perft::count(&Position::default(), 4, &Run::serial())?, 197_281);
/// # Ok::<(), everymove_kernel::run::Stopped>(())
/// ```
pub fn count(position: &Position, depth: u32, run: &Run) -> Result<u64, Stopped> {
    if depth == 0 {
        return Ok(1);
    }
    Ok(divide(position, depth, run)?.iter().map(|&(_, n)| n).sum())
}

/// The same by first move, in the order of move generation, on `run.threads` threads.
///
/// # Errors
/// [`Stopped`] if the run is stopped.
///
/// # Panics
/// If `depth` is 0: there is no first move then.
pub fn divide(position: &Position, depth: u32, run: &Run) -> Result<Vec<(Move, u64)>, Stopped> {
    assert!(depth > 0, "a path of no moves has no first move");
    let moves = position.legal_moves();
    run.progress.start("counting leaves", moves.len() as u64);
    let counts = parallel::try_map(
        run,
        moves.iter(),
        || (),
        |(), &m| {
            let mut child = position.chess().clone();
            child.play_unchecked(m);
            let n = leaves(&child, depth - 1, run)?;
            if depth - 1 < COUNTED {
                run.progress.worked(n);
            }
            run.progress.advance(1);
            Ok::<u64, Stopped>(n)
        },
    )?;
    Ok(moves.into_iter().zip(counts).collect())
}

/// Trees of this depth are reported as work when they are counted.
const COUNTED: u32 = 4;

fn leaves(chess: &Chess, depth: u32, run: &Run) -> Result<u64, Stopped> {
    if depth == 0 {
        return Ok(1);
    }
    let moves = chess.legal_moves();
    if depth == 1 {
        return Ok(moves.len() as u64);
    }
    if depth >= 3 {
        run.stop.check()?;
    }
    let mut sum = 0;
    for m in moves {
        let mut child = chess.clone();
        child.play_unchecked(m);
        sum += leaves(&child, depth - 1, run)?;
    }
    if depth == COUNTED {
        run.progress.worked(sum);
    }
    Ok(sum)
}
