//! What is found of a subspace: wins and losses by their codes.

use everymove_kernel::files::FileError;

use crate::generate::schedule::Traffic;
use crate::metric::ILLEGAL;
use crate::position::index_space::indices;
use crate::store::spool::StoredList;

/// A list of wins or losses of a subspace.
#[derive(Clone, Debug)]
pub(crate) struct DistanceList {
    pub(crate) code: u16,
    /// The class of the attacker's king, by which the slices of a subspace are ordered; 0 in small subspaces.
    pub(crate) row: usize,
    pub(crate) list: StoredList,
}

/// All wins and losses of a subspace.
#[derive(Debug, Default)]
pub(crate) struct ByDistance {
    pub(crate) wins: Vec<DistanceList>,
    pub(crate) losses: Vec<DistanceList>,
    /// Instead of the lists, for subspaces that are small: the codes of wins and of losses, by position.
    pub(crate) codes: Option<[Vec<u8>; 2]>,
    /// How many wins and losses there are.
    pub(crate) found: [u64; 2],
    pub(crate) traffic: Traffic,
}

/// What is found of a subspace: lists of them, or codes by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Lists,
    Codes,
}

impl ByDistance {
    pub(crate) fn new(form: Form, positions: usize) -> Self {
        let codes = (form == Form::Codes).then(|| [vec![0; positions], vec![0; positions]]);
        Self {
            codes,
            ..Self::default()
        }
    }

    /// Takes wins (0) or losses (1); false if the code is too large for a byte.
    pub(crate) fn take(&mut self, which: usize, level: DistanceList) -> Result<bool, FileError> {
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
