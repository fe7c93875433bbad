//! Any blocks with right checksums read as a winning set and as a checkpoint: refused with a reason, or read; never a
//! panic, and never more memory than the budget.
//!
//! The first byte chooses the reader and the version of a winning set; then each block is a tag (one byte, the highest bit
//! is that of a tag whose block is continued), a length (two bytes) and its payload.

#![no_main]

use everymove_kernel::files::{BlockWriter, FileError, Format, Memory, publish};
use everymove_kernel::run::{Ram, Run};
use everymove_pegs::{Board, Checkpoint, Problem, ReachPlan, WinningSet};
use libfuzzer_sys::fuzz_target;

fn write(
    storage: &Memory,
    name: &str,
    magic: [u8; 8],
    version: u32,
    mut bytes: &[u8],
) -> Result<(), FileError> {
    let format = Format {
        magic,
        version,
        what: "a fuzzed file",
    };
    publish(storage, name, |draft| {
        let mut blocks = BlockWriter::new(draft, format)?;
        while let Some((&[tag, low, high], rest)) = bytes.split_first_chunk::<3>() {
            let length = usize::from(u16::from_le_bytes([low, high])).min(rest.len());
            let (payload, rest) = rest.split_at(length);
            // The writer takes no empty block.
            if !payload.is_empty() {
                blocks.write(u32::from(tag & 0x7f) | u32::from(tag & 0x80) << 24, payload)?;
            }
            bytes = rest;
        }
        blocks.finish()?;
        Ok(())
    })
}

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, bytes)) = bytes.split_first() else {
        return;
    };
    let run = Run::new(1, Ram::limited(64 << 20));
    let storage = Memory::default();
    if choice % 2 == 0 {
        if write(&storage, "set", *b"EMPEGWIN", 1 + u32::from(choice / 2 % 2), bytes).is_ok()
            && let Ok(set) = WinningSet::load(&storage, "set", &run)
        {
            let start = set.problem().start();
            assert!(!set.is_solvable() || set.sizes().len() == start.pegs() - set.problem().last_pegs() + 1);
        }
        return;
    }
    let board = Board::named("triangle5").expect("a name of a board");
    let problem = Problem::vacate(&board, "a1", None).expect("a hole of the board");
    for name in ["reach.pegs", "ahead-1"] {
        if write(&storage, name, *b"EMPEGLAY", 1, bytes).is_err() {
            return;
        }
    }
    let checkpoint = Checkpoint::new(&storage);
    let _ = ReachPlan::new(&board, problem.start()).checkpoint(checkpoint).reach(&run);
    let _ = WinningSet::resume(&problem, checkpoint, &run);
});
