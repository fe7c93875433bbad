//! Residues against exact counts, and refusals.

use everymove_kernel::run::Ram;

use super::*;
use crate::board::{Board, Kind};
use crate::frontier::choose::sizes::{Counts, bytes_at_once, sizes};
use crate::frontier::store::memory::Memory;
use crate::frontier::{Options, count};
use crate::question::Question;

fn plan(board: &Board, kind: Kind) -> Plan {
    Plan::new(board, kind, None, &everymove_kernel::run::Stop::default()).unwrap()
}

/// Boards whose counts fit 128 bits, counted by residues all the same.
#[test]
fn residues_give_the_exact_count() {
    let run = Run::serial();
    for (rows, cols, kind) in [
        (6, 6, Kind::Closed),
        (6, 7, Kind::Closed),
        (5, 6, Kind::Open),
        (4, 7, Kind::Open),
        (3, 3, Kind::Open),
        (3, 84, Kind::Closed),
        (3, 61, Kind::Open),
    ] {
        let board = Board::knight(rows, cols).unwrap();
        let question = Question::new(board.clone(), kind);
        let exact = count(&question, &Options::default(), &run)
            .unwrap()
            .undirected;
        assert!(exact.bits() <= 128, "{exact}");
        let plan = plan(&board, kind);
        let live: Live<Members> = Live::new(&plan, &run).unwrap();
        let bound = log2_bound(&plan, &live, &run).unwrap();
        let store = Memory::new(u64::MAX, None, false, &run);
        let ignore = &mut |_| ();
        let mut engine = Engine::new(store, &plan, 0, None, ignore, &run);
        assert_eq!(engine.count(live, false).unwrap(), exact);
        assert!(
            exact.bits() as f64 - 1.0 <= bound,
            "{rows}x{cols}: {exact} against {bound}"
        );
    }
}

/// The closed tours of 3 x n boards obey a linear recurrence, being counted by a finite transfer
/// matrix; so counts on both sides of 128 bits must obey one and the same.
#[test]
fn long_boards_obey_a_recurrence() {
    const PRIME: u64 = (1 << 61) - 1;
    let run = Run::serial();
    let term = |n: u32| {
        let board = Board::knight(3, n).unwrap();
        let question = Question::new(board, Kind::Closed);
        let all = count(&question, &Options::default(), &run)
            .unwrap()
            .undirected;
        (all % PRIME).to_u64_digits().first().copied().unwrap_or(0)
    };
    let terms: Vec<u64> = (0..60).map(|i| term(10 + 2 * i)).collect();
    let order = recurrence_order(&terms, PRIME);
    assert!(
        order <= 25,
        "a recurrence of order {order} fits any {} terms",
        terms.len()
    );
}

/// The length of the shortest linear recurrence of a sequence modulo a prime (Berlekamp and
/// Massey).
fn recurrence_order(terms: &[u64], p: u64) -> usize {
    let mul = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(p)) as u64;
    let inverse = |a: u64| {
        let (mut result, mut base, mut e) = (1, a, p - 2);
        while e > 0 {
            if e & 1 == 1 {
                result = mul(result, base);
            }
            base = mul(base, base);
            e >>= 1;
        }
        result
    };
    let (mut current, mut previous) = (vec![1u64], vec![1u64]);
    let (mut length, mut gap, mut last) = (0usize, 1usize, 1u64);
    for i in 0..terms.len() {
        let mut d = terms[i];
        for (j, &c) in current.iter().enumerate().skip(1).take(length) {
            d = (d + mul(c, terms[i - j])) % p;
        }
        if d == 0 {
            gap += 1;
            continue;
        }
        let before = current.clone();
        let factor = mul(d, inverse(last));
        current.resize(current.len().max(previous.len() + gap), 0);
        for (j, &b) in previous.iter().enumerate() {
            current[j + gap] = (current[j + gap] + p - mul(factor, b)) % p;
        }
        if 2 * length <= i {
            length = i + 1 - length;
            previous = before;
            last = d;
            gap = 1;
        } else {
            gap += 1;
        }
    }
    length
}

/// Where whole layers do not fit the disk and classes do not fit the memory, a refusal names both.
#[test]
fn too_little_disk_and_memory_are_both_named() {
    let question = Question::new(Board::knight(7, 7).unwrap(), Kind::Open);
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        work: Some(folder.path().to_owned()),
        disk: Some(15 << 20),
        ..Options::default()
    };
    let run = Run::new(1, Ram::limited(64 << 20));
    let error = count(&question, &options, &run).unwrap_err();
    let FrontierError::OverDisk {
        need, or_memory, ..
    } = &error
    else {
        panic!("{error}");
    };
    assert!(*need > 15 << 20, "{error}");
    assert!(or_memory.is_some_and(|bytes| bytes > 64 << 20), "{error}");
    assert!(error.to_string().contains(" of memory "), "{error}");
}

/// The memory of layers of residues is not estimated too low, nor half as much again.
#[test]
fn layers_of_residues_take_what_is_estimated() {
    let run = Run::serial();
    for (rows, cols, kind) in [(5, 24, Kind::Open), (6, 20, Kind::Closed)] {
        let board = Board::knight(rows, cols).unwrap();
        let plan = plan(&board, kind);
        let mut live: Live<Members> = Live::new(&plan, &run).unwrap();
        let estimated = sizes(&plan, &live, Counts::Residues, &run).unwrap();
        let estimated = bytes_at_once(&estimated);
        let mut sizes = Vec::new();
        let mut seen = |event| {
            if let Event::Layer { bytes, .. } = event {
                sizes.push(bytes);
            }
        };
        let mut store = Memory::new(u64::MAX, None, false, &run);
        store.pass(primes().next());
        let mut engine = Engine::new(store, &plan, 0, None, &mut seen, &run);
        let (branch, place) = engine.common(&mut live.common).unwrap();
        let first = &mut live.first;
        engine.phase(Phase::First, branch, place, first).unwrap();
        let pairs = sizes.windows(2).map(|pair| pair[0] + pair[1]);
        let taken = pairs.max().unwrap() as f64;
        assert!(
            (1.0..1.5).contains(&(estimated / taken)),
            "{rows}x{cols} {kind}: {estimated} bytes estimated, {taken} taken"
        );
    }
}

/// Whether the total fits 128 bits decides between one exact pass and residues, not the sums of the
/// halves: those of 5x28 open are too large for a product of 128 bits. The counts are those of
/// `docs/figures/oeis/b083386.txt`.
#[test]
fn a_total_that_fits_takes_one_pass() {
    let counts = include_str!("../../../../../docs/figures/oeis/b083386.txt");
    let states = |cols: u32| {
        let question = Question::new(Board::knight(5, cols).unwrap(), Kind::Open);
        let counted = count(&question, &Options::default(), &Run::serial()).unwrap();
        let line = format!("{cols} {}", counted.undirected);
        assert!(counts.lines().any(|counted| counted == line), "{line}");
        counted.work.get("states")
    };
    let one_pass = [24, 26, 28, 30].map(states);
    for (less, more) in one_pass.iter().zip(&one_pass[1..]) {
        assert!(*more < 2 * less, "{one_pass:?}");
    }
    assert!(states(32) > 2 * one_pass[3]);
}

/// The budget that the first refusal names is enough.
#[test]
fn the_first_refusal_names_enough() {
    let folder = tempfile::tempdir().unwrap();
    let on_disk = Options {
        work: Some(folder.path().join("work")),
        ..Options::default()
    };
    let knight = |rows, cols, kind| Question::new(Board::knight(rows, cols).unwrap(), kind);
    for (question, options) in [
        (knight(4, 60, Kind::Open), Options::default()),
        (knight(3, 100, Kind::Closed), Options::default()),
        (knight(5, 12, Kind::Closed), Options::default()),
        (knight(6, 7, Kind::Closed), on_disk.clone()),
        (knight(6, 6, Kind::Open), on_disk),
    ] {
        let within = |ram| {
            count(
                &question,
                &options,
                &Run::new(2, Ram::of_process(ram).unwrap()),
            )
        };
        let least = Ram::PROGRAM + (1 << 16);
        let Err(FrontierError::OverBudget(refused)) = within(least) else {
            panic!("{question:?} fits {least} bytes")
        };
        within(refused.need).unwrap_or_else(|error| panic!("{question:?}: {error}"));
    }
}
