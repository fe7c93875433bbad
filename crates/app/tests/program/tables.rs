//! Endgame tables: made, looked up, checked, damaged.

use std::fs;
use std::path::Path;

use crate::{answer, object, program};

/// Makes an ending's tables and Syzygy files.
fn build(folder: &Path, name: &str) {
    let folder = folder.to_str().unwrap();
    answer(
        0,
        &[
            "tables",
            "build",
            name,
            "--syzygy",
            "--no-stats",
            "--out",
            folder,
        ],
    );
}

/// The one line that a refused command says.
fn refusal(code: i32, words: &[&str]) -> String {
    let output = program(words).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
    assert_eq!(said.lines().count(), 1, "{words:?}: {said}");
    said
}

#[test]
fn syzygy_files_are_verified() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), "KPvK");
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (wdl, dtz) = (file("KPvK.rtbw"), file("KPvK.rtbz"));
    let verified = object(0, &["tables", "verify", &wdl, &dtz, &file("KQvK.rtbw")]);
    assert_eq!(verified["files"], 3);
    assert_eq!(verified["valid"], true);
    let ours = object(0, &["tables", "verify", &file("KPvK.dtz")]);
    let theirs = object(0, &["tables", "verify", &dtz]);
    assert_eq!(ours["work"]["positions"], theirs["work"]["positions"]);
    // Without the other file less is shown, and said to be.
    fs::remove_file(&dtz).unwrap();
    let alone = object(0, &["tables", "verify", &wdl]);
    assert_eq!(alone["without_dtz"], serde_json::json!(["KPvK.rtbw"]));
    // What is missing is named.
    fs::remove_file(file("KRvK.rtbw")).unwrap();
    let said = refusal(2, &["tables", "verify", "--quiet", &wdl]);
    assert!(said.contains("KRvK.rtbw"), "{said}");
    // Another ending's file under this name.
    fs::copy(file("KQvK.rtbw"), &wdl).unwrap();
    let said = refusal(2, &["tables", "verify", "--quiet", &wdl]);
    assert!(said.contains("it holds KQvK.rtbw"), "{said}");
    let said = refusal(
        3,
        &[
            "tables",
            "verify",
            "--ram",
            "40K",
            "--quiet",
            &file("KQvK.rtbw"),
        ],
    );
    assert!(said.contains("needs at least"), "{said}");
}
