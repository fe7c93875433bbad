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
pub(crate) const CLOSED_6X7: &str = "1067638\n";

pub(crate) fn text(output: &Output, code: i32) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// `everymove`, some words, `--`, a question.
pub(crate) fn ask(folder: &Path, code: i32, words: &str, question: &str) -> String {
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
pub(crate) fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
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
pub(crate) struct Started {
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
    pub(crate) fn wait_for(&mut self, part: &str) -> String {
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

    pub(crate) fn signal(&self, name: &str) {
        assert!(kill(name, &self.child));
    }

    /// The exit code, what is left of standard error, and standard output.
    pub(crate) fn end(mut self) -> (Option<i32>, String, String) {
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

pub(crate) fn process_0_with(folder: &Path, options: &str, question: &str) -> (Started, String) {
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

pub(crate) fn process_1(folder: &Path, address: &str, secret: &str, question: &str) -> Started {
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
