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

/// What `--quiet` promises: the bare answer.
#[test]
fn quiet_commands_answer_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let built = answer(0, &["tables", "build", "KQvK", "--out", out, "--quiet"]);
    let file = folder.path().join("KQvK.dtm").to_str().unwrap().to_owned();
    assert_eq!(built, format!("{file}\n"));
    let verified = answer(0, &["tables", "verify", &file, "--quiet"]);
    assert!(
        verified.starts_with("1 of 1 tables follow from the rules"),
        "{verified}"
    );
    for name in ["check", "scrub"] {
        let checked = answer(0, &["tables", name, &file, "--quiet"]);
        assert!(checked.starts_with("1 of 1 files sound"), "{checked}");
    }
    let counted = answer(0, &["tables", "stats", "KQvK", "--tables", out, "--quiet"]);
    assert!(counted.contains("longest wins"), "{counted}");
}

#[test]
fn positions_are_looked_up_in_syzygy_files() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), "KPvK");
    let tables = folder.path().to_str().unwrap();
    let fen = "8/8/8/8/8/1k6/7P/7K w - - 0 1";
    let words = ["tables", "probe", fen, "--tables", tables, "--line"];
    let own = object(0, &words);
    let syzygy = object(0, &[&words[..], &["--syzygy"]].concat());
    assert_eq!(own["tables"], "dtz");
    assert_eq!(syzygy["tables"], "syzygy");
    for field in ["material", "metric", "value", "dtz"] {
        assert_eq!(own[field], syzygy[field], "{field}");
    }
    let count = |answer: &serde_json::Value| answer["moves"].as_array().unwrap().len();
    assert_eq!(count(&own), count(&syzygy));
    let line = syzygy["line"].as_array().unwrap();
    assert!(line.last().unwrap().as_str().unwrap().ends_with('#'));
    // Without our own tables, Syzygy files are taken unasked.
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "dtz") {
            fs::remove_file(path).unwrap();
        }
    }
    assert_eq!(object(0, &words)["tables"], "syzygy");
    assert!(answer(0, &words).contains("it may take a ply more"));
    fs::remove_file(folder.path().join("KNvK.rtbw")).unwrap();
    let said = refusal(2, &[&words[..], &["--quiet"]].concat());
    assert!(said.contains("KNvK.rtbw"), "{said}");
}

/// A file with a changed byte is refused by its name, whichever byte it is and whoever reads the file.
#[test]
fn damaged_files_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), "KRvK");
    let tables = folder.path().to_str().unwrap();
    answer(
        0,
        &["tables", "build", "KRvK", "--no-stats", "--out", tables],
    );
    let mut rng = everymove_kernel::rng::SplitMix64::new(3);
    for name in ["KRvK.dtm", "KRvK.dtz", "KRvK.rtbw", "KRvK.rtbz"] {
        let path = folder.path().join(name);
        let file = path.to_str().unwrap();
        let whole = fs::read(&path).unwrap();
        for flip in 0..24 {
            let mut bytes = whole.clone();
            let at = match flip {
                // The heads of the files are short.
                0..12 => rng.below(80),
                _ => rng.below(whole.len() as u64),
            } as usize;
            bytes[at] ^= 1 << rng.below(8);
            fs::write(&path, &bytes).unwrap();
            let checked = answer(1, &["tables", "check", file, "--quiet"]);
            assert!(checked.contains(name), "{name} {at}: {checked}");
            let said = refusal(2, &["tables", "verify", file, "--quiet"]);
            assert!(said.contains(name), "{name} {at}: {said}");
            let metric = if name.ends_with("dtm") { "dtm" } else { "dtz" };
            let words = [
                "tables", "build", "KRvK", "--quiet", "--out", tables, "--metric", metric,
            ];
            let syzygy: &[&str] = if name.contains("rtb") {
                &["--syzygy"]
            } else {
                &[]
            };
            let said = refusal(2, &[&words[..], syzygy].concat());
            assert!(said.contains(name), "{name} {at}: {said}");
            let fen = "8/8/8/8/8/2k5/7R/K7 b - - 0 1";
            let words = ["tables", "probe", fen, "--quiet", "--tables", tables];
            if syzygy.is_empty() {
                // A table of our own is read where it is needed, block by block.
                let words = [&words[..], &["--metric", metric]].concat();
                let output = program(&words).output().unwrap();
                let said = String::from_utf8(output.stderr).unwrap();
                assert!(
                    output.status.success() || said.contains(name),
                    "{name} {at}: {said}"
                );
            } else {
                let said = refusal(2, &[&words[..], syzygy].concat());
                assert!(said.contains(name), "{name} {at}: {said}");
            }
        }
        fs::write(&path, &whole).unwrap();
    }
}

#[test]
fn tables_become_syzygy_files_and_back() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), "KPvK");
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let words = ["tables", "convert", &file("KPvK.dtz"), "--quiet"];
    let said = refusal(2, &words);
    assert!(said.contains("KPvK.rtbw is there already"), "{said}");
    let out = tempfile::tempdir().unwrap();
    let to = out.path().to_str().unwrap();
    let made = object(0, &["tables", "convert", &file("KPvK.dtz"), "--out", to]);
    assert_eq!(made["made"].as_array().unwrap().len(), 2);
    let same = |name: &str| {
        let other = fs::read(out.path().join(name)).unwrap();
        assert!(fs::read(file(name)).unwrap() == other, "{name}");
    };
    same("KPvK.rtbw");
    same("KPvK.rtbz");
    object(
        0,
        &[
            "tables",
            "convert",
            &file("KPvK.rtbw"),
            &file("KPvK.rtbz"),
            "--out",
            to,
        ],
    );
    same("KPvK.dtz");
    // Nothing is left of what could not be done.
    let empty = tempfile::tempdir().unwrap();
    let to = empty.path().to_str().unwrap();
    fs::remove_file(file("KQvK.rtbw")).unwrap();
    let said = refusal(
        2,
        &[
            "tables",
            "convert",
            &file("KPvK.rtbw"),
            "--quiet",
            "--out",
            to,
        ],
    );
    assert!(said.contains("KQvK.rtbw"), "{said}");
    let left: Vec<_> = fs::read_dir(to).unwrap().collect();
    assert!(left.iter().all(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        !name.to_str().unwrap().contains("KPvK")
    }));
    fs::write(file("KPvK.dtm"), "no table").unwrap();
    let said = refusal(2, &["tables", "convert", &file("KPvK.dtm"), "--quiet"]);
    assert!(said.contains("KPvK.dtm"), "{said}");
}
