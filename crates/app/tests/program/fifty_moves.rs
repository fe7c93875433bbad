//! Tables of plies to mate under the fifty-move rule.

use crate::tables::page_of_verified;
use crate::{answer, object, program};

/// A mate in 11 plies, whose clock is given.
fn mate_in_eleven(clock: u32) -> String {
    format!("8/8/8/8/8/2k5/7Q/K7 w - - {clock} 90")
}

#[test]
fn the_clock_decides_how_and_whether_a_position_is_won() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let words = ["tables", "build", "KQvK", "--metric", "dtm50", "--out", out];
    let made = answer(0, &words);
    assert!(made.contains("KQvK.dtm50"), "{made}");
    assert!(
        made.contains("the longest 19 plies to mate under the fifty-move rule"),
        "{made}"
    );
    for (clock, value, plies) in [
        (0, "win", 11.into()),
        (89, "win", 11.into()),
        (90, "draw", serde_json::Value::Null),
    ] {
        let fen = mate_in_eleven(clock);
        let words = [
            "tables", "probe", &fen, "--tables", out, "--clock", "--line",
        ];
        let found = object(0, &words);
        assert_eq!(
            (&found["metric"], &found["value"], &found["dtm50"]),
            (&"dtm50".into(), &"win".into(), &11.into())
        );
        let at_clock = &found["at_clock"];
        assert_eq!(
            (&at_clock["clock"], &at_clock["value"]),
            (&clock.into(), &value.into())
        );
        assert_eq!(at_clock["dtm50"], plies);
        let line = found["line"].as_array().unwrap();
        assert_eq!(line.len(), if value == "win" { 11 } else { 0 });
        assert_eq!(found["moves"][0]["at_clock"], value);
        assert_eq!(found["moves"][0]["distance_at_clock"], plies);
    }
    let text = answer(
        0,
        &[
            "tables",
            "probe",
            &mate_in_eleven(89),
            "--tables",
            out,
            "--clock",
        ],
    );
    assert!(
        text.contains("with the half-move clock of 89: win, 11 plies to mate"),
        "{text}"
    );
    let page = page_of_verified(folder.path(), "KQvK", "dtm50");
    assert!(page.contains("Plies to mate under the fifty-move rule (dtm50)"));
    let fens = folder.path().join("fens");
    std::fs::write(&fens, mate_in_eleven(90)).unwrap();
    let words = [
        "tables",
        "probe",
        "--fens",
        fens.to_str().unwrap(),
        "--tables",
        out,
        "--clock",
    ];
    let said = answer(0, &words);
    let line: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(
        (&line["dtm50"], &line["at_clock"]["value"]),
        (&11.into(), &"draw".into())
    );
}

#[test]
fn what_these_tables_do_not_have_is_refused() {
    for (options, expected) in [
        (&["--checkpoint", "saved"][..], "without a checkpoint"),
        (&["--schedule", "scan"], "without a schedule"),
        (&["--syzygy"], "not dtm50"),
    ] {
        let words = [&["tables", "build", "KQvK", "--metric", "dtm50"], options].concat();
        let output = program(&words).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.contains(expected) && said.lines().count() == 1,
            "{said}"
        );
    }
}
