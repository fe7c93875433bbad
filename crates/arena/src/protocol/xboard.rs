//! The Chess Engine Communication Protocol, version 2 (Mann and Muller, "Chess Engine Communication
//! Protocol", gnu.org/software/xboard/engine-intf.html), for engines that do not speak UCI.
//!
//! The arena keeps the engine in force mode, sends it the opponent's moves, and sends `go` when it
//! is to search. An engine without `setboard` plays only from the initial position; without
//! `usermove` it gets moves without a keyword. Moves are always written in coordinates (`san=1` is
//! rejected). The protocol has no limit of nodes.
//!
//! A result by which the engine loses is a resignation. A draw that it claims in place of a move is
//! judged by the rules: a claim that is not valid is ignored, as are offers of a draw (`offer
//! draw`), and its move is waited for.

use std::time::{Duration, Instant};

use shakmaty::Color;

use super::process::{Process, ReceiveError};
use super::search_info::SearchInfo;
use super::{Choice, Connection, Fault, SearchRequest, SearchResult, StartError, receive_choice};
use crate::engine_config::EngineConfig;
use crate::game_state::GameState;

/// A connection to an engine that speaks the protocol of xboard.
#[derive(Debug)]
pub(super) struct Xboard {
    process: Process,
    features: Features,
    /// The number of moves of the game that were sent to the engine or chosen by it.
    moves_sent: usize,
    /// Whether `level` was sent in this game; the times left follow before each move.
    level_sent: bool,
    /// The number of the last `ping`.
    pings: u32,
}

/// The features that an engine announced; initially the protocol's defaults.
#[derive(Clone, Copy, Debug)]
struct Features {
    ping: bool,
    setboard: bool,
    usermove: bool,
    time: bool,
    colors: bool,
}

impl Default for Features {
    fn default() -> Self {
        Self {
            ping: false,
            setboard: false,
            usermove: false,
            time: true,
            colors: true,
        }
    }
}

/// The wait for feature lines, as the protocol specifies: engines of version 1 never send `done=1`.
const FEATURES: Duration = Duration::from_secs(2);

impl Xboard {
    /// Performs the handshake, reads the engine's features and sets its options.
    pub(super) fn connect(
        process: Process,
        config: &EngineConfig,
        chess960: bool,
    ) -> Result<Self, StartError> {
        if chess960 {
            return Err(StartError::Configuration(format!(
                "{}: Chess960 is played with UCI engines only",
                config.name
            )));
        }
        if config.ponder {
            return Err(StartError::Configuration(format!(
                "{}: only UCI engines think on the opponent's time here",
                config.name
            )));
        }
        if config.limits.is_some_and(|l| l.nodes.is_some()) {
            return Err(no_nodes(&config.name));
        }
        let mut xboard = Self {
            process,
            features: Features::default(),
            moves_sent: 0,
            level_sent: false,
            pings: 0,
        };
        xboard.process.send("xboard")?;
        xboard.process.send("protover 2")?;
        xboard.read_features()?;
        for (name, value) in &config.options {
            let option = if value.is_empty() {
                format!("option {name}")
            } else {
                format!("option {name}={value}")
            };
            xboard.process.send(&option)?;
        }
        xboard.synchronise(xboard.process.timeouts.start)?;
        Ok(xboard)
    }

    fn read_features(&mut self) -> Result<(), Fault> {
        let mut deadline = Instant::now() + FEATURES;
        loop {
            let line = match self.process.receive(deadline) {
                Ok(line) => line.text,
                Err(ReceiveError::Timeout) => return Ok(()),
                Err(error) => return Err(self.process.fault(error, "no features")),
            };
            let Some(rest) = line.strip_prefix("feature ") else {
                continue;
            };
            for (name, value) in features(rest) {
                let on = value == "1";
                let known = match name.as_str() {
                    "ping" => &mut self.features.ping,
                    "setboard" => &mut self.features.setboard,
                    "usermove" => &mut self.features.usermove,
                    "time" => &mut self.features.time,
                    "colors" => &mut self.features.colors,
                    "myname" => {
                        self.process.send("accepted myname")?;
                        continue;
                    }
                    "done" if on => return Ok(()),
                    "done" => {
                        deadline = Instant::now() + self.process.timeouts.start;
                        continue;
                    }
                    // Moves are read and written in coordinates.
                    "san" if on => {
                        self.process.send("rejected san")?;
                        continue;
                    }
                    _ => continue,
                };
                *known = on;
                self.process.send(&format!("accepted {name}"))?;
            }
        }
    }

    /// Waits until the engine has processed all commands so far, if it supports `ping`.
    fn synchronise(&mut self, timeout: Duration) -> Result<(), Fault> {
        if !self.features.ping {
            return Ok(());
        }
        self.pings += 1;
        let pong = format!("pong {}", self.pings);
        self.process.send(&format!("ping {}", self.pings))?;
        self.process
            .wait_for(timeout, "pong", |line| (line == pong).then_some(()))
    }

    fn send_moves(&mut self, game: &GameState) -> Result<(), Fault> {
        for text in &game.uci_moves()[self.moves_sent..] {
            if self.features.usermove {
                self.process.send(&format!("usermove {text}"))?;
            } else {
                self.process.send(text)?;
            }
        }
        self.moves_sent = game.uci_moves().len();
        Ok(())
    }

    fn send_limits(&mut self, request: &SearchRequest<'_>) -> Result<(), Fault> {
        if let Some(time) = request.limits.move_time {
            let seconds = time.as_secs_f64();
            self.process.send(&format!("st {seconds}"))?;
        }
        if let Some(depth) = request.limits.depth {
            self.process.send(&format!("sd {depth}"))?;
        }
        if let Some((own, other)) = request.left.filter(|_| self.features.time) {
            self.process
                .send(&format!("time {}", own.as_millis() / 10))?;
            self.process
                .send(&format!("otim {}", other.as_millis() / 10))?;
        }
        Ok(())
    }
}

impl Connection for Xboard {
    fn new_game(&mut self, game: &GameState) -> Result<(), Fault> {
        self.process.send("new")?;
        self.process.send("force")?;
        self.process.send("easy")?;
        self.process.send("post")?;
        self.moves_sent = 0;
        self.level_sent = false;
        if let Some(fen) = game.start_fen() {
            if !self.features.setboard {
                // It cannot play this opening, and loses the game.
                return Err(Fault::Stall("it cannot set up a position".into()));
            }
            self.process.send(&format!("setboard {fen}"))?;
        }
        self.synchronise(self.process.timeouts.start)
    }

    fn search(&mut self, request: &SearchRequest<'_>) -> Result<SearchResult, Fault> {
        if request.limits.nodes.is_some() {
            return Err(Fault::Stall("its protocol has no limit of nodes".into()));
        }
        self.send_moves(request.game)?;
        if let Some(clock) = request
            .limits
            .clock
            .filter(|_| !std::mem::replace(&mut self.level_sent, true))
        {
            let base = clock.base.as_secs().max(1);
            let (moves, increment) = (clock.moves.unwrap_or(0), clock.increment.as_secs_f64());
            let level = format!("level {moves} {}:{:02} {increment}", base / 60, base % 60);
            self.process.send(&level)?;
        }
        self.send_limits(request)?;
        self.synchronise(self.process.timeouts.response)?;
        let begin = Instant::now();
        self.process.send("go")?;
        let mut info = SearchInfo::default();
        let turn = request.game.turn();
        let (choice, at) = receive_choice(&mut self.process, request, "?", [begin; 2], |line| {
            if let Some(m) = announced_move(line) {
                return Some(Choice::Move(to_uci(m, turn)));
            }
            if line == "resign" || claims_loss(line, turn) {
                return Some(Choice::Resign);
            }
            if line.starts_with("1/2-1/2") {
                return request.game.claimable_draw().map(Choice::Draw);
            }
            info.read_xboard_info(line);
            None
        })?;
        // The engine has played its move on its own board.
        self.moves_sent += 1;
        self.process.send("force")?;
        Ok(SearchResult {
            choice,
            spent: at.saturating_duration_since(begin),
            info,
            reply: None,
        })
    }

    fn ponder(&mut self, _request: &SearchRequest<'_>) -> Result<(), Fault> {
        Ok(())
    }

    fn game_over(&mut self) {
        // A failure is found at the start of the next game.
        let _ = self.process.send("force");
    }
}

fn no_nodes(name: &str) -> StartError {
    StartError::Configuration(format!(
        "{name} speaks the protocol of xboard, which has no limit of nodes: give it a tc, st or depth of its own"
    ))
}

/// Whether a line is a result by which the side to move loses.
fn claims_loss(line: &str, turn: Color) -> bool {
    line.starts_with(turn.fold_wb("0-1", "1-0"))
}

/// Returns the move of a line that announces one, in the form of protocol 2 or of protocol 1.
fn announced_move(line: &str) -> Option<&str> {
    let old = || line.strip_prefix("My move is");
    let m = line.strip_prefix("move ").or_else(old)?;
    Some(m.trim_start_matches([' ', ':']))
}

/// Converts a move to UCI notation: `e7e8Q` and `e7-e8=q` to `e7e8q`, `O-O` to `e1g1` or `e8g8`.
fn to_uci(text: &str, side: Color) -> String {
    let kept = text.trim().chars().filter(|c| c.is_ascii_alphanumeric());
    let text = kept.collect::<String>().to_ascii_lowercase();
    let castling = match text.replace('0', "o").as_str() {
        "oo" => side.fold_wb("e1g1", "e8g8"),
        "ooo" => side.fold_wb("e1c1", "e8c8"),
        _ => return text,
    };
    castling.to_owned()
}

/// `name=value` with quotes around values that contain blanks.
fn features(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some((name, after)) = rest.split_once('=') {
        let (value, next) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(' ').unwrap_or((after, "")),
        };
        found.push((name.trim().to_owned(), value.to_owned()));
        rest = next.trim_start();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feature_lines_are_read() {
        let found =
            features(r#"ping=1 myname="Phalanx XXV" setboard=1 variants="normal,nocastle" done=1"#);
        let text: Vec<_> = found.iter().map(|(n, v)| format!("{n}:{v}")).collect();
        assert_eq!(
            text,
            [
                "ping:1",
                "myname:Phalanx XXV",
                "setboard:1",
                "variants:normal,nocastle",
                "done:1"
            ]
        );
    }

    #[test]
    fn moves_are_read_in_all_forms() {
        for (line, side, expected) in [
            ("move e7e8Q", Color::White, Some("e7e8q")),
            ("move e7-e8=q", Color::White, Some("e7e8q")),
            ("move O-O", Color::White, Some("e1g1")),
            ("move o-o-o", Color::Black, Some("e8c8")),
            ("move 0-0", Color::Black, Some("e8g8")),
            ("My move is : d7d5", Color::Black, Some("d7d5")),
            ("My move is: d7d5", Color::Black, Some("d7d5")),
            ("moves", Color::White, None),
        ] {
            let found = announced_move(line).map(|m| to_uci(m, side));
            assert_eq!(found.as_deref(), expected, "{line}");
        }
    }
}
