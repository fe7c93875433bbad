//! The Chess Engine Communication Protocol, version 2 (Mann and Muller, "Chess Engine Communication Protocol",
//! gnu.org/software/xboard/engine-intf.html), for engines that know no UCI.
//!
//! The arena keeps the engine in force mode, feeds it the opponent's moves, and says `go` when it is to think. An
//! engine without `setboard` plays only from the first position; without `usermove` it gets bare moves; without `san=1`
//! moves in coordinates, as here always. There is no limit of nodes in the protocol.

use std::time::{Duration, Instant};

use shakmaty::Color;

use super::process::{Process, Silence};
use super::thought::Thought;
use super::{Answer, Ask, Choice, Fault, StartError, Talk};
use crate::line::Line;
use crate::program::Program;

/// A conversation with an engine that speaks the protocol of xboard.
#[derive(Debug)]
pub(super) struct Xboard {
    process: Process,
    features: Features,
    /// Moves of the game that the engine knows.
    told: usize,
    /// Whether it knows this game's time control; the exact times follow before each move.
    levelled: bool,
    pings: u32,
}

/// What an engine says it can do; the protocol's defaults.
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

/// The features of a protocol-2 engine come within two seconds; an older one never says `done=1`.
const FEATURES: Duration = Duration::from_secs(2);

impl Xboard {
    /// Greets the engine, learns what it can do and sets its options.
    pub(super) fn greet(
        process: Process,
        program: &Program,
        chess960: bool,
    ) -> Result<Self, StartError> {
        if chess960 {
            return Err(StartError::Described(format!(
                "{}: Chess960 is played with UCI engines only",
                program.name
            )));
        }
        if program.limits.is_some_and(|l| l.nodes.is_some()) {
            return Err(no_nodes(&program.name));
        }
        let mut xboard = Self {
            process,
            features: Features::default(),
            told: 0,
            levelled: false,
            pings: 0,
        };
        xboard.process.say("xboard")?;
        xboard.process.say("protover 2")?;
        xboard.learn()?;
        for (name, value) in &program.options {
            let option = if value.is_empty() {
                format!("option {name}")
            } else {
                format!("option {name}={value}")
            };
            xboard.process.say(&option)?;
        }
        xboard.settle(xboard.process.patience.start)?;
        Ok(xboard)
    }

    fn learn(&mut self) -> Result<(), Fault> {
        let mut deadline = Instant::now() + FEATURES;
        loop {
            let line = match self.process.hear(deadline) {
                Ok(heard) => heard.line,
                Err(Silence::Timeout) => return Ok(()),
                Err(silence) => return Err(self.process.fault(silence, "no features")),
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
                        self.process.say("accepted myname")?;
                        continue;
                    }
                    "done" if on => return Ok(()),
                    "done" => {
                        deadline = Instant::now() + self.process.patience.start;
                        continue;
                    }
                    // Moves are read and written in coordinates.
                    "san" if on => {
                        self.process.say("rejected san")?;
                        continue;
                    }
                    _ => continue,
                };
                *known = on;
                self.process.say(&format!("accepted {name}"))?;
            }
        }
    }

    /// Waits until everything said so far is done, where the engine can tell.
    fn settle(&mut self, patience: Duration) -> Result<(), Fault> {
        if !self.features.ping {
            return Ok(());
        }
        self.pings += 1;
        let pong = format!("pong {}", self.pings);
        self.process.say(&format!("ping {}", self.pings))?;
        self.process
            .wait_for(patience, "pong", |line| (line == pong).then_some(()))
    }

    fn tell(&mut self, line: &Line) -> Result<(), Fault> {
        for text in &line.texts()[self.told..] {
            if self.features.usermove {
                self.process.say(&format!("usermove {text}"))?;
            } else {
                self.process.say(text)?;
            }
        }
        self.told = line.texts().len();
        Ok(())
    }

    fn clocks(&mut self, ask: &Ask<'_>) -> Result<(), Fault> {
        if let Some(time) = ask.limits.move_time {
            let seconds = time.as_secs_f64();
            self.process.say(&format!("st {seconds}"))?;
        }
        if let Some(depth) = ask.limits.depth {
            self.process.say(&format!("sd {depth}"))?;
        }
        if let Some((own, other)) = ask.left.filter(|_| self.features.time) {
            self.process
                .say(&format!("time {}", own.as_millis() / 10))?;
            self.process
                .say(&format!("otim {}", other.as_millis() / 10))?;
        }
        Ok(())
    }
}

impl Talk for Xboard {
    fn new_game(&mut self, line: &Line) -> Result<(), Fault> {
        self.process.say("new")?;
        self.process.say("force")?;
        self.process.say("easy")?;
        self.process.say("post")?;
        self.told = 0;
        self.levelled = false;
        if let Some(fen) = line.start_fen() {
            if !self.features.setboard {
                // Its own fault in the sense of the match: it cannot play this opening.
                return Err(Fault::Stall("it cannot set up a position".into()));
            }
            self.process.say(&format!("setboard {fen}"))?;
        }
        self.settle(self.process.patience.start)
    }

    fn think(&mut self, ask: &Ask<'_>) -> Result<Answer, Fault> {
        if ask.limits.nodes.is_some() {
            return Err(Fault::Stall("its protocol knows no limit of nodes".into()));
        }
        self.tell(ask.line)?;
        if let Some(clock) = ask
            .limits
            .clock
            .filter(|_| !std::mem::replace(&mut self.levelled, true))
        {
            let base = clock.base.as_secs().max(1);
            let (moves, increment) = (clock.moves.unwrap_or(0), clock.increment.as_secs_f64());
            let level = format!("level {moves} {}:{:02} {increment}", base / 60, base % 60);
            self.process.say(&level)?;
        }
        self.clocks(ask)?;
        self.settle(self.process.patience.answer)?;
        let begin = Instant::now();
        self.process.say("go")?;
        let wait = ask.flag.unwrap_or(self.process.patience.think);
        let mut thought = Thought::default();
        let mut deadline = begin + wait;
        let mut hurried = false;
        let choice = loop {
            match self.process.hear(deadline) {
                Ok(heard) => {
                    let line = heard.line.as_str();
                    if let Some(m) = announced(line) {
                        let text = coordinates(m, ask.line.turn());
                        break (Choice::Move(text), heard.at);
                    }
                    if line == "resign" || lost(line, ask.line) {
                        break (Choice::Resign, heard.at);
                    }
                    thought.hear_xboard(line);
                }
                Err(Silence::Timeout) if !hurried && ask.flag.is_some() => {
                    hurried = true;
                    self.process.say("?")?;
                    deadline = Instant::now() + self.process.patience.answer;
                }
                Err(silence) => {
                    let waited = deadline.saturating_duration_since(begin).as_secs_f64();
                    let what = format!("no move within {waited:.1} s of {}", ask.limits);
                    return Err(self.process.fault(silence, &what));
                }
            }
        };
        // It has played the move on its own board; from here the arena leads again.
        self.told += 1;
        self.process.say("force")?;
        Ok(Answer {
            choice: choice.0,
            spent: choice.1.saturating_duration_since(begin),
            thought,
        })
    }

    fn game_over(&mut self) {
        // An engine that does not hear this hears `new`.
        let _ = self.process.say("force");
    }
}

fn no_nodes(name: &str) -> StartError {
    StartError::Described(format!(
        "{name} speaks the protocol of xboard, which knows no limit of nodes: give it a tc, st or depth of its own"
    ))
}

/// Whether a line claims that the side to move has lost.
fn lost(line: &str, game: &Line) -> bool {
    let loss = match game.turn() {
        shakmaty::Color::White => "0-1",
        shakmaty::Color::Black => "1-0",
    };
    line.starts_with(loss)
}

/// The move of a line that tells one, in the form of today or in that of protocol 1.
fn announced(line: &str) -> Option<&str> {
    let old = || line.strip_prefix("My move is");
    let m = line.strip_prefix("move ").or_else(old)?;
    Some(m.trim_start_matches([' ', ':']))
}

/// `e7e8Q` and `e7-e8=q` as `e7e8q`, `O-O` as `e1g1` or `e8g8`.
fn coordinates(text: &str, side: Color) -> String {
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
    fn feature_lines_are_understood() {
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
    fn moves_are_read_in_every_form_engines_use() {
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
            let found = announced(line).map(|m| coordinates(m, side));
            assert_eq!(found.as_deref(), expected, "{line}");
        }
    }
}
