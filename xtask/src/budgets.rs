//! `cargo xtask budgets`: peak resident memory against the budget, for ordinary questions of all
//! four problems, for every command at three budgets on extreme inputs, and for counts and sets
//! whose layers are in files.
//!
//! A question is answered, refused, or interrupted after a while. What every run must keep:
//! - the process never has more memory than its budget, and never aborts, though its address space
//!   is limited;
//! - an interrupt ends it soon;
//! - a refusal names an amount of memory, and with that amount the question is not refused again.
//!
//! The table is printed as Markdown.

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};
use wait4::{ResUse, Wait4};

/// A question that takes longer is interrupted.
const LONGEST: Duration = Duration::from_secs(20);

/// Questions, and the budgets at which each is asked.
const QUESTIONS: &[(&str, [&str; 3])] = &[
    ("tours exists 60x60", ["14M", "32M", "256M"]),
    ("tours find 8x8 --seed 7", ["14M", "32M", "256M"]),
    (
        "tours find 500x500 --out found.bin --format bin",
        ["14M", "32M", "256M"],
    ),
    (
        "tours find 2000x2000 --closed --out found.bin --format bin",
        ["32M", "128M", "512M"],
    ),
    ("tours list 5x5", ["14M", "32M", "256M"]),
    (
        "tours list 6x6 --closed --number 500",
        ["14M", "32M", "256M"],
    ),
    ("tours count 5x5 --by-start", ["14M", "32M", "256M"]),
    ("tours count 6x6", ["14M", "32M", "256M"]),
    ("tours count 7x7", ["32M", "128M", "512M"]),
    ("tours count 7x8 --closed", ["18M", "64M", "256M"]),
    ("tours count 8x8 --closed", ["27M", "64M", "300M"]),
    ("tours count 8x8", ["64M", "512M", "2G"]),
    ("tours count 4x60", ["18M", "64M", "256M"]),
    ("tours count 6x7 --leaper 1,4", ["18M", "64M", "256M"]),
    ("tours sample 6x6 --number 100", ["18M", "64M", "256M"]),
    ("tours sample 7x7 --number 5", ["64M", "256M", "1G"]),
    ("tours unrank 1x1000000 3", ["32M", "256M", "2G"]),
    (
        "tours symmetric 10x10 --rotation quarter",
        ["18M", "64M", "256M"],
    ),
    ("tours verify claim.json", ["14M", "64M", "2G"]),
    ("tours verify /dev/zero", ["14M", "64M", "256M"]),
    ("tours draw claim.json", ["14M", "64M", "256M"]),
    ("pegs solve english", ["14M", "32M", "256M"]),
    ("pegs solve english --shortest", ["14M", "64M", "512M"]),
    (
        "pegs solve european --start d2 --finish d3",
        ["18M", "64M", "256M"],
    ),
    ("pegs solve triangle9", ["18M", "64M", "256M"]),
    ("pegs solve square7x9", ["18M", "64M", "256M"]),
    ("pegs solve wiegleb", ["18M", "64M", "256M"]),
    ("pegs count english", ["18M", "64M", "256M"]),
    (
        "pegs count european --start d4 --positions",
        ["32M", "128M", "300M"],
    ),
    ("pegs count triangle6", ["14M", "32M", "256M"]),
    ("pegs table english", ["18M", "64M", "256M"]),
    ("pegs winning english --out set.win", ["14M", "64M", "256M"]),
    ("pegs hint o/o./.oo/o.oo/ooooo", ["14M", "32M", "256M"]),
    ("pegs puzzle english --number 3", ["18M", "64M", "256M"]),
    ("pegs count square6x6 --positions", ["18M", "64M", "512M"]),
    ("tables build KQvK --out tables", ["18M", "64M", "256M"]),
    ("tables build KRvKN --out tables", ["18M", "64M", "256M"]),
    ("tables build KPvKP --out tables", ["32M", "128M", "512M"]),
    ("tables build KRBvKR --out tables", ["18M", "64M", "256M"]),
    (
        "tables build KPvK --syzygy --out tables",
        ["18M", "64M", "256M"],
    ),
    (
        "tables build KQvKR --syzygy --out tables",
        ["32M", "64M", "256M"],
    ),
    (
        "tables build KPPvKP --syzygy --out tables",
        ["32M", "64M", "128M"],
    ),
    (
        "tables build KPPPPvK --syzygy --out tables",
        ["32M", "64M", "128M"],
    ),
    (
        "tables build KQvK --metric dtz --out tables",
        ["18M", "64M", "256M"],
    ),
    ("tables closure KPPvKP", ["14M", "32M", "256M"]),
    ("engine bench --depth 7", ["32M", "64M", "256M"]),
    ("engine bench --depth 6 --threads 4", ["32M", "64M", "256M"]),
    ("engine perft 5", ["14M", "32M", "256M"]),
    (
        "analyse rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 --depth 8",
        ["32M", "64M", "256M"],
    ),
    (
        "arena openings --number 50 --out openings.epd",
        ["18M", "64M", "256M"],
    ),
    ("arena stats /dev/zero", ["14M", "32M", "256M"]),
];

/// Extreme questions are interrupted early: what grows with the input is taken at once.
const LONGEST_EXTREME: Duration = Duration::from_secs(3);

/// The budgets of [`EXTREME`].
const EXTREME_BUDGETS: &[&str] = &["16M", "64M", "256M"];

/// Every command on boards, files and numbers far beyond what it is made for. The files are those
/// of [`Inputs`].
const EXTREME: &[&str] = &[
    "tours exists 60000x60000",
    "tours exists 60000x60000 --leaper 2,3",
    "tours exists 1000x1000 --leaper 2,3",
    "tours exists 999x999 --closed --leaper 1,4",
    "tours exists 1x1000000 --leaper 0,1 --holes a1",
    "tours exists 1000x1000 --holes a1,b2 --closed",
    "tours exists 20000x20000 --holes a1,b2",
    "tours exists 1x4294967294 --leaper 0,2",
    "tours exists 65535x65535 --leaper 1,1 --closed",
    "tours find 60000x60000",
    "tours find 60000x60000 --leaper 0,1 --closed",
    "tours find 20000x20000 --holes a1,b2",
    "tours find 10000x10000 --closed --out tour.bin --format bin",
    "tours find 1000x1000",
    "tours find 1000x1000 --leaper 2,3",
    "tours find 3x1000000",
    "tours find 5x200000000 --start a1",
    "tours find 1x4294967294",
    "tours find 700x700 --holes a1,b2 --start c3",
    "tours list 20000x20000",
    "tours list 60000x60000 --closed --number 3",
    "tours list 1x4294967294",
    "tours list 1000x1000 --leaper 2,3 --number 1",
    "tours list 60x60 --number 2",
    "tours list 8x8 --number 1000000",
    "tours list 20000x20000 --holes a1,b2 --number 1",
    "tours list 6x7 --number 100000 --format grid --svg tours.svg",
    "tours complete 20000x20000",
    "tours complete 60000x60000 --path a1-b3-c5",
    "tours complete 1000x1000 --leaper 2,3",
    "tours complete 60x60 --closed",
    "tours complete 20000x20000 --holes c3",
    "tours count 60000x60000",
    "tours count 60000x60000 --by-start",
    "tours count 20000x20000 --holes a1,b2",
    "tours count 20000x20000 --holes a1,b2 --classes",
    "tours count 20001x20001 --closed --classes",
    "tours count 4x1000000 --closed --classes",
    "tours count 1x4294967294",
    "tours count 1x4294967294 --leaper 0,1 --classes",
    "tours count 3x1000000",
    "tours count 5x100000 --method frontier",
    "tours count 2x500000 --method frontier --by-start",
    "tours count 1000x1000 --leaper 2,3",
    "tours count 20000x20000 --method search",
    "tours count 60x60 --method search",
    "tours count 3x1000000 --closed --checkpoint checkpoint",
    "tours count 8x9 --work work",
    "tours count 10x10 --work work --closed",
    "tours count 20000x20000 --start a1 --work work",
    "tours count 1x1000000 --estimate",
    "tours count 2x500000 --estimate",
    "tours count 5x100000 --estimate",
    "tours count 3x1000000 --estimate --closed",
    "tours count 1x4294967294 --estimate",
    "tours count 20000x20000 --estimate --holes a1,b2",
    "tours count 60000x60000 --estimate",
    "tours count 8x8 --estimate",
    "tours count 9x9 --estimate",
    "tours count 6x1000 --leaper 0,1 --estimate",
    "tours sample 60000x60000",
    "tours sample 1x1000000",
    "tours sample 3x1000000 --number 3",
    "tours sample 20000x20000 --holes a1,b2",
    "tours sample 5x5 --number 100000000",
    "tours sample 1x4294967294 --leaper 0,1",
    "tours unrank 1x4294967294 3",
    "tours unrank 20000x20000 0 --closed",
    "tours unrank 2x500000 0 --leaper 0,1",
    "tours rank 20000x20000 ../inputs/claim.json",
    "tours rank 5x5 ../inputs/line.txt",
    "tours symmetric 60000x60000 --rotation half",
    "tours symmetric 20000x20000 --rotation half",
    "tours symmetric 20000x20000 --rotation quarter",
    "tours symmetric 20001x20001 --rotation quarter",
    "tours symmetric 20001x20001 --rotation quarter --list --type b",
    "tours symmetric 20000x20000 --rotation half --list",
    "tours symmetric 1x4294967294 --rotation half --leaper 0,1",
    "tours symmetric 3x1000000 --rotation half --holes a1",
    "tours symmetric 20002x20002 --rotation quarter --leaper 0,1",
    "tours verify ../inputs/claim.json",
    "tours verify ../inputs/line.txt",
    "tours verify ../inputs/zeros.bin",
    "tours draw ../inputs/claim.json --svg claim.svg",
    "tours draw ../inputs/line.txt",
    "pegs solve square8x8",
    "pegs solve triangle10 --shortest",
    "pegs solve ../inputs/line.txt",
    "pegs count square8x8",
    "pegs count wiegleb --positions",
    "pegs count triangle10",
    "pegs table square8x8",
    "pegs table wiegleb",
    "pegs winning square8x8 --out set.win",
    "pegs winning wiegleb --out set.win --work work",
    "pegs hint square8x8",
    "pegs hint english --winning-set ../inputs/line.txt",
    "pegs puzzle square8x8",
    "pegs review ../inputs/line.txt",
    "pegs replay ../inputs/line.txt",
    "pegs draw square8x8 --svg board.svg",
    "pegs boards",
    "tables build KQRBNvK --out tables",
    "tables build KPPPvKPPP --out tables",
    "tables build KQvKR --metric dtm50 --out tables",
    "tables build KRBNvKQ --syzygy --out tables",
    "tables closure KPPPPPvK",
    "tables probe --tables ../inputs/tables 8/8/8/8/8/2k5/8/K1Q5",
    "tables probe --tables ../inputs/tables --fens ../inputs/line.txt",
    "tables verify ../inputs/tables",
    "tables verify ../inputs/tables/KQvK.dtm --every 1",
    "tables verify ../inputs/line.txt",
    "tables stats KPvK --tables ../inputs/tables",
    "tables stats KRvK --tables ../inputs/tables --number 1000000",
    "tables check ../inputs/tables",
    "tables convert ../inputs/tables/KQvK.dtz --out converted",
    "engine bench --depth 40",
    "engine bench --depth 40 --threads 16",
    "engine perft 15",
    "engine perft 15 --threads 16",
    "engine datagen --positions 1000000 --nodes 50 --out data",
    "engine train --data ../inputs/tables --out network",
    "engine uci",
    "chess position",
    "chess move",
    "chess move --threads 16 --depth 60",
    "chess compare --depth 60",
    "chess compare --threads 16 --time 9",
    "analyse rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 --depth 200",
    "analyse rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 --lines 100 --threads 16",
    "analyse ../inputs/games.pgn --time 1",
    "analyse ../inputs/line.pgn",
    "analyse ../inputs/line.epd",
    "play --time 9",
    "play --threads 16 --colour black --time 9",
    "arena openings --number 10000000",
    "arena stats ../inputs/games.pgn",
    "arena stats ../inputs/players.pgn",
    "arena stats ../inputs/line.pgn",
    "arena stats --wdl 4000000000,4000000000,4000000000",
    "arena play --engine cmd=cat --engine cmd=cat --openings ../inputs/line.pgn --nodes 1",
    "arena play --engine cmd=cat --engine cmd=cat --openings ../inputs/line.epd --nodes 1",
    "lab list",
    "lab run tours-speedup --quick",
    "lab run tours-symmetric --quick",
    "lab run tours-count --quick",
    "lab run pegs-search --quick",
    "lab run pegs-layers --quick",
    "lab run leapfrog --quick",
    "lab run tables-speedup --quick",
    "lab run chess-strategies --quick",
    "lab run chess-scaling --quick",
    "lab run chess-features --quick",
    "lab run chess-network --quick",
    "jobs list -- tours count 20000x20000",
    "jobs list -- tours count 8x9",
    "jobs list -- tours count 20000x20000 --holes a1,b2",
    "jobs list -- tables build KQRBNvK",
    "jobs run 0 -- tours count 20000x20000 --holes a1,b2",
    "jobs collect -- tours count 9x1000000",
    "completions bash",
    "man pages",
    "schema",
];

/// A question with layers in files that takes longer is interrupted.
const LONGEST_IN_FILES: Duration = Duration::from_secs(900);

/// Questions whose layers are in files at these budgets: the largest layers come late, so they are
/// asked to the end.
const IN_FILES: &[(&str, &[&str])] = &[
    ("tours count 7x8 --work work", &["80M", "96M"]),
    ("tours count 8x8 --closed --work work", &["96M", "128M"]),
    ("tours count 7x9 --work work", &["90M", "128M"]),
    (
        "pegs count european --start d4 --positions --work work",
        &["32M"],
    ),
    (
        "pegs winning european --start c1 --work work --out set.win",
        &["256M"],
    ),
];

/// What is asked for.
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// The program; by default it is built.
    pub(crate) program: Option<PathBuf>,
    /// Only questions with this in their text.
    only: String,
}

impl Options {
    pub(crate) fn read(words: &[String]) -> anyhow::Result<Self> {
        let mut options = Self::default();
        for pair in words.chunks(2) {
            match pair {
                [name, value] if name == "--program" => {
                    options.program = Some(std::path::absolute(value)?);
                }
                [name, value] if name == "--only" => options.only.clone_from(value),
                _ => bail!("expected cargo xtask budgets [--program FILE] [--only TEXT]"),
            }
        }
        Ok(options)
    }
}

/// Asks every question, prints the table, and fails if a run broke a rule.
pub(crate) fn run(program: &Path, options: &Options) -> anyhow::Result<()> {
    let inputs = Inputs::new(program)?;
    let short = QUESTIONS.iter();
    let short = short.map(|(question, budgets)| (*question, &budgets[..], LONGEST));
    let extreme = EXTREME.iter();
    let extreme = extreme.map(|question| (*question, EXTREME_BUDGETS, LONGEST_EXTREME));
    let long = IN_FILES.iter();
    let long = long.map(|(question, budgets)| (*question, *budgets, LONGEST_IN_FILES));
    println!("| question | budget | peak | outcome |\n|---|---|---|---|");
    let (mut questions, mut asked, mut broken) = (0, 0, 0);
    let mut ask = |question: &str, budget: u64, longest, is_named: bool| {
        let ended = inputs.ask(question, budget, longest)?;
        let fault = ended.fault(budget, is_named);
        asked += 1;
        broken += usize::from(fault.is_some());
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        println!(
            "| `{question}` | {:.1}M{} | {:.1}M | {}{} |",
            mib(budget),
            if is_named { ", named" } else { "" },
            mib(ended.peak),
            ended.outcome,
            fault.map_or(String::new(), |fault| format!(" **{fault}**"))
        );
        anyhow::Ok(ended.need)
    };
    let chosen = short.chain(extreme).chain(long);
    for (question, budgets, longest) in chosen.filter(|(text, ..)| text.contains(&options.only)) {
        questions += 1;
        let mut named = None;
        for budget in budgets {
            named = named.or(ask(question, bytes(budget)?, longest, false)?);
        }
        // The amount of the first refusal; more than [`MOST`] is not tried, and a file without an
        // end never fits.
        let is_endless = question.contains("/dev/zero");
        if let Some(need) = named.filter(|need| *need <= MOST && !is_endless) {
            ask(question, need, longest, true)?;
        }
    }
    println!("\n{questions} questions, {asked} runs, {broken} broke a rule");
    ensure!(broken == 0, "{broken} runs broke a rule");
    Ok(())
}

/// The largest budget that is tried because a refusal named it.
const MOST: u64 = 2 << 30;

/// How long a run may take to end after an interrupt, with some time for a busy machine.
const PATIENCE: Duration = Duration::from_secs(1);

/// What the address space may have beyond the budget: stacks, and what allocators reserve for each
/// thread.
const ADDRESSES: u64 = 4 << 30;

/// How a run ended.
struct Ended {
    /// Bytes.
    peak: u64,
    outcome: String,
    /// The bytes that a refusal names.
    need: Option<u64>,
    /// Refused over memory, or ended otherwise than the program ends by itself.
    is_refused: bool,
    is_deaf: bool,
    is_aborted: bool,
}

impl Ended {
    /// Which rule the run broke.
    fn fault(&self, budget: u64, is_named: bool) -> Option<&'static str> {
        if self.peak > budget {
            Some("above its budget")
        } else if self.is_aborted {
            Some("aborted")
        } else if self.is_deaf {
            Some("deaf")
        } else if self.is_refused && is_named {
            Some("refused with the amount that was named")
        } else {
            None
        }
    }
}

/// Where questions are asked, and the files that they read.
struct Inputs<'a> {
    program: &'a Path,
    folder: tempfile::TempDir,
}

impl<'a> Inputs<'a> {
    /// Makes the files: `claim.json` claims a tour of 4 * 10^8 squares; `line.txt`, `.pgn` and
    /// `.epd` hold one line of 80 MB, `zeros.bin` as many zeros; `games.pgn` has 20,000 games
    /// of two players, `players.pgn` of as many players; `tables` three small tables.
    fn new(program: &'a Path) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let inputs = folder.path().join("inputs");
        std::fs::create_dir(&inputs)?;
        let write = |name: &str, text: &[u8]| std::fs::write(inputs.join(name), text);
        write(
            "claim.json",
            br#"{"board":"20000x20000","order":["a1","b3"]}"#,
        )?;
        // Piece by piece: a child's peak counts what its parent had at most.
        let long = |name: &str, byte: u8| {
            let mut file = std::fs::File::create(inputs.join(name))?;
            std::io::copy(&mut std::io::repeat(byte).take(80_000_000), &mut file)
        };
        for name in ["line.txt", "line.pgn", "line.epd"] {
            long(name, b'e')?;
        }
        long("zeros.bin", 0)?;
        let games = |players: usize| {
            let game = |n: usize| {
                let (white, black) = (n % players, (n + 1) % players);
                format!(
                    "[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 1-0\n\n"
                )
            };
            (0..20_000).map(game).collect::<String>()
        };
        write("games.pgn", games(2).as_bytes())?;
        write("players.pgn", games(20_000).as_bytes())?;
        for (ending, metric) in [("KQvK", "dtm"), ("KQvK", "dtz"), ("KPvK", "dtm")] {
            let status = Command::new(program)
                .args(["tables", "build", ending, "--metric", metric, "--quiet"])
                .args(["--no-stats", "--out"])
                .arg(inputs.join("tables"))
                .stdout(Stdio::null())
                .status()
                .with_context(|| format!("cannot run {}", program.display()))?;
            ensure!(status.success(), "no table of {ending}");
        }
        Ok(Self { program, folder })
    }

    fn ask(&self, question: &str, budget: u64, longest: Duration) -> anyhow::Result<Ended> {
        let folder = self.folder.path().join("run");
        std::fs::create_dir(&folder)?;
        let (before, after) = match question.split_once(" -- ") {
            Some((before, after)) => (before, Some(after)),
            None => (question, None),
        };
        let mut child = Command::new("sh")
            .arg("-c")
            .arg(format!(
                "ulimit -v {}; exec \"$0\" \"$@\"",
                (budget + ADDRESSES) >> 10
            ))
            .arg(self.program)
            .args(before.split(' '))
            .args(["--ram", &budget.to_string()])
            .args((!question.starts_with("play ")).then_some("--json"))
            .args(
                after
                    .iter()
                    .flat_map(|words| ["--"].into_iter().chain(words.split(' '))),
            )
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot run {}", self.program.display()))?;
        let pid = Pid::from_child(&child);
        let output = child.stdout.take();
        let reader = thread::spawn(move || output.map(last_line).unwrap_or_default());
        let start = Instant::now();
        let (mut interrupted, mut is_deaf) = (None::<Instant>, false);
        let ResUse { status, rusage } = loop {
            if let Some(used) = child.try_wait4()? {
                break used;
            }
            match interrupted {
                None if start.elapsed() > longest => {
                    interrupted = Some(Instant::now());
                    let _ = kill_process(pid, Signal::TERM);
                }
                Some(at) if !is_deaf && at.elapsed() > PATIENCE => {
                    is_deaf = true;
                    let _ = kill_process(pid, Signal::KILL);
                }
                _ => thread::sleep(Duration::from_millis(2)),
            }
        };
        std::fs::remove_dir_all(&folder)?;
        let error: serde_json::Value =
            serde_json::from_str(&reader.join().unwrap_or_default()).unwrap_or_default();
        let is_refused = status.code() == Some(3) && interrupted.is_none();
        let outcome = match (interrupted.is_some(), status.code()) {
            (true, _) => "interrupted".to_owned(),
            (false, Some(0)) => "answered".to_owned(),
            (false, Some(1)) => "answered no".to_owned(),
            (false, Some(2)) => "refused as input".to_owned(),
            (false, Some(3)) => "refused".to_owned(),
            (false, _) => format!("ended with {status}"),
        };
        Ok(Ended {
            peak: rusage.maxrss,
            outcome,
            need: error["need_bytes"].as_u64(),
            is_refused,
            is_deaf,
            is_aborted: !is_deaf
                && (status.signal().is_some() || !matches!(status.code(), Some(0..=3 | 130))),
        })
    }
}

/// The last line of an output, if it is short: an answer for programs is one line, and so is an
/// error.
fn last_line(mut output: impl Read) -> String {
    let (mut last, mut buffer) = (Vec::new(), vec![0; 1 << 16]);
    while let Ok(n @ 1..) = output.read(&mut buffer) {
        last.extend_from_slice(&buffer[..n]);
        let kept = last.len().saturating_sub(1 << 16);
        last.drain(..kept);
    }
    let text = String::from_utf8_lossy(&last);
    text.lines().last().unwrap_or_default().to_owned()
}

/// The bytes of a size such as `64M`.
fn bytes(size: &str) -> anyhow::Result<u64> {
    let (number, shift) = match size.split_at(size.len() - 1) {
        (number, "G") => (number, 30),
        (number, _) => (number, 20),
    };
    Ok(number.parse::<u64>()? << shift)
}
