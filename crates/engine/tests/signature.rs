//! The signature of the search: node counts that only a change of the search may change.

use crate::session::{WAIT, run_session};
use everymove_engine::bench;
use everymove_kernel::run::Stop;

/// Equal on every machine, processor level and build. Who changes the search writes the new numbers
/// here, on purpose.
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

/// Earlier searches do not change the signature, and a bench does not change what comes after
/// `ucinewgame`.
#[test]
fn the_signature_does_not_depend_on_the_past() {
    let go = format!("position startpos moves d2d4\ngo depth 8\n{WAIT}\n");
    let input = format!(
        "{go}bench 6\nucinewgame\n{go}bench 6\nsetoption name Threads value 2\nbench 6\nd\n"
    );
    let text = run_session(input.as_bytes());
    let nodes = |line: &str| line.split(' ').next().map(str::to_owned);
    let signatures: Vec<_> = (text.lines())
        .filter(|l| l.ends_with(" nps"))
        .map(nodes)
        .collect();
    assert_eq!(signatures.len(), 3, "{text}");
    assert!(signatures.iter().all(|s| *s == signatures[0]), "{text}");
}
