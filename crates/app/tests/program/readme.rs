//! The commands of the README, run as they stand there, with the output that is shown.

use std::fs;
use std::path::Path;

use crate::run_in;

/// A command of a `console` block, and the lines below it.
struct Shown {
    words: Vec<String>,
    into: Option<String>,
    output: String,
}

fn commands(text: &str) -> Vec<Shown> {
    let mut commands: Vec<Shown> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let (true, Some(command)) = (inside, line.strip_prefix("$ everymove ")) {
            let (words, into) = match command.split_once(" > ") {
                Some((words, file)) => (words, Some(file.to_owned())),
                None => (command, None),
            };
            commands.push(Shown {
                words: words.split(' ').map(str::to_owned).collect(),
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

#[test]
fn the_readme_is_true() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join("README.md")).unwrap();
    let commands = commands(&text);
    assert!(
        commands.len() >= 8,
        "only {} commands found",
        commands.len()
    );
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("docs/images")).unwrap();
    for shown in commands {
        let words: Vec<_> = shown.words.iter().map(String::as_str).collect();
        let output = run_in(dir.path(), &words);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words:?}: {errors}");
        let found = String::from_utf8(output.stdout).unwrap();
        match &shown.into {
            Some(file) => fs::write(dir.path().join(file), found).unwrap(),
            None if shown.output.is_empty() => {}
            None => assert_eq!(found.trim_end(), shown.output.trim_end(), "{words:?}"),
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
