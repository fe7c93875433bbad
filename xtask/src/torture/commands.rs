//! The commands and their options, read from the help that clap makes of their definitions.

use std::path::Path;
use std::process::Command;

use anyhow::Context;

/// A command without subcommands.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// Its words: `tours`, `count`.
    pub(super) words: Vec<String>,
    /// The names of its arguments in order; some may be left out.
    pub(super) arguments: Vec<String>,
    /// Its options, with the name of the value if there is one.
    pub(super) options: Vec<(String, Option<String>)>,
}

/// All commands of the program.
pub(super) fn read(program: &Path) -> anyhow::Result<Vec<Shape>> {
    let mut shapes = Vec::new();
    collect(program, Vec::new(), &mut shapes)?;
    Ok(shapes)
}

fn collect(program: &Path, words: Vec<String>, found: &mut Vec<Shape>) -> anyhow::Result<()> {
    let help = Command::new(program).args(&words).arg("--help").output();
    let help = help.with_context(|| format!("cannot run {}", program.display()))?;
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let below = subcommands(&help);
    // A command with subcommands may also be one itself: `engine` alone is `engine uci`.
    for name in &below {
        collect(
            program,
            [&words[..], std::slice::from_ref(name)].concat(),
            found,
        )?;
    }
    if below.is_empty() {
        found.push(shape(words, &help));
    }
    Ok(())
}

fn subcommands(help: &str) -> Vec<String> {
    let lines = help
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1);
    let lines = lines.take_while(|line| !line.trim().is_empty());
    // Names are indented by two; longer explanations by more.
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names
        .filter(|&name| name != "help")
        .map(str::to_owned)
        .collect()
}

fn shape(words: Vec<String>, help: &str) -> Shape {
    let usage = help.lines().find_map(|line| line.strip_prefix("Usage: "));
    let mut arguments = Vec::new();
    let mut after_option = false;
    for word in usage.unwrap_or_default().split_whitespace() {
        let name = word
            .trim_end_matches("...")
            .trim_matches(['<', '>', '[', ']']);
        if word.starts_with(['<', '[']) && name != "OPTIONS" && !after_option {
            arguments.push(name.to_owned());
        }
        after_option = word.starts_with("--");
    }
    let options = help.lines().filter_map(|line| {
        let line = line.trim_start();
        let long = line.strip_prefix("--").or_else(|| {
            line.split_once(", --")
                .filter(|(short, _)| short.len() == 2)
                .map(|(_, long)| long)
        })?;
        let (name, rest) = long.split_once([' ', '=']).unwrap_or((long, ""));
        let value = rest.trim_start().strip_prefix('<');
        let value = value.and_then(|rest| Some(rest.split_once('>')?.0.to_owned()));
        Some((format!("--{name}"), value))
    });
    Shape {
        words,
        arguments,
        options: options
            .filter(|(name, _)| name != "--help" && name != "--version")
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELP: &str = "How many tours there are\n\nUsage: everymove tours count [OPTIONS] --out <FILE> <BOARD> [MORE]...\n\n\
        Arguments:\n  <BOARD>  The board\n\nOptions:\n      --leaper <A,B>   The piece\n      --closed         Closed\n  \
        -n, --number <N>     How many\n  -h, --help           Print help\n";

    #[test]
    fn help_says_what_can_be_given() {
        let shape = shape(vec!["tours".into(), "count".into()], HELP);
        assert_eq!(shape.arguments, ["BOARD", "MORE"]);
        let some = |name: &str, value: Option<&str>| (name.to_owned(), value.map(str::to_owned));
        let options = [
            some("--leaper", Some("A,B")),
            some("--closed", None),
            some("--number", Some("N")),
        ];
        assert_eq!(shape.options, options);
    }

    #[test]
    fn subcommands_are_listed() {
        let help = "Usage: x <COMMAND>\n\nCommands:\n  tours  Tours\n           of all kinds\n  help   Help\n\nOptions:\n";
        assert_eq!(subcommands(help), ["tours"]);
        assert!(subcommands(HELP).is_empty());
    }
}
