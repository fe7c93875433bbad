//! `everymove play`: a game against the engine in the terminal.

use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::time::Duration;

use everymove_engine::score::UciScore;
use everymove_engine::{Clock, Engine, Game, Limits, Options, Position, SearchResult, Signals};
use shakmaty::san::{San, SanPlus};
use shakmaty::{CastlingMode, Color, File, Move, Rank, Square};

use crate::answer::Outcome;
use crate::failure::Failure;
use crate::session::Session;

/// `everymove play`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Your side: white or black
    #[arg(long, value_name = "SIDE", default_value = "white")]
    color: String,
    /// Seconds that the engine thinks about a move
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    time: f64,
    /// Nodes in place of time: an even, weaker player
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Where the game starts [default: the start position]
    #[arg(long)]
    fen: Option<String>,
    /// Write the game into this file at the end
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
}

const HELP: &str =
    "a move (e4, Nf3, O-O, e2e4), or: hint, back, board, moves, pgn, fen, resign, quit";

struct Table {
    engine: Engine,
    limits: Limits,
    start: Position,
    game: Game,
    human: Color,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let human = match args.color.as_str() {
        "white" => Color::White,
        "black" => Color::Black,
        other => {
            let fault = format!("'{other}' is not a side: expected white or black");
            return Err(Failure::Input(fault));
        }
    };
    let start = match &args.fen {
        Some(fen) => Position::from_fen(fen, CastlingMode::Standard).map_err(Failure::input)?,
        None => Position::default(),
    };
    if !(0.01..=3600.0).contains(&args.time) {
        return Err(Failure::Input(
            "--time: expected 0.01 to 3600 seconds".into(),
        ));
    }
    let limits = match args.nodes {
        Some(nodes) => Limits {
            nodes: Some(nodes.max(1)),
            ..Limits::default()
        },
        None => Limits {
            clock: Some(Clock::PerMove(Duration::from_secs_f64(args.time))),
            ..Limits::default()
        },
    };
    let threads = if args.nodes.is_some() {
        1
    } else {
        session.run.threads.get()
    };
    let mut table = Table {
        engine: Engine::new(Options {
            threads,
            hash: (64 << 20).min(session.run.ram.limit()),
            overhead: Duration::ZERO,
            ..Options::default()
        })
        .map_err(|e| Failure::Resource(e.to_string()))?,
        limits,
        game: Game::from(start.clone()),
        start,
        human,
    };
    table.play(session)?;
    if let Some(path) = &args.pgn {
        std::fs::write(path, table.pgn())
            .map_err(|e| Failure::Resource(format!("cannot write {}: {e}", path.display())))?;
    }
    Ok(Outcome::Yes)
}

impl Table {
    fn play(&mut self, session: &Session) -> Result<(), Failure> {
        let mut input = io::stdin().lock();
        say(&format!("{}{HELP}\n", self.board()))?;
        loop {
            if let Some(ending) = self.game.termination() {
                return say(&format!("{}{ending}\n", self.board()));
            }
            if session.run.stop.is_raised() {
                return Ok(());
            }
            if self.game.position().turn() != self.human {
                self.reply()?;
                continue;
            }
            say("> ")?;
            let mut line = String::new();
            if input.read_line(&mut line)? == 0 {
                return Ok(());
            }
            match line.trim() {
                "" => {}
                "quit" | "exit" => return Ok(()),
                "resign" => return say(&format!("{} resigns\n", self.human)),
                "help" | "?" => say(&format!("{HELP}\n"))?,
                "board" => say(&self.board())?,
                "fen" => say(&format!("{}\n", self.game.position().fen()))?,
                "pgn" => say(&self.pgn())?,
                "moves" => say(&self.moves())?,
                "hint" => self.hint()?,
                "back" => self.take_back()?,
                text => self.human_move(text)?,
            }
        }
    }

    fn think(&mut self) -> SearchResult {
        let signals = Signals::new();
        self.engine
            .search(&self.game, &self.limits, &signals, &mut |_| {})
    }

    fn reply(&mut self) -> Result<(), Failure> {
        let answer = self.think();
        let Some(m) = answer.best else {
            return Ok(());
        };
        let score = answer.report.lines.first().map_or(0, |line| line.score);
        let san = san(self.game.position(), m);
        self.game.play(m);
        let depth = answer.report.depth;
        say(&format!(
            "engine plays {san}  ({}, depth {depth})\n{}",
            UciScore::of(score),
            self.board()
        ))
    }

    fn hint(&mut self) -> Result<(), Failure> {
        let answer = self.think();
        let hint = answer.best.map(|m| san(self.game.position(), m));
        say(&format!("try {}\n", hint.unwrap_or_default()))
    }

    /// To the human's move before this one.
    fn take_back(&mut self) -> Result<(), Failure> {
        let moves = self.game.moves();
        if moves.len() < 2 {
            return say("there is no move of yours to take back\n");
        }
        let kept = moves[..moves.len() - 2].to_vec();
        self.game = Game::from(self.start.clone());
        kept.into_iter().for_each(|m| self.game.play(m));
        say(&self.board())
    }

    fn human_move(&mut self, text: &str) -> Result<(), Failure> {
        match read_move(self.game.position(), text) {
            Some(m) => {
                self.game.play(m);
                Ok(())
            }
            None => say(&format!("'{text}' is not a legal move here; {HELP}\n")),
        }
    }

    fn moves(&self) -> String {
        let position = self.game.position();
        let moves = position.legal_moves();
        let names: Vec<_> = moves.iter().map(|&m| san(position, m)).collect();
        format!("{}\n", names.join(" "))
    }

    fn board(&self) -> String {
        let board = self.game.position().board();
        let (mut ranks, mut files) = (Rank::ALL.to_vec(), File::ALL.to_vec());
        if self.human.is_white() {
            ranks.reverse();
        } else {
            files.reverse();
        }
        let mut text = String::from("\n");
        for rank in ranks {
            text += &format!("{}  ", rank.char());
            for &file in &files {
                let piece = board.piece_at(Square::from_coords(file, rank));
                text.push(piece.map_or('.', |p| p.char()));
                text.push(' ');
            }
            text.push('\n');
        }
        let names: String = files.iter().map(|f| format!("{} ", f.char())).collect();
        format!("{text}\n   {names}\n\n")
    }

    fn pgn(&self) -> String {
        let names = match self.human {
            Color::White => ("human", "everymove"),
            Color::Black => ("everymove", "human"),
        };
        let result = match self.game.termination().map(|e| e.winner()) {
            None => "*",
            Some(None) => "1/2-1/2",
            Some(Some(Color::White)) => "1-0",
            Some(Some(Color::Black)) => "0-1",
        };
        let mut text = format!(
            "[Event \"everymove play\"]\n[White \"{}\"]\n[Black \"{}\"]\n",
            names.0, names.1
        );
        if self.start.fen() != Position::default().fen() {
            text += &format!("[SetUp \"1\"]\n[FEN \"{}\"]\n", self.start.fen());
        }
        text += &format!("[Result \"{result}\"]\n\n");
        let mut position = self.start.clone();
        for (i, &m) in self.game.moves().iter().enumerate() {
            text += &numbered(&position, i == 0);
            text += &format!("{} ", san(&position, m));
            position = position.play(m);
        }
        format!("{text}{result}\n\n")
    }
}

/// The move number where PGN wants one.
pub(super) fn numbered(position: &Position, first: bool) -> String {
    use shakmaty::Position as _;
    let number = position.chess().fullmoves();
    match (position.turn(), first) {
        (Color::White, _) => format!("{number}. "),
        (Color::Black, true) => format!("{number}... "),
        (Color::Black, false) => String::new(),
    }
}

/// A move as people write it.
pub(super) fn san(position: &Position, m: Move) -> String {
    SanPlus::from_move(position.chess().clone(), m).to_string()
}

/// A move in standard algebraic notation or as UCI writes it.
pub(super) fn read_move(position: &Position, text: &str) -> Option<Move> {
    let plain = text.trim_end_matches(['!', '?', '+', '#']);
    let by_san = plain
        .parse::<San>()
        .ok()
        .and_then(|san| san.to_move(position.chess()).ok());
    by_san.or_else(|| position.parse_uci(plain))
}

fn say(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}
