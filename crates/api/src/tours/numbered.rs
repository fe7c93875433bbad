//! `tours sample`, `tours rank`, `tours unrank`: the tours of a board by number.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use everymove_kernel::files::Output;
use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Run, Work};
use everymove_kernel::text::grouped;
use everymove_tours::formats::{Hints, Writer};
use everymove_tours::frontier::{Drawer, Sampler};
use everymove_tours::question::Question;
use everymove_tours::theory::{self, Existence};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::{Kind, KindRequest};
use super::files::FilePlan;
use super::picture::{self, PictureView};
use super::stream::unwritten;
use super::text::TourText;
use super::words::{FormatName, MagicTour, MagicTours, board_words};
use crate::error::Error;
use crate::request::{Answer, Outcome, Request, Updates};
use crate::site::Site;
use crate::terminal::{
    Ended, Format, OnTerminal, Screen, Shown, Text, under_display, write_answer,
};

/// More tours at once are refused as a likely typing error.
const MAX_NUMBER: u64 = 100_000_000;

/// Tours drawn at random, each with the same probability.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct SampleRequest {
    /// The board and the kind of tour.
    #[command(flatten)]
    #[serde(flatten)]
    pub question: KindRequest,
    /// How many [default: 1]
    #[arg(long, value_name = "N")]
    pub number: Option<u64>,
    /// Equal seeds give equal tours [default: a different one each time]
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
}

/// The checked question.
#[derive(Clone, Debug)]
pub struct SamplePlan {
    question: Question,
    number: u64,
    seed: u64,
}

/// The tours drawn.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SampleAnswer {
    /// The board as ROWSxCOLS.
    pub board: String,
    /// Open or closed tours.
    pub kind: Kind,
    /// How many undirected tours the board has, in decimal; left out where they are drawn without
    /// being counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<String>,
    /// The seed that gives these tours again, in decimal; left out where there are no tours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<String>,
    /// The tours, each as its squares in order; left out where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tours: Option<Vec<TourText>>,
    /// The magic ones of the tours, at most a thousand; left out where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub magic: Vec<MagicTour>,
    /// Why there are no tours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip)]
    work: Work,
}

impl Request for SampleRequest {
    const COMMAND: &'static str = "tours sample";
    const IS_SERVED: bool = true;
    type Plan = SamplePlan;
    type Answer = SampleAnswer;

    fn run_for(
        plan: &SamplePlan,
        site: &Site,
        run: &Run,
        _: &mut Updates<'_>,
    ) -> Result<SampleAnswer, Error> {
        if let Some(none) = plan.none(run)? {
            return Ok(none);
        }
        let most = site.kept_ram - site.ram_of_sets();
        plan.answer(&*site.kept.drawers.of(&plan.question, most, run)?, run)
    }

    fn plan(&self) -> Result<SamplePlan, Error> {
        let number = self.number.unwrap_or(1);
        if number > MAX_NUMBER {
            let line = format!(
                "cannot draw {} tours: expected at most {}",
                grouped(number),
                grouped(MAX_NUMBER)
            );
            return Err(Error::message(Some("number"), line));
        }
        Ok(SamplePlan {
            question: self.question.question()?,
            number,
            seed: self.seed.unwrap_or_else(any_seed),
        })
    }

    fn run(plan: &SamplePlan, run: &Run) -> Result<SampleAnswer, Error> {
        if let Some(none) = plan.none(run)? {
            return Ok(none);
        }
        let question = &plan.question;
        let (board, kind) = (&question.board, question.kind);
        let drawn = bytes_of_tours(question, plan.number);
        let all = drawn.saturating_add(Drawer::bytes(board, kind));
        let fits = run.ram.require("the tours drawn", drawn);
        fits.map_err(|over| over.at_least(run.ram.used().saturating_add(all)))?;
        let drawer = Drawer::new(board, kind, run)?;
        plan.answer(&drawer, run)
    }
}

impl SamplePlan {
    fn empty_answer(&self) -> SampleAnswer {
        SampleAnswer {
            board: self.question.board.grid().to_string(),
            kind: self.question.kind.into(),
            total: None,
            seed: None,
            tours: None,
            magic: Vec::new(),
            reason: None,
            work: Work::default(),
        }
    }

    /// The answer where a theorem says that there is no tour to draw.
    fn none(&self, run: &Run) -> Result<Option<SampleAnswer>, Error> {
        if self.number == 0 {
            return Ok(None);
        }
        Ok(match theory::existence(&self.question, run)? {
            Existence::None(theorem) => Some(SampleAnswer {
                total: Some("0".to_owned()),
                reason: Some(theorem.to_string()),
                ..self.empty_answer()
            }),
            _ => None,
        })
    }

    fn answer(&self, drawer: &Drawer, run: &Run) -> Result<SampleAnswer, Error> {
        let plan = self;
        let question = &plan.question;
        let mut answer = SampleAnswer {
            total: drawer.total().map(|total| total.to_string()),
            work: drawer.work().clone(),
            ..plan.empty_answer()
        };
        if drawer.total() == Some(0) && plan.number > 0 {
            answer.reason = Some("every possibility has been counted".to_owned());
            answer.work = Work::default();
            return Ok(answer);
        }
        run.progress.start("drawing tours", plan.number);
        let bytes = bytes_of_tours(question, plan.number);
        let _held = run.ram.reserve("the tours drawn", bytes)?;
        let mut rng = SplitMix64::new(plan.seed);
        let mut tours = Vec::new();
        for _ in 0..plan.number {
            run.stop.check()?;
            tours.extend(drawer.sample(&mut rng, run)?.map(TourText));
            run.progress.advance(1);
        }
        answer.seed = Some(plan.seed.to_string());
        answer.magic = MagicTours::of(&tours).list();
        answer.tours = Some(tours);
        Ok(answer)
    }
}

impl Answer for SampleAnswer {
    fn outcome(&self) -> Outcome {
        Outcome::yes_if(self.reason.is_none())
    }

    fn work(&self) -> Work {
        self.work.clone()
    }
}

/// The nanoseconds of the clock: not random, but different each time.
fn any_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |time| time.as_nanos() as u64)
}

/// Memory, in bytes, of a number of tours of a board.
fn bytes_of_tours(question: &Question, number: u64) -> u64 {
    let holes = 8 * question.board.holes().len() as u64;
    number.saturating_mul(128 + 4 * question.board.grid().len() as u64 + holes)
}

/// The tours of given numbers.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct UnrankRequest {
    /// The board and the kind of tour.
    #[command(flatten)]
    #[serde(flatten)]
    pub question: KindRequest,
    /// Numbers of tours, from 0
    #[arg(required = true, value_name = "RANK")]
    pub ranks: Vec<String>,
}

/// The checked question.
#[derive(Clone, Debug)]
pub struct UnrankPlan {
    question: Question,
    ranks: Vec<u128>,
}

/// The tours of given numbers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UnrankAnswer {
    /// The board as ROWSxCOLS.
    pub board: String,
    /// Open or closed tours.
    pub kind: Kind,
    /// How many undirected tours the board has, in decimal.
    pub total: String,
    /// The tours, each as its squares in order, in the order of the request.
    pub tours: Vec<TourText>,
    /// The magic ones of the tours, at most a thousand; left out where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub magic: Vec<MagicTour>,
    #[serde(skip)]
    work: Work,
}

impl Request for UnrankRequest {
    const COMMAND: &'static str = "tours unrank";
    const IS_SERVED: bool = true;
    type Plan = UnrankPlan;
    type Answer = UnrankAnswer;

    fn plan(&self) -> Result<UnrankPlan, Error> {
        let rank = |text: &String| {
            let line = format!("'{text}' is not a rank: expected a number from 0");
            text.parse()
                .map_err(|_| Error::message(Some("ranks"), line))
        };
        Ok(UnrankPlan {
            question: self.question.question()?,
            ranks: self.ranks.iter().map(rank).collect::<Result<_, _>>()?,
        })
    }

    fn run(plan: &UnrankPlan, run: &Run) -> Result<UnrankAnswer, Error> {
        let question = &plan.question;
        let sampler = Sampler::new(&question.board, question.kind, run)?;
        let bytes = bytes_of_tours(question, plan.ranks.len() as u64);
        let _held = run.ram.reserve("the tours", bytes)?;
        let tours = (plan.ranks.iter()).map(|&rank| sampler.unrank(rank).map(TourText));
        let tours: Vec<_> = (tours.collect::<Result<_, _>>()).map_err(Error::field("ranks"))?;
        Ok(UnrankAnswer {
            board: question.board.grid().to_string(),
            kind: question.kind.into(),
            total: sampler.total().to_string(),
            magic: MagicTours::of(&tours).list(),
            tours,
            work: sampler.work().clone(),
        })
    }
}

impl Answer for UnrankAnswer {
    fn work(&self) -> Work {
        self.work.clone()
    }
}

/// The numbers of tours among all tours of their board.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct RankRequest {
    /// The board and the kind of tour.
    #[command(flatten)]
    #[serde(flatten)]
    pub question: KindRequest,
    /// A file of tours of this board, in any format; - for standard input
    pub file: PathBuf,
}

/// The checked question.
#[derive(Clone, Debug)]
pub struct RankPlan {
    question: Question,
    file: FilePlan,
}

/// The numbers of tours.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RankAnswer {
    /// The board as ROWSxCOLS.
    pub board: String,
    /// Open or closed tours.
    pub kind: Kind,
    /// How many undirected tours the board has, in decimal.
    pub total: String,
    /// The number of each tour of the file, from 0, in decimal.
    pub ranks: Vec<String>,
    #[serde(skip)]
    work: Work,
}

impl Request for RankRequest {
    const COMMAND: &'static str = "tours rank";
    type Plan = RankPlan;
    type Answer = RankAnswer;

    fn plan(&self) -> Result<RankPlan, Error> {
        let question = self.question.question()?;
        let hints = Hints {
            board: Some(question.board.clone()),
            leaper: None,
            kind: Some(question.kind),
        };
        Ok(RankPlan {
            question,
            file: FilePlan::new(self.file.clone(), hints),
        })
    }

    fn run(plan: &RankPlan, run: &Run) -> Result<RankAnswer, Error> {
        let question = &plan.question;
        let (tours, _held) = plan.file.open(run)?.all(run)?;
        let sampler = Sampler::new(&question.board, question.kind, run)?;
        let mut ranks = Vec::new();
        for (i, tour) in tours.iter().enumerate() {
            run.stop.check()?;
            let rank = sampler.rank(tour).map_err(|error| {
                Error::message(Some("file"), format!("tour {}: {error}", i + 1))
            })?;
            ranks.push(rank.to_string());
        }
        Ok(RankAnswer {
            board: question.board.grid().to_string(),
            kind: question.kind.into(),
            total: sampler.total().to_string(),
            ranks,
            work: sampler.work().clone(),
        })
    }
}

impl Answer for RankAnswer {
    fn work(&self) -> Work {
        self.work.clone()
    }
}

/// How a few tours are written.
#[derive(Debug, clap::Args)]
pub struct ToursView {
    /// How the tours are written
    #[arg(long, value_enum, default_value = "grid")]
    format: FormatName,
    /// Write the tours into this file [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    picture: PictureView,
}

impl ToursView {
    /// Writes the tours of an answer in the format asked for, and draws them. Where there are none,
    /// `none` is shown.
    fn ask<R: Request>(
        &self,
        request: &R,
        tours: fn(&R::Answer) -> Option<&[TourText]>,
        none: impl FnOnce(&R::Answer) -> String,
        screen: &dyn Screen,
    ) -> Result<Ended, Error> {
        let plan = request.plan()?;
        let picture = self.picture.plan()?;
        let out = self.out.as_ref().map(Output::prepare).transpose()?;
        let answer = under_display(screen, |run| R::run(&plan, run))?;
        let Some(tours) = tours(&answer) else {
            let (bare, full) = (String::new(), none(&answer));
            return write_answer::<R>(&answer, &Text { bare, full }, screen);
        };
        match out {
            Some(out) => {
                let path = out.path().display().to_string();
                out.publish(|draft| {
                    let written = self.put(tours, draft);
                    written.map_err(|e| unwritten(Some(&path), e))
                })?;
                picture::report(screen, &path, tours.len() as u64);
            }
            None if screen.format() == Format::Json => {}
            // The tours are the answer; what is left to show is what they cost.
            None => (self.put(tours, screen.out())).map_err(|e| unwritten(None, e))?,
        }
        MagicTours::of(tours).report(screen);
        let ended = write_answer::<R>(&answer, &Text::default(), screen)?;
        if let Some(picture) = picture {
            let tours: Vec<_> = tours.iter().map(|TourText(tour)| tour.clone()).collect();
            picture.draw(&tours, screen)?;
        }
        Ok(ended)
    }

    fn put(&self, tours: &[TourText], out: impl Write) -> io::Result<()> {
        let mut writer = Writer::new(out, self.format.into());
        for TourText(tour) in tours {
            writer.write(tour)?;
        }
        writer.finish()?.flush()
    }
}

impl OnTerminal for SampleRequest {
    type View = ToursView;

    fn ask(self, view: ToursView, screen: &dyn Screen) -> Result<Ended, Error> {
        let question = self.question.question()?;
        let none = |answer: &SampleAnswer| {
            let (kind, board) = (question.kind, board_words(&question.board));
            let reason = answer.reason.as_deref().unwrap_or_default();
            format!("no {kind} tours of the {board}: {reason}\n")
        };
        view.ask(&self, |answer| answer.tours.as_deref(), none, screen)
    }
}

impl OnTerminal for UnrankRequest {
    type View = ToursView;

    fn ask(self, view: ToursView, screen: &dyn Screen) -> Result<Ended, Error> {
        view.ask(
            &self,
            |answer| Some(&answer.tours),
            |_| String::new(),
            screen,
        )
    }
}

impl OnTerminal for RankRequest {
    type View = ();

    fn show(_: &RankPlan, answer: &RankAnswer, (): &()) -> Result<Shown, Error> {
        let lines = answer.ranks.iter().map(|rank| format!("{rank}\n"));
        Ok(Text::same(lines.collect()).into())
    }
}
