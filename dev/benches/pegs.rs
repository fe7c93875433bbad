//! Fixed pieces of work on the English board, in serial: `cargo bench --manifest-path dev/Cargo.toml --bench pegs`.

use criterion::{Criterion, criterion_group, criterion_main};
use everymove_kernel::run::Run;
use everymove_pegs::{Board, Keys, Order, Problem, Search, Shortest, WinningSet, reach, search};

fn central() -> Problem {
    let board = Board::named("english").expect("a name of a board");
    Problem::vacate(&board, "d4", Some("d4")).expect("holes of the board")
}

fn benches(criterion: &mut Criterion) {
    let problem = central();
    let run = Run::serial();
    let mut group = criterion.benchmark_group("english");
    group.sample_size(10);
    group.bench_function("reachable positions", |bench| {
        bench.iter(|| reach(problem.board(), problem.start(), &run).expect("no budget"));
    });
    group.bench_function("winning set", |bench| {
        bench.iter(|| {
            WinningSet::new(&problem, &run)
                .expect("no budget")
                .positions()
        });
    });
    let set = WinningSet::new(&problem, &run).expect("no budget");
    group.bench_function("count of solutions", |bench| {
        bench.iter(|| set.count_solutions(&run).expect("no budget").solutions);
    });
    group.bench_function("fewest moves", |bench| {
        bench.iter(|| {
            Shortest::new(&set, &run)
                .expect("no budget")
                .map(|found| found.moves())
        });
    });
    let how = Search {
        order: Order::Rows,
        keys: Keys::None,
        memory: 1 << 20,
        split_depth: 0,
        limit: 1 << 20,
    };
    group.bench_function("2^20 positions depth first", |bench| {
        bench.iter(|| search(&problem, &how, &run).expect("no budget").nodes);
    });
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
