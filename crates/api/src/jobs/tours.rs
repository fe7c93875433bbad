//! The jobs of a count of tours.

use std::sync::{Mutex, MutexGuard, PoisonError};

use everymove_kernel::grid::Square;
use everymove_kernel::run::Run;
use everymove_tours::board::{Board, Kind};
use everymove_tours::frontier::FrontierError;
use everymove_tours::frontier::classes::{self, ClassOptions, Finished, Planned};
use everymove_tours::question::{Direction, Question};
use everymove_tours::{CountOptions, MethodChoice};
use num_bigint::BigUint;
use serde_json::Value;

use super::collect::Collected;
use super::error::JobError;
use super::job::{Chosen, Job, JobList};
use super::question::JobWork;
use super::results::Results;
use crate::error::Error;
use crate::request::Request;
use crate::tours::CountRequest;

/// Slots of the frontier by whose degrees the layers of a class are counted in parts.
const PART_SLOTS: usize = 5;

/// Names of jobs begin with this.
const CLASS: &str = "class-";
const FROM: &str = "from-";

/// A result that a file holds cannot be read.
fn unreadable(id: &str) -> Error {
    Error::message(None, format!("the result of job {id} makes no sense"))
}

/// Classes of the layers of a frontier.
pub(super) struct ByClass {
    question: Question,
    direction: Direction,
    options: ClassOptions,
    /// What has been planned, and computed for all jobs.
    planned: Mutex<Option<Planned>>,
}

impl ByClass {
    pub(super) fn new(request: &CountRequest) -> Result<Self, Error> {
        let (question, options) = request.plan()?.into_parts();
        let given = [
            ("start", question.start.is_some()),
            ("classes", options.classes),
            ("checkpoint", options.checkpoint.is_some()),
        ];
        if let Some((field, _)) = given.into_iter().find(|&(_, given)| given) {
            let line = format!("a count in jobs has no {field}: the jobs are its parts");
            return Err(Error::message(Some(field), line));
        }
        if question.board.playable() == 1 {
            return Err(Error::message(
                Some("board"),
                "one square is no work for jobs",
            ));
        }
        Ok(Self {
            question,
            direction: options.direction,
            // The classes must be the same in every process, whatever its budget.
            options: ClassOptions {
                part_slots: Some(PART_SLOTS),
                ..ClassOptions::default()
            },
            planned: Mutex::default(),
        })
    }

    fn planned(&self) -> MutexGuard<'_, Option<Planned>> {
        self.planned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn plan(&self, run: &Run) -> Result<Planned, Error> {
        let planned = Planned::new(&self.question, &self.options, run)?;
        planned.ok_or_else(|| {
            let line = "the board has too few rows to be counted in jobs: count it as a whole";
            Error::message(Some("board"), line)
        })
    }
}

/// What stops the work of [`ByClass`].
enum Failed {
    Frontier(FrontierError),
    Jobs(JobError),
}

impl From<FrontierError> for Failed {
    fn from(error: FrontierError) -> Self {
        Self::Frontier(error)
    }
}

impl JobWork for ByClass {
    fn jobs(&self, run: &Run) -> Result<JobList, Error> {
        let planned = self.planned().take();
        let planned = planned.map_or_else(|| self.plan(run), Ok)?;
        let split = planned.split();
        let jobs = split.classes.iter().map(|class| Job {
            id: format!("{CLASS}{}", class.class),
            weight: class.matchings,
            after: vec![],
            path: class.path.clone(),
        });
        let list = JobList::new(&split.question, &split.plan, jobs.collect());
        *self.planned() = Some(planned);
        Ok(list)
    }

    fn work(&self, run: &Run, chosen: &mut Chosen<'_>) -> Result<(), Error> {
        let chosen = std::cell::RefCell::new(chosen);
        let next = || {
            let id = chosen.borrow_mut().next_job().map_err(Failed::Jobs)?;
            let number = |id: String| {
                let number = id.strip_prefix(CLASS).and_then(|n| n.parse().ok());
                // No class has this number.
                number.unwrap_or(u32::MAX)
            };
            Ok(id.map(number))
        };
        let done = |finished: Finished| {
            let id = format!("{CLASS}{}", finished.class);
            let value = serde_json::to_value(&finished).unwrap_or_default();
            (chosen.borrow_mut().done(&id, value)).map_err(Failed::Jobs)
        };
        let planned = self.planned().take();
        let planned = planned.map_or_else(|| self.plan(run), Ok)?;
        let counted = planned.count(run, next, done);
        let planned = counted.map_err(|error| match error {
            Failed::Frontier(error) => Error::from(error),
            Failed::Jobs(error) => error.into(),
        })?;
        *self.planned() = Some(planned);
        Ok(())
    }

    fn collected(&self, list: &JobList, results: &Results) -> Result<Collected, Error> {
        let mut finished = Vec::new();
        for job in list.jobs() {
            let result = results.get(&job.id)?.ok_or_else(|| unreadable(&job.id))?;
            let class: Finished =
                serde_json::from_value(result).map_err(|_| unreadable(&job.id))?;
            finished.push(class);
        }
        let multiplicity = self.planned().as_ref().map_or(1, Planned::multiplicity);
        let summary = classes::add_up(list.question(), multiplicity, &finished);
        let summary = summary.map_err(|error| Error::input(None, error))?;
        let both = u32::from(self.direction == Direction::Directed);
        Ok(Collected::Tours {
            count: (summary.undirected << both).to_string(),
            directed: self.direction == Direction::Directed,
            by_start: None,
        })
    }
}

/// Open tours from each square; squares that are images of each other are one job.
pub(super) struct ByStart {
    board: Board,
    method: MethodChoice,
    /// Whether the tours from each square are asked for, or only their sum.
    by_start: bool,
    direction: Direction,
}

impl ByStart {
    /// The jobs of a count by start or of a search; `None` for other counts.
    pub(super) fn new(request: &CountRequest) -> Result<Option<Self>, Error> {
        let (question, options) = request.plan()?.into_parts();
        if !options.by_start && options.method != MethodChoice::Search {
            return Ok(None);
        }
        if question.kind == Kind::Closed || question.start.is_some() || options.classes {
            let line = "only a search of all open tours falls into jobs, by their start";
            return Err(Error::message(Some("method"), line));
        }
        Ok(Some(Self {
            board: question.board,
            method: options.method,
            by_start: options.by_start,
            direction: options.direction,
        }))
    }

    /// The first of the squares that are images of a square.
    fn first_image(&self, square: Square) -> Square {
        let images = self.board.symmetries();
        let images = images.iter().map(|&s| self.board.grid().image(s, square));
        images.min().unwrap_or(square)
    }

    fn id(&self, square: Square) -> String {
        format!("{FROM}{}", self.board.grid().name(square))
    }
}

impl JobWork for ByStart {
    fn jobs(&self, _: &Run) -> Result<JobList, Error> {
        let squares = self.board.squares();
        let firsts = squares.filter(|&square| self.first_image(square) == square);
        let jobs = firsts.map(|square| Job {
            id: self.id(square),
            // Those of the middle have the most tours, but a frontier does the same for each.
            weight: 1,
            after: vec![],
            path: vec![],
        });
        let question = Question::new(self.board.clone(), Kind::Open);
        let board = &question.board;
        let holes: Vec<_> = (board.holes().iter().map(|&s| board.grid().name(s))).collect();
        let words = format!("{} open tours by start", board.grid());
        let digest = format!("leaper {} holes {}", board.leaper(), holes.join(","));
        Ok(JobList::new(words, digest, jobs.collect()))
    }

    fn work(&self, run: &Run, chosen: &mut Chosen<'_>) -> Result<(), Error> {
        while let Some(id) = chosen.next_job()? {
            let name = id.strip_prefix(FROM).unwrap_or_default();
            let square = (self.board.parse_square(name)).map_err(|_| unreadable(&id))?;
            let question = Question::new(self.board.clone(), Kind::Open).starting_on(square);
            let options = CountOptions {
                method: self.method,
                ..CountOptions::default()
            };
            let counted = everymove_tours::count(&question, &options, run)?;
            chosen.done(&id, Value::from(counted.count.to_string()))?;
        }
        Ok(())
    }

    fn collected(&self, _: &JobList, results: &Results) -> Result<Collected, Error> {
        let mut by_start = std::collections::BTreeMap::new();
        let mut sum = BigUint::ZERO;
        for square in self.board.squares() {
            let id = self.id(self.first_image(square));
            let result = results.get(&id)?.ok_or_else(|| unreadable(&id))?;
            let count = result
                .as_str()
                .and_then(|text| text.parse::<BigUint>().ok());
            let count = count.ok_or_else(|| unreadable(&id))?;
            by_start.insert(self.board.grid().name(square), count.to_string());
            sum += count;
        }
        let directed = self.by_start || self.direction == Direction::Directed;
        if !directed && self.board.playable() > 1 {
            sum /= 2u32;
        }
        Ok(Collected::Tours {
            count: sum.to_string(),
            directed,
            by_start: self.by_start.then_some(by_start),
        })
    }
}
