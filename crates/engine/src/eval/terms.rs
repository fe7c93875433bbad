//! The terms of the evaluation: a named, numbered list that evaluation, weights file and tuner share.
//!
//! The evaluation is linear in the weights: it adds up (white's count - black's count) x weight. So the
//! tuner represents a position as a short list of counts.

/// Consecutive terms under one name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) start: usize,
    pub(crate) len: usize,
}

macro_rules! terms {
    (@one $start:expr;) => {
        /// How many terms there are.
        pub(crate) const COUNT: usize = $start;
    };
    (@one $start:expr; $(#[$doc:meta])* $name:ident: $len:expr; $($rest:tt)*) => {
        $(#[$doc])*
        pub(crate) const $name: usize = $start;
        terms!(@one $start + $len; $($rest)*);
    };
    ($($(#[$doc:meta])* $name:ident: $len:expr;)*) => {
        terms!(@one 0; $($(#[$doc])* $name: $len;)*);
        /// All groups in the order of their numbers.
        pub(crate) const GROUPS: &[Group] = &[
            $(Group { name: stringify!($name), start: $name, len: $len }),*
        ];
    };
}

terms! {
    /// Pawn to queen.
    MATERIAL: 5;
    /// Piece on square, seen from its own side, files a to d and h to e alike: role x 32 + rank x 4 + file.
    SQUARE: 6 * 32;
    /// Squares a knight attacks that no enemy pawn guards and no own pawn or king fills.
    KNIGHT_MOBILITY: 9;
    BISHOP_MOBILITY: 14;
    ROOK_MOBILITY: 15;
    QUEEN_MOBILITY: 28;
    BISHOP_PAIR: 1;
    /// Own pawns on the colour of a bishop.
    BISHOP_PAWNS: 9;
    /// On ranks 4 to 6, guarded by a pawn, out of reach of enemy pawns: knight, bishop.
    OUTPOST: 2;
    /// A minor right behind a pawn.
    SHIELDED_MINOR: 1;
    /// No pawn, or no own pawn, on the file.
    ROOK_OPEN: 1;
    ROOK_HALF_OPEN: 1;
    /// On the rank of unmoved enemy pawns or with their king on the last one.
    ROOK_SEVENTH: 1;
    /// Behind an own passed pawn.
    ROOK_BEHIND: 1;
    DOUBLED: 1;
    /// With an enemy pawn ahead on the file, without.
    ISOLATED: 2;
    BACKWARD: 2;
    /// By own rank: beside another pawn; guarded by a pawn.
    PHALANX: 8;
    SUPPORTED: 8;
    /// By own rank.
    PASSED: 8;
    /// Passed with a piece on the square ahead; with no enemy piece and attack on the way; with the square ahead guarded.
    PASSED_BLOCKED: 8;
    PASSED_FREE: 8;
    PASSED_GUARDED: 8;
    /// Distance of the own king, of the other king, to the square ahead of a passed pawn on rank 4 or further.
    PASSED_OWN_KING: 8;
    PASSED_OTHER_KING: 8;
    /// The other king cannot catch it in a pawn ending.
    PASSED_UNSTOPPABLE: 1;
    /// On the king's file, beside it: own rank of the nearest own pawn ahead, 0 for none.
    SHELTER: 2 * 8;
    /// The same of the nearest enemy pawn, in ranks from the king.
    STORM: 2 * 8;
    /// Danger to the king in units, see `king.rs`.
    DANGER: 40;
    /// Enemy minor to queen attacked by a pawn.
    PAWN_THREAT: 5;
    /// Pawn to queen attacked by a minor, by a rook.
    MINOR_THREAT: 5;
    ROOK_THREAT: 5;
    /// Attacked and not guarded.
    HANGING: 1;
    /// Pieces that a pawn can attack with a safe push.
    PUSH_THREAT: 1;
    /// Weak pieces that the king attacks.
    KING_THREAT: 1;
    /// Safe squares on the own half of the centre files, times own pieces.
    SPACE: 1;
    TEMPO: 1;
}
