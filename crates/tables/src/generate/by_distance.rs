//! Results of solving a subspace: wins and losses by encoded distance.

use everymove_kernel::files::FileError;

use crate::generate::schedule::Traffic;
use crate::metric::ILLEGAL;
use crate::position::index_space::indices;
use crate::store::spool::StoredList;

/// A list of wins or losses of one distance.
#[derive(Clone, Debug)]
pub(crate) struct DistanceList {
    pub(crate) code: u16,
    /// The class of the attacker's king, by which the slices of a subspace are ordered; 0 in small
    /// subspaces.
    pub(crate) row: usize,
    pub(crate) list: StoredList,
}

/// All wins and losses of a subspace.
#[derive(Debug, Default)]
pub(crate) struct ByDistance {
    pub(crate) wins: Vec<DistanceList>,
    pub(crate) losses: Vec<DistanceList>,
    /// For small subspaces, in place of the lists: encoded distances of wins and of losses, by
    /// position.
    pub(crate) codes: Option<[Vec<u8>; 2]>,
    /// Number of wins and of losses.
    pub(crate) found: [u64; 2],
    pub(crate) traffic: Traffic,
}

/// How the results of a subspace are represented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Representation {
    Lists,
    Codes,
}

impl ByDistance {
    pub(crate) fn new(representation: Representation, positions: usize) -> Self {
        let codes = (representation == Representation::Codes)
            .then(|| [vec![0; positions], vec![0; positions]]);
        Self {
            codes,
            ..Self::default()
        }
    }

    /// Adds wins (0) or losses (1); returns false if the encoded distance does not fit a byte.
    pub(crate) fn add(&mut self, which: usize, level: DistanceList) -> Result<bool, FileError> {
        self.found[which] += level.list.positions();
        let Some(codes) = &mut self.codes else {
            let by_distance = if which == 0 {
                &mut self.wins
            } else {
                &mut self.losses
            };
            by_distance.push(level);
            return Ok(true);
        };
        if level.code >= u16::from(ILLEGAL) {
            return Ok(false);
        }
        for (word, set) in level.list.load()?.iter() {
            for position in indices(word as usize, set) {
                codes[which][position] = level.code as u8;
            }
        }
        Ok(true)
    }
}
