//! `cargo xtask budgets`: peak resident memory against the budget, for questions of all four problems at three budgets
//! each, and for counts and sets whose layers are in files.
//!
//! A question is answered, refused, or interrupted after a while; in each case the process may not have had more memory
//! than its budget. The table is printed as Markdown.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use rustix::process::{Pid, Signal, kill_process};

use crate::resident::peak_kib;

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
    ("pegs count european --positions", ["32M", "128M", "300M"]),
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
        "engine tune --games 4 --nodes 100 --out weights.txt",
        ["18M", "64M", "256M"],
    ),
    ("analyse startpos --depth 8", ["32M", "64M", "256M"]),
    (
        "arena openings --number 50 --out openings.epd",
        ["18M", "64M", "256M"],
    ),
    ("arena stats /dev/zero", ["14M", "32M", "256M"]),
];

/// A question with layers in files that takes longer is interrupted.
const LONGEST_IN_FILES: Duration = Duration::from_secs(900);

/// Questions whose layers are in files at these budgets: the largest layers come late, so they are asked to the end.
const IN_FILES: &[(&str, &[&str])] = &[
    ("tours count 7x8 --work work", &["80M", "96M"]),
    ("tours count 8x8 --closed --work work", &["96M", "128M"]),
    ("tours count 7x9 --work work", &["90M", "128M"]),
    ("pegs count european --positions --work work", &["32M"]),
    (
        "pegs winning european --start c1 --work work --out set.win",
        &["256M"],
    ),
];

/// Asks every question, prints the table, and fails if a peak is above its budget.
pub(crate) fn run(program: &Path) -> anyhow::Result<()> {
    println!("| question | budget | peak | outcome |\n|---|---|---|---|");
    let (mut asked, mut above) = (0, 0);
    let short = QUESTIONS.iter();
    let short = short.map(|(question, budgets)| (question, &budgets[..], LONGEST));
    let long = IN_FILES.iter();
    let long = long.map(|(question, budgets)| (question, *budgets, LONGEST_IN_FILES));
    for (question, budgets, longest) in short.chain(long) {
        for budget in budgets {
            let Asked { peak, outcome } = ask(program, question, budget, longest)?;
            asked += 1;
            let is_above = peak > bytes(budget)?;
            above += usize::from(is_above);
            let mark = if is_above { " **above**" } else { "" };
            let mib = peak as f64 / f64::from(1 << 20);
            println!("| `{question}` | {budget} | {mib:.1}M{mark} | {outcome} |");
        }
    }
    println!(
        "\n{} questions, {asked} runs, {above} above their budget",
        QUESTIONS.len() + IN_FILES.len()
    );
    ensure!(
        above == 0,
        "{above} runs took more memory than their budget"
    );
    Ok(())
}

/// What a run took, in bytes, and how it ended.
struct Asked {
    peak: u64,
    outcome: String,
}

fn ask(program: &Path, question: &str, budget: &str, longest: Duration) -> anyhow::Result<Asked> {
    let folder = tempfile::tempdir()?;
    std::fs::write(
        folder.path().join("claim.json"),
        r#"{"board":"20000x20000","order":["a1","b3"]}"#,
    )?;
    let mut child = Command::new(program)
        .args(question.split(' '))
        .args(["--ram", budget, "--json"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot run {}", program.display()))?;
    let output = child.stdout.take();
    let reader = thread::spawn(move || {
        let mut text = String::new();
        let read = output.map(|mut output| std::io::Read::read_to_string(&mut output, &mut text));
        read.and_then(Result::ok).map(|_| text).unwrap_or_default()
    });
    let start = Instant::now();
    let (mut polled, mut is_interrupted) = (0, false);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        polled = polled.max(peak_kib(child.id()) << 10);
        if !is_interrupted && start.elapsed() > longest {
            is_interrupted = true;
            let _ = kill_process(Pid::from_child(&child), Signal::TERM);
        }
        thread::sleep(Duration::from_millis(1));
    };
    let text = reader.join().unwrap_or_default();
    // The program's own figure is exact; a refusal has none.
    let reported = text.lines().last().and_then(|line| {
        let answer: serde_json::Value = serde_json::from_str(line).ok()?;
        answer["peak_rss_bytes"].as_u64()
    });
    let outcome = match (is_interrupted, status.code()) {
        (true, _) => "interrupted".to_owned(),
        (false, Some(0)) => "answered".to_owned(),
        (false, Some(1)) => "answered no".to_owned(),
        (false, Some(2)) => "refused as input".to_owned(),
        (false, Some(3)) => "refused".to_owned(),
        (false, _) => format!("ended with {status}"),
    };
    Ok(Asked {
        peak: reported.unwrap_or(0).max(polled),
        outcome,
    })
}

/// The bytes of a size such as `64M`.
fn bytes(size: &str) -> anyhow::Result<u64> {
    let (number, shift) = match size.split_at(size.len() - 1) {
        (number, "G") => (number, 30),
        (number, _) => (number, 20),
    };
    Ok(number.parse::<u64>()? << shift)
}

/// The program that `--program FILE` names, if any.
pub(crate) fn program(words: &[String]) -> anyhow::Result<Option<PathBuf>> {
    match words {
        [] => Ok(None),
        [option, file] if option == "--program" => Ok(Some(std::path::absolute(file)?)),
        _ => anyhow::bail!("expected cargo xtask budgets [--program FILE]"),
    }
}
