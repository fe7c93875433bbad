//! What an engine reports about its search.

use serde::{Deserialize, Serialize};

/// An evaluation of a position, from the point of view of the side to move unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Score {
    /// Hundredths of a pawn.
    Cp(i32),
    /// The number of moves to mate; negative if this side is mated.
    Mate(i32),
}

impl Score {
    /// Returns hundredths of a pawn; a mate is above 99,000, a shorter mate above a longer one.
    pub fn centipawns(self) -> i32 {
        match self {
            Self::Cp(cp) => cp.clamp(-99_000, 99_000),
            Self::Mate(moves) if moves > 0 => 100_000 - moves.min(900),
            Self::Mate(moves) => -100_000 - moves.max(-900),
        }
    }

    /// Returns the same evaluation from the point of view of the other side.
    pub fn reversed(self) -> Self {
        match self {
            Self::Cp(cp) => Self::Cp(cp.saturating_neg()),
            Self::Mate(moves) => Self::Mate(moves.saturating_neg()),
        }
    }
}

/// The last report on a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchInfo {
    /// The evaluation of the best move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// Depth in plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Nodes searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

impl SearchInfo {
    /// Updates the report from a line `info ...` of UCI; fields that cannot be read stay unchanged.
    pub(super) fn read_uci_info(&mut self, line: &str) {
        let mut words = line.split_ascii_whitespace();
        let mut read = Self::default();
        let mut bound = false;
        while let Some(word) = words.next() {
            match word {
                "depth" => read.depth = words.next().and_then(|w| w.parse().ok()),
                "nodes" => read.nodes = words.next().and_then(|w| w.parse().ok()),
                // Only the first line of a multi-PV search is about the move that will be played.
                "multipv" if words.next().is_some_and(|w| w != "1") => return,
                "lowerbound" | "upperbound" => bound = true,
                "score" => {
                    let kind = words.next();
                    let value = words.next().and_then(|w| w.parse().ok());
                    read.score = match kind {
                        Some("cp") => value.map(Score::Cp),
                        Some("mate") => value.map(Score::Mate),
                        _ => None,
                    };
                }
                "pv" | "string" | "refutation" | "currline" => break,
                _ => (),
            }
        }
        self.nodes = read.nodes.or(self.nodes);
        if read.score.is_some() && (!bound || self.score.is_none()) {
            self.score = read.score;
            self.depth = read.depth.or(self.depth);
        }
    }

    /// Updates the report from a line of xboard's `post` output: depth, centipawns, centiseconds,
    /// nodes, moves. Returns `None` for any other line.
    pub(super) fn read_xboard_info(&mut self, line: &str) -> Option<()> {
        let mut words = line.split_ascii_whitespace();
        let depth = words.next()?.trim_end_matches(['.', '+', '-', '&', '*']);
        let depth = depth.parse().ok()?;
        let score: i32 = words.next()?.parse().ok()?;
        let _centiseconds: f64 = words.next()?.parse().ok()?;
        let nodes = words.next()?.parse().ok()?;
        // 100000 + n means mate in n moves.
        let mate = (100_000..101_000).contains(&score.abs());
        self.score = Some(if mate {
            Score::Mate((score.abs() - 100_000).max(1) * score.signum())
        } else {
            Score::Cp(score)
        });
        self.depth = Some(depth);
        self.nodes = Some(nodes);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_exact_score_of_the_first_line_is_kept() {
        let mut info = SearchInfo::default();
        for line in [
            "info depth 10 seldepth 12 multipv 1 score cp 31 nodes 900 nps 1 pv e2e4 score cp 7",
            "info depth 10 multipv 2 score cp -400 nodes 950 pv a2a4",
            "info depth 11 score cp 90 lowerbound nodes 1200",
            "info depth 12 currmove e2e4 currmovenumber 1",
            "info string depth 99 score cp 99",
            "info score",
            "info depth x score cp y nodes z",
        ] {
            info.read_uci_info(line);
        }
        assert_eq!(info.score, Some(Score::Cp(31)));
        assert_eq!((info.depth, info.nodes), (Some(10), Some(1200)));
        info.read_uci_info("info depth 13 score mate -3 nodes 5000");
        assert_eq!(info.score, Some(Score::Mate(-3)));
    }

    #[test]
    fn lines_of_xboard_are_read() {
        let mut info = SearchInfo::default();
        assert!(info.read_xboard_info("9. -15 123 45678 e4 e5").is_some());
        assert_eq!(info.score, Some(Score::Cp(-15)));
        assert_eq!((info.depth, info.nodes), (Some(9), Some(45678)));
        assert!(info.read_xboard_info("move e2e4").is_none());
        assert!(info.read_xboard_info("9 100003 1 2").is_some());
        assert_eq!(info.score, Some(Score::Mate(3)));
    }

    #[test]
    fn scores_compare_and_reverse() {
        assert!(Score::Mate(3).centipawns() > Score::Mate(5).centipawns());
        assert!(Score::Mate(-3).centipawns() < Score::Mate(-5).centipawns());
        assert!(Score::Mate(-900).centipawns() < Score::Cp(i32::MIN).centipawns());
        assert_eq!(Score::Mate(4).reversed(), Score::Mate(-4));
        assert_eq!(Score::Cp(i32::MIN).reversed(), Score::Cp(i32::MAX));
    }
}
