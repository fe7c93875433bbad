//! `everymove tours symmetric`: tours that a rotation maps onto themselves.

use std::ops::ControlFlow;

use everymove_kernel::run::Work;
use everymove_tours::board::Kind;
use everymove_tours::question::Question;
use everymove_tours::symmetric::{self, Rotation, SymmetricError, SystemType};

use super::question::{BoardArgs, board_words};
use super::stream::{Stream, StreamArgs};
use super::symmetric_failure;
use crate::answer::{Answer, Outcome};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove tours symmetric`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    board: BoardArgs,
    /// quarter or half: on a board with a centre square, quarter asks for open tours made of four turned copies of a
    /// path; otherwise for closed tours that the rotation maps onto themselves
    #[arg(long, value_name = "ROTATION")]
    rotation: String,
    /// List the tours
    #[arg(long)]
    list: bool,
    /// With --list on a board with a centre square, only tours of type a (around) or b (through the centre halfway)
    #[arg(long, value_name = "TYPE", requires = "list")]
    r#type: Option<String>,
    #[command(flatten)]
    stream: StreamArgs,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let board = args.board.plan()?;
    let rotation = match args.rotation.as_str() {
        "half" => Rotation::Half,
        "quarter" => Rotation::Quarter,
        other => {
            let line = format!("'{other}' is not a rotation: expected quarter or half");
            return Err(Failure::Input(line));
        }
    };
    let has_centre = !(board.grid().rows() * board.grid().cols()).is_multiple_of(2);
    let by_paths = has_centre && rotation == Rotation::Quarter;
    let types = match (by_paths, args.r#type.as_deref()) {
        (_, None) => vec![SystemType::A, SystemType::B],
        (true, Some("a" | "A")) => vec![SystemType::A],
        (true, Some("b" | "B")) => vec![SystemType::B],
        (true, Some(other)) => {
            return Err(Failure::Input(format!(
                "'{other}' is not a type: expected a or b"
            )));
        }
        (false, Some(_)) => {
            let line = "types a and b are of quarter turns on boards with a centre square";
            return Err(Failure::Input(line.into()));
        }
    };
    let stream = args.stream.plan()?;
    let kind = if by_paths { Kind::Open } else { Kind::Closed };
    let question = Question::new(board, kind);
    let outcome = match (args.list, by_paths) {
        (true, _) => {
            let fields = [
                ("command", "tours symmetric".into()),
                ("board", question.board.grid().to_string().into()),
                ("kind", question.kind.to_string().into()),
                ("rotation", args.rotation.as_str().into()),
            ];
            let fields = fields.map(|(name, value)| (name.to_owned(), value)).into();
            let stream = Stream::new(&question, stream, fields, session);
            list(
                stream,
                &question,
                rotation,
                by_paths.then_some(&types[..]),
                session,
            )
        }
        (false, true) => quarter_paths(&question, session),
        (false, false) => diagrams(&question, rotation, session),
    };
    match outcome {
        Err(Trouble::Symmetric(error @ SymmetricError::Impossible { .. })) => {
            Answer::new("tours symmetric", Outcome::No)
                .field("board", question.board.grid().to_string())
                .field("rotation", args.rotation.as_str())
                .field("diagrams", 0)
                .field("reason", error.to_string())
                .bare("0\n")
                .text(format!("0: {error}\n"))
                .show(session)
        }
        Err(Trouble::Symmetric(error)) => Err(symmetric_failure(error)),
        Err(Trouble::Other(failure)) => Err(failure),
        Ok(verdict) => Ok(verdict),
    }
}

/// A theorem that rules the tours out is an answer, everything else a failure.
enum Trouble {
    Symmetric(SymmetricError),
    Other(Failure),
}

impl From<SymmetricError> for Trouble {
    fn from(error: SymmetricError) -> Self {
        Self::Symmetric(error)
    }
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Other(failure)
    }
}

fn list(
    mut stream: Stream<'_>,
    question: &Question,
    rotation: Rotation,
    types: Option<&[SystemType]>,
    session: &Session,
) -> Result<Outcome, Trouble> {
    let (board, run) = (&question.board, &session.run);
    let work = match types {
        _ if stream.is_full() => Work::default(),
        None => symmetric::list(board, rotation, run, |order| stream.take(order))?,
        Some(types) => symmetric::systems(board, run, |system, order| {
            if types.contains(&system) {
                stream.take(order)
            } else {
                ControlFlow::Continue(())
            }
        })?,
    };
    let verdict = if stream.written() > 0 {
        Outcome::Yes
    } else {
        Outcome::No
    };
    stream.finish(&work)?;
    Ok(verdict)
}

fn quarter_paths(question: &Question, session: &Session) -> Result<Outcome, Trouble> {
    let board = &question.board;
    let found = session.work(|run| symmetric::quarter_paths(board, run))?;
    let text = format!(
        "{} quarter paths of the {}, one start an orbit\n\
         {} make an open tour of type A: around, then to the centre\n\
         {} make an open tour of type B: through the centre halfway\n",
        found.quarter_paths,
        board_words(&question.board),
        found.type_a,
        found.type_b
    );
    Ok(Answer::new("tours symmetric", Outcome::Yes)
        .field("board", board.grid().to_string())
        .field("rotation", "quarter")
        .field("quarter_paths", found.quarter_paths)
        .field("type_a", found.type_a)
        .field("type_b", found.type_b)
        .bare(format!(
            "{} {} {}\n",
            found.quarter_paths, found.type_a, found.type_b
        ))
        .text(text)
        .work(&found.work)
        .show(session)?)
}

fn diagrams(
    question: &Question,
    rotation: Rotation,
    session: &Session,
) -> Result<Outcome, Trouble> {
    let found = session.work(|run| symmetric::diagrams(&question.board, rotation, run))?;
    let word = match rotation {
        Rotation::Half => "half",
        Rotation::Quarter => "quarter",
    };
    Ok(Answer::new("tours symmetric", Outcome::Yes)
        .field("board", question.board.grid().to_string())
        .field("rotation", word)
        .field("diagrams", found.diagrams)
        .bare(format!("{}\n", found.diagrams))
        .text(format!(
            "{} closed tours of the {} are symmetric under a {rotation}\n",
            found.diagrams,
            board_words(&question.board)
        ))
        .work(&found.work)
        .show(session)?)
}
