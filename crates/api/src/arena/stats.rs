//! `arena stats`: what results say about strength.

use std::fmt;
use std::path::Path;

use everymove_arena::pgn::{PgnError, results};
use everymove_arena::stats::{Anchor, Counts, Estimate, Pentanomial, Sprt, Trinomial};
use everymove_kernel::input::Input;
use everymove_kernel::run::Run;
use everymove_kernel::text::shown;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::numbers::numbers;
use super::sprt::{SprtAnswer, SprtRequest};
use super::standings::{self, EngineRow, PairingRow, bytes_of_rows, engines, finite, pairings};
use crate::error::Error;
use crate::request::{Answer, Request};
use crate::terminal::{OnTerminal, Shown, Text};

/// The largest PGN file that is read, in bytes.
const MAX_FILE: u64 = 64 << 30;

/// What the results in a PGN file, or given as numbers, say about strength
///
/// Exactly one of `file`, `wdl` and `pairs` is given.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct StatsRequest {
    /// A PGN file; - for standard input
    #[arg(value_name = "FILE", required_unless_present_any = ["wdl", "pairs"])]
    file: Option<String>,
    /// Wins, draws and losses of the first player
    #[arg(long, value_name = "W,D,L", conflicts_with_all = ["file", "pairs"])]
    wdl: Option<String>,
    /// Pairs of games in which the first player scored 0, 1/2, 1, 3/2 and 2 points
    #[arg(long, value_name = "A,B,C,D,E", conflicts_with = "file")]
    pairs: Option<String>,
    /// Give a player of the file this rating: NAME=ELO
    #[arg(long, value_name = "NAME=ELO", requires = "file")]
    anchor: Option<String>,
    /// A sequential test on the results.
    #[command(flatten)]
    #[serde(flatten)]
    sprt: SprtRequest,
}

/// The checked question.
#[derive(Clone, Debug)]
pub struct StatsPlan {
    subject: Subject,
    anchor: Option<String>,
    sprt: Option<Sprt>,
}

#[derive(Clone, Debug)]
enum Subject {
    File(String),
    Games(Trinomial),
    Pairs(Pentanomial),
}

/// Estimates of strength.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum StatsAnswer {
    /// From numbers.
    Estimate(EstimateAnswer),
    /// From the games of a file.
    Results(ResultsAnswer),
}

/// Estimates from numbers of results. Errors are half the widths of 95 % intervals.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EstimateAnswer {
    /// The mean score of a game, 0 to 1.
    score: f64,
    /// The difference in logistic Elo; null if infinite.
    elo: Option<f64>,
    /// The error of `elo`; null if unknown.
    elo_error: Option<f64>,
    /// The difference in normalised Elo; null if unknown.
    normalised_elo: Option<f64>,
    /// The error of `normalised_elo`.
    normalised_elo_error: Option<f64>,
    /// The likelihood that the first player is the stronger one, 0 to 1.
    los: f64,
    /// The sequential test, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<SprtAnswer>,
}

/// The results of the games of a file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ResultsAnswer {
    /// The number of games with a result.
    games: u64,
    /// The number of games without a result.
    unfinished: u64,
    /// Games whose result is not known for certain, which are not counted.
    #[serde(flatten)]
    skipped: SkippedGames,
    /// The players in the order of their first games.
    engines: Vec<EngineRow>,
    /// All pairings with a game.
    pairings: Vec<PairingRow>,
    /// The sequential test, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<SprtAnswer>,
}

/// Numbers of games that are not counted.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(super) struct SkippedGames {
    /// The number of games whose result is no text that PGN knows.
    unreadable: u64,
    /// The number of games whose tag `Result` differs from the result after the moves.
    contradictory: u64,
}

impl fmt::Display for SkippedGames {
    /// `2 games not counted: their result is none of 1-0, 0-1 and 1/2-1/2`; empty without such
    /// games.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reasons = [
            (
                self.unreadable,
                "their result is none of 1-0, 0-1 and 1/2-1/2",
            ),
            (
                self.contradictory,
                "their tag Result differs from the result after the moves",
            ),
        ];
        let mut separator = "";
        for (number, reason) in reasons.into_iter().filter(|&(number, _)| number > 0) {
            let games = if number == 1 { "game" } else { "games" };
            write!(f, "{separator}{number} {games} not counted: {reason}")?;
            separator = "; ";
        }
        Ok(())
    }
}

impl Request for StatsRequest {
    const COMMAND: &'static str = "arena stats";
    type Plan = StatsPlan;
    type Answer = StatsAnswer;

    fn plan(&self) -> Result<StatsPlan, Error> {
        let subject = match (&self.file, &self.wdl, &self.pairs) {
            (Some(file), None, None) => Subject::File(file.clone()),
            (None, Some(text), None) => {
                let [wins, draws, losses] = counts("wdl", text, "3 numbers W,D,L")?;
                Subject::Games(Trinomial {
                    wins,
                    draws,
                    losses,
                })
            }
            (None, None, Some(text)) => {
                Subject::Pairs(Pentanomial(counts("pairs", text, "5 numbers A,B,C,D,E")?))
            }
            _ => {
                let message = "expected one of a PGN file, wins, draws and losses, or pairs";
                return Err(Error::message(None, message));
            }
        };
        Ok(StatsPlan {
            subject,
            anchor: self.anchor.clone(),
            sprt: self.sprt.plan()?,
        })
    }

    fn run(plan: &StatsPlan, run: &Run) -> Result<StatsAnswer, Error> {
        let sprt = plan.sprt.as_ref();
        Ok(match &plan.subject {
            Subject::Games(games) => StatsAnswer::Estimate(EstimateAnswer::new(games, sprt)),
            Subject::Pairs(pairs) => StatsAnswer::Estimate(EstimateAnswer::new(pairs, sprt)),
            Subject::File(file) => StatsAnswer::Results(of_file(file, plan, run)?),
        })
    }
}

impl OnTerminal for StatsRequest {
    type View = ();

    fn show(_: &StatsPlan, answer: &StatsAnswer, (): &()) -> Result<Shown, Error> {
        let (mut text, test) = match answer {
            StatsAnswer::Estimate(answer) => {
                let elo = |value, error| standings::difference(value, error, answer.score);
                let text = format!(
                    "score {:.2} %   Elo {}   normalised {}   LOS {:.2} %\n",
                    100.0 * answer.score,
                    elo(answer.elo, answer.elo_error),
                    elo(answer.normalised_elo, answer.normalised_elo_error),
                    100.0 * answer.los
                );
                (text, &answer.sprt)
            }
            StatsAnswer::Results(answer) => {
                let mut text = standings::results(&answer.engines, &answer.pairings);
                let skipped = answer.skipped.to_string();
                if !skipped.is_empty() {
                    text += &format!("{skipped}\n");
                }
                (text, &answer.sprt)
            }
        };
        if let Some(test) = test {
            text += &format!("{test}\n");
        }
        Ok(Text::same(text).into())
    }
}

impl Answer for StatsAnswer {}

/// Numbers of which one is not 0.
fn counts<const N: usize>(field: &'static str, text: &str, form: &str) -> Result<[u64; N], Error> {
    let found = numbers(field, text, form)?;
    if found.iter().all(|&n| n == 0) {
        let message = format!("{field} {text}: expected numbers that are not all 0");
        return Err(Error::message(Some(field), message));
    }
    Ok(found)
}

impl EstimateAnswer {
    fn new<C: Counts>(results: &C, sprt: Option<&Sprt>) -> Self {
        let e = Estimate::of(results);
        Self {
            score: e.score,
            elo: finite(e.elo),
            elo_error: finite(e.elo_error),
            normalised_elo: finite(e.nelo),
            normalised_elo_error: finite(e.nelo_error),
            los: e.los,
            sprt: sprt.map(|sprt| SprtAnswer::new(sprt, results)),
        }
    }
}

fn of_file(file: &str, plan: &StatsPlan, run: &Run) -> Result<ResultsAnswer, Error> {
    run.progress.start("reading games", 0);
    let input = match file {
        "-" => Input::standard(run)?,
        path => Input::open(Path::new(path), run)?,
    };
    let name = input.name().to_owned();
    let found = results::read(input.at_most(MAX_FILE)).map_err(|error| match error {
        PgnError::Input(error) => Error::from(error),
        error => Error::message(Some("file"), format!("{name}, {error}")),
    })?;
    let skipped = SkippedGames {
        unreadable: found.unreadable,
        contradictory: found.contradictory,
    };
    let (names, standings) = (found.names, found.standings);
    if standings.games() == 0 {
        let skipped = match skipped.to_string() {
            text if text.is_empty() => String::new(),
            text => format!(" ({text})"),
        };
        let message = format!("{name} has no finished games{skipped}: expected PGN");
        return Err(Error::message(Some("file"), message));
    }
    let anchor = plan.anchor.as_deref().map(|text| anchor(text, &names));
    let anchor = anchor.transpose()?;
    let sprt = plan.sprt.as_ref().map(|sprt| {
        if names.len() != 2 {
            let message = format!(
                "a sequential test compares two players, not {}",
                names.len()
            );
            return Err(Error::message(Some("sprt"), message));
        }
        let score = standings.between(0, 1);
        Ok(if score.pairs.pairs() > 0 {
            SprtAnswer::new(sprt, &score.pairs)
        } else {
            SprtAnswer::new(sprt, &score.games)
        })
    });
    let rows = bytes_of_rows(&names, &standings);
    run.ram.require("the results of all players", rows)?;
    Ok(ResultsAnswer {
        games: standings.games(),
        unfinished: found.unfinished,
        skipped,
        engines: engines(&names, &standings, anchor, &run.stop)?,
        pairings: pairings(&names, &standings),
        sprt: sprt.transpose()?,
    })
}

/// A player with a known rating: `NAME=ELO`.
pub(super) fn anchor(text: &str, names: &[String]) -> Result<Anchor, Error> {
    let bad = || {
        let names = names
            .iter()
            .take(20)
            .map(|name| shown(name))
            .collect::<Vec<_>>()
            .join(", ");
        let text = shown(text);
        let message = format!("anchor {text}: expected NAME=ELO with a name of {names}");
        Error::message(Some("anchor"), message)
    };
    let (name, elo) = text.rsplit_once('=').ok_or_else(bad)?;
    let player = names.iter().position(|n| n == name).ok_or_else(bad)?;
    let elo: f64 = elo
        .parse()
        .ok()
        .filter(|e: &f64| e.is_finite())
        .ok_or_else(bad)?;
    Ok(Anchor::Player(player, elo))
}
