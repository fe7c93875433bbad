//! The rules of the house.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::crates::Crate;

/// Who may import whom; a crate that is not named here may import no other of ours.
const IMPORTS: &[(&str, &[&str])] = &[
    ("kernel", &[]),
    ("draw", &["kernel"]),
    ("tours", &["kernel"]),
    ("pegs", &["kernel"]),
    ("fairy", &["kernel"]),
    ("tables", &["kernel"]),
    ("tables-c", &["kernel", "tables"]),
    // The texts of positions, beside the endgame tables.
    ("engine", &["kernel", "tables", "arena"]),
    ("arena", &["kernel"]),
    (
        "lab",
        &[
            "kernel", "draw", "arena", "tours", "pegs", "engine", "tables", "course",
        ],
    ),
    (
        "api",
        &[
            "kernel", "draw", "tours", "pegs", "engine", "tables", "fairy", "arena", "lab",
        ],
    ),
    ("web", &["api", "kernel", "draw"]),
    // The last three: the example that makes the site.
    ("wasm", &["api", "kernel", "draw", "web", "features"]),
    // The problems themselves, for calls that must cost less than a request.
    (
        "py",
        &[
            "api", "kernel", "draw", "tours", "pegs", "engine", "tables", "lab", "features",
        ],
    ),
    (
        "app",
        &[
            "api", "kernel", "draw", "tours", "pegs", "engine", "tables", "arena", "lab", "web",
            "features",
        ],
    ),
    ("course", &[]),
    ("features", &[]),
    ("xtask", &[]),
];

/// Foreign crates that only some of ours may use.
const GUARDED: &[(&str, &[&str])] = &[
    ("plotters", &["draw"]),
    ("resvg", &["draw"]),
    ("clap", &["api", "app"]),
    ("schemars", &["api"]),
    ("maud", &["lab", "web"]),
    ("pyo3", &["py"]),
    ("indicatif", &["app"]),
    ("ctrlc", &["app"]),
    ("axum", &["web"]),
    ("tokio", &["web"]),
    (
        "shakmaty",
        &[
            "tables", "engine", "arena", "lab", "api", "app", "py", "tables-c", "course",
        ],
    ),
];

/// Crates that talk to people, and so may print, exit and read arguments.
const TALKERS: &[&str] = &["app", "xtask"];

/// Crates that may hold unsafe code, each block with its safety note.
const MAY_BE_UNSAFE: &[&str] = &["kernel", "tables-c", "wasm"];

/// Crates that may open files themselves; the others do it by `kernel::files` and `kernel::input`,
/// which do not wait.
const MAY_OPEN: &[&str] = &["kernel", "xtask"];

/// Everything that breaks a rule, a line each.
pub(crate) fn faults(root: &Path, crates: &[Crate]) -> anyhow::Result<Vec<String>> {
    let architecture = root.join("docs/ARCHITECTURE.md");
    let map = fs::read_to_string(&architecture)
        .with_context(|| format!("cannot read {}", architecture.display()))?;
    let mut faults = Vec::new();
    for member in crates {
        faults.extend(imports(member, crates));
        faults.extend(guarded(member));
        if !map.contains(&format!("`{}`", member.name)) {
            faults.push(format!(
                "docs/ARCHITECTURE.md does not name `{}`",
                member.name
            ));
        }
        let manifest = fs::read_to_string(member.folder.join("Cargo.toml"))?;
        if !manifest.contains("[lints]\nworkspace = true") {
            faults.push(format!(
                "{}: Cargo.toml lacks [lints] workspace = true",
                member.name
            ));
        }
        for path in sources(&member.folder)? {
            let text = fs::read_to_string(&path)?;
            let shown = path
                .strip_prefix(root)
                .unwrap_or(&path)
                .display()
                .to_string();
            // Examples and tests are small programs of their own, and may do what the program may.
            let is_program = shown.contains("/examples/") || shown.contains("/tests/");
            let may = May {
                talk: is_program || TALKERS.contains(&member.name.as_str()),
                be_unsafe: MAY_BE_UNSAFE.contains(&member.name.as_str()),
                open: is_program || MAY_OPEN.contains(&member.name.as_str()) || is_tests(&path),
            };
            faults.extend(source(may, &text).map(|fault| format!("{shown}{fault}")));
        }
    }
    Ok(faults)
}

fn imports(member: &Crate, crates: &[Crate]) -> Vec<String> {
    let allowed = IMPORTS.iter().find(|(name, _)| *name == member.name);
    let Some((_, allowed)) = allowed else {
        return vec![format!(
            "{}: the table of imports in xtask does not name it",
            member.name
        )];
    };
    let ours = |name: &&String| crates.iter().any(|c| c.name == **name);
    let wrong = (member.imports.iter())
        .filter(ours)
        .filter(|name| !allowed.contains(&name.as_str()) && **name != member.name);
    wrong
        .map(|name| format!("{} may not import {name}", member.name))
        .collect()
}

fn guarded(member: &Crate) -> Vec<String> {
    let wrong = GUARDED.iter().filter(|(guarded, users)| {
        member.imports.contains(*guarded) && !users.contains(&member.name.as_str())
    });
    wrong
        .map(|(guarded, users)| {
            format!(
                "{} may not import {guarded}: only {} may",
                member.name,
                users.join(", ")
            )
        })
        .collect()
}

fn sources(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            found.extend(sources(&path)?);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// What a source file may do beyond the rules for all.
#[derive(Clone, Copy, Default)]
struct May {
    /// Print, exit, read arguments and the environment.
    talk: bool,
    /// Hold unsafe code.
    be_unsafe: bool,
    /// Open files.
    open: bool,
}

/// Whether a file holds tests only.
fn is_tests(path: &Path) -> bool {
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    stem.is_some_and(|stem| stem.ends_with("tests"))
}

/// What is wrong in one source file, as `:line: fault` or `: fault`.
fn source(may: May, text: &str) -> impl Iterator<Item = String> {
    let tests = text.lines().position(|line| line == "mod tests {");
    let words = text.lines().enumerate().filter_map(move |(i, line)| {
        let code = line.split("//").next().unwrap_or_default();
        let forbidden = |word: &str| code.contains(word);
        let may_open = may.open || tests.is_some_and(|tests| i > tests);
        let opens = |word: &&str| {
            let mut found = code.match_indices(*word);
            found.any(|(at, _)| !code[..at].ends_with(|c: char| c.is_alphanumeric()))
        };
        let fault = if !may.talk && PRIVILEGES.iter().any(|word| forbidden(word)) {
            "only the program talks to people, exits, or reads arguments and the environment"
        } else if !may.be_unsafe && forbidden(concat!("unsafe", "_code")) {
            "unsafe code has no place in this crate"
        } else if !may_open && OPENERS.iter().any(opens) {
            "files are opened by kernel::files or kernel::input, which do not wait for a pipe"
        } else if UNCONDITIONAL.iter().any(|word| forbidden(word)) && !forbidden("reason") {
            "expect a lint with a reason instead of allowing it"
        } else {
            return None;
        };
        Some(format!(":{}: {fault}", i + 1))
    });
    words.collect::<Vec<_>>().into_iter()
}

/// Spelled in two parts, so that this file does not break its own rules.
const PRIVILEGES: &[&str] = &[
    concat!("clippy::", "print_stdout"),
    concat!("clippy::", "print_stderr"),
    concat!("process::", "exit"),
    concat!("env::", "args"),
    concat!("env::", "var"),
];

const OPENERS: &[&str] = &[
    concat!("File::", "open("),
    concat!("File::", "options("),
    concat!("OpenOptions::", "new("),
    concat!("fs::", "read("),
    concat!("fs::", "read_to_string("),
];

const UNCONDITIONAL: &[&str] = &[concat!("#[", "allow("), concat!("#![", "allow(")];

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, imports: &[&str]) -> Crate {
        Crate {
            name: name.into(),
            folder: PathBuf::new(),
            imports: imports.iter().map(|&i| i.to_owned()).collect(),
        }
    }

    #[test]
    fn arrows_point_downwards_only() {
        let crates = [
            member("kernel", &["thiserror"]),
            member("tours", &["kernel", "pegs"]),
            member("pegs", &["kernel", "plotters"]),
            member("novel", &[]),
        ];
        let all = |check: &dyn Fn(&Crate) -> Vec<String>| -> Vec<String> {
            crates.iter().flat_map(check).collect()
        };
        assert_eq!(
            all(&|c| imports(c, &crates)),
            [
                "tours may not import pegs",
                "novel: the table of imports in xtask does not name it"
            ]
        );
        assert_eq!(
            all(&guarded),
            ["pegs may not import plotters: only draw may"]
        );
    }

    #[test]
    fn sources_are_read_line_by_line() {
        let faults = |may: May, text: &str| source(may, text).collect::<Vec<_>>();
        let nothing = May::default();
        let exit = format!("fn f() {{\n    std::process::{}(1)\n}}", "exit");
        assert_eq!(faults(nothing, &exit).len(), 1);
        assert!(faults(nothing, &exit)[0].starts_with(":2: "));
        let talks = May {
            talk: true,
            ..nothing
        };
        assert!(faults(talks, &exit).is_empty());
        assert!(faults(nothing, &format!("// process::{}", "exit")).is_empty());
        for opens in [
            concat!("std::fs::File::", "open(path)?"),
            concat!("fs::", "read(path)?"),
            concat!("let text = fs::", "read_to_string(path)?;"),
            concat!("File::", "options().read(true)"),
            concat!("OpenOptions::", "new()"),
        ] {
            assert_eq!(faults(nothing, opens).len(), 1, "{opens}");
            assert!(faults(nothing, &format!("mod tests {{\n    {opens}")).is_empty());
            let may_open = May {
                open: true,
                ..nothing
            };
            assert!(faults(may_open, opens).is_empty());
        }
        assert!(faults(nothing, concat!("SyzygyFile::", "open(path)?")).is_empty());
        let expected = concat!("#[expect(unsafe", "_code)]");
        assert_eq!(faults(talks, expected).len(), 1);
        let be_unsafe = May {
            be_unsafe: true,
            ..nothing
        };
        assert!(faults(be_unsafe, expected).is_empty());
    }
}
