//! Prints the header of the C library as cbindgen makes it of the sources:
//! `cargo run --manifest-path dev/Cargo.toml > crates/tables-c/include/everymove_tables.h`. With `--check` it compares the stored header
//! with that.
//!
//! `benches/`: times of fixed pieces of work of every library.

use std::fs;
use std::path::Path;

use anyhow::ensure;

fn main() -> anyhow::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/tables-c");
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml"));
    let mut builder = cbindgen::Builder::new().with_config(config.map_err(anyhow::Error::msg)?);
    for module in ["status", "position", "handle", "probe"] {
        builder = builder.with_src(folder.join("src").join(module).with_extension("rs"));
    }
    let mut header = Vec::new();
    builder.generate()?.write(&mut header);
    let header = String::from_utf8(header)?;
    if std::env::args().any(|word| word == "--check") {
        let stored = fs::read_to_string(folder.join("include/everymove_tables.h"))?;
        ensure!(header == stored, "the stored header is not that of the sources: make it anew");
    } else {
        print!("{header}");
    }
    Ok(())
}
