//! The journal of a match: its settings, then one finished game a line.

use everymove_kernel::files::{FileError, Journal, Storage};
use everymove_kernel::run::Stop;
use serde::{Deserialize, Serialize};
use shakmaty::CastlingMode;
use std::time::Duration;

use super::plan::MatchPlan;
use super::report::MatchReport;
use crate::adjudication::Adjudication;
use crate::engine_config::EngineConfig;
use crate::error::ArenaError;
use crate::limits::Limits;
use crate::record::GameRecord;
use crate::schedule::{Schedule, TournamentFormat};

/// The name of the journal in the directory of a checkpoint: a JSON object a line (see
/// [`Journal`]).
pub const JOURNAL: &str = "games.jsonl";

/// The settings that must not change when a match is resumed. The number of games and the
/// sequential test may.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct MatchSettings {
    engines: Vec<EngineConfig>,
    format: TournamentFormat,
    limits: Limits,
    margin: Duration,
    adjudication: Adjudication,
    tables: bool,
    chess960: bool,
}

impl MatchSettings {
    fn of(plan: &MatchPlan) -> Self {
        Self {
            engines: plan.engines.clone(),
            format: plan.format,
            limits: plan.limits,
            margin: plan.margin,
            adjudication: plan.adjudication.clone(),
            tables: plan.tables.is_some(),
            chess960: plan.mode == CastlingMode::Chess960,
        }
    }

    /// The first difference, as a phrase.
    fn difference(&self, other: &Self) -> Option<&'static str> {
        [
            (self.engines != other.engines, "its engines differ"),
            (self.format != other.format, "its format differs"),
            (
                self.limits != other.limits || self.margin != other.margin,
                "its limits differ",
            ),
            (
                self.adjudication != other.adjudication,
                "its adjudication differs",
            ),
            (
                self.tables != other.tables,
                "one uses tables, the other does not",
            ),
            (
                self.chess960 != other.chess960,
                "one is Chess960, the other is not",
            ),
        ]
        .into_iter()
        .find_map(|(differs, what)| differs.then_some(what))
    }
}

/// A line of the journal.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Entry {
    /// The first line.
    Match(Box<MatchSettings>),
    /// A finished game.
    Game(Box<GameRecord>),
}

/// Opens or starts the journal of a match, and adds its games to the report: not all of them if
/// `stop` is raised.
pub(super) fn open(
    plan: &MatchPlan,
    schedule: &Schedule,
    storage: &dyn Storage,
    stop: &Stop,
    report: &mut MatchReport,
) -> Result<Journal, ArenaError> {
    let (mut journal, entries) = Journal::open::<Entry>(storage, JOURNAL)?;
    let mut entries = entries.into_iter();
    let settings = MatchSettings::of(plan);
    match entries.next() {
        None => journal.append(&Entry::Match(Box::new(settings)))?,
        Some(Entry::Match(stored)) => {
            if let Some(what) = settings.difference(&stored) {
                return Err(ArenaError::OtherMatch(what));
            }
        }
        Some(Entry::Game(_)) => {
            return Err(ArenaError::OtherMatch("its settings are missing"));
        }
    }
    for entry in entries {
        let Entry::Game(game) = entry else {
            return Err(ArenaError::OtherMatch("its settings are there twice"));
        };
        // The number of games may be larger or smaller than in the run before.
        if game.number >= schedule.games() {
            continue;
        }
        let scheduled = schedule.game(game.number);
        let Some(opening) = plan.opening(&scheduled, stop) else {
            break;
        };
        if opening != game.opening || (scheduled.white, scheduled.black) != (game.white, game.black)
        {
            return Err(ArenaError::OtherMatch("its openings differ"));
        }
        if !game.is_played(plan.mode) {
            return Err(FileError::Damaged {
                path: storage.display(JOURNAL),
                what: format!("game {} is not one that can be played", game.number + 1),
            }
            .into());
        }
        if !report.games.contains_key(&game.number) {
            report.add(*game);
        }
    }
    Ok(journal)
}
