//! An option that is tuned.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// An option with whole numbers as values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// The name of the option.
    pub name: String,
    /// The value at the start.
    pub start: f64,
    /// The smallest value.
    pub least: f64,
    /// The largest value.
    pub most: f64,
    /// How far the last pairs of games change it up and down; the first ones change it by about
    /// two and a half times as much.
    pub step: f64,
}

/// A line that describes no parameter.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "'{line}': {reason}: expected NAME START LEAST MOST [STEP], for example Aspiration 16 6 50"
)]
pub struct ParameterError {
    line: String,
    reason: &'static str,
}

impl FromStr for Parameter {
    type Err = ParameterError;

    /// Reads `NAME START LEAST MOST [STEP]`; without a step it is a twentieth of the range.
    fn from_str(line: &str) -> Result<Self, ParameterError> {
        let error = |reason| ParameterError {
            line: line.chars().take(80).collect(),
            reason,
        };
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, numbers @ ..] = &words[..] else {
            return Err(error("it is empty"));
        };
        let numbers: Result<Vec<f64>, _> = numbers.iter().map(|w| w.parse()).collect();
        let numbers = numbers.map_err(|_| error("not a number"))?;
        let (start, least, most, step) = match numbers[..] {
            [start, least, most] => (start, least, most, (most - least) / 20.0),
            [start, least, most, step] => (start, least, most, step),
            _ => return Err(error("not three or four numbers")),
        };
        let finite = [start, least, most, step].iter().all(|n| n.abs() < 1e9);
        let ordered = least <= start && start <= most && least < most;
        if !(finite && ordered) {
            return Err(error("not a value within a range"));
        }
        if step <= 0.0 || step > most - least {
            return Err(error("not a step within the range"));
        }
        Ok(Self {
            name: (*name).to_owned(),
            start,
            least,
            most,
            step,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_or_refused() {
        let read: Parameter = "Aspiration 16 6 50".parse().unwrap();
        assert_eq!((read.start, read.least, read.step), (16.0, 6.0, 2.2));
        let read: Parameter = " A  1 -2 3 0.5 ".parse().unwrap();
        assert_eq!((read.least, read.most, read.step), (-2.0, 3.0, 0.5));
        for bad in [
            "",
            "A",
            "A 1 2",
            "A 1 2 3",
            "A 3 1 2",
            "A 1 1 1",
            "A 1 0 2 0",
            "A 1 0 2 3",
            "A 1 0 inf",
            "A 1 0 NaN",
            "A x 0 2",
            "A 1 0 2 1 1",
        ] {
            let refused = bad.parse::<Parameter>().unwrap_err().to_string();
            assert!(refused.contains("expected NAME"), "{refused}");
        }
    }
}
