//! The short help that `everymove` alone prints: commands by the kind of question they answer.

/// The text of `everymove` without a command.
pub(crate) const TEXT: &str = "\
everymove answers questions about boards completely, with verified results.

Knight's tours
  everymove tours find 8x8 --closed          one tour, drawn and verified
  everymove tours count 6x6                  how many there are, exactly
  everymove tours exists 4x10 --closed       whether there is one, and why not
Peg solitaire
  everymove pegs solve english --shortest    a solution with the fewest moves
  everymove pegs hint o/.o/.oo/oooo/ooooo    which jumps still win
  everymove pegs play english                a game in the terminal
Chess
  everymove play                             a game against the engine
  everymove analyse \"FEN\"                    the best moves of a position
  everymove arena play --engine cmd=A --engine cmd=B --tc 2+0.02
                                             a match between engines, with Elo
Chess endgames
  everymove tables build KRvK                every position of an ending, solved
  everymove tables probe \"FEN\" --line        one position, and perfect play
The same in a browser
  everymove serve --open                     pages to play, look and ask
Measurements
  everymove lab list                         the experiments
  everymove lab run quick                    all of them, small, in a minute

everymove help COMMAND describes a command: everymove help tours count
";

#[cfg(test)]
mod tests {
    use super::TEXT;
    use crate::args::command_line;

    #[test]
    fn every_command_shown_exists_and_lines_fit() {
        let cli = command_line();
        for line in TEXT.lines() {
            assert!(line.chars().count() <= 80, "{line}");
            let Some(words) = line.trim().strip_prefix("everymove ") else {
                continue;
            };
            let mut command = &cli;
            for word in words.split_whitespace().filter(|word| *word != "help") {
                match command.find_subcommand(word) {
                    Some(found) => command = found,
                    None => break,
                }
            }
            let is_found = command.get_name() != cli.get_name();
            assert!(
                is_found || words.starts_with("answers") || words.starts_with("help COMMAND"),
                "{line}"
            );
        }
    }
}
