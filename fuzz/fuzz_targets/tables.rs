//! Any bytes read as a table of our own: refused with a reason, or decoded and looked up; never a panic.
//!
//! The checksums are made right first, as far as the bytes say where they are, so that changed bytes get past them.

#![no_main]

use std::fs;

use everymove_kernel::run::{Ram, Run};
use everymove_tables::Tables;
use everymove_tables::probe::read_position;
use everymove_tables::stats::{Counting, stats};
use libfuzzer_sys::fuzz_target;
use xxhash_rust::xxh3::xxh3_64;

const HEADER: usize = 64;
const TRAILER: usize = 32;

fn number(bytes: &[u8], at: usize, width: usize) -> Option<usize> {
    let part = bytes.get(at..at.checked_add(width)?)?;
    let value = part.iter().rev().fold(0u64, |n, &b| n << 8 | u64::from(b));
    usize::try_from(value).ok()
}

/// Makes the checksums right: of the header, of the blocks, of the index, of the end.
fn seal(bytes: &mut [u8]) -> Option<()> {
    let length = bytes.len();
    if length < HEADER + TRAILER {
        return None;
    }
    let sum = xxh3_64(&bytes[..HEADER - 8]).to_le_bytes();
    bytes[HEADER - 8..HEADER].copy_from_slice(&sum);
    let end = length - TRAILER;
    let index = number(bytes, end, 8).filter(|&index| (HEADER..=end).contains(&index))?;
    bytes[end + 8..end + 16].copy_from_slice(&((end - index) as u64).to_le_bytes());
    let (mut start, mut entry) = (HEADER, index + 16 * usize::from(bytes[13]));
    while entry + 8 <= end {
        let length = number(bytes, entry, 4)?;
        if length > 0
            && let Some(frame) = bytes.get(start..start.saturating_add(length))
        {
            let sum = (xxh3_64(frame) as u32).to_le_bytes();
            bytes[entry + 4..entry + 8].copy_from_slice(&sum);
        }
        start = start.saturating_add(length);
        entry += 8;
    }
    let sum = xxh3_64(&bytes[index..end]).to_le_bytes();
    bytes[end + 16..end + 24].copy_from_slice(&sum);
    let sum = xxh3_64(&bytes[end..end + 24]).to_le_bytes();
    bytes[end + 24..].copy_from_slice(&sum);
    Some(())
}

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.to_vec();
    let _ = seal(&mut bytes);
    let folder = std::env::temp_dir().join(format!("everymove-fuzz-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for the file");
    for metric in ["dtm", "dtz", "dtm50", "dtc"] {
        let file = folder.join(format!("KQvK.{metric}"));
        fs::write(&file, &bytes).expect("room for the file");
        if let Ok((tables, material)) = Tables::beside(&file) {
            let run = Run::new(1, Ram::limited(16 << 20));
            let _ = tables.scrub(&material, &run);
            let _ = stats(&material, &tables, Counting::Classes, &run);
            let _ = tables.longest_win(&material);
            for turn in ["w", "b"] {
                let fen = format!("8/8/8/8/8/2k5/7Q/K7 {turn} - - 0 1");
                let position = read_position(&fen).expect("a legal position");
                let _ = tables.probe(&position, 0);
                let _ = tables.line(&position, 0, 40);
            }
        }
    }
});
