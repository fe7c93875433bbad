//! Counts of a table.

use everymove_kernel::parallel;
use everymove_kernel::run::Run;

use crate::error::FairyError;
use crate::table::{Blocks, Table, Value, code, decoded};

/// Counts of the positions with one side to move. Positions are counted without regard to symmetry;
/// like men are the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SideStats {
    /// Positions that neither side wins.
    pub draws: u64,
    /// Wins of the side to move, by plies.
    pub wins: Vec<u64>,
    /// Losses of the side to move, by plies.
    pub losses: Vec<u64>,
}

/// Counts of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// By the side to move.
    pub sides: [SideStats; 2],
    /// Placements, legal for both sides to move, where each side does worse if it moves.
    pub mutual_zugzwangs: u64,
    /// A placement of the longest win of each side: the squares of the royals and the men.
    pub longest_wins: [Option<([usize; 2], Vec<usize>)>; 2],
}

impl SideStats {
    /// Legal positions.
    pub fn legal(&self) -> u64 {
        self.draws + self.wins.iter().sum::<u64>() + self.losses.iter().sum::<u64>()
    }

    fn add(&mut self, value: Value, weight: u64) {
        let (plies, counts) = match value {
            Value::Draw => {
                self.draws += weight;
                return;
            }
            Value::Win(plies) => (plies, &mut self.wins),
            Value::Loss(plies) => (plies, &mut self.losses),
        };
        let plies = usize::from(plies);
        counts.resize(counts.len().max(plies + 1), 0);
        counts[plies] += weight;
    }

    fn merge(&mut self, other: &Self) {
        self.draws += other.draws;
        for (into, from) in [
            (&mut self.wins, &other.wins),
            (&mut self.losses, &other.losses),
        ] {
            into.resize(into.len().max(from.len()), 0);
            into.iter_mut()
                .zip(from)
                .for_each(|(into, from)| *into += from);
        }
    }
}

/// Counts all positions of a table in memory.
///
/// # Errors
/// [`FairyError::Stopped`].
pub fn stats(table: &Table, run: &Run) -> Result<Stats, FairyError> {
    of_blocks(table, run)
}

/// Counts all positions of a table.
pub(crate) fn of_blocks(table: &dyn Blocks, run: &Run) -> Result<Stats, FairyError> {
    let jobs = 0..table.index().jobs();
    let parts = parallel::try_map(run, jobs, || (), |(), job| of_job(table, job))?;
    let mut sum = Stats::default();
    for part in parts {
        for side in 0..2 {
            let (sum_of, part_of) = (&mut sum.sides[side], &part.sides[side]);
            if part_of.wins.len() > sum_of.wins.len() {
                sum.longest_wins[side] = part.longest_wins[side].clone();
            }
            sum_of.merge(part_of);
        }
        sum.mutual_zugzwangs += part.mutual_zugzwangs;
    }
    Ok(sum)
}

fn of_job(table: &dyn Blocks, job: usize) -> Result<Stats, FairyError> {
    let (index, ending, known) = (table.index(), table.ending(), table.known());
    let block = table.block(job)?;
    let slices = index.slices_of_job(job);
    let of_side = slices.len() * index.slice_len();
    let mut men = vec![0; index.men];
    let mut stats = Stats::default();
    for at in 0..of_side {
        index.men_of_board(at, &mut men);
        if (1..men.len()).any(|man| ending.is_twin(man) && men[man] < men[man - 1]) {
            continue;
        }
        let slice = slices.start + at / index.slice_len();
        let weight = u64::from(index.weights[slice]);
        let values = [0, 1].map(|side| decoded(code(&block, known, side * of_side + at)));
        for (side, value) in values.into_iter().enumerate() {
            let Some(value) = value else { continue };
            let longest = stats.sides[side].wins.len();
            if matches!(value, Value::Win(plies) if usize::from(plies) >= longest) {
                let royals = index.slices[slice].map(usize::from);
                stats.longest_wins[side] = Some((royals, men.clone()));
            }
            stats.sides[side].add(value, weight);
        }
        if let [Some(white), Some(black)] = values
            && points(white) < -points(black)
        {
            stats.mutual_zugzwangs += weight;
        }
    }
    Ok(stats)
}

/// What a value is worth to the side to move.
fn points(value: Value) -> i32 {
    match value {
        Value::Win(_) => 1,
        Value::Draw => 0,
        Value::Loss(_) => -1,
    }
}
