//! The constants of the search that games decide on.
//!
//! In a usual build each is a number that the compiler sees. With the feature `constants` each is a hidden UCI option of the same
//! name, so that a match can compare values without another build (docs/tests.md).

/// Declares constants: a name, its value, the smallest and the largest value of the option, what it is.
macro_rules! constants {
    ($($(#[$doc:meta])* $name:ident: $value:literal, $least:literal..=$most:literal;)*) => {
        #[cfg(not(feature = "constants"))]
        #[expect(non_snake_case, reason = "named as the options")]
        mod values {
            $($(#[$doc])* #[inline(always)]
            pub(crate) const fn $name() -> i32 { $value })*
        }

        #[cfg(feature = "constants")]
        #[expect(non_snake_case, reason = "named as the options")]
        mod values {
            use std::sync::atomic::{AtomicI32, Ordering};

            #[expect(non_upper_case_globals, reason = "named as the options")]
            mod cells {
                use std::sync::atomic::AtomicI32;
                $(pub(super) static $name: AtomicI32 = AtomicI32::new($value);)*
            }

            $($(#[$doc])* #[inline(always)]
            pub(crate) fn $name() -> i32 { cells::$name.load(Ordering::Relaxed) })*

            /// Every constant as a UCI option: its name, value, smallest and largest value.
            pub(crate) fn all() -> Vec<(&'static str, &'static AtomicI32, i32, i32)> {
                vec![$((stringify!($name), &cells::$name, $least, $most)),*]
            }
        }

        pub(crate) use values::*;
    };
}

constants! {
    /// Added to the reduction of late quiet moves where a cutoff is expected, in plies.
    ReduceCut: 2, 0..=4;
    /// Added to the reduction of late captures where a cutoff is expected, in plies.
    ReduceNoisyCut: 1, 0..=2;
    /// Subtracted from the reduction where the position was on a principal variation, in plies.
    ReduceLessPv: 0, 0..=2;
    /// Whether the score of the transposition table replaces the evaluation where its bound allows: 0 or 1.
    TableEvaluation: 0, 0..=1;
    /// The weight of the correction history of the last two moves; that of each key is 4.
    MoveCorrection: 0, 0..=8;
    /// The least depth of a search without the hash move.
    SingularDepth: 8, 4..=12;
    /// A move that beats alpha at a reduced depth by this many centipawns is searched a ply deeper; 0 for never.
    DeeperMargin: 0, 0..=200;
    /// A move that beats alpha at a reduced depth by less than this many centipawns is searched a ply less deep; 0 for never.
    ShallowerMargin: 0, 0..=50;
}
