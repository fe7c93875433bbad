//! `chess position`: the legal moves of a position, the state of a game, and the game as FEN and
//! PGN.

use everymove_engine::{Game, Position, Termination};
use everymove_kernel::run::Run;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{Color, Move, Position as _};

use super::game::{CheckedGame, GameRequest};
use super::notation;
use crate::error::Error;
use crate::request::{Answer, Request};
use crate::terminal::{OnTerminal, Shown, Text};

/// The legal moves of a position, and whether the game is over
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct PositionRequest {
    /// The game.
    #[command(flatten)]
    #[serde(flatten)]
    game: GameRequest,
    /// Add all moves with their variations and comments to the JSON answer
    #[arg(long)]
    #[serde(default)]
    tree: bool,
}

/// The checked question.
#[derive(Clone, Debug)]
pub struct PositionPlan {
    checked: CheckedGame,
    tree: bool,
}

/// A position, its legal moves, and the game that led to it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PositionDetails {
    /// The position.
    fen: String,
    /// The position from which the game started.
    start_fen: String,
    /// The side to move: `white` or `black`.
    side_to_move: SideName,
    /// The number of the next move, as PGN counts moves.
    move_number: u32,
    /// Plies since the last capture or pawn move.
    halfmove_clock: u32,
    /// Number of pieces, kings included.
    pieces: usize,
    /// Whether the side to move is in check.
    check: bool,
    /// How often the position has occurred in the game, this time included.
    repetitions: usize,
    /// The legal moves.
    moves: Vec<LegalMove>,
    /// The moves played, in order.
    history: Vec<PlayedMove>,
    /// How the game ended by the rules; null while it is in progress.
    outcome: Option<Ending>,
    /// The game in Portable Game Notation, with the tags, comments, glyphs and variations of the
    /// one that was read.
    pgn: String,
    /// The start and all moves of the game, each after the one that it follows, if that was asked
    /// for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tree: Vec<TreeNode>,
    /// What each game of the PGN that was read is called; none without one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    games: Vec<String>,
    /// What was repaired in the position, a line for each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// A side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum SideName {
    /// The side that moves first.
    White,
    /// The other side.
    Black,
}

impl From<Color> for SideName {
    fn from(color: Color) -> Self {
        match color {
            Color::White => Self::White,
            Color::Black => Self::Black,
        }
    }
}

/// A legal move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct LegalMove {
    /// The move in UCI notation.
    uci: String,
    /// The move in standard algebraic notation.
    san: String,
    /// The position after it.
    fen: String,
    /// Whether it captures.
    capture: bool,
}

/// A move that was played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct PlayedMove {
    /// The move in UCI notation.
    uci: String,
    /// The move in standard algebraic notation.
    pub(super) san: String,
    /// The position after it.
    fen: String,
}

/// The start of a game, or a move and what is written about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct TreeNode {
    /// The move in UCI notation; null for the start and for null moves.
    pub(super) uci: Option<String>,
    /// The move in standard algebraic notation, `--` for a null move; empty for the start.
    pub(super) san: String,
    /// The position after it.
    pub(super) fen: String,
    /// The places in the list of the moves that may follow: the first is the main line, the others
    /// are variations.
    pub(super) next: Vec<u32>,
    /// The comments before the move, of which only the first one of a variation can have some.
    pub(super) before: Vec<String>,
    /// The comments after it.
    pub(super) comments: Vec<String>,
    /// Its numeric annotation glyphs.
    pub(super) nags: Vec<u8>,
}

/// How a game ended by the rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Ending {
    /// `checkmate`, `stalemate`, `repetition`, `fifty moves` or `insufficient material`.
    pub(super) kind: &'static str,
    /// The winner; null for a draw.
    winner: Option<SideName>,
    /// A line for people.
    pub(super) text: String,
}

impl Ending {
    /// How a game ended, `None` while it is in progress.
    pub(super) fn of(game: &Game) -> Option<Self> {
        let end = game.termination()?;
        Some(Self {
            kind: match end {
                Termination::Checkmate(_) => "checkmate",
                Termination::Stalemate => "stalemate",
                Termination::Repetition => "repetition",
                Termination::FiftyMoves => "fifty moves",
                Termination::Material => "insufficient material",
            },
            winner: end.winner().map(SideName::from),
            text: end.to_string(),
        })
    }
}

/// A move and the position after it.
pub(super) fn played(position: &Position, m: Move) -> PlayedMove {
    PlayedMove {
        uci: position.uci(m),
        san: notation::san(position, m),
        fen: position.play(m).fen(),
    }
}

impl Request for PositionRequest {
    const COMMAND: &'static str = "chess position";
    const IS_SERVED: bool = true;
    type Plan = PositionPlan;
    type Answer = PositionDetails;

    fn plan(&self) -> Result<PositionPlan, Error> {
        let checked = self.game.plan()?;
        if self.tree {
            checked.limit_tree()?;
        }
        Ok(PositionPlan {
            checked,
            tree: self.tree,
        })
    }

    fn run(plan: &PositionPlan, _: &Run) -> Result<PositionDetails, Error> {
        let checked = &plan.checked;
        let position = checked.game.position();
        let mut now = checked.start.clone();
        let history = checked.moves.iter().map(|&m| {
            let move_played = played(&now, m);
            now = now.play(m);
            move_played
        });
        let history = history.collect();
        let moves = position.legal_moves().into_iter().map(|m| {
            let PlayedMove { uci, san, fen } = played(position, m);
            LegalMove {
                uci,
                san,
                fen,
                capture: m.is_capture(),
            }
        });
        let mut moves: Vec<_> = moves.collect();
        moves.sort_by(|a, b| a.uci.cmp(&b.uci));
        Ok(PositionDetails {
            fen: position.fen(),
            start_fen: checked.start.fen(),
            side_to_move: position.turn().into(),
            move_number: position.chess().fullmoves().get(),
            halfmove_clock: position.halfmoves(),
            pieces: position.board().occupied().count(),
            check: position.checkers().any(),
            repetitions: checked.game.repetitions(),
            moves,
            history,
            outcome: Ending::of(&checked.game),
            pgn: checked.pgn(),
            tree: if plan.tree {
                checked.tree()
            } else {
                Vec::new()
            },
            games: checked.titles.clone(),
            notes: checked.notes.clone(),
        })
    }
}

impl OnTerminal for PositionRequest {
    type View = ();

    fn show(_: &PositionPlan, answer: &PositionDetails, (): &()) -> Result<Shown, Error> {
        let moves: Vec<_> = answer.moves.iter().map(|m| m.san.as_str()).collect();
        let bare = format!("{}\n", answer.fen);
        let mut full = bare.clone();
        if let Some(end) = &answer.outcome {
            full += &format!("{}\n", end.text);
        }
        if !moves.is_empty() {
            full += &format!("{} moves: {}\n", moves.len(), moves.join(" "));
        }
        if answer.games.len() > 1 {
            full += &format!(
                "{} games in the PGN; --number N shows another one\n",
                answer.games.len()
            );
        }
        Ok(Shown::from(Text { bare, full }))
    }
}

impl Answer for PositionDetails {
    fn notes(&self) -> &[String] {
        &self.notes
    }
}

#[cfg(test)]
mod tests {
    use super::super::game::MOST_NODES;
    use super::*;

    fn ask(json: &str) -> Result<PositionDetails, Error> {
        let request: PositionRequest = crate::read(json)?;
        PositionRequest::run(&request.plan()?, &Run::serial())
    }

    #[test]
    fn a_game_is_followed_to_its_end() {
        let answer = ask(r#"{"moves":["f3","e7e5","g4","Qh4#"]}"#).unwrap();
        assert_eq!(answer.history[3].san, "Qh4#");
        assert_eq!(answer.history[1].uci, "e7e5");
        assert!(answer.moves.is_empty() && answer.check);
        let end = answer.outcome.unwrap();
        assert_eq!((end.kind, end.winner), ("checkmate", Some(SideName::Black)));
        assert!(
            answer.pgn.ends_with("\n1. f3 e5 2. g4 Qh4# 0-1\n"),
            "{}",
            answer.pgn
        );
        let again = serde_json::json!({ "pgn": answer.pgn }).to_string();
        assert_eq!(ask(&again).unwrap().fen, answer.fen);
    }

    /// What is written beside the moves stays where the moves do; a move in place of another one
    /// makes that a variation.
    #[test]
    fn a_game_is_written_with_all_that_was_read() {
        let text = "[White \"A\"]\n\n1. e4 {a} e5 $14 (1... c5 {b} 2. Nf3) 2. f4 ; c\nexf4 1-0\n\n[White \"B\"]\n\n1. d4 *";
        let written = |fields: serde_json::Value| {
            let mut json = serde_json::json!({ "pgn": text });
            let given = fields.as_object().unwrap().clone();
            json.as_object_mut().unwrap().extend(given);
            ask(&json.to_string()).map(|answer| answer.pgn)
        };
        let moves = |fields| {
            let pgn = written(fields).unwrap();
            pgn.split_once("\n\n")
                .unwrap()
                .1
                .replace('\n', " ")
                .trim()
                .to_owned()
        };
        let all = "1. e4 {a} 1... e5 $14 (1... c5 {b} 2. Nf3) 2. f4 {c} 2... exf4 1-0";
        assert_eq!(moves(serde_json::json!({})), all);
        let same = serde_json::json!({ "plies": 0, "moves": ["e4", "e5", "f4", "exf4"] });
        assert_eq!(moves(same), all);
        let longer = serde_json::json!({ "moves": ["Nf3"] });
        assert_eq!(moves(longer), all.replace("1-0", "3. Nf3 *"));
        let other = serde_json::json!({ "plies": 2, "moves": ["Nc3"] });
        let expected = "1. e4 {a} 1... e5 $14 (1... c5 {b} 2. Nf3) 2. Nc3 (2. f4 {c} 2... exf4) *";
        assert_eq!(moves(other), expected);
        let shorter = serde_json::json!({ "plies": 1 });
        assert_eq!(moves(shorter), "1. e4 {a} *");
        assert_eq!(moves(serde_json::json!({ "number": 2 })), "1. d4 *");
        let titles = ask(&serde_json::json!({ "pgn": text }).to_string())
            .unwrap()
            .games;
        assert_eq!(titles, ["A - ?", "B - ?"]);
        for (fields, field) in [
            (serde_json::json!({ "number": 3 }), "number"),
            (serde_json::json!({ "plies": 5 }), "plies"),
            (serde_json::json!({ "pgn": "*" }), "pgn"),
        ] {
            assert_eq!(written(fields).unwrap_err().wrong_field(), Some(field));
        }
        let repaired = ask(r#"{"fen":"4k3/8/8/8/8/8/8/4K2R w KQ - 0 1"}"#).unwrap();
        assert!(repaired.fen.contains(" w K - ") && repaired.notes.len() == 1);
    }

    /// The tree has what PGN has: moves, null moves, comments in their places, glyphs.
    #[test]
    fn a_game_is_a_tree() {
        let text =
            "{start} 1. e4 e5 $14 (1... c5 {b} 2. Nf3 (2. -- a6) 2... d6) (1... {a} c6) 2. f4 1-0";
        let json = serde_json::json!({ "pgn": text, "tree": true }).to_string();
        let tree = ask(&json).unwrap().tree;
        let lines = |at: usize| {
            let next = tree[at].next.iter().map(|&n| &tree[n as usize]);
            next.map(|node| node.san.as_str()).collect::<Vec<_>>()
        };
        assert_eq!((lines(0), lines(1)), (vec!["e4"], vec!["e5", "c5", "c6"]));
        assert_eq!(
            (&tree[0].uci, tree[0].comments.join("")),
            (&None, "start".to_owned())
        );
        assert_eq!(
            (tree[2].nags.clone(), tree[2].uci.as_deref()),
            (vec![14], Some("e7e5"))
        );
        let at = |san: &str| tree.iter().position(|node| node.san == san).unwrap();
        assert_eq!(lines(at("c5")), ["Nf3", "--"]);
        assert_eq!((&tree[at("--")].uci, lines(at("--"))), (&None, vec!["a6"]));
        assert!(
            tree[at("a6")].fen.contains(" w KQkq - 0 3"),
            "{}",
            tree[at("a6")].fen
        );
        assert_eq!(
            (&tree[at("c6")].before[..], &tree[at("c5")].comments[..]),
            (&["a".to_owned()][..], &["b".to_owned()][..])
        );
        assert!(ask(r#"{"moves":["e4"]}"#).unwrap().tree.is_empty());
        let many = format!("1. e4 e5 {}*", "(1... c5) ".repeat(MOST_NODES));
        let json = serde_json::json!({ "pgn": many, "tree": true }).to_string();
        assert_eq!(ask(&json).unwrap_err().wrong_field(), Some("tree"));
    }

    /// Draws are those of matches: dead positions, and repetitions after moves of two squares by
    /// pawns that can be captured or not.
    #[test]
    fn draws_are_those_of_matches() {
        use everymove_arena::{CastlingMode, GameState, Opening, RuleEnd};

        let kings = "e2e4 d8c8 e1f1 c8d8 f1e1 d8c8 e1f1 c8d8 f1e1";
        let kings_up = "e7e5 d1c1 e8f8 c1d1 f8e8 d1c1 e8f8 c1d1 f8e8";
        for (fen, moves, kind) in [
            (
                "2b5/8/8/2k5/8/3B4/8/4KB2 w - - 0 1",
                "",
                Some("insufficient material"),
            ),
            (
                "5b2/8/8/2k5/8/8/1B6/2B1K3 b - - 0 1",
                "",
                Some("insufficient material"),
            ),
            (
                "4k3/8/8/8/8/8/1B6/2B1K1B1 w - - 9 40",
                "",
                Some("insufficient material"),
            ),
            ("2b5/8/8/2k5/8/8/1B6/4K3 w - - 0 1", "", None),
            ("8/8/8/2k5/8/8/1B6/4KN2 w - - 0 1", "", None),
            (
                "8/8/8/2k5/3p4/8/1B6/2B1K3 w - - 0 1",
                "e1d1 d4d3 b2d4 c5d4 c1e3 d4e3",
                None,
            ),
            // Pinned on the file, on a diagonal by both; not pinned.
            (
                "3k4/8/8/8/3p4/8/4P3/3RK3 w - - 0 1",
                kings,
                Some("repetition"),
            ),
            (
                "3rk3/4p3/8/3P4/8/8/8/3K4 b - - 0 1",
                kings_up,
                Some("repetition"),
            ),
            ("3k4/8/8/8/3p1p2/8/4P3/3RK3 w - - 0 1", kings, None),
            ("3k4/8/8/8/3p4/8/4P3/4K2R w - - 0 1", kings, None),
            (
                "3k4/8/8/8/8/3p4/4P3/4K3 w - - 0 1",
                kings,
                Some("repetition"),
            ),
        ] {
            let moves: Vec<_> = moves.split_whitespace().collect();
            let json = serde_json::json!({ "fen": fen, "moves": moves }).to_string();
            let found = ask(&json).unwrap().outcome.map(|end| end.kind);
            assert_eq!(found, kind, "{fen}");
            let opening = Opening {
                fen: Some(fen.to_owned()),
                moves: Vec::new(),
            };
            let Ok(mut game) = GameState::new(&opening, CastlingMode::Standard) else {
                assert_eq!(kind, Some("insufficient material"), "{fen}");
                continue;
            };
            for text in moves {
                game.play(game.parse_uci(text).unwrap());
            }
            let end = game.end().map(|end| match end {
                RuleEnd::Threefold => "repetition",
                _ => "another end",
            });
            assert_eq!(end, kind, "{fen}");
        }
    }

    #[test]
    fn a_position_has_its_moves() {
        let answer = ask(r#"{"fen":"8/P7/8/8/8/2k5/8/K7 w - - 0 9"}"#).unwrap();
        let sans: Vec<_> = answer.moves.iter().map(|m| m.san.as_str()).collect();
        assert_eq!(sans, ["Ka2", "Kb1", "a8=B", "a8=N", "a8=Q", "a8=R"]);
        assert_eq!((answer.pieces, answer.move_number), (3, 9));
        assert!(
            answer
                .pgn
                .contains("[FEN \"8/P7/8/8/8/2k5/8/K7 w - - 0 9\"]")
        );
    }

    #[test]
    fn chess960_is_read_by_its_variant_or_its_castling_rights() {
        let shuffled = "2rk1r2/pppppppp/8/8/8/8/PPPPPPPP/2RK1R2 w FCfc - 0 1";
        let answer =
            ask(&serde_json::json!({ "fen": shuffled, "moves": ["O-O", "d8c8"] }).to_string())
                .unwrap();
        assert_eq!(answer.start_fen, shuffled);
        assert_eq!(answer.history[0].uci, "d1f1");
        assert_eq!(answer.history[1].san, "O-O-O");
        assert!(
            answer.pgn.contains("[Variant \"Chess960\"]"),
            "{}",
            answer.pgn
        );
        let again = serde_json::json!({ "pgn": answer.pgn }).to_string();
        assert_eq!(ask(&again).unwrap().fen, answer.fen);
        let tag = shuffled.replace("FCfc", "KQkq");
        let pgn = format!("[Variant \"fischerandom\"]\n[FEN \"{tag}\"]\n\n1. O-O-O *");
        let answer = ask(&serde_json::json!({ "pgn": pgn }).to_string()).unwrap();
        assert_eq!(answer.history[0].uci, "d1c1");
        let other = ask(r#"{"pgn":"[Variant \"Crazyhouse\"]\n\n1. e4 *"}"#).unwrap_err();
        assert_eq!(other.wrong_field(), Some("pgn"));
    }

    #[test]
    fn wrong_moves_name_their_place() {
        let error = ask(r#"{"moves":["e4","e4"]}"#).unwrap_err();
        assert_eq!(error.wrong_field(), Some("moves"));
        assert_eq!(error.to_string(), "1... e4: no such legal move");
        let error = ask(r#"{"pgn":"1. e4 e5 2. Ke3 *"}"#).unwrap_err();
        assert_eq!(error.wrong_field(), Some("pgn"));
        assert_eq!(
            ask(r#"{"fen":"x"}"#).unwrap_err().wrong_field(),
            Some("fen")
        );
    }
}
