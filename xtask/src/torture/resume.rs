//! Computations that are killed at random moments and resumed, until one comes to its end.

use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use serde_json::Value;

use super::Place;
use super::values::Random;

/// Commands with a checkpoint, and a field of the answer with its known value.
const COMPUTATIONS: &[(&str, &str, &str)] = &[
    (
        "tours count 7x8 --closed --method frontier",
        "count",
        "34524432316",
    ),
    (
        "tours count 6x8 --closed --method frontier",
        "count",
        "55488142",
    ),
    ("pegs count english", "positions", "23475688"),
    ("tables build KQvKR --out tables", "material", "KQvKR"),
];

/// Kills a computation up to some times and resumes it; an error says what went wrong.
pub(super) fn attempt(place: &Place<'_>, random: &mut Random) -> anyhow::Result<()> {
    let &(words, field, expected) = random.pick(COMPUTATIONS);
    let kills = 1 + random.below(5);
    for kill in 0..=kills {
        let mut command = Command::new(place.program);
        command.args(words.split(' ')).args([
            "--checkpoint",
            "checkpoint",
            "--threads",
            "2",
            "--json",
        ]);
        command.current_dir(place.folder).stdin(Stdio::null());
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let after = Duration::from_millis(random.below(1500) as u64);
        if kill < kills {
            let start = Instant::now();
            while start.elapsed() < after && child.try_wait()?.is_none() {
                thread::sleep(Duration::from_millis(2));
            }
            // That it has ended already is as good.
            let _ = child.kill();
        }
        let ended = child.wait_with_output()?;
        if ended.status.code().is_none() && kill < kills {
            continue;
        }
        let errors = String::from_utf8_lossy(&ended.stderr);
        ensure!(
            ended.status.success(),
            "{words}, killed {kill} times: {}",
            errors.trim()
        );
        let answer: Value =
            serde_json::from_slice(&ended.stdout).with_context(|| format!("{words}: no JSON"))?;
        let found = answer[field]
            .as_str()
            .map_or_else(|| answer[field].to_string(), str::to_owned);
        if found != expected {
            bail!("{words}, killed {kill} times: {field} is {found}, not {expected}");
        }
    }
    Ok(())
}
