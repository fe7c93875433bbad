//! Layers and halves that several processes share.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::cluster::{CLOSED_6X7, ask, contents, process_0_with, process_1, text};
use crate::run_in;

/// The answer of a command in JSON.
fn json(folder: &Path, words: &str) -> Value {
    let words: Vec<_> = words.split_whitespace().collect();
    serde_json::from_str(&text(&run_in(folder, &words), 0)).unwrap()
}

/// The positions of a board, whose layers the processes share.
const SHARED: &str = "pegs count english --positions";

#[test]
fn processes_that_share_layers_count_what_one_counts() {
    let folder = tempfile::tempdir().unwrap();
    let alone = json(folder.path(), &format!("--json {SHARED}"));
    assert_eq!(alone["positions"], "23475688");
    let mut digests = None;
    for processes in 1..=3 {
        let found = json(
            folder.path(),
            &format!("--json cluster run --local {processes} -- {SHARED}"),
        );
        let shared = &found["distributed"];
        for (field, value) in shared["count"].as_object().unwrap() {
            assert_eq!(alone[field], *value, "{field}");
        }
        assert_eq!(shared["processes"], processes);
        assert_eq!(found["bytes_sent"].as_u64().unwrap() > 0, processes > 1);
        let layers = shared["digests"].as_array().unwrap();
        assert_eq!(layers.len(), alone["pegs"].as_array().unwrap().len());
        assert_eq!(digests.get_or_insert_with(|| layers.clone()), layers);
    }
    let printed = ask(folder.path(), 0, "cluster run --quiet --local 2", SHARED);
    assert_eq!(printed, "23475688\n");
}

#[test]
fn processes_that_share_layers_of_tours_count_what_one_counts() {
    let folder = tempfile::tempdir().unwrap();
    let count = "tours count 6x7 --closed";
    let alone = json(folder.path(), &format!("--json {count}"));
    assert_eq!(alone["count"], CLOSED_6X7.trim());
    let mut digests = None;
    for processes in 1..=3 {
        let found = json(
            folder.path(),
            &format!("--json cluster run --local {processes} --shared-layers -- {count}"),
        );
        let shared = &found["distributed"];
        assert_eq!(shared["count"]["count"], alone["count"]);
        assert_eq!(shared["count"]["layers"], "shared");
        assert_eq!(shared["processes"], processes);
        assert_eq!(found["bytes_sent"].as_u64().unwrap() > 0, processes > 1);
        let layers = shared["digests"].as_array().unwrap();
        assert!(layers.len() > 20, "{}", layers.len());
        assert_eq!(digests.get_or_insert_with(|| layers.clone()), layers);
    }
    let run = "cluster run --quiet --local 2 --shared-layers";
    let printed = ask(folder.path(), 0, run, "tours count 5x6 --directed");
    assert_eq!(printed, "37568\n");
    // What has no layers to share, or asks for more than they give.
    for (asked, line) in [
        ("tours count 5x6 --by-start", "count tours, nothing else"),
        ("tours count 5x6 --method search", "no layers to share"),
        ("tours count 3x40", "boards of at most 110 squares"),
        ("tours count 1x1 --directed", "one square has no layers"),
        ("tables build KQvK", "no layers to share"),
    ] {
        let words = format!("{run} -- {asked}");
        let words: Vec<_> = words.split_whitespace().collect();
        let output = run_in(folder.path(), &words);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{asked}: {errors}");
        assert!(errors.contains(line), "{asked}: {errors}");
    }
    let words = "cluster run --local 2 --out results -- pegs count triangle5 --positions";
    let output = run_in(folder.path(), &words.split(' ').collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("keep no results"));
}

/// The results of jobs are those of processes that make everything by themselves.
#[test]
fn processes_that_share_a_half_run_the_same_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let question = "tours count 6x7 --closed";
    for processes in 1..=3 {
        let run = format!("cluster run --quiet --local {processes} --shared-half --out shared");
        assert_eq!(ask(folder, 0, &run, question), CLOSED_6X7);
        // Nothing is left to do.
        assert_eq!(ask(folder, 0, &run, question), CLOSED_6X7);
        ask(folder, 0, "cluster run --local 2 --out alone", question);
        assert_eq!(
            contents(&folder.join("shared")),
            contents(&folder.join("alone"))
        );
        fs::remove_dir_all(folder.join("shared")).unwrap();
    }
    let run = "cluster run --local 2 --shared-half";
    for (words, line) in [
        (
            "-- tables build KQvK",
            "expected a count of tours by classes",
        ),
        ("-- tours count 5x6 --by-start", "other jobs have no half"),
        (
            "--checkpoint saved -- tours count 5x6",
            "a checkpoint is for",
        ),
        ("--shared-layers -- tours count 5x6", "cannot be used with"),
        ("-- tours count 3x3", "too few rows"),
    ] {
        let words = format!("{run} {words}");
        let output = run_in(folder, &words.split(' ').collect::<Vec<_>>());
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words}: {errors}");
        assert!(errors.contains(line), "{words}: {errors}");
    }
}

/// Nothing stays of a count that is complete; jobs have no checkpoint.
#[test]
fn shared_layers_are_saved_where_a_checkpoint_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let run = |question: &str| {
        let words = format!("cluster run --local 2 --checkpoint saved {question}");
        let output = run_in(folder.path(), &words.split(' ').collect::<Vec<_>>());
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), errors)
    };
    let (code, errors) = run("-- tours count 5x6");
    assert_eq!(code, Some(2), "{errors}");
    assert!(
        errors.contains("a checkpoint is for shared layers"),
        "{errors}"
    );
    for question in [
        "-- pegs count triangle5 --positions",
        "--shared-layers -- tours count 5x6",
    ] {
        let (code, errors) = run(question);
        assert_eq!(code, Some(0), "{errors}");
        let left = fs::read_dir(folder.path().join("saved")).unwrap();
        let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["lock"]);
    }
}

/// What those that share layers may do when one of them is lost.
const AGAIN: &str = "the same command begins again";

/// Each of two processes that share layers is killed, then stopped.
#[test]
fn a_process_that_is_lost_ends_those_that_share_its_layers() {
    const LONG: &str = "pegs count european --positions";
    lost_at("", LONG, AGAIN);
}

/// The same with layers of tours.
#[test]
fn a_process_that_is_lost_ends_those_that_share_its_layers_of_tours() {
    lost_at("--shared-layers", "tours count 8x8", AGAIN);
}

/// The same while all make the half that jobs need.
#[test]
fn a_process_that_is_lost_ends_those_that_share_its_half() {
    let advice = "the same command resumes from the finished jobs";
    lost_at("--shared-half", "tours count 7x9", advice);
}

/// Each of two processes that answer a long question with shared layers is killed, then stopped.
fn lost_at(options: &str, question: &str, advice: &str) {
    for (lost, signal) in [(0, "-KILL"), (1, "-KILL"), (0, "-STOP"), (1, "-STOP")] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let (mut first, address) = process_0_with(folder, options, question);
        let second = process_1(folder, &address, &format!("secret {options}"), question);
        first.wait_for("process 1 joined");
        std::thread::sleep(Duration::from_millis(500));
        let (bad, other) = match lost {
            0 => (first, second),
            _ => (second, first),
        };
        bad.signal(signal);
        let (code, errors, answer) = other.end();
        assert_eq!((code, answer.as_str()), (Some(3), ""), "{errors}");
        let line = errors.lines().last().unwrap_or_default();
        assert!(
            line.contains(&format!("lost process {lost} (127.0.0.1:")),
            "{errors}"
        );
        assert!(line.ends_with(advice), "{errors}");
        assert!(
            signal == "-KILL" || line.contains("silent for 5 s"),
            "{errors}"
        );
    }
}
