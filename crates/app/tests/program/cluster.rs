//! Questions in jobs: one by one, and over several processes.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{kill, program, run_in};

/// Nothing here takes so long, also on a machine with other work.
const LIMIT: Duration = Duration::from_secs(300);

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
            "belong before --",
        ),
        (
            "jobs list -- tours cuont 6x6",
            "a similar subcommand exists",
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
        (
            "cluster run --local 2 -- pegs solve english",
            "or pegs count --positions",
        ),
        (
            "cluster run --local 2 -- pegs count english",
            "several processes count the positions",
        ),
        (
            "cluster run --local 2 -- pegs count english --positions --checkpoint c",
            "several processes keep their layers in memory",
        ),
        (
            "cluster run --local 2 --processes 2 -- tours count 5x6",
            "cannot be used with",
        ),
        (
            "cluster run --local 0 -- tours count 5x6",
            "expected 1 to 256",
        ),
        (
            "cluster run --process 1 -- tours count 5x6",
            "--hosts FILE or --address",
        ),
        (
            "cluster run --process 1 --address a:b -- tours count 5x6",
            "--secret-file",
        ),
    ] {
        let words: Vec<_> = words.split_whitespace().collect();
        let output = program(&words)
            .current_dir(folder.path())
            .env_remove("SLURM_PROCID")
            .env_remove("SLURM_JOB_NODELIST")
            .env_remove("SLURM_STEP_NODELIST")
            .output()
            .unwrap();
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

#[test]
fn one_two_and_three_processes_write_the_same_results() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut kept: Option<Vec<_>> = None;
    for processes in 1..=3 {
        let words = format!("cluster run --quiet --local {processes} --out out-{processes}");
        let count = ask(folder, 0, &words, "tours count 6x7 --closed");
        assert_eq!(count, CLOSED_6X7);
        let files = contents(&folder.join(format!("out-{processes}")));
        assert!(files.len() > 2);
        assert!(kept.as_ref().is_none_or(|kept| *kept == files));
        kept = Some(files);
    }
    // A run that found all results gives the answer at once, with any number of processes.
    let count = ask(
        folder,
        0,
        "cluster run --quiet --local 2 --out out-3",
        "tours count 6x7 --closed",
    );
    assert_eq!(count, CLOSED_6X7);
}

/// A process of a run; it is killed when it is dropped.
struct Started {
    child: Child,
    lines: Lines<BufReader<ChildStderr>>,
}

impl Started {
    fn new(folder: &Path, words: &str, question: &str) -> Self {
        let words = words.split_whitespace().chain(["--"]);
        let words: Vec<_> = words.chain(question.split_whitespace()).collect();
        let mut child = program(&words)
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        Self { child, lines }
    }

    /// Reads lines until one contains a part.
    fn wait_for(&mut self, part: &str) -> String {
        let mut seen = Vec::new();
        for line in self.lines.by_ref() {
            let line = line.unwrap();
            if line.contains(part) {
                return line;
            }
            seen.push(line);
        }
        panic!("no line with {part:?} in {seen:#?}")
    }

    fn signal(&self, name: &str) {
        assert!(kill(name, &self.child));
    }

    /// The exit code, what is left of standard error, and standard output.
    fn end(mut self) -> (Option<i32>, String, String) {
        let end = Instant::now() + LIMIT;
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None => assert!(Instant::now() < end, "the process does not end"),
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        let errors = self.lines.by_ref().map(Result::unwrap).collect::<Vec<_>>();
        let mut answer = String::new();
        let mut out = self.child.stdout.take().unwrap();
        out.read_to_string(&mut answer).unwrap();
        (status.code(), errors.join("\n"), answer)
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A count of some CPU-seconds; twice the undirected tours of `crates/tours/tests/counts.tsv`.
const COUNT: &str = "tours count 6x8 --by-start";
const TOURS: &str = "49929787608 tours";

/// Starts process 0 of two in a folder with a secret; returns it with its address.
fn process_0(folder: &Path, question: &str) -> (Started, String) {
    process_0_with(folder, "", question)
}

fn process_0_with(folder: &Path, options: &str, question: &str) -> (Started, String) {
    let secret = text(&run_in(folder, &["cluster", "secret"]), 0);
    assert_eq!(secret.trim().len(), 64);
    fs::write(folder.join("secret"), secret).unwrap();
    let words = format!(
        "cluster run --process 0 --processes 2 --address 127.0.0.1:0 --secret-file secret --threads 1 {options}"
    );
    let mut first = Started::new(folder, &words, question);
    let line = first.wait_for("process 0 listens on ");
    let address = line
        .split_once(" on ")
        .unwrap()
        .1
        .split_once(": ")
        .unwrap()
        .0;
    let address = address.to_owned();
    (first, address)
}

fn process_1(folder: &Path, address: &str, secret: &str, question: &str) -> Started {
    let words = format!(
        "cluster run --process 1 --processes 2 --address {address} --secret-file {secret} --threads 1"
    );
    Started::new(folder, &words, question)
}

#[test]
fn a_killed_worker_and_strangers_do_not_end_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (mut first, address) = process_0(folder, COUNT);
    first.signal("-STOP");
    let mut second = process_1(folder, &address, "secret", COUNT);
    fs::write(folder.join("other"), "12".repeat(32)).unwrap();
    let stranger = process_1(folder, &address, "other", COUNT);
    let mut http = TcpStream::connect(&address).unwrap();
    write!(
        http,
        "GET /metrics HTTP/1.1\r\nHost: {address}\r\nUser-Agent: curl\r\n\r\n"
    )
    .unwrap();
    first.signal("-CONT");
    first.wait_for("process 1 joined");
    second.signal("-KILL");
    second.child.wait().unwrap();
    first.wait_for("lost process 1");
    let (code, errors, _) = stranger.end();
    assert_eq!(code, Some(2), "{errors}");
    assert!(errors.contains("is the secret the same?"), "{errors}");
    let mut nothing = Vec::new();
    // The connection is closed or reset.
    let _ = http.read_to_end(&mut nothing);
    assert!(nothing.is_empty());
    let (code, errors, answer) = first.end();
    assert_eq!(code, Some(0), "{errors}");
    assert!(answer.starts_with(TOURS), "{answer}");
}

/// A worker whose process 0 is stopped, then killed; the run is resumed with three processes.
#[test]
fn without_process_0_the_others_end_and_the_run_is_resumed() {
    for signal in ["-STOP", "-KILL"] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let (mut first, address) = process_0(folder, COUNT);
        let second = process_1(folder, &address, "secret", COUNT);
        first.wait_for("process 1 joined");
        first.wait_for("by process");
        first.signal(signal);
        let (code, errors, _) = second.end();
        assert_eq!(code, Some(3), "{errors}");
        assert!(errors.contains("lost process 0 (127.0.0.1:"), "{errors}");
        assert_eq!(
            errors.contains("silent for 5 s"),
            signal == "-STOP",
            "{errors}"
        );
        drop(first);
        let words = ["cluster", "run", "--local", "3", "--"];
        let words: Vec<_> = words.into_iter().chain(COUNT.split_whitespace()).collect();
        let output = run_in(folder, &words);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!errors.contains(": 0 of "), "{errors}");
        assert!(text(&output, 0).starts_with(TOURS), "{errors}");
    }
}

#[test]
fn answers_in_json_name_their_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let words = [
        "--json", "cluster", "run", "--local", "1", "--", "tours", "count", "5x6",
    ];
    let answer: Value = serde_json::from_str(&text(&run_in(folder.path(), &words), 0)).unwrap();
    let collected = &answer["collected"];
    assert_eq!(collected["jobs"], collected["finished"]);
    assert_eq!(answer["run"], collected["jobs"]);
    assert_eq!(
        (&answer["bytes_sent"], &answer["bytes_received"]),
        (&0.into(), &0.into())
    );
    assert_eq!(collected["result"]["tours"]["count"], "18784");
}

/// The positions of a board, whose layers the processes share.
const SHARED: &str = "pegs count english --positions";

#[test]
fn processes_that_share_layers_count_what_one_counts() {
    let folder = tempfile::tempdir().unwrap();
    let json = |words: &str| -> Value {
        let words: Vec<_> = words.split_whitespace().collect();
        serde_json::from_str(&text(&run_in(folder.path(), &words), 0)).unwrap()
    };
    let alone = json(&format!("--json {SHARED}"));
    assert_eq!(alone["positions"], "23475688");
    let mut digests = None;
    for processes in 1..=3 {
        let found = json(&format!(
            "--json cluster run --local {processes} -- {SHARED}"
        ));
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
    let json = |words: &str| -> Value {
        let words: Vec<_> = words.split_whitespace().collect();
        serde_json::from_str(&text(&run_in(folder.path(), &words), 0)).unwrap()
    };
    let count = "tours count 6x7 --closed";
    let alone = json(&format!("--json {count}"));
    assert_eq!(alone["count"], CLOSED_6X7.trim());
    let mut digests = None;
    for processes in 1..=3 {
        let found = json(&format!(
            "--json cluster run --local {processes} --shared-layers -- {count}"
        ));
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
        let left = std::fs::read_dir(folder.path().join("saved")).unwrap();
        let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["lock"]);
    }
}

/// Each of two processes that share layers is killed, then stopped.
#[test]
fn a_process_that_is_lost_ends_those_that_share_its_layers() {
    const LONG: &str = "pegs count european --positions";
    lost_at("", LONG);
}

/// The same with layers of tours.
#[test]
fn a_process_that_is_lost_ends_those_that_share_its_layers_of_tours() {
    lost_at("--shared-layers", "tours count 8x8");
}

/// Each of two processes that answer a long question with shared layers is killed, then stopped.
fn lost_at(options: &str, question: &str) {
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
        assert!(line.ends_with("the same command begins again"), "{errors}");
        assert!(
            signal == "-KILL" || line.contains("silent for 5 s"),
            "{errors}"
        );
    }
}
