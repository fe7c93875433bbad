//! The options that every command takes.

use clap::Args;

/// The options that every command takes, as they are written.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Global {
    /// Threads that may work [default: all cores; at most eight for each core are started]; lab
    /// run compares several numbers: 1,2,4
    #[arg(long, global = true, value_name = "N", value_delimiter = ',')]
    pub(crate) threads: Vec<usize>,
    /// Memory that may be used, for example 512M or 4G [default: half of what is free]
    #[arg(long, global = true, value_name = "SIZE")]
    pub(crate) ram: Option<String>,
    /// Answer as one JSON object
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Show the bare answer: no progress, no work and time
    #[arg(long, global = true)]
    pub(crate) quiet: bool,
}
