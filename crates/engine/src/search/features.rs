//! Switches for the techniques of the search, to measure the value of each.

macro_rules! switches {
    ($($(#[$doc:meta])* $field:ident: $name:literal,)*) => {
        /// Switches of search techniques. By default all are on; [`Features::plain`] is alpha-beta without any.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Features {
            /// Percent of a node's moves that are searched, best first, 1 to 100: beam search below 100.
            pub beam_percent: u8,
            $($(#[$doc])* pub $field: bool,)*
        }

        impl Features {
            fn all(on: bool) -> Self {
                Self { beam_percent: 100, $($field: on,)* }
            }

            /// The names of the switches as UCI options, in the order shown.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// The switch with a name of [`Self::NAMES`], letters of either case.
            pub fn switch(&mut self, name: &str) -> Option<&mut bool> {
                $(if name.eq_ignore_ascii_case($name) {
                    return Some(&mut self.$field);
                })*
                None
            }
        }
    };
}

switches! {
    /// Move ordering; off: the order of generation.
    order_moves: "OrderMoves",
    /// Iterative deepening; off: the requested depth at once.
    iterative_deepening: "IterativeDeepening",
    /// Aspiration windows around the last iteration's score.
    aspiration: "Aspiration",
    /// Null windows for all but the first move (principal variation search).
    null_window: "NullWindow",
    /// The transposition table.
    use_tt: "UseTable",
    /// Quiescence search at depth 0; off: the static evaluation.
    quiescence: "Quiescence",
    /// Null move pruning.
    null_move: "NullMove",
    /// Late move reductions.
    lmr: "LMR",
    /// Late move pruning by count.
    late_pruning: "LatePruning",
    /// Futility pruning of quiet moves.
    futility: "Futility",
    /// Reverse futility pruning: a cutoff where the evaluation is far above beta at low depth.
    reverse_futility: "ReverseFutility",
    /// Razoring: quiescence search where the evaluation is far below alpha at low depth.
    razoring: "Razoring",
    /// Pruning of moves that lose material by static exchange evaluation.
    see_pruning: "SeePruning",
    /// ProbCut: a cutoff by a capture that reaches a raised beta at reduced depth.
    probcut: "ProbCut",
    /// Singular extensions.
    singular: "Singular",
    /// Check extensions.
    check_extension: "CheckExtension",
    /// Internal iterative reduction: nodes without a hash move are searched one ply shallower.
    internal_reduction: "InternalReduction",
    /// Correction history of static evaluations.
    correction: "Correction",
    /// A position that one move joins with an earlier one of the path is worth at least a draw.
    foresee_repetition: "ForeseeRepetition",
}

impl Default for Features {
    fn default() -> Self {
        Self::all(true)
    }
}

impl Features {
    /// Alpha-beta to a fixed depth and nothing else: textbook alpha-beta.
    pub fn plain() -> Self {
        Self::all(false)
    }

    /// The same without techniques that can miss a forced line: for searches for a mate.
    pub fn sound(&self) -> Self {
        Self {
            null_move: false,
            late_pruning: false,
            futility: false,
            reverse_futility: false,
            razoring: false,
            see_pruning: false,
            probcut: false,
            ..self.clone()
        }
    }

    /// The number of moves that are searched, of `n`.
    #[inline]
    pub(crate) fn beam(&self, n: usize) -> usize {
        (n * usize::from(self.beam_percent)).div_ceil(100)
    }
}
