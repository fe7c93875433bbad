//! What a folder of games holds.

use everymove_kernel::files::FileError;
use everymove_kernel::parallel;
use everymove_kernel::run::Run;

use super::file::{FoundBlock, GameFiles};
use super::sample::Sample;
use crate::error::DataError;

/// Counts of a folder of games.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Files with at least one game.
    pub files: u64,
    /// Games.
    pub games: u64,
    /// White's wins, draws, Black's wins.
    pub results: [u64; 3],
    /// Plies of all games.
    pub plies: u64,
    /// Positions with a score: all but those of the random moves.
    pub positions: u64,
    /// Quiet positions.
    pub samples: u64,
    /// Sum of the absolute scores of the quiet positions, in centipawns.
    pub score_sum: u64,
    /// Quiet positions by number of pieces, from 1.
    pub by_pieces: [u64; 32],
    /// Bytes of the files.
    pub bytes: u64,
}

/// The counts of one block.
struct Counted {
    first: bool,
    bytes: u64,
    games: u64,
    results: [u64; 3],
    plies: u64,
    positions: u64,
    samples: Vec<Sample>,
}

impl Statistics {
    /// Counts all games, replaying each.
    ///
    /// # Errors
    /// [`DataError`] for a file that cannot be read or is damaged, and if the run is stopped.
    pub fn count(files: GameFiles<'_>, run: &Run) -> Result<Self, DataError> {
        let mut all = Self::default();
        let count = |block: Result<FoundBlock, FileError>| -> Result<Counted, DataError> {
            let block = block?;
            let games = block.games()?;
            let mut results = [0; 3];
            for game in &games {
                results[game.result as usize] += 1;
            }
            Ok(Counted {
                first: block.number() == 0,
                bytes: block.end(),
                games: games.len() as u64,
                results,
                plies: games.iter().map(|g| g.moves.len() as u64).sum(),
                positions: games.iter().map(|g| g.scores.len() as u64).sum(),
                samples: block.samples()?,
            })
        };
        let window = 4 * run.threads.get();
        let mut last = 0;
        let add = |counted: Counted| {
            if counted.first {
                all.files += 1;
                last = 0;
            }
            all.bytes += counted.bytes - last;
            last = counted.bytes;
            all.games += counted.games;
            for (sum, n) in all.results.iter_mut().zip(counted.results) {
                *sum += n;
            }
            all.plies += counted.plies;
            all.positions += counted.positions;
            all.samples += counted.samples.len() as u64;
            for sample in &counted.samples {
                all.score_sum += u64::from(sample.score.unsigned_abs());
                all.by_pieces[sample.pieces().count() - 1] += 1;
            }
            Ok(())
        };
        parallel::try_in_order(run, files, window, || (), |(), block| count(block), add)?;
        Ok(all)
    }
}
