//! The lists of counts in `docs/figures/oeis`, in the form of the b-files of the OEIS, and what a
//! submission says of each.
//!
//! `sequences.tsv` says which boards a list is of. Terms that a list has are kept, the others are
//! counted by the program: a list that was deleted is made again.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, anyhow, ensure};

const FOLDER: &str = "docs/figures/oeis";

/// Builds the program, and says where it is.
type Program = fn() -> anyhow::Result<PathBuf>;

/// Characters of the terms that a submission shows.
const SHOWN: usize = 260;

/// A line of `sequences.tsv`.
struct Sequence<'a> {
    file: &'a str,
    /// Such as `3xn` and `nxn`.
    boards: &'a str,
    kind: &'a str,
    direction: &'a str,
    piece: &'a str,
    terms: usize,
    published: &'a str,
    checks: &'a str,
}

impl<'a> Sequence<'a> {
    fn read(line: &'a str) -> anyhow::Result<Self> {
        let mut fields = line.split('\t');
        let wrong = || anyhow!("{line}: expected eight fields");
        let mut next = || fields.next().ok_or_else(wrong);
        let sequence = Self {
            file: next()?,
            boards: next()?,
            kind: next()?,
            direction: next()?,
            piece: next()?,
            terms: next()?.parse()?,
            published: next()?,
            checks: next()?,
        };
        ensure!(fields.next().is_none(), wrong());
        Ok(sequence)
    }

    fn name(&self) -> String {
        let Self {
            kind,
            direction,
            piece,
            ..
        } = self;
        let boards = self.boards.replace('x', " x ");
        format!("Number of {direction} {kind} {piece}'s tours of the {boards} board.")
    }

    /// The words of the program that counts a term.
    fn words(&self, n: &str) -> Vec<String> {
        let board = self.boards.replace('n', n);
        let mut words = vec!["tours".to_owned(), "count".to_owned(), board];
        if self.kind == "closed" {
            words.push("--closed".to_owned());
        }
        if self.direction == "directed" {
            words.push("--directed".to_owned());
        }
        if self.piece != "knight" {
            words.extend(["--piece".to_owned(), self.piece.to_owned()]);
        }
        words
    }

    /// The terms from 1 on, those that are not known counted by the program.
    fn terms(&self, known: &str, program: Program) -> anyhow::Result<Vec<String>> {
        let known = known.lines().filter(|line| !line.starts_with('#'));
        let mut terms = Vec::new();
        for (n, line) in (1..).zip(known) {
            let (at, term) = line
                .split_once(' ')
                .context("expected a number and a term")?;
            ensure!(at == n.to_string(), "{}: expected line {n}", self.file);
            terms.push(term.to_owned());
        }
        if terms.len() >= self.terms {
            return Ok(terms);
        }
        let program = program()?;
        for n in terms.len() + 1..=self.terms {
            let words = self.words(&n.to_string());
            println!("everymove {}", words.join(" "));
            let output = Command::new(&program)
                .args(words)
                .arg("--quiet")
                .stderr(Stdio::inherit())
                .output()?;
            ensure!(output.status.success(), "the program failed");
            let text = String::from_utf8(output.stdout)?;
            let term = text.trim();
            let is_number = !term.is_empty() && term.bytes().all(|byte| byte.is_ascii_digit());
            ensure!(is_number, "{term}: expected a number");
            terms.push(term.to_owned());
        }
        Ok(terms)
    }

    fn submission(&self, terms: &[String]) -> String {
        let mut data = String::new();
        for term in terms {
            if data.len() + term.len() > SHOWN {
                break;
            }
            let comma = if data.is_empty() { "" } else { ", " };
            data += &format!("{comma}{term}");
        }
        let command = self.words("N").join(" ");
        format!(
            "\n## {}\n\n- Name: {}\n- Offset: 1\n- Data: {data}\n- Terms: {}\n- Command: `everymove {command}`, of each n\n- Checks: {}\n- Published: {}\n",
            self.file,
            self.name(),
            terms.len(),
            self.checks,
            self.published,
        )
    }
}

/// Writes the lists and their submissions.
pub(crate) fn write(root: &Path, program: Program) -> anyhow::Result<()> {
    let folder = root.join(FOLDER);
    let table = fs::read_to_string(folder.join("sequences.tsv"))?;
    let mut submissions = "# Submissions\n\nWhat each list of this folder is, for a submission to the OEIS: `cargo xtask oeis` writes this page and the lists from `sequences.tsv`.\n".to_owned();
    for line in table.lines().skip(1) {
        let sequence = Sequence::read(line)?;
        let path = folder.join(sequence.file);
        let known = fs::read_to_string(&path).unwrap_or_default();
        let terms = sequence.terms(&known, program)?;
        let mut text = format!("# {}\n", sequence.name());
        for (n, term) in (1..).zip(&terms) {
            writeln!(text, "{n} {term}")?;
        }
        fs::write(&path, text)?;
        submissions += &sequence.submission(&terms);
    }
    Ok(fs::write(folder.join("submissions.md"), submissions)?)
}
