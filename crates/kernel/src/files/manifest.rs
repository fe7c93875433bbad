//! A small versioned JSON document that is published whole: what a folder holds and which question
//! it belongs to.

use std::io::Read;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use super::publish::publish;
use super::storage::{FileError, Storage};

/// Nobody's manifest is larger: a guard against being handed some other file.
const MAX_MANIFEST: u64 = 16 << 20;

#[derive(Serialize, Deserialize)]
struct Envelope {
    format: String,
    version: u32,
    /// xxh3 of the content written compactly with sorted keys, in hexadecimal.
    checksum: String,
    content: Value,
}

fn checksum(content: &Value) -> String {
    format!("{:016x}", xxh3_64(content.to_string().as_bytes()))
}

/// Publishes `content` under `name`, marked with its format and version.
///
/// # Errors
/// [`FileError::Io`].
///
/// # Panics
/// If the content has no JSON form, such as a map whose keys are no texts.
pub fn write_manifest<T: Serialize>(
    storage: &dyn Storage,
    name: &str,
    format: &str,
    version: u32,
    content: &T,
) -> Result<(), FileError> {
    let content = serde_json::to_value(content).expect("a manifest has a JSON form");
    let envelope = Envelope {
        format: format.to_owned(),
        version,
        checksum: checksum(&content),
        content,
    };
    publish(storage, name, |draft| {
        serde_json::to_writer_pretty(&mut *draft, &envelope)
            .map_err(|e| FileError::io("write", draft.path(), e.into()))?;
        draft.put(b"\n")
    })
}

/// Reads a manifest; `None` if there is no file of this name.
///
/// # Errors
/// [`FileError::Foreign`] if it is of another format, [`FileError::Version`],
/// [`FileError::Damaged`], [`FileError::Io`].
pub fn read_manifest<T: DeserializeOwned>(
    storage: &dyn Storage,
    name: &str,
    format: &'static str,
    version: u32,
) -> Result<Option<T>, FileError> {
    let path = || storage.display(name);
    let file = match storage.open(name) {
        Ok(file) => file,
        Err(error) if error.is_not_found() => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut text = Vec::new();
    file.take(MAX_MANIFEST)
        .read_to_end(&mut text)
        .map_err(|e| FileError::io("read", path(), e))?;
    let damaged = |what: String| FileError::Damaged { path: path(), what };
    let envelope: Envelope =
        serde_json::from_slice(&text).map_err(|e| damaged(format!("it is no manifest: {e}")))?;
    if envelope.format != format {
        return Err(FileError::Foreign {
            path: path(),
            expected: format,
        });
    }
    if envelope.version != version {
        return Err(FileError::Version {
            path: path(),
            found: envelope.version,
            expected: version,
        });
    }
    if envelope.checksum != checksum(&envelope.content) {
        return Err(damaged("its content does not match its checksum".into()));
    }
    serde_json::from_value(envelope.content)
        .map(Some)
        .map_err(|e| damaged(format!("its content makes no sense: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Memory;

    #[derive(Debug, Serialize, Deserialize, PartialEq)]
    struct Layers {
        question: String,
        done: Vec<u64>,
    }

    #[test]
    fn manifests_read_back_and_edits_are_refused() {
        let storage = Memory::default();
        let layers = Layers {
            question: "8x8 closed".into(),
            done: vec![0, 1, u64::MAX],
        };
        let read = |format, version| read_manifest::<Layers>(&storage, "m", format, version);
        assert_eq!(read("layers", 2).unwrap(), None);
        write_manifest(&storage, "m", "layers", 2, &layers).unwrap();
        assert_eq!(read("layers", 2).unwrap(), Some(layers));
        assert!(matches!(read("other", 2), Err(FileError::Foreign { .. })));
        assert!(matches!(
            read("layers", 3),
            Err(FileError::Version { found: 2, .. })
        ));
        storage.damage("m", |bytes| {
            let at = bytes.windows(3).position(|w| w == b"8x8").unwrap();
            bytes[at] = b'9';
        });
        assert_eq!(
            read("layers", 2).unwrap_err().to_string(),
            "m is damaged: its content does not match its checksum; remove it and make it anew"
        );
        storage.damage("m", |bytes| bytes.truncate(20));
        assert!(matches!(read("layers", 2), Err(FileError::Damaged { .. })));
    }
}
