//! Generates an ending with and without the fifty-move rule and prints what the rule changes;
//! tables are kept in a directory if one is named: `cargo run --release -p everymove-tables
//! --example fifty_moves -- KBBvKN tables`.

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use std::path::PathBuf;

use everymove_kernel::run::Run;
use everymove_tables::differences::compare;
use everymove_tables::stats::{Counting, stats};
use everymove_tables::{Material, Metric, Plan, Tables, build};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next();
    let material: Material = name.as_deref().unwrap_or("KRvK").parse()?;
    let own = tempfile::tempdir()?;
    let folder = arguments
        .next()
        .map_or(own.path().to_owned(), PathBuf::from);
    let run = Run::serial();
    let tables = |metric| Tables::new(&folder, metric);
    for metric in [Metric::Mate, Metric::MateFifty] {
        let built = build(&Plan::new(material.clone(), metric), &tables(metric), &run)?;
        println!("{metric}: {:?}", built.work);
    }
    let [mate, fifty] = [Metric::Mate, Metric::MateFifty].map(tables);
    for tables in [&mate, &fifty] {
        let counts = stats(&material, tables, Counting::Positions, &run)?;
        let bytes = std::fs::metadata(tables.path(&material))?.len();
        for (name, side) in [("White", &counts.white), ("Black", &counts.black)] {
            println!(
                "{}: {name} wins {} positions, the longest in {} plies; {bytes} bytes",
                tables.metric(),
                side.won(),
                side.longest_win()
            );
        }
    }
    let compared = compare(&material, &mate, &fifty, Counting::Positions, &run)?;
    println!("{compared:#?}");
    Ok(())
}
