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
    RazorBase: 338, 100..=500;
    /// Razoring: more centipawns for each square of the depth.
    RazorDepth: 312, 100..=500;
    /// Reverse futility: centipawns above beta for each ply of depth.
    ReverseDepth: 95, 40..=160;
    /// Reverse futility: fewer centipawns where the evaluation rises.
    ReverseImproving: 56, 0..=140;
    /// Null move: centipawns above beta for one more ply of reduction.
    NullDivisor: 216, 80..=400;
    /// Null move: the reduction without them, in 1/1024 of a ply.
    NullBase: 3504, 2048..=5120;
    /// Null move: more reduction for each ply of depth, in 1/1024 of a ply.
    NullDepth: 366, 128..=512;
    /// ProbCut: centipawns above beta.
    ProbCutMargin: 168, 80..=320;
    /// The least depth of a search without the hash move.
    SingularDepth: 6, 4..=12;
    /// That search has to fail low by this many centipawns for each 16 plies of depth.
    SingularMargin: 27, 8..=80;
    /// It extends by two plies where it fails low by this many centipawns more.
    DoubleMargin: 31, 4..=80;
    /// Quiet moves that are searched at any depth before late ones are pruned.
    LateBase: 6, 1..=10;
    /// More of them for the square of the depth, in hundredths.
    LateDepth: 154, 40..=200;
    /// Futility: centipawns below alpha at depth 0.
    FutilityBase: 90, 20..=250;
    /// Futility: more for each ply of reduced depth.
    FutilityDepth: 76, 40..=180;
    /// A quiet move with a history below minus this, for each ply of reduced depth, is pruned.
    HistoryPrune: 9329, 1500..=16000;
    /// A quiet move that loses this many centipawns by exchanges, for the square of the reduced depth, is pruned.
    ExchangeQuiet: 16, 8..=80;
    /// A capture that loses this many centipawns, for each ply of depth, is pruned.
    ExchangeNoisy: 113, 40..=220;
    /// Quiescence: centipawns below alpha from which captures that win nothing are left out.
    QuiescenceMargin: 97, 60..=350;
    /// Reduction of a late move, in 1/1024 of a ply.
    ReduceBase: 588, 0..=1500;
    /// The product of the logarithms of depth and number of the move is divided by this many 1/1024.
    ReduceDivisor: 2225, 1400..=3600;
    /// A history of this size changes the reduction of a quiet move by a ply.
    ReduceHistory: 11497, 4000..=20000;
    /// The same of a capture.
    ReduceCapture: 5899, 2500..=16000;
    /// Added where the evaluation does not rise; this and the following are in 1/1024 of a ply.
    ReduceFalling: 1235, -512..=2560;
    /// Added to quiet moves where the hash move is a capture.
    ReduceNoisyTable: 835, -512..=2560;
    /// Added to quiet moves where a cutoff is expected.
    ReduceCut: 2262, 0..=4096;
    /// Added to captures where a cutoff is expected.
    ReduceNoisyCut: 1009, 0..=2560;
    /// Added where the next ply had more than three cutoffs.
    ReduceCutoffs: 540, -512..=2560;
    /// Subtracted for a killer move.
    ReduceLessKiller: 991, -512..=3072;
    /// Subtracted on a principal variation.
    ReduceLessPv: 597, -512..=3072;
    /// Subtracted where the position was on a principal variation, now or in an earlier search.
    ReduceLessWasPv: -268, -512..=2560;
    /// Subtracted for a move that gives check.
    ReduceLessCheck: 1005, -512..=3072;
    /// Subtracted in check.
    ReduceLessInCheck: 993, -512..=3072;
    /// The bonus of a move that causes a cutoff, for each ply of depth.
    BonusDepth: 252, 60..=320;
    /// What is subtracted from the bonus.
    BonusBase: 66, 0..=320;
    /// The largest bonus.
    BonusMost: 1569, 600..=3200;
    /// The malus of the moves before it, for each ply of depth.
    MalusDepth: 120, 60..=400;
    /// What is subtracted from the malus.
    MalusBase: 84, 0..=320;
    /// The largest malus.
    MalusMost: 1420, 600..=3200;
    /// How far the evaluation moves towards the score of the transposition table where its bound allows, in 1/1024.
    TableEvaluation: 632, 0..=1024;
    /// The weight of the correction history of each key.
    KeyCorrection: 7, 1..=10;
    /// The weight of the correction history of the last two moves.
    MoveCorrection: 3, 0..=10;
    /// The weight of the correction history of the minor pieces and kings.
    MinorCorrection: 4, 0..=10;
    /// The weight of the correction history of the last move and that three plies before it.
    LongCorrection: 2, 0..=10;
    /// A move that beats alpha at a reduced depth by this many centipawns is searched a ply deeper.
    DeeperMargin: 49, 10..=2000;
    /// A move that beats alpha at a reduced depth by less than this many centipawns is searched a ply less deep.
    ShallowerMargin: 6, 0..=50;
    /// The bonus of the move before a node where no move beats alpha, in 1/128 of that of a cutoff.
    BonusBefore: 113, 0..=256;
    /// Futility of captures: centipawns below alpha for each ply of depth, apart from what is captured.
    CaptureFutilityDepth: 245, 0..=400;
    /// Futility of captures: centipawns below alpha at depth 0.
    CaptureFutilityBase: 237, 0..=3000;
    /// The part of a score above beta that is left out, in 1/1024, at depth 0; less at larger depths.
    FailHighDiscount: 586, 0..=2048;
    /// Added where a move before has raised alpha.
    ReduceRaised: 771, -512..=3072;
    /// The factor of the network's value in an ending, in 1/1024.
    ScaleEnding: 985, 600..=1400;
    /// The weight of the history by pawns in the history of a quiet move, in 1/64.
    PawnWeight: 49, 0..=128;
    /// Plies by which a hash move that is not singular is searched less deep where a cutoff is expected.
    NegativeCut: 1, 0..=2;
    /// A quiet hash move is extended by three plies where the search without it fails low by this many centipawns.
    TripleMargin: 137, 20..=400;
    /// Null move: centipawns above beta that are needed where no cutoff is expected.
    NullAllMargin: 63, 0..=1000;
    /// Null move: centipawns above beta that the evaluation needs at depth 0.
    NullMarginBase: 114, -1000..=400;
    /// Null move: fewer of them for each ply of depth.
    NullMarginDepth: 26, 0..=60;
    /// Quiescence: the part of a score above beta that is left out, in 1/1024.
    QuiescenceDiscount: 220, 0..=1024;
    /// Quiescence: a capture is left out if it gains less than alpha minus this many centipawns.
    QuiescenceGain: 256, 0..=3000;
    /// A node is searched a ply deeper if the move to it was reduced by this many 1/1024 of a ply and cost no evaluation.
    HindsightDeeper: 3206, 512..=9000;
    /// A node is searched a ply less deep if the move to it was reduced and cost this many centipawns of evaluation.
    HindsightShallower: 227, 20..=9000;
    /// The malus of a quiet move for each centipawn of evaluation that it cost.
    EvaluationBonus: 6, 0..=32;
    /// Reverse futility: more centipawns where the hash move is quiet.
    ReverseQuiet: 34, 0..=400;
    /// The weight of the history of moves near the root, in 1/64.
    LowPlyWeight: 49, 0..=256;
    /// Quiescence: quiet moves out of check that are searched, once one does not lose at once.
    QuiescenceEvasions: 3, 1..=64;
    /// Order of moves: the bonus of a quiet check that loses little.
    OrderCheck: 9193, 0..=16000;
    /// Order of moves: the bonus of a piece that leaves the attack of a less valuable one, for each pawn of its value.
    OrderEscape: 1471, 0..=3000;
    /// Order of moves: the malus of a piece that enters such an attack, for each pawn of its value.
    OrderEnter: 585, 0..=3000;
    /// A move that beats beta by this many centipawns has the bonus of one more ply.
    BonusHigh: 138, 10..=2000;
    /// A score of the transposition table that is above beta by this many centipawns is a cutoff at a lower depth, too.
    ProbCutTable: 322, 100..=3000;
    /// The evaluation goes down by its share of plies without progress in this many.
    FiftyDivisor: 214, 110..=10000;
    /// The bonus of a reduced move that is searched again and beats alpha, in 1/128 of that of a cutoff.
    BonusAgain: 46, 0..=256;
    /// The malus of the first quiet move before a cutoff, in 1/128 of the bonus.
    MalusBefore: 51, 0..=256;
    /// The moves among which the time that is left is divided, in percent of those to play.
    ClockMoves: 62, 30..=120;
    /// The part of the increment that a move uses, in percent.
    ClockIncrement: 75, 20..=100;
    /// Half of the first aspiration window, in centipawns.
    AspirationWindow: 16, 6..=50;
    /// The growth of an aspiration window that a score misses, in 1/1024.
    AspirationGrowth: 363, 128..=2048;
    /// Added where the transposition table has no move.
    ReduceNoTable: 148, -1024..=2048;
    /// The weight of the history after the last move in the history of a quiet move, in 1/64.
    AfterOneWeight: 73, 0..=160;
    /// The same of the move two plies before.
    AfterTwoWeight: 78, 0..=160;
    /// The same of the move four plies before.
    AfterFourWeight: 18, 0..=160;
    /// The bonus of a hash move that causes a cutoff without a search, for each ply of depth.
    TableBonusDepth: 136, 0..=320;
    /// The largest of these bonuses.
    TableBonusMost: 1129, 0..=3200;
    /// The largest depth at which checks are searched a ply deeper.
    CheckDepth: 8, 0..=14;
}
