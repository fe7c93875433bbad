//! `everymove tours list`: every tour, written while they are found.

use std::io::{self, Write};
use std::ops::ControlFlow;

use everymove_kernel::grid::Square;
use everymove_kernel::run::Work;
use everymove_tours::formats::{Format, Writer};
use everymove_tours::search::{self, Direction};
use everymove_tours::theory;
use everymove_tours::tour::Tour;

use super::picture::{Picture, PictureArgs};
use super::question::{Question, QuestionArgs};
use super::{search_failure, show};
use crate::answer::{Verdict, cost, footer};
use crate::failure::Failure;
use crate::session::{Form, Session};

/// More tours than this make a sheet that nobody looks at.
const MAX_DRAWN: usize = 1000;

/// `everymove tours list`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    question: QuestionArgs,
    /// A tour and its reverse are two
    #[arg(long)]
    directed: bool,
    /// Only tours that start here
    #[arg(long, value_name = "SQUARE")]
    start: Option<String>,
    /// Only open tours that end here
    #[arg(long, value_name = "SQUARE", conflicts_with = "closed")]
    end: Option<String>,
    /// No more than this many
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// grid, squares, csv, json or bin
    #[arg(long, value_name = "FORMAT", default_value = "squares")]
    format: String,
    #[command(flatten)]
    picture: PictureArgs,
}

struct Plan {
    question: Question,
    search: search::Question,
    direction: Direction,
    limit: u64,
    format: Format,
    picture: Option<Picture>,
}

impl Args {
    fn plan(&self) -> Result<Plan, Failure> {
        let question = self.question.plan()?;
        let mut search = search::Question::new(question.board.clone(), question.kind);
        search.start = question.square(&self.start)?;
        search.end = question.square(&self.end)?;
        Ok(Plan {
            search,
            direction: match self.directed {
                true => Direction::Directed,
                false => Direction::Undirected,
            },
            limit: self.limit.unwrap_or(u64::MAX),
            format: self.format.parse().map_err(Failure::input)?,
            picture: self.picture.plan()?,
            question,
        })
    }
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Verdict, Failure> {
    let plan = args.plan()?;
    let mut listing = Listing::new(&plan, session)?;
    let mut trouble = None;
    let work = if plan.limit == 0 || none_by_theory(&plan, session) {
        Work::default()
    } else {
        // No progress display: the tours themselves go to the terminal.
        search::visit(
            &plan.search,
            plan.direction,
            &session.run,
            |order| match listing.tour(order) {
                Ok(()) if listing.written < plan.limit => ControlFlow::Continue(()),
                Ok(()) => ControlFlow::Break(()),
                Err(error) => {
                    trouble = Some(error);
                    ControlFlow::Break(())
                }
            },
        )
        .map_err(|e| search_failure(e, session))?
    };
    if let Some(error) = trouble {
        return Err(error);
    }
    let (written, drawn) = listing.finish(session, &work)?;
    if let Some(picture) = plan.picture {
        picture.draw(&drawn)?;
    }
    Ok(if written == 0 && plan.limit > 0 {
        Verdict::No
    } else {
        Verdict::Yes
    })
}

/// Says why there are none, if a theorem tells.
fn none_by_theory(plan: &Plan, session: &Session) -> bool {
    let ends = theory::Ends {
        start: plan.search.start,
        end: plan.search.end,
    };
    let question = &plan.question;
    match theory::existence_between(&question.board, question.kind, ends) {
        theory::Verdict::None(theorem) => {
            if session.form == Form::Human {
                let _ = writeln!(io::stderr(), "no tours: {theorem}");
            }
            true
        }
        _ => false,
    }
}

/// Writes tours as they come.
struct Listing<'a> {
    plan: &'a Plan,
    form: Form,
    out: Writer<io::StdoutLock<'static>>,
    json: io::BufWriter<io::Stdout>,
    written: u64,
    drawn: Vec<Tour>,
}

impl<'a> Listing<'a> {
    fn new(plan: &'a Plan, session: &Session) -> Result<Self, Failure> {
        Ok(Self {
            plan,
            form: session.form,
            out: Writer::new(io::stdout().lock(), plan.format),
            json: io::BufWriter::new(io::stdout()),
            written: 0,
            drawn: Vec::new(),
        })
    }

    fn tour(&mut self, order: &[Square]) -> Result<(), Failure> {
        let question = &self.plan.question;
        let tour = Tour::from_order(question.board.clone(), question.kind, order);
        match self.form {
            Form::Json if self.written == 0 => {
                write!(self.json, "{}\"{}\"", self.head(), show::squares(&tour))?;
            }
            Form::Json => write!(self.json, ",\"{}\"", show::squares(&tour))?,
            Form::Human | Form::Quiet => self.out.write(&tour)?,
        }
        self.written += 1;
        if self.plan.picture.is_some() {
            if self.drawn.len() == MAX_DRAWN {
                return Err(Failure::Input(format!(
                    "more than {MAX_DRAWN} tours on one picture: give --limit {MAX_DRAWN} or less"
                )));
            }
            self.drawn.push(tour);
        }
        Ok(())
    }

    /// The JSON object up to its list, which is written tour by tour: it may be longer than memory.
    fn head(&self) -> String {
        let question = &self.plan.question;
        format!(
            "{{\"command\":\"tours list\",\"board\":\"{}\",\"kind\":\"{}\",\"directed\":{},\"tours\":[",
            question.board.grid(),
            question.kind,
            self.plan.direction == Direction::Directed
        )
    }

    fn finish(mut self, session: &Session, work: &Work) -> Result<(u64, Vec<Tour>), Failure> {
        match self.form {
            Form::Json => {
                if self.written == 0 {
                    let head = self.head();
                    self.json.write_all(head.as_bytes())?;
                }
                write!(self.json, "],\"count\":{}", self.written)?;
                for (name, value) in cost(session, work) {
                    write!(self.json, ",\"{name}\":{value}")?;
                }
                self.json.write_all(b"}\n")?;
                self.json.flush()?;
            }
            Form::Human => {
                self.out.finish()?.flush()?;
                let mut work = work.clone();
                work.add("tours", self.written);
                footer(session, &work);
            }
            Form::Quiet => self.out.finish()?.flush()?,
        }
        Ok((self.written, self.drawn))
    }
}
