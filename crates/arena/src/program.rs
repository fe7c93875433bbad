//! An engine as a person describes it: `cmd=/usr/games/stockfish,name=fish,option.Hash=16,nodes=20000`.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::limits::{Limits, TimeControl};

/// The language an engine speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// The Universal Chess Interface.
    #[default]
    Uci,
    /// The Chess Engine Communication Protocol of xboard, version 2.
    Xboard,
}

/// How to start an engine and what to tell it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// What tables and PGN call it.
    pub name: String,
    /// The program.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The directory it works in; the arena's own if `None`.
    pub folder: Option<PathBuf>,
    /// Its language.
    pub protocol: Protocol,
    /// Options to set, in this order.
    pub options: Vec<(String, String)>,
    /// Limits of its own in place of the match's.
    pub limits: Option<Limits>,
}

/// A description that makes no sense.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ProgramError {
    /// No command.
    #[error("'{0}' starts no engine: expected cmd=PROGRAM, for example cmd=stockfish,name=fish")]
    NoCommand(String),
    /// An unknown key.
    #[error(
        "'{0}' says nothing about an engine: expected cmd, name, arg, dir, proto, option.NAME, tc, st, nodes or depth, each with =VALUE"
    )]
    Key(String),
    /// A value that does not fit.
    #[error("{key}={value}: {reason}")]
    Value {
        /// The key.
        key: String,
        /// The value.
        value: String,
        /// Why not.
        reason: String,
    },
}

impl FromStr for Program {
    type Err = ProgramError;

    /// Comma-separated `key=value`; `\,` is a comma inside a value. A text without `=` is the command alone.
    fn from_str(text: &str) -> Result<Self, ProgramError> {
        let (mut command, mut name) = (None, None);
        let mut program = Self {
            name: String::new(),
            command: String::new(),
            arguments: Vec::new(),
            folder: None,
            protocol: Protocol::Uci,
            options: Vec::new(),
            limits: None,
        };
        let mut limits = Limits::default();
        for part in parts(text) {
            let (key, value) = match part.split_once('=') {
                Some((key, value)) => (key.trim(), value),
                None if command.is_none() => ("cmd", part.as_str()),
                None => return Err(ProgramError::Key(part)),
            };
            let bad = |reason: &dyn std::fmt::Display| ProgramError::Value {
                key: key.to_owned(),
                value: value.to_owned(),
                reason: reason.to_string(),
            };
            match key {
                "cmd" => {
                    let mut words = words(value);
                    if !words.is_empty() {
                        command = Some(words.remove(0));
                        program.arguments.splice(0..0, words);
                    }
                }
                "name" => name = Some(value.to_owned()),
                "arg" => program.arguments.push(value.to_owned()),
                "dir" => program.folder = Some(value.into()),
                "proto" => {
                    program.protocol = match value {
                        "uci" => Protocol::Uci,
                        "xboard" | "cecp" => Protocol::Xboard,
                        _ => return Err(bad(&"expected uci or xboard")),
                    }
                }
                "tc" => limits.clock = Some(value.parse::<TimeControl>().map_err(|e| bad(&e))?),
                "st" => {
                    let seconds = value.parse().ok().filter(|s: &f64| *s > 0.0 && *s < 1e7);
                    let seconds = seconds.ok_or_else(|| bad(&"expected seconds"))?;
                    limits.move_time = Some(Duration::from_secs_f64(seconds));
                }
                "nodes" => limits.nodes = Some(value.parse().map_err(|e| bad(&e))?),
                "depth" => limits.depth = Some(value.parse().map_err(|e| bad(&e))?),
                _ => match key.strip_prefix("option.") {
                    Some(option) if !option.is_empty() => {
                        program.options.push((option.to_owned(), value.to_owned()));
                    }
                    _ => return Err(ProgramError::Key(part)),
                },
            }
        }
        program.command = command.ok_or_else(|| ProgramError::NoCommand(text.to_owned()))?;
        program.name = name.unwrap_or_else(|| stem(&program.command));
        if limits != Limits::default() {
            let checked = limits.checked().map_err(|e| ProgramError::Value {
                key: "limits of".to_owned(),
                value: program.name.clone(),
                reason: e.to_string(),
            })?;
            program.limits = Some(checked);
        }
        Ok(program)
    }
}

/// The parts between commas that no backslash hides.
fn parts(text: &str) -> Vec<String> {
    let (mut parts, mut part, mut letters) = (Vec::new(), String::new(), text.chars().peekable());
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.peek() == Some(&',') => part.extend(letters.next()),
            ',' => parts.push(std::mem::take(&mut part)),
            letter => part.push(letter),
        }
    }
    parts.push(part);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// The words of a command line; quotes hold words together.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut open, mut quote) = (Vec::new(), String::new(), false, None);
    for letter in text.chars() {
        match quote {
            Some(q) if letter == q => quote = None,
            Some(_) => word.push(letter),
            None if letter == '"' || letter == '\'' => (quote, open) = (Some(letter), true),
            None if letter.is_whitespace() => {
                if std::mem::take(&mut open) {
                    words.push(std::mem::take(&mut word));
                }
            }
            None => {
                word.push(letter);
                open = true;
            }
        }
    }
    if open {
        words.push(word);
    }
    words
}

fn stem(command: &str) -> String {
    let path = std::path::Path::new(command);
    path.file_stem()
        .map_or_else(|| command.to_owned(), |s| s.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_read_as_written() {
        let p: Program = r#"cmd="/opt/my engine" --uci,name=A\,B,option.Use Book=false,option.X=a=b,nodes=500,arg=-v"#
            .parse()
            .unwrap();
        assert_eq!(p.command, "/opt/my engine");
        assert_eq!(p.arguments, ["--uci", "-v"]);
        assert_eq!(p.name, "A,B");
        assert_eq!(p.options[0], ("Use Book".into(), "false".into()));
        assert_eq!(p.options[1], ("X".into(), "a=b".into()));
        assert_eq!(p.limits.unwrap().nodes, Some(500));
        let bare: Program = "/usr/games/stockfish".parse().unwrap();
        assert_eq!((bare.name.as_str(), bare.limits), ("stockfish", None));
    }

    #[test]
    fn nonsense_is_named() {
        let error = |text: &str| text.parse::<Program>().unwrap_err().to_string();
        assert!(error("name=x").contains("expected cmd=PROGRAM"));
        assert!(error("cmd=x,hash=3").contains("'hash=3'"));
        assert!(error("cmd=x,nodes=many").starts_with("nodes=many: "));
        assert!(error("cmd=x,proto=usi").contains("expected uci or xboard"));
        assert!(error("cmd=x,tc=1,st=1").contains("exclude each other"));
    }
}
