//! Questions in jobs, run one by one.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::{program, run_in};

/// Closed tours of the 6x7 board (OEIS A175881).
const CLOSED_6X7: &str = "1067638\n";

fn text(output: &Output, code: i32) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// `everymove`, some words, `--`, a question.
fn ask(folder: &Path, code: i32, words: &str, question: &str) -> String {
    let words = words.split_whitespace().chain(["--"]);
    let words: Vec<_> = words.chain(question.split_whitespace()).collect();
    text(&run_in(folder, &words), code)
}

#[test]
fn jobs_of_a_count_are_run_in_any_order_and_collected() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (question, count) in [
        ("tours count 6x7 --closed", CLOSED_6X7),
        ("tours count 6x7 --closed --directed", "2135276\n"),
        ("tours count 5x5 --by-start", "1728\n"),
        ("tours count 5x5 --method search", "864\n"),
    ] {
        let listed = ask(folder, 0, "jobs list --quiet", question);
        let ids: Vec<_> = listed.lines().collect();
        assert!(ids.len() > 2, "{question}: {listed}");
        let out = format!("results-{}", question.len());
        let (some, others) = ids.split_at(ids.len() / 2);
        let run = |ids: &[&str]| {
            let words = format!("jobs run --quiet --out {out} {}", ids.join(" "));
            ask(folder, 0, &words, question)
        };
        run(others);
        let missing = ask(folder, 1, &format!("jobs collect --quiet {out}"), question);
        assert_eq!(missing.lines().collect::<Vec<_>>(), some);
        run(&ids);
        let kept = contents(&folder.join(&out));
        assert_eq!(kept.len(), ids.len());
        run(&ids);
        assert_eq!(contents(&folder.join(&out)), kept);
        let found = ask(folder, 0, &format!("jobs collect --quiet {out}"), question);
        assert_eq!(found, count, "{question}");
    }
    // Results of another question are not taken.
    let output = run_in(
        folder,
        &[
            "jobs",
            "collect",
            "results-24",
            "--",
            "tours",
            "count",
            "5x8",
            "--closed",
        ],
    );
    let found = ask(
        folder,
        1,
        "jobs collect --quiet results-26",
        "tours count 6x7 --closed",
    );
    assert!(!found.is_empty());
    assert_ne!(output.status.code(), Some(0));
}

#[test]
fn endings_are_jobs_after_those_they_lead_to() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let question = "tables build --all 3 --out tables";
    let early = run_in(
        folder,
        &[
            "jobs", "run", "KPvK", "--", "tables", "build", "--all", "3", "--out", "tables",
        ],
    );
    let errors = String::from_utf8_lossy(&early.stderr).into_owned();
    assert_eq!(early.status.code(), Some(2), "{errors}");
    assert!(errors.contains("job KPvK comes after job K"), "{errors}");
    let stages: Vec<String> = (0..3)
        .map(|stage| {
            ask(
                folder,
                0,
                &format!("jobs list --quiet --stage {stage}"),
                question,
            )
        })
        .collect();
    let sizes: Vec<_> = stages.iter().map(|stage| stage.lines().count()).collect();
    assert_eq!(sizes, [4, 1, 0]);
    for stage in &stages[..2] {
        let ids = stage.split_whitespace().collect::<Vec<_>>().join(" ");
        ask(folder, 0, &format!("jobs run {ids}"), question);
    }
    let names = ask(folder, 0, "jobs collect --quiet jobs", question);
    assert_eq!(names.lines().count(), 5);
    let whole = text(
        &run_in(folder, &["tables", "build", "--all", "3", "--out", "whole"]),
        0,
    );
    assert!(whole.contains("made 5 tables"), "{whole}");
    for name in names.lines() {
        let table = |directory: &str| fs::read(folder.join(directory).join(format!("{name}.dtm")));
        assert!(
            table("tables").unwrap() == table("whole").unwrap(),
            "{name}"
        );
    }
}

#[test]
fn what_does_not_fall_into_jobs_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (words, part) in [
        ("jobs list -- tours find 8x8", "does not fall into jobs"),
        ("jobs list -- tours count 3x3", "too few rows"),
        ("jobs list -- tours count 6x6 --start a1", "has no start"),
        (
            "jobs list -- tours count 6x6 --closed --method search",
            "all open tours",
        ),
        (
            "jobs list -- tours count 6x6 --threads 2",
            "are no part of a question",
        ),
        (
            "jobs list -- tours cuont 6x6",
            "'tours cuont' does not fall into jobs",
        ),
        ("jobs list -- tables build --all 7", "expected 3 to 5"),
        (
            "jobs run class-7777 -- tours count 5x6",
            "there is no job class-7777",
        ),
        (
            "jobs collect nowhere -- tours count 5x6",
            "no such directory",
        ),
        (
            "jobs list -- pegs count english --positions",
            "does not fall into jobs",
        ),
    ] {
        let words: Vec<_> = words.split_whitespace().collect();
        let output = program(&words).current_dir(folder.path()).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {errors}");
        assert!(
            errors.contains(part) && errors.lines().count() == 1,
            "{words:?}: {errors}"
        );
    }
}

/// The files of a folder with their bytes.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut files: Vec<_> = entries
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    files
}
