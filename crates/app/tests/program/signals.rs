//! Stopped, killed, not listened to.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::{answer, kill, program};

/// A count that takes minutes.
const LONG: [&str; 3] = ["tours", "count", "8x8"];

fn signal(child: &Child, name: &str) {
    assert!(kill(name, child));
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

/// The answer of a command that is killed again and again, each time somewhat later, until it comes
/// through.
fn killed_until_done(words: &[&str], first: Duration, growth: f64) -> serde_json::Value {
    let dir = tempfile::tempdir().unwrap();
    let mut patience = first;
    loop {
        let mut child = program(words)
            .args(["--checkpoint", "saved", "--json"])
            .current_dir(dir.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = child.stdout.take().unwrap();
        let reader = std::thread::spawn(move || {
            let mut text = String::new();
            let _ = BufReader::new(output).read_to_string(&mut text);
            text
        });
        let start = Instant::now();
        while start.elapsed() < patience && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        signal_if(child.try_wait().unwrap().is_none(), &child);
        let status = child.wait().unwrap();
        let text = reader.join().unwrap();
        if status.success() {
            return serde_json::from_str(&text).unwrap();
        }
        // Killed, not failed.
        assert_eq!(status.code(), None, "{words:?}: {text}");
        patience = patience.mul_f64(growth);
    }
}

fn field(answer: &serde_json::Value, name: &str) -> String {
    let value = &answer[name];
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Every command with a checkpoint.
#[test]
fn killed_computations_go_on_from_their_checkpoints() {
    let engine = format!(
        "cmd={} engine uci,nodes=200",
        env!("CARGO_BIN_EXE_everymove")
    );
    let (first, second) = (format!("{engine},name=a"), format!("{engine},name=b"));
    let arena = [
        "arena", "play", "--engine", &first, "--engine", &second, "--number", "6",
    ];
    let computations: [(&[&str], &str, &str); 4] = [
        (
            &["tours", "count", "6x8", "--closed", "--method", "frontier"],
            "count",
            "55488142",
        ),
        (&["pegs", "count", "english"], "positions", "23475688"),
        (
            &["tables", "build", "KRvKN", "--out", "tables"],
            "material",
            "KRvKN",
        ),
        (&arena, "games", "6"),
    ];
    for (words, name, expected) in computations {
        let answer = killed_until_done(words, Duration::from_millis(120), 1.4);
        assert_eq!(field(&answer, name), expected, "{words:?}");
    }
}

/// The same with computations of minutes, killed dozens of times.
#[test]
#[ignore = "takes minutes"]
fn long_computations_killed_often_give_the_same_answers() {
    let computations: [(&[&str], &str, &str); 4] = [
        (
            &["tours", "count", "8x8", "--closed"],
            "count",
            "13267364410532",
        ),
        (
            &["tours", "count", "8x9", "--closed"],
            "count",
            "7112881119092574",
        ),
        (
            &["pegs", "count", "european", "--start", "d4", "--positions"],
            "positions",
            "374349517",
        ),
        (
            &["tables", "build", "KRBvKR", "--out", "tables"],
            "material",
            "KRBvKR",
        ),
    ];
    for (words, name, expected) in computations {
        let answer = killed_until_done(words, Duration::from_secs(2), 1.03);
        assert_eq!(field(&answer, name), expected, "{words:?}");
    }
}

/// Runs a command and kills it after longer and longer times, at least `kills` times; `between`
/// changes what it left behind after each. Returns its answer.
fn killed_times(
    words: &[&str],
    folder: &Path,
    kills: u32,
    mut between: impl FnMut(u32),
) -> serde_json::Value {
    let mut patience = Duration::from_millis(50);
    for number in 0.. {
        let mut command = program(words);
        let command = command.arg("--json").current_dir(folder);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let start = Instant::now();
        while start.elapsed() < patience && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let alive = child.try_wait().unwrap().is_none();
        signal_if(alive, &child);
        let output = child.wait_with_output().unwrap();
        if !alive {
            assert!(output.status.success(), "{words:?}: {output:?}");
            assert!(number >= kills, "{words:?} was killed {number} times only");
            return serde_json::from_slice(&output.stdout).unwrap();
        }
        between(number);
        patience = patience.mul_f64(1.15);
    }
    unreachable!()
}

/// The files below a folder.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths
        .flat_map(|path| match path.is_dir() {
            true => files_below(&path),
            false => vec![path],
        })
        .collect()
}

/// Counts with layers on disk, killed ten times, with the files that were left, without them, and
/// with a damaged one.
#[test]
#[ignore = "takes minutes"]
fn layers_on_disk_outlive_ten_kills() {
    let open: &[&str] = &["tours", "count", "7x8", "--threads", "2", "--ram", "80M"];
    let closed: &[&str] = &[
        "tours",
        "count",
        "10x7",
        "--closed",
        "--threads",
        "2",
        "--ram",
        "60M",
    ];
    let pegs = [
        "pegs",
        "winning",
        "english",
        "--start",
        "d2",
        "--threads",
        "2",
        "--ram",
        "40M",
        "--out",
        "set",
    ];
    for (words, name) in [(open, "count"), (closed, "count"), (&pegs, "winning")] {
        let whole = tempfile::tempdir().unwrap();
        let mut plain: Vec<&str> = words.to_vec();
        plain.retain(|word| !["--ram", "80M", "60M", "40M"].contains(word));
        let expected = killed_times(&plain, whole.path(), 0, |_| {});
        for case in ["kept", "removed", "damaged"] {
            let dir = tempfile::tempdir().unwrap();
            let work = dir.path().join("work");
            let words = [words, &["--work", "work"]].concat();
            let mut is_removed = false;
            let found = killed_times(&words, dir.path(), 10, |number| {
                let mut files = files_below(&work);
                files.retain(|file| {
                    let text = file.to_string_lossy();
                    text.ends_with(".part") || text.ends_with(".blocks")
                });
                files.sort();
                match case {
                    // On a machine with much other work the first kills come before there is a
                    // file.
                    "removed" if number >= 7 && !is_removed && work.is_dir() => {
                        std::fs::remove_dir_all(&work).unwrap();
                        is_removed = true;
                    }
                    "damaged" if number > 4 => {
                        if let Some(file) = files.last() {
                            let mut bytes = std::fs::read(file).unwrap();
                            let at = bytes.len() * 2 / 3;
                            bytes[at] ^= 1;
                            std::fs::write(file, bytes).unwrap();
                        }
                    }
                    _ => {}
                }
            });
            assert_eq!(field(&found, name), field(&expected, name), "{case}");
            assert_eq!(is_removed, case == "removed");
            if name == "winning" {
                let read = |dir: &Path| std::fs::read(dir.join("set")).unwrap();
                assert_eq!(read(dir.path()), read(whole.path()), "{case}");
            }
            assert!(files_below(&work).is_empty(), "{case}");
        }
    }
}

/// A reader that does not read keeps nobody from stopping.
#[test]
fn a_stalled_reader_does_not_delay_an_interrupt() {
    for words in [
        &["tours", "list", "6x6", "--quiet"][..],
        &["tours", "list", "6x6", "--json"],
        &["completions", "bash"],
        &["schema"],
    ] {
        let mut child = program(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Longer than it takes to fill the pipe.
        std::thread::sleep(Duration::from_millis(500));
        signal(&child, "-TERM");
        let status = child.wait().unwrap();
        assert_eq!(status.code(), Some(3), "{words:?}");
    }
}

/// Conversations end with an interrupt although their input goes on, or never comes.
#[test]
fn conversations_end_with_an_interrupt() {
    for words in [
        &["engine", "uci"][..],
        &["engine", "uci", "--json"],
        &["pegs", "play", "triangle5"],
    ] {
        for endless in [false, true] {
            let input = match endless {
                true => Stdio::from(std::fs::File::open("/dev/zero").unwrap()),
                false => Stdio::piped(),
            };
            let mut child = program(words)
                .stdin(input)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            // Held open: the end of input would end it as well.
            let held = child.stdin.take();
            std::thread::sleep(Duration::from_millis(300));
            // A line without an end may have ended it.
            if child.try_wait().unwrap().is_none() {
                signal(&child, "-INT");
            }
            let status = child.wait().unwrap();
            drop(held);
            assert!(matches!(status.code(), Some(2 | 3)), "{words:?}: {status}");
        }
    }
}

fn signal_if(alive: bool, child: &Child) {
    if alive {
        // It may have ended in between: then there is nothing to kill, and that is as good.
        let _ = kill("-KILL", child);
    }
}

/// Whatever file a command reads, a pipe to which nobody writes is refused, or left when the
/// command is signalled to end.
#[test]
fn a_pipe_without_a_writer_holds_no_command() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["pipe", "out", "KQvK.dtm", "KQvK.rtbw", "g.pgn", "p.epd"] {
        let made = Command::new("mkfifo").arg(dir.path().join(name)).status();
        assert!(made.unwrap().success());
    }
    std::fs::create_dir(dir.path().join("data")).unwrap();
    let engine = format!("--engine cmd={},name", env!("CARGO_BIN_EXE_everymove-uci"));
    let commands = format!(
        "tables check KQvK.dtm
         tables check KQvK.rtbw
         tables check .
         tables verify KQvK.dtm
         tables stats KQvK --tables .
         tables probe --fens pipe --tables .
         pegs hint oo. --winning-set pipe
         pegs replay pipe
         engine datagen --out new --network pipe
         engine train --data data --out net --start pipe
         arena spsa {engine}=a --parameters pipe --nodes 10
         arena play {engine}=a {engine}=b --nodes 10 --openings g.pgn
         arena play {engine}=a {engine}=b --nodes 10 --openings p.epd
         arena stats g.pgn
         analyse g.pgn
         analyse p.epd
         tours verify pipe
         tours draw pipe --svg tour.svg
         tours find 5x5 --out out"
    );
    let commands: Vec<&str> = commands.lines().collect();
    let spawn = |line: &&str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut command = program(&words);
        command.current_dir(dir.path());
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let mut children: Vec<Child> = commands.iter().map(spawn).collect();
    std::thread::sleep(Duration::from_millis(500));
    for child in &mut children {
        if child.try_wait().unwrap().is_none() {
            signal(child, "-TERM");
        }
    }
    for (mut child, words) in children.into_iter().zip(commands) {
        // A machine may be busy: only a command that never ends fails, and one that had not begun
        // ends by the signal.
        let ended = (0..600).find_map(|_| {
            std::thread::sleep(Duration::from_millis(50));
            child.try_wait().unwrap()
        });
        if ended.is_none() {
            child.kill().unwrap();
        }
        let mut line = String::new();
        let mut errors = child.stderr.take().unwrap();
        errors.read_to_string(&mut line).unwrap();
        let code = ended.map(|status| status.code());
        let is_sound = matches!(code, Some(None | Some(1..=3)));
        assert!(is_sound, "{words}: {code:?} {line}");
    }
}

/// At the limit on the size of files a command ends with a line, and no draft stays.
#[test]
fn a_limit_on_the_size_of_files_is_an_error() {
    for words in [
        "tours list 6x6 --number 2000 --out tours.txt",
        "tours list 6x6 --number 2000 --format bin --out tours.bin",
        "tours find 60x60 --out tour.csv --format csv",
        "tours find 30x30 --svg tour.svg",
        "pegs solve english --svg game.svg",
        "tables build KQvK --out .",
        "tours list 6x6 --number 2000 > tours.txt",
    ] {
        let dir = tempfile::tempdir().unwrap();
        let line = format!(
            "ulimit -f 2; exec {} {words}",
            env!("CARGO_BIN_EXE_everymove")
        );
        let mut command = Command::new("sh");
        command.args(["-c", &line]).current_dir(dir.path());
        let output = command.stdin(Stdio::null()).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{words}: {errors}");
        let last = errors.lines().last().unwrap_or_default();
        assert!(last.ends_with("file too large"), "{words}: {errors}");
        let names = std::fs::read_dir(dir.path()).unwrap();
        let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        let is_kept = |name: &std::ffi::OsString| name == "lock" || name == "tours.txt";
        assert!(names.iter().all(is_kept), "{words}: {names:?}");
    }
}

/// Several runs that write one file: it is that of one of them, and no draft stays.
#[test]
fn runs_with_one_output_leave_the_file_of_one() {
    let dir = tempfile::tempdir().unwrap();
    let seeds = ["1", "2", "3", "4", "5", "6"];
    let run = |seed: &str, file: &str| {
        let mut command = program(&["tours", "find", "40x40", "--seed", seed, "--out", file]);
        command
            .current_dir(dir.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.spawn().unwrap()
    };
    let together: Vec<Child> = seeds.iter().map(|seed| run(seed, "tour.txt")).collect();
    let alone = seeds.iter().map(|seed| run(seed, &format!("{seed}.txt")));
    for mut child in together.into_iter().chain(alone.collect::<Vec<_>>()) {
        assert!(child.wait().unwrap().success());
    }
    let read = |name: &str| std::fs::read(dir.path().join(name)).unwrap();
    let found = read("tour.txt");
    assert!(
        seeds
            .iter()
            .any(|seed| found == read(&format!("{seed}.txt")))
    );
    assert_eq!(
        std::fs::read_dir(dir.path()).unwrap().count(),
        seeds.len() + 1
    );
}
