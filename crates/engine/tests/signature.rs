//! The signature of the search: node counts that only a change of the search may change.

use std::io::Cursor;

use everymove_engine::{bench, uci};
use everymove_kernel::run::{Ram, Run, Stop};

/// Equal on every machine, processor level and build. Who changes the search writes the new numbers here, on purpose.
#[test]
fn bench_counts_what_it_counted() {
    let rows = include_str!("signature.tsv")
        .lines()
        .filter(|l| !l.starts_with('#'));
    for row in rows {
        let (depth, nodes) = row.split_once('\t').expect("two columns");
        let bench = bench::run(depth.parse().unwrap(), &Stop::default(), |_, _| {}).unwrap();
        assert_eq!(bench.nodes, nodes.parse::<u64>().unwrap(), "depth {depth}");
    }
}

/// What was searched before leaves no trace in it, and it leaves none in what comes after `ucinewgame`.
#[test]
fn the_signature_does_not_depend_on_the_past() {
    let go = "position startpos moves d2d4\ngo depth 8\n";
    let input =
        format!("{go}bench 6\nucinewgame\n{go}bench 6\nsetoption name Threads value 2\nbench 6\n");
    let mut output = Vec::new();
    let run = Run::new(1, Ram::limited(256 << 20));
    uci::serve(Cursor::new(input), &mut output, &run);
    let text = String::from_utf8(output).unwrap();
    let nodes = |line: &str| line.split(' ').next().map(str::to_owned);
    let signatures: Vec<_> = (text.lines())
        .filter(|l| l.ends_with(" nps"))
        .map(nodes)
        .collect();
    assert_eq!(signatures.len(), 3, "{text}");
    assert!(signatures.iter().all(|s| *s == signatures[0]), "{text}");
}
