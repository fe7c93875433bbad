//! `everymove play`: a game against the engine in the terminal.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use everymove_api as api;
use everymove_api::chess::notation::{
    FenArgs, MoveError, number, read_move, repaired_position, san,
};
use everymove_api::terminal::Screen;
use everymove_arena::PgnFile;
use everymove_engine::score::UciScore;
use everymove_engine::{
    Clock, Engine, Game, Limits, Options, Position, SearchResult, Signals, Strength,
};
use everymove_kernel::input::{Input, Lines};
use everymove_kernel::text::shown;
use shakmaty::{CastlingMode, Color, File, Rank, Square};

use crate::answer::Outcome;
use crate::failure::Failure;
use crate::session::{OutputFormat, Session};

/// The longest line that is read, in bytes.
const MAX_LINE: usize = 4096;

/// `everymove play`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The position to start from.
    #[command(flatten)]
    position: FenArgs,
    /// Your side
    #[arg(
        long,
        value_name = "SIDE",
        default_value = "white",
        visible_alias = "color"
    )]
    colour: Side,
    /// How strong the engine plays, from 1 (a beginner) to 10 [default: as strong as it can]
    #[arg(long, value_name = "1..10", value_parser = clap::value_parser!(u32).range(1..=10))]
    level: Option<u32>,
    /// How strong the engine plays, as a rating from 800 to 3000
    #[arg(long, conflicts_with = "level", value_parser = clap::value_parser!(u32).range(800..=3000))]
    elo: Option<u32>,
    /// Seconds that the engine searches for a move
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    time: f64,
    /// Nodes in place of time: an even, weaker player
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Add the game to this PGN file at the end
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
}

/// A side of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Side {
    /// The side that moves first.
    #[value(alias = "w")]
    White,
    /// The other side.
    #[value(alias = "b")]
    Black,
}

const HELP: &str =
    "a move (e4, Nf3, O-O, e2e4, e2-e4), or: hint, undo, board, moves, pgn, fen, resign, quit";

struct Dialogue<'a> {
    engine: Engine,
    limits: Limits,
    strength: Option<Strength>,
    start: Position,
    game: Game,
    human: Color,
    resigned: bool,
    session: &'a Session,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    if session.format == OutputFormat::Json {
        let message =
            "play is a conversation and has no JSON answer: use 'engine uci' for programs";
        return Err(Failure::Input(message.into()));
    }
    let human = match args.colour {
        Side::White => Color::White,
        Side::Black => Color::Black,
    };
    let start = match args.position.text() {
        Some(fen) => {
            let (position, note) = repaired_position(&fen).map_err(Failure::input)?;
            note.iter().for_each(|note| session.note(note));
            position
        }
        None => Position::default(),
    };
    if !(0.01..=3600.0).contains(&args.time) {
        return Err(Failure::Input(
            "--time: expected 0.01 to 3600 seconds".into(),
        ));
    }
    let pgn = args.pgn.as_deref().map(PgnFile::prepare).transpose()?;
    let clock = Clock::PerMove(Duration::from_secs_f64(args.time));
    let limits = Limits {
        nodes: args.nodes.map(|nodes| nodes.max(1)),
        clock: args.nodes.is_none().then_some(clock),
        ..Limits::default()
    };
    let options = Options {
        threads: match args.nodes {
            Some(_) => 1,
            None => session.run.threads.get(),
        },
        hash: 64 << 20,
        overhead: Duration::ZERO,
        ..Options::default()
    };
    let strength = (args.elo.map(Strength::elo)).or(args.level.map(Strength::level));
    let options = match &strength {
        Some(strength) => strength.options(options),
        None => options,
    };
    let ram = &session.run.ram;
    let mut played = Dialogue {
        engine: Engine::reserved(options.within(ram), ram).map_err(api::Error::from)?,
        limits,
        strength,
        game: Game::from(start.clone()),
        start,
        human,
        resigned: false,
        session,
    };
    played.play()?;
    if let Some(mut file) = pgn {
        file.add_text(&played.pgn())?;
    }
    Ok(Outcome::Yes)
}

impl Dialogue<'_> {
    fn play(&mut self) -> Result<(), Failure> {
        let input = Input::standard(&self.session.run).map_err(api::Error::from)?;
        let mut lines = Lines::new(input, MAX_LINE);
        self.say(&format!("{}{HELP}\n", self.board()))?;
        loop {
            if let Some(end) = self.game.termination() {
                return self.say(&format!("{}{end}\n", self.board()));
            }
            if self.session.run.stop.is_raised() {
                return Ok(());
            }
            if self.game.position().turn() != self.human {
                self.reply()?;
                continue;
            }
            self.say("> ")?;
            let line = match lines.next_line() {
                Ok(Some(line)) => line.trim().to_owned(),
                Ok(None) => return Ok(()),
                // At the prompt an interrupt is a way to leave.
                Err(_) if self.session.run.stop.is_raised() => return Ok(()),
                Err(error) => return Err(api::Error::from(error).into()),
            };
            match line.to_ascii_lowercase().as_str() {
                "" => {}
                "quit" | "exit" | "q" => return Ok(()),
                "resign" => {
                    self.resigned = true;
                    return self.say(&format!("{} resigns\n", self.human));
                }
                "help" | "?" => self.say(&format!("{HELP}\n"))?,
                "board" => self.say(&self.board())?,
                "fen" => self.say(&format!("{}\n", self.game.position().fen()))?,
                "pgn" => self.say(&self.pgn())?,
                "moves" => self.say(&self.moves())?,
                "hint" => self.hint()?,
                "back" | "undo" | "takeback" => self.take_back()?,
                _ => self.human_move(&line)?,
            }
        }
    }

    fn say(&self, text: &str) -> Result<(), Failure> {
        let mut out = self.session.out();
        out.write_all(text.as_bytes())?;
        Ok(out.flush()?)
    }

    fn search(&mut self, limits: &Limits) -> SearchResult {
        let signals = Signals::with_stop(self.session.run.stop.clone());
        self.engine
            .search(&self.game, limits, &signals, &mut |_| {})
    }

    fn reply(&mut self) -> Result<(), Failure> {
        let limits = match &self.strength {
            Some(strength) => strength.limits(self.limits.clone()),
            None => self.limits.clone(),
        };
        let result = self.search(&limits);
        let best = match &self.strength {
            Some(strength) => strength.choose(&result, &self.game).0,
            None => result.best,
        };
        let Some(m) = best.filter(|_| !self.session.run.stop.is_raised()) else {
            return Ok(());
        };
        let position = self.game.position();
        let line = (result.report.lines.iter()).find(|line| line.pv.first() == Some(&m));
        let score = line.map(|line| UciScore::for_white(line.score, position.turn()).in_pawns());
        let score = score.map_or(String::new(), |score| {
            format!("  (score for White {score}, depth {})", result.report.depth)
        });
        let san = san(position, m);
        self.game.play(m);
        self.say(&format!("engine plays {san}{score}\n{}", self.board()))
    }

    /// The engine's move at full strength.
    fn hint(&mut self) -> Result<(), Failure> {
        let limits = self.limits.clone();
        let result = self.search(&limits);
        let hint = result.best.map(|m| san(self.game.position(), m));
        self.say(&format!("try {}\n", hint.unwrap_or_default()))
    }

    /// To the human's move before this one.
    fn take_back(&mut self) -> Result<(), Failure> {
        let moves = self.game.moves();
        if moves.len() < 2 {
            return self.say("there is no move of yours to take back\n");
        }
        let kept = moves[..moves.len() - 2].to_vec();
        self.game = Game::from(self.start.clone());
        kept.into_iter().for_each(|m| self.game.play(m));
        self.say(&self.board())
    }

    fn human_move(&mut self, text: &str) -> Result<(), Failure> {
        match read_move(self.game.position(), text) {
            Ok(m) => {
                self.game.play(m);
                Ok(())
            }
            Err(error @ (MoveError::Ambiguous { .. } | MoveError::Promotion { .. })) => {
                self.say(&format!("{error}\n"))
            }
            Err(_) => self.say(&format!(
                "'{}' is not a legal move here; {HELP}\n",
                shown(text)
            )),
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
            None if self.resigned => self.human.fold_wb("0-1", "1-0"),
            None => "*",
            Some(None) => "1/2-1/2",
            Some(Some(Color::White)) => "1-0",
            Some(Some(Color::Black)) => "0-1",
        };
        let mut text = format!(
            "[Event \"everymove play\"]\n[White \"{}\"]\n[Black \"{}\"]\n",
            names.0, names.1
        );
        if self.start.castling_mode() == CastlingMode::Chess960 {
            text += "[Variant \"Chess960\"]\n";
        }
        if self.start.fen() != Position::default().fen() {
            text += &format!("[SetUp \"1\"]\n[FEN \"{}\"]\n", self.start.fen());
        }
        text += &format!("[Result \"{result}\"]\n\n");
        let mut position = self.start.clone();
        for (i, &m) in self.game.moves().iter().enumerate() {
            text += &number(&position, i == 0);
            text += &format!("{} ", san(&position, m));
            position = position.play(m);
        }
        format!("{text}{result}\n\n")
    }
}
