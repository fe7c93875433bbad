//! A match of ten games between two UCI engines, at 10,000 nodes a move.
//!
//! `cargo run --release -p everymove-arena --example short_match cmd=new,name=a cmd=old,name=b`
#![expect(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;

use everymove_arena::openings::{Generator, GeneratorOptions};
use everymove_arena::stats::Estimate;
use everymove_arena::{CastlingMode, Limits, MatchPlan, TournamentFormat, play_match};
use everymove_kernel::run::Run;

fn main() -> Result<(), Box<dyn Error>> {
    let engines = std::env::args().skip(1).map(|text| text.parse());
    let engines = engines.collect::<Result<Vec<_>, _>>()?;
    let limits = Limits {
        nodes: Some(10_000),
        ..Limits::default()
    };
    let openings = Generator::new(GeneratorOptions::default()).into();
    let format = TournamentFormat::RoundRobin;
    let plan = MatchPlan::new(engines, format, 5, openings, limits, CastlingMode::Standard)?;
    let report = play_match(&plan, None, &Run::serial(), &mut |_, game| {
        println!(
            "game {}: {} by {}",
            game.number + 1,
            game.outcome,
            game.ending.name()
        );
    })?;
    let score = report.standings.between(0, 1);
    let estimate = Estimate::of_games(&score.games, &score.pairs);
    println!(
        "{} of {} points, Elo {:+.1}",
        score.games.points(),
        score.games.games(),
        estimate.elo
    );
    Ok(())
}
