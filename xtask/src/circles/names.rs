//! Which file needs which: paths followed to definitions, and methods of `self`.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ImplItem, Item, ItemImpl, ItemMod, ItemUse, Path, Type, Visibility};

use super::Needs;
use super::modules::{File, Files, Names, flatten, is_for_tests};

/// Which file needs which.
pub(super) fn needs(files: &Files) -> Needs {
    let tree = Tree::new(files);
    let mut needs = Needs::new();
    for (from, file) in files.iter().enumerate() {
        let mut finder = Finder::default();
        finder.visit_file(&file.syntax);
        let mut found: BTreeSet<(usize, String)> = BTreeSet::new();
        for (inline, path) in &finder.paths {
            found.extend(tree.definition(from, *inline, path, 0));
        }
        // A name that is only re-exported is not needed by the file that re-exports it.
        for (name, path) in &finder.reexported {
            if finder.mentioned.contains(name) {
                found.extend(tree.definition(from, 0, path, 0));
            }
        }
        for (of, method) in &finder.own_methods {
            if let Some(homes) = tree.methods.get(&(of.clone(), method.clone()))
                && !homes.contains(&from)
            {
                found.extend(homes.iter().map(|&home| (home, format!("self.{method}"))));
            }
        }
        for (to, name) in found.into_iter().filter(|&(to, _)| to != from) {
            needs.entry((from, to)).or_default().push(name);
        }
    }
    needs
}

/// The definitions of a crate.
struct Tree<'a> {
    files: &'a Files,
    modules: BTreeMap<&'a [String], usize>,
    /// By type and method: the files that implement it for the type.
    methods: BTreeMap<(String, String), Vec<usize>>,
}

impl<'a> Tree<'a> {
    fn new(files: &'a Files) -> Self {
        let modules = files.iter().enumerate();
        let mut methods: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
        for (at, file) in files.iter().enumerate() {
            for item in &file.syntax.items {
                let Item::Impl(item) = item else { continue };
                let (Some(of), None) = (type_name(&item.self_ty), &item.trait_) else {
                    continue;
                };
                for method in &item.items {
                    if let ImplItem::Fn(method) = method {
                        let name = method.sig.ident.to_string();
                        methods.entry((of.clone(), name)).or_default().push(at);
                    }
                }
            }
        }
        Self {
            files,
            modules: modules.map(|(i, file)| (&*file.module, i)).collect(),
            methods,
        }
    }

    /// The file that defines what `path` names, as written in file `from` inside `inline` modules of that file.
    fn definition(
        &self,
        from: usize,
        inline: usize,
        path: &[String],
        depth: usize,
    ) -> Option<(usize, String)> {
        let file = &self.files[from];
        let mut module: Names = file.module.clone();
        let mut rest = path;
        let mut inline = inline;
        match rest.first().map(String::as_str) {
            Some("crate") => {
                module.clear();
                rest = &rest[1..];
            }
            Some("self" | "super") => {
                while let Some(name @ ("self" | "super")) = rest.first().map(String::as_str) {
                    if name == "super" && inline > 0 {
                        inline -= 1;
                    } else if name == "super" {
                        module.pop();
                    }
                    rest = &rest[1..];
                }
            }
            Some(first) => {
                let child = [&*module, &[first.to_owned()]].concat();
                let is_known = self.modules.contains_key(&*child)
                    || rest.len() > 1 && file.imported.contains_key(first);
                if !is_known || depth > 8 {
                    return None;
                }
            }
            None => return None,
        }
        self.item(module, rest, depth)
    }

    fn item(&self, mut module: Names, rest: &[String], depth: usize) -> Option<(usize, String)> {
        let mut rest = rest;
        while let Some((name, more)) = rest.split_first() {
            let child = [&*module, std::slice::from_ref(name)].concat();
            if !self.modules.contains_key(&*child) {
                break;
            }
            (module, rest) = (child, more);
        }
        let at = *self.modules.get(&*module)?;
        let file: &File = &self.files[at];
        let Some(name) = rest.first() else {
            let name = module.last().map_or("crate", String::as_str);
            return Some((at, name.to_owned()));
        };
        if depth < 8 && !file.defined.contains(name) {
            if let Some(path) = file.imported.get(name) {
                let path = [&**path, &rest[1..]].concat();
                return self.definition(at, 0, &path, depth + 1);
            }
            let through =
                |glob: &Names| self.definition(at, 0, &[&**glob, rest].concat(), depth + 1);
            let found = file.globs.iter().filter_map(through);
            let mut found = found.filter(|(at, name)| self.files[*at].defined.contains(name));
            if let Some(found) = found.next() {
                return Some(found);
            }
        }
        Some((at, name.clone()))
    }
}

/// What a file names.
#[derive(Default)]
struct Finder {
    /// Paths, with the number of modules in the file that they are in.
    paths: BTreeSet<(usize, Names)>,
    /// Public use declarations at the top of the file.
    reexported: Vec<(String, Names)>,
    /// Every identifier at the beginning of a path.
    mentioned: BTreeSet<String>,
    /// Methods called on `self`, and the type that they are called on.
    own_methods: BTreeSet<(String, String)>,
    inline: usize,
    of: Option<String>,
}

impl Finder {
    fn path(&mut self, names: Names) {
        if let Some(first) = names.first() {
            self.mentioned.insert(first.clone());
        }
        if let (Some(of), [first, method, ..]) = (&self.of, &*names)
            && first == "Self"
        {
            self.own_methods.insert((of.clone(), method.clone()));
        }
        if names.len() > 1 {
            self.paths.insert((self.inline, names));
        }
    }

    /// Paths in what a macro is called with.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut names: Names = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.path(std::mem::take(&mut names));
                    }
                    names.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                TokenTree::Group(group) => {
                    self.path(std::mem::take(&mut names));
                    self.tokens(group.stream());
                }
                _ => self.path(std::mem::take(&mut names)),
            }
        }
        self.path(names);
    }
}

impl<'a> Visit<'a> for Finder {
    fn visit_item(&mut self, item: &'a Item) {
        if !is_for_tests(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'a ItemMod) {
        self.inline += 1;
        visit::visit_item_mod(self, item);
        self.inline -= 1;
    }

    fn visit_item_use(&mut self, item: &'a ItemUse) {
        let is_public = !matches!(item.vis, Visibility::Inherited) && self.inline == 0;
        flatten(&item.tree, &mut Vec::new(), &mut |name, path| match name {
            Some(name) if is_public => self.reexported.push((name, path)),
            None if is_public => {}
            _ => {
                self.paths.insert((self.inline, path));
            }
        });
    }

    fn visit_item_impl(&mut self, item: &'a ItemImpl) {
        let before = std::mem::replace(&mut self.of, type_name(&item.self_ty));
        visit::visit_item_impl(self, item);
        self.of = before;
    }

    fn visit_path(&mut self, path: &'a Path) {
        let names = path.segments.iter().map(|s| s.ident.to_string());
        self.path(names.collect());
        visit::visit_path(self, path);
    }

    fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
        let is_self = matches!(&*call.receiver, Expr::Path(path) if path.path.is_ident("self"));
        if let (true, Some(of)) = (is_self, &self.of) {
            self.own_methods
                .insert((of.clone(), call.method.to_string()));
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, call: &'a syn::Macro) {
        self.tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }

    fn visit_visibility(&mut self, _: &'a Visibility) {
        // `pub(in crate::a)` names no definition.
    }
}

fn type_name(of: &Type) -> Option<String> {
    match of {
        Type::Path(path) => path.path.segments.last().map(|s| s.ident.to_string()),
        _ => None,
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(i) => &i.attrs,
        Item::Enum(i) => &i.attrs,
        Item::Fn(i) => &i.attrs,
        Item::Impl(i) => &i.attrs,
        Item::Macro(i) => &i.attrs,
        Item::Mod(i) => &i.attrs,
        Item::Static(i) => &i.attrs,
        Item::Struct(i) => &i.attrs,
        Item::Trait(i) => &i.attrs,
        Item::Type(i) => &i.attrs,
        Item::Use(i) => &i.attrs,
        _ => &[],
    }
}
