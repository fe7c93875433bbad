//! `everymove arena openings`: balanced openings made from the rules alone.

use std::path::PathBuf;

use everymove_arena::openings::{GeneratorOptions, generate};
use everymove_arena::{CastlingMode, GameState};
use everymove_kernel::files::Output;
use everymove_kernel::run::Work;

use crate::answer::{Answer, Outcome};
use crate::failure::Failure;
use crate::session::Session;

/// How openings are made, in words.
#[derive(Debug, clap::Args)]
pub(super) struct RecipeArgs {
    /// Seed of openings that are made, and of the order of those that are read
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(super) seed: u64,
    /// Random moves of either side
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub(super) plies: u32,
    /// Centipawns that a small search may find between the sides
    #[arg(long, value_name = "CENTIPAWNS", default_value_t = 60)]
    pub(super) balance: u32,
    /// Chess960: random first positions
    #[arg(long)]
    pub(super) chess960: bool,
}

impl RecipeArgs {
    pub(super) fn plan(&self) -> Result<GeneratorOptions, Failure> {
        if self.plies > 200 {
            return Err(Failure::Input(format!(
                "--plies {}: expected at most 200",
                self.plies
            )));
        }
        Ok(GeneratorOptions {
            seed: self.seed,
            plies: self.plies,
            balance: self.balance,
            chess960: self.chess960,
        })
    }

    pub(super) fn mode(&self) -> CastlingMode {
        CastlingMode::from_chess960(self.chess960)
    }
}

/// `everymove arena openings`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How many
    #[arg(long, value_name = "N", default_value_t = 100)]
    number: u64,
    #[command(flatten)]
    recipe: RecipeArgs,
    /// As what: epd (positions) or moves (UCI notation)
    #[arg(long, value_name = "FORMAT", default_value = "epd")]
    format: String,
    /// Write them into this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let recipe = args.recipe.plan()?;
    let as_moves = match args.format.as_str() {
        "epd" => false,
        "moves" => true,
        other => {
            return Err(Failure::Input(format!(
                "'{other}' is not a format of openings: expected epd or moves"
            )));
        }
    };
    let out = args.out.as_deref().map(Output::prepare).transpose()?;
    let openings = session
        .work(|run| generate(recipe, args.number, run))
        .map_err(|_| Failure::stopped(""))?;
    let mut lines = Vec::new();
    for opening in &openings {
        let game = GameState::new(opening, args.recipe.mode()).map_err(Failure::resource)?;
        lines.push(if as_moves {
            game.uci_moves().join(" ")
        } else {
            game.fen()
        });
    }
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let shown = match out {
        None => text,
        Some(out) => {
            let path = out.path().display().to_string();
            out.publish(|draft| draft.put(text.as_bytes()))?;
            format!("{} openings in {path}\n", openings.len())
        }
    };
    if (openings.len() as u64) < args.number {
        return Err(Failure::Input(format!(
            "there are only {} openings like that, not {}: allow more plies or less balance",
            openings.len(),
            args.number
        )));
    }
    Answer::new("arena openings", Outcome::Yes)
        .field("openings", lines)
        .bare(shown.as_str())
        .text(shown)
        .work(&Work::of("openings", openings.len() as u64))
        .show(session)
}
