//! The commands of README and of the guides, run as they are printed there, with the output that is
//! shown.

use std::fs;
use std::path::{Path, PathBuf};

use crate::run_in;

/// A command of a `console` block, and the lines below it.
#[derive(Debug)]
struct Shown {
    words: Vec<String>,
    into: Option<String>,
    output: String,
}

/// The words of a line; double quotes keep blanks together.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (i, part) in line.split('"').enumerate() {
        match i % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

fn commands(text: &str) -> Vec<Shown> {
    let mut commands: Vec<Shown> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let (true, Some(command)) = (inside, line.strip_prefix("$ everymove ")) {
            let (command, into) = match command.split_once(" > ") {
                Some((command, file)) => (command, Some(file.to_owned())),
                None => (command, None),
            };
            commands.push(Shown {
                words: words(command),
                into,
                output: String::new(),
            });
        } else if let (true, Some(last)) = (inside, commands.last_mut()) {
            last.output += line;
            last.output.push('\n');
        }
    }
    commands
}

/// Whether an output is as shown; a line of three dots stands for any number of lines.
fn is_as_shown(shown: &str, found: &str) -> bool {
    fn agree(shown: &[&str], found: &[&str]) -> bool {
        match (shown, found) {
            ([], []) => true,
            (["...", rest @ ..], _) => (0..=found.len()).any(|n| agree(rest, &found[n..])),
            ([line, shown @ ..], [other, found @ ..]) => line == other && agree(shown, found),
            _ => false,
        }
    }
    let shown: Vec<_> = shown.trim_end().lines().map(str::trim_end).collect();
    let found: Vec<_> = found.trim_end().lines().map(str::trim_end).collect();
    agree(&shown, &found)
}

/// README and the guides.
fn pages(root: &Path) -> Vec<PathBuf> {
    let guides = fs::read_dir(root.join("docs/guide")).unwrap();
    let guides = guides.map(|entry| entry.unwrap().path());
    [root.join("README.md")].into_iter().chain(guides).collect()
}

#[test]
#[cfg_attr(not(unix), ignore = "pages show paths of Unix")]
fn the_pages_are_true() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for page in pages(&root) {
        let text = fs::read_to_string(&page).unwrap();
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("docs/images")).unwrap();
        let commands = commands(&text);
        assert!(!commands.is_empty(), "{} shows no command", page.display());
        for shown in commands {
            let words: Vec<_> = shown.words.iter().map(String::as_str).collect();
            let output = run_in(dir.path(), &words);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{words:?}: {errors}");
            let found = String::from_utf8(output.stdout).unwrap();
            match &shown.into {
                Some(file) => fs::write(dir.path().join(file), found).unwrap(),
                None if shown.output.is_empty() => {}
                None => assert!(
                    is_as_shown(&shown.output, &found),
                    "{}: {words:?} prints\n{found}\ninstead of\n{}",
                    page.display(),
                    shown.output
                ),
            }
        }
        // The pictures that the page shows are those that its commands make.
        for entry in fs::read_dir(dir.path().join("docs/images")).unwrap() {
            let made = entry.unwrap();
            let kept = root.join("docs/images").join(made.file_name());
            let same = fs::read(made.path()).unwrap() == fs::read(&kept).unwrap_or_default();
            assert!(same, "{} is not what its command makes", kept.display());
        }
    }
}

/// Replacements in the lines of `sh` blocks: smaller amounts, an engine that is there, and input
/// for what asks for it.
const SMALLER: &[(&str, &str)] = &[
    ("--tc 2+0.02", "--nodes 100"),
    ("--number 200", "--number 2"),
    ("--number 400", "--number 2"),
    (
        "--positions 20000000 --nodes 500",
        "--positions 3000 --nodes 20",
    ),
    ("--nodes 2000", "--nodes 50"),
    ("tours count 7x8", "tours count 5x6"),
    ("--boards 6..16", "--boards 3..4"),
    ("--boards 6..12", "--boards 3"),
    ("cmd=stockfish", "cmd=./my-engine"),
    ("engine bench ", "engine bench --depth 4 "),
    (
        "lab run tours-speedup",
        "lab run chess-features --quick --threads 1",
    ),
    (
        "everymove play ",
        "printf 'e4\\nhint\\nquit\\n' | everymove play --nodes 100 ",
    ),
];

/// Lines of `sh` blocks that are not run: what they contain, and why. Scripts that need GNU
/// parallel or Slurm are `bash` blocks.
const NOT_RUN: &[(&str, &str)] = &[
    (
        "cargo ",
        "builds or tests the workspace, which the test itself is part of",
    ),
    (".ci/run", "runs this test"),
    ("scripts/", "compile the program in other ways"),
    (
        "everymove serve",
        "runs until it is interrupted; the tests of the web crate start it",
    ),
    ("curl ", "asks a server that runs"),
    (
        "crates/tables-c/examples",
        "the tests of the C library compile it",
    ),
    ("./probe tables", "the tests of the C library run it"),
    (
        "jobs run class-",
        "the tests of jobs run every class, which collecting needs",
    ),
    (
        "jobs collect results",
        "the tests of jobs collect the results of all classes",
    ),
    ("pip install", "needs Python, which need not be installed"),
    (
        "crates/web/tests/browser",
        "needs Node and a browser, which need not be installed",
    ),
    (
        "target/release/everymove-uci",
        "needs an engine that is built with the feature `constants`",
    ),
    (
        "/usr/games/",
        "plays against engines of Debian's packages, which need not be installed",
    ),
];

/// The lines of the `sh` blocks of a page, those that are continued joined.
fn shell_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let (mut inside, mut continued) = (false, false);
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```sh";
        } else if inside {
            let (part, goes_on) = match line.strip_suffix('\\') {
                Some(part) => (part, true),
                None => (line, false),
            };
            match lines.last_mut() {
                Some(last) if continued => *last += part,
                _ => lines.push(part.to_owned()),
            }
            continued = goes_on;
        }
    }
    lines
}

/// Every page of the documentation.
fn all_pages(root: &Path) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    for folder in ["", "docs", "docs/guide", "docs/design"] {
        let files = fs::read_dir(root.join(folder)).unwrap();
        let files = files.map(|entry| entry.unwrap().path());
        pages.extend(files.filter(|path| path.extension().is_some_and(|e| e == "md")));
    }
    pages.sort();
    pages
}

#[test]
#[cfg_attr(not(unix), ignore = "the blocks are of a POSIX shell")]
fn shell_blocks_run_with_small_inputs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let programs = Path::new(env!("CARGO_BIN_EXE_everymove")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", programs.display());
    let mut used = [false; SMALLER.len()];
    let (mut run, mut skipped) = (0, 0);
    for page in all_pages(&root) {
        let mut script =
            "set -e\nprintf '#!/bin/sh\\nexec everymove-uci\\n' > my-engine\nchmod +x my-engine\n"
                .to_owned();
        let mut is_empty = true;
        for line in shell_lines(&fs::read_to_string(&page).unwrap()) {
            if NOT_RUN.iter().any(|(part, _)| line.contains(part)) {
                skipped += 1;
                continue;
            }
            let mut line = line;
            for (used, (from, to)) in used.iter_mut().zip(SMALLER) {
                *used |= line.contains(from);
                line = line.replace(from, to);
            }
            run += 1;
            is_empty = false;
            script += &format!("{line}\n");
        }
        if is_empty {
            continue;
        }
        let dir = tempfile::tempdir().unwrap();
        let output = std::process::Command::new("sh")
            .args(["-c", &script])
            .current_dir(dir.path())
            .env("PATH", &path)
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "{}:\n{script}\n{errors}",
            page.display()
        );
    }
    assert!(
        used.iter().all(|used| *used),
        "a replacement that no page needs: {used:?}"
    );
    assert!(run >= 10 && skipped >= 8, "{run} lines run, {skipped} not");
}

/// Commands with their output are only in pages that [`the_pages_are_true`] reads.
#[test]
fn commands_with_output_are_on_tested_pages() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let tested = pages(&root);
    for page in all_pages(&root) {
        let text = fs::read_to_string(&page).unwrap();
        let is_tested = tested
            .iter()
            .any(|other| fs::canonicalize(other).unwrap() == fs::canonicalize(&page).unwrap());
        assert!(
            is_tested || !text.contains("```console"),
            "{}",
            page.display()
        );
    }
}

#[test]
fn three_dots_stand_for_any_lines() {
    assert!(is_as_shown("a\n...\nd\n", "a\nb\nc\nd\n"));
    assert!(is_as_shown("a\n...\n", "a\n"));
    assert!(!is_as_shown("a\n...\nd\n", "a\nb\n"));
    assert!(!is_as_shown("a\n", "a\nb\n"));
    assert_eq!(
        words("tables probe \"8/8 w\" --line"),
        ["tables", "probe", "8/8 w", "--line"]
    );
}

#[test]
fn links_between_pages_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let more = [
        "CONTRIBUTING.md",
        "SECURITY.md",
        "docs/ARCHITECTURE.md",
        "docs/design/README.md",
        "docs/strength.md",
    ];
    for page in pages(&root)
        .into_iter()
        .chain(more.map(|name| root.join(name)))
    {
        let text = fs::read_to_string(&page).unwrap();
        for link in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            if file.contains("://") {
                continue;
            }
            let target = match file {
                "" => page.clone(),
                file => page.parent().unwrap().join(file),
            };
            assert!(target.exists(), "{}: {link}", page.display());
            let heading = |line: &str| {
                let title = line.trim_start_matches('#').trim().to_lowercase();
                let kept = title
                    .chars()
                    .filter(|c| c.is_alphanumeric() || " -".contains(*c));
                kept.collect::<String>().replace(' ', "-")
            };
            if !anchor.is_empty() {
                let text = fs::read_to_string(&target).unwrap();
                let mut headings = text.lines().filter(|line| line.starts_with('#'));
                assert!(
                    headings.any(|line| heading(line) == anchor),
                    "{}: {link}",
                    page.display()
                );
            }
        }
    }
}
