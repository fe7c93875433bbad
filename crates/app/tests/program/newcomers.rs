//! What somebody meets who does not know the program yet: help, suggestions, completions, manual pages.

use std::fs;

use crate::{answer, program, run_in};

#[test]
fn without_a_command_an_overview_is_printed() {
    let text = answer(0, &[]);
    for word in [
        "tours find",
        "pegs solve",
        "analyse",
        "tables build",
        "lab run quick",
    ] {
        assert!(text.contains(word), "{word}");
    }
    let missing = program(&["tours"]).output().unwrap();
    let line = String::from_utf8(missing.stderr).unwrap();
    assert_eq!(missing.status.code(), Some(2));
    assert!(
        line.starts_with("everymove: everymove tours needs a command: expected exists, find"),
        "{line}"
    );
}

#[test]
fn a_misspelt_command_gets_a_suggestion_also_after_help() {
    for words in [
        &["tour"][..],
        &["help", "tour"],
        &["tours", "cuont"],
        &["help", "tours", "cuont"],
    ] {
        let output = program(words).output().unwrap();
        let line = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(
            line.contains("similar subcommand exists: '"),
            "{words:?}: {line}"
        );
    }
}

#[test]
fn failures_are_objects_under_json() {
    for (words, kind, code) in [
        (&["tours", "exists", "8y8"][..], "input", 2),
        (&["tours", "exists"], "input", 2),
        (&["nonsense"], "input", 2),
        (&["tours", "count", "9x9", "--ram", "64M"], "memory", 3),
    ] {
        let words: Vec<_> = words.iter().copied().chain(["--json"]).collect();
        let output = program(&words).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{words:?}");
        let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            (&object["kind"], &object["exit_code"]),
            (&kind.into(), &code.into()),
            "{words:?}"
        );
        assert!(
            object["error"]
                .as_str()
                .is_some_and(|line| !line.is_empty())
        );
    }
}

/// Every command with its subcommands, as words, from the manual pages that the program writes.
fn every_command() -> Vec<Vec<String>> {
    let dir = tempfile::tempdir().unwrap();
    let made = run_in(dir.path(), &["man", "--out", "made/here"]);
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    let pages = fs::read_dir(dir.path().join("made/here")).unwrap();
    let names = pages.map(|page| page.unwrap().file_name().into_string().unwrap());
    let words = |name: String| {
        let name = name.strip_suffix(".1").unwrap().to_owned();
        name.split('-').skip(1).map(str::to_owned).collect()
    };
    names.map(words).collect()
}

#[test]
fn help_of_every_command_fits_eighty_columns() {
    let commands = every_command();
    assert!(commands.len() > 40, "{}", commands.len());
    for words in commands {
        for option in ["-h", "--help"] {
            let mut command = program(&[]);
            let output = command
                .args(&words)
                .arg(option)
                .env("COLUMNS", "80")
                .output()
                .unwrap();
            assert!(output.status.success(), "{words:?}");
            for line in String::from_utf8(output.stdout).unwrap().lines() {
                assert!(line.chars().count() <= 80, "{words:?}: {line}");
                assert!(!line.ends_with('…'), "{words:?}: {line}");
            }
        }
    }
}

#[test]
fn completions_know_names() {
    let script = answer(0, &["completions", "bash"]);
    for name in [
        "english",
        "european",
        "tours-speedup",
        "quick",
        "KQPvK",
        "KRvKB",
    ] {
        assert!(script.contains(name), "{name}");
    }
}
