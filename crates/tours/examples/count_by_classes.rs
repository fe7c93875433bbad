//! Counts the tours of a board class by class and prints a line for every layer and class.
//!
//! `count_by_classes BOARD open|closed [threads=N] [ram=BYTES] [journal=FOLDER] [key=SLOTS]
//! [part=SLOTS] [stop=SECONDS] [files=FOLDER] [disk=BYTES]`
//!
//! `count_by_classes sum=FOLDER` adds up a journal.

use std::collections::HashMap;
use std::time::Duration;

use everymove_kernel::machine::{Meter, peak_rss_bytes};
use everymove_kernel::run::{Bytes, Ram, Run};
use everymove_tours::board::{Board, Kind};
use everymove_tours::frontier::classes::{ClassOptions, Columns, Event, count_by_classes, summary};
use everymove_tours::question::Question;

#[expect(clippy::print_stdout, reason = "an example prints its results")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (board, kind) = match &args[..] {
        [board, kind, ..] => (board.parse()?, kind.as_str()),
        _ => ("7x7".parse()?, "open"),
    };
    let named: HashMap<&str, &str> = args.iter().filter_map(|arg| arg.split_once('=')).collect();
    let number = |name: &str, default: usize| -> Result<usize, std::num::ParseIntError> {
        named.get(name).map_or(Ok(default), |text| text.parse())
    };
    if let Some(folder) = named.get("sum") {
        let summary = summary(folder.as_ref())?;
        println!(
            "{}: {} of {} classes, {} undirected tours, {} transitions",
            summary.question,
            summary.finished,
            summary.classes,
            summary.undirected,
            summary.transitions
        );
        for (slot, parts) in summary.by_degree.iter().enumerate() {
            let [none, one, two] = parts;
            println!("slot {slot}: degree 0 {none}, degree 1 {one}, degree 2 {two}");
        }
        return Ok(());
    }
    let kind = if kind == "closed" {
        Kind::Closed
    } else {
        Kind::Open
    };
    let ram = match named.get("ram") {
        Some(text) => Ram::limited(text.parse::<Bytes>()?.0),
        None => Ram::unlimited(),
    };
    let run = Run::new(number("threads", 1)?, ram);
    let limit = number("stop", 0)?;
    if limit > 0 {
        let stop = run.stop.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs(limit as u64));
            stop.raise();
        });
    }
    let options = ClassOptions {
        journal: named.get("journal").map(Into::into),
        key_slots: number("key", 5)?,
        part_slots: named.get("part").map(|text| text.parse()).transpose()?,
        plan_only: named.contains_key("plan"),
        columns: match named.contains_key("wide") {
            true => Columns::Wide,
            false => Columns::Narrow,
        },
        files: named.get("files").map(Into::into),
        disk: match named.get("disk") {
            Some(text) => Some(text.parse::<Bytes>()?.0),
            None => None,
        },
    };
    let meter = Meter::start();
    let ram = run.ram.clone();
    let mut observe = |event: Event| {
        print!(
            "{:8.1} s {:9.1} cpu-s {:7.2} GB in use, {:6.2} GB peak rss | ",
            meter.wall_seconds(),
            meter.cpu_seconds(),
            ram.used() as f64 * 1e-9,
            peak_rss_bytes().unwrap_or(0) as f64 * 1e-9,
        );
        match event {
            Event::List {
                phase,
                step,
                by_pairs,
            } => println!("{phase} {step}: by pairs {by_pairs:?}"),
            Event::Planned {
                blocks,
                classes,
                finished,
            } => println!("planned: {blocks} blocks, {classes} classes, {finished} finished"),
            Event::Layer {
                phase,
                step,
                class,
                blocks,
                states,
                bytes,
                transitions,
            } => println!(
                "{phase} {step} class {class}: {blocks} blocks, {states} states, {bytes} bytes, {transitions} transitions"
            ),
            Event::Class { finished, done, of } => println!(
                "class {}: sum {}, {} transitions; {done} of {of}",
                finished.class, finished.sum, finished.transitions
            ),
            _ => println!(),
        }
    };
    let question = Question::new(
        Board::new(board, everymove_tours::board::Leaper::KNIGHT),
        kind,
    );
    let counted = count_by_classes(&question, &options, &run, &mut observe)?;
    match counted {
        Some(count) => println!("undirected {} {:?}", count.undirected, count.work),
        None => println!("too few rows for classes"),
    }
    println!(
        "{:.1} s, {:.1} cpu-s",
        meter.wall_seconds(),
        meter.cpu_seconds()
    );
    Ok(())
}
