//! Tables of plies to a conversion.

use crate::tables::page_of_verified;
use crate::{answer, object, program};

/// The pawn promotes with its third move.
const THREE_STEPS: &str = "8/8/4K3/3P4/8/8/8/k7 w - - 0 1";

#[test]
fn pawn_moves_count_until_the_promotion() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let words = ["tables", "build", "KPvK", "--metric", "dtc", "--out", out];
    let made = answer(0, &words);
    assert!(made.contains("KPvK.dtc and 4 tables it needs"), "{made}");
    assert!(
        made.contains("plies to a capture, a promotion or mate"),
        "{made}"
    );
    let words = ["tables", "probe", THREE_STEPS, "--tables", out, "--line"];
    let found = object(0, &words);
    assert_eq!(
        (&found["metric"], &found["tables"], &found["value"]),
        (&"dtc".into(), &"dtc".into(), &"win".into())
    );
    assert_eq!(found["dtc"], 5);
    assert!(found["dtz"].is_null() && found["dtm"].is_null());
    let line = found["line"].as_array().unwrap();
    let promotes = |play: &serde_json::Value| play.as_str().unwrap().contains('=');
    assert_eq!(line.iter().position(promotes), Some(4), "{line:?}");
    assert!(line.last().unwrap().as_str().unwrap().ends_with('#'));
    // What follows the promotion may take more than fifty moves, as far as this table is concerned.
    let words = ["tables", "probe", THREE_STEPS, "--tables", out, "--clock"];
    let text = answer(0, &words);
    assert!(
        text.contains("win or draw: plies to a conversion do not determine it"),
        "{text}"
    );
    let page = page_of_verified(folder.path(), "KPvK", "dtc");
    assert!(page.contains("Plies to a capture, a promotion or mate (dtc)"));
    let file = format!("{out}/KPvK.dtc");
    for (words, expected) in [
        (
            vec!["tables", "convert", file.as_str()],
            "plies to conversion",
        ),
        (
            vec!["tables", "build", "KPvK", "--metric", "dtc", "--syzygy"],
            "not dtc: expected dtz",
        ),
    ] {
        let output = program(&words).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(expected), "{said}");
    }
}
