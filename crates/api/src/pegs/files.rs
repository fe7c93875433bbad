//! Where layers of positions are kept that do not fit the memory.

use std::path::{Path, PathBuf};

use everymove_pegs::{LayerFiles, LayersIn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::disk;
use crate::error::Error;

/// A directory for layers that do not fit the memory.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct LayersRequest {
    /// Keep layers of positions that do not fit the memory in files of this directory
    #[arg(long, value_name = "DIR")]
    pub work: Option<PathBuf>,
    /// How much of the disk these files may take [default: half of what is free]
    #[arg(long, value_name = "SIZE")]
    pub disk: Option<String>,
}

/// The checked directory.
#[derive(Debug, Default)]
pub(super) struct LayersPlan {
    folder: Option<PathBuf>,
    disk: u64,
}

impl LayersRequest {
    /// Checks the size; `other` is the directory where files are if none is named.
    pub(super) fn plan(&self, other: Option<&Path>) -> Result<LayersPlan, Error> {
        let folder = self.work.as_deref().or(other);
        if self.disk.is_some() && folder.is_none() {
            let line = "disk limits the files of a directory: name one in work";
            return Err(Error::message(Some("work"), line));
        }
        Ok(LayersPlan {
            disk: disk(self.disk.as_deref(), folder)?,
            folder: self.work.clone(),
        })
    }
}

impl LayersPlan {
    /// The files, if there is a directory for them.
    pub(super) fn files(&self) -> LayerFiles<'_> {
        LayerFiles {
            work: self.folder.as_deref(),
            limit: self.disk,
            ..LayerFiles::default()
        }
    }
}

/// Where layers of positions are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Layers {
    /// In memory.
    Memory,
    /// In files.
    Disk,
}

impl From<LayersIn> for Layers {
    fn from(layers: LayersIn) -> Self {
        match layers {
            LayersIn::Memory => Self::Memory,
            LayersIn::Files => Self::Disk,
        }
    }
}
