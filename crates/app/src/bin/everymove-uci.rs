//! The chess engine alone, for chess programs that cannot pass arguments.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "help and errors of a program"
)]

use std::io;
use std::process::ExitCode;

use everymove_api::budget;
use everymove_engine::uci;
use everymove_kernel::machine;
use everymove_kernel::run::{Ram, Run};
use everymove_kernel::system::report_size_limit;

const HELP: &str = "\
everymove-uci: the chess engine of everymove for chess programs

Usage: everymove-uci [--help | --version]

Add this file as an engine (protocol UCI) in a chess program such as Cute Chess, BanksiaGUI or En Croissant: it takes
no arguments and is controlled by the program over standard input and output. Useful options in the program's
engine settings: Threads (as many as the machine has cores) and Hash (memory in MB). Started in a terminal it waits
for UCI commands; 'quit' ends it. To play in the terminal: everymove play. Documentation: docs/gui.md
";

fn main() -> ExitCode {
    let word = std::env::args_os().nth(1);
    match word.as_ref().map(|word| word.to_string_lossy()).as_deref() {
        None => {}
        Some("--help" | "-h" | "help") => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Some("--version" | "-V") => {
            println!("everymove-uci {}", env!("CARGO_PKG_VERSION"));
            return ExitCode::SUCCESS;
        }
        // Some chess programs pass the name of the protocol.
        Some("uci" | "--uci" | "-uci") => {}
        Some(_) => {
            eprintln!("everymove-uci: it takes no arguments: see everymove-uci --help");
            return ExitCode::from(2);
        }
    }
    report_size_limit();
    let run = Run::new(machine::cores(), Ram::limited(budget::usual_ram()));
    uci::serve(io::stdin().lock(), io::stdout(), &run);
    ExitCode::SUCCESS
}
