//! The journal of a tuning run: its settings, then a line for each pair of games.

use std::collections::BTreeSet;

use everymove_kernel::files::{FileError, Journal, Storage};
use serde::{Deserialize, Serialize};

use super::parameter::Parameter;
use super::play::TuningPlan;
use super::state::State;
use crate::adjudication::Adjudication;
use crate::engine_config::EngineConfig;
use crate::error::ArenaError;
use crate::limits::Limits;

/// The name of the journal in the directory of a checkpoint: a JSON object a line (see
/// [`Journal`]).
pub const JOURNAL: &str = "tuning.jsonl";

/// The settings that must not change when a run is resumed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Settings {
    engine: EngineConfig,
    limits: Limits,
    adjudication: Adjudication,
    parameters: Vec<Parameter>,
    pairs: u64,
    rate: f64,
    seed: u64,
}

impl Settings {
    fn of(plan: &TuningPlan) -> Self {
        Self {
            engine: plan.games.engines[0].clone(),
            limits: plan.games.limits,
            adjudication: plan.games.adjudication.clone(),
            parameters: plan.parameters.clone(),
            pairs: plan.games.rounds,
            rate: plan.rate,
            seed: plan.seed,
        }
    }
}

/// A line of the journal.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Entry {
    /// The first line.
    Tuning(Box<Settings>),
    /// A finished pair of games: its number, and by how many points the first side won.
    Pair(u64, f64),
}

/// Opens or starts the journal, and moves the values by its pairs again; returns the pairs that are
/// finished.
pub(super) fn open(
    plan: &TuningPlan,
    storage: &dyn Storage,
    state: &mut State<'_>,
) -> Result<(Journal, Vec<u64>), ArenaError> {
    let (mut journal, entries) = Journal::open::<Entry>(storage, JOURNAL)?;
    let mut entries = entries.into_iter();
    let settings = Settings::of(plan);
    match entries.next() {
        None => journal.append(&Entry::Tuning(Box::new(settings)))?,
        Some(Entry::Tuning(stored)) if *stored == settings => {}
        Some(_) => return Err(ArenaError::OtherTuning),
    }
    let mut finished = BTreeSet::new();
    for (number, entry) in entries.enumerate() {
        match entry {
            Entry::Pair(pair, lead)
                if pair < plan.games.rounds && is_lead(lead) && finished.insert(pair) =>
            {
                state.learn(pair, lead);
            }
            _ => {
                let what = format!(
                    "line {} is no result of a pair that was to come",
                    number + 2
                );
                return Err(damaged(storage, what).into());
            }
        }
    }
    Ok((journal, finished.into_iter().collect()))
}

/// Whether a side can win two games by this many points.
fn is_lead(lead: f64) -> bool {
    lead.abs() <= 2.0 && (2.0 * lead).fract() == 0.0
}

fn damaged(storage: &dyn Storage, what: String) -> FileError {
    FileError::Damaged {
        path: storage.display(JOURNAL),
        what,
    }
}
