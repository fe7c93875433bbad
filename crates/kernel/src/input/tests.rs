//! Inputs that are short, long, endless, silent, or no text.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::run::{Ram, Run, Stopped};

fn input(bytes: &[u8], run: &Run) -> Input {
    Input::new("test", std::io::Cursor::new(bytes.to_vec()), run)
}

fn all(mut lines: Lines) -> Result<Vec<String>, InputError> {
    let mut found = Vec::new();
    while let Some(line) = lines.next_line()? {
        found.push(line.to_owned());
    }
    Ok(found)
}

#[test]
fn lines_have_a_limit_and_a_number() {
    let run = Run::serial();
    let of = |text: &str| all(Lines::new(input(text.as_bytes(), &run), 4));
    assert_eq!(of("abcd\r\nefgh").unwrap(), ["abcd", "efgh"]);
    assert_eq!(of("\n\n").unwrap(), ["", ""]);
    let long = "test, line 2 is longer than 4";
    assert_eq!(of("a\nabcde\n").unwrap_err().to_string(), long);
    assert_eq!(of("a\nabcde").unwrap_err().to_string(), long);
    assert_eq!(of("a\nabcdefg").unwrap_err().to_string(), long);
    let error = all(Lines::new(input(b"a\nb\n\xff\n", &run), 4)).unwrap_err();
    assert_eq!(error.to_string(), "test, line 3 is not text in UTF-8");
}

#[test]
fn memory_is_taken_from_the_budget_and_given_back() {
    let run = Run::new(1, Ram::limited(1 << 20));
    let endless = || Input::new("endless", std::io::repeat(b'x'), &run);
    let error = all(Lines::new(endless(), usize::MAX - 1)).unwrap_err();
    assert!(matches!(error, InputError::OverBudget(_)), "{error}");
    let error = read_text(endless(), u64::MAX).unwrap_err();
    assert!(matches!(error, InputError::OverBudget(_)), "{error}");
    assert!(run.ram.used() == 0 && run.ram.peak() > 1 << 18);
    let error = read_text(endless(), 1000).unwrap_err();
    assert_eq!(error.to_string(), "endless is larger than 1000");
    let text = read_text(input(b"all of it", &run), 9).unwrap();
    assert_eq!(&*text, "all of it");
    assert!(run.ram.used() >= 9);
    drop(text);
    assert_eq!(run.ram.used(), 0);
}

#[test]
fn a_text_that_is_no_utf_8_says_where() {
    let run = Run::serial();
    let error = read_text(input(b"a\nb\xc0", &run), 100).unwrap_err();
    assert_eq!(error.to_string(), "test, line 2 is not text in UTF-8");
    let older = read_older_text(input(b"\xc3\xa4\nb\xc0", &run), 100).unwrap();
    assert_eq!(&*older, "ä\nbÀ");
}

/// Gives its bytes one at a time, as a pipe may.
struct Slow(std::vec::IntoIter<u8>);

impl std::io::Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match (buffer.first_mut(), self.0.next()) {
            (Some(place), Some(byte)) => *place = byte,
            _ => return Ok(0),
        }
        Ok(1)
    }
}

#[test]
fn a_byte_order_mark_is_no_text() {
    let run = Run::serial();
    let slow = |bytes: &[u8]| {
        let bytes = Vec::from(bytes);
        Input::new("test", Slow(bytes.into_iter()), &run)
    };
    for (bytes, text) in [
        (&b"\xef\xbb\xbfa\nb"[..], "a\nb"),
        (b"\xef\xbb\xbf", ""),
        (b"", ""),
        (b"a", "a"),
        (b"\xef\xbb\xbf\xef\xbb\xbfa", "\u{feff}a"),
        (b"a\xef\xbb\xbf", "a\u{feff}"),
        ("\u{fefe}b".as_bytes(), "\u{fefe}b"),
    ] {
        assert_eq!(&*read_text(slow(bytes), 100).unwrap(), text);
        assert_eq!(&*read_text(input(bytes, &run), 100).unwrap(), text);
        let lines: Vec<_> = text.split_terminator('\n').collect();
        assert_eq!(all(Lines::new(slow(bytes), 100)).unwrap(), lines);
    }
    for bytes in [&b"\xff\xfea\0"[..], b"\xfe\xff\0a", b"\xff\xfe"] {
        let line = "test is text in UTF-16: expected UTF-8";
        assert_eq!(read_text(slow(bytes), 100).unwrap_err().to_string(), line);
        let error = all(Lines::new(input(bytes, &run), 100)).unwrap_err();
        assert_eq!(error.to_string(), line);
    }
    let error = read_text(slow(b"\xffa"), 100).unwrap_err();
    assert_eq!(error.to_string(), "test, line 1 is not text in UTF-8");
    let error = read_text(slow(b"\0a"), 100).unwrap_err();
    assert_eq!(error.to_string(), "test is not text: byte 1 is 0");
}

#[test]
fn files_say_why_they_cannot_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let run = Run::serial();
    let refusal = |path: &Path| Input::open(path, &run).unwrap_err().to_string();
    assert!(refusal(dir.path()).ends_with("it is a directory"));
    assert!(refusal(&dir.path().join("none")).ends_with("there is no such file"));
    let path = dir.path().join("file");
    fs::write(&path, "one\ntwo").unwrap();
    let file = Input::open(&path, &run).unwrap();
    assert_eq!(all(Lines::new(file, 10)).unwrap(), ["one", "two"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_without_an_end_is_refused() {
    let run = Run::new(1, Ram::limited(8 << 20));
    for device in ["/dev/zero", "/dev/full"] {
        let file = || Input::open(Path::new(device), &run).unwrap();
        let line = format!("{device} is not text: byte 1 is 0");
        let error = all(Lines::new(file(), 1 << 16)).unwrap_err();
        assert_eq!(error.to_string(), line);
        let error = read_text(file(), u64::MAX).unwrap_err();
        assert_eq!(error.to_string(), line);
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_that_gives_nothing_is_left_when_the_run_is_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
    let run = Run::serial();
    let stop = run.stop.clone();
    thread::scope(|scope| {
        scope.spawn(move || {
            thread::sleep(Duration::from_millis(100));
            stop.raise();
        });
        let input = Input::open(&pipe, &run).unwrap();
        let error = all(Lines::new(input, 10)).unwrap_err();
        assert!(matches!(error, InputError::Stopped(Stopped)), "{error}");
    });
}

proptest! {
    /// Whatever the bytes and the limit, lines are those of the standard library, or refused for one of two reasons.
    #[test]
    fn lines_are_those_of_the_standard_library(
        bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), any::<u8>(), b'a'..b'f'], 0..80),
        limit in 0usize..20,
    ) {
        let found = all(Lines::new(input(&bytes, &Run::serial()), limit));
        let expected = std::str::from_utf8(&bytes).map(|text| {
            let text = text.strip_prefix('\u{feff}').unwrap_or(text);
            text.split_inclusive('\n').map(|line| match line.strip_suffix('\n') {
                Some(line) => line.strip_suffix('\r').unwrap_or(line).to_owned(),
                None => line.to_owned(),
            }).collect::<Vec<_>>()
        });
        match (found, expected) {
            (Ok(found), Ok(expected)) => prop_assert_eq!(found, expected),
            (Ok(_), Err(_)) => prop_assert!(false, "no text"),
            (Err(InputError::LongLine { line, .. }), Ok(expected)) => prop_assert!(expected[line as usize - 1].len() > limit),
            (Err(InputError::LongLine { .. } | InputError::NotText { .. }), Err(_)) => {}
            (Err(InputError::ZeroByte { at, .. }), _) => prop_assert_eq!(bytes[at as usize - 1], 0),
            (Err(InputError::Utf16 { .. }), Err(_)) => prop_assert!(bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff])),
            (Err(error), Ok(_) | Err(_)) => prop_assert!(false, "{}", error),
        }
    }
}
