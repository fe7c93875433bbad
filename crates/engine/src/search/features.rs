//! Switches for the techniques of the search, to measure the value of each.

/// Switches of search techniques. By default all are on; [`Features::plain`] is alpha-beta without any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Features {
    /// Move ordering; off: the order of generation.
    pub order_moves: bool,
    /// Percent of a node's moves that are searched, best first, 1 to 100: beam search below 100.
    pub beam_percent: u8,
    /// Iterative deepening; off: the requested depth at once.
    pub iterative_deepening: bool,
    /// Aspiration windows around the last iteration's score.
    pub aspiration: bool,
    /// Null windows for all but the first move (principal variation search).
    pub null_window: bool,
    /// The transposition table.
    pub use_tt: bool,
    /// Quiescence search at depth 0; off: the static evaluation.
    pub quiescence: bool,
    /// Null move pruning.
    pub null_move: bool,
    /// Late move reductions.
    pub lmr: bool,
    /// Late move pruning by count.
    pub late_pruning: bool,
    /// Futility pruning of quiet moves.
    pub futility: bool,
    /// Reverse futility pruning: a cutoff where the evaluation is far above beta at low depth.
    pub reverse_futility: bool,
    /// Razoring: quiescence search where the evaluation is far below alpha at low depth.
    pub razoring: bool,
    /// Pruning of moves that lose material by static exchange evaluation.
    pub see_pruning: bool,
    /// ProbCut: a cutoff by a capture that reaches a raised beta at reduced depth.
    pub probcut: bool,
    /// Singular extensions.
    pub singular: bool,
    /// Check extensions.
    pub check_extension: bool,
    /// Internal iterative reduction: nodes without a hash move are searched one ply shallower.
    pub internal_reduction: bool,
    /// Correction history of static evaluations.
    pub correction: bool,
    /// A position that one move joins with an earlier one of the path is worth at least a draw.
    pub foresee_repetition: bool,
}

impl Default for Features {
    fn default() -> Self {
        Self {
            beam_percent: 100,
            ..Self::all(true)
        }
    }
}

impl Features {
    fn all(on: bool) -> Self {
        Self {
            order_moves: on,
            beam_percent: 100,
            iterative_deepening: on,
            aspiration: on,
            null_window: on,
            use_tt: on,
            quiescence: on,
            null_move: on,
            lmr: on,
            late_pruning: on,
            futility: on,
            reverse_futility: on,
            razoring: on,
            see_pruning: on,
            probcut: on,
            singular: on,
            check_extension: on,
            internal_reduction: on,
            correction: on,
            foresee_repetition: on,
        }
    }

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

    /// The names of the switches as UCI options, in the order shown.
    pub const NAMES: [&'static str; 19] = [
        "OrderMoves",
        "IterativeDeepening",
        "Aspiration",
        "NullWindow",
        "UseTable",
        "Quiescence",
        "NullMove",
        "LMR",
        "LatePruning",
        "Futility",
        "ReverseFutility",
        "Razoring",
        "SeePruning",
        "ProbCut",
        "Singular",
        "CheckExtension",
        "InternalReduction",
        "Correction",
        "ForeseeRepetition",
    ];

    /// The switch with a name of [`Self::NAMES`], letters of either case.
    pub fn switch(&mut self, name: &str) -> Option<&mut bool> {
        let index = Self::NAMES
            .iter()
            .position(|n| n.eq_ignore_ascii_case(name))?;
        let switches = [
            &mut self.order_moves,
            &mut self.iterative_deepening,
            &mut self.aspiration,
            &mut self.null_window,
            &mut self.use_tt,
            &mut self.quiescence,
            &mut self.null_move,
            &mut self.lmr,
            &mut self.late_pruning,
            &mut self.futility,
            &mut self.reverse_futility,
            &mut self.razoring,
            &mut self.see_pruning,
            &mut self.probcut,
            &mut self.singular,
            &mut self.check_extension,
            &mut self.internal_reduction,
            &mut self.correction,
            &mut self.foresee_repetition,
        ];
        switches.into_iter().nth(index)
    }
}
