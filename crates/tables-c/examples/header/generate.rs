//! The header of the C library as cbindgen makes it of the sources.

use std::path::Path;

/// Returns the text of the header.
pub(crate) fn header() -> Result<String, Box<dyn std::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml"))?;
    let mut builder = cbindgen::Builder::new().with_config(config);
    for module in ["status", "position", "handle", "probe"] {
        builder = builder.with_src(folder.join("src").join(module).with_extension("rs"));
    }
    let mut header = Vec::new();
    builder.generate()?.write(&mut header);
    Ok(String::from_utf8(header)?)
}
