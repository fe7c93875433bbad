//! The positions of a folder of games, in random order: from memory if they fit into the budget,
//! otherwise from the files anew in each epoch.

use everymove_kernel::files::{FileError, Storage};
use everymove_kernel::parallel;
use everymove_kernel::run::{Reservation, Run, Stop};

use crate::error::TrainError;
use crate::selfplay::{FoundBlock, Sample, Shuffled, read_folder};

/// Consecutive positions are similar: stretches of this many are held out as a whole, one in
/// [`HELD_OUT`].
const STRETCH: u64 = 512;
const HELD_OUT: u64 = 20;

/// Whether the position with this number in the order of the files is held out of the training.
fn is_held_out(number: u64) -> bool {
    (number / STRETCH).is_multiple_of(HELD_OUT)
}

/// Bytes of a position in memory, with its number in the order of an epoch.
const BYTES: usize = size_of::<Sample>() + size_of::<u32>();

/// Positions one after the other, or the first error.
pub(super) type Samples<'a> = Box<dyn Iterator<Item = Result<Sample, TrainError>> + 'a>;

/// All positions.
pub(super) struct Source<'a> {
    data: &'a dyn Storage,
    stop: Stop,
    /// In the order of the files; `None` if they do not fit.
    samples: Option<Vec<Sample>>,
    /// Positions that are shuffled together.
    pool: usize,
    pub(super) games: u64,
    /// Positions to learn from, and those held out.
    pub(super) positions: [u64; 2],
    /// Nodes a move, smallest and largest.
    pub(super) nodes: [u64; 2],
    _reserved: Reservation,
}

impl<'a> Source<'a> {
    /// Reads the folder once.
    pub(super) fn open(data: &'a dyn Storage, run: &Run) -> Result<Self, TrainError> {
        // A copy of the pool is made where the positions come from files; half of the budget is
        // left for that and the gradients.
        let most = (run.ram.left() / 2 / BYTES as u64).max(1) as usize;
        let mut reserved = run.ram.reserve("the positions", 0)?;
        let mut samples = Some(Vec::new());
        let (mut games, mut number) = (0, 0);
        let mut positions = [0; 2];
        let mut nodes = [u64::MAX, 0];
        run.progress.start("reading games", 0);
        let read = |block: Result<FoundBlock, FileError>| {
            let block = block?;
            let found = block.samples()?;
            let games = block.games()?.len() as u64;
            Ok::<_, TrainError>((games, block.header().nodes, found))
        };
        let add = |(number_of_games, nodes_a_move, found): (u64, u64, Vec<Sample>)| {
            games += number_of_games;
            nodes = [nodes[0].min(nodes_a_move), nodes[1].max(nodes_a_move)];
            for _ in &found {
                positions[usize::from(is_held_out(number))] += 1;
                number += 1;
            }
            run.progress.advance(found.len() as u64);
            let fits = |kept: &Vec<Sample>| kept.len() + found.len() <= most;
            match samples.as_mut().filter(|kept| fits(kept)) {
                Some(kept) => {
                    let bytes = ((kept.len() + found.len()) * BYTES) as u64;
                    reserved.resize("the positions", bytes)?;
                    kept.reserve_exact(found.len().max(kept.len().min(1 << 20)));
                    kept.extend(found);
                }
                None => samples = None,
            }
            Ok(())
        };
        let window = 4 * run.threads.get();
        let files = read_folder(data)?;
        parallel::try_in_order(run, files, window, || (), |(), block| read(block), add)?;
        let pool = match &samples {
            Some(samples) => samples.len(),
            None => {
                let pool = most / 2;
                reserved.resize("the positions", (pool * BYTES) as u64)?;
                pool
            }
        };
        Ok(Self {
            data,
            stop: run.stop.clone(),
            samples,
            pool,
            games,
            positions,
            nodes,
            _reserved: reserved,
        })
    }

    /// The positions to learn from, in an order that `seed` determines.
    pub(super) fn shuffled(&self, seed: u64) -> Result<Samples<'_>, TrainError> {
        Ok(match &self.samples {
            Some(samples) => {
                let learnt = (0..samples.len() as u32).filter(|&n| !is_held_out(n.into()));
                let order = Shuffled::new(learnt, self.pool, seed);
                Box::new(order.map(|n| Ok(samples[n as usize])))
            }
            None => Box::new(Shuffled::new(self.streamed(false)?, self.pool, seed)),
        })
    }

    /// The positions held out.
    pub(super) fn held_out(&self) -> Result<Samples<'_>, TrainError> {
        Ok(match &self.samples {
            Some(samples) => {
                let numbered = samples.iter().enumerate();
                let held = numbered.filter(|(n, _)| is_held_out(*n as u64));
                Box::new(held.map(|(_, &sample)| Ok(sample)))
            }
            None => self.streamed(true)?,
        })
    }

    /// Positions from the files; none follow an error.
    fn streamed(&self, held_out: bool) -> Result<Samples<'_>, TrainError> {
        let samples = read_folder(self.data)?.flat_map(|block| {
            let samples = (self.stop.check().map_err(TrainError::from))
                .and_then(|()| Ok(block.and_then(|block| block.samples())?));
            match samples {
                Ok(samples) => samples.into_iter().map(Ok).collect(),
                Err(error) => vec![Err(error)],
            }
        });
        let mut failed = false;
        let numbered = (0u64..).zip(samples).take_while(move |(_, sample)| {
            let before = failed;
            failed |= sample.is_err();
            !before
        });
        let chosen = numbered
            .filter(move |(n, sample)| sample.is_err() || is_held_out(*n) == held_out)
            .map(|(_, sample)| sample);
        Ok(Box::new(chosen))
    }
}
