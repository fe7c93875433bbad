//! Positions that endgame tables know.

use super::thread::Thread;
use crate::Position;
use crate::position::ShortMove;
use crate::score::{self, NONE, Score, TABLE_WIN};
use crate::syzygy::Verdict;
use crate::table::{Bound, Entry};

impl Thread<'_, '_> {
    /// The score of a position that the tables know, if it settles the window.
    pub(super) fn probe_endgame(
        &mut self,
        position: &Position,
        alpha: Score,
        beta: Score,
        depth: i32,
        ply: usize,
    ) -> Option<Score> {
        // From a root in the tables the search looks for the mate; the root's moves are filtered already.
        if self.shared.root_is_in_tables {
            return None;
        }
        let (score, bound) = self.ask_tables(position, ply)?;
        self.count_table_hit();
        let settles = match bound {
            Bound::Lower => score >= beta,
            Bound::Upper => score <= alpha,
            _ => true,
        };
        if !settles {
            return None;
        }
        if self.shared.features.use_table {
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

    /// To the ply from our own tables, or else what Syzygy files say.
    fn ask_tables(&self, position: &Position, ply: usize) -> Option<(Score, Bound)> {
        let exact = self.shared.endings.and_then(|e| e.score(position, ply));
        if let Some(score) = exact {
            return Some((score, Bound::Exact));
        }
        Some(match self.shared.syzygy?.verdict(position)? {
            Verdict::Win => (TABLE_WIN - ply as Score, Bound::Lower),
            Verdict::Draw => (0, Bound::Exact),
            Verdict::Loss => (ply as Score - TABLE_WIN, Bound::Upper),
        })
    }
}
