//! What is found of a frame: wins and losses by their codes.

use everymove_kernel::files::FileError;

use crate::generate::schedule::Traffic;
use crate::metric::ILLEGAL;
use crate::position::index_space::numbers;
use crate::store::spool::Kept;

/// A list of wins or losses of a frame.
#[derive(Clone, Debug)]
pub(crate) struct Level {
    pub(crate) code: u16,
    /// The class of the attacker's king, by which the slices of a frame are ordered; 0 in small frames.
    pub(crate) row: usize,
    pub(crate) list: Kept,
}

/// All wins and losses of a frame.
#[derive(Debug, Default)]
pub(crate) struct Levels {
    pub(crate) wins: Vec<Level>,
    pub(crate) losses: Vec<Level>,
    /// Instead of the lists, for frames that are small: the codes of wins and of losses, by position.
    pub(crate) codes: Option<[Vec<u8>; 2]>,
    /// How many wins and losses there are.
    pub(crate) found: [u64; 2],
    pub(crate) traffic: Traffic,
}

/// What is found of a frame: lists of them, or codes by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Lists,
    Codes,
}

impl Levels {
    pub(crate) fn new(form: Form, positions: usize) -> Self {
        let codes = (form == Form::Codes).then(|| [vec![0; positions], vec![0; positions]]);
        Self {
            codes,
            ..Self::default()
        }
    }

    /// Takes wins (0) or losses (1); false if the code is too large for a byte.
    pub(crate) fn take(&mut self, which: usize, level: Level) -> Result<bool, FileError> {
        self.found[which] += level.list.positions();
        let Some(codes) = &mut self.codes else {
            let levels = if which == 0 {
                &mut self.wins
            } else {
                &mut self.losses
            };
            levels.push(level);
            return Ok(true);
        };
        if level.code >= u16::from(ILLEGAL) {
            return Ok(false);
        }
        for (word, set) in level.list.load()?.iter() {
            for position in numbers(word as usize, set) {
                codes[which][position] = level.code as u8;
            }
        }
        Ok(true)
    }
}
