//! The module tree of a crate: which file defines which names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::Context;
use quote::ToTokens;
use syn::{Attribute, Item, UseTree};

/// A path of names: of a module from the root of the crate, or as written.
pub(super) type Names = Vec<String>;

/// The files of a crate without those for tests.
pub(super) type Files = Vec<File>;

/// One file.
pub(super) struct File {
    /// Relative to the folder of sources.
    pub(super) path: String,
    /// The module that it is.
    pub(super) module: Names,
    /// The module whose directory it counts to, as a path.
    pub(super) directory: String,
    pub(super) syntax: syn::File,
    /// The names that it defines.
    pub(super) defined: BTreeSet<String>,
    /// The names that it imports or re-exports, and the paths that they stand for as written.
    pub(super) imported: BTreeMap<String, Names>,
    /// The modules of which it imports everything.
    pub(super) globs: Vec<Names>,
}

/// Reads the files of a crate.
pub(super) fn read(src: &Path) -> anyhow::Result<Files> {
    let mut paths = Vec::new();
    collect(src, "", &mut paths)?;
    let mut files = Vec::new();
    let mut for_tests: Vec<Names> = Vec::new();
    for path in paths {
        let text = fs::read_to_string(src.join(&path))?;
        let syntax = syn::parse_file(&text).with_context(|| format!("cannot parse {path}"))?;
        let module = module(&path);
        let file = file(path, module, syntax);
        let tests = file.syntax.items.iter().filter_map(|item| match item {
            Item::Mod(m) if m.content.is_none() && is_for_tests(&m.attrs) => {
                Some([&*file.module, &[m.ident.to_string()]].concat())
            }
            _ => None,
        });
        for_tests.extend(tests);
        files.push(file);
    }
    files.retain(|file| !for_tests.iter().any(|tests| file.module.starts_with(tests)));
    let parents: BTreeSet<Names> = (files.iter())
        .filter_map(|file| Some(file.module.split_last()?.1.to_vec()))
        .collect();
    for file in &mut files {
        let directory = match file.module.split_last() {
            Some((_, parent)) if !parents.contains(&file.module) => parent,
            _ => &file.module,
        };
        file.directory = directory.join("/");
    }
    Ok(files)
}

fn collect(src: &Path, under: &str, found: &mut Vec<String>) -> anyhow::Result<()> {
    for entry in fs::read_dir(src.join(under))? {
        let entry = entry?;
        let name = entry.file_name().into_string().unwrap_or_default();
        let path = if under.is_empty() {
            name
        } else {
            format!("{under}/{name}")
        };
        if entry.file_type()?.is_dir() {
            // Programs of their own.
            if path != "bin" {
                collect(src, &path, found)?;
            }
        } else if path.ends_with(".rs") {
            found.push(path);
        }
    }
    found.sort();
    Ok(())
}

fn module(path: &str) -> Names {
    let path = path.trim_end_matches(".rs");
    let mut names: Names = path.split('/').map(str::to_owned).collect();
    let is_root = names.len() == 1 && matches!(&*names[0], "lib" | "main");
    if is_root || names.last().is_some_and(|name| name == "mod") {
        names.pop();
    }
    names
}

/// Whether an item is compiled for tests only.
pub(super) fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg") && {
                let condition = attribute.meta.to_token_stream().to_string();
                condition.contains("test") && !condition.contains("not")
            }
    })
}

fn file(path: String, module: Names, syntax: syn::File) -> File {
    let mut file = File {
        path,
        module,
        directory: String::new(),
        defined: BTreeSet::new(),
        imported: BTreeMap::new(),
        globs: Vec::new(),
        syntax: syn::File {
            shebang: None,
            attrs: Vec::new(),
            items: Vec::new(),
        },
    };
    for item in &syntax.items {
        let ident = match item {
            Item::Const(i) => &i.ident,
            Item::Enum(i) => &i.ident,
            Item::Fn(i) => &i.sig.ident,
            Item::Static(i) => &i.ident,
            Item::Struct(i) => &i.ident,
            Item::Trait(i) => &i.ident,
            Item::Type(i) => &i.ident,
            Item::Union(i) => &i.ident,
            // A module in the file itself: what is named in it is in this file.
            Item::Mod(i) if i.content.is_some() => &i.ident,
            Item::Use(i) => {
                flatten(&i.tree, &mut Vec::new(), &mut |name, path| match name {
                    Some(name) => {
                        file.imported.insert(name, path);
                    }
                    None => file.globs.push(path),
                });
                continue;
            }
            _ => continue,
        };
        file.defined.insert(ident.to_string());
    }
    file.syntax = syntax;
    file
}

/// Calls `each` with every name that a use declaration brings (none for `*`) and its path.
pub(super) fn flatten(
    tree: &UseTree,
    before: &mut Names,
    each: &mut impl FnMut(Option<String>, Names),
) {
    match tree {
        UseTree::Path(part) => {
            before.push(part.ident.to_string());
            flatten(&part.tree, before, each);
            before.pop();
        }
        UseTree::Name(name) => {
            let name = name.ident.to_string();
            if name == "self" {
                each(before.last().cloned(), before.clone());
            } else {
                each(Some(name.clone()), [&before[..], &[name]].concat());
            }
        }
        UseTree::Rename(name) => {
            let path = [&before[..], &[name.ident.to_string()]].concat();
            each(Some(name.rename.to_string()), path);
        }
        UseTree::Glob(_) => each(None, before.clone()),
        UseTree::Group(group) => {
            for tree in &group.items {
                flatten(tree, before, each);
            }
        }
    }
}
