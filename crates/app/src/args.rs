//! The words on the command line, as text and numbers: nothing is checked yet beyond their form.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Args, Command};
use everymove_api::catalogue::{GROUPS, commands};
use everymove_api::command::one_line;
use everymove_kernel::grid::Grid;

use crate::commands::OF_TERMINAL;
use crate::failure::Failure;
use crate::options::Global;
use crate::overview;

/// The command line: every command of the catalogue, and those that only a terminal has.
pub(crate) fn command_line() -> Command {
    let cli = Global::augment_args(Command::new("everymove"))
        .about("Questions about boards, answered exactly")
        .version(env!("CARGO_PKG_VERSION"))
        .max_term_width(100)
        .propagate_version(true)
        .after_help(
            "Exit codes: 0 the answer, 1 a sound negative answer, 2 wrong usage or input, \
             3 out of memory, disk or time.",
        );
    let cli = needing_a_command(cli);
    let groups = GROUPS.iter().map(|&(name, about)| {
        let group = Command::new(name).about(about);
        let group = match name {
            // Chess programs start an engine without a word.
            "engine" => group,
            _ => needing_a_command(group),
        };
        group.subcommands(leaves(Some(name)))
    });
    cli.subcommands(groups).subcommands(leaves(None))
}

fn needing_a_command(command: Command) -> Command {
    command
        .subcommand_required(true)
        .arg_required_else_help(true)
}

/// The commands of a group, or those that are in none.
fn leaves(group: Option<&str>) -> impl Iterator<Item = Command> {
    let of_terminal = OF_TERMINAL.iter().map(|c| (c.name, c.arguments));
    let of_all = commands().iter();
    let of_all = of_all.filter_map(|c| Some((c.name, c.on_terminal?.arguments)));
    of_all
        .chain(of_terminal)
        .filter_map(move |(name, arguments)| {
            let (first, last) = match name.split_once(' ') {
                Some((first, last)) => (Some(first), last),
                None => (None, name),
            };
            (first == group).then(|| arguments(Command::new(last)))
        })
}

/// Whether the command line asks for JSON, also where it is otherwise wrong.
pub(crate) fn wants_json() -> bool {
    let mut words = std::env::args_os().take_while(|word| word != "--");
    words.any(|word| word == "--json")
}

/// Reads the command line.
pub(crate) fn read() -> Result<ArgMatches, Failure> {
    command_line()
        .try_get_matches()
        .map_err(|error| match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                Failure::Help(error.render().to_string())
            }
            // Clap reports a missing command in two ways, with and without other words on the line.
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
                missing_command()
            }
            ErrorKind::InvalidSubcommand => Failure::Input(unknown_command(&error)),
            ErrorKind::UnknownArgument if foreign_option().is_some() => {
                Failure::Input(foreign_option().unwrap_or_else(|| one_line(&error)))
            }
            ErrorKind::UnknownArgument if option_of_others(&error).is_some() => {
                Failure::Input(option_of_others(&error).unwrap_or_else(|| one_line(&error)))
            }
            ErrorKind::UnknownArgument if !names_an_option(&error) => {
                let words = words();
                let board = board_in_words(&words);
                Failure::Input(board.unwrap_or_else(|| one_line(&error)))
            }
            _ => Failure::Input(one_line(&error)),
        })
}

/// The words of the command line after the program's name; bytes that are not UTF-8 are replaced.
fn words() -> Vec<String> {
    let words = std::env::args_os().skip(1);
    words
        .map(|word| word.to_string_lossy().into_owned())
        .collect()
}

/// The line for an option of another program that plays matches.
fn foreign_option() -> Option<String> {
    let words = words();
    let rest = words.strip_prefix(&["arena".to_owned(), "play".to_owned()])?;
    rest.iter()
        .find_map(|word| everymove_api::arena::foreign_option(word))
}

/// The line for an option that only other commands of the same group have.
fn option_of_others(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let name = option.strip_prefix("--")?;
    let words = words();
    let mut names = words.iter().filter(|word| !word.starts_with('-'));
    let (group, own) = (names.next()?, names.next()?);
    let cli = command_line();
    let commands = cli.find_subcommand(group)?.get_subcommands();
    let has = |command: &&Command| {
        let mut options = command.get_arguments();
        options.any(|option| !option.is_hide_set() && option.get_long() == Some(name))
    };
    let others = commands
        .filter(has)
        .map(|other| format!("{group} {}", other.get_name()));
    let others: Vec<_> = others.collect();
    match others.is_empty() {
        true => None,
        false => Some(format!(
            "{group} {own} has no {option}: expected with {}",
            others.join(", ")
        )),
    }
}

/// Whether the argument that clap does not know is an option.
fn names_an_option(error: &clap::Error) -> bool {
    match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(argument)) => argument.starts_with('-'),
        _ => true,
    }
}

/// The line for a board that was written as several words, such as `tours count 5 5` or `tours
/// count 5 x 5`.
fn board_in_words(words: &[String]) -> Option<String> {
    let mut positional = words.iter().filter(|word| !word.starts_with('-'));
    let prefix = match positional.next()?.as_str() {
        "tours" => "",
        "pegs" => "square",
        _ => return None,
    };
    let is_part = |word: &&String| {
        word.bytes().all(|b| b.is_ascii_digit()) || ["x", "X", "×", "by"].contains(&word.as_str())
    };
    if positional.clone().any(|word| word.parse::<Grid>().is_ok()) {
        return None;
    }
    let parts: Vec<_> = positional
        .skip_while(|word| !is_part(word))
        .take_while(is_part)
        .collect();
    let is_number = |word: &&&String| word.bytes().all(|b| b.is_ascii_digit());
    // Further numbers are other arguments, such as ranks.
    let second = (0..parts.len()).filter(|&i| is_number(&&parts[i])).nth(1)?;
    let text: Vec<_> = parts[..=second].iter().map(|part| part.as_str()).collect();
    let text = text.join(" ");
    let board = Grid::meant(&text)?;
    Some(format!("'{text}' is not a board: write {prefix}{board}"))
}

/// The failure where a command is missing: the overview for `everymove` alone, otherwise a line
/// that names the subcommands of the command that was given.
fn missing_command() -> Failure {
    let mut cli = command_line();
    cli.build();
    let words = words();
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

/// The line for an unknown command, with a similar known one. Clap suggests none after `help`, so
/// `help tour` is parsed again as `tour`.
fn unknown_command(error: &clap::Error) -> String {
    let words = std::env::args_os().filter(|word| word != "help");
    let again = command_line().try_get_matches_from(words).err();
    let error = match &again {
        Some(again) if again.kind() == ErrorKind::InvalidSubcommand => again,
        _ => error,
    };
    one_line(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command_line().debug_assert();
    }

    #[test]
    fn boards_in_several_words_are_recognized() {
        let board = |line: &str| {
            let words: Vec<_> = line.split(' ').map(str::to_owned).collect();
            board_in_words(&words)
        };
        let line =
            |text: &str, board: &str| Some(format!("'{text}' is not a board: write {board}"));
        assert_eq!(board("tours find 5 6"), line("5 6", "5x6"));
        assert_eq!(board("tours find --closed 5 x 6"), line("5 x 6", "5x6"));
        assert_eq!(board("tours unrank 6 6 17 4"), line("6 6", "6x6"));
        assert_eq!(board("pegs solve 3 by 4"), line("3 by 4", "square3x4"));
        for other in [
            "tours find 8x8 c3",
            "tours find 5x5 7",
            "lab run 5 5",
            "tours",
            "",
        ] {
            assert_eq!(board(other), None, "{other}");
        }
    }

    #[test]
    fn errors_fit_a_line() {
        let line = |words: &[&str]| {
            let error = command_line().try_get_matches_from(words).unwrap_err();
            one_line(&error)
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
