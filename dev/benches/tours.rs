//! Fixed questions about tours, in serial: `cargo bench --manifest-path dev/Cargo.toml --bench tours`.

use std::ops::ControlFlow;

use criterion::{Criterion, criterion_group, criterion_main};
use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::Run;
use everymove_tours::board::{Board, Kind};
use everymove_tours::check;
use everymove_tours::construct::{self, Options};
use everymove_tours::frontier::Sampler;
use everymove_tours::question::{Direction, Question};
use everymove_tours::{CountOptions, count, list};

fn benches(criterion: &mut Criterion) {
    let run = Run::serial();
    let question = |rows, cols, kind| {
        let board = Board::knight(rows, cols).expect("a board");
        Question::new(board, kind)
    };
    let mut group = criterion.benchmark_group("tours");
    group.sample_size(10);
    let closed = question(6, 8, Kind::Closed);
    group.bench_function("count 6x8 closed", |bench| {
        bench.iter(|| {
            count(&closed, &CountOptions::default(), &run)
                .expect("no budget")
                .count
        });
    });
    let open = question(5, 5, Kind::Open);
    group.bench_function("list 5x5 open", |bench| {
        bench.iter(|| {
            let mut tours = 0;
            list(&open, Direction::Undirected, &run, |_| {
                tours += 1;
                ControlFlow::Continue(())
            })
            .expect("a small board");
            tours
        });
    });
    let large = question(1000, 1000, Kind::Closed);
    group.bench_function("find 1000x1000 closed", |bench| {
        bench.iter(|| {
            construct::find(&large, Options::default(), &run)
                .expect("there is one")
                .work
        });
    });
    let found = construct::find(&large, Options::default(), &run).expect("there is one");
    group.bench_function("verify 1000x1000 closed", |bench| {
        bench.iter(|| check::verify(&found.tour, 1).expect("a tour").squares);
    });
    let six = question(6, 6, Kind::Closed);
    let sampler = Sampler::new(&six.board, six.kind, &run).expect("no budget");
    let mut rng = SplitMix64::new(1);
    group.bench_function("sample 6x6 closed", |bench| {
        bench.iter(|| sampler.sample(&mut rng));
    });
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
