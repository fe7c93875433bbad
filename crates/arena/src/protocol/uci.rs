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
}

/// Options set unless the engine's description sets them: no own opening book, no search on the opponent's time.
const DEFAULT_OPTIONS: [(&str, &str); 2] = [("OwnBook", "false"), ("Ponder", "false")];

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
                let name = option.split(" type ").next().unwrap_or(option);
                known.push(name.trim().to_owned());
            }
            (line == "uciok").then_some(())
        })?;
        let find = |name: &str| known.iter().find(|known| known.eq_ignore_ascii_case(name));
        for (name, value) in DEFAULT_OPTIONS {
            let chosen = config
                .options
                .iter()
                .any(|(n, _)| n.eq_ignore_ascii_case(name));
            if let (Some(name), false) = (find(name), chosen) {
                process.send(&format!("setoption name {name} value {value}"))?;
            }
        }
        for (name, value) in &config.options {
            let name = find(name).ok_or_else(|| {
                let known = known.join(", ");
                StartError::Configuration(format!(
                    "{} has no option '{name}': expected one of {known}",
                    config.name
                ))
            })?;
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
        let mut uci = Self { process };
        uci.ready(uci.process.timeouts.start)?;
        Ok(uci)
    }

    fn ready(&mut self, timeout: Duration) -> Result<(), Fault> {
        self.process.send("isready")?;
        let ready = |line: &str| (line == "readyok").then_some(());
        self.process.wait_for(timeout, "readyok", ready)
    }
}

impl Connection for Uci {
    fn new_game(&mut self, _game: &GameState) -> Result<(), Fault> {
        self.process.send("ucinewgame")?;
        self.ready(self.process.timeouts.start)
    }

    fn search(&mut self, request: &SearchRequest<'_>) -> Result<SearchResult, Fault> {
        self.process.send(&position_command(request.game))?;
        // Output that is still in the pipe belongs to the search before.
        self.ready(self.process.timeouts.response)?;
        let begin = Instant::now();
        self.process.send(&go_command(request))?;
        let mut info = SearchInfo::default();
        let (choice, at) = receive_choice(&mut self.process, request, "stop", begin, |line| {
            if line.starts_with("info ") {
                info.read_uci_info(line);
                return None;
            }
            let rest = line.strip_prefix("bestmove")?;
            let word = rest.split_ascii_whitespace().next().unwrap_or_default();
            Some(Choice::Move(word.to_owned()))
        })?;
        Ok(SearchResult {
            choice,
            spent: at.saturating_duration_since(begin),
            info,
        })
    }

    fn game_over(&mut self) {}
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

fn go_command(request: &SearchRequest<'_>) -> String {
    let mut text = "go".to_owned();
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
