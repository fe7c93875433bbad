//! Peg solitaire from outside: answers, reasons, files that read back, a game over a pipe.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::{answer, object, program, run_in};

/// What is read back from a run in a folder.
pub(super) fn text_in(folder: &Path, code: i32, words: &[&str]) -> String {
    let output = run_in(folder, words);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{words:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// The output of a run that reads `input`.
pub(crate) fn fed(words: &[&str], input: &str) -> String {
    let mut child = program(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{words:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_solution_is_shown_and_replays() {
    let dir = tempfile::tempdir().unwrap();
    for method in ["auto", "layers", "dfs", "dfs-set", "dfs-canonical"] {
        for threads in ["1", "2"] {
            let words = [
                "pegs",
                "solve",
                "triangle5",
                "--method",
                method,
                "--threads",
                threads,
            ];
            let found = object(0, &words);
            assert_eq!(
                (&found["board"], &found["start"], &found["finish"]),
                (&json!("triangle5"), &json!("a1"), &json!("anywhere"))
            );
            assert_eq!(
                (&found["solvable"], &found["verified"]),
                (&json!(true), &json!(true))
            );
            assert_eq!(found["jumps"].as_array().unwrap().len(), 13, "{method}");
            fs::write(dir.path().join("game.json"), found.to_string()).unwrap();
            let replayed: Value = serde_json::from_str(&text_in(
                dir.path(),
                0,
                &["pegs", "replay", "game.json", "--json"],
            ))
            .unwrap();
            assert_eq!(
                (&replayed["valid"], &replayed["moves"]),
                (&json!(true), &found["moves"])
            );
        }
    }
    // A board of one's own, into a file and back.
    let words = [
        "pegs",
        "solve",
        "oo.o",
        "--lattice",
        "triangular",
        "--finish",
        "anywhere",
        "--out",
        "game.txt",
    ];
    text_in(dir.path(), 0, &words);
    let replayed = text_in(dir.path(), 0, &["pegs", "replay", "game.txt"]);
    assert!(
        replayed.starts_with("valid: ") && replayed.contains("the last peg is in"),
        "{replayed}"
    );
}

#[test]
fn shortest_solutions_are_proved() {
    let found = object(
        0,
        &[
            "pegs",
            "solve",
            "triangle5",
            "--start",
            "a3",
            "--finish",
            "anywhere",
            "--shortest",
        ],
    );
    assert_eq!(
        (&found["moves"], &found["shortest"]),
        (&json!(9), &json!(true))
    );
    let ways = object(
        0,
        &[
            "pegs",
            "solve",
            "triangle5",
            "--finish",
            "a1",
            "--shortest",
            "--method",
            "layers",
        ],
    );
    assert_eq!(ways["moves"], 10);
}

#[test]
fn what_cannot_be_solved_is_told_with_the_reason() {
    let text = answer(1, &["pegs", "solve", "european", "--start", "d4"]);
    assert!(
        text.contains("no solution, proved by colouring") && text.contains("Mark these holes"),
        "{text}"
    );
    assert!(text.contains("no game from this start ends with one peg"));
    assert!(
        text.contains("that can be one of c1 d2 d3 and their images"),
        "{text}"
    );
    // Without a start, one from which a game can end with one peg.
    for board in ["european", "triangle7", "triangle4"] {
        answer(0, &["pegs", "solve", board]);
    }
    let class = object(
        1,
        &[
            "pegs", "solve", "european", "--start", "d4", "--finish", "d4",
        ],
    );
    assert_eq!(
        (&class["solvable"], &class["reason"]),
        (&json!(false), &json!("class"))
    );
    assert_eq!(class["work"], json!({}));
    for method in ["auto", "layers", "dfs", "dfs-set"] {
        let exhausted = object(
            1,
            &[
                "pegs",
                "solve",
                "square3x5",
                "--start",
                "a1",
                "--finish",
                "anywhere",
                "--method",
                method,
            ],
        );
        assert_eq!(exhausted["solvable"], false, "{method}");
    }
    let pegs = object(1, &["pegs", "solve", "o.o", "--finish", "ooo"]);
    assert_eq!(pegs["reason"], "pegs");
}

#[test]
fn counts_are_those_that_are_known() {
    let found = object(0, &["pegs", "count", "triangle5"]);
    assert_eq!(
        (&found["solutions"], &found["games"]),
        (&json!("29760"), &json!("568630"))
    );
    let list = found["positions_by_pegs"].as_array().unwrap();
    let sum: u64 = list.iter().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(found["positions"], sum.to_string());
    let next = object(
        0,
        &[
            "pegs",
            "count",
            "triangle5",
            "--start",
            "a2",
            "--threads",
            "2",
        ],
    );
    assert_eq!(
        (&next["solutions"], &next["games"]),
        (&json!("14880"), &json!("294543"))
    );
    let none = object(
        0,
        &[
            "pegs",
            "count",
            "triangle5",
            "--start",
            "b3",
            "--finish",
            "a2",
        ],
    );
    assert_eq!(
        (&none["solutions"], &none["reason"]),
        (&json!("0"), &json!("class"))
    );
    assert_eq!(
        answer(0, &["pegs", "count", "triangle5", "--positions", "--quiet"])
            .lines()
            .count(),
        1
    );
}

#[test]
fn a_count_goes_on_from_its_checkpoint() {
    let dir = tempfile::tempdir().unwrap();
    let words = [
        "pegs",
        "count",
        "diamond32",
        "--start",
        "d1",
        "--positions",
        "--quiet",
        "--checkpoint",
        "saved",
    ];
    let first = text_in(dir.path(), 0, &words);
    assert_eq!(text_in(dir.path(), 0, &words), first);
}

#[test]
fn a_table_has_every_problem_once() {
    let found = object(0, &["pegs", "table", "triangle5"]);
    let problems = found["problems"].as_array().unwrap();
    let moves = problems
        .iter()
        .filter_map(|row| row["moves"].as_u64())
        .min();
    assert_eq!((moves, &found["fewest_moves"]), (Some(9), &json!(9)));
    let corner = problems
        .iter()
        .find(|row| row["start"] == "a1" && row["finish"] == "a1")
        .unwrap();
    assert_eq!(corner["solutions"], "6816");
    let text = answer(0, &["pegs", "table", "triangle5"]);
    assert_eq!(text.lines().count(), problems.len() + 1);
    let solvable = object(0, &["pegs", "table", "triangle5", "--columns", "solvable"]);
    assert_eq!(solvable["solvable"], found["solvable"]);
}

#[test]
fn hints_agree_with_and_without_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let made = object_in(
        dir.path(),
        0,
        &["pegs", "winning", "triangle5", "--out", "t5.win"],
    );
    assert_eq!(
        made["bytes"],
        fs::metadata(dir.path().join("t5.win")).unwrap().len()
    );
    // After the first jump from the start, and a position that is lost.
    let positions = [("o/.o/.oo/oooo/ooooo", true), ("o/oo/.../.../...", false)];
    for (rows, _) in positions.iter().take(1) {
        let fresh = object_in(dir.path(), 0, &["pegs", "hint", rows]);
        let filed = object_in(
            dir.path(),
            0,
            &["pegs", "hint", rows, "--winning-set", "t5.win"],
        );
        for field in ["pegs", "winnable", "jumps"] {
            assert_eq!(fresh[field], filed[field], "{rows} {field}");
        }
        assert!(fresh["solutions"].as_str().unwrap().parse::<u64>().unwrap() > 0);
        assert_eq!(fresh["pegs"], 13);
    }
    let lost = object_in(dir.path(), 1, &["pegs", "hint", "o/../o../..../....."]);
    assert_eq!(
        (&lost["winnable"], &lost["jumps"]),
        (&json!(false), &json!([]))
    );
    // Many at once, and all jumps that a hint calls safe are so.
    let all = fed(
        &["pegs", "hint", "-", "--quiet"],
        "o/.o/.oo/oooo/ooooo\no/../o../..../.....\n",
    );
    let lines: Vec<&str> = all.lines().collect();
    assert_eq!((lines.len(), lines[1]), (2, "lost"));
    assert!(lines[0].contains('-'));
}

pub(super) fn object_in(folder: &Path, code: i32, words: &[&str]) -> Value {
    let words: Vec<_> = words.iter().copied().chain(["--json"]).collect();
    serde_json::from_str(&text_in(folder, code, &words)).unwrap()
}

#[test]
fn puzzles_have_their_point() {
    let words = [
        "pegs",
        "puzzle",
        "triangle5",
        "--number",
        "3",
        "--seed",
        "5",
        "--solution",
    ];
    let unique = object(0, &words);
    for rows in unique["puzzles"].as_array().unwrap() {
        let hint = object(0, &["pegs", "hint", rows.as_str().unwrap()]);
        assert_eq!(
            (&hint["solutions"], &hint["winnable"]),
            (&json!("1"), &json!(true)),
            "{rows}"
        );
    }
    assert_eq!(
        unique["solutions"].as_array().unwrap().len(),
        unique["puzzles"].as_array().unwrap().len()
    );
    let words = [
        "pegs",
        "puzzle",
        "triangle5",
        "--kind",
        "last-safe",
        "--pegs",
        "7",
    ];
    let last = object(0, &words);
    let hint = object(0, &["pegs", "hint", last["puzzles"][0].as_str().unwrap()]);
    assert_eq!(
        (&hint["pegs"], hint["jumps"].as_array().unwrap().len()),
        (&json!(7), 1)
    );
    assert!(hint["all_jumps"].as_array().unwrap().len() > 1);
}

#[test]
fn a_review_finds_the_jump_that_lost() {
    // The second jump strands the game: every later one is lost already.
    let solved = object(0, &["pegs", "solve", "triangle5", "--method", "layers"]);
    let jumps: Vec<&str> = solved["jumps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|j| j.as_str().unwrap())
        .collect();
    let review = object(
        0,
        &["pegs", "review", &jumps.join(" "), "--board", "triangle5"],
    );
    assert_eq!(
        (&review["solved"], &review["lost_at"]),
        (&json!(true), &Value::Null)
    );
    // After each prefix of the solution, look for a jump that loses.
    for made in 1..jumps.len() {
        let played = jumps[..made].join(" ");
        let open = object(0, &["pegs", "review", &played, "--board", "triangle5"]);
        assert_eq!(open["winnable"], true);
        let drawn = object(0, &["pegs", "draw", "triangle5", "--moves", &played]);
        let hint = object(0, &["pegs", "hint", drawn["position"].as_str().unwrap()]);
        let all = hint["all_jumps"].as_array().unwrap();
        let Some(bad) = all.iter().find(|jump| jump["keeps_winnable"] == false) else {
            continue;
        };
        let lost = format!("{played} {}", bad["jump"].as_str().unwrap());
        let review = object(0, &["pegs", "review", &lost, "--board", "triangle5"]);
        assert_eq!(
            (&review["lost_at"], &review["winnable"]),
            (&json!(made + 1), &json!(false))
        );
        return;
    }
    panic!("no jump loses");
}

#[test]
fn games_that_break_the_rules_are_invalid() {
    for (game, fault) in [
        ("d2-d4 d2-d4", "d2 holds no peg"),
        ("d2-d5", "not two apart"),
        ("d1-d3", "d3 is not empty"),
        ("a1-a3", "no hole a1"),
    ] {
        let text = answer(1, &["pegs", "replay", game]);
        assert!(
            text.starts_with("invalid: ") && text.contains(fault),
            "{game}: {text}"
        );
    }
    let open = object(0, &["pegs", "replay", "1. d2-d4, 2. b3-d3"]);
    assert_eq!((&open["jumps"], &open["pegs"]), (&json!(2), &json!(30)));
    let short = object(1, &["pegs", "replay", "d2-d4", "--finish", "d4"]);
    assert!(
        short["fault"]
            .as_str()
            .unwrap()
            .contains("not the finish d4")
    );
}

#[test]
fn pictures_are_drawn() {
    let dir = tempfile::tempdir().unwrap();
    for words in [
        &["pegs", "draw", "english", "--svg", "p.svg"][..],
        &[
            "pegs",
            "draw",
            "triangle5",
            "--moves",
            "a3-a1",
            "--svg",
            "p.svg",
            "--theme",
            "dark",
        ],
        &["pegs", "solve", "triangle5", "--svg", "p.svg"],
        &["pegs", "solve", "triangle5", "--svg", "p.svg", "--animate"],
    ] {
        text_in(dir.path(), 0, words);
        let svg = fs::read_to_string(dir.path().join("p.svg")).unwrap();
        assert!(
            svg.starts_with("<svg") && svg.ends_with("</svg>\n"),
            "{words:?}"
        );
        fs::remove_file(dir.path().join("p.svg")).unwrap();
    }
    let both = "pegs solve triangle5 --theme dark --svg p.svg --png p.png";
    let words: Vec<_> = both.split(' ').collect();
    assert!(text_in(dir.path(), 0, &words).ends_with("wrote p.svg\nwrote p.png\n"));
    let png = fs::read(dir.path().join("p.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG") && png.len() > 10_000);
    let board = answer(0, &["pegs", "draw", "_o_/o.o/_o_"]);
    assert_eq!(board, "   a b c\n1    ●\n2  ● · ●\n3    ●\n");
}

#[test]
fn a_game_is_played_over_a_pipe() {
    let moves =
        "a3-a1\nundo\nredo\nhint\njumps\nnonsense\na1-z9\nundo 7\nundo\ngame\nquit\nnever read\n";
    let text = fed(&["pegs", "play", "triangle5"], moves);
    for part in [
        "13 pegs",
        "14 pegs",
        "can be won: ",
        "'nonsense' is not understood",
        "z9",
        "cannot take back 7",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // A whole solution, played jump by jump, ends solved.
    let solved = object(0, &["pegs", "solve", "triangle5"]);
    let jumps: Vec<&str> = solved["jumps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|j| j.as_str().unwrap())
        .collect();
    let end: Value = serde_json::from_str(&fed(
        &["pegs", "play", "triangle5", "--json"],
        &(jumps.join("\n") + "\n"),
    ))
    .unwrap();
    assert_eq!(
        (&end["solved"], &end["pegs"], &end["jumps"]),
        (&json!(true), &json!(1), &solved["jumps"])
    );
}

/// Killed three times, each time when something more is kept, the same command still gives the
/// right answer.
#[cfg(unix)]
#[test]
fn a_killed_count_resumes() {
    let dir = tempfile::tempdir().unwrap();
    let words = [
        "pegs",
        "count",
        "english",
        "--quiet",
        "--checkpoint",
        "saved",
    ];
    // The complete files with layers, and their lengths.
    let kept = || {
        let files = fs::read_dir(dir.path().join("saved")).into_iter().flatten();
        let files = files.map(Result::unwrap).map(|file| file.path());
        let complete = files.filter(|file| file.extension().is_some_and(|e| e == "part"));
        let mut kept: Vec<_> = complete
            .map(|file| (fs::metadata(&file).unwrap().len(), file))
            .collect();
        kept.sort();
        kept
    };
    for _ in 0..3 {
        let before = kept();
        let mut child = program(&words)
            .current_dir(dir.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        while kept() == before {
            let ended = child.try_wait().unwrap();
            assert_eq!(ended, None, "it ended before it was killed");
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert_ne!(kept(), [], "no layers are kept");
    }
    let known = "23475688\n40861647040079968\n577116156815309849672\n";
    assert_eq!(text_in(dir.path(), 0, &words), known);
}

/// A file that is named by a link is replaced, and the link stays.
#[cfg(unix)]
#[test]
fn a_link_to_a_winning_set_stays_a_link() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("set"), "before").unwrap();
    std::os::unix::fs::symlink("set", dir.path().join("link")).unwrap();
    let words = ["pegs", "winning", "triangle5", "--json", "--out", "link"];
    let output = run_in(dir.path(), &words);
    assert!(output.status.success());
    let link = fs::symlink_metadata(dir.path().join("link")).unwrap();
    assert!(link.is_symlink());
    let set = fs::read(dir.path().join("set")).unwrap();
    assert!(set.starts_with(b"EMPEGPOS"));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["bytes"], set.len());
}
