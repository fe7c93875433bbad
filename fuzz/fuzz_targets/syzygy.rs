//! Any bytes read as a Syzygy file: refused with a reason or decoded to the end, never a panic.
//!
//! `cargo +nightly fuzz run syzygy fuzz/corpus/syzygy`, with small Syzygy files as the first corpus.

#![no_main]

use everymove_kernel::run::Run;
use everymove_tables::syzygy::SyzygyFile;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(file) = SyzygyFile::parse(bytes.to_vec()) {
        // The checksum of changed bytes never fits, so the blocks are decoded without it, too.
        let _ = file.check(&Run::serial());
        let _ = file.check_blocks(&Run::serial());
    }
});
