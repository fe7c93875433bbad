//! `everymove tours sample`, `rank`, `unrank`: the tours of a board by number.

use std::time::{SystemTime, UNIX_EPOCH};

use everymove_kernel::rng::SplitMix64;
use everymove_tours::formats::{Format, Hints, Writer};
use everymove_tours::frontier::Sampler;
use everymove_tours::question::Question;
use everymove_tours::theory::{self, Existence};
use everymove_tours::tour::Tour;
use serde_json::Value;

use super::picture::{Picture, PictureArgs};
use super::question::{QuestionArgs, board_words};
use super::{frontier_failure, read, show};
use crate::answer::{Answer, Outcome};
use crate::failure::Failure;
use crate::session::{OutputFormat, Session};

/// More tours than this at once are a slip of the finger.
const MAX_NUMBER: u64 = 100_000_000;

/// What commands that write tours share.
#[derive(Debug, clap::Args)]
pub(crate) struct WriteArgs {
    /// grid, squares, csv, json or bin
    #[arg(long, value_name = "FORMAT", default_value = "grid")]
    format: String,
    #[command(flatten)]
    picture: PictureArgs,
}

/// `everymove tours sample`.
#[derive(Debug, clap::Args)]
pub(crate) struct SampleArgs {
    #[command(flatten)]
    question: QuestionArgs,
    /// How many
    #[arg(long, value_name = "N", default_value_t = 1)]
    number: u64,
    /// Equal seeds give equal tours [default: another one each time]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    #[command(flatten)]
    write: WriteArgs,
}

/// `everymove tours unrank`.
#[derive(Debug, clap::Args)]
pub(crate) struct UnrankArgs {
    #[command(flatten)]
    question: QuestionArgs,
    /// Numbers of tours, from 0
    #[arg(required = true, value_name = "RANK")]
    ranks: Vec<String>,
    #[command(flatten)]
    write: WriteArgs,
}

/// `everymove tours rank`.
#[derive(Debug, clap::Args)]
pub(crate) struct RankArgs {
    #[command(flatten)]
    question: QuestionArgs,
    /// A file of tours of this board, in any format; - for standard input
    file: std::path::PathBuf,
}

pub(crate) fn sample(args: &SampleArgs, session: &Session) -> Result<Outcome, Failure> {
    let question = args.question.plan()?;
    if args.number > MAX_NUMBER {
        let number = args.number;
        return Err(Failure::Input(format!(
            "cannot draw {number} tours: expected at most {MAX_NUMBER}"
        )));
    }
    let writing = args.write.plan()?;
    let seed = args.seed.unwrap_or_else(any_seed);
    let sampler = sampler(&question, session)?;
    let mut rng = SplitMix64::new(seed);
    let tours = session.work(|run| {
        (0..args.number)
            .map_while(|_| (!run.stop.is_raised()).then(|| sampler.sample(&mut rng))?)
            .collect::<Vec<_>>()
    });
    if session.run.stop.is_raised() {
        return Err(Failure::stopped(""));
    }
    if tours.is_empty() && args.number > 0 {
        return none(&question, "tours sample", session);
    }
    let answer = Answer::new("tours sample", Outcome::Yes)
        .field("board", question.board.grid().to_string())
        .field("kind", question.kind.to_string())
        .field("total", sampler.total().to_string())
        .field("seed", seed.to_string());
    writing.answer(answer.work(sampler.work()), &tours, session)
}

pub(crate) fn unrank(args: &UnrankArgs, session: &Session) -> Result<Outcome, Failure> {
    let question = args.question.plan()?;
    let ranks = args
        .ranks
        .iter()
        .map(|text| rank_of(text))
        .collect::<Result<Vec<_>, _>>()?;
    let writing = args.write.plan()?;
    let sampler = sampler(&question, session)?;
    let tours: Vec<_> = (ranks.into_iter())
        .map(|rank| sampler.unrank(rank))
        .collect::<Result<_, _>>()
        .map_err(Failure::input)?;
    let answer = Answer::new("tours unrank", Outcome::Yes)
        .field("board", question.board.grid().to_string())
        .field("kind", question.kind.to_string())
        .field("total", sampler.total().to_string());
    writing.answer(answer.work(sampler.work()), &tours, session)
}

pub(crate) fn rank(args: &RankArgs, session: &Session) -> Result<Outcome, Failure> {
    let question = args.question.plan()?;
    let hints = Hints {
        board: Some(question.board.clone()),
        leaper: None,
        kind: Some(question.kind),
    };
    let tours: Vec<Tour> = read::open(&args.file, hints, session)?
        .collect::<Result<_, _>>()
        .map_err(|e| read::failure(&args.file, e))?;
    let sampler = sampler(&question, session)?;
    let mut ranks = Vec::new();
    for (i, tour) in tours.iter().enumerate() {
        let rank = sampler.rank(tour);
        let rank = rank.map_err(|e| Failure::Input(format!("tour {}: {e}", i + 1)))?;
        ranks.push(rank.to_string());
    }
    let text = ranks
        .iter()
        .map(|rank| format!("{rank}\n"))
        .collect::<String>();
    Answer::new("tours rank", Outcome::Yes)
        .field("board", question.board.grid().to_string())
        .field("kind", question.kind.to_string())
        .field("total", sampler.total().to_string())
        .field("ranks", ranks)
        .bare(text.as_str())
        .text(text)
        .work(sampler.work())
        .show(session)
}

fn sampler(question: &Question, session: &Session) -> Result<Sampler, Failure> {
    session
        .work(|run| Sampler::new(&question.board, question.kind, run))
        .map_err(frontier_failure)
}

/// There is nothing to draw from: says why, if a theorem tells.
fn none(question: &Question, command: &'static str, session: &Session) -> Result<Outcome, Failure> {
    let reason = match theory::existence(question) {
        Existence::None(theorem) => theorem.to_string(),
        _ => "every possibility has been counted".to_owned(),
    };
    Answer::new(command, Outcome::No)
        .field("board", question.board.grid().to_string())
        .field("kind", question.kind.to_string())
        .field("total", "0")
        .field("reason", reason.as_str())
        .text(format!(
            "no {} tours of the {}: {reason}\n",
            question.kind,
            board_words(&question.board)
        ))
        .show(session)
}

fn rank_of(text: &str) -> Result<u128, Failure> {
    let bad = |_| Failure::Input(format!("'{text}' is not a rank: expected a number from 0"));
    text.parse().map_err(bad)
}

/// The nanoseconds of the clock: not random, but another one each time.
fn any_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |time| time.as_nanos() as u64)
}

/// Tours to be written, as planned.
pub(crate) struct Writing {
    format: Format,
    picture: Option<Picture>,
}

impl WriteArgs {
    pub(crate) fn plan(&self) -> Result<Writing, Failure> {
        Ok(Writing {
            format: self.format.parse().map_err(Failure::input)?,
            picture: self.picture.plan()?,
        })
    }
}

impl Writing {
    /// Writes tours into a file of the format, draws them, and shows the answer that they belong to.
    pub(crate) fn answer(
        self,
        answer: Answer,
        tours: &[Tour],
        session: &Session,
    ) -> Result<Outcome, Failure> {
        if let Some(picture) = self.picture {
            picture.draw(tours)?;
        }
        if session.format == OutputFormat::Json {
            let tours = tours.iter().map(|tour| Value::from(show::squares(tour)));
            return answer
                .field("tours", tours.collect::<Vec<_>>())
                .show(session);
        }
        let mut out = Writer::new(std::io::stdout().lock(), self.format);
        for tour in tours {
            out.write(tour)?;
        }
        // The tours are the answer; what is left to show is what they cost.
        drop(out.finish()?);
        answer.show(session)
    }
}
