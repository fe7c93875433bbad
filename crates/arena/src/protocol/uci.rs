//! The Universal Chess Interface (UCI), from the side of the program that controls engines.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use shakmaty::Color;

use super::process::Process;
use super::search_info::SearchInfo;
use super::{Choice, Connection, Fault, SearchRequest, SearchResult, StartError, receive_choice};
use crate::engine_config::EngineConfig;
use crate::game_state::GameState;

/// A connection to an engine that speaks UCI.
#[derive(Debug)]
pub(super) struct Uci {
    process: Process,
    pondering: Option<Pondering>,
}

/// An option as an engine declares it.
#[derive(Debug)]
struct UciOption {
    name: String,
    /// What follows the name: `spin default 1 min 1 max 64`.
    kind: String,
}

impl UciOption {
    /// What follows `option name `.
    fn of(text: &str) -> Self {
        let (name, kind) = text.split_once(" type ").unwrap_or((text, ""));
        Self {
            name: name.trim().to_owned(),
            kind: kind.trim().to_owned(),
        }
    }

    /// What its declaration allows, if that is not `value`.
    fn expected_instead_of(&self, value: &str) -> Option<String> {
        let words: Vec<&str> = self.kind.split_ascii_whitespace().collect();
        let bound = |name: &str| -> Option<i64> {
            let at = words.iter().position(|&word| word == name)?;
            words.get(at + 1)?.parse().ok()
        };
        match *words.first()? {
            "check" => {
                let is_truth = ["true", "false"]
                    .iter()
                    .any(|word| value.eq_ignore_ascii_case(word));
                (!is_truth).then(|| "true or false".to_owned())
            }
            "spin" => {
                let (min, max) = (bound("min"), bound("max"));
                let fits = value.parse::<i64>().is_ok_and(|n| {
                    min.is_none_or(|min| n >= min) && max.is_none_or(|max| n <= max)
                });
                (!fits).then(|| match (min, max) {
                    (Some(min), Some(max)) => format!("a number from {min} to {max}"),
                    _ => "a whole number".to_owned(),
                })
            }
            "combo" => {
                let values: Vec<&str> = self.kind.split(" var ").skip(1).map(str::trim).collect();
                let fits = values.iter().any(|known| known.eq_ignore_ascii_case(value));
                (!fits && !values.is_empty()).then(|| format!("one of {}", values.join(", ")))
            }
            _ => None,
        }
    }
}

/// A search on the opponent's time.
#[derive(Debug)]
struct Pondering {
    /// The reply that the engine expects.
    reply: String,
    since: Instant,
}

impl Uci {
    /// Performs the handshake and sets the engine's options.
    pub(super) fn connect(
        mut process: Process,
        config: &EngineConfig,
        chess960: bool,
    ) -> Result<Self, StartError> {
        let mut known = Vec::new();
        process.send("uci")?;
        process.wait_for(process.timeouts.start, "uciok", |line| {
            if let Some(option) = line.strip_prefix("option name ") {
                known.push(UciOption::of(option));
            }
            (line == "uciok").then_some(())
        })?;
        let declared = |name: &str| {
            known
                .iter()
                .find(|known| known.name.eq_ignore_ascii_case(name))
        };
        let find = |name: &str| declared(name).map(|option| &option.name);
        if config.ponder && find("Ponder").is_none() {
            return Err(StartError::Configuration(format!(
                "{} does not think on the opponent's time: it has no option Ponder",
                config.name
            )));
        }
        // Set unless the engine's description sets them.
        let ponder = if config.ponder { "true" } else { "false" };
        for (name, value) in [("OwnBook", "false"), ("Ponder", ponder)] {
            let chosen = config
                .options
                .iter()
                .any(|(n, _)| n.eq_ignore_ascii_case(name));
            if let (Some(name), false) = (find(name), chosen) {
                process.send(&format!("setoption name {name} value {value}"))?;
            }
        }
        for (name, value) in &config.options {
            let option = declared(name).ok_or_else(|| {
                let known: Vec<&str> = known.iter().map(|known| &*known.name).collect();
                StartError::Configuration(format!(
                    "{} has no option '{name}': expected one of {}",
                    config.name,
                    known.join(", ")
                ))
            })?;
            if let Some(expected) = option.expected_instead_of(value) {
                return Err(StartError::Configuration(format!(
                    "option {} is '{value}': expected {expected}",
                    option.name
                )));
            }
            let name = &option.name;
            // An option of type button has no value.
            if value.is_empty() {
                process.send(&format!("setoption name {name}"))?;
            } else {
                process.send(&format!("setoption name {name} value {value}"))?;
            }
        }
        if chess960 {
            let name = find("UCI_Chess960").ok_or_else(|| {
                StartError::Configuration(format!(
                    "{} does not play Chess960: it has no option UCI_Chess960",
                    config.name
                ))
            })?;
            process.send(&format!("setoption name {name} value true"))?;
        }
        let mut uci = Self {
            process,
            pondering: None,
        };
        uci.ready(uci.process.timeouts.start)?;
        Ok(uci)
    }

    fn ready(&mut self, timeout: Duration) -> Result<(), Fault> {
        self.process.send("isready")?;
        let ready = |line: &str| (line == "readyok").then_some(());
        self.process.wait_for(timeout, "readyok", ready)
    }

    /// Ends a search on the opponent's time, whose move is of no use.
    fn end_pondering(&mut self) -> Result<(), Fault> {
        if self.pondering.take().is_none() {
            return Ok(());
        }
        self.process.send("stop")?;
        let is_move = |line: &str| line.starts_with("bestmove").then_some(());
        let timeout = self.process.timeouts.response;
        self.process.wait_for(timeout, "move after 'stop'", is_move)
    }
}

impl Connection for Uci {
    fn new_game(&mut self, _game: &GameState) -> Result<(), Fault> {
        self.process.send("ucinewgame")?;
        self.ready(self.process.timeouts.start)
    }

    fn search(&mut self, request: &SearchRequest<'_>) -> Result<SearchResult, Fault> {
        let played = request.game.uci_moves().last();
        let is_expected = |pondering: &mut Pondering| Some(&pondering.reply) == played;
        let (command, since) = match self.pondering.take_if(is_expected) {
            Some(pondering) => ("ponderhit".to_owned(), Some(pondering.since)),
            None => {
                self.end_pondering()?;
                self.process.send(&position_command(request.game))?;
                // Output that is still in the pipe belongs to the search before.
                self.ready(self.process.timeouts.response)?;
                (go_command(request, "go"), None)
            }
        };
        let begin = Instant::now();
        self.process.send(&command)?;
        let times = [since.unwrap_or(begin), begin];
        let mut info = SearchInfo::default();
        let mut reply = None;
        let (choice, at) = receive_choice(&mut self.process, request, "stop", times, |line| {
            if line.starts_with("info ") {
                info.read_uci_info(line);
                return None;
            }
            let rest = line.strip_prefix("bestmove")?;
            let mut words = rest.split_ascii_whitespace();
            let word = words.next().unwrap_or_default();
            let expected = words.skip_while(|&word| word != "ponder").nth(1);
            reply = expected.map(str::to_owned);
            Some(Choice::Move(word.to_owned()))
        })?;
        Ok(SearchResult {
            choice,
            spent: at.saturating_duration_since(begin),
            info,
            reply,
        })
    }

    fn ponder(&mut self, request: &SearchRequest<'_>) -> Result<(), Fault> {
        let Some(reply) = request.game.uci_moves().last() else {
            return Ok(());
        };
        self.process.send(&position_command(request.game))?;
        self.pondering = Some(Pondering {
            reply: reply.clone(),
            since: Instant::now(),
        });
        self.process.send(&go_command(request, "go ponder"))
    }

    fn game_over(&mut self) {
        // A failure is found at the start of the next game.
        let _ = self.end_pondering();
    }
}

fn position_command(game: &GameState) -> String {
    let mut text = match game.start_fen() {
        None => "position startpos".to_owned(),
        Some(fen) => format!("position fen {fen}"),
    };
    if !game.uci_moves().is_empty() {
        text += " moves";
        for m in game.uci_moves() {
            text.push(' ');
            text += m;
        }
    }
    text
}

fn go_command(request: &SearchRequest<'_>, command: &str) -> String {
    let mut text = command.to_owned();
    if let Some((own, other)) = request.left {
        let (white, black, winc, binc) = match request.game.turn() {
            Color::White => (own, other, request.increments.0, request.increments.1),
            Color::Black => (other, own, request.increments.1, request.increments.0),
        };
        let _ = write!(
            text,
            " wtime {} btime {} winc {} binc {}",
            millis(white).max(1),
            millis(black).max(1),
            millis(winc),
            millis(binc)
        );
        if let Some(moves) = request.moves_to_go {
            let _ = write!(text, " movestogo {moves}");
        }
    }
    let limits = request.limits;
    if let Some(time) = limits.move_time {
        let _ = write!(text, " movetime {}", millis(time).max(1));
    }
    if let Some(nodes) = limits.nodes {
        let _ = write!(text, " nodes {nodes}");
    }
    if let Some(depth) = limits.depth {
        let _ = write!(text, " depth {depth}");
    }
    text
}

fn millis(time: Duration) -> u128 {
    time.as_millis()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_that_are_declared() {
        let expected = |declared: &str, value: &str| {
            UciOption::of(declared)
                .expected_instead_of(value)
                .unwrap_or_default()
        };
        let hash = "Hash type spin default 16 min 1 max 1024";
        assert_eq!(expected(hash, "64"), "");
        for wrong in ["0", "1025", "abc", ""] {
            assert_eq!(expected(hash, wrong), "a number from 1 to 1024");
        }
        let style = "Playing Style type combo default Solid var Solid var Very Risky";
        assert_eq!(UciOption::of(style).name, "Playing Style");
        assert_eq!(expected(style, "very risky"), "");
        assert_eq!(expected(style, "Foo"), "one of Solid, Very Risky");
        assert_eq!(expected("Ponder type check default false", "True"), "");
        assert_eq!(
            expected("Ponder type check default false", "1"),
            "true or false"
        );
        for free in [
            "Book type string default <empty>",
            "Clear type button",
            "Odd",
        ] {
            assert_eq!(expected(free, "anything"), "");
        }
    }
}
