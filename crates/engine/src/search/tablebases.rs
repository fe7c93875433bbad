//! Positions whose value is in endgame tables: a root whose distance to mate is known needs no
//! search, and of others the moves that keep the result; in the tree positions right after captures
//! and pawn moves.

use everymove_tables::syzygy::{Patience, Rounding, Wdl};
use everymove_tables::{Metric, Source, TableError, Tablebase, Value};
use shakmaty::{Move, Position as _};

use super::thread::Thread;
use crate::position::{Position, ShortMove};
use crate::score::{self, MATE, NONE, Score, TABLE_WIN};
use crate::transposition_table::{Bound, Entry};

/// The rank of a move that mates.
const MATES: i32 = 2000;
/// The rank of a move that wins, less by the plies to the next capture or pawn move. That of a loss
/// has the other sign.
const WIN: i32 = 1000;
/// The rank of a move that wins, or is drawn by the fifty-move rule: the distance, which is
/// rounded, does not say which.
const MAYBE_WIN: i32 = 1;
/// The same for losses.
const MAYBE_LOSS: i32 = -1;

/// What tables know of the root.
#[derive(Clone, Debug)]
pub(crate) struct RootProbe {
    /// The distance to mate, a win or loss in tables, or 0 for a draw.
    pub(crate) score: Score,
    /// The moves that keep the result, and of wins lead nearest to the next capture or pawn move,
    /// so that the win is carried out.
    pub(crate) moves: Vec<Move>,
    /// The best play to the mate, if its distance is known.
    pub(crate) line: Vec<Move>,
}

/// Looks up a root, or those of its moves that are given; `None` where tables do not have it. Draws
/// and losses are left to the search.
pub(crate) fn probe_root(
    tables: &Tablebase,
    root: &Position,
    moves: &[Move],
    patience: Patience<'_>,
) -> Option<RootProbe> {
    if !covers(tables, root) || moves.is_empty() {
        return None;
    }
    // A line of best play has any of the legal moves.
    if moves.len() == root.legal_moves().len()
        && let Some(found) = tables.noted(to_mate(tables, root))
    {
        return Some(found);
    }
    let mut ranked = Vec::new();
    for &m in moves {
        ranked.push((m, rank(tables, root, m, patience)?));
    }
    let best = ranked.iter().map(|&(_, rank)| rank).max()?;
    let keep = ranked.into_iter().filter(|&(_, rank)| rank == best);
    // A distance that is rounded may leave open which side of the fifty-move rule it is on.
    let score = match best {
        MAYBE_LOSS..=MAYBE_WIN => 0,
        _ => best.signum() * TABLE_WIN,
    };
    Some(RootProbe {
        score,
        moves: keep.map(|(m, _)| m).collect(),
        line: Vec::new(),
    })
}

/// Whether tables may have a position or one after a capture.
fn covers(tables: &Tablebase, position: &Position) -> bool {
    position.board().occupied().count() <= tables.most_pieces()
        && position.chess().castles().is_empty()
}

/// By distances to mate; `None` also where the fifty-move rule may come first.
fn to_mate(tables: &Tablebase, root: &Position) -> Result<Option<RootProbe>, TableError> {
    let (chess, source) = (root.chess(), Source::Own(Metric::Mate));
    let Some(value) = tables.own(Metric::Mate, chess)? else {
        return Ok(None);
    };
    let Some(plies) = value.plies() else {
        let moves = tables.probe(source, chess, 0)?.moves.into_iter();
        let draws = moves.filter(|m| m.value == Value::Draw).map(|m| m.play);
        let found = RootProbe {
            score: 0,
            moves: draws.collect(),
            line: Vec::new(),
        };
        return Ok((!found.moves.is_empty()).then_some(found));
    };
    // Pawn moves and captures on the way only restart the count of fifty moves.
    if plies == 0 || root.halfmoves() + u32::from(plies) > 100 {
        return Ok(None);
    }
    let line = tables.line(source, chess, 0, plies.into())?;
    Ok(Some(RootProbe {
        score: score_of(value, MATE - Score::from(plies)),
        moves: root.legal_moves().to_vec(),
        line: line.into_iter().map(|choice| choice.play).collect(),
    }))
}

/// Higher for a better result; among wins for the nearest zeroing move.
fn rank(tables: &Tablebase, root: &Position, m: Move, patience: Patience<'_>) -> Option<i32> {
    let next = root.play(m);
    if next.chess().is_checkmate() {
        return Some(MATES);
    }
    let (value, rounding) = tables.noted(tables.dtz(next.chess(), Some(patience)))?;
    let plies = i32::from(value.plies().unwrap_or(0));
    // The clock at the next capture or pawn move; if the distance is rounded it may be one more,
    // but not to become more than 100 from 0.
    let clock = plies + next.halfmoves() as i32;
    let exact = rounding == Rounding::Exact || next.halfmoves() == 0;
    let in_time = clock < 100 || clock == 100 && exact;
    let distance = if m.is_zeroing() { 0 } else { plies };
    Some(match -score_of(value, 1) {
        1 if in_time => WIN + 100 - distance,
        -1 if in_time => -WIN,
        won if clock <= 100 => won * MAYBE_WIN,
        _ => 0,
    })
}

/// A score for the side that wins, or that of a draw.
fn score_of(value: Value, win: Score) -> Score {
    match value {
        Value::Win(_) => win,
        Value::Draw => 0,
        Value::Loss(_) => -win,
    }
}

impl Thread<'_, '_> {
    /// The score of a position in endgame tables, if it settles the window.
    pub(super) fn probe_tables(
        &mut self,
        position: &Position,
        alpha: Score,
        beta: Score,
        depth: i32,
        ply: usize,
    ) -> Option<Score> {
        // From a root in the tables the search looks for the mate; the root moves are filtered
        // already.
        if self.shared.root_score.is_some() {
            return None;
        }
        let (score, bound) = self.table_score(position, ply)?;
        self.count_tb_hit();
        let settles = match bound {
            Bound::Lower => score >= beta,
            Bound::Upper => score <= alpha,
            _ => true,
        };
        if !settles {
            return None;
        }
        if self.shared.features.use_tt {
            let entry = Entry {
                best: ShortMove::NONE,
                score: score::to_table(score, ply),
                evaluation: NONE,
                depth: depth + 6,
                bound,
                pv: false,
            };
            self.shared.table.store(position.keys().all, entry);
        }
        Some(score)
    }

    /// The distance to mate, or win, draw or loss, of a position right after a capture or pawn
    /// move.
    fn table_score(&self, position: &Position, ply: usize) -> Option<(Score, Bound)> {
        let tables = self.shared.tables;
        if position.halfmoves() != 0 || !covers(tables, position) {
            return None;
        }
        match tables.noted(tables.own(Metric::Mate, position.chess())) {
            Some(value) if value.plies().is_none_or(|plies| plies <= 100) => {
                let plies = usize::from(value.plies().unwrap_or(0));
                let distance = MATE - (ply + plies) as Score;
                return Some((score_of(value, distance), Bound::Exact));
            }
            _ => {}
        }
        let patience = || self.shared.signals.allow_waiting(self.shared.limits);
        let win = TABLE_WIN - ply as Score;
        let wdl = tables.wdl(position.chess(), Some(&patience));
        Some(match tables.noted(wdl)? {
            Wdl::Win => (win, Bound::Lower),
            Wdl::Loss => (-win, Bound::Upper),
            // The fifty-move rule comes first, or nobody wins.
            _ => (0, Bound::Exact),
        })
    }
}
