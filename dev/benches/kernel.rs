//! Fixed pieces of work on the shared parts, in serial unless said: `cargo bench --manifest-path dev/Cargo.toml --bench kernel`.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use everymove_kernel::files::{BlockReader, BlockWriter, FileError, Format, Memory, publish};
use everymove_kernel::parallel;
use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Ram, Run};

const FORMAT: Format = Format {
    magic: *b"BENCHES1",
    version: 1,
    what: "a bench",
};

/// 64 blocks of 64 KB.
fn write(storage: &Memory, block: &[u8]) -> Result<u64, FileError> {
    publish(storage, "blocks", |draft| {
        let mut blocks = BlockWriter::new(draft, FORMAT)?;
        for tag in 0..64 {
            blocks.write(tag, block)?;
        }
        blocks.finish()
    })
}

fn benches(criterion: &mut Criterion) {
    let mut rng = SplitMix64::new(1);
    let mut group = criterion.benchmark_group("blocks in memory");
    group.sample_size(10);
    let block: Vec<u8> = (0..1 << 16).map(|_| rng.next_u64() as u8).collect();
    group.throughput(Throughput::Bytes(64 << 16));
    let storage = Memory::default();
    group.bench_function("write 4 MB", |bench| {
        bench.iter(|| write(&storage, &block).expect("memory"));
    });
    group.bench_function("read 4 MB", |bench| {
        bench.iter(|| {
            let mut blocks = BlockReader::open(&storage, "blocks", FORMAT).expect("written");
            let (mut bytes, mut len) = (Vec::new(), 0);
            while blocks.read(&mut bytes).expect("whole").is_some() {
                len += bytes.len();
            }
            len
        });
    });
    group.finish();

    let mut group = criterion.benchmark_group("parallel loop");
    group.sample_size(10);
    for threads in [1, 2] {
        let run = Run::new(threads, Ram::unlimited());
        group.bench_function(format!("10,000 jobs on {threads} threads"), |bench| {
            bench.iter(|| parallel::map(&run, 0..10_000u64, || (), |(), n| black_box(n) * n));
        });
    }
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
