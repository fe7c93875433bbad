//! The chess engine alone, for chess programs that cannot pass arguments.

use std::io;

use everymove_kernel::machine;
use everymove_kernel::run::{Ram, Run};

fn main() {
    let ram = machine::free_memory_bytes().map_or(2 << 30, |free| free / 2);
    let run = Run::new(machine::cores(), Ram::limited(ram));
    everymove_engine::uci::serve(io::stdin().lock(), io::stdout(), &run);
}
