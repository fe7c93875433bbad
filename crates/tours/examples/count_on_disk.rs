//! Counts the tours of a board with layers in files.
//!
//! `count_on_disk BOARD open|closed FOLDER [THREADS [RAM [DISK]]]`

use everymove_kernel::machine::{Meter, peak_rss_bytes};
use everymove_kernel::run::{Bytes, Ram, Run};
use everymove_tours::board::{Board, Kind, Leaper};
use everymove_tours::question::Question;
use everymove_tours::{CountOptions, count};

#[expect(clippy::print_stdout, reason = "an example prints its results")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let arg = |i: usize, default: &str| args.get(i).map_or(default.to_owned(), Clone::clone);
    let kind = match arg(1, "closed").as_str() {
        "closed" => Kind::Closed,
        _ => Kind::Open,
    };
    let board = Board::new(arg(0, "6x6").parse()?, Leaper::KNIGHT);
    let bytes = |i, default| arg(i, default).parse::<Bytes>().map(|bytes| bytes.0);
    let run = Run::new(arg(3, "1").parse()?, Ram::of_process(bytes(4, "512M")?)?);
    let options = CountOptions {
        work: args.get(2).map(Into::into),
        disk: Some(bytes(5, "20G")?),
        ..CountOptions::default()
    };
    let meter = Meter::start();
    let counted = count(&Question::new(board, kind), &options, &run)?;
    println!(
        "{} by {}: {:?}",
        counted.count, counted.method_reason, counted.work
    );
    println!(
        "{:.1} s, {:.1} cpu-s, {} reserved, {} peak rss",
        meter.wall_seconds(),
        meter.cpu_seconds(),
        Bytes(run.ram.peak()),
        Bytes(peak_rss_bytes().unwrap_or(0))
    );
    Ok(())
}
