//! An engine that misbehaves on purpose, for tests of the arena.
//!
//! It speaks UCI and, with setup of positions, the protocol of xboard. `mock-engine [BEHAVIOUR]
//! [AFTER]` plays moves that depend only on the position. From move AFTER + 1 of each game on
//! it misbehaves as BEHAVIOUR says: see the arms of [`Mock::misbehave`], [`Mock::handshake`] and
//! [`Mock::reply`].
#![expect(
    clippy::print_stdout,
    reason = "a UCI engine writes to standard output"
)]

use std::io::{self, BufRead, Write};
use std::process::exit;
use std::thread::sleep;
use std::time::Duration;

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position};

/// Longer than all timeouts of the tests.
const FOR_EVER: Duration = Duration::from_secs(600);

struct Mock {
    behaviour: String,
    after: u32,
    asked: u32,
    mode: CastlingMode,
    position: Chess,
    xboard: bool,
    /// The decision of a search on the opponent's time.
    pondered: Option<String>,
}

fn main() {
    let mut words = std::env::args().skip(1);
    let behaviour = words.next().unwrap_or_else(|| "correct".into());
    let after = words.next().and_then(|w| w.parse().ok()).unwrap_or(0);
    let mut mock = Mock {
        behaviour,
        after,
        asked: 0,
        mode: CastlingMode::Standard,
        position: Chess::default(),
        xboard: false,
        pondered: None,
    };
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        mock.handle(line.trim());
    }
    if mock.behaviour == "stays" {
        sleep(FOR_EVER);
    }
}

fn send(line: &str) {
    println!("{line}");
    let _ = io::stdout().flush();
}

impl Mock {
    fn handle(&mut self, line: &str) {
        match line.split_whitespace().next() {
            Some("uci") => self.handshake(),
            Some("isready") if self.behaviour == "never-ready" => {}
            Some("isready") => send("readyok"),
            Some("quit") if self.behaviour != "stays" => exit(0),
            Some("setoption") if line.contains("UCI_Chess960 value true") => {
                self.mode = CastlingMode::Chess960;
            }
            Some("ucinewgame") => self.asked = 0,
            Some("position") => self.set_up(line),
            Some("go") => self.go(line),
            Some("stop") if self.behaviour == "ponders-on" => {}
            Some("stop" | "ponderhit") => self.pondered.take().iter().for_each(|line| send(line)),
            Some("xboard") => self.xboard = true,
            Some("protover") => send("feature setboard=1 usermove=1 ping=1 colors=0 done=1"),
            Some("ping") => send(&line.replacen('i', "o", 1)),
            Some("new") => {
                self.asked = 0;
                self.position = Chess::default();
            }
            Some("setboard") => self.set_up(&line.replacen("setboard", "position fen", 1)),
            Some("usermove") => self.play(&line["usermove ".len()..]),
            _ => {}
        }
    }

    fn handshake(&self) {
        match self.behaviour.as_str() {
            "mute" => return,
            "dies-at-start" => exit(7),
            _ => {}
        }
        send("id name mock\nid author the tests");
        send("option name UCI_Chess960 type check default false");
        send("option name Ponder type check default false\nuciok");
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
            self.play(word);
        }
    }

    fn play(&mut self, text: &str) {
        let uci: UciMove = text.parse().expect("the arena writes moves");
        let m = uci
            .to_move(&self.position)
            .expect("the arena plays legal moves");
        self.position.play_unchecked(m);
    }

    fn go(&mut self, line: &str) {
        self.asked += 1;
        if self.asked <= self.after || !self.misbehave() {
            let choice = self.choice();
            let m = UciMove::from_move(choice, self.mode);
            if self.xboard {
                self.position.play_unchecked(choice);
                send(&format!("move {m}"));
                return;
            }
            send("info depth 1 score cp 0 nodes 1");
            let line_of_move = format!("bestmove {m}{}", self.reply(choice));
            match line.starts_with("go ponder") && self.behaviour != "ponders-early" {
                true => self.pondered = Some(line_of_move),
                false => send(&line_of_move),
            }
        }
    }

    /// The reply that it expects to its move, with which engines that ponder end their line: that
    /// of the correct engine, or another one.
    fn reply(&self, choice: Move) -> String {
        let mut after = Mock {
            behaviour: String::new(),
            position: self.position.clone(),
            pondered: None,
            ..*self
        };
        after.position.play_unchecked(choice);
        let moves = after.position.legal_moves();
        if moves.is_empty() || !self.behaviour.starts_with("ponders") {
            return String::new();
        }
        let right = after.choice();
        let reply = match self.behaviour.as_str() {
            "ponders" | "ponders-early" => right,
            _ => moves.iter().copied().find(|&m| m != right).unwrap_or(right),
        };
        format!(" ponder {}", UciMove::from_move(reply, self.mode))
    }

    /// A legal move that depends only on the position.
    fn choice(&self) -> Move {
        let moves = self.position.legal_moves();
        let key: Zobrist64 = self.position.zobrist_hash(EnPassantMode::Legal);
        moves[(key.0 % moves.len() as u64) as usize]
    }

    /// Misbehaves; returns whether this replaces a correct answer.
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
            "claim" => {
                send("1/2-1/2 {a draw, it says}");
                return false;
            }
            "claim-only" => send("1/2-1/2 {Draw by fifty move rule}"),
            "offer" => {
                send("offer draw");
                return false;
            }
            "cheat" => send("bestmove a1h8"),
            "null" => send("bestmove 0000"),
            "nonsense" => send("bestmove \u{1b}[31m{}\u{0}"),
            "silent-move" => send("bestmove"),
            "flood" => loop {
                send("info depth 1 score cp 1 nodes 1 pv e2e4");
            },
            "endless-line" => loop {
                print!("info string and so on ");
            },
            "bytes" => {
                let noise: Vec<u8> = (0..=255u8).cycle().take(100_000).collect();
                let _ = io::stdout().write_all(&noise);
                send("");
                return false;
            }
            "lies" => {
                send("info depth 99999999999999999999 score cp 99999999999999999999 nodes -1");
                send("info score mate\ninfo depth\ninfo score cp\ninfo\ninfo pv e2e9 xx");
                send("readyok\nuciok");
                return false;
            }
            _ => return false,
        }
        true
    }
}
