//! Any rows after any header, with right checksums, read as a winning set and as layers and numbers of a checkpoint: refused
//! with a reason, or read; never a panic, and never more memory than the budget.
//!
//! The first byte chooses the file; where the second byte is even, what follows is the end of its header from `heads` on, up
//! to a zero byte, and rows; where it is odd, they are whole blocks.

#![no_main]

use std::sync::LazyLock;
use std::time::Duration;

use everymove_kernel::files::{
    BlockReader, BlockWriter, FileError, Format, Memory, Packer, Storage, publish,
};
use everymove_kernel::run::{Ram, Run};
use everymove_pegs::{Board, LayerFiles, Problem, Quantities, WinningSet, count_totals};
use libfuzzer_sys::fuzz_target;

const FORMAT: Format = Format {
    magic: *b"EMPEGPOS",
    version: 1,
    what: "a fuzzed file",
};

fn write(storage: &Memory, name: &str, header: &[u8], payload: &[u8]) -> Result<(), FileError> {
    publish(storage, name, |draft| {
        let mut blocks = BlockWriter::new(draft, FORMAT)?;
        // The writer takes no empty block.
        for (tag, bytes) in [(0, header), (1, payload)] {
            if !bytes.is_empty() {
                blocks.write(tag, bytes)?;
            }
        }
        blocks.finish()?;
        Ok(())
    })
}

/// The names and the headers, from the first line to before that of the heads, of a winning set and of all files of a count.
static FILES: LazyLock<Vec<(String, Vec<u8>)>> = LazyLock::new(|| {
    let storage = Memory::default();
    let files = LayerFiles {
        worth: Duration::ZERO,
        checkpoint: Some(&storage),
        ..LayerFiles::default()
    };
    let (problem, run) = (problem(), Run::serial());
    count_totals(&problem, Quantities::Games, files, &run).expect("a small board");
    count_totals(&problem, Quantities::Positions, files, &run).expect("a small board");
    let set = WinningSet::new(&problem, &run).expect("a small board");
    set.save(&storage, "set").expect("a file in memory");
    let header = |name: String| {
        let mut blocks = BlockReader::open(&storage, &name, FORMAT).expect("a file of a count");
        let mut header = Vec::new();
        blocks.read(&mut header).expect("a header");
        let end = header.windows(7).position(|part| part == b"\nheads ");
        header.truncate(end.expect("a line of heads") + 1);
        (name, header)
    };
    let names = storage.list().expect("files in memory");
    names.into_iter().map(header).collect()
});

fn problem() -> Problem {
    let board = Board::named("triangle5").expect("a name of a board");
    Problem::vacate(&board, "b3", None).expect("a hole of the board")
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&[choice, raw], rest)) = bytes.split_first_chunk::<2>() else {
        return;
    };
    let at = rest.iter().position(|&byte| byte == 0).unwrap_or(rest.len());
    let (text, rows) = (&rest[..at], rest.get(at + 1..).unwrap_or_default());
    let (name, header) = &FILES[usize::from(choice) % FILES.len()];
    let storage = Memory::default();
    let written = match raw % 2 {
        1 => write(&storage, name, text, rows),
        _ => {
            let header = [&header[..], text].concat();
            let rows = Packer::new().and_then(|mut packer| packer.pack(rows));
            rows.and_then(|rows| write(&storage, name, &header, &rows))
        }
    };
    if written.is_err() {
        return;
    }
    let run = Run::new(1, Ram::limited(64 << 20));
    if name == "set" {
        if let Ok(set) = WinningSet::load(&storage, name, &run) {
            let start = set.problem().start();
            assert!(!set.is_solvable() || set.sizes().len() == start.pegs() - set.problem().last_pegs() + 1);
        }
        return;
    }
    let files = LayerFiles {
        worth: Duration::MAX,
        checkpoint: Some(&storage),
        ..LayerFiles::default()
    };
    let _ = count_totals(&problem(), Quantities::Games, files, &run);
    let _ = count_totals(&problem(), Quantities::Positions, files, &run);
});
