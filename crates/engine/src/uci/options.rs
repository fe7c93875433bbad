//! The options of the engine as UCI declares and sets them.

use std::fmt::Write as _;
#[cfg(feature = "constants")]
use std::sync::atomic::Ordering;
use std::time::Duration;

use everymove_kernel::text::shown;

use crate::engine::Options;
use crate::eval::Evaluation;
#[cfg(feature = "constants")]
use crate::search::constants;
use crate::search::features::Features;
use crate::search::strategies::Strategy;
use crate::strength::Strength;

/// Bytes of a MiB.
pub(super) const MIB: u64 = 1 << 20;
/// The largest hash table that is offered, in MiB, on every machine: 1 TiB. The memory budget and
/// the system may allow less.
const MOST_HASH: u32 = 1 << 20;
/// The largest number of threads that is offered.
const MOST_THREADS: u32 = 512;
const MOST_LINES: u32 = 256;

/// Everything that `setoption` sets.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) options: Options,
    pub(super) chess960: bool,
    pub(super) show_wdl: bool,
    pub(super) limit_strength: bool,
    pub(super) elo: u32,
    /// The memory budget in MiB.
    budget: u64,
}

/// What a change means for the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Its options are others now.
    Options,
    ClearHash,
    Syzygy(String),
    Tables(String),
    Network(String),
    Nothing,
}

impl Settings {
    /// `ram` bounds the hash table, in bytes.
    pub(super) fn new(options: Options, ram: u64) -> Self {
        let options = Options {
            hash: options.hash.min(ram).max(MIB),
            ..options
        };
        Self {
            options,
            chess960: false,
            show_wdl: false,
            limit_strength: false,
            elo: Strength::MOST_ELO,
            budget: (ram / MIB).max(1),
        }
    }

    /// The `option` lines.
    pub(super) fn declarations(&self) -> String {
        let mut text = String::new();
        let mut spin = |name: &str, default: u64, least: u32, most: u32| {
            let _ = writeln!(
                text,
                "option name {name} type spin default {default} min {least} max {most}"
            );
        };
        let default = Options::default();
        spin("Hash", default.hash / MIB, 1, MOST_HASH);
        spin("Threads", default.threads as u64, 1, MOST_THREADS);
        spin("MultiPV", default.multi_pv as u64, 1, MOST_LINES);
        spin(
            "Move Overhead",
            default.overhead.as_millis() as u64,
            0,
            5000,
        );
        spin(
            "UCI_Elo",
            u64::from(Strength::MOST_ELO),
            Strength::LEAST_ELO,
            Strength::MOST_ELO,
        );
        spin(
            "BeamPercent",
            u64::from(default.features.beam_percent),
            1,
            100,
        );
        text += "option name BeamFraction type string default 1\n";
        let strategies: String = Strategy::ALL.iter().map(|s| format!(" var {s}")).collect();
        let _ = writeln!(
            text,
            "option name Strategy type combo default {}{strategies}",
            Strategy::default()
        );
        text += "option name Evaluation type combo default network var classical var network\n";
        text += "option name EvalFile type string default <empty>\n";
        text += "option name Clear Hash type button\n";
        text += "option name SyzygyPath type string default <empty>\n";
        text += "option name TablesPath type string default <empty>\n";
        for name in ["Ponder", "UCI_Chess960", "UCI_ShowWDL", "UCI_LimitStrength"] {
            let _ = writeln!(text, "option name {name} type check default false");
        }
        for name in Features::NAMES {
            let _ = writeln!(text, "option name {name} type check default true");
        }
        #[cfg(feature = "constants")]
        for (name, value, least, most) in constants::all() {
            let default = value.load(Ordering::Relaxed);
            let _ = writeln!(
                text,
                "option name {name} type spin default {default} min {least} max {most}"
            );
        }
        text
    }

    /// Sets an option; its name in letters of either case.
    pub(super) fn set(&mut self, name: &str, value: Option<&str>) -> Result<Change, String> {
        let lower = name.to_ascii_lowercase();
        if lower == "clear hash" {
            return Ok(Change::ClearHash);
        }
        let value = value.ok_or_else(|| format!("option '{}' needs a value", shown(name)))?;
        let fault = |e: String| format!("option {}: {e}", shown(name));
        let spin = |least, most| number(value, least, most).map_err(fault);
        #[cfg(feature = "constants")]
        if let Some((_, cell, least, most)) =
            (constants::all().into_iter()).find(|c| c.0.eq_ignore_ascii_case(name))
        {
            let number = value.parse().ok().filter(|n| (least..=most).contains(n));
            let number = number.ok_or_else(|| fault(format!("expected {least} to {most}")))?;
            cell.store(number, Ordering::Relaxed);
            return Ok(Change::Nothing);
        }
        match lower.as_str() {
            "hash" => {
                let mib = u64::from(spin(1, MOST_HASH)?);
                let (budget, kept) = (self.budget, self.options.hash / MIB);
                if mib > budget {
                    let over =
                        format!("the memory budget allows {budget} MiB: it stays at {kept} MiB");
                    return Err(fault(over));
                }
                self.options.hash = mib * MIB;
            }
            "threads" => self.options.threads = spin(1, MOST_THREADS)? as usize,
            "multipv" => self.options.multi_pv = spin(1, MOST_LINES)? as usize,
            "move overhead" => {
                self.options.overhead = Duration::from_millis(u64::from(spin(0, 5000)?));
            }
            "beampercent" => self.options.features.beam_percent = spin(1, 100)? as u8,
            "beamfraction" => {
                self.options.features.beam_percent = fraction(value).map_err(fault)?
            }
            "strategy" => {
                let strategy: Result<Strategy, _> = value.parse();
                self.options.strategy = strategy.map_err(|e| fault(e.to_string()))?;
            }
            "evaluation" => {
                self.options.evaluation = match value.to_ascii_lowercase().as_str() {
                    "classical" => Evaluation::Classical,
                    "network" => Evaluation::Network,
                    _ => {
                        let value = shown(value);
                        return Err(fault(format!(
                            "expected classical or network, not '{value}'"
                        )));
                    }
                }
            }
            "evalfile" => return Ok(Change::Network(value.to_owned())),
            "tablespath" => return Ok(Change::Tables(value.to_owned())),
            "syzygypath" => return Ok(Change::Syzygy(value.to_owned())),
            "uci_elo" => {
                self.elo = spin(Strength::LEAST_ELO, Strength::MOST_ELO)?;
                return Ok(Change::Nothing);
            }
            "uci_chess960" | "uci_showwdl" | "uci_limitstrength" | "ponder" => {
                let on = check(value).map_err(fault)?;
                match lower.as_str() {
                    "uci_chess960" => self.chess960 = on,
                    "uci_showwdl" => self.show_wdl = on,
                    "uci_limitstrength" => self.limit_strength = on,
                    _ => {}
                }
                return Ok(Change::Nothing);
            }
            _ => {
                let switch = self.options.features.switch(&lower);
                let switch =
                    switch.ok_or_else(|| format!("there is no option '{}'", shown(name)))?;
                *switch = check(value).map_err(fault)?;
            }
        }
        Ok(Change::Options)
    }
}

/// A number within bounds.
pub(super) fn number(text: &str, least: u32, most: u32) -> Result<u32, String> {
    let number = text.parse().ok().filter(|n| (least..=most).contains(n));
    number.ok_or_else(|| format!("'{}' is not a number from {least} to {most}", shown(text)))
}

fn check(value: &str) -> Result<bool, String> {
    match value.to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(format!("expected true or false, not '{}'", shown(value))),
    }
}

/// `0.5`, `1/2`, `1`: in percent.
fn fraction(value: &str) -> Result<u8, String> {
    let part = |text: &str| text.trim().parse::<f64>().ok();
    let fraction = match value.split_once('/') {
        Some((above, below)) => part(above).zip(part(below)).map(|(a, b)| a / b),
        None => part(value),
    };
    let percent = fraction.map(|f| (f * 100.0).round());
    let percent = percent.filter(|p| (1.0..=100.0).contains(p));
    percent.map(|p| p as u8).ok_or_else(|| {
        let value = shown(value);
        format!("expected a fraction above 0 and up to 1, for example 1/2, not '{value}'")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_set_and_faults_named() {
        let mut settings = Settings::new(Options::default(), 100 * MIB);
        assert_eq!(settings.set("hash", Some("64")), Ok(Change::Options));
        assert_eq!(settings.options.hash, 64 * MIB);
        let fault = settings.set("Hash", Some("200")).unwrap_err();
        assert_eq!(
            fault,
            "option Hash: the memory budget allows 100 MiB: it stays at 64 MiB"
        );
        let fault = settings.set("Hash", Some("2000000")).unwrap_err();
        assert_eq!(
            fault,
            "option Hash: '2000000' is not a number from 1 to 1048576"
        );
        assert_eq!(
            settings.set("beamfraction", Some("1/2")),
            Ok(Change::Options)
        );
        assert_eq!(settings.options.features.beam_percent, 50);
        assert_eq!(settings.set("nullmove", Some("false")), Ok(Change::Options));
        assert!(!settings.options.features.null_move);
        assert!(settings.set("BeamFraction", Some("1/0")).is_err());
        assert!(
            settings
                .set("Nonsense", Some("1"))
                .unwrap_err()
                .contains("no option")
        );
    }

    #[test]
    fn every_declared_option_can_be_set_to_its_default() {
        let mut settings = Settings::new(Options::default(), 100 * MIB);
        let before = settings.options.clone();
        for line in settings.clone().declarations().lines() {
            let words = line.strip_prefix("option name ").unwrap();
            let (name, rest) = words.split_once(" type ").unwrap();
            let mut rest = rest
                .split_whitespace()
                .skip_while(|w| *w != "default")
                .skip(1);
            settings.set(name, rest.next().or(Some(""))).unwrap();
        }
        assert_eq!(settings.options, before);
    }
}
