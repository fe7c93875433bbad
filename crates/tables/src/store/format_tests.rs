//! Tests of table files whose blocks are rows.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use everymove_kernel::files::{Disk, Memory, Storage, publish};

use crate::store::block_cache::BlockCache;
use crate::store::format::{BLOCK, Packing, Reader, Writer};
use crate::store::rows::GROUP;

fn golden(version: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/tables-{version}"))
}

fn open(storage: &dyn Storage) -> Reader {
    Reader::open(storage, "KPvK.dtm", &Arc::new(BlockCache::new(1 << 20))).unwrap()
}

/// The golden file of the first version, written again with rows in place of frames.
fn as_rows() -> Memory {
    let frames = open(&Disk::new(golden("v1")));
    let storage = Memory::default();
    publish(&storage, "KPvK.dtm", |draft| {
        let mut writer = Writer::new(draft, &frames.material, frames.metric, u64::MAX)?;
        for section in 0..frames.sections() {
            let codes = |block| frames.block(section, block);
            let blocks: Vec<_> = (0..frames.blocks(section))
                .map(codes)
                .collect::<Result<_, _>>()?;
            let packing = Packing::rows(&blocks);
            writer.section(
                frames.positions(section),
                frames.max_code(section),
                &packing,
            )?;
            for block in &blocks {
                writer.block(&packing.pack(block))?;
            }
        }
        writer.finish()
    })
    .unwrap();
    storage
}

fn bytes(storage: &Memory) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut file = storage.open("KPvK.dtm").unwrap();
    file.read_to_end(&mut bytes).unwrap();
    bytes
}

#[test]
fn rows_hold_what_frames_hold() {
    let frames = open(&Disk::new(golden("v1")));
    for rows in [open(&as_rows()), open(&Disk::new(golden("v2")))] {
        let mut won = 0;
        for section in 0..frames.sections() {
            for block in 0..frames.blocks(section) {
                let codes = frames.block(section, block).unwrap();
                assert!(rows.block(section, block).unwrap() == codes);
                for (i, &code) in codes.iter().enumerate() {
                    let position = block * super::format::BLOCK + i;
                    assert_eq!(rows.code(section, position).unwrap(), code);
                    assert_eq!(frames.code(section, position).unwrap(), code);
                    won += u32::from(code > 0);
                }
            }
        }
        assert!(won > 100_000, "{won}");
    }
}

#[test]
fn rows_are_written_byte_by_byte() {
    assert!(bytes(&as_rows()) == std::fs::read(golden("v2").join("KPvK.dtm")).unwrap());
}

/// A changed byte anywhere in a file is refused, or none of its blocks changes.
#[test]
fn damaged_rows_are_refused() {
    let whole = bytes(&as_rows());
    for at in (0..whole.len()).step_by(61) {
        let mut damaged = whole.clone();
        damaged[at] ^= 16;
        let storage = Memory::default();
        publish(&storage, "KPvK.dtm", |draft| draft.put(&damaged)).unwrap();
        let cache = Arc::new(BlockCache::new(0));
        let Ok(reader) = Reader::open(&storage, "KPvK.dtm", &cache) else {
            continue;
        };
        let mut blocks = (0..reader.sections())
            .flat_map(|section| (0..reader.blocks(section)).map(move |block| (section, block)));
        assert!(
            blocks.any(|(section, block)| reader.block(section, block).is_err()),
            "{at}"
        );
    }
}

/// Writes the golden file of the second version. It is kept; run this only for a new version of the
/// format: `cargo test --release -p everymove-tables --lib golden_rows -- --ignored`.
#[test]
#[ignore = "writes the golden file"]
fn write_golden_rows() {
    std::fs::create_dir_all(golden("v2")).unwrap();
    std::fs::write(golden("v2").join("KPvK.dtm"), bytes(&as_rows())).unwrap();
}

/// The codes of some blocks are those that were decoded, whether these were constant, frames or
/// rows.
#[test]
fn seen_codes_are_those_of_decoded_blocks() {
    for reader in [open(&Disk::new(golden("v1"))), open(&as_rows())] {
        let mut several = false;
        for section in 0..reader.sections() {
            let mut expected = BTreeSet::new();
            for block in 0..reader.blocks(section) {
                let unseen: Vec<usize> = (block..reader.blocks(section)).collect();
                assert_eq!(reader.unseen_blocks(section), unseen);
                let found: Vec<u16> = expected.iter().copied().collect();
                assert_eq!(reader.seen_codes(section), found);
                expected.extend(reader.block(section, block).unwrap());
            }
            let found: Vec<u16> = expected.into_iter().collect();
            assert_eq!(reader.seen_codes(section), found);
            several |= found.len() > 1;
        }
        assert!(several);
    }
}

/// Blocks decoded part by part, as frames and as rows, have the codes that they have as a whole.
#[test]
fn parts_are_those_of_whole_blocks() {
    for (reader, expected) in [
        (open(&Disk::new(golden("v1"))), BLOCK),
        (open(&as_rows()), GROUP),
    ] {
        for section in 0..reader.sections() {
            let length = reader.codes_at_once(section);
            assert_eq!(length, expected);
            for block in 0..reader.blocks(section) {
                if reader.only_code(section, block).unwrap().is_some() {
                    continue;
                }
                let whole = reader.block(section, block).unwrap();
                let bytes = reader.load(section, block).unwrap();
                for (number, codes) in whole.chunks(length).enumerate() {
                    let from = number * length;
                    let range = from..from + codes.len();
                    assert_eq!(reader.unpack(section, block, &bytes, range).unwrap(), codes);
                }
            }
        }
    }
}
