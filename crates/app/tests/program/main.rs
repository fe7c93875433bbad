//! The program from outside: its answers, its refusals, its behaviour when it is stopped or not
//! listened to.

mod answers;
mod chess;
mod conversion;
mod fifty_moves;
mod jobs;
mod mutants;
mod newcomers;
mod peg_boards;
mod pegs;
mod readme;
mod refusals;
mod schema;
mod serve;
mod signals;
mod tables;
#[path = "../../../api/tests/schema/validate.rs"]
mod validate;

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The program with words, not yet started.
fn program(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_everymove"));
    command.args(words).stdin(Stdio::null());
    command
}

/// The program's output in a directory.
fn run_in(folder: &Path, words: &[&str]) -> Output {
    program(words).current_dir(folder).output().unwrap()
}

/// Standard output of a run that must give the exit code.
fn answer(code: i32, words: &[&str]) -> String {
    let output = program(words).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{words:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Sends a signal, given as an option of `kill`, by the shell, which has that command built in: a
/// machine may lack the program.
#[cfg(unix)]
fn kill(name: &str, child: &std::process::Child) -> bool {
    let line = format!("kill {name} {}", child.id());
    let status = Command::new("sh")
        .args(["-c", &line])
        .stderr(Stdio::null())
        .status();
    status.unwrap().success()
}

/// The JSON object of a run that must give the exit code.
fn object(code: i32, words: &[&str]) -> serde_json::Value {
    let words: Vec<_> = words.iter().copied().chain(["--json"]).collect();
    serde_json::from_str(&answer(code, &words)).unwrap()
}
