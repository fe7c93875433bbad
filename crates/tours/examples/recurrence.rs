//! The linear recurrences of the closed and open knight's tours of boards with some rows, modulo
//! two primes: their orders, and which power of the denominator of closed tours divides that of
//! open ones.
//!
//! `cargo run --release -p everymove-tours --example recurrence -- ROWS [closed]`
//!
//! With `closed` only those of closed tours.
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::time::Instant;

use everymove_kernel::run::Run;
use everymove_tours::board::{Kind, Leaper};
use everymove_tours::columns::{Columns, Recurrence};

const PRIMES: [u32; 2] = [2_147_483_647, 2_147_483_629];

/// Terms that must agree beyond those that determine a recurrence.
const MORE: usize = 100;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let rows = arguments.next().ok_or("expected ROWS")?.parse()?;
    let only_closed = match arguments.next().as_deref() {
        None => false,
        Some("closed") => true,
        Some(_) => return Err("expected ROWS [closed]".into()),
    };
    let closed = recurrences(rows, Kind::Closed)?;
    if only_closed {
        return Ok(());
    }
    let open = recurrences(rows, Kind::Open)?;
    for ((closed, open), prime) in closed.iter().zip(&open).zip(PRIMES) {
        let (mut rest, mut power) = (open.denominator(), 0);
        if closed.order() == 0 {
            println!("modulo {prime}: there are no closed tours");
            continue;
        }
        while let Some(quotient) = divided(&rest, &closed.denominator(), prime.into()) {
            (rest, power) = (quotient, power + 1);
        }
        println!(
            "modulo {prime}: power {power} of the denominator of closed tours divides that of open ones"
        );
    }
    Ok(())
}

fn recurrences(rows: usize, kind: Kind) -> Result<[Recurrence; 2], Box<dyn std::error::Error>> {
    let begin = Instant::now();
    let columns = Columns::new(rows, &Leaper::KNIGHT, kind, &Run::serial())?;
    let (states, ways) = (columns.states(), columns.transitions());
    let seconds = begin.elapsed().as_secs_f64();
    println!("{kind}: {states} states before a column, {ways} ways in a column, {seconds:.2} s");
    let begin = Instant::now();
    let mut recurrences = PRIMES.map(Recurrence::new);
    let mut terms = 0;
    for found in columns.terms(PRIMES) {
        for (recurrence, term) in recurrences.iter_mut().zip(found) {
            recurrence.push(term);
        }
        terms += 1;
        if recurrences
            .iter()
            .all(|recurrence| terms >= 2 * recurrence.order() + MORE)
        {
            break;
        }
    }
    let seconds = begin.elapsed().as_secs_f64();
    for (recurrence, prime) in recurrences.iter().zip(PRIMES) {
        let order = recurrence.order();
        let degree = recurrence.denominator().iter().rposition(|&c| c != 0);
        println!(
            "{kind}: order {order}, degree of the denominator {} from {terms} terms, {seconds:.1} s, modulo {prime}",
            degree.unwrap_or(0)
        );
    }
    Ok(recurrences)
}

/// The quotient of two polynomials modulo a prime, from the constant on; none if there is a rest.
fn divided(polynomial: &[u64], by: &[u64], prime: u64) -> Option<Vec<u64>> {
    let mut rest = polynomial.to_vec();
    let degree = by.iter().rposition(|&c| c != 0)?;
    let (mut inverse, mut base, mut exponent) = (1, by[degree], prime - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            inverse = inverse * base % prime;
        }
        (base, exponent) = (base * base % prime, exponent >> 1);
    }
    let mut quotient = vec![0; rest.len().checked_sub(degree)?];
    for at in (0..quotient.len()).rev() {
        let factor = rest[at + degree] * inverse % prime;
        quotient[at] = factor;
        for (rest, &c) in rest[at..].iter_mut().zip(&by[..=degree]) {
            *rest = (*rest + prime - factor * c % prime) % prime;
        }
    }
    rest.iter().all(|&c| c == 0).then_some(quotient)
}
