//! The words on the command line, as text and numbers: nothing is checked yet beyond their form.

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use crate::commands::Command;
use crate::failure::Failure;
use crate::options::Global;
use crate::overview;

/// Questions about boards, answered exactly.
#[derive(Debug, Parser)]
#[command(
    name = "everymove",
    version,
    max_term_width = 100,
    propagate_version = true
)]
#[command(
    after_help = "Exit codes: 0 the answer, 1 a sound negative answer, 2 wrong usage or input, \
                        3 out of memory, disk or time."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Whether the command line asks for JSON, also where it is otherwise wrong.
pub(crate) fn wants_json() -> bool {
    let mut words = std::env::args_os().take_while(|word| word != "--");
    words.any(|word| word == "--json")
}

/// Reads the command line.
pub(crate) fn read() -> Result<Cli, Failure> {
    Cli::try_parse().map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            Failure::Help(error.render().to_string())
        }
        // Clap reports a missing command in two ways, with and without other words on the line.
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            missing_command()
        }
        ErrorKind::InvalidSubcommand => Failure::Input(unknown_command(&error)),
        _ => Failure::Input(one_line(&error.render().to_string())),
    })
}

/// The failure where a command is missing: the overview for `everymove` alone, otherwise a line that names the
/// subcommands of the command that was given.
fn missing_command() -> Failure {
    let mut cli = Cli::command();
    cli.build();
    let words: Vec<_> = std::env::args().skip(1).collect();
    let mut command = &cli;
    for word in words.iter().filter(|word| !word.starts_with('-')) {
        command = command.find_subcommand(word).unwrap_or(command);
    }
    if command.get_name() == cli.get_name() && words.is_empty() {
        return Failure::Help(overview::TEXT.to_owned());
    }
    let names: Vec<_> = subcommand_names(command).collect();
    let path = command.get_bin_name().unwrap_or("everymove");
    Failure::Input(format!(
        "{path} needs a command: expected {}",
        names.join(", ")
    ))
}

fn subcommand_names(command: &clap::Command) -> impl Iterator<Item = &str> {
    let shown = command.get_subcommands().filter(|sub| !sub.is_hide_set());
    shown
        .map(clap::Command::get_name)
        .filter(|name| *name != "help")
}

/// The line for an unknown command, with a similar known one. Clap suggests none after `help`, so `help tour` is parsed
/// again as `tour`.
fn unknown_command(error: &clap::Error) -> String {
    let words = std::env::args().filter(|word| word != "help");
    let again = Cli::try_parse_from(words).err();
    let error = match &again {
        Some(again) if again.kind() == ErrorKind::InvalidSubcommand => again,
        _ => error,
    };
    one_line(&error.render().to_string())
}

/// What is wrong and what is expected, of clap's longer text: its first paragraph, its tips and its usage line.
fn one_line(text: &str) -> String {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let words = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut parts = text.split("\n\n").map(words);
    let mut line = parts.next().unwrap_or_default();
    for part in parts {
        if let Some(tip) = part.strip_prefix("tip: ") {
            line += &format!("; {tip}");
        } else if let Some(usage) = part.strip_prefix("Usage: ") {
            line += &format!(" (usage: {usage})");
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn errors_fit_a_line() {
        let line = |words: &[&str]| {
            let error = Cli::try_parse_from(words).unwrap_err();
            one_line(&error.render().to_string())
        };
        let unknown = line(&["everymove", "tuors"]);
        assert_eq!(
            unknown,
            "unrecognized subcommand 'tuors'; a similar subcommand exists: 'tours' \
             (usage: everymove [OPTIONS] <COMMAND>)"
        );
        let missing = line(&["everymove", "tours", "count"]);
        assert!(missing.starts_with("the following required arguments were not provided: <BOARD>"));
        assert!(
            missing.contains("(usage: everymove tours count"),
            "{missing}"
        );
    }
}
