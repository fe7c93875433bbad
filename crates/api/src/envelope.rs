//! What every JSON answer carries beside its own fields.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use everymove_kernel::machine::{self, Meter};
use everymove_kernel::run::Work;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::request::Request;

/// An answer with the command that was asked, the work it took and what that cost.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(bound = "A: JsonSchema")]
pub struct Envelope<A> {
    /// The command: `tours count`.
    pub command: &'static str,
    /// The fields of the answer itself.
    #[serde(flatten)]
    pub answer: A,
    /// What the answer cost.
    #[serde(flatten)]
    pub cost: Cost,
}

impl<A: Serialize> Envelope<A> {
    /// The answer to a request of type `R`.
    pub fn of<R: Request>(answer: A, cost: Cost) -> Self {
        let command = R::COMMAND;
        Self {
            command,
            answer,
            cost,
        }
    }

    /// Writes it as JSON: the one place where answers become JSON, so that each type of answer is
    /// compiled for it once.
    ///
    /// # Errors
    /// Those of `out`.
    pub(crate) fn write(&self, out: &mut dyn Write) -> serde_json::Result<()> {
        serde_json::to_writer(out, self)
    }
}

/// Version of the program, work, time and memory of an answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Cost {
    /// The version of everymove.
    pub version: &'static str,
    /// Counters of work that do not depend on the machine or the number of threads: `nodes`,
    /// `states`, `transitions`.
    pub work: Counters,
    /// Processor seconds of all threads.
    pub cpu_seconds: f64,
    /// Elapsed seconds.
    pub wall_seconds: f64,
    /// The most memory that the process held at once, in bytes; null where the system does not
    /// report it. Where many answers take less than 0.1 s, it is read ten times a second only.
    pub peak_rss_bytes: Option<u64>,
}

impl Cost {
    /// The cost of some work up to now.
    pub fn now(work: &Work, meter: &Meter) -> Self {
        let microseconds = |seconds: f64| (seconds * 1e6).round() / 1e6;
        Self {
            version: env!("CARGO_PKG_VERSION"),
            work: Counters::from(work),
            cpu_seconds: microseconds(meter.cpu_seconds()),
            wall_seconds: microseconds(meter.wall_seconds()),
            peak_rss_bytes: peak_rss_bytes(meter.wall_seconds()),
        }
    }
}

/// The time for which a measured peak of memory serves answers that took less time themselves: to
/// ask the system takes longer than many answers.
const PEAK_SERVES: Duration = Duration::from_millis(100);

/// The peak memory of the process at the end of some work that took `seconds`.
fn peak_rss_bytes(seconds: f64) -> Option<u64> {
    static LAST: Mutex<Option<(Instant, Option<u64>)>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    match *last {
        Some((read, bytes))
            if read.elapsed() < PEAK_SERVES && seconds < PEAK_SERVES.as_secs_f64() =>
        {
            bytes
        }
        _ => {
            let bytes = machine::peak_rss_bytes();
            *last = Some((Instant::now(), bytes));
            bytes
        }
    }
}

/// Counters by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counters(BTreeMap<&'static str, Count>);

impl From<&Work> for Counters {
    fn from(work: &Work) -> Self {
        Self(work.iter().map(|(unit, n)| (unit, Count(n))).collect())
    }
}

/// A count in JSON: a number below 2^53, the same digits as a string from there on, since many
/// readers of JSON round larger numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count(pub u64);

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            n if n < 1 << 53 => serializer.serialize_u64(n),
            n => serializer.collect_str(&n),
        }
    }
}

impl JsonSchema for Count {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Count".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A number below 2^53; from there on its digits as a string",
            "anyOf": [
                { "type": "integer", "minimum": 0, "maximum": 9_007_199_254_740_991_u64 },
                { "type": "string", "pattern": "^[0-9]+$" },
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_counters_are_strings() {
        let mut work = Work::of("nodes", (1 << 53) - 1);
        work.add("states", 1 << 53);
        let json = serde_json::to_string(&Counters::from(&work)).unwrap();
        assert_eq!(
            json,
            r#"{"nodes":9007199254740991,"states":"9007199254740992"}"#
        );
    }
}
