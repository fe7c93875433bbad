//! Results of the games of a PGN file.

use std::collections::HashMap;
use std::io::{self, BufRead};
use std::ops::ControlFlow;

use pgn_reader::{RawTag, Reader, Visitor};

use crate::record::Outcome;
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
}

/// Reads the results of all games; moves are skipped.
///
/// Two games are a pair if the same players meet with colours exchanged, in the same round (the number before the point
/// in `Round`) and from the same position (`FEN`). Other games count as single games only.
///
/// # Errors
/// What `input` reports.
pub fn read(input: impl BufRead) -> io::Result<PgnResults> {
    let mut results = PgnResults::default();
    let mut indices: HashMap<String, usize> = HashMap::new();
    let mut open: HashMap<Key, Vec<u64>> = HashMap::new();
    let mut games = Vec::new();
    for tags in Reader::new(input).read_games(&mut TagReader) {
        let tags = tags?;
        let [white, black] = [&tags.white, &tags.black].map(|name| {
            *indices.entry(name.clone()).or_insert_with(|| {
                results.names.push(name.clone());
                results.names.len() - 1
            })
        });
        let Some(outcome) = tags.outcome else {
            results.unfinished += 1;
            continue;
        };
        let number = games.len() as u64;
        let key = |white, black| (white, black, tags.round.clone(), tags.fen.clone());
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

type Key = (usize, usize, String, String);

#[derive(Default)]
struct Tags {
    white: String,
    black: String,
    round: String,
    fen: String,
    outcome: Option<Outcome>,
}

struct TagReader;

impl Visitor for TagReader {
    type Tags = Tags;
    type Movetext = Tags;
    type Output = Tags;

    fn begin_tags(&mut self) -> ControlFlow<Tags, Tags> {
        ControlFlow::Continue(Tags::default())
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Tags> {
        let value = value.decode_utf8_lossy();
        match name {
            b"White" => tags.white = value.into_owned(),
            b"Black" => tags.black = value.into_owned(),
            b"FEN" => tags.fen = value.into_owned(),
            b"Round" => tags.round = value.split('.').next().unwrap_or_default().to_owned(),
            b"Result" => {
                tags.outcome = match &*value {
                    "1-0" => Some(Outcome::WhiteWins),
                    "0-1" => Some(Outcome::BlackWins),
                    "1/2-1/2" => Some(Outcome::Draw),
                    _ => None,
                }
            }
            _ => (),
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Tags) -> ControlFlow<Tags, Tags> {
        ControlFlow::Break(tags)
    }

    fn end_game(&mut self, tags: Tags) -> Tags {
        tags
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Pentanomial, Trinomial};

    fn game(white: &str, black: &str, round: &str, result: &str) -> String {
        format!(
            "[White \"{white}\"]\n[Black \"{black}\"]\n[Round \"{round}\"]\n[Result \"{result}\"]\n\n1. e4 e5 {result}\n\n"
        )
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
        let results = read(text.concat().as_bytes()).unwrap();
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
