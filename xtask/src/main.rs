//! Chores of the workspace.
//!
//! - `cargo xtask tidy`: the rules of the house that the compiler does not check;
//! - `cargo xtask figures`: the tables of the documentation, from `docs/figures`;
//! - `cargo xtask oeis`: lists of counts in the form of the OEIS, in `docs/figures/oeis`;
//! - `cargo xtask site --out DIR [--wasm FILE] [--reports DIR]`: the pages without a server;
//! - `cargo xtask long`: the tests that take minutes, and libraries with checks of overflow;
//! - `cargo xtask budgets [--program FILE] [--only TEXT]`: peak memory of many questions, extreme
//!   ones among them, against their budgets (Unix only);
//! - `cargo xtask torture [--seconds N] [--seed S]`: the program under random and hostile use (Unix
//!   only).
#![expect(clippy::print_stdout, reason = "a tool for the terminal")]

#[cfg(unix)]
mod budgets;
mod crates;
mod oeis;
mod pages;
#[cfg(unix)]
mod resident;
mod site;
mod tidy;
#[cfg(unix)]
mod torture;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, anyhow, ensure};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["tidy"] => tidy(),
        ["long"] => long(),
        ["figures"] => pages::write(&root()).map(|pages| println!("{pages} pages changed")),
        ["oeis"] => oeis::write(&root(), program),
        ["site", ..] => site::make(&words[1..]),
        #[cfg(unix)]
        ["budgets", ..] => budgets::Options::read(&words[1..]).and_then(|options| {
            let program = options.program.clone().map_or_else(program, Ok)?;
            budgets::run(&program, &options)
        }),
        #[cfg(unix)]
        ["torture", ..] => torture::run(&words[1..], program),
        _ => Err(anyhow!(
            "expected one of: cargo xtask tidy, cargo xtask figures, cargo xtask oeis, cargo xtask long, cargo xtask site, cargo xtask budgets, cargo xtask torture"
        )),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The workspace's folder: the one above this package's.
fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package).to_owned()
}

fn cargo(words: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(words).current_dir(root());
    command
}

fn tidy() -> anyhow::Result<()> {
    let output = cargo(&["metadata", "--format-version", "1", "--no-deps"])
        .output()
        .context("cannot run cargo metadata")?;
    ensure!(output.status.success(), "cargo metadata failed");
    let metadata = serde_json::from_slice(&output.stdout).context("cargo metadata is not JSON")?;
    let crates = crates::read(&metadata)?;
    let mut faults = tidy::faults(&root(), &crates)?;
    faults.extend(pages::faults(&root())?);
    for fault in &faults {
        println!("{fault}");
    }
    ensure!(faults.is_empty(), "{} rules broken", faults.len());
    println!("tidy: {} crates keep the rules of the house", crates.len());
    Ok(())
}

/// Builds the program and returns its path.
#[cfg(unix)]
fn program() -> anyhow::Result<PathBuf> {
    let status = cargo(&["build", "--release", "--package", "everymove"]).status()?;
    ensure!(status.success(), "the program does not build");
    Ok(target().join("release/everymove"))
}

/// The folder that cargo compiles into.
fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The tests that take minutes, the libraries with every assertion and with checks of overflow, and
/// what is in `dev/`.
fn long() -> anyhow::Result<()> {
    // The one that is skipped writes the kept checkpoints of pegs anew.
    let skipped = ["--skip", "golden::write_the_checkpoints"];
    let ignored = ["test", "--workspace", "--release", "--", "--ignored"];
    let ignored = [&ignored[..], &skipped].concat();
    let checked = [
        "test",
        "--profile",
        "checked",
        "--lib",
        "-p",
        "everymove-kernel",
        "-p",
        "everymove-draw",
        "-p",
        "everymove-tours",
        "-p",
        "everymove-pegs",
    ];
    let header = ["run", "--manifest-path", "dev/Cargo.toml", "--", "--check"];
    let benches = ["bench", "--manifest-path", "dev/Cargo.toml", "--", "--test"];
    for words in [&ignored[..], &checked, &header, &benches] {
        let status = cargo(words).status().context("cannot run cargo test")?;
        ensure!(
            status.success(),
            "a long test failed: cargo {}",
            words.join(" ")
        );
    }
    Ok(())
}
