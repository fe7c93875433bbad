//! The workspace's crates as `cargo metadata` tells them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::Value;

/// One crate of the workspace.
#[derive(Debug)]
pub(crate) struct Crate {
    /// Its name without the prefix that the libraries of this workspace share; the program is
    /// `app`.
    pub(crate) name: String,
    /// Its folder.
    pub(crate) folder: PathBuf,
    /// What it depends on, tests included: our own crates by short name, others by their own.
    pub(crate) imports: BTreeSet<String>,
}

/// Reads the answer of `cargo metadata --no-deps`.
pub(crate) fn read(metadata: &Value) -> anyhow::Result<Vec<Crate>> {
    let packages = metadata["packages"].as_array().context("no packages")?;
    packages.iter().map(package).collect()
}

fn package(package: &Value) -> anyhow::Result<Crate> {
    let text = |value: &Value| value.as_str().map(str::to_owned).context("not a text");
    let manifest = text(&package["manifest_path"])?;
    let dependencies = package["dependencies"]
        .as_array()
        .context("no dependencies")?;
    Ok(Crate {
        name: short(&text(&package["name"])?),
        folder: Path::new(&manifest)
            .parent()
            .context("no folder")?
            .to_owned(),
        imports: dependencies
            .iter()
            .map(|dependency| Ok(short(&text(&dependency["name"])?)))
            .collect::<anyhow::Result<_>>()?,
    })
}

fn short(name: &str) -> String {
    match name.strip_prefix("everymove") {
        Some("") => "app".to_owned(),
        Some(rest) => rest.trim_start_matches('-').to_owned(),
        None => name.to_owned(),
    }
}
