//! What somebody meets who does not know the program yet: help, suggestions, completions, manual
//! pages.

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
        "triangle5",
        "tours-speedup",
        "quick",
        "KQPvK",
        "KRvKB",
    ] {
        assert!(script.contains(name), "{name}");
    }
}

/// The line of a refusal.
fn refusal(words: &[&str]) -> String {
    let output = program(words).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{words:?}");
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!(line.lines().count(), 1, "{words:?}: {line}");
    line
}

#[test]
fn boards_of_tours_in_other_forms_are_answered_with_the_form_to_write() {
    for command in ["exists", "find", "list", "count", "sample"] {
        for board in [
            &["5", "5"][..],
            &["5 5"],
            &["5,5"],
            &["5", "x", "5"],
            &["5"],
            &["5y5"],
        ] {
            let words = [&["tours", command], board].concat();
            let line = refusal(&words);
            assert!(
                line.ends_with("is not a board: write 5x5\n"),
                "{words:?}: {line}"
            );
        }
    }
    for words in [
        &["tours", "symmetric", "5", "5", "--rotation", "half"][..],
        &["tours", "unrank", "5", "5", "17"],
        &["tours", "rank", "5", "5", "file"],
    ] {
        let line = refusal(words);
        assert!(
            line.ends_with("is not a board: write 5x5\n"),
            "{words:?}: {line}"
        );
    }
    let line = refusal(&["pegs", "solve", "5", "5"]);
    assert!(line.ends_with("write square5x5\n"), "{line}");
    for board in ["5x5", "5X5", "5×5"] {
        assert_eq!(answer(0, &["tours", "count", board, "--quiet"]), "864\n");
    }
}

/// The names that a command lists with `--quiet`, one a line.
fn listed(words: &[&str]) -> Vec<String> {
    let text = answer(0, &[words, &["--quiet"]].concat());
    text.lines().map(str::to_owned).collect()
}

/// Each letter of `name` is replaced in turn. The program must refuse the word with a suggestion,
/// unless the word is another name: then it may be asked something else, so only `is_name` is
/// tested.
fn one_wrong_letter(name: &str, command: &[&str], is_name: impl Fn(&str) -> bool) {
    for (at, letter) in name.char_indices() {
        let wrong = if letter == 'q' { 'w' } else { 'q' };
        let mut word = name.to_owned();
        word.replace_range(at..at + letter.len_utf8(), &wrong.to_string());
        if is_name(&word) {
            continue;
        }
        let line = refusal(&[command, &[&*word]].concat());
        let is_suggestion = line.contains("did you mean ") || line.contains(": write ");
        assert!(is_suggestion, "{word}: {line}");
    }
}

#[test]
fn names_with_one_wrong_letter_get_a_suggestion() {
    let boards = listed(&["pegs", "boards"]);
    let sizes = [
        "square5x5",
        "square12x3",
        "triangle7",
        "triangle10",
        "cracker-barrel",
        "french",
    ];
    for board in boards.iter().map(String::as_str).chain(sizes) {
        for command in [
            &["pegs", "solve"][..],
            &["pegs", "replay", "a3-a1", "--board"],
        ] {
            one_wrong_letter(board, command, |_| false);
        }
    }
    let experiments = listed(&["lab", "list"]);
    for name in experiments
        .iter()
        .map(String::as_str)
        .chain(["quick", "all"])
    {
        one_wrong_letter(name, &["lab", "run"], |_| false);
    }
    // Replacing a piece by a queen gives another ending. Its letters stand for pieces in any case.
    let is_ending = |word: &str| {
        let output = program(&["tables", "closure", word]).output().unwrap();
        output.status.success()
    };
    for ending in [
        "KQvK", "KPvK", "KRvKB", "KBNvK", "KRPvKR", "KQQvKQ", "KPPvKPP",
    ] {
        one_wrong_letter(ending, &["tables", "closure"], is_ending);
    }
    // The only letter of a board's size is the x; which digit was meant cannot be known.
    for board in ["8x8", "5x6", "10x10", "100x3"] {
        one_wrong_letter(board, &["tours", "exists"], |word| word.contains('x'));
    }
}
