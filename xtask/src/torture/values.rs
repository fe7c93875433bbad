//! Random numbers, and values for arguments and options: sound, odd and hostile ones.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::child::Input;
use super::commands::Shape;

/// Random numbers that follow from the seed and the number of the try (SplitMix64).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64, number: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ number);
        random.next();
        Self(random.next())
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    pub(super) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(super) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

const TOUR_BOARDS: &[&str] = &[
    "5x5",
    "3x4",
    "5x6",
    "6x6",
    "3x10",
    "8x8",
    "1x1",
    "2x2",
    "60000x60000",
    "4294967296x2",
    "0x5",
    "20000x20000",
    "1x1000000",
    "5 5",
    "7x",
];
const PEG_BOARDS: &[&str] = &[
    "english",
    "triangle5",
    "square4x4",
    "french",
    "ooo/o.o/ooo",
    "o.o",
    ".",
    "ooo",
    "triangle15",
    "wiegleb",
    "englsh",
    "o/oo/ooo",
    "square8x8",
    "-",
];
const MATERIALS: &[&str] = &[
    "KQvK", "KPvK", "KRvKN", "KvK", "kqvk", "KQQQQvK", "KPPvKP", "KXvK", "QvK", "KRBvKR", "KQvKR",
];
const FENS: &[&str] = &[
    "startpos",
    "8/8/8/8/8/8/5PPP/K5k1 w - - 0 1",
    "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "kK6/8/8/8/8/8/8/8 w - - 0 1",
    "r3k3/8/8/8/8/8/5PPP/6K1 b - - 0 1",
    "not a position",
];
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "7",
    "100",
    "-1",
    "1e9",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "0.5",
    "NaN",
    "",
];
const SIZES: &[&str] = &[
    "64M",
    "32M",
    "256M",
    "16M",
    "10",
    "1K",
    "8M",
    "lots",
    "0",
    "99999999T",
    "1.5G",
];
const SQUARES: &[&str] = &["a1", "c3", "d4", "z99", "a0", "a1,b2", "", "d4,d4"];
const WORDS: &[&str] = &[
    "",
    "auto",
    "grid",
    "csv",
    "json",
    "bin",
    "squares",
    "dtz",
    "dtm50",
    "dtc",
    "dtm",
    "quarter",
    "half",
    "layers",
    "rows",
    "light",
    "anywhere",
    "leapfrog",
    "scan",
    "square",
    "triangular",
    "quick",
    "bash",
    "1,2",
    "3+0.01",
    "0,5",
    "..",
    "/",
    "\u{1b}[31mred",
    "\u{202e}",
    "\n",
    "日本",
    "x=y",
    "a=1,b=2",
];
const ENGINES: &[&str] = &[
    "cmd=false",
    "cmd=cat",
    "cmd=no-such-program",
    "name=x",
    "cmd=yes,nodes=10",
    "cmd=true,proto=xboard",
];

/// Where values come from.
pub(super) struct Values<'a> {
    pub(super) folder: &'a Path,
    pub(super) corpus: &'a [PathBuf],
    pub(super) hostile: Option<&'a Path>,
}

impl Values<'_> {
    /// A command line of a command.
    pub(super) fn line(&self, shape: &Shape, random: &mut Random) -> Vec<OsString> {
        let mut words: Vec<OsString> = shape.words.iter().map(Into::into).collect();
        for name in &shape.arguments {
            if !random.one_in(20) {
                words.push(self.value(name, shape, random));
            }
        }
        let given = if random.one_in(4) {
            0
        } else {
            1 + random.below(4)
        };
        for _ in 0..given {
            if shape.options.is_empty() {
                break;
            }
            let (name, value) = random.pick(&shape.options);
            words.push(name.into());
            if let Some(value) = value {
                words.push(self.value(value, shape, random));
            }
        }
        // What is long or large otherwise costs all the time.
        for (name, value) in [("--threads", "2"), ("--ram", "64M")] {
            if !words.iter().any(|word| word == name) && !random.one_in(4) {
                words.extend([name.into(), value.into()]);
            }
        }
        words
    }

    fn value(&self, name: &str, shape: &Shape, random: &mut Random) -> OsString {
        if random.one_in(12) {
            return hostile(random);
        }
        let text = match name {
            "BOARD" | "POSITION" | "BOARDS" => match shape.words[0].as_str() {
                "pegs" => random.pick(PEG_BOARDS),
                _ => random.pick(TOUR_BOARDS),
            },
            "MATERIAL" => random.pick(MATERIALS),
            "SIZE" => random.pick(SIZES),
            "HOLE" | "SQUARE" | "SQUARES" => random.pick(SQUARES),
            "KEY=VALUE,.." => random.pick(ENGINES),
            name if name.contains("FEN") && random.one_in(2) => random.pick(FENS),
            name if name.contains("FILE") || name.contains("FEN") || name.contains("GAME") => {
                return self.file(random);
            }
            name if name.contains("DIR") => return self.directory(random),
            name if name.len() <= 2 || name.ends_with('S') => random.pick(NUMBERS),
            _ if random.one_in(2) => random.pick(NUMBERS),
            _ => random.pick(WORDS),
        };
        (*text).into()
    }

    /// A file to read or write.
    fn file(&self, random: &mut Random) -> OsString {
        match random.below(8) {
            0 => "-".into(),
            1 => random
                .pick(&[
                    "/dev/zero",
                    "/dev/full",
                    "/dev/null",
                    "/nonexistent/file",
                    ".",
                ])
                .into(),
            2 => self.folder.join("new file.out").into(),
            3 | 4 if !self.corpus.is_empty() => random.pick(self.corpus).into(),
            _ => self.hostile.unwrap_or(Path::new("/dev/null")).into(),
        }
    }

    fn directory(&self, random: &mut Random) -> OsString {
        let in_corpus = self.corpus.first().and_then(|file| file.parent());
        match random.below(5) {
            0 => "/dev/null".into(),
            1 => "/proc/no".into(),
            2 => in_corpus.unwrap_or(self.folder).into(),
            _ => self.folder.join("directory").into(),
        }
    }

    /// What the child reads from standard input.
    pub(super) fn input(&self, random: &mut Random) -> Input {
        match (random.below(4), self.hostile) {
            (0, _) => Input::Silent,
            (1, Some(file)) => Input::File(file.to_owned()),
            (2, _) => Input::File("/dev/zero".into()),
            _ => Input::Empty,
        }
    }
}

/// What no field expects.
fn hostile(random: &mut Random) -> OsString {
    match random.below(6) {
        0 => "x".repeat(1 << (4 + random.below(12))).into(),
        1 => "\u{1b}[31mred\u{7}".into(),
        2 => wrong_bytes(),
        3 => "9".repeat(1 + random.below(400)).into(),
        4 => random.pick(WORDS).into(),
        _ => random.pick(NUMBERS).into(),
    }
}

#[cfg(unix)]
fn wrong_bytes() -> OsString {
    use std::os::unix::ffi::OsStringExt;

    OsString::from_vec(vec![b'a', 0xff, 0xc0, b'b'])
}

#[cfg(not(unix))]
fn wrong_bytes() -> OsString {
    "\u{fffd}".into()
}
