//! What a count with layers in files is given.

use everymove_kernel::files::Storage;
use everymove_kernel::run::Run;

use super::super::estimate::Sizes;
use super::super::scheme::Files;
use super::super::strip::Strip;
use super::stored::Storing;

/// How long the file of a layer is of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Lasts {
    /// A count that is killed is resumed from it.
    BeyondACrash,
    /// Another run does not read it.
    ThisRun,
}

/// Bytes of files that must be left for each state of a layer if the next layer is written without compression: a state takes about
/// three, and the next layer has at most about twice as many.
const PLAIN_ROOM: u64 = 12;

impl Lasts {
    /// How a layer is written, given how those are that outlast a crash, the states of the layer before it, and the bytes that
    /// files may still take. Compression and decompression take a third of the time of a count by classes.
    pub(super) fn storing(self, usual: Storing, states: u64, left: u64) -> Storing {
        match self {
            Self::ThisRun if states <= left / PLAIN_ROOM => Storing::Plain,
            _ => usual,
        }
    }
}

/// What a count with layers in files begins with.
pub(in super::super) struct Begin<'a> {
    pub(in super::super) storage: &'a dyn Storage,
    pub(in super::super) strip: Strip,
    /// The slots before the first step.
    pub(in super::super) slots: usize,
    /// The most endpoints of a degree vector.
    pub(in super::super) ends: usize,
    /// The memory that the count needs besides lists and tables of maps, and that of a step alone.
    pub(in super::super) rest: u64,
    pub(in super::super) rest_of_steps: u64,
    pub(in super::super) run: &'a Run,
    /// The most bytes of files.
    pub(in super::super) limit: u64,
    /// The bytes that the files are estimated to take.
    pub(in super::super) files: Files,
    /// What is counted, in words.
    pub(in super::super) what: String,
    /// Live degree vectors of all layers.
    pub(in super::super) blocks: u64,
    /// The estimated sizes of the layers whose remaining time is shown.
    pub(in super::super) sizes: Sizes,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_outlasts_no_crash_is_compressed_only_where_room_is_short() {
        let usual = Storing::Compressed;
        assert_eq!(Lasts::BeyondACrash.storing(usual, 1, u64::MAX), usual);
        assert_eq!(Lasts::ThisRun.storing(usual, 10, 120), Storing::Plain);
        assert_eq!(Lasts::ThisRun.storing(usual, 10, 119), usual);
    }
}
