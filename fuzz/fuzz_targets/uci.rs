//! Any bytes read as UCI commands: each `go` that starts a search is answered, and nothing panics.
//!
//! Every search and count is stopped by the end of the input, so that a target run is short. The bench is not: it is left out.

#![no_main]

use std::io::Cursor;

use everymove_engine::uci;
use everymove_kernel::run::{Ram, Run};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let commands = String::from_utf8_lossy(bytes);
    if commands.split_whitespace().any(|word| word == "bench") {
        return;
    }
    // A small hash table, whatever is asked for.
    let run = Run::new(1, Ram::limited(2 << 20));
    let mut output = Vec::new();
    let input: Vec<u8> = [bytes, b"\nstop\nposition startpos\ngo depth 1\nstop\nisready\n"].concat();
    uci::serve(Cursor::new(input), &mut output, &run);
    let text = String::from_utf8(output).expect("the engine sends UTF-8");
    // The engine takes every white space of Unicode for one.
    let quits = commands.split('\n').any(|line| line.trim().starts_with("quit"));
    if !quits {
        assert!(text.contains("bestmove ") && text.ends_with("readyok\n"), "{text}");
    }
});
