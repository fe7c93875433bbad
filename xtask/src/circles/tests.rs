//! Crates of a few lines.

use std::fs;

use super::*;

fn circles(files: &[(&str, &str)]) -> Vec<Circle> {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    of_crate(dir.path()).unwrap()
}

fn files(circles: &[Circle]) -> Vec<Vec<&str>> {
    circles
        .iter()
        .map(|circle| circle.files.iter().map(String::as_str).collect())
        .collect()
}

#[test]
fn files_that_name_each_other_are_a_circle() {
    let found = circles(&[
        ("lib.rs", "mod a;\nmod b;\nmod c;"),
        ("a.rs", "use crate::b::B;\npub struct A(B);"),
        ("b.rs", "pub struct B;\nfn f() { let _ = super::a::A; }"),
        ("c.rs", "use super::a::A;"),
    ]);
    assert_eq!(files(&found), [["a.rs", "b.rs"]]);
    assert!(!found[0].is_wide());
    assert_eq!(found[0].arrows, ["a.rs -> b.rs (B)", "b.rs -> a.rs (A)"]);
}

#[test]
fn re_exports_are_followed_and_are_no_need() {
    let files_of = [
        ("lib.rs", "mod a;\nmod b;\npub use a::A;\npub use b::B;"),
        ("a.rs", "pub struct A;"),
        ("b.rs", "use crate::A;\npub struct B(A);"),
    ];
    assert!(circles(&files_of).is_empty());
    let mut circle = files_of;
    circle[1].1 = "pub struct A;\nfn f(_: crate::B) {}";
    assert_eq!(files(&circles(&circle)), [["a.rs", "b.rs"]]);
    let mut root = files_of;
    root[0].1 = "mod a;\nmod b;\npub use a::A;\npub use b::B;\npub struct C;\nfn f(_: B) {}";
    root[2].1 = "use crate::{A, C};\npub struct B(A, C);";
    assert_eq!(files(&circles(&root)), [["b.rs", "lib.rs"]]);
}

#[test]
fn directories_are_told_apart() {
    let found = circles(&[
        ("main.rs", "mod a;\nmod b;"),
        ("a.rs", "pub mod x;\nuse x::X;"),
        ("a/x.rs", "use super::super::b::y::Y;\npub struct X;"),
        ("b/mod.rs", "pub mod y;"),
        ("b/y.rs", "use crate::a::x::X;\npub struct Y;"),
    ]);
    assert_eq!(files(&found), [["a/x.rs", "b/y.rs"]]);
    assert!(found[0].is_wide());
}

#[test]
fn methods_of_self_and_macros_count() {
    let found = circles(&[
        ("lib.rs", "mod a;\nmod b;\npub struct T;"),
        ("a.rs", "impl crate::T { pub fn f(&self) { self.g() } }"),
        (
            "b.rs",
            "impl crate::T { pub fn g(&self) { vec![Self::f(self)]; } }",
        ),
    ]);
    assert_eq!(files(&found), [["a.rs", "b.rs"]]);
}

#[test]
fn tests_do_not_count() {
    let found = circles(&[
        ("lib.rs", "mod a;\nmod b;"),
        (
            "a.rs",
            "use crate::b::B;\npub struct A(B);\n#[cfg(test)]\nmod tests;",
        ),
        ("a/tests.rs", "use super::*;\nuse crate::b;"),
        (
            "b.rs",
            "pub struct B;\n#[cfg(test)]\nmod tests { use crate::a::A; }",
        ),
    ]);
    assert!(found.is_empty());
}
