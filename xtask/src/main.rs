//! Chores of the workspace.
//!
//! - `cargo xtask tidy`: the rules of the house that the compiler does not check;
//! - `cargo xtask circles [FOLDER]`: files that need each other, of this workspace or another copy of it;
//! - `cargo xtask long`: the tests that take minutes, and libraries with checks of overflow;
//! - `cargo xtask budgets [--program FILE] [--only TEXT]`: peak memory of many questions, extreme ones among them, against their
//!   budgets (Unix only);
//! - `cargo xtask torture [--seconds N] [--seed S]`: the program under random and hostile use (Unix only).
#![expect(clippy::print_stdout, reason = "a tool for the terminal")]

#[cfg(unix)]
mod budgets;
mod circles;
mod crates;
#[cfg(unix)]
mod resident;
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
        ["circles"] => circles(&root()),
        ["circles", folder] => circles(Path::new(folder)),
        ["long"] => long(),
        #[cfg(unix)]
        ["budgets", ..] => budgets::Options::read(&words[1..]).and_then(|options| {
            let program = options.program.clone().map_or_else(program, Ok)?;
            budgets::run(&program, &options)
        }),
        #[cfg(unix)]
        ["torture", ..] => torture::run(&words[1..], program),
        _ => Err(anyhow!(
            "expected one of: cargo xtask tidy, cargo xtask circles [FOLDER], cargo xtask long, \
             cargo xtask budgets, cargo xtask torture"
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
    let faults = tidy::faults(&root(), &crates)?;
    for fault in &faults {
        println!("{fault}");
    }
    ensure!(faults.is_empty(), "{} rules broken", faults.len());
    println!("tidy: {} crates keep the rules of the house", crates.len());
    Ok(())
}

/// Prints the circles of every crate under `folder`.
fn circles(folder: &Path) -> anyhow::Result<()> {
    let mut crates: Vec<PathBuf> = std::fs::read_dir(folder.join("crates"))?
        .map(|entry| Ok(entry?.path().join("src")))
        .collect::<anyhow::Result<_>>()?;
    crates.push(folder.join("xtask/src"));
    crates.sort();
    let (mut wide, mut narrow) = (0, 0);
    for src in crates.iter().filter(|src| src.is_dir()) {
        let shown = src.strip_prefix(folder).unwrap_or(src).display();
        for circle in circles::of_crate(src)? {
            *(if circle.is_wide() {
                &mut wide
            } else {
                &mut narrow
            }) += 1;
            let across = match circle.is_wide() {
                true => "across directories",
                false => "inside one directory",
            };
            println!("{shown}, {across}: {circle}");
        }
    }
    println!("{wide} circles across directories, {narrow} inside one directory");
    Ok(())
}

/// Builds the program and returns its path.
#[cfg(unix)]
fn program() -> anyhow::Result<PathBuf> {
    let status = cargo(&["build", "--release", "--package", "everymove"]).status()?;
    ensure!(status.success(), "the program does not build");
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    Ok(target.join("release/everymove"))
}

/// The tests that take minutes, then the libraries with every assertion and with checks of overflow.
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
    for words in [&ignored[..], &checked[..]] {
        let status = cargo(words).status().context("cannot run cargo test")?;
        ensure!(
            status.success(),
            "a long test failed: cargo {}",
            words.join(" ")
        );
    }
    Ok(())
}
