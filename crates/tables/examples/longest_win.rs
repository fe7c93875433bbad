//! Generates an ending and prints its longest wins and mutual zugzwangs:
//! `cargo run --release -p everymove-tables --example longest_win -- KQvKR`.

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use everymove_kernel::run::Run;
use everymove_tables::notable::notable;
use everymove_tables::stats::{Counting, stats};
use everymove_tables::{Material, Metric, Plan, Tables, build};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1);
    let material: Material = name.as_deref().unwrap_or("KRvK").parse()?;
    let folder = tempfile::tempdir()?;
    let tables = Tables::new(folder.path(), Metric::Mate);
    let run = Run::serial();
    build(&Plan::new(material.clone(), Metric::Mate), &tables, &run)?;
    let counts = stats(&material, &tables, Counting::Classes, &run)?;
    let found = notable(&material, &tables, 3, &run)?;
    println!(
        "{material}: White to move wins {} classes of positions",
        counts.white.won()
    );
    println!("longest win: {} plies to mate", counts.white.longest_win());
    for fen in found.longest_wins {
        println!("  {fen}");
    }
    println!("{} mutual zugzwangs", found.zugzwangs);
    for fen in found.zugzwang_examples {
        println!("  {fen}");
    }
    Ok(())
}
