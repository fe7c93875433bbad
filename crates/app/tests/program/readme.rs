//! The commands of README and of the guides, run as they are printed there, with the output that is shown.

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
