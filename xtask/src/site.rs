//! The site without a server: the library for pages is compiled and optimised, then the files are
//! made.
//!
//! It wants the target `wasm32-wasip1` (`rustup target add wasm32-wasip1`), npm, and `wasm-opt` of
//! binaryen, which makes the program smaller and faster and may be missing, as may `mdbook`, which
//! makes the documentation.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::{cargo, root, target};

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
    checked(&mut site)?;
    book(scratch.path(), &out)
}

/// The documentation as pages in `docs` of the site, if mdbook is installed.
fn book(scratch: &Path, out: &Path) -> Result<()> {
    let source = scratch.join("book");
    staged(&root().join("docs"), &source, "docs/")?;
    let mut mdbook = Command::new("mdbook");
    mdbook.arg("build").arg(&source).arg("--dest-dir");
    match mdbook.arg(out.join("docs")).status() {
        Ok(status) => ensure!(status.success(), "mdbook failed"),
        Err(error) => println!("mdbook: {error}; the site has no documentation"),
    }
    Ok(())
}

/// Copies pages and pictures. Links to what is no part of the book lead to the repository; `place`
/// is the folder in it.
fn staged(from: &Path, to: &Path, place: &str) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        let (path, copy) = (entry.path(), to.join(&name));
        if path.is_dir() {
            let place = format!("{place}{}/", name.to_string_lossy());
            staged(&path, &copy, &place)?;
        } else if path.extension().is_some_and(|ending| ending == "md") {
            let text = fs::read_to_string(&path)?;
            fs::write(copy, linked(&text, place))?;
        } else {
            fs::copy(path, copy)?;
        }
    }
    Ok(())
}

/// A page whose links out of `docs` are addresses.
fn linked(text: &str, place: &str) -> String {
    let mut out = String::new();
    let mut parts = text.split("](");
    out += parts.next().unwrap_or_default();
    for part in parts {
        out += "](";
        let link = part.split(')').next().unwrap_or_default();
        let mut folders: Vec<&str> = place.split_terminator('/').collect();
        let mut rest = link;
        while let Some(above) = rest.strip_prefix("../") {
            (rest, _) = (above, folders.pop());
        }
        if link.starts_with("../") && folders.is_empty() {
            out += &format!("{REPOSITORY}{rest}");
            out += &part[link.len()..];
        } else {
            out += part;
        }
    }
    out
}

/// Where files are that are no part of the book.
const REPOSITORY: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/");

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_out_of_the_book_are_addresses() {
        let page = "[a](b.md) [c](../README.md#d) [e](../../crates/f.rs)";
        let of_docs =
            format!("[a](b.md) [c]({REPOSITORY}README.md#d) [e]({REPOSITORY}crates/f.rs)");
        assert_eq!(linked(page, "docs/"), of_docs);
        let of_guide = format!("[a](b.md) [c](../README.md#d) [e]({REPOSITORY}crates/f.rs)");
        assert_eq!(linked(page, "docs/guide/"), of_guide);
    }
}
