//! `engine train`: a network for the evaluation from the engine's own games.

use std::path::PathBuf;
use std::sync::Arc;

use everymove_engine::eval::{LANE, MOST_HIDDEN, Network};
use everymove_engine::{TrainError, train};
use everymove_kernel::files::{Disk, Output, Storage};
use everymove_kernel::run::{Run, Work};
use everymove_kernel::text::shown;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::request::{Answer, Request};
use crate::terminal::{Ended, OnTerminal, Screen, Shown, Text, under_display, write_answer};

/// Train a network for the evaluation on such games
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct TrainRequest {
    /// A directory of games, made by `engine datagen`
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Hidden units, a multiple of 64 up to 512 [default: those of --start, or 128]
    #[arg(long, value_name = "N")]
    hidden: Option<usize>,
    /// Passes over all positions [default: 12]
    #[arg(long, value_name = "N")]
    epochs: Option<u32>,
    /// The part of the result of the game in what is learnt, 0 to 1; the rest is the score of the
    /// search [default: 0.15]
    #[arg(long, value_name = "SHARE")]
    result_share: Option<f32>,
    /// Learning rate at the start; it falls to a hundredth of that [default: 0.001]
    #[arg(long, value_name = "RATE")]
    rate: Option<f32>,
    /// Of the first weights and of the order of positions [default: 1]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Begin with the weights of this network, of as many hidden units, instead of random ones
    #[arg(long, value_name = "FILE")]
    start: Option<PathBuf>,
    /// Save the state in this directory after every epoch, and resume from what is there
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<PathBuf>,
}

/// The checked request.
#[derive(Clone, Debug)]
pub struct TrainPlan {
    training: train::Plan,
    data: PathBuf,
    checkpoint: Option<PathBuf>,
}

/// How well the network predicts: mean squared errors of the predicted share of the points.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TrainAnswer {
    /// Positions that were learnt from.
    positions: u64,
    /// Positions held out.
    held_out: u64,
    /// Games that they are from.
    games: u64,
    /// Hidden units.
    hidden: usize,
    /// Centipawns in one unit of the logarithm of the odds of winning.
    scale: i32,
    /// On the positions held out, of their mean target as the only prediction.
    constant_loss: f64,
    /// By epoch.
    losses: Vec<EpochLosses>,
    /// On the positions held out, by the network with rounded weights.
    loss: f64,
    /// The same by the number of pieces: 1 to 4, 5 to 8, and so on to 32; null where no position is
    /// held out.
    loss_by_pieces: Vec<Option<f64>>,
    /// What it cost.
    #[serde(skip)]
    work: Work,
}

/// The losses of one epoch.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(super) struct EpochLosses {
    /// On the positions learnt from, each before it was learnt from.
    training: f64,
    /// On the positions held out, after the epoch.
    validation: f64,
}

impl Request for TrainRequest {
    const COMMAND: &'static str = "engine train";
    type Plan = TrainPlan;
    type Answer = TrainAnswer;

    fn plan(&self) -> Result<TrainPlan, Error> {
        let default = train::Plan::default();
        let start = match &self.start {
            Some(file) => Some(Arc::new(Network::open(file)?)),
            None => None,
        };
        let offered = start.as_deref().map_or(default.hidden, Network::hidden);
        let training = train::Plan {
            hidden: self.hidden.unwrap_or(offered),
            epochs: self.epochs.unwrap_or(default.epochs),
            result_share: self.result_share.unwrap_or(default.result_share),
            rate: self.rate.unwrap_or(default.rate),
            seed: self.seed.unwrap_or(default.seed),
            start,
        };
        let refuse = |field, line: String| Err(Error::message(Some(field), line));
        let hidden = training.hidden;
        if hidden == 0 || hidden > MOST_HIDDEN || !hidden.is_multiple_of(LANE) {
            return refuse("hidden", TrainError::Hidden(hidden).to_string());
        }
        let found = training.start.as_ref().map(|start| start.hidden());
        if let Some(found) = found.filter(|&found| found != hidden) {
            return refuse("start", TrainError::Start { found, hidden }.to_string());
        }
        if training.epochs == 0 {
            return refuse("epochs", "0 epochs: expected at least 1".to_owned());
        }
        if !(0.0..=1.0).contains(&training.result_share) {
            let share = training.result_share;
            return refuse(
                "result_share",
                format!("a result share of {share}: expected 0 to 1"),
            );
        }
        if !(training.rate > 0.0 && training.rate <= 0.1) {
            let rate = training.rate;
            return refuse("rate", format!("a rate of {rate}: expected 0.1 or less"));
        }
        if !self.data.is_dir() {
            let line = format!("there is no directory {}", self.data.display());
            return refuse("data", line);
        }
        if let Some(folder) = self.checkpoint.as_ref().filter(|folder| folder.is_file()) {
            let line = format!("{} is a file: expected a directory", folder.display());
            return refuse("checkpoint", line);
        }
        Ok(TrainPlan {
            training,
            data: self.data.clone(),
            checkpoint: self.checkpoint.clone(),
        })
    }

    fn run(plan: &TrainPlan, run: &Run) -> Result<TrainAnswer, Error> {
        Ok(plan.train(run)?.0)
    }
}

impl TrainPlan {
    /// The answer, and the network.
    fn train(&self, run: &Run) -> Result<(TrainAnswer, Network), Error> {
        let data = Disk::new(&self.data);
        let checkpoint = match &self.checkpoint {
            Some(folder) => Some(Disk::exclusive(folder)?),
            None => None,
        };
        let checkpoint = checkpoint.as_ref().map(|disk| disk as &dyn Storage);
        let trained =
            train::run(&self.training, &data, checkpoint, run).map_err(|error| match error {
                TrainError::Stopped(stopped) => stopped.into(),
                TrainError::OverBudget(over) => over.into(),
                TrainError::File(file) => file.into(),
                error @ TrainError::TooFew { .. } => {
                    let line = format!("{}: {error}", shown(&self.data.display().to_string()));
                    Error::message(Some("data"), line)
                }
                error => Error::machine(error),
            })?;
        let [positions, held_out] = trained.positions;
        let losses = trained.losses.iter().map(|losses| EpochLosses {
            training: losses.training,
            validation: losses.validation,
        });
        let answer = TrainAnswer {
            positions,
            held_out,
            games: trained.games,
            hidden: trained.network.hidden(),
            scale: trained.network.scale(),
            constant_loss: trained.constant_loss,
            losses: losses.collect(),
            loss: trained.quantised_loss,
            loss_by_pieces: trained.quantised_losses,
            work: trained.work,
        };
        Ok((answer, trained.network))
    }
}

/// Where the network goes.
#[derive(Debug, clap::Args)]
pub struct TrainView {
    /// Where the network goes
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

impl OnTerminal for TrainRequest {
    type View = TrainView;

    fn show(_: &TrainPlan, answer: &TrainAnswer, view: &TrainView) -> Result<Shown, Error> {
        let mut full = "epoch  training  held out\n".to_owned();
        for (epoch, losses) in answer.losses.iter().enumerate() {
            let (training, validation) = (losses.training, losses.validation);
            full += &format!("{:5}  {training:.6}  {validation:.6}\n", epoch + 1);
        }
        full += "pieces  held out, rounded weights\n";
        for (output, loss) in answer.loss_by_pieces.iter().enumerate() {
            if let Some(loss) = loss {
                let (least, most) = (4 * output + 1, 4 * output + 4);
                full += &format!("{least:2}-{most:<4} {loss:.6}\n");
            }
        }
        full += &format!(
            "{} positions of {} games; {} held out: mean squared error {:.6} with rounded weights, {:.6} of their mean\nnetwork of {} hidden units in {}\n",
            answer.positions,
            answer.games,
            answer.held_out,
            answer.loss,
            answer.constant_loss,
            answer.hidden,
            view.out.display()
        );
        let bare = format!("{:.6}\n", answer.loss);
        Ok(Shown::from(Text { bare, full }))
    }

    fn advise(&self, error: Error) -> Error {
        error.advising_if_stopped(match self.checkpoint {
            Some(_) => "the same command resumes from the checkpoint",
            None => "with --checkpoint DIR it can be resumed",
        })
    }

    fn ask(self, view: TrainView, screen: &dyn Screen) -> Result<Ended, Error> {
        let view = &view;
        let plan = self.plan()?;
        // Tried before the training, which may take hours.
        let out = Output::prepare(&view.out)?;
        let trained = under_display(screen, |run| plan.train(run));
        let (answer, network) = trained.map_err(|error| self.advise(error))?;
        out.publish(|draft| network.write(draft))?;
        let shown = Self::show(&plan, &answer, view)?;
        write_answer::<Self>(&answer, &shown.text, screen)
    }
}

impl Answer for TrainAnswer {
    fn work(&self) -> Work {
        self.work.clone()
    }
}
