//! Options that had another name in the version before: accepted, with a note.

use everymove_api::renamed::RENAMED;

/// Options that are not fields of a request: command, old name, new name.
const OF_INTERFACE: &[(&str, &str, &str)] = &[
    ("play", "st", "time"),
    ("tours draw", "numbers", "step-numbers"),
    ("tours find", "numbers", "step-numbers"),
    ("tours list", "numbers", "step-numbers"),
    ("tours sample", "numbers", "step-numbers"),
    ("tours symmetric", "numbers", "step-numbers"),
    ("tours unrank", "numbers", "step-numbers"),
];

/// All renamed options: command, old name, new name.
fn all() -> impl Iterator<Item = (&'static str, &'static str, String)> {
    let fields = RENAMED
        .iter()
        .map(|f| (f.command, f.old, f.new.replace('_', "-")));
    let others = OF_INTERFACE.iter();
    fields.chain(others.map(|(command, old, new)| (*command, *old, (*new).to_owned())))
}

/// A line for each option among `words` (the command line without the program's name) that has another name now.
pub(crate) fn notes(words: &[String]) -> Vec<String> {
    let words = words.iter().take_while(|word| *word != "--");
    let (options, others): (Vec<&str>, Vec<&str>) = words
        .map(String::as_str)
        .partition(|word| word.starts_with("--"));
    let name = |command: &str| match command {
        "analyze" => "analyse".to_owned(),
        command => command.to_owned(),
    };
    let one = others.first().map(|word| name(word));
    let two = one
        .as_ref()
        .zip(others.get(1))
        .map(|(group, word)| format!("{group} {word}"));
    let is_asked =
        |command: &str| one.as_deref() == Some(command) || two.as_deref() == Some(command);
    let is_given = |old: &str| {
        let mut given = options
            .iter()
            .filter_map(|option| option.strip_prefix("--"));
        given.any(|option| option.split_once('=').map_or(option, |(name, _)| name) == old)
    };
    all()
        .filter(|(command, old, _)| is_asked(command) && is_given(old))
        .map(|(_, old, new)| {
            format!(
                "--{old} is called --{new} now; the former name is accepted in this release only"
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn former_names_are_accepted_and_not_shown() {
        let cli = Cli::command();
        for (path, old, new) in all() {
            let mut command = &cli;
            for word in path.split(' ') {
                command = command.find_subcommand(word).unwrap();
            }
            let mut arguments = command.get_arguments();
            let now = arguments.find(|argument| argument.get_long() == Some(&new));
            let now = now.unwrap_or_else(|| panic!("{path} has no --{new}"));
            let hidden = now.get_all_aliases().unwrap_or_default();
            let shown = now.get_visible_aliases().unwrap_or_default();
            assert!(
                hidden.contains(&old) && !shown.contains(&old),
                "{path} --{old}"
            );
        }
    }

    #[test]
    fn a_note_names_the_present_name() {
        let notes = |line: &str| {
            let words: Vec<_> = line.split(' ').map(str::to_owned).collect();
            notes(&words)
        };
        let [note] = &notes("tours list 5x5 --limit=3")[..] else {
            panic!("expected one note");
        };
        assert!(note.starts_with("--limit is called --number now"), "{note}");
        assert_eq!(notes("--json analyze x.pgn --st 2 --syzygy d").len(), 2);
        for line in [
            "tours list 5x5 --number 3",
            "tables build KQvK --syzygy",
            "tours list 5x5 -- --limit",
        ] {
            assert_eq!(notes(line), Vec::<String>::new(), "{line}");
        }
    }
}
