//! `everymove pegs puzzle`: positions with a point.

use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::Run;
use everymove_pegs::{PegError, Position, Problem, PuzzleKind, Puzzles, WinningSet, game_text};

use super::advice::SetArgs;
use super::picture::characters;
use super::question::ProblemArgs;
use super::{failure, show};
use crate::answer::{Answer, Outcome};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove pegs puzzle`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    problem: ProblemArgs,
    #[command(flatten)]
    set: SetArgs,
    /// unique (exactly one sequence of jumps leads to the finish), last-safe (of several jumps exactly one keeps it
    /// winnable) or winnable (any position that can be won)
    #[arg(long, value_name = "KIND", default_value = "unique")]
    kind: String,
    /// Pegs of the puzzles [default: the most that any has]
    #[arg(long, value_name = "N")]
    pegs: Option<usize>,
    /// How many to show
    #[arg(long, value_name = "N", default_value_t = 1)]
    number: usize,
    /// Other seeds give other puzzles, equal seeds the same
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Show a solution of each
    #[arg(long)]
    solution: bool,
}

#[derive(Clone, Copy)]
enum Kind {
    Puzzle(PuzzleKind),
    Winnable,
}

impl Kind {
    fn read(text: &str) -> Result<Self, Failure> {
        match text {
            "unique" => Ok(Self::Puzzle(PuzzleKind::UniqueCompletion)),
            "last-safe" => Ok(Self::Puzzle(PuzzleKind::LastSafeJump)),
            "winnable" => Ok(Self::Winnable),
            _ => Err(Failure::Input(format!(
                "'{text}' is not a kind of puzzle: expected unique, last-safe or winnable"
            ))),
        }
    }

    /// All puzzles of the kind, by their number of pegs.
    fn all(self, set: &WinningSet, run: &Run) -> Result<Vec<Vec<Position>>, PegError> {
        match self {
            Self::Puzzle(kind) => Ok(Puzzles::new(set, kind, run)?.by_pegs),
            Self::Winnable => {
                let problem = set.problem();
                let pegs = 0..=problem.start().pegs();
                let playable = |pegs: &usize| *pegs > problem.last_pegs();
                Ok(pegs
                    .map(|pegs| match playable(&pegs) {
                        true => set.with_pegs(pegs).collect(),
                        false => Vec::new(),
                    })
                    .collect())
            }
        }
    }
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let problem = args.problem.plan()?;
    let kind = Kind::read(&args.kind)?;
    let most = problem.start().pegs();
    if let Some(pegs) = args
        .pegs
        .filter(|pegs| !(problem.last_pegs() + 1..=most).contains(pegs))
    {
        return Err(Failure::Input(format!(
            "no puzzle of this problem has {pegs} pegs: expected {} to {most}",
            problem.last_pegs() + 1
        )));
    }
    let failed = |error| failure(error, "");
    let loaded = args.set.load_for(&problem, session)?;
    let (set, by_pegs) = session.work(|run| {
        let set = match loaded {
            Some(set) => set,
            None => WinningSet::new(&problem, run).map_err(failed)?,
        };
        let by_pegs = kind.all(&set, run).map_err(failed)?;
        Ok::<_, Failure>((set, by_pegs))
    })?;
    let pegs = args
        .pegs
        .or_else(|| by_pegs.iter().rposition(|puzzles| !puzzles.is_empty()));
    let chosen = match pegs {
        Some(pegs) => choose(&by_pegs[pegs], args.number, args.seed),
        None => Vec::new(),
    };
    show(args, &set, &by_pegs, &chosen, session)
}

/// Some of the puzzles, each at most once, in their order.
fn choose(puzzles: &[Position], number: usize, seed: u64) -> Vec<Position> {
    let mut rng = SplitMix64::new(seed);
    let mut left: Vec<usize> = (0..puzzles.len()).collect();
    let chosen = (0..number.min(left.len()))
        .map(|_| left.swap_remove(rng.below(left.len() as u64) as usize));
    let mut chosen: Vec<usize> = chosen.collect();
    chosen.sort_unstable();
    chosen.into_iter().map(|i| puzzles[i]).collect()
}

/// The first way to the finish from a winning position.
fn solution(set: &WinningSet, from: Position) -> Result<String, Failure> {
    let board = set.problem().board();
    let (mut position, mut jumps) = (from, Vec::new());
    while !set.problem().is_finish(position) {
        let safe = board
            .legal_jumps(position)
            .find(|jump| set.contains(jump.after(position)));
        let Some(jump) = safe else { break };
        position = jump.after(position);
        jumps.push(jump);
    }
    let problem: Problem = set.problem().from(from).map_err(Failure::resource)?;
    show::refereed(&problem, &jumps)?;
    Ok(game_text(board, &jumps))
}

fn show(
    args: &Args,
    set: &WinningSet,
    by_pegs: &[Vec<Position>],
    chosen: &[Position],
    session: &Session,
) -> Result<Outcome, Failure> {
    let problem = set.problem();
    let board = problem.board();
    let total: usize = by_pegs.iter().map(Vec::len).sum();
    let mut text = String::new();
    let mut solutions = Vec::new();
    for &position in chosen {
        text += &format!(
            "{}\n{}\n",
            characters(board, position),
            show::rows(board, position)
        );
        if args.solution {
            let line = solution(set, position)?;
            text += &format!("{line}\n");
            solutions.push(line);
        }
        text.push('\n');
    }
    text += &match total {
        0 => format!(
            "{}: no puzzles of kind {}\n",
            show::words(problem),
            args.kind
        ),
        n => format!(
            "{}: {n} puzzles of kind {}, up to symmetry; by pegs:\n",
            show::words(problem),
            args.kind
        ),
    };
    let counts: Vec<_> = (by_pegs.iter().enumerate())
        .filter(|(_, puzzles)| !puzzles.is_empty())
        .collect();
    let words: Vec<String> = counts
        .iter()
        .map(|(pegs, puzzles)| format!("{pegs}: {}", puzzles.len()))
        .collect();
    for line in words.chunks(8) {
        text += &format!("{}\n", line.join("  "));
    }
    let rows: Vec<String> = chosen
        .iter()
        .map(|&position| show::rows(board, position))
        .collect();
    let verdict = if rows.is_empty() {
        Outcome::No
    } else {
        Outcome::Yes
    };
    let mut answer = Answer::new("pegs puzzle", verdict)
        .field("board", show::board_name(board))
        .field("start", show::start_name(problem))
        .field("finish", show::finish_name(problem))
        .field("kind", args.kind.as_str())
        .field("total", total)
        .field(
            "by_pegs",
            counts
                .iter()
                .map(|(pegs, puzzles)| (pegs.to_string(), puzzles.len().into()))
                .collect::<serde_json::Map<_, _>>(),
        )
        .field("puzzles", rows.clone());
    if args.solution {
        answer = answer.field("solutions", solutions);
    }
    let bare: String = rows.iter().map(|row| format!("{row}\n")).collect();
    answer.bare(bare).text(text).work(set.work()).show(session)
}
