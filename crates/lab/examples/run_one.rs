//! Runs one experiment at its quick size and prints its report; fails where a result disagrees with a known one:
//! `cargo run --release -p everymove-lab --example run_one -- tours-symmetric`.

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use everymove_kernel::run::Run;
use everymove_lab::{Options, Size, find};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1);
    let experiment = find(name.as_deref().unwrap_or("tours-symmetric"))?;
    let options = Options::new(Size::Quick).up_to_threads(1);
    let report = experiment.run(&options, &Run::serial())?;
    println!("{}", report.text());
    for check in &report.checks {
        assert!(
            check.agrees(),
            "{}: {} instead of {}",
            check.what,
            check.found,
            check.known
        );
    }
    Ok(())
}
