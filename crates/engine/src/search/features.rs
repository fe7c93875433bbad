//! What the search may use: each technique can be switched off to see what it is worth.

/// Switches. The default is everything on; [`Features::plain`] is a bare alpha-beta.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Features {
    /// Moves by expected worth; off: as generated.
    pub order_moves: bool,
    /// Percent of a node's moves that are searched, best first, 1 to 100: beam search below 100.
    pub beam_percent: u8,
    /// Depth 1, 2, 3, ...; off: the asked depth at once.
    pub iterative_deepening: bool,
    /// Aspiration windows around the last iteration's score.
    pub aspiration: bool,
    /// Null windows for all but the first move (principal variation search).
    pub null_window: bool,
    /// The hash table.
    pub use_table: bool,
    /// Captures beyond the depth; off: the evaluation at once.
    pub quiescence: bool,
    /// Passing to prove a position good.
    pub null_move: bool,
    /// Late move reductions.
    pub lmr: bool,
    /// Late move pruning by count.
    pub late_pruning: bool,
    /// Futility of quiet moves.
    pub futility: bool,
    /// Evaluation far above beta at low depth.
    pub reverse_futility: bool,
    /// Evaluation far below alpha at low depth.
    pub razoring: bool,
    /// Moves that lose material by exchange.
    pub see_pruning: bool,
    /// A capture that holds at reduced depth and a raised beta.
    pub probcut: bool,
    /// Singular moves are searched deeper.
    pub singular: bool,
    /// Checks are searched deeper.
    pub check_extension: bool,
    /// Nodes without a table move are searched shallower.
    pub internal_reduction: bool,
    /// Evaluations are corrected by what earlier searches found.
    pub correction: bool,
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
            use_table: on,
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
        }
    }

    /// Alpha-beta to a fixed depth and nothing else: where textbooks and the seed's engine begin.
    pub fn plain() -> Self {
        Self::all(false)
    }

    /// Nothing that can overlook a forced line: for proving mates.
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

    /// How many of `n` moves are searched.
    #[inline]
    pub(crate) fn beam(&self, n: usize) -> usize {
        (n * usize::from(self.beam_percent)).div_ceil(100)
    }

    /// The names of the switches as UCI options, in the order shown.
    pub const NAMES: [&'static str; 18] = [
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
            &mut self.use_table,
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
        ];
        switches.into_iter().nth(index)
    }
}
