//! The Universal Chess Interface, seen from the side of the board.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use shakmaty::Color;

use super::process::{Process, Silence};
use super::thought::Thought;
use super::{Answer, Ask, Choice, Fault, StartError, Talk};
use crate::line::Line;
use crate::program::Program;

/// A conversation with an engine that speaks UCI.
#[derive(Debug)]
pub(super) struct Uci {
    process: Process,
}

/// Set unless the engine's description says otherwise: a player thinks in its own time and out of its own head.
const FAIR: [(&str, &str); 2] = [("OwnBook", "false"), ("Ponder", "false")];

impl Uci {
    /// Greets the engine and sets its options.
    pub(super) fn greet(
        mut process: Process,
        program: &Program,
        chess960: bool,
    ) -> Result<Self, StartError> {
        let mut known = Vec::new();
        process.say("uci")?;
        process.wait_for(process.patience.start, "uciok", |line| {
            if let Some(option) = line.strip_prefix("option name ") {
                let name = option.split(" type ").next().unwrap_or(option);
                known.push(name.trim().to_owned());
            }
            (line == "uciok").then_some(())
        })?;
        let find = |name: &str| known.iter().find(|known| known.eq_ignore_ascii_case(name));
        for (name, value) in FAIR {
            let chosen = program
                .options
                .iter()
                .any(|(n, _)| n.eq_ignore_ascii_case(name));
            if let (Some(name), false) = (find(name), chosen) {
                process.say(&format!("setoption name {name} value {value}"))?;
            }
        }
        for (name, value) in &program.options {
            let name = find(name).ok_or_else(|| {
                let known = known.join(", ");
                StartError::Described(format!(
                    "{} has no option '{name}': expected one of {known}",
                    program.name
                ))
            })?;
            // An option of type button has no value.
            if value.is_empty() {
                process.say(&format!("setoption name {name}"))?;
            } else {
                process.say(&format!("setoption name {name} value {value}"))?;
            }
        }
        if chess960 {
            let name = find("UCI_Chess960").ok_or_else(|| {
                StartError::Described(format!(
                    "{} does not play Chess960: it has no option UCI_Chess960",
                    program.name
                ))
            })?;
            process.say(&format!("setoption name {name} value true"))?;
        }
        let mut uci = Self { process };
        uci.ready(uci.process.patience.start)?;
        Ok(uci)
    }

    fn ready(&mut self, patience: Duration) -> Result<(), Fault> {
        self.process.say("isready")?;
        let ready = |line: &str| (line == "readyok").then_some(());
        self.process.wait_for(patience, "readyok", ready)
    }
}

impl Talk for Uci {
    fn new_game(&mut self, _line: &Line) -> Result<(), Fault> {
        self.process.say("ucinewgame")?;
        self.ready(self.process.patience.start)
    }

    fn think(&mut self, ask: &Ask<'_>) -> Result<Answer, Fault> {
        self.process.say(&position(ask.line))?;
        // What it said before, it said about something else.
        self.ready(self.process.patience.answer)?;
        let begin = Instant::now();
        self.process.say(&go(ask))?;
        let wait = ask.flag.unwrap_or(self.process.patience.think);
        let mut thought = Thought::default();
        let mut deadline = begin + wait;
        let mut hurried = false;
        loop {
            match self.process.hear(deadline) {
                Ok(heard) => {
                    if heard.line.starts_with("info ") {
                        thought.hear_uci(&heard.line);
                    } else if let Some(rest) = heard.line.strip_prefix("bestmove") {
                        let word = rest.split_ascii_whitespace().next().unwrap_or_default();
                        return Ok(Answer {
                            choice: Choice::Move(word.to_owned()),
                            spent: heard.at.saturating_duration_since(begin),
                            thought,
                        });
                    }
                }
                // The game is lost on time; an answer now shows that the engine lives. Without a clock the arena's
                // patience is the limit, and an engine that exceeds it has stalled.
                Err(Silence::Timeout) if !hurried && ask.flag.is_some() => {
                    hurried = true;
                    self.process.say("stop")?;
                    deadline = Instant::now() + self.process.patience.answer;
                }
                Err(silence) => {
                    let waited = deadline.saturating_duration_since(begin).as_secs_f64();
                    let what = format!("no move within {waited:.1} s of {}", ask.limits);
                    return Err(self.process.fault(silence, &what));
                }
            }
        }
    }

    fn game_over(&mut self) {}
}

fn position(line: &Line) -> String {
    let mut text = match line.start_fen() {
        None => "position startpos".to_owned(),
        Some(fen) => format!("position fen {fen}"),
    };
    if !line.texts().is_empty() {
        text += " moves";
        for m in line.texts() {
            text.push(' ');
            text += m;
        }
    }
    text
}

fn go(ask: &Ask<'_>) -> String {
    let mut text = "go".to_owned();
    if let Some((own, other)) = ask.left {
        let (white, black, winc, binc) = match ask.line.turn() {
            Color::White => (own, other, ask.increments.0, ask.increments.1),
            Color::Black => (other, own, ask.increments.1, ask.increments.0),
        };
        let _ = write!(
            text,
            " wtime {} btime {} winc {} binc {}",
            millis(white).max(1),
            millis(black).max(1),
            millis(winc),
            millis(binc)
        );
        if let Some(moves) = ask.moves_to_go {
            let _ = write!(text, " movestogo {moves}");
        }
    }
    let limits = ask.limits;
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
