//! Times of the engine's parts: the search of the bench positions, move generation, and the static evaluation.
//!
//! `cargo bench --manifest-path dev/Cargo.toml --bench engine`

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use everymove_engine::eval::{Classical, Evaluate};
use everymove_engine::transposition_table::TranspositionTable;
use everymove_engine::{Position, bench, perft};
use everymove_kernel::run::{Run, Stop};

fn search(c: &mut Criterion) {
    const DEPTH: u32 = 6;
    let stop = Stop::default();
    let nodes = bench::run(DEPTH, &stop, |_, _| {})
        .expect("the bench runs")
        .nodes;
    let mut group = c.benchmark_group("search");
    group.sample_size(10);
    group.throughput(Throughput::Elements(nodes));
    group.bench_function("bench positions to depth 6, nodes", |b| {
        b.iter(|| bench::run(black_box(DEPTH), &stop, |_, _| {}));
    });
    group.finish();
}

fn moves(c: &mut Criterion) {
    let start = Position::default();
    let run = Run::serial();
    let mut group = c.benchmark_group("perft");
    group.throughput(Throughput::Elements(197_281));
    group.bench_function("start position, 4 plies, leaves", |b| {
        b.iter(|| perft::count(black_box(&start), 4, &run));
    });
    group.finish();
}

fn evaluation(c: &mut Criterion) {
    let positions: Vec<_> = bench::positions()
        .filter(|p| p.checkers().is_empty())
        .collect();
    let mut evaluator = Classical;
    let mut group = c.benchmark_group("evaluation");
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("bench positions, classical", |b| {
        b.iter(|| {
            positions
                .iter()
                .map(|p| evaluator.evaluate(black_box(p), 0))
                .sum::<i32>()
        });
    });
    group.finish();
}

fn table(c: &mut Criterion) {
    let table = TranspositionTable::new(16 << 20).expect("16 MiB are granted");
    let mut key = 1u64;
    c.bench_function("transposition table, probe of 16 MiB", |b| {
        b.iter(|| {
            key = key.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23);
            table.probe(black_box(key))
        });
    });
}

criterion_group!(benches, search, moves, evaluation, table);
criterion_main!(benches);
