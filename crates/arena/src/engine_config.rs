//! The description of an engine: `cmd=/usr/games/stockfish,name=fish,option.Hash=16,nodes=20000`.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::EngineConfigError;

use crate::limits::{Limits, TimeControl};

/// The protocol that an engine speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// The Universal Chess Interface.
    #[default]
    Uci,
    /// The Chess Engine Communication Protocol of xboard, version 2.
    Xboard,
}

/// How to start an engine, its options and its limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineConfig {
    /// Its name in tables and PGN.
    pub name: String,
    /// The config.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its working directory; that of this process if `None`.
    #[serde(rename = "folder")]
    pub directory: Option<PathBuf>,
    /// Its protocol.
    pub protocol: Protocol,
    /// Options to set, in this order.
    pub options: Vec<(String, String)>,
    /// Its own limits; those of the match if `None`.
    pub limits: Option<Limits>,
    /// Whether it thinks on the opponent's time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ponder: bool,
}

impl FromStr for EngineConfig {
    type Err = EngineConfigError;

    /// Reads `key=value` pairs separated by commas; `\,` is a comma inside a value. A text without
    /// `=` is the command alone.
    ///
    /// The value of `cmd` is the path of a program, which may contain blanks, if there is such a
    /// file, also in `dir`; otherwise it is split at blanks into a program and its arguments,
    /// with quotes (`"` or `'`) around words that contain blanks.
    fn from_str(text: &str) -> Result<Self, EngineConfigError> {
        Self::read("", text)
    }
}

/// The keys of limits.
const LIMITS: [&str; 5] = ["tc", "time", "st", "nodes", "depth"];

impl EngineConfig {
    /// As [`FromStr`], with what all engines have in common before it: the engine's own options
    /// replace those of the same name, its own limits replace all limits.
    ///
    /// # Errors
    /// [`EngineConfigError`]; `cmd` and `name` belong to one engine.
    pub fn read(common: &str, text: &str) -> Result<Self, EngineConfigError> {
        let key = |part: &String| part.split_once('=').map(|(key, _)| key.trim().to_owned());
        let (mut common, own) = (parts(common), parts(text));
        let of_one = |part: &&String| matches!(key(part).as_deref(), None | Some("cmd" | "name"));
        if let Some(part) = common.iter().find(of_one) {
            return Err(EngineConfigError::Common(part.clone()));
        }
        let is_limit = |part: &String| key(part).is_some_and(|key| LIMITS.contains(&&*key));
        if own.iter().any(is_limit) {
            common.retain(|part| !is_limit(part));
        }
        let (mut command, mut name) = (None, None);
        let mut config = Self {
            name: String::new(),
            command: String::new(),
            arguments: Vec::new(),
            directory: None,
            protocol: Protocol::Uci,
            options: Vec::new(),
            limits: None,
            ponder: false,
        };
        let mut limits = Limits::default();
        for part in common.into_iter().chain(own) {
            let (key, value) = match part.split_once('=') {
                Some((key, value)) => (key.trim(), value),
                None if command.is_none() => ("cmd", part.as_str()),
                None => return Err(EngineConfigError::Key(part)),
            };
            let bad = |reason: &dyn std::fmt::Display| EngineConfigError::Value {
                key: key.to_owned(),
                value: value.to_owned(),
                reason: reason.to_string(),
            };
            match key {
                "cmd" => command = Some(value.to_owned()),
                "name" => name = Some(value.to_owned()),
                "arg" => config.arguments.push(value.to_owned()),
                "dir" => config.directory = Some(value.into()),
                "proto" => {
                    config.protocol = match value {
                        "uci" => Protocol::Uci,
                        "xboard" | "cecp" => Protocol::Xboard,
                        _ => return Err(bad(&"expected uci or xboard")),
                    }
                }
                "ponder" => {
                    let value = value.parse();
                    config.ponder = value.map_err(|_| bad(&"expected true or false"))?;
                }
                "tc" => limits.clock = Some(value.parse::<TimeControl>().map_err(|e| bad(&e))?),
                "time" | "st" => {
                    let seconds = value.parse().ok().filter(|s: &f64| *s > 0.0 && *s < 1e7);
                    let seconds = seconds.ok_or_else(|| bad(&"expected seconds"))?;
                    limits.move_time = Some(Duration::from_secs_f64(seconds));
                }
                "nodes" => limits.nodes = Some(value.parse().map_err(|e| bad(&e))?),
                "depth" => limits.depth = Some(value.parse().map_err(|e| bad(&e))?),
                _ => match key.strip_prefix("option.") {
                    Some(option) if !option.is_empty() => {
                        (config.options).retain(|(given, _)| !given.eq_ignore_ascii_case(option));
                        config.options.push((option.to_owned(), value.to_owned()));
                    }
                    _ => return Err(EngineConfigError::Key(part)),
                },
            }
        }
        let mut words = command_words(&command.unwrap_or_default(), config.directory.as_deref());
        if words.is_empty() {
            return Err(EngineConfigError::NoCommand(text.to_owned()));
        }
        config.command = words.remove(0);
        config.arguments.splice(0..0, words);
        config.name = name.unwrap_or_else(|| file_name(&config.command));
        if limits != Limits::default() {
            let checked = limits.checked().map_err(|e| EngineConfigError::Value {
                key: "limits of".to_owned(),
                value: config.name.clone(),
                reason: e.to_string(),
            })?;
            config.limits = Some(checked);
        }
        Ok(config)
    }
}

/// Splits a text at commas that are not preceded by a backslash.
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

/// The program and its arguments: one word if the whole text is the path of a file, relative to
/// `directory` or to that of this process.
fn command_words(text: &str, directory: Option<&Path>) -> Vec<String> {
    let path = text.trim();
    let inside = directory.is_some_and(|directory| directory.join(path).is_file());
    if inside || Path::new(path).is_file() {
        vec![path.to_owned()]
    } else {
        words(text)
    }
}

/// Splits a text at blanks; quotes (`"` or `'`) enclose words that contain blanks.
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

/// The name of a program's file. What follows its last dot may be a part of a version; only `.exe`
/// is not shown.
fn file_name(command: &str) -> String {
    let path = Path::new(command);
    let shown = match path.extension() {
        Some(extension) if extension.eq_ignore_ascii_case("exe") => path.file_stem(),
        _ => path.file_name(),
    };
    shown.map_or_else(|| command.to_owned(), |s| s.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_read() {
        let p: EngineConfig = r#"cmd="/opt/my engine" --uci,name=A\,B,option.Use Book=false,option.X=a=b,nodes=500,arg=-v"#
            .parse()
            .unwrap();
        assert_eq!(p.command, "/opt/my engine");
        assert_eq!(p.arguments, ["--uci", "-v"]);
        assert_eq!(p.name, "A,B");
        assert_eq!(p.options[0], ("Use Book".into(), "false".into()));
        assert_eq!(p.options[1], ("X".into(), "a=b".into()));
        assert_eq!(p.limits.unwrap().nodes, Some(500));
        let bare: EngineConfig = "/usr/games/stockfish".parse().unwrap();
        assert_eq!((bare.name.as_str(), bare.limits), ("stockfish", None));
    }

    #[test]
    fn common_properties_are_those_of_each_engine() {
        let common = "option.Hash=16,option.Threads=1,tc=1+0.1,proto=uci,arg=-q";
        let own = EngineConfig::read(common, "cmd=x,option.hash=64,nodes=7").unwrap();
        let options = [("Threads", "1"), ("hash", "64")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(own.options, options);
        let limits = own.limits.unwrap();
        assert_eq!((limits.nodes, limits.clock), (Some(7), None));
        assert_eq!(own.arguments, ["-q"]);
        let plain = EngineConfig::read(common, "x").unwrap();
        assert!(plain.limits.unwrap().clock.is_some());
        let error = EngineConfig::read("cmd=x", "cmd=y")
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("'cmd=x' is not a property of all engines"),
            "{error}"
        );
    }

    #[test]
    fn names_are_those_of_the_files() {
        for (text, name) in [
            ("cmd=./lc0-0.31.2", "lc0-0.31.2"),
            ("cmd=./lc0-0.31.3 --fast", "lc0-0.31.3"),
            ("cmd=/opt/engines/berserk-13.EXE", "berserk-13"),
            ("cmd=viridithas-17.0.0.exe,nodes=1", "viridithas-17.0.0"),
            ("old.build/engine", "engine"),
            ("cmd=run.sh", "run.sh"),
            ("cmd=.hidden", ".hidden"),
            ("cmd=./a.new", "a.new"),
            ("cmd=./a.new,name=b.c", "b.c"),
        ] {
            let config: EngineConfig = text.parse().unwrap();
            assert_eq!(config.name, name, "{text}");
        }
    }

    #[test]
    fn errors_name_the_key() {
        let error = |text: &str| text.parse::<EngineConfig>().unwrap_err().to_string();
        assert!(error("name=x").contains("expected cmd=PROGRAM"));
        assert!(error("cmd=x,hash=3").contains("'hash=3'"));
        assert!(error("cmd=x,nodes=many").starts_with("nodes=many: "));
        assert!(error("cmd=x,proto=usi").contains("expected uci or xboard"));
        assert!(error("cmd=x,tc=1,st=1").contains("exclude each other"));
    }

    /// A path with blanks is taken whole where there is such a file, with or without quotes.
    #[test]
    fn paths_may_contain_blanks() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("my engine");
        std::fs::write(&path, "").unwrap();
        let path = path.to_str().unwrap();
        for text in [
            format!("cmd={path},nodes=1"),
            format!("cmd=\"{path}\",nodes=1"),
            path.to_owned(),
        ] {
            let config: EngineConfig = text.parse().unwrap();
            assert_eq!(
                (config.command.as_str(), config.name.as_str()),
                (path, "my engine")
            );
            assert_eq!(config.arguments, Vec::<String>::new());
        }
        let inside = format!("cmd=my engine,dir={}", directory.path().display());
        assert_eq!(inside.parse::<EngineConfig>().unwrap().command, "my engine");
        let missing: EngineConfig = format!("cmd={path}2 --fast").parse().unwrap();
        assert_eq!(missing.arguments, ["engine2", "--fast"]);
    }
}
