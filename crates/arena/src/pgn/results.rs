//! Results of the games of a PGN file.

use std::collections::HashMap;

use everymove_kernel::input::{Input, InputError};

use super::error::PgnError;
use super::text::{Reader, WrittenResult};
use crate::standings::{GameResult, Standings};

/// The results of a file of games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PgnResults {
    /// The names of the players in the order of their first games.
    pub names: Vec<String>,
    /// Their results.
    pub standings: Standings,
    /// The number of games without a result.
    pub unfinished: u64,
    /// The number of games whose result is none of the three: it is not counted.
    pub unreadable: u64,
    /// The number of games whose tag `Result` differs from the result after the moves: neither is
    /// counted.
    pub contradictory: u64,
}

/// Reads the results of all games, by the tag `Result` and by what follows the moves; moves are not
/// checked.
///
/// Two games are a pair if the same players meet with colours exchanged, in the same round (the
/// number before the point in `Round`) and from the same position (`FEN`). Other games count as
/// single games only.
///
/// # Errors
/// [`PgnError`] if the input cannot be read or is not PGN, or what is kept of its games does not
/// fit the memory budget of the input's run.
pub fn read(input: Input) -> Result<PgnResults, PgnError> {
    let mut results = PgnResults::default();
    let mut indices: HashMap<String, usize> = HashMap::new();
    let mut open: HashMap<Key, Vec<u64>> = HashMap::new();
    let mut games = Vec::new();
    let ram = input.run().ram.clone();
    let mut held = ram.reserve(WHAT, 0).map_err(InputError::from)?;
    let (mut bytes, mut reserved) = (0, 0);
    let mut reader = Reader::new(input);
    while let Some(game) = reader.next_game()? {
        let tag = |name| game.tag(name).unwrap_or_default();
        let [white, black] = ["White", "Black"].map(|side| {
            *indices.entry(tag(side).to_owned()).or_insert_with(|| {
                results.names.push(tag(side).to_owned());
                results.names.len() - 1
            })
        });
        let outcome = match game.result() {
            WrittenResult::Known(outcome) => outcome,
            other => {
                match other {
                    WrittenResult::Unreadable(_) => results.unreadable += 1,
                    WrittenResult::Contradiction { .. } => results.contradictory += 1,
                    _ => results.unfinished += 1,
                }
                continue;
            }
        };
        let number = games.len() as u64;
        bytes += KEPT + (tag("White").len() + tag("Black").len() + tag("FEN").len()) as u64;
        if bytes > reserved {
            reserved = bytes + STEP;
            held.resize(WHAT, reserved).map_err(InputError::from)?;
        }
        let round = tag("Round").split('.').next().unwrap_or_default();
        let key = |white, black| (white, black, round.to_owned(), tag("FEN").to_owned());
        let partner = open.get_mut(&key(black, white)).and_then(Vec::pop);
        if partner.is_none() {
            open.entry(key(white, black)).or_default().push(number);
        }
        let result = GameResult {
            white,
            black,
            outcome,
            ending: None,
        };
        games.push((result, None));
        if let Some(partner) = partner {
            games[partner as usize].1 = Some(partner);
            games[number as usize].1 = Some(partner);
        }
    }
    for (result, pair) in games {
        results.standings.add(result, pair);
    }
    Ok(results)
}

/// What takes the memory.
const WHAT: &str = "the results of games";

/// About the most bytes that are kept of a game, besides the texts of its tags.
const KEPT: u64 = 512;

/// Bytes that are reserved at a time.
const STEP: u64 = 1 << 20;

type Key = (usize, usize, String, String);

#[cfg(test)]
mod tests {
    use everymove_kernel::run::Run;

    use super::*;
    use crate::stats::{Pentanomial, Trinomial};

    fn game(white: &str, black: &str, round: &str, result: &str) -> String {
        format!(
            "[White \"{white}\"]\n[Black \"{black}\"]\n[Round \"{round}\"]\n[Result \"{result}\"]\n\n1. e4 e5 {result}\n\n"
        )
    }

    fn results(text: &str) -> PgnResults {
        let bytes = std::io::Cursor::new(text.to_owned());
        read(Input::new("test", bytes, &Run::serial())).unwrap()
    }

    /// What is kept is reserved: many small games are refused before they take more than the
    /// budget.
    #[test]
    fn results_are_kept_within_the_budget() {
        use everymove_kernel::run::Ram;

        let text: String = (0..6_000)
            .map(|i| {
                game(
                    &format!("player {i}"),
                    &format!("player {}", i + 1),
                    "1",
                    "1-0",
                )
            })
            .collect();
        let read_within = |ram| {
            let input = Input::new(
                "test",
                std::io::Cursor::new(text.clone()),
                &Run::new(1, ram),
            );
            read(input)
        };
        let refused = read_within(Ram::limited(2 << 20)).unwrap_err();
        assert!(
            matches!(refused, PgnError::Input(InputError::OverBudget(_))),
            "{refused}"
        );
        let found = read_within(Ram::limited(8 << 20)).unwrap();
        assert_eq!(found.names.len(), 6_001);
    }

    /// Whatever the tag and the end of the moves say: read, or counted among those that are not.
    #[test]
    fn results_are_read_or_counted() {
        let game = |tag: &str, marker: &str| {
            format!("[White \"A\"]\n[Black \"B\"]\n[Result \"{tag}\"]\n\n1. e4 e5 {marker}\n\n")
        };
        let score = |text: &str| {
            let found = results(text);
            let games = found.standings.between(0, 1).games;
            let not_counted = (found.unfinished, found.unreadable, found.contradictory);
            ((games.wins, games.draws, games.losses), not_counted)
        };
        let draws = [
            "1/2-1/2",
            "½-½",
            "1/2",
            "½",
            "0.5-0.5",
            "1/2 - 1/2",
            "1/2–1/2",
            "½ – ½",
            "1/2:1/2",
        ];
        for text in draws {
            for (tag, marker) in [
                (text, text),
                ("*", text),
                (text, ""),
                (text, "*"),
                ("1/2-1/2", text),
            ] {
                assert_eq!(
                    score(&game(tag, marker)),
                    ((0, 1, 0), (0, 0, 0)),
                    "{tag} {marker}"
                );
            }
        }
        for text in ["1-0", "1 - 0", "1–0", "1:0", "1 \u{2212} 0"] {
            assert_eq!(score(&game("?", text)), ((1, 0, 0), (0, 0, 0)), "{text}");
            assert_eq!(score(&game(text, "")), ((1, 0, 0), (0, 0, 0)), "{text}");
            assert_eq!(score(&game(text, "0-1")), ((0, 0, 0), (0, 0, 1)), "{text}");
        }
        for tag in ["0-0", "+-", "White wins", "1", "2-0"] {
            assert_eq!(score(&game(tag, "*")), ((0, 0, 0), (0, 1, 0)), "{tag}");
            assert_eq!(score(&game(tag, "0-1")), ((0, 0, 1), (0, 0, 0)), "{tag}");
        }
        for tag in ["*", "?", "", "-"] {
            assert_eq!(score(&game(tag, "")), ((0, 0, 0), (1, 0, 0)), "{tag}");
        }
        let without_tags = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 0-1 {time}\n\n";
        assert_eq!(score(without_tags), ((0, 0, 1), (0, 0, 0)));
    }

    #[test]
    fn pairs_are_found_by_round_and_colours() {
        let text = [
            game("A", "B", "1.1", "1-0"),
            game("A", "B", "2.1", "0-1"),
            game("B", "A", "1.2", "1/2-1/2"),
            game("B", "A", "2.2", "1-0"),
            game("B", "A", "3", "*"),
            game("A", "B", "4", "1-0"),
        ];
        let results = results(&text.concat());
        assert_eq!(results.names, ["A", "B"]);
        assert_eq!(results.unfinished, 1);
        let score = results.standings.between(0, 1);
        let games = Trinomial {
            wins: 2,
            draws: 1,
            losses: 2,
        };
        assert_eq!(
            (score.games, score.pairs),
            (games, Pentanomial([1, 0, 0, 1, 0]))
        );
    }
}
