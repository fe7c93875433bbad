//! What the commands answer.

use std::collections::HashSet;
use std::fs;

use serde_json::json;

use crate::{answer, object, run_in};

#[test]
fn every_object_carries_its_cost() {
    for words in [
        &["tours", "count", "5x5"][..],
        &["tours", "list", "3x4"],
        &["tours", "sample", "5x5", "--seed", "1"],
        &["tours", "symmetric", "7x7", "--rotation", "quarter"],
        &["tours", "exists", "5x5"],
        &["lab", "list"],
    ] {
        let object = object(0, words);
        assert_eq!(object["command"], format!("{} {}", words[0], words[1]));
        assert_eq!(object["version"], env!("CARGO_PKG_VERSION"));
        assert!(object["work"].is_object());
        assert!(object["cpu_seconds"].is_number() && object["wall_seconds"].is_number());
        assert!(object["peak_rss_bytes"].is_u64() || object["peak_rss_bytes"].is_null());
    }
}

#[test]
fn counts_agree_by_every_method() {
    for (words, count) in [
        (&["5x5"][..], "864"),
        (&["5x5", "--directed"], "1728"),
        (&["6x6", "--closed"], "9862"),
        (&["6x6", "--closed", "--directed"], "19724"),
        (&["6x6", "--leaper", "0,1", "--closed"], "1072"),
        (&["6x6", "--piece", "wazir", "--closed"], "1072"),
        (&["4x4", "--piece", "K"], "171592"),
        (&["5x4", "--piece", "WF", "--closed"], "50354"),
        (&["3x3", "--piece", "king", "--closed", "--directed"], "32"),
        (&["4x4", "--piece", "FA"], "0"),
        (&["5x6", "--holes", "c3"], "64"),
        (&["5x5", "--holes", "b1,b2"], "14"),
        (&["6x6", "--holes", "c3,d3", "--closed"], "4"),
        (&["4x4"], "0"),
        (&["1x1"], "1"),
    ] {
        for method in ["auto", "search", "frontier"] {
            let words = [&["tours", "count"], words, &["--method", method]].concat();
            let object = object(0, &words);
            assert_eq!(object["count"], count, "{words:?}");
            assert_eq!(object["board"], words[2]);
        }
    }
    assert_eq!(
        answer(0, &["tours", "count", "6x6", "--quiet"]),
        "3318960\n"
    );
}

/// One transfer for all columns gives what the frontier gives; counts modulo a prime are their
/// rests.
#[test]
fn counts_by_columns_are_those_of_the_frontier() {
    for words in [
        &["tours", "count", "5x14", "--closed"][..],
        &["tours", "count", "4x20", "--directed"],
        &["tours", "count", "4x6", "--piece", "king"],
        &["tours", "count", "20x3"],
    ] {
        let count = |more: &[&str]| object(0, &[words, more].concat())["count"].clone();
        let counts = ["frontier", "columns"].map(|method| count(&["--method", method]));
        assert_eq!(counts[0], counts[1], "{words:?}");
        let whole: u128 = counts[0].as_str().unwrap().parse().unwrap();
        let rest = count(&["--modulus", "1000003"]);
        assert_eq!(rest, (whole % 1_000_003).to_string(), "{words:?}");
    }
    let answer = answer(0, &["tours", "count", "3x300", "--closed", "--json"]);
    assert!(answer.contains("\"method\":\"columns\""), "{answer}");
}

#[test]
fn counts_by_start_add_up() {
    for method in ["search", "frontier"] {
        let object = object(
            0,
            &["tours", "count", "5x5", "--by-start", "--method", method],
        );
        assert_eq!(object["by_start"]["a1"], "304");
        assert_eq!(object["by_start"]["c3"], "64");
        let sum: u64 = object["by_start"]
            .as_object()
            .unwrap()
            .values()
            .map(|count| count.as_str().unwrap().parse::<u64>().unwrap())
            .sum();
        assert_eq!((sum, &object["count"]), (1728, &json!("864")));
    }
    let corner = object(0, &["tours", "count", "5x5", "--start", "a1"]);
    assert_eq!(corner["count"], "304");
}

#[test]
fn classes_are_counted() {
    let object = object(0, &["tours", "count", "6x6", "--closed", "--classes"]);
    assert_eq!(object["classes"], "1245");
    let by = json!({ "asymmetric": "1223", "binary": "17", "quaternary": "5" });
    assert_eq!(object["by_symmetry"], by);
}

#[test]
fn what_is_listed_is_accepted_by_the_verifier_in_every_format() {
    let dir = tempfile::tempdir().unwrap();
    for format in ["grid", "squares", "csv", "json", "bin"] {
        let listed = run_in(
            dir.path(),
            &["tours", "list", "5x5", "--directed", "--format", format],
        );
        assert!(listed.status.success());
        fs::write(dir.path().join("tours"), &listed.stdout).unwrap();
        let verified = run_in(
            dir.path(),
            &["tours", "verify", "tours", "--distinct", "--json"],
        );
        let object: serde_json::Value = serde_json::from_slice(&verified.stdout).unwrap();
        assert_eq!(
            (&object["valid"], &object["tours"]),
            (&json!(true), &json!(1728)),
            "{format}"
        );
    }
}

#[test]
fn invalid_tours_are_answered_with_the_reason() {
    let dir = tempfile::tempdir().unwrap();
    // Steps 1 and 2 are no knight's move apart.
    let swapped = "25 14 1 8 19\n4 9 18 13 2\n15 24 3 20 7\n10 5 22 17 12\n23 16 11 6 21\n";
    fs::write(dir.path().join("t"), swapped.replace("14 1 ", "1 14 ")).unwrap();
    let output = run_in(dir.path(), &["tours", "verify", "t"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("invalid: "), "{text}");
}

#[test]
fn ranks_lead_back_and_equal_seeds_give_equal_tours() {
    let dir = tempfile::tempdir().unwrap();
    let ranks = ["0", "17", "9861"];
    let tours = answer(
        0,
        &[&["tours", "unrank", "6x6", "--closed"], &ranks[..]].concat(),
    );
    fs::write(dir.path().join("t"), tours).unwrap();
    let back = run_in(
        dir.path(),
        &["tours", "rank", "6x6", "--closed", "t", "--quiet"],
    );
    assert_eq!(String::from_utf8(back.stdout).unwrap(), "0\n17\n9861\n");

    let sample = |seed| {
        answer(
            0,
            &["tours", "sample", "6x6", "--number", "9", "--seed", seed],
        )
    };
    assert_eq!(sample("7"), sample("7"));
    assert_ne!(sample("7"), sample("8"));
}

#[test]
fn symmetric_tours_are_counted_and_listed() {
    let nine = object(0, &["tours", "symmetric", "9x9", "--rotation", "quarter"]);
    assert_eq!(
        (&nine["quarter_paths"], &nine["type_a"], &nine["type_b"]),
        (&json!(9_543_312), &json!(138_728), &json!(69_512))
    );
    let six = object(
        0,
        &[
            "tours",
            "symmetric",
            "6x6",
            "--rotation",
            "quarter",
            "--list",
        ],
    );
    let tours = six["tours"].as_array().unwrap();
    let distinct: HashSet<_> = tours.iter().map(|tour| tour.as_str().unwrap()).collect();
    assert_eq!((tours.len(), distinct.len()), (10, 10));
    let none = object(1, &["tours", "symmetric", "8x8", "--rotation", "quarter"]);
    assert_eq!(none["diagrams"], 0);
    assert!(none["reason"].as_str().unwrap().contains("4k+2"));
}

#[test]
fn tours_are_found_on_boards_of_any_kind() {
    let dir = tempfile::tempdir().unwrap();
    for words in [
        &["8x8", "--closed"][..],
        &["5x6", "--start", "a1", "--end", "b1"],
        &["9x9", "--closed", "--holes", "e5"],
        &["6x6", "--leaper", "0,1", "--closed"],
        &["300x200", "--seed", "5"],
        &["9x9", "--closed", "--piece", "K"],
        &["7x8", "--closed", "--piece", "CW"],
    ] {
        for format in ["grid", "bin"] {
            let out = ["--out", "t", "--format", format, "--json"];
            let found = run_in(dir.path(), &[&["tours", "find"], words, &out].concat());
            let object: serde_json::Value = serde_json::from_slice(&found.stdout).unwrap();
            assert_eq!(object["verified"], true, "{words:?}");
            let piece = words
                .iter()
                .position(|word| ["--leaper", "--piece"].contains(word));
            let piece = piece.map_or(&["--leaper", "1,2"][..], |at| &words[at..at + 2]);
            let check = [&["tours", "verify", "t"], piece].concat();
            assert!(
                run_in(dir.path(), &check).status.success(),
                "{words:?} {format}"
            );
        }
    }
    let none = object(1, &["tours", "find", "3x8", "--closed"]);
    assert_eq!(none["found"], false);
    assert!(none["reason"].as_str().unwrap().contains("Schwenk"));
}

#[test]
fn where_there_is_none_the_theorem_is_named() {
    let none = object(1, &["tours", "exists", "4x10", "--closed"]);
    assert!(none["reason"].as_str().unwrap().contains("Schwenk"));
    let zero = object(0, &["tours", "count", "7x7", "--closed"]);
    assert_eq!(
        (&zero["count"], &zero["method"]),
        (&json!("0"), &json!("theory"))
    );
    let estimate = "tours count 8x8 --holes a1,h8 --estimate";
    let estimate = object(0, &estimate.split(' ').collect::<Vec<_>>());
    assert_eq!(estimate["ways"], json!([]));
    let reason = estimate["reason"].as_str().unwrap();
    assert!(
        reason.contains("30 squares of the colour of a1"),
        "{reason}"
    );
    assert_eq!(answer(1, &["tours", "list", "3x3"]), "");
}

#[test]
fn pictures_are_drawn() {
    let dir = tempfile::tempdir().unwrap();
    for (options, mark) in [
        (&[][..], "<path"),
        (&["--animate"], "<animate"),
        (&["--step-numbers", "--theme", "dark"], "<text"),
    ] {
        let words = [
            &["tours", "list", "5x5", "--number", "1", "--svg", "t.svg"],
            options,
        ]
        .concat();
        assert!(run_in(dir.path(), &words).status.success());
        let svg = fs::read_to_string(dir.path().join("t.svg")).unwrap();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && svg.contains(mark));
    }
    // Two pixels for each of the 380 units of a board with its margins, and of the 900 of a sheet.
    let words = ["tours", "list", "5x5", "--number", "2", "--png"];
    let one = ["tours", "find", "5x5", "--step-numbers", "--png"];
    for (words, file, side) in [(&one[..], "one.png", 760), (&words, "two.png", 1800)] {
        assert!(
            run_in(dir.path(), &[words, &[file]].concat())
                .status
                .success()
        );
        let png = fs::read(dir.path().join(file)).unwrap();
        assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
        let width = u32::from_be_bytes(png[16..20].try_into().unwrap());
        assert_eq!(width, side, "{file}");
    }
}

#[test]
fn shells_and_manuals_are_served() {
    for shell in ["bash", "zsh", "fish"] {
        assert!(answer(0, &["completions", shell]).contains("everymove"));
    }
    let dir = tempfile::tempdir().unwrap();
    assert!(run_in(dir.path(), &["man", "--out", "."]).status.success());
    let page = fs::read_to_string(dir.path().join("everymove-tours-count.1")).unwrap();
    assert!(page.contains("checkpoint"));
}
