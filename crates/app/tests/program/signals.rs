//! Stopped, killed, not listened to.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::{answer, program};

/// A count that takes minutes.
const LONG: [&str; 3] = ["tours", "count", "8x8"];

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args([name, &id])
            .status()
            .unwrap()
            .success()
    );
}

#[test]
fn an_interrupt_ends_the_work_with_a_line() {
    for name in ["-INT", "-TERM"] {
        let mut child = program(&LONG)
            .stderr(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(700));
        signal(&child, name);
        let status = child.wait().unwrap();
        let (mut errors, mut answers) = (String::new(), String::new());
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut errors)
            .unwrap();
        child
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut answers)
            .unwrap();
        assert_eq!(status.code(), Some(3), "{errors}");
        assert!(
            errors.starts_with("everymove: stopped before the answer was complete: ")
                && errors.contains("--checkpoint"),
            "{errors}"
        );
        assert_eq!(answers, "");
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    for words in [
        &["tours", "list", "6x6"][..],
        &["tours", "list", "6x6", "--json"],
        &["tours", "sample", "6x6", "--number", "100000"],
    ] {
        let mut child = program(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = vec![0; 10];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{words:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{words:?}");
    }
}

/// Killed again and again, each time a little later, until it comes through.
#[test]
fn a_killed_count_goes_on_from_its_checkpoint() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("saved");
    let words = [
        "tours",
        "count",
        "7x6",
        "--quiet",
        "--checkpoint",
        folder.to_str().unwrap(),
    ];
    let mut patience = Duration::from_millis(150);
    let found = loop {
        let mut child = program(&words).stdout(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(patience);
        let ended = child.try_wait().unwrap();
        signal_if(ended.is_none(), &child);
        let status = child.wait().unwrap();
        if status.success() {
            let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
            break lines.next().unwrap().unwrap();
        }
        patience = patience.mul_f64(1.3);
    };
    assert_eq!(
        answer(0, &["tours", "count", "6x7", "--quiet"]).trim_end(),
        found
    );
}

fn signal_if(alive: bool, child: &Child) {
    if alive {
        // It may have ended in between: then there is nothing to kill, and that is as good.
        let id = child.id().to_string();
        let _ = Command::new("kill")
            .args(["-KILL", &id])
            .stderr(Stdio::null())
            .status();
    }
}
