//! Files of every format of `docs/formats.md` with some bytes changed and their checksums made
//! right again: each is refused with a line, or read as what it then says: a file that was changed
//! and sealed again cannot be distinguished from another file. A panic is never an answer.
//!
//! `cargo xtask long` runs it, or `cargo test --release -p everymove --test program -- --ignored
//! mutants`. The environment variable `EVERYMOVE_MUTANTS` sets the number of each format, 500
//! unless set.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use everymove_kernel::files;
use everymove_kernel::rng::SplitMix64;
use everymove_tables::syzygy;
use serde_json::Value;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::{program, run_in};

/// What an answer from a changed file may be.
#[derive(Clone, Copy, PartialEq)]
enum Other {
    /// That of the sound file alone.
    Never,
    /// Another one: the file holds what is asked for.
    Content,
}

/// A format: how a sound file is made, which is changed, and the command that reads it.
struct Format {
    name: &'static str,
    /// Commands that make the files; one that begins with `kill FILE` is killed once a file with
    /// FILE in its name has some bytes.
    make: &'static [&'static str],
    /// A part of the names of the files that are changed.
    file: &'static str,
    read: &'static str,
    seal: fn(&mut Vec<u8>),
    other: Other,
}

const FORMATS: &[Format] = &[
    Format {
        name: "tours as bytes",
        make: &["tours find 6x6 --closed --format bin --out tours.bin"],
        file: "tours.bin",
        read: "tours verify tours.bin",
        seal: |bytes| seal_tours(bytes),
        other: Other::Content,
    },
    Format {
        name: "tours as text",
        make: &[
            "tours list 5x5 --number 3 --format grid --out a.tours",
            "tours list 5x5 --number 3 --format csv --out b.tours",
            "tours find 6x6 --format squares --out c.tours",
            "tours find 6x6 --format json --out d.tours",
        ],
        file: ".tours",
        read: "tours verify FILE",
        seal: nothing,
        other: Other::Content,
    },
    Format {
        name: "tables of pieces by their moves",
        make: &["tables build KAvK --piece A=WfF --board 5x4 --out tables"],
        file: "KAvK-5x4",
        read: "tables stats FILE",
        seal: files::seal,
        other: Other::Content,
    },
    Format {
        name: "manifest of a count",
        make: &["kill .blocks tours count 7x8 --closed --method frontier --checkpoint count"],
        file: "count.json",
        read: "tours count 7x8 --closed --method frontier --checkpoint count",
        seal: files::seal,
        other: Other::Never,
    },
    Format {
        name: "layer of a count",
        make: &["kill .blocks tours count 7x8 --closed --method frontier --checkpoint count"],
        file: ".blocks",
        read: "tours count 7x8 --closed --method frontier --checkpoint count",
        seal: files::seal,
        other: Other::Content,
    },
    Format {
        name: "results of jobs",
        make: &["jobs run KQvK KRvK KQvKR --out jobs -- tables build KQvKR"],
        file: ".json",
        read: "jobs collect jobs -- tables build KQvKR",
        seal: files::seal,
        other: Other::Content,
    },
    Format {
        name: "plies to mate",
        make: &["tables build KQvK --no-stats --out ."],
        file: ".dtm",
        read: "tables probe FEN --tables . --metric dtm --line",
        seal: |bytes| seal_table(bytes),
        other: Other::Content,
    },
    Format {
        name: "plies to a zeroing move",
        make: &["tables build KQvK --metric dtz --no-stats --out ."],
        file: ".dtz",
        read: "tables probe FEN --tables . --metric dtz --line",
        seal: |bytes| seal_table(bytes),
        other: Other::Content,
    },
    Format {
        name: "plies to mate under the fifty-move rule",
        make: &["tables build KQvK --metric dtm50 --no-stats --out ."],
        file: ".dtm50",
        read: "tables probe FEN --tables . --metric dtm50 --line",
        seal: |bytes| seal_table(bytes),
        other: Other::Content,
    },
    Format {
        name: "plies to conversion",
        make: &["tables build KQvK --metric dtc --no-stats --out ."],
        file: ".dtc",
        read: "tables probe FEN --tables . --metric dtc --line",
        seal: |bytes| seal_table(bytes),
        other: Other::Content,
    },
    Format {
        name: "statistics of a table",
        make: &["tables build KQvK --no-stats --out ."],
        file: ".dtm",
        read: "tables stats KQvK --tables .",
        seal: |bytes| seal_table(bytes),
        other: Other::Content,
    },
    Format {
        name: "Syzygy values",
        make: &["tables build KQvK --syzygy --no-stats --out ."],
        file: ".rtbw",
        read: "tables probe FEN --tables . --syzygy --line",
        seal: |bytes| syzygy::seal(bytes),
        other: Other::Content,
    },
    Format {
        name: "Syzygy distances",
        make: &["tables build KQvK --syzygy --no-stats --out ."],
        file: ".rtbz",
        read: "tables probe FEN --tables . --syzygy --line",
        seal: |bytes| syzygy::seal(bytes),
        other: Other::Content,
    },
    Format {
        name: "Syzygy files in a search",
        make: &["tables build KQvK --syzygy --no-stats --out ."],
        file: ".rtbz",
        read: "chess move --fen FEN --depth 2 --syzygy-path .",
        seal: |bytes| syzygy::seal(bytes),
        other: Other::Content,
    },
    Format {
        name: "checkpoint of a table, its lines",
        make: &["kill .journal tables build KQvKR --no-stats --out . --checkpoint begun"],
        file: ".journal",
        read: "tables build KQvKR --no-stats --out . --checkpoint begun",
        seal: files::seal,
        other: Other::Content,
    },
    Format {
        name: "games of a match",
        make: &[PLAY],
        file: "games.jsonl",
        read: PLAY,
        seal: files::seal,
        other: Other::Content,
    },
    Format {
        name: "pairs of a tuning",
        make: &[TUNE],
        file: "tuning.jsonl",
        read: TUNE,
        seal: files::seal,
        other: Other::Content,
    },
    Format {
        name: "own games",
        make: &["engine datagen --out games --positions 4000 --nodes 10"],
        file: ".games",
        read: "engine train --data games --hidden 64 --epochs 1 --out network",
        seal: |bytes| seal_games(bytes),
        other: Other::Content,
    },
    Format {
        name: "network",
        make: &[
            "engine datagen --out games --positions 4000 --nodes 10",
            "engine train --data games --hidden 64 --epochs 1 --out a.network",
        ],
        file: ".network",
        read: "engine datagen --network a.network --out new --positions 20 --nodes 5",
        seal: files::seal,
        other: Other::Content,
    },
    Format {
        name: "state of a training",
        make: &[
            "engine datagen --out games --positions 4000 --nodes 10",
            "engine train --data games --hidden 64 --epochs 1 --checkpoint begun --out a.network",
        ],
        file: "training.state",
        read: "engine train --data games --hidden 64 --epochs 1 --checkpoint begun --out a.network",
        seal: files::seal,
        other: Other::Content,
    },
    Format {
        name: "winning set",
        make: &["pegs winning triangle5 --out triangle5.winning"],
        file: ".winning",
        read: "pegs hint ./oo/ooo/oooo/ooooo --winning-set triangle5.winning",
        seal: files::seal,
        other: Other::Content,
    },
    Format {
        name: "layer of a peg count",
        make: &["kill games- pegs count english --checkpoint begun"],
        file: "games-",
        read: "pegs count english --checkpoint begun",
        seal: files::seal,
        other: Other::Content,
    },
    Format {
        name: "peg game",
        make: &["pegs solve triangle5 --out game.pegs"],
        file: "game.pegs",
        read: "pegs replay game.pegs",
        seal: nothing,
        other: Other::Content,
    },
    Format {
        name: "openings",
        make: &["arena openings --number 4 --out openings.epd"],
        file: ".epd",
        read: "analyse openings.epd --depth 1",
        seal: nothing,
        other: Other::Content,
    },
];

const PLAY: &str = "arena play --engine cmd=PROGRAM,arg=engine,name=a --engine cmd=PROGRAM,arg=engine,name=b \
                    --nodes 20 --number 4 --max-moves 20 --checkpoint match --pgn match.pgn";
const TUNE: &str = "arena spsa --engine cmd=PROGRAM,arg=engine --parameters parameters --nodes 20 --pairs 4 \
                    --max-moves 10 --checkpoint tuning";

/// A position that all tables are asked about.
const FEN: &str = "8/8/8/8/8/2k5/7Q/K7 w - - 0 1";

/// How long a reader may take.
const PATIENCE: Duration = Duration::from_secs(120);

#[test]
#[ignore = "minutes: cargo xtask long"]
fn mutants_are_refused_or_read_as_what_they_say() {
    let number = std::env::var("EVERYMOVE_MUTANTS").ok();
    let number = number.map_or(500, |number| number.parse().unwrap());
    let only = std::env::var("EVERYMOVE_FORMAT").unwrap_or_default();
    let mut failures = Vec::new();
    for format in FORMATS.iter().filter(|format| format.name.contains(&only)) {
        format.check(number, &mut failures);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

impl Format {
    #[expect(clippy::print_stdout, reason = "a report for who runs it")]
    fn check(&self, number: u64, failures: &mut Vec<String>) {
        // A count of pegs takes seconds.
        let number = match self.read.starts_with("pegs count") {
            true => number.div_ceil(10),
            false => number,
        };
        let sound = tempfile::tempdir().unwrap();
        fs::write(sound.path().join("parameters"), "Hash 16 1 32\n").unwrap();
        for line in self.make {
            self.make(line, sound.path());
        }
        let mut found = Vec::new();
        list(sound.path(), Path::new(""), &mut found);
        found.retain(|path| path.to_str().unwrap().contains(self.file));
        assert!(!found.is_empty(), "{}: no {}", self.name, self.file);
        let intact: Vec<Value> = found
            .iter()
            .map(|file| {
                let (code, text) = self.read(sound.path(), file, None);
                assert_eq!(code, Some(0), "{}: {text}", self.name);
                answer_of(&text)
            })
            .collect();
        let (mut read, mut different) = (0, 0);
        let before = failures.len();
        for seed in 0..number {
            let mut rng = SplitMix64::new(seed);
            let which = rng.below(found.len() as u64) as usize;
            let mut bytes = fs::read(sound.path().join(&found[which])).unwrap();
            mutate(&mut bytes, &mut rng);
            (self.seal)(&mut bytes);
            let (code, text) = self.read(sound.path(), &found[which], Some(&bytes));
            let line = text.lines().last().unwrap_or_default();
            let bad = match code {
                Some(0) => {
                    read += 1;
                    let other = answer_of(&text) != intact[which];
                    different += u64::from(other);
                    other && self.other == Other::Never
                }
                Some(1..=3) => !line.contains("everymove: ") && code != Some(1),
                _ => true,
            };
            if bad {
                failures.push(format!("{}, seed {seed}: {code:?} {text}", self.name));
            }
        }
        println!(
            "{}: {number} mutants, {read} read, {different} of them with another answer, {} failures",
            self.name,
            failures.len() - before
        );
    }

    fn make(&self, line: &str, folder: &Path) {
        let Some(line) = line.strip_prefix("kill ") else {
            let output = run_in(folder, &words(line, ""));
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: {errors}", self.name);
            return;
        };
        let (part, line) = line.split_once(' ').unwrap();
        let mut child = program(&words(line, ""))
            .current_dir(folder)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        loop {
            let mut found = Vec::new();
            list(folder, Path::new(""), &mut found);
            let there = |path: &PathBuf| {
                let bytes = fs::metadata(folder.join(path)).map_or(0, |found| found.len());
                path.to_str().unwrap().contains(part) && bytes > 400
            };
            if found.iter().any(there) {
                break;
            }
            let ended = child.try_wait().unwrap();
            assert!(
                ended.is_none(),
                "{}: complete before it was killed",
                self.name
            );
            std::thread::sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Runs the reader in a copy of a folder, where a file has other bytes; returns its exit code
    /// and what it said.
    fn read(&self, sound: &Path, file: &Path, bytes: Option<&[u8]>) -> (Option<i32>, String) {
        let folder = tempfile::tempdir().unwrap();
        copy(sound, folder.path());
        if let Some(bytes) = bytes {
            fs::write(folder.path().join(file), bytes).unwrap();
        }
        let mut words = words(self.read, file.to_str().unwrap());
        let end = words.iter().position(|word| *word == "--");
        let end = end.unwrap_or(words.len());
        words.splice(end..end, ["--json", "--ram", "512M", "--threads", "1"]);
        let output = folder.path().join("output");
        let mut child = program(&words)
            .current_dir(folder.path())
            .stdout(fs::File::create(&output).unwrap())
            .stderr(fs::File::create(folder.path().join("errors")).unwrap())
            .spawn()
            .unwrap();
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if start.elapsed() > PATIENCE {
                child.kill().unwrap();
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        let name = if status.success() { "output" } else { "errors" };
        let text = fs::read(folder.path().join(name)).unwrap();
        (status.code(), String::from_utf8_lossy(&text).into_owned())
    }
}

/// The words of a line, with names in place of capitals.
fn words<'a>(line: &'a str, file: &'a str) -> Vec<&'a str> {
    let word = |word: &'a str| match word {
        "FEN" => FEN,
        "FILE" => file,
        "cmd=PROGRAM,arg=engine,name=a" => {
            concat!(
                "cmd=",
                env!("CARGO_BIN_EXE_everymove"),
                ",arg=engine,name=a"
            )
        }
        "cmd=PROGRAM,arg=engine,name=b" => {
            concat!(
                "cmd=",
                env!("CARGO_BIN_EXE_everymove"),
                ",arg=engine,name=b"
            )
        }
        "cmd=PROGRAM,arg=engine" => concat!("cmd=", env!("CARGO_BIN_EXE_everymove"), ",arg=engine"),
        word => word,
    };
    line.split_whitespace().map(word).collect()
}

/// An answer without what it took.
fn answer_of(text: &str) -> Value {
    let lines: Vec<&str> = text.lines().collect();
    let mut values: Vec<Value> = lines
        .iter()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}")))
        .collect();
    for value in &mut values {
        if let Some(fields) = value.as_object_mut() {
            for cost in [
                "work",
                "cpu_seconds",
                "wall_seconds",
                "peak_rss_bytes",
                "seconds",
            ] {
                fields.remove(cost);
            }
        }
    }
    Value::Array(values)
}

fn list(folder: &Path, under: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder.join(under)).unwrap().flatten() {
        let path = under.join(entry.file_name());
        if entry.path().is_dir() {
            list(folder, &path, found);
        } else {
            // Drafts are never read.
            if path.extension().is_none_or(|ending| ending != "draft") {
                found.push(path);
            }
        }
    }
    found.sort();
}

fn copy(from: &Path, to: &Path) {
    let mut found = Vec::new();
    list(from, Path::new(""), &mut found);
    for path in found {
        fs::create_dir_all(to.join(&path).parent().unwrap()).unwrap();
        fs::copy(from.join(&path), to.join(&path)).unwrap();
    }
}

/// Changes one to four places.
fn mutate(bytes: &mut Vec<u8>, rng: &mut SplitMix64) {
    for _ in 0..=rng.below(4) {
        if bytes.is_empty() {
            return;
        }
        let len = bytes.len() as u64;
        // Headers and ends are small, and say most.
        let at = match rng.below(4) {
            0 => rng.below(len.min(96)),
            1 => len - 1 - rng.below(len.min(96)),
            _ => rng.below(len),
        } as usize;
        let old = bytes[at];
        match rng.below(10) {
            0 => bytes[at] = rng.next_u64() as u8,
            1 => bytes[at] = old.wrapping_add(1),
            2 => bytes[at] = old.wrapping_sub(1),
            3 => bytes[at] = if old == 0 { 255 } else { 0 },
            4 => {
                let end = (at + 4).min(bytes.len());
                bytes[at..end].fill(255);
            }
            5 => {
                bytes.remove(at);
            }
            6 => bytes.insert(at, old),
            7 => {
                let end = (at + 1 + rng.below(40) as usize).min(bytes.len());
                bytes.extend_from_within(at..end);
            }
            _ => {
                // A character of the same kind in a text, a bit in bytes.
                bytes[at] = match old {
                    b'0'..=b'9' => b'0' + rng.below(10) as u8,
                    b'a'..=b'z' => b'a' + rng.below(26) as u8,
                    b'A'..=b'Z' => b'A' + rng.below(26) as u8,
                    _ => old ^ 1 << rng.below(8),
                }
            }
        }
    }
}

fn nothing(_: &mut Vec<u8>) {}

fn number(bytes: &[u8], at: usize, width: usize) -> Option<usize> {
    let part = bytes.get(at..at.checked_add(width)?)?;
    let value = part.iter().rev().fold(0u64, |n, &b| n << 8 | u64::from(b));
    usize::try_from(value).ok()
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    if let Some(place) = bytes.get_mut(at..at + value.len()) {
        place.copy_from_slice(value);
    }
}

/// Makes the checksums of a list of one tour right.
fn seal_tours(bytes: &mut [u8]) {
    let Some(holes) = number(bytes, 28, 4) else {
        return;
    };
    let (Some(rows), Some(columns)) = (number(bytes, 12, 4), number(bytes, 16, 4)) else {
        return;
    };
    let head = holes.saturating_mul(4).saturating_add(32);
    let steps = rows.saturating_mul(columns).saturating_mul(4);
    let body = head.saturating_add(16);
    if let Some(steps) = bytes.get(body..body.saturating_add(steps)) {
        let sum = xxh3_64(steps).to_le_bytes();
        put(bytes, head, &sum);
        let sum = xxh3_64(&bytes[..head + 8]).to_le_bytes();
        put(bytes, head + 8, &sum);
    }
    if let Some(end) = bytes.len().checked_sub(32) {
        let sum = xxh3_64(&bytes[end..end + 24]).to_le_bytes();
        put(bytes, end + 24, &sum);
    }
}

/// Makes the checksums of a table right: of the header, of the blocks, of the index, of the end.
fn seal_table(bytes: &mut [u8]) {
    const HEADER: usize = 64;
    const TRAILER: usize = 32;
    if bytes.len() < HEADER + TRAILER {
        return;
    }
    let sum = xxh3_64(&bytes[..HEADER - 8]).to_le_bytes();
    put(bytes, HEADER - 8, &sum);
    let end = bytes.len() - TRAILER;
    let index = number(bytes, end, 8).filter(|index| (HEADER..=end).contains(index));
    let Some(index) = index else { return };
    put(bytes, end + 8, &((end - index) as u64).to_le_bytes());
    let (mut start, mut entry) = (HEADER, index + 16 * usize::from(bytes[13]));
    while entry + 8 <= end {
        let length = number(bytes, entry, 4).unwrap_or(0);
        if length > 0
            && let Some(frame) = bytes.get(start..start.saturating_add(length))
        {
            let sum = (xxh3_64(frame) as u32).to_le_bytes();
            put(bytes, entry + 4, &sum);
        }
        start = start.saturating_add(length);
        entry += 8;
    }
    let sum = xxh3_64(&bytes[index..end]).to_le_bytes();
    put(bytes, end + 16, &sum);
    let sum = xxh3_64(&bytes[end..end + 24]).to_le_bytes();
    put(bytes, end + 24, &sum);
}

/// Makes the checksums of a file of own games right.
fn seal_games(bytes: &mut [u8]) {
    if bytes.len() < 40 {
        return;
    }
    let sum = xxh3_64(&bytes[..32]).to_le_bytes();
    put(bytes, 32, &sum);
    let mut at = 40;
    for block in 0.. {
        let Some(length) = number(bytes, at, 4) else {
            return;
        };
        let Some(games) = bytes.get(at + 24..(at + 24).saturating_add(length)) else {
            return;
        };
        let mut hash = Xxh3::with_seed(block);
        hash.update(&bytes[at..at + 16]);
        hash.update(games);
        put(bytes, at + 16, &hash.digest().to_le_bytes());
        at += 24 + length;
    }
}
