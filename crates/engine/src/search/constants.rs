//! The constants of the search that games decide on.
//!
//! In a usual build each is a number that the compiler sees. With the feature `constants` each is a
//! hidden UCI option of the same name, so that a match can compare values without another build
//! (docs/tests.md).

/// Declares constants: a name, its value, the smallest and the largest value of the option, what it
/// is.
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
    ReverseDepth: 88, 40..=160;
    /// Reverse futility: fewer centipawns where the evaluation rises.
    ReverseImproving: 50, 0..=140;
    /// Null move: centipawns above beta for one more ply of reduction.
    NullDivisor: 221, 80..=400;
    /// Null move: the reduction without them, in 1/1024 of a ply.
    NullBase: 3639, 2048..=5120;
    /// Null move: more reduction for each ply of depth, in 1/1024 of a ply.
    NullDepth: 341, 128..=512;
    /// ProbCut: centipawns above beta.
    ProbCutMargin: 178, 80..=320;
    /// The least depth of a search without the hash move.
    SingularDepth: 8, 4..=12;
    /// That search has to fail low by this many centipawns for each 16 plies of depth.
    SingularMargin: 27, 8..=80;
    /// It extends by two plies where it fails low by this many centipawns more.
    DoubleMargin: 32, 4..=80;
    /// Quiet moves that are searched at any depth before late ones are pruned.
    LateBase: 5, 1..=10;
    /// More of them for the square of the depth, in hundredths.
    LateDepth: 179, 40..=200;
    /// Futility: centipawns below alpha at depth 0.
    FutilityBase: 90, 20..=250;
    /// Futility: more for each ply of reduced depth.
    FutilityDepth: 75, 40..=180;
    /// A quiet move with a history below minus this, for each ply of reduced depth, is pruned.
    HistoryPrune: 9822, 1500..=16000;
    /// A quiet move that loses this many centipawns by exchanges, for the square of the reduced depth, is pruned.
    ExchangeQuiet: 16, 8..=80;
    /// A capture that loses this many centipawns, for each ply of depth, is pruned.
    ExchangeNoisy: 105, 40..=220;
    /// Quiescence: centipawns below alpha from which captures that win nothing are left out.
    QuiescenceMargin: 92, 60..=350;
    /// Reduction of a late move, in 1/1024 of a ply.
    ReduceBase: 543, 0..=1500;
    /// The product of the logarithms of depth and number of the move is divided by this many 1/1024.
    ReduceDivisor: 2464, 1400..=3600;
    /// A history of this size changes the reduction of a quiet move by a ply.
    ReduceHistory: 11434, 4000..=20000;
    /// The same of a capture.
    ReduceCapture: 6141, 2500..=16000;
    /// Added where the evaluation does not rise; this and the following are in 1/1024 of a ply.
    ReduceFalling: 1200, -512..=2560;
    /// Added to quiet moves where the hash move is a capture.
    ReduceNoisyTable: 826, -512..=2560;
    /// Added to quiet moves where a cutoff is expected.
    ReduceCut: 2175, 0..=4096;
    /// Added to captures where a cutoff is expected.
    ReduceNoisyCut: 950, 0..=2560;
    /// Added where the next ply had more than three cutoffs.
    ReduceCutoffs: 557, -512..=2560;
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
    BonusDepth: 235, 60..=320;
    /// What is subtracted from the bonus.
    BonusBase: 65, 0..=320;
    /// The largest bonus.
    BonusMost: 1633, 600..=3200;
    /// The malus of the moves before it, for each ply of depth.
    MalusDepth: 114, 60..=400;
    /// What is subtracted from the malus.
    MalusBase: 90, 0..=320;
    /// The largest malus.
    MalusMost: 1461, 600..=3200;
    /// How far the evaluation moves towards the score of the transposition table where its bound allows, in 1/1024.
    TableEvaluation: 708, 0..=1024;
    /// The weight of the correction history of each key.
    KeyCorrection: 6, 1..=10;
    /// The weight of the correction history of the last two moves.
    MoveCorrection: 4, 0..=10;
    /// The weight of the correction history of the minor pieces and kings.
    MinorCorrection: 3, 0..=10;
    /// The weight of the correction history of the last move and that three plies before it.
    LongCorrection: 2, 0..=10;
    /// A move that beats alpha at a reduced depth by this many centipawns is searched a ply deeper.
    DeeperMargin: 49, 10..=2000;
    /// A move that beats alpha at a reduced depth by less than this many centipawns is searched a ply less deep.
    ShallowerMargin: 7, 0..=50;
    /// The bonus of the move before a node where no move beats alpha, in 1/128 of that of a cutoff.
    BonusBefore: 129, 0..=256;
    /// Futility of captures: centipawns below alpha for each ply of depth, apart from what is captured.
    CaptureFutilityDepth: 239, 0..=400;
    /// Futility of captures: centipawns below alpha at depth 0.
    CaptureFutilityBase: 236, 0..=3000;
    /// The part of a score above beta that is left out, in 1/1024, at depth 0; less at larger depths.
    FailHighDiscount: 570, 0..=2048;
    /// Added where a move before has raised alpha.
    ReduceRaised: 858, -512..=3072;
    /// The factor of the network's value in an ending, in 1/1024.
    ScaleEnding: 952, 600..=1400;
    /// The weight of the history by pawns in the history of a quiet move, in 1/64.
    PawnWeight: 56, 0..=128;
    /// Plies by which a hash move that is not singular is searched less deep where a cutoff is expected.
    NegativeCut: 1, 0..=2;
    /// A quiet hash move is extended by three plies where the search without it fails low by this many centipawns.
    TripleMargin: 130, 20..=400;
    /// Null move: centipawns above beta that are needed where no cutoff is expected.
    NullAllMargin: 69, 0..=1000;
    /// Null move: centipawns above beta that the evaluation needs at depth 0.
    NullMarginBase: 119, -1000..=400;
    /// Null move: fewer of them for each ply of depth.
    NullMarginDepth: 26, 0..=60;
    /// Quiescence: the part of a score above beta that is left out, in 1/1024.
    QuiescenceDiscount: 230, 0..=1024;
    /// Quiescence: a capture is left out if it gains less than alpha minus this many centipawns.
    QuiescenceGain: 261, 0..=3000;
    /// A node is searched a ply deeper if the move to it was reduced by this many 1/1024 of a ply and cost no evaluation.
    HindsightDeeper: 3586, 512..=9000;
    /// A node is searched a ply less deep if the move to it was reduced and cost this many centipawns of evaluation.
    HindsightShallower: 218, 20..=9000;
    /// The malus of a quiet move for each centipawn of evaluation that it cost.
    EvaluationBonus: 5, 0..=32;
    /// Reverse futility: more centipawns where the hash move is quiet.
    ReverseQuiet: 37, 0..=400;
    /// The weight of the history of moves near the root, in 1/64.
    LowPlyWeight: 49, 0..=256;
    /// Quiescence: quiet moves out of check that are searched, once one does not lose at once.
    QuiescenceEvasions: 3, 1..=64;
    /// Order of moves: the bonus of a quiet check that loses little.
    OrderCheck: 7680, 0..=16000;
    /// Order of moves: the bonus of a piece that leaves the attack of a less valuable one, for each pawn of its value.
    OrderEscape: 1487, 0..=3000;
    /// Order of moves: the malus of a piece that enters such an attack, for each pawn of its value.
    OrderEnter: 625, 0..=3000;
    /// A move that beats beta by this many centipawns has the bonus of one more ply.
    BonusHigh: 141, 10..=2000;
    /// A score of the transposition table that is above beta by this many centipawns is a cutoff at a lower depth, too.
    ProbCutTable: 305, 100..=3000;
    /// The evaluation goes down by its share of plies without progress in this many.
    FiftyDivisor: 219, 110..=10000;
    /// The bonus of a reduced move that is searched again and beats alpha, in 1/128 of that of a cutoff.
    BonusAgain: 51, 0..=256;
    /// The malus of the first quiet move before a cutoff, in 1/128 of the bonus.
    MalusBefore: 55, 0..=256;
    /// Half of the first aspiration window, in centipawns.
    AspirationWindow: 18, 6..=50;
}
