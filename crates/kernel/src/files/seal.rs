//! Checksums made right again, so that tests and fuzzers get changed bytes past them.

use serde_json::Value;
use xxhash_rust::xxh3::{Xxh3, xxh3_64, xxh3_64_with_seed};

/// Writes the right checksums into the bytes of a block file, a journal or a manifest, as far as
/// the bytes still are one.
pub fn seal(bytes: &mut Vec<u8>) {
    if bytes.starts_with(b"{\"sum\":\"") {
        seal_journal(bytes);
    } else if bytes.first() == Some(&b'{') {
        seal_manifest(bytes);
    } else {
        seal_blocks(bytes);
    }
}

fn seal_blocks(bytes: &mut [u8]) -> Option<()> {
    let (head, mut rest) = bytes.split_at_mut_checked(24)?;
    let sum = xxh3_64(&head[..16]).to_le_bytes();
    head[16..].copy_from_slice(&sum);
    for number in 0.. {
        let (head, after) = rest.split_at_mut_checked(16)?;
        let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let (payload, after) = after.split_at_mut_checked(length)?;
        let mut hash = Xxh3::with_seed(number);
        hash.update(&head[..8]);
        hash.update(payload);
        head[8..].copy_from_slice(&hash.digest().to_le_bytes());
        rest = after;
    }
    Some(())
}

fn seal_journal(bytes: &mut Vec<u8>) {
    let lines = bytes.split_inclusive(|&b| b == b'\n').enumerate();
    let sealed = lines.flat_map(|(number, line)| {
        // The sum has 16 digits, between eight bytes and the name of the entry.
        let mut line = line.to_vec();
        if let Some(entry) = line.get(34..line.len().saturating_sub(2)) {
            let sum = xxh3_64_with_seed(entry, number as u64);
            line[8..24].copy_from_slice(format!("{sum:016x}").as_bytes());
        }
        line
    });
    *bytes = sealed.collect();
}

fn seal_manifest(bytes: &mut Vec<u8>) {
    if let Ok(mut manifest) = serde_json::from_slice::<Value>(bytes)
        && let Some(content) = manifest.get("content")
    {
        let sum = format!("{:016x}", xxh3_64(content.to_string().as_bytes()));
        manifest["checksum"] = sum.into();
        *bytes = manifest.to_string().into_bytes();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{BlockReader, BlockWriter, Format, Journal, Memory, Storage, publish};
    use crate::files::{read_manifest, write_manifest};

    const FORMAT: Format = Format {
        magic: *b"EXAMPLE1",
        version: 1,
        what: "an example",
    };

    /// Changes the byte at which a text begins, and makes the checksums right.
    fn change(storage: &Memory, name: &str, text: &[u8]) {
        storage.damage(name, |bytes| {
            let found = bytes.windows(text.len()).position(|part| part == text);
            bytes[found.unwrap()] += 1;
            seal(bytes);
        });
    }

    #[test]
    fn changed_files_are_read_again() {
        let storage = Memory::default();
        publish(&storage, "blocks", |draft| {
            let mut blocks = BlockWriter::new(draft, FORMAT)?;
            blocks.write(1, b"first")?;
            blocks.write(2, b"second")?;
            blocks.finish()
        })
        .unwrap();
        change(&storage, "blocks", b"first");
        change(&storage, "blocks", b"second");
        let mut blocks = BlockReader::open(&storage, "blocks", FORMAT).unwrap();
        let mut payload = Vec::new();
        assert_eq!(blocks.read(&mut payload).unwrap(), Some(1));
        assert_eq!(payload, b"girst");
        assert_eq!(blocks.read(&mut payload).unwrap(), Some(2));
        assert_eq!(payload, b"tecond");
        assert_eq!(blocks.read(&mut payload).unwrap(), None);

        let (mut journal, _) = Journal::open::<String>(&storage, "journal").unwrap();
        journal.append(&"one").unwrap();
        journal.append(&"two").unwrap();
        drop(journal);
        change(&storage, "journal", b"two");
        let (_, entries) = Journal::open::<String>(&storage, "journal").unwrap();
        assert_eq!(entries, ["one", "uwo"]);

        write_manifest(&storage, "manifest", "example", 1, &7u64).unwrap();
        change(&storage, "manifest", b"7");
        let found = read_manifest::<u64>(&storage, "manifest", "example", 1);
        assert_eq!(found.unwrap(), Some(8));
        assert!(storage.list().unwrap().len() >= 3);
    }
}
