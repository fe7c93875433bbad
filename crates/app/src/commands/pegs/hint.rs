//! `everymove pegs hint`: whether a position can still be won, and which jumps keep it so.

use everymove_kernel::run::Work;
use everymove_pegs::{Board, Hint, Position, Problem, WinningSet};
use serde_json::{Value, json};

use super::advice::{Depth, SetArgs, from_set, on_start};
use super::picture::characters;
use super::question::{FinishArgs, LatticeArgs, file};
use super::{failure, show};
use crate::answer::{Answer, Outcome};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove pegs hint`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The position: rows from the top with '/' between them (o a peg, . an empty hole, space or _ no place), or a file
    /// of rows; - for positions from standard input, one a line
    #[arg(allow_hyphen_values = true)]
    position: String,
    #[command(flatten)]
    lattice: LatticeArgs,
    #[command(flatten)]
    finish: FinishArgs,
    #[command(flatten)]
    set: SetArgs,
    /// The positions arose in games of the winning set's problem: what is not in the set is lost, without a search
    #[arg(long, requires = "winning_set")]
    played: bool,
    /// The fewest moves too
    #[arg(long)]
    shortest: bool,
}

/// A position with its finish, and advice on it.
struct Advised {
    problem: Problem,
    hint: Hint,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let set = args.set.load(session)?;
    let texts: Vec<String> = match args.position.as_str() {
        "-" => file("-")?
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(str::to_owned)
            .collect(),
        text => vec![text.to_owned()],
    };
    let mut work = Work::default();
    let mut all = Vec::new();
    for text in &texts {
        let problem = args.problem(text, set.as_ref())?;
        let hint = args.hint(&problem, set.as_ref(), session, &mut work)?;
        all.push(Advised { problem, hint });
    }
    match &all[..] {
        [one] if args.position != "-" => show_one(one, &work, session),
        all => show_all(all, &work, session),
    }
}

impl Args {
    fn problem(&self, text: &str, set: Option<&WinningSet>) -> Result<Problem, Failure> {
        let drawn = self.lattice.drawn(text)?;
        let position = drawn.position.unwrap_or(drawn.board.full());
        let Some(set) = set else {
            return self.finish.plan(&drawn.board, position);
        };
        if set.problem().board() != &drawn.board {
            return Err(Failure::Input(format!(
                "the winning set is of the {} board, the position of another: {text}",
                set.problem().board().name()
            )));
        }
        set.problem().from(position).map_err(Failure::input)
    }

    fn hint(
        &self,
        problem: &Problem,
        set: Option<&WinningSet>,
        session: &Session,
        work: &mut Work,
    ) -> Result<Hint, Failure> {
        let failed = |error| failure(error, "");
        let depth = if self.shortest {
            Depth::Shortest
        } else {
            Depth::Counted
        };
        session.work(|run| {
            if let Some(set) = set
                && (self.played || set.contains(problem.start()))
            {
                // From a file, an answer comes at once; counting what it holds would take longer than the answer.
                let depth = if self.shortest {
                    Depth::Shortest
                } else {
                    Depth::Safe
                };
                return from_set(set, problem.start(), depth, run).map_err(failed);
            }
            let (hint, cost) = on_start(problem, depth, run).map_err(failed)?;
            work.merge(&cost);
            Ok(hint)
        })
    }
}

fn safe_names(board: &Board, hint: &Hint) -> Vec<String> {
    hint.safe()
        .map(|hint| show::jump_name(board, &hint.jump))
        .collect()
}

fn object(advised: &Advised) -> Vec<(&'static str, Value)> {
    let Advised { problem, hint } = advised;
    let board = problem.board();
    let text = |n: Option<u128>| n.map(|n| n.to_string());
    let all = hint.jumps.iter().map(|jump| {
        json!({
            "jump": show::jump_name(board, &jump.jump),
            "keeps_winnable": jump.keeps_winnable,
            "solutions": text(jump.solutions),
            "share": hint.share(jump),
            "moves_after": jump.moves_after,
        })
    });
    vec![
        ("board", show::board_name(board).into()),
        ("position", show::rows(board, hint.position).into()),
        ("finish", show::finish_name(problem).into()),
        ("pegs", hint.position.pegs().into()),
        ("solved", problem.is_finish(hint.position).into()),
        ("winnable", hint.is_winnable.into()),
        ("jumps", safe_names(board, hint).into()),
        ("solutions", text(hint.solutions).into()),
        ("moves", hint.moves.into()),
        ("all_jumps", all.collect()),
    ]
}

fn show_one(advised: &Advised, work: &Work, session: &Session) -> Result<Outcome, Failure> {
    let Advised { problem, hint } = advised;
    let board = problem.board();
    let mut text = format!("{}\n", characters(board, hint.position));
    text += &summary(problem, hint.position, hint);
    for jump in &hint.jumps {
        let name = show::jump_name(board, &jump.jump);
        text += &match (jump.keeps_winnable, hint.share(jump), jump.solutions) {
            (false, ..) => format!("  {name:<8} loses\n"),
            (true, Some(share), Some(n)) => format!(
                "  {name:<8} {}, {:.1}%\n",
                show::counted(n, "solution", "solutions"),
                100.0 * share
            ),
            (true, ..) => format!("  {name:<8} keeps it winnable\n"),
        };
    }
    let verdict = if hint.is_winnable {
        Outcome::Yes
    } else {
        Outcome::No
    };
    let mut answer = Answer::new("pegs hint", verdict)
        .bare(bare(board, hint))
        .text(text)
        .work(work);
    for (name, value) in object(advised) {
        answer = answer.field(name, value);
    }
    answer.show(session)
}

fn bare(board: &Board, hint: &Hint) -> String {
    match hint.is_winnable {
        true => format!("{}\n", safe_names(board, hint).join(" ")),
        false => "lost\n".to_owned(),
    }
}

fn summary(problem: &Problem, position: Position, hint: &Hint) -> String {
    let pegs = show::counted(position.pegs() as u128, "peg", "pegs");
    let finish = show::finish_name(problem);
    if problem.is_finish(position) {
        return format!("{pegs}, solved\n");
    }
    if !hint.is_winnable {
        return format!("{pegs}, lost: no jumps lead to the finish {finish}\n");
    }
    let solutions = hint.solutions.map_or(String::new(), |n| {
        format!(", {}", show::counted(n, "solution", "solutions"))
    });
    let moves = hint.moves.map_or(String::new(), |n| {
        format!(", {} at least", show::counted(n, "move", "moves"))
    });
    format!("{pegs}, can be won with finish {finish}{solutions}{moves}\n")
}

fn show_all(all: &[Advised], work: &Work, session: &Session) -> Result<Outcome, Failure> {
    let lines: String = all
        .iter()
        .map(|one| bare(one.problem.board(), &one.hint))
        .collect();
    let objects = all.iter().map(|one| {
        Value::Object(
            object(one)
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        )
    });
    Answer::new("pegs hint", Outcome::Yes)
        .field("hints", objects.collect::<Value>())
        .bare(lines.as_str())
        .text(lines)
        .work(work)
        .show(session)
}
