//! The journal of a tuning run: its settings, then a line for each pair of games.

use everymove_kernel::files::{Journal, Storage};
use serde::{Deserialize, Serialize};

use super::parameter::Parameter;
use super::play::TuningPlan;
use super::state::State;
use crate::adjudication::Adjudication;
use crate::engine_config::EngineConfig;
use crate::error::ArenaError;
use crate::limits::Limits;

/// The name of the journal in the directory of a checkpoint: a JSON object a line (see [`Journal`]).
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

/// Opens or starts the journal, and moves the values by its pairs again; returns the pairs that are finished.
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
    let mut finished = Vec::new();
    for entry in entries {
        if let Entry::Pair(pair, lead) = entry {
            state.learn(pair, lead);
            finished.push(pair);
        }
    }
    Ok((journal, finished))
}
