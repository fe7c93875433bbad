//! The order of the linear recurrence of the tours of boards with some rows, modulo two primes.
//!
//! `cargo run --release -p everymove-tours --example recurrence -- ROWS open|closed [TERMS]`
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::time::Instant;

use everymove_kernel::run::Run;
use everymove_tours::board::Kind;
use everymove_tours::columns::{Columns, Recurrence};

const PRIMES: [u32; 2] = [2_147_483_647, 2_147_483_629];

const KNIGHT: [(i32, i32); 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [rows, kind, terms @ ..] = &words[..] else {
        return Err("expected ROWS open|closed [TERMS]".into());
    };
    let kind = match kind.as_str() {
        "open" => Kind::Open,
        "closed" => Kind::Closed,
        other => return Err(format!("'{other}': expected open or closed").into()),
    };
    let begin = Instant::now();
    let columns = Columns::new(rows.parse()?, &KNIGHT, kind, &Run::serial())?;
    println!(
        "{} states before a column, {} ways in a column, {:.2} s",
        columns.states(),
        columns.transitions(),
        begin.elapsed().as_secs_f64()
    );
    let terms = terms
        .first()
        .map_or(Ok(2 * columns.states() + 64), |n| n.parse())?;
    let begin = Instant::now();
    let found: Vec<[u32; 2]> = columns.terms(PRIMES).take(terms).collect();
    println!("{terms} terms, {:.2} s", begin.elapsed().as_secs_f64());
    for (i, prime) in PRIMES.into_iter().enumerate() {
        let begin = Instant::now();
        let terms: Vec<u32> = found.iter().map(|term| term[i]).collect();
        let recurrence = Recurrence::of(&terms, prime);
        let order = recurrence.order();
        let seconds = begin.elapsed().as_secs_f64();
        println!("modulo {prime}: order {order}, {seconds:.2} s");
        let begin = Instant::now();
        let far = recurrence.term(&terms, 999_999);
        let seconds = begin.elapsed().as_secs_f64();
        println!("1,000,000 columns: {far} modulo {prime}, {seconds:.2} s");
    }
    Ok(())
}
