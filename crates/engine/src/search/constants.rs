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

/// Parts of a ply in which reductions are counted.
pub(crate) const PLY: i32 = 1024;

constants! {
    /// Razoring: centipawns below alpha at depth 0.
    RazorBase: 283, 100..=500;
    /// Razoring: more centipawns for each square of the depth.
    RazorDepth: 296, 100..=500;
    /// Reverse futility: centipawns above beta for each ply of depth.
    ReverseDepth: 76, 40..=160;
    /// Reverse futility: fewer centipawns where the evaluation rises.
    ReverseImproving: 50, 0..=140;
    /// Null move: centipawns above beta for one more ply of reduction.
    NullDivisor: 191, 80..=400;
    /// Null move: the reduction without them, in 1/1024 of a ply.
    NullBase: 3185, 2048..=5120;
    /// Null move: more reduction for each ply of depth, in 1/1024 of a ply.
    NullDepth: 341, 128..=512;
    /// ProbCut: centipawns above beta.
    ProbCutMargin: 181, 80..=320;
    /// The least depth of a search without the hash move.
    SingularDepth: 8, 4..=12;
    /// That search has to fail low by this many centipawns for each 16 plies of depth.
    SingularMargin: 28, 8..=80;
    /// It extends by two plies where it fails low by this many centipawns more.
    DoubleMargin: 24, 4..=80;
    /// Quiet moves that are searched at any depth before late ones are pruned.
    LateBase: 5, 1..=10;
    /// More of them for the square of the depth, in hundredths.
    LateDepth: 134, 40..=200;
    /// Futility: centipawns below alpha at depth 0.
    FutilityBase: 112, 20..=250;
    /// Futility: more for each ply of reduced depth.
    FutilityDepth: 97, 40..=180;
    /// A quiet move with a history below minus this, for each ply of reduced depth, is pruned.
    HistoryPrune: 7436, 1500..=10000;
    /// A quiet move that loses this many centipawns by exchanges, for the square of the reduced depth, is pruned.
    ExchangeQuiet: 16, 8..=80;
    /// A capture that loses this many centipawns, for each ply of depth, is pruned.
    ExchangeNoisy: 105, 40..=220;
    /// Quiescence: centipawns below alpha from which captures that win nothing are left out.
    QuiescenceMargin: 169, 60..=350;
    /// Reduction of a late move, in 1/1024 of a ply.
    ReduceBase: 573, 0..=1500;
    /// The product of the logarithms of depth and number of the move is divided by this many 1/1024.
    ReduceDivisor: 2464, 1400..=3600;
    /// A history of this size changes the reduction of a quiet move by a ply.
    ReduceHistory: 9336, 4000..=20000;
    /// The same of a capture.
    ReduceCapture: 6141, 2500..=16000;
    /// Added where the evaluation does not rise; this and the following are in 1/1024 of a ply.
    ReduceFalling: 1184, -512..=2560;
    /// Added to quiet moves where the hash move is a capture.
    ReduceNoisyTable: 826, -512..=2560;
    /// Added to quiet moves where a cutoff is expected.
    ReduceCut: 2115, 0..=4096;
    /// Added to captures where a cutoff is expected.
    ReduceNoisyCut: 950, 0..=2560;
    /// Added where the next ply had more than three cutoffs.
    ReduceCutoffs: 976, -512..=2560;
    /// Subtracted for a killer move.
    ReduceLessKiller: 1057, -512..=3072;
    /// Subtracted on a principal variation.
    ReduceLessPv: 651, -512..=3072;
    /// Subtracted where the position was on a principal variation, now or in an earlier search.
    ReduceLessWasPv: -283, -512..=2560;
    /// Subtracted for a move that gives check.
    ReduceLessCheck: 958, -512..=3072;
    /// Subtracted in check.
    ReduceLessInCheck: 895, -512..=3072;
    /// The bonus of a move that causes a cutoff, for each ply of depth.
    BonusDepth: 189, 60..=320;
    /// What is subtracted from the bonus.
    BonusBase: 65, 0..=320;
    /// The largest bonus.
    BonusMost: 1633, 600..=3200;
    /// The malus of the moves before it, for each ply of depth.
    MalusDepth: 110, 60..=400;
    /// What is subtracted from the malus.
    MalusBase: 90, 0..=320;
    /// The largest malus.
    MalusMost: 1461, 600..=3200;
    /// Whether the score of the transposition table replaces the evaluation where its bound allows: 0 or 1.
    TableEvaluation: 0, 0..=1;
    /// The weight of the correction history of each key.
    KeyCorrection: 4, 1..=10;
    /// The weight of the correction history of the last two moves.
    MoveCorrection: 3, 0..=10;
    /// A move that beats alpha at a reduced depth by this many centipawns is searched a ply deeper; 0 for never.
    DeeperMargin: 0, 0..=200;
    /// A move that beats alpha at a reduced depth by less than this many centipawns is searched a ply less deep; 0 for never.
    ShallowerMargin: 0, 0..=50;
    /// Half of the first aspiration window, in centipawns.
    Aspiration: 18, 6..=50;
}
