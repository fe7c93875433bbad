//! Writes a file of checksummed blocks that appears under its name only when it is complete, changes one byte of it, and
//! shows how the damage is reported: `cargo run -p everymove-kernel --example checked_file`.

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use std::fs;

use everymove_kernel::files::{BlockReader, BlockWriter, Disk, FileError, Format, publish};

const SQUARES: Format = Format {
    magic: *b"SQUARES1",
    version: 1,
    what: "square numbers",
};

/// The sum of all numbers in the file.
fn sum(folder: &Disk) -> Result<u64, FileError> {
    let mut blocks = BlockReader::open(folder, "squares", SQUARES)?;
    let (mut bytes, mut sum) = (Vec::new(), 0);
    while blocks.read(&mut bytes)?.is_some() {
        sum += (bytes.chunks_exact(8))
            .map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes")))
            .sum::<u64>();
    }
    Ok(sum)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let temporary = tempfile::tempdir()?;
    let folder = Disk::new(temporary.path());
    publish(&folder, "squares", |draft| {
        let mut blocks = BlockWriter::new(draft, SQUARES)?;
        for tag in 0..10u32 {
            let words = (0..100u64).map(|i| (100 * u64::from(tag) + i).pow(2));
            let bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
            blocks.write(tag, &bytes)?;
        }
        blocks.finish()
    })?;
    println!("sum of the squares below 1000: {}", sum(&folder)?);

    let path = temporary.path().join("squares");
    let mut bytes = fs::read(&path)?;
    bytes[4000] ^= 1;
    fs::write(&path, bytes)?;
    let error = sum(&folder).expect_err("the checksum of a block is wrong");
    println!("after one changed bit: {error}");
    Ok(())
}
