//! The site without a server: the library for pages is compiled and optimised, then the files are made.
//!
//! It wants the target `wasm32-wasip1` (`rustup target add wasm32-wasip1`), npm, and `wasm-opt` of binaryen, which makes the
//! program smaller and faster and may be missing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::{cargo, target};

const TARGET: &str = "wasm32-wasip1";
/// What gives the library clocks and files in a browser.
const WASI: &str = "@bjorn3/browser_wasi_shim@0.4.2";

/// `cargo xtask site --out DIR [--wasm FILE] [--reports DIR]`. A compiled library may be given.
pub(crate) fn make(words: &[String]) -> Result<()> {
    let (mut out, mut wasm, mut reports) = (None, None, None);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let place = match word.as_str() {
            "--out" => &mut out,
            "--wasm" => &mut wasm,
            "--reports" => &mut reports,
            _ => bail!("expected --out DIR, --wasm FILE or --reports DIR, got {word}"),
        };
        *place = Some(PathBuf::from(
            words
                .next()
                .with_context(|| format!("{word} needs a value"))?,
        ));
    }
    let out = std::path::absolute(out.context("--out DIR is missing")?)?;
    let built = match wasm {
        Some(file) => file,
        None => {
            let words = [
                "build",
                "--release",
                "-p",
                "everymove-wasm",
                "--lib",
                "--target",
                TARGET,
            ];
            checked(&mut cargo(&words))?;
            target().join(TARGET).join("release/everymove_wasm.wasm")
        }
    };
    let scratch = tempfile::tempdir()?;
    let program = optimised(&built, scratch.path())?;
    let npm = [
        "install",
        "--no-save",
        "--no-audit",
        "--no-fund",
        "--silent",
        WASI,
    ];
    checked(Command::new("npm").args(npm).current_dir(scratch.path()))
        .context("npm, which fetches what gives the program clocks and files in a browser")?;
    let wasi = scratch
        .path()
        .join("node_modules/@bjorn3/browser_wasi_shim/dist");
    fs::create_dir_all(&out)?;
    let mut site = cargo(&[
        "run",
        "--release",
        "-p",
        "everymove-wasm",
        "--example",
        "site",
        "--",
    ]);
    site.args([&out, &program, &wasi]).args(&reports);
    checked(&mut site)
}

/// Runs a program that must succeed.
fn checked(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot run {command:?}"))?;
    ensure!(status.success(), "failed: {command:?}");
    Ok(())
}

/// The library as `wasm-opt` makes it, or as it is.
fn optimised(built: &Path, scratch: &Path) -> Result<PathBuf> {
    let made = scratch.join("everymove.wasm");
    let features = [
        "--enable-bulk-memory",
        "--enable-mutable-globals",
        "--enable-nontrapping-float-to-int",
        "--enable-sign-ext",
        "--enable-simd",
    ];
    let mut wasm_opt = Command::new("wasm-opt");
    wasm_opt
        .args(["-O3", "--strip-debug", "--strip-producers"])
        .args(features);
    match wasm_opt.arg(built).arg("-o").arg(&made).status() {
        Ok(status) => ensure!(status.success(), "wasm-opt failed"),
        Err(error) => {
            println!("wasm-opt: {error}; the program is used as it was compiled");
            return Ok(built.to_owned());
        }
    }
    Ok(made)
}
