//! Positions whose value is in endgame tables.

use super::thread::Thread;
use crate::position::{Position, ShortMove};
use crate::score::{self, NONE, Score, TABLE_WIN};
use crate::syzygy::Wdl;
use crate::transposition_table::{Bound, Entry};

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
        // From a root in the tables the search looks for the mate; the root moves are filtered already.
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

    /// The distance to mate, or win, draw or loss, from our own tables, or else win, draw or loss from Syzygy tables.
    fn table_score(&self, position: &Position, ply: usize) -> Option<(Score, Bound)> {
        let own = self.shared.dtm_tables.and_then(|e| e.score(position, ply));
        if own.is_some() {
            return own;
        }
        let patience = || self.shared.signals.allow_waiting(self.shared.limits);
        Some(match self.shared.syzygy?.probe_wdl(position, &patience)? {
            Wdl::Win => (TABLE_WIN - ply as Score, Bound::Lower),
            Wdl::Draw => (0, Bound::Exact),
            Wdl::Loss => (ply as Score - TABLE_WIN, Bound::Upper),
        })
    }
}
