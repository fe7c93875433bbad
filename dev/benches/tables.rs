//! Generation, compression and probing of small endings, in serial: `cargo bench --manifest-path dev/Cargo.toml --bench tables`.

use criterion::{Criterion, criterion_group, criterion_main};
use everymove_kernel::run::{Run, Work};
use everymove_tables::syzygy::SyzygyFolder;
use everymove_tables::{Metric, Plan, Tables, build, probe, syzygy};

fn benches(criterion: &mut Criterion) {
    let run = Run::serial();
    let mut group = criterion.benchmark_group("tables");
    group.sample_size(10);
    let plan = |metric| Plan::new("KQvKR".parse().expect("an ending"), metric);
    group.bench_function(
        "generate KQvKR with its sub-tables, plies to mate",
        |bench| {
            bench.iter(|| {
                let folder = tempfile::tempdir().expect("a folder");
                let tables = Tables::new(folder.path(), Metric::Mate);
                build(&plan(Metric::Mate), &tables, &run)
                    .expect("no budget")
                    .work
            });
        },
    );
    let folder = tempfile::tempdir().expect("a folder");
    let tables = Tables::new(folder.path(), Metric::Zeroing);
    build(&plan(Metric::Zeroing), &tables, &run).expect("no budget");
    let material = "KQvK".parse().expect("an ending");
    group.bench_function("write KQvK.rtbw and KQvK.rtbz", |bench| {
        bench.iter(|| {
            let mut work = Work::default();
            syzygy::write(&material, &tables, &run, &mut work).expect("no budget");
            work
        });
    });
    group.sample_size(50);
    let position = probe::read_position("8/8/8/8/8/2k5/7Q/K7 w - - 0 1").expect("a position");
    group.bench_function("probe a position and its moves", |bench| {
        bench.iter(|| tables.probe(&position, 0).expect("a table").value);
    });
    let quiet = probe::read_position("8/8/4r3/8/8/2k5/7Q/K7 w - - 0 1").expect("a position");
    group.bench_function("look up a position in our table", |bench| {
        bench.iter(|| tables.value(&quiet).expect("a table"));
    });
    let material = "KQvKR".parse().expect("an ending");
    syzygy::write(&material, &tables, &run, &mut Work::default()).expect("no budget");
    let files = SyzygyFolder::new(folder.path());
    group.bench_function("look up a position in a WDL file", |bench| {
        bench.iter(|| files.wdl(&quiet).expect("a file"));
    });
    group.bench_function("probe the Syzygy files", |bench| {
        bench.iter(|| files.dtz(&position).expect("files"));
    });
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
