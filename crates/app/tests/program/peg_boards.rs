//! Peg boards as people draw them, and games shown step by step.

use std::fs;

use serde_json::json;

use crate::pegs::{object_in, text_in};
use crate::{answer, object, program, run_in};

#[test]
fn boards_have_names_and_the_same_board_drawn_is_known() {
    let boards = object(0, &["pegs", "boards"]);
    let english = &boards["boards"][0];
    assert_eq!(
        (&english["name"], &english["holes"], &english["invariants"]),
        (&json!("english"), &json!(33), &json!(4))
    );
    let rows = english["rows"].as_str().unwrap();
    let dir = tempfile::tempdir().unwrap();
    fs::write(
        dir.path().join("cross.txt"),
        format!("# a cross\n{}\n", rows.replace('/', "\n")),
    )
    .unwrap();
    for board in [rows, "cross.txt", "english"] {
        assert_eq!(
            object_in(dir.path(), 0, &["pegs", "draw", board])["board"],
            "english"
        );
    }
}

#[test]
fn boards_are_read_as_people_draw_them() {
    let dir = tempfile::tempdir().unwrap();
    let pyramid = "    .\n   x x\n  x x x\n x x x x\nx x x x x\n";
    fs::write(dir.path().join("pyramid.txt"), pyramid).unwrap();
    let printed = answer(0, &["pegs", "draw", "triangle5", "--start", "a1"]);
    fs::write(dir.path().join("printed.txt"), printed).unwrap();
    for board in ["pyramid.txt", "printed.txt", "cracker-barrel", "triangle15"] {
        let found = object_in(dir.path(), 0, &["pegs", "solve", board]);
        assert_eq!(
            (&found["board"], &found["start"]),
            (&json!("triangle5"), &json!("a1")),
            "{board}"
        );
    }
    let cross = "  ooo/  ooo/ooooooo/ooo.ooo/ooooooo/  ooo/  ooo";
    let found = object(0, &["pegs", "draw", cross]);
    assert_eq!(found["board"], "english");
}

#[test]
fn a_lost_position_says_why() {
    let hint = |position: &str| answer(1, &["pegs", "hint", position]);
    let full = hint("english");
    assert!(
        full.contains("33 pegs: every hole is full")
            && full.contains("everymove pegs solve english"),
        "{full}"
    );
    let class = hint("o.oo/oo.o/..../....");
    assert!(
        class.contains("proved by colouring") && class.contains("ruled out"),
        "{class}"
    );
    assert!(!class.contains("loses"), "{class}");
    let json = object(1, &["pegs", "hint", "o.oo/oo.o/..../...."]);
    assert_eq!(json["reason"], "class");
    assert_eq!(
        object(1, &["pegs", "hint", "o.../.o../..../...."])["reachable"],
        false
    );
    assert_eq!(
        answer(
            1,
            &["pegs", "solve", "european", "--start", "d4", "--quiet"]
        ),
        "no solution\n"
    );
}

#[test]
fn large_boards_are_laid_out() {
    for board in ["triangle9", "triangle10", "square8x8", "square4x16"] {
        let drawn = object(0, &["pegs", "draw", board]);
        assert_eq!(drawn["board"], board);
    }
    let solve = ["pegs", "solve", "triangle10", "--start", "d7"];
    assert_eq!(object(1, &solve)["reason"], "class");
    let line = refusal(&["pegs", "table", "wiegleb", "--ram", "256M"]);
    assert!(
        line.contains("the table of the wiegleb board needs at least")
            && line.contains("G of memory"),
        "{line}"
    );
}

/// The line of a run that must be refused for want of memory.
fn refusal(words: &[&str]) -> String {
    let output = program(words).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{words:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn games_are_shown_step_by_step() {
    let dir = tempfile::tempdir().unwrap();
    let solve = ["pegs", "solve", "triangle5", "--steps", "--out", "game.txt"];
    let text = text_in(dir.path(), 0, &solve);
    assert!(
        text.contains("\nMove 1: ") && text.contains("wrote game.txt\n"),
        "{text}"
    );
    let drawn = text_in(dir.path(), 0, &["pegs", "draw", "game.txt"]);
    let steps = text.split_once("Start\n").unwrap().1;
    assert_eq!(
        drawn.split_once("Start\n").unwrap().1.trim_end(),
        steps
            .trim_end()
            .trim_end_matches("wrote game.txt")
            .trim_end()
    );
    let svg = ["pegs", "draw", "game.txt", "--svg", "game.svg"];
    assert_eq!(text_in(dir.path(), 0, &svg), "wrote game.svg\n");
}

#[test]
fn a_game_without_moves_is_refused_with_the_name_of_its_file() {
    let dir = tempfile::tempdir().unwrap();
    for (text, part) in [
        (
            "board english\nstart d4\nfinish d4\n",
            "the game has no moves",
        ),
        ("board englsh\nd2-d4\n", "did you mean english?"),
        ("d2-\n", "not a hole"),
    ] {
        fs::write(dir.path().join("game.txt"), text).unwrap();
        let output = run_in(dir.path(), &["pegs", "replay", "game.txt"]);
        let line = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(line.contains("game.txt: ") && line.contains(part), "{line}");
    }
}
