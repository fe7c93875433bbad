//! Times of the parts of the arena that are not engines: openings, statistics, reading PGN.
//!
//! `cargo bench --manifest-path dev/Cargo.toml --bench arena`

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use everymove_arena::openings::{Generator, GeneratorOptions};
use everymove_arena::pgn::results;
use everymove_arena::stats::{Estimate, Model, Pentanomial, Sprt};
use everymove_kernel::input::Input;
use everymove_kernel::run::Run;

fn openings(criterion: &mut Criterion) {
    criterion.bench_function("generate 10 openings", |bench| {
        bench.iter(|| Generator::new(GeneratorOptions::default()).take(10).count());
    });
}

fn statistics(criterion: &mut Criterion) {
    let pairs = Pentanomial([365, 16_618, 36_229, 16_974, 390]);
    criterion.bench_function("estimate from pairs", |bench| {
        bench.iter(|| Estimate::of(black_box(&pairs)));
    });
    for model in [Model::Logistic, Model::Normalised] {
        let test = Sprt::new(0.0, 2.0, 0.05, 0.05, model).expect("the bounds are in order");
        criterion.bench_function(&format!("log-likelihood ratio, {model}"), |bench| {
            bench.iter(|| test.llr(black_box(&pairs)));
        });
    }
}

fn pgn(criterion: &mut Criterion) {
    let file = include_str!("../../crates/arena/tests/golden/match.pgn").repeat(100);
    criterion.bench_function("read the results of 200 games", |bench| {
        bench.iter(|| {
            let bytes = std::io::Cursor::new(black_box(file.clone()));
            results::read(Input::new("games", bytes, &Run::serial()))
        });
    });
}

criterion_group!(benches, openings, statistics, pgn);
criterion_main!(benches);
