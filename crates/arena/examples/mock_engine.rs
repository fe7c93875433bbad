//! An engine that misbehaves on purpose, so that tests can see the arena survive it.
//!
//! `mock-engine [BEHAVIOUR] [AFTER]`: plays moves that depend on the position alone, honestly, and does what BEHAVIOUR says when it is asked
//! for the move AFTER + 1 of a game, and from then on. The behaviours are the arms of [`Mock::misbehave`] and [`Mock::greet`].
#![expect(clippy::print_stdout, reason = "an engine speaks on its output")]

use std::io::{self, BufRead, Write};
use std::process::exit;
use std::thread::sleep;
use std::time::Duration;

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position};

/// Longer than any test is patient.
const FOR_EVER: Duration = Duration::from_secs(600);

struct Mock {
    behaviour: String,
    after: u32,
    asked: u32,
    mode: CastlingMode,
    position: Chess,
}

fn main() {
    let mut words = std::env::args().skip(1);
    let behaviour = words.next().unwrap_or_else(|| "honest".into());
    let after = words.next().and_then(|w| w.parse().ok()).unwrap_or(0);
    let mut mock = Mock {
        behaviour,
        after,
        asked: 0,
        mode: CastlingMode::Standard,
        position: Chess::default(),
    };
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        mock.obey(line.trim());
    }
    if mock.behaviour == "stays" {
        sleep(FOR_EVER);
    }
}

fn say(line: &str) {
    println!("{line}");
    let _ = io::stdout().flush();
}

impl Mock {
    fn obey(&mut self, line: &str) {
        match line.split_whitespace().next() {
            Some("uci") => self.greet(),
            Some("isready") if self.behaviour == "never-ready" => {}
            Some("isready") => say("readyok"),
            Some("quit") if self.behaviour != "stays" => exit(0),
            Some("setoption") if line.contains("UCI_Chess960 value true") => {
                self.mode = CastlingMode::Chess960;
            }
            Some("ucinewgame") => self.asked = 0,
            Some("position") => self.set_up(line),
            Some("go") => self.go(),
            _ => {}
        }
    }

    fn greet(&self) {
        match self.behaviour.as_str() {
            "mute" => return,
            "dies-at-start" => exit(7),
            _ => {}
        }
        say("id name mock\nid author the tests");
        say("option name UCI_Chess960 type check default false");
        say("option name Ponder type check default false\nuciok");
    }

    fn set_up(&mut self, line: &str) {
        let (place, moves) = line.split_once(" moves ").unwrap_or((line, ""));
        self.position = match place.strip_prefix("position fen ") {
            Some(fen) => {
                let fen: Fen = fen.parse().expect("the arena writes a FEN");
                fen.into_position(self.mode)
                    .expect("the arena plays legal positions")
            }
            None => Chess::default(),
        };
        for word in moves.split_whitespace() {
            let uci: UciMove = word.parse().expect("the arena writes moves");
            let m = uci
                .to_move(&self.position)
                .expect("the arena plays legal moves");
            self.position.play_unchecked(m);
        }
    }

    fn go(&mut self) {
        self.asked += 1;
        if self.asked <= self.after || !self.misbehave() {
            let m = UciMove::from_move(self.choice(), self.mode);
            say("info depth 1 score cp 0 nodes 1");
            say(&format!("bestmove {m}"));
        }
    }

    /// A legal move: any, but the same one in the same position.
    fn choice(&self) -> Move {
        let moves = self.position.legal_moves();
        let key: Zobrist64 = self.position.zobrist_hash(EnPassantMode::Legal);
        moves[(key.0 % moves.len() as u64) as usize]
    }

    /// Whether it did something in place of a good answer.
    fn misbehave(&self) -> bool {
        match self.behaviour.as_str() {
            "crash" => exit(3),
            "abort" => std::process::abort(),
            "stall" => {}
            "deaf" => sleep(FOR_EVER),
            "late" => {
                sleep(Duration::from_millis(600));
                return false;
            }
            "cheat" => say("bestmove a1h8"),
            "null" => say("bestmove 0000"),
            "nonsense" => say("bestmove \u{1b}[31m{}\u{0}"),
            "silent-move" => say("bestmove"),
            "flood" => loop {
                say("info depth 1 score cp 1 nodes 1 pv e2e4");
            },
            "endless-line" => loop {
                print!("info string and so on ");
            },
            "bytes" => {
                let noise: Vec<u8> = (0..=255u8).cycle().take(100_000).collect();
                let _ = io::stdout().write_all(&noise);
                say("");
                return false;
            }
            "lies" => {
                say("info depth 99999999999999999999 score cp 99999999999999999999 nodes -1");
                say("info score mate\ninfo depth\ninfo score cp\ninfo\ninfo pv e2e9 xx");
                say("readyok\nuciok");
                return false;
            }
            _ => return false,
        }
        true
    }
}
