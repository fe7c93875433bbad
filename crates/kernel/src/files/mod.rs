//! Files that survive a crash: written whole or not at all, and refused when they are damaged.
//!
//! - [`Storage`]: a flat folder of named files, on [`Disk`] or in [`Memory`], where tests crash it;
//! - [`PositionalFile`]: a file of such a folder that threads read and write at any position;
//! - [`publish`]: a file appears under its name only when all its bytes are on the disk;
//! - [`BlockWriter`], [`BlockReader`], [`BlockFile`]: a stream of checksummed blocks for large
//!   data, read and written once through;
//! - [`Packer`], [`Unpacker`]: compressed payloads of blocks;
//! - [`push_varint`], [`take_varint`]: numbers that take fewer bytes the smaller they are;
//! - [`write_manifest`], [`read_manifest`]: a small versioned JSON document, such as what a folder
//!   of layers holds;
//! - [`Journal`]: a file of lines that grows, and of which a crash costs at most the last line;
//! - [`Mapped`]: a file whose bytes are read when they are looked at;
//! - [`seal`]: for tests, the checksums of a file that was changed;
//! - [`Output`]: a file that a person named: tried before the work starts, published when it is
//!   done;
//! - [`open_file`], [`read_file`]: a file that is read, opened without waiting.
//!
//! Formats are described byte by byte in `docs/formats.md`.
//!
//! ```
//! use everymove_kernel::files::{BlockReader, BlockWriter, FileError, Format, Memory, publish};
//!
//! const LAYERS: Format = Format { magic: *b"EXAMPLE1", version: 1, what: "an example" };
//! let storage = Memory::default();
//! publish(&storage, "layer-3", |draft| {
//!     let mut blocks = BlockWriter::new(draft, LAYERS)?;
//!     blocks.write(7, b"states")?;
//!     blocks.finish()
//! })?;
//!
//! let mut blocks = BlockReader::open(&storage, "layer-3", LAYERS)?;
//! let mut bytes = Vec::new();
//! assert_eq!(blocks.read(&mut bytes)?, Some(7));
//! assert_eq!(bytes, b"states");
//! assert_eq!(blocks.read(&mut bytes)?, None);
//! # Ok::<(), FileError>(())
//! ```

mod blocks;
mod disk;
mod journal;
mod manifest;
mod mapped;
mod memory;
mod open;
mod output;
mod packed;
mod publish;
mod seal;
mod storage;
mod varint;

pub use blocks::{BlockFile, BlockReader, BlockWriter, Format, MAX_BLOCK};
pub use disk::Disk;
pub use journal::Journal;
pub use manifest::{read_manifest, write_manifest};
pub use mapped::Mapped;
pub use memory::Memory;
pub use open::{open_file, open_lock, open_to_append, read_file};
pub use output::Output;
pub use packed::{Packer, Unpacker, compress, decompress};
pub use publish::{Draft, publish, remove_stale_drafts, write_temporary};
pub use seal::seal;
pub(crate) use storage::plain;
pub use storage::{Access, FileError, PositionalFile, ReadFile, Storage, WriteFile};
pub use varint::{push_varint, take_varint};
