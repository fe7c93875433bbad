//! The lines that the engine sends.

use std::fmt::Write as _;

use shakmaty::{File, Move, Rank, Square};

use super::options::Settings;
use crate::bench::Bench;
use crate::game::Game;
use crate::position::Position;
use crate::score::{Score, UciScore, is_known};
use crate::search::run::SearchReport;
use crate::transposition_table::Bound;

/// Formats reports as `info` lines.
#[derive(Debug)]
pub(super) struct InfoWriter {
    root: Position,
    wdl: bool,
    numbered: bool,
}

impl InfoWriter {
    pub(super) fn new(settings: &Settings, root: &Position) -> Self {
        Self {
            root: root.clone(),
            wdl: settings.show_wdl,
            numbered: settings.options.multi_pv > 1,
        }
    }

    /// A line for each principal variation.
    pub(super) fn report(&self, report: &SearchReport) -> String {
        let mut text = String::new();
        let ms = report.elapsed.as_millis();
        let nps = (u128::from(report.nodes) * 1000)
            .checked_div(ms)
            .unwrap_or(0);
        for (i, line) in report.lines.iter().enumerate() {
            let _ = write!(
                text,
                "info depth {} seldepth {}",
                report.depth, line.sel_depth
            );
            if self.numbered {
                let _ = write!(text, " multipv {}", i + 1);
            }
            if line.bound != Bound::None {
                let _ = write!(text, " score {}", UciScore::of(line.score));
            }
            text += match line.bound {
                Bound::Lower => " lowerbound",
                Bound::Upper => " upperbound",
                Bound::None | Bound::Exact => "",
            };
            if self.wdl && line.bound != Bound::None {
                let [w, d, l] = wdl(line.score);
                let _ = write!(text, " wdl {w} {d} {l}");
            }
            let _ = write!(
                text,
                " nodes {} nps {nps} hashfull {} tbhits {} time {ms} pv",
                report.nodes, report.hashfull, report.tb_hits
            );
            for &m in &line.pv {
                let _ = write!(text, " {}", self.root.uci(m));
            }
            text.push('\n');
        }
        text.pop();
        text
    }

    /// The lines before the move: the counters at the end of the search, and the line that begins
    /// with the move to be played. `None` without a move, and if the last report, `reported`,
    /// said that already. It may be of a thread that found another move best.
    pub(super) fn last_report(
        &self,
        report: &SearchReport,
        best: Option<Move>,
        reported: Option<&SearchReport>,
    ) -> Option<String> {
        let best = best?;
        let mut last = report.clone();
        let played = (last.lines.iter()).position(|line| line.pv.first() == Some(&best))?;
        if played > 0 {
            // Limited strength chose another line than the best one.
            last.lines.swap(0, played);
            last.lines.truncate(1);
        } else if reported.is_some_and(|r| r.nodes == report.nodes && first_move(r) == Some(best)) {
            return None;
        }
        Some(self.report(&last))
    }

    /// The score of a root without legal moves: mate or stalemate.
    pub(super) fn over(&self) -> Option<&'static str> {
        let mated = self.root.checkers().any();
        let line = if mated {
            "info depth 0 score mate 0"
        } else {
            "info depth 0 score cp 0"
        };
        self.root.legal_moves().is_empty().then_some(line)
    }

    pub(super) fn best(&self, (best, ponder): (Option<Move>, Option<Move>)) -> String {
        let uci = |m: Move| self.root.uci(m);
        match (best.map(uci), ponder.map(uci)) {
            (None, _) => "bestmove (none)".into(),
            (Some(best), None) => format!("bestmove {best}"),
            (Some(best), Some(ponder)) => format!("bestmove {best} ponder {ponder}"),
        }
    }
}

/// The move that a report says is best.
fn first_move(report: &SearchReport) -> Option<Move> {
    report.lines.first()?.pv.first().copied()
}

/// Win, draw and loss in thousandths: a logistic curve each, fitted to 240,000 positions of 1,500
/// own games at 1 s + 0.01 s. There a lead of 1.15 pawns won every second game. Near zero, games
/// are drawn more often than this function can express (72 in 100, not 59).
pub(super) fn wdl(score: Score) -> [u32; 3] {
    if is_known(score) {
        return if score > 0 {
            [1000, 0, 0]
        } else {
            [0, 0, 1000]
        };
    }
    let wins = |x: f64| (1000.0 / (1.0 + (-(x - 115.0) / 85.0).exp())).round() as u32;
    let (w, l) = (wins(f64::from(score)), wins(-f64::from(score)));
    [w, 1000 - w - l, l]
}

/// The board in letters, its FEN and key.
pub(super) fn board(game: &Game) -> String {
    let position = game.position();
    let mut text = String::new();
    for rank in Rank::ALL.into_iter().rev() {
        let _ = write!(text, "{} ", rank.char());
        for file in File::ALL {
            let piece = position.board().piece_at(Square::from_coords(file, rank));
            let _ = write!(text, " {}", piece.map_or('.', |p| p.char()));
        }
        text.push('\n');
    }
    let fen = position.fen();
    let key = position.keys().all;
    let _ = write!(text, "   a b c d e f g h\nFen: {fen}\nKey: {key:016X}");
    text
}

/// Leaves by first move, and all of them.
pub(super) fn perft(position: &Position, counts: &[(Move, u64)]) -> String {
    let mut text = String::new();
    for &(m, n) in counts {
        let _ = writeln!(text, "{}: {n}", position.uci(m));
    }
    let sum: u64 = counts.iter().map(|&(_, n)| n).sum();
    let _ = write!(text, "\nNodes searched: {sum}");
    text
}

/// The last line of a bench.
pub(super) fn bench(bench: &Bench) -> String {
    let seconds = bench.elapsed.as_secs_f64().max(1e-3);
    let nps = (bench.nodes as f64 / seconds) as u64;
    format!("{} nodes {nps} nps", bench.nodes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::run::Line;

    /// A report of a line for each of some moves, given by their numbers.
    fn report(root: &Position, moves: &[usize], nodes: u64) -> SearchReport {
        let legal = root.legal_moves();
        let line = |&number: &usize| Line {
            score: 10,
            bound: Bound::Exact,
            pv: vec![legal[number]],
            sel_depth: 1,
        };
        SearchReport {
            depth: 1,
            lines: moves.iter().map(line).collect(),
            nodes,
            elapsed: std::time::Duration::ZERO,
            hashfull: 0,
            tb_hits: 0,
        }
    }

    #[test]
    fn the_move_that_is_played_is_reported_last() {
        let root = Position::default();
        let settings = Settings::new(crate::engine::Options::default(), 1 << 30);
        let writer = InfoWriter::new(&settings, &root);
        let moves = root.legal_moves();
        let result = report(&root, &[3], 500);
        let last = |result, best: usize, reported: Option<SearchReport>| {
            writer.last_report(result, Some(moves[best]), reported.as_ref())
        };
        assert_eq!(last(&result, 3, Some(report(&root, &[3], 500))), None);
        // Of another thread; of fewer nodes; none.
        for reported in [
            Some(report(&root, &[4], 500)),
            Some(report(&root, &[3], 499)),
            None,
        ] {
            let text = last(&result, 3, reported).unwrap();
            assert!(text.ends_with(&format!(" pv {}", root.uci(moves[3]))));
        }
        // Another line than the best one.
        let several = report(&root, &[3, 4], 500);
        let text = last(&several, 4, Some(several.clone())).unwrap();
        assert!(text.ends_with(&format!(" pv {}", root.uci(moves[4]))));
    }

    #[test]
    fn chances_add_up() {
        for score in [-31_990, -300, -20, 0, 5, 100, 900, 31_990] {
            let [w, d, l] = wdl(score);
            assert_eq!(w + d + l, 1000);
            assert_eq!(wdl(-score), [l, d, w]);
        }
    }
}
