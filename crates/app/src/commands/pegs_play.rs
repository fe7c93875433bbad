//! `everymove pegs play`: a game in the terminal, or over a pipe.

use std::io::{self, IsTerminal, Write};

use everymove_api::pegs::{
    PlayAnswer, PlayRequest, characters, game_file, game_lines, jump_name, open_board,
    pegs_in_words, title,
};
use everymove_api::terminal::{Text, write_answer};
use everymove_api::{self as api, Request};
use everymove_kernel::input::{Input, Lines};
use everymove_kernel::text::shown;
use everymove_pegs::{
    Advice, HintDetail, Jump, PegError, Position, Problem, Verdict as Solved, Want, WinningSet,
    advise, game_text, parse_game, solve, verified,
};

use crate::answer::Outcome;
use crate::failure::Failure;
use crate::session::{OutputFormat, Session};

/// `everymove pegs play`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: PlayRequest,
}

/// The longest line that is read, in bytes.
const MAX_LINE: usize = 1 << 16;

const HELP: &str = "a move (d2-d4, or d2-d4-f4), or: hint, jumps, undo [N], redo, board, game, save FILE, solve, new, quit";

struct Play<'a> {
    problem: Problem,
    session: &'a Session,
    set: Option<WinningSet>,
    jumps: Vec<Jump>,
    /// Jumps taken back, the next to be made again last.
    undone: Vec<Jump>,
}

/// What a line of input came to.
enum Next {
    /// Words to show.
    Say(String),
    /// The board, after words.
    Board(String),
    Quit,
}

pub(crate) fn run(mut args: Args, session: &Session) -> Result<Outcome, Failure> {
    let request = &mut args.request;
    let source = open_board(&mut request.problem.board.board, &session.run)?;
    let plan = request.plan().map_err(|error| source.named(error))?;
    let set = plan.load(&session.run)?;
    let mut play = Play {
        problem: plan.problem,
        session,
        set,
        jumps: plan.jumps,
        undone: Vec::new(),
    };
    play.say(&format!(
        "{}\n{HELP}\n{}",
        title(&play.problem),
        play.board()
    ))?;
    let is_terminal = io::stdin().is_terminal();
    let input = Input::standard(&session.run).map_err(api::Error::from)?;
    let mut lines = Lines::new(input, MAX_LINE);
    loop {
        if is_terminal {
            play.say("> ")?;
        }
        let Some(line) = lines.next_line().map_err(api::Error::from)? else {
            break;
        };
        match play.answer(line.trim()) {
            Ok(Next::Say(text)) => play.say(&text)?,
            Ok(Next::Board(text)) => play.say(&format!("{text}{}", play.board()))?,
            Ok(Next::Quit) => break,
            // A slip of the pen does not end the game.
            Err(Failure::Input(text)) => play.say(&format!("{text}\n"))?,
            Err(failure) => return Err(failure),
        }
    }
    play.end()
}

impl Play<'_> {
    fn position(&self) -> Position {
        self.jumps
            .iter()
            .fold(self.problem.start(), |position, jump| jump.after(position))
    }

    /// Words for the player; none where a program waits for the JSON object at the end.
    fn say(&self, text: &str) -> Result<(), Failure> {
        if self.session.format == OutputFormat::Json {
            return Ok(());
        }
        let mut out = self.session.out();
        out.write_all(text.as_bytes())?;
        Ok(out.flush()?)
    }

    fn board(&self) -> String {
        let (board, position) = (self.problem.board(), self.position());
        let is_stuck = board.legal_jumps(position).next().is_none();
        let state = match (self.problem.is_finish(position), is_stuck) {
            (true, _) => ", solved",
            (false, true) => ", no jump is left",
            (false, false) => "",
        };
        let pegs = pegs_in_words(position.pegs());
        format!("\n{}{pegs}{state}\n", characters(board, position))
    }

    fn answer(&mut self, line: &str) -> Result<Next, Failure> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "" => Ok(Next::Say(String::new())),
            "quit" | "exit" | "q" => Ok(Next::Quit),
            "help" | "?" => Ok(Next::Say(format!("{HELP}\n"))),
            "board" => Ok(Next::Board(String::new())),
            "hint" | "h" => self.hint().map(Next::Say),
            "jumps" => Ok(Next::Say(self.legal())),
            "undo" | "u" => self.undo(rest),
            "redo" => self.redo(),
            "game" => Ok(Next::Say(format!(
                "{}\n",
                game_text(self.problem.board(), &self.jumps)
            ))),
            "save" => self.save(rest.trim()),
            "solve" => self.solve().map(Next::Say),
            "new" => {
                self.jumps.clear();
                self.undone.clear();
                Ok(Next::Board(String::new()))
            }
            _ if line.contains('-') => {
                let jumps = parse_game(self.problem.board(), self.position(), line)
                    .map_err(Failure::input)?;
                self.jumps.extend(jumps);
                self.undone.clear();
                Ok(Next::Board(String::new()))
            }
            _ => Err(Failure::Input(format!(
                "'{}' is not understood: expected {HELP}",
                shown(line)
            ))),
        }
    }

    fn undo(&mut self, count: &str) -> Result<Next, Failure> {
        let count = match count.trim() {
            "" => 1,
            text => text.parse::<usize>().map_err(|_| {
                Failure::Input(format!("'{}' is not a number of jumps", shown(text)))
            })?,
        };
        if count > self.jumps.len() {
            let made = self.jumps.len();
            return Err(Failure::Input(format!(
                "cannot take back {count} jumps: {made} were made"
            )));
        }
        let back = self.jumps.drain(self.jumps.len() - count..).rev();
        self.undone.extend(back);
        Ok(Next::Board(String::new()))
    }

    fn redo(&mut self) -> Result<Next, Failure> {
        let jump = self
            .undone
            .pop()
            .ok_or_else(|| Failure::Input("no jump was taken back".into()))?;
        self.jumps.push(jump);
        Ok(Next::Board(String::new()))
    }

    fn legal(&self) -> String {
        let board = self.problem.board();
        let names: Vec<_> = board
            .legal_jumps(self.position())
            .map(|jump| jump_name(board, &jump))
            .collect();
        format!("{}\n", names.join(" "))
    }

    fn save(&self, path: &str) -> Result<Next, Failure> {
        if path.is_empty() {
            return Err(Failure::Input(
                "expected the name of a file: save game.txt".into(),
            ));
        }
        let text = game_file(&self.problem, &self.jumps);
        let output = everymove_kernel::files::Output::prepare(path)?;
        output.publish(|draft| draft.put(text.as_bytes()))?;
        Ok(Next::Say(format!("wrote {}\n", shown(path))))
    }

    /// The jumps that keep the game winnable: from the winning set, which is found when it is first
    /// needed.
    fn hint(&mut self) -> Result<String, Failure> {
        let (session, position) = (self.session, self.position());
        if self.set.is_none() {
            match session.work(|run| WinningSet::new(&self.problem, run)) {
                Ok(set) => self.set = Some(set),
                // Too large: each hint is then found for itself.
                Err(PegError::OverBudget(_)) => {}
                Err(error) => return Err(failed(error)),
            }
        }
        let hint = match &self.set {
            Some(set) => Advice::new(set).hint(position),
            None => {
                let here = self.problem.from(position).map_err(Failure::input)?;
                session
                    .work(|run| advise(&here, HintDetail::SafeJumps, run))
                    .map_err(failed)?
                    .hint
            }
        };
        let board = self.problem.board();
        let safe: Vec<_> = hint
            .safe()
            .map(|hint| jump_name(board, &hint.jump))
            .collect();
        Ok(match (hint.is_winnable, &safe[..]) {
            (true, []) => "solved\n".to_owned(),
            (true, safe) => format!("can be won: {}\n", safe.join(" ")),
            (false, _) => "lost: take jumps back with undo\n".to_owned(),
        })
    }

    fn solve(&self) -> Result<String, Failure> {
        let here = self.problem.from(self.position()).map_err(Failure::input)?;
        let answer = self.session.work(|run| solve(&here, Want::Any, run));
        match answer.map_err(failed)?.verdict {
            Solved::Solution(jumps) => {
                verified(&here, &jumps).map_err(failed)?;
                Ok(game_lines(self.problem.board(), &jumps))
            }
            _ => Ok("lost: take jumps back with undo\n".to_owned()),
        }
    }

    fn end(self) -> Result<Outcome, Failure> {
        if self.session.format != OutputFormat::Json {
            return Ok(Outcome::Yes);
        }
        let answer = PlayAnswer::new(&self.problem, &self.jumps);
        let ended = write_answer::<PlayRequest>(&answer, &Text::default(), self.session)?;
        Ok(ended.outcome)
    }
}

fn failed(error: PegError) -> Failure {
    api::Error::from(error).into()
}
