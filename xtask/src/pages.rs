//! The pages of the documentation: tables are those of `docs/figures`, and nothing else has dates
//! or commits.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

/// What the line before a table of figures begins with; the file follows.
const MARK: &str = "<!-- docs/figures/";

/// Writes the tables of all pages; returns how many pages were changed.
pub(crate) fn write(root: &Path) -> anyhow::Result<usize> {
    let mut changed = 0;
    for page in pages(root)? {
        let text = read(&page)?;
        let new = with_tables(root, &text)?;
        if new != text {
            fs::write(&page, new).with_context(|| format!("cannot write {}", page.display()))?;
            changed += 1;
        }
    }
    Ok(changed)
}

/// What is wrong in the pages, a line each.
pub(crate) fn faults(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut faults = Vec::new();
    for page in pages(root)? {
        let text = read(&page)?;
        let shown = page.strip_prefix(root).unwrap_or(&page).display();
        if with_tables(root, &text)? != text {
            faults.push(format!(
                "{shown}: its tables are not those of docs/figures: cargo xtask figures"
            ));
        }
        faults.extend(history(&text).map(|fault| format!("{shown}:{fault}")));
    }
    Ok(faults)
}

fn read(path: &Path) -> anyhow::Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn pages(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for folder in ["", "docs", "docs/guide", "docs/design"] {
        for entry in fs::read_dir(root.join(folder))? {
            let path = entry?.path();
            if path.extension().is_some_and(|ending| ending == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// A page with the tables of its marks.
fn with_tables(root: &Path, text: &str) -> anyhow::Result<String> {
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        out += line;
        out += "\n";
        let name = line.strip_prefix(MARK);
        let Some(name) = name.and_then(|name| name.strip_suffix(" -->")) else {
            continue;
        };
        while lines.next_if(|line| line.starts_with('|')).is_some() {}
        out += &table(&read(&root.join("docs/figures").join(name))?);
    }
    Ok(out)
}

/// A table of Markdown from lines of fields with tabs between.
fn table(figures: &str) -> String {
    let mut out = String::new();
    for (i, line) in figures.lines().enumerate() {
        let fields: Vec<&str> = line.split('\t').collect();
        out += &format!("| {} |\n", fields.join(" | ")).replace("|  |", "| |");
        if i == 0 {
            out += &format!("|{}\n", "---|".repeat(fields.len()));
        }
    }
    out
}

/// Lines with a date or a commit that are no part of a table or of a block of code, as `line:
/// fault`.
fn history(text: &str) -> impl Iterator<Item = String> {
    let mut is_code = false;
    text.lines().enumerate().filter_map(move |(i, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        if is_code || is_fence || line.starts_with('|') {
            return None;
        }
        // Every second part is code within the line.
        let prose: Vec<&str> = line.split('`').step_by(2).collect();
        let mut words = prose
            .iter()
            .flat_map(|part| part.split(|c: char| !c.is_ascii_alphanumeric() && c != '-'));
        words
            .any(|word| is_date(word) || is_commit(word))
            .then(|| format!("{}: a date or a commit outside a table", i + 1))
    })
}

fn is_date(word: &str) -> bool {
    let form = word
        .bytes()
        .map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
    form.eq(*b"0000-00-00")
}

fn is_commit(word: &str) -> bool {
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    (7..=40).contains(&word.len())
        && word.bytes().all(is_hex)
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().any(|byte| byte.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_the_fields_of_their_figures() {
        let made = table("a\tb\n1\t\n");
        assert_eq!(made, "| a | b |\n|---|---|\n| 1 | |\n");
    }

    #[test]
    fn dates_and_commits_are_found_outside_tables() {
        let page = "since 2026-11-23\n| 2026-11-23 |\n```\ndeadbe1\n```\nof commit 41e7c95 and\n`41e7c95` faced 1234567\n";
        let lines: Vec<String> = history(page).map(|fault| fault[..2].to_owned()).collect();
        assert_eq!(lines, ["1:", "6:"]);
    }
}
