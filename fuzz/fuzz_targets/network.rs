//! Any blocks with right checksums read as a file of games and as a network: refused with a reason, or read; never a panic.
//!
//! The first byte chooses the reader. A file of games is one block, whose first two bytes are its number of games; a network is a list of
//! blocks, each a tag (one byte), a length (two bytes) and its payload.

#![no_main]

use std::io::Write;

use everymove_engine::eval::Network;
use everymove_engine::selfplay::read_folder;
use everymove_kernel::files::{BlockWriter, FileError, Format, Memory, Storage, publish};
use libfuzzer_sys::fuzz_target;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

const NETWORK: Format = Format {
    magic: *b"EMNETWRK",
    version: 1,
    what: "a fuzzed file",
};

fn write_network(storage: &Memory, mut bytes: &[u8]) -> Result<(), FileError> {
    publish(storage, "network", |draft| {
        let mut blocks = BlockWriter::new(draft, NETWORK)?;
        while let Some((&[tag, low, high], rest)) = bytes.split_first_chunk::<3>() {
            let length = usize::from(u16::from_le_bytes([low, high])).min(rest.len());
            let (payload, rest) = rest.split_at(length);
            if !payload.is_empty() {
                blocks.write(u32::from(tag), payload)?;
            }
            bytes = rest;
        }
        blocks.finish().map(|_| ())
    })
}

fn games(number: u16, payload: &[u8]) -> Vec<u8> {
    let mut file = b"\x89EMG\r\n\x1a\n\x01\0\0\0\0\0\0\0".to_vec();
    file.extend([0; 16]);
    file.extend(xxh3_64(&file).to_le_bytes());
    let mut head = Vec::new();
    for word in [payload.len() as u32, u32::from(number), 0, 0] {
        head.extend(word.to_le_bytes());
    }
    let mut hash = Xxh3::with_seed(0);
    hash.update(&head);
    hash.update(payload);
    file.extend(head);
    file.extend(hash.digest().to_le_bytes());
    file.extend(payload);
    file
}

fuzz_target!(|bytes: &[u8]| {
    let storage = Memory::default();
    match bytes {
        [choice, low, high, payload @ ..] if choice % 2 == 0 => {
            let number = u16::from_le_bytes([*low, *high]);
            let mut file = storage.create("seed-0.games").expect("memory");
            file.write_all(&games(number, payload)).expect("memory");
            drop(file);
            for block in read_folder(&storage).expect("memory").flatten() {
                let read = block.games().map(|games| games.len());
                assert!(read.is_err() || read.is_ok_and(|n| n == usize::from(number)));
                let _ = block.samples();
            }
        }
        [_, bytes @ ..] => {
            if write_network(&storage, bytes).is_ok() {
                let _ = Network::read(&storage, "network");
            }
        }
        [] => {}
    }
});
