//! Circles of source files: which files of a crate need each other.
//!
//! A file needs another if its code, tests excluded, names something that the other defines: by a path
//! (`use crate::a::b`, `super::c::d()`), followed through re-exports to the file of the definition, or by a method of
//! `self` that another file implements for the same type. Files that need each other, directly or around a circle,
//! are a strongly connected component of this graph.
//!
//! Circles inside one directory are reported, those across directories break a rule. A module file (`a.rs` or
//! `a/mod.rs`) counts to the directory of its submodules.

mod graph;
mod modules;
mod names;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;

pub(crate) use graph::Circle;

/// The circles of the crate whose sources are in `src`: the largest first.
pub(crate) fn of_crate(src: &Path) -> anyhow::Result<Vec<Circle>> {
    let files = modules::read(src)?;
    Ok(graph::circles(&files, &names::needs(&files)))
}

/// Which file needs which, by index, and the names that it needs from there.
type Needs = BTreeMap<(usize, usize), Vec<String>>;
