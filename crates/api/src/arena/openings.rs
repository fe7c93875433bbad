//! `arena openings`: balanced openings generated from the rules alone.

use std::path::{Path, PathBuf};

use everymove_arena::openings::{GeneratorOptions, generate};
use everymove_arena::{CastlingMode, GameState};
use everymove_kernel::run::{Run, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::picture::Content;
use crate::request::{Answer, Request};
use crate::terminal::{OnTerminal, Shown, Text};

/// How openings are generated.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub(super) struct GeneratorRequest {
    /// Seed of generated openings, and of the order of those that are read [default: 1]
    #[arg(long, value_name = "S")]
    pub(super) seed: Option<u64>,
    /// Random plies, at most 200 [default: 8]
    #[arg(long, value_name = "N")]
    plies: Option<u32>,
    /// The largest advantage of a side in a small search, in centipawns [default: 60]
    #[arg(long, value_name = "CENTIPAWNS")]
    balance: Option<u32>,
    /// Chess960: random initial positions
    #[arg(long)]
    #[serde(default)]
    chess960: bool,
}

impl GeneratorRequest {
    pub(super) fn options(&self) -> Result<GeneratorOptions, Error> {
        let default = GeneratorOptions::default();
        let plies = self.plies.unwrap_or(default.plies);
        if plies > 200 {
            let message = format!("plies {plies}: expected at most 200");
            return Err(Error::message(Some("plies"), message));
        }
        Ok(GeneratorOptions {
            seed: self.seed.unwrap_or(default.seed),
            plies,
            balance: self.balance.unwrap_or(default.balance),
            chess960: self.chess960,
        })
    }

    pub(super) fn mode(&self) -> CastlingMode {
        CastlingMode::from_chess960(self.chess960)
    }
}

/// Balanced openings generated from the rules alone
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct OpeningsRequest {
    /// How many [default: 100]
    #[arg(long, value_name = "N")]
    number: Option<u64>,
    /// How they are generated.
    #[command(flatten)]
    #[serde(flatten)]
    generator: GeneratorRequest,
    /// As what: epd (positions) or moves (UCI notation) [default: epd]
    #[arg(long, value_name = "FORMAT")]
    format: Option<OpeningsFormat>,
}

/// How openings are written.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub(super) enum OpeningsFormat {
    /// Positions, one a line.
    Epd,
    /// Moves in UCI notation, one opening a line; in Chess960 after the initial position, as in
    /// `position` of UCI.
    Moves,
}

/// The checked question.
#[derive(Clone, Copy, Debug)]
pub struct OpeningsPlan {
    options: GeneratorOptions,
    mode: CastlingMode,
    number: u64,
    format: OpeningsFormat,
}

/// Openings, no two of which lead to the same position.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OpeningsAnswer {
    /// Positions in FEN, or moves in UCI notation; in Chess960 `fen FEN moves MOVES`.
    openings: Vec<String>,
}

impl Request for OpeningsRequest {
    const COMMAND: &'static str = "arena openings";
    type Plan = OpeningsPlan;
    type Answer = OpeningsAnswer;

    fn plan(&self) -> Result<OpeningsPlan, Error> {
        Ok(OpeningsPlan {
            options: self.generator.options()?,
            mode: self.generator.mode(),
            number: self.number.unwrap_or(100),
            format: self.format.unwrap_or(OpeningsFormat::Epd),
        })
    }

    fn run(plan: &OpeningsPlan, run: &Run) -> Result<OpeningsAnswer, Error> {
        let openings = generate(plan.options, plan.number, run)?;
        let found = openings.len() as u64;
        if found < plan.number {
            let message = format!(
                "there are only {found} openings like that, not {}: allow more plies or less balance",
                plan.number
            );
            return Err(Error::message(Some("number"), message));
        }
        let written = openings.iter().map(|opening| {
            let game = GameState::new(opening, plan.mode).map_err(Error::machine)?;
            Ok::<_, Error>(match plan.format {
                OpeningsFormat::Epd => game.fen(),
                OpeningsFormat::Moves => match game.start_fen() {
                    None => game.uci_moves().join(" "),
                    Some(fen) => format!("fen {fen} moves {}", game.uci_moves().join(" ")),
                },
            })
        });
        Ok(OpeningsAnswer {
            openings: written.collect::<Result<_, _>>()?,
        })
    }
}

/// Where the openings go.
#[derive(Debug, clap::Args)]
pub struct OpeningsView {
    /// Write them into this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl OnTerminal for OpeningsRequest {
    type View = OpeningsView;

    fn files(view: &OpeningsView) -> Result<Vec<&Path>, Error> {
        Ok(view.out.as_deref().into_iter().collect())
    }

    fn show(
        _: &OpeningsPlan,
        answer: &OpeningsAnswer,
        view: &OpeningsView,
    ) -> Result<Shown, Error> {
        let lines = answer.openings.iter();
        let lines: String = lines.map(|line| format!("{line}\n")).collect();
        let Some(out) = &view.out else {
            return Ok(Text::same(lines).into());
        };
        let number = answer.openings.len();
        Ok(Shown {
            text: Text::same(format!("wrote {} ({number} openings)\n", out.display())),
            files: vec![Content::Bytes(lines.into_bytes())],
        })
    }
}

impl Answer for OpeningsAnswer {
    fn work(&self) -> Work {
        Work::of("openings", self.openings.len() as u64)
    }
}
